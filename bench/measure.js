// measure.js - both sides of a network, started and run in turns
//
// What a machine gives changes from minute to minute by more than what is to be told: so both sides are
// measured right after each other, the ratio is taken of such pairs, and the median of these counts.
'use strict';

const fs = require('fs');

const { signalToNoise, worst } = require('../tests/onnxruntime/arrays.js');
const { provide, warm } = require('./prepare.js');
const { Side } = require('./side.js');

const BLOCK_MS = 250; // of runs of one side
const RUNS_MAX = 500;
const SLOW = 1.5; // times the best pace: the core of a run was shared
const CALM = 0.25; // of the runs of a block, at least

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Those pairs that nothing disturbed.
function undisturbed(all) {
  return all.filter(([a, b]) => a.clean && b.clean);
}

// The same, with the times of those runs only that had a core for themselves; a pair needs enough of them.
function calm(all) {
  const best = all.flat().flatMap(({ paces }) => paces).reduce((least, pace) => Math.min(least, pace), Infinity);
  const calmOf = (side) => side.times.filter((_, i) => side.paces[i] <= SLOW * best);
  return undisturbed(all)
    .filter((pair) => pair.every((side) => calmOf(side).length >= CALM * side.times.length))
    .map((pair) => pair.map((side) => ({ ...side, time: median(calmOf(side)) })));
}

// Pairs of measures in turns, each side first in every other one, until `judge` finds so many that nothing
// disturbed; if it finds none among `tries` times as many, all of them count.  `measure` is told the side, 0 or 1,
// and so is `prepare`, which is not watched.
async function pairs(wanted, watch, measure, { prepare = () => {}, judge = undisturbed, tries = 2 } = {}) {
  const all = [];
  let clean = [];
  while (clean.length < wanted && all.length < tries * wanted) {
    const order = all.length % 2 ? [1, 0] : [0, 1];
    const pair = [];
    for (const side of order) {
      await prepare(side);
      pair[side] = await watch.observe(() => measure(side));
    }
    all.push(pair);
    clean = judge(all);
  }
  return { pairs: clean.length > 0 ? clean : all, clean: clean.length, tried: all.length };
}

// What a number of the measures is on each side, and the median of its ratios, ours by theirs.
function ratioOf(measured, number) {
  const of = (side) => median(measured.pairs.map((pair) => number(pair[side])));
  return {
    theirs: of(0),
    ours: of(1),
    ratio: median(measured.pairs.map(([theirs, ours]) => number(ours) / number(theirs))),
    clean: measured.clean,
    tried: measured.tried,
  };
}

// The two programs for a network; theirs is the first.
class Contest {
  constructor(network, files, threads, programs) {
    const task = [String(threads), network.input, String(network.shape), files.numbers];
    const open = Object.entries(network.open || {}).map(([axis, name]) => `dim:${name}=${network.shape[axis]}`);
    // Otherwise ONNX Runtime's sums of products of bytes saturate on processors without VNNI; on others it costs time.
    if (network.quantized && !/ (avx_vnni|avx512_vnni)\b/.test(fs.readFileSync('/proc/cpuinfo', 'latin1'))) open.push('session.x64quantprecision=1');
    this.models = [files.onnx, files.ours];
    this.memory = programs.memory;
    this.start = [
      () => new Side(programs.theirs, [files.onnx, ...task, ...programs.theirSettings, ...open],
        programs.theirEnvironment),
      () => new Side(programs.ours, [files.ours, ...task, ...programs.ourSettings]),
    ];
    this.alone = threads === 1;
    this.sides = [];
  }

  // Time and memory of a start and a first run, of a model that the system has in its memory and, unless told
  // otherwise, with memory at hand; the last ones stay.
  async measureStarts(count, watch) {
    const prepare = async (side) => {
      if (this.sides[side]) await this.sides[side].close();
      const size = warm(this.models[side]);
      if (this.memory) provide(this.memory, size);
    };
    return pairs(count, watch, async (side) => {
      this.sides[side] = this.start[side]();
      const { name, version, backend, load, plan, first, peak, cpu } = await this.sides[side].ready();
      return { name, version, backend, peak, load, plan, first, total: load + plan + first, cpu: cpu / 1e9 };
    }, { prepare });
  }

  // How far our results are from theirs, and how near in decibels.
  async difference(folder, drops) {
    const [theirs, ours] = [await this.sides[0].results(`${folder}/theirs`), await this.sides[1].results(`${folder}/ours`)];
    return { apart: worst(theirs, ours, drops), decibels: signalToNoise(theirs, ours, drops) };
  }

  // How many runs of each side make a block.
  async countRuns(told) {
    const counts = [];
    for (const side of this.sides) {
      const { times } = await side.run(2);
      counts.push(told || Math.min(RUNS_MAX, Math.max(2, Math.ceil(BLOCK_MS / Math.min(...times)))));
    }
    return counts;
  }

  // Runs of one thread count if they had a core for themselves, unless processors are kept busy.
  async measureRuns(rounds, runs, watch) {
    const paced = this.alone && !watch.load;
    return pairs(rounds, watch, async (side) => {
      const { times, paces, cpu, peak } = await this.sides[side].run(runs[side], paced);
      return { time: median(times), times, paces, cpu, peak };
    }, paced ? { judge: calm, tries: 4 } : {});
  }

  async close() {
    for (const side of this.sides) await side.close();
  }

  kill() {
    this.sides.forEach((side) => side.kill());
  }
}

module.exports = { Contest, calm, median, pairs, ratioOf };
