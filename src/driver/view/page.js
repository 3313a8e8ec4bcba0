/*
 * page.js - shows the model that 'nnefc view' has put into the page
 *
 * The element 'data' holds the model as docs/view.md describes it. C has decided ranks, tracks and orders; this file
 * places boxes as layout.c does, since boxes change their sizes when groups open. One canvas shows what is in sight.
 * Names come from models, which may be hostile: they enter the page by textContent and fillText, and in no other way.
 */
'use strict';
(() => {

const data = JSON.parse(document.getElementById('data').textContent);
const { strings, ops, values } = data;
const OPERATION = 0, GROUP = 1, VALUE = 2, OUTPUT = 3;
const VARIABLE = 2;
const SHARED = 6;       /* readers that make an input or a constant a shared one */
const MOST_LISTED = 200;

const text = (index) => index >= 0 ? strings[index] : '';

/* Controls and marks of direction are written as bytes, as C does: no name hides or turns others. */
const UNSEEN = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g;
const bytesOf = (c) => Array.from(new TextEncoder().encode(c), (byte) => '\\x' + byte.toString(16).toUpperCase().padStart(2, '0'));

function visible(name, most = 400) {
  const start = name.length > most ? name.slice(0, most) + '…' : name;
  return start.replace(UNSEEN, (c) => bytesOf(c).join(''));
}

/* ---- the model ---- */

const groups = data.groups.map((group, index) => ({
  index, name: text(group.name), parent: group.parent, same: group.same, times: group.times,
  size: group.size, boxes: group.boxes, count: group.boxes.length / 2,
  rows: group.rows, tracks: group.tracks, links: group.links,
  slots: Array.from({ length: group.boxes.length / 2 }, (_, slot) => slot),
  open: group.parent < 0, ready: false, placed: false, x: 0, y: 0, width: 0, height: 0,
}));
const homes = [OPERATION, GROUP, VALUE, OUTPUT].map(() => new Map());   /* of a thing: its group and slot */
const readers = values.name.map(() => []);
const depths = groups.map((group) => chain(group.index).length - 1);
const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0);

const thingAt = (group, slot) => ({ kind: group.boxes[2 * slot], index: group.boxes[2 * slot + 1] });

for (const group of groups) {
  for (const slot of group.slots) {
    const { kind, index } = thingAt(group, slot);
    if (!homes[kind].has(index))
      homes[kind].set(index, { group, slot });
  }
}
ops.in.forEach((operands, op) => new Set(operands).forEach((value) => value >= 0 && readers[value].push(op)));

/* The groups around and with one, outermost first. */
function chain(index) {
  const list = [];
  for (let i = index; i >= 0; i = data.groups[i].parent)
    list.unshift(i);
  return list;
}

const titles = [ops.name, data.groups.map((group) => group.name), values.name, values.name];
const titleOf = (kind, index) => text(titles[kind][index]);

function linesOf(kind, index) {
  const title = titleOf(kind, index);
  if (kind === OPERATION)
    return [text(ops.type[index]), title];
  return kind === GROUP && groups[index].times > 1 ? [title, 'x' + groups[index].times] : [title];
}

function attributesOf(op) {
  const list = ops.attrs[op];
  return Array.from({ length: list.length / 3 }, (_, i) =>
    ({ name: text(list[3 * i]), value: text(list[3 * i + 1]), isDefault: list[3 * i + 2] === 1 }));
}

function shapeOf(value) {
  const shape = values.shape[value];
  return shape ? '[' + shape.map((extent) => extent < 0 ? '?' : extent).join(',') + ']' : '';
}

/* ---- places of boxes: steps 4 and 5 of docs/view.md, with the constants of layout.c ---- */

const SWEEPS = 12, HEAVY = 8;
const BOX_GAP = 16, TRACK_BOX_GAP = 10, TRACK_GAP = 8, ROW_GAP = 28;
const LETTER = 7, PADDING = 16, NARROWEST = 56, WIDEST = 320;
const LINE = 14, LOWEST = 24, CLOSED = 36, MARGIN = 12, TITLE = 20;

let hideConstants = false;

const isHidden = ({ kind, index }) => hideConstants && kind === VALUE &&
  (values.kind[index] >= VARIABLE || readers[index].length >= SHARED);

/* What a group shows: its rows without hidden things, and its links by the row they leave. */
function prepare(group) {
  const slots = group.count + group.tracks.length;
  const hidden = (slot) => slot < group.count
    ? isHidden(thingAt(group, slot))
    : isHidden({ kind: VALUE, index: group.tracks[slot - group.count] }) && homes[VALUE].has(group.tracks[slot - group.count]);
  group.shown = group.rows.map((row) => row.filter((slot) => !hidden(slot))).filter((row) => row.length > 0);
  group.rowOf = new Int32Array(slots).fill(-1);
  group.shown.forEach((row, index) => row.forEach((slot) => { group.rowOf[slot] = index; }));
  group.above = Array.from({ length: slots }, () => []);
  group.below = Array.from({ length: slots }, () => []);
  group.leaving = group.shown.map(() => []);
  for (let i = 0; i < group.links.length; i += 3) {
    const [from, to, value] = group.links.slice(i, i + 3);
    if (group.rowOf[from] < 0 || group.rowOf[to] < 0)
      continue;
    group.below[from].push(to);
    group.above[to].push(from);
    group.leaving[group.rowOf[from]].push(from, to, value);
  }
  for (const key of ['wide', 'high', 'centre'])
    group[key] = new Float64Array(slots);
  for (const key of ['rowTop', 'rowHigh'])
    group[key] = new Float64Array(group.shown.length);
  group.closed = group.slots.map((slot) => closedSize(thingAt(group, slot)));
  group.ready = true;
}

function closedSize({ kind, index }) {
  const lines = linesOf(kind, index);
  const letters = lines.reduce((most, line) => Math.max(most, lettersOf(line)), 0);
  return {
    wide: Math.min(WIDEST, Math.max(NARROWEST, LETTER * letters + PADDING)),
    high: kind === GROUP ? CLOSED : LOWEST + LINE * (lines.length - 1),
  };
}

const lettersOf = (line) => [...visible(line)].length;

function measure(group) {
  for (const slot of group.slots) {
    const inside = insideOf(group, slot);
    group.wide[slot] = inside ? inside.width + 2 * MARGIN : group.closed[slot].wide;
    group.high[slot] = inside ? inside.height + 2 * MARGIN + TITLE : group.closed[slot].high;
  }
}

function distance(group, left, right) {
  const points = (left >= group.count) + (right >= group.count);
  return (group.wide[left] + group.wide[right]) / 2 + [BOX_GAP, TRACK_BOX_GAP, TRACK_GAP][points];
}

/* The mean of the neighbours' centres; a slot without neighbours stays. */
function wish(group, slot, neighbours) {
  let sum = 0, weights = 0;
  for (const other of neighbours) {
    const weight = slot >= group.count && other >= group.count ? HEAVY : 1;
    sum += weight * group.centre[other];
    weights += weight;
  }
  return weights > 0 ? sum / weights : group.centre[slot];
}

/* The centres nearest to what the slots of a row wish that keep order and distances: pooled adjacent violators. */
function placeRow(group, row, side) {
  const blocks = [], offsets = [0];
  for (let i = 0; i < row.length; i++) {
    if (i > 0)
      offsets.push(offsets[i - 1] + distance(group, row[i - 1], row[i]));
    const weight = row[i] >= group.count ? HEAVY : 1;
    let block = { end: i + 1, sum: weight * (wish(group, row[i], side[row[i]]) - offsets[i]), weight };
    while (blocks.length > 0) {
      const last = blocks[blocks.length - 1];
      if (last.sum / last.weight <= block.sum / block.weight)
        break;
      block = { end: i + 1, sum: last.sum + block.sum, weight: last.weight + block.weight };
      blocks.pop();
    }
    blocks.push(block);
  }
  let at = 0;
  for (const block of blocks) {
    for (; at < block.end; at++)
      group.centre[row[at]] = block.sum / block.weight + offsets[at];
  }
}

function placeAcross(group) {
  for (const row of group.shown) {
    row.forEach((slot, i) => {
      group.centre[slot] = i > 0 ? group.centre[row[i - 1]] + distance(group, row[i - 1], slot) : group.wide[slot] / 2;
    });
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0, count = group.shown.length;
    for (let i = 1; i < count; i++)
      placeRow(group, group.shown[down ? i : count - 1 - i], down ? group.above : group.below);
  }
  let left = Infinity, right = -Infinity;
  for (const row of group.shown) {
    const first = row[0], last = row[row.length - 1];
    left = Math.min(left, group.centre[first] - group.wide[first] / 2);
    right = Math.max(right, group.centre[last] + group.wide[last] / 2);
  }
  group.centre.forEach((centre, slot) => { group.centre[slot] = centre - left; });
  group.width = Math.max(0, right - left);
}

function placeDown(group) {
  let y = 0;
  group.shown.forEach((row, i) => {
    group.rowTop[i] = y;
    group.rowHigh[i] = row.reduce((most, slot) => Math.max(most, group.high[slot]), 0);
    y += group.rowHigh[i] + ROW_GAP;
  });
  group.height = Math.max(0, y - ROW_GAP);
}

function place(group) {
  if (!group.ready)
    prepare(group);
  measure(group);
  placeAcross(group);
  placeDown(group);
  group.placed = true;
}

/* Places a group and all that is open in it, innermost first. */
function placeAll(group) {
  group.slots.map((slot) => insideOf(group, slot)).filter(Boolean).forEach(placeAll);
  place(group);
}

/* The open group that a slot holds, or null. */
function insideOf(group, slot) {
  const inside = group.boxes[2 * slot] === GROUP ? groups[group.boxes[2 * slot + 1]] : null;
  return inside && inside.open ? inside : null;
}

/* Sets where the insides of open groups begin. */
function settle(group, x, y) {
  group.x = x;
  group.y = y;
  for (const slot of group.slots.filter((one) => group.rowOf[one] >= 0 && insideOf(group, one))) {
    const box = boxAt(group, slot);
    settle(insideOf(group, slot), box.x + MARGIN, box.y + TITLE + MARGIN);
  }
}

function boxAt(group, slot) {
  const wide = group.wide[slot], high = group.high[slot], row = group.rowOf[slot];
  return {
    x: group.x + group.centre[slot] - wide / 2,
    y: group.y + group.rowTop[row] + (group.rowHigh[row] - high) / 2, wide, high,
  };
}

/* Every box that is in an open group, with its place; for tests and for programs around the page. */
function listBoxes(group = groups[0]) {
  return group.slots.filter((slot) => group.rowOf[slot] >= 0).flatMap((slot) => {
    const inside = insideOf(group, slot);
    return [{ ...thingAt(group, slot), ...boxAt(group, slot) }, ...(inside ? listBoxes(inside) : [])];
  });
}

/* ---- the elements of the page ---- */

/* An element with properties; children are elements or text. */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'role')
      element.setAttribute(key, value);
    else
      element[key] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const button = (label, title, onclick) => make('button', { type: 'button', title, onclick }, label);

const graph = make('canvas', { id: 'graph', tabIndex: 0, role: 'application', 'aria-label': 'graph; h for help' });
const map = make('canvas', { id: 'map', width: 160, height: 120, 'aria-hidden': 'true' });
const found = make('div', { id: 'found', hidden: true, 'aria-label': 'matches' });
const panel = make('aside', { id: 'panel', 'aria-label': 'details' });
const spoken = make('div', { className: 'unseen', 'aria-live': 'polite' });
const search = make('input', {
  type: 'search', id: 'search', placeholder: 'name, op:conv shape:1,64,*,* bytes>1e6', 'aria-label': 'search',
  spellcheck: false,
});
const depth = make('input', { type: 'range', id: 'depth', min: 0, max: deepest, value: 0, disabled: deepest === 0 });
const hide = make('input', { type: 'checkbox', id: 'hide' });
const colour = make('select', { id: 'colour' });
const help = make('dialog', { id: 'help' });

/* ---- what is seen: camera, colours, heat ---- */

const camera = { x: 0, y: 0, scale: 1 };    /* the point of the drawing at the upper left corner, pixels a unit */
const SMALLEST = 1e-4, LARGEST = 4;
const NEAR = 0.45, FAR = 0.1;               /* scales between the three levels of detail */
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const dark = matchMedia('(prefers-color-scheme: dark)');
let palette = {};
let selected = null;        /* { kind, index } */
let lit = new Set();        /* values whose links are marked */
let related = null;         /* what the selected depends on or feeds: { ops, groups, values } */
let matches = [];           /* of the search: { kind, index } */
let matched = new Set();    /* the same as keys */
let heat = null;
let dirty = true, mapDirty = true;

const COLOURS = ['paper', 'ink', 'muted', 'line', 'accent', 'match', 'box', 'linear', 'activation', 'pool', 'norm', 'shape',
  'reduce', 'value', 'title'];
const keyOf = (kind, index) => kind + ':' + index;

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  COLOURS.forEach((name) => { palette[name] = style.getPropertyValue('--' + name).trim(); });
}

const FAMILIES = [
  ['linear', /conv|matmul|^linear|gemm|lstm|attention/],
  ['norm', /norm/],
  ['reduce', /_reduce$|^arg/],
  ['pool', /pool|sample|box$|resize/],
  ['shape', /shape|transpose|concat|split|slice|^pad$|squeeze|stack|tile|gather|cast|copy|expand/],
  ['activation', /elu|sigmoid|tanh|soft|swish|silu|erf|clamp|hard/],
];
const familyOf = new Map([...new Set(ops.type)].map((type) => {
  const family = FAMILIES.find(([, pattern]) => pattern.test(text(type)));
  return [type, family ? family[0] : 'box'];
}));

/* Groups of equal structure have one hue; golden angle keeps neighbours apart. */
function groupColour(group) {
  const hue = (Math.max(0, group.same) * 137.5) % 360;
  return dark.matches ? `hsl(${hue} 25% 24%)` : `hsl(${hue} 45% 91%)`;
}

function fillOf(kind, index) {
  if (heat) {
    const value = kind === OPERATION ? heat.ops[index] : kind === GROUP ? heat.groups[index] : undefined;
    return value === undefined ? palette.paper : heatColour(heat.most > 0 ? value / heat.most : 0);
  }
  if (kind === OPERATION)
    return palette[familyOf.get(ops.type[index])];
  return kind === GROUP ? groupColour(groups[index]) : palette.value;
}

function heatColour(share) {
  const t = Math.sqrt(Math.min(1, Math.max(0, share)));
  return dark.matches ? `hsl(${55 - 50 * t} 75% ${14 + 30 * t}%)` : `hsl(${55 - 50 * t} 95% ${95 - 40 * t}%)`;
}

/* Numbers of operations as colours: those of groups are sums where numbers add up, else the largest. */
function heatOf(unit, numbers, adds) {
  const made = { unit, ops: numbers, groups: [], most: 0, list: [] };
  numbers.forEach((number, op) => {
    if (number === undefined)
      return;
    made.most = Math.max(made.most, number);
    made.list.push(op);
    for (let group = ops.group[op]; group >= 0; group = groups[group].parent) {
      const before = made.groups[group];
      made.groups[group] = before === undefined ? number : adds ? before + number : Math.max(before, number);
    }
  });
  made.list.sort((a, b) => numbers[b] - numbers[a] || a - b);
  return made;
}

const bytesIn = (list) => list.reduce((sum, value) => sum + Math.max(0, values.bytes[value]), 0);
const COLOURINGS = {
  operation: () => null,
  MACs: () => heatOf('MACs', ops.macs.map((count) => count >= 0 ? count : undefined), true),
  bytes: () => heatOf('bytes', ops.out.map(bytesIn), true),
};
if (data.overlay)
  COLOURINGS.overlay = () => heatOf(data.overlay.unit || '', ops.out.map(overlayOf), /^([mun]?s|MACs|bytes)$/.test(data.overlay.unit));

function overlayOf(results) {
  const given = results.map((value) => data.overlay.values[text(values.name[value])]).filter(Number.isFinite);
  return given.length > 0 ? Math.max(...given) : undefined;
}

/* ---- drawing ---- */

const FONT = 'system-ui, sans-serif';
const SPECK = 1.2, PATCH = 6;   /* pixels: lower boxes are left out, lower groups drawn without their insides */

/* The part of the drawing that a camera shows on a canvas of that size, in CSS pixels. */
function sight(eye, wide, high) {
  return { left: eye.x, top: eye.y, right: eye.x + wide / eye.scale, bottom: eye.y + high / eye.scale, scale: eye.scale };
}

/* The rows of a group that reach into a stretch of the drawing, with a row before and behind them for their links. */
function rowsInSight(group, view) {
  const count = group.rowTop.length;
  const first = lowerBound(count, (i) => group.y + group.rowTop[i] + group.rowHigh[i] >= view.top);
  const last = lowerBound(count, (i) => group.y + group.rowTop[i] > view.bottom);
  return [Math.max(0, first - 1), Math.min(count, last + 1)];
}

/* The first number below count of which something holds that holds of all behind it. */
function lowerBound(count, holds) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Draws what is in sight of an open group, then of those in it. */
function drawInside(pen, group, view) {
  const [first, last] = rowsInSight(group, view);
  drawLinks(pen, group, view, [first, last], false);
  if (lit.size > 0)
    drawLinks(pen, group, view, [first, last], true);
  for (let i = first; i < last; i++)
    drawRow(pen, group, group.shown[i], view);
}

function drawRow(pen, group, row, view) {
  const from = lowerBound(row.length, (i) => group.x + group.centre[row[i]] + group.wide[row[i]] / 2 >= view.left);
  for (let i = from; i < row.length; i++) {
    const slot = row[i];
    if (group.x + group.centre[slot] - group.wide[slot] / 2 > view.right)
      break;
    const tall = group.high[slot] * view.scale, inside = slot < group.count ? insideOf(group, slot) : null;
    if (slot < group.count && (tall > SPECK || isMarked(thingAt(group, slot))))
      drawBox(pen, group, slot, view);
    if (inside && tall > PATCH)
      drawInside(pen, inside, view);
  }
}

/* Links of the rows in sight, as one path: from a far camera those along tracks only. */
function drawLinks(pen, group, view, [first, last], marked) {
  pen.beginPath();
  for (let i = first; i < last; i++) {
    const links = group.leaving[i];
    for (let k = 0; k < links.length; k += 3) {
      if ((lit.size > 0 && lit.has(links[k + 2])) === marked)
        drawLink(pen, group, links[k], links[k + 1], view);
    }
    drawPoints(pen, group, group.shown[i], marked);
  }
  pen.globalAlpha = related && !marked ? 0.3 : 1;
  pen.strokeStyle = marked ? palette.accent : palette.line;
  pen.lineWidth = (marked ? 2 : 1) * Math.max(1, 0.6 / view.scale);
  pen.stroke();
  pen.globalAlpha = 1;
}

/* A curve between two rows; the ends go straight to boxes that are lower than their rows. */
function drawLink(pen, group, from, to, view) {
  const x1 = group.x + group.centre[from], x2 = group.x + group.centre[to];
  const short = view.scale < FAR && from < group.count && to < group.count;
  if (short || Math.max(x1, x2) < view.left || Math.min(x1, x2) > view.right)
    return;
  const upper = group.rowOf[from], lower = group.rowOf[to];
  const y1 = group.y + group.rowTop[upper] + group.rowHigh[upper], y2 = group.y + group.rowTop[lower];
  const middle = (y1 + y2) / 2;
  pen.moveTo(x1, from < group.count ? y1 - (group.rowHigh[upper] - group.high[from]) / 2 : y1);
  pen.lineTo(x1, y1);
  if (view.scale < NEAR || Math.abs(x1 - x2) < 0.5)
    pen.lineTo(x2, y2);
  else
    pen.bezierCurveTo(x1, middle, x2, middle, x2, y2);
  if (to < group.count && group.high[to] < group.rowHigh[lower])
    pen.lineTo(x2, y2 + (group.rowHigh[lower] - group.high[to]) / 2);
}

/* Tracks pass the boxes of a row in straight lines. */
function drawPoints(pen, group, row, marked) {
  for (const slot of row) {
    if (slot < group.count || (lit.size > 0 && lit.has(group.tracks[slot - group.count])) !== marked)
      continue;
    const i = group.rowOf[slot], x = group.x + group.centre[slot], y = group.y + group.rowTop[i];
    pen.moveTo(x, y);
    pen.lineTo(x, y + group.rowHigh[i]);
  }
}

const isRelated = (kind, index) => [related.ops, related.groups, related.values, related.values][kind].has(index);

const isChosen = ({ kind, index }) => selected !== null && selected.kind === kind && selected.index === index;
const isMarked = (thing) => isChosen(thing) || (matched.size > 0 && matched.has(keyOf(thing.kind, thing.index)));

function drawBox(pen, group, slot, view) {
  const thing = thingAt(group, slot), { kind, index } = thing, box = boxAt(group, slot);
  const tall = box.high * view.scale, open = kind === GROUP && groups[index].open && tall > PATCH, marked = isMarked(thing);
  pen.globalAlpha = related && !isRelated(kind, index) ? 0.25 : 1;
  pen.fillStyle = open ? palette.paper : fillOf(kind, index);
  pen.strokeStyle = isChosen(thing) ? palette.accent : marked ? palette.match : palette.line;
  pen.lineWidth = marked ? Math.max(3, 1.8 / view.scale) : Math.max(1, 0.3 / view.scale);
  if (view.scale < NEAR && !open) {
    pen.fillRect(box.x, box.y, box.wide, box.high);
    if (marked || (kind === GROUP && view.scale > FAR))
      pen.strokeRect(box.x, box.y, box.wide, box.high);
  } else {
    pen.beginPath();
    pen.roundRect(box.x, box.y, box.wide, box.high, kind === VALUE || kind === OUTPUT ? LOWEST / 2 : 4);
    pen.fill();
    pen.stroke();
  }
  if (open)
    drawTitle(pen, box, groups[index], view);
  else if (view.scale >= NEAR)
    drawText(pen, box, linesOf(kind, index), kind);
  pen.globalAlpha = 1;
}

/* A title stays readable from far away, as long as there is room for it. */
function drawTitle(pen, box, group, view) {
  pen.fillStyle = palette.title;
  pen.fillRect(box.x + 1, box.y + 1, box.wide - 2, TITLE - 1);
  if (view.scale < NEAR)
    return;
  pen.fillStyle = palette.ink;
  pen.font = '600 12px ' + FONT;
  pen.textAlign = 'left';
  pen.fillText(clip('▾ ' + group.name, box.wide - 12), box.x + 6, box.y + 15, box.wide - 12);
}

function clip(line, room) {
  const letters = [...visible(line)], most = Math.max(1, Math.floor(room / LETTER));
  return letters.length <= most ? letters.join('') : letters.slice(0, most - 1).join('') + '…';
}

function drawText(pen, box, lines, kind) {
  const middle = box.y + box.high / 2, room = box.wide - 8;
  pen.textAlign = 'center';
  lines.forEach((line, i) => {
    const mark = kind === GROUP && i === 0 ? '▸ ' : '';
    pen.font = (i === 0 ? '600 12px ' : '11px ') + FONT;
    pen.fillStyle = i === 0 || heat ? palette.ink : palette.muted;
    pen.fillText(mark + clip(line, box.wide - 2 * PADDING / 2), box.x + box.wide / 2,
      middle + 4 + LINE * (i - (lines.length - 1) / 2), room);
  });
}

function draw() {
  const ratio = devicePixelRatio || 1, { clientWidth: wide, clientHeight: high } = graph;
  if (graph.width !== Math.round(wide * ratio) || graph.height !== Math.round(high * ratio)) {
    graph.width = Math.round(wide * ratio);
    graph.height = Math.round(high * ratio);
  }
  drawAll(graph.getContext('2d', { alpha: false }), camera, ratio, wide, high);
  drawMap();
}

/* What an eye sees, on a canvas of that size in CSS pixels, which `ratio` of the canvas make. */
function drawAll(pen, eye, ratio, wide, high) {
  const unit = ratio * eye.scale;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = palette.paper;
  pen.fillRect(0, 0, wide, high);
  pen.setTransform(unit, 0, 0, unit, -eye.x * unit, -eye.y * unit);
  drawInside(pen, groups[0], sight(eye, wide, high));
}

function redraw() {
  if (!dirty) {
    dirty = true;
    requestAnimationFrame(() => { dirty = false; draw(); });
  }
}

/* ---- minimap ---- */

const overview = document.createElement('canvas');     /* the whole graph, drawn when it changes */

function mapEye() {
  const [root] = groups;
  const scale = Math.min((map.width - 8) / Math.max(1, root.width), (map.height - 8) / Math.max(1, root.height));
  return {
    scale, x: root.width / 2 - map.width / 2 / scale, y: root.height / 2 - map.height / 2 / scale,
  };
}

function drawMap() {
  if (map.hidden)
    return;
  const eye = mapEye(), pen = map.getContext('2d');
  if (mapDirty) {
    overview.width = map.width;
    overview.height = map.height;
    drawAll(overview.getContext('2d'), eye, 1, map.width, map.height);
    mapDirty = false;
  }
  pen.drawImage(overview, 0, 0);
  pen.strokeStyle = palette.accent;
  pen.lineWidth = 1.5;
  const view = sight(camera, graph.clientWidth, graph.clientHeight);
  const left = Math.max(1, (view.left - eye.x) * eye.scale), top = Math.max(1, (view.top - eye.y) * eye.scale);
  const right = Math.min(map.width - 1, (view.right - eye.x) * eye.scale);
  const bottom = Math.min(map.height - 1, (view.bottom - eye.y) * eye.scale);
  pen.strokeRect(left, top, Math.max(2, right - left), Math.max(2, bottom - top));
}

/* ---- the camera ---- */

let motion = 0;

function moveTo(target) {
  cancelAnimationFrame(motion);
  const from = { ...camera }, begin = performance.now(), time = calm.matches ? 0 : 180;
  const step = (now) => {
    const t = time > 0 ? Math.min(1, Math.max(0, (now - begin) / time)) : 1;
    for (const key of ['x', 'y', 'scale'])
      camera[key] = t < 1 ? from[key] + (target[key] - from[key]) * t * (2 - t) : target[key];
    redraw();
    if (t < 1)
      motion = requestAnimationFrame(step);
  };
  step(begin);
}

const bounded = (scale) => Math.min(LARGEST, Math.max(SMALLEST, scale));

/* The camera that shows a box of the drawing in the middle. */
function eyeOn(box, scale) {
  return {
    scale, x: box.x + box.wide / 2 - graph.clientWidth / 2 / scale,
    y: box.y + box.high / 2 - graph.clientHeight / 2 / scale,
  };
}

/* The camera that shows all of the drawing. */
function wholeEye() {
  const { width: wide, height: high } = groups[0];
  const scale = Math.min(1.5, graph.clientWidth / (wide + 2 * MARGIN), graph.clientHeight / (high + 2 * MARGIN));
  return eyeOn({ x: 0, y: 0, wide, high }, bounded(scale));
}

const fit = () => moveTo(wholeEye());

/* At first letters are legible, from the top on. */
function firstEye() {
  const eye = wholeEye(), scale = NEAR * 1.6;
  return eye.scale >= scale ? eye : { ...eyeOn({ x: 0, y: 0, wide: groups[0].width, high: 0 }, scale), y: -MARGIN };
}

function zoom(factor, x = graph.clientWidth / 2, y = graph.clientHeight / 2) {
  cancelAnimationFrame(motion);
  const scale = bounded(camera.scale * factor);
  camera.x += x / camera.scale - x / scale;
  camera.y += y / camera.scale - y / scale;
  camera.scale = scale;
  redraw();
}

/* Moves if the box is out of sight, and comes near from far away. */
function reveal(box) {
  const scale = Math.max(camera.scale, NEAR * 1.6), view = sight(camera, graph.clientWidth, graph.clientHeight);
  const across = box.x >= view.left && box.x + box.wide <= view.right, down = box.y >= view.top && box.y + box.high <= view.bottom;
  if (!across || !down || scale !== camera.scale)
    moveTo(eyeOn(box, scale));
}

/* ---- groups open and close ---- */

/* Places what a change of one group moves: those around it, and its inside if it was never seen; or everything. */
function arrange(group = null) {
  if (!group)
    groups.forEach((one) => { one.placed = false; });
  if (!group || (group.open && !group.placed))
    placeAll(group || groups[0]);
  for (let i = group ? group.parent : -1; i >= 0; i = groups[i].parent)
    place(groups[i]);
  settle(groups[0], 0, 0);
  mapDirty = true;
  redraw();
}

/* Where a thing is drawn: its box, or that of the outermost closed group around it. */
function shownBox(kind, index) {
  const home = homes[kind].get(index);
  if (!home)
    return null;
  for (const outer of chain(home.group.index).slice(1)) {
    if (!groups[outer].open)
      return { kind: GROUP, index: outer };
  }
  return home.group.ready && home.group.rowOf[home.slot] >= 0 ? { kind, index } : null;
}

function boxOf({ kind, index }) {
  const { group, slot } = homes[kind].get(index);
  return boxAt(group, slot);
}

/* Opens or closes a group; the point of it under (x, y) of the drawing stays where it is on the screen. */
function toggle(index, x, y) {
  if (uncover(GROUP, index))
    arrange();
  const group = groups[index], before = boxOf({ kind: GROUP, index });
  const share = x === undefined ? 0.5 : (x - before.x) / before.wide;
  const down = y === undefined ? 0 : y - before.y;
  group.open = !group.open;
  arrange(group);
  const after = boxOf({ kind: GROUP, index });
  cancelAnimationFrame(motion);
  camera.x += after.x + share * after.wide - (before.x + share * before.wide);
  camera.y += after.y + Math.min(down, after.high - 1) - (before.y + down);
  say((group.open ? 'open: ' : 'closed: ') + group.name);
  showPanel();
}

/* Opens the groups around a thing. */
function uncover(kind, index) {
  const home = homes[kind].get(index), around = home ? chain(home.group.index) : [];
  const closed = around.filter((outer) => !groups[outer].open);
  closed.forEach((outer) => { groups[outer].open = true; });
  return closed.length > 0;
}

/* Groups open from outside to inside while what is shown stays small. */
function openSmall() {
  let shown = groups[0].count;
  for (const group of [...groups].sort((a, b) => depths[a.index] - depths[b.index])) {
    if (group.parent >= 0 && groups[group.parent].open && shown + group.count <= 30) {
      group.open = true;
      shown += group.count;
    }
  }
}

/* ---- what is selected ---- */

const say = (words) => { spoken.textContent = visible(words); };

function select(thing) {
  selected = thing;
  related = null;
  lit = new Set();
  if (thing && thing.kind === OPERATION)
    lit = new Set([...ops.in[thing.index], ...ops.out[thing.index]]);
  else if (thing && thing.kind !== GROUP)
    lit = new Set([thing.index]);
  const title = thing ? titleOf(thing.kind, thing.index) : '', address = title ? '#n=' + encodeURIComponent(title) : '#';
  if (location.hash !== address && title.length < MOST_LISTED * 10)
    history.replaceState(null, '', address);
  if (thing)
    say(linesOf(thing.kind, thing.index).join(' '));
  showPanel();
  redraw();
}

/* Selects a thing, opens what is around it and brings it into sight. */
function go(kind, index) {
  if (uncover(kind, index))
    arrange();
  select({ kind, index });
  const shown = shownBox(kind, index);
  if (shown)
    reveal(boxOf(shown));
}

/* A value is reached where it is drawn, or at the operation that makes it. */
function goValue(value) {
  if (homes[VALUE].has(value))
    go(VALUE, value);
  else if (values.producer[value] >= 0)
    go(OPERATION, values.producer[value]);
  else if (readers[value].length > 0)
    go(OPERATION, readers[value][0]);
}

function goAddress() {
  const name = new URLSearchParams(location.hash.slice(1)).get('n'), string = strings.indexOf(name);
  const op = ops.name.indexOf(string), value = values.name.indexOf(string);
  const group = groups.findIndex((one) => one.parent >= 0 && one.name === name);
  if (string >= 0 && op >= 0)
    go(OPERATION, op);
  else if (string >= 0 && value >= 0)
    goValue(value);
  else if (group >= 0)
    go(GROUP, group);
}

/* All operations that one depends on and feeds, with the groups around them and the values between. */
function relate() {
  const [up, down] = related || !selected ? [[], []] : startsOf(selected);
  const list = new Set([...reach(up, operandMakers), ...reach(down, resultReaders)]), all = (of) => new Set([...list].flatMap(of));
  related = related || !selected ? null
    : { ops: list, groups: all((op) => chain(ops.group[op])), values: all((op) => [...ops.in[op], ...ops.out[op]]) };
  redraw();
}

const operandMakers = (op) => ops.in[op].map((value) => value < 0 ? -1 : values.producer[value]).filter((maker) => maker >= 0);
const resultReaders = (op) => ops.out[op].flatMap((value) => readers[value]);

function startsOf({ kind, index }) {
  if (kind === OPERATION)
    return [[index], [index]];
  if (kind === GROUP)
    return Array(2).fill(ops.group.flatMap((group, op) => chain(group).includes(index) ? [op] : []));
  return [values.producer[index] >= 0 ? [values.producer[index]] : [], readers[index]];
}

function reach(start, next) {
  const seen = new Set(start), waiting = [...start];
  while (waiting.length > 0) {
    for (const op of next(waiting.pop())) {
      if (!seen.has(op))
        waiting.push(op);
      seen.add(op);
    }
  }
  return seen;
}

/* ---- the panel ---- */

const heading = (words) => make('h3', {}, words);
const note = (words) => make('span', { className: 'muted' }, words);

const link = (label, onclick, className = 'go') => make('button', { type: 'button', className, onclick }, visible(label));

const goTo = (kind, index) => link(titleOf(kind, index), () => go(kind, index));
const operationRow = (op) => [goTo(OPERATION, op), visible(text(ops.type[op]))];

function table(rows) {
  return make('table', {}, make('tbody', {}, ...rows.map((row) =>
    make('tr', {}, ...row.map((cell) => make('td', {}, cell))))));
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'];

function sizeText(bytes) {
  let step = 0;
  for (; bytes >= 1000 && step < SIZES.length - 1; step++)
    bytes /= 1000;
  return (step > 0 ? bytes.toPrecision(3) : bytes) + ' ' + SIZES[step];
}

const numberText = (number) => Number.isInteger(number) ? number.toLocaleString('en') : Number(number).toPrecision(6);

function showPanel() {
  const describe = selected ? [describeOperation, describeGroup, describeValue, describeValue][selected.kind] : describeModel;
  panel.replaceChildren(...describe(selected ? selected.index : 0).filter(Boolean));
  panel.scrollTop = 0;
}

function describeOperation(op) {
  const type = text(ops.type[op]), node = text(ops.node[op]), given = Object.hasOwn(data.help || {}, type) && data.help[type];
  return [
    make('h2', {}, visible(text(ops.name[op]))),
    make('div', { className: 'muted' }, visible(type)),
    given ? make('p', {}, given[0], given[1] ? note(' Section ' + given[1] + ' of the standard.') : null) : null,
    ...section('Attributes', attributesOf(op).map((one) =>
      [visible(one.name), visible(one.value, 2000), one.isDefault ? note('default') : ''])),
    ...section('Operands', ops.in[op].filter((value) => value >= 0).map(valueRow)),
    ...section('Results', ops.out[op].map(valueRow)),
    ...section('Read by', [...new Set(resultReaders(op))].slice(0, MOST_LISTED).map(operationRow)),
    ops.macs[op] > 0 ? make('p', {}, 'MACs: ' + numberText(ops.macs[op])) : null,
    heat && heat.ops[op] !== undefined ? make('p', {}, visible(heat.unit) + ': ' + numberText(heat.ops[op])) : null,
    node ? make('p', {}, 'ONNX node: ' + visible(node)) : null,
    ...stepsOf(op),
    ...chainOf(ops.group[op]),
    ...section('Fragments', ops.fragments[op].length > 0 ? [[visible(ops.fragments[op].map(text).join(' › '))]] : []),
    ...sourceOf(op),
    ...ops.in[op].filter((value) => value >= 0).flatMap(weightsOf),
    actions(true),
  ];
}

const section = (title, rows) => rows.length > 0 ? [heading(title), table(rows)] : [];

const KINDS = ['', 'external', 'variable', 'constant'];

function valueRow(value) {
  const label = text(values.label[value]);
  return [
    link(text(values.name[value]) || KINDS[values.kind[value]] || 'value', () => goValue(value)),
    make('span', {}, shapeOf(value), ' ', note(text(values.type[value]) + ' ' + KINDS[values.kind[value]] + ' ' +
      (values.bytes[value] > 0 ? sizeText(values.bytes[value]) : '') + (label ? ' ' + visible(label) : ''))),
  ];
}

const chainOf = (index) => section('In', chain(index).slice(1).map((outer) => [goTo(GROUP, outer)]));

function stepsOf(op) {
  if (!data.steps)
    return [];
  const step = data.steps.ops.findIndex((list) => list.includes(op));
  if (step < 0)
    return [heading('Step of the plan'), 'none of its own'];
  return [heading('Step ' + (step + 1) + ' of the plan'), visible(stepTitle(step)),
    ...section('Together with', data.steps.ops[step].filter((other) => other !== op).map(operationRow))];
}

const stepTitle = (step) => [text(data.steps.name[step]), text(data.steps.kernel[step])].filter(Boolean).join(', ');

/* ---- sources ---- */

function sourceText(op) {
  const source = (data.texts || []).find((one) => one.file === ops.file[op]);
  return ops.line[op] > 0 && source ? source.text : null;
}

/* The statement that makes an operation: from its line to the semicolon. */
function statementOf(op) {
  const source = sourceText(op);
  if (source === null)
    return statementFrom(op);
  const lines = source.split('\n').slice(ops.line[op] - 1, ops.line[op] + 19);
  const end = lines.findIndex((line) => line.includes(';'));
  return lines.slice(0, end < 0 ? 1 : end + 1).join('\n').trim();
}

/* Without a source the statement is written from the graph. */
function statementFrom(op) {
  const names = (list) => list.filter((value) => value >= 0).map((value) => text(values.name[value])).join(', ');
  const given = attributesOf(op).filter((one) => !one.isDefault).map((one) => one.name + ' = ' + one.value);
  return `${names(ops.out[op])} = ${text(ops.type[op])}(${[names(ops.in[op]), ...given].filter(Boolean).join(', ')});`;
}

const AROUND = 20;      /* lines of the folded text before and behind the one at hand */

function sourceOf(op) {
  const source = sourceText(op);
  if (source === null)
    return [];
  const lines = source.split('\n'), at = ops.line[op] - 1, first = Math.max(0, at - AROUND);
  const number = (i) => String(i + 1).padStart(5) + '  ';
  const pre = make('pre', {}, ...lines.slice(first, at + AROUND + 1).map((line, i) =>
    make(first + i === at ? 'mark' : 'span', {}, number(first + i) + visible(line) + '\n')));
  return [heading(visible(text(ops.file[op])) + ':' + ops.line[op]), make('pre', { id: 'statement' }, visible(statementOf(op), 4000)),
    make('details', {}, make('summary', {}, 'around it'), pre)];
}

/* ---- weights ---- */

function weightsOf(value) {
  const stats = data.weights, at = stats ? stats.value.indexOf(value) : -1;
  if (at < 0)
    return [];
  const rows = ['min', 'max', 'mean', 'deviation', 'zeros', 'nan', 'infinite'].filter((key) => stats[key] && stats[key][at] !== null)
    .map((key) => [key, numberText(stats[key][at])]);
  if (stats.first && stats.first[at])
    rows.push(['first', stats.first[at].map((x) => x === null ? 'NaN' : Number(x).toPrecision(4)).join(' ')]);
  return [heading('Weights ' + visible(text(values.name[value]), 60)), table(rows),
    stats.histogram && stats.histogram[at] ? histogram(stats.histogram[at]) : null].filter(Boolean);
}

function histogram(counts) {
  const wide = 256, high = 60, most = Math.max(1, ...counts), step = wide / counts.length;
  const canvas = make('canvas', { width: wide, height: high, className: 'histogram', role: 'img', 'aria-label': 'histogram' });
  const pen = canvas.getContext('2d');
  pen.fillStyle = palette.accent;
  counts.forEach((count, i) => {
    const tall = count > 0 ? Math.max(1, high * count / most) : 0;
    pen.fillRect(i * step, high - tall, step - 1, tall);
  });
  return canvas;
}

/* ---- values, groups, the model ---- */

function describeValue(value) {
  const maker = values.producer[value];
  return [
    make('h2', {}, visible(text(values.name[value]), 2000)),
    valueRow(value)[1],
    ...section('Made by', maker >= 0 ? [operationRow(maker)] : []),
    ...section('Read by', readers[value].slice(0, MOST_LISTED).map(operationRow)),
    ...weightsOf(value),
    actions(false),
  ];
}

function describeGroup(index) {
  const group = groups[index], alike = groups.filter((other) => other !== group && group.same >= 0 && other.same === group.same);
  return [
    make('h2', {}, visible(group.name, 2000)),
    make('div', { className: 'muted' }, ['model', 'fragment', 'name', 'section'][data.groups[index].kind]),
    make('p', {}, numberText(group.size) + ' operations'),
    button(group.open ? 'Close' : 'Open', 'Enter', () => toggle(index)),
    ...chainOf(group.parent),
    ...section('Of the same structure', alike.slice(0, MOST_LISTED).map((other) => [goTo(GROUP, other.index)])),
    actions(false),
  ];
}

function describeModel() {
  const count = (kind) => values.kind.filter((one) => one === kind).length;
  const bytes = values.bytes.reduce((sum, size, value) => sum + (values.kind[value] === VARIABLE && size > 0 ? size : 0), 0);
  const macs = ops.macs.reduce((sum, one) => sum + Math.max(0, one), 0);
  return [
    make('h2', {}, visible(data.title)),
    make('div', { className: 'muted' }, visible(data.format || '')),
    table([['operations', numberText(ops.type.length)], ['variables', numberText(count(VARIABLE)) + ', ' + sizeText(bytes)],
      ['MACs', numberText(macs)]]),
    ...section('Inputs', data.inputs.map(valueRow)),
    ...section('Outputs', data.outputs.map(valueRow)),
    ...heatList(),
    ...stepList(),
    make('p', { className: 'muted' }, 'Press h for help.'),
  ];
}

/* Colours of the overlay with their numbers, greatest first. */
function heatList() {
  if (!heat)
    return [];
  const rows = heat.list.slice(0, MOST_LISTED).map((op) => [goTo(OPERATION, op), numberText(heat.ops[op])]);
  return [make('details', { open: true, id: 'heat' }, make('summary', {}, 'By ' + visible(heat.unit || 'value')), table(rows))];
}

function stepList() {
  if (!data.steps)
    return [];
  const rows = data.steps.ops.slice(0, 2000).map((list, step) => list.length > 0
    ? [String(step + 1), link(stepTitle(step), () => go(OPERATION, list[0])), note(list.length + ' op')]
    : [String(step + 1), visible(stepTitle(step)), '']);
  return [make('details', { id: 'steps' }, make('summary', {}, 'Plan: ' + rows.length + ' steps'), table(rows))];
}

function actions(operation) {
  return make('p', {},
    button('Highlight', 'All that this depends on or feeds (a)', relate), ' ',
    operation ? button('Copy line', 'Its statement in NNEF (c)', copyLine) : null);
}

const copyLine = () => selected && selected.kind === OPERATION && copy(statementOf(selected.index));

/* Pages from files may not reach the clipboard; a selected field is copied then. */
function copy(words) {
  const field = make('textarea', { value: words, className: 'unseen' });
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  focused.focus();
  say('copied');
}

/* ---- search ---- */

/* What can be found: names and more in small letters, made when the first search begins. */
let catalogue = null;

function buildCatalogue() {
  const low = (string) => text(string).toLowerCase();
  const operations = ops.type.map((type, op) => {
    const used = [...ops.out[op], ...ops.in[op].filter((value) => value >= 0 && values.kind[value] !== 0)];
    return {
      kind: OPERATION, index: op, type: low(type), used, attrs: attributesOf(op),
      name: [low(ops.name[op]), ...ops.out[op].map((value) => low(values.name[value])), low(ops.node[op])].join('\n'),
    };
  });
  const drawn = [...homes[VALUE].keys()].map((value) => ({
    kind: VALUE, index: value, type: KINDS[values.kind[value]], used: [value], attrs: [], name: low(values.name[value]),
  }));
  const boxes = groups.filter((group) => group.parent >= 0).map((group) => ({
    kind: GROUP, index: group.index, type: 'group', used: [], attrs: [], name: group.name.toLowerCase(),
  }));
  return [...operations, ...drawn, ...boxes];
}

function shapeFits(value, wanted) {
  const shape = values.shape[value];
  return Boolean(shape) && shape.length === wanted.length &&
    wanted.every((extent, i) => extent === '*' || Number(extent) === shape[i]);
}

/* 'dilation': is it given? 'dilation=2': does its value have that? */
function attributeFits(list, word) {
  const [name, value] = word.split('=', 2);
  return list.some((one) => one.name === name && (value === undefined ? !one.isDefault
    : one.value.toLowerCase().replace(/\s/g, '').includes(value)));
}

function numberOf(item, what) {
  if (what === 'bytes')
    return bytesIn(item.used);
  return item.kind === OPERATION ? ops.macs[item.index] : 0;
}

/* One word of a search as a question to an item. */
function question(word) {
  const compared = /^(bytes|macs)([<>]=?|=)(.+)$/.exec(word);
  if (compared) {
    const [, what, sign, given] = compared, bound = Number(given);
    const order = (n) => sign.includes('=') && n === bound || sign[0] === '<' && n < bound || sign[0] === '>' && n > bound;
    return (item) => item.kind !== GROUP && order(numberOf(item, what));
  }
  const [, key, rest] = /^(op|name|shape|label|attr):(.*)$/.exec(word) || [null, 'any', word];
  const wanted = rest.split(',');
  return {
    op: (item) => item.type.includes(rest),
    name: (item) => item.name.includes(rest),
    shape: (item) => item.used.some((value) => shapeFits(value, wanted)),
    label: (item) => item.used.some((value) => values.label[value] >= 0 && text(values.label[value]).toLowerCase().includes(rest)),
    attr: (item) => attributeFits(item.attrs, rest),
    any: (item) => item.name.includes(rest) || item.type.includes(rest),
  }[key];
}

function find(words) {
  catalogue = catalogue || buildCatalogue();
  const questions = words.toLowerCase().split(/\s+/).filter(Boolean).map(question);
  return questions.length > 0 ? catalogue.filter((item) => questions.every((holds) => holds(item))) : [];
}

let current = -1;       /* the match that was visited last */

function showMatches() {
  matches = find(search.value);
  current = -1;
  matched = new Set(matches.map((item) => keyOf(item.kind, item.index)));
  for (const item of matches) {
    const shown = shownBox(item.kind, item.index);
    if (shown)
      matched.add(keyOf(shown.kind, shown.index));
  }
  found.hidden = search.value.trim() === '';
  found.replaceChildren(make('div', { className: 'muted' }, matches.length + (matches.length === 1 ? ' match' : ' matches')),
    ...matches.slice(0, MOST_LISTED).map((item, i) => link(titleOf(item.kind, item.index) + '  ' + item.type, () => visit(i), 'go wide')));
  redraw();
}

/* Goes to a match. The first visit opens all groups that hold one, if those are not too many. */
function visit(at) {
  if (matches.length === 0)
    return;
  if (current < 0 && matches.length <= MOST_LISTED) {
    const opened = matches.filter((item) => uncover(item.kind, item.index));
    if (opened.length > 0)
      arrange();
    matched = new Set(matches.map((item) => keyOf(item.kind, item.index)));
  }
  current = (at + matches.length) % matches.length;
  found.hidden = true;
  go(matches[current].kind, matches[current].index);
  say(`match ${current + 1} of ${matches.length}`);
}

function endSearch() {
  search.value = '';
  showMatches();
  graph.focus();
}

/* ---- keys ---- */

/* The box that an arrow leads to: along the links of the graph, or beside in the row. */
function neighbour(key) {
  const shown = selected && shownBox(selected.kind, selected.index);
  if (!shown || !isChosen(shown))
    return shown || firstIn(groups[0]);
  const { group, slot } = homes[selected.kind].get(selected.index);
  if (key === 'ArrowLeft' || key === 'ArrowRight')
    return beside(group, slot, key === 'ArrowLeft' ? -1 : 1);
  return along(group, slot, key === 'ArrowUp' ? group.above : group.below) || around(group, slot, key === 'ArrowUp');
}

function firstIn(group) {
  const slot = group.shown.flat().find((one) => one < group.count);
  return slot === undefined ? null : thingAt(group, slot);
}

function beside(group, slot, step) {
  const row = group.shown[group.rowOf[slot]].filter((one) => one < group.count), next = row[row.indexOf(slot) + step];
  return next === undefined ? null : thingAt(group, next);
}

/* Follows a track to the nearest box on it; an operation before a constant. */
function along(group, slot, side) {
  const seen = new Set(), waiting = [...side[slot]];
  let second = null;
  while (waiting.length > 0) {
    const at = waiting.shift();
    if (seen.has(at))
      continue;
    seen.add(at);
    if (at >= group.count)
      side[at].forEach((next) => waiting.push(next));
    else if (group.boxes[2 * at] === VALUE)
      second = second || thingAt(group, at);
    else
      return thingAt(group, at);
  }
  return second;
}

/* At the border of a group an arrow leads on to what is read or fed outside, and at last to the group. */
function around(group, slot, up) {
  const { kind, index: at } = thingAt(group, slot);
  const others = kind === OPERATION ? (up ? operandMakers(at) : resultReaders(at)) : kind === VALUE && !up ? readers[at] : [];
  const shown = others.map((op) => shownBox(OPERATION, op)).find((box) => box && !(box.kind === kind && box.index === at));
  return shown || (group.parent >= 0 && up ? { kind: GROUP, index: group.index } : null);
}

const moveAlong = (key) => approach(neighbour(key));

function approach(thing) {
  if (thing) {
    select(thing);
    reveal(boxOf(thing));
  }
}

function enter() {
  if (selected && selected.kind === GROUP)
    toggle(selected.index);
}

function leave() {
  const home = selected && homes[selected.kind].get(selected.index);
  select(home && home.group.parent >= 0 ? { kind: GROUP, index: home.group.index } : null);
}

function inward() {
  if (selected && selected.kind === GROUP && groups[selected.index].open)
    approach(firstIn(groups[selected.index]));
}

const KEYS = {
  ArrowUp: moveAlong, ArrowDown: moveAlong, ArrowLeft: moveAlong, ArrowRight: moveAlong,
  Enter: enter, Backspace: leave, i: inward, f: fit, h: () => help.showModal(),
  '/': () => search.focus(), a: relate, c: copyLine, m: () => { map.hidden = !map.hidden; redraw(); },
  '+': () => zoom(1.25), '-': () => zoom(0.8),
  '[': () => setDepth(Number(depth.value) - 1), ']': () => setDepth(Number(depth.value) + 1),
  n: () => visit(current + 1), N: () => visit(current - 1),
  k: () => { hide.checked = !hide.checked; setHidden(); },
  Escape: () => (search.value ? endSearch() : select(null)),
};

const HELP = [
  ['arrows', 'go along links, and beside in a row'], ['Enter', 'open or close the group'], ['i', 'go into the open group'],
  ['Backspace', 'go to the group around'], ['/', 'search; Enter: next match'], ['n N', 'next match, match before'],
  ['f', 'fit into the window'], ['+ -', 'zoom; wheel, too'], ['[ ]', 'open fewer or more levels'],
  ['a', 'highlight all that it depends on or feeds'], ['c', 'copy its line'], ['k', 'hide constants and shared inputs'],
  ['m', 'minimap'], ['Escape', 'select nothing'], ['h', 'this help'],
];

function onKey(event) {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  const pressing = event.target instanceof HTMLButtonElement || event.target.tagName === 'SUMMARY';
  if (event.ctrlKey || event.metaKey || event.altKey || help.open || (pressing && event.key === 'Enter'))
    return;
  if (typing) {
    if (event.key === 'Escape')
      endSearch();
    else if (event.target === search && event.key === 'Enter')
      visit(current + (event.shiftKey ? -1 : 1));
    return;
  }
  const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
  if (act) {
    event.preventDefault();
    act(event.key);
  }
}

function setDepth(level) {
  depth.value = level;
  groups.forEach((group, i) => { group.open = depths[i] <= Number(depth.value); });
  arrange();
  fit();
  showPanel();
}

function setHidden() {
  hideConstants = hide.checked;
  groups.forEach((group) => { group.ready = false; });
  arrange();
}

function setColour() {
  heat = COLOURINGS[colour.value]();
  mapDirty = true;
  select(null);
}

/* ---- pointer ---- */

const pointers = new Map();
let travelled = 0;

/* The box under a point of the drawing, innermost; of an open group its title only. */
function boxUnder(group, x, y) {
  const row = lowerBound(group.shown.length, (i) => group.y + group.rowTop[i] + group.rowHigh[i] >= y);
  for (const slot of group.shown[row] || []) {
    if (slot >= group.count)
      continue;
    const box = boxAt(group, slot), inside = insideOf(group, slot);
    if (x < box.x || x > box.x + box.wide || y < box.y || y > box.y + box.high)
      continue;
    return inside && y > box.y + TITLE ? boxUnder(inside, x, y) : thingAt(group, slot);
  }
  return null;
}

function onPress(event) {
  graph.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  if (pointers.size === 1)
    travelled = 0;
}

/* One pointer moves the drawing, two zoom it about the point between them. */
function onMove(event) {
  const before = pointers.get(event.pointerId);
  if (!before)
    return;
  const now = { x: event.offsetX, y: event.offsetY };
  const other = [...pointers].find(([id]) => id !== event.pointerId);
  travelled += Math.hypot(now.x - before.x, now.y - before.y);
  pointers.set(event.pointerId, now);
  if (other) {
    const span = (point) => Math.hypot(point.x - other[1].x, point.y - other[1].y);
    zoom(span(now) / Math.max(1, span(before)), (now.x + other[1].x) / 2, (now.y + other[1].y) / 2);
  } else if (travelled > 3) {
    cancelAnimationFrame(motion);
    camera.x -= (now.x - before.x) / camera.scale;
    camera.y -= (now.y - before.y) / camera.scale;
    redraw();
  }
}

function onRelease(event) {
  const single = pointers.size === 1;
  pointers.delete(event.pointerId);
  if (!single || travelled > 3 || event.type !== 'pointerup')
    return;
  const x = camera.x + event.offsetX / camera.scale, y = camera.y + event.offsetY / camera.scale, thing = boxUnder(groups[0], x, y);
  if (thing && thing.kind === GROUP)
    toggle(thing.index, x, y);
  select(thing);
}

function onWheel(event) {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 16 : 1) * 0.0015), event.offsetX, event.offsetY);
}

function onMap(event) {
  const eye = mapEye();
  if (event.buttons !== 0)
    Object.assign(camera, eyeOn({ x: eye.x + event.offsetX / eye.scale, y: eye.y + event.offsetY / eye.scale, wide: 0, high: 0 }, camera.scale));
  redraw();
}

/* ---- export ---- */

/* Takes the calls that drawing makes to a canvas, and writes SVG. */
class SvgPen {
  constructor() {
    this.parts = [];
    this.path = '';
    Object.assign(this, { fillStyle: '', strokeStyle: '', lineWidth: 1, globalAlpha: 1, font: '', textAlign: 'left' });
  }

  static number(x) { return String(Math.round(x * 100) / 100); }
  static escape(words) { return words.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`); }
  to(letter, ...numbers) { this.path += letter + numbers.map(SvgPen.number).join(' '); }
  beginPath() { this.path = ''; }
  moveTo(x, y) { this.to('M', x, y); }
  lineTo(x, y) { this.to('L', x, y); }
  bezierCurveTo(...numbers) { this.to('C', ...numbers); }
  fill() { this.add('path', { d: this.path, fill: this.fillStyle }); }
  fillRect(x, y, width, height) { this.add('rect', { x, y, width, height, fill: this.fillStyle }); }

  roundRect(x, y, wide, high, r) {
    const a = (dx, dy) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
    this.to('M', x + r, y);
    this.path += `h${wide - 2 * r}${a(r, r)}v${high - 2 * r}${a(-r, r)}h${2 * r - wide}${a(-r, -r)}v${2 * r - high}${a(r, -r)}z`;
  }

  add(name, attributes, content = '') {
    const words = Object.entries({ ...attributes, opacity: this.globalAlpha < 1 ? this.globalAlpha : '' })
      .filter(([, value]) => value !== '').map(([key, value]) => ` ${key}="${SvgPen.escape(String(value))}"`).join('');
    this.parts.push(`<${name}${words}${content ? `>${SvgPen.escape(content)}</${name}>` : '/>'}`);
  }

  stroke() {
    if (this.path)
      this.add('path', { d: this.path, fill: 'none', stroke: this.strokeStyle, 'stroke-width': this.lineWidth });
  }

  fillText(words, x, y) {
    const [, weight, size] = /^(600 )?(\d+)px/.exec(this.font);
    this.add('text', { x, y, fill: this.fillStyle, 'font-size': size, 'font-weight': weight ? '600' : '',
      'text-anchor': this.textAlign === 'center' ? 'middle' : '' }, words);
  }
}

const EVERYTHING = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity, scale: 1 };

function svgText() {
  const [root] = groups, pen = new SvgPen();
  drawInside(pen, root, EVERYTHING);
  const frame = [-MARGIN, -MARGIN, root.width + 2 * MARGIN, root.height + 2 * MARGIN].map(SvgPen.number);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${frame.join(' ')}" font-family="${FONT}">\n` +
    `<rect x="${frame[0]}" y="${frame[1]}" width="${frame[2]}" height="${frame[3]}" fill="${palette.paper}"/>\n` +
    pen.parts.join('\n') + '\n</svg>\n';
}

const LARGEST_IMAGE = 8192, MOST_PIXELS = 64e6;

/* The whole drawing as a canvas, twice its size if that is not too large. */
function picture() {
  const [root] = groups, wide = root.width + 2 * MARGIN, high = root.height + 2 * MARGIN;
  const scale = Math.min(2, LARGEST_IMAGE / wide, LARGEST_IMAGE / high, Math.sqrt(MOST_PIXELS / wide / high));
  const canvas = make('canvas', { width: Math.max(1, Math.ceil(wide * scale)), height: Math.max(1, Math.ceil(high * scale)) });
  drawAll(canvas.getContext('2d'), { x: -MARGIN, y: -MARGIN, scale }, 1, canvas.width, canvas.height);
  return canvas;
}

function save(blob, ending) {
  const name = data.title.replace(/[^\w.-]+/g, '_').slice(0, 80) || 'model';
  const address = URL.createObjectURL(blob);
  make('a', { href: address, download: name + ending }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const saveSvg = () => save(new Blob([svgText()], { type: 'image/svg+xml' }), '.svg');
const savePng = () => picture().toBlob((blob) => blob && save(blob, '.png'), 'image/png');

/* ---- the page begins ---- */

function build() {
  colour.append(...Object.keys(COLOURINGS).map((key) => make('option', { value: key }, key)));
  colour.value = data.overlay ? 'overlay' : 'operation';
  help.append(make('h2', {}, 'Keys'), table(HELP.map(([key, words]) => [make('kbd', {}, key), words])),
    button('Close', 'Escape', () => help.close()));
  document.title = visible(data.title) + ' – nnefc view';
  document.body.append(
    make('header', {}, make('h1', {}, visible(data.title)), search,
      button('Fit', 'f', fit), button('+', 'zoom in', KEYS['+']), button('−', 'zoom out', KEYS['-']),
      make('label', {}, 'Depth', depth), make('label', { title: 'constants and shared inputs (k)' }, hide, 'hide constants'),
      make('label', {}, 'Colour', colour), button('SVG', 'save as SVG', saveSvg), button('PNG', 'save as PNG', savePng),
      button('?', 'help (h)', KEYS.h)),
    make('main', {}, graph, map, found), panel, spoken, help);
  document.documentElement.lang = 'en';
}

function listen() {
  document.addEventListener('keydown', onKey);
  search.addEventListener('input', showMatches);
  depth.addEventListener('input', () => setDepth(Number(depth.value)));
  hide.addEventListener('change', setHidden);
  colour.addEventListener('change', setColour);
  graph.addEventListener('pointerdown', onPress);
  graph.addEventListener('pointermove', onMove);
  graph.addEventListener('pointerup', onRelease);
  graph.addEventListener('pointercancel', onRelease);
  graph.addEventListener('wheel', onWheel, { passive: false });
  map.addEventListener('pointerdown', onMap);
  map.addEventListener('pointermove', onMap);
  addEventListener('hashchange', goAddress);
  dark.addEventListener('change', () => { readPalette(); mapDirty = true; showPanel(); redraw(); });
  new ResizeObserver(redraw).observe(graph);
}

build();
readPalette();
listen();
openSmall();
arrange();
heat = COLOURINGS[colour.value]();
showPanel();
Object.assign(camera, firstEye());
goAddress();
graph.focus();
draw();
dirty = false;

/* For tests, and for programs that hold the page in a frame of theirs. */
window.nnefcView = {
  camera, groups, boxes: listBoxes, toggle, find, draw, openTo: setDepth, svg: svgText,
  select: (name) => { location.hash = 'n=' + encodeURIComponent(name); },
  selected: () => selected && { kind: selected.kind, name: titleOf(selected.kind, selected.index) },
  related: (name) => related !== null && related.ops.has(ops.name.indexOf(strings.indexOf(name))),
  setOpen: (list) => {
    groups.forEach((group, i) => { group.open = i === 0 || list.includes(i); });
    arrange();
  },
};

})();
