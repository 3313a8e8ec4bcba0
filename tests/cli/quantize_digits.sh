#!/bin/sh
# quantize_digits.sh - how many of 360 digits that it has not seen the network of the example reads once it is quantized
. "$(dirname "$0")/lib.sh"

# without_images REASON - skips the test; where NEED_NODE is set, the images are installed and have to be there
without_images()
{
    echo "skipped: quantized networks have not read digits: $1"
    skipped=1
    finish
    exit
}

! sanitized || without_images 'that takes too long here'
if ! /usr/bin/python3 "$top/tools/train_digits.py" --held-out=held 2>err; then
    [ -z "${NEED_NODE:-}" ] || { cat err; exit 1; }
    without_images 'python3-sklearn is needed (tools/setup.sh digits)'
fi

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
