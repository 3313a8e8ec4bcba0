// bench.js NNEFC PROGRAMS FOLDER LIBRARY - networks in nnefc and in ONNX Runtime, in turns, and the ratios
//
// PROGRAMS is the folder of the programs that are built of this one, FOLDER that of the networks, and LIBRARY ONNX
// Runtime's. What is measured, and how often, is told by the environment; see docs/performance.md.
'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const { execFileSync } = require('child_process');
const { TOLERANCE, networksOf } = require('./catalogue.js');
const { Load, Watch, describe } = require('./machine.js');
const { Contest, ratioOf } = require('./measure.js');
const { prepare, countMacs } = require('./prepare.js');
const { report, sumUp } = require('./report.js');

function numberOf(name, otherwise, least = 0) {
  const text = process.env[name] || String(otherwise);
  if (!/^\d+$/.test(text) || Number(text) < least) throw new Error(`${name}=${text}: expected a whole number from ${least}`);
  return Number(text);
}

function threadsOf(text) {
  const list = text.split(/\s+/).filter((word) => word);
  if (list.length === 0 || list.some((word) => !/^[1-9]\d{0,3}$/.test(word) || Number(word) > 1024)) {
    throw new Error(`THREADS=${text}: expected numbers from 1 to 1024`);
  }
  return [...new Set(list.map(Number))].sort((a, b) => a - b);
}

function readSettings() {
  const { NETWORKS, THREADS, BACKEND } = process.env;
  return {
    networks: networksOf(NETWORKS),
    threads: threadsOf(THREADS || (os.cpus().length > 1 ? '1 2' : '1')),
    backend: BACKEND || 'auto',
    rounds: numberOf('ROUNDS', 8, 1),
    runs: numberOf('RUNS', 0), // 0: as many as take a quarter of a second
    starts: numberOf('STARTS', 5, 1),
    busy: numberOf('BUSY', 1) > 0 && os.cpus().length > 1,
    spin: numberOf('SPIN', 1) > 0,
    provide: numberOf('PROVIDE', 1) > 0,
    patience: numberOf('PATIENCE', 240),
    strict: numberOf('STRICT', 0) > 0,
  };
}

const TOLD = ['NETWORKS', 'ROUNDS', 'RUNS', 'STARTS', 'THREADS', 'BACKEND', 'BUSY', 'SPIN', 'PROVIDE', 'PATIENCE'];

function commandLine() {
  const told = TOLD.filter((name) => process.env[name]).map((name) => {
    const value = process.env[name];
    return `${name}=${/^[\w.-]+$/.test(value) ? value : `'${value}'`}`;
  });
  return ['make bench', ...told].join(' ');
}

async function measureBusy(contest, settings, runs, watch) {
  const load = new Load();
  const beside = new Watch(Math.min(watch.patience, 5), load);
  try {
    return ratioOf(await contest.measureRuns(settings.rounds, runs, beside), ({ time }) => time);
  } finally {
    load.end();
  }
}

// One network with so many threads; with the most of them also while a processor is kept busy.
async function measure(contest, network, threads, settings, watch, folder) {
  const starts = await contest.measureStarts(settings.starts, watch);
  const versions = starts.pairs[0].map(({ name, version, backend }) => `${name} ${version} (${backend})`);
  const { apart, decibels } = await contest.difference(folder, network.drops);
  if (network.decibels ? !(decibels >= network.decibels) : !(apart <= TOLERANCE)) {
    throw new Error(`results differ by ${apart} of the largest number, and are ${decibels.toFixed(1)} dB near`);
  }
  const runs = await contest.countRuns(settings.runs);
  const measured = await contest.measureRuns(settings.rounds, runs, watch);
  const result = {
    network,
    threads,
    versions,
    apart,
    decibels,
    start: ratioOf(starts, ({ total }) => total),
    run: ratioOf(measured, ({ time }) => time),
    memory: ratioOf(measured, ({ peak }) => peak),
  };
  if (settings.busy && threads === settings.threads[settings.threads.length - 1]) {
    result.busy = await measureBusy(contest, settings, runs, watch);
  }
  return result;
}

// A run of integers, beside one of floats that we make of the same network.
async function measureOwn(network, files, threads, settings, watch, programs) {
  const { ours, ourSettings, memory } = programs;
  const twice = { theirs: ours, ours, theirSettings: ourSettings, ourSettings, theirEnvironment: {}, memory };
  const contest = new Contest({ input: network.input, shape: network.shape }, files, threads, twice);
  try {
    await contest.measureStarts(1, watch);
    const runs = await contest.countRuns(settings.runs);
    return ratioOf(await contest.measureRuns(settings.rounds, runs, watch), ({ time }) => time);
  } finally {
    await contest.close();
  }
}

function programsOf(folder, library, settings) {
  return {
    ours: path.join(folder, 'serve_nnefc'),
    theirs: path.join(folder, 'serve_onnxruntime'),
    memory: settings.provide && path.join(folder, 'have_memory'),
    ourSettings: [`backend=${settings.backend}`],
    theirSettings: [`session.intra_op.allow_spinning=${settings.spin ? 1 : 0}`],
    theirEnvironment: { ORT_LIBRARY: library },
  };
}

// By number of threads, in 10^9 operations a second.
function measurePeaks(folder, threads) {
  const lines = execFileSync(path.join(folder, 'measure_peak'), threads.map(String), { encoding: 'latin1' });
  return Object.fromEntries(lines.trim().split('\n').map((line) => line.split(' ').map(Number)));
}

function describePeaks(peaks) {
  const known = Object.entries(peaks).filter(([, peak]) => peak > 0);
  return known.map(([threads, peak]) => `${peak} GFLOP/s with ${threads} thread${threads === '1' ? '' : 's'}`).join(', ')
    || 'not known';
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

// Results of all networks, and how many could not be measured.
async function measureAll(settings, nnefc, folder, programs) {
  const watch = new Watch(settings.patience);
  const results = [];
  let failed = 0;
  for (const network of settings.networks) {
    const files = prepare(network, folder, nnefc);
    const macs = countMacs(network, files, nnefc);
    for (const threads of settings.threads) {
      const contest = new Contest(network, files, threads, programs);
      try {
        const result = { ...await measure(contest, network, threads, settings, watch, folder), macs };
        await contest.close();
        if (network.own) {
          const floats = prepare(networksOf(network.own.of)[0], folder, nnefc);
          result.own = await measureOwn(network, { ...files, onnx: floats.ours }, threads, settings, watch, programs);
        }
        results.push(result);
        say(`${network.name}, ${threads}: ${result.run.ratio.toFixed(3)} of ${result.run.theirs.toFixed(2)} ms`);
      } catch (error) {
        contest.kill();
        say(`${network.name}, ${threads}: ${error.message}`);
        failed++;
      }
    }
  }
  return { results, failed };
}

async function main([nnefc, folderOfPrograms, folder, library]) {
  const settings = readSettings();
  const programs = programsOf(folderOfPrograms, library, settings);
  const peaks = measurePeaks(folderOfPrograms, settings.threads);
  const loadBefore = os.loadavg()[0];
  const { results, failed } = await measureAll(settings, nnefc, folder, programs);
  if (results.length > 0) {
    const about = [
      ['machine', describe()],
      ['peak', describePeaks(peaks)],
      ['programs', results[0].versions.join(', ')],
      ['load', `${loadBefore.toFixed(2)} before, ${os.loadavg()[0].toFixed(2)} after`],
      ['command', `\`${commandLine()}\``],
    ];
    const text = report({ results, about, peaks });
    fs.writeFileSync(path.join(folder, 'table.md'), text);
    process.stdout.write(text);
  }
  if (failed > 0) say(`${failed} could not be measured`);
  process.exitCode = failed > 0 || (settings.strict && sumUp(results).missed > 0) ? 1 : 0;
}

main(process.argv.slice(2)).catch((error) => {
  say(`bench: ${error.message}`);
  process.exitCode = 1;
});
