// random_microsoft.js NNEFC WORK [COUNT [SEED]] - do operators of com.microsoft compute what ONNX Runtime computes?
//
// Draws COUNT models of one operator that ONNX Runtime's optimizers write, with attributes, inputs and outputs that may
// be left out, some inputs as initializers. Computed by nnefc, by its reference, from the NNEF that it writes and by
// ONNX Runtime from the ONNX that it writes, results have to be near those of ONNX Runtime. Where that has no
// kernel a model of other operators says what is right. ONLY=N judges model N alone and says what it is.
'use strict';

const { volume, tensor, floats, modelBytes } = require('./random_model.js');
const { expectedOf, doesSaturate, judgeRandom } = require('./random_judge.js');

const TOLERANCE = 2e-5; // in parts of the largest number
const MICROSOFT = 'com.microsoft';

// --- parts of a model ---

function integers(random, type, dims, least, most) {
  const wide = type === 'int64' ? BigInt : Number;
  return tensor(type, dims, () => wide(random.integer(least, most)));
}

// A node whose inputs are tensors, or undefined where one is left out, and whose outputs are types or undefined.
function model(random, op, inputs, outputs, attributes = {}, { domain = MICROSOFT, opset = 17, constants = 0.3 } = {}) {
  const made = { opset, inputs: {}, outputs: {}, constants: {}, nodes: [] };
  const trim = (list) => list.slice(0, list.length - [...list].reverse().findIndex(Boolean));
  const names = trim(inputs).map((items, i) => {
    if (!items) return '';
    made[i > 0 && random.chance(constants) ? 'constants' : 'inputs'][`x${i}`] = items;
    return `x${i}`;
  });
  const results = trim(outputs).map((type, i) => {
    if (!type) return '';
    made.outputs[`y${i}`] = { type };
    return `y${i}`;
  });
  made.nodes.push({ op, domain, inputs: names, outputs: results, attributes });
  return { model: made };
}

const maybe = (random, items, share = 0.5) => (random.chance(share) ? items : undefined);

// --- activations and normalization ---

function drawGelu(random) {
  const dims = random.list(random.integer(1, 4), () => random.integer(1, 6));
  const x = floats(random, dims, -5);
  x.data[0] = 5; // beside which the rounding of small items does not count
  const bias = floats(random, [dims[dims.length - 1]]);
  return random.pick([
    () => model(random, 'Gelu', [x], ['float32']),
    () => model(random, 'BiasGelu', [x, bias], ['float32']),
    () => model(random, 'FastGelu', [x, maybe(random, bias)], ['float32']),
    () => model(random, 'QuickGelu', [x], ['float32'], random.pick([{}, { alpha: { float: 1 } }, { alpha: { float: 1.5 } }, { alpha: { float: 1.702 } }])),
  ])();
}

function drawSkip(random) {
  const [batch, length, size] = [random.integer(1, 3), random.integer(1, 5), random.integer(1, 9)];
  const dims = random.chance(0.8) ? [batch, length, size] : [length, size];
  const skip = random.pick([dims, dims, [length, size], dims.length === 3 ? [1, length, size] : dims]);
  const row = () => floats(random, [size]);
  const attributes = random.chance(0.6) ? { epsilon: { float: random.pick([1e-5, 1e-3, 0.5]) } } : { epsilon: { float: 1e-6 } };
  const outputs = ['float32', undefined, maybe(random, 'float32', 0.2), maybe(random, 'float32')];
  if (random.chance(0.4)) {
    const inputs = [floats(random, dims), floats(random, dims), row(), maybe(random, row())];
    return model(random, 'SkipSimplifiedLayerNormalization', inputs, outputs, attributes);
  }
  const inputs = [floats(random, dims), floats(random, skip), row(), maybe(random, row(), 0.7), maybe(random, row())];
  outputs[1] = maybe(random, 'float32', 0.2);
  return model(random, 'SkipLayerNormalization', inputs, outputs, attributes);
}

function drawSimplified(random) {
  const dims = random.list(random.integer(1, 4), () => random.integer(1, 6));
  const axis = random.integer(0, dims.length - 1);
  const attributes = { axis: random.chance(0.5) ? axis : axis - dims.length, epsilon: { float: random.pick([1e-5, 1e-2]) } };
  return model(random, 'SimplifiedLayerNormalization', [floats(random, dims), floats(random, dims.slice(axis))],
    ['float32', maybe(random, 'float32', 0.3)], attributes, { domain: '' });
}

// --- positions and embeddings ---

function drawEmbedding(random) {
  const [batch, length, size, words, places] = [random.integer(1, 3), random.integer(1, 5), random.integer(1, 8), random.integer(1, 9), random.integer(5, 7)];
  const ids = (most) => integers(random, 'int32', [batch, length], 0, most - 1);
  const segments = random.chance(0.6);
  const table = (rows) => floats(random, [rows, size]);
  const named = random.chance(0.4) ? integers(random, 'int32', [random.pick([1, batch]), length], 0, places - 1) : undefined;
  const mask = maybe(random, integers(random, 'int32', [batch, length], 0, 1));
  return model(random, 'EmbedLayerNormalization',
    [ids(words), segments ? ids(2) : undefined, table(words), table(places), segments ? table(2) : undefined,
      floats(random, [size]), floats(random, [size]), mask, named],
    ['float32', 'int32', maybe(random, 'float32')], { epsilon: { float: random.pick([1e-5, 1e-2]) } });
}

function drawRotary(random) {
  const [batch, length, heads, half] = [random.integer(1, 3), random.integer(1, 5), random.integer(1, 3), random.integer(1, 4)];
  const part = random.chance(0.3) ? 8 * random.integer(1, 2) : 0; // ONNX Runtime wants a multiple of 8
  const size = part > 0 ? part + 2 * random.integer(0, 3) : 2 * half;
  const most = length + random.integer(0, 4);
  const dims = random.chance(0.6) ? [batch, length, heads * size] : [batch, heads, length, size];
  const positions = random.chance(0.5) ? integers(random, 'int64', [1], 0, most - length)
    : integers(random, 'int64', [batch, length], 0, most - 1);
  const attributes = random.chance(0.5) ? { interleaved: random.integer(0, 1) } : {};
  if (part > 0) attributes.rotary_embedding_dim = part;
  if (part > 0 || random.chance(0.3)) attributes.num_heads = heads;
  const angles = () => floats(random, [most, (part || size) / 2], -1);
  return model(random, 'RotaryEmbedding', [floats(random, dims), positions, angles(), angles()], ['float32'], attributes);
}

// --- attention ---

// Where all keys of a query are hidden, what they get in common rounds their products away: the first key is shown
// then, unless that is a small number.
function drawMask(random, { batch, queries, keys, ends }, { mask_filter_value: filter }) {
  const least = filter && filter.float > -10 ? 0 : 1;
  const shown = (dims) => tensor('int32', dims, (i) => (i % keys === 0 && least ? 1 : random.integer(0, 1)));
  return random.pick([
    () => undefined,
    () => integers(random, 'int32', [batch], least, keys),
    () => (ends ? tensor('int32', [2 * batch], (i) => (i < batch ? random.integer(least, keys) : random.integer(0, 2 - 2 * least))) : undefined),
    () => shown([batch, keys]),
    () => shown([batch, queries, keys]),
  ])();
}

function attentionAttributes(random, heads) {
  const attributes = { num_heads: heads };
  if (random.chance(0.3)) attributes.scale = { float: random.pick([0.5, 1, 0]) };
  if (random.chance(0.3)) attributes.mask_filter_value = { float: random.pick([-3, -3.4028234663852886e38, -1e9]) };
  return attributes;
}

function addedTo(random, { batch, heads, queries, keys }) {
  return random.chance(0.3) ? floats(random, [random.pick([1, batch]), random.pick([1, heads]), queries, keys]) : undefined;
}

function drawAttention(random) {
  const [batch, queries, heads, size, input] = [random.integer(1, 3), random.integer(1, 5), random.integer(1, 3), random.integer(1, 4), random.integer(1, 6)];
  const past = random.chance(0.4) ? random.integer(0, 3) : -1;
  const width = past < 0 && random.chance(0.3) ? random.integer(1, 4) : size;
  const sum = heads * (2 * size + width);
  const attributes = attentionAttributes(random, heads);
  if (width !== size || random.chance(0.2)) attributes.qkv_hidden_sizes = [heads * size, heads * size, heads * width];
  if (random.chance(0.4)) attributes.unidirectional = 1;
  const extents = { batch, heads, queries, keys: queries + Math.max(past, 0), ends: true };
  const inputs = [floats(random, [batch, queries, input]), floats(random, [input, sum], -1), floats(random, [sum]),
    drawMask(random, extents, attributes), past >= 0 ? floats(random, [2, batch, heads, past, size]) : undefined,
    past < 0 ? addedTo(random, extents) : undefined];
  const outputs = ['float32', past >= 0 || (width === size && random.chance(0.3)) ? 'float32' : undefined];
  if (random.chance(0.8)) return model(random, 'Attention', inputs, outputs, attributes);
  // ONNX Runtime does not survive a bias that is left out.
  const { model: right } = model(fixed(random), 'Attention', inputs, outputs, attributes);
  right.inputs.x2.data.fill(0);
  inputs[2] = undefined;
  return { ...model(fixed(random), 'Attention', inputs, outputs, attributes), right };
}

// All inputs stay inputs.
function fixed(random) {
  return { ...random, chance: () => false };
}

// Keys may have heads of their own already, and the past may stand in front of them.
function drawMulti(random) {
  const [batch, queries, heads, size] = [random.integer(1, 3), random.integer(1, 5), random.integer(1, 3), random.integer(1, 4)];
  const attributes = attentionAttributes(random, heads);
  const split = random.chance(0.2);
  const past = !split && random.chance(0.3) ? random.integer(0, 3) : -1;
  const width = split || past >= 0 ? size : random.integer(1, 4);
  if (!split && random.chance(0.3)) attributes.unidirectional = 1;
  const length = attributes.unidirectional ? queries : random.integer(1, 5);
  const extents = { batch, heads, queries, keys: length + Math.max(past, 0) };
  const of = (count, each) => (split ? [batch, heads, length, each] : [batch, count, heads * each]);
  const outputs = split ? [] : [past >= 0 || random.chance(0.3) ? 'float32' : undefined];
  outputs.push(outputs[0]);
  const shown = random.chance(0.2) ? 'float32' : undefined;
  const inputs = [floats(random, [batch, queries, heads * size]), floats(random, of(length, size)), floats(random, of(length, width)),
    maybe(random, floats(random, [heads * (2 * size + width)])), drawMask(random, extents, attributes), addedTo(random, extents),
    past >= 0 ? floats(random, [batch, heads, past, size]) : undefined, past >= 0 ? floats(random, [batch, heads, past, width]) : undefined];
  return model(random, 'MultiHeadAttention', inputs, ['float32', outputs[0], outputs[1], shown], attributes);
}

// ONNX Runtime packs nothing on a CPU: it gets the parts.
function drawPacked(random) {
  const [batch, length, heads, size] = [random.integer(1, 3), random.integer(1, 5), random.integer(1, 3), random.integer(1, 4)];
  const parts = random.integer(2, 3);
  const queries = parts === 3 ? length : random.integer(1, 5);
  const packed = floats(random, [batch, length, heads, parts, size]);
  const part = (index) => tensor('float32', [batch, length, heads * size], (i) => {
    const [item, row] = [i % size, Math.floor(i / size)];
    return packed.data[(row * parts + index) * size + item];
  });
  const attributes = attentionAttributes(random, heads);
  const query = floats(random, [batch, queries, heads * size]);
  const rest = [parts === 3 ? maybe(random, floats(random, [3 * heads * size])) : undefined, drawMask(random, { batch, queries, keys: length }, attributes)];
  const give = (inputs) => model(fixed(random), 'MultiHeadAttention', inputs, ['float32'], attributes).model;
  return { model: give(parts === 3 ? [packed, undefined, undefined, ...rest] : [query, packed, undefined, ...rest]),
    right: give(parts === 3 ? [part(0), part(1), part(2), ...rest] : [query, part(0), part(1), ...rest]) };
}

// --- products and windows ---

function drawFusedMatMul(random) {
  const batches = random.list(random.integer(0, 2), () => random.integer(1, 3));
  const [rows, inner, columns] = random.list(3, () => random.integer(1, 5));
  const attributes = random.chance(0.5) ? { alpha: { float: random.pick([0.125, 2, -1]) } } : {};
  const sides = [[rows, inner], [inner, columns]].map(([first, second], i) => {
    const letter = 'AB'[i];
    const flips = random.chance(0.4);
    const turns = batches.length > 0 && random.chance(0.3);
    if (flips) attributes[`trans${letter}`] = 1;
    if (turns) attributes[`transBatch${letter}`] = 1;
    const [outer, last] = flips ? [second, first] : [first, second];
    return turns ? [outer, ...batches, last] : [...batches, outer, last];
  });
  return model(random, 'FusedMatMul', sides.map((dims) => floats(random, dims)), ['float32'], attributes);
}

const GEMM_ACTIVATIONS = { Relu: [], Sigmoid: [], Tanh: [], Softplus: [], Softsign: [], LeakyRelu: ['alpha'], Elu: ['alpha'],
  HardSigmoid: ['alpha', 'beta'], Selu: ['alpha', 'gamma'], ThresholdedRelu: ['alpha'] };

function drawFusedGemm(random) {
  const [rows, inner, columns] = random.list(3, () => random.integer(1, 5));
  const activation = random.pick(Object.keys(GEMM_ACTIVATIONS));
  const attributes = { activation, transA: random.integer(0, 1), transB: random.integer(0, 1) };
  for (const name of GEMM_ACTIVATIONS[activation]) attributes[`activation_${name}`] = { float: random.pick([0.1, 0.5, 1.5]) };
  if (random.chance(0.4)) attributes.alpha = { float: 0.5 };
  if (random.chance(0.4)) attributes.beta = { float: 2 };
  const added = random.pick([[columns], [rows, columns], [1, columns], [rows, 1], [1]]);
  return model(random, 'FusedGemm', [floats(random, attributes.transA ? [inner, rows] : [rows, inner]),
    floats(random, attributes.transB ? [columns, inner] : [inner, columns]), maybe(random, floats(random, added), 0.7)], ['float32'], attributes);
}

const CONV_ACTIVATIONS = { Relu: [], Sigmoid: [], Tanh: [], LeakyRelu: [0.2], Clip: [-1, 1.5], HardSigmoid: [0.3, 0.4] };

function drawFusedConv(random) {
  const count = random.integer(1, 2);
  const [batch, groups, inner, outer] = [random.integer(1, 2), random.integer(1, 2), random.integer(1, 3), random.integer(1, 3)];
  const kernel = random.list(count, () => random.integer(1, 3));
  const attributes = { kernel_shape: kernel, group: groups };
  if (random.chance(0.5)) attributes.pads = kernel.concat(kernel).map((size) => random.integer(0, size - 1));
  if (random.chance(0.4)) attributes.strides = random.list(count, () => random.integer(1, 2));
  const activation = random.pick([undefined, ...Object.keys(CONV_ACTIVATIONS)]);
  if (activation) attributes.activation = activation;
  if (activation && CONV_ACTIVATIONS[activation].length > 0) attributes.activation_params = { floats: CONV_ACTIVATIONS[activation] };
  const extents = random.list(count, () => random.integer(3, 7));
  const reach = extents.map((extent, i) => {
    const pads = attributes.pads ? attributes.pads[i] + attributes.pads[count + i] : 0;
    return Math.floor((extent + pads - kernel[i]) / (attributes.strides ? attributes.strides[i] : 1)) + 1;
  });
  return model(random, 'FusedConv', [floats(random, [batch, groups * inner, ...extents]), floats(random, [groups * outer, inner, ...kernel]),
    maybe(random, floats(random, [groups * outer])), maybe(random, floats(random, [batch, groups * outer, ...reach]), 0.3)],
  ['float32'], attributes);
}

function drawNhwcMaxPool(random) {
  const kernel = random.list(2, () => random.integer(1, 3));
  const attributes = { kernel_shape: kernel };
  if (random.chance(0.5)) attributes.pads = kernel.concat(kernel).map((size) => random.integer(0, size - 1));
  if (random.chance(0.5)) attributes.strides = random.list(2, () => random.integer(1, 2));
  const dims = [random.integer(1, 2), random.integer(3, 6), random.integer(3, 6), random.integer(1, 4)];
  const type = random.pick(['uint8', 'int8']);
  const x = type === 'uint8' ? integers(random, type, dims, 0, 255) : integers(random, type, dims, -128, 127);
  return model(random, 'NhwcMaxPool', [x], [type], attributes);
}

// --- quantized tensors ---

const CODES = { uint8: [0, 255], int8: [-128, 127], uint16: [0, 65535], int16: [-32768, 32767] };

// The type of the right matrix; products of signed ones by unsigned ones are drawn where ONNX Runtime does not saturate them.
let saturates = true;
const rightType = (random) => (saturates ? 'uint8' : random.pick(['uint8', 'int8']));

// A scale of no simple ratio to others, so that hardly a number is just between two integers.
const scaleOf = (random, least = 0.005, most = 0.02) => tensor('float32', [], () => least + (most - least) * random.real());

function zeroOf(random, type, dims = []) {
  const [low, high] = CODES[type];
  return integers(random, type, dims, Math.max(low, -40) + 20, Math.min(high, 127) - 20);
}

// A tensor with its scale and its zero point, which may be left out.
function coded(random, type, dims) {
  const [low, high] = CODES[type];
  return [integers(random, type, dims, low, high), scaleOf(random), maybe(random, zeroOf(random, type), 0.8)];
}

const codeOf = (random, type, least, most) => [scaleOf(random, least, most), zeroOf(random, type)];

function drawCodes(random) {
  const type = random.pick(Object.keys(CODES));
  const dims = random.list(random.integer(1, 3), () => random.integer(1, 5));
  if (random.chance(0.5)) return model(random, 'QuantizeLinear', [floats(random, dims, -4), scaleOf(random), zeroOf(random, type)], [type]);
  const [x, scale] = coded(random, type, dims);
  return model(random, 'DequantizeLinear', [x, scale, zeroOf(random, type)], ['float32']);
}

// tests/unit/onnx/test_microsoft.c has QLinearSoftmax, for which ONNX Runtime adds rounded exponentials, and QLinearWhere, at
// which it ends with a fault of memory.
function drawQLinear(random) {
  const type = random.pick(['uint8', 'int8']);
  const dims = random.list(random.integer(1, 4), () => random.integer(1, 5));
  const x = coded(random, type, dims);
  const y = coded(random, type, random.pick([dims, dims, dims.slice(1), []]));
  const axis = random.integer(-dims.length, dims.length - 1);
  const parts = random.list(random.integer(1, 3), () => coded(random, type, dims.map((extent, i) => (i === (axis + dims.length) % dims.length ? random.integer(1, 4) : extent))));
  return random.pick([
    () => model(random, 'QLinearAdd', [...x, ...y, ...codeOf(random, type, 0.01, 0.04)], [type]),
    () => model(random, 'QLinearMul', [...x, ...y, ...codeOf(random, type, 0.01, 0.04)], [type]),
    () => model(random, 'QLinearSigmoid', [...x, ...codeOf(random, type, 0.003, 0.005)], [type]),
    () => model(random, 'QLinearLeakyRelu', [...x, ...codeOf(random, type)], [type], random.chance(0.5) ? { alpha: { float: 0.3 } } : {}),
    () => model(random, 'QLinearConcat', [...codeOf(random, type), ...parts.flatMap(([a, scale, zero]) => [a, scale, zero || zeroOf(random, type)])], [type], { axis }),
    () => model(random, 'QLinearReduceMean', [...x, ...codeOf(random, type)], [type], { axes: [axis], keepdims: random.integer(0, 1) }),
  ])();
}

function drawQLinearPool(random) {
  const type = random.pick(['uint8', 'int8']);
  const last = random.integer(0, 1);
  const [batch, channels, height, width] = [random.integer(1, 2), random.integer(1, 5), random.integer(3, 7), random.integer(3, 7)];
  const x = coded(random, type, last ? [batch, height, width, channels] : [batch, channels, height, width]);
  if (random.chance(0.5)) return model(random, 'QLinearGlobalAveragePool', [...x, ...codeOf(random, type)], [type], { channels_last: last });
  const kernel = random.list(2, () => random.integer(1, 3));
  const attributes = { kernel_shape: kernel, channels_last: last };
  if (random.chance(0.5)) attributes.pads = kernel.concat(kernel).map((size) => random.integer(0, size - 1));
  if (random.chance(0.5)) attributes.strides = random.list(2, () => random.integer(1, 2));
  if (random.chance(0.3)) attributes.count_include_pad = 1;
  return model(random, 'QLinearAveragePool', [...x, ...codeOf(random, type)], [type], attributes);
}

function drawQLinearConv(random) {
  const last = random.integer(0, 1);
  const groups = random.integer(1, 2);
  const [batch, channels, out] = [random.integer(1, 2), groups * random.integer(1, 3), groups * random.integer(1, 3)];
  const [height, width] = [random.integer(3, 7), random.integer(3, 7)];
  const kernel = random.list(2, () => random.integer(1, 3));
  const x = coded(random, 'uint8', last ? [batch, height, width, channels] : [batch, channels, height, width]);
  const each = random.chance(0.5) ? [out] : [];
  const scales = tensor('float32', each, () => 0.01 + 0.02 * random.real());
  const attributes = { kernel_shape: kernel, channels_last: last, group: groups, strides: random.list(2, () => random.integer(1, 2)) };
  if (random.chance(0.5)) attributes.pads = kernel.concat(kernel).map((size) => random.integer(0, size - 1));
  return model(random, 'QLinearConv', [x[0], x[1], x[2] || zeroOf(random, 'uint8'),
    integers(random, 'int8', [out, channels / groups, ...kernel], -31, 31), scales, tensor('int8', each, () => 0),
    ...codeOf(random, 'uint8', 0.02, 0.1).map((items) => items || zeroOf(random, 'uint8')), maybe(random, integers(random, 'int32', [out], -900, 900))],
  ['uint8'], attributes, { constants: 1 });
}

function drawQGemm(random) {
  const [rows, inner, columns] = random.list(3, () => random.integer(1, 6));
  const attributes = { transA: random.integer(0, 1), transB: random.integer(0, 1) };
  if (random.chance(0.3)) attributes.alpha = { float: 0.75 };
  const [a] = coded(random, 'uint8', attributes.transA ? [inner, rows] : [rows, inner]);
  const type = rightType(random);
  const [b] = coded(random, type, attributes.transB ? [columns, inner] : [inner, columns]);
  const wide = random.chance(0.3) ? [columns] : [];
  const scale = tensor('float32', wide, () => 0.005 + 0.01 * random.real());
  const bias = maybe(random, integers(random, 'int32', [columns], -5000, 5000));
  const end = random.chance(0.7) ? codeOf(random, 'uint8', 0.02, 0.05) : [];
  return model(random, 'QGemm', [a, scaleOf(random), zeroOf(random, 'uint8'), b, scale, zeroOf(random, type, wide), bias, ...end],
    [end.length ? 'uint8' : 'float32'], attributes, { constants: 1 });
}

function drawDynamic(random) {
  const [rows, inner, columns] = random.list(3, () => random.integer(1, 6));
  const type = rightType(random);
  const [b] = coded(random, type, [inner, columns]);
  const wide = random.chance(0.3) ? [columns] : [];
  const scale = tensor('float32', wide.length ? wide : [1], () => 0.005 + 0.01 * random.real());
  const zero = maybe(random, zeroOf(random, type, wide.length ? wide : [1]), 0.7);
  const bias = maybe(random, floats(random, [columns]));
  if (random.chance(0.5)) return model(random, 'DynamicQuantizeMatMul', [floats(random, [rows, inner], -3), b, scale, zero, bias], ['float32'], {}, { constants: 1 });
  const [a, aScale, aZero] = coded(random, 'uint8', [rows, inner]);
  return model(random, 'MatMulIntegerToFloat', [a, b, aScale, scale, aZero, zero, bias], ['float32'], {}, { constants: 1 });
}

function drawNBits(random) {
  // Of 96 x 128 the codes are so many that they stay packed.
  const [rows, inner] = random.chance(0.2) ? [96, 128] : [random.integer(1, 40), random.integer(1, 140)];
  const [bits, size] = [random.pick([2, 4, 8]), random.pick([16, 32, 64])];
  const blocks = Math.ceil(inner / size);
  const bytes = (count) => Math.ceil((count * bits) / 8);
  const zeros = random.pick([
    () => undefined,
    () => integers(random, 'uint8', [rows * bytes(blocks)], 0, 255),
    () => floats(random, [rows * blocks], 0, 2 ** bits - 1),
  ])();
  const dims = random.chance(0.5) ? [random.integer(1, 4), inner] : [random.integer(1, 2), random.integer(1, 3), inner];
  return model(random, 'MatMulNBits', [floats(random, dims), integers(random, 'uint8', [rows, blocks, bytes(size)], 0, 255),
    tensor('float32', [rows * blocks], () => 0.01 + 0.02 * random.real()), zeros, undefined, maybe(random, floats(random, [rows]))],
  ['float32'], { K: inner, N: rows, bits, block_size: size, accuracy_level: random.pick([0, 1]) }, { constants: 1 });
}

const DRAWS = [drawGelu, drawSkip, drawSkip, drawSimplified, drawEmbedding, drawRotary, drawAttention, drawAttention, drawAttention,
  drawMulti, drawMulti, drawMulti, drawPacked, drawFusedMatMul, drawFusedGemm, drawFusedConv, drawNhwcMaxPool,
  drawCodes, drawQLinear, drawQLinear, drawQLinear, drawQLinearPool, drawQLinearConv, drawQGemm, drawDynamic,
  drawNBits, drawNBits];

// --- judging ---

function describe({ nodes: [{ op, inputs, outputs, attributes }], inputs: fed, constants }) {
  const shown = inputs.map((name) => (name ? `[${(fed[name] || constants[name]).dims}]${fed[name] ? '' : '='}` : '-'));
  return `${op} ${shown.join(' ')} -> ${outputs.map((name) => name || '-').join(' ')} ${JSON.stringify(attributes)}`;
}

async function draw(random) {
  const { model: made, right = made } = random.pick(DRAWS)(random);
  const { inputs } = made;
  const hasItems = Object.values(inputs).every(({ dims }) => volume(dims) > 0); // NNEF has no tensors without items
  return { bytes: modelBytes(made), inputs, expected: await expectedOf(modelBytes(right), right.inputs), shown: describe(made),
    profiles: hasItems ? ['strict'] : [] };
}

module.exports = { DRAWS };

async function main() {
  saturates = await doesSaturate();
  await judgeRandom(draw, () => TOLERANCE, 500);
}

if (require.main === module) main();
