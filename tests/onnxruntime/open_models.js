// open_models.js NNEFC WORK - models that nnefc keeps open, next to ONNX Runtime
//
// A detector with its NonMaxSuppression inside, for images of several sizes; a decoder whose past begins empty and
// grows with each token, which has to compute what it does of all tokens at once; a loop that ends by what it
// computes, with a branch of another shape in it; and, where npm has put it, a voice detector with its rate as the
// input that it is, whose state goes from step to step. Each by both backends of nnefc.
'use strict';

const fs = require('fs');
const path = require('path');
const { writeNpy } = require('./arrays.js');
const { runSteps, expectSteps } = require('./steps.js');
const { generator, volume, tensor, floats, modelBytes, difference } = require('./random_model.js');
const { NETWORKS, pathOf } = require('./in_use.js');

const [nnefc, work] = process.argv.slice(2);
const TOLERANCE = 1e-4;
const BACKENDS = ['portable', 'reference'];

// --- building ---

// Nodes with names by their number.
function builder(seed) {
  const random = generator(seed);
  const made = { opset: 17, inputs: {}, outputs: {}, constants: {}, nodes: [] };
  let numbers = 0;
  const keep = (items) => {
    const name = `k${Object.keys(made.constants).length}`;
    made.constants[name] = items;
    return name;
  };
  const add = (op, inputs, attributes = {}) => {
    numbers += 1;
    made.nodes.push({ op, inputs, outputs: [`t${numbers}`], attributes });
    return `t${numbers}`;
  };
  return {
    random,
    made,
    add,
    weights: (dims, range) => keep(floats(random, dims, -range)),
    integers: (...items) => keep(tensor('int64', [items.length], (i) => BigInt(items[i]))),
    number: (type, x) => keep(tensor(type, [], () => (type === 'int64' ? BigInt(x) : x))),
    input: (name, type, dims) => { made.inputs[name] = { type, dims }; return name; },
    output: (name, type = 'float32') => { made.outputs[name] = { type }; return name; },
  };
}

function convolution({ add, weights }, x, [from, to], stride) {
  return add('Relu', [add('Conv', [x, weights([to, from, 3, 3], 0.4), weights([to], 0.1)],
    { strides: [stride, stride], pads: [1, 1, 1, 1] })]);
}

// Boxes and scores of each place of a map; the boxes that do not overlap, and what they enclose.
function detector() {
  const b = builder(11);
  const { made, add, integers, number, weights, input, output } = b;
  const map = convolution(b, convolution(b, input('image', 'float32', [1, 3, 'height', 'width']), [3, 8], 2), [8, 16], 2);
  const head = (size) => add('Reshape', [add('Transpose', [add('Conv', [map, weights([size, 16, 1, 1], 0.5)])],
    { perm: [0, 2, 3, 1] }), integers(1, -1, size)]);
  const boxes = add('Sigmoid', [head(4)]);
  const scores = add('Transpose', [add('Sigmoid', [head(3)])], { perm: [0, 2, 1] });
  const chosen = add('NonMaxSuppression', [boxes, scores, number('int64', 20), number('float32', 0.4), number('float32', 0.5)]);
  const places = add('Reshape', [add('Slice', [chosen, integers(2), integers(3), integers(1)]), integers(-1)]);
  output(add('Mul', [add('Gather', [boxes, places], { axis: 1 }), weights([4], 3)]));
  output(chosen, 'int64');
  const sizes = [[32, 48], [64, 32], [32, 48], [96, 80]];
  const steps = sizes.map(([height, width]) => ({ image: floats(b.random, [1, 3, height, width], 0, 1) }));
  return { title: 'a detector', bytes: modelBytes(made), steps };
}

const [LAYERS, HEADS, SIZE, EACH] = [2, 4, 32, 8];

// Keys and values of former tokens are in front of those that are fed; each token sees itself and those before it.
function decoder(tokens) {
  const b = builder(12);
  const { made, add, integers, number, weights, input, output } = b;
  let x = input('x', 'float32', [1, 'tokens', SIZE]);
  const length = (of, axis) => add('Gather', [add('Shape', [of]), number('int64', axis)], { axis: 0 });
  for (let layer = 0; layer < LAYERS; layer++) {
    const heads = (name) => add('Transpose', [add('Reshape', [add('MatMul', [x, weights([SIZE, SIZE], 0.4)]), integers(1, -1, HEADS, EACH)])],
      { perm: [0, 2, 1, 3] });
    const [query, key, value] = ['q', 'k', 'v'].map(heads);
    const grown = [['key', key], ['value', value]].map(([what, fresh]) => {
      const past = input(`past.${layer}.${what}`, 'float32', [1, HEADS, 'past', EACH]);
      made.nodes.push({ op: 'Concat', inputs: [past, fresh], outputs: [`present.${layer}.${what}`], attributes: { axis: 2 } });
      return output(`present.${layer}.${what}`);
    });
    const scores = add('Div', [add('MatMul', [query, add('Transpose', [grown[0]], { perm: [0, 1, 3, 2] })]), number('float32', Math.sqrt(EACH))]);
    const [rows, columns] = [length(query, 2), length(grown[0], 2)];
    const [zero, one] = [number('int64', 0), number('int64', 1)];
    const row = add('Add', [add('Unsqueeze', [add('Range', [zero, rows, one]), integers(1)]), add('Sub', [columns, rows])]);
    const sees = add('LessOrEqual', [add('Unsqueeze', [add('Range', [zero, columns, one]), integers(0)]), row]);
    const attention = add('Softmax', [add('Where', [sees, scores, number('float32', -1e9)])], { axis: -1 });
    const joined = add('Reshape', [add('Transpose', [add('MatMul', [attention, grown[1]])], { perm: [0, 2, 1, 3] }), integers(1, -1, SIZE)]);
    x = add('Add', [x, add('Tanh', [add('MatMul', [joined, weights([SIZE, SIZE], 0.4)])])]);
  }
  made.nodes.push({ op: 'Identity', inputs: [x], outputs: ['y'], attributes: {} });
  output('y');
  const all = floats(b.random, [1, tokens, SIZE]);
  const empty = tensor('float32', [1, HEADS, 0, EACH], () => 0);
  const past = Object.fromEntries(Object.keys(made.inputs).filter((name) => name !== 'x').map((name) => [name, empty]));
  const steps = Array.from({ length: tokens }, (_, i) => ({ x: { type: 'float32', dims: [1, 1, SIZE], data: all.data.slice(i * SIZE, (i + 1) * SIZE) } }));
  return { bytes: modelBytes(made), all, past, steps };
}

// x is halved, or every second item of it dropped if it is long, until its sum is small; sums are collected.
function shrinking() {
  const b = builder(13);
  const { made, add, integers, number, input, output } = b;
  input('x', 'float32', ['n']);
  const [limit, half] = [number('float32', 3), number('float32', 0.5)];
  const [zero, end, two, four] = [integers(0), integers(1 << 30), integers(2), number('int64', 4)];
  const node = (op, inputs, outputs, attributes = {}) => ({ op, inputs, outputs, attributes });
  const drop = { inputs: {}, outputs: { short: { type: 'float32' } }, nodes: [node('Slice', ['v', zero, end, zero, two], ['short'])] };
  const shrink = { inputs: {}, outputs: { small: { type: 'float32' } }, nodes: [node('Mul', ['v', half], ['small'])] };
  const body = {
    inputs: { i: { type: 'int64', dims: [] }, go: { type: 'bool', dims: [] }, v: { type: 'float32', dims: ['m'] } },
    outputs: { again: { type: 'bool' }, w: { type: 'float32' }, seen: { type: 'float32' } },
    nodes: [
      node('Size', ['v'], ['size']),
      node('Abs', ['v'], ['absolute']),
      node('ReduceSum', ['absolute'], ['seen'], { keepdims: 0 }),
      node('Greater', ['seen', limit], ['large']),
      node('Greater', ['size', four], ['long']),
      node('And', ['long', 'large'], ['drops']),
      node('If', ['drops'], ['w'], { then_branch: { graph: drop }, else_branch: { graph: shrink } }),
      node('Identity', ['large'], ['again']),
    ],
  };
  made.nodes.push(node('Loop', ['', '', 'x'], ['last', 'sums'], { body: { graph: body } }));
  output(add('Neg', ['last']));
  output('sums');
  const steps = [9, 1, 30, 9].map((n) => ({ x: floats(b.random, [n]) }));
  return { title: 'a loop with a branch', bytes: modelBytes(made), steps };
}

// --- computing ---

let [passed, failed] = [0, 0];

function judge(title, fault) {
  passed += fault ? 0 : 1;
  failed += fault ? 1 : 0;
  if (fault) console.log(`${title}: ${fault}`);
}

// Each step, by each backend.
function compare(title, expected, compute) {
  for (const backend of BACKENDS) {
    try {
      const results = compute([`--backend=${backend}`]);
      const at = expected.findIndex((want, step) => difference(want, results[step], TOLERANCE));
      judge(`${title}, ${backend}`, at >= 0 && `step ${at + 1}: ${difference(expected[at], results[at], TOLERANCE)}`);
    } catch (error) {
      judge(`${title}, ${backend}`, String(error.stderr || error.message).split('\n')[0]);
    }
  }
}

async function judgeModel({ title, bytes, steps }) {
  const model = path.join(work, 'model.onnx');
  fs.writeFileSync(model, bytes);
  const expected = await expectSteps(model, steps);
  compare(title, expected, (options) => runSteps(nnefc, work, model, steps, options));
}

// One token after the other, as ONNX Runtime computes all at once.
async function judgeDecoder() {
  const { bytes, all, past, steps } = decoder(300);
  const model = path.join(work, 'decoder.onnx');
  fs.writeFileSync(model, bytes);
  const [whole] = await expectSteps(model, [{ x: all, ...past }]);
  const y = whole.get('y');
  const expected = steps.map((_, i) => new Map([['y', { type: 'float32', dims: [1, 1, SIZE], data: y.data.slice(i * SIZE, (i + 1) * SIZE) }]]));
  compare('a decoder, token by token', expected, (options) => runSteps(nnefc, work, model, steps, ['--state', 'past.*=present.*', ...options]));
}

// Its rate is another one in some steps, and with it the length of the input.
async function judgeVoice() {
  const model = pathOf(NETWORKS.find(({ file }) => file.endsWith('silero_vad_v5.onnx')));
  if (!fs.existsSync(model)) return false;
  const random = generator(14);
  const steps = [16000, 16000, 8000, 16000, 8000, 8000].map((rate) => ({
    input: floats(random, [1, rate / 1000 * 32], -0.5),
    sr: tensor('int64', [], () => BigInt(rate)),
  }));
  const first = { state: tensor('float32', [2, 1, 128], () => 0) };
  const expected = await expectSteps(model, steps, { state: 'stateN' }, first);
  const begin = path.join(work, 'state.npy');
  writeNpy(begin, first.state);
  compare('a voice detector', expected, (options) => runSteps(nnefc, work, model, steps, ['-i', `state=${begin}`, '--state', 'state=stateN', ...options]));
  return true;
}

async function main() {
  await judgeModel(detector());
  await judgeModel(shrinking());
  await judgeDecoder();
  const heard = await judgeVoice();
  console.log(`${passed} passed, ${failed} failed, ${heard ? 0 : 1} skipped`);
  process.exitCode = failed ? 1 : 0;
}

main();
