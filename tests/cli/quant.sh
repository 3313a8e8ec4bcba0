#!/bin/sh
# quant.sh - quantization files: the rules of tests/quant, where they are found, what they change
. "$(dirname "$0")/lib.sh"

# --- files with faults ----------------------------------------------------------------------

# A mark '#! CODE' expects that error on its line, '#? CODE' that warning; nothing else is said.
marks() { awk '{ while (match($0, /#[!?] N[0-9]+/)) {
    print FNR, substr($0, RSTART + 1, RLENGTH - 1)
    $0 = substr($0, RSTART + RLENGTH) } }' "$1"; }
reports() { sed -n 's/^[^:]*\.quant:\([0-9]*\):[0-9]*: error\[\(N[0-9]*\)\].*/\1 ! \2/p
    s/^[^:]*\.quant:\([0-9]*\):[0-9]*: warning\[\(N[0-9]*\)\].*/\1 ? \2/p' err; }

for file in "$top"/tests/quant/*.quant; do
    case $file in
    *provisional*) document=$top/tests/quant/provisional.nnef ;;
    *) document=$top/tests/quant/model.nnef ;;
    esac
    marks "$file" >expected
    status=0
    grep -q '!' expected && status=1
    run $status check "$document" --quant-file="$file" --message-format=short
    reports | sort -n >reported
    meets "${file##*/} is reported as marked" cmp -s expected reported
    meets "${file##*/} is named by every report" [ "$(wc -l <err)" -eq "$(wc -l <expected)" ]
done
run 1 check "$top/tests/quant/model.nnef" --quant-file="$top/tests/quant/R163-unknown-tensor.quant"
err_has "that is a label; the tensor is called 'filter1'"
err_has "did you mean 'conv1'"
run 3 check "$top/tests/quant/model.nnef" --quant-file=nowhere.quant
err_has 'nowhere.quant'

# --- beside the document --------------------------------------------------------------------

model net 'x = external<scalar>(shape = [1,3]);' "w = variable<scalar>(shape = [1,3], label = 'w');" \
    'y = add(x, w);'
echo '"z": linear_quantize(min = 0.0, max = 1.0, bits = 2);' >net/graph.quant
run 1 check net --message-format=short
err_has '^net/graph.quant:1:1: error\[N0210\]'
(cd net && "$NNEFC" check . --message-format=short 2>../err)
err_has '^\./graph.quant:1:1: error\[N0210\]'
run 1 init net
absent net/w.dat
echo '"y": linear_quantize(min = 0.0, max = [[0.0, 1.0, 4.0]], bits = 2);' >other.quant
echo '"x": linear_quantize(min = -1.0, max = 1.0, bits = 1);' >net/graph.quant
run 0 check net
silent
run 0 init net
run 0 run net --random -o off.dat
run 0 run net --random --quant=off -o plain.dat
same off.dat plain.dat
run 0 run net --random --quant=apply -o applied.dat
differ off.dat applied.dat
run 0 run net --random --quant=apply --quant-file=other.quant -o other.dat
differ applied.dat other.dat
run 0 run net --random --quant apply --expand=all -o expanded.dat
same applied.dat expanded.dat
run 2 run net --random --quant=on
err_has 'off\|apply'

# --- with integers --------------------------------------------------------------------------

model layers 'x = external<scalar>(shape = [1,2,3,3]);' \
    "w = variable<scalar>(shape = [2,2,3,3], label = 'w');" 'y = conv(x, w);'
echo '"x": linear_quantize(min = -1.0, max = 1.55, bits = 8);' >layers/graph.quant
run 0 init layers
run 0 run layers --random -o plain.dat
run 0 run layers --random --quant=off -o off.dat
same plain.dat off.dat
run 0 run layers --random -v
err_lacks 'integers:'
echo '"w": min_max_linear_quantize(min = -1.0, max = 1.0, bits = 8, signed = true, symmetric = true);' \
    >>layers/graph.quant
run 0 run layers --random -v -o auto.dat
err_has '^integers: 1 of 1 layers, 100.0% of MACs'
run 0 run layers --random --quant=integers -o integers.dat
same auto.dat integers.dat
differ auto.dat off.dat
run 0 check layers --dump=plan
out_has '^integers: 1 of 1 layers, 100.0% of MACs'
run 0 check layers --dump=plan --quant=off
out_lacks 'integers:'
run 0 bench layers --time=0.01
out_has '^integers: 1 of 1 layers'
run 0 compare layers layers --random --layers

# Winograd's algorithm gives the bytes of the reference; scales are powers of two, so that steps are exact.
# It is there for random weights, but not if sums may be 128 * 9 * 127 * 255, which is beyond 2^25.
model taps 'x = external<scalar>(shape = [1,64,40,40]);' \
    "w = variable<scalar>(shape = [64,64,3,3], label = 'w');" \
    'y = conv(x, w, padding = [(1,1),(2,2)], dilation = [1,2]);'
model most 'x = external<scalar>(shape = [1,128,42,42]);' \
    "w = variable<scalar>(shape = [64,128,3,3], label = 'w');" 'y = conv(x, w, padding = [(0,0),(0,0)]);'
model ones 'x = external<scalar>(shape = [64,128,3,3]);' 'y = copy(x);'
for net in taps most; do
    cat >$net/graph.quant <<END
"x": zero_point_linear_quantize(zero_point = 3, scale = 0.0078125, bits = 8, signed = false, symmetric = false);
"w": zero_point_linear_quantize(zero_point = 0, scale = 0.0078125, bits = 8, signed = true, symmetric = true);
"y": zero_point_linear_quantize(zero_point = 100, scale = 0.03125, bits = 8, signed = false, symmetric = false);
END
    case $net in
    taps) run 0 init taps ;;
    most) run 0 run ones --fill=1 -o most/w.dat ;;
    esac
    run 0 run $net --random --backend=reference -o reference.dat
    run 0 run $net --random --backend=portable --threads=2 --profile -o $net.dat
    cp err $net.steps
    same reference.dat $net.dat
done
meets "random weights are transformed" grep -q ' winograd F(4,3), pairs of bytes .*% \*$' taps.steps
meets "the largest ones are not" grep -q ' direct, .* of bytes ' most.steps
echo '"y": logarithmic_quantize(max = 4.0, bits = 4);' >>layers/graph.quant
run 0 run layers --random
err_has "warning\[N0218\]: tensor 'y' is quantized as a scalar: its steps are powers of two"
run 0 run layers --random --quant=off -o off2.dat
silent

# --- written --------------------------------------------------------------------------------

# Networks of QuantizeLinear and DequantizeLinear become the text of scalars, entries and integers, and are
# the same network when these are read.
model all 'x = external<scalar>(shape = [1,3,6,6]);' \
    "f = variable<scalar>(shape = [4,3,3,3], label = 'f');" \
    "b = variable<scalar>(shape = [1,4], label = 'b');" \
    'c = conv(x, f, b);' 'r = relu(c);' \
    "p = max_pool(r, size = [1,1,2,2], stride = [1,1,2,2], border = 'ignore');" \
    'flat = reshape(p, shape = [1,36]);' "w = variable<scalar>(shape = [2,36], label = 'w');" 'y = linear(flat, w);'
zero_point='zero_point_linear_quantize(zero_point'
cat >all/graph.quant <<END
"x": $zero_point = 7, scale = 0.004, bits = 8, signed = false, symmetric = false);
"f": $zero_point = 0, scale = [0.007, 0.008, 1e-3, 0.0123456789], bits = 8, signed = true, symmetric = true);
"b": $zero_point = 0, scale = [[2.8e-05, 3.2e-05, 4e-06, 4.938e-05]], bits = 32, signed = true, symmetric = false);
"r": $zero_point = 0, scale = 0.01, bits = 8, signed = false, symmetric = false);
"p": $zero_point = 0, scale = 0.01, bits = 8, signed = false, symmetric = false);
"w": $zero_point = 3, scale = 0.01, bits = 8, signed = true, symmetric = false);
"y": $zero_point = -3, scale = 0.05, bits = 8, signed = true, symmetric = false);
END
run 0 init all
run 0 run all --random -v -o all.dat
err_has 'integers: 2 of 2 layers'
run 0 convert all all.onnx --quant=qdq
run 0 run all.onnx --random -o onnx.dat
same all.dat onnx.dat
run 0 convert all.onnx back/
silent
run 0 run back --random -v -o back.dat
err_has 'integers: 2 of 2 layers'
same all.dat back.dat
meets 'the text is one of scalars' not grep -q 'quantize\|integer' back/graph.nnef
meets 'scales have their digits' grep -q "scale = \[0.007, 0.008, 0.001, 0.012345679\], bits = 8, signed = true" \
    back/graph.quant
meets 'there are seven entries' [ "$(wc -l <back/graph.quant)" -eq 7 ]
meets 'a weight is a byte' [ "$(wc -c <back/f.dat)" -eq $((128 + 4 * 3 * 3 * 3)) ]
meets 'a bias has more' [ "$(wc -c <back/b.dat)" -gt $((128 + 4)) ]
run 0 convert back again.onnx --quant=qdq
run 0 run again.onnx --random -o again.dat
same all.dat again.dat
run 0 convert again.onnx twice/
same back/graph.quant twice/graph.quant
same back/f.dat twice/f.dat

# Where no entry can say it, operations do.
cat >ops.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment quantize(x: tensor<scalar>, scale: tensor<scalar>, zero: tensor<integer> = 0,
                  low: integer = 0, high: integer = 255) -> (y: tensor<integer>);
fragment dequantize(x: tensor<integer>, scale: tensor<scalar>, zero: tensor<integer> = 0) -> (y: tensor<scalar>);
graph net(x) -> (y, z, shown, last)
{
    x = external<scalar>(shape = [2, 3]);
    s = constant<scalar>(shape = [1, 3], value = [0.1, 0.2, 0.3]);
    a = relu(x);
    read_twice = quantize(a, s, 3);
    numbers = dequantize(read_twice, s, 3);
    y = neg(numbers);
    z = neg(a);
    shown = quantize(x, 0.5, 0, low = -128, high = 127);
    again = dequantize(shown, 0.5, 0);
    odd = quantize(again, 0.25, 0, low = -5, high = 4);
    few = dequantize(odd, 0.25, 0);
    other = quantize(few, 0.5, 1, low = 0, high = 3);
    wrong = dequantize(other, 0.5, 2);
    last = sin(wrong);
}
END
run 0 run ops.nnef --random -o ops/
for profile in strict custom; do
    run 0 convert ops.nnef written/ --profile=$profile
    meets 'one entry is written' grep -qx \
        "'numbers': $zero_point = 3, scale = \[\[0.1, 0.2, 0.3\]\], bits = 8, signed = false, symmetric = false);" \
        written/graph.quant
    meets 'and no other' [ "$(wc -l <written/graph.quant)" -eq 1 ]
    meets 'what is read twice is copied' grep -q 'numbers = copy(a);' written/graph.nnef
    run 0 run written --random --quant=integers --expect ops/
done
meets 'others stay' [ "$(grep -c ' = quantize(' written/graph.nnef)" -eq 3 ]

# Integers that are reshaped are stored as they come to be.
mkdir stored
{
    sed '/^graph/,$d' ops.nnef
    cat <<'END'
graph stored(x) -> (y)
{
    x = external<scalar>(shape = [1, 4]);
    v = variable<integer>(shape = [4], label = 'v');
    s = constant<scalar>(shape = [4], value = [0.5, 0.25, 0.5, 1.0]);
    numbers = dequantize(v, s, 1);
    row = reshape(numbers, shape = [1, 4]);
    y = add(x, row);
}
END
} >stored/graph.nnef
run 0 init stored
run 0 run stored --random -o stored.dat
rm -r written
run 0 convert stored written/
meets 'the variable has the other shape' grep -q 'v = variable<scalar>(shape = \[1, 4\]' written/graph.nnef
meets 'and so has its scale' grep -q "'v': $zero_point = 1, scale = \[\[0.5, 0.25, 0.5, 1.0\]\]" written/graph.quant
run 0 run written --random --expect stored.dat

# --- one file for a folder ---------------------------------------------------------------------

mkdir shared
run 0 convert all.onnx shared/one.nnef
run 0 convert all.onnx shared/one.nnef
cp shared/graph.quant first.quant
run 3 convert all.onnx shared/two.nnef
err_has "error\[N0181\]: .*it would be that of 'one.nnef', too"
err_has 'help: write to a folder of its own'
absent shared/two.nnef
same shared/graph.quant first.quant
run 3 convert all.onnx shared/
run 0 convert all.onnx shared/two.nnef --force
mkdir plain
cp all/graph.nnef plain/one.nnef
run 3 convert all.onnx plain/two.nnef
absent plain/graph.quant

# --- values out of range ----------------------------------------------------------------------

echo '"y": zero_point_linear_quantize(zero_point = 300, scale = 1.0, bits = 8, signed = false, symmetric = false);' \
    >zero.quant
run 0 check net --quant-file=zero.quant
err_has "zero.quant:1:[0-9]+: warning\[N0219\]: 'zero_point' of .* is 300, .* from 0 to 255"
run 1 check net --quant-file=zero.quant -Werror=quantization-value
sed 's/300/3/; s/1.0/0.0/' zero.quant >scale.quant
run 1 check net --quant-file=scale.quant
err_has "scale.quant:1:[0-9]+: error\[N0219\]: 'scale' of .* is 0, expected a number above 0"

# A bias that 32 bits do not hold in steps of 1e-12.
mkdir cut
cat >cut/graph.nnef <<'END'
version 1.0;
graph net( x ) -> ( y )
{
    x = external<scalar>(shape = [1, 1, 4, 4]);
    f = variable<scalar>(shape = [2, 1, 1, 1], label = 'f');
    b = constant<scalar>(shape = [1, 2], value = [1.0, 0.0001]);
    y = conv(x, f, b);
}
END
cat >cut/graph.quant <<END
"x": $zero_point = 0, scale = 0.000001, bits = 8, signed = false, symmetric = false);
"f": $zero_point = 0, scale = 0.000001, bits = 8, signed = true, symmetric = true);
"y": $zero_point = 0, scale = 0.01, bits = 8, signed = false, symmetric = false);
END
run 0 init cut
run 0 run cut --random -o cut.dat
err_has 'warning\[N0219\]: the bias of channel 0 has 1e\+12 steps .*, which is cut to 32 bits'
err_lacks 'channel 1'

# --- in an archive --------------------------------------------------------------------------

run 0 pack net net.tgz
run 0 run net.tgz --random --quant=apply -o packed.dat
same applied.dat packed.dat
finish
