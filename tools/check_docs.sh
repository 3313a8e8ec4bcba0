#!/bin/sh
# check_docs.sh PROGRAM - docs/diagnostics.md is what `make docs` would write
cd "$(dirname "$0")/.." || exit 1

tools/diagnostics.sh "$1" | diff docs/diagnostics.md - ||
    { echo "docs/diagnostics.md differs from docs/diagnostics/explain.txt: run 'make docs'"; exit 1; }
