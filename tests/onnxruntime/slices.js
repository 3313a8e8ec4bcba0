// slices.js FOLDER DOCUMENT|FOLDER... - writes each statement of documents as a document of its own
//
// FOLDER/N.nnef has what the statement needs and gives its results; what depends on no external is
// left out, and so is what is marked as faulty. FOLDER/sources.txt says where each comes from.
'use strict';

const fs = require('fs');
const path = require('path');

function documents(from) {
  if (!fs.statSync(from).isDirectory()) return [from];
  const names = fs.readdirSync(from).sort();
  return names.flatMap((name) => documents(path.join(from, name))).filter((file) => file.endsWith('.nnef'));
}

// Statements of a graph body, each with the marks behind it that tell its shape.
function statements(body) {
  const code = body.replace(/'[^'\n]*'|"[^"\n]*"|#[^\n]*/g, (part) => (part[0] === '#' ? '' : part));
  return code.split(';').map((text) => text.trim()).filter(Boolean);
}

function identifiers(text) {
  return new Set(text.replace(/'[^']*'|"[^"]*"/g, '').match(/[A-Za-z_]\w*/g));
}

// What is needed for a statement, in the order of the text.
function needed(all, wanted) {
  const names = identifiers(wanted.right);
  const chosen = new Set([wanted]);
  for (const s of all.slice(0, all.indexOf(wanted)).reverse()) {
    if (![...identifiers(s.left)].some((name) => names.has(name))) continue;
    chosen.add(s);
    identifiers(s.right).forEach((name) => names.add(name));
  }
  return all.filter((s) => chosen.has(s));
}

function slices(text) {
  const graph = /^\s*graph\s+(\w+)\s*\(([^)]*)\)\s*->\s*\(([^)]*)\)\s*\{([^]*)\}/m.exec(text);
  if (!graph || /^#!/m.test(text) || /#:.*(keep-only|provisional)/.test(text)) return [];
  const head = text.slice(0, graph.index);
  const all = statements(graph[4]).map((statement) => {
    const at = statement.indexOf('=');
    return { text: statement, left: statement.slice(0, at), right: statement.slice(at + 1) };
  });
  return all.flatMap((wanted) => {
    const part = needed(all, wanted);
    const externals = part.filter((s) => /^\s*external\b/.test(s.right)).map((s) => s.left.trim());
    if (/^\s*(external|variable|constant|update)\b/.test(wanted.right) || externals.length === 0) return [];
    const results = [...identifiers(wanted.left)].join(', ');
    const body = part.map((s) => `    ${s.text};\n`).join('');
    return [`${head}\ngraph ${graph[1]}( ${externals.join(', ')} ) -> ( ${results} )\n{\n${body}}\n`];
  });
}

function main([folder, ...from]) {
  const sources = [];
  for (const file of from.flatMap(documents))
    for (const text of slices(fs.readFileSync(file, 'utf8'))) {
      fs.writeFileSync(path.join(folder, `${sources.length}.nnef`), text);
      sources.push(file);
    }
  fs.writeFileSync(path.join(folder, 'sources.txt'), sources.map((file) => `${file}\n`).join(''));
}

main(process.argv.slice(2));
