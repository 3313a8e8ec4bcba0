// networks.js NNEFC WORK [TEXT] - do nnefc and ONNX Runtime compute the same with networks that are in use?
//
// Networks are those of networks/, or of which the file has that text. Each is fed with the same numbers in
// ONNX Runtime, in nnefc by the reference, as the NNEF that nnefc writes of it, and as the ONNX that nnefc writes
// of it, and by the backend that a run takes of itself; all results have to agree with the first within 1e-4 of the
// largest number. Prints a table.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');
const { writeNpy, readNpz, worst } = require('./arrays.js');
const { NETWORKS, pathOf } = require('./in_use.js');

const TOLERANCE = 1e-4;
const REFERENCE = '--backend=reference';

// --- what nnefc makes of a network ---

// The parts of a message of protocol buffers that are messages or text, by their field's number.
function* parts(bytes) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = number();
    const kind = key % 8;
    const size = [0, 8, 0, 0, 0, 4][kind];
    if (kind === 0) number();
    else if (kind !== 2) at += size;
    else {
      const length = number();
      yield [Math.floor(key / 8), bytes.subarray(at, at + length)];
      at += length;
    }
  }
}

function inside(bytes, field) {
  return [...parts(bytes)].filter(([number]) => number === field).map(([, part]) => part);
}

// Nodes of a graph, and of those in attributes of its nodes.
function countNodes(graph) {
  const attributes = inside(graph, 1).flatMap((node) => inside(node, 5));
  const graphs = attributes.flatMap((attribute) => inside(attribute, 6));
  return inside(graph, 1).length + graphs.reduce((sum, within) => sum + countNodes(within), 0);
}

function countOperations(document) {
  const assignments = fs.readFileSync(document, 'utf8').match(/^ {4}\S.*;$/gm);
  return assignments.filter((line) => !/= (external|variable|constant)</.test(line)).length;
}

function call(nnefc, args) {
  execFileSync(nnefc, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

function run(nnefc, model, options, inputs, archive) {
  const feeds = inputs.flatMap(([name, file]) => ['--input', `${name}=${file}`]);
  call(nnefc, ['run', model, '--quiet', '--output', archive, ...options, ...feeds]);
  return [...readNpz(archive).values()];
}

function milliseconds(what) {
  const begin = process.hrtime.bigint();
  what();
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

// Identifiers of NNEF are made of names of ONNX.
function identifier(name) {
  return name.replace(/^(?=\d)/, '_').replace(/\W/g, '_');
}

// --- comparison ---

// Nothing is rearranged: ONNX Runtime takes a Pad before a MaxPool for a part of it.
async function runOnnx(file, feeds) {
  const session = await ort.InferenceSession.create(file, { graphOptimizationLevel: 'disabled', logSeverityLevel: 4 });
  const wanted = Object.fromEntries(session.inputNames.map((name) => [name, feeds[name]]));
  const results = await session.run(wanted);
  const list = session.outputNames.map((name) => results[name]);
  await session.release();
  return list;
}

async function inputsOf(file, { numbers, shapes = {}, known = {} }) {
  const session = await ort.InferenceSession.create(file, { graphOptimizationLevel: 'disabled', logSeverityLevel: 4 });
  const feeds = session.inputMetadata.map(({ name, shape }) => {
    if (known[name]) return [name, new ort.Tensor('int64', known[name], [])];
    const dims = shapes[name] || shape;
    return [name, new ort.Tensor('float32', numbers(dims), dims)];
  });
  await session.release();
  return feeds;
}

async function compare(nnefc, work, network) {
  const file = pathOf(network);
  const known = network.known || {};
  const feeds = await inputsOf(file, network);
  const files = feeds.map(([name, tensor], index) => {
    const npy = path.join(work, `${index}.npy`);
    writeNpy(npy, tensor);
    return [name, npy];
  });
  const fed = files.filter(([name]) => !known[name]);
  const options = [
    ...Object.entries(network.shapes || {}).map(([name, dims]) => `--shape=${name}=${dims}`),
    ...files.filter(([name]) => known[name]).map(([name, npy]) => `--bind=${name}=${npy}`),
  ];
  const folder = path.join(work, 'nnef');
  const again = path.join(work, 'again.onnx');
  const archive = path.join(work, 'results.npz');
  const expected = await runOnnx(file, Object.fromEntries(feeds));
  const time = milliseconds(() => call(nnefc, ['check', file, ...options]));
  const fast = run(nnefc, file, options, fed, archive);
  const results = run(nnefc, file, [...options, REFERENCE], fed, archive);
  fs.rmSync(folder, { recursive: true, force: true });
  call(nnefc, ['convert', file, `${folder}/`, ...options]);
  const fromNnef = run(nnefc, folder, [REFERENCE], fed.map(([name, npy]) => [identifier(name), npy]), archive);
  call(nnefc, ['convert', file, again, ...options]);
  const fromOnnx = await runOnnx(again, Object.fromEntries(feeds));
  return {
    nodes: countNodes(inside(fs.readFileSync(file), 7)[0]),
    operations: countOperations(path.join(folder, 'graph.nnef')),
    time,
    apart: [results, fromNnef, fromOnnx, fast].map((list) => worst(expected, list, network.drops)),
  };
}

// --- the table ---

const WIDTHS = [40, 6, 11, 10, 10, 10, 10, 10];

function row(cells) {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(WIDTHS[i]) : String(cell).padStart(WIDTHS[i]))).join(' ').trimEnd();
}

async function main([nnefc, work, text = '']) {
  let passed = 0;
  let failed = 0;
  console.log(row(['network', 'nodes', 'operations', 'import ms', 'nnefc', 'as NNEF', 'as ONNX', 'fast']));
  for (const network of NETWORKS.filter(({ file }) => file.includes(text))) {
    const title = path.basename(network.file, '.onnx');
    try {
      const { nodes, operations, time, apart } = await compare(nnefc, work, network);
      const ok = apart.every((most) => most <= TOLERANCE);
      console.log(row([title, nodes, operations, time.toFixed(0), ...apart.map((most) => most.toExponential(1))]) + (ok ? '' : '  TOO MUCH'));
      if (ok) passed++;
      else failed++;
    } catch (error) {
      console.log(`${title}: ${error.message}`);
      failed++;
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

main(process.argv.slice(2));
