// side.js - one of the two programs that are compared, as serve.h says what it is told and what it answers
'use strict';

const fs = require('fs');
const { spawn } = require('child_process');
const readline = require('readline');

// How threads wait is for each side to decide, not for who measures.
function environment(more) {
  const own = Object.entries(process.env).filter(([name]) => !/^(OMP|GOMP|KMP)_/.test(name));
  return { ...Object.fromEntries(own), ...more };
}

// "ready name=nnefc load=3.21" as an object; what is a number becomes one.
function fields(line) {
  return Object.fromEntries(line.split(' ').slice(1).map((field) => {
    const equals = field.indexOf('=');
    const value = field.slice(equals + 1);
    return [field.slice(0, equals), /^[0-9.]+$/.test(value) && Number.isFinite(Number(value)) ? Number(value) : value];
  }));
}

class Side {
  constructor(program, args, env = {}) {
    this.program = program;
    this.said = '';
    this.child = spawn(program, args, { env: environment(env) });
    this.child.stderr.on('data', (text) => { this.said = (this.said + text).slice(-4000); });
    this.child.stdin.on('error', () => {}); // it ended: reading says so
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => { this.said += error.message; resolve(); });
      this.child.on('close', resolve);
    });
    this.lines = readline.createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async line() {
    const { value, done } = await this.lines.next();
    if (!done) return value;
    await this.ended;
    throw new Error(`${this.program} ended: ${this.said.trim() || 'it said nothing'}`);
  }

  // Milliseconds of loading, planning and the first run, bytes of memory.
  async ready() {
    return fields(await this.line());
  }

  async command(text) {
    const answers = [];
    this.child.stdin.write(`${text}\n`);
    for (;;) {
      const line = await this.line();
      if (line.startsWith('done ')) return { ...fields(line), answers };
      answers.push(line.split(' ').slice(1).map(Number));
    }
  }

  // Milliseconds of each run, and of the processor for it; seconds of all processors, bytes of memory.  `paced`:
  // milliseconds of a short loop beside each run, too.
  async run(count, paced = false) {
    const { answers, cpu, peak } = await this.command(`${paced ? 'pace' : 'run'} ${count}`);
    const [times, used, paces] = [0, 1, 2].map((column) => answers.map((numbers) => numbers[column] / 1e6));
    return { times, used, paces, cpu: cpu / 1e9, peak };
  }

  // The results of the last run.
  async results(file) {
    const { answers } = await this.command(`write ${file}`);
    const bytes = fs.readFileSync(file);
    let at = 0;
    return answers.map((dims) => {
      const begin = at;
      at += 4 * dims.reduce((product, extent) => product * extent, 1);
      return { dims, data: new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + at)) };
    });
  }

  async close() {
    this.child.stdin.end();
    await this.ended;
  }

  kill() {
    this.child.kill('SIGKILL');
  }
}

module.exports = { Side, fields };
