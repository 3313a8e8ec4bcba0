// random_losses.js NNEFC WORK [COUNT [SEED]] - do losses and their neighbours agree with ONNX Runtime?
//
// Draws COUNT models of one operation: the losses of classes by weights, with targets that are ignored and each
// reduction, of opsets 12 to 22 and ranks 2 to 5; Celu; the remainder of floats; Dropout that drops nothing; and
// Compress by a condition that is known. Computed by nnefc, by its reference, by ONNX Runtime from what nnefc
// converts to ONNX, and from the NNEF that it writes. ONLY=N judges model N alone and says what it is.
'use strict';

const { tensor, floats, modelBytes } = require('./random_model.js');
const { expectedOf, judgeRandom } = require('./random_judge.js');

const TOLERANCE = 1e-5; // ONNX Runtime adds in 32 bits
const LARGEST = 1e6;

// The class of each place; a few are ignored, which may be none of the classes then.
function targets(random, dims, classes, ignored) {
  const type = random.pick(['int64', 'int32']);
  const one = () => (ignored !== undefined && random.chance(0.3) ? ignored : random.integer(0, classes - 1));
  return tensor(type, dims, () => (type === 'int64' ? BigInt(one()) : one()));
}

function drawLoss(random, wanted) {
  const op = random.pick(['NegativeLogLikelihoodLoss', 'SoftmaxCrossEntropyLoss']);
  const classes = random.pick([1, 2, 3, 5, 17]), batch = random.integer(1, 4);
  const places = random.list(random.integer(0, 3), () => random.integer(1, 4));
  const reduction = random.pick(['none', 'sum', 'mean', undefined]);
  const ignored = random.pick([undefined, undefined, -1, 0, classes - 1, 255, -100]);
  const inputs = { x: floats(random, [batch, classes, ...places], -4), target: targets(random, [batch, ...places], classes, ignored) };
  if (random.chance(0.5)) inputs.weight = floats(random, [classes], 0.1, 2);
  const attributes = {};
  if (reduction) attributes.reduction = reduction;
  if (ignored !== undefined) attributes.ignore_index = ignored;
  const outputs = op === 'SoftmaxCrossEntropyLoss' && random.chance(0.5) ? ['y', 'log_prob'] : ['y'];
  const opset = wanted || random.pick(op === 'SoftmaxCrossEntropyLoss' ? [12, 13, 21] : [12, 13, 21, 22]);
  return { opset, op, inputs, attributes, outputs };
}

function drawCelu(random, opset = random.pick([12, 13, 17])) {
  const dims = random.list(random.integer(1, 4), () => random.integer(1, 5));
  return { opset, op: 'Celu', inputs: { x: floats(random, dims, -4) }, attributes: { alpha: { float: 0.25 + random.real() * 3 } } };
}

function drawRemainder(random, opset = random.pick([10, 13, 17])) {
  const dims = random.list(random.integer(1, 3), () => random.integer(1, 5));
  const whole = (least, most) => tensor('float32', dims, () => random.integer(least, most) / 4);
  const divisor = whole(1, 20);
  divisor.data.forEach((_, i) => (divisor.data[i] *= random.chance(0.5) ? 1 : -1));
  return { opset, op: 'Mod', inputs: { x: whole(-100, 100), y: divisor }, attributes: { fmod: 1 } };
}

// Nothing is dropped by ratio 0 or without training.
function drawDropout(random, opset = random.pick([12, 13])) {
  const dims = random.list(random.integer(1, 3), () => random.integer(1, 5));
  const training = random.chance(0.5);
  const constants = { ratio: tensor('float32', [], () => (training ? 0 : 0.5)), training: tensor('bool', [], () => Number(training)) };
  return { opset, op: 'Dropout', inputs: { x: floats(random, dims, -4) }, constants, attributes: {},
    outputs: random.pick([['y'], ['y', 'mask']]) };
}

// A condition that is known, of some of the items.
function drawCompress(random, opset = random.pick([9, 11, 17])) {
  const dims = random.list(random.integer(1, 3), () => random.integer(1, 5)), axis = random.integer(-dims.length, dims.length - 1);
  const flat = random.chance(0.4), extent = flat ? dims.reduce((product, e) => product * e, 1) : dims.at(axis);
  const constants = { condition: tensor('bool', [random.integer(1, extent)], (i) => Number(i === 0 || random.chance(0.5))) };
  return { opset, op: 'Compress', inputs: { x: floats(random, dims, -4) }, constants, attributes: flat ? {} : { axis } };
}

const TYPES = { mask: 'bool' };

// By what makes a model of a wanted opset, the first opset.
const DRAWN = [[drawLoss, 12], [drawCelu, 12], [drawRemainder, 10], [drawDropout, 12], [drawCompress, 9]];

async function draw(random) {
  const kinds = [drawLoss, drawLoss, drawLoss, drawLoss, drawCelu, drawRemainder, drawDropout, drawCompress];
  const { opset, op, inputs, attributes, constants = {}, outputs = ['y'] } = random.pick(kinds)(random);
  const declared = Object.fromEntries(outputs.map((name) => [name, { type: TYPES[name] || 'float32' }]));
  const names = [...Object.keys(inputs), ...Object.keys(constants)];
  const bytes = modelBytes({ opset, inputs, constants, outputs: declared, nodes: [{ op, inputs: names, outputs, attributes }] });
  const shapes = Object.entries(inputs).map(([name, { type, dims }]) => `${name}=${type}[${dims}]`).join(' ');
  return { bytes, inputs, expected: await expectedOf(bytes, inputs, LARGEST), shown: `opset ${opset} ${op} ${shapes} ${JSON.stringify(attributes)}`,
    opset: Math.min(Math.max(opset, 13), 21), profiles: [op === 'Dropout' ? 'custom' : 'strict'] };
}

module.exports = { DRAWN };
if (require.main === module) judgeRandom(draw, () => TOLERANCE, 400);
