#!/bin/sh
# quantize_weights.sh - nnefc quantize: weights alone become integers, in blocks or by channels
. "$(dirname "$0")/lib.sh"

images=$digits/images

# --- blocks -------------------------------------------------------------------------------------

run 0 quantize "$digits" four/ --weights=int4
quiet_err
out_has '^scores +linear +\[10,256\] +0\.4% +4 +2[12]\.[0-9] dB$'
out_has '^1 of 1 layers with weights of 4 bits: 0\.4% of MACs; weights 103464 .* -> 94864 '
out_lacks 'SNR|tried'
bytes=$(wc -c <four/linear1/filter.dat)
meets 'two integers take a byte' [ "$bytes" -eq $((128 + 10 * 256 / 2)) ]
meets 'blocks are an axis' grep -q "^ *filter4 = variable<scalar>(shape = \[10, 8, 32\], label = 'linear1/filter')" four/graph.nnef
meets 'products read rows' grep -q 'reshape(filter4, shape = \[10, 256\])' four/graph.nnef
meets 'there is one entry, of 4 bits' grep -q "^'filter4': zero_point_linear_quantize(.*bits = 4, signed = true, symmetric = false)" four/graph.quant
"$NNEFC" run four -i "$three" -o expected.npz -q
run 0 run four -i "$three" --quant=integers --expect expected.npz -q
run 0 run four -i "$three" --quant=apply --expect expected.npz -q
run 0 check four --dump=plan
out_has 'product in blocks'
run 0 check four --dump=plan --quant=off
out_lacks 'product in blocks'

# A model on standard output has it for itself.
run 0 convert "$digits" digits.onnx
"$NNEFC" quantize digits.onnx part.onnx --weights=int4 -q
said='quantize - - --weights=int4'
"$NNEFC" quantize - - --weights=int4 <digits.onnx >out 2>err
same out part.onnx
err_has '^scores +linear'

# Weights that are stored as floats stay as they are, although they have an entry.
cp -r four floats
"$NNEFC" init floats --force -q
"$NNEFC" run floats -i "$three" -o floats.npz -q
run 0 check floats --dump=plan
out_lacks 'product in blocks'
run 0 run floats -i "$three" --quant=off --expect floats.npz -q

# So does a variable that gets new values: from the second step on they would be rounded.
cp -r four renewed
sed 's/^}$/    renewed = update(filter4, mul(filter4, 1.01));\n}/' four/graph.nnef >renewed/graph.nnef
"$NNEFC" run renewed -i "$three" --steps=3 -o renewed.npz --quant=off -q
run 0 run renewed -i "$three" --steps=3 --expect renewed.npz -q

# The same model again, by other formats and in whatever way.
run 0 convert four again/ --quant=keep -q
same four/graph.quant again/graph.quant
same four/linear1/filter.dat again/linear1/filter.dat
for model in four.onnx old.onnx four.ng; do
    case $model in
    old.onnx) option=--opset=17 ;;
    *) option= ;;
    esac
    run 0 quantize "$digits" $model --weights=int4 -q $option
    silent
    run 0 run $model -i "$three" --expect expected.npz -q
    [ $model = old.onnx ] && continue # has operations in their place
    run 0 convert $model back/ -q --force
    same four/graph.quant back/graph.quant
    run 0 run back -i "$three" --expect expected.npz -q
done
meets 'ONNX has two in a byte, too' [ $(($(wc -c <old.onnx) - $(wc -c <four.onnx))) -gt 1000 ]
for threads in 1 2 3; do
    run 0 quantize "$digits" threads.onnx --weights=int4 --threads=$threads -q
    same threads.onnx four.onnx
done

# 8 bits in blocks are symmetric; a block of 48 leaves a rest of 256, one of 32 does not.
run 0 quantize "$digits" eight/ --weights=int8 --block=48 -q
meets 'the longest block without a rest is taken' grep -q 'shape = \[10, 8, 32\]' eight/graph.nnef
meets 'zero is 0' grep -q 'zero_point = 0, .*bits = 8, signed = true, symmetric = true' eight/graph.quant

# --- which layers -------------------------------------------------------------------------------

mkdir products
cat >products/graph.nnef <<'NNEF'
version 1.0;
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [2,256]);
    w = variable<scalar>(shape = [256,64], label = 'w');
    v = variable<scalar>(shape = [97,64], label = 'v');
    u = variable<scalar>(shape = [200,97], label = 'u');
    a = matmul(x, w);
    b = matmul(a, v, transposeB = true);
    y = linear(b, u);
}
NNEF
"$NNEFC" init products --data products --seed=1 >/dev/null
run 0 quantize products p/ --weights=int4 -q
meets 'products of 64 KiB are quantized' grep -q 'w = variable<scalar>(shape = \[64, 8, 32\]' p/graph.nnef
meets 'smaller ones are not' grep -q 'v = variable<scalar>(shape = \[97, 64\]' p/graph.nnef
meets 'columns that nothing divides have 8 bits by channels' grep -q "^'u': .*bits = 8" p/graph.quant
out_lacks 'b  '
run 0 quantize products p.onnx --weights=int4 -q
"$NNEFC" run p --random=3 -o products.npz -q
run 0 run p.onnx --random=3 --expect products.npz -q
run 0 compare p p.onnx --random=4
run 0 quantize products p/ --force --weights=int4 --only=b
out_has '^1 of 3 layers with weights of 4 bits'
out_has '^b +matmul +\[97,64\] +[0-9.]+% +4 '
run 0 quantize products p/ --force --weights=int4 --keep=a
out_has '^1 of 3 layers with weights of 8 bits'

# --- by channels --------------------------------------------------------------------------------

run 0 quantize "$digits" channels/ --activations=float
out_has '^4 of 4 layers with weights of 8 bits: 100\.0% of MACs; weights 103464 .* -> 26720 '
meets 'nothing but weights has entries' [ "$(grep -c '' channels/graph.quant)" -eq 4 ]
"$NNEFC" run channels -i "$three" -o expected.npz -q
run 0 quantize "$digits" channels.onnx --activations=float -q
run 0 run channels.onnx -i "$three" --expect expected.npz -q
run 0 quantize "$digits" channels/ --force --activations=float --per-tensor
out_has '-> 26248 '

# --- measured -----------------------------------------------------------------------------------

run 0 quantize "$digits" m.onnx --weights=int4 --data="$images" --report=report.json
quiet_err
out_has '^scores +linear +\[10,256\] +0\.4% +4 +2[0-9]\.[0-9] dB +3[0-9]\.[0-9] dB +3[0-9]\.[0-9] dB$'
out_has "^output 'scores': [23][0-9]\.[0-9] dB"
out_has '^tried 2 ways, best: adapt$'
grep -q '"bits": 4' report.json && grep -q '"block": 32' report.json
meets 'the report has bits and blocks' [ $? -eq 0 ]
cp m.onnx adapted.onnx
for threads in 1 3; do
    run 0 quantize "$digits" m.onnx --weights=int4 --data="$images" --threads=$threads -q
    same m.onnx adapted.onnx
done
run 0 quantize "$digits" m.onnx --weights=int4 --data="$images" --rounding=nearest -q
same m.onnx four.onnx
run 5 quantize "$digits" m.onnx --weights=int4 --data="$images" --min-snr=100 --budget=0.1
out_has '^the SNR asked for was not reached$'
run 0 quantize "$digits" m.onnx --weights=int4 --report=report.html -q
meets 'a page needs no samples' not grep -qE '(nan|unknown) dB' report.html

# Integers that are many lie as nibbles of their file, and so do their zeros.
model big 'x = external<scalar>(shape = [2,512]);' "w = variable<scalar>(shape = [512,512], label = 'w');" 'y = linear(x, w);'
run 0 init big
run 0 quantize big big.ng --weights=int4 -q
run 0 check big.ng --dump=plan
out_has 'product in blocks'
run 0 run big.ng --random -o y.npy -q
run 0 run big.ng --random --backend=reference --expect y.npy --atol=1e-3 -q
meets 'a graph file has half a byte for each' [ "$(wc -c <big.ng)" -lt 180000 ]
run 0 quantize big bigs/ --weights=int4 -q
run 0 run bigs --random --expect y.npy -q
run 0 quantize big big.onnx --weights=int4 -q
run 0 check big.onnx --dump=plan
out_has 'product in blocks'
run 0 run big.onnx --random --expect y.npy -q
for model in big.onnx big.ng; do
    run 0 compile $model -o packed.ng --pack --force
    run 0 run packed.ng --random --expect y.npy -v
    err_has '2 of 2 packed weights are from the file'
done
run 0 compile packed.ng --raw -o once.ng
run 0 compile once.ng --raw -o twice.ng
same once.ng twice.ng

# --- what it refuses ----------------------------------------------------------------------------

refused()
{
    status=$1 words=$2
    shift 2
    run "$status" quantize "$@"
    quiet_out
    err_has "$words"
    absent none.onnx
}
refused 2 "'int2' is no value for --weights=" "$digits" none.onnx --weights=int2
refused 2 "'8' is no value for --block=N, expected a multiple of 8 from 16 to 256" "$digits" none.onnx --block=8
refused 2 'needs samples of inputs' "$digits" none.onnx --weights=int8
refused 2 'needs samples of inputs' "$digits" none.onnx --weights=int4 --check="$images"
refused 2 'weights in blocks go with activations that are floats' "$digits" none.onnx --weights=int4 --activations=uint8 --data="$images"
refused 2 'weights in blocks have a scale for each of these' "$digits" none.onnx --weights=int4 --per-tensor
refused 2 'no ranges to find' "$digits" none.onnx --weights=int4 --range=mse --data="$images"
refused 2 'without samples nothing is measured' "$digits" none.onnx --weights=int4 --min-snr=20
refused 2 'without samples weights are rounded to the nearest' "$digits" none.onnx --weights=int4 --rounding=adapt
refused 2 "there is no layer 'conv1'" "$digits" none.onnx --weights=int4 --only=conv1
refused 4 'nothing to quantize: all layers are kept' "$digits" none.onnx --weights=int4 --keep=scores

finish
