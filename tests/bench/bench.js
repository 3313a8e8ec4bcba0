// bench.js - what `make bench` makes of measures: pairs, ratios, verdicts, tables
'use strict';

const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { networksOf } = require('../../bench/catalogue.js');
const { calm, median, pairs, ratioOf } = require('../../bench/measure.js');
const { warm } = require('../../bench/prepare.js');
const { report, sumUp } = require('../../bench/report.js');
const { Side, fields } = require('../../bench/side.js');
const { signalToNoise, worst } = require('../onnxruntime/arrays.js');

// A watch that finds those measures disturbed whose numbers are listed, counted from 0.
function watchFor(disturbed) {
  let count = 0;
  return {
    async observe(work) {
      const clean = !disturbed.includes(count++);
      return { ...await work(), clean };
    },
  };
}

const tests = {
  'one NaN, or an infinity on one side, is beyond any tolerance, wherever it is': () => {
    const all = (...lists) => lists.map((data) => ({ data, dims: [data.length] }));
    assert.strictEqual(worst(all([1, 2], [3]), all([1, 2], [3])), 0);
    assert.strictEqual(worst(all([1, 2], [3]), all([1, 1], [3])), 0.5);
    for (const wrong of [all([NaN, 2], [3]), all([1, NaN], [3]), all([1, 2], [NaN]), all([Infinity, 2], [3])]) {
      assert.strictEqual(worst(all([1, 2], [3]), wrong), Infinity);
      assert.strictEqual(worst(wrong, all([1, 2], [3])), Infinity);
      assert.strictEqual(worst(wrong, wrong), 0);
    }
    assert.strictEqual(worst(all([0, 2], [3]), all([NaN, 2], [3]), 1), Infinity);
    assert.strictEqual(worst(all([Infinity, 4]), all([-Infinity, 4])), Infinity);
    assert.strictEqual(worst(all([Infinity, 4]), all([Infinity, 3])), 0.25);
  },

  'the signal to noise is that of the worst result, and without noise it is infinite': () => {
    const all = (...lists) => lists.map((data) => ({ data, dims: [data.length] }));
    assert.strictEqual(signalToNoise(all([3, 4], [10]), all([3, 4], [9])), 20);
    assert.strictEqual(signalToNoise(all([30, 40], [10]), all([30, 45], [10])), 20);
    assert.strictEqual(signalToNoise(all([3, 4]), all([3, 4])), Infinity);
    assert.strictEqual(signalToNoise(all([3, 0]), all([3, 2]), 1), Infinity);
    assert.ok(!(signalToNoise(all([3, 4]), all([3, NaN])) >= 0));
  },

  'the median is in the middle': () => {
    assert.strictEqual(median([3, 1, 2]), 2);
    assert.strictEqual(median([4, 1, 3, 2]), 2.5);
    assert.strictEqual(median([10, 9, 100]), 10);
  },

  'each side is first in every other pair': async () => {
    const order = [];
    await pairs(3, watchFor([]), async (side) => { order.push(side); return { time: 1 }; });
    assert.deepStrictEqual(order, [0, 1, 1, 0, 0, 1]);
  },

  'a pair is dropped if one of its halves was disturbed': async () => {
    let time = 0;
    const measured = await pairs(3, watchFor([1, 4]), async () => ({ time: time++ }));
    assert.deepStrictEqual([measured.clean, measured.tried], [3, 5]);
    assert.deepStrictEqual(measured.pairs.map((pair) => pair.map((side) => side.time)), [[3, 2], [7, 6], [8, 9]]);
  },

  'runs on a core that is shared do not count, by the best pace of all pairs and both sides': () => {
    const block = (times, paces, clean = true) => ({ times, paces, clean });
    const first = [block([7, 9, 6, 8], [6, 6, 4, 6]), block([5, 9, 9, 9], [4, 6, 6, 6])];
    const second = [block([7, 5], [3, 3]), block([3, 4], [3, 4])];
    const times = (all) => calm(all).map((pair) => pair.map(({ time }) => time));
    assert.deepStrictEqual(times([first]), [[7.5, 9]]); // until another pair was faster
    assert.deepStrictEqual(times([first, second]), [[6, 5], [6, 3.5]]);
    assert.deepStrictEqual(times([second, [block([1, 1, 1, 1, 1], [3, 6, 6, 6, 6]), block([2], [3])]]), [[6, 3.5]]);
    assert.deepStrictEqual(times([second, [block([1], [3], false), block([2], [3])]]), [[6, 3.5]]);
  },

  'each half is prepared': async () => {
    const order = [];
    await pairs(1, watchFor([]), async (side) => order.push(`measure ${side}`), { prepare: (side) => order.push(`prepare ${side}`) });
    assert.deepStrictEqual(order, ['prepare 0', 'measure 0', 'prepare 1', 'measure 1']);
  },

  'no more than so many times the wanted pairs are tried': async () => {
    const measured = await pairs(1, watchFor([]), async () => ({ time: 1 }), { judge: () => [], tries: 4 });
    assert.deepStrictEqual([measured.clean, measured.tried, measured.pairs.length], [0, 4, 4]);
  },

  'if all are disturbed all count, and it ends': async () => {
    const all = Array.from({ length: 100 }, (_, i) => i);
    const measured = await pairs(3, watchFor(all), async () => ({ time: 1 }));
    assert.deepStrictEqual([measured.clean, measured.tried, measured.pairs.length], [0, 6, 6]);
  },

  'the ratio is the median of those of pairs, not that of medians': () => {
    const measured = { pairs: [[{ t: 10 }, { t: 5 }], [{ t: 20 }, { t: 18 }], [{ t: 40 }, { t: 30 }]], clean: 3, tried: 3 };
    const { theirs, ours, ratio } = ratioOf(measured, ({ t }) => t);
    assert.deepStrictEqual([theirs, ours, ratio], [20, 18, 0.75]);
  },

  'fields of a line are numbers where they look so': () => {
    assert.deepStrictEqual(fields('ready name=a version=1.2.3 load=1.5 peak=7'),
      { name: 'a', version: '1.2.3', load: 1.5, peak: 7 });
  },

  'networks are found by name, and what is unknown is refused': () => {
    assert.deepStrictEqual(networksOf(' vgg16  blazeface ').map(({ name }) => name), ['vgg16', 'blazeface']);
    assert.ok(networksOf('').length > 8);
    assert.throws(() => networksOf('vgg61'), /no network 'vgg61'/);
  },

  'all files of a model are read, and their bytes counted': () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-'));
    try {
      fs.mkdirSync(path.join(folder, 'inner'));
      fs.writeFileSync(path.join(folder, 'empty'), '');
      fs.writeFileSync(path.join(folder, 'small'), Buffer.alloc(5));
      fs.writeFileSync(path.join(folder, 'inner', 'large'), Buffer.alloc((3 << 20) + 1));
      assert.strictEqual(warm(folder), (3 << 20) + 6);
      assert.strictEqual(warm(path.join(folder, 'small')), 5);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  },

  'a program that ends is no answer, but a fault with what it said': async () => {
    const side = new Side('sh', ['-c', 'echo why it ended >&2']);
    await assert.rejects(side.ready(), /why it ended/);
    await assert.rejects(new Side('/no/such/program', []).ready(), /no\/such\/program/);
  },

  'verdicts stand in the table, and each is counted': () => {
    const [network] = networksOf('vgg16');
    const measured = (ratio, clean = 8) => ({ theirs: 200, ours: 200 * ratio, ratio, clean, tried: 8 });
    const result = {
      network,
      threads: 1,
      macs: 10e9,
      apart: 1e-6,
      decibels: 120,
      run: measured(0.6),
      start: measured(0.25),
      memory: { ...measured(0.9), theirs: 100 * 2 ** 20, ours: 90 * 2 ** 20 },
      busy: measured(1.2, 3),
    };
    assert.deepStrictEqual(sumUp([result]), { aim: 1, must: 2, missed: 1 });
    const text = report({ results: [result], about: [['machine', 'one']], peaks: { 1: 250 } });
    assert.ok(text.includes('| VGG-16 | 1 | 200 | 120 | 0.600 | 0.62 | 0.50 | must | 167 | 67 % | 1e-6 | 8 |'), text);
    assert.ok(text.includes('| VGG-16 | 1 | 200 | 50.0 | 0.250 | aim | 100 | 90.0 | 0.900 | **missed** | 8 |'), text);
    assert.ok(text.includes('| VGG-16 | 1 | 200 | 240 | 1.200 | must | 3 of 8 |'), text);
    assert.ok(text.includes('- machine: one'), text);
    assert.ok(!text.includes('of our floats'), text);
    const [bytes] = networksOf('blazeface-int8');
    const own = report({ results: [{ ...result, network: bytes, own: measured(0.5) }], about: [], peaks: {} });
    assert.ok(own.includes('| 120 dB | 8 |'), own);
    assert.ok(own.includes('| BlazeFace back, 8 bits | 1 | 200 | 100 | 0.500 | 0.65 | 0.45 | must | 8 |'), own);
    assert.deepStrictEqual(sumUp([{ ...result, own: measured(0.5), network: bytes }]), { aim: 1, must: 2, missed: 2 });
  },
};

async function main() {
  for (const [sentence, test] of Object.entries(tests)) {
    try {
      await test();
    } catch (error) {
      console.error(`${sentence}: ${error.message}`);
      process.exitCode = 1;
    }
  }
}

main();
