#!/bin/sh
# passes.sh - what passes make of models, and what they say
. "$(dirname "$0")/lib.sh"

# lines FILE COUNT PATTERN - so many lines of the file match
lines() { meets "$2 lines of $1 match '$3'" [ "$(grep -Ec -- "$3" "$1")" -eq "$2" ]; }

# alike MODEL PASSES - written by these passes, checked after each, it computes the same
alike()
{
    rm -rf got/
    run 0 convert "$1" got/ --passes="$2" --verify-passes -v
    run 0 compare "$1" got/ --random
}

# --- fold-constants: what cannot be computed ------------------------------------------------------

model fault 'x = external<scalar>(shape = [1]);' \
    'a = constant<scalar>(shape = [3], value = [1.0, 2.0, 3.0]);' \
    'i = constant<integer>(shape = [1], value = [3]);' \
    'y = add(x, gather(a, i, axis = 0));'
run 0 convert fault fault-folded/ -v
err_has "^fold-constants: 'gather' of .* was left: index of 'gather' is 3, expected 0 or more"
run 1 run fault-folded --random

model grows 'x = external<scalar>(shape = [1]);' \
    'a = constant<scalar>(shape = [3], value = [1.0, 2.0, 3.0]);' \
    'y = add(x, sum_reduce(tile(a, repeats = [40000]), axes = [0]));'
run 0 convert grows grows-left/ -v
err_has "^fold-constants: 'tile' of .* was left: its result is larger than the constants that would go"
run 0 convert grows grows-folded/ -v --fold-limit=120000
out_lacks .
lines grows-folded/graph.nnef 0 'tile|sum_reduce'
run 0 compare grows-left grows-folded --random

# All items are the same: no file is needed for 40000 of them.
model same 'x = external<scalar>(shape = [40000]);' \
    'y = add(x, tile(constant<scalar>(shape = [1], value = [0.5]), repeats = [40000]));'
run 0 convert same same-folded/
lines same-folded/graph.nnef 1 'constant<scalar>\(shape = \[40000\], value = \[0.5\]\)'
absent same-folded/constant.dat

# What was computed on the way gives its memory back.
swaps=$(i=0; while [ $i -lt 20 ]; do printf '%s' 'transpose('; i=$((i + 1)); done)
ends=$(i=0; while [ $i -lt 20 ]; do printf '%s' ', axes = [1,0])'; i=$((i + 1)); done)
model chain 'x = external<scalar>(shape = [1000,1000]);' \
    'w = variable<scalar>(shape = [1000,1000], label = "w");' "y = add(x, ${swaps}w$ends);"
run 0 init chain
run 0 convert chain chain-folded/ --passes=fold-constants -v --max-memory=170M
err_has '^transpose +20 +0$'

# --- merge-equal: shapes that only a client knows -------------------------------------------------

printf '%s\n' 'version 1.0; extension KHR_enable_fragment_definitions;' \
    'fragment special(x: tensor<scalar>) -> (y: tensor<scalar>);' 'graph net(x) -> (a, b) {' \
    'x = external<scalar>(shape = [2]);' 'c = special(x);' 'a = exp(c);' 'b = exp(c);' '}' >special.nnef
run 0 convert special.nnef special/ --passes=merge-equal -v
err_has '^exp +2 +2$'

# --- names that a quantization file says something about --------------------------------------------

model quantized 'x = external<scalar>(shape = [2]);' 'a = copy(x);' 'b = neg(a);' 'c = neg(a);' \
    'd = add(1.0, 2.0);' 'y = add(add(b, c), d);'
printf '%s\n' '"a": linear_quantize(min = 0.0, max = 1.0, bits = 8);' \
    '"c": linear_quantize(min = 0.0, max = 1.0, bits = 8);' \
    '"d": linear_quantize(min = 0.0, max = 4.0, bits = 8);' >quantized/graph.quant
run 0 convert quantized kept/ -v
err_has "^remove-identities: 'copy' of 'a' was left: the quantization file names"
err_has "^fold-constants: 'add' of 'd' was left: the quantization file names"
err_has "^merge-equal: 'neg' of 'c' was left: it computes the same as 'b', but the quantization file"
lines kept/graph.nnef 3 '^ *[acd] = '

# --- split-shared and merge-constants ----------------------------------------------------------------

model twice 'x = external<scalar>(shape = [1,20]);' \
    'w = variable<scalar>(shape = [20,20], label = "w");' \
    'k = constant<scalar>(shape = [1,20], value = [2.0]);' \
    'y = mul(add(matmul(relu(matmul(x, w)), w), k), k);'
run 0 init twice
alike twice split-shared
lines got/graph.nnef 2 'variable<scalar>'
lines got/graph.nnef 2 'constant<scalar>'
lines got/graph.nnef 1 "^ *w = variable.*label = 'w'"
same got/w.dat got/w_2.dat
cp -r got split
run 0 compare twice split --random --atol=0 --rtol=0
run 0 convert split merged/ --passes=merge-constants
lines merged/graph.nnef 1 'variable<scalar>'
lines merged/graph.nnef 1 'constant<scalar>'
absent merged/w_2.dat
alike twice all
err_lacks 'passes still changed'
lines got/graph.nnef 2 'variable<scalar>'

# --- models of ONNX ---------------------------------------------------------------------------------

if ! /usr/bin/python3 -c 'import onnx' 2>/dev/null; then
    echo 'skipped: models of ONNX are made with its Python package (python3-onnx)'
    skipped=$((skipped + 1))
    finish
    exit
fi
mkdir onnx
meets 'models are made' /usr/bin/python3 "$top/tests/cli/passes.py" onnx

# interface MODEL FILE - inputs and outputs as 'nnefc info' has them
interface()
{
    run 0 info "$1"
    sed -n '/^inputs/,/^\(operations\|nodes\)/p' out | grep -Ev '^(operations|nodes)' >"$2"
    meets "$1 has an interface" [ -s "$2" ]
}

# same_interface MODEL - what is written has the inputs and outputs of the model
same_interface()
{
    interface "$1" before
    rm -rf got/
    run 0 convert "$1" got/ --verify-passes
    interface got after
    same before after
    run 0 compare "$1" got --random --atol=0 --rtol=0
    run 0 convert "$1" got.onnx
    interface got.onnx after
    same before after
    run 0 compare "$1" got.onnx --random --atol=0 --rtol=0
}

# A17: all forms of Constant become constants, one that is an output stays that
same_interface onnx/const_forms.onnx
out_has '^A and B agree: 2 of 2 results'
lines got/graph.nnef 0 '= (cast|copy)'
run 0 compare onnx/sparse.onnx onnx/dense.onnx --random --atol=0
run 1 check onnx/sparse_outside.onnx
err_has "sparse tensor 'w': index 1 lies outside of shape \[3,2\]"

# A24: a cast to the type that there is goes
same_interface onnx/cast_same.onnx
lines got/graph.nnef 0 '= cast'

# A28: Resize of opset 10 and Upsample take items as opset 11 says with 'asymmetric'
for mode in nearest linear; do
    for opset in 9 10; do
        run 0 compare "onnx/resize${opset}_$mode.onnx" "onnx/resize11_$mode.onnx" --random --atol=0
        run 0 convert "onnx/resize${opset}_$mode.onnx" "resized$opset$mode/"
        run 0 compare "onnx/resize11_$mode.onnx" "resized$opset$mode" --random --atol=0
    done
done

# A29: copies go, but for those that outputs need
same_interface onnx/identity_outputs.onnx
lines got/graph.nnef 2 ' = copy'
same_interface onnx/identity_only.onnx
lines got/graph.nnef 1 ' = copy'

# A30: what nothing needs goes, inputs stay unless told otherwise
same_interface onnx/unused_inputs.onnx
meets 'there are three inputs' grep -q '^inputs 3$' before
lines got/graph.nnef 0 'exp|neg'
run 0 convert onnx/unused_inputs.onnx pruned/ --prune-inputs
interface pruned after
meets 'one input is left' grep -q '^inputs 1$' after

# A31: each layer gets a weight of its own, the output keeps the first
same_interface onnx/shared.onnx
alike onnx/shared.onnx remove-identities,split-shared
lines got/graph.nnef 2 'variable<scalar>'
lines got/graph.nnef 1 "^ *weight = variable.*label = 'w'"

finish
