#!/bin/sh
# diff.sh - nnefc diff: what it prints, weights, formats, exit statuses, use by git
. "$(dirname "$0")/lib.sh"

# net FILE [STRIDE] - two layers, the first of two channels
net()
{
    printf '%s\n' 'version 1.0;' 'graph net( x ) -> ( y )' '{' \
        '    x = external<scalar>( shape = [1,2,8,8] );' \
        "    w = variable<scalar>( shape = [4,2,3,3], label = 'layer/w' );" \
        "    c = conv( x, w, stride = [${2:-1,1}] );" \
        '    y = relu( c );' '}' >"$1"
}

# --- what is printed --------------------------------------------------------------------------

net a.nnef
net b.nnef 2,2
run 0 diff a.nnef a.nnef
quiet_err
out_has '^A and B are the same$'
run 5 diff a.nnef b.nnef
quiet_err
out_has '^attribute conv c: stride \[1, 1\] -> \[2, 2\] \(b\.nnef:6:9\)$'
out_has '^type conv c: scalar\[1,4,8,8\] -> scalar\[1,4,4,4\], and 1 behind it \(b\.nnef:6:9\)$'
out_has '^2 differences$'
run 5 diff a.nnef b.nnef -q
silent
run 5 diff a.nnef b.nnef --json
out_has '"same": false'
out_has '"kind": "attribute"'
out_has '"attribute": "stride"'
out_has '"from": "\[1, 1\]"'
run 0 diff a.nnef a.nnef --json
out_has '"changes": \[\]'
run 5 diff a.nnef b.nnef --markdown
out_has '^- \*\*attribute\*\* conv <code>c</code>: <code>stride \[1, 1\] -&gt; \[2, 2\]</code>$'
sed 's/y = relu( c )/t = tanh( c ); y = relu( t )/' a.nnef >more.nnef
run 5 diff a.nnef more.nnef
out_has '^inserted tanh t \(more\.nnef:7:9\)$'
out_has '^1 difference$'
run 5 diff more.nnef a.nnef
out_has '^removed tanh t \(more\.nnef:7:9\)$'

# The page has both models, and what --json prints.
run 5 diff a.nnef more.nnef --html=page.html --json
quiet_err
meets 'the page asks for nothing' eval '/usr/bin/python3 "$top/tests/cli/page_data.py" page.html >data.json'
meets 'it has both models and the record' /usr/bin/python3 -c '
import json
data, told = json.load(open("data.json")), json.load(open("out"))
ops, values, strings, groups = data["ops"], data["values"], data["strings"], data["groups"]
assert data["findings"] == told and data["sides"] == "ab"
assert [strings[t] for t in ops["type"]] == ["conv", "relu", "conv", "tanh", "relu"]
b = groups[0]["boxes"][3]
assert [strings[groups[g]["name"]] for g in (1, b)] == ["A", "B"] and groups[b]["parent"] == 0 and groups[b]["size"] == 3
assert all((group < b) == (op < 2) for op, group in enumerate(ops["group"]))
# What B has is its own: each operation reads what is made before it in B, or a source of B.
half = min(v for op in (2, 3, 4) for v in ops["in"][op] + ops["out"][op])
assert all(v < half for op in (0, 1) for v in ops["in"][op] + ops["out"][op])
assert [values["producer"][ops["out"][op][0]] for op in range(5)] == list(range(5))
assert [strings[values["name"][v]] for v in data["outputs"]] == ["y", "y"] and data["outputs"][0] < half <= data["outputs"][1]'
run 5 diff a.nnef more.nnef --html=page.html -q
silent
run 0 diff a.nnef a.nnef --html=page.html
out_has '^A and B are the same$'
run 2 diff a.nnef b.nnef --html=-
err_has 'the page is a file'
cp a.nnef kept.nnef
run 2 diff b.nnef kept.nnef --html=kept.nnef
err_has "would replace 'kept.nnef'"
same kept.nnef a.nnef
run 0 convert "$digits" kept.onnx --external-data
cp kept.onnx.data kept.data
run 2 diff "$digits" kept.onnx --html=kept.onnx.data
err_has "would replace 'kept.onnx.data', a file of 'kept.onnx'"
same kept.onnx.data kept.data
run 3 diff a.nnef b.nnef --html=nowhere/page.html
err_has 'nowhere/page.html'
input=a.nnef
run 5 diff - b.nnef
run 2 diff - -
input=/dev/null

# --- what is ignored --------------------------------------------------------------------------

sed "s/\\bx\\b/image/g; s/\\by\\b/scores/; s/\\bc\\b/hidden/g; s,layer/w,first," a.nnef >renamed.nnef
sed 's/y = relu/scores = relu/' -i renamed.nnef
run 5 diff a.nnef renamed.nnef
out_has '^renamed input: x -> image$'
out_has '^label variable w: layer/w -> first$'
out_has '^renamed conv: c -> hidden '
out_has '^renamed relu: y -> scores '
out_has '^4 differences$'
run 5 diff a.nnef renamed.nnef --ignore=names
out_has '^1 difference$'
run 0 diff a.nnef renamed.nnef --ignore=names,labels
run 2 diff a.nnef renamed.nnef --ignore=names,colours
err_has 'no value for --ignore=WHAT\[,WHAT\.\.\.\], expected some of names, labels, order and fragments'

# --- fragments --------------------------------------------------------------------------------

resnet=$top/examples/nnef/resnet
run 0 convert "$resnet" - --to=nnef --raw
cp out flat.nnef
run 5 diff "$resnet" flat.nnef
out_has '^fragment conv: stage/residual_unit/conv_norm -> none \(32\)'
run 0 diff "$resnet" flat.nnef --ignore=fragments
run 0 diff "$resnet" "$resnet"

# --- custom operations ------------------------------------------------------------------------

# custom FILE DECLARATION STATEMENT
custom()
{
    printf '%s\n' 'version 1.0;' 'extension KHR_enable_fragment_definitions;' \
        "fragment foo( x: tensor<scalar>$2;" 'graph net( x ) -> ( y )' '{' \
        '    x = external<scalar>( shape = [1,2] );' "    $3" '}' >"$1"
}

custom two.nnef ', k: scalar = 1.0, m: integer = 2 ) -> ( y: tensor<scalar> )' 'y = foo( x, k = 3.0, m = 4 );'
custom one.nnef ', k: scalar = 1.0 ) -> ( y: tensor<scalar> )' 'y = foo( x, k = 3.0 );'
custom none.nnef ' ) -> ( y: tensor<scalar> )' 'y = foo( x );'
custom both.nnef ' ) -> ( y: tensor<scalar>, z: tensor<scalar> )' '( y, z ) = foo( x );'
run 5 diff two.nnef one.nnef
out_has '^attribute foo y: m 4 -> none \(one\.nnef:7:9\)$'
out_has '^1 difference$'
run 5 diff one.nnef two.nnef
out_has '^attribute foo y: m none -> 4 '
out_has '^1 difference$'
run 5 diff both.nnef none.nnef
out_has '^removed foo z '
out_has '^1 difference$'
run 5 diff none.nnef both.nnef
out_has '^inserted foo z '
out_has '^1 difference$'
run 0 diff two.nnef two.nnef
run 0 diff both.nnef both.nnef

# --- quantization -----------------------------------------------------------------------------

# entries FOLDER LINE... - what net says, with this quantization file; none if there is no line
entries()
{
    folder=$1
    shift
    mkdir "$folder"
    net "$folder/graph.nnef"
    if [ $# -gt 0 ]; then printf '%s\n' "$@" >"$folder/graph.quant"; fi
}

entries plain
entries ranges '"x": linear_quantize(min = -1.0, max = 1.0, bits = 8);' \
    '"w": linear_quantize(min = -2.0, max = 2.0, bits = 8);' \
    '"c": linear_quantize(min = -4.0, max = 4.0, bits = 8);'
entries wider '"x": linear_quantize(min = -1.0, max = 1.5, bits = 8);' \
    '"w": linear_quantize(min = -2.0, max = 2.0, bits = 4);' \
    '"c": logarithmic_quantize(max = 4.0, bits = 8);'
entries ordered '"c": linear_quantize(bits = 8, max = 4.00, min = -4.0);' \
    '"w": linear_quantize(max = 2.0, min = -2.0, bits = 8);' \
    '"x": linear_quantize(min = -1.0, bits = 8, max = 1.0);'
run 0 diff ranges ranges
run 0 diff ranges ordered
run 5 diff ranges wider
out_has '^attribute input x: quantization max 1\.0 -> 1\.5$'
out_has '^attribute variable w: quantization bits 8 -> 4$'
out_has '^attribute conv c: quantization linear_quantize\(min = -4\.0, max = 4\.0, bits = 8\) -> logarithmic_quantize\(max = 4\.0, bits = 8\) \(wider/graph\.nnef:6:9\)$'
out_has '^3 differences$'
run 5 diff ranges wider --json
out_has '"attribute": "quantization max"'
run 5 diff ranges plain
out_has '^attribute conv c: quantization linear_quantize\(.*\) -> none '
out_has '^3 differences$'
run 5 diff plain ranges
out_has '^attribute conv c: quantization none -> linear_quantize\('

# --- zeros of opposite signs ------------------------------------------------------------------

for zero in 0.0 -0.0; do
    printf '%s\n' 'version 1.0;' 'graph net( x ) -> ( y )' '{' \
        '    x = external<scalar>( shape = [3] );' \
        "    c = constant<scalar>( shape = [3], value = [1.0, $zero, 0.0] );" \
        '    y = div( x, c );' '}' >"zero$zero.nnef"
done
run 5 diff zero0.0.nnef zero-0.0.nnef
out_has '^weights constant c: 1 of 3 items, by 0 at most$'
out_has '^1 difference$'
run 0 diff zero-0.0.nnef zero-0.0.nnef

# --- weights, and other formats ---------------------------------------------------------------

run 0 diff "$digits" "$digits" --data
cp -r "$digits" other
printf '\100' | dd of=other/conv1/filter.dat bs=1 seek=131 conv=notrunc 2>dd
run 0 diff "$digits" other
run 5 diff "$digits" other --data
quiet_err
out_has '^weights variable filter1: 1 of [0-9]+ items, by [0-9.e+]+ at most$'
out_has '^1 difference$'
run 5 diff "$digits/graph.nnef" "$digits/graph.nnef" --data="$digits" --data=other
out_has '^weights variable filter1: 1 of '
run 2 diff a.nnef a.nnef --data=x --data=y --data=z
run 3 diff a.nnef a.nnef --data
run 0 convert "$digits" digits.onnx --raw
run 5 diff "$digits" digits.onnx --ignore=labels,names --passes=default
out_lacks '^(inserted|removed) (conv|relu|linear|max_pool|softmax)'
run 0 convert "$digits" digits.ng --raw
run 0 diff "$digits" digits.ng --data --ignore=fragments

# --- faults -----------------------------------------------------------------------------------

run 2 diff a.nnef
err_has "'diff' needs two models"
run 2 diff a.nnef b.nnef more.nnef
run 3 diff a.nnef missing.nnef
echo 'version 1.0; graph' >broken.nnef
run 1 diff a.nnef broken.nnef
quiet_out

# --- as a driver of git -----------------------------------------------------------------------

if command -v git >/dev/null; then
    mkdir repository
    cd repository || exit 1
    git init -q . 2>/dev/null
    git config user.name nobody
    git config user.email nobody@example.org
    printf '%s\n' '#!/bin/sh' '"$NNEFC" diff "$2" "$5" || [ $? -eq 5 ]' >../nnefc-diff
    chmod +x ../nnefc-diff
    git config diff.nnef.command "$work/nnefc-diff"
    echo '*.nnef diff=nnef' >.gitattributes
    cp ../a.nnef net.nnef
    git add .
    git commit -qm first
    cp ../b.nnef net.nnef
    NNEFC=$NNEFC git --no-pager diff --ext-diff >../out 2>../err
    cd ..
    out_has '^attribute conv c: stride \[1, 1\] -> \[2, 2\]'
else
    skipped=$((skipped + 1))
fi

# Small weights become constants in ONNX: an operand of the same name is told by what it is.
run 0 convert "$digits" digits.onnx
run 5 diff "$digits" digits.onnx --passes=default
out_has '^operand conv conv1: operand 3 variable bias1 -> constant bias1$'

# --- options of one of the models ------------------------------------------------------------------

model one 'x = external<scalar>(shape = [1,4]);' 'y = relu(x);'
sed 's/\bx\b/p/g' one/graph.nnef >other.nnef
run 0 convert one open.onnx --dynamic x:0=batch
run 5 diff one other.nnef --shape=x=2,4 --shape=p=2,4
out_has '^renamed input: x -> p$'
out_has '^1 difference$'
run 0 compare one other.nnef --random --shape=x=2,4 --shape=p=2,4
out_has 'scalar\[2,4\]'
run 0 compare open.onnx other.nnef --random --dim=batch=3 --shape=p=3,4
out_has 'scalar\[3,4\]'
run 5 diff open.onnx other.nnef --dim=batch=1
run 0 view open.onnx other.nnef --dim=batch=1 -o both.html
run 2 compare one other.nnef --random --shape=q=2,4 # which neither has
err_has "N0188.*no parameter 'q'"
run 2 diff one other.nnef --json --markdown
err_has '^nnefc: --json and --markdown exclude each other$'
quiet_out
finish
