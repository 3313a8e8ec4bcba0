// report.js - what was measured, as tables in Markdown
'use strict';

const { WANTED } = require('./catalogue.js');

const MILLISECONDS = ['ONNX Runtime ms', 'nnefc ms'];

// Which bar a ratio meets; at most as large is enough.
function meets(ratio, { must, aim }) {
  if (ratio <= aim) return 'aim';
  return ratio <= must ? 'must' : 'missed';
}

function verdict(ratio, wanted) {
  const met = meets(ratio, wanted);
  return met === 'missed' ? '**missed**' : met;
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, i) => (i === 0 ? '---' : '---:'));
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

// Three digits, but no exponent.
function digits(number) {
  return number >= 100 ? number.toFixed(0) : number.toPrecision(3);
}

function mebibytes(bytes) {
  return digits(bytes / 2 ** 20);
}

// "8", or "5 of 24" if others had to be dropped, or "none of 24" if all were disturbed and counted all the same.
function pairsOf({ clean, tried }) {
  if (clean === tried) return String(clean);
  return clean > 0 ? `${clean} of ${tried}` : `none of ${tried}`;
}

function times({ theirs, ours, ratio }) {
  return [digits(theirs), digits(ours), ratio.toFixed(3)];
}

function barOf(network, threads) {
  return (threads > 1 && network.several) || network;
}

function apartOf(network, apart, decibels) {
  return network.decibels && apart > 0 ? `${decibels.toFixed(0)} dB` : apart.toExponential(0);
}

function runRow({ network, threads, run, apart, decibels, macs }, peaks) {
  const gigaflops = 2 * macs / run.ours / 1e6;
  const share = peaks[threads] > 0 ? `${Math.round(100 * gigaflops / peaks[threads])} %` : '';
  const bar = barOf(network, threads);
  return [network.title, threads, ...times(run), bar.must.toFixed(2), bar.aim.toFixed(2),
    verdict(run.ratio, bar), digits(gigaflops), share, apartOf(network, apart, decibels), pairsOf(run)];
}

const startBar = (network) => (network.quantized ? WANTED.quantizedStart : WANTED.start);

function startRow({ network, threads, start, memory }) {
  return [network.title, threads, ...times(start), verdict(start.ratio, startBar(network)),
    mebibytes(memory.theirs), mebibytes(memory.ours), memory.ratio.toFixed(3), verdict(memory.ratio, WANTED.memory),
    pairsOf(start)];
}

function ownRow({ network, threads, own }) {
  return [network.title, threads, ...times(own), network.own.must.toFixed(2), network.own.aim.toFixed(2),
    verdict(own.ratio, network.own), pairsOf(own)];
}

function busyRow({ network, threads, busy }) {
  return [network.title, threads, ...times(busy), verdict(busy.ratio, WANTED.busy), pairsOf(busy)];
}

// How many ratios there are that meet each bar.
function sumUp(results) {
  const verdicts = results.flatMap(({ network, threads, run, start, memory, busy, own }) => [
    meets(run.ratio, barOf(network, threads)),
    meets(start.ratio, startBar(network)),
    meets(memory.ratio, WANTED.memory),
    ...(busy ? [meets(busy.ratio, WANTED.busy)] : []),
    ...(own ? [meets(own.ratio, network.own)] : []),
  ]);
  const count = (met) => verdicts.filter((other) => other === met).length;
  return { aim: count('aim'), must: count('must'), missed: count('missed') };
}

function bars({ must, aim }) {
  return `must ${must.toFixed(2)}, aim ${aim.toFixed(2)}`;
}

function report({ results, about, peaks }) {
  const loaded = results.filter(({ busy }) => busy);
  const own = results.filter((result) => result.own);
  const { aim, must, missed } = sumUp(results);
  const parts = [
    about.map(([what, text]) => `- ${what}: ${text}`).join('\n'),
    'A run:',
    table(['network', 'threads', ...MILLISECONDS, 'ratio', 'must', 'aim', 'met', 'GFLOP/s', 'of peak',
      'results apart', 'pairs'], results.map((result) => runRow(result, peaks))),
    `A start, from the file to the first results (${bars(WANTED.start)}; of integers ${bars(WANTED.quantizedStart)}), and the most memory (${bars(WANTED.memory)}):`,
    table(['network', 'threads', ...MILLISECONDS, 'ratio', 'met', 'ONNX Runtime MiB', 'nnefc MiB', 'ratio', 'met',
      'pairs'], results.map(startRow)),
  ];
  if (loaded.length > 0) {
    parts.push(
      `A run while another process keeps one processor busy (${bars(WANTED.busy)}):`,
      table(['network', 'threads', ...MILLISECONDS, 'ratio', 'met', 'pairs'], loaded.map(busyRow)),
    );
  }
  if (own.length > 0) {
    parts.push(
      'A run of 8 bits beside one of our floats:',
      table(['network', 'threads', 'floats ms', '8 bits ms', 'ratio', 'must', 'aim', 'met', 'pairs'], own.map(ownRow)),
    );
  }
  parts.push(`Of ${aim + must + missed} ratios ${aim} met the aim, ${must} the must only, ${missed} neither.`);
  return `${parts.join('\n\n')}\n`;
}

module.exports = { report, sumUp };
