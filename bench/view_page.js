// view_page.js PAGE... - times that pages of 'nnefc view' take in Chromium without a GPU, and their bars
//
// Prints one line a page, and ends with 1 where a bar is missed: first frame 1500 ms, drawing 16 ms at every zoom with
// all groups open (95th percentile; 33 ms from 10,000 operations on), a group that opens or closes 100 ms, a search 50 ms,
// heap 100 MB.  A drawing counts until its pixels are there: one of them is read.
'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { Browser } = require('../tests/browser/browser.js');

const MANY = 10000; // operations
const BARS = { frame: 1500, draw: 16, open: 100, search: 50, heap: 100 };

/* global nnefcView */
/* istanbul ignore next -- runs in the page */
function timeDrawing() {
  const graph = document.getElementById('graph'), pen = graph.getContext('2d'), times = [];
  const eye = { ...nnefcView.camera };
  for (let zoom = 0; zoom < 12; zoom++) {
    for (let turn = 0; turn < 10; turn++) {
      const scale = eye.scale * 2 ** (zoom / 2), share = turn / 10;
      nnefcView.camera.scale = Math.min(scale, 4);
      nnefcView.camera.x = eye.x + share * graph.clientWidth * (1 / eye.scale - 1 / nnefcView.camera.scale);
      nnefcView.camera.y = eye.y + share * graph.clientHeight * (1 / eye.scale - 1 / nnefcView.camera.scale);
      const begin = performance.now();
      nnefcView.draw();
      pen.getImageData(0, 0, 1, 1);
      times.push(performance.now() - begin);
    }
  }
  Object.assign(nnefcView.camera, eye);
  return times;
}

// Milliseconds until something other than paper is seen.
function firstFrame() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(performance.getEntriesByName('first-contentful-paint')[0].startTime))));
}

function timeGroups() {
  const times = [], pen = document.getElementById('graph').getContext('2d');
  for (const group of nnefcView.groups.filter((one) => one.parent === 0).slice(0, 20).concat(nnefcView.groups.slice(1, 20))) {
    for (let turn = 0; turn < 2; turn++) {
      const begin = performance.now();
      nnefcView.toggle(group.index);
      nnefcView.draw();
      pen.getImageData(0, 0, 1, 1);
      times.push(performance.now() - begin);
    }
  }
  return times;
}

function timeSearch() {
  return ['conv', 'op:add', 'shape:1,64,*,*', 'attr:dilation bytes>1e6', 'nothing of that name'].map((words) => {
    const begin = performance.now();
    nnefcView.find(words);
    return performance.now() - begin;
  });
}

const run = (browser, work) => browser.run(`return (${work})()`);

function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted.length > 0 ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : 0;
}

async function measure(browser, file) {
  await browser.open(pathToFileURL(path.resolve(file)).href);
  const operations = await browser.run("return JSON.parse(document.getElementById('data').textContent).ops.type.length");
  const frame = await run(browser, firstFrame);
  const closed = await run(browser, timeGroups);
  await browser.run('nnefcView.openTo(1e6)');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const draw = await run(browser, timeDrawing);
  const open = closed.concat(await run(browser, timeGroups));
  const search = await run(browser, timeSearch);
  const { metrics } = await heapOf(browser);
  const heap = metrics.find((one) => one.name === 'JSHeapUsedSize').value / 1e6;
  return { operations, frame, draw: percentile(draw, 0.95), open: Math.max(0, ...open), search: percentile(search.slice(1), 0.95), heap };
}

async function heapOf(browser) {
  await browser.devtools('HeapProfiler.collectGarbage', {});
  await browser.devtools('Performance.enable', {});
  return browser.devtools('Performance.getMetrics', {});
}

function judge(file, found) {
  const bars = { ...BARS, draw: found.operations >= MANY ? 33 : BARS.draw };
  const missed = Object.keys(bars).filter((key) => found[key] > bars[key]);
  const line = Object.keys(bars).map((key) => `${key} ${found[key].toFixed(1)}${key === 'heap' ? ' MB' : ' ms'} (bar ${bars[key]})`);
  console.log(`${path.basename(file)}, ${found.operations} operations: ${line.join(', ')}${missed.length > 0 ? '  MISSED: ' + missed.join(' ') : ''}`);
  return missed.length === 0;
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nnefc-view-'));
  const browser = await Browser.start(folder, 1280, 900);
  let met = true;
  try {
    for (const file of process.argv.slice(2))
      met = judge(file, await measure(browser, file)) && met;
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  process.exitCode = met ? 0 : 1;
}

main().catch((error) => {
  console.error(String(error));
  process.exitCode = 2;
});
