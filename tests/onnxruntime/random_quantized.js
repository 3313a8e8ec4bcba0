// random_quantized.js NNEFC WORK [COUNT [SEED [OPTION...]]] - do quantized networks compute the integers that ONNX Runtime computes?
//
// Draws COUNT networks of QuantizeLinear and DequantizeLinear around convolutions, products, sums, products of tensors, maxima,
// global means, joins, functions and transpositions, as quantizing tools write them. ONNX Runtime makes operators on integers of these,
// and nnefc does so before it plans. The bytes have to be equal: by the fast backend, also with other instructions and threads.
// ONNX Runtime computes the same of what nnefc writes again by the options, such as --quant=qoperator. Weights are small, as
// it adds pairs of products in 16 bits on some processors.
'use strict';

const { tensor, floats, modelBytes } = require('./random_model.js');
const { modelParts } = require('./model_parts.js');
const { expectedOf, judgeRandom } = require('./random_judge.js');

const WEIGHT = 31; // the largest
const converting = process.argv.slice(6); // options of the conversion

// --- a network in the making ---

class Network {
  constructor(random) {
    this.random = random;
    this.made = { opset: 13, inputs: {}, outputs: {}, constants: {}, nodes: [] };
    this.count = 0;
  }

  name() {
    this.count++;
    return `t${this.count}`;
  }

  constant(items) {
    const name = this.name();
    this.made.constants[name] = items;
    return name;
  }

  node(op, inputs, attributes = {}) {
    const name = this.name();
    this.made.nodes.push({ op, inputs, outputs: [name], attributes });
    return name;
  }

  // A way to quantize: steps of a size, from 0 on for what is not negative.
  code({ scale = 0.01 + 0.05 * this.random.real(), positive = false } = {}) {
    const type = this.signed ? 'int8' : 'uint8';
    const least = this.signed ? -128 : 0;
    const zero = positive ? least : this.random.integer(least + 64, least + 192);
    return { scale, zero, names: [this.constant(tensor('float32', [], () => scale)), this.constant(tensor(type, [], () => zero))] };
  }

  // The tensor that stands for quantized numbers.
  quantized(numbers, dims, code) {
    const integers = this.node('QuantizeLinear', [numbers, ...code.names]);
    return { dims, code, integers, numbers: this.node('DequantizeLinear', [integers, ...code.names]) };
  }

  // Weights by tensor or by channel of axis 0; returns the name of the numbers, and scales.
  weights(dims, axis) {
    const { random } = this;
    const each = random.chance(0.6);
    const scales = each ? tensor('float32', [dims[axis]], () => 0.002 + 0.01 * random.real()) : tensor('float32', [], () => 0.005);
    const zeros = tensor('int8', scales.dims, () => 0);
    const items = this.constant(tensor('int8', dims, () => random.integer(-WEIGHT, WEIGHT)));
    const names = [items, this.constant(scales), this.constant(zeros)];
    return { scales, numbers: this.node('DequantizeLinear', names, each ? { axis } : {}) };
  }

  bias(count, x, { scales }) {
    const sums = tensor('float32', scales.dims, (i) => Math.fround(Math.fround(x.code.scale) * scales.data[i]));
    const zeros = tensor('int32', scales.dims, () => 0);
    const items = this.constant(tensor('int32', [count], () => this.random.integer(-2000, 2000)));
    return this.node('DequantizeLinear', [items, this.constant(sums), this.constant(zeros)], scales.dims.length ? { axis: 0 } : {});
  }
}

// --- layers ---

const bounded = (net, numbers) => (net.random.chance(0.4) ? { numbers: net.node('Relu', [numbers]), positive: true } : { numbers, positive: false });

function convolution(net, x) {
  const { random } = net;
  const [batch, channels, height, width] = x.dims;
  const depthwise = random.chance(0.3);
  const groups = depthwise ? channels : random.pick([1, 1, 1, channels % 2 === 0 ? 2 : 1]);
  const out = depthwise ? channels : groups * random.integer(1, 20);
  const size = random.pick([1, 3, random.integer(1, 4)]);
  const [stride, dilation] = [random.pick([1, 1, 2]), random.pick([1, 1, 2])];
  const padding = random.integer(0, size - 1);
  const extent = (n) => Math.floor((n + 2 * padding - dilation * (size - 1) - 1) / stride) + 1;
  if (extent(height) < 1 || extent(width) < 1) return x;
  const weights = net.weights([out, channels / groups, size, size], 0);
  const inputs = [x.numbers, weights.numbers, ...(random.chance(0.7) ? [net.bias(out, x, weights)] : [])];
  const attributes = { kernel_shape: [size, size], strides: [stride, stride], dilations: [dilation, dilation], pads: Array(4).fill(padding), group: groups };
  const { numbers, positive } = bounded(net, net.node('Conv', inputs, attributes));
  return net.quantized(numbers, [batch, out, extent(height), extent(width)], net.code({ positive }));
}

function pair(net, x) {
  const y = convolution(net, x);
  const op = net.random.pick(['Add', 'Mul']);
  if (String(x.dims) !== String(y.dims)) return y;
  const { numbers, positive } = bounded(net, net.node(op, net.random.chance(0.5) ? [x.numbers, y.numbers] : [y.numbers, x.numbers]));
  return net.quantized(numbers, x.dims, net.code({ positive }));
}

function maxima(net, x) {
  const [batch, channels, height, width] = x.dims;
  if (height < 2 || width < 2) return x;
  const stride = net.random.integer(1, 2);
  const numbers = net.node('MaxPool', [x.numbers], { kernel_shape: [2, 2], strides: [stride, stride] });
  const extent = (n) => Math.floor((n - 2) / stride) + 1;
  return net.quantized(numbers, [batch, channels, extent(height), extent(width)], x.code);
}

function joined(net, x) {
  const y = convolution(net, x);
  const [a, b] = [x.dims, y.dims];
  if (a[2] !== b[2] || a[3] !== b[3]) return y;
  return net.quantized(net.node('Concat', [x.numbers, y.numbers], { axis: 1 }), [a[0], a[1] + b[1], a[2], a[3]], net.code());
}

function turned(net, x) {
  const numbers = net.node('Transpose', [x.numbers], { perm: [0, 1, 3, 2] });
  return net.quantized(numbers, [x.dims[0], x.dims[1], x.dims[3], x.dims[2]], x.code);
}

function activation(net, x) {
  const [op, attributes] = net.random.pick([['Sigmoid'], ['LeakyRelu', { alpha: { float: 0.2 } }]]);
  return net.quantized(net.node(op, [x.numbers], attributes), x.dims, net.code());
}

// The last extent becomes another one.
function product(net, x) {
  const out = net.random.integer(1, 20);
  const items = net.constant(tensor('int8', [x.dims[3], out], () => net.random.integer(-WEIGHT, WEIGHT)));
  const names = [items, net.constant(tensor('float32', [], () => 0.01)), net.constant(tensor('int8', [], () => 0))];
  const numbers = net.node('MatMul', [x.numbers, net.node('DequantizeLinear', names)]);
  return net.quantized(numbers, [...x.dims.slice(0, 3), out], net.code());
}

// A global mean and a product with weights.
function head(net, x) {
  const mean = net.quantized(net.node('GlobalAveragePool', [x.numbers]), [...x.dims.slice(0, 2), 1, 1], net.code());
  const flat = net.quantized(net.node('Flatten', [mean.numbers]), x.dims.slice(0, 2), mean.code);
  const out = net.random.chance(0.2) ? net.random.integer(400, 900) : net.random.integer(1, 40); // many weights stay bytes
  const weights = net.weights([out, x.dims[1]], 0);
  const numbers = net.node('Gemm', [flat.numbers, weights.numbers, net.bias(out, flat, weights)], { transB: 1 });
  return net.quantized(numbers, [x.dims[0], out], net.code());
}

const LAYERS = [convolution, convolution, convolution, pair, pair, maxima, joined, turned, activation, product];

function drawNetwork(random) {
  const net = new Network(random);
  net.signed = random.chance(0.3);
  const dims = [random.integer(1, 2), random.integer(1, 12), random.integer(1, 14), random.integer(1, 14)];
  net.made.inputs.x = floats(random, dims, -2);
  let x = net.quantized('x', dims, net.code());
  for (let i = random.integer(1, 6); i > 0; i--) x = random.pick(LAYERS)(net, x);
  if (x.dims[2] * x.dims[3] > 1 && random.chance(0.5)) x = head(net, x); // the mean of one item is no node to nnefc
  net.made.outputs[x.integers] = { type: net.signed ? 'int8' : 'uint8' };
  net.made.nodes.pop(); // the numbers of the result
  return net.made;
}

// What is written again has the same operators, and the same integers in as many bits; or of operators that ONNX Runtime has on
// integers it has these.
function faultOf(made, bytes) {
  const { operators, stored } = modelParts(bytes);
  if (converting.includes('--quant=qoperator')) {
    const left = operators.filter((op) => ['Add', 'Conv', 'Gemm', 'GlobalAveragePool', 'LeakyRelu', 'MatMul', 'Mul', 'Relu', 'Sigmoid'].includes(op));
    return left.length && !converting.includes('--no-contrib') ? `has ${left.join(' ')}` : undefined;
  }
  const computing = (ops) => ops.filter((op) => !/^(Flatten|Reshape|Squeeze|Unsqueeze|Transpose)$/.test(op)).sort().join(' ');
  const [wanted, written] = [computing(made.nodes.map(({ op }) => op)), computing(operators)];
  const lost = Object.values(made.constants).filter(({ type, data }) => /^int/.test(type) && data.length > 1 && data.some(Number))
    .find(({ data }) => !stored.some((items) => items.equals(Buffer.from(data.buffer))));
  if (written !== wanted) return `has ${written} instead of ${wanted}`;
  return lost && `lacks ${lost.data.length} integers`;
}

async function draw(random) {
  const made = drawNetwork(random);
  const shown = made.nodes.map(({ op }) => op).filter((op) => !/QuantizeLinear/i.test(op)).join(' ');
  return { bytes: modelBytes(made), inputs: made.inputs, expected: await expectedOf(modelBytes(made), made.inputs), shown, faultOf: (written) => faultOf(made, written) };
}

const RUNS = { 'one thread': ['--threads=1'], 'two threads': ['--threads=2'] };

judgeRandom(draw, () => 0, 300, { runs: RUNS, converting });
