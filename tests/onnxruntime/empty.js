// empty.js NNEFC WORK [OPERATOR] - do operators of ONNX without items give what ONNX Runtime gives?
//
// Each extent of each input of a row of the table is 0 in turn: alone, and with all that are equal to it, of the same
// axis or of any. Shapes and items have to be those of ONNX Runtime, computed by nnefc, by its reference, and by ONNX
// Runtime from what nnefc converts to ONNX. What ONNX Runtime refuses may be computed; what differs is listed below.
'use strict';

const fs = require('fs');
const path = require('path');
const { tensor, modelBytes, runOnnxRuntime, runNnefc, convertByNnefc } = require('./random_model.js');

const TOLERANCE = 1e-5;
const TYPES = {
  Less: 'bool', Equal: 'bool', ArgMax: 'int64', ArgMin: 'int64', Range: 'int64', Shape: 'int64', Size: 'int64',
  Cast: 'int64', QuantizeLinear: 'uint8',
};

// ONNX leaves these open. A mean of nothing is no number (ONNX Runtime: 0), and nothing has no greatest item (-inf).
const DIFFERS = [
  [/^ReduceMean /, /is NaN, expected 0$/],
  [/^(ReduceMax|ReduceMin|ReduceLogSumExp) /, /N0130.*'(max|min)_reduce' along axes of shape \[.*\] without an item/],
  // It takes a scale without items, and cannot pool what has none along an axis.
  [/^LayerNormalization /, /N0132/],
  [/^LRN /, /^converted, is refused: .* AveragePool /],
];
// ONNX Runtime ends or never comes back if there are no channels or nothing to slide over; nor has it InstanceNormalization,
// LSTM or GRU of nothing.
const HANGS = /^(Conv(Transpose)?|Global.*Pool)$/;

const f32 = (dims, ...items) => tensor('float32', dims, (i) => items[i]);
const i64 = (dims, ...items) => tensor('int64', dims, (i) => BigInt(items[i]));
const u8 = (dims, ...items) => tensor('uint8', dims, (i) => items[i]);
const logical = (dims, ...items) => tensor('bool', dims, (i) => items[i]);

// Operator, shapes of inputs, attributes, known inputs by number, opset, number of outputs.
const TABLE = [
  ['Relu', [[2, 3]]],
  ['Sigmoid', [[2, 3]]],
  ['Softmax', [[2, 3]], { axis: 1 }],
  ['LogSoftmax', [[2, 3]], { axis: 1 }],
  ['Softmax', [[2, 3, 4]], { axis: 1 }, {}, 11],
  ['Hardmax', [[2, 3]], { axis: 1 }],
  ['Elu', [[2, 3]]],
  ['HardSigmoid', [[2, 3]]],
  ['Gelu', [[2, 3]], {}, {}, 20],
  ['Erf', [[2, 3]]],
  ['Floor', [[2, 3]]],
  ['PRelu', [[2, 3], [3]]],
  ['Clip', [[2, 3]], {}, { 1: f32([], -1), 2: f32([], 1) }],
  ['Add', [[2, 3], [2, 3]]],
  ['Mul', [[2, 3], [3]]],
  ['Sub', [[2, 3], [1, 3]]],
  ['Div', [[4, 1, 3], [2, 3]]],
  ['Pow', [[2, 3], [1]]],
  ['Max', [[2, 3], [2, 3]]],
  ['Min', [[2, 3], [3]]],
  ['Sum', [[2, 3], [3], [2, 1]]],
  ['Mean', [[2, 3], [3]]],
  ['Less', [[2, 3], [3]]],
  ['Equal', [[2, 3], [2, 1]]],
  ['Identity', [[2, 3]]],
  ['Dropout', [[2, 3]]],
  ['ReduceSum', [[2, 3]], {}, { 1: i64([1], 1) }],
  ['ReduceSum', [[2, 3]], { keepdims: 0 }],
  ['ReduceMean', [[2, 3, 4]], { axes: [1] }],
  ['ReduceMean', [[2, 3, 4]], { keepdims: 0 }],
  ['ReduceMax', [[2, 3]], { axes: [1] }],
  ['ReduceMin', [[2, 3]], { keepdims: 0 }],
  ['ReduceMax', [[2, 3]], {}, { 1: i64([1], 0) }, 20],
  ['ReduceProd', [[2, 3]], { axes: [1] }],
  ['ReduceProd', [[2, 3, 4]], { axes: [0, 2], keepdims: 0 }],
  ['ReduceL1', [[2, 3]], { axes: [1] }],
  ['ReduceL2', [[2, 3]], { axes: [1] }],
  ['ReduceSumSquare', [[2, 3]], { axes: [1] }],
  ['ReduceLogSum', [[2, 3]], { axes: [1] }],
  ['ReduceLogSumExp', [[2, 3]], { axes: [1] }],
  ['ArgMax', [[2, 3]], { axis: 1 }],
  ['ArgMin', [[2, 3]], { axis: 0, keepdims: 0 }],
  ['ArgMax', [[2, 3]], { axis: 1, select_last_index: 1 }],
  ['CumSum', [[2, 3]], {}, { 1: i64([], 1) }],
  ['Reshape', [[2, 3]], {}, { 1: i64([2], 3, -1) }],
  ['Reshape', [[2, 3]], {}, { 1: i64([2], -1, 3) }],
  ['Reshape', [[2, 3]], {}, { 1: i64([2], 0, -1) }],
  ['Reshape', [[0, 3]], {}, { 1: i64([3], 5, 0, 7) }],
  ['Reshape', [[0, 3]], { allowzero: 1 }, { 1: i64([3], 5, 0, 7) }],
  ['Reshape', [[0, 3]], { allowzero: 1 }, { 1: i64([2], 0, 0) }],
  ['Flatten', [[2, 3, 4]], { axis: 1 }],
  ['Flatten', [[2, 3, 4]], { axis: 2 }],
  ['Squeeze', [[1, 2, 3]], {}, { 1: i64([1], 0) }],
  ['Squeeze', [[1, 2, 3]]],
  ['Unsqueeze', [[2, 3]], {}, { 1: i64([2], 0, 3) }],
  ['Transpose', [[2, 3, 4]], { perm: [2, 0, 1] }],
  ['Expand', [[1, 3]], {}, { 1: i64([2], 2, 1) }],
  ['Expand', [[1, 3]], {}, { 1: i64([2], 0, 3) }],
  ['Expand', [[2, 1]], {}, { 1: i64([3], 5, 1, 0) }],
  ['Tile', [[2, 3]], {}, { 1: i64([2], 2, 2) }],
  ['Tile', [[2, 3]], {}, { 1: i64([2], 2, 0) }],
  ['DepthToSpace', [[2, 4, 3, 5]], { blocksize: 2 }],
  ['SpaceToDepth', [[2, 3, 4, 6]], { blocksize: 2 }],
  ['Concat', [[2, 3], [2, 4]], { axis: 1 }],
  ['Concat', [[2, 3], [2, 3]], { axis: 0 }],
  ['Concat', [[2, 0], [2, 0], [2, 0]], { axis: 0 }],
  ['Concat', [[2, 0], [3, 0]], { axis: 0 }],
  ['Split', [[4, 6]], { axis: 1 }, { 1: i64([3], 1, 0, 5) }, 17, 3],
  ['Split', [[4, 6]], { axis: 1 }, { 1: i64([2], 0, 0) }, 17, 2],
  ['Split', [[4, 6]], { axis: 1 }, {}, 17, 2],
  ['Split', [[4, 6]], { axis: 0, num_outputs: 2 }, {}, 18, 2],
  ['Slice', [[4, 6]], {}, { 1: i64([1], 2), 2: i64([1], 2), 3: i64([1], 1) }],
  ['Slice', [[4, 6]], {}, { 1: i64([2], 0, 1), 2: i64([2], 3, 9) }],
  ['Slice', [[4, 6]], {}, { 1: i64([1], -1), 2: i64([1], -99), 3: i64([1], 1), 4: i64([1], -1) }],
  ['Pad', [[2, 3]], {}, { 1: i64([4], 0, 1, 0, 2) }],
  ['Pad', [[2, 3]], {}, { 1: i64([4], 1, 1, 1, 2), 2: f32([], 7) }],
  ['Pad', [[2, 3]], { mode: 'reflect' }, { 1: i64([4], 0, 1, 0, 2) }],
  ['Pad', [[2, 3]], { mode: 'edge' }, { 1: i64([4], 0, 1, 0, 2) }],
  ['Pad', [[2, 3]], { mode: 'wrap' }, { 1: i64([4], 0, 1, 0, 2) }, 19],
  ['Gather', [[4, 3]], { axis: 0 }, { 1: i64([2], 0, 1) }],
  ['Gather', [[4, 3]], { axis: 1 }, { 1: i64([0]) }],
  ['Gather', [[4, 3]], { axis: 0 }, { 1: i64([2, 0]) }],
  ['GatherElements', [[4, 3]], { axis: 0 }, { 1: i64([0, 3]) }],
  ['GatherND', [[4, 3]], {}, { 1: i64([0, 1]) }],
  ['ScatterElements', [[4, 3]], { axis: 0 }, { 1: i64([0, 3]), 2: f32([0, 3]) }],
  ['ScatterElements', [[4, 3], [2, 3]], { axis: 0, reduction: 'add' }, { 1: i64([2, 3], 0, 1, 2, 3, 0, 0) }, 18],
  ['ScatterND', [[4, 3], [2, 3]], {}, { 1: i64([2, 1], 0, 3) }, 18],
  ['Where', [[2, 3], [2, 3]], {}, { 0: logical([1, 3], 1, 0, 1) }],
  ['OneHot', [], {}, { 0: i64([0]), 1: i64([], 3), 2: f32([2], 0, 1) }],
  ['ConstantOfShape', [], {}, { 0: i64([2], 0, 3) }],
  ['Range', [], {}, { 0: i64([], 3), 1: i64([], 3), 2: i64([], 1) }],
  ['Trilu', [[3, 4]], {}],
  ['EyeLike', [[3, 4]], {}],
  ['Shape', [[3, 4]], {}],
  ['Size', [[3, 4]], {}],
  ['MatMul', [[2, 3], [3, 4]]],
  ['MatMul', [[5, 2, 3], [5, 3, 4]]],
  ['MatMul', [[5, 2, 3], [3, 4]]],
  ['MatMul', [[3], [3, 4]]],
  ['MatMul', [[3], [3]]],
  ['MatMul', [[2, 3]], {}, { 1: f32([3, 0]) }],
  ['Gemm', [[2, 3], [3, 4], [4]]],
  ['Gemm', [[3, 2], [4, 3], [2, 4]], { transA: 1, transB: 1, alpha: { float: 0.5 } }],
  ['Gemm', [[2, 3], [3, 4]]],
  ['Einsum', [[2, 3], [3, 4]], { equation: 'ij,jk->ik' }],
  ['Einsum', [[2, 3]], { equation: 'ij->j' }],
  ['Conv', [[2, 4, 5, 6], [3, 4, 1, 1]]],
  ['Conv', [[2, 4, 5, 6], [3, 4, 3, 3], [3]], { pads: [1, 1, 1, 1] }],
  ['Conv', [[2, 4, 5, 6], [4, 1, 3, 3]], { group: 4 }],
  ['ConvTranspose', [[2, 4, 5, 6], [4, 3, 2, 2]], { strides: [2, 2] }],
  ['MaxPool', [[2, 4, 5, 6]], { kernel_shape: [2, 2] }],
  ['MaxPool', [[2, 4, 5, 6]], { kernel_shape: [3, 3], pads: [1, 1, 1, 1], strides: [2, 2] }],
  ['AveragePool', [[2, 4, 5, 6]], { kernel_shape: [3, 3], pads: [1, 1, 1, 1] }],
  ['LpPool', [[2, 4, 5, 6]], { kernel_shape: [2, 2] }],
  ['GlobalAveragePool', [[2, 4, 5, 6]]],
  ['GlobalMaxPool', [[2, 4, 5, 6]]],
  ['LRN', [[2, 4, 5, 6]], { size: 3 }],
  ['BatchNormalization', [[2, 4, 5], [4], [4], [4], [4]]],
  ['LayerNormalization', [[2, 4, 5], [5], [5]]],
  ['LpNormalization', [[2, 4]], { axis: 1 }],
  ['MeanVarianceNormalization', [[2, 4, 5, 6]]],
  ['Resize', [[2, 4, 5, 6]], { mode: 'nearest' }, { 1: f32([0]), 2: f32([4], 1, 1, 2, 2) }],
  ['Resize', [[2, 4, 5, 6]], { mode: 'linear' }, { 1: f32([0]), 2: f32([4], 1, 1, 1.5, 1.5) }],
  ['Cast', [[2, 3]], { to: 7 }],
  ['RNN', [[5, 2, 3], [1, 4, 3], [1, 4, 4]], { hidden_size: 4 }, {}, 17, 2],
  ['QuantizeLinear', [[2, 3]], {}, { 1: f32([], 0.5), 2: u8([], 3) }],
  ['ReverseSequence', [[4, 2, 3]], {}, { 1: i64([2], 1, 1) }],
];

function modelOf([op, , attributes = {}, known = {}, opset = 17, count = 1], shapes) {
  const inputs = {};
  const constants = {};
  const names = [];
  for (let next = 0; next < shapes.length || known[names.length]; ) {
    const name = `i${names.length}`;
    if (known[names.length]) constants[name] = known[names.length];
    else inputs[name] = tensor('float32', shapes[next++], (i) => ((i * 37) % 11) / 4 - 1);
    names.push(name);
  }
  const outputs = Array.from({ length: count }, (_, i) => `o${i}`);
  const ports = Object.fromEntries(outputs.map((name) => [name, { type: TYPES[op] || 'float32' }]));
  return { opset, inputs, outputs: ports, constants, nodes: [{ op, inputs: names, outputs, attributes }] };
}

// The shapes as they are and with extents of 0, each once.
function variants(shapes) {
  const found = new Map([[String(shapes), shapes]]);
  const change = (isEmpty) => {
    const changed = shapes.map((dims, i) => dims.map((extent, axis) => (isEmpty(i, axis, extent) ? 0 : extent)));
    found.set(JSON.stringify(changed), changed);
  };
  shapes.forEach((dims, first) => dims.forEach((equal, at) => {
    change((i, axis) => i === first && axis === at);
    change((i, axis, extent) => extent === equal && axis === at);
    change((i, axis, extent) => extent === equal);
  }));
  return [...found.values()];
}

function same(expected, actual) {
  const [x, y] = [Number(expected), Number(actual)];
  return Object.is(x, y) || x === y || Math.abs(x - y) <= TOLERANCE * Math.max(1, Math.abs(x));
}

// What is wrong with results; undefined if nothing.
function difference(expected, { refused, results }) {
  if (refused) return `is refused: ${refused}`;
  for (const [name, { dims, data }] of expected) {
    const actual = results.get(name);
    if (String(actual.dims) !== String(dims)) return `'${name}' has shape [${actual.dims}], expected [${dims}]`;
    const at = data.findIndex((item, i) => !same(item, actual.data[i]));
    if (at >= 0) return `'${name}'[${at}] is ${actual.data[at]}, expected ${data[at]}`;
  }
  return undefined;
}

async function byOnnxRuntime(model, inputs) {
  try {
    return { results: await runOnnxRuntime(model, inputs) };
  } catch (error) {
    return { refused: error.message.split('\n')[0] };
  }
}

// What nnefc does wrong; undefined if nothing.
async function fault({ nnefc, work }, model, hangs) {
  const file = path.join(work, 'model.onnx');
  const again = path.join(work, 'again.onnx');
  fs.writeFileSync(file, modelBytes(model));
  const judge = hangs ? { refused: 'it hangs' } : await byOnnxRuntime(modelBytes(model), model.inputs);
  const ours = runNnefc(nnefc, work, file, model.inputs);
  if (ours.refused && !/N\d{4}/.test(ours.refused)) return `fails: ${ours.refused}`;
  if (judge.refused) return undefined;
  const reference = () => difference(judge.results, runNnefc(nnefc, work, file, model.inputs, ['--backend=reference']));
  const what = difference(judge.results, ours) || reference();
  if (what) return what;
  const { refused } = convertByNnefc(nnefc, file, again);
  if (refused) return `is not converted: ${refused}`;
  const converted = difference(judge.results, await byOnnxRuntime(again, model.inputs));
  return converted && `converted, ${converted}`;
}

async function main([nnefc, work, only]) {
  let [passed, failed] = [0, 0];
  const met = new Set();
  for (const row of TABLE.filter(([op]) => !only || op === only))
    for (const shapes of variants(row[1])) {
      const title = `${row[0]} of ${JSON.stringify(shapes)}, ${JSON.stringify(row[2] || {})}`;
      const hangs = HANGS.test(row[0]) && shapes.some((dims) => dims.slice(1).includes(0));
      const what = await fault({ nnefc, work }, modelOf(row, shapes), hangs);
      const known = what && DIFFERS.find(([of, how]) => of.test(title) && how.test(what));
      met.add(known);
      if (!what || known) passed++;
      else {
        console.log(`${title}: ${what}`);
        failed++;
      }
    }
  for (const rule of DIFFERS.filter((each) => !only && !met.has(each))) {
    console.log(`${rule.join(', ')}: listed as different, but is not`);
    failed++;
  }
  console.log(`${passed} passed, ${failed} failed, 0 skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
}

main(process.argv.slice(2));
