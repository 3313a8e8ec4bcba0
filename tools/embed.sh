#!/bin/sh
# embed.sh FILE - prints FILE as a C array, followed by a zero that its size does not count
#
# stdlib.nnef becomes nnefc_stdlib_1_0_text, any other NAME.nnef nnefc_stdlib_NAME_text, with '_' for
# each '-' in NAME; NAME.h, a kernel text of src/backend/c or src/op, becomes c_text_NAME.  NAME.js and NAME.css, of
# src/driver/view, become NAME_js and NAME_css, with the base64 of their SHA-256 in NAME_js_sum.
set -eu

case $1 in
*.nnef)
    name=$(basename "$1" .nnef | tr - _)
    [ "$name" = stdlib ] && name=1_0
    name=nnefc_stdlib_$name
    header=sema/stdlib_text.h array=${name}_text
    ;;
*.js | *.css)
    name=$(basename "$1" | tr . _)
    header=driver/view/page.h array=$name
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

[ "$header" = driver/view/page.h ] || exit 0
sha256sum <"$1" | awk '
function bits(at, count,    n, i) { for (i = n = 0; i < count; i++) n = 2 * n + substr(binary, at + i, 1); return n }
{
    for (i = 1; i <= 64; i++)
        binary = binary four[index("0123456789abcdef", substr($1, i, 1))]
    binary = binary "00"
    for (i = 1; i <= 258; i += 6)
        sum = sum substr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bits(i, 6) + 1, 1)
    printf "const char '"$name"'_sum[] = \"%s=\";\n", sum
}
BEGIN {
    for (i = 0; i < 16; i++)
        four[i + 1] = int(i / 8) % 2 "" int(i / 4) % 2 "" int(i / 2) % 2 "" i % 2
}'
