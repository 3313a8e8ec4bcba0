/*
 * findings.js - what bench, compare or diff have found about the models of a page, beside them and in their colours
 *
 * The member 'findings' of the data is the record that --json prints (docs/view.md). It may come from a file of anybody,
 * so that nothing of it is trusted to be there, or of its type; names enter the page as page.js says. What is found
 * about a tensor is shown at the operation that makes it.
 */
'use strict';
(() => {

const { data, groups, homes, readers, palette, OPERATION, GROUP, VALUE, OUTPUT, text, visible, chain, make, heading, note, link, table,
  sizeText, go, goAddress, firstEye, heatOf, heatColour, colourBy } = window.nnefcView.kit;
const { ops, values, findings } = data;
const MOST_ROWS = 2000, MOST_BARS = 2000;

const objects = (list) => Array.isArray(list) ? list.filter((one) => one !== null && typeof one === 'object') : [];
const words = (given, most) => typeof given === 'string' ? visible(given, most) : typeof given === 'number' ? String(given) : '';
/* A number that is none stands in JSON as a text, and is as far off as can be. */
const number = (given) => typeof given === 'number' ? given : given === 'nan' || given === 'inf' ? Infinity : 0;
const short = (given, digits = 4) => typeof given === 'number' ? String(Number(given.toPrecision(digits))) : words(given);
const percent = (share) => (100 * number(share)).toFixed(1) + ' %';
const mostOf = (list, least) => list.reduce((a, b) => Math.max(a, b), least);   /* of any length */
const countOf = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/* ---- which tensor has a name ---- */

/* The model of a group: 'a' or 'b', or 'only'. Those of the second model have the greater numbers. */
function sideOf(group) {
  if (!data.sides)
    return 'only';
  return data.sides.length < 2 || group < groups[0].boxes[3] ? data.sides[0] : data.sides[1];
}

function sideOfValue(value) {
  const op = values.producer[value] >= 0 ? values.producer[value] : readers[value][0];
  return sideOf(op === undefined ? homes[VALUE].get(value)?.group.index ?? 0 : ops.group[op]);
}

const named = { a: new Map(), b: new Map(), only: new Map() };
values.name.forEach((name, value) => {
  const names = named[sideOfValue(value)];
  if (name >= 0 && !names.has(text(name)))
    names.set(text(name), value);
});

const results = { a: [], b: [], only: [] };
ops.out.forEach((list, op) => results[sideOf(ops.group[op])].push(...list));

const valueOf = (side, name) => typeof name === 'string' ? named[data.sides ? side : 'only'].get(visible(name, Infinity)) : undefined;

/* Where a tensor is shown: at what makes it, or at its box, or else where it is read. */
function thingOf(value) {
  if (value === undefined)
    return null;
  if (values.producer[value] >= 0)
    return { kind: OPERATION, index: values.producer[value] };
  if (homes[VALUE].has(value))
    return { kind: VALUE, index: value };
  return readers[value].length > 0 ? { kind: OPERATION, index: readers[value][0] } : null;
}

const keyOf = ({ kind, index }) => kind + ':' + index;
const linkTo = (thing, name) => thing ? link(name, () => go(thing.kind, thing.index)) : make('span', {}, words(name));

/* ---- charts ---- */

function shape(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  element.append(...children);
  return element;
}

/* A mark of a chart, which says what it is, and leads to its thing. */
function mark(name, attributes, title, thing) {
  const element = shape(name, attributes, shape('title', {}, title));
  if (thing) {
    element.classList.add('leads');
    element.addEventListener('click', () => go(thing.kind, thing.index));
  }
  return element;
}

/* Bars from left to right: { share, title, thing, className }. Of too many, the highest of those beside each other. */
function bars(list) {
  const each = Math.max(1, Math.ceil(list.length / MOST_BARS)), high = 100, shown = [];
  for (let i = 0; i < list.length; i += each)
    shown.push(list.slice(i, i + each).reduce((a, b) => b.share > a.share ? b : a));
  const chart = shape('svg', { class: 'bars', viewBox: `0 0 ${Math.max(1, shown.length)} ${high}`, preserveAspectRatio: 'none' });
  shown.forEach(({ share, title, thing, className = '' }, i) => {
    const tall = high * Math.min(1, Math.max(0, share));
    chart.append(mark('rect', { x: i + 0.05, y: high - tall, width: 0.9, height: tall, class: 'bar ' + className }, title, thing));
  });
  return chart;
}

const bar = (share) => shape('svg', { class: 'inline', viewBox: '0 0 100 10', preserveAspectRatio: 'none' },
  shape('rect', { class: 'bar', width: 100 * Math.min(1, share), height: 10 }));

const part = (title, ...content) => [make('h2', {}, title), ...content];

/* A table with a head; what is too much is counted. */
function listing(head, rows) {
  const shown = table([head.map(note), ...rows.slice(0, MOST_ROWS)]);
  return make('div', { className: 'listing' }, shown, rows.length > MOST_ROWS ? note(`and ${rows.length - MOST_ROWS} more`) : null);
}

const paragraph = (...content) => make('p', {}, ...content);

/* ---- diff: both models, with what was added, removed, changed and renamed ---- */

const MARKS = ['added', 'removed', 'changed', 'renamed'];
const MARK_OF = new Map([['inserted', 'added'], ['removed', 'removed'], ['renamed', 'renamed'], ['label', 'renamed']]);
const changes = objects(findings.changes).map((change) =>
  ({ ...change, mark: MARK_OF.get(change.kind) || 'changed', things: thingsOf(change) }));

/* The boxes of a change in A and B; null: there is none. */
function thingsOf(change) {
  return [['a', change.nameInA], ['b', change.nameInB]].map(([side, name]) => {
    const value = valueOf(side, name);
    return change.what === 'output' && homes[OUTPUT].has(value) ? { kind: OUTPUT, index: value } : thingOf(value);
  });
}

/* Marks of boxes, and of groups with several kinds of them: changed. A renamed box that also changed has changed. */
function marksOf() {
  const marks = new Map();
  const add = (thing, name) => {
    const before = marks.get(keyOf(thing));
    marks.set(keyOf(thing), !before || before === 'renamed' || before === name ? name : name === 'renamed' ? before : 'changed');
  };
  for (const change of changes)
    change.things.filter(Boolean).forEach((thing) => add(thing, change.mark));
  for (const [key, name] of [...marks]) {
    const [kind, index] = key.split(':').map(Number), inside = homes[kind].get(index)?.group.index ?? -1;
    chain(inside).filter((group) => groups[group].kind > 0).forEach((group) => add({ kind: GROUP, index: group }, name));
  }
  return marks;
}

function detailOf(change) {
  const step = `${words(change.from, 2000) || 'none'} → ${words(change.to, 2000) || 'none'}`;
  switch (change.kind) {
  case 'inserted':
  case 'removed':
    return '';
  case 'attribute':
    return `${words(change.attribute)} ${step}`;
  case 'operand':
    return number(change.operand) > 0 ? `operand ${words(change.operand)} ${step}` : step;
  case 'type':
    return number(change.behind) > 0 ? `${step}, and ${words(change.behind)} behind it` : step;
  case 'weights':
    return `${words(change.beyond)} of ${words(change.items)} items, by ${short(change.maxAbsolute, 3)} at most`;
  default:
    return step;
  }
}

const swatch = (name) => make('i', { className: 'mark ' + name, role: 'img', 'aria-label': name });

function changeRow(change) {
  const [a, b] = change.things, both = a && b && change.nameInA !== change.nameInB;
  const names = [both ? linkTo(a, words(change.nameInA, Infinity)) : null,
    linkTo(b || a, words(change.nameInB || change.nameInA, Infinity))].filter(Boolean);
  const type = change.what === 'operation' ? words((change.b || change.a)?.operation) : words(change.what);
  return [swatch(change.mark), words(change.kind) + ' ' + type,
    make('span', {}, ...names.flatMap((one) => [one, ' ']), note(detailOf(change)))];
}

function diffPane() {
  const counts = MARKS.map((name) => [name, changes.filter((change) => change.mark === name).length]);
  return [
    ...part(changes.length === 0 ? 'A and B are the same' : countOf(changes.length, 'difference'),
      table([['A', words(findings.a)], ['B', words(findings.b)]])),
    make('div', { id: 'legend' }, ...counts.map(([name, count]) => make('span', {}, swatch(name), `${name} ${count}`))),
    make('div', { id: 'changes' }, listing(['', 'what', 'where'], changes.map(changeRow))),
  ];
}

/* What is said of the selected box. */
function diffOf(selected) {
  const list = selected ? changes.filter((change) => change.things.some((thing) => thing && keyOf(thing) === keyOf(selected))) : [];
  return list.length > 0 ? [heading('Differences'), table(list.slice(0, MOST_ROWS).map(changeRow))] : [];
}

function showDiff() {
  const marks = marksOf();
  colourBy('difference', () => ({
    unit: '', ops: [], groups: [], list: [],
    fill: (kind, index) => palette[marks.get(keyOf({ kind, index }))] || palette.paper,
  }), diffOf);
  return diffPane;
}

/* ---- compare: errors over depth ---- */

const layers = objects(findings.layers?.all).map((item, i) => ({ ...item, at: i, error: number(item.error) }));

/* From 1e-8 to 1 on a logarithmic scale. */
const logShare = (error) => error > 0 ? Math.min(1, Math.max(0, 1 + Math.log10(error) / 8)) : 0;

const namesOf = (item) => valuesOf(item).map((value, i) =>
  words(item['ab'[i]]?.name, Infinity) || (value === undefined ? '' : text(values.name[value])));
const nameOf = (item) => [...new Set(namesOf(item))].filter(Boolean).map((name) => visible(name)).join(', ') || '(no name)';

/* Tensors are told by their numbers among all results, as some have no name. */
const itemAt = (list, index) => Number.isInteger(index) ? list[index] : undefined;
const valuesOf = (item) => ['a', 'b'].map((side) => itemAt(results[data.sides ? side : 'only'], item[side]?.resultIndex));
const placesOf = (item) => valuesOf(item).map(thingOf);

function errorHeat() {
  const numbers = [];
  for (const item of layers) {
    for (const thing of placesOf(item).filter((one) => one?.kind === OPERATION))
      numbers[thing.index] = Math.max(numbers[thing.index] ?? 0, item.error);
  }
  const heat = heatOf('error', Array.from(ops.type, (_, op) => numbers[op]), false, (error) => logShare(error) ** 2);
  return { ...heat, list: heat.list.filter((op) => !data.sides || sideOf(ops.group[op]) === data.sides.slice(-1)) };
}

const madeBy = (made) => [words(made.operation), made.file ? `at ${words(made.file)}:${words(made.line)}:${words(made.column)}` : '',
  made.fragment ? `in fragment ${words(made.fragment)}` : ''].filter(Boolean).join(' ');

function layerRow(item) {
  const names = namesOf(item), places = placesOf(item), type = item.b || item.a;
  const links = names.flatMap((name, i) => places[i] && (i === 0 || name !== names[0]) ? [linkTo(places[i], name), ' '] : []);
  return [make('span', {}, ...links.length > 0 ? links : [nameOf(item)]),
    words(type?.type) + (Array.isArray(type?.shape) ? `[${type.shape.map(words).join(',')}]` : ''),
    short(item.error, 3), short(item.meanAbsolute, 3), short(item.maxAbsolute, 3), short(item.cosine, 6),
    `${words(item.beyond)} of ${words(item.items)}`];
}

const BARS = [['bar', 'within the tolerance'], ['bar beyond', 'beyond it'], ['bar grows', 'ten times the error of all before']];

function comparePane() {
  const { first, grows, onlyInA, onlyInB } = findings.layers;
  const jump = itemAt(layers, grows);
  return [
    ...part(`A and B ${findings.agree === true ? 'agree' : 'differ'}`, table([['A', words(findings.a)], ['B', words(findings.b)]]),
      paragraph(`within ${short(findings.atol)} + ${short(findings.rtol)} · |B|`)),
    first ? paragraph('The first computed tensor that differs is ', linkTo(placesOf(first).find(Boolean), nameOf(first)), '.') : null,
    ...['madeInA', 'madeInB'].map((key) => first?.[key] ? paragraph(`${key.slice(-1)}: by ${madeBy(first[key])}`) : null),
    jump ? paragraph('The first of ten times the error of all before is ', linkTo(placesOf(jump).find(Boolean), nameOf(jump)), '.') : null,
    ...part('Along the network',
      paragraph(`${countOf(layers.length, 'computed tensor')} of both, from left to right; `
        + `${words(onlyInA)} in A only, ${words(onlyInB)} in B only. A bar is the error, |A - B| by |B| of the whole tensor, `
        + 'from 1e-8 to 1 on a logarithmic scale.'),
      make('div', { id: 'errors' }, bars(layers.map((item) => ({
        share: logShare(item.error), title: `${nameOf(item)}: ${short(item.error, 3)}`, thing: placesOf(item).find(Boolean),
        className: item.at === grows ? 'grows' : item.agrees === false ? 'beyond' : '',
      })))),
      make('div', { id: 'legend' }, ...BARS.map(([name, meaning]) => make('span', {}, swatch(name), meaning)))),
    ...part('Computed tensors', listing(['tensor', 'type', 'error', 'mean', 'max', 'cosine', 'beyond'], layers.map(layerRow))),
  ];
}

function showCompare() {
  colourBy('error', errorHeat);
  return comparePane;
}

/* ---- bench: where the time goes ---- */

/* The operations that are computed together with one, as far as the page has a plan. */
const together = new Map(data.steps ? data.steps.ops.flatMap((list) => list.map((op) => [op, list])) : []);

/* Steps of an open model are known by the names of their results alone. */
function mainOf(step) {
  if (Number.isInteger(step.operationIndex) && step.operationIndex in ops.type)
    return step.operationIndex;
  return values.producer[step.operations ? valueOf('only', step.name) : -1] ?? -1;
}

const steps = objects(findings.steps).map((step) => {
  const main = mainOf(step);
  const name = words(step.name, Infinity) || (main >= 0 ? text(ops.name[main]) : '');
  return { ...step, name, ms: number(step.minMs), main, ops: together.get(main) || (main >= 0 ? [main] : []) };
});
const total = steps.reduce((sum, step) => sum + step.ms, 0);

/* Bytes that a step reads and writes: not what stays between its operations. 0: extents are open. */
function traffic(step) {
  if (!Number.isInteger(step.operationIndex))
    return 0;
  const inside = new Set(step.ops), operands = new Set(step.ops.flatMap((op) => ops.in[op]));
  const read = [...operands].filter((value) => value >= 0 && !inside.has(values.producer[value]));
  const written = step.ops.flatMap((op) => ops.out[op])
    .filter((value) => data.outputs.includes(value) || readers[value].some((op) => !inside.has(op)));
  const sizes = [...read, ...written].map((value) => values.bytes[value]);
  return sizes.some((size) => size < 0) ? 0 : sizes.reduce((sum, size) => sum + size, 0);
}

/* All operations of a step have its time; groups have that of each step once. */
function timeHeat() {
  const numbers = Array(ops.type.length).fill(undefined), mains = new Set(), inGroups = [];
  for (const step of steps.filter((one) => one.main >= 0)) {
    step.ops.forEach((op) => { numbers[op] = (numbers[op] ?? 0) + step.ms; });
    mains.add(step.main);
    chain(ops.group[step.main]).forEach((group) => { inGroups[group] = (inGroups[group] ?? 0) + step.ms; });
  }
  const heat = heatOf('ms', numbers, true);
  return Object.assign(heat, { groups: inGroups, list: heat.list.filter((op) => mains.has(op)) });
}

const titleOf = (step) =>
  `${words(step.name)}: ${words(step.operations) || words(step.kind)}, ${short(step.ms)} ms, ${percent(step.share)}`;
const thingOfStep = (step) => step.main >= 0 ? { kind: OPERATION, index: step.main } : null;

/* --- roofline --- */

const WIDE = 480, HIGH = 280, LEFT = 46, BOTTOM = 34, TOP = 10;

/* Steps with sums of products: { step, speed, bytes, intensity }. */
function pointsOf() {
  return steps.filter((step) => number(step.gflops) > 0 && step.ms > 0)
    .map((step) => ({ step, speed: number(step.gflops), bytes: traffic(step) })).filter((point) => point.bytes > 0)
    .map((point) => ({ ...point, intensity: point.speed * point.step.ms * 1e6 / point.bytes }));
}

function drawPoint({ step, speed, bytes, intensity }, x, y) {
  const title = `${titleOf(step)}; ${short(speed, 3)} GFLOP/s, ${percent(step.ofPeak)} of the peak; `
    + `${short(intensity, 3)} operations a byte, ${sizeText(bytes)}`;
  return mark('circle', {
    cx: x(intensity), cy: y(speed), r: 3 + 7 * Math.sqrt(Math.min(1, number(step.share))),
    class: 'point' + (step.fewerOperations === true ? ' beyond' : ''),
  }, title, thingOfStep(step));
}

/* Operations a byte to the right, GFLOP/s upwards, both by powers of ten. */
function roofline() {
  const peak = number(findings.peakGflops), points = pointsOf();
  if (points.length === 0 || !(peak > 0))
    return [paragraph('No step has sums of products whose operands have a known size.')];
  const fastest = mostOf(steps.map((step) => step.ms > 0 ? traffic(step) / step.ms / 1e6 : 0), 0);    /* GB/s */
  const decades = (list) => [Math.floor(Math.log10(Math.min(...list))), Math.ceil(Math.log10(Math.max(...list)) + 0.1)];
  const [x0, x1] = decades([...points.map((point) => point.intensity), peak / fastest]);
  const [y0, y1] = decades([...points.map((point) => point.speed), peak]);
  if (![x0, x1, y0, y1].every(Number.isFinite))
    return [paragraph('Numbers of steps are out of range.')];
  const low = HIGH - BOTTOM, start = Math.max(10 ** x0, 10 ** y0 / fastest);
  const x = (intensity) => LEFT + (WIDE - LEFT) * (Math.log10(intensity) - x0) / (x1 - x0);
  const y = (speed) => TOP + (low - TOP) * (y1 - Math.log10(speed)) / (y1 - y0);
  const chart = shape('svg', { id: 'roofline', viewBox: `0 0 ${WIDE + 10} ${HIGH}`, role: 'img', 'aria-label': 'roofline' });
  for (let i = x0; i <= x1; i++)
    chart.append(shape('path', { class: 'grid', d: `M${x(10 ** i)} ${TOP}V${low}` }), label(x(10 ** i), low + 14, `1e${i}`, 'middle'));
  for (let i = y0; i <= y1; i++)
    chart.append(shape('path', { class: 'grid', d: `M${LEFT} ${y(10 ** i)}H${WIDE}` }), label(LEFT - 4, y(10 ** i) + 4, `1e${i}`, 'end'));
  chart.append(shape('path', { class: 'roof', d: `M${x(start)} ${y(start * fastest)}L${x(peak / fastest)} ${y(peak)}H${WIDE}` }),
    label(WIDE, y(peak) - 4, `${short(peak, 3)} GFLOP/s`, 'end'), label(WIDE / 2, HIGH - 4, 'floating-point operations a byte', 'middle'),
    ...points.map((point) => drawPoint(point, x, y)));
  return [paragraph('GFLOP/s of steps with sums of products, by their operations for each byte that they read or write. '
    + `The flat line is the peak that was measured; the slope is ${short(fastest, 3)} GB/s, the most that any step moves. `
    + 'Orange steps take fewer operations than are counted. A large point takes long.'), chart];
}

const label = (x, y, what, anchor) => shape('text', { x, y, 'text-anchor': anchor }, what);

/* --- fragments --- */

/* The fragments around a step; without any, the groups that names of nodes and labels make. */
function fragmentsOf(step) {
  if (step.main < 0)
    return [];
  const fragments = ops.fragments[step.main].map(text);
  const names = chain(ops.group[step.main]).filter((group) => groups[group].kind === 2).map((group) => groups[group].name);
  return fragments.length > 0 ? fragments : names;
}

/* Steps as a tree: { name, ms, step, inner }; the step is the longest of the branch. */
function treeOf() {
  const root = { name: 'all', ms: 0, step: null, inner: new Map() };
  for (const step of steps) {
    let at = root;
    for (const name of [null, ...fragmentsOf(step), step.main >= 0 ? words(step.operations) : words(step.kind)]) {
      if (name !== null && !at.inner.has(name))
        at.inner.set(name, { name, ms: 0, step: null, inner: new Map() });
      at = name === null ? root : at.inner.get(name);
      at.ms += step.ms;
      at.step = at.step && at.step.ms >= step.ms ? at.step : step;
    }
  }
  return root;
}

const ROW = 20, LETTER = 7, NARROWEST = 0.5;

/* Each branch is as wide as its time, and below the one that it is in. */
function icicle() {
  const chart = shape('svg', { id: 'icicle', role: 'img', 'aria-label': 'time by fragments' });
  let deepest = 0;
  const add = (node, from, level) => {
    const wide = WIDE * node.ms / total;
    if (wide < NARROWEST)
      return;
    deepest = Math.max(deepest, level);
    const title = `${visible(node.name)}: ${short(node.ms)} ms, ${percent(node.ms / total)}`, letters = Math.floor((wide - 6) / LETTER);
    const name = visible(node.name, Math.max(1, letters - 1));
    const place = { x: from, y: level * ROW, width: wide, height: ROW - 1 };
    chart.append(mark('rect', { ...place, fill: heatColour(node.ms / total), class: 'piece' }, title, thingOfStep(node.step)),
      ...letters > 2 ? [label(from + 3, level * ROW + 14, name, 'start')] : []);
    let at = from;
    for (const inner of [...node.inner.values()].sort((a, b) => b.ms - a.ms)) {
      add(inner, at, level + 1);
      at += WIDE * inner.ms / total;
    }
  };
  add(treeOf(), 0, 0);
  chart.setAttribute('viewBox', `0 0 ${WIDE} ${(deepest + 1) * ROW}`);
  return chart;
}

/* The time within each fragment, with that of fragments in it. */
function fragmentRows() {
  const spent = new Map();
  for (const step of steps)
    new Set(fragmentsOf(step)).forEach((name) => spent.set(name, (spent.get(name) ?? 0) + step.ms));
  return [...spent].sort((a, b) => b[1] - a[1]).map(([name, ms]) => [visible(name), short(ms), percent(ms / total), bar(ms / total)]);
}

/* --- the pane --- */

const speedCells = (one) => [one.gflops > 0 ? one.gflops.toFixed(1) : '', one.gflops > 0 ? percent(one.ofPeak) : ''];

function runsPart() {
  const histogram = Array.isArray(findings.histogram) ? findings.histogram.map(number) : [], most = mostOf(histogram, 1);
  const from = number(findings.minMs), step = (number(findings.p99Ms) - from) / Math.max(1, histogram.length);
  const shown = histogram.map((count, i) => ({ share: count / most, title: `${count} from ${short(from + i * step)} ms` }));
  return part('Runs', paragraph(`How many took how long, from ${short(from)} to ${short(findings.p99Ms)} ms; `
    + 'the longest hundredth is left out.'), make('div', { id: 'runs' }, bars(shown)));
}

function stepParts() {
  const longest = mostOf(steps.map((step) => step.ms), 0), fragments = fragmentRows();
  return [
    ...part('Along the network', paragraph('Steps from left to right: the time of the fastest run of each, by that of the longest.'),
      make('div', { id: 'times' }, bars(steps.map((step) =>
        ({ share: step.ms / longest, title: titleOf(step), thing: thingOfStep(step) })))),
      paragraph(`Their speed by the peak of ${short(findings.peakGflops, 4)} GFLOP/s, which as many threads reach in registers `
        + `(${words(findings.kernels)}). Orange ones take fewer operations than the direct form, which is counted.`),
      make('div', { id: 'speeds' }, bars(steps.map((step) => ({ share: number(step.ofPeak), thing: thingOfStep(step),
        title: `${words(step.name)}: ${short(step.gflops) || 'no'} GFLOP/s`,
        className: step.fewerOperations === true ? 'beyond' : '' }))))),
    ...part('Roofline', ...roofline()),
    ...part('Fragments', paragraph('Time by the fragments, or groups of names, that steps are in, the outermost on top.'), icicle(),
      fragments.length > 0 ? make('div', { id: 'fragments' }, listing(['fragment', 'ms', 'share', ''], fragments)) : null),
    ...part('Kinds of steps', listing(['kind', 'steps', 'ms', 'share', 'GFLOP/s', 'of peak'], objects(findings.kinds).map((kind) =>
      [words(kind.kind), words(kind.steps), short(kind.minMs), percent(kind.share), ...speedCells(kind)]))),
    ...part('Steps in their order', listing(['step', 'operations', 'kernel', 'layout', 'ms', 'share', 'GFLOP/s', 'of peak'],
      steps.map((step) => [linkTo(thingOfStep(step), words(step.name, Infinity)), words(step.operations),
        [words(step.backend), words(step.kernel)].filter(Boolean).join(', '), words(step.layout), short(step.ms), percent(step.share),
        ...speedCells(step)]))),
  ];
}

function benchPane() {
  const cuts = objects(findings.cuts), whole = findings.integers;
  return [
    ...part('Where the time goes', paragraph(make('b', {}, short(findings.medianMs) + ' ms'),
      ` is the median of ${countOf(number(findings.runs), 'run')}, ${short(findings.minMs)} ms the shortest, `
      + `${short(findings.p99Ms)} ms the 99th percentile; ${countOf(number(findings.threads), 'thread')}, `
      + `backend ${words(findings.backend)}. ${short(findings.loadMs)} ms to load, ${short(findings.planMs)} ms to plan, `
      + `${short(findings.firstMs)} ms for the first run; `
      + `peak memory ${sizeText(number(findings.peakRssBytes))}.`)),
    whole ? paragraph(`${words(whole.layers)} of ${words(whole.of)} layers, ${percent(whole.share)} of MACs, are computed with integers.`)
      : null,
    ...runsPart(),
    ...cuts.length > 0 ? part('Parts', paragraph('The model runs in parts, which end before'),
      table(cuts.map((cut) => [words(cut.place), words(cut.why)]))) : [],
    ...total > 0 ? stepParts() : [],
  ];
}

function showBench() {
  if (total > 0)
    colourBy('time', timeHeat);
  return benchPane;
}

/* ---- the pane beside the models ---- */

const show = Array.isArray(findings.changes) ? showDiff() : findings.layers ? showCompare() : showBench();
const pane = make('section', { id: 'findings', tabIndex: 0, 'aria-label': 'findings' });
const fill = () => pane.replaceChildren(...show().filter(Boolean));

document.body.classList.add('told');
document.querySelector('main').before(pane);
fill();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', fill);
Object.assign(window.nnefcView.camera, firstEye());
goAddress();

})();
