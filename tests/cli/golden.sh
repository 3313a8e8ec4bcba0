#!/bin/sh
# golden.sh - the digits are written as the same bytes on every machine: those whose sums tests/golden.txt has
#
# What is written in another way, on purpose, gets other sums: put the lines that this test shows into that file.
. "$(dirname "$0")/lib.sh"

# sum NAME - of standard input, but for nnefc's version
sum()
{
    printf '%s  %s\n' "$(LC_ALL=C sed "s/$version/VERSION/g" | sha256sum | cut -d ' ' -f 1)" "$1" >>sums
}

run 0 --version
version=$(sed -n '1s/^nnefc \([0-9.]*\).*/\1/p' out)
meets 'nnefc has a version' [ -n "$version" ]
run 0 convert "$digits" digits.onnx
run 0 convert "$digits" apart.onnx --external-data
run 0 convert "$digits" digits/
run 0 compile "$digits" -o digits.ng
find digits.onnx apart.onnx apart.onnx.data digits digits.ng -type f | LC_ALL=C sort >names
while read -r name; do
    sum "$name" <"$name"
done <names

# Who packed the weights is another one after each change of the kernels, so only the blocks are compared, which
# end the file: as words, which a big-endian machine writes in its own order.
NNEFC_KERNELS=generic
export NNEFC_KERNELS
run 0 compile "$digits" -o packed.ng --pack
run 0 info packed.ng
order=little
grep -q '^packed_for generic, big-endian' out && order=big
begin=$(od -A n -t u4 --endian=little -j 112 -N 4 packed.ng | tr -d ' ')
tail -c "+$((begin + 1))" packed.ng | od -A n -v -t x4 --endian="$order" >blocks
meets 'weights are packed' [ -s blocks ]
sum 'packed weights' <blocks
run 0 run packed.ng --input "$three" -v -o y.npz
err_has '^3 of 3 packed weights are from the file'
run 0 compare y.npz "$digits" --input "$three"

said='all of them'
diff "$top/tests/golden.txt" sums >err || cat err
meets 'the sums are those of tests/golden.txt' [ ! -s err ]
finish
