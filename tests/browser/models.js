// models.js - networks without weights for the tests of pages, written as NNEF
'use strict';

const fs = require('fs');
const path = require('path');

const EXTENSIONS = 'version 1.0;\n\nextension KHR_enable_fragment_definitions;\nextension KHR_enable_operator_expressions;\n\n';

function write(folder, name, text) {
  fs.mkdirSync(path.join(folder, name), { recursive: true });
  fs.writeFileSync(path.join(folder, name, 'graph.nnef'), text);
  return path.join(folder, name);
}

// A graph whose statements are written one after the other; variables get labels that are paths.
class Text {
  constructor(name, results) {
    this.head = `graph ${name}( x ) -> ( ${results} )\n{\n`;
    this.lines = [];
  }

  add(name, value) {
    this.lines.push(`    ${name} = ${value};`);
    return name;
  }

  variable(name, shape, label = name) {
    return this.add(name, `variable<scalar>(shape = [${shape}], label = '${label}')`);
  }

  whole(fragments = '') {
    return `${EXTENSIONS}${fragments}${this.head}${this.lines.join('\n')}\n}\n`;
  }
}

// One layer of a decoder: attention under a mask, and two products with an activation between.
const LAYER = `fragment attention( x: tensor<scalar>, mask: tensor<scalar>, w: tensor<scalar>[] ) -> ( y: tensor<scalar> )
{
    q = matmul(x, w[0]);
    k = matmul(x, w[1]);
    v = matmul(x, w[2]);
    scores = matmul(q, k, transposeB = true) * 0.125 + mask;
    y = matmul(matmul(softmax(scores, axes = [2]), v), w[3]);
}

fragment layer( x: tensor<scalar>, mask: tensor<scalar>, w: tensor<scalar>[] ) -> ( y: tensor<scalar> )
{
    mixed = x + attention(x, mask, w);
    inner = matmul(mixed, w[4]);
    y = mixed + matmul(inner * sigmoid(inner), w[5]);
}

`;

function decoder(folder, layers = 8) {
  const text = new Text('decoder', 'logits');
  text.add('x', 'external<scalar>(shape = [1,16,64])');
  text.variable('mask', '1,16,16');
  let last = 'x';
  for (let i = 0; i < layers; i++) {
    const names = ['q', 'k', 'v', 'o'].map((name) => text.variable(`${name}${i}`, '1,64,64', `layers/${i}/attention/${name}`));
    names.push(text.variable(`up${i}`, '1,64,256', `layers/${i}/up`), text.variable(`down${i}`, '1,256,64', `layers/${i}/down`));
    last = text.add(`layer${i}`, `layer(${last}, mask, [${names.join(', ')}])`);
  }
  text.add('logits', `matmul(${last}, ${text.variable('head', '1,64,1000', 'head')})`);
  return write(folder, 'decoder', text.whole(LAYER));
}

// A detector of text: four stages that halve the extents, and a pyramid that adds and joins what they make.
function detector(folder) {
  const text = new Text('detector', 'map');
  let last = text.add('x', 'external<scalar>(shape = [1,3,64,64])'), channels = 3;
  const conv = (name, from, to, input, size, stride) => text.add(name, `conv(${input}, ${text.variable(`${name}_filter`,
    [to, from, size, size], `${name}/filter`)}, stride = [${stride},${stride}], padding = [(${(size - 1) / 2},${(size - 1) / 2}),(${(size - 1) / 2},${(size - 1) / 2})])`);
  const levels = [16, 32, 64, 128].map((to, i) => {
    last = text.add(`down${i}`, `relu(${conv(`stride${i}`, channels, to, last, 3, 2)})`);
    last = text.add(`stage${i}`, `relu(${conv(`keep${i}`, to, to, last, 3, 1)} + ${last})`);
    channels = to;
    return conv(`side${i}`, to, 32, last, 1, 1);
  });
  const up = (input, factor) => `nearest_upsample(${input}, factor = [${factor},${factor}])`;
  for (let i = 2; i >= 0; i--)
    levels[i] = text.add(`sum${i}`, `${levels[i]} + ${up(levels[i + 1], 2)}`);
  const same = levels.map((level, i) => (i > 0 ? text.add(`grown${i}`, up(level, 2 ** i)) : level));
  text.add('joined', `concat([${same.join(', ')}], axis = 1)`);
  text.add('map', `sigmoid(${conv('score', 128, 1, 'joined', 3, 1)})`);
  return write(folder, 'detector', text.whole());
}

const INJECTED = '</script><script>document.write(666)</script><!--<img/src/onerror/>';
const TURNED = '\u202egnp.exe\u2066';
const LONG = 100000;

// A field of a message of protobuf: a number, or bytes with their size before them.
function field(number, value) {
  const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(Math.floor(n / 128))]);
  if (typeof value === 'number')
    return Buffer.from([...varint(8 * number), ...varint(value)]);
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint(8 * number + 2), ...varint(bytes.length)]), bytes]);
}

const message = (...fields) => Buffer.concat(fields);

// ONNX of one Relu behind the other, whose names would like to be code, to turn the text beside them, or to be long.
function hostile(folder) {
  const names = [INJECTED, TURNED, '\u0001\n', '<svg/onload/>', 'n'.repeat(LONG)];
  const shape = field(2, message(field(1, field(1, 2)), field(1, field(1, 3))));
  const port = (name) => message(field(1, name), field(2, field(1, message(field(1, 1), shape))));
  const nodes = names.slice(1).map((name, i) =>
    field(1, message(field(1, names[i]), field(2, name), field(3, `/${name}/${INJECTED}/Relu`), field(4, 'Relu'))));
  const graph = message(...nodes, field(2, INJECTED), field(11, port(names[0])), field(12, port(names[names.length - 1])));
  const file = path.join(folder, 'hostile.onnx');
  fs.writeFileSync(file, message(field(1, 8), field(8, message(field(1, ''), field(2, 13))), field(7, graph)));
  return file;
}

// A comment of a text, which the page embeds.
function hostileComment(folder) {
  return write(folder, 'comment', `version 1.0;\n# ${INJECTED}\ngraph comment( x ) -> ( y )\n{\n` +
    '    x = external<scalar>(shape = [1,2]);\n    y = relu(x);\n}\n');
}

const body = (...lines) => `graph net( x ) -> ( e )\n{\n    x = external<scalar>(shape = [1,64]);\n${lines.map((line) => `    ${line};\n`).join('')}}\n`;

// A and B, of which B has another name for 'b', another operation for 'c', no 'd', and 'n' at its end.
function pair(folder) {
  return [write(folder, 'a', `version 1.0;\n${body('a = neg(x)', 'b = sigmoid(a)', 'c = relu(b)', 'd = abs(c)', 'e = sqr(d)')}`),
    write(folder, 'b', `version 1.0;\n${body('a = neg(x)', 'other = sigmoid(a)', 'c = tanh(other)', 'e = sqr(c)', 'n = exp(a)').replace('( e )', '( e, n )')}`)];
}

// Two models whose second tensor, and what follows, differs by a factor.
function scaled(folder) {
  return ['2.0', '2.5'].map((factor) => write(folder, `by${factor}`, `version 1.0;\n${body('a = neg(x)', `c = mul(a, ${factor})`, 'e = copy(c)')}`));
}

// A layer in a fragment in another, twice.
function nested(folder) {
  return write(folder, 'nested', `${EXTENSIONS}fragment inner( x: tensor<scalar>, f: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = sigmoid(conv(x, f));
}

fragment outer( x: tensor<scalar>, f: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = inner(inner(x, f), f);
}

graph nested( x ) -> ( z )
{
    x = external<scalar>(shape = [1,16,32,32]);
    f = variable<scalar>(shape = [16,16,3,3], label = 'f');
    z = softmax(outer(x, f));
}
`);
}

module.exports = { pair, scaled, nested, decoder, detector, hostile, hostileComment, INJECTED, TURNED, LONG };
