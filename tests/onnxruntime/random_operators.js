// random_operators.js NNEFC WORK [COUNT [SEED]] - do models of several operators agree with ONNX Runtime?
//
// Draws COUNT models of one to eight operators that the other generators draw one at a time, each model of an opset from 7 to 28.
// Its operators are drawn from these opsets on:
//   7   MaxRoiPool and the operators of random_microsoft.js
//   9   TopK, Scatter (ScatterElements from 11), Compress, MaxUnpool
//   10  RoiAlign, Mod of floats
//   11  GatherElements, GatherND, ScatterND, CropAndResize, Det, BitShift, Range
//   12  the losses, Celu, Dropout
//   16  GridSample; 18  BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot; 19  DeformConv; 20  AffineGrid
//   24  TensorScatter; 26  BitCast; 27  CausalConvWithState, LinearAttention; 28  SwiGLU
// What an operator takes is often what a former one computes, which is repeated or cut to the shape, scaled, and cast to the type.
// Where a choice hangs on the last digit (the order of TopK, the nearest place of a grid, the last bit) it is rounded to an integer before.
//
// Computed by nnefc, by its reference and by ONNX Runtime from what nnefc converts to ONNX. ONNX Runtime has no opset beyond 26:
// for a model of 27 or 28 it says what is right by the same nodes as of 26, with operators of com.microsoft in the place of
// CausalConvWithState and LinearAttention, and with products in the place of SwiGLU. The conversion is to the opset of the model,
// but at least to 13 and at most to 26, unless an operator needs 27: then nnefc computes what it has converted.
// ONLY=N judges model N alone and says what it is.
'use strict';

const { generator, volume, tensor, floats, modelBytes } = require('./random_model.js');
const { JUDGED, expectedOf, judgeRandom } = require('./random_judge.js');
const { TYPES } = require('./arrays.js');
const integers = require('./random_integers.js');

const TOLERANCE = 1e-4; // in parts of the largest number
const LARGEST = 20000; // items of a result
const [OLDEST, NEWEST] = [7, 28];
const EXPORTED = 13; // from this opset on nnefc writes ONNX
const MOST = 8;

// --- operators that no other generator draws ---

function drawSwiGLU(random) {
  const dims = random.list(random.integer(1, 4), () => random.integer(1, 5));
  const alpha = random.pick([undefined, 0.5, 1.702]);
  const constants = { alpha: tensor('float32', [], () => alpha || 1) };
  const right = [
    { op: 'Mul', inputs: ['gate', 'alpha'], outputs: ['scaled'] },
    { op: 'Sigmoid', inputs: ['scaled'], outputs: ['open'] },
    { op: 'Mul', inputs: ['gate', 'open'], outputs: ['swish'] },
    { op: 'Mul', inputs: ['swish', 'x'], outputs: ['y'] },
  ];
  return { inputs: { gate: floats(random, dims), x: floats(random, dims) }, constants: {}, outputs: { y: { type: 'float32' } },
    nodes: [{ op: 'SwiGLU', inputs: ['gate', 'x'], outputs: ['y'], attributes: alpha ? { alpha: { float: alpha } } : {} }],
    right: { nodes: right, constants } };
}

const ofMicrosoft = (part) => ({ ...part, right: { nodes: part.nodes.map((node) => ({ ...node, domain: 'com.microsoft' })), constants: {} } });

function drawCausalConv(random) {
  const [batch, channels, length, taps] = [random.integer(1, 2), random.integer(1, 4), random.integer(1, 6), random.integer(2, 4)];
  const inputs = { x: floats(random, [batch, channels, length]), w: floats(random, [channels, 1, taps]) };
  if (random.chance(0.5)) inputs.bias = floats(random, [channels]);
  if (random.chance(0.5)) inputs.past = floats(random, [batch, channels, taps - 1]);
  const names = ['x', 'w', ...(inputs.bias ? ['bias'] : inputs.past ? [''] : []), ...(inputs.past ? ['past'] : [])];
  return ofMicrosoft({ inputs, constants: {}, outputs: { y: { type: 'float32' }, present: { type: 'float32' } },
    nodes: [{ op: 'CausalConvWithState', inputs: names, outputs: ['y', 'present'], attributes: { activation: random.pick(['none', 'silu']) } }] });
}

function drawLinearAttention(random) {
  const [batch, length, heads, group, size, width] = [2, 5, 2, 2, 4, 4].map((most) => random.integer(1, most));
  const rule = random.pick(['linear', 'gated', 'delta', 'gated_delta']);
  const inputs = { q: floats(random, [batch, length, heads * group * size]), k: floats(random, [batch, length, heads * size], -0.5, 0.5),
    v: floats(random, [batch, length, heads * width]) };
  const names = ['q', 'k', 'v', '', '', ''];
  const give = (at, name, dims, least, most) => {
    inputs[name] = floats(random, dims, least, most);
    names[at] = name;
  };
  if (random.chance(0.5)) give(3, 'past', [batch, heads, size, width]);
  if (/gated/.test(rule)) give(4, 'decay', [batch, length, random.pick([heads, heads * size])], -1, 0);
  if (/delta/.test(rule)) give(5, 'beta', [batch, length, heads], 0, 1);
  while (!names[names.length - 1]) names.pop();
  return ofMicrosoft({ inputs, constants: {}, outputs: { y: { type: 'float32' }, present: { type: 'float32' } }, nodes: [{ op: 'LinearAttention',
    inputs: names, outputs: ['y', 'present'], attributes: { q_num_heads: heads * group, kv_num_heads: heads, update_rule: rule } }] });
}

function drawBitCast(random) {
  const [from, to] = random.pick([['float32', 'int32'], ['int32', 'float32'], ['uint8', 'int8'], ['uint32', 'float32']]);
  const dims = random.list(random.integer(1, 3), () => random.integer(1, 4));
  const x = from === 'float32' ? floats(random, dims) : tensor(from, dims, () => random.integer(0, from === 'uint8' ? 255 : 2 ** 30));
  return { inputs: { x }, constants: {}, outputs: { y: { type: to } },
    nodes: [{ op: 'BitCast', inputs: ['x'], outputs: ['y'], attributes: { to: TYPES[to].onnx } }] };
}

// --- one form for what the generators draw: named inputs, constants, outputs and nodes ---

function fromLosses(draw) {
  return (random, opset) => {
    const { op, domain, inputs, constants = {}, names = [...Object.keys(inputs), ...Object.keys(constants)], before = [], attributes, outputs = ['y'] } = draw(random, opset);
    return { inputs, constants, outputs: Object.fromEntries(outputs.map((name) => [name, { type: name === 'mask' ? 'bool' : 'float32' }])),
      nodes: [...before, { op, domain, inputs: names, outputs, attributes }] };
  };
}

// Those whose inputs ONNX Runtime wants in another way are judged in random_microsoft.js.
function fromMicrosoft(draw) {
  return (random) => {
    const { model, right } = draw(random);
    return right ? undefined : model;
  };
}

function fromIntegers(name, types) {
  return (random) => {
    const m = new integers.Making();
    integers.drawBy(generator(random.integer(0, 2 ** 31 - 1)));
    integers.OPERATORS[name].make(m, random.pick(types || integers.OPERATORS[name].types.filter((type) => type !== 'uint64')));
    return m;
  };
}

const many = (list, wrap) => list.map(([draw, since]) => [wrap(draw), since]);
const FAMILIES = [
  many(require('./random_index.js').DRAWN, (draw) => draw),
  many(require('./random_images.js').DRAWN, fromLosses),
  many(require('./random_losses.js').DRAWN, fromLosses),
  require('./random_microsoft.js').DRAWS.map((draw) => [fromMicrosoft(draw), OLDEST]),
  [['BitwiseAnd', 18], ['BitwiseOr', 18], ['BitwiseXor', 18], ['BitwiseNot', 18], ['BitShift', 11, ['uint8', 'uint32']], ['Range', 11, ['int16', 'int32', 'int64']]]
    .map(([name, since, types]) => [fromIntegers(name, types), since]),
  [[drawSwiGLU, 28], [drawCausalConv, 27], [drawLinearAttention, 27], [drawBitCast, 26]],
];

// --- what an operator takes from former ones ---

// Inputs by number that may have any items; the first one, if the operator is not here.
const FED = { GridSample: [0, 1], DeformConv: [0, 1, 2, 3], Scatter: [0, 2], ScatterElements: [0, 2], ScatterND: [0, 2], TensorScatter: [0, 1],
  BitwiseAnd: [0, 1], BitwiseOr: [0, 1], BitwiseXor: [0, 1], GatherElements: [0, 1], SwiGLU: [0, 1], CausalConvWithState: [0, 3], LinearAttention: [0],
  Det: [], Range: [], EmbedLayerNormalization: [] };
const INDEX = { GatherElements: 1 };
const ROUNDED = ['TopK', 'MaxPool', 'Mod', 'BitCast'];

const isRounded = ({ op, attributes = {} }) => ROUNDED.includes(op) || attributes.mode === 'nearest';

class Network {
  constructor(random, opset) {
    Object.assign(this, { random, opset, inputs: {}, constants: {}, nodes: [], right: { nodes: [], constants: {} }, results: new Map(), parts: 0, glued: 0 });
  }

  copy() {
    const { inputs, constants, nodes, right, results } = this;
    return Object.assign(new Network(), this, { inputs: { ...inputs }, constants: { ...constants }, nodes: [...nodes], results: new Map(results),
      right: { nodes: [...right.nodes], constants: { ...right.constants } } });
  }

  // A node between operators, and what it computes.
  glue(op, inputs, attributes) {
    const output = `g${this.glued++}`;
    const made = { op, inputs, outputs: [output], attributes };
    this.nodes.push(made);
    this.right.nodes.push(made);
    return output;
  }

  known(type, dims, value) {
    const name = `g${this.glued++}`;
    this.constants[name] = tensor(type, dims, value);
    return name;
  }

  shape(list) {
    return this.known('int64', [list.length], (i) => BigInt(list[i]));
  }

  // So many items, from the front.
  cut(name, count) {
    if (this.opset < 10) return this.glue('Slice', [name], { starts: [0], ends: [count], axes: [0] });
    return this.glue('Slice', [name, this.shape([0]), this.shape([count]), this.shape([0])]);
  }

  // The items of another result in that shape, again and again if they are too few.
  shaped(name, available, dims) {
    const count = volume(dims);
    let flat = this.glue('Reshape', [name, this.shape([-1])]);
    if (available < count) flat = this.glue('Tile', [flat, this.shape([Math.ceil(count / available)])]);
    if (available % count !== 0 || available > count) flat = this.cut(flat, count);
    return this.glue('Reshape', [flat, this.shape(dims)]);
  }

  // No item is beyond 4.
  scaled(name, largest, rounded) {
    const factor = 2 ** Math.min(0, Math.floor(Math.log2(4 / (largest || 1))));
    const near = this.glue('Mul', [name, this.known('float32', [], () => factor * (rounded ? 4 : 1))]);
    if (!rounded) return near;
    const between = this.glue('Add', [near, this.known('float32', [], () => 0.3671875)]);
    return this.glue('Cast', [this.glue('Cast', [between], { to: TYPES.int32.onnx })], { to: TYPES.float32.onnx });
  }

  cast(name, from, to) {
    return from === to ? name : this.glue('Cast', [name], { to: TYPES[to].onnx });
  }

  // The name of what is there instead of an input; undefined if nothing fits.
  instead(input, node, index) {
    const fits = [...this.results].filter(([, result]) => isSource(result, input.type));
    if (fits.length === 0 || volume(input.dims) === 0) return undefined;
    const [name, { type, data }] = this.random.pick(fits);
    const shaped = this.shaped(name, data.length, input.dims);
    if (index) return this.glue('Mod', [this.cast(shaped, type, input.type), this.known(input.type, [], () => (input.type === 'int64' ? BigInt(index) : index))]);
    const items = this.cast(shaped, type, input.type);
    return input.type === 'float32' ? this.scaled(items, largestOf(data), isRounded(node)) : items;
  }

  // What is left of the inputs of a part, whose names are changed.
  add(part) {
    const prefix = `p${this.parts++}_`;
    const renamed = (name) => name && prefix + name;
    const [first] = part.nodes;
    const given = { ...part.inputs };
    const instead = new Map();
    for (const number of FED[first.op] || [0]) {
      const name = first.inputs[number];
      if (!given[name] || !this.random.chance(0.7)) continue;
      const index = INDEX[first.op] === number ? indexed(part, first) : 0;
      const found = index === undefined ? undefined : this.instead(given[name], first, index);
      if (!found) continue;
      instead.set(prefix + name, found);
      delete given[name];
    }
    const moved = (nodes) => nodes.map((node) => ({ ...node, outputs: node.outputs.map(renamed),
      inputs: node.inputs.map((name) => instead.get(prefix + name) || renamed(name)) }));
    const right = part.right || { nodes: part.nodes, constants: {} };
    this.nodes.push(...moved(part.nodes));
    this.right.nodes.push(...moved(right.nodes));
    for (const [to, from] of [[this.inputs, given], [this.constants, part.constants], [this.right.constants, right.constants]])
      for (const [name, items] of Object.entries(from)) to[prefix + name] = items;
    return Object.fromEntries(Object.entries(part.outputs).map(([name, { type }]) => [prefix + name, { type }]));
  }

  // As ONNX Runtime has it.
  judged(outputs) {
    const { inputs, constants, right, opset } = this;
    return modelBytes({ opset: Math.min(opset, JUDGED), inputs, constants: { ...constants, ...right.constants }, nodes: right.nodes, outputs });
  }
}

// The extent that indices of GatherElements are of.
function indexed({ inputs, constants }, { inputs: [name], attributes }) {
  const { dims } = inputs[name] || constants[name];
  return dims.at(attributes.axis) || undefined;
}

const largestOf = (data) => data.reduce((most, x) => Math.max(most, Math.abs(Number(x))), 0);

// Is each item finite, and in the range of the type wanted? Of scalars only scalars are made.
function isSource({ type, data }, wanted) {
  if (data.length === 0 || (type === 'float32' && wanted !== 'float32')) return false;
  if (type === wanted && type !== 'float32') return true;
  if (wanted === 'float32') return data.every((x) => Number.isFinite(Number(x))) && largestOf(data) < 1e15;
  if (wanted === 'bool') return true;
  return data.every((x) => integers.wrapped(wanted, BigInt(x)) === BigInt(x));
}

// --- judging ---

function drawPart(random, opset) {
  const family = random.pick(FAMILIES).filter(([, since]) => since <= opset);
  return family.length > 0 ? random.pick(family)[0](random, opset) : undefined;
}

// With another part; undefined if ONNX Runtime does not compute that.
async function grown(network, random) {
  const part = drawPart(random, network.opset);
  if (!part) return undefined;
  const next = network.copy();
  const outputs = next.add(part);
  const computed = await expectedOf(next.judged(outputs), next.inputs, LARGEST);
  if (!computed) return undefined;
  for (const [name, items] of computed) next.results.set(name, items);
  return next;
}

// What nobody reads, and some of the others.
function outputsOf({ nodes, results }, random) {
  const read = new Set(nodes.flatMap(({ inputs }) => inputs));
  return Object.fromEntries([...results].filter(([name]) => !read.has(name) || random.chance(0.3)).map(([name, { type }]) => [name, { type }]));
}

const shownNode = ({ op, inputs, outputs, attributes = {} }) => `${outputs} = ${op}(${inputs}) ${JSON.stringify(attributes)}`;

async function draw(random) {
  const opset = random.integer(OLDEST, NEWEST), count = random.integer(1, MOST);
  let network = new Network(random, opset);
  for (let tries = 0; network.parts < count && tries < 40; tries++) network = (await grown(network, random)) || network;
  if (network.parts === 0) return undefined;
  const { inputs, constants, nodes } = network;
  const outputs = outputsOf(network, random);
  const bytes = modelBytes({ opset, inputs, constants, nodes, outputs });
  const expected = Object.keys(inputs).length > 0 && await expectedOf(network.judged(outputs), inputs, LARGEST);
  return { bytes, inputs, expected, shown: `opset ${opset}\n    ${nodes.map(shownNode).join('\n    ')}`,
    opset: Math.min(Math.max(opset, EXPORTED), JUDGED) };
}

judgeRandom(draw, () => TOLERANCE, 500);
