// model_parts.js - what a file of ONNX is made of: its operators, and the bytes of its initializers
'use strict';

const GRAPH = 7; // of ModelProto
const [NODE, INITIALIZER] = [1, 5]; // of GraphProto
const OP_TYPE = 4; // of NodeProto
const RAW_DATA = 9; // of TensorProto

// The fields of a message that are bytes, as [number, bytes].
function* fieldsOf(message) {
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (; message[at] > 127; at++, scale *= 128) value += (message[at] & 127) * scale;
    return value + message[at++] * scale;
  };
  while (at < message.length) {
    const key = varint();
    const kind = key & 7;
    if (kind === 2) {
      const size = varint();
      yield [key >> 3, message.subarray(at, at + size)];
      at += size;
    } else if (kind === 0) varint();
    else at += kind === 5 ? 4 : 8;
  }
}

const those = (message, number) => [...fieldsOf(message)].filter(([field]) => field === number).map(([, bytes]) => bytes);

// { operators: types in alphabetical order, stored: bytes of initializers }
function modelParts(bytes) {
  const [graph] = those(bytes, GRAPH);
  return {
    operators: those(graph, NODE).map((node) => String(those(node, OP_TYPE)[0])).sort(),
    stored: those(graph, INITIALIZER).map((tensor) => Buffer.concat(those(tensor, RAW_DATA))),
  };
}

module.exports = { modelParts };
