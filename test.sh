#!/bin/sh
# test.sh - installs what is missing, builds nnefc and runs all its tests
set -eu
cd "$(dirname "$0")"
sh tools/setup.sh build onednn test
exec make -j"$(getconf _NPROCESSORS_ONLN)" test
