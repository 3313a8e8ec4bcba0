// agree.js NNEFC MODEL DATA WORK OPSET [OPTION...] - do nnefc and ONNX Runtime compute the same with a whole model?
//
// Converts MODEL, whose weights are in DATA, with these options, feeds both with the same random
// numbers, and compares all results within 1e-5 of the largest one. Prints how much they differ;
// exits with 1 if that is too much. State beside the model is fed, and fed back for some steps;
// variables are labelled by their names. OPTION --shape=X=2,3 is for nnefc: what is left open of X is so large.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');

const TOLERANCE = 1e-5;
const STEPS = 3;

// The same numbers every time, between 0 and 1.
function random(count) {
  let state = 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  });
}

function writeNpy(file, { dims, data }) {
  const shape = `(${dims.join(', ')}${dims.length === 1 ? ',' : ''})`;
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
  header = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const size = Buffer.alloc(2);
  size.writeUInt16LE(header.length);
  const magic = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  fs.writeFileSync(file, Buffer.concat([magic, size, Buffer.from(header, 'latin1'), Buffer.from(data.buffer)]));
}

function readNpy(bytes) {
  const begin = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, begin);
  const dims = header.match(/'shape': \(([^)]*)\)/)[1].split(',').filter((n) => n.trim()).map(Number);
  return { dims, data: new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length)) };
}

// The arrays of an archive, by name. They are stored; where, its directory at the end says.
function readNpz(file) {
  const zip = fs.readFileSync(file);
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const arrays = {};
  for (let n = zip.readUInt16LE(end + 10), at = zip.readUInt32LE(end + 16); n > 0; n--) {
    const [size, nameSize, more, comment] = [zip.readUInt32LE(at + 20), ...[28, 30, 32].map((i) => zip.readUInt16LE(at + i))];
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const name = zip.toString('latin1', at + 46, at + 46 + nameSize).replace(/\.npy$/, '');
    arrays[name] = readNpy(zip.subarray(begin, begin + size));
    at += 46 + nameSize + more + comment;
  }
  return arrays;
}

// The largest difference, in parts of the largest number.
function difference(a, b) {
  if (a.length !== b.length) return Infinity;
  const largest = a.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0) / (largest || 1);
}

// What convert is told that run has to be told as well.
function forRun(options) {
  const shared = options.filter((option) => /^--(quant-file|shape)/.test(option));
  return options.some((option) => /^--quant=(qdq|apply)$/.test(option)) ? [...shared, '--quant=apply'] : shared;
}

// By name of the input, what --shape=NAME=1,2,3 says.
function shapesOf(options) {
  const pairs = options.filter((option) => option.startsWith('--shape=')).map((option) => option.split('=').slice(1));
  return Object.fromEntries(pairs.map(([name, dims]) => [name, dims.split(',').map(Number)]));
}

// Beyond 'basic' pairs of QuantizeLinear and DequantizeLinear become arithmetic of integers, which is less exact.
function optimization(options) {
  return options.includes('--quant=qdq') ? 'basic' : 'all';
}

async function main([nnefc, model, data, work, opset, ...options]) {
  const onnx = path.join(work, 'model.onnx');
  const archive = path.join(work, 'results.npz');
  const stateFile = `${onnx}.state.npz`;
  fs.rmSync(stateFile, { force: true });
  const convert = options.filter((option) => !option.startsWith('--shape'));
  execFileSync(nnefc, ['convert', model, onnx, '--data', data, '--opset', opset, ...convert], { stdio: 'inherit' });
  const state = fs.existsSync(stateFile) ? readNpz(stateFile) : {};
  const session = await ort.InferenceSession.create(onnx, { graphOptimizationLevel: optimization(options), logSeverityLevel: 3 });
  const feeds = {};
  const shapes = shapesOf(options);
  const steps = Object.keys(state).length > 0 ? STEPS : 1;
  const args = ['run', model, '--data', data, '--quiet', '--steps', steps, '--output', archive, ...forRun(options)];
  for (const { name, shape } of session.inputMetadata) {
    if (state[name]) {
      feeds[name] = new ort.Tensor('float32', state[name].data, state[name].dims);
      continue;
    }
    const dims = shapes[name] || shape;
    const file = path.join(work, `${name}.npy`);
    feeds[name] = new ort.Tensor('float32', random(dims.reduce((n, x) => n * x, 1)), dims);
    writeNpy(file, feeds[name]);
    args.push('--input', `${name}=${file}`);
  }
  execFileSync(nnefc, args, { stdio: 'inherit' });
  let results;
  for (let step = 0; step < steps; step++) {
    results = await session.run(feeds);
    for (const name of Object.keys(state)) feeds[name] = results[`${name}_out`];
  }
  for (const [name, expected] of Object.entries(readNpz(archive))) {
    const off = difference(expected.data, results[name].data);
    console.log(`${model}, opset ${opset} ${options.join(' ')}: '${name}' differs by ${off.toExponential(1)}`);
    if (!(off <= TOLERANCE)) process.exitCode = 1;
  }
}

main(process.argv.slice(2));
