#!/bin/sh
# test.sh - installs what is missing, builds nnefc and runs all its tests
#
# With NEED_NODE=1 also what lets ONNX Runtime judge, and the images of digits: what needs them is skipped otherwise.
set -eu
cd "$(dirname "$0")"
sh tools/setup.sh build test ${NEED_NODE:+onnx node digits}
exec make -j"$(getconf _NPROCESSORS_ONLN)" test
