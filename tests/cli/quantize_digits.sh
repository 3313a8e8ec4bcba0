#!/bin/sh
# quantize_digits.sh - how many of 360 digits that it has not seen the network of the example reads once it is quantized
. "$(dirname "$0")/lib.sh"

if sanitized || ! /usr/bin/python3 "$top/tools/train_digits.py" --held-out=held 2>/dev/null; then
    echo 'skipped: images of digits are needed (tools/setup.sh digits), or they take too long here'
    skipped=1
    finish
    exit
fi
touch err

# reads MODEL - how many images of held/ it reads right
reads()
{
    for image in held/*.png; do
        digit=${image##*-}
        "$NNEFC" run "$1" -i "$image" |
            awk -v digit="${digit%.png}" '/^ *top [0-9]+$/ { getline; print $1 == digit; exit }'
    done | grep -c 1
}

# at_least COUNT MODEL
at_least()
{
    right=$(reads "$2")
    meets "$2 reads $1 digits (it was $right)" [ "$right" -ge "$1" ]
}

at_least 358 "$digits"
run 0 quantize "$digits" eight.onnx --data="$digits/images" -Wno-few-samples -q
at_least 357 eight.onnx
run 0 quantize "$digits" eight/ --data="$digits/images" -Wno-few-samples -q
at_least 357 eight
run 0 quantize "$digits" four/ --weights=int4 --block=32 -q
at_least 356 four
run 0 quantize "$digits" four.onnx --weights=int4 --block=32 -q
at_least 356 four.onnx

finish
