#!/bin/sh
# pnnx_write.sh - models of PNNX are written as they were read; what cannot be written so is refused
#
# The models are those of ../shared/pnnx, where they are; rows are those of the table of capabilities.
. "$(dirname "$0")/lib.sh"

# As diff -w has it.
same_words() { meets "$1 and $2 differ in blanks only" diff -w "$1" "$2"; }

cat >net.pnnx.param <<'END'
7767517
5 4
pnnx.Input x 0 1 x #x=(2,3)f32
pnnx.Attribute	w   0 1 w @data=(3)f32 #w=(3)f32
pnnx.Expression e 2 1 x w m expr=mul(@0,add(@1,1.0e+00)) #x=(2,3)f32 #w=(3)f32 #m=(2,3)f32
torch.clamp c 1 1 m y max=1e9 min=-2147483648.0 $input=m #m=(2,3)f32 #y=(2,3)f32
pnnx.Output out 1 0 y #y=(2,3)f32
END
pnnx_weights >net.pnnx.bin

# --- C13: the written form is kept; C21: both forms of archives -----------------------------------

run 0 convert --raw net.pnnx.param copy.param
silent
same_words net.pnnx.param copy.param
exists copy.bin
differ net.pnnx.bin copy.bin
run 0 compare net.pnnx.param copy.param --random=3 --atol=0 --rtol=0
run 0 convert --raw copy.param again --to=pnnx
same copy.param again
same copy.bin again.bin
run 3 convert --raw copy.param copy.param
err_has 'copy\.bin.*the model was read from this file'
run 0 convert --raw copy.param copy.param --force
same copy.param again
same copy.bin again.bin
mkdir elsewhere
mv copy.bin elsewhere/weights
run 0 convert --raw copy.param moved.param --bin=elsewhere/weights
same moved.param again
same moved.bin again.bin

# --- the text alone -------------------------------------------------------------------------------

run 0 convert --raw copy.param - --to=pnnx
same out again
cat >kept.param <<'END'
7767517
3 2
pnnx.Input x 0 1 x #x=(?,3,%h,%w)f32
models.yolo.Detect d 1 1 x y a=inf b=-inf c=nan d=2147483647 e=-9223372036854775808 f=() g=[] h=(1,-2) i=[1.0,1e-3] j=None k=True l=1.0e+00+-2.5e+00j m= n=zeros o=torch.float p=1.500000e-05 expr=[size(@0,1),-1] $in=x @w=(3,1)cp64 @v=()bf16 #x=(?,3,%h,%w)f32 #y=(1)null
pnnx.Output y 1 0 y
END
run 0 convert --raw kept.param - --to=pnnx
same_words kept.param out

# --- what is refused, with nothing written --------------------------------------------------------

run 3 convert --raw kept.param new.param
one_error
err_has 'kept.bin'
err_has '--bin=FILE; the text alone is written to .-., with --to=pnnx'
absent new.param
absent new.bin
run 2 convert net.pnnx.param new.param
err_has 'add --raw'
run 2 convert --raw net.pnnx.param new.param --shape=x=4,3
err_has '--shape'
run 4 convert --raw "$digits" new.param
one_error
err_has "format 'nnef' cannot be written in PNNX"
err_has 'in NNEF, in ONNX or as a graph file'
run 0 convert net.pnnx.param net.onnx
run 4 convert --raw net.onnx new.param
err_has "format 'onnx' cannot"
run 0 convert net.pnnx.param net.ng
run 4 convert --raw net.ng new.param
err_has "format 'graph' cannot"
head -c 60 net.pnnx.bin >cut.bin
run 1 convert --raw net.pnnx.param new.param --bin=cut.bin
err_has 'cut short'
mkdir -p new.bin/full
run 3 convert --raw net.pnnx.param new.param
one_error
err_has 'new.bin'
absent new.param
rm -r new.bin
mkdir new.param
run 3 convert --raw net.pnnx.param new.param --to=pnnx
absent new.bin
rmdir new.param
run 2 convert --raw net.pnnx.param new.txt
err_has '.param'

if [ -e /dev/full ]; then
    run 3 convert --raw net.pnnx.param /dev/full --to=pnnx
    one_error
    err_has '/dev/full'
fi

# --- C13, C21: all models that are there ----------------------------------------------------------

# Where there are no weights only the text is written.
write_model()
{
    if [ -e "${1%.param}.bin" ]; then
        run 0 convert --raw "$1" written.param
        silent
        run 0 convert --raw written.param second.param
        same written.bin second.bin
    else
        run 3 convert --raw "$1" no.param
        absent no.param
        run 0 convert --raw "$1" - --to=pnnx
        cp out written.param
    fi
    same_words "$1" written.param
}

pnnx=$top/../shared/pnnx
if [ -d "$pnnx" ]; then
    count=0
    for each in "$pnnx"/gen/*/*.param "$pnnx"/real-mit/*/*.param "$pnnx"/param-only-mit/*/*.param; do
        write_model "$each"
        count=$((count + 1))
    done
    meets 'these are those of the table' [ $((count + 1)) -eq "$(wc -l <"$pnnx/manifest.tsv")" ]
    for each in "$pnnx"/bad/good_*.param; do
        run 0 convert --raw "$each" - --to=pnnx
        same_words "$each" out
    done
    run 0 convert --raw "$pnnx/gen/seed_graph/seed_graph.pnnx.param" seed.param
    same seed.bin "$pnnx/gen/seed_graph/seed_graph.pnnx.bin"
else
    skipped=$((skipped + 1))
    echo 'skipped: models of PNNX, which are not here'
fi

finish
