#!/bin/sh
# empty.sh [OPERATOR] - operators of ONNX whose inputs have extents of 0 give what ONNX Runtime gives
#
# NNEFC names the program. Without node or npm this is skipped as judge.sh is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
need_onnxruntime

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
node "$here/empty.js" "${NNEFC:-$here/../../build/nnefc}" "$work" "$@"
