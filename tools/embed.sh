#!/bin/sh
# embed.sh FILE - prints FILE as a C array, followed by a zero that its size does not count
#
# stdlib.nnef becomes nnefc_stdlib_1_0_text, any other NAME.nnef nnefc_stdlib_NAME_text, with '_' for
# each '-' in NAME.
set -eu

name=$(basename "$1" .nnef | tr - _)
[ "$name" = stdlib ] && name=1_0

echo '#include "sema/stdlib_text.h"'
echo
echo "const unsigned char nnefc_stdlib_${name}_text[] = {"
od -An -v -tu1 "$1" | sed 's/  *\([0-9]\)/ \1/g; s/\([0-9]\)\( \|$\)/\1,\2/g'
echo ' 0};'
echo "const size_t nnefc_stdlib_${name}_size = sizeof nnefc_stdlib_${name}_text - 1;"
