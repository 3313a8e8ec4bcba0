#!/bin/sh
# judge.sh [DOCUMENT|FOLDER...] - lets ONNX Runtime compute what nnefc writes, and compares
#
# ONNX_CASES names the program that writes the cases. Without node or npm this is skipped, or with
# NEED_NODE fails; npm fetches ONNX Runtime once, as package-lock.json says.
set -u
here=$(dirname "$0")
all=
[ $# -gt 0 ] || { all=--all; set -- "$here/../op" "$here/../lower" "$here/../language"; }

skip()
{
    echo "skipped: ONNX Runtime has not judged what nnefc writes: $1"
    [ -z "${NEED_NODE:-}" ] || exit 1
    exit 77
}

command -v node >/dev/null && command -v npm >/dev/null || skip 'node and npm are needed'
if [ ! -d "$here/node_modules/onnxruntime-node" ]; then
    (cd "$here" && npm ci --ignore-scripts >/dev/null 2>&1) || skip 'npm cannot fetch onnxruntime-node'
fi
cases=$(mktemp -d) || exit 1
trap 'rm -rf "$cases"' EXIT
trap 'exit 1' HUP INT TERM
"${ONNX_CASES:-build/release/tests/onnx_cases}" "$cases" "$@" || exit 1
node "$here/judge.js" "$cases" $all
