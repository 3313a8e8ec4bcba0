// random_judge.js - judges random models against what ONNX Runtime computes
//
// The command line of the tests that use it is NNEFC WORK [COUNT [SEED]].
'use strict';

const fs = require('fs');
const path = require('path');
const { generator, volume, difference, runOnnxRuntime, runNnefc, convertByNnefc } = require('./random_model.js');
const { lackingKernels } = require('./lacking.js');

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

const JUDGED = 26; // ONNX Runtime has no later opset

// { results } of a model that nnefc has written, or { lacking } if ONNX Runtime has no kernel for an operator in it.
async function runWritten({ nnefc, work, lacking }, file, inputs, opset) {
  if (opset > JUDGED) return runNnefc(nnefc, work, file, inputs);
  try {
    return { results: await runOnnxRuntime(file, inputs) };
  } catch (error) {
    const kernel = lacking.of(error);
    if (!kernel) throw error;
    return { kernel };
  }
}

// By the opset, or by a later one if an operator needs that; { refused } or { opset }.
function convertAtLeast({ nnefc }, from, to, opset = 0) {
  const { refused } = convertByNnefc(nnefc, from, to, opset ? [`--opset=${opset}`] : []);
  const [, needed] = /needs opset (\d+)/.exec(refused) || [];
  return needed > opset ? convertAtLeast({ nnefc }, from, to, Number(needed)) : { refused, opset };
}

// Faults, each with who computed it: nnefc, its reference, ONNX Runtime after conversion, nnefc after one to NNEF and back.
async function judge(all, { name, bytes, inputs, expected, opset, profile }) {
  const { nnefc, work, toleranceOf } = all;
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
  const converted = convertAtLeast(all, file, again, opset);
  const written = converted.refused ? converted : await runWritten(all, again, inputs, converted.opset);
  if (!written.kernel) note('converted', written.refused || difference(expected, written.results, toleranceOf(inputs)));
  if (!profile) return faults;
  const { refused: unwritten } = convertByNnefc(nnefc, file, document, [`--profile=${profile}`]);
  const read = unwritten ? {} : runNnefc(nnefc, work, document, inputs);
  note('NNEF', unwritten || read.refused || difference(expected, read.results, toleranceOf(inputs)));
  return faults;
}

// `draw(random, number)` resolves to { name, bytes, inputs, expected, shown }, perhaps with the `opset` of the conversion to ONNX,
// and with the `profile` of one to NNEF, if that is to be tried; or to undefined if another one is to be drawn. ONLY=N judges model N alone and says what it is.
async function judgeRandom(draw, toleranceOf, usual) {
  const [nnefc, work, count = usual, seed = 1] = process.argv.slice(2);
  const tally = { passed: 0, failed: 0, again: 0 };
  const lacking = lackingKernels();
  const only = Number(process.env.ONLY);
  for (let number = 0, drawn = 0; number < Number(count); drawn++) {
    const model = await draw(generator(Number(seed) * 1000003 + drawn), drawn);
    if (!model) {
      tally.again++;
      continue;
    }
    number++;
    if (only && only !== number) continue;
    const faults = await judge({ nnefc, work, toleranceOf, lacking }, model);
    if (only || faults.length > 0) console.log(`model ${number}: ${model.shown}${faults.map((fault) => `\n    ${fault}`).join('')}`);
    tally[faults.length > 0 ? 'failed' : 'passed']++;
  }
  lacking.tell('conversions');
  console.log(`${tally.again} models that ONNX Runtime does not compute, or not as the standard says, were drawn again`);
  console.log(`${tally.passed} passed, ${tally.failed} failed, 0 skipped`);
  process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
}

module.exports = { JUDGED, expectedOf, judgeRandom };
