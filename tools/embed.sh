#!/bin/sh
# embed.sh FILE - prints FILE as a C array, followed by a zero that its size does not count
#
# stdlib.nnef becomes nnefc_stdlib_1_0_text, any other NAME.nnef nnefc_stdlib_NAME_text, with '_' for
# each '-' in NAME; NAME.h, a kernel text of src/backend/c, becomes c_text_NAME.
set -eu

case $1 in
*.nnef)
    name=$(basename "$1" .nnef | tr - _)
    [ "$name" = stdlib ] && name=1_0
    name=nnefc_stdlib_$name
    header=sema/stdlib_text.h array=${name}_text
    ;;
*)
    name=c_text_$(basename "$1" .h)
    header=backend/c/texts.h array=$name
    ;;
esac

echo "#include \"$header\""
echo
echo "const unsigned char ${array}[] = {"
od -An -v -tu1 "$1" | sed 's/  *\([0-9]\)/ \1/g; s/\([0-9]\)\( \|$\)/\1,\2/g'
echo ' 0};'
echo "const size_t ${name}_size = sizeof $array - 1;"
