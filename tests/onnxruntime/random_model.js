// random_model.js - what tests on random models share: drawing numbers, the bytes of a model, computing it
//
// A tensor is { type, dims, data } as ONNX Runtime has it: 'float32', extents, an array of that type.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');
const { TYPES, distance, writeNpy, readNpz } = require('./arrays.js');

// --- drawing ---

// The same numbers for the same seed.
function generator(seed) {
  let state = seed >>> 0;
  const real = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least, most) => least + Math.floor(real() * (most - least + 1));
  return {
    real,
    integer,
    chance: (share) => real() < share,
    pick: (list) => list[integer(0, list.length - 1)],
    list: (count, draw) => Array.from({ length: count }, (_, i) => draw(i)),
  };
}

function volume(dims) {
  return dims.reduce((product, extent) => product * extent, 1);
}

// The values are made by a function of the index; those of 64 bits are to be BigInt.
function tensor(type, dims, value) {
  return { type, dims, data: TYPES[type].array.from({ length: volume(dims) }, (_, i) => value(i)) };
}

// Floats between -2 and 2, or between others.
function floats(random, dims, least = -2, most = -least) {
  return tensor('float32', dims, () => least + random.real() * (most - least));
}

// --- bytes of a model, in the order of onnx.proto ---

const ATTRIBUTE = { float: 1, int: 2, string: 3, graph: 5, floats: 6, ints: 7, from: 1 };
const IR_VERSION = 8;

function varint(number) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(number));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

function integerField(field, number) {
  return Buffer.concat([varint(field << 3), varint(number)]);
}

function bytesField(field, bytes) {
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

function textField(field, text) {
  return bytesField(field, Buffer.from(text));
}

function floatField(field, number) {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(number);
  return Buffer.concat([varint((field << 3) | 5), bytes]);
}

// A number or list of them is of integers; { float: x } and { floats: [...] } are of floats, { graph } is a graph as of modelBytes(),
// { from: name } is the number of that name of a call of the function.
function attribute(name, given) {
  const kind = typeof given === 'string' ? 'string' : Array.isArray(given) ? 'ints' : given.float !== undefined ? 'float'
    : given.floats ? 'floats' : given.graph ? 'graph' : given.from ? 'from' : 'int';
  const value = {
    string: () => [textField(4, given)],
    int: () => [integerField(3, given)],
    ints: () => given.map((item) => integerField(8, item)),
    float: () => [floatField(2, given.float)],
    floats: () => given.floats.map((item) => floatField(7, item)),
    graph: () => [bytesField(6, graphBytes(given.graph))],
    from: () => [textField(21, given.from)],
  }[kind]();
  return Buffer.concat([textField(1, name), ...value, integerField(20, ATTRIBUTE[kind])]);
}

function node({ op, domain, inputs, outputs, attributes = {} }) {
  const parts = [
    ...inputs.map((name) => textField(1, name)),
    ...outputs.map((name) => textField(2, name)),
    textField(4, op),
    ...Object.entries(attributes).map(([name, given]) => bytesField(5, attribute(name, given))),
    ...(domain ? [textField(7, domain)] : []),
  ];
  return Buffer.concat(parts);
}

function initializer(name, { type, dims, data }) {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const extents = dims.map((extent) => integerField(1, extent));
  return bytesField(5, Buffer.concat([...extents, integerField(2, TYPES[type].onnx), textField(8, name), bytesField(9, raw)]));
}

// Without extents the shape is left open, and so is an extent that has a name instead. A sequence is of such tensors.
function port(field, name, { type, dims, sequence }) {
  const dim = (extent) => bytesField(1, typeof extent === 'string' ? textField(2, extent) : integerField(1, extent));
  const shape = dims ? [bytesField(2, Buffer.concat(dims.map(dim)))] : [];
  const array = bytesField(1, Buffer.concat([integerField(1, TYPES[type].onnx), ...shape]));
  const whole = sequence ? bytesField(4, bytesField(1, array)) : array;
  return bytesField(field, Buffer.concat([textField(1, name), bytesField(2, whole)]));
}

function graphBytes({ inputs, outputs, constants = {}, nodes }) {
  return Buffer.concat([
    ...nodes.map((one) => bytesField(1, node(one))),
    textField(2, 'random'),
    ...Object.entries(constants).map(([name, items]) => initializer(name, items)),
    ...Object.entries(inputs).map(([name, type]) => port(11, name, type)),
    ...Object.entries(outputs).map(([name, type]) => port(12, name, type)),
  ]);
}

const opsetBytes = ([domain, version]) => Buffer.concat([textField(1, domain), integerField(2, version)]);

function functionBytes({ name, domain, inputs, outputs, attributes = {}, nodes }, opsets) {
  return Buffer.concat([
    textField(1, name),
    ...inputs.map((input) => textField(4, input)),
    ...outputs.map((output) => textField(5, output)),
    ...nodes.map((one) => bytesField(7, node(one))),
    ...opsets.map((entry) => bytesField(9, opsetBytes(entry))),
    textField(10, domain),
    ...Object.entries(attributes).map(([key, given]) => bytesField(11, attribute(key, given))),
  ]);
}

// { opset, inputs, outputs, constants, nodes, functions }: by name a tensor, a type { type, dims }, and a tensor again. Domains
// of nodes are at version 1. A function is { name, domain, inputs, outputs, attributes, nodes }, with what calls may leave out
// as attributes.
function modelBytes({ opset, inputs, outputs, constants = {}, nodes, functions = [] }) {
  const domains = [...new Set([...nodes, ...functions].map(({ domain }) => domain).filter(Boolean))];
  const imported = [['', opset], ...domains.map((domain) => [domain, 1])];
  return Buffer.concat([
    integerField(1, IR_VERSION),
    bytesField(7, graphBytes({ inputs, outputs, constants, nodes })),
    ...imported.map((entry) => bytesField(8, opsetBytes(entry))),
    ...functions.map((f) => bytesField(25, functionBytes(f, imported))),
  ]);
}

// --- who computes ---

// The outputs by name; ONNX Runtime is given the bytes or the file of a model.
async function runOnnxRuntime(model, inputs) {
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 4 });
  try {
    const feeds = Object.entries(inputs).filter(([name]) => session.inputNames.includes(name))
      .map(([name, { type, dims, data }]) => [name, new ort.Tensor(type, data, dims)]);
    const results = await session.run(Object.fromEntries(feeds));
    return new Map(session.outputNames.map((name) => [name, results[name]]));
  } finally {
    await session.release();
  }
}

// { refused: the first line of what nnefc says }, or what `done` returns.
function callNnefc(nnefc, args, done) {
  try {
    execFileSync(nnefc, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const [said] = /error.*/i.exec(error.stderr) || String(error).split('\n');
    return { refused: said, status: error.status };
  }
  return done();
}

// { results: the outputs by name }
function runNnefc(nnefc, work, model, inputs, options = []) {
  const archive = path.join(work, 'results.npz');
  const feeds = Object.entries(inputs).flatMap(([name, items], i) => {
    const file = path.join(work, `${i}.npy`);
    writeNpy(file, items);
    return ['--input', `${name}=${file}`];
  });
  fs.rmSync(archive, { force: true });
  return callNnefc(nnefc, ['run', model, '--quiet', '--message-format=short', '--output', archive, ...feeds, ...options],
    () => ({ results: readNpz(archive) }));
}

// {} once `to` is written
function convertByNnefc(nnefc, from, to, options = []) {
  fs.rmSync(to, { force: true });
  return callNnefc(nnefc, ['convert', '--quiet', '--message-format=short', from, to, ...options], () => ({}));
}

// --- judging ---

// As nnefc has unsigned integers of 64 bits.
const signed = (x) => (typeof x === 'bigint' ? BigInt.asIntN(64, x) : x);

// What is wrong with the results, of which floats may be off by parts of the largest number, which is `least` at least;
// undefined if nothing.
function difference(expected, results, tolerance, least = 0) {
  for (const [name, want] of expected) {
    const got = results.get(name);
    if (!got) return `'${name}' is missing`;
    if (got instanceof ort.Tensor && got.type !== want.type) return `'${name}' is of type ${got.type}, expected ${want.type}`;
    if (String(got.dims) !== String(want.dims)) return `'${name}' has shape [${got.dims}], expected [${want.dims}]`;
    const numbers = Array.from(want.data, Number);
    const largest = numbers.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), least);
    const near = want.type !== 'float32' ? 0 : tolerance * largest;
    const fits = (x, y) => (typeof x === 'bigint' ? signed(x) === signed(y) : distance(x, Number(y)) <= near);
    const at = want.data.findIndex((x, i) => !fits(x, got.data[i]));
    if (at >= 0) return `'${name}'[${at}] is ${got.data[at]}, expected ${want.data[at]}`;
  }
  return undefined;
}

module.exports = { generator, volume, tensor, floats, modelBytes, difference, runOnnxRuntime, runNnefc, convertByNnefc };
