#!/bin/sh
# pnnx.sh - models of PNNX are checked, run, compared and converted
. "$(dirname "$0")/lib.sh"

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
pnnx_weights >net.bin

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
printf '%s\n' 'pnnx.Input x' 'pnnx.Attribute w' 'pnnx.Expression e' 'pnnx.Output y' >listed
same out listed
run 0 list net.param --graph
out_has '^mul e scalar.2,3. '
run 2 list net.param --shape=x=5,3
err_has '--shape affects only the graph'
run 0 list net.param --shape=x=5,3 --graph
out_has '^mul e scalar.5,3. '
run 0 list net.param --json
out_has '"type": "pnnx.Expression", "name": "e", "line": 5, "inputs": \["x", "w"\]'
out_has '"params": \{"expr": "mul\(@0,@1\)"\}, "attributes": \{\}'
out_has '"attributes": \{"data": \{"shape": \[3\], "type": "f32"\}\}'
out_has '"name": "y", "producer": 2, "port": 0, "uses": \[\{"op": 3, "input": 0\}\]'
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
input=net.param
run 3 check --message-format=short -
err_has '^<stdin>: error\[N0180\]: .*has to be named'
run 0 check - --bin=net.bin
input=/dev/null
cp net.param other.param
run 0 run other.param --bin=net.bin --random=3 -o y=b.npy
same a.npy b.npy

# --- what a file may say ------------------------------------------------------------------------

# Values of every kind; bytes that are no UTF-8 are replaced, nothing is done without.
cat >kinds.param <<'END'
7767517
3 2
pnnx.Input x 0 1 x #x=(1,%h,?)f32
some.Op o 2 1 x x y a=inf b=-inf c=nan d=1.000000e-5 e=0.1 f=1.5e+00+-2e+00j g=None h=True i=(1,-2) j=() k=[a,b] l=2147483647 m=text $first=x $then=x
pnnx.Output y 1 0 y
END
run 0 list kinds.param --json
out_has '"a": "inf", "b": "-inf", "c": "nan", "d": 1e-5, "e": 0.1, "f": \{"real": 1.5, "imaginary": -2.0\}'
out_has '"g": null, "h": true, "i": \[1, -2\], "j": \[\], "k": \["a", "b"\], "l": 2147483647, "m": "text"'
out_has '"inputs": \["x", "x"\], "arguments": \["first", "then"\], "outputs": \["y"\]'
out_has '"uses": \[\{"op": 1, "input": 0\}, \{"op": 1, "input": 1\}\], "shape": \[1, "%h", "\?"\], "type": "f32"'
out_has '"name": "y", .*"shape": null, "type": null'
printf '7767517\n2 1\npnnx.Input x 0 1 \377 \376=\376 #\377=(%%\377)f32\npnnx.Output y 1 0 \377\n' >bytes.param
run 0 list bytes.param --json
out_has '"shape": \["%'

# --- open extents -----------------------------------------------------------------------------

param open.param 'F.relu r 1 1 x y #y=(2,?)f32'
sed -i 's/^4 3/3 2/; s/^3 3/3 2/; s/x=(2,3)/x=(2,%width)/' open.param
run 0 info open.param
out_has '^    x f32\[2,%width\]$'
out_has '^open x:1 width$'
quiet_err
run 0 verify open.param
err_has "not-computable"
err_has "give them with --shape 'x=2,1', or each by its name: --dim 'width=1'"
run 0 check open.param
quiet_err
run 1 convert open.param made/
err_has 'error\[N0226\]'
run 1 run open.param --random
err_has "error\[N0226\]: input 'x' has shape \[2,width\]"
run 2 check open.param --dim=with=7
err_has "no input of the model has an extent 'with', as --dim wants it"
err_has "did you mean 'width'"
run 0 info open.param --dim=width=7
out_has '^    x scalar\[2,7\]$'
quiet_err

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
run 0 list strange.param
out_has '^models.yolo.Detect d$'
run 4 info strange.param -Werror=not-computable
run 3 verify strange.param
err_has 'strange.bin.*error'
run 0 verify strange.param --no-data
run 1 verify strange.param --bin=net.bin
err_has "weights 'd.w' are not in the archive"
run 4 list strange.param --graph
err_has 'models.yolo.Detect'
run 0 info strange.param
err_has 'warning\[N0231\]: .*models.yolo.Detect.*\[-Wnot-computable\]'
err_has 'strange.bin.*warning'
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
