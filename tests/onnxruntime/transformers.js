// transformers.js NNEFC WORK - a BERT and a GPT-2 of two layers, as ONNX Runtime's optimizer writes them
//
// Made of operators of com.microsoft with weights that are drawn. Computed by nnefc, by its reference, from the NNEF
// and the ONNX that it writes, results have to be near those of ONNX Runtime; and attention, normalization and
// GELU have to be one operation each in NNEF, and one operator where ONNX has it.
'use strict';

const fs = require('fs');
const path = require('path');
const { generator, tensor, modelBytes, difference, runOnnxRuntime, runNnefc, convertByNnefc } = require('./random_model.js');

const TOLERANCE = 1e-4;
const [BATCH, LENGTH, SIZE, HEADS, WIDE, WORDS, PLACES, LAYERS] = [2, 7, 32, 4, 64, 50, 16, 2];

// --- building ---

// Nodes with names by their number; initializers are drawn.
function builder(seed) {
  const random = generator(seed);
  const made = { opset: 17, inputs: {}, outputs: {}, constants: {}, nodes: [] };
  const weights = (dims, range, middle = 0) => {
    const name = `w${Object.keys(made.constants).length}`;
    made.constants[name] = tensor('float32', dims, () => Math.fround(middle + range * (2 * random.real() - 1)));
    return name;
  };
  const add = (domain) => (op, inputs, attributes = {}, count = 1) => {
    const outputs = Array.from({ length: count }, (_, i) => `t${made.nodes.length}_${i}`);
    made.nodes.push({ op, domain, inputs, outputs, attributes });
    return count === 1 ? outputs[0] : outputs;
  };
  const input = (name, type, dims, value) => {
    made.inputs[name] = tensor(type, dims, type === 'int64' ? (i) => BigInt(value(i)) : value);
    return name;
  };
  return { random, made, weights, input, onnx: add(''), microsoft: add('com.microsoft'),
    norm: () => [weights([SIZE], 0.2, 1), weights([SIZE], 0.2)] };
}

const EPSILON = { epsilon: { float: 1e-5 } };

// What follows attention: products, with a GELU between them, and sums that are normalized; and the last sum.
function feedForward({ weights, onnx, microsoft, norm }, attended, residual, gelu) {
  const projected = onnx('MatMul', [attended, weights([SIZE, SIZE], 0.2)]);
  const [first, , , sum] = microsoft('SkipLayerNormalization', [projected, residual, ...norm(), weights([SIZE], 0.1)], EPSILON, 4);
  const wide = microsoft(gelu, [onnx('MatMul', [first, weights([SIZE, WIDE], 0.3)]), weights([WIDE], 0.1)]);
  const narrow = onnx('MatMul', [wide, weights([WIDE, SIZE], 0.3)]);
  return { narrow, sum, first };
}

// Sums are normalized behind each part; the mask becomes the number of words.
function bert() {
  const b = builder(1);
  const { made, random, weights, input, onnx, microsoft, norm } = b;
  const ids = input('input_ids', 'int32', [BATCH, LENGTH], () => random.integer(0, WORDS - 1));
  const segments = input('token_type_ids', 'int32', [BATCH, LENGTH], (i) => (i % LENGTH > 3 ? 1 : 0));
  const mask = input('attention_mask', 'int32', [BATCH, LENGTH], (i) => (i % LENGTH < LENGTH - 2 * Math.floor(i / LENGTH) ? 1 : 0));
  let [x, lengths] = microsoft('EmbedLayerNormalization', [ids, segments, weights([WORDS, SIZE], 1), weights([PLACES, SIZE], 1),
    weights([2, SIZE], 1), ...norm(), mask], EPSILON, 2);
  for (let layer = 0; layer < LAYERS; layer++) {
    const attended = microsoft('Attention', [x, weights([SIZE, 3 * SIZE], 0.3), weights([3 * SIZE], 0.1), lengths], { num_heads: HEADS });
    const { narrow: out, first } = feedForward(b, attended, x, 'BiasGelu');
    x = microsoft('SkipLayerNormalization', [out, first, ...norm(), weights([SIZE], 0.1)], EPSILON);
  }
  made.constants.zero = tensor('int64', [], () => 0n);
  const word = onnx('Gather', [x, 'zero'], { axis: 1 });
  const pooled = onnx('Tanh', [onnx('Gemm', [word, weights([SIZE, SIZE], 0.3), weights([SIZE], 0.1)])]);
  made.outputs = { [x]: { type: 'float32' }, [pooled]: { type: 'float32' } };
  return { title: 'BERT', model: made, counts: { masked_attention: 2, layer_normalization: 5, gelu_erf: 2 } };
}

// Sums are normalized in front of each part; keys and values of former words are fed.
function gpt2(past) {
  const b = builder(2);
  const { made, random, weights, input, onnx, microsoft, norm } = b;
  const wide = past === 0; // integers of 64 bits, which NNEF cannot say how to narrow
  const integers = (name, dims, value) => {
    const given = input(name, wide ? 'int64' : 'int32', dims, value);
    return wide ? onnx('Cast', [given], { to: 6 }) : given;
  };
  const ids = integers('input_ids', [BATCH, LENGTH], () => random.integer(0, WORDS - 1));
  const places = integers('position_ids', [BATCH, LENGTH], (i) => past + (i % LENGTH));
  const mask = integers('attention_mask', [BATCH, past + LENGTH], (i) => (i === past + LENGTH ? 0 : 1));
  const words = weights([WORDS, SIZE], 1);
  let [x, , sum] = microsoft('EmbedLayerNormalization', [ids, '', words, weights([PLACES, SIZE], 1), '', ...norm(), '', places], EPSILON, 3);
  for (let layer = 0; layer < LAYERS; layer++) {
    const dims = [2, BATCH, HEADS, past, SIZE / HEADS];
    const former = past > 0 ? [input(`past_${layer}`, 'float32', dims, () => Math.fround(2 * random.real() - 1))] : [];
    const [attended, present] = microsoft('Attention', [x, weights([SIZE, 3 * SIZE], 0.3), weights([3 * SIZE], 0.1), mask, ...former],
      { num_heads: HEADS, unidirectional: 1 }, 2);
    const { narrow: out, sum: middle } = feedForward(b, attended, sum, 'FastGelu');
    [x, , , sum] = microsoft('SkipLayerNormalization', [out, middle, ...norm(), weights([SIZE], 0.1)], EPSILON, 4);
    made.outputs[present] = { type: 'float32' };
  }
  const logits = microsoft('FusedMatMul', [x, words], { transB: 1 });
  made.outputs[logits] = { type: 'float32' };
  return { title: past > 0 ? 'GPT-2 with a past' : 'GPT-2', model: made, wide, counts: { masked_attention: 2, layer_normalization: 5, gelu_tanh: 2 } };
}

// Outputs that nobody reads have no name.
function tidy(model) {
  const read = new Set([...model.nodes.flatMap(({ inputs }) => inputs), ...Object.keys(model.outputs)]);
  for (const node of model.nodes) node.outputs = node.outputs.map((name) => (read.has(name) ? name : ''));
  return model;
}

// --- judging ---

const OPERATORS = { masked_attention: [23, 'Attention'], layer_normalization: [17, 'LayerNormalization'], gelu_erf: [20, 'Gelu'], gelu_tanh: [20, 'Gelu'] };

async function judge({ nnefc, work }, { title, model, counts, wide }) {
  const [file, folder, whole, again] = ['model.onnx', 'nnef/', 'whole/', 'again.onnx'].map((name) => path.join(work, name));
  const { inputs } = tidy(model);
  const bytes = modelBytes(model);
  const faults = [];
  const note = (who, what) => what && faults.push(`${title}, ${who}: ${what}`);
  const expected = await runOnnxRuntime(bytes, inputs);
  const compare = (who, { refused, results }) => note(who, refused || difference(expected, results, TOLERANCE));
  fs.writeFileSync(file, bytes);
  compare('nnefc', runNnefc(nnefc, work, file, inputs));
  compare('reference', runNnefc(nnefc, work, file, inputs, ['--backend=reference', '--raw']));
  for (const written of [folder, whole]) fs.rmSync(written, { recursive: true, force: true });
  if (!wide) {
    const { refused } = convertByNnefc(nnefc, file, folder);
    compare('as NNEF', refused ? { refused } : runNnefc(nnefc, work, folder, inputs));
    convertByNnefc(nnefc, file, whole, ['--profile=custom']);
    const text = fs.readFileSync(path.join(whole, 'graph.nnef'), 'utf8');
    for (const [operation, count] of Object.entries(counts)) {
      const found = text.split(`= ${operation}(`).length - 1;
      note('as NNEF', found !== count && `has ${operation} ${found} times, expected ${count}`);
    }
  }
  for (const opset of OPSETS) {
    const { refused } = convertByNnefc(nnefc, file, again, [`--opset=${opset}`]);
    note(`opset ${opset}`, refused || difference(expected, await runOnnxRuntime(again, inputs), TOLERANCE));
    const types = refused ? '' : fs.readFileSync(again, 'latin1');
    for (const [operation, count] of Object.entries(counts)) {
      const [since, type] = OPERATORS[operation];
      const found = types.split(`"${String.fromCharCode(type.length)}${type}`).length - 1; // field 4 of a node
      note(`opset ${opset}`, found !== (opset >= since ? count : 0) && `has ${type} ${found} times`);
    }
  }
  return faults;
}

const OPSETS = [13, 17, 21, 23];

async function main(nnefc, work) {
  const tally = { passed: 0, failed: 0 };
  for (const network of [bert(), gpt2(0), gpt2(5)]) {
    const faults = await judge({ nnefc, work }, network);
    faults.forEach((fault) => console.log(fault));
    tally[faults.length > 0 ? 'failed' : 'passed']++;
  }
  console.log(`${tally.passed} passed, ${tally.failed} failed, 0 skipped`);
  process.exitCode = tally.failed > 0 ? 1 : 0;
}

main(...process.argv.slice(2));
