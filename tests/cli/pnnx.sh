#!/bin/sh
# pnnx.sh - models of PNNX are checked, run, compared and converted
. "$(dirname "$0")/lib.sh"

# The weights 2, 4 and 8 of an attribute 'w.data', stored in a ZIP archive.
weights()
{
    printf '%b' \
    'PK\003\004\024\000\000\000\000\000\000\000\041\000\377\370\337\342\014\000\000\000\014' \
    '\000\000\000\006\000\000\000w.data\000\000\000\100\000\000\200\100\000\000\000APK\001' \
    '\002\024\003\024\000\000\000\000\000\000\000\041\000\377\370\337\342\014\000\000\000' \
    '\014\000\000\000\006\000\000\000\000\000\000\000\000\000\000\000\200\001\000\000\000' \
    '\000w.dataPK\005\006\000\000\000\000\001\000\001\000\064\000\000\000\060\000\000\000' \
    '\000\000'
}

# param FILE LINE... - a model with these lines between an input `x` and an output `y`
param()
{
    file=$1 lines=$#
    shift
    printf '7767517\n%d 3\npnnx.Input x 0 1 x #x=(2,3)f32\n' $((lines + 1)) >"$file"
    printf '%s\n' "$@" 'pnnx.Output y 1 0 y' >>"$file"
}

scaled='pnnx.Expression e 2 1 x w y expr=mul(@0,@1) #x=(2,3)f32 #w=(3)f32 #y=(2,3)f32'
param net.param 'pnnx.Attribute w 0 1 w @data=(3)f32 #w=(3)f32' "$scaled"
weights >net.bin

# --- what can be done with one ------------------------------------------------------------------

run 0 check net.param
silent
run 0 info net.param
for count in 'format pnnx' 'operators 4' 'operands 3' 'attributes 1' 'nodes 4'; do
    out_has "^$count\$"
done
run 0 info net.param --json
out_has '"operands": 3'
run 0 list net.param
out_has '^mul e scalar.2,3. '
run 0 verify net.param
run 0 run net.param --random=3 -o y=a.npy
run 0 convert net.param folder/
run 0 compare net.param folder --random=3 --atol=0 --rtol=0
run 0 convert net.param net.onnx
run 0 compare net.param net.onnx --random=3 --atol=0 --rtol=0
run 0 check net.param --shape=x=5,3 --dump=graph
out_has 'e: scalar\[5,3\] = mul'
cp net.param renamed
run 3 check renamed
err_has 'renamed.bin'
run 0 check renamed --bin=net.bin
cp net.param other.param
run 0 run other.param --bin=net.bin --random=3 -o y=b.npy
same a.npy b.npy

# --- what is refused ----------------------------------------------------------------------------

run 3 check other.param
one_error
err_has 'other.bin'
err_has '--bin=FILE'
run 2 check net.param --shape=z=2,3
err_has "no input 'z'"
head -c 60 net.bin >cut.bin
run 1 check net.param --bin=cut.bin
one_error
err_has 'cut.bin: error\[N0265\]: .*cut short'
sed 's/@data=(3)/@data=(4)/' net.param >wide.param
run 1 check wide.param --bin=net.bin
one_error
err_has "wide.param:4:.*error\[N0266\]: weights 'w.data' have 12 bytes in the archive, expected 16"
sed 's/^pnnx.Attribute w/pnnx.Attribute v/' net.param >lost.param
run 1 check lost.param --bin=net.bin
err_has "lost.param:4:.*error\[N0266\]: weights 'v.data' are not in the archive"
param strange.param 'models.yolo.Detect d 1 1 x w @w=(3)f32' "$scaled"
run 4 convert strange.param folder2/
one_error
err_has "strange.param:4:.*'d': operator 'models.yolo.Detect' is not supported"
absent folder2
run 4 info strange.param
out_has '^attributes 1$'
printf '7767517\n2 1\nInput data 0 1 data 0=4 1=4\nReLU r 1 0 data\n' >ncnn.param
run 1 check ncnn.param
one_error
err_has 'ncnn.param:3:.*a model of ncnn'
run 1 check ncnn.param --from=nnef
err_has 'a model of PNNX, or of ncnn, not an NNEF text'
: >empty.param
run 1 check empty.param
err_has 'empty.param:1:'
run 2 check net.param --bind=x=a.npy
err_has 'cannot be bound'

finish
