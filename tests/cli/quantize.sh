#!/bin/sh
# quantize.sh - nnefc quantize: what it makes, what it measures, and what it refuses
. "$(dirname "$0")/lib.sh"

images=$digits/images

# same_items FILE FOLDER - is the file one of the folder, under whatever name?
same_items() { find "$2" -name '*.dat' -exec cmp -s "$1" {} \; -print | grep -q .; }

# --- what it makes ------------------------------------------------------------------------------

run 0 quantize "$digits" small.onnx --data="$images" --report=report.json
err_has 'warning\[N0270\]: the number of samples is 10, expected at least 16'
out_has '^conv3 +conv +\[64,32,3,3\] +49\.0% +8 '
out_has "^output 'scores': [34][0-9]\.[0-9] dB, cosine 0\.9999"
out_has '^4 of 4 layers in 8 bits: 100\.0% of MACs; weights 103464 .* -> 26720 '
out_has '^tried 14 ways, best: '
run 0 info small.onnx
run 0 check small.onnx --dump=plan
out_has 'quantized_conv \+ requantize$'
run 0 run small.onnx -i "$three" --json
out_has '"index": 3, *$|"index": 3,|^ *"index": 3'
grep -q '"ways": \[' report.json && grep -q '"name": "conv1"' report.json
meets 'the report has ways and layers' [ $? -eq 0 ]
run 0 quantize "$digits" again.onnx --data="$images" -Wno-few-samples --report=again.html -q
meets 'the page has two bars for each layer' [ "$(grep -c '^<i title=' again.html)" -eq 8 ]
meets 'the page has a histogram for each layer' [ "$(grep -c 'class="bars histogram"' again.html)" -eq 4 ]
meets 'the page asks for nothing' not grep -qE '<script|<link|src=|href=|url\(|@import' again.html
cp -r "$digits" 'a<b>&"c'
run 0 convert "$digits" model.onnx
cp model.onnx model.html
run 2 quantize model.html other.onnx --data="$images" --report=model.html
err_has "would replace 'model.html'"
same model.html model.onnx
ln -s linked.onnx linked.html
run 2 quantize model.onnx linked.onnx --data="$images" --report=linked.html
err_has "'linked.onnx' is to be the model and the report"
absent linked.onnx
run 0 quantize 'a<b>&"c' again.onnx --data="$images" -Wno-few-samples --report=again.html -q
meets 'names are text' grep -q '^<h1>a&lt;b&gt;&amp;&quot;c in 8 bits</h1>$' again.html
meets 'the model is small' [ "$(wc -c <small.onnx)" -lt 40000 ]

# The same bytes again, for any number of threads, and whatever is printed.
for threads in 1 2 3 4; do
    run 0 quantize "$digits" again.onnx --data="$images" -Wno-few-samples --report=again.json --threads=$threads -q
    silent
    same again.onnx small.onnx
    same again.json report.json
done

# Other formats compute the same.
"$NNEFC" run small.onnx -i "$three" -o expected.npz -q
run 0 quantize "$digits" small/ --data="$images" -Wno-few-samples -q
run 0 run small -i "$three" --expect expected.npz -q
meets 'the text is that of floats, with a quantization file' not grep -q quantize small/graph.nnef
exists small/graph.quant
bytes=$(wc -c <small/conv3/filter.dat)
meets 'integers take a byte each' [ "$bytes" -eq $((128 + 64 * 32 * 9)) ]
run 0 quantize "$digits" small.ng --data="$images" -Wno-few-samples -q
run 0 run small.ng -i "$three" --expect expected.npz -q
meets 'a graph file has many integers as bytes' [ "$(wc -c <small.ng)" -lt 80000 ]
run 0 compile small -o packed.ng --pack -q
run 0 run packed.ng -i "$three" --expect expected.npz -v
err_has '3 of 3 packed weights are from the file'
# Many integers stay bytes of a file, from which all that is written is made.
for model in small small.onnx small.ng; do
    run 0 run $model -i "$three" --backend=reference --expect expected.npz -q
done
run 0 convert small.onnx back/ -q
meets 'a text has the integers of the model' same_items small/conv3/filter.dat back
run 0 convert small back.onnx --quant=qdq -q
run 0 run back.onnx -i "$three" --expect expected.npz -q
# Operators on integers compute the same, from whichever format, and are the same again.
has_operator() { LC_ALL=C grep -aqP "\\x22\\x$(printf %02x ${#2})$2" "$1"; }
run 0 quantize "$digits" operators.onnx --data="$images" -Wno-few-samples --quant=qoperator -q
run 0 convert operators.onnx operators/ -q
for model in small small.onnx small.ng operators.onnx operators; do
    run 0 convert $model qoperator.onnx --quant=qoperator --force -q
    run 0 run qoperator.onnx -i "$three" --expect expected.npz -q
    for operator in QLinearConv QGemm MaxPool; do
        meets "$operator is in the model" has_operator qoperator.onnx $operator
    done
    meets 'pools and shapes are of integers' not has_operator qoperator.onnx DequantizeLinear
    meets 'integers keep their type' not has_operator qoperator.onnx Cast
done
run 0 convert operators.onnx back.onnx -q --force
run 0 run back.onnx -i "$three" --expect expected.npz -q
for operator in QLinearConv QGemm; do
    meets "$operator is not in the model" not has_operator back.onnx $operator
done
for how in qdq qoperator; do
    run 0 convert small open.onnx --quant=$how --dynamic image:0=batch --force -q
    run 0 run open.onnx -i "$three" --dim batch=1 --expect expected.npz -q
done
run 0 convert small standard.onnx --quant=qoperator --no-contrib -q
run 0 run standard.onnx -i "$three" --expect expected.npz -q
meets 'what ONNX has is used' has_operator standard.onnx QLinearConv
meets 'nothing else is' not grep -aq com.microsoft standard.onnx
# By a scale below 0 a greater number is a smaller integer.
cat >below.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment quantize( x: tensor<scalar>, scale: tensor<scalar>, zero: tensor<integer> = 0,
                   low: integer = 0, high: integer = 255 ) -> ( y: tensor<integer> );
fragment dequantize( x: tensor<integer>, scale: tensor<scalar>, zero: tensor<integer> = 0 ) -> ( y: tensor<scalar> );
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [1,1,4,4]);
    q = quantize(x, -0.01, 100);
    d = dequantize(q, -0.01, 100);
    y = max_pool(d, size = [1,1,2,2], padding = [(0,0), (0,0), (0,0), (0,0)]);
}
END
run 0 convert below.nnef below.onnx --quant=qoperator -q
run 0 compare below.nnef below.onnx --random -q -Wno-quantization-value
run 2 convert small other.onnx --no-contrib
err_has '--no-contrib is for --quant=qoperator'
run 2 quantize "$digits" other.onnx --data="$images" --no-contrib
err_has '--no-contrib is for --quant=qoperator'
run 2 convert small other.ng --quant=qoperator
err_has "--quant=qoperator is for ONNX, but 'other.ng'"
run 0 convert small.onnx back.ng -q
run 0 run back.ng -i "$three" --expect expected.npz -q
run 0 convert "$digits" float.onnx
run 0 quantize float.onnx from.onnx --data="$images" -Wno-few-samples -q
run 0 run from.onnx -i "$three" -q

# Samples in folders, with a file for each parameter, and a file alone.
mkdir -p folders/a folders/b
cp "$three" folders/a/image.png
cp "$images/1-1.png" folders/b/image.png
run 0 quantize "$digits" folders.onnx --data=folders -Wno-few-samples -q
run 0 quantize "$digits" one.onnx --data="$three" --check="$images" -Wno-few-samples -q

# --- options ------------------------------------------------------------------------------------

run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --per-tensor --top=1
meets 'one layer is printed' [ "$(grep -c ' dB  *[0-9.]* dB$' out)" -eq 1 ]
out_has '^4 of 4 layers .* -> 26248 '
for range in minmax mse percentile percentile:99.9; do
    run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --range=$range --no-correct-bias --rounding=nearest --no-equalize
    out_has '^tried 1 ways, best: '
done
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --range=minmax --correct-bias --rounding=nearest --no-equalize
out_has '^tried 1 ways, best: minmax, biases corrected$'
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --range=minmax --no-correct-bias --rounding=adapt --no-equalize
out_has '^tried 1 ways, best: minmax, weights adapted$'
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --range=minmax --no-equalize
out_has '^tried 4 ways, best: minmax'
run 0 quantize "$digits" equalized/ --data="$images" -Wno-few-samples --range=minmax --equalize
out_has '^tried 5 ways, best: minmax.*, equalized$'
run 0 compare equalized "$digits" -i "$three" --atol=0.01
run 0 convert "$digits" comma.onnx
LC_ALL=C sed -i 's/conv1/con,1/g' comma.onnx
run 0 quantize comma.onnx o.onnx --data="$images" -Wno-few-samples --keep='con\,1,conv3'
out_has '^con,1 .* float'
out_has '^2 of 4 layers'
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --keep=conv1,conv3
out_has '^2 of 4 layers in 8 bits: 49\.[0-9]% of MACs'
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --keep-op=conv
out_has '^1 of 4 layers in 8 bits'
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --outputs=conv2
out_has "^output 'conv2': "
run 5 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --min-snr=100 --budget=5
out_has '^the SNR asked for was not reached$'
out_has '^2 of 4 layers in 8 bits'
exists o.onnx
# A bound of 50 dB is reached by 16 bits, or by floats, of what enters the layers that harm most; by all of them it is exceeded.
run 0 quantize "$digits" wide.onnx --data="$images" -Wno-few-samples --activations=int16 --report=wide.json
out_has '^conv3 +conv +\[64,32,3,3\] +49\.0% +16 x 8 '
out_has '^4 of 4 layers in 8 bits, 4 with inputs of 16: 100\.0% of MACs; weights 103464 .* -> 26720 '
out_has "^output 'scores': [5-9][0-9]\.[0-9] dB"
meets 'the report has bits of inputs' [ "$(grep -c '"inputBits": 16' wide.json)" -eq 4 ]
"$NNEFC" run wide.onnx -i "$three" -o wide.npz -q
run 0 quantize "$digits" wide/ --data="$images" -Wno-few-samples --activations=int16 -q
meets 'tensors have 16 bits' grep -q 'bits = 16, signed = true' wide/graph.quant
run 0 run wide -i "$three" --expect wide.npz -q
run 0 run wide -i "$three" --backend=reference --expect wide.npz -q
run 0 quantize "$digits" wide.ng --data="$images" -Wno-few-samples --activations=int16 -q
run 0 run wide.ng -i "$three" --expect wide.npz -q
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --activations=mixed --min-snr=50 --report=o.html
out_has '^conv3 .* 16 x 8 '
out_has '^[34] of 4 layers in 8 bits, [1-3] with inputs of 16: '
meets 'the page marks layers of 16 bits' grep -q '^<i class="wide" title=' o.html
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --activations=mixed --budget=2
out_lacks '^conv[23] .* 16 x 8 '
out_has '^conv1 .* 16 x 8 '
for threads in 1 3; do
    run 0 quantize "$digits" threads.onnx --data="$images" -Wno-few-samples --activations=mixed --budget=2 --threads=$threads --report=o.html -q
    same threads.onnx o.onnx
    [ $threads = 3 ] || cp o.html first.html
done
same o.html first.html
run 0 quantize "$digits" o.onnx --data="$images" -Wno-few-samples --min-snr=20
out_has '^4 of 4 layers in 8 bits'

# --- results that are not finite, and states ------------------------------------------------------

mkdir -p nan state inputs
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [8,8]); y = copy(x); }\n' >copy.nnef
"$NNEFC" run copy.nnef --random=1 -o nan/w.dat -q
sed 's/8,8/1,8/' copy.nnef >row.nnef
for seed in 10 11 12 13 14 15 16 17; do
    "$NNEFC" run row.nnef --random=$seed -o inputs/$seed.npy -q
done
cp nan/w.dat state/w.dat
"$NNEFC" run row.nnef --fill=0 -o state/h.dat -q
# A difference of 0, which rounding makes a negative number of in some places.
cat >nan/graph.nnef <<'NNEF'
version 1.0;
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [1,8]);
    w = variable<scalar>(shape = [8,8], label = 'w');
    a = linear(x, w);
    b = linear(x, w);
    d = sub(a, b);
    r = sqrt(d);
    y = add(r, 1.0);
}
NNEF
run 5 quantize nan o.onnx --data=inputs -Wno-few-samples --keep=b --raw --min-snr=1 --budget=1
out_has "^output 'y': -200\.0 dB, .* largest difference inf of 1;"
# What is one number in all samples gets its range from that number.
mkdir constant
cp nan/w.dat constant/w.dat
cat >constant/graph.nnef <<'NNEF'
version 1.0;
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [1,8]);
    w = variable<scalar>(shape = [8,8], label = 'w');
    c = max(x, 5.0);
    a = linear(c, w);
    b = linear(c, w);
    y = add(a, b);
}
NNEF
run 0 quantize constant o.onnx --data=inputs -Wno-few-samples
err_has "warning\[N0270\]: tensor 'c' is 5 in all samples: its range is that of this number"
meets 'a tensor is named once' [ "$(grep -c "tensor 'c'" err)" -eq 1 ]
out_has "^output 'y': ([4-9][0-9]|1[0-9][0-9])\."
run 0 quantize constant o.onnx --data=inputs -Wno-few-samples -Wno-constant-range -q
quiet_err
# One sample that is far larger than the others is all that is measured.
mkdir loud
"$NNEFC" run row.nnef --fill=1000 -o loud/a.npy -q
cp inputs/11.npy loud/b.npy
run 0 quantize constant o.onnx --data=inputs --check=loud -Wno-few-samples -Wno-constant-range
err_has "warning\[N0270\]: one of 2 samples has (100\.0|99\.[0-9]) % of the squares of 'y': its SNR is that of this sample"
run 0 quantize constant o.onnx --data=inputs --check=loud -Wno-few-samples -Wno-constant-range -Wno-one-sample
quiet_err
# Without layers that are quantized the state is that of the model.
cat >state/graph.nnef <<'NNEF'
version 1.0;
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [1,8]);
    h = variable<scalar>(shape = [1,8], label = 'h');
    w = variable<scalar>(shape = [8,8], label = 'w');
    a = linear(x, w);
    b = linear(h, w);
    c = add(a, b);
    n = tanh(c);
    h2 = update(h, n);
    y = copy(n);
}
NNEF
run 5 quantize state o.onnx --data=inputs -Wno-few-samples --min-snr=199
out_has '^the SNR asked for was not reached, but by floats alone$'
out_has "^output 'n': 200\.0 dB"
out_has '^0 of 2 layers in 8 bits: 0\.0% of MACs; weights 288 -> 288'

# --- channels -----------------------------------------------------------------------------------

# Half of the channels between two products are a thousandth of the others, and multiplied with as much again.
mkdir uneven
scales()
{
    printf 'version 1.0;\ngraph g( x ) -> ( y ) {\n x = external<scalar>(shape = [8,8]);\n'
    printf ' s = constant<scalar>(shape = [%s], value = [1.0, %s, 1.0, %s, 1.0, %s, 1.0, %s]);\n' "$1" "$2" "$2" "$2" "$2"
    printf ' y = mul(x, s);\n}\n'
}
scales 8,1 0.001 >one.nnef
"$NNEFC" run one.nnef --random=1 -o uneven/w.dat -q
scales 1,8 1000.0 >one.nnef
"$NNEFC" run one.nnef --random=2 -o uneven/v.dat -q
cat >uneven/graph.nnef <<'NNEF'
version 1.0;
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [1,8]);
    w = variable<scalar>(shape = [8,8], label = 'w');
    v = variable<scalar>(shape = [8,8], label = 'v');
    a = linear(x, w);
    b = relu(a);
    y = linear(b, v);
}
NNEF
run 0 quantize uneven even/ --data=inputs -Wno-few-samples
out_has "^output 'y': [3-9][0-9]\."
out_has '^tried .*, equalized$'
run 0 compare even uneven --random=10 --atol=0.2
run 0 quantize uneven o.onnx --data=inputs -Wno-few-samples --no-equalize
out_lacks "^output 'y': [3-9][0-9]\."

# --- biases and weights -------------------------------------------------------------------------

# Biases that are large beside the weights, by one scale for all of these.
mkdir -p bias
sed 's/copy(x)/mul(x, 1e-6)/' copy.nnef >small.nnef
"$NNEFC" run small.nnef --random=1 -o bias/w.dat -q
"$NNEFC" run row.nnef --random=2 -o bias/b.dat -q
cat >bias/graph.nnef <<'NNEF'
version 1.0;
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [1,8]);
    w = variable<scalar>(shape = [8,8], label = 'w');
    b = variable<scalar>(shape = [1,8], label = 'b');
    y = linear(x, w, b);
}
NNEF
for option in --no-correct-bias --per-tensor; do
    run 0 quantize bias o.onnx --data=inputs -Wno-few-samples $option
    out_has "^output 'y': 1[0-9][0-9]\.[0-9] dB"
done

# --- what it refuses ----------------------------------------------------------------------------

rm -f none.onnx
refused()
{
    status=$1 words=$2
    shift 2
    run "$status" quantize "$@"
    quiet_out
    err_has "$words"
    absent none.onnx
}
mkdir empty
printf 'no image' >empty/notes.txt
"$NNEFC" run "$digits" -i "$three" -o other.npy -q
mkdir bad
cp "$three" bad/a.png
printf 'cut off' >bad/b.npy
refused 2 'needs samples of inputs, --data=FOLDER' "$digits" none.onnx
refused 3 "there are no samples in 'empty'" "$digits" none.onnx --data=empty
refused 3 "cannot read 'nowhere'" "$digits" none.onnx --data=nowhere
refused 3 'other.npy: .*' "$digits" none.onnx --data=other.npy
refused 3 'bad/b.npy: ' "$digits" none.onnx --data=bad
refused 2 "the name 'none' decides no format" "$digits" none --data="$images"
refused 2 'cannot be written as PNNX' "$digits" none.param --data="$images"
refused 2 "'widest' is no value for --range=RULE, expected auto, minmax, percentile" "$digits" none.onnx --data="$images" --range=widest
refused 2 "'percentile:40' is no value" "$digits" none.onnx --data="$images" --range=percentile:40
refused 2 "there is no layer 'conv9' to keep" "$digits" none.onnx --data="$images" --keep=conv9
refused 2 "there is no layer 'relu' to keep" "$digits" none.onnx --data="$images" --keep-op=relu
refused 2 "no computed tensor 'conv9'" "$digits" none.onnx --data="$images" --outputs=conv9
refused 4 'nothing to quantize: all layers are kept' "$digits" none.onnx --data="$images" --keep-op=conv,linear
refused 4 'nothing to quantize: the model is quantized' small.onnx none.onnx --data="$images"
refused 4 'the model has a quantization file: it is quantized' small none.onnx --data="$images"
for model in small small.onnx small.ng; do
    run 0 quantize $model anew.onnx --data="$images" -Wno-few-samples --again --weights=int4
    out_has '^1 of 1 layers with weights of 4 bits'
    run 0 run anew.onnx -i "$three" --json
    out_has '"index": 3,'
    run 0 quantize $model anew/ --force --data="$images" -Wno-few-samples --again
    out_has "^output 'scores': [3-9][0-9]\."
    out_has '^4 of 4 layers in 8 bits: 100\.0% of MACs'
    run 0 compare anew "$digits" -i "$three" --atol=0.02
done
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [1,1,8,8]); y = relu(x); }\n' >plain.nnef
refused 4 'nothing to quantize: no convolution or product' plain.nnef none.onnx --data="$images"
"$NNEFC" run plain.nnef --fill=0 -o zero.npy -q
refused 3 "error\[N0270\]: a sample of 'image' is 0 everywhere" "$digits" none.onnx --data=zero.npy
err_has "in sample 'zero.npy'"
printf 'version 1.0;\ngraph g( x, f ) -> ( y ) { x = external<scalar>(shape = [1,1,8,8]); f = external<scalar>(shape = [1,1,3,3]); d = deconv(x, f); y = conv(d, f); }\n' >computed.nnef
refused 4 'nothing to quantize: no convolution or product' computed.nnef none.onnx --data="$images"
err_has "^note: 'd' of 'deconv' stays as it is: only conv, linear and matmul are quantized"
err_has "^note: 'y' of 'conv' stays as it is: its weights are computed"
err_has '^  --> computed.nnef:2:'
"$NNEFC" run plain.nnef --fill=1e300 -o infinite.npy -q
refused 3 "error\[N0270\]: a sample of 'image' is inf at \[0,0,0,0\], expected finite numbers" "$digits" none.onnx --data=infinite.npy
err_has '= help: leave out the sample'
# A process that is killed while it waits for a sample leaves nothing.
mkdir waits killed
cp "$three" waits/a.png
mkfifo waits/b.npy
{ timeout -s KILL 1 "$NNEFC" quantize "$digits" killed/none.onnx --data=waits --report=killed/none.html -q; } 2>/dev/null
meets 'a killed process leaves nothing' [ -z "$(ls -A killed)" ]
refused 2 'an SNR or a budget tells which have 16 bits' "$digits" none.onnx --data="$images" --activations=mixed
refused 2 "'0' is no value for --budget=PERCENT, expected a number above 0" "$digits" none.onnx --data="$images" --min-snr=99 --budget=0
refused 2 "the report 'none.onnx' does not end in .html or .json" "$digits" none.onnx --data="$images" --report=none.onnx
refused 2 "'none.json' is to be the model and the report" "$digits" none.json --to=onnx --data="$images" --report=none.json
mkdir -p named/cat own
cp "$three" named/cat/3.png
refused 2 "sample 'named/cat' does not fit the model" "$digits" none.onnx --data=named
cp "$three" own/
refused 3 'cannot write: it is a sample' "$digits" "own/${three##*/}" --to=onnx --data=own
same "own/${three##*/}" "$three"
refused 3 'nowhere/report.json' "$digits" none.onnx --data="$images" --report=nowhere/report.json

finish
