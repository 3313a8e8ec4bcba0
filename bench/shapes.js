// shapes.js NNEFC PROGRAMS FOLDER LIBRARY - models that are open, in nnefc and in ONNX Runtime, in turns
//
// What is compared is processor time, with one thread: of steps of shapes that are drawn, planning included; of
// what a new shape costs besides computing; of the trips of a loop; and memory after many shapes.  PART=encoder,...
// measures some of it.  Streams of steps are measured ROUNDS times by new processes, and the median of the ratios
// counts, as in `make bench`.  The status is 1 if a ratio misses its bar.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const { ratioOf } = require('./measure.js');
const { Side } = require('./side.js');
const { NETWORKS, pathOf } = require('../tests/onnxruntime/in_use.js');

const [, programs, folder, library] = process.argv.slice(2);
const wanted = (process.env.PART || 'encoder,images,memory,new,loop').split(',');
const rounds = Number(process.env.ROUNDS || 5);
const rows = [];

// Numbers that are the same each time.
function drawing(seed) {
  let state = BigInt(seed);
  return (least, most) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return least + Number((state >> 33n) % BigInt(most - least + 1));
  };
}

function made(name) {
  const file = path.join(folder, `${name}.onnx`);
  if (!fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true });
    execFileSync('/usr/bin/python3', [path.join(__dirname, 'networks.py'), name, file]);
  }
  return file;
}

// Both sides, ready, with an input of the largest shape.
async function sides(model, input, largest) {
  const count = largest.reduce((product, extent) => product * extent, 1);
  const file = path.join(folder, 'shapes.input');
  const draw = drawing(1);
  const items = Float32Array.from({ length: count }, () => draw(-1000, 1000) / 1000);
  fs.writeFileSync(file, Buffer.from(items.buffer));
  const args = [model, '1', input, largest.join(','), file];
  const ours = new Side(path.join(programs, 'serve_nnefc'), [...args, 'open']);
  const theirs = new Side(path.join(programs, 'serve_onnxruntime'), args, { ORT_LIBRARY: library });
  await ours.ready();
  await theirs.ready();
  return [ours, theirs];
}

// Seconds of one step of that shape, with all that it takes.
async function step(side, shape) {
  const { cpu } = await side.command(`shape ${shape.join(',')}`);
  const run = await side.run(1);
  return { seconds: cpu / 1e9 + run.cpu, peak: run.peak };
}

function tell(name, value, must, text) {
  rows.push({ name, value, must });
  console.log(`${name.padEnd(58)} ${text.padStart(26)} ${value.toFixed(3).padStart(8)}  must ${must}` +
    `${value <= must ? '' : '  MISSED'}`);
}

// Results of the last step agree.
async function agree(ours, theirs) {
  const [a] = await ours.results(path.join(folder, 'shapes.a'));
  const [b] = await theirs.results(path.join(folder, 'shapes.b'));
  const largest = b.data.reduce((most, x) => Math.max(most, Math.abs(x)), 0.01);
  if (a.dims.join() !== b.dims.join() || a.data.some((x, i) => !(Math.abs(x - b.data[i]) <= 1e-4 * largest))) {
    throw new Error(`results differ: ${a.dims} and ${b.dims}`);
  }
}

// Steps of shapes in turns by new processes: the seconds of a step and the memory in the end, of either side.
async function round(model, input, shapes) {
  const largest = shapes[0].map((_, axis) => Math.max(...shapes.map((shape) => shape[axis])));
  const [ours, theirs] = await sides(model, input, largest);
  const pair = [theirs, ours].map((side) => ({ side, seconds: 0, peak: 0 }));
  for (const shape of shapes) {
    for (const measured of pair) {
      const { seconds, peak } = await step(measured.side, shape);
      measured.seconds += seconds / shapes.length;
      measured.peak = peak;
    }
    if (shape === shapes[0]) await agree(ours, theirs);
  }
  await agree(ours, theirs);
  await ours.close();
  await theirs.close();
  return pair;
}

async function stream(title, model, input, shapes, bars) {
  const pairs = [];
  for (let i = 0; i < rounds; i++) pairs.push(await round(model, input, shapes));
  const time = ratioOf({ pairs }, ({ seconds }) => 1000 * seconds);
  tell(`${title}: time`, time.ratio, bars.time, `${time.ours.toFixed(2)} and ${time.theirs.toFixed(2)} ms`);
  if (bars.memory) {
    const memory = ratioOf({ pairs }, ({ peak }) => peak / 1e6);
    tell(`${title}: memory`, memory.ratio, bars.memory, `${memory.ours.toFixed(0)} and ${memory.theirs.toFixed(0)} MB`);
  }
}

// What a new shape costs besides computing, in microseconds for each operation.
async function fresh(title, model, shapes, operations) {
  const [ours, theirs] = await sides(model, 'input', shapes[0].map((_, axis) => Math.max(...shapes.map((s) => s[axis]))));
  const costs = [];
  for (const shape of shapes) {
    const first = (await step(ours, shape)).seconds;
    const later = Math.min((await ours.run(1)).cpu, (await ours.run(1)).cpu, (await ours.run(1)).cpu);
    costs.push(1e6 * (first - later) / operations);
  }
  costs.sort((a, b) => a - b);
  const median = costs[costs.length >> 1];
  tell(`${title}: a new shape, microseconds an operation`, median, 10, `${(median * operations / 1000).toFixed(2)} ms`);
  await ours.close();
  await theirs.close();
}

async function main() {
  const draw = drawing(7);
  if (wanted.includes('encoder')) {
    const shapes = Array.from({ length: 400 }, () => [1, draw(8, 128), 256]);
    await stream('encoder of 4 layers, 400 runs of 8 to 128 tokens', made('bertopen'), 'input', shapes, { time: 0.72 });
  }
  if (wanted.includes('images')) {
    const shapes = Array.from({ length: 60 }, () => [1, 3, 32 * draw(5, 20), 32 * draw(5, 20)]);
    await stream('PP-OCRv4 det, 60 sizes of 160 to 640', pathOf(NETWORKS.find(({ file }) => file.endsWith('PP-OCRv4_det_infer.onnx'))), 'x', shapes,
      { time: 0.8, memory: 0.6 });
  }
  if (wanted.includes('new')) {
    await fresh('encoder of 4 layers', made('bertopen'), Array.from({ length: 40 }, (_, i) => [1, 20 + 2 * i, 256]), 125);
    await fresh('MobileNet v2', made('mobileopen'), Array.from({ length: 40 }, (_, i) => [1, 3, 96 + 4 * i, 128]), 100);
  }
  if (wanted.includes('memory')) {
    const [ours, theirs] = await sides(made('mobileopen'), 'input', [1, 3, 96, 96]);
    let before = 0;
    let peak = 0;
    for (let i = 0; i < 10000; i++) {
      ({ peak } = await step(ours, [1, 3, draw(32, 96), draw(32, 96)]));
      if (i === 999) before = peak;
    }
    tell('MobileNet v2: memory of 10,000 sizes by that of 1,000', peak / before, 1.02, `${(before / 1e6).toFixed(1)} and ${(peak / 1e6).toFixed(1)} MB`);
    await ours.close();
    await theirs.close();
  }
  if (wanted.includes('loop')) {
    await stream('a loop of 10,000 trips of one addition', made('loop'), 'input', Array.from({ length: 10 }, () => [1]), { time: 0.5 });
  }
  process.exitCode = rows.some((row) => !(row.value <= row.must)) ? 1 : 0;
}

// The sides go with this process.
main().catch((error) => { console.error(`bench-shapes: ${error.message}`); process.exit(2); });
