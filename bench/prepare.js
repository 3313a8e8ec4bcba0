// prepare.js - the files of a network: in ONNX, in NNEF, and the numbers that it is fed with
'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const { execFileSync } = require('child_process');

const { writeNpy } = require('../tests/onnxruntime/arrays.js');

const GENERATOR = path.join(__dirname, 'networks.py');
const QUANTIZER = path.join(__dirname, 'quantize_tensors.py');

function call(program, args) {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

function isNewer(file, than) {
  return fs.existsSync(file) && fs.statSync(file).mtimeMs >= fs.statSync(than).mtimeMs;
}

// Make what is not there or is older than what it is made from; it is never there in part.
function make(target, from, how) {
  const part = `${target}.part`;
  if (isNewer(target, from)) return;
  fs.rmSync(part, { recursive: true, force: true });
  how(part);
  fs.rmSync(target, { recursive: true, force: true });
  fs.renameSync(part, target);
  fs.utimesSync(target, new Date(), new Date());
}

// What both sides read.  A network that is in use or fused is the same file to both; others are NNEF to nnefc,
// with all that the ONNX file says in it: nothing is folded or fused.
function prepare(network, folder, nnefc) {
  const at = (suffix) => path.join(folder, `${network.name}${suffix}`);
  const numbers = at('.f32');
  fs.mkdirSync(folder, { recursive: true });
  const items = network.numbers(network.shape);
  fs.writeFileSync(numbers, Buffer.from(items.buffer));
  if (network.tensors) {
    writeNpy(at('.npy'), { dims: network.shape, data: items });
    make(at('.onnx'), QUANTIZER, (part) => (
      call('/usr/bin/python3', [QUANTIZER, nnefc, network.path, at('.npy'), part])));
    return { onnx: at('.onnx'), ours: at('.onnx'), numbers };
  }
  if (network.path) return { onnx: network.path, ours: network.path, numbers };
  make(at('.onnx'), GENERATOR, (part) => call('/usr/bin/python3', [GENERATOR, network.name, part]));
  if (network.fused) return { onnx: at('.onnx'), ours: at('.onnx'), numbers };
  make(at(''), at('.onnx'), (part) => (
    call(nnefc, ['convert', at('.onnx'), `${part}/`, '--raw', '--profile=compound', '--quiet'])));
  return { onnx: at('.onnx'), ours: at(''), numbers };
}

// Read a file, or all files of a folder, so that the next to read them need not wait for the disk; bytes in all.
function warm(file) {
  if (fs.statSync(file).isDirectory()) {
    return fs.readdirSync(file).reduce((size, name) => size + warm(path.join(file, name)), 0);
  }
  const piece = Buffer.alloc(1 << 20);
  const descriptor = fs.openSync(file);
  let size = 0;
  for (let read = -1; read !== 0; size += read) read = fs.readSync(descriptor, piece);
  fs.closeSync(descriptor);
  return size;
}

// See to it that whoever starts next need not wait until a virtual machine has memory from its host: as much as a model
// of `size` bytes takes on either side, but no more than half of what is free.  `program` is have_memory.
function provide(program, size) {
  const wanted = Math.min(3 * size + (128 << 20), Math.floor(os.freemem() / 2));
  execFileSync(program, [String(wanted)]);
}

// Multiply-adds of one run.
function countMacs(network, files, nnefc) {
  const options = [`--shape=${network.input}=${network.shape}`, '--json', '--quiet'];
  return JSON.parse(execFileSync(nnefc, ['info', files.ours, ...options])).macs;
}

module.exports = { prepare, provide, warm, countMacs };
