// judge.js FOLDER [--all | --open] - runs the models of FOLDER/cases.json in ONNX Runtime and compares all outputs
//
// Cases are written by onnx_cases. A number is right within 1e-5 of its own size plus 1e-6 of the
// largest one of its tensor; integers and logical values are right only if they are equal. What was
// refused must be among the reasons of refused.txt, and what differs in differs.txt. Versions of
// operators without a kernel in ONNX Runtime must be in lacking.txt; their models are not judged.
// With --all these lists must have nothing that does not occur. With --open what differs with random inputs and other
// extents only is in differs.txt, too.
'use strict';

const fs = require('fs');
const path = require('path');
const readline = require('readline');
const ort = require('onnxruntime-node');
const { lackingKernels } = require('./lacking.js');

const root = path.join(__dirname, '../..');
const RELATIVE = 1e-5;
const OF_LARGEST = 1e-6;
const TYPES = { scalar: 'float32', integer: 'int64', logical: 'bool' };

function toTensor({ type, dims, items }) {
  if (type === 'integer') return new ort.Tensor('int64', BigInt64Array.from(items.map(BigInt)), dims);
  if (type === 'logical') return new ort.Tensor('bool', Uint8Array.from(items), dims);
  return new ort.Tensor('float32', Float32Array.from(items.map(Number)), dims);
}

function same(expected, actual, largest) {
  if (Number.isNaN(expected)) return Number.isNaN(actual);
  if (!Number.isFinite(expected)) return Object.is(expected, actual);
  return Math.abs(actual - expected) <= RELATIVE * Math.abs(expected) + OF_LARGEST * largest;
}

// What is wrong with an output; undefined if nothing.
function difference(expected, actual) {
  if (!actual) return 'is missing';
  if (actual.type !== TYPES[expected.type]) return `has type ${actual.type}, expected ${TYPES[expected.type]}`;
  if (String(actual.dims) !== String(expected.dims)) return `has shape [${actual.dims}], expected [${expected.dims}]`;
  if (expected.type === 'integer') {
    const at = expected.items.findIndex((item, i) => BigInt(item) !== actual.data[i]);
    return at < 0 ? undefined : `[${at}] is ${actual.data[at]}, expected ${expected.items[at]}`;
  }
  const numbers = expected.items.map(Number);
  const largest = numbers.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  const exact = expected.type === 'logical' ? 0 : largest;
  const at = numbers.findIndex((x, i) => !same(x, Number(actual.data[i]), exact));
  return at < 0 ? undefined : `[${at}] is ${actual.data[at]}, expected ${expected.items[at]}`;
}

async function run(folder, about) {
  const session = await ort.InferenceSession.create(path.join(folder, about.model), { logSeverityLevel: 4 });
  const feeds = {};
  for (const input of about.inputs) if (session.inputNames.includes(input.name)) feeds[input.name] = toTensor(input);
  const results = await session.run(feeds);
  await session.release();
  return about.outputs.map((output) => [output.name, difference(output, results[output.name])]);
}

async function judge(folder, about, tally) {
  const title = `${about.document}, opset ${about.opset}`;
  let outcome;
  try {
    outcome = await run(folder, about);
  } catch (error) {
    if (tally.lacking.of(error)) return;
    outcome = about.outputs.map((output) => [output.name, `cannot be computed: ${error.message.split('\n')[0]}`]);
  }
  for (const [name, what] of outcome) {
    const [document] = about.document.split(':'); // an open extent stands behind it
    const known = tally.differs.get(`${path.relative(root, document)} ${name}`);
    if (known && what) known.met = true;
    else if (what) {
      console.log(`${title}: '${name}' ${what}`);
      tally.failed++;
    } else tally.passed++;
  }
}

// Reasons go without what differs from case to case: numbers.
function general(reason) {
  return reason.replace(/-?\d+/g, 'N');
}

function refuse(about, tally) {
  for (const reason of about.refused) {
    tally.reasons.add(general(reason));
    if (tally.allowed.has(general(reason))) continue;
    console.log(`${about.document}, opset ${about.opset}: refused: ${reason}`);
    tally.failed++;
  }
  tally.refused++;
}

// What a list has, without its comments.
function readLines(file) {
  const text = fs.readFileSync(path.join(__dirname, file), 'utf8');
  return text.split('\n').filter((line) => line && !line.startsWith('#'));
}

// Of the lists, what no case bears out: they are for the documents of the whole project, of which some
// are for passes only.
function reportStale(tally) {
  for (const reason of tally.allowed) if (!tally.reasons.has(reason)) stale(tally, `refused.txt: ${reason}`);
  for (const kernel of tally.lacking.unused()) stale(tally, `lacking.txt: ${kernel}`);
  for (const { line, met } of tally.differs.values()) {
    const [document] = line.split(' ');
    const judged = tally.judged.has(document) || !fs.existsSync(path.join(root, document));
    if (!met && judged) stale(tally, `differs.txt: ${line}`);
  }
}

function stale(tally, line) {
  console.log(`${line}: of no document any more`);
  tally.failed++;
}

async function main(folder, kind) {
  const open = kind === '--open';
  const allowed = new Set(readLines('refused.txt'));
  const wanted = readLines('differs.txt').filter((line) => open || !line.endsWith(' open'));
  const differs = new Map(wanted.map((line) => [line.split(' ', 2).join(' '), { line, met: false }]));
  const lacking = lackingKernels();
  const tally = { differs, lacking, allowed, passed: 0, failed: 0, refused: 0, reasons: new Set(), judged: new Set() };
  const lines = readline.createInterface({ input: fs.createReadStream(path.join(folder, 'cases.json')) });

  for await (const line of lines) {
    const about = JSON.parse(line);
    tally.judged.add(path.relative(root, about.document));
    if (about.refused) refuse(about, tally);
    else await judge(folder, about, tally);
  }
  if (kind === '--all') reportStale(tally);
  console.log(`${tally.refused} cases refused, for reasons that are known`);
  tally.lacking.tell('cases');
  console.log(`${tally.passed} passed, ${tally.failed} failed, 0 skipped`);
  process.exitCode = tally.failed > 0 ? 1 : 0;
}

main(process.argv[2], process.argv[3]);
