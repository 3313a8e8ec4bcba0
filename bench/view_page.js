// view_page.js NNEFC [PAGE...] - times that pages of 'nnefc view' take in Chromium without a GPU, and their bars
//
// Pages are those of ResNet-50 and of decoders of 5,000 and 10,000 operations, if none is named.  Prints one line a page,
// and ends with 1 where a bar is missed: first frame 1500 ms (300 ms up to 200 operations), drawing 16 ms at every zoom
// with all groups open (95th percentile; 33 ms from 6,000 operations on), a group that opens or closes 100 ms, a search
// 50 ms, heap 100 MB.  A drawing counts until its pixels are there: one of them is read; the
// least of three times of each drawing counts, since others use the machine, too.
'use strict';

const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { Browser } = require('../tests/browser/browser.js');
const { decoder } = require('../tests/browser/models.js');

const FEW = 200, MANY = 6000; // operations
const LAYERS = [333, 667]; // of 15 operations each
const BARS = { frame: 1500, draw: 16, open: 100, search: 50, heap: 100 };

/* global nnefcView */

// These run in the page.
function timeDrawing() {
  const graph = document.getElementById('graph'), pen = graph.getContext('2d'), times = [];
  const eye = { ...nnefcView.camera };
  for (let zoom = 0; zoom < 12; zoom++) {
    for (let turn = 0; turn < 10; turn++) {
      const scale = eye.scale * 2 ** (zoom / 2), share = turn / 10;
      nnefcView.camera.scale = Math.min(scale, 4);
      nnefcView.camera.x = eye.x + share * graph.clientWidth * (1 / eye.scale - 1 / nnefcView.camera.scale);
      nnefcView.camera.y = eye.y + share * graph.clientHeight * (1 / eye.scale - 1 / nnefcView.camera.scale);
      times.push(Math.min(...[1, 2, 3].map(() => {
        const begin = performance.now();
        nnefcView.draw();
        pen.getImageData(0, 0, 1, 1);
        return performance.now() - begin;
      })));
    }
  }
  Object.assign(nnefcView.camera, eye);
  return times;
}

// Milliseconds until something other than paper is seen.
function firstFrame() {
  return new Promise((resolve) => new PerformanceObserver((list) =>
    list.getEntriesByName('first-contentful-paint').forEach((one) => resolve(one.startTime))).observe({ type: 'paint', buffered: true }));
}

function timeGroups() {
  const times = [], pen = document.getElementById('graph').getContext('2d');
  for (const group of nnefcView.groups.filter((one) => one.parent === 0).slice(0, 20).concat(nnefcView.groups.slice(1, 20))) {
    const turns = [1, 2, 3, 4, 5, 6].map(() => {
      const begin = performance.now();
      nnefcView.toggle(group.index);
      nnefcView.draw();
      pen.getImageData(0, 0, 1, 1);
      return performance.now() - begin;
    });
    times.push(...[0, 1].map((turn) => Math.min(...turns.filter((_, i) => i % 2 === turn))));
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
  const frames = [];
  for (let turn = 0; turn < 3; turn++) {
    await browser.open('about:blank');
    await browser.open(pathToFileURL(path.resolve(file)).href);
    frames.push(await run(browser, firstFrame));
  }
  const operations = await browser.run("return JSON.parse(document.getElementById('data').textContent).ops.type.length");
  const closed = await run(browser, timeGroups);
  await browser.run('nnefcView.openTo(1e6)');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const draw = await run(browser, timeDrawing);
  const open = closed.concat(await run(browser, timeGroups));
  const search = await run(browser, timeSearch);
  const { metrics } = await heapOf(browser);
  const heap = metrics.find((one) => one.name === 'JSHeapUsedSize').value / 1e6;
  return { operations, frame: Math.min(...frames), draw: percentile(draw, 0.95), open: Math.max(0, ...open), search: percentile(search.slice(1), 0.95), heap };
}

async function heapOf(browser) {
  await browser.devtools('HeapProfiler.collectGarbage', {});
  await browser.devtools('Performance.enable', {});
  return browser.devtools('Performance.getMetrics', {});
}

function judge(file, found) {
  const bars = { ...BARS, draw: found.operations >= MANY ? 33 : BARS.draw, frame: found.operations <= FEW ? 300 : BARS.frame };
  const missed = Object.keys(bars).filter((key) => found[key] > bars[key]);
  const line = Object.keys(bars).map((key) => `${key} ${found[key].toFixed(1)}${key === 'heap' ? ' MB' : ' ms'} (bar ${bars[key]})`);
  console.log(`${path.basename(file)}, ${found.operations} operations: ${line.join(', ')}${missed.length > 0 ? '  MISSED: ' + missed.join(' ') : ''}`);
  return missed.length === 0;
}

function writePages(nnefc, folder) {
  const models = [path.join(__dirname, '../examples/nnef/resnet'),
    ...LAYERS.map((layers) => decoder(path.join(folder, String(layers)), layers))];
  return models.map((model, i) => {
    const page = path.join(folder, `${i > 0 ? `decoder of ${LAYERS[i - 1]} layers` : 'ResNet-50'}.html`);
    execFileSync(nnefc, ['view', model, '-o', page]);
    return page;
  });
}

async function main() {
  const [nnefc, ...named] = process.argv.slice(2);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nnefc-view-'));
  let browser = null;
  let met = true;
  try {
    browser = await Browser.start(folder, 1280, 900);
    for (const file of named.length > 0 ? named : writePages(nnefc, folder))
      met = judge(file, await measure(browser, file)) && met;
  } finally {
    if (browser)
      await browser.close();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  process.exitCode = met ? 0 : 1;
}

main().catch((error) => {
  console.error(error.code === 'ENOENT' ? `bench: ${error.path} is needed; on Debian 'sh tools/setup.sh web' installs chromedriver` : String(error));
  process.exitCode = 2;
});
