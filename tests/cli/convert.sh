#!/bin/sh
# convert.sh - nnefc convert: files beside the model, quantization, state, and what is refused
#
# What the models compute, tests/onnxruntime asks of ONNX Runtime.
. "$(dirname "$0")/lib.sh"

has() { meets "$1 has '$2'" grep -aqF -- "$2" "$1"; }
lacks() { meets "$1 lacks '$2'" not grep -aqF -- "$2" "$1"; }
size() { wc -c <"$1"; }
smaller() { meets "$1 has less than $2 bytes" [ "$(size "$1")" -lt "$2" ]; }

# --- what is written where ------------------------------------------------------------------

run 0 convert "$digits" digits.onnx
silent
run 0 convert "$digits" - --opset=13
cp out other.onnx
meets 'the opset makes a difference' not cmp -s digits.onnx other.onnx
run 0 convert "$digits" again.onnx --opset 17
same digits.onnx again.onnx
run 2 convert "$digits" digits.pb
err_has "the name 'digits\.pb' decides no format"
run 2 convert "$digits"
err_has 'needs OUT'
run 3 convert "$digits" nowhere/digits.onnx
mkdir folder.onnx
run 3 convert "$digits" folder.onnx
run 2 convert "$digits" digits.onnx --opset=12
err_has "'12' is no value for --opset=N, expected a whole number from 13 to 28"
run 2 convert "$digits" digits.onnx --opset=29
run 2 convert "$digits" digits.onnx --opset=new

# A variable is one initializer, however many identifiers its label has.
model twice 'x = external<scalar>(shape = [1,500]);' \
    "a = variable<scalar>(shape = [1,500], label = 'w');" \
    "b = variable<scalar>(shape = [1,500], label = 'W');" 'c = add(x, a);' 'y = mul(c, b);'
run 0 init twice
run 0 convert twice twice.onnx
smaller twice.onnx 3000

# A bias is left out only if all of it is 0.
model biased 'x = external<scalar>(shape = [1,2]);' \
    'f = constant<scalar>(shape = [3,2], value = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);' \
    'a = constant<scalar>(shape = [1,3], value = [5.0, 0.0, 0.0]);' \
    'b = constant<scalar>(shape = [1,3], value = [0.0, 0.0, -5.0]);' \
    'u = linear(x, f, a);' 'v = linear(x, f, b);' 'y = concat([u, v], axis = 1);'
run 0 convert biased biased.onnx --raw
run 0 compare biased biased.onnx --random

# A bias of more dimensions than the product; bounds so far from the zero that floats round it.
for document in fuse-bias/left-widened move-quantized/wide; do
    mkdir as_onnx
    cp "$top/tests/passes/$document.nnef" as_onnx/graph.nnef
    run 0 convert as_onnx as_onnx.onnx --force
    run 0 compare as_onnx as_onnx.onnx --random
    rm -r as_onnx
done

# --- weights in a file of their own ----------------------------------------------------------

run 0 convert "$digits" apart.onnx --external-data
silent
exists apart.onnx.data
has apart.onnx apart.onnx.data
smaller apart.onnx 8000
meets 'the weights are there' [ "$(size apart.onnx.data)" -gt 100000 ]
mkdir deep
run 0 convert "$digits" deep/apart.onnx --external-data
same apart.onnx deep/apart.onnx
same apart.onnx.data deep/apart.onnx.data
run 2 convert "$digits" - --external-data
err_has "--external-data puts a file beside the model, but '-' is no file"
run 2 convert "$digits" /dev/null --external-data
run 2 convert "$digits" apart.onnx --external-data=yes
err_has '--external-data takes no value'

# Neither file is touched if one of them cannot be written.
mkdir taken taken/net.onnx.data
run 3 convert "$digits" taken/net.onnx --external-data
err_has 'taken/net.onnx.data: error\[N0181\]: cannot write: Is a directory'
absent taken/net.onnx
mkdir full
if mkdir full/net.onnx.data.d && ln -s /dev/full full/net.onnx.data 2>/dev/null && [ -w /dev/full ]; then
    run 3 convert "$digits" full/net.onnx --external-data
    err_has 'No space left'
    absent full/net.onnx
fi

# --- quantization ----------------------------------------------------------------------------

model net 'x = external<scalar>(shape = [1,3]);' "w = variable<scalar>(shape = [1,3], label = 'w');" \
    'y = add(x, w);'
run 0 init net
echo '"w": linear_quantize(min = 0.0, max = 2.55, bits = 8);
"y": zero_point_linear_quantize(zero_point = 3, scale = 0.1, bits = 8, signed = true, symmetric = true);' \
    >net/graph.quant
run 0 convert net plain.onnx
has plain.onnx nnef.quant.y
has plain.onnx 'zero_point_linear_quantize(zero_point = 3, scale = 0.1,'
lacks plain.onnx QuantizeLinear
run 0 convert net keep.onnx --quant=keep
same plain.onnx keep.onnx
run 0 convert net apply.onnx --quant=apply
lacks apply.onnx nnef.quant
lacks apply.onnx QuantizeLinear
has apply.onnx Floor
run 0 convert net qdq.onnx --quant=qdq
lacks qdq.onnx nnef.quant
has qdq.onnx DequantizeLinear
has qdq.onnx graph.quant:2
lacks qdq.onnx Floor
run 2 convert net net.onnx --quant=off
err_has "'off' is no value for --quant=keep\|qdq\|qoperator\|apply"

# Integers that a file holds are those of the model: "QNT" of three items.
mkdir stored
cp net/graph.nnef stored/
{
    printf 'N\357\001\000\003\000\000\000\002\000\000\000\001\000\000\000\003\000\000\000'
    head -c 24 /dev/zero
    printf '\010\000\000\000\002\000\000\000'
    head -c 76 /dev/zero
    printf QNT
} >stored/w.dat
echo '"w": zero_point_linear_quantize(zero_point = 100, scale = 0.3, bits = 8, signed = false, symmetric = false);' \
    >stored/graph.quant
run 0 convert stored stored.onnx --quant=qdq
has stored.onnx QNT
run 0 convert stored stored.onnx
lacks stored.onnx QNT

# They become floats in a model whose operations say what the entries did.
"$NNEFC" run stored --random=1 --quant=apply -o expected.npz -q
run 0 convert stored applied/ --quant=apply
absent applied/graph.quant
run 0 run applied --random=1 --expect expected.npz -q
run 0 convert stored again/
same stored/w.dat again/w.dat

# Whatever is no such pair is refused, all of it at once.
echo '"x": linear_quantize(min = -1.0, max = 1.0, bits = 8);
"w": logarithmic_quantize(max = 1.0, bits = 8);' >other.quant
run 4 convert net none.onnx --quant=qdq --quant-file=other.quant
err_has "other.quant:1:6: error\[N0230\]: 'linear_quantize' cannot be QuantizeLinear: zero .* step 127.5"
err_has "other.quant:2:6: error\[N0230\]: 'logarithmic_quantize' .* powers of two"
err_has 'help: --quant=apply'
absent none.onnx
run 0 convert net none.onnx --quant=apply --quant-file=other.quant
echo '"y": linear_quantize(min = 0.0, max = 1.0, bits = 16);' >wide.quant
run 0 convert net wide.onnx --quant=qdq --quant-file=wide.quant
lacks wide.onnx QuantizeLinear
has wide.onnx Round
run 0 convert net wide.onnx --quant=qdq --quant-file=wide.quant --opset=21
has wide.onnx QuantizeLinear

# Operations of the text are quantized the same way.
model text 'x = external<scalar>(shape = [1,3]);' 'm = max_reduce(x, axes = [1]);' \
    'y = linear_quantize(x, 0.0, m, bits = 8);'
run 0 convert text text.onnx
has text.onnx Floor
run 4 convert text text.onnx --quant=qdq
err_has 'its range is computed, expected constants'

# --- state -----------------------------------------------------------------------------------

model sum 'x = external<scalar>(shape = [1,3]);' \
    "h = variable<scalar>(shape = [1,3], label = 'deep/state');" 'y = add(x, h);' 'n = update(h, y);'
run 0 init sum
run 0 convert sum sum.onnx
silent
has sum.onnx nnef.state.deep/state
has sum.onnx h,deep/state_out
model same 'x = external<scalar>(shape = [1,3]);' 'y = copy(x);'
run 0 run same -i sum.onnx.state.npz:h -o first.dat
same first.dat sum/deep/state.dat
run 3 convert sum -
err_has 'cannot write what the state is at first .*expected a regular file'
err_has 'help: .*--state=default'
quiet_out
run 0 convert sum default.onnx --state=default
absent default.onnx.state.npz
run 0 convert sum - --state=default
same out default.onnx
run 0 convert sum inputs.onnx --state=inputs
same sum.onnx inputs.onnx
run 2 convert sum sum.onnx --state=none
err_has "'none' is no value for --state=inputs\|default"
run 0 convert "$digits" digits.onnx --state=default
same digits.onnx again.onnx

# --- names and streams -------------------------------------------------------------------------

# Initializers keep their names, whatever their sizes and whatever shapes the operations of NNEF want.
run 0 convert --raw digits.onnx once.onnx
run 0 convert --raw once.onnx twice.onnx
run 0 diff digits.onnx twice.onnx
for name in filter1 bias1 bias2 bias3 bias4; do
    has twice.onnx "$name"
done
meets 'no name has a shape added' not grep -aq 'bias[1-4]/' twice.onnx

said='convert - -'
"$NNEFC" convert - - --raw <digits.onnx >out 2>err
silent_err=$(cat err)
meets 'standard input and output are different things' [ -z "$silent_err" ]
same out once.onnx

# Integers that several operations read are one initializer.
for document in find-block-products/products find-quantized-layers/left; do
    mkdir shared
    cp "$top/tests/passes/$document.nnef" shared/graph.nnef
    "$NNEFC" init shared -q 2>err
    run 0 convert shared shared.onnx --force
    run 0 check shared.onnx
    rm -r shared
done
finish
