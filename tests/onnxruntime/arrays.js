// arrays.js - numbers, files of NumPy that nnefc reads and writes, and how far arrays are apart
'use strict';

const fs = require('fs');

// The same numbers every time, between 0 and 1.
function random(count, seed = 1) {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  });
}

// By the names of ONNX Runtime: the number that ONNX has for a type, the name that NumPy has, and the array.
const TYPES = {
  float32: { onnx: 1, npy: '<f4', array: Float32Array },
  uint8: { onnx: 2, npy: '|u1', array: Uint8Array },
  int8: { onnx: 3, npy: '|i1', array: Int8Array },
  uint16: { onnx: 4, npy: '<u2', array: Uint16Array },
  int16: { onnx: 5, npy: '<i2', array: Int16Array },
  int32: { onnx: 6, npy: '<i4', array: Int32Array },
  int64: { onnx: 7, npy: '<i8', array: BigInt64Array },
  bool: { onnx: 9, npy: '|b1', array: Uint8Array },
  float64: { onnx: 11, npy: '<f8', array: Float64Array },
  uint32: { onnx: 12, npy: '<u4', array: Uint32Array },
  uint64: { onnx: 13, npy: '<u8', array: BigUint64Array },
};

// Without a type, bytes are logicals.
function writeNpy(file, { type, dims, data }) {
  type = type || (data instanceof BigInt64Array ? 'int64' : data instanceof Uint8Array ? 'bool' : 'float32');
  const shape = `(${dims.join(', ')}${dims.length === 1 ? ',' : ''})`;
  let header = `{'descr': '${TYPES[type].npy}', 'fortran_order': False, 'shape': ${shape}, }`;
  header = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const size = Buffer.alloc(2);
  size.writeUInt16LE(header.length);
  const magic = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  fs.writeFileSync(file, Buffer.concat([magic, size, Buffer.from(header, 'latin1'),
    Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

function readNpy(bytes) {
  const begin = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, begin);
  const dims = header.match(/'shape': \(([^)]*)\)/)[1].split(',').filter((n) => n.trim()).map(Number);
  const descr = header.match(/'descr': '([^']*)'/)[1];
  const [type, { array }] = Object.entries(TYPES).find(([, { npy }]) => npy === descr);
  return { type, dims, data: new array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length)) };
}

// The arrays of an archive, by name and in its order. They are stored; where, its directory at the end says.
function readNpz(file) {
  const zip = fs.readFileSync(file);
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const arrays = new Map();
  for (let n = zip.readUInt16LE(end + 10), at = zip.readUInt32LE(end + 16); n > 0; n--) {
    const [size, nameSize, more, comment] = [zip.readUInt32LE(at + 20), ...[28, 30, 32].map((i) => zip.readUInt16LE(at + i))];
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const name = zip.toString('latin1', at + 46, at + 46 + nameSize).replace(/\.npy$/, '');
    arrays.set(name, readNpy(zip.subarray(begin, begin + size)));
    at += 46 + nameSize + more + comment;
  }
  return arrays;
}

// NaN agrees with NaN and an infinity with itself; both are infinitely far from everything else.
function distance(x, y) {
  if (x === y || (Number.isNaN(x) && Number.isNaN(y))) return 0;
  return Number.isFinite(x) && Number.isFinite(y) ? Math.abs(x - y) : Infinity;
}

// The largest difference, in parts of the largest finite number.
function difference(a, b) {
  if (a.length !== b.length) return Infinity;
  const largest = a.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  return a.reduce((most, x, i) => Math.max(most, distance(x, b[i])), 0) / (largest || 1);
}

// The numbers expected, but in the place of those that are 0 on one side only, of which there may be so many,
// those that there are.
function withoutDropped(expected, actual, most) {
  const dropped = (x, i) => (x === 0) !== (actual[i] === 0) && Number.isFinite(x) && Number.isFinite(actual[i]);
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
  return Math.max(0, ...apart);
}

// Of the results that are the worst of all, in decibels (docs/quantization.md); equal ones are infinitely near.
function signalToNoise(expected, results, drops) {
  const each = expected.map(({ data: all }, i) => {
    const data = drops ? withoutDropped(all, results[i].data, drops) : all;
    const squares = (noise, x, k) => noise + distance(x, results[i].data[k]) ** 2;
    return 10 * Math.log10(data.reduce((sum, x) => sum + x * x, 0) / data.reduce(squares, 0));
  });
  return Math.min(...each);
}

module.exports = { TYPES, distance, random, writeNpy, readNpz, difference, signalToNoise, worst };
