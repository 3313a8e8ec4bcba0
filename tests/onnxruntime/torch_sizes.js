// torch_sizes.js - random models of PNNX that interpolate, pool or slice, and what PyTorch defines of them
//
// Coordinates are 32-bit floats, as in PyTorch: f() rounds to one.
'use strict';

const { volume, tensor, floats } = require('./random_model.js');

const f = Math.fround;

// --- items of one axis after the other ---

// The result has `count` items along the axis, each made by `item` of a line of numbers.
function alongAxis({ dims, data }, axis, count, item) {
  const inner = volume(dims.slice(axis + 1));
  const result = tensor('float32', dims.map((extent, i) => (i === axis ? count : extent)), () => 0);
  for (let outer = 0; outer < volume(dims.slice(0, axis)); outer++)
    for (let k = 0; k < inner; k++) {
      const line = Array.from({ length: dims[axis] }, (_, i) => data[(outer * dims[axis] + i) * inner + k]);
      for (let i = 0; i < count; i++) result.data[(outer * count + i) * inner + k] = item(line, i);
    }
  return result;
}

// --- interpolation ---

function cubic(x, a) {
  const d = Math.abs(x);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// Sums of weighed items; what lies beyond the ends is an item at the end, or does not count.
function weigh(line, center, reach, weight, excludes) {
  let [sum, total] = [0, 0];
  for (let k = Math.ceil(center - reach); k <= Math.floor(center + reach); k++) {
    if (excludes && (k < 0 || k >= line.length)) continue;
    sum += weight(k - center) * line[Math.min(Math.max(k, 0), line.length - 1)];
    total += weight(k - center);
  }
  return sum / total;
}

// What F.interpolate makes of an axis that gets `to` items; `step` items of the input are one of the result.
function interpolateAxis(x, axis, to, step, { mode, corners, antialias }) {
  const from = x.dims[axis];
  const last = (i) => Math.min(i, from - 1);
  const stretch = antialias ? Math.max(step, 1) : 1;
  return alongAxis(x, axis, to, (line, i) => {
    const place = corners ? f(i * f(to > 1 ? (from - 1) / (to - 1) : 0)) : f(f(step * f(i + 0.5)) - 0.5);
    if (mode === 'nearest') return line[last(Math.floor(f(i * step)))];
    if (mode === 'nearest-exact') return line[last(Math.floor(Math.max(place, 0) + 0.5))];
    if (mode === 'bicubic') return weigh(line, place, 2 * stretch, (d) => cubic(d / stretch, antialias ? -0.5 : -0.75), antialias);
    return weigh(line, antialias ? place : Math.max(place, 0), stretch, (d) => Math.max(0, 1 - Math.abs(d) / stretch), antialias);
  });
}

// As PNNX writes numbers: seven digits.
function written(number) {
  return number.toExponential(6).replace(/e([+-])(\d)$/, 'e$10$2');
}

function drawFactor(random) {
  const fraction = () => random.integer(1, 40) / random.integer(1, 20);
  return random.pick([() => random.integer(1, 40) / 10, fraction, fraction, () => random.integer(1, 4)])();
}

function drawInterpolate(random) {
  const count = random.integer(1, 3);
  const linear = ['linear', 'bilinear', 'trilinear'][count - 1];
  const mode = random.pick(['nearest', 'nearest', 'nearest-exact', linear, ...(count === 2 ? ['bicubic'] : [])]);
  const near = mode.startsWith('nearest');
  const dims = [random.integer(1, 2), random.integer(1, 2), ...random.list(count, () => random.integer(1, [70, 16, 7][count - 1]))];
  const corners = !near && random.chance(0.4);
  const antialias = !near && count === 2 && !corners && random.chance(0.3);
  const bySize = random.chance(0.4);
  const factors = random.list(count, () => drawFactor(random));
  const recomputes = !bySize && random.chance(0.2);
  const sizes = random.list(count, (i) => (bySize ? random.integer(1, [150, 30, 9][count - 1]) : Math.floor(dims[2 + i] * factors[i])));
  if (sizes.includes(0)) return undefined;
  const compute = (x) => sizes.reduce((result, to, i) => {
    const step = f(bySize || recomputes ? f(dims[2 + i]) / to : 1 / factors[i]);
    return interpolateAxis(result, 2 + i, to, step, { mode, corners, antialias });
  }, x);
  const list = (items) => `(${items.join(',')})`;
  const parameters = [
    near ? '' : `align_corners=${corners ? 'True' : 'False'}`,
    antialias ? 'antialias=True' : '',
    `mode=${mode}`,
    bySize ? '' : `recompute_scale_factor=${recomputes ? 'True' : 'None'}`,
    bySize ? 'scale_factor=None' : `scale_factor=${list(factors.map(written))}`,
    bySize ? `size=${list(sizes)}` : 'size=None',
  ];
  return { type: 'F.interpolate', parameters, dims, to: [...dims.slice(0, 2), ...sizes], compute };
}

// --- pools ---

// Windows slide along all axes behind the second; `reduce` makes an item of those of the input, and of how many
// cells of the padded input there are.
function slide(x, to, windows, reduce) {
  const count = to.length - 2;
  const inner = x.dims.slice(2);
  return tensor('float32', to, (index) => {
    const place = [];
    let rest = index;
    for (let i = count - 1; i >= 0; i--) {
      place[i] = rest % to[2 + i];
      rest = Math.floor(rest / to[2 + i]);
    }
    let cells = [{ offset: 0, inside: true }];
    windows.forEach(({ size, stride, padding, dilation }, i) => {
      const at = Array.from({ length: size }, (_, k) => place[i] * stride - padding + k * dilation);
      const there = at.filter((k) => k >= -padding && k < inner[i] + padding);
      cells = cells.flatMap(({ offset, inside }) =>
        there.map((k) => ({ offset: offset * inner[i] + k, inside: inside && k >= 0 && k < inner[i] })));
    });
    return reduce(cells.filter(({ inside }) => inside).map(({ offset }) => x.data[rest * volume(inner) + offset]), cells.length);
  });
}

// With ceil_mode a last window may stick out, unless it begins behind the input.
function pooledExtent(extent, { size, stride, padding, dilation }, ceil) {
  const room = extent + 2 * padding - dilation * (size - 1) - 1;
  const to = Math.floor((room + (ceil ? stride - 1 : 0)) / stride) + 1;
  return ceil && (to - 1) * stride >= extent + padding ? to - 1 : to;
}

function drawPool(random) {
  const count = random.integer(1, 3);
  const greatest = random.chance(0.4);
  const windows = random.list(count, () => {
    const size = random.integer(1, 4);
    return { size, stride: random.integer(1, 4), padding: random.integer(0, Math.floor(size / 2)), dilation: greatest ? random.integer(1, 2) : 1 };
  });
  const dims = [random.integer(1, 2), random.integer(1, 2), ...random.list(count, () => random.integer(1, [40, 12, 7][count - 1]))];
  const [ceil, counted] = [random.chance(0.6), random.chance(0.5)];
  const to = [...dims.slice(0, 2), ...windows.map((window, i) => pooledExtent(dims[2 + i], window, ceil))];
  const holdsItems = windows.every(({ size, padding, dilation }, i) => dims[2 + i] + 2 * padding > dilation * (size - 1) &&
    Math.min(...Array.from({ length: size }, (_, k) => k * dilation).filter((k) => k >= padding)) < dims[2 + i] + padding);
  if (!holdsItems || to.some((extent) => extent < 1)) return undefined;
  const flag = (is) => (is ? 'True' : 'False');
  const all = (key) => `(${windows.map((window) => window[key]).join(',')})`;
  const parameters = [`ceil_mode=${flag(ceil)}`, `kernel_size=${all('size')}`, `padding=${all('padding')}`, `stride=${all('stride')}`];
  if (greatest) parameters.push(`dilation=${all('dilation')}`, 'return_indices=False');
  else parameters.push(`count_include_pad=${flag(counted)}`, ...(count > 1 ? ['divisor_override=None'] : []));
  const mean = (items, cells) => items.reduce((sum, item) => sum + item, 0) / (counted ? cells : items.length);
  const compute = (x) => slide(x, to, windows, greatest ? (items) => Math.max(...items) : mean);
  return { type: `nn.${greatest ? 'Max' : 'Avg'}Pool${count}d`, parameters, dims, to, compute };
}

// F.lp_pool: the sum is the mean by the cells of a whole window; NaN of a negative sum stays.
function drawNormPool(random) {
  const count = random.integer(1, 2);
  const windows = random.list(count, () => ({ size: random.integer(1, 4), stride: random.integer(1, 4), padding: 0, dilation: 1 }));
  const dims = [1, random.integer(1, 2), ...random.list(count, () => random.integer(1, 12))];
  const [ceil, power] = [random.chance(0.5), random.integer(1, 3)];
  const to = [...dims.slice(0, 2), ...windows.map((window, i) => pooledExtent(dims[2 + i], window, ceil))];
  if (to.some((extent) => extent < 1) || windows.some(({ size }, i) => size > dims[2 + i])) return undefined;
  const all = (key) => `(${windows.map((window) => window[key]).join(',')})`;
  const cells = windows.reduce((product, { size }) => product * size, 1);
  const norm = (items) => ((items.reduce((sum, item) => sum + item ** power, 0) / items.length) * cells) ** (1 / power);
  return { type: `nn.LPPool${count}d`, dims, to, compute: (x) => slide(x, to, windows, norm),
    parameters: [`ceil_mode=${ceil ? 'True' : 'False'}`, `kernel_size=${all('size')}`, `norm_type=${power}`, `stride=${all('stride')}`] };
}

function drawAdaptivePool(random) {
  const count = random.integer(1, 3);
  const greatest = random.chance(0.4);
  const dims = [random.integer(1, 2), random.integer(1, 2), ...random.list(count, () => random.integer(1, [40, 12, 7][count - 1]))];
  const sizes = random.list(count, () => random.integer(1, [40, 12, 7][count - 1]));
  const reduce = greatest ? (items) => Math.max(...items) : (items) => items.reduce((sum, item) => sum + item, 0) / items.length;
  const compute = (x) => sizes.reduce((result, to, i) => alongAxis(result, 2 + i, to, (line, k) =>
    reduce(line.slice(Math.floor((k * line.length) / to), Math.ceil(((k + 1) * line.length) / to)))), x);
  return { type: `F.adaptive_${greatest ? 'max' : 'avg'}_pool${count}d`, parameters: [`output_size=(${sizes.join(',')})`], dims,
    to: [...dims.slice(0, 2), ...sizes], compute };
}

// --- slices ---

function drawSlice(random) {
  const dims = random.list(random.integer(1, 4), () => random.integer(1, 9));
  const axis = random.integer(0, dims.length - 1);
  const [start, end] = [0, 1].map(() => random.pick([0, random.integer(-12, 12), 2147483647]));
  const step = random.integer(1, 4);
  const place = (at) => Math.min(Math.max(at < 0 ? at + dims[axis] : at, 0), dims[axis]);
  const to = dims.map((extent, i) => (i === axis ? Math.ceil(Math.max(0, place(end) - place(start)) / step) : extent));
  if (volume(to) === 0) return undefined;
  const dim = random.chance(0.3) ? axis - dims.length : axis;
  return { type: 'Tensor.slice', parameters: [`dim=${dim}`, `start=${start}`, `end=${end}`, `step=${step}`], dims, to,
    compute: (x) => alongAxis(x, axis, to[axis], (line, i) => line[place(start) + i * step]) };
}

// --- models ---

// { text: of the .param, inputs, expected }; undefined if there are no items.
function drawTorch(random) {
  const draw = random.pick([drawInterpolate, drawInterpolate, drawInterpolate, drawPool, drawPool, drawNormPool, drawAdaptivePool, drawSlice]);
  const drawn = draw(random);
  if (!drawn) return undefined;
  const { type, parameters, dims, to, compute } = drawn;
  const shape = (extents) => `(${extents.join(',')})f32`;
  const x = floats(random, dims, -5);
  const text = `7767517\n3 2\npnnx.Input x 0 1 0 #0=${shape(dims)}\n` +
    `${type} op 1 1 0 1 ${parameters.filter(Boolean).join(' ')} $input=0 #0=${shape(dims)} #1=${shape(to)}\n` +
    `pnnx.Output y 1 0 1 #1=${shape(to)}\n`;
  return { text, inputs: { x }, expected: new Map([['y', compute(x)]]) };
}

module.exports = { drawTorch };
