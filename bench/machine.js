// machine.js - what the machine is, and what else it does
'use strict';

const fs = require('fs');
const os = require('os');
const { execFileSync, spawn } = require('child_process');

const TICKS = Number(execFileSync('getconf', ['CLK_TCK']));

function sleep(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

// Seconds that all processors together were busy, or away, since the machine began.
function busySeconds() {
  const [user, nice, system, , , irq, softirq, steal] = fs.readFileSync('/proc/stat', 'latin1')
    .split('\n', 1)[0].split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}

function usedBy(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number);
  return (user + system) / TICKS;
}

// A process that keeps the last processor busy.
class Load {
  constructor() {
    const last = String(os.cpus().length - 1);
    this.child = spawn('taskset', ['-c', last, 'sh', '-c', 'while :; do :; done'], { stdio: 'ignore' });
    this.child.on('error', (error) => { this.error = error; });
  }

  seconds() {
    if (this.error || this.child.exitCode !== null) throw new Error('no processor can be kept busy (taskset)');
    return usedBy(this.child.pid);
  }

  end() {
    this.child.kill('SIGKILL');
  }
}

// Watches what processes other than those that are measured do.
class Watch {
  constructor(patience, load = null) {
    this.patience = patience; // seconds that are left for waiting
    this.load = load;
  }

  others() {
    return busySeconds() - (this.load ? this.load.seconds() : 0);
  }

  // Wait until the machine is quiet, or patience is at an end.
  async quiet() {
    for (;;) {
      const before = this.others();
      await sleep(100);
      if (this.others() - before <= 0.02 || this.patience <= 0) return;
      this.patience -= 0.1;
    }
  }

  // What `work` returns, with `clean`: did others have no more than a small part of the time?  The work says
  // what it used itself, in seconds of `cpu`.
  async observe(work) {
    await sleep(10);
    if (this.patience > 0) await this.quiet();
    const [before, start] = [this.others(), process.hrtime.bigint()];
    const result = await work();
    const elapsed = Number(process.hrtime.bigint() - start) / 1e9;
    const foreign = this.others() - before - result.cpu;
    return { ...result, clean: foreign <= Math.max(0.03, 0.06 * elapsed) };
  }
}

// "4 x Some Processor, 16 GiB, Linux 6.1"
function describe() {
  const cpus = os.cpus();
  const model = cpus[0] ? cpus[0].model.trim() : 'processor';
  return `${cpus.length} x ${model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, ${os.type()} ${os.release()}`;
}

module.exports = { Load, Watch, describe };
