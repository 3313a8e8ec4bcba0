#!/bin/sh
# inspect.sh - info, list and verify: formats, costs worked out by hand, what is broken
. "$(dirname "$0")/lib.sh"

fixtures=${ONNX_MODELS:-$top/build/release/tests/onnx_models}
mkdir t
said='(fixtures)'
"$fixtures" t 2>err
meets 'the fixtures are made' [ -s t/resnet_block.onnx ]

# --- what costs are, by hand ------------------------------------------------------------------

# macs COUNT RESULT PARAMETER-SHAPE STATEMENT... - that many multiply-adds
macs()
{
    wanted=$1 shape=$2
    shift 2
    model costs "x = external<scalar>(shape = $shape);" "$@"
    run 0 info costs
    out_has "^macs $wanted( |\$)"
}
# each of 3 * 6 * 6 results reads 2 * 3 * 3 items, at the border as well
macs 1944 '[1,2,6,6]' 'f = variable<scalar>(shape = [3,2,3,3], label = "f");' \
    'y = conv(x, f, 0.5, padding = [(1,1),(1,1)]);'
# stride 2: 3 * 3 * 3 results of 2 * 3 * 3, for a batch of 4
macs 1944 '[4,2,7,7]' 'f = variable<scalar>(shape = [3,2,3,3], label = "f");' \
    'y = conv(x, f, 0.0, stride = [2,2], padding = [(0,0),(0,0)]);'
# one filter of 3 * 3 for each of 4 channels: 4 * 6 * 6 * 9
macs 1296 '[1,4,6,6]' 'f = variable<scalar>(shape = [4,1,3,3], label = "f");' \
    'y = conv(x, f, 0.0, groups = 0, padding = [(1,1),(1,1)]);'
# two groups of 2 channels: 4 * 6 * 6 results of 2 * 9
macs 2592 '[1,4,6,6]' 'f = variable<scalar>(shape = [4,2,3,3], label = "f");' \
    'y = conv(x, f, 0.0, groups = 2, padding = [(1,1),(1,1)]);'
# each of 2 * 5 * 5 items is spread by 3 * 2 * 2 of the filter
macs 600 '[1,2,5,5]' 'f = variable<scalar>(shape = [2,3,2,2], label = "f");' \
    'y = deconv(x, f, 0.0, stride = [2,2], padding = [(0,0),(0,0)]);'
macs 300 '[1,3,5,5]' 'f = variable<scalar>(shape = [3,1,2,2], label = "f");' \
    'y = deconv(x, f, 0.0, groups = 3, stride = [2,2], padding = [(0,0),(0,0)]);'
# 4 * 5 results of 6, for 3 matrices; likewise the other way round
macs 360 '[3,4,6]' 'w = variable<scalar>(shape = [3,6,5], label = "w");' 'y = matmul(x, w);'
macs 360 '[3,4,6]' 'w = variable<scalar>(shape = [1,5,6], label = "w");' \
    'y = matmul(x, w, transposeB = true);'
# 7 * 8 results of 9; a bias adds none
macs 504 '[7,9]' 'w = variable<scalar>(shape = [8,9], label = "w");' \
    'b = variable<scalar>(shape = [1,8], label = "b");' 'y = linear(x, w, b);'
run 0 info costs --expand=all
out_has '^macs 504$'
out_has '^    matmul 1$'
macs 0 '[1,2,6,6]' 'y = relu(box(x, size = [1,1,3,3], padding = [(0,0),(0,0),(1,1),(1,1)]));'
# separable: 2 * 6 * 6 results of 9, then 5 * 6 * 6 of 2
macs 1008 '[1,2,6,6]' 'p = variable<scalar>(shape = [2,1,3,3], label = "p");' \
    'q = variable<scalar>(shape = [5,2,1,1], label = "q");' \
    'y = separable_conv(x, p, q, 0.0, padding = [(1,1),(1,1)]);'
# 3 queries of 2 items to 4 keys, whose values have 5; by its body likewise
cat >attention.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment attention(query: tensor<scalar>, key: tensor<scalar>, value: tensor<scalar>,
                   axis: integer = 3, scale: scalar = 1.0) -> (output: tensor<scalar>);
graph net(q, k, v) -> (y)
{
    q = external<scalar>(shape = [3,2]);
    k = external<scalar>(shape = [4,2]);
    v = external<scalar>(shape = [4,5]);
    y = attention(q, k, v, axis = 1);
}
END
for option in --quiet --expand=all; do
    run 0 info attention.nnef $option
    out_has '^macs 84$'
done

# What is stored: variables, and constants as far as they are written; a literal is none.
model stored 'x = external<scalar>(shape = [1,3]);' \
    'v = variable<scalar>(shape = [1,3], label = "v");' \
    'c = constant<scalar>(shape = [1,3], value = [1.0,2.0,3.0]);' \
    'd = constant<scalar>(shape = [1,3], value = [1.0]);' \
    'y = add(mul(add(x, v), c), mul(d, 2.0));'
run 0 info stored
out_has '^parameters 3$'
out_has '^parameter_items 7$'
out_has '^parameter_bytes 28$'

# a and b of 24 bytes each live while c is made, so there are three; d takes the place of a and b
model peak 'x = external<scalar>(shape = [2,3]);' 'a = relu(x);' 'b = neg(x);' 'c = add(a, b);' \
    'y = exp(c);'
run 0 info peak
out_has '^peak_bytes 72$'

# --- info --------------------------------------------------------------------------------------

# Weights need not be there.
run 0 info costs
quiet_err
out_has '^format nnef$'
out_has '^version 1.0$'
out_has '^graph net$'
out_has '^inputs 1$'
out_has '^    x scalar\[1,2,6,6\]$'
out_has '^outputs 1$'
out_has '^    y scalar\[1,5,6,6\]$'
out_has '^operations 2$'
cat >extended.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
fragment twice(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x + x; }
graph net(a, b) -> (y, z)
{
    a = external<scalar>(shape = [2]);
    b = external<integer>(shape = []);
    y = twice(relu(a) - 1.0);
    z = twice(a);
}
END
run 0 info extended.nnef
out_has '^extension KHR_enable_fragment_definitions$'
out_has '^extension KHR_enable_operator_expressions$'
out_has '^    b integer\[\]$'
meets 'most operations first, then by name' \
    [ "$(sed -n '/^operations/,/^param/p' out | tr -d '\n')" = \
    'operations 4    add 2    relu 1    sub 1parameters 0' ]
printf 'version 1.0\ngraph g( x ) -> ( y )\n{\n x = external(shape = [0,4])\n y = matmul(x, x, trB = true)\n}\n' \
    >open.nnef
run 0 info open.nnef
out_has '^version 1.0 provisional$'
out_has '^    x scalar\[\?,4\]$'
out_has '^macs unknown$'
out_has '^peak_bytes unknown$'
run 0 info open.nnef --shape=x=3,4
out_has '^macs 36$'
run 3 info t
run 1 info t/two_producers.onnx
echo 'graph' >broken.nnef
run 1 info broken.nnef
quiet_out
input=extended.nnef
run 0 info -
out_has '^operations 4$'
input=/dev/null

# A model that leaves extents open has no graph before it is fed: what is open is told.
run 0 info t/open_extents.onnx
out_has '^open x:0 batch$'
out_has '^opset ai.onnx 17$'
out_has '^    x FLOAT\[batch,3\]$'
out_has '^    z FLOAT\[\?,3\]$'
out_has '^nodes 1$'
out_has '^    Relu 1$'
out_lacks '^operations'
run 0 info t/open_extents.onnx --dim=batch=4 --shape=z=2,3
out_has '^    x scalar\[4,3\]$'
out_has '^operations 1$'

# So is one that has what NNEF lacks.
run 4 info t/other_domain.onnx
out_has '^nodes 2$'
out_has '^    com.example.Frobnicate 1$'

# --- JSON --------------------------------------------------------------------------------------

# keys FILE - the keys of an object, in their order
keys() { sed -n 's/^  "\([a-zA-Z]*\)":.*/\1/p' "$1" | tr '\n' ' '; }

run 0 info costs --json
meets 'the keys of a model of NNEF' [ "$(keys out)" = \
    'format version dialect extensions graph inputs outputs operations operators parameters macs peakBytes ' ]
out_has '"macs": 1008'
run 0 info t/resnet_block.onnx --json
cp out first
meets 'the keys of a model of ONNX' [ "$(keys out)" = \
    'format irVersion producer producerVersion opsets nodes graph inputs outputs operations operators parameters macs peakBytes ' ]
out_has '"irVersion": 8'
out_has '"producer": "onnx_models"'
run 0 info t/resnet_block.onnx --json
same out first
run 0 info open.nnef --json
out_has '^ +null,$'
out_has '"macs": null'
run 0 info t/open_extents.onnx --json
out_has '"name": "batch"'
out_has '"declared": "FLOAT\[batch,3\]"'
run 1 info broken.nnef --json
quiet_out

# --- list --------------------------------------------------------------------------------------

run 0 list extended.nnef
cp out all
cut -d' ' -f1,2 all >out
out_has '^relu %[0-9]+$'
out_has '^add y$'
cp all out
out_has '^sub %[0-9]+ scalar\[2\] \(%[0-9]+, 1\.0\)$'
out_has '^add z scalar\[2\] \(a, a\)$'
model parts 'x = external<scalar>(shape = [2,6]);' '[a, b] = split(x, axis = 1, ratios = [1,2]);' \
    'y = concat([b, a, b], axis = 1);'
run 0 list parts
out_has '^split a scalar\[2,2\] b scalar\[2,4\] \(x\)$'
out_has '^concat y scalar\[2,10\] \(\[b, a, b\]\)$'
run 0 list t/resnet_block.onnx
out_has "^conv c1 scalar\[1,4,8,8\] \(x, w1, 0\.0\) from node 0 'c1' \(Conv\) at byte [0-9]+$"
out_has '^relu r1 .* from node 2 \(Relu\) at byte [0-9]+$'
meets 'operations stand in their order' [ "$(cut -d' ' -f2 out | tr '\n' ' ')" = \
    'c1 n1 r1 c2 n2 s r2 p f y ' ]
run 0 list t/called_twice.onnx
out_has "from node 1 'two' \(Twice\) at byte [0-9]+, node 0 'inner' \(Relu\) at byte [0-9]+$"
meets 'names are those of one tensor each' \
    [ "$(cut -d' ' -f2 out | sort -u | wc -l)" -eq "$(wc -l <out)" ]
run 0 list t/blanks.onnx
out_has '^relu a_b scalar\[2,3\] \(x\) from'
run 0 list t/blanks.onnx --json
out_has '"name":"a b"'
run 1 list t/cycle.onnx
quiet_out
run 0 list parts --json
meets 'a result is told with its shape' grep -q '{"name":"b","shape":\[2,4\]}' out
meets 'an operand is told with its producer' grep -q '{"name":"a","producer":0,"array":1}' out
meets 'and with its kind' grep -q '{"name":"x","shape":[^}]*"kind":"external"}' out
meets 'attributes have their types' grep -q '"attributes":{"axis":1,"ratios":\[1,2\]}' out
meets 'an operation is told with its line' grep -q '"line":5,"column":' out
run 0 list t/resnet_block.onnx --json
meets 'attributes of all kinds' grep -q \
    '"attributes":{"border":"constant","padding":\[\[1,1\],\[1,1\]\],"stride":' out
meets 'numbers are numbers' grep -q '"epsilon":0.001' out
run 0 list t/opset7.onnx --json
out_has "\"node\":\"node 0 'rectify' \(Relu\) at byte [0-9]+\""
out_lacks '"line"'

# --- verify ------------------------------------------------------------------------------------

run 0 verify "$digits"
meets 'a model is ok' [ "$(cat out)" = "$digits: ok" ]
quiet_err
run 0 verify -q "$digits"
silent
# Data are read, unless they are not to be.
run 3 verify stored
quiet_out
err_has 'v\.dat'
run 0 verify --no-data stored
out_has '^stored: ok$'
run 0 init stored
run 0 verify stored
mkdir other
mv stored/v.dat other
run 3 verify stored
run 0 verify stored --data other
run 0 verify t/ir3.onnx t/resnet_block.onnx extended.nnef
meets 'one line a model' [ "$(wc -l <out)" -eq 3 ]
# The others are told about all the same, and the worst counts.
run 1 verify t/ir3.onnx t/cycle.onnx extended.nnef
out_has '^t/ir3.onnx: ok$'
out_lacks 'cycle'
out_has '^extended.nnef: ok$'
run 3 verify t/cycle.onnx none.onnx
run 2 verify
err_has "needs a model"

# refuses NAME TEXT - a fixture that is refused with one report of that text
refuses()
{
    run 1 verify "t/$1.onnx" --message-format=short
    quiet_out
    one_error
    err_has "^t/$1.onnx: error\\[N0[0-9]*\\]: $2"
}
node='node [0-9]+ .[a-z]*. \([A-Za-z]*\) at byte [0-9]+'
refuses cycle "node 0 'first' \\(Add\\) at byte [0-9]+: is in a cycle of 2 nodes: it reads 'b' of node 1 'second' \\(Relu\\), which"
refuses own_input "$node: reads 'a', which it makes itself: a cycle"
refuses nothing_made "$node: reads 'ghost', which is neither"
refuses output_missing "output 'ghost' is not made"
refuses input_produced "$node: makes 'x', which is there already"
refuses weight_produced "$node: makes 'w', which is there already"
refuses parts_two_producers "$node: makes 'y', which is there already"
run 1 run t/parts_two_producers.onnx --random
one_error
err_has "$node: makes 'y', which is there already"
refuses raw_size "byte [0-9]+, graph.initializer\\[0\\]: tensor 'w': 'raw_data' .* length 10, expected 12"
refuses raw_size_in_node "byte [0-9]+, graph.node\\[1\\].attribute\\[0\\].t: 'raw_data' .* length 10, expected 12"
refuses external_short "tensor 'w': its data are 128 bytes from 192 on in 'external.bin', which has 256"
refuses external_length "tensor 'w' has 64 bytes of data, expected 128"
refuses external_absolute "tensor 'w': .*'/etc/hostname', which is not below the folder"
refuses no_opset "$node: the model does not import the operators of 'ai.onnx'"
refuses old_opset "$node: the model does not import the operators of 'ai.onnx'"
refuses calls_itself "\\.\\.\\., $node.*: functions and graphs are nested more than 64 deep"
refuses nested_deeply "byte [0-9]+, graph.node\\[1\\].attribute\\[0\\].g.*: messages are nested deeper than 64 levels"
run 0 verify t/nested.onnx t/called_twice.onnx t/unordered.onnx
# unsupported NAME TEXT - the same for what is valid, but not known here
unsupported()
{
    run 4 verify "t/$1.onnx" --message-format=short
    one_error
    err_has "^t/$1.onnx: error\\[N0231\\]: $2"
}
unsupported new_opset "$node: version 99 of the operators of 'ai.onnx' is not known, expected up to [0-9]+"
unsupported other_domain "$node: operator 'Frobnicate' of domain 'com.example' is not supported"
unsupported domain_not_imported "$node: operator 'Relu' of domain 'com.example' is not supported"
run 3 verify t/external_missing.onnx
err_has 'nowhere.bin'
err_has "data of tensor 'w' of 't/external_missing.onnx'"
# every beginning of a model
size=$(wc -c <t/resnet_block.onnx)
for i in 0 1 2 3 10 100 300 $((size / 2)) $((size - 1)); do
    head -c "$i" t/resnet_block.onnx >cut.onnx
    run 1 verify cut.onnx
    quiet_out
done

# --- --from ------------------------------------------------------------------------------------

run 0 info --from=nnef extended.nnef
run 0 info --from=onnx t/ir3.onnx
run 1 info --from=nnef t/ir3.onnx
err_has 'not an NNEF text'
run 1 info --from=onnx extended.nnef
err_has 'extended.nnef: error\[N022'
for verb in check run init pack convert compare info list verify; do
    run 2 $verb --from=nxp a b
    err_has "'nxp' is no value for --from=.*, expected nnef\|onnx"
done
input=t/ir3.onnx
run 0 info --from=onnx -
input=/dev/null
finish
