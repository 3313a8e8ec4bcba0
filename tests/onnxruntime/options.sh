#!/bin/sh
# options.sh - what the options of `nnefc convert` make of models is the same to ONNX Runtime
#
# NNEFC names the program. What is needed and missing is skipped as in judge.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
need_onnxruntime

cd "$here/../.." || exit 1
models=tests/onnxruntime/models
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# count WHAT STATUS
count()
{
    case $2 in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *)
        failed=$((failed + 1))
        echo "not met: $1"
        ;;
    esac
}

# agrees MODEL OPSET OPTION... - and please the checker of ONNX
agrees()
{
    model=$1
    shift
    data=$work/${model##*/}
    [ -d "$data" ] || "$NNEFC" init "$model" --data "$data" || exit 1
    node "$here/agree.js" "$NNEFC" "$model" "$data" "$work" "$@"
    count "$model agrees with opset $*" $?
    tools/check_onnx.py "$work/model.onnx" >"$work/checked"
    count "$model passes the checker with opset $*" $?
}

for opset in 13 21 23; do
    agrees $models/quantized $opset --quant=qdq
    agrees $models/quantized $opset --quant=apply
    agrees $models/stateful $opset
done
agrees $models/quantized 17 --quant=qdq
agrees $models/quantized 17 --quant=keep
agrees $models/quantized 17 --quant=apply --quant-file=$models/quantized/ordinary.quant
agrees $models/quantized 17 --quant=apply --quant-file=$models/quantized/wide.quant
agrees $models/quantized 21 --quant=qdq --quant-file=$models/quantized/wide.quant
agrees $models/quantized 21 --quant=qdq --quant-file=$models/quantized/wide.quant --external-data
agrees $models/blocks 17 --quant=qdq
agrees $models/blocks 21 --quant=qdq
agrees $models/blocks 23 --quant=qdq --external-data
agrees $models/stateful 17 --quant=apply
agrees $models/stateful 17 --quant=qdq --external-data
agrees $models/stateful 17 --state=default
agrees examples/nnef/digits 17 --quant=qdq --quant-file=$models/digits.quant --external-data
agrees examples/nnef/provisional 17 --external-data
agrees examples/nnef/resnet 17 --external-data
agrees examples/nnef/resnet 17 --functions
agrees $models/fragments 13 --functions
agrees $models/fragments 21 --functions
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
