#!/bin/sh
# random_integers.sh [COUNT [SEED]] - nnefc and ONNX Runtime compute the same of random models of integers
#
# NNEFC names the program. What is needed is as in judge.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
need_onnxruntime

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
node "$here/random_integers.js" "${NNEFC:-$here/../../build/nnefc}" "$work" "$@"
