// random_integers.js NNEFC WORK [COUNT [SEED]] - does nnefc compute integers as ONNX Runtime does?
//
// COUNT models of a few operators on integers of all widths, logicals and floats. Each is computed by ONNX
// Runtime; by nnefc, by the reference as the model is read and by the fast backend behind all passes; and by
// ONNX Runtime again, of what nnefc writes. Integers and logicals are right only if they are equal. Only
// types that ONNX Runtime has for an operator are tried; what C++ leaves open, such as a division by 0, is not.
// ONLY=N judges model N alone and says what it is.
'use strict';

const { TYPES } = require('./arrays.js');
const { generator, volume, modelBytes } = require('./random_model.js');
const { expectedOf, doesSaturate, judgeRandom } = require('./random_judge.js');

const OPSET = 18;

// What ONNX Runtime has no way to compute is not written, and said so.
const REFUSED = /of 64 bits without a sign$|shifts integers with a sign, which ONNX cannot$/;
const EXACT = '-Werror=integer-precision';
const RUNS = { reference: ['--raw', '--backend=reference', EXACT], portable: ['--backend=portable', EXACT] };
const INTEGERS = Object.keys(TYPES).filter((type) => /int/.test(type));
const SIGNED = INTEGERS.filter((type) => /^int/.test(type));
const BYTES = ['int8', 'uint8'];

// --- random numbers ---

let random = generator(1);

function drawBy(given) {
  random = given;
}

const below = (count) => Math.floor(random.real() * 2 ** 32) % count;
const pick = (list) => list[below(list.length)];
const bitsOf = (type) => 8 * TYPES[type].array.BYTES_PER_ELEMENT;

// Any number of bits, so that many are small and many are at the ends.
function randomInteger(type) {
  const bits = BigInt(bitsOf(type));
  const ends = [0n, 1n, (1n << (bits - 1n)) - 1n, 1n << (bits - 1n), (1n << bits) - 1n, 16777216n, 16777217n];
  if (below(4) === 0) return pick(ends);
  const any = (BigInt(below(2 ** 32)) << 32n) | BigInt(below(2 ** 32));
  const cut = any >> BigInt(below(64));
  return below(2) ? cut : -cut;
}

function wrapped(type, number) {
  return (SIGNED.includes(type) ? BigInt.asIntN : BigInt.asUintN)(bitsOf(type), number);
}

function arrayOf(type, numbers) {
  const { array } = TYPES[type];
  if (!INTEGERS.includes(type)) return array.from(numbers, Number);
  const items = numbers.map((number) => wrapped(type, BigInt(number)));
  return array.from(bitsOf(type) === 64 ? items : items.map(Number));
}

function randomItems(type, count) {
  const one = () => (INTEGERS.includes(type) ? randomInteger(type) : type === 'bool' ? below(2) : below(4001) / 10 - 200);
  return Array.from({ length: count }, one);
}

// --- models ---

class Making {
  constructor() {
    Object.assign(this, { inputs: {}, constants: {}, outputs: {}, nodes: [] });
    this.tensors = []; // what operators may take: { name, type, dims }
    this.names = 0;
  }

  name() {
    this.names += 1;
    return `t${this.names}`;
  }

  known(type, dims, numbers) {
    const made = { name: this.name(), type, dims, data: arrayOf(type, numbers) };
    return (this.constants[made.name] = made);
  }

  // An input, or now and then a tensor that is known, so that it is folded.
  given(type, dims) {
    const made = { name: this.name(), type, dims, data: arrayOf(type, randomItems(type, volume(dims))) };
    (below(3) ? this.inputs : this.constants)[made.name] = made;
    this.tensors.push(made);
    return made;
  }

  // One of those that are there and of such a type, or a new one.
  any(types, dims) {
    const fit = this.tensors.filter((x) => types.includes(x.type) && (!dims || String(x.dims) === String(dims)));
    return fit.length && below(4) ? pick(fit) : this.given(pick(types), dims || this.shape());
  }

  // Its type, and a shape that broadcasts with it.
  beside(x) {
    return below(3) ? this.any([x.type], x.dims) : this.given(x.type, x.dims.map((extent) => (below(2) ? extent : 1)));
  }

  shape() {
    return Array.from({ length: 1 + below(3) }, () => 1 + below(4));
  }

  // Makes a node, whose first output has that type and shape.
  node(op, inputs, type, dims, attributes = {}, more = 0) {
    const outputs = Array.from({ length: 1 + more }, () => this.name());
    this.nodes.push({ op, inputs: inputs.map((x) => (x ? x.name : '')), outputs, attributes });
    const made = { name: outputs[outputs.length - 1], type, dims };
    this.tensors.push(made);
    return (this.outputs[made.name] = made);
  }
}

const broadcast = (a, b) => a.map((extent, i) => Math.max(extent, b[i]));
const axisOf = (x) => below(x.dims.length);
const at = (dims, axis, extent) => dims.map((e, i) => (i === axis ? extent : e));

function binary(m, op, type, result, attributes) {
  const x = m.any([type]);
  const y = m.beside(x);
  return m.node(op, [x, y], result || type, broadcast(x.dims, y.dims), attributes);
}

// Divisors are known, not 0 and not -1, by which the least integer cannot be divided.
function divided(m, op, type, attributes) {
  const x = m.any([type]);
  const items = randomItems(type, volume(x.dims)).map((item) => {
    const left = wrapped(type, item);
    return left === 0n || left === -1n ? 3n : left;
  });
  return m.node(op, [x, m.known(type, x.dims, items)], type, x.dims, attributes);
}

// Below 97, so that sums and powers stay within doubles, too.
function small(m, type, shape, most = 97n) {
  const x = m.any([type], shape);
  return m.node('Mod', [x, m.known(type, [1], [most])], type, x.dims);
}

function shifted(m, type) {
  const x = m.any([type]);
  const by = Array.from({ length: volume(x.dims) }, () => below(bitsOf(type)));
  return m.node('BitShift', [x, m.known(type, x.dims, by)], type, x.dims, { direction: pick(['LEFT', 'RIGHT']) });
}

function reduced(m, op, x, type) {
  const axis = axisOf(x);
  const keepdims = below(2);
  const dims = keepdims || x.dims.length === 1 ? at(x.dims, axis, 1) : x.dims.filter((_, i) => i !== axis);
  const attributes = { keepdims: x.dims.length === 1 ? 1 : keepdims };
  if (/^Arg/.test(op)) return m.node(op, [x], 'int64', dims, { ...attributes, axis, select_last_index: below(2) });
  if (op === 'ReduceSum') return m.node(op, [x, m.known('int64', [1], [axis])], type, dims, attributes);
  const named = OPSET < 18 ? [x] : [x, m.known('int64', [1], [axis])];
  return m.node(op, named, type, dims, attributes);
}

function product(m, type) {
  const [rows, length, columns] = [1 + below(3), 1 + below(5), 1 + below(3)];
  return m.node('MatMul', [m.any([type], [rows, length]), m.any([type], [length, columns])], type, [rows, columns]);
}

function givenOrKnown(m, type, dims) {
  return below(2) ? m.given(type, dims) : m.known(type, dims, randomItems(type, dims.reduce((a, b) => a * b)));
}

// Then products of unsigned and signed bytes are not drawn; tests/unit/op/test_integer.c judges sums by numbers of 128 bits.
let saturates = false;

function productOfBytes(m, type) {
  const [rows, length, columns] = [1 + below(3), 1 + below(600), 1 + below(3)];
  const right = saturates && type === 'uint8' ? type : pick(BYTES);
  const [x, y] = [m.given(type, [rows, length]), givenOrKnown(m, right, [length, columns])];
  const zeros = below(2) ? [m.known(x.type, [], randomItems(x.type, 1)), m.known(y.type, [], randomItems(y.type, 1))] : [];
  return m.node('MatMulInteger', [x, y, ...zeros], 'int32', [rows, columns]);
}

function convOfBytes(m, type) {
  const [groups, size, stride, pad] = [1 + below(2), 1 + below(3), 1 + below(2), below(2)];
  const [channels, filters] = [groups * (1 + below(40)), groups * (1 + below(2))];
  const [x, w] = [m.given(saturates ? 'uint8' : type, [1, channels, 5, 6]), givenOrKnown(m, 'uint8', [filters, channels / groups, size, size])];
  const out = (extent) => Math.floor((extent + 2 * pad - size) / stride) + 1;
  const zeros = below(2) ? [m.known(x.type, [], randomItems(x.type, 1)), m.known(w.type, [], randomItems(w.type, 1))] : [];
  return m.node('ConvInteger', [x, w, ...zeros], 'int32', [1, filters, out(5), out(6)],
    { group: groups, strides: [stride, stride], pads: [pad, pad, pad, pad], kernel_shape: [size, size] });
}

function padded(m, type) {
  const x = m.any([type]);
  const mode = pick(['constant', 'edge', 'reflect']);
  const most = (extent) => (mode === 'reflect' ? extent : 3);
  const pads = [...x.dims, ...x.dims].map((extent) => below(most(extent)));
  const dims = x.dims.map((extent, i) => extent + pads[i] + pads[i + x.dims.length]);
  const value = mode === 'constant' && type !== 'bool' ? [m.known(type, [], [type === 'float32' ? 2.5 : 77n])] : [];
  return m.node('Pad', [x, m.known('int64', [pads.length], pads), ...value], type, dims, { mode });
}

function cast(m, from, to) {
  let x = m.any([from]);
  if (from === 'float32') { // only what is within the type, and not computed
    const low = SIGNED.includes(to) ? -100 : 0;
    const numbers = Array.from({ length: 4 }, () => low + below(1000) / 10);
    x = { name: m.name(), type: 'float32', dims: [4], data: Float32Array.from(numbers) };
    (below(2) ? m.inputs : m.constants)[x.name] = x;
  }
  return m.node('Cast', [x], to, x.dims, { to: TYPES[to].onnx });
}

function gathered(m, type) {
  const x = m.any([type]);
  const axis = axisOf(x);
  const index = Array.from({ length: 3 }, () => below(2 * x.dims[axis]) - x.dims[axis]);
  const indices = m.known('int64', [3], index);
  return m.node('Gather', [x, indices], type, at(x.dims, axis, 3), { axis });
}

function sliced(m, type) {
  const x = m.any([type]);
  const axis = axisOf(x);
  const list = (number) => m.known('int64', [1], [number]);
  return m.node('Slice', [x, list(-1), list(-100), list(axis), list(-1)], type, x.dims);
}

function topItems(m, type) {
  const x = m.any([type]);
  const axis = axisOf(x);
  const count = 1 + below(x.dims[axis]);
  const dims = at(x.dims, axis, count);
  const made = m.node('TopK', [x, m.known('int64', [1], [count])], 'int64', dims, { axis, largest: below(2) }, 1);
  m.outputs[m.nodes[m.nodes.length - 1].outputs[0]] = { type, dims };
  return made;
}

function oneHot(m, type) {
  const depth = 2 + below(4);
  const [count, numbers] = [3, Array.from({ length: 3 }, () => below(2 * depth) - depth)];
  const [indices, values] = [m.known('int64', [count], numbers), m.known(type, [2], randomItems(type, 2))];
  return m.node('OneHot', [indices, m.known('int64', [1], [depth]), values], type, [count, depth]);
}

function where(m, type) {
  const x = m.any([type]);
  return m.node('Where', [m.any(['bool'], x.dims), x, m.any([type], x.dims)], type, x.dims);
}

function clipped(m, type) {
  const bounds = randomItems(type, 2).map((item) => wrapped(type, item)).sort((a, b) => (a < b ? -1 : 1));
  const x = m.any([type]);
  return m.node('Clip', [x, ...bounds.map((bound) => m.known(type, [], [bound]))], type, x.dims);
}

const unary = (op) => (m, type) => {
  const x = m.any([type]);
  return m.node(op, [x], type, x.dims);
};

const UNARY = ['Sign', 'Relu'];

// ONNX Runtime takes only the lower half of some integers of 64 bits.
function ordered(m, op, type) {
  if (type !== 'int64') return UNARY.includes(op) ? unary(op)(m, type) : binary(m, op, type);
  const x = small(m, type);
  return m.node(op, UNARY.includes(op) ? [x] : [x, small(m, type, x.dims)], type, x.dims);
}

// For each index an item: the other axes are as they are.
function gatheredItems(m, type) {
  const x = m.any([type]);
  const axis = axisOf(x);
  const index = Array.from({ length: volume(x.dims) }, () => below(2 * x.dims[axis]) - x.dims[axis]);
  return m.node('GatherElements', [x, m.known('int64', x.dims, index)], type, x.dims, { axis });
}

// Whole rows of a matrix or items of it.
function gatheredSections(m, type) {
  const [x, count] = [m.any([type], [3, 4]), 1 + below(2)];
  const index = Array.from({ length: 5 }, () => [below(6) - 3, below(8) - 4].slice(0, count));
  return m.node('GatherND', [x, m.known('int64', [5, count], index.flat())], type, count === 2 ? [5] : [5, 4]);
}

// What several updates of an item make goes by their order only if they replace it: then each has another one.
function scatteredItems(m, type) {
  const [x, reduction] = [m.any([type], [4, 3]), type === 'bool' ? 'none' : pick(['none', 'add', 'mul', 'max', 'min'])];
  const rows = reduction === 'none' ? [1, 0, 2, 3, 1, 0].map((row) => (row + below(2) * 4) % 8 - 4) : Array.from({ length: 6 }, () => below(8) - 4);
  const indices = m.known('int64', [2, 3], rows);
  return m.node('ScatterElements', [x, indices, m.any([type], [2, 3])], type, x.dims, { reduction });
}

function scatteredSections(m, type) {
  const [x, reduction] = [m.any([type], [3, 4]), type === 'bool' ? 'none' : pick(['none', 'add', 'mul', 'max', 'min'])];
  const indices = m.known('int64', [2, 1], reduction === 'none' ? [below(2), -1] : [below(6) - 3, below(6) - 3]);
  return m.node('ScatterND', [x, indices, m.any([type], [2, 4])], type, x.dims, { reduction });
}

function joined(m, type) {
  const x = m.any([type]);
  const axis = axisOf(x);
  return m.node('Concat', [x, m.any([type], x.dims)], type, at(x.dims, axis, 2 * x.dims[axis]), { axis });
}

function transposed(m, type) {
  const x = m.any([type]);
  const perm = x.dims.map((_, i) => i).reverse();
  return m.node('Transpose', [x], type, perm.map((i) => x.dims[i]), { perm });
}

function repeated(m, type) {
  const x = m.any([type]);
  const repeats = x.dims.map(() => 1 + below(3));
  return m.node('Tile', [x, m.known('int64', [repeats.length], repeats)], type, x.dims.map((e, i) => e * repeats[i]));
}

function expanded(m, type) {
  const x = m.any([type]);
  const dims = [2, ...x.dims];
  return m.node('Expand', [x, m.known('int64', [dims.length], dims)], type, dims);
}

function triangle(m, type) {
  const x = m.any([type], [3, 4]);
  return m.node('Trilu', [x, m.known('int64', [], [below(3) - 1])], type, x.dims, { upper: below(2) });
}

function range(m, type) {
  const narrow = bitsOf(type) / 2 + 8; // ONNX Runtime counts by doubles
  const [delta, count] = [BigInt(1 + below(9)), 1 + below(6)];
  const start = BigInt.asIntN(narrow, randomInteger(type)) / 2n;
  const limit = start + delta * BigInt(count);
  return m.node('Range', [start, limit, delta].map((item) => m.known(type, [], [item])), type, [count]);
}

function centered(m, type) {
  const x = m.any([type]);
  const dims = x.dims.map(() => 1 + below(6));
  return m.node('CenterCropPad', [x, m.known('int64', [dims.length], dims)], type, dims);
}

function contracted(m, type) {
  const [x, y] = [m.any([type], [2, 3]), m.any([type], [4, 3])];
  return m.node('Einsum', [x, y], type, [2, 4], { equation: 'ij,kj->ik' });
}

// What makes a node of each operator, by the types that it may have.
const OPERATORS = {
  ...Object.fromEntries(['Add', 'Sub', 'Mul', 'BitwiseAnd', 'BitwiseOr', 'BitwiseXor'].map((op) => [op,
    { types: INTEGERS, make: (m, type) => binary(m, op, type) }])),
  ...Object.fromEntries(['Equal', 'Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual'].map((op) => [op,
    { types: INTEGERS, make: (m, type) => binary(m, op, type, 'bool') }])),
  ...Object.fromEntries(['And', 'Or', 'Xor'].map((op) => [op,
    { types: ['bool'], make: (m, type) => binary(m, op, type) }])),
  ...Object.fromEntries(['Max', 'Min', 'Sign', 'Relu'].map((op) => [op,
    { types: op === 'Relu' ? SIGNED : INTEGERS, make: (m, type) => ordered(m, op, type) }])),
  ...Object.fromEntries(['Abs', 'BitwiseNot'].map((op) => [op, { types: INTEGERS, make: unary(op) }])),
  Neg: { types: SIGNED, make: unary('Neg') },
  ...Object.fromEntries(['ReduceMax', 'ReduceMin', 'ArgMax', 'ArgMin'].map((op) => [op,
    { types: INTEGERS, make: (m, type) => reduced(m, op, type === 'int64' ? small(m, type) : m.any([type]), type) }])),
  // ONNX Runtime computes some of these with floats, and saturates
  ...Object.fromEntries(['ReduceSum', 'ReduceMean', 'ReduceL1', 'ReduceSumSquare'].map((op) => [op,
    { types: INTEGERS, make: (m, type) => reduced(m, op, small(m, type), type) }])),
  ReduceProd: { types: INTEGERS, make: (m, type) => reduced(m, 'ReduceProd', small(m, type, undefined, 3n), type) },
  Not: { types: ['bool'], make: unary('Not') },
  Div: { types: INTEGERS, make: (m, type) => divided(m, 'Div', type) },
  Mod: { types: INTEGERS, make: (m, type) => divided(m, 'Mod', type) },
  // by way of doubles in ONNX Runtime
  fmod: { types: INTEGERS.filter((type) => bitsOf(type) < 64), make: (m, type) => divided(m, 'Mod', type, { fmod: 1 }) },
  Pow: {
    types: INTEGERS,
    make: (m, type) => {
      const x = small(m, type);
      return m.node('Pow', [x, m.known(pick([type, 'float32']), [1], [below(4)])], type, x.dims);
    },
  },
  PRelu: { types: INTEGERS, make: (m, type) => binary(m, 'PRelu', type) },
  BitShift: { types: INTEGERS.filter((type) => !SIGNED.includes(type)), make: shifted },
  Clip: { types: INTEGERS, make: clipped },
  CumSum: {
    types: INTEGERS,
    make: (m, type) => {
      const x = m.any([type]);
      const flags = { exclusive: below(2), reverse: below(2) };
      return m.node('CumSum', [x, m.known('int64', [], [axisOf(x)])], type, x.dims, flags);
    },
  },
  MatMul: { types: INTEGERS, make: product },
  MatMulInteger: { types: BYTES, make: productOfBytes },
  ConvInteger: { types: BYTES, make: convOfBytes },
  Pad: { types: [...INTEGERS, 'bool'], make: padded },
  Gather: { types: [...INTEGERS, 'bool'], make: gathered },
  Slice: { types: [...INTEGERS, 'bool'], make: sliced },
  GatherElements: { types: [...INTEGERS, 'bool'], make: gatheredItems },
  GatherND: { types: [...INTEGERS, 'bool'], make: gatheredSections },
  ScatterElements: { types: [...INTEGERS, 'bool'], make: scatteredItems },
  ScatterND: { types: [...INTEGERS, 'bool'], make: scatteredSections },
  Concat: { types: [...INTEGERS, 'bool'], make: joined },
  Transpose: { types: [...INTEGERS, 'bool'], make: transposed },
  Tile: { types: [...INTEGERS, 'bool'], make: repeated },
  Expand: { types: [...INTEGERS, 'bool'], make: expanded },
  Trilu: { types: [...INTEGERS, 'bool'], make: triangle },
  Range: { types: SIGNED.filter((type) => type !== 'int8'), make: range },
  CenterCropPad: { types: INTEGERS, make: centered },
  Einsum: { types: INTEGERS, make: contracted },
  TopK: { types: INTEGERS, make: topItems },
  OneHot: { types: INTEGERS, make: oneHot },
  Where: { types: INTEGERS, make: where },
  ...Object.fromEntries(INTEGERS.map((to) => [`Cast to ${to}`,
    { types: [...INTEGERS.filter((from) => from !== to), 'bool', 'float32'], make: (m, from) => cast(m, from, to) }])),
  'Cast to float': { types: INTEGERS, make: (m, from) => cast(m, from, 'float32') },
  'Cast to bool': { types: INTEGERS, make: (m, from) => cast(m, from, 'bool') },
};

// An operator ten times as often as a cast to one of the types.
const NAMES = Object.keys(OPERATORS).flatMap((name) => (/^Cast/.test(name) ? [name] : Array(4).fill(name)));

// --- judging ---

const toBytes = (m) => modelBytes({ opset: OPSET, ...m });

// Which operators ONNX Runtime has, by type.
async function supported() {
  const table = [];
  for (const [name, { types, make }] of Object.entries(OPERATORS))
    for (const type of types) {
      const m = new Making();
      make(m, type);
      if (await expectedOf(toBytes(m), m.inputs)) table.push([name, type]);
    }
  return table;
}

function randomModel(table) {
  const m = new Making();
  const count = 2 + below(6);
  while (m.nodes.length < count) {
    const name = pick(NAMES);
    const types = table.filter(([op]) => op === name).map(([, type]) => type);
    if (types.length) OPERATORS[name].make(m, pick(types));
  }
  if (Object.keys(m.inputs).length === 0) m.node('Identity', [m.given('int64', [2])], 'int64', [2]);
  return m;
}

async function main() {
  saturates = await doesSaturate();
  if (saturates) console.log('products of unsigned and signed bytes are not judged: ONNX Runtime saturates on this processor');
  const table = await supported();
  console.log(`${table.length} operators with a type, of ${new Set(table.map(([name]) => name)).size} operators`);
  const draw = async (given) => {
    drawBy(given);
    const m = randomModel(table), bytes = toBytes(m);
    return { bytes, inputs: m.inputs, expected: await expectedOf(bytes, m.inputs), shown: JSON.stringify(m.nodes), refusable: REFUSED };
  };
  await judgeRandom(draw, () => 0, 500, { runs: RUNS, converting: [`--opset=${OPSET}`, EXACT] });
}

module.exports = { OPERATORS, Making, wrapped, drawBy };
if (require.main === module) main();
