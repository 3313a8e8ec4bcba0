// emit.js NNEFC PROGRAMS FOLDER - networks as C beside the portable backend: time, memory, and what it takes to make them
//
// Both sides run in turns with one thread, and the ratio is that of the least processor time of a run on either side: that
// repeats within a few percent while others use the machine.  PROGRAMS has what `make` builds of this folder and of tools/.
// NETWORKS='digits blazeface' measures some, ROUNDS is the number of turns.  The status is 1 if a ratio misses its bar.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync, spawnSync } = require('child_process');
const { TOLERANCE, networksOf } = require('./catalogue.js');
const { prepare } = require('./prepare.js');
const { Side } = require('./side.js');
const { difference, random } = require('../tests/onnxruntime/arrays.js');

const [, programs, folder] = process.argv.slice(2);
const nnefc = path.resolve(process.argv[2]);
const ROUNDS = Number(process.env.ROUNDS || 12);
const BLOCK_MS = 100; // of runs of one side
const here = path.join(folder, 'emit');
const NATIVE = ['-O3', '-march=native'];
const V3 = ['-O3', '-march=x86-64-v3'];

const DIGITS = {
  name: 'digits',
  title: 'digits',
  input: 'image',
  shape: [1, 1, 8, 8],
  path: path.join(__dirname, '../examples/nnef/digits'),
  numbers: () => random(64, 1),
};
const NETWORKS = [
  DIGITS,
  ...['mobilenetv2', 'mobilenetv2-int8', 'blazeface', 'squeezenet11', 'resnet50'].map((name) => networksOf(name)[0]),
];
// Of the time of the portable backend; v3: of that of its kernels for AVX2, by C for such processors.
const BARS = {
  digits: { run: [2.6, 1.5], arena: [12288, 12288] },
  mobilenetv2: {
    run: [1.3, 1.1],
    v3: [1, 0.85],
    onnx2c: [0.1, 0.05],
    clang: [1.25, 1.1],
    compile: [5, 2],
    m7: [16384, 10240],
    arena: [6824000, 1.6e6],
    small: [1.6e6, 0.8e6],
    write: [0.2, 0.1],
    arrays: [2.5, 1],
  },
  // Both sides have products of quads of bytes with AVX-512 VNNI, C only then.
  'mobilenetv2-int8': { run: [6.5, 2], arena: [1.6e6, 1.6e6] },
  blazeface: { run: [1.15, 1], v3: [1, 0.85], onnx2c: [0.1, 0.05], compile: [6, 2] },
  squeezenet11: { run: [2, 1.4] },
  resnet50: { run: [2, 1.4] },
};
const rows = [];

// A row with a bar; [must, aim] of at most.
function tell(what, value, [must, aim], text = '') {
  const met = value <= aim ? 'aim' : value <= must ? 'must' : '**missed**';
  const number = (x) => (x >= 1000 ? String(x) : x.toPrecision(3));
  rows.push([what, text, number(value), number(must), number(aim), met]);
  console.error(`${what}: ${number(value)} ${text} ${met}`);
}

function omit(what, why) {
  rows.push([what, why, '', '', '', 'not measured']);
  console.error(`${what}: ${why}`);
}

function has(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

// Seconds of the processor that a command takes, the least of three.
function secondsOf(command, args) {
  const measure = path.join(programs, '../tools/measure');
  const once = () => execFileSync(measure, ['1', command, ...args],
    { encoding: 'latin1', stdio: ['ignore', 'pipe', 'inherit'] });
  return Math.min(...[1, 2, 3].map(() => Number(once().trim().split('\n').pop().split(' ')[0])));
}

// --- programs of emitted C ---

function emit(network, files, name, options = []) {
  const target = path.join(here, `${name}.c`);
  const args = ['emit-c', files.ours, '-o', target, '--prefix=net', '--force', '--json', ...options];
  if (network.open || network.path) args.push(`--shape=${network.input}=${network.shape}`);
  const summary = JSON.parse(execFileSync(nnefc, args, { encoding: 'utf8' }));
  return { target, args, summary };
}

// The file that says how emitted.c calls it.
function writeCaller(name, header, items, run) {
  const file = path.join(here, `${name}_caller.c`);
  fs.writeFileSync(file, `#include "emitted.h"\n${header}\nconst int emitted_results = ${items.length};\n`
    + `const int64_t emitted_items[] = {${items}};\n`
    + `int emitted_run(const void *weights, const float *input, float *const r[])\n{\n    (void)weights;\n    ${run}\n}\n`);
  return file;
}

// Results stand behind the inputs in the header.
function callerOf(name) {
  const header = fs.readFileSync(path.join(here, `${name}.h`), 'latin1');
  const items = [...header.matchAll(/_ITEMS (\d+)/g)].slice(1).map(([, count]) => count);
  return writeCaller(name, `#include "${name}.h"`, items,
    `return net_run(weights, input, ${items.map((_, i) => `r[${i}]`).join(', ')});`);
}

function build(program, compiler, flags, target, caller) {
  const object = `${program}.o`;
  execFileSync(compiler, [...flags, '-c', target, '-o', object]);
  const parts = ['emitted.o', 'serve.o'].map((name) => path.join(programs, name));
  execFileSync('gcc', ['-O1', `-I${__dirname}`, `-I${here}`, caller, object, ...parts, '-lm', '-o', program]);
  return program;
}

// Bytes of code and tables for a small processor, without weights.
function codeOf(target) {
  const object = target.replace(/c$/, 'm7.o');
  execFileSync('arm-none-eabi-gcc', ['-mcpu=cortex-m7', '-mthumb', '-mfloat-abi=hard', '-mfpu=fpv5-d16', '-Os', '-DNET_SMALL',
    '-c', target, '-o', object]);
  return Number(execFileSync('arm-none-eabi-size', [object], { encoding: 'utf8' }).split('\n')[1].trim().split(/\s+/)[0]);
}

// --- turns ---

function start(program, network, model, files, settings = [], env = {}) {
  return new Side(program, [model, '1', network.input, String(network.shape), files.numbers, ...settings], env);
}

async function resultsOf(side, name) {
  return (await side.results(path.join(here, name))).map(({ data }) => data);
}

// The least milliseconds of a run on each side.
async function leastOf(sides) {
  const runs = [];
  const least = sides.map(() => Infinity);
  await Promise.all(sides.map((side) => side.ready()));
  const results = [await resultsOf(sides[0], 'a.f32'), await resultsOf(sides[1], 'b.f32')];
  const apart = Math.max(...results[0].map((data, i) => difference(data, results[1][i])));
  if (!(apart <= TOLERANCE)) throw new Error(`results differ by ${apart} of the largest number`);
  for (const side of sides) {
    const one = Math.min(...(await side.run(2)).used);
    runs.push(Math.min(500, Math.max(2, Math.ceil(BLOCK_MS / one))));
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < sides.length; i++) least[i] = Math.min(least[i], ...(await sides[i].run(runs[i])).used);
  }
  for (const side of sides) await side.close();
  return least;
}

async function compare(what, sides, bars) {
  const [theirs, ours] = await leastOf(sides);
  tell(what, ours / theirs, bars, `${ours.toPrecision(3)} and ${theirs.toPrecision(3)} ms`);
}

// --- networks ---

async function againstOnnx2c(network, files, ours, weights) {
  const source = path.join(here, `${network.name}_onnx2c.c`);
  const text = execFileSync('onnx2c', [files.onnx], { encoding: 'latin1', maxBuffer: 2 ** 31 - 1 });
  const [, parameters] = text.match(/void entry\(([^)]*)\)/);
  const results = [...parameters.matchAll(/(const )?float \w+((?:\[\d+\])+)/g)].filter(([, fixed]) => !fixed);
  const items = results.map(([, , extents]) => extents.match(/\d+/g).reduce((product, extent) => product * extent, 1));
  fs.writeFileSync(source, text);
  const caller = writeCaller(`${network.name}_onnx2c`, 'void entry();', items,
    `entry(input, ${items.map((_, i) => `r[${i}]`).join(', ')}); return 0;`);
  const theirs = build(path.join(here, `${network.name}_onnx2c`), 'gcc', NATIVE, source, caller);
  const sides = [theirs, ours].map((program) => start(program, network, weights, files));
  await compare(`${network.title} / onnx2c`, sides, BARS[network.name].onnx2c);
}

async function measure(network) {
  const { name, title } = network;
  const bars = BARS[name];
  const files = prepare(network, folder, nnefc);
  const { target, args, summary } = emit(network, files, name, ['--weights=file']);
  const weights = target.replace(/c$/, 'bin');
  const caller = callerOf(name);
  const program = (suffix, compiler, flags) => build(path.join(here, `${name}${suffix}`), compiler, flags, target, caller);
  const ours = program('', 'gcc', NATIVE);
  const portable = (env) => start(path.join(programs, 'serve_nnefc'), network, files.ours, files, ['backend=portable'], env);

  await compare(`${title} / portable`, [portable(), start(ours, network, weights, files)], bars.run);
  if (bars.v3 && process.arch === 'x64') {
    const v3 = program('_v3', 'gcc', V3);
    const sides = [portable({ NNEFC_KERNELS: 'avx2' }), start(v3, network, weights, files)];
    await compare(`${title}, x86-64-v3 / portable of AVX2`, sides, bars.v3);
  }
  if (bars.clang && has('clang')) {
    const clang = program('_clang', 'clang', NATIVE);
    const sides = [ours, clang].map((each) => start(each, network, weights, files));
    await compare(`${title}, clang / gcc`, sides, bars.clang);
  } else if (bars.clang) omit(`${title}, clang / gcc`, 'clang is not here');
  if (bars.onnx2c && has('onnx2c')) await againstOnnx2c(network, files, ours, weights);
  else if (bars.onnx2c) omit(`${title} / onnx2c`, 'onnx2c is not here');
  if (bars.m7 && has('arm-none-eabi-gcc')) tell(`${title}, Cortex-M7, -Os: code, bytes`, codeOf(target), bars.m7);
  else if (bars.m7) omit(`${title}, Cortex-M7, -Os: code, bytes`, 'arm-none-eabi-gcc is not here');
  if (bars.arena) tell(`${title}: arena, bytes`, summary.arena, bars.arena);
  if (bars.small) {
    const options = ['--small', '--layout=channels-last', '--weights=file'];
    const small = emit(network, files, `${name}_small`, options).summary;
    tell(`${title}, --small --layout=channels-last: arena, bytes`, small.arena, bars.small);
  }
  if (bars.write) tell(`${title}: to write it, weights in a file, s`, secondsOf(nnefc, args), bars.write);
  if (bars.arrays) {
    const arrays = emit(network, files, `${name}_arrays`);
    tell(`${title}: to write it, weights as arrays, s`, secondsOf(nnefc, arrays.args), bars.arrays);
  }
  if (bars.compile) {
    const seconds = secondsOf('gcc', [...NATIVE, '-c', target, '-o', path.join(here, 'compiled.o')]);
    tell(`${title}: gcc -O3, weights apart, s`, seconds, bars.compile);
  }
}

async function main() {
  const wanted = (process.env.NETWORKS || '').split(/\s+/).filter((name) => name);
  const unknown = wanted.filter((name) => !BARS[name]);
  if (unknown.length > 0) throw new Error(`there is no network '${unknown[0]}'; there are ${Object.keys(BARS).join(', ')}`);
  fs.mkdirSync(here, { recursive: true });
  for (const network of NETWORKS) {
    if (wanted.length === 0 || wanted.includes(network.name)) await measure(network);
  }
  const heads = ['what', 'times', 'result', 'must', 'aim', 'met'];
  const rule = heads.map((_, i) => (i < 2 ? '---' : '---:'));
  console.log([heads, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n'));
  process.exitCode = rows.some((row) => row[5] === '**missed**') ? 1 : 0;
}

// The sides go with this process.
main().catch((error) => { console.error(`bench-emit: ${error.message}`); process.exit(2); });
