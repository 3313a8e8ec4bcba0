#!/bin/sh
# bench_serve.sh - the programs of `make bench` keep to the protocol of bench/serve.h, and compute the same
#
# SERVE names their folder. How long anything took is not judged.
. "$(dirname "$0")/lib.sh"

SERVE=${SERVE:-$top/build/release/bench}

# Numbers between 0 and 1 for an image, as a tensor and as floats only.
model numbers 'x = external<scalar>(shape = [1,1,8,8]);' \
    'v = variable<scalar>(shape = [1,1,8,8], label = "v");' 'y = add(x, v);'
run 0 init numbers
tail -c 256 numbers/v.dat >floats
run 0 run "$digits" --passes=default -i numbers/v.dat -o expected.dat
tail -c 40 expected.dat >expected

# serve STATUS SIDE COMMANDS ARGUMENT... - what the side answers to commands is in out
serve()
{
    expected=$1 side=$2 commands=$3
    shift 3
    said="(serve_$side $*)"
    # shellcheck disable=SC2059 # lines
    printf "$commands" | "$SERVE/serve_$side" "$@" >out 2>err
    got=$?
    meets "exit status $expected (it was $got)" [ "$got" -eq "$expected" ]
}

# Whether floats of two files are nearly the same.
near()
{
    od -An -v -tf4 -w4 "$1" >one
    od -An -v -tf4 -w4 "$2" | paste one - | awk '
        { apart = $1 - $2; if (apart < 0) apart = -apart; if (apart > 1e-5) exit bad = 1 }
        END { exit bad || NR != 10 }'
}

# keeps_protocol SIDE MODEL
keeps_protocol()
{
    serve 0 "$1" 'run 3\nwrite results\nrun 1\n' "$2" 1 image 1,1,8,8 floats
    quiet_err
    meets 'it tells of its start' grep -Eq \
        "^ready name=$1 version=[0-9.]+ backend=[a-z]+ load=[0-9.]+ plan=[0-9.]+ first=[0-9.]+ cpu=[0-9]+ peak=[0-9]+\$" out
    meets 'it answers each command' [ "$(cut -d' ' -f1 out | tr '\n' ' ')" = \
        'ready wall wall wall done output done wall done ' ]
    out_has '^wall [1-9][0-9]* [0-9]+$'
    out_has '^output 1 10$'
    out_has '^done cpu=[1-9][0-9]* peak=[1-9][0-9]*$'
    meets 'results are those of nnefc run' near results expected
    serve 0 "$1" 'pace 2\n' "$2" 1 image 1,1,8,8 floats
    meets 'each run has a pace' [ "$(grep -Ec '^wall [1-9][0-9]* [0-9]+ [1-9][0-9]*$' out)" = 2 ]
    serve 1 "$1" 'sleep 1\n' "$2" 1 image 1,1,8,8 floats
    err_has "there is no command 'sleep 1'"
    serve 1 "$1" 'run 0\n' "$2" 1 image 1,1,8,8 floats
    err_has 'expected a number of runs'
    serve 1 "$1" 'write no/where\n' "$2" 1 image 1,1,8,8 floats
    err_has "'no/where' cannot be written"
    serve 1 "$1" '' nowhere 1 image 1,1,8,8 floats
    meets 'it says that there is no model' [ -s err ]
    serve 1 "$1" '' "$2" 1 image 1,1,8,9 floats
    err_has 'does not hold 72 floats'
    serve 1 "$1" '' "$2" 1 image 1,1,8,8 floats nonsense
    err_has "there is no setting 'nonsense'"
    for shape in '' '1,' ,1 1,0 1x 1,1,1,1,1,1,1,1,64 99999999999,99999999999; do
        serve 2 "$1" '' "$2" 1 image "$shape" floats
        err_has '^usage: '
    done
    serve 2 "$1" '' "$2" 0 image 1,1,8,8 floats
    serve 2 "$1" '' "$2" 1 image 1,1,8,8
}

keeps_protocol nnefc "$digits"
serve 1 nnefc '' "$digits" 1 image 1,1,8,8 floats backend=imaginary
err_has "no backend 'imaginary'"

run 0 convert "$digits" digits.onnx
ORT_LIBRARY=$(find "$top/tests/onnxruntime/node_modules/onnxruntime-node/bin" -path "*/linux/x64/*" \
    -name 'libonnxruntime.so.*' 2>/dev/null | head -n 1)
export ORT_LIBRARY
if [ -n "$ORT_LIBRARY" ] && [ "$(uname -m)" = x86_64 ] && ! ldd "$NNEFC" | grep -q libasan; then
    keeps_protocol onnxruntime digits.onnx
    serve 0 onnxruntime 'run 1\n' digits.onnx 1 image 1,1,8,8 floats session.intra_op.allow_spinning=0
    ORT_LIBRARY=/no/where
    serve 1 onnxruntime '' digits.onnx 1 image 1,1,8,8 floats
    err_has '/no/where'
else
    echo 'skipped: ONNX Runtime is not here, or not for these sanitizers'
    skipped=$((skipped + 1))
fi

# What is had before either side starts.
for size in '' 0 x 1x '-1 1'; do
    # shellcheck disable=SC2086 # words
    "$SERVE/have_memory" $size 2>err
    meets "have_memory $size: exit status 2" [ $? -eq 2 ]
    err_has '^usage: '
done
ASAN_OPTIONS=allocator_may_return_null=1 "$SERVE/have_memory" 9000000000000000000 2>err
meets 'more memory than there is: exit status 1' [ $? -eq 1 ]
"$SERVE/have_memory" 5000000
meets 'memory is had' [ $? -eq 0 ]

# What is made of these answers.
if command -v node >/dev/null; then
    node "$top/tests/bench/bench.js" >out 2>err
    meets 'ratios and tables are made as they should be' [ $? -eq 0 ]
else
    echo 'skipped: ratios and tables are made by node'
    skipped=$((skipped + 1))
fi

finish
