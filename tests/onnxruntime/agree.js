// agree.js NNEFC MODEL DATA WORK OPSET - do nnefc and ONNX Runtime compute the same with a whole model?
//
// Converts MODEL, whose weights are in DATA, feeds both with the same random numbers, and compares
// all results within 1e-5 of the largest one. Prints what differs; exits with 1 if anything does.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');

const TOLERANCE = 1e-5;

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

function readNpy(file) {
  const bytes = fs.readFileSync(file);
  const begin = 10 + bytes.readUInt16LE(8);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length));
}

// The largest difference, in parts of the largest number.
function difference(a, b) {
  if (a.length !== b.length) return Infinity;
  const largest = a.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0) / (largest || 1);
}

async function main([nnefc, model, data, work, opset]) {
  const onnx = path.join(work, 'model.onnx');
  execFileSync(nnefc, ['convert', model, onnx, '--data', data, '--opset', opset], { stdio: 'inherit' });
  const session = await ort.InferenceSession.create(onnx);
  const feeds = {};
  const args = ['run', model, '--data', data, '--quiet'];
  for (const { name, shape } of session.inputMetadata) {
    const file = path.join(work, `${name}.npy`);
    feeds[name] = new ort.Tensor('float32', random(shape.reduce((n, x) => n * x, 1)), shape);
    writeNpy(file, feeds[name]);
    args.push('--input', `${name}=${file}`);
  }
  const outputs = session.outputNames.map((name) => [name, path.join(work, `${name}.npy`)]);
  execFileSync(nnefc, [...args, ...outputs.flatMap(([name, file]) => ['--output', `${name}=${file}`])], { stdio: 'inherit' });
  const results = await session.run(feeds);
  for (const [name, file] of outputs) {
    const off = difference(readNpy(file), results[name].data);
    console.log(`${model}, opset ${opset}: '${name}' differs by ${off.toExponential(1)}`);
    if (!(off <= TOLERANCE)) process.exitCode = 1;
  }
}

main(process.argv.slice(2));
