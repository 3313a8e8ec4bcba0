// agree.js NNEFC MODEL DATA WORK OPSET [OPTION...] - do nnefc and ONNX Runtime compute the same with a whole model?
//
// Converts MODEL, whose weights are in DATA, with these options, feeds both with the same random
// numbers, and compares all results within 1e-5 of the largest one. Prints how much they differ;
// exits with 1 if that is too much. State beside the model is fed, and fed back for some steps;
// variables are labelled by their names. OPTION --shape=X=2,3 is for nnefc: what is left open of X is so large.
'use strict';

const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');
const { random, writeNpy, readNpz, difference } = require('./arrays.js');

const TOLERANCE = 1e-5;
const STEPS = 3;

// What convert is told that run has to be told as well.
function forRun(options) {
  const shared = options.filter((option) => /^--(quant-file|shape)/.test(option));
  const ways = { '--quant=qdq': 'integers', '--quant=apply': 'apply' };
  const way = options.find((option) => ways[option]);
  return [...shared, `--quant=${way ? ways[way] : 'off'}`];
}

// By name of the input, what --shape=NAME=1,2,3 says.
function shapesOf(options) {
  const pairs = options.filter((option) => option.startsWith('--shape=')).map((option) => option.split('=').slice(1));
  return Object.fromEntries(pairs.map(([name, dims]) => [name, dims.split(',').map(Number)]));
}

// Beyond 'basic' pairs of QuantizeLinear and DequantizeLinear become arithmetic of integers, which is less exact.
function optimization(options) {
  return options.includes('--quant=qdq') ? 'basic' : 'all';
}

async function main([nnefc, model, data, work, opset, ...options]) {
  const onnx = path.join(work, 'model.onnx');
  const archive = path.join(work, 'results.npz');
  const stateFile = `${onnx}.state.npz`;
  fs.rmSync(stateFile, { force: true });
  const convert = options.filter((option) => !option.startsWith('--shape'));
  execFileSync(nnefc, ['convert', model, onnx, '--data', data, '--opset', opset, ...convert], { stdio: 'inherit' });
  const state = fs.existsSync(stateFile) ? readNpz(stateFile) : new Map();
  const session = await ort.InferenceSession.create(onnx, { graphOptimizationLevel: optimization(options), logSeverityLevel: 3 });
  const feeds = {};
  const shapes = shapesOf(options);
  const steps = state.size > 0 ? STEPS : 1;
  const args = ['run', model, '--data', data, '--quiet', '--steps', steps, '--output', archive, ...forRun(options)];
  for (const { name, shape } of session.inputMetadata) {
    if (state.has(name)) {
      const { data: first, dims } = state.get(name);
      feeds[name] = new ort.Tensor('float32', first, dims);
      continue;
    }
    const dims = shapes[name] || shape;
    const file = path.join(work, `${name}.npy`);
    feeds[name] = new ort.Tensor('float32', random(dims.reduce((n, x) => n * x, 1)), dims);
    writeNpy(file, feeds[name]);
    args.push('--input', `${name}=${file}`);
  }
  execFileSync(nnefc, args, { stdio: 'inherit' });
  let results;
  for (let step = 0; step < steps; step++) {
    results = await session.run(feeds);
    for (const name of state.keys()) feeds[name] = results[`${name}_out`];
  }
  for (const [name, expected] of readNpz(archive)) {
    const off = difference(expected.data, results[name].data);
    console.log(`${model}, opset ${opset} ${options.join(' ')}: '${name}' differs by ${off.toExponential(1)}`);
    if (!(off <= TOLERANCE)) process.exitCode = 1;
  }
}

main(process.argv.slice(2));
