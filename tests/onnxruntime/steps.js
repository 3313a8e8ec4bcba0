// steps.js - several steps of one model, in nnefc and in ONNX Runtime
'use strict';

const path = require('path');
const { execFileSync } = require('child_process');
const ort = require('onnxruntime-node');
const { writeNpy, readNpz } = require('./arrays.js');

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

module.exports = { runSteps, expectSteps };
