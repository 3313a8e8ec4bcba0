// random_index.js NNEFC WORK [COUNT [SEED]] - do items by random indices agree with ONNX Runtime?
//
// Draws COUNT models of one operation: TopK, the gathers and the scatters, of opsets 9 to 18 and of all types that they
// have, with extents of 0 and 1, indices that are known and that are not, and axes and indices from both ends.
// Results have to be equal, and sums near: computed by nnefc, by its reference, and by ONNX Runtime from what nnefc
// converts to ONNX, and from the NNEF that it writes. What ONNX Runtime does not compute is drawn again. ONLY=N judges
// model N alone and says what it is.
'use strict';

const { volume, tensor, modelBytes } = require('./random_model.js');
const { expectedOf, judgeRandom } = require('./random_judge.js');

const TOLERANCE = 1e-6; // ONNX Runtime adds in 32 bits
const TYPES = ['float32', 'float32', 'int64', 'int32', 'uint8', 'bool'];
const REDUCTIONS = ['none', 'none', 'add', 'mul', 'max', 'min'];
const EITHER = ['int64', 'int32'];
const BEYOND_NNEF = /^(TopK|Scatter|TensorScatter)/;
const EMPTY = /N0231.*NNEF has no tensors without items$/;
const LACKS = /N0231/;
const RUNS = Object.fromEntries(['reference', 'portable'].map((name) => [name, [`--backend=${name}`, '-Werror=integer-precision']]));

// Few different items, so that some are equal.
function items(random, type, dims) {
  const draw = {
    float32: () => random.integer(-40, 40) / 8,
    int64: () => BigInt(random.integer(-9, 9)) * (random.chance(0.2) ? 2n ** 56n + 1n : 1n),
    int32: () => random.integer(-9, 9) * (random.chance(0.2) ? 2 ** 27 + 1 : 1),
    uint8: () => random.integer(0, 255),
    bool: () => random.integer(0, 1),
  };
  return tensor(type, dims, draw[type]);
}

function extents(random, rank) {
  return random.list(rank, () => random.pick([0, 1, 1, 2, 3, 4, 5, 7].slice(random.chance(0.9) ? 1 : 0)));
}

const either = (random, index, extent) => (random.chance(0.5) ? index : index - extent);

function shuffled(random, count) {
  const list = random.list(count, (i) => i);
  for (let i = count - 1; i > 0; i--) {
    const other = random.integer(0, i);
    [list[i], list[other]] = [list[other], list[i]];
  }
  return list;
}

class Making {
  constructor(random, op, opset) {
    this.random = random;
    this.op = op;
    this.model = { opset, inputs: {}, constants: {}, outputs: {}, nodes: [] };
    this.names = [];
  }

  give(given, known) {
    const name = `i${this.names.length}`;
    this.model[known ? 'constants' : 'inputs'][name] = given;
    this.names.push(name);
  }

  // Now and then they are known.
  giveIndices(dims, values, types = ['int64']) {
    const type = this.random.pick(types);
    this.give(tensor(type, dims, (i) => (type === 'int64' ? BigInt(values[i]) : values[i])), this.random.chance(0.4));
  }

  node(types, attributes) {
    const outputs = types.map((type, i) => {
      this.model.outputs[`o${i}`] = { type };
      return `o${i}`;
    });
    this.model.nodes.push({ op: this.op, inputs: this.names, outputs, attributes });
    return this.model;
  }
}

// ONNX Runtime ends if the input has no items.
function topK(random, opset) {
  const m = new Making(random, 'TopK', opset);
  const type = opset < 11 ? 'float32' : random.pick(['float32', 'float32', 'int64', 'int32']);
  const dims = extents(random, random.integer(1, 4)).map((extent) => extent || 1);
  const axis = random.integer(0, dims.length - 1);
  const count = random.integer(0, dims[axis]);
  m.give(items(random, type, dims));
  const attributes = { axis: either(random, axis, dims.length) };
  if (opset < 10) attributes.k = count;
  else m.give(tensor('int64', [1], () => BigInt(count)), true);
  if (opset > 10) attributes.largest = random.integer(0, 1);
  return m.node([type, 'int64'], attributes);
}

function gatherElements(random, opset) {
  const m = new Making(random, 'GatherElements', opset);
  const type = random.pick(TYPES);
  const dims = extents(random, random.integer(1, 4));
  const axis = random.integer(0, dims.length - 1);
  const shape = dims.map((extent, i) => (i === axis ? (extent && random.integer(0, 5)) : random.integer(Math.min(1, extent), extent)));
  m.give(items(random, type, dims));
  m.giveIndices(shape, random.list(volume(shape), () => either(random, random.integer(0, dims[axis] - 1), dims[axis])), EITHER);
  return m.node([type], { axis: either(random, axis, dims.length) });
}

function gatherND(random, opset) {
  const m = new Making(random, 'GatherND', opset);
  const type = random.pick(TYPES);
  const dims = extents(random, random.integer(1, 4));
  const batch = opset > 11 ? random.integer(0, Math.min(2, dims.length - 1)) : 0;
  const depth = random.integer(1, dims.length - batch);
  const indexed = dims.slice(batch, batch + depth);
  const outer = [...dims.slice(0, batch), ...random.list(random.integer(0, 2), () => (indexed.includes(0) ? 0 : random.integer(0, 3)))];
  if (indexed.includes(0) && !outer.includes(0)) return undefined;
  m.give(items(random, type, dims));
  const rows = random.list(volume(outer), () => indexed.map((extent) => either(random, random.integer(0, extent - 1), extent)));
  m.giveIndices([...outer, depth], rows.flat());
  return m.node([type], batch ? { batch_dims: batch } : {});
}

function drawReduction(random, opset, type) {
  const known = opset < 16 ? ['none'] : opset < 18 ? REDUCTIONS.slice(0, 4) : REDUCTIONS;
  const reduction = random.pick(type === 'bool' ? known.slice(0, 4) : known);
  return { reduction, attributes: reduction === 'none' ? {} : { reduction } };
}

// By 'none', the indices of a lane differ.
function scatterElements(random, opset) {
  const m = new Making(random, opset < 11 ? 'Scatter' : 'ScatterElements', opset);
  const type = random.pick(TYPES);
  const dims = extents(random, random.integer(1, 4));
  const axis = random.integer(0, dims.length - 1);
  const { reduction, attributes } = drawReduction(random, opset, type);
  const most = reduction === 'none' ? dims[axis] : dims[axis] && 6;
  const shape = dims.map((extent, i) => (i === axis ? random.integer(0, most) : random.integer(Math.min(1, extent), extent)));
  const inner = volume(shape.slice(axis + 1));
  const lanes = new Map();
  const draw = (i) => {
    const lane = `${Math.floor(i / inner / shape[axis])},${i % inner}`;
    if (!lanes.has(lane)) lanes.set(lane, shuffled(random, dims[axis]));
    return reduction === 'none' ? lanes.get(lane).pop() : random.integer(0, dims[axis] - 1);
  };
  m.give(items(random, type, dims));
  m.giveIndices(shape, random.list(volume(shape), (i) => either(random, draw(i), dims[axis])), EITHER);
  m.give(items(random, type, shape));
  return m.node([type], { axis: either(random, axis, dims.length), ...attributes });
}

function scatterND(random, opset) {
  const m = new Making(random, 'ScatterND', opset);
  const type = random.pick(TYPES);
  const dims = extents(random, random.integer(1, 4));
  const depth = random.integer(1, dims.length);
  const { reduction, attributes } = drawReduction(random, opset, type);
  const indexed = dims.slice(0, depth);
  const outer = random.list(random.integer(1, 2), () => (indexed.includes(0) ? 0 : random.integer(0, 3)));
  const parts = shuffled(random, volume(indexed));
  if (reduction === 'none' && volume(outer) > parts.length) return undefined;
  const rows = random.list(volume(outer), () => {
    let rest = reduction === 'none' ? parts.pop() : random.integer(0, volume(indexed) - 1);
    const row = [];
    for (const extent of [...indexed].reverse()) {
      row.unshift(either(random, rest % extent, extent));
      rest = Math.floor(rest / extent);
    }
    return row;
  });
  m.give(items(random, type, dims));
  m.giveIndices([...outer, depth], rows.flat());
  m.give(items(random, type, [...outer, ...dims.slice(depth)]));
  return m.node([type], attributes);
}

function tensorScatter(random) {
  const m = new Making(random, 'TensorScatter', 24);
  const type = random.pick(['float32', 'int64', 'bool']);
  const dims = random.list(random.integer(2, 4), () => random.integer(1, 4));
  const axis = random.integer(1, dims.length - 1);
  const mode = random.pick(['linear', 'circular']);
  const length = random.integer(1, dims[axis]);
  const last = mode === 'linear' ? dims[axis] - length : 2 * dims[axis];
  m.give(items(random, type, dims));
  m.give(items(random, type, dims.map((extent, i) => (i === axis ? length : extent))));
  if (random.chance(0.8)) m.giveIndices([dims[0]], random.list(dims[0], () => random.integer(0, last)));
  return m.node([type], { axis: either(random, axis, dims.length), mode });
}

// By what makes a model of a wanted opset, the first opset.
const DRAWN = [
  [topK, 9], [gatherElements, 11], [gatherND, 11], [scatterElements, 9], [scatterND, 11], [tensorScatter, 24],
];

async function draw(random) {
  const [make, since] = random.pick(DRAWN);
  const model = make(random, Math.max(since, random.integer(9, 18)));
  if (!model || Object.keys(model.inputs).length === 0) return undefined;
  const { inputs, nodes: [{ op }] } = model, bytes = modelBytes(model);
  const shown = JSON.stringify(model, (_, value) => (ArrayBuffer.isView(value) ? String(value) : value));
  return { bytes, inputs, expected: await expectedOf(bytes, inputs), shown, profiles: ['custom', 'strict'],
    refusable: BEYOND_NNEF.test(op) ? LACKS : EMPTY };
}

module.exports = { DRAWN };
if (require.main === module) judgeRandom(draw, () => TOLERANCE, 500, { runs: RUNS, converting: ['--opset=18'] });
