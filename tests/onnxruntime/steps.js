// steps.js - several steps of one model, in nnefc and in ONNX Runtime
'use strict';

const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');
const { writeNpy, readNpz } = require('./arrays.js');
const { generator } = require('./random_model.js');

// The results of each step of nnefc, by name; each step gives inputs by name, and keeps the others.
function runSteps(nnefc, work, model, steps, options) {
  const archive = path.join(work, 'results.npz');
  const feeds = steps.flatMap((inputs, step) => Object.entries(inputs).flatMap(([name, items]) => {
    const file = path.join(work, `${step}.${name}.npy`);
    writeNpy(file, items);
    return ['-i', `${name}=${file}`];
  }));
  execFileSync(nnefc, ['run', model, '--quiet', '--message-format=short', '-o', archive, ...feeds, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const file = (step) => (steps.length > 1 ? path.join(work, `results.${step + 1}.npz`) : archive);
  return steps.map((_, step) => readNpz(file(step)));
}

const feedsOf = (inputs) => Object.fromEntries(Object.entries(inputs).map(([name, { type, dims, data }]) => [name, new ort.Tensor(type, data, dims)]));

// The same by ONNX Runtime, of a file or of bytes; `state` has the result that becomes an input, by the input.
async function expectSteps(model, steps, state = {}, first = {}) {
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 4 });
  const all = [];
  let former = feedsOf(first);
  for (const inputs of steps) {
    const results = await session.run({ ...former, ...feedsOf(inputs) });
    all.push(new Map(session.outputNames.map((name) => [name, results[name]])));
    former = Object.fromEntries(Object.entries(state).map(([input, output]) => [input, results[output]]));
  }
  await session.release();
  return all;
}

// Judges models 1 to `count`, or model ONLY alone, each drawn by numbers of its own: judge(random, file) says what is wrong.
async function judgeDrawn({ work, count, seed }, judge) {
  const only = Number(process.env.ONLY);
  let [passed, failed] = [0, 0];
  for (let number = only || 1; number <= (only || count); number++) {
    let fault;
    try {
      fault = await judge(generator(1000 * seed + number), path.join(work, 'model.onnx'));
    } catch (error) {
      fault = String(error.stderr || error.message).split('\n')[0];
    }
    if (fault) console.log(`${number}: ${fault}`);
    passed += fault ? 0 : 1;
    failed += fault ? 1 : 0;
  }
  console.log(`${passed} passed, ${failed} failed, 0 skipped`);
  process.exitCode = failed ? 1 : 0;
}

module.exports = { runSteps, expectSteps, judgeDrawn };
