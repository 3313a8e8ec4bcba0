// random_sequences.js NNEFC WORK [COUNT [SEED]] - do random models with sequences compute what ONNX Runtime computes?
//
// Draws COUNT models that split tensors into sequences, change these, carry them through loops and conditionals, and join
// them again. In half of them positions, conditions and the ends of loops are computed, so that sequences go from part to
// part. Each is computed by both backends. ONLY=N judges model N alone.
'use strict';

const fs = require('fs');
const { tensor, floats, modelBytes, difference } = require('./random_model.js');
const { runSteps, expectSteps, judgeDrawn } = require('./steps.js');

const [nnefc, work, count = 100, seed = 1] = process.argv.slice(2);
const BACKENDS = ['portable', 'reference'];
const TOLERANCE = 1e-6;
const WIDTH = 3;

const node = (op, inputs, outputs, attributes = {}) => ({ op, inputs, outputs, attributes });

// What is drawn: nodes, constants, and for each sequence the rows of its tensors, which have WIDTH columns each.
class Drawing {
  constructor(random) {
    this.random = random;
    this.nodes = [];
    this.constants = {};
    this.outputs = {};
    this.sequences = [];
    this.next = 0;
    this.computes = random.chance(0.5);
  }

  fresh() {
    this.next += 1;
    return `t${this.next}`;
  }

  integer(value) {
    const name = this.fresh();
    this.constants[name] = tensor('int64', Array.isArray(value) ? [value.length] : [], (i) => BigInt([value].flat()[i]));
    return name;
  }

  // The number of items of x, which nnefc cannot know before it has looked at them.
  items() {
    if (!this.counted) {
      const there = this.add('Cast', [this.add('Equal', ['x', 'x'])], { to: 7 });
      this.counted = this.add('ReduceSum', [there], { keepdims: 0 });
    }
    return this.counted;
  }

  // A number that may be computed.
  number(value) {
    return this.computes && this.random.chance(0.4) ? this.add('Sub', [this.items(), this.integer(7 * WIDTH - value)]) : this.integer(value);
  }

  // The result of a node, whose rows are known if it is a sequence.
  add(op, inputs, attributes, rows) {
    const name = this.fresh();
    this.nodes.push(node(op, inputs, [name], attributes));
    if (rows) this.sequences.push({ name, rows });
    return name;
  }

  show(name) {
    const shown = this.add('Neg', [name]);
    this.outputs[shown] = { type: 'float32' };
  }

  // A place from 0 to `last` among so many tensors, from the front or from the end.
  place(count, last = count - 1) {
    const place = this.random.integer(0, last);
    return [place, this.number(place === count || this.random.chance(0.5) ? place : place - count)];
  }

  split() {
    const rows = this.random.integer(1, 7);
    const all = Array.from({ length: 7 }, (_, i) => i);
    const part = this.add('Slice', ['x', this.integer([0]), this.integer([rows])]);
    const kind = this.random.integer(0, 2);
    if (kind === 0) return this.add('SplitToSequence', [part], {}, all.slice(0, rows).map(() => 1));
    if (kind === 1) {
      const size = this.random.integer(1, 4);
      const sizes = [];
      for (let left = rows; left > 0; left -= size) sizes.push(Math.min(size, left));
      return this.add('SplitToSequence', [part, this.number(size)], { axis: -2 }, sizes);
    }
    const cut = this.random.integer(0, rows);
    return this.add('SplitToSequence', [part, this.integer([cut, rows - cut])], { axis: 0 }, [cut, rows - cut]);
  }

  // One step that makes another sequence, or shows what is in one.
  change() {
    const { name, rows } = this.random.pick(this.sequences);
    const kinds = [
      () => this.split(),
      () => this.add('SequenceEmpty', [], {}, []),
      () => this.add('SequenceConstruct', ['x', 'y', 'x'], {}, [7, 2, 7]),
      () => this.add('SequenceInsert', [name, 'y'], {}, [...rows, 2]),
      () => {
        const [place, at] = this.place(rows.length, rows.length);
        this.add('SequenceInsert', [name, 'y', at], {}, [...rows.slice(0, place), 2, ...rows.slice(place)]);
      },
      () => rows.length && this.add('SequenceErase', [name], {}, rows.slice(0, -1)),
      () => {
        if (!rows.length) return;
        const [place, at] = this.place(rows.length);
        this.add('SequenceErase', [name, at], {}, rows.filter((_, i) => i !== place));
      },
      () => rows.length && this.show(this.add('SequenceAt', [name, this.place(rows.length)[1]])),
      () => this.show(this.add('Cast', [this.add('SequenceLength', [name])], { to: 1 })),
      () => rows.length && this.show(this.add('ConcatFromSequence', [name], { axis: this.random.pick([0, -2]) })),
      () => { // trips that append to a sequence
        const trips = this.random.integer(0, 3);
        const type = { type: 'float32', sequence: true };
        const y = this.fresh();
        const ends = this.computes && trips > 0 && this.random.chance(0.5);
        const most = ends ? this.integer(7 * WIDTH + trips - 2) : undefined;
        const condition = ends
          ? [node('Add', [`${y}i`, this.items()], [`${y}n`]), node('LessOrEqual', [`${y}n`, most], [`${y}c`])]
          : [node('Identity', [`${y}o`], [`${y}c`])];
        const body = {
          inputs: { [`${y}i`]: { type: 'int64', dims: [] }, [`${y}o`]: { type: 'bool', dims: [] }, [`${y}s`]: type },
          outputs: { [`${y}c`]: { type: 'bool', dims: [] }, [`${y}r`]: type },
          nodes: [...condition, node('Cast', [`${y}i`], [`${y}f`], { to: 1 }), node('Mul', ['y', `${y}f`], [`${y}m`]),
            node('SequenceInsert', [`${y}s`, `${y}m`], [`${y}r`])],
        };
        this.add('Loop', [ends ? '' : this.number(trips), '', name], { body: { graph: body } }, [...rows, ...Array(trips).fill(2)]);
      },
      () => { // a branch that is known makes a longer sequence, the other one an empty sequence
        const y = this.fresh();
        const type = { type: 'float32', sequence: true };
        const branch = (result, nodes) => ({ graph: { inputs: {}, outputs: { [result]: type }, nodes } });
        const yes = branch(`${y}t`, [node('SequenceInsert', [name, 'x'], [`${y}t`])]);
        const no = branch(`${y}e`, [node('SequenceEmpty', [], [`${y}e`])]);
        const holds = this.random.chance(0.5);
        const condition = this.add('Cast', [this.number(holds ? 1 : 0)], { to: 9 });
        this.add('If', [condition], { then_branch: yes, else_branch: no }, holds ? [...rows, 7] : []);
      },
      () => { // each tensor, the one of another sequence, and y
        const y = this.fresh();
        const float = { type: 'float32' };
        const difference = this.computes // of a number that is 0 and has to be computed
          ? [node('NonZero', [`${y}a`], [`${y}n`]), node('Cast', [`${y}n`], [`${y}f`], { to: 1 }), node('Sub', [`${y}f`, `${y}f`], [`${y}z`]),
            node('ReduceSum', [`${y}z`], [`${y}s`], { keepdims: 0 }), node('Sub', [`${y}a`, `${y}b`], [`${y}d`]), node('Add', [`${y}d`, `${y}s`], [`${y}p`])]
          : [node('Sub', [`${y}a`, `${y}b`], [`${y}p`])];
        const body = {
          inputs: { [`${y}a`]: float, [`${y}b`]: float, [`${y}w`]: float },
          outputs: { [`${y}p`]: float, [`${y}q`]: float },
          nodes: [...difference, node('Concat', [`${y}a`, `${y}w`], [`${y}q`], { axis: 0 })],
        };
        const twice = this.add('SequenceMap', [name, name, 'y'], { body: { graph: body } }, rows);
        this.nodes.at(-1).outputs.push(`${twice}q`);
        this.sequences.push({ name: `${twice}q`, rows: rows.map((n) => n + 2) });
      },
      () => { // tensors of one shape are stacked, and unstacked again
        const parts = this.add('SplitToSequence', ['y'], { keepdims: 0, axis: this.random.integer(0, 1) });
        this.show(this.add('ConcatFromSequence', [parts], { axis: this.random.pick([0, 1, -1]), new_axis: 1 }));
      },
    ];
    this.random.pick(kinds)();
  }
}

function drawModel(random) {
  const drawing = new Drawing(random);
  drawing.split();
  for (let left = random.integer(3, 10); left > 0; left--) drawing.change();
  drawing.show('x');
  const inputs = { x: { type: 'float32', dims: [7, WIDTH] }, y: { type: 'float32', dims: [2, WIDTH] } };
  return modelBytes({ opset: 17, inputs, outputs: drawing.outputs, constants: drawing.constants, nodes: drawing.nodes });
}

async function judge(random, model) {
  fs.writeFileSync(model, drawModel(random));
  const steps = [{ x: floats(random, [7, WIDTH]), y: floats(random, [2, WIDTH]) }];
  const [want] = await expectSteps(model, steps);
  for (const backend of BACKENDS) {
    const [found] = runSteps(nnefc, work, model, steps, [`--backend=${backend}`]);
    const fault = difference(want, found, TOLERANCE, 1);
    if (fault) return `${backend}: ${fault}`;
  }
  return undefined;
}

judgeDrawn({ work, count, seed }, judge);
