// open_networks.js NNEFC WORK [TEXT] - does one model give for each shape what a model of that shape alone gives?
//
// Networks are those of networks/ that leave extents open, or of which the file has that text. Each takes five shapes
// that are drawn, in an order that is drawn and with some of them again, by both backends, with one thread and with
// four, and keeps 1, 2 or 64 graphs. Results have to be those of a fresh model with --shape, bit by bit.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const { writeNpy, readNpz } = require('./arrays.js');
const { generator, tensor } = require('./random_model.js');
const { NETWORKS, DRAWN, pathOf } = require('./in_use.js');

const [nnefc, work, text = ''] = process.argv.slice(2);
const SHAPES = 5;
const STEPS = 8;
const WAYS = ['portable', 'reference'].flatMap((backend) => [1, 4].map((threads) => [`--backend=${backend}`, `--threads=${threads}`]));

function run(model, options) {
  execFileSync(nnefc, ['run', model, '--quiet', '--message-format=short', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
}

function sameBytes(a, b) {
  return a.size === b.size && [...a].every(([name, x]) => {
    const y = b.get(name);
    return y && x.dims.join() === y.dims.join() && Buffer.compare(Buffer.from(x.data.buffer, x.data.byteOffset, x.data.byteLength),
      Buffer.from(y.data.buffer, y.data.byteOffset, y.data.byteLength)) === 0;
  });
}

// Files of numbers for each shape, and of what is known.
function write(network, shapes, random) {
  const files = shapes.map((shape, number) => Object.entries(shape).map(([name, dims]) => {
    const file = path.join(work, `${number}.${name}.npy`);
    const data = network.numbers(dims).map((x) => x * (0.99 + random.integer(0, 20) / 1000));
    writeNpy(file, { type: 'float32', dims, data });
    return [name, file];
  }));
  const known = Object.entries(network.known || {}).map(([name, data]) => {
    const file = path.join(work, `${name}.npy`);
    writeNpy(file, tensor('int64', [], () => data[0]));
    return ['-i', `${name}=${file}`];
  });
  return { feeds: files.map((list) => list.flatMap(([name, file]) => ['-i', `${name}=${file}`])), known: known.flat() };
}

function judge(network) {
  const model = pathOf(network);
  const random = generator(31);
  const draw = (least, most) => random.integer(least, most);
  const shapes = Array.from({ length: SHAPES }, () => DRAWN[path.basename(model)](draw));
  const order = Array.from({ length: STEPS }, (_, i) => (i < SHAPES ? i : draw(0, SHAPES - 1)));
  for (let i = order.length - 1; i > 0; i--) {
    const k = draw(0, i);
    [order[i], order[k]] = [order[k], order[i]];
  }
  const { feeds, known } = write(network, shapes, random);
  const archive = path.join(work, 'results.npz');
  let wrong = 0;
  for (const way of WAYS) {
    const expected = shapes.map((shape, i) => {
      run(model, [...way, ...feeds[i], ...known, '-o', archive, ...Object.entries(shape).map(([name, dims]) => `--shape=${name}=${dims}`)]);
      return readNpz(archive);
    });
    for (const plans of [1, 2, 64]) {
      run(model, [...way, `--limit=plans=${plans}`, ...order.flatMap((i) => feeds[i]), ...known, '-o', archive]);
      const at = order.findIndex((i, step) => !sameBytes(expected[i], readNpz(path.join(work, `results.${step + 1}.npz`))));
      if (at >= 0) console.log(`${network.file}: ${way.join(' ')}, ${plans} plans: step ${at + 1} differs from that of a fresh model`);
      wrong += at >= 0 ? 1 : 0;
    }
  }
  return wrong === 0;
}

let [passed, failed] = [0, 0];
for (const network of NETWORKS.filter(({ file, shapes }) => shapes && file.includes(text))) {
  let ok = false;
  try {
    ok = judge(network);
  } catch (error) {
    console.log(`${network.file}: ${String(error.stderr || error.message).split('\n')[0]}`);
  }
  passed += ok ? 1 : 0;
  failed += ok ? 0 : 1;
}
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed ? 1 : 0;
