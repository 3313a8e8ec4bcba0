// pnnx.js NNEFC MODELS WORK - does ONNX Runtime compute of models of PNNX what other engines did?
//
// MODELS has a table, manifest.tsv, of models, how they are fed and what they are to give. Each that has
// weights is converted to ONNX by nnefc, with the passes that run by default and without any, and
// computed; a result is right within the tolerance of its row. Where the table gives no results they are those of
// nnefc itself. What cannot be converted is counted and listed with the reason, and must be
// what is known below.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');
const { distance, writeNpy, readNpz } = require('./arrays.js');

const REFUSED = new Map([['complex', /operator 'torch\.fft\.rfft' is not supported/]]);
const FORMS = [['default passes', []], ['--raw', ['--raw']]];

// --- the table ---

function readTable(file) {
  const [head, ...lines] = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => line.split('\t'));
  return lines.map((line) => Object.fromEntries(head.map((key, column) => [key, line[column]])));
}

// "x0 fill 1", "x0 2x3x4 pattern37; x1 2x3x4 pattern37": without a shape it is that of the model.
function readInputs(text) {
  return text.split(';').map((part) => {
    const [, index, dims, fill] = part.match(/^ ?x(\d+)(?: ([\dx]+))? (?:fill (\S+)|pattern37)$/);
    return {
      name: `pnnx_input_${index}`,
      dims: dims && dims.split('x').map(Number),
      number: fill === undefined ? (i) => (((37 * i) % 101) - 50) / 50 : () => Number(fill),
    };
  });
}

// "abs 5e-6", "abs+rel 1e-5".
function readTolerance(text) {
  const [, relative, number] = text.match(/abs(\+rel)? (\S+)$/) || [undefined, true, '1e-5'];
  return { absolute: Number(number), relative: relative ? Number(number) : 0 };
}

// Of a file of NNEF: 32-bit numbers behind a header of 128 bytes.
function readDat(file) {
  const bytes = fs.readFileSync(file);
  const dims = Array.from({ length: bytes.readUInt32LE(8) }, (_, i) => bytes.readUInt32LE(12 + 4 * i));
  if (bytes.readUInt16LE(0) !== 0xef4e || bytes.readUInt32LE(44) !== 32 || bytes.readUInt32LE(48) !== 0)
    throw new Error(`${file}: expected numbers of 32 bits`);
  return { dims, data: new Float32Array(bytes.buffer.slice(bytes.byteOffset + 128, bytes.byteOffset + bytes.length)) };
}

// --- results ---

function call(nnefc, args) {
  execFileSync(nnefc, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

// The reason that nnefc gives, without the place; undefined if it was converted.
function convert(nnefc, args) {
  try {
    call(nnefc, ['convert', '--message-format=short', ...args]);
    return undefined;
  } catch (error) {
    return String(error.stderr || error).split('\n')[0].replace(/^.*?error/, 'error');
  }
}

async function runOnnx(file, inputs) {
  const session = await ort.InferenceSession.create(file, { logSeverityLevel: 4 });
  const shapes = new Map(session.inputMetadata.map(({ name, shape }) => [name, shape]));
  const feeds = Object.fromEntries(inputs.map(({ name, number }) => {
    const dims = shapes.get(name);
    const count = dims.reduce((product, extent) => product * extent, 1);
    return [name, new ort.Tensor('float32', Float32Array.from({ length: count }, (_, i) => number(i)), dims)];
  }));
  const results = await session.run(feeds);
  const list = session.outputNames.map((name) => results[name]);
  await session.release();
  return { feeds, list };
}

// What the table says, or else what nnefc computes.
function expectedOf({ nnefc, work, folder, param, row }, feeds) {
  if (row.check.startsWith('(not given)')) {
    const archive = path.join(work, 'results.npz');
    const inputs = Object.entries(feeds).flatMap(([name, tensor], i) => {
      const file = path.join(work, `${i}.npy`);
      writeNpy(file, tensor);
      return ['--input', `${name}=${file}`];
    });
    call(nnefc, ['run', param, '--quiet', '--output', archive, ...inputs]);
    return { whole: true, list: [...readNpz(archive).values()] };
  }
  const whole = !row.check.startsWith('out0_b0c0.dat');
  const files = fs.readdirSync(folder).filter((file) => /^out\d+(_b0c0)?\.dat$/.test(file));
  const number = (file) => parseInt(file.slice(3), 10);
  files.sort((a, b) => number(a) - number(b));
  return { whole, list: files.map((file) => readDat(path.join(folder, file))) };
}

// What is wrong with a result, of which perhaps only the beginning is known; undefined if nothing.
function difference(expected, actual, whole, { absolute, relative }) {
  if (whole && String(actual.dims) !== String(expected.dims))
    return `has shape [${actual.dims}], expected [${expected.dims}]`;
  const isOff = (want, i) => {
    const off = distance(Number(actual.data[i]), want);
    return off > 0 && (off === Infinity || off > absolute + relative * Math.abs(want));
  };
  const at = expected.data.findIndex(isOff);
  return at < 0 ? undefined : `[${at}] is ${actual.data[at]}, expected ${expected.data[at]}`;
}

async function judge(model, file) {
  const { feeds, list } = await runOnnx(file, model.inputs);
  const expected = expectedOf(model, feeds);
  const tolerance = readTolerance(model.row.check);
  if (list.length !== expected.list.length || list.length === 0)
    return [`has ${list.length} results, expected ${expected.list.length}`];
  return list.map((actual, i) => difference(expected.list[i], actual, expected.whole, tolerance))
    .map((what, i) => what && `result ${i} ${what}`);
}

// --- all of them ---

function refuse(tally, id, reason) {
  const known = REFUSED.get(id);
  tally.refused.set(id, reason);
  if (known && known.test(reason)) return;
  console.log(`${id}: ${reason}`);
  tally.failed++;
}

async function judgeRow(model, tally) {
  const shapes = model.inputs.filter(({ dims }) => dims).map(({ name, dims }) => `--shape=${name}=${dims}`);
  for (const [form, options] of FORMS) {
    const file = path.join(model.work, 'model.onnx');
    const reason = convert(model.nnefc, [model.param, file, ...shapes, ...options]);
    if (reason) return refuse(tally, model.row.id, reason);
    for (const what of await judge(model, file).catch((error) => [error.message.split('\n')[0]])) {
      tally[what ? 'failed' : 'passed']++;
      if (what) console.log(`${model.row.id}, ${form}: ${what}`);
    }
  }
  return undefined;
}

async function main(nnefc, models, work) {
  const tally = { passed: 0, failed: 0, refused: new Map() };
  const rows = readTable(path.join(models, 'manifest.tsv'));
  const fed = rows.filter((row) => row.inputs !== '-');
  for (const row of fed) {
    const folder = path.join(models, row.folder, row.id);
    const param = path.join(folder, fs.readdirSync(folder).find((file) => file.endsWith('.param')));
    await judgeRow({ nnefc, work, folder, param, row, inputs: readInputs(row.inputs) }, tally);
  }
  for (const id of REFUSED.keys()) {
    if (tally.refused.has(id)) continue;
    console.log(`${id}: can be said in ONNX, though it was known not to`);
    tally.failed++;
  }
  console.log(`${fed.length - tally.refused.size} of ${fed.length} models are said in ONNX, ` +
    `${rows.length - fed.length} others have no weights`);
  for (const [id, reason] of tally.refused) console.log(`not in ONNX: ${id}: ${reason}`);
  console.log(`${tally.passed} passed, ${tally.failed} failed, 0 skipped`);
  process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
}

main(...process.argv.slice(2));
