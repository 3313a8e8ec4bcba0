// random_nan.js NNEFC WORK [COUNT [SEED]] - do random models of ONNX make of NaN and infinities what ONNX Runtime makes?
//
// Draws COUNT models: one or two operations on items, then perhaps one along axes or over windows. All are computed by
// nnefc, by its reference, and by ONNX Runtime from what nnefc converts to ONNX. The greatest and the least of several items are
// told by NumPy's rule instead, by which ONNX defines them: NaN if there is one, and the index of the first. Kernels of
// ONNX Runtime drop NaN there, depending on its position (see docs/nnef-notes.md). ONLY=N judges model N alone.
'use strict';

const { volume, tensor, floats, modelBytes } = require('./random_model.js');
const { RUNS, expectedOf, judgeRandom } = require('./random_judge.js');

const TOLERANCE = 1e-5;
const OPSETS = [13, 15, 17, 18, 19, 20];
const CORNERS = [NaN, NaN, Infinity, -Infinity, 0, -0];

// --- operations on items: { op, attributes, more }, where `more` are operands behind the first, drawn by their extents ---

function items(random, dims, share = 0.3) {
  return tensor('float32', dims, () => Math.fround(random.chance(share) ? random.pick(CORNERS) : random.real() * 6 - 3));
}

const PLAIN = ['Relu', 'LeakyRelu', 'Elu', 'Selu', 'Celu', 'HardSigmoid', 'Sign', 'Reciprocal', 'Softplus', 'Softsign',
  'ThresholdedRelu', 'Round', 'Floor', 'Ceil', 'Erf', 'Sigmoid', 'Tanh', 'Neg', 'Abs', 'Exp', 'Log', 'Sin', 'Atan',
  'Shrink', 'Identity', 'HardSwish'];
const CONTINUOUS = ['Relu', 'LeakyRelu', 'Elu', 'HardSigmoid', 'Sigmoid', 'Tanh', 'Neg', 'Abs', 'Softsign', 'Identity', 'Atan'];
const PAIRS = ['Add', 'Sub', 'Mul', 'Div', 'Min', 'Max', 'Pow', 'PRelu'];
const TESTS = ['Less', 'LessOrEqual', 'Greater', 'GreaterOrEqual', 'Equal'];

// A bound is a number.
const drawBounds = (random) => [floats(random, [], -2, 0), floats(random, [], 0.5, 2)];

function drawFirst(random, opset, dims) {
  const kind = random.integer(0, 9);
  if (kind < 4) return { op: random.pick(opset >= 18 ? [...PLAIN, 'Mish'] : PLAIN) };
  if (kind === 4) return { op: 'Clip', more: drawBounds(random) };
  if (kind === 5) return { op: random.pick(['Min', 'Max', 'Sum', 'Mean']), more: [items(random, dims), items(random, [1])] };
  if (kind === 6) return { op: random.pick(TESTS), more: [items(random, dims, 0.6)], type: 'bool' };
  if (kind === 7) return { op: random.pick(['IsNaN', 'IsInf']), type: 'bool' };
  const more = [items(random, random.pick([dims, [1], dims.map((extent, i) => (i === 1 ? extent : 1))]))];
  return { op: random.pick(PAIRS), more };
}

function drawSecond(random) {
  return random.chance(0.3) ? { op: 'Clip', more: drawBounds(random) } : { op: random.pick(CONTINUOUS) };
}

// --- operations along axes ---

// { op, attributes, more, rule }; `rule` makes { dims, data } of { dims, data }, instead of ONNX Runtime.
function drawLast(random, opset, dims) {
  const axis = random.integer(1, dims.length - 1);
  const sums = opset < 18 ? ['ReduceMean', 'ReduceL1', 'ReduceL2', 'ReduceSumSquare', 'ReduceLogSumExp', 'ReduceProd'] : [];
  const along = [
    () => ({ op: random.pick(['Softmax', 'LogSoftmax']), attributes: { axis } }),
    () => ({ op: random.pick(['ArgMax', 'ArgMin']), attributes: { axis }, type: 'int64', rule: indexRule(axis) }),
    () => ({ op: 'ReduceSum', more: [tensor('int64', [1], () => BigInt(axis))] }),
    () => ({ op: 'MatMul', more: [tensor('float32', [dims[dims.length - 1], 3], () => random.integer(1, 4))] }),
  ];
  if (sums.length > 0) {
    along.push(() => ({ op: random.pick(sums), attributes: { axes: [axis] } }));
    along.push(() => ({ op: random.pick(['ReduceMax', 'ReduceMin']), attributes: { axes: [axis] }, rule: extremeRule(axis) }));
  }
  if (dims.length === 4) {
    const windows = { kernel_shape: [2, 3], strides: [random.integer(1, 2), 1], pads: [random.integer(0, 1), 0, 0, random.integer(0, 1)] };
    along.push(() => ({ op: 'AveragePool', attributes: windows }));
    along.push(() => ({ op: 'GlobalAveragePool' }));
    along.push(() => ({ op: 'MaxPool', attributes: windows, rule: poolRule(windows) }));
    along.push(() => ({ op: 'GlobalMaxPool', rule: (x) => extremeRule(2)(extremeRule(3)(x)) }));
    along.push(() => ({ op: 'Conv', more: [tensor('float32', [2, dims[1], 2, 2], () => random.integer(1, 4))] }));
  }
  return random.pick(along)();
}

// NumPy's rule.
function extremeIndex(numbers, sign) {
  return numbers.reduce((best, x, i) => {
    if (Number.isNaN(numbers[best])) return best;
    return Number.isNaN(x) || sign * x > sign * numbers[best] ? i : best;
  }, 0);
}

// Calls `make` with the items of each lane along an axis.
function lanes({ dims, data }, axis, make) {
  const length = dims[axis];
  const inner = volume(dims.slice(axis + 1));
  const made = Array.from({ length: data.length / length }, (_, lane) => {
    const begin = Math.floor(lane / inner) * inner * length + (lane % inner);
    return make(Array.from({ length }, (unused, i) => data[begin + i * inner]));
  });
  return { dims: dims.map((extent, i) => (i === axis ? 1 : extent)), data: made };
}

const signOf = (op) => (op.endsWith('Min') ? -1 : 1);
const extremeRule = (axis) => (x, op = 'Max') => lanes(x, axis, (lane) => lane[extremeIndex(lane, signOf(op))]);
const indexRule = (axis) => (x, op) => lanes(x, axis, (lane) => extremeIndex(lane, signOf(op)));

function poolRule({ kernel_shape: [high, wide], strides: [down, right], pads: [top, left, bottom, end] }) {
  return ({ dims: [batch, channels, rows, columns], data }) => {
    const extents = [Math.floor((rows + top + bottom - high) / down) + 1, Math.floor((columns + left + end - wide) / right) + 1];
    const made = Array.from({ length: batch * channels * extents[0] * extents[1] }, (_, o) => {
      const x = (o % extents[1]) * right - left;
      const y = (Math.floor(o / extents[1]) % extents[0]) * down - top;
      const image = Math.floor(o / extents[1] / extents[0]) * rows * columns;
      const taps = Array.from({ length: high * wide }, (unused, k) => [y + Math.floor(k / wide), x + (k % wide)])
        .filter(([i, j]) => i >= 0 && i < rows && j >= 0 && j < columns).map(([i, j]) => data[image + i * columns + j]);
      return taps[extremeIndex(taps, 1)];
    });
    return { dims: [batch, channels, ...extents], data: made };
  };
}

// --- models ---

function draw(random) {
  const opset = random.pick(OPSETS);
  const dims = random.pick([[2, 9], [3, 37], [2, 3, 4], [1, 3, 5, 6], [2, 17, 4, 5], [1, 2, 3, 70]]);
  const x = items(random, dims);
  const steps = [drawFirst(random, opset, dims)];
  x.data[random.integer(0, x.data.length - 1)] = NaN;
  if (!steps[0].type && random.chance(0.4)) steps.push(drawSecond(random));
  if (!steps[0].type && random.chance(0.6)) steps.push(drawLast(random, opset, dims));
  const constants = {};
  let from = 'x';
  const nodes = steps.map(({ op, attributes, more = [] }, i) => {
    const names = more.map((operand, k) => {
      if (!operand) return '';
      constants[`c${i}${k}`] = operand;
      return `c${i}${k}`;
    });
    const made = { op, inputs: [from, ...names], outputs: [`y${i}`], attributes };
    from = `y${i}`;
    return made;
  });
  const last = steps[steps.length - 1];
  const outputs = { [from]: { type: last.type || 'float32' } };
  const beside = steps.length > 1 ? `y${steps.length - 2}` : undefined; // what the last one is made of
  if (beside) outputs[beside] = { type: 'float32' };
  return { opset, inputs: { x }, outputs, constants, nodes, rule: last.rule, beside, last: from, op: last.op };
}

function describe({ opset, nodes, inputs, constants }) {
  const shown = Object.entries(constants).map(([name, { dims }]) => `${name}[${dims}]`);
  return `opset ${opset} [${inputs.x.dims}] ${nodes.map(({ op, attributes }) => op + JSON.stringify(attributes || {})).join(' ')} ${shown.join(' ')}`;
}

// Of what a rule tells, ONNX Runtime is not asked after the conversion.
async function drawJudged(random) {
  const model = draw(random);
  const { inputs, rule, op, beside, last } = model, bytes = modelBytes(model);
  const expected = await expectedOf(bytes, inputs);
  const judged = { bytes, inputs, expected, shown: describe(model) };
  if (!expected || !rule) return judged;
  const { dims, type } = expected.get(last);
  const told = rule(expected.get(beside), op);
  const kept = new Map([[beside, expected.get(beside)]]);
  return { ...judged, kept, expected: new Map([...kept, [last, { type, dims: /^(Arg|Reduce)/.test(op) ? dims : told.dims, data: told.data }]]) };
}

judgeRandom(drawJudged, () => TOLERANCE, 300, { runs: { ...RUNS, nnefc: ['--exact'] } });
