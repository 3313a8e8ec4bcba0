#!/bin/sh
# allocation.sh - whichever allocation fails, the program says so and leaves nothing half done
#
# FAILING names the library of tools/failing.c; without it, or where it cannot be preloaded, nothing
# is tested here.
. "$(dirname "$0")/lib.sh"

export FAILING_FOLDER="$work" FAILING_SPARE='libarchive libz ld-linux-x86-64 ld-linux-aarch64'
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:handle_segv=0
unset FAILING_RESULT FAILING_STEP

# Under the sanitizers every step takes long, so only some are taken; and they give up if there is no
# memory for what they know of a new thread.
threads=--threads=2
if sanitized; then
    threads=--threads=1
    export FAILING_STEP=23
fi

# walk RESULT ARGUMENT... - all of them, for a command that writes RESULT, or nothing if it is ''
walk()
{
    result=$1
    shift
    said="$* (with allocations that fail)"
    FAILING_RESULT=$result LD_PRELOAD=$FAILING "$NNEFC" "$@" >walked 2>err </dev/null
    got=$?
    meets "$(tail -n 1 walked)" [ $got -eq 0 ]
    [ $got -eq 0 ] || sed 's/^/  | /' walked
}

if [ -z "${FAILING:-}" ] || ! LD_PRELOAD=$FAILING "$NNEFC" help >out 2>err || [ -s err ]; then
    echo 'skipped: allocations that fail, which cannot be arranged here'
    skipped=1
    finish
    exit
fi

"$NNEFC" pack "$digits" model.tgz
"$NNEFC" pack "$digits" model.tar
"$NNEFC" run "$digits" -i "$three" -q -o whole.npy
"$NNEFC" check "$digits" --dump=graph >graph
mkdir bare made
cp "$digits/graph.nnef" bare
printf 'version 1.0;\ngraph net( x ) -> ( y )\n{\n    y = neg(z);\n    x = 1;\n}\n' >faulty.nnef

walk '' check "$digits"
walk '' check model.tgz --dump=graph
for format in human short json sarif; do
    walk '' check faulty.nnef --message-format=$format
done
walk made/y.npy run --backend=portable "$digits" -i "$three" "$threads" -o made/y.npy
walk made/y.dat run --backend=portable model.tgz -i "$three" "$threads" -o made/y.dat
walk made/y.onnx convert "$digits" made/y.onnx
walk '' convert model.tgz - --to=nnef
# What they have in common was walked through.
sanitized || export FAILING_STEP=3
walk made/y.npz run --backend=portable model.tar -i "$three" "$threads" -o made/y.npz --json
walk bare/conv1/filter.dat init bare --force
walk made/packed.tgz pack "$digits" made/packed.tgz
walk made/packed.tar pack model.tgz made/packed.tar
walk made/model.onnx convert "$digits" made/model.onnx
"$NNEFC" compile "$digits" -o packed.ng --pack
walk made/packed.ng compile "$digits" -o made/packed.ng --pack
walk made/y.npz run --backend=portable packed.ng -i "$three" "$threads" -o made/y.npz

# A small model, of which each allocation counts twice.
model small 'x = external<scalar>(shape = [1,3]);' 'c = neg(x);' 'y = abs(c);'
"$NNEFC" run small --random -q -o recorded/
walk '' compare small small/graph.nnef --random "$threads" --layers --json
walk '' compare small recorded --random "$threads" --layers
walk '' run --backend=portable small --random "$threads" --expect recorded --json
# A set that replaces another one. Files of before may not vanish.
mkdir replaced
{
    echo 'version 1.0; graph net( x ) -> ( y ) { x = external(shape = [1,16]);'
    echo "a = variable(label = 'a', shape = [16,16]); b = variable(label = 'b/c', shape = [16,16]);"
    echo 'z = matmul(x, a); y = matmul(z, b); }'
} >replaced/graph.nnef
"$NNEFC" init replaced -q
"$NNEFC" convert replaced replaced/m.onnx --external-data -q
find replaced | sort >files
walk '' convert replaced replaced/m.onnx --external-data
walk '' init replaced --force
find replaced | sort >left
meets 'all files are there, and no other' cmp files left
# Several shapes, of which one is planned while another is there; a model in parts.
for n in 2 3; do
    model row$n "x = external<scalar>(shape = [$n]);" 'y = copy(x);'
    "$NNEFC" run row$n --random -q -o y=x$n.npy
done
mkdir t
"${ONNX_MODELS:-$top/build/release/tests/onnx_models}" t >/dev/null
walk '' run --backend=portable t/parts.onnx --threads=1 -i x2.npy -i x3.npy -i x2.npy --limit=plans=1 --json
model wide 'x = external<scalar>(shape = [1,4]);' 'y = copy(x);'
"$NNEFC" run wide --random -q -o y=wide.npy
walk '' run --backend=portable small --open x:1 --threads=1 -i x=wide.npy --state x=y --steps 2
walk '' list small --json
printf '7767517\n3 2\npnnx.Input x 0 1 0 #0=(1,%%n)f32\nF.relu r 1 1 0 1 a=(1,b) c=1+2j\npnnx.Output y 1 0 1\n' >net.param
walk '' list net.param --json
walk '' info net.param

finish
