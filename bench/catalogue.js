// catalogue.js - the networks that are measured, and the ratios to ONNX Runtime that are wanted
//
// `must` and `aim` are of the time of a run.  A network without `file` is one of networks.py, with the input
// 'input'; others are in use and come from npm.  One that is `fused` has operators of com.microsoft.  `open` names the extents that its file leaves open.
// One that is `quantized` has layers of 8 bits; it is `fused`, too, or of `tensors`: made of a network in use by
// quantize_tensors.py.  Where a rounding may go either way, results have a `decibels` of signal to noise at least, instead of
// being equal.  `own` are bars of the time of a run to that of our own floats, of the network `of`.
'use strict';

const path = require('path');
const { NETWORKS: IN_USE, noise, pathOf } = require('../tests/onnxruntime/in_use.js');

const IMAGE = [1, 3, 224, 224];

// What is wanted of all of them: of the start, of memory, and of a run while another process keeps a core busy.
const WANTED = {
  start: { must: 0.45, aim: 0.25 },
  quantizedStart: { must: 0.5, aim: 0.3 },
  memory: { must: 0.8, aim: 0.65 },
  busy: { must: 1.6, aim: 1 },
};

// Results are the same if they differ by so much of the largest number, at most.
const TOLERANCE = 1e-4;

// `must` and `aim` are ratios of runs; `several`: those with several threads, if they are others.
const MADE = [
  { name: 'resnet50', title: 'ResNet-50', shape: IMAGE, must: 0.92, aim: 0.8 },
  { name: 'vgg16', title: 'VGG-16', shape: IMAGE, must: 0.62, aim: 0.5 },
  { name: 'squeezenet11', title: 'SqueezeNet 1.1', shape: IMAGE, must: 0.86, aim: 0.72 },
  { name: 'mobilenetv2', title: 'MobileNet v2', shape: IMAGE, must: 0.88, aim: 0.7 },
  { name: 'bertmini', title: 'BERT-mini', shape: [1, 128, 256], must: 0.78, aim: 0.65 },
  { name: 'bertfused', title: 'BERT-mini, fused', shape: [1, 128, 256], fused: true, must: 0.78, aim: 0.65 },
  { name: 'bertbase', title: 'BERT-base, 2 layers', shape: [1, 128, 768], must: 0.92, aim: 0.8 },
  { name: 'resnet50-int8', title: 'ResNet-50, 8 bits', shape: IMAGE, fused: true, quantized: true, must: 0.9, aim: 0.78,
    several: { must: 0.85, aim: 0.72 }, own: { of: 'resnet50', must: 0.36, aim: 0.3 } },
  { name: 'mobilenetv2-int8', title: 'MobileNet v2, 8 bits', shape: IMAGE, fused: true, quantized: true, must: 0.75, aim: 0.6,
    several: { must: 0.65, aim: 0.5 }, own: { of: 'mobilenetv2', must: 0.5, aim: 0.4 } },
  { name: 'squeezenet11-int8', title: 'SqueezeNet 1.1, 8 bits', shape: IMAGE, fused: true, quantized: true, must: 0.9, aim: 0.75 },
  { name: 'vgg16-int8', title: 'VGG-16, 8 bits', shape: IMAGE, fused: true, quantized: true, must: 0.9, aim: 0.75 },
  { name: 'bertmini-int8', title: 'BERT-mini, dynamic', shape: [1, 128, 256], fused: true, quantized: true, must: 0.8, aim: 0.6,
    decibels: 30 },
  { name: 'bertbase-int8', title: 'BERT-base, 2 layers, dynamic', shape: [1, 128, 768], fused: true, quantized: true, must: 0.8, aim: 0.6,
    decibels: 30 },
  { name: 'blocks4', title: 'MatMulNBits, 4 bits', shape: [1, 4096], fused: true, must: 0.75, aim: 0.6 },
  { name: 'blocks8', title: 'MatMulNBits, 8 bits', shape: [1, 4096], fused: true, must: 0.05, aim: 0.02 },
  { name: 'blocks4-rows', title: 'MatMulNBits, 4 bits, 64 rows', shape: [64, 4096], fused: true, must: 1, aim: 0.8 },
];

const FOUND = [
  {
    name: 'ppocr-det',
    title: 'PP-OCRv4 det, 320 x 320',
    file: 'ch_PP-OCRv4_det_infer.onnx',
    input: 'x',
    shape: [1, 3, 320, 320],
    open: { 0: 'p2o.DynamicDimension.0', 2: 'p2o.DynamicDimension.1', 3: 'p2o.DynamicDimension.2' },
  },
  {
    name: 'ppocr-rec',
    title: 'PP-OCRv4 rec, 48 x 320',
    file: 'ch_PP-OCRv4_rec_infer.onnx',
    input: 'x',
    shape: [1, 3, 48, 320],
    open: { 0: 'p2o.DynamicDimension.0', 3: 'p2o.DynamicDimension.1' },
  },
  ...['tiny', 'large'].map((size) => ({
    name: `mlsd-${size}`,
    title: `M-LSD 320 ${size}`,
    file: `mlsd_320x320_${size}.onnx`,
    input: 'input_image_with_alpha:0',
    shape: [1, 320, 320, 4],
  })),
  {
    name: 'blazeface',
    title: 'BlazeFace back',
    file: 'face_detection_back_256x256_barracuda.onnx',
    input: 'input:0',
    shape: [1, 256, 256, 3],
  },
];

// ONNX Runtime resizes bytes with other roundings than floats, after which other scores of M-LSD are the largest of their
// neighbours.
const HALF = { tensors: true, quantized: true, decibels: 20, must: 0.5, aim: 0.3 };
const TENSORS = {
  'ppocr-det': { ...HALF, own: { of: 'ppocr-det', must: 0.65, aim: 0.45 } },
  'ppocr-rec': HALF,
  'mlsd-tiny': { ...HALF, drops: 4000 },
  blazeface: { ...HALF, own: { of: 'blazeface', must: 0.65, aim: 0.45 } },
};

// Both sides rearrange sums, so that of nearly equal scores twice as many may be dropped on one side only as
// where one of them does.
function inUse(network) {
  const { numbers, drops, ...known } = IN_USE.find(({ file }) => path.basename(file) === network.file);
  return { ...network, path: pathOf(known), numbers, drops: drops && 2 * drops, must: 1, aim: 0.8 };
}

// The same of 8 bits; its extents are those of the shape.
function inIntegers(network) {
  const { open, ...known } = inUse(network);
  return { ...known, name: `${network.name}-int8`, title: `${network.title}, 8 bits`, ...TENSORS[network.name] };
}

const NETWORKS = [
  ...MADE.map((network) => ({ ...network, input: 'input', numbers: noise(1, 1) })),
  ...FOUND.map(inUse),
  ...FOUND.filter(({ name }) => TENSORS[name]).map(inIntegers),
];

// Those of the names, which are separated by spaces; all if there are none.
function networksOf(names) {
  const wanted = (names || '').split(/\s+/).filter((name) => name);
  const unknown = wanted.filter((name) => !NETWORKS.some((network) => network.name === name));
  if (unknown.length > 0) {
    throw new Error(`there is no network '${unknown[0]}'; there are ${NETWORKS.map(({ name }) => name).join(', ')}`);
  }
  return NETWORKS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
}

module.exports = { TOLERANCE, WANTED, networksOf };
