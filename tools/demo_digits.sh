#!/bin/sh
# demo_digits.sh PROGRAM - runs the digits example on its images and tells which digits it reads
#
# An image is called INDEX-DIGIT.png after the digit that it shows.
set -eu

program=$1
model=examples/nnef/digits
cd "$(dirname "$0")/.."

echo
echo "$program run $model --input $model/images/IMAGE"
echo
echo 'IMAGE      digit   probability'
seen=0 right=0
for image in "$model"/images/*.png; do
    name=$(basename "$image")
    shown=${name#*-}
    summary=$("$program" run "$model" --input "$image")
    # The line after "top 5" holds the best score: its index, the digit, and its value.
    best=$(echo "$summary" | awk '/^ *top [0-9]+$/ { getline; printf "%d %.2f", $1, 100 * $2; exit }')
    read=${best% *}
    remark=
    seen=$((seen + 1))
    if [ "$read" = "${shown%.png}" ]; then
        right=$((right + 1))
    else
        remark="   is a ${shown%.png}"
    fi
    printf '%-11s  %s      %6s %%%s\n' "$name" "$read" "${best#* }" "$remark"
done
echo
echo "$right of $seen right"
