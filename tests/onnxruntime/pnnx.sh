#!/bin/sh
# pnnx.sh - models of PNNX, in ONNX as nnefc converts them, compute in ONNX Runtime what other engines did
#
# NNEFC names the program. The models are those of ../shared/pnnx; where they are not here, or what else is
# needed is missing, this is skipped as in judge.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
models=${NNEFC_SHARED:-$here/../../../shared}/pnnx
[ -d "$models" ] || {
    echo "skipped: ONNX Runtime has not judged models of PNNX: there is no ../shared/pnnx"
    exit 77
}
need_onnxruntime

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
node "$here/pnnx.js" "${NNEFC:-$here/../../build/nnefc}" "$models" "$work"
