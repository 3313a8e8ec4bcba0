#!/bin/sh
# judge.sh [DOCUMENT|FOLDER...] - lets ONNX Runtime compute what nnefc writes, and compares
#
# ONNX_CASES names the program that writes the cases. Without node or npm this is skipped, or with
# NEED_NODE fails; npm fetches ONNX Runtime once, as package-lock.json says.
set -u
here=$(cd "$(dirname "$0")" && pwd)
all=
cd "$here/../.." || exit 1
[ $# -gt 0 ] || { all=--all; set -- tests/op tests/lower tests/language; }

. "$here/need.sh"
need_onnxruntime

cases=$(mktemp -d) || exit 1
trap 'rm -rf "$cases"' EXIT
trap 'exit 1' HUP INT TERM
"${ONNX_CASES:-build/release/tests/onnx_cases}" "$cases" "$@" || exit 1
node "$here/judge.js" "$cases" $all
