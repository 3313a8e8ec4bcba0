#!/bin/sh
# demo.sh - installs what is missing, builds nnefc and lets it read ten handwritten digits
set -eu
cd "$(dirname "$0")"
sh tools/setup.sh build
exec make -j"$(getconf _NPROCESSORS_ONLN)" demo
