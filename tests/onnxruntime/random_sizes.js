// random_sizes.js NNEFC WORK [COUNT [SEED]] - do random Resize, pools and slices compute what ONNX Runtime computes?
//
// Draws COUNT models of one operation: of ONNX, opsets 7 to 19, which ONNX Runtime computes, and a quarter of PNNX,
// for which PyTorch's rules stand in torch_sizes.js. Shapes have to be equal and items near those of ONNX
// Runtime: computed by nnefc, by its reference, and by ONNX Runtime from what nnefc converts to ONNX.
// What it does not compute, or not as the standard says, is drawn again. ONLY=N judges model N alone and says what it is.
'use strict';

const { volume, tensor, floats, modelBytes } = require('./random_model.js');
const { expectedOf, judgeRandom } = require('./random_judge.js');
const { drawTorch } = require('./torch_sizes.js');

const TOLERANCE = 1e-5; // in parts of the largest number,
const ROUNDING = 2 ** -22; // and for each item of an extent, as coordinates are 32-bit floats
const OPSETS = [10, 11, 12, 13, 15, 17, 18, 19];
const LARGEST = 20000; // items of a result

// --- Resize ---

// Factors that make extents of fractions and coordinates between two items, and any others.
function drawScale(random) {
  const scale = random.chance(0.7)
    ? random.pick([0.1, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1,
      1.1, 1.2, 1.25, 4 / 3, 1.4, 1.5, 1.6, 1.75, 2, 2.3, 2.5, 3, 4])
    : 0.05 + 3 * random.real();
  return Math.fround(scale);
}

// The axes that may change are those for which ONNX Runtime has a kernel; that for cubic images with channels last
// copies an axis whose extent stays, whatever its scale.
function drawAxes(random, mode, rank) {
  if (mode === 'nearest' || rank <= 3) return random.list(rank, (axis) => axis);
  const last = mode === 'linear' && rank === 4 && random.chance(0.3);
  return last ? [1, 2] : random.list(rank - 2, (axis) => axis + 2);
}

function drawModes(random, opset, mode) {
  const transforms = ['half_pixel', 'asymmetric', 'pytorch_half_pixel', 'align_corners', 'tf_crop_and_resize'];
  if (opset < 13) transforms.push('tf_half_pixel_for_nn');
  if (opset >= 19) transforms.push('half_pixel_symmetric', 'half_pixel_symmetric');
  const modes = {};
  if (random.chance(0.85)) modes.coordinate_transformation_mode = random.pick(transforms);
  if (mode === 'nearest' && random.chance(0.8))
    modes.nearest_mode = random.pick(['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil']);
  if (mode === 'cubic' && random.chance(0.5)) modes.cubic_coeff_a = { float: random.pick([-0.5, -0.6]) };
  if (mode === 'cubic' && random.chance(0.5)) modes.exclude_outside = 1;
  if (mode !== 'nearest' && opset >= 18 && random.chance(0.3)) modes.antialias = 1;
  if (random.chance(0.5)) modes.extrapolation_value = { float: 7.5 };
  return modes;
}

// ONNX Runtime does not crop along an axis whose extent stays: there the region is all of it.
function drawRegion(random, axes, stays) {
  const begin = axes.map((axis) => (stays(axis) ? 0 : random.pick([0, 0, 0.25, 0.1, -0.2, 0.4])));
  const end = axes.map((axis) => (stays(axis) ? 1 : random.pick([1, 1, 0.75, 0.9, 1.2, 0.5])));
  return tensor('float32', [2 * axes.length], (i) => [...begin, ...end][i]);
}

function drawResize(random) {
  const opset = random.pick([7, 9, ...OPSETS]);
  const mode = random.pick(opset < 11 ? ['nearest', 'nearest', 'linear'] : ['nearest', 'nearest', 'linear', 'cubic']);
  const rank = mode === 'nearest' ? random.integer(1, 5) : random.pick(mode === 'linear' ? [2, 3, 4, 4, 5] : [2, 4]);
  const changing = drawAxes(random, mode, rank);
  const dims = random.list(rank, (axis) => random.integer(1, !changing.includes(axis) ? 3 : rank > 3 ? 9 : rank > 1 ? 14 : 150));
  const attributes = { mode, ...(opset > 10 ? drawModes(random, opset, mode) : {}) };
  const factors = dims.map((_, axis) => (!changing.includes(axis) || (mode === 'nearest' && random.chance(0.3)) ? 1 : drawScale(random)));
  const sizes = dims.map((extent, axis) => (factors[axis] === 1 ? extent : random.integer(1, rank > 1 ? 18 : 250)));
  const bySizes = opset > 10 && random.chance(0.5);
  const stays = (axis) => dims[axis] === (bySizes ? sizes[axis] : Math.floor(Math.fround(dims[axis] * factors[axis])));
  const all = dims.map((_, axis) => axis);
  const named = opset >= 18 && random.chance(0.4) ? all.filter((axis) => factors[axis] !== 1) : [];
  const axes = named.length > 0 ? named : all;
  if (named.length > 0) attributes.axes = named;
  const crops = attributes.coordinate_transformation_mode === 'tf_crop_and_resize';
  if (bySizes && !crops && opset >= 18 && random.chance(0.3)) attributes.keep_aspect_ratio_policy = random.pick(['not_larger', 'not_smaller']);
  const model = { opset, inputs: { x: floats(random, dims, -5) }, outputs: { y: { type: 'float32' } }, constants: {} };
  const give = (name, items) => {
    model.constants[name] = items;
    return name;
  };
  const scales = () => give('scales', tensor('float32', [axes.length], (i) => factors[axes[i]]));
  if (opset < 11) {
    if (opset < 10) factors.forEach((scale, axis) => (factors[axis] = Math.max(1, scale)));
    if (opset < 9) attributes.scales = { floats: factors };
    const inputs = ['x', ...(opset < 9 ? [] : [scales()])];
    return { ...model, nodes: [{ op: opset < 10 ? 'Upsample' : 'Resize', inputs, outputs: ['y'], attributes }] };
  }
  const region = crops ? give('roi', drawRegion(random, axes, stays)) : opset < 13 ? give('roi', tensor('float32', [0], Number)) : '';
  const none = opset < 13 ? () => give('none', tensor('float32', [0], Number)) : () => '';
  const inputs = bySizes
    ? ['x', region, none(), give('sizes', tensor('int64', [axes.length], (i) => BigInt(sizes[axes[i]])))]
    : ['x', region, scales()];
  return { ...model, nodes: [{ op: 'Resize', inputs, outputs: ['y'], attributes }] };
}

// Many lines of one extent, by one mode, to sizes and by scales that put coordinates in the middle of two items.
function drawLines(random) {
  const transforms = ['half_pixel', 'asymmetric', 'pytorch_half_pixel', 'align_corners', 'tf_half_pixel_for_nn'];
  const attributes = { mode: 'nearest', coordinate_transformation_mode: random.pick(transforms),
    nearest_mode: random.pick(['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil']) };
  const from = random.integer(2, 60);
  const model = { opset: 12, inputs: { x: floats(random, [from], -5) }, outputs: {}, constants: { none: tensor('float32', [0], Number) }, nodes: [] };
  for (let i = 0; i < 40; i++) {
    const scale = Math.fround(random.pick([random.integer(5, 40) / 10, random.integer(1, 90) / from]));
    const to = tensor('int64', [1], () => BigInt(random.integer(1, 90)));
    model.constants[`to${i}`] = i % 2 ? to : tensor('float32', [1], () => scale);
    model.outputs[`y${i}`] = { type: 'float32' };
    model.nodes.push({ op: 'Resize', inputs: ['x', 'none', ...(i % 2 ? ['none'] : []), `to${i}`], outputs: [`y${i}`], attributes });
  }
  return model;
}

// --- pools ---

function drawWindows(random, opset, op, count) {
  const attributes = { kernel_shape: random.list(count, () => random.integer(1, 4)) };
  if (random.chance(0.7)) attributes.strides = random.list(count, () => random.integer(1, 4));
  const dilates = op === 'MaxPool' || (op === 'AveragePool' && opset >= 19) || (op === 'LpPool' && opset >= 18);
  if (dilates && random.chance(0.4)) attributes.dilations = random.list(count, () => random.integer(1, 3));
  const pads = attributes.kernel_shape.concat(attributes.kernel_shape).map((size) => random.integer(0, size - 1));
  if (random.chance(0.25)) attributes.auto_pad = random.pick(['SAME_UPPER', 'SAME_LOWER', 'VALID']);
  else if (random.chance(0.7)) attributes.pads = pads;
  if ((op !== 'LpPool' || opset >= 18) && random.chance(0.5)) attributes.ceil_mode = 1;
  if (op === 'AveragePool' && random.chance(0.5)) attributes.count_include_pad = 1;
  if (op === 'LpPool' && random.chance(0.6)) attributes.p = random.integer(1, 3);
  return attributes;
}

function drawPool(random) {
  const opset = random.pick(OPSETS);
  const op = random.pick(['MaxPool', 'AveragePool', 'AveragePool', 'LpPool']);
  const count = random.integer(1, 3);
  const attributes = drawWindows(random, opset, op, count);
  const dims = [random.integer(1, 2), random.integer(1, 3), ...random.list(count, () => random.integer(1, count > 2 ? 7 : 12))];
  const outputs = { y: { type: 'float32' } };
  if (op === 'MaxPool' && random.chance(0.4)) {
    outputs.index = { type: 'int64' };
    if (random.chance(0.5)) attributes.storage_order = 1;
  }
  const nodes = [{ op, inputs: ['x'], outputs: Object.keys(outputs), attributes }];
  return { opset, inputs: { x: floats(random, dims, -5) }, outputs, nodes };
}

// Does ONNX Runtime compute what the standard says of these windows? It computes one that is larger than the
// padded input, the greatest of no items, and 'SAME' padding without regard to dilations, or less than none.
function isAgreed({ inputs, nodes: [{ op, attributes }] }) {
  return inputs.x.dims.slice(2).every((extent, axis, { length }) => {
    const of = (name, otherwise) => (attributes[name] || [])[axis] || otherwise;
    const [size, stride, dilation] = [of('kernel_shape'), of('strides', 1), of('dilations', 1)];
    const reach = (size - 1) * dilation + 1;
    if ((attributes.auto_pad || '').startsWith('SAME'))
      return dilation === 1 && (Math.ceil(extent / stride) - 1) * stride + reach >= extent;
    const [before, after] = [axis, axis + length].map((i) => (attributes.pads || [])[i] || 0);
    const room = extent + before + after - reach;
    const begins = Array.from({ length: Math.max(0, Math.ceil(room / stride) + 1) }, (_, i) => i * stride - before);
    const hasItems = (begin) => Array.from({ length: size }, (_, k) => begin + k * dilation).some((i) => i >= 0 && i < extent);
    return room >= 0 && (op !== 'MaxPool' || begins.filter((begin) => begin < extent).every(hasItems));
  });
}

// --- slices ---

function drawSlice(random) {
  const opset = random.pick(OPSETS);
  const dims = random.list(random.integer(1, 4), () => random.integer(1, 8));
  const axes = dims.map((_, axis) => axis).filter(() => random.chance(0.7));
  const far = [2n ** 31n - 1n, -(2n ** 31n), 2n ** 63n - 1n, -(2n ** 63n)];
  const bound = (extent) => random.pick([BigInt(random.integer(-extent - 2, extent + 2)), 0n, BigInt(extent), random.pick(far)]);
  const list = (draw) => tensor('int64', [axes.length], (i) => draw(axes[i]));
  const constants = { begin: list((axis) => bound(dims[axis])), end: list((axis) => bound(dims[axis])) };
  const inputs = ['x', 'begin', 'end'];
  constants.axes = list((axis) => BigInt(random.chance(0.3) ? axis - dims.length : axis));
  inputs.push('axes');
  if (random.chance(0.7)) {
    constants.steps = list(() => BigInt(random.pick([1, 1, 2, 3, -1, -2, -3, 100])));
    inputs.push('steps');
  }
  return { opset, inputs: { x: floats(random, dims, -5) }, outputs: { y: { type: 'float32' } }, constants,
    nodes: [{ op: 'Slice', inputs, outputs: ['y'] }] };
}

// --- judging ---

function toleranceOf({ x }) {
  return TOLERANCE + ROUNDING * Math.max(...x.dims);
}

function describe(model) {
  const shown = Object.entries(model.constants || {}).map(([name, { data }]) => `${name}=[${data}]`).join(' ');
  const [{ op, attributes }] = model.nodes;
  return `opset ${model.opset} ${op} [${model.inputs.x.dims}] ${JSON.stringify(attributes || {})} ${shown}`;
}

async function drawOnnx(random) {
  const draw = random.pick([drawResize, drawResize, drawResize, drawLines, drawPool, drawPool, drawSlice]);
  const model = draw(random);
  const bytes = modelBytes(model);
  const expected = draw === drawPool && !isAgreed(model) ? undefined : await expectedOf(bytes, model.inputs, LARGEST);
  return { bytes, inputs: model.inputs, expected, shown: describe(model) };
}

function drawPnnx(random) {
  const model = drawTorch(random);
  return model && volume(model.expected.get('y').dims) <= LARGEST
    ? { name: 'model.param', bytes: model.text, inputs: model.inputs, expected: model.expected, shown: model.text.split('\n')[3] } : undefined;
}

judgeRandom((random, drawn) => (drawn % 4 === 3 ? drawPnnx(random) : drawOnnx(random)), toleranceOf, 2000);
