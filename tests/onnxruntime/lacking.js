// lacking.js - versions of operators that ONNX Runtime has no kernels for, which lacking.txt lists
'use strict';

const fs = require('fs');
const path = require('path');

class Lacking {
  constructor(kernels) {
    this.met = new Map(kernels.map((kernel) => [kernel, 0]));
  }

  // "RoiAlign(22)", counted, if that is why ONNX Runtime refuses a model, and it is listed.
  of(error) {
    const [, kernel] = /Could not find an implementation for (\w+\(\d+\))/.exec(error.message) || [];
    if (!this.met.has(kernel)) return undefined;
    this.met.set(kernel, this.met.get(kernel) + 1);
    return kernel;
  }

  // Those that nothing needed.
  unused() {
    return [...this.met.keys()].filter((kernel) => this.met.get(kernel) === 0);
  }

  tell(what) {
    for (const [kernel, count] of this.met) if (count) console.log(`${count} ${what} not judged: ONNX Runtime lacks ${kernel}`);
  }
}

function lackingKernels() {
  const lines = fs.readFileSync(path.join(__dirname, 'lacking.txt'), 'utf8').split('\n');
  return new Lacking(lines.filter((line) => line && !line.startsWith('#')));
}

module.exports = { lackingKernels };
