// random_programs.js NNEFC WORK [COUNT [SEED]] - do random models in parts compute what ONNX Runtime computes?
//
// Draws COUNT models whose sizes, conditions and loops depend on data: results that are views of others, tensors that
// branches and bodies see around them, functions, states, collected items. Each is fed four times, with two shapes in turns and
// other numbers, and computed by both backends, and by ONNX Runtime once nnefc has written it again. ONLY=N judges
// model N alone.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const { tensor, modelBytes, difference } = require('./random_model.js');
const { runSteps, expectSteps, judgeDrawn } = require('./steps.js');

const [nnefc, work, count = 100, seed = 1] = process.argv.slice(2);
const BACKENDS = ['portable', 'reference'];
const TOLERANCE = 1e-4;
const FLOAT = { type: 'float32' };

const node = (op, inputs, outputs, attributes = {}) => ({ op, inputs, outputs, attributes });
const float = (dims, of) => tensor('float32', dims, of);
const integers = (dims, of) => tensor('int64', dims, (i) => BigInt(of(i)));

const CONSTANTS = {
  flat: integers([1], () => -1),
  column: integers([2], (i) => [-1, 1][i]),
  few: float([3], (i) => i - 1),
  zero: float([], () => 0),
  small: float([], () => 0.01),
  three: integers([], () => 3),
};

// Nodes that make lists of numbers of those in `seen`: { nodes, made }, where the last is made of the last node or nodes.
// Functions that they call are added to a list.
function drawNodes(random, depth, seen, prefix, functions) {
  const nodes = [];
  const made = [];
  const fresh = () => `${prefix}_${nodes.length}`;
  const any = () => random.pick([...seen, ...made]);
  const along = (x, sum) => node('ReduceSum', [x], [sum], { keepdims: 0 });
  const kinds = [
    (x, y) => nodes.push(node('Neg', [x], [y])),
    (x, y) => nodes.push(node('Concat', [any(), 'few'], [`${y}c`], { axis: 0 }), node('ReduceMean', [`${y}c`], [`${y}m`], { keepdims: 1 }),
      node('Add', [x, `${y}m`], [y])), // of no items the mean is nothing that ONNX defines
    (x, y) => nodes.push(node('NonZero', [x], [`${y}n`]), node('Cast', [`${y}n`], [`${y}c`], { to: 1 }), node('Reshape', [`${y}c`, 'flat'], [y])),
    (x, y) => nodes.push(node('Reshape', [x, 'column'], [`${y}c`]), node('Reshape', [`${y}c`, 'flat'], [y])),
    (x, y) => nodes.push(random.chance(0.5) ? node('Concat', [x, 'few'], [y], { axis: 0 }) : node('Identity', [x], [y])),
    (x, y) => nodes.push(node('Shape', [x], [`${y}s`]), node('Cast', [`${y}s`], [`${y}c`], { to: 1 }), node('Mul', [x, `${y}c`], [`${y}p`]),
      node('Tanh', [`${y}p`], [y])),
    (x, y) => {
      const branch = (name) => {
        const inner = drawNodes(random, depth - 1, [...seen, ...made], `${y}${name}`, functions);
        return { graph: { inputs: {}, outputs: { [inner.made.at(-1)]: FLOAT }, nodes: inner.nodes } };
      };
      nodes.push(along(x, `${y}s`), node('Greater', [`${y}s`, 'zero'], [`${y}g`]),
        node('If', [`${y}g`], [y], { then_branch: branch('t'), else_branch: branch('e') }));
    },
    (x, y) => { // a function, which sees nothing around its calls, is called once or twice, maybe with less than it takes
      const inner = drawNodes(random, depth - 1, ['a'], `${y}f`, functions);
      const plain = random.chance(0.3);
      const last = inner.made.at(-1);
      const end = plain ? [node('Neg', [last], ['b'])]
        : [node('LeakyRelu', [last], ['lk'], { alpha: { from: 'slope' } }), node('Clip', ['lk', 'low'], ['b'])];
      const inputs = ['a', ...Object.keys(CONSTANTS)];
      functions.push({ name: y, domain: 'own', inputs: plain ? inputs : [...inputs, 'low'], outputs: ['b'],
        attributes: plain ? {} : { slope: { float: 0.5 } }, nodes: [...inner.nodes, ...end] });
      const low = () => (plain ? [] : random.pick([[], [''], ['zero']]));
      const call = (from, to) => node(y, [from, ...inputs.slice(1), ...low()], [to], !plain && random.chance(0.5) ? { slope: { float: 0.25 } } : {});
      const calls = random.chance(0.5) ? [call(x, y)] : [call(x, `${y}h`), call(`${y}h`, y)];
      nodes.push(...calls.map((one) => ({ ...one, domain: 'own' })));
    },
    (x, y) => { // three trips at most, less if the sum of the state is small; its sums are collected
      const inner = drawNodes(random, depth - 1, [...seen, ...made, `${y}v`], `${y}l`, functions);
      const last = inner.made.at(-1);
      const body = {
        inputs: { [`${y}i`]: { type: 'int64', dims: [] }, [`${y}o`]: { type: 'bool', dims: [] }, [`${y}v`]: FLOAT },
        outputs: { [`${y}g`]: { type: 'bool' }, [last]: FLOAT, [`${y}r`]: FLOAT },
        nodes: [...inner.nodes, along(last, `${y}s`), node('Abs', [`${y}s`], [`${y}a`]), node('Greater', [`${y}a`, 'small'], [`${y}g`]),
          node('Reshape', [`${y}a`, 'flat'], [`${y}r`])],
      };
      nodes.push(node('Loop', ['three', '', x], [y, `${y}q`], { body: { graph: body } }), node('Reshape', [`${y}q`, 'flat'], [`${y}f`]));
      made.push(`${y}f`);
    },
  ];
  for (let left = random.integer(2, 6); left > 0; left--) {
    const y = fresh();
    kinds[random.integer(0, depth > 0 ? kinds.length - 1 : kinds.length - 4)](any(), y);
    made.push(y);
  }
  return { nodes, made };
}

function drawModel(random) {
  const functions = [];
  const { nodes, made } = drawNodes(random, 2, ['x', 'y'], 'm', functions);
  const outputs = made.filter((name, i) => i === made.length - 1 || random.chance(0.5));
  const open = (name) => ({ type: 'float32', dims: [name] });
  return modelBytes({
    opset: 17, inputs: { x: open('n'), y: open('m') }, outputs: Object.fromEntries(outputs.map((name) => [name, FLOAT])), constants: CONSTANTS, nodes, functions,
  });
}

// About a third of them 0.
function drawItems(random, size) {
  return float([size], () => (random.chance(0.3) ? 0 : random.integer(-6, 6) / 4));
}

async function judge(random, model) {
  fs.writeFileSync(model, drawModel(random));
  const sizes = [[20, 100], [90, 70], [20, 100], [90, 70]]; // such that x decides in some of them only
  const steps = sizes.map(([n, m]) => ({ x: drawItems(random, n), y: drawItems(random, m) }));
  const expected = await expectSteps(model, steps);
  for (const backend of BACKENDS) {
    const results = runSteps(nnefc, work, model, steps, [`--backend=${backend}`]);
    // Sums may be next to 0.
    const faults = expected.map((want, step) => difference(want, results[step], TOLERANCE, 1));
    const at = faults.findIndex((fault) => fault);
    if (at >= 0) return `${backend}, step ${at + 1}: ${faults[at]}`;
  }
  const copy = path.join(work, 'copy.onnx');
  execFileSync(nnefc, ['convert', model, copy, '--force', '--quiet'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const copied = await expectSteps(copy, steps);
  const at = expected.findIndex((want, step) => difference(want, copied[step], TOLERANCE, 1));
  return at < 0 ? undefined : `written again, step ${at + 1}: ${difference(expected[at], copied[at], TOLERANCE, 1)}`;
}

judgeDrawn({ work, count, seed }, judge);
