// random_judge.js - judges random models against what ONNX Runtime computes
//
// The command line of the tests that use it is NNEFC WORK [COUNT [SEED]].
'use strict';

const fs = require('fs');
const path = require('path');
const { generator, volume, difference, runOnnxRuntime, runNnefc, convertByNnefc } = require('./random_model.js');

// What ONNX Runtime computes; undefined if it does not, or nothing or too much.
async function expectedOf(bytes, model, largest) {
  try {
    const expected = await runOnnxRuntime(bytes, model.inputs);
    const fits = [...expected.values()].every(({ dims }) => volume(dims) <= largest);
    return fits ? expected : undefined;
  } catch (error) {
    return undefined;
  }
}

// Faults, each with who computed it: nnefc, its reference, ONNX Runtime after conversion, nnefc after one to NNEF and back.
async function judge({ nnefc, work, toleranceOf }, { name, bytes, inputs, expected, options = [], profile }) {
  const file = path.join(work, name);
  const again = path.join(work, 'again.onnx');
  const document = path.join(work, 'document.tar');
  const faults = [];
  const note = (who, what) => what && faults.push(`${who}: ${what}`);
  fs.writeFileSync(file, bytes);
  for (const [who, choice] of [['nnefc', []], ['reference', ['--backend=reference', '--raw']]]) {
    const { refused, results } = runNnefc(nnefc, work, file, inputs, choice);
    note(who, refused || difference(expected, results, toleranceOf(inputs)));
  }
  const { refused } = convertByNnefc(nnefc, file, again, options);
  note('converted', refused || difference(expected, await runOnnxRuntime(again, inputs), toleranceOf(inputs)));
  if (!profile) return faults;
  const { refused: unwritten } = convertByNnefc(nnefc, file, document, [`--profile=${profile}`]);
  const read = unwritten ? {} : runNnefc(nnefc, work, document, inputs);
  note('NNEF', unwritten || read.refused || difference(expected, read.results, toleranceOf(inputs)));
  return faults;
}

// `draw(random, number)` resolves to { name, bytes, inputs, expected, shown }, perhaps with `options` of the conversion to ONNX,
// and with the `profile` of one to NNEF, if that is to be tried; or to undefined if another one is to be drawn. ONLY=N judges model N alone and says what it is.
async function judgeRandom(draw, toleranceOf, usual) {
  const [nnefc, work, count = usual, seed = 1] = process.argv.slice(2);
  const tally = { passed: 0, failed: 0, again: 0 };
  const only = Number(process.env.ONLY);
  for (let number = 0, drawn = 0; number < Number(count); drawn++) {
    const model = await draw(generator(Number(seed) * 1000003 + drawn), drawn);
    if (!model) {
      tally.again++;
      continue;
    }
    number++;
    if (only && only !== number) continue;
    const faults = await judge({ nnefc, work, toleranceOf }, model);
    if (only || faults.length > 0) console.log(`model ${number}: ${model.shown}${faults.map((fault) => `\n    ${fault}`).join('')}`);
    tally[faults.length > 0 ? 'failed' : 'passed']++;
  }
  console.log(`${tally.again} models that ONNX Runtime does not compute, or not as the standard says, were drawn again`);
  console.log(`${tally.passed} passed, ${tally.failed} failed, 0 skipped`);
  process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
}

module.exports = { expectedOf, judgeRandom };
