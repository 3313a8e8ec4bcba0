// made_networks.js NNEFC WORK - small networks with weights that are drawn
//
// A BERT, a GPT-2 and a Llama of two layers, as ONNX Runtime's optimizer writes them, a detector and a spatial transformer. Computed by
// nnefc, by its reference, from the NNEF and the ONNX that it writes, results have to be near those of ONNX Runtime; and attention,
// normalization, GELU and what goes by indices and places have to be one operation each in NNEF, and one operator where ONNX has it.
'use strict';

const fs = require('fs');
const path = require('path');
const { generator, tensor, modelBytes, difference, runOnnxRuntime, runNnefc, convertByNnefc } = require('./random_model.js');

const TOLERANCE = 1e-4;
const [BATCH, LENGTH, SIZE, HEADS, WIDE, WORDS, PLACES, LAYERS] = [2, 7, 32, 4, 64, 50, 16, 2];

// --- building ---

// Nodes with names by their number; initializers are drawn.
function builder(seed, opset = 17) {
  const random = generator(seed);
  const made = { opset, inputs: {}, outputs: {}, constants: {}, nodes: [] };
  const weights = (dims, range, middle = 0) => {
    const name = `w${Object.keys(made.constants).length}`;
    made.constants[name] = tensor('float32', dims, () => Math.fround(middle + range * (2 * random.real() - 1)));
    return name;
  };
  const add = (domain) => (op, inputs, attributes = {}, count = 1) => {
    const outputs = Array.from({ length: count }, (_, i) => `t${made.nodes.length}_${i}`);
    made.nodes.push({ op, domain, inputs, outputs, attributes });
    return count === 1 ? outputs[0] : outputs;
  };
  const known = (type, dims, items) => {
    const name = `k${Object.keys(made.constants).length}`;
    made.constants[name] = tensor(type, dims, (i) => (type === 'int64' ? BigInt(items[i]) : items[i]));
    return name;
  };
  const input = (name, type, dims, value) => {
    made.inputs[name] = tensor(type, dims, type === 'int64' ? (i) => BigInt(value(i)) : value);
    return name;
  };
  return { random, made, weights, known, input, onnx: add(''), microsoft: add('com.microsoft'),
    norm: () => [weights([SIZE], 0.2, 1), weights([SIZE], 0.2)] };
}

const EPSILON = { epsilon: { float: 1e-5 } };

// What follows attention: products, with a GELU between them, and sums that are normalized; and the last sum.
function feedForward({ weights, onnx, microsoft, norm }, attended, residual, gelu) {
  const projected = onnx('MatMul', [attended, weights([SIZE, SIZE], 0.2)]);
  const [first, , , sum] = microsoft('SkipLayerNormalization', [projected, residual, ...norm(), weights([SIZE], 0.1)], EPSILON, 4);
  const wide = microsoft(gelu, [onnx('MatMul', [first, weights([SIZE, WIDE], 0.3)]), weights([WIDE], 0.1)]);
  const narrow = onnx('MatMul', [wide, weights([WIDE, SIZE], 0.3)]);
  return { narrow, sum, first };
}

// Sums are normalized behind each part; the mask becomes the number of words.
function bert() {
  const b = builder(1);
  const { made, random, weights, input, onnx, microsoft, norm } = b;
  const ids = input('input_ids', 'int32', [BATCH, LENGTH], () => random.integer(0, WORDS - 1));
  const segments = input('token_type_ids', 'int32', [BATCH, LENGTH], (i) => (i % LENGTH > 3 ? 1 : 0));
  const mask = input('attention_mask', 'int32', [BATCH, LENGTH], (i) => (i % LENGTH < LENGTH - 2 * Math.floor(i / LENGTH) ? 1 : 0));
  let [x, lengths] = microsoft('EmbedLayerNormalization', [ids, segments, weights([WORDS, SIZE], 1), weights([PLACES, SIZE], 1),
    weights([2, SIZE], 1), ...norm(), mask], EPSILON, 2);
  for (let layer = 0; layer < LAYERS; layer++) {
    const attended = microsoft('Attention', [x, weights([SIZE, 3 * SIZE], 0.3), weights([3 * SIZE], 0.1), lengths], { num_heads: HEADS });
    const { narrow: out, first } = feedForward(b, attended, x, 'BiasGelu');
    x = microsoft('SkipLayerNormalization', [out, first, ...norm(), weights([SIZE], 0.1)], EPSILON);
  }
  made.constants.zero = tensor('int64', [], () => 0n);
  const word = onnx('Gather', [x, 'zero'], { axis: 1 });
  const pooled = onnx('Tanh', [onnx('Gemm', [word, weights([SIZE, SIZE], 0.3), weights([SIZE], 0.1)])]);
  made.outputs = { [x]: { type: 'float32' }, [pooled]: { type: 'float32' } };
  return { title: 'BERT', model: made, counts: { masked_attention: 2, layer_normalization: 5, gelu_erf: 2 } };
}

// Sums are normalized in front of each part; keys and values of former words are fed.
function gpt2(past) {
  const b = builder(2);
  const { made, random, weights, input, onnx, microsoft, norm } = b;
  const wide = past === 0; // integers of 64 bits, which NNEF cannot say how to narrow
  const integers = (name, dims, value) => {
    const given = input(name, wide ? 'int64' : 'int32', dims, value);
    return wide ? onnx('Cast', [given], { to: 6 }) : given;
  };
  const ids = integers('input_ids', [BATCH, LENGTH], () => random.integer(0, WORDS - 1));
  const places = integers('position_ids', [BATCH, LENGTH], (i) => past + (i % LENGTH));
  const mask = integers('attention_mask', [BATCH, past + LENGTH], (i) => (i === past + LENGTH ? 0 : 1));
  const words = weights([WORDS, SIZE], 1);
  let [x, , sum] = microsoft('EmbedLayerNormalization', [ids, '', words, weights([PLACES, SIZE], 1), '', ...norm(), '', places], EPSILON, 3);
  for (let layer = 0; layer < LAYERS; layer++) {
    const dims = [2, BATCH, HEADS, past, SIZE / HEADS];
    const former = past > 0 ? [input(`past_${layer}`, 'float32', dims, () => Math.fround(2 * random.real() - 1))] : [];
    const [attended, present] = microsoft('Attention', [x, weights([SIZE, 3 * SIZE], 0.3), weights([3 * SIZE], 0.1), mask, ...former],
      { num_heads: HEADS, unidirectional: 1 }, 2);
    const { narrow: out, sum: middle } = feedForward(b, attended, sum, 'FastGelu');
    [x, , , sum] = microsoft('SkipLayerNormalization', [out, middle, ...norm(), weights([SIZE], 0.1)], EPSILON, 4);
    made.outputs[present] = { type: 'float32' };
  }
  const logits = microsoft('FusedMatMul', [x, words], { transB: 1 });
  made.outputs[logits] = { type: 'float32' };
  return { title: past > 0 ? 'GPT-2 with a past' : 'GPT-2', model: made, wide, counts: { masked_attention: 2, layer_normalization: 5, gelu_tanh: 2 } };
}

// Roots of mean squares in front of each part, and a gate behind which products are summed.
function llama() {
  const b = builder(5);
  const { made, random, weights, input, onnx, microsoft } = b;
  const x = input('x', 'float32', [BATCH, LENGTH, SIZE], () => Math.fround(2 * random.real() - 1));
  const scale = () => weights([SIZE], 0.2, 1);
  let [normal, sum] = [onnx('SimplifiedLayerNormalization', [x, scale()], { axis: -1, ...EPSILON }), x];
  for (let layer = 0; layer < LAYERS; layer++) {
    const attended = microsoft('Attention', [normal, weights([SIZE, 3 * SIZE], 0.3), weights([3 * SIZE], 0)], { num_heads: HEADS, unidirectional: 1 });
    const [seen, , , middle] = microsoft('SkipSimplifiedLayerNormalization', [onnx('MatMul', [attended, weights([SIZE, SIZE], 0.2)]), sum, scale()], EPSILON, 4);
    const gate = onnx('MatMul', [seen, weights([SIZE, WIDE], 0.3)]);
    const open = onnx('Mul', [onnx('Mul', [gate, onnx('Sigmoid', [gate])]), onnx('MatMul', [seen, weights([SIZE, WIDE], 0.3)])]);
    [normal, , , sum] = microsoft('SkipSimplifiedLayerNormalization', [onnx('MatMul', [open, weights([WIDE, SIZE], 0.3)]), middle, scale()], EPSILON, 4);
  }
  made.outputs = { [normal]: { type: 'float32' }, [sum]: { type: 'float32' } };
  return { title: 'Llama', model: made, counts: { masked_attention: 2, rms_normalization: 5 } };
}

// A convolution with a bias, of windows of that size and stride.
function convolution({ weights, onnx }, x, [from, to], size, stride = 1) {
  const pad = Math.floor(size / 2);
  return onnx('Conv', [x, weights([to, from, size, size], 0.4), weights([to], 0.1)], { strides: [stride, stride], pads: [pad, pad, pad, pad] });
}

// The best of all anchors: their classes, and their boxes as corners.
function detector() {
  const [side, cells, anchors, classes, best] = [32, 8, 2, 3, 10];
  const b = builder(3);
  const { made, random, known, onnx, input } = b;
  const places = cells * cells * anchors;
  const image = input('image', 'float32', [1, 3, side, side], () => Math.fround(random.real()));
  const middle = onnx('Relu', [convolution(b, image, [3, 8], 3, 2)]);
  const map = onnx('Relu', [convolution(b, middle, [8, 16], 3, 2)]);
  const head = (size) => onnx('Reshape', [onnx('Transpose', [convolution(b, map, [16, anchors * size], 1)], { perm: [0, 2, 3, 1] }),
    known('int64', [3], [1, places, size])]);
  const scores = onnx('Sigmoid', [head(classes)]), boxes = head(4);
  const [values, chosen] = onnx('TopK', [onnx('ReduceMax', [scores], { axes: [2], keepdims: 0 }), known('int64', [1], [best])], {}, 2);
  const each = onnx('Unsqueeze', [chosen, known('int64', [1], [2])]);
  const label = onnx('ArgMax', [onnx('GatherND', [scores, each], { batch_dims: 1 })], { axis: 2, keepdims: 0 });
  const offsets = onnx('GatherElements', [boxes, onnx('Expand', [each, known('int64', [3], [1, best, 4])])], { axis: 1 });
  const anchor = Array.from({ length: places }, (_, i) => {
    const cell = Math.floor(i / anchors), size = i % anchors ? 12 : 6;
    return [4 * (cell % cells) + 2, 4 * Math.floor(cell / cells) + 2, size, size];
  });
  const near = onnx('Gather', [known('float32', [places, 4], anchor.flat()), chosen]);
  const halves = known('int64', [2], [2, 2]);
  const [shift, growth] = onnx('Split', [offsets, halves], { axis: 2 }, 2);
  const [place, size] = onnx('Split', [near, halves], { axis: 2 }, 2);
  const center = onnx('Add', [place, onnx('Mul', [shift, size])]);
  const half = onnx('Mul', [onnx('Mul', [onnx('Exp', [growth]), size]), known('float32', [], [0.5])]);
  const corners = onnx('Concat', [onnx('Sub', [center, half]), onnx('Add', [center, half])], { axis: 2 });
  made.outputs = { [corners]: { type: 'float32' }, [values]: { type: 'float32' }, [label]: { type: 'int64' } };
  return { title: 'detector', model: made, beyond: 'topk', counts: { topk: 1, gather_nd: 1, gather_elements: 1 } };
}

// A small network finds how to turn and shift the image that another one sees.
function spatialTransformer() {
  const side = 16;
  const b = builder(4, 20);
  const { made, random, weights, known, onnx, input } = b;
  const image = input('image', 'float32', [BATCH, 1, side, side], () => Math.fround(random.real()));
  const pooled = onnx('MaxPool', [onnx('Relu', [convolution(b, image, [1, 4], 5)])], { kernel_shape: [4, 4], strides: [4, 4] });
  const found = onnx('Gemm', [onnx('Flatten', [pooled]), weights([4 * (side / 4) ** 2, 6], 0.02), known('float32', [6], [1, 0, 0, 0, 1, 0])]);
  const theta = onnx('Reshape', [found, known('int64', [3], [BATCH, 2, 3])]);
  const grid = onnx('AffineGrid', [theta, known('int64', [4], [BATCH, 1, side, side])]);
  const turned = onnx('GridSample', [image, grid], { mode: 'linear', padding_mode: 'zeros', align_corners: 0 });
  const seen = onnx('Flatten', [onnx('GlobalAveragePool', [onnx('Relu', [convolution(b, turned, [1, 8], 3)])])]);
  made.outputs = { [turned]: { type: 'float32' }, [seen]: { type: 'float32' } };
  return { title: 'spatial transformer', model: made, beyond: 'grid_sample', opsets: [16, 20, 26], counts: { grid_sample: 1 } };
}

// Outputs that nobody reads have no name.
function tidy(model) {
  const read = new Set([...model.nodes.flatMap(({ inputs }) => inputs), ...Object.keys(model.outputs)]);
  for (const node of model.nodes) node.outputs = node.outputs.map((name) => (read.has(name) ? name : ''));
  return model;
}

// --- judging ---

const OPERATORS = { masked_attention: [23, 'Attention'], layer_normalization: [17, 'LayerNormalization'], gelu_erf: [20, 'Gelu'], gelu_tanh: [20, 'Gelu'],
  rms_normalization: [23, 'RMSNormalization'], topk: [13, 'TopK'], gather_nd: [13, 'GatherND'], gather_elements: [13, 'GatherElements'], grid_sample: [16, 'GridSample'] };
const OPSETS = [13, 17, 21, 23, 26];

// `beyond` names an operation that NNEF has no way to compute; `wide` are integers that it cannot say how to narrow.
async function judge({ nnefc, work }, { title, model, counts, wide, beyond, opsets = OPSETS }) {
  const [file, folder, whole, again] = ['model.onnx', 'nnef/', 'whole/', 'again.onnx'].map((name) => path.join(work, name));
  const { inputs } = tidy(model);
  const bytes = modelBytes(model);
  const faults = [];
  const note = (who, what) => what && faults.push(`${title}, ${who}: ${what}`);
  const expected = await runOnnxRuntime(bytes, inputs);
  const compare = (who, { refused, results }) => note(who, refused || difference(expected, results, TOLERANCE));
  fs.writeFileSync(file, bytes);
  compare('nnefc', runNnefc(nnefc, work, file, inputs));
  compare('reference', runNnefc(nnefc, work, file, inputs, ['--backend=reference', '--raw']));
  for (const written of [folder, whole]) fs.rmSync(written, { recursive: true, force: true });
  if (!wide) {
    const { refused } = convertByNnefc(nnefc, file, folder);
    if (beyond) note('as NNEF', !(refused && refused.includes(`'${beyond}'`)) && `says ${refused}, expected a word on '${beyond}'`);
    else compare('as NNEF', refused ? { refused } : runNnefc(nnefc, work, folder, inputs));
    const custom = convertByNnefc(nnefc, file, whole, ['--profile=custom']);
    compare('as NNEF with our operations', custom.refused ? custom : runNnefc(nnefc, work, whole, inputs));
    const text = fs.readFileSync(path.join(whole, 'graph.nnef'), 'utf8');
    for (const [operation, count] of Object.entries(counts)) {
      const found = text.split(`= ${operation}(`).length - 1;
      note('as NNEF', found !== count && `has ${operation} ${found} times, expected ${count}`);
    }
  }
  for (const opset of opsets) {
    const { refused } = convertByNnefc(nnefc, file, again, [`--opset=${opset}`]);
    note(`opset ${opset}`, refused || difference(expected, await runOnnxRuntime(again, inputs), TOLERANCE));
    const types = refused ? '' : fs.readFileSync(again, 'latin1');
    for (const [operation, count] of Object.entries(counts)) {
      const [since, type] = OPERATORS[operation];
      const found = types.split(`"${String.fromCharCode(type.length)}${type}`).length - 1; // field 4 of a node
      note(`opset ${opset}`, found !== (opset >= since ? count : 0) && `has ${type} ${found} times`);
    }
  }
  return faults;
}

async function main(nnefc, work) {
  const tally = { passed: 0, failed: 0 };
  for (const network of [bert(), gpt2(0), gpt2(5), llama(), detector(), spatialTransformer()]) {
    const faults = await judge({ nnefc, work }, network);
    faults.forEach((fault) => console.log(fault));
    tally[faults.length > 0 ? 'failed' : 'passed']++;
  }
  console.log(`${tally.passed} passed, ${tally.failed} failed, 0 skipped`);
  process.exitCode = tally.failed > 0 ? 1 : 0;
}

main(...process.argv.slice(2));
