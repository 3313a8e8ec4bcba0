#!/bin/sh
# examples.sh - the examples, converted, compute the same in ONNX Runtime, and please its checker
#
# NNEFC names the program. What is needed and missing is skipped as in judge.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
need_onnxruntime

cd "$here/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# count WHAT STATUS
count()
{
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not met: $1"
    fi
}

for model in digits resnet provisional; do
    data=examples/nnef/$model
    if ! ls "$data"/*.dat "$data"/*/*.dat >/dev/null 2>&1; then
        data=$work/$model
        "$NNEFC" init "examples/nnef/$model" --data "$data" || exit 1
    fi
    for opset in 13 17 21; do
        node "$here/agree.js" "$NNEFC" "examples/nnef/$model" "$data" "$work" $opset
        count "$model agrees at opset $opset" $?
    done
    "$NNEFC" convert "examples/nnef/$model" "$work/model.onnx" --data "$data"
    "$NNEFC" convert "examples/nnef/$model" "$work/again.onnx" --data "$data"
    cmp "$work/model.onnx" "$work/again.onnx"
    count "$model makes the same bytes twice" $?
    # The checker is for the standard opset: later ones are unknown to older checkers.
    if /usr/bin/python3 -c 'import onnx' 2>/dev/null; then
        /usr/bin/python3 "tools/check_onnx.py" "$work/model.onnx" >/dev/null
        count "$model passes the checker of ONNX" $?
    else
        echo "skipped: the checker of ONNX is not here (python3-onnx)"
        skipped=$((skipped + 1))
    fi
done

# agrees MODEL OPTION...
agrees()
{
    model=$1
    data=examples/nnef/$model
    [ ! -d "$work/$model" ] || data=$work/$model
    shift
    node "$here/agree.js" "$NNEFC" "examples/nnef/$model" "$data" "$work" 17 "$@"
    count "$model agrees with $*" $?
}

for batch in 1 3 10; do
    agrees digits --dynamic=image:0=batch --shape=image=$batch,1,8,8
done
for shape in 2,3,64,64 1,3,97,64 3,3,50,75; do
    agrees resnet --dynamic=image:0=batch --dynamic=image:2=height --dynamic=image:3=width \
        --shape=image=$shape
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
