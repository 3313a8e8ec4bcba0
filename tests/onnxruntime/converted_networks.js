// converted_networks.js NNEFC WORK [TEXT] - does a network whose extents nnefc keeps open compute the same in ONNX Runtime?
//
// Networks are those of networks/ that leave extents open, or of which the file has that text. nnefc converts each to
// ONNX, and ONNX Runtime computes both models for shapes that are drawn; results agree within 1e-4 of the largest number.
'use strict';

const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');
const { writeNpy, worst } = require('./arrays.js');
const { generator, tensor } = require('./random_model.js');
const { NETWORKS, DRAWN, pathOf } = require('./in_use.js');

const [nnefc, work, text = ''] = process.argv.slice(2);
const SHAPES = 4;
const TOLERANCE = 1e-4;

// Axes without a name that have to be equal.
const NAMED = {
  'silero_vad_legacy.onnx': ['input:0=batch', 'h:1=batch', 'c:1=batch'],
  'silero_vad_v5.onnx': ['input:0=batch', 'state:1=batch'],
  'silero_vad_v6.onnx': ['input:0=batch', 'state:1=batch'],
};

function convert(network, model, target) {
  const known = Object.entries(network.known || {}).map(([name, data]) => {
    const file = path.join(work, `${name}.npy`);
    writeNpy(file, tensor('int64', [], () => data[0]));
    return `--bind=${name}=${file}`;
  });
  const named = (NAMED[path.basename(model)] || []).map((axis) => `--dynamic=${axis}`);
  execFileSync(nnefc, ['convert', model, target, '--force', '--quiet', ...known, ...named], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function judge(network) {
  const model = pathOf(network);
  const target = path.join(work, 'converted.onnx');
  convert(network, model, target);
  const sides = await Promise.all([model, target].map((file) => ort.InferenceSession.create(file, { logSeverityLevel: 3 })));
  const random = generator(53);
  for (let i = 0; i < SHAPES; i++) {
    const shapes = DRAWN[path.basename(model)]((least, most) => random.integer(least, most));
    const feeds = Object.fromEntries(Object.entries(shapes).map(([name, dims]) => (
      [name, new ort.Tensor('float32', Float32Array.from(network.numbers(dims)), dims)])));
    const known = Object.fromEntries(Object.entries(network.known || {}).map(([name, data]) => (
      [name, new ort.Tensor('int64', data, [])])));
    const expected = Object.values(await sides[0].run({ ...feeds, ...known }));
    const found = Object.values(await sides[1].run(feeds));
    const apart = worst(expected, found);
    if (!(apart <= TOLERANCE)) throw new Error(`${JSON.stringify(shapes)}: results are ${apart} apart`);
  }
}

async function main() {
  let [passed, failed] = [0, 0];
  for (const network of NETWORKS.filter(({ file, shapes }) => shapes && file.includes(text))) {
    try {
      await judge(network);
      passed += 1;
    } catch (error) {
      console.log(`${network.file}: ${String(error.stderr || error.message).split('\n')[0]}`);
      failed += 1;
    }
  }
  console.log(`${passed} passed, ${failed} failed, 0 skipped`);
  process.exitCode = failed ? 1 : 0;
}

main();
