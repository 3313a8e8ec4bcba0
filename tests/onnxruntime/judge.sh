#!/bin/sh
# judge.sh [--passes] [DOCUMENT|FOLDER...] - lets ONNX Runtime compute what nnefc writes, and compares
#
# With --passes it is what the passes that run by default make of the documents. ONNX_CASES names
# the program that writes the cases. Without node or npm this is skipped, or with NEED_NODE fails;
# npm fetches ONNX Runtime once, as package-lock.json says.
set -u
here=$(cd "$(dirname "$0")" && pwd)
all= passes=
[ "${1-}" != --passes ] || { passes=--passes; shift; }
cd "$here/../.." || exit 1
[ $# -gt 0 ] || {
    [ -n "$passes" ] || all=--all
    set -- tests/op tests/lower tests/language ${passes:+tests/passes}
}

. "$here/need.sh"
need_onnxruntime

cases=$(mktemp -d) || exit 1
trap 'rm -rf "$cases"' EXIT
trap 'exit 1' HUP INT TERM
# shellcheck disable=SC2086 # perhaps none
"${ONNX_CASES:-build/release/tests/onnx_cases}" $passes "$cases" "$@" || exit 1
node "$here/judge.js" "$cases" $all
