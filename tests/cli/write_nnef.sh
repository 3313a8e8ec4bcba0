#!/bin/sh
# write_nnef.sh - convert to NNEF: what is written, where, and that it is the same model
. "$(dirname "$0")/lib.sh"

# --- the same model ---------------------------------------------------------------------------

run 0 run "$digits" --input "$three" -o before.npy
mkdir flat2 one
for to in flat/ flat2 flat.tgz flat.tar one/net.nnef; do
    run 0 convert "$digits" $to
    silent
    run 0 check $to
    run 0 run $to --input "$three" -o after.npy
    same before.npy after.npy
done
exists flat/conv1/filter.dat
same flat/conv1/filter.dat "$digits/conv1/filter.dat"
same flat/graph.nnef one/net.nnef
absent one/graph.nnef
run 0 convert "$digits" - --to=nnef
same out flat/graph.nnef
run 0 convert "$digits" again.tgz
same again.tgz flat.tgz
run 0 convert flat/ - --to=nnef
same out flat/graph.nnef

# --- what is written --------------------------------------------------------------------------

cat >net.nnef <<'EOF'
version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
fragment scaled(x: tensor<scalar>, factor: scalar = 2.0) -> (y: tensor<scalar>)
{
    y = x * factor + 0.0;
}
fragment opaque(x: tensor<scalar>, k: integer, names: string[] = ['a', "it's"])
    -> (y: tensor<scalar>, z: tensor<scalar>);
graph net(x) -> (x_out, both, both_too, one)
{
    x = external<scalar>(shape = [2, 4]);
    w = variable<scalar>(shape = [2, 4], label = 'Block/w-1');
    c = constant<scalar>(shape = [2], value = [0.1, -3.0]);
    scaled_1 = copy(x);
    s = scaled(scaled(x, factor = 3.0) - w);
    [a, b] = split(s + c, axis = 1, ratios = [1, 1]);
    (p, q) = opaque(a, k = 3);
    both = concat([a, b], axis = 1);
    both_too = copy(both);
    one = copy(1.0);
    x_out = copy(x);
}
EOF
run 0 convert net.nnef - --to=nnef
cat >expected <<'EOF'
version 1.0;
extension KHR_enable_fragment_definitions;

fragment opaque(x: tensor<scalar>, k: integer, names: string[] = ['a', "it's"]) -> (y: tensor<scalar>, z: tensor<scalar>);

graph net(x) -> (x_out, both, both_too, one)
{
    x = external<scalar>(shape = [2, 4]);
    w = variable<scalar>(shape = [2, 4], label = 'Block/w-1');
    c = constant<scalar>(shape = [2], value = [0.1, -3.0]);
EOF
head -n "$(wc -l <expected)" out >begin
same begin expected
out_has '^    add_2 = add\(s, c\);$'
out_has '^    \[a, b\] = split\(add_2, axis = 1, ratios = \[1, 1\]\);$'
out_has '^    \(p, q\) = opaque\(a, k = 3\);$'
out_has '^    one = copy<scalar>\(1\.0\);$'
out_has '^    both_too = copy\(both\);$'
out_lacks 'scaled\('
cp out again.nnef
run 0 convert again.nnef - --to=nnef
same out again.nnef

# --- quantization -----------------------------------------------------------------------------

mkdir quantized
cp "$top/tests/quant/model.nnef" quantized/graph.nnef
printf "'conv1': linear_quantize(min = -1.0, max = 1.0, bits = 8);\n" >quantized/graph.quant
run 0 init quantized
run 0 convert quantized kept/
cat kept/graph.quant >out
out_has "^'conv1': linear_quantize\(min = -1\.0, max = 1\.0, bits = 8\);\$"
run 0 check kept
run 0 convert quantized applied.tgz --quant=apply
run 0 convert applied.tgz - --to=nnef
out_has 'linear_quantize\(.*, -1\.0, 1\.0, bits = 8\);$'
run 2 convert quantized net.nnef --quant=qdq
rm quantized/graph.quant
run 3 convert quantized kept/
err_has 'kept/graph\.quant'
err_has 'write to another folder, or with --force'

# --- models of ONNX ---------------------------------------------------------------------------

run 0 convert "$digits" digits.onnx
run 0 convert digits.onnx read/
run 0 compare "$digits" read --random
out_has '^A and B agree'
run 0 convert digits.onnx read.tgz
run 0 compare digits.onnx read.tgz --random
run 0 compile "$digits" -o digits.ng
run 4 convert digits.ng open.onnx --dynamic image:0=batch
err_has 'extents can be left open only of an NNEF text or an ONNX file'
err_has 'convert the model to NNEF first'
absent open.onnx

# --- what cannot be written -------------------------------------------------------------------

run 4 convert "$top/examples/nnef/provisional" old/
err_has 'provisional'
absent old
run 2 convert "$digits" net.xyz
err_has "the name 'net\.xyz' decides no format"
run 3 convert "$digits" nowhere/below/net.nnef
run 3 convert "$digits" net.nnef/
absent net.xyz

# --- with the fragments of the document ---------------------------------------------------------

cat >frags.nnef <<'EOF'
version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
fragment twice(x: tensor<scalar>) -> (y: tensor<scalar>) { y = 2.0 * x; }
fragment never(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x; }
graph net(x) -> (y)
{
    x = external<scalar>(shape = [2]);
    w = variable<scalar>(shape = [2], label = 'W');
    y = twice(twice(x)) + w;
}
EOF
run 0 init frags.nnef
run 0 convert frags.nnef frags/ --profile=document
silent
exists frags/W.dat
same frags/W.dat W.dat
run 0 convert frags.nnef - --to=nnef --profile=document
same out frags/graph.nnef
out_has 'y = twice\(twice\(x\)\) \+ w;'
out_lacks 'never'
run 0 compare frags/ frags.nnef --random --atol=0 --rtol=0
run 4 convert frags.nnef other/ --profile=document --shape=x=2
err_has 'as it was read'
run 4 convert frags.nnef other/ --profile=document --passes=default
err_has 'as it was read'
absent other

# --- tensors by position, of which defaults are left out at the end only ----------------------

cat >zeros.nnef <<'EOF'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment quantized_matmul(A: tensor<integer>, B: tensor<integer>, bias: tensor<integer> = 0,
                          zero_a: tensor<integer> = 0, zero_b: tensor<integer> = 0,
                          transposeA: logical = false, transposeB: logical = false)
    -> (C: tensor<integer>);
graph net(x) -> (y, z)
{
    x = external<integer>(shape = [2, 2]);
    y = quantized_matmul(x, x, 0, 5, 0, transposeB = true);
    z = quantized_matmul(x, x, 0, 0, 0);
}
EOF
run 0 convert zeros.nnef zeros/ --profile=custom
run 0 check zeros/
silent
run 0 convert zeros/ - --to=nnef --profile=custom
out_has 'y = quantized_matmul\(x, x, 0, 5, transposeB = true\);'
out_has 'z = quantized_matmul\(x, x\);'

# A folder of several documents: data that another one may need are not replaced by different ones.
mkdir several
cp -r "$digits" changed
printf 'x' | dd of=changed/conv1/filter.dat bs=1 seek=200 conv=notrunc 2>dd
run 0 convert "$digits" several/a.nnef
run 0 convert "$digits" several/b.nnef
run 3 convert changed several/b.nnef
err_has "several/conv1/filter.dat"
err_has "other data already, which may be those of 'a.nnef'"
err_has 'help: write to a folder of its own, or with --force'
same several/conv1/filter.dat "$digits/conv1/filter.dat"
run 3 extract changed several/c.nnef --to=relu1
absent several/c.nnef
run 0 convert changed several/b.nnef --force
same several/conv1/filter.dat changed/conv1/filter.dat

finish
