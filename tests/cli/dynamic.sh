#!/bin/sh
# dynamic.sh - convert --dynamic: extents left open, and what cannot be so is refused
#
# What models compute at other extents, tests/onnxruntime/open.sh judges.
. "$(dirname "$0")/lib.sh"

model one 'x = external<scalar>(shape = [1,4,8,8]);' \
    'y = max_pool(x, size = [1,1,2,2], stride = [1,1,2,2], padding = [(0,0),(0,0),(0,0),(0,0)]);'

# Names of extents stand in the file as they are.
has_name() { LC_ALL=C grep -aFq "$1" out.onnx; }

run 0 convert one out.onnx --dynamic x:0=batch
silent
meets 'the extent is called so' has_name batch
run 0 convert one out.onnx --dynamic x:0=batch --dynamic x:2=rows --dynamic=x:3=columns
meets 'the second extent is called so' has_name rows
meets 'the third extent is called so' has_name columns
run 0 convert one out.onnx --dynamic x:2=side --dynamic x:3=side
meets 'two extents have one name' has_name side
cp out.onnx first.onnx
run 0 convert one out.onnx --dynamic x:2=side --dynamic x:3=side
meets 'the same bytes twice' cmp -s out.onnx first.onnx
run 0 convert one out.onnx
meets 'nothing is open unasked' not has_name batch

# --- what follows the extent ----------------------------------------------------------------

# Items of a shape, which nnefc reads from its samples as they are stored: the same number on a big-endian machine.
printf '%s\n' 'version 1.0;' 'extension KHR_enable_fragment_definitions;' \
    'extension KHR_enable_operator_expressions;' \
    'fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )' \
    '{' '    y = reshape(x, shape = [shape_of(x)[0], 1, shape_of(x)[1]]);' '}' \
    'graph net( x ) -> ( y )' '{' '    x = external<scalar>(shape = [4,6]);' '    y = f(x);' '}' >follows.nnef
run 0 convert follows.nnef out.onnx --dynamic x:0=n --dynamic x:1=m -Wno-deprecated
run 0 info out.onnx --dim n=5 --dim m=7
out_has '^ *y scalar\[5,1,7\]'

# --- what is no such extent -----------------------------------------------------------------

for value in x x:0 x:=n x:0= :0=n x:-1=n x:0=1n x:a=n 'x:0=a b' x=0:n; do
    run 2 convert one out.onnx --dynamic "$value"
    err_has "expected a graph parameter, an axis from 0 and an identifier"
done
run 2 convert one out.onnx --dynamic xx:0=batch
err_has "graph 'net' has no parameter 'xx' to leave an extent open of"
err_has "help: it has 'x'"
run 2 convert one out.onnx --dynamic y:0=batch
err_has "graph 'net' has no parameter 'y'"
run 2 convert one out.onnx --dynamic x:4=batch
err_has "'x' has shape \\[1,4,8,8\\] and no axis 4 to leave open"
run 2 convert one out.onnx --dynamic x:0=a --dynamic x:0=b
err_has "axis 0 of 'x' is left open twice, as 'a' and as 'b'"
run 2 convert one out.onnx --dynamic x:0=n --dynamic x:1=n
err_has "axis 0 of 'x' and axis 1 of 'x' are both called 'n', but are 1 and 4"

# --- what depends on the extent -------------------------------------------------------------

# refused LINE TEXT STATEMENT... - axis 0 of x cannot be left open: TEXT is said about LINE
refused()
{
    line=$1 text=$2
    shift 2
    rm -f out.onnx
    model bad 'x = external<scalar>(shape = [4,6]);' "$@"
    run 4 convert bad out.onnx --dynamic x:0=n
    err_has "^bad/graph\\.nnef:$line:[0-9]+: error\\[N0230\\]: .*$text"
    meets 'nothing is written' [ ! -e out.onnx ]
}

refused 5 "'box' depends on the extent of axis 0 of 'x': its padding along axis 0 is what a stride of 2 leaves over" \
    'y = box(x, size = [3,1], stride = [2,1]);'
err_has 'write the padding out'
refused 5 "axis 0 of 'x' cannot be left open: with extent 5, " 'y = reshape(x, shape = [2,12]);'
refused 5 "'max_pool' depends on the extent of axis 0 of 'x'" \
    "y = max_pool(x, size = [3,1], padding = [(1,1),(0,0)], border = 'constant');"
refused 5 "axis 0 of 'x' cannot be left open: with extent 5, 5 results for 4 identifiers" \
    '[a, b, c, d] = unstack(x, axis = 0);' 'y = add(a, d);'
refused 6 "axis 0 of 'x' cannot be left open: with extent 5, .*'add'" \
    'c = constant<scalar>(shape = [4,6], value = [1.0]);' 'y = add(x, c);'

# What the text does with an extent: comparisons, divisions and loops decide on it.
decides()
{
    printf '%s\n' 'version 1.0;' 'extension KHR_enable_fragment_definitions;' \
        'extension KHR_enable_operator_expressions;' \
        'fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )' '{' "    $1" '}' \
        'graph net( x ) -> ( y )' '{' '    x = external<scalar>(shape = [4,6]);' '    y = f(x);' '}' \
        >decides.nnef
    run 4 convert decides.nnef out.onnx --dynamic x:0=n
    err_has "^decides\\.nnef:6:[0-9]+: error\\[N0230\\]: .*$2"
    err_has "in fragment 'f', expanded here"
    run 0 convert decides.nnef out.onnx --dynamic x:1=n -Wno-deprecated
    silent
}

decides 'y = relu(x) if shape_of(x)[0] < 500 else x;' 'it is compared, divided or converted here'
decides 'y = x * scalar((shape_of(x)[0] + 1000) / 1000);' 'it is compared, divided or converted here'
decides 'y = x * scalar(integer(scalar(shape_of(x)[0]) * 0.001));' \
    'it is compared, divided or converted here'
decides 'y = x + 1.0 if string(shape_of(x)[0]) == "4" else x;' \
    'it is compared, divided or converted here'
decides "y = add_n([x] * shape_of(x)[0]);" 'it is compared, divided or converted here'
decides "y = concat([x] * shape_of(x)[0], axis = 0);" 'what is computed here depends on it'

# --- steps ----------------------------------------------------------------------------------

model half 'x = external<scalar>(shape = [1,1,8,8]);' \
    'a = max_pool(x, size = [1,1,2,2], stride = [1,1,2,2], padding = [(0,0),(0,0),(0,0),(0,0)]);' \
    'b = nearest_upsample(a, factor = [2,2]);' 'y = concat([x, b], axis = 1);'
run 0 convert half out.onnx --dynamic x:2=rows
err_has "^half/graph\\.nnef:7:[0-9]+: warning\\[N0230\\]: axis 2 of 'x' can be 8 and more in steps of 2: with extent 9, "
run 0 convert half out.onnx --dynamic x:2=rows -Wno-dynamic-steps
silent
rm out.onnx
run 4 convert half out.onnx --dynamic x:2=rows -Werror
absent out.onnx
# A largest extent, as a table of positions has one.
printf '%s\n' 'version 1.0;' 'extension KHR_enable_fragment_definitions;' \
    'extension KHR_enable_operator_expressions;' \
    'fragment f( x: tensor<scalar>, t: tensor<scalar> ) -> ( y: tensor<scalar> )' \
    '{' '    y = x + slice(t, axes = [0], begin = [0], end = [shape_of(x)[0]]);' '}' \
    'graph net( x, t ) -> ( y )' '{' '    x = external<scalar>(shape = [4,6]);' \
    '    t = external<scalar>(shape = [300,6]);' '    y = f(x, t);' '}' >positions.nnef
run 0 convert positions.nnef out.onnx --dynamic x:0=n -Wno-deprecated
err_has "axis 0 of 'x' can be 255, but not 1025: "
run 0 info out.onnx --dim n=300
out_has '^ *y scalar\[300,6\]'

# --- models of ONNX -------------------------------------------------------------------------

run 0 convert "$digits" open.onnx --dynamic=image:0=batch
run 0 convert open.onnx out.onnx --opset=19
silent
run 0 info out.onnx
out_has '^opset ai.onnx 19$'
out_has '^open image:0 batch$'
out_has '^    image FLOAT\[batch,1,8,8\]$'
for batch in 1 5; do
    run 0 run open.onnx --shape=image=$batch,1,8,8 --random=3 -o expected.npy
    run 0 run out.onnx --shape=image=$batch,1,8,8 --random=3 --expect expected.npy
done
cp out.onnx first.onnx
run 0 convert open.onnx out.onnx --opset=19 --force
meets 'the same bytes twice, of ONNX' cmp -s out.onnx first.onnx
run 0 convert open.onnx out.onnx --dim batch=2 --force
run 0 info out.onnx
out_lacks '^open'
run 0 convert out.onnx third.onnx --dynamic=image:0=n
run 0 info third.onnx
out_has '^open image:0 n$'
run 4 convert out.onnx fourth.onnx --dynamic=image:2=rows
err_has "error\[N0230\]: .*axis 2 of 'image'"
absent fourth.onnx
run 1 convert open.onnx fourth.onnx --passes=default
err_has 'error\[N0226\]'
absent fourth.onnx

# Fixtures: extents without names, and a node that cuts.
"${ONNX_MODELS:-$top/build/release/tests/onnx_models}" . || exit 1
run 4 convert open_twins.onnx out.onnx --opset=19
err_has "axis 0 of 'a' cannot be left open: with extent 3, node 0 'sum' \\(Add\\)"
err_has "help: extents that have to be equal take one name, as in --dynamic='a:0=n'"
run 0 convert open_twins.onnx out.onnx --dynamic=a:0=n --dynamic=b:0=n --force
silent
run 0 info out.onnx
out_has '^    a FLOAT\[n,3\]$'
out_has '^    y FLOAT\[n,3\]$'
run 0 convert open_twins.onnx out.onnx --shape=b=1,3 --force
run 0 info out.onnx
out_has '^    a FLOAT\[a_0,3\]$'
rm out.onnx
# Small extents are tried, too: from 32 on the slice takes as many rows.
run 4 convert open_short.onnx out.onnx --opset=19
err_has "axis 0 of 'x' cannot be left open"
absent out.onnx

# --- models that keep their operators -------------------------------------------------------

for name in open_twins open_short open_cut; do
    run 0 convert $name.onnx out.onnx --force
    silent
    run 0 info $name.onnx
    grep -v '^sha1' out >expected
    run 0 info out.onnx
    grep -v '^sha1' out >found
    meets "$name is described alike" cmp -s expected found
done
run 1 convert open_cut.onnx no.onnx --opset=19
err_has "the model is no single graph, and cannot be written in opset 19: .*node 0 'find' \\(NonZero\\)"
err_has 'help: without --opset its operators are kept as they are'
absent no.onnx

# x, and how many items z has.
printf 'version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external<scalar>(shape = [4,3]);\n    y = max(x, 0.5);\n}\n' >some.nnef
run 0 run some.nnef --random -o x.npy
{
    printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }"
    printf '\005\000\000\000\000\000\000\000'
} >k.npy

# Data that have a file of their own come into the copy; results are those of the model.
run 0 run open_kept.onnx -i x=x.npy -i k=k.npy -o kept/
run 0 convert open_kept.onnx apart.onnx --external-data
exists apart.onnx.data
run 0 convert apart.onnx out.onnx --force
rm apart.onnx apart.onnx.data
run 0 run out.onnx -i x=x.npy -i k=k.npy --expect kept/
run 0 convert open_kept.onnx out.onnx --bind k=k.npy --shape x=4,3 --force
run 0 info out.onnx
out_lacks '^open x:'
out_lacks '^    k '
out_has '^    x .*4,3'
run 0 run out.onnx -i x=x.npy --expect kept/
run 1 convert out.onnx no.onnx --dynamic=x:0=rows
err_has "cannot be written with other extents open: node 0 'find' \\(NonZero\\)"
err_has 'help: without --dynamic its operators are kept as they are'
absent no.onnx
run 1 convert open_kept.onnx made/
err_has 'error\[N0226\]'
finish
