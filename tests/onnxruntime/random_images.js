// random_images.js NNEFC WORK [COUNT [SEED]] - do random grids, regions and other lookups compute what ONNX Runtime computes?
//
// Draws COUNT models of one operation, or of those of a spatial transformer, opsets 9 to 21. Shapes have to be equal and items
// near those of ONNX Runtime: computed by nnefc, by its reference, by nnefc from what it converts to NNEF, and by ONNX Runtime
// from what it converts to ONNX. What ONNX Runtime does not compute is drawn again.
// ONLY=N judges model N alone and says what it is.
'use strict';

const { tensor, floats, modelBytes } = require('./random_model.js');
const { expectedOf, judgeRandom } = require('./random_judge.js');

const TOLERANCE = 1e-5; // in parts of the largest number
const LARGEST = 20000; // items of a result

function indices(random, count, end) {
  return tensor('int64', [count], () => BigInt(random.integer(0, end - 1)));
}

// --- grids ---

// Anywhere, and in the middle of two items or at the edge of the image; a few are no numbers.
function drawPlace(random, extents) {
  if (random.chance(0.02)) return random.pick([NaN, Infinity, -Infinity, 1e30]);
  const extent = random.pick(extents);
  return Math.fround(random.chance(0.3) ? random.integer(-extent - 3, extent + 3) / extent : random.real() * 4 - 2);
}

// ONNX Runtime has no cubic interpolation in three dimensions.
function drawGridSample(random, wanted) {
  const spatial = wanted < 20 ? 2 : random.integer(2, 3);
  const opset = wanted || random.pick(spatial > 2 ? [20, 21] : [16, 19, 20, 21]);
  const extents = random.list(spatial, () => random.integer(1, 8));
  const modes = opset < 20 ? ['bilinear', 'nearest', 'bicubic'] : ['linear', 'nearest', 'cubic'];
  const attributes = { mode: random.pick(modes.slice(0, spatial > 2 ? 2 : 3)) };
  if (random.chance(0.7)) attributes.padding_mode = random.pick(['zeros', 'border', 'reflection']);
  if (random.chance(0.5)) attributes.align_corners = 1;
  const batch = random.integer(1, 2);
  const places = random.list(spatial, () => random.integer(1, spatial > 2 ? 5 : 20));
  const inputs = { x: floats(random, [batch, random.integer(1, 3), ...extents], -5),
    grid: tensor('float32', [batch, ...places, spatial], () => drawPlace(random, extents)) };
  return { opset, op: 'GridSample', inputs, attributes };
}

// An image is turned, scaled and moved by what a layer makes of its means. ONNX Runtime has the only place of an axis at 1 instead
// of -1 if corners are aligned, so there are two or more.
function drawTransformer(random, opset = 20) {
  const [batch, channels] = [random.integer(1, 2), random.integer(1, 3)];
  const dims = [batch, channels, random.integer(2, 9), random.integer(2, 9)];
  const size = [batch, channels, random.integer(2, 12), random.integer(2, 12)];
  const align = random.integer(0, 1), identity = [1, 0, 0, 0, 1, 0];
  const constants = { weights: floats(random, [6, channels], -0.3, 0.3), matrix: tensor('int64', [3], (i) => BigInt([batch, 2, 3][i])),
    bias: tensor('float32', [6], (i) => Math.fround(identity[i] + random.real() - 0.5)), size: tensor('int64', [4], (i) => BigInt(size[i])) };
  const before = [
    { op: 'GlobalAveragePool', inputs: ['x'], outputs: ['means'] },
    { op: 'Flatten', inputs: ['means'], outputs: ['rows'] },
    { op: 'Gemm', inputs: ['rows', 'weights', 'bias'], outputs: ['flat'], attributes: { transB: 1 } },
    { op: 'Reshape', inputs: ['flat', 'matrix'], outputs: ['theta'] },
    { op: 'AffineGrid', inputs: ['theta', 'size'], outputs: ['grid'], attributes: { align_corners: align } },
  ];
  const attributes = { mode: random.pick(['linear', 'cubic']), padding_mode: random.pick(['zeros', 'border', 'reflection']), align_corners: align };
  return { opset, op: 'GridSample', inputs: { x: floats(random, dims, -5) }, names: ['x', 'grid'], before, constants, attributes };
}

// --- regions ---

// Inside, across the edges, inside out, or without items.
function drawRegions(random, count, [height, width], scale) {
  const corner = (extent) => (random.chance(0.3) ? random.integer(-2, extent + 2) : random.real() * (extent + 4) - 2) / scale;
  return random.list(count, () => {
    const [x, y] = [corner(width), corner(height)];
    const size = (extent) => (random.chance(0.15) ? -random.real() : random.real()) * random.pick([0.1, 1, 1, 3]) * extent / scale;
    return [x, y, x + size(width), y + size(height)];
  });
}

function drawRoiAlign(random, opset = random.pick([10, 13, 15, 16, 19, 21])) {
  const dims = [random.integer(1, 3), random.integer(1, 3), random.integer(1, 10), random.integer(1, 10)];
  const scale = random.pick([1, 1, 0.5, 0.25, 1.3]);
  const count = random.integer(1, 5);
  const regions = drawRegions(random, count, dims.slice(2), scale).flat();
  const attributes = { mode: random.pick(['avg', 'max']), output_height: random.integer(1, 5), output_width: random.integer(1, 5),
    sampling_ratio: random.integer(0, 3), spatial_scale: { float: scale } };
  if (opset >= 16 && random.chance(0.6)) attributes.coordinate_transformation_mode = random.pick(['half_pixel', 'output_half_pixel']);
  const inputs = { x: floats(random, dims, -5), rois: tensor('float32', [count, 4], (i) => regions[i]), batch: indices(random, count, dims[0]) };
  return { opset, op: 'RoiAlign', inputs, attributes };
}

function drawMaxRoiPool(random, opset = random.pick([9, 13, 17, 21])) {
  const dims = [random.integer(1, 3), random.integer(1, 3), random.integer(1, 12), random.integer(1, 12)];
  const scale = random.pick([1, 1, 0.5, 0.25, 1.3]);
  const count = random.integer(1, 5);
  const regions = drawRegions(random, count, dims.slice(2), scale).flatMap((region) => [random.integer(0, dims[0] - 1), ...region]);
  const attributes = { pooled_shape: [random.integer(1, 6), random.integer(1, 6)], spatial_scale: { float: scale } };
  return { opset, op: 'MaxRoiPool', attributes,
    inputs: { x: floats(random, dims, -5), rois: tensor('float32', [count, 5], (i) => regions[i]) } };
}

function drawCropAndResize(random, opset = random.pick([11, 17, 21])) {
  const dims = [random.integer(1, 3), random.integer(1, 3), random.integer(1, 8), random.integer(1, 8)];
  const count = random.integer(1, 4), sizes = [random.integer(1, 6), random.integer(1, 6)];
  const attributes = { mode: random.pick(['bilinear', 'nearest']) };
  if (random.chance(0.5)) attributes.extrapolation_value = { float: 7.5 };
  const inputs = { x: floats(random, dims, -5), rois: floats(random, [count, 4], -0.2, 1.2),
    batch: tensor('int32', [count], () => random.integer(0, dims[0] - 1)) };
  return { opset, op: 'CropAndResize', domain: 'com.microsoft', inputs, attributes,
    names: [...Object.keys(inputs), 'sizes'], constants: { sizes: tensor('int32', [2], (i) => sizes[i]) } };
}

// --- windows ---

function drawDeformConv(random, opset = random.pick([19, 20, 21])) {
  const groups = random.integer(1, 3), offsetGroups = random.pick([1, 1, groups, 2 * groups]);
  const channels = 2 * groups * random.integer(1, 2);
  const kernel = random.list(2, () => random.integer(1, 3)), extents = random.list(2, () => random.integer(4, 8));
  const strides = random.list(2, () => random.integer(1, 2)), dilations = random.list(2, () => random.integer(1, 2));
  const pads = random.list(4, () => random.integer(0, 2));
  const out = extents.map((extent, i) => Math.floor((extent + pads[i] + pads[2 + i] - (kernel[i] - 1) * dilations[i] - 1) / strides[i]) + 1);
  const batch = random.integer(1, 2), filters = groups * random.integer(1, 2), taps = offsetGroups * kernel[0] * kernel[1];
  if (channels % offsetGroups !== 0 || out.some((extent) => extent < 1)) return drawDeformConv(random, opset);
  const inputs = { x: floats(random, [batch, channels, ...extents], -5), w: floats(random, [filters, channels / groups, ...kernel], -5),
    offset: floats(random, [batch, 2 * taps, ...out], -3, 3) };
  const names = Object.keys(inputs);
  if (random.chance(0.5)) inputs.b = floats(random, [filters], -5);
  const masked = random.chance(0.6);
  if (inputs.b || masked) names.push(inputs.b ? 'b' : '');
  if (masked) inputs.mask = floats(random, [batch, taps, ...out], 0, 1);
  if (masked) names.push('mask');
  return { opset, op: 'DeformConv', inputs, names,
    attributes: { kernel_shape: kernel, strides, dilations, pads, group: groups, offset_group: offsetGroups } };
}

// Items go back to where a pool found them. Windows that are apart without being told a shape lie in it without a rest.
function drawMaxUnpool(random, opset = random.pick([9, 11, 13, 19])) {
  const count = random.integer(1, 3), kernel = random.list(count, () => random.integer(1, 3));
  const told = random.chance(0.6), apart = random.chance(0.5);
  const strides = kernel.map((size) => (apart ? size : random.integer(1, 3)));
  const pads = apart ? kernel.concat(kernel).map(() => 0) : kernel.concat(kernel).map((size) => random.integer(0, size - 1));
  const extents = kernel.map((size, i) => (told ? random.integer(size, 9)
    : random.integer(1, 3) * strides[i] + size - strides[i] - pads[i] - pads[count + i]));
  const dims = [random.integer(1, 2), random.integer(1, 2), ...extents];
  const windows = { kernel_shape: kernel, strides, pads };
  const shape = tensor('int64', [dims.length], (i) => BigInt(dims[i]));
  if (extents.some((extent) => extent < 1)) return drawMaxUnpool(random, opset);
  return { opset, op: 'MaxUnpool', inputs: { x: floats(random, dims, -5) }, attributes: windows,
    constants: told ? { shape } : {}, names: ['most', 'index', ...(told ? ['shape'] : [])],
    before: [{ op: 'MaxPool', inputs: ['x'], outputs: ['most', 'index'], attributes: windows }] };
}

// --- matrices ---

// Large items on the diagonal: ONNX Runtime computes in 32 bits, where what cancels out loses digits.
function drawDet(random, opset = random.pick([11, 13, 21])) {
  const extent = random.integer(1, 5);
  const x = floats(random, [...random.list(random.integer(0, 2), () => random.integer(1, 3)), extent, extent], -5);
  x.data.forEach((item, i) => {
    if (i % (extent * extent) % (extent + 1) === 0) x.data[i] = random.pick([-20, 20]) + item;
  });
  return { opset, op: 'Det', inputs: { x } };
}

// --- judging ---

// By what makes a model of a wanted opset, the first opset.
const DRAWN = [[drawGridSample, 16], [drawTransformer, 20], [drawRoiAlign, 10], [drawMaxRoiPool, 7], [drawCropAndResize, 11],
  [drawDeformConv, 19], [drawMaxUnpool, 9], [drawDet, 11]];

async function draw(random) {
  const kinds = [drawGridSample, drawGridSample, drawTransformer, drawRoiAlign, drawRoiAlign, drawMaxRoiPool, drawCropAndResize, drawDeformConv, drawMaxUnpool, drawDet];
  const { opset, op, domain, inputs, constants, names = Object.keys(inputs), before = [], attributes } = random.pick(kinds)(random);
  const nodes = [...before, { op, domain, inputs: names, outputs: ['y'], attributes }];
  const bytes = modelBytes({ opset, inputs, constants, outputs: { y: { type: 'float32' } }, nodes });
  const shapes = Object.entries(inputs).map(([name, { dims }]) => `${name}=[${dims}]`).join(' ');
  return { bytes, inputs, expected: await expectedOf(bytes, inputs, LARGEST), shown: `opset ${opset} ${op} ${shapes} ${JSON.stringify(attributes || {})}`,
    opset: Math.max(opset, 13), profiles: ['custom'] };
}

module.exports = { DRAWN };
if (require.main === module) judgeRandom(draw, () => TOLERANCE, 1000);
