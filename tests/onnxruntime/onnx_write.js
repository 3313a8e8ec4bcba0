// onnx_write.js - models of ONNX as bytes, for models that are made up by a test
//
// model({ opset, inputs, initializers, nodes, outputs }): tensors are { name, type, dims, data }, where type
// is one of TYPES and data an array of it; nodes are { op, inputs, outputs, attributes }. Attributes are
// whole numbers, lists of them, text, or { float }.
'use strict';

const TYPES = {
  float: { code: 1, array: Float32Array, ort: 'float32' },
  uint8: { code: 2, array: Uint8Array, bits: 8n },
  int8: { code: 3, array: Int8Array, bits: 8n, signed: true },
  uint16: { code: 4, array: Uint16Array, bits: 16n },
  int16: { code: 5, array: Int16Array, bits: 16n, signed: true },
  int32: { code: 6, array: Int32Array, bits: 32n, signed: true },
  int64: { code: 7, array: BigInt64Array, bits: 64n, signed: true },
  bool: { code: 9, array: Uint8Array },
  uint32: { code: 12, array: Uint32Array, bits: 32n },
  uint64: { code: 13, array: BigUint64Array, bits: 64n },
};
for (const [name, type] of Object.entries(TYPES)) type.ort = type.ort || name;

function varint(number) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(number));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const whole = (field, number) => Buffer.concat([varint(field * 8), varint(number)]);

function bytes(field, content) {
  const data = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([varint(field * 8 + 2), varint(data.length), data]);
}

const message = (field, ...parts) => bytes(field, Buffer.concat(parts.flat()));

function single(field, number) {
  const data = Buffer.alloc(4);
  data.writeFloatLE(number);
  return Buffer.concat([varint(field * 8 + 5), data]);
}

function attribute([name, value]) {
  const kind = (number) => whole(20, number);
  const says = () => {
    if (Array.isArray(value)) return [value.map((item) => whole(8, item)), kind(7)];
    if (typeof value === 'string') return [bytes(4, value), kind(3)];
    if (typeof value === 'object') return [single(2, value.float), kind(1)];
    return [whole(3, value), kind(2)];
  };
  return message(5, bytes(1, name), says().flat());
}

function node({ op, inputs, outputs, attributes = {} }) {
  const names = [inputs.map((name) => bytes(1, name)), outputs.map((name) => bytes(2, name))].flat();
  return message(1, names, bytes(4, op), Object.entries(attributes).map(attribute));
}

function tensor({ name, type, dims, data }) {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return message(5, dims.map((extent) => whole(1, extent)), whole(2, TYPES[type].code), bytes(8, name), bytes(9, raw));
}

function declared(field, { name, type, dims }) {
  const shape = dims ? [message(2, dims.map((extent) => message(1, whole(1, extent))))] : [];
  return message(field, bytes(1, name), message(2, message(1, whole(1, TYPES[type].code), shape)));
}

function model({ opset, inputs, initializers = [], nodes, outputs }) {
  const graph = [nodes.map(node), bytes(2, 'made'), initializers.map(tensor), inputs.map((x) => declared(11, x)),
    outputs.map((x) => declared(12, x))];
  return Buffer.concat([whole(1, 8), message(7, graph.flat()), message(8, bytes(1, ''), whole(2, opset))]);
}

module.exports = { TYPES, model };
