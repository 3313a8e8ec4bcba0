#!/bin/sh
# compare.sh NAME [ARGUMENT...] - models that NAME.js makes compute what ONNX Runtime computes
#
# NNEFC names the program. Without node or npm this is skipped as judge.sh is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
need_onnxruntime

name=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
node "$here/$name.js" "${NNEFC:-$here/../../build/nnefc}" "$work" "$@"
