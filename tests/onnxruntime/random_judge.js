// random_judge.js - judges random models against what ONNX Runtime computes
//
// The command line of the tests that use it is NNEFC WORK [COUNT [SEED]].
'use strict';

const fs = require('fs');
const path = require('path');
const { generator, volume, tensor, modelBytes, difference, runOnnxRuntime, runNnefc, convertByNnefc } = require('./random_model.js');
const { lackingKernels } = require('./lacking.js');

const JUDGED = 26; // ONNX Runtime has no later opset
const RUNS = { nnefc: [], reference: ['--backend=reference', '--raw'] };

// What ONNX Runtime computes; undefined if it does not, or too much.
async function expectedOf(bytes, inputs, largest = Infinity) {
  try {
    const expected = await runOnnxRuntime(bytes, inputs);
    const fits = [...expected.values()].every(({ dims }) => volume(dims) <= largest);
    return fits ? expected : undefined;
  } catch (error) {
    return undefined;
  }
}

// On a processor without VNNI, ONNX Runtime adds pairs of products of unsigned and signed bytes in 16 bits, which saturate.
async function doesSaturate() {
  const [x, y] = [tensor('uint8', [1, 2], () => 255), tensor('int8', [2, 1], () => -128)];
  const nodes = [{ op: 'MatMulInteger', inputs: ['x', 'y'], outputs: ['z'] }];
  const bytes = modelBytes({ opset: 13, inputs: { x }, outputs: { z: { type: 'int32' } }, constants: { y }, nodes });
  return (await expectedOf(bytes, { x })).get('z').data[0] !== 2 * 255 * -128;
}

// { results } or { refused } of a model that nnefc has written, or { excused } if ONNX Runtime has no kernel for an operator in it.
async function runWritten({ nnefc, work, lacking }, file, inputs, opset) {
  if (opset > JUDGED) return runNnefc(nnefc, work, file, inputs);
  try {
    return { results: await runOnnxRuntime(file, inputs) };
  } catch (error) {
    return lacking.of(error) ? { excused: true } : { refused: error.message.split('\n')[0] };
  }
}

// By the opset, or by a later one if an operator needs that; { refused } or { opset }.
function convertAtLeast({ nnefc, converting }, from, to, opset) {
  const { refused } = convertByNnefc(nnefc, from, to, opset ? [...converting, `--opset=${opset}`] : converting);
  const [, needed] = /needs opset (\d+)/.exec(refused) || [];
  return needed > opset ? convertAtLeast({ nnefc, converting }, from, to, Number(needed)) : { refused, opset };
}

// Faults, each with who computed it: nnefc by each of the runs, ONNX Runtime after conversion, nnefc after those to NNEF and back.
async function judge(all, { name = 'model.onnx', bytes, inputs, expected, kept = expected, opset, profiles = [], refusable, faultOf }) {
  const { nnefc, work, toleranceOf, runs, tally } = all;
  const [file, again, document] = [name, 'again.onnx', 'document.tar'].map((each) => path.join(work, each));
  const faults = [];
  const note = (who, { refused, results, excused }, wanted = expected) => {
    const what = excused ? undefined : refused || difference(wanted, results, toleranceOf(inputs));
    if (what) faults.push(`${who}: ${what}`);
  };
  const refusal = ({ refused }) => {
    const excused = refusable && refusable.test(refused);
    tally.excused += excused ? 1 : 0;
    return refused && { refused, excused };
  };
  fs.writeFileSync(file, bytes);
  for (const [who, options] of Object.entries(runs)) note(who, runNnefc(nnefc, work, file, inputs, options));
  const converted = convertAtLeast(all, file, again, opset);
  note('converted', refusal(converted) || await runWritten(all, again, inputs, converted.opset), kept);
  const fault = faultOf && !converted.refused && faultOf(fs.readFileSync(again));
  if (fault) faults.push(`converted: ${fault}`);
  for (const profile of profiles) {
    const unwritten = refusal(convertByNnefc(nnefc, file, document, [`--profile=${profile}`]));
    note(`NNEF, ${profile}`, unwritten || runNnefc(nnefc, work, document, inputs));
  }
  return faults;
}

// `draw(random, number)` resolves to { bytes, inputs, expected, shown }, or to nothing or no `expected` if another one is to be
// drawn. There may be
//   name       of the file, if it is not model.onnx
//   opset      of the conversion to ONNX, at least
//   kept       what is expected after that, if it is not all
//   profiles   of the conversions to NNEF
//   faultOf    the bytes of the file after that: tells what is wrong with it, if anything
//   refusable  what a conversion may be refused with
// `runs` has the options of nnefc by the name of a run, and `converting` has those of the conversion to ONNX.
// ONLY=N judges model N alone and says what it is.
async function judgeRandom(draw, toleranceOf, usual, { runs = RUNS, converting = [] } = {}) {
  const [nnefc, work, count = usual, seed = 1] = process.argv.slice(2);
  const tally = { passed: 0, failed: 0, again: 0, excused: 0 };
  const lacking = lackingKernels();
  const only = Number(process.env.ONLY);
  for (let number = 0, drawn = 0; number < Number(count); drawn++) {
    const model = await draw(generator(Number(seed) * 1000003 + drawn), drawn);
    if (!model || !model.expected) {
      tally.again++;
      continue;
    }
    number++;
    if (only && only !== number) continue;
    const faults = await judge({ nnefc, work, toleranceOf, runs, converting, lacking, tally }, model);
    if (only || faults.length > 0) console.log(`model ${number}: ${model.shown}${faults.map((fault) => `\n    ${fault}`).join('')}`);
    tally[faults.length > 0 ? 'failed' : 'passed']++;
  }
  lacking.tell('conversions');
  if (tally.excused) console.log(`${tally.excused} conversions refused for reasons that are known`);
  console.log(`${tally.again} models that ONNX Runtime does not compute, or not as the standard says, were drawn again`);
  console.log(`${tally.passed} passed, ${tally.failed} failed, 0 skipped`);
  process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
}

module.exports = { JUDGED, RUNS, expectedOf, judgeRandom, doesSaturate };
