#!/bin/sh
# open.sh [--all] - models with an open extent compute the same as nnefc does at several extents
#
# ONNX_OPEN names the program that writes the cases, of each statement of the documents that
# depends on an external; without --all of a few only. What is needed and missing is
# skipped as in judge.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
. "$here/need.sh"
need_onnxruntime

case ${1:-} in
--all) set -- tests/op tests/lower tests/language ;;
*)
    set -- tests/op/*/combined.nnef tests/op/shape/reshape.nnef tests/op/reduce/argmax_reduce.nnef
    set -- "$@" tests/op/box/combined.nnef tests/op/resize tests/lower/shape-arithmetic.nnef
    ;;
esac
cases=$(mktemp -d) || exit 1
trap 'rm -rf "$cases"' EXIT
trap 'exit 1' HUP INT TERM
node "$here/slices.js" "$cases" "$@" || exit 1
"${ONNX_OPEN:-build/release/tests/onnx_open}" "$cases" || exit 1
node "$here/judge.js" "$cases" --open
