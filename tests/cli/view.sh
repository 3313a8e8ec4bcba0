#!/bin/sh
# view.sh - 'nnefc view': what it draws of models of all formats, in all forms, and what it refuses
. "$(dirname "$0")/lib.sh"

forms='html svg dot mmd json'
cp "$digits/graph.nnef" digits.nnef
printf '7767517\n4 3\npnnx.Input x 0 1 x #x=(2,3)f32\npnnx.Attribute w 0 1 w @data=(3)f32 #w=(3)f32\n%s\n%s\n' \
    'pnnx.Expression e 2 1 x w y expr=mul(@0,@1) #x=(2,3)f32 #w=(3)f32 #y=(2,3)f32' \
    'pnnx.Output y 1 0 y' >net.param
pnnx_weights >net.bin
run 0 convert "$digits" digits.onnx
run 0 compile "$digits" -o digits.ng

# skip WHAT - says that this is not tested here
skip()
{
    echo "skipped: $1"
    skipped=$((skipped + 1))
}

# --- formats and forms ---------------------------------------------------------------------------

for model in "$digits" digits.nnef digits.onnx net.param digits.ng; do
    for form in $forms; do
        run 0 view "$model" -o "net.$form"
        silent
        meets "the same bytes again" eval '"$NNEFC" view "$model" -o again.$form && cmp -s "net.$form" "again.$form"'
    done
    mkdir -p "drawn/$(basename "$model")"
    mv net.html net.svg net.dot net.mmd net.json "drawn/$(basename "$model")"
done
cp digits.nnef kept.nnef
run 2 view kept.nnef -o kept.nnef --format=svg
err_has "would replace 'kept.nnef', a file of"
same kept.nnef digits.nnef
run 0 view kept.nnef -o kept.nnef --format=svg --force
same kept.nnef drawn/digits.nnef/net.svg
run 0 view digits.nnef -o - --format=mermaid
same out drawn/digits.nnef/net.mmd
meets 'weights are not needed' [ ! -e conv1 ]
run 0 view digits.onnx -o page.txt --format=html
same page.txt drawn/digits.onnx/net.html
meets 'an edge is told' grep -q '^o0 -> o1;$' drawn/digits.nnef/net.dot
meets 'the page has the data of JSON' grep -Fq "$(sed -n '/^"groups"/p' drawn/digits.nnef/net.json)" drawn/digits.nnef/net.html
meets 'the page allows no requests' grep -q "default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]\{43\}='" drawn/digits.nnef/net.html
meets 'and no other script or style' not grep -q unsafe drawn/digits.nnef/net.html

# --- two models, and what other commands found --------------------------------------------------

sed 's/relu(conv2)/tanh(conv2)/' digits.nnef >tanh.nnef
run 5 diff digits.nnef tanh.nnef --html=at-once.html --json
cp out differences.json
run 0 view digits.nnef tanh.nnef --report differences.json -o later.html
silent
meets 'a report made later is the one made at once' cmp -s at-once.html later.html
run 0 view digits.nnef tanh.nnef -o pair.html
meets 'two models need no report' not grep -q '"findings":' pair.html
run 0 bench "$digits" --time=0 --profile --json
cp out times.json
run 0 view digits.nnef --report times.json -o times.html
run 0 view digits.nnef --report times.json -o times-data.json
for page in later pair times; do
    meets "$page.html asks for nothing" eval '/usr/bin/python3 "$top/tests/cli/page_data.py" $page.html >data.json'
done
printf '{"changes": [{"kind": "</script><img src=x onerror=alert(1)>"}]}' >hostile.json
run 0 view digits.nnef tanh.nnef --report hostile.json -o hostile.html
meets 'findings do not end the script' not grep -q '<img' hostile.html
for report in '{}' '[]' '{"changes": 1}' '{"layers": {"all": {}}}' '{"medianMs": "x"}'; do
    echo "$report" >wrong.json
    run 3 view digits.nnef --report wrong.json -o wrong.html
    err_has "'wrong.json' has no findings"
done
echo '{"changes": [' >wrong.json
run 3 view digits.nnef --report wrong.json -o wrong.html
err_has "cannot read the findings 'wrong.json'"
run 3 view digits.nnef --report missing.json -o wrong.html
meets 'nothing is written then' [ ! -e wrong.html ]
run 2 view digits.nnef --report times.json -o net.svg
err_has -- '--report is for pages'
run 2 view digits.nnef tanh.nnef -o net.dot
err_has 'two models are for pages and JSON'
run 2 view digits.nnef tanh.nnef --plan -o net.html
err_has -- '--plan is for one model'
run 2 view digits.nnef tanh.nnef digits.onnx -o net.html
err_has 'two models at most'
run 1 view digits.nnef wrong.json -o wrong.html
run 2 view - - -o wrong.html
cp tanh.nnef kept.nnef
run 2 view digits.nnef kept.nnef -o kept.nnef --format=html
err_has "would replace 'kept.nnef'"
same kept.nnef tanh.nnef
cp -R "$digits" whole
ln -s whole/conv1/bias.dat linked.html
for target in whole/conv1/bias.dat linked.html; do
    run 2 view whole -o $target --format=html # which does not read the data
    err_has "would replace '$target', a file of 'whole'"
    run 2 view digits.nnef whole/graph.nnef -o $target --format=html
    err_has "would replace '$target', a file of 'whole/graph.nnef'"
done
same whole/conv1/bias.dat "$digits/conv1/bias.dat"
pnnx_model '(3)f32' 'pnnx.Attribute w 0 1 w @data=(3)f32' 'pnnx.Expression e 2 1 x w y expr=add(@0,@1)'
pnnx_weights >net.bin
run 2 view net.param -o net.bin --format=svg
err_has "would replace 'net.bin', a file of 'net.param'"
run 0 view whole -o linked.html --force
meets 'the file that a link leads to is replaced' [ -L linked.html ]
differ whole/conv1/bias.dat "$digits/conv1/bias.dat"
cp times.json kept.json
run 2 view digits.nnef --report kept.json -o kept.json
err_has "would replace 'kept.json'"
same kept.json times.json

# --- what others say of them ---------------------------------------------------------------------

if command -v node >/dev/null; then
    cat >check.js <<'JS'
const fs = require('fs'), crypto = require('crypto');
const [folder] = process.argv.slice(2), read = (form) => fs.readFileSync(`${folder}/net.${form}`, 'utf8');
const fail = (what) => { console.log(`${folder}: ${what}`); process.exitCode = 1; };
const data = JSON.parse(read('json')), page = read('html');
const count = data.ops.type.length, values = data.values.name.length;
for (const [list, lists] of [['ops', count], ['values', values]])
    for (const [key, column] of Object.entries(data[list]))
        if (column.length !== lists)
            fail(`${list}.${key} has ${column.length} items`);
const inPage = /<script type="application\/json" id="data">([^<]*)<\/script>/.exec(page);
if (!inPage || JSON.stringify(JSON.parse(inPage[1])) !== JSON.stringify(data))
    fail('the page has other data');
for (const [, of, text] of page.matchAll(/<(script|style)>([^]*?)<\/\1>/g))
    if (!page.includes(`${of}-src 'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`))
        fail(`the policy forbids the ${of}`);
const boxes = [], letters = 'ogvr';
for (const group of data.groups) {
    const slots = group.boxes.length / 2 + group.tracks.length;
    if (new Set(group.rows.flat()).size !== slots || group.rows.flat().length !== slots)
        fail('a slot is in no row, or in two');
    const row = [];
    group.rows.forEach((list, i) => list.forEach((slot) => { row[slot] = i; }));
    for (let i = 0; i < group.links.length; i += 3)
        if (row[group.links[i + 1]] !== row[group.links[i]] + 1)
            fail('a link leads not to the next row');
    for (let i = 0; i < group.boxes.length; i += 2)
        boxes.push(letters[group.boxes[i]] + group.boxes[i + 1]);
}
const drawn = [...read('svg').matchAll(/<rect id="([ogvr]\d+)"/g)].map((match) => match[1]);
if (drawn.sort().join() !== boxes.sort().join())
    fail(`SVG has other boxes: ${drawn} for ${boxes}`);
JS
    for folder in drawn/*; do
        meets "what is in $folder agrees" node check.js "$folder"
    done
else
    skip 'data of pages are not read (node)'
fi
if command -v python3 >/dev/null; then
    for file in drawn/*/net.svg; do
        meets "$file is XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$file"
    done
else
    skip 'SVG is not read (python3)'
fi
if command -v dot >/dev/null; then
    for file in drawn/*/net.dot; do
        meets "Graphviz takes $file" dot -Tplain -o plain "$file"
    done
else
    skip 'Graphviz has not read what is written for it (dot)'
fi
# --- groups --------------------------------------------------------------------------------------

cat >twice.nnef <<'NNEF'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment half(x: tensor<scalar>) -> (y: tensor<scalar>)
{
    a = neg(x);
    y = relu(a);
}
graph g(x) -> (z)
{
    x = external<scalar>(shape = [2]);
    y = half(x);
    z = half(y);
}
NNEF
run 0 view twice.nnef -o net.mmd
meets 'fragments are groups' [ "$(grep -c '^subgraph g[12] \["half<br>x2"\]$' net.mmd)" -eq 2 ]
run 0 view twice.nnef -o net.dot
meets 'and clusters' [ "$(grep -c '^subgraph cluster_[12] {$' net.dot)" -eq 2 ]
run 0 list twice.nnef --json
out_has '"fragments":\["half"\],"line":5,'

# mermaid draws 500 edges.
{
    printf 'version 1.0;\ngraph g(v0) -> (v1000)\n{\nv0 = external<scalar>(shape = [2]);\n'
    awk 'BEGIN { for (i = 1; i <= 1000; i++) printf "v%d = neg(v%d);\n", i, i - 1; print "}" }'
} >long.nnef
run 0 view long.nnef -o net.mmd
meets 'groups are closed for mermaid' [ "$(grep -c -e '-->' net.mmd)" -le 500 ]
awk 'BEGIN {
    for (i = 0; i < 600; i++) results = results (i ? ", y" : "y") i
    print "version 1.0;\ngraph wide( x ) -> ( " results " )\n{\n    x = external<scalar>(shape = [2]);"
    for (i = 0; i < 600; i++) print "    y" i " = neg(x);"
    print "}" }' >wide.nnef
run 0 view wide.nnef -o net.mmd
drawn=$(grep -c -e '-->' net.mmd)
meets 'so are arrows left out' [ "$drawn" -le 500 ]
meets 'and it is said how many' grep -q '^more.*"[0-9]* more arrows' net.mmd
run 0 view long.nnef -o net.dot
meets 'Graphviz is shown everything' [ "$(grep -c -e '->' net.dot)" -eq 1001 ]

# --- sizes ---------------------------------------------------------------------------------------

for form in $forms; do
    run 0 view "$top/examples/nnef/resnet" -o "resnet.$form"
done
meets 'the script of a page has at most 60 KB' [ "$(wc -c <"$top/src/driver/view/page.js")" -le 60000 ]
meets 'a page of ResNet-50 has at most 250 KB' [ "$(wc -c <resnet.html)" -le 250000 ]
meets 'its SVG has at most 200 KB' [ "$(wc -c <resnet.svg)" -le 200000 ]
run 0 list "$top/examples/nnef/resnet" --json
meets 'an operation is listed in 350 bytes' [ "$(wc -c <out)" -le $((350 * $(grep -c '"operation"' out))) ]

# --- models with open extents ----------------------------------------------------------------------

model sum 'x = external<scalar>(shape = [1,3]);' 'm = external<scalar>(shape = [1,3]);' 'y = add(x, m);'
sed -i 's/( x )/( x, m )/' sum/graph.nnef
run 0 convert sum named.onnx --dynamic x:0=row --dynamic m:0=row --dynamic x:1=col --dynamic m:1=col
LC_ALL=C sed 's/\(\x12\)\(\x03col\)/\x1a\2/g' named.onnx >unnamed.onnx # a denotation, no name
run 0 view named.onnx -o chosen.json
err_has "^nnefc: 'named.onnx' has open extents, which are chosen as by --dim=row=1 --dim=col=64$"
run 0 view named.onnx -o given.json --dim=row=1 --dim=col=64
silent
same chosen.json given.json
run 0 view named.onnx -o given.svg --dim=col=5
err_has 'chosen as by --dim=row=1$'
run 0 view unnamed.onnx -o chosen.json
err_has 'chosen as by --dim=row=1 --shape=x=1,64 --shape=m=1,64$'
run 0 view unnamed.onnx -o given.json --dim=row=1 --shape=x=1,64 --shape=m=1,64
silent
same chosen.json given.json
run 2 view named.onnx -o given.svg --dim=none=5
err_has "N0188.*'none'"
run 1 list named.onnx
err_has 'N0226'

# --- names that would do harm --------------------------------------------------------------------

long=$(head -c 100000 /dev/zero | tr '\0' n)
printf 'version 1.0;\n# </script><img src=x onerror=alert(1)>\ngraph g(x) -> (z)\n{\n    x = external<scalar>(shape = [2]);\n' >hostile.nnef
printf '    %s = variable<scalar>(shape = [2], label = '"'%s'"');\n' \
    a a b b c "$(echo "$long" | cut -c1-1024)" >>hostile.nnef
printf '    y = add(x, a);\n    p = add(y, a);\n    q = add(b, p);\n    r = add(q, b);\n    s = add(r, c);\n    z = add(s, c);\n}\n' >>hostile.nnef
mkdir -p 'a</title><script>x'
cp twice.nnef 'a</title><script>x/graph.nnef'
run 0 view 'a</title><script>x' -o folder.html
meets 'names of folders are text' not grep -Fq '</title><script>x' folder.html
for form in $forms; do
    run 0 view hostile.nnef -o "hostile.$form"
done
meets 'no name ends the script' not grep -Fq '</script><img' hostile.html
meets 'nor is it an element' not grep -Fq '<img' hostile.html hostile.json hostile.svg hostile.dot hostile.mmd
meets 'it is there as text' grep -Fq '\u003c/script>\u003cimg src=x onerror=alert(1)>' hostile.html
meets "long labels are whole in the data" grep -Fq "\"$(echo "$long" | cut -c1-1024)\"" hostile.json
# A node of ONNX and its results may have any name.
cat >names.js <<'JS'
const fs = require('fs'), name = process.argv[2];
const field = (number, bytes) => Buffer.concat([Buffer.from([number << 3 | 2]), length(bytes.length), bytes]);
const length = (n) => n < 128 ? Buffer.from([n]) : Buffer.concat([Buffer.from([n & 127 | 128]), length(n >> 7)]);
const text = (number, string) => field(number, Buffer.from(string));
const dimension = field(1, Buffer.from([8, 2])), shape = field(2, dimension);
const port = (string) => Buffer.concat([text(1, string), field(2, field(1, Buffer.concat([Buffer.from([8, 1]), shape])))]);
const node = (from, to) => field(1, Buffer.concat([text(1, from), text(2, to), text(3, name), text(4, 'Neg')]));
const graph = Buffer.concat([node('x', name), node(name, 'y'), text(2, name), field(11, port('x')), field(12, port('y'))]);
fs.writeFileSync('names.onnx', Buffer.concat([Buffer.from([8, 8]), field(7, graph), field(8, Buffer.from([16, 13]))]));
JS
if command -v node >/dev/null; then
    named=0
    for name in '</script><img src=x onerror=alert(1)>' '"]; end; %% click o0 href "javascript:x"' "$long"; do
        node names.js "$name"
        mkdir -p drawn/hostile
        for form in $forms; do
            run 0 view names.onnx -o "drawn/hostile/net.$form"
        done
        meets 'what is in it agrees' node check.js drawn/hostile
        meets 'no name is an element' not grep -q '<img' drawn/hostile/net.html drawn/hostile/net.svg drawn/hostile/net.mmd
        meets 'lines are no longer than a box' [ "$(awk '{ if (length > n) n = length } END { print n }' drawn/hostile/net.svg)" -lt 2000 ]
        if command -v dot >/dev/null; then
            meets 'Graphviz takes it' dot -Tplain -o plain drawn/hostile/net.dot
        fi
        mv drawn/hostile/net.mmd "named$((named += 1)).mmd"
    done
    node names.js "$(printf 'c\001d\033[31m\342\200\256rtl')"
    for form in $forms; do
        run 0 view names.onnx -o "turned.$form"
        meets 'controls are told by their bytes' grep -Eq 'c(\\|#92;)+x01d(\\|#92;)+x1B' "turned.$form"
        meets 'nothing turns the direction of writing' not grep -q "$(printf '\342\200\256')" "turned.$form"
    done
fi

# Findings with such names, in files of others and of models: the page has each of them whole, as JSON and without markup.
cat >findings.py <<'END'
"""What is found of models with a name of the table: what a command prints with --json, and what its pages have."""
import json, subprocess, sys

nnefc, page_data = sys.argv[1:3]
NAMES = ['</script><script>alert(1)</script>', '<!--<script>', ']]>', '"', "'", '\\', '\\u003c', '\\"}],"x":[{', '&lt;b&gt;', '`${1}`',
         '\x01\x08\x1b[31m\x7f\u0085', '\t\r\n', '\u202eltr\u202c\u200f\u2066', '\u2028\u2029', '\ufeff\uffff', '\U0001f600', '__proto__',
         'constructor', 'n' * 100000, '<' * 100000, ' ', '{0}%s%n']

def field(number, data):
    size, length = len(data), b''
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data

def port(name):
    return field(1, name.encode()) + field(2, field(1, b'\x08\x01' + field(2, field(1, b'\x08\x02'))))

def write(path, operator, name):
    def node(kind, a, b):
        return field(1, field(1, a.encode()) + field(2, b.encode()) + field(3, name.encode()) + field(4, kind))
    graph = node(operator, 'x', name) + node(b'Tanh', name, 'y') + field(2, name.encode()) + field(11, port('x')) + field(12, port('y'))
    with open(path, 'wb') as file:
        file.write(b'\x08\x08' + field(7, graph) + field(8, b'\x10\x0d'))

def run(status, *arguments):
    done = subprocess.run([nnefc, *arguments], capture_output=True)
    assert done.returncode == status, (arguments, done)
    return done.stdout

def embedded(page):
    """page_data.py fails if the data hold '<', or are no JSON, or if the page has other elements than its own."""
    return json.loads(subprocess.run([sys.executable, page_data, page], capture_output=True, check=True).stdout)['findings']

def texts(thing):
    """The structure without its numbers, of which pages have 9 digits."""
    if isinstance(thing, dict):
        return {key: texts(value) for key, value in thing.items()}
    return [texts(item) for item in thing] if isinstance(thing, list) else 0 if isinstance(thing, (int, float)) else thing

def renamed(thing, name):
    if isinstance(thing, dict):
        return {key: renamed(value, name) for key, value in thing.items()}
    return [renamed(item, name) for item in thing] if isinstance(thing, list) else name if isinstance(thing, str) else thing

for name in NAMES:
    write('a.onnx', b'Neg', name)
    write('b.onnx', b'Sin', name)
    for status, models, verb in ((5, ['a.onnx', 'b.onnx'], ['diff']), (0, ['a.onnx'], ['bench', '--time=0', '--profile']),
                                 (5, ['a.onnx', 'b.onnx'], ['compare', '--random', '--layers=all'])):
        printed = json.loads(run(status, *verb, *models, '--json', '--html=found.html'))
        assert texts(embedded('found.html')) == texts(printed), (verb, name[:40])
        strange = renamed(printed, name)
        with open('strange.json', 'w') as file:
            json.dump(strange, file)
        run(0, 'view', *models, '--report=strange.json', '-o', 'strange.html')
        assert texts(embedded('strange.html')) == texts(strange), (verb, name[:40])
END
meets 'pages have findings of hostile names whole' /usr/bin/python3 findings.py "$NNEFC" "$top/tests/cli/page_data.py" 2>err

mermaid=$top/tests/mermaid
if command -v node >/dev/null && [ -d "$mermaid/node_modules/mermaid" ]; then
    meets 'mermaid takes what is written for it' node "$mermaid/parse.mjs" drawn/*/net.mmd named*.mmd >parsed
else
    skip "mermaid has not read what is written for it ('npm ci' in tests/mermaid)"
fi

# --- what runs and others say of a model ---------------------------------------------------------

printf '{"values":{"relu9":1,"relu1":2}}' >overlay.json
run 0 view "$digits" -o all.json --overlay=overlay.json
err_has "1 of 2 names that no tensor has, such as 'relu9'"
printf '{"unit":"m<s","values":{"relu1":0.5,"conv1":3}}' >overlay.json
run 0 view "$digits" -o all.json --plan --weights=stats --overlay=overlay.json
quiet_err
meets 'an overlay is there' grep -Fq '"overlay":{"unit":"m\u003cs","values":{"relu1":0.5,"conv1":3}}' all.json
meets 'steps are there' grep -q '"steps":{"name":\[7,.*"ops":\[\[0,1\],\[2,3\],\[4\]' all.json
if command -v python3 >/dev/null; then
    cat >weights.py <<'PY'
import json, struct, sys
data = json.load(open('all.json'))
stored = open(sys.argv[1] + '/conv1/filter.dat', 'rb').read()
items = struct.unpack('<144f', stored[-144 * 4:])
mean = sum(items) / 144
at = data['weights']['value'].index([data['strings'][i] for i in data['values']['name']].index('filter1'))
said = {key: column[at] for key, column in data['weights'].items()}
near = lambda a, b: abs(a - b) <= 1e-5 * max(abs(a), abs(b), 1)
ok = near(said['min'], min(items)) and near(said['max'], max(items)) and near(said['mean'], mean)
ok = ok and near(said['deviation'], (sum((x - mean) ** 2 for x in items) / 144) ** 0.5)
ok = ok and said['nan'] == said['infinite'] == 0 and said['zeros'] == items.count(0)
ok = ok and len(said['histogram']) == 64 and sum(said['histogram']) == 144
sys.exit(not ok)
PY
    meets 'weights are told as they are' python3 weights.py "$digits"
else
    skip 'statistics are not computed anew (python3)'
fi
run 3 view digits.nnef -o none.json --weights=stats
err_has 'no data for variable'
absent none.json

# --- what is refused -----------------------------------------------------------------------------

run 2 view "$digits"
err_has "'view' needs a file to write, -o FILE.html"
run 2 view "$digits" -o net.pdf
err_has "the name 'net.pdf' decides no format"
run 2 view "$digits" -o -
err_has 'decides no format'
run 2 view "$digits" -o net.svg --plan
err_has '--plan is for pages and JSON'
run 3 view "$digits" -o missing/net.svg
run 3 view nothing -o none.svg
absent none.svg
for text in '{' '[]' '{"values":{"a":"b"}}' '{"unit":1,"values":{}}'; do
    echo "$text" >wrong.json
    run 3 view "$digits" -o none.html --overlay=wrong.json
    err_has 'overlay'
    absent none.html
done
echo before >kept.svg
printf 'version 1.0;\ngraph g(x) -> (y)\n{\n    y = neg(x);\n}\n' >wrong.nnef
run 1 view wrong.nnef -o kept.svg
meets 'a file stays as it was after a fault' [ "$(cat kept.svg)" = before ]

finish
