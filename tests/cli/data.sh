#!/bin/sh
# data.sh - rules of tensor files: what 'run' refuses, and what is close to that and read
#
# Each file is written byte by byte (NNEF 1.0.5, section 5.2) for the variable 'w' of a model whose
# result is what it holds. tools/rules.sh finds the lines 'refused RULE' and 'accepted RULE'.
. "$(dirname "$0")/lib.sh"

# --- files ------------------------------------------------------------------------------------

# bytes COUNT NUMBER... - each number in so many bytes, the lowest first
bytes()
{
    count=$1
    shift
    for number; do
        left=$count
        while [ "$left" -gt 0 ]; do
            # shellcheck disable=SC2059 # an octal escape
            printf "\\$(printf %03o $((number % 256)))"
            number=$((number / 256)) left=$((left - 1))
        done
    done
}

zeros() { head -c "$1" /dev/zero; }

# dat TYPE BITS "EXTENT..." - makes net/w.dat of standard input
dat()
{
    cat >items
    {
        bytes 1 78 239 1 0
        # shellcheck disable=SC2086 # numbers
        {
            bytes 4 "$(wc -c <items)" "$(set -- $3 && echo $#)" $3
            bytes 4 >pad
            zeros 32 | tail -c +$((1 + 4 * $(set -- $3 && echo $#)))
        }
        bytes 4 "$2" "$1"
        zeros 76
        cat items
    } >net/w.dat
}

# patch OFFSET COUNT NUMBER - other bytes in net/w.dat
patch() { bytes "$2" "$3" | dd of=net/w.dat bs=1 seek="$1" conv=notrunc 2>/dev/null; }

float=0 unsigned=1 quantized_unsigned=2 quantized_signed=3 signed=4 bool=5
one_two_three() { bytes 2 0 16256 0 16384 0 16448; }

# net TYPE SHAPE - a model without data
net()
{
    rm -rf net
    model net 'x = external<scalar>(shape = [1]);' "w = variable<$1>(shape = $2, label = 'w');" \
        'y = cast<scalar>(w);'
}

# provisional SHAPE
provisional()
{
    rm -rf net
    mkdir net
    printf '%s\n' 'version 1.0' 'graph net( x ) -> ( y )' '{' '    x = external(shape = [1])' \
        "    w = variable(shape = $1, label = 'w')" '    y = idn(w)' '}' >net/graph.nnef
}

# --- what comes of them -------------------------------------------------------------------------

is_refused() { [ "$got" -eq 3 ] && [ "$(grep -c 'error\[' err)" -eq 1 ] && grep -q "error\[$1\]" err; }
is_read() { [ "$got" -eq 0 ] && [ ! -s err ] && grep -q "^    values $1\$" out; }

compute()
{
    said='run net --random'
    "$NNEFC" run net --random >out 2>err
    got=$?
}

# refused RULE WHAT CODE
refused()
{
    compute
    meets "$1: $2 is refused, $3" is_refused "$3"
}

# accepted RULE WHAT "VALUE..."
accepted()
{
    compute
    meets "$1: $2 is read as $3" is_read "$3"
}

# R159, section 5.1: each variable has a file
net scalar '[3]'
refused R159 'a variable without a file' N0180
one_two_three | dat $float 32 3
mv net/w.dat net/w.dat.float32
refused R159 'a file of another version only' N0180
cp net/w.dat.float32 net/w.dat
accepted R159 'a file beside another version' '1 2 3'
mv net/w.dat net/W.dat
accepted R159 'a file whose name differs by case' '1 2 3'

# Labels that differ by case are one, so two files of them are equal. In ONNX such names are of different tensors.
rm -rf both
model both 'x = external<scalar>(shape = [300]);' "W_2 = variable<scalar>(shape = [300], label = 'W_2');" \
    "V_2 = variable<scalar>(shape = [300], label = 'V_2');" 'c = add(x, W_2);' 'y = mul(c, V_2);'
run 0 init both
run 0 run both --fill=1 -o two.dat
run 0 convert both both.onnx
LC_ALL=C sed 's/V_2/w_2/g' both.onnx >cases.onnx
run 0 convert cases.onnx cases/
meets 'two tensors have two files' [ "$(find cases -name '*.dat' | tr '[:upper:]' '[:lower:]' | sort -u | wc -l)" -eq 2 ]
run 0 run cases --fill=1 --expect two.dat
sed -i "s/label = 'V_2'/label = 'w_2'/" both/graph.nnef
mv both/V_2.dat both/w_2.dat
for command in 'verify both' 'run both --fill=1' 'convert both merged/' 'pack both merged.tgz'; do
    # shellcheck disable=SC2086 # words
    run 1 $command
    err_has "N0085.*labels 'W_2' and 'w_2' are the same, because case does not count, but their files differ"
    one_error
done
absent merged
cp both/W_2.dat both/w_2.dat
run 0 verify both
rm both/w_2.dat
run 0 verify both

# R160, section 5.2: extents are those of the variable, and as many
one_two_three | dat $float 32 '3 1'
refused R160 'another rank' N0183
one_two_three | dat $float 32 '1 3'
refused R160 'another rank' N0183
one_two_three | dat $float 32 3
accepted R160 'the same shape' '1 2 3'
net scalar '[3,1]'
one_two_three | dat $float 32 '1 3'
refused R160 'another order of extents' N0183
one_two_three | dat $float 32 '3 1'
accepted R160 'the same shape' '1 2 3'
provisional '[3]'
one_two_three | dat $float 32 '3 1'
accepted R160 'a trailing 1 in the provisional dialect' '1 2 3'
one_two_three | dat $float 32 '1 3'
refused R160 'a leading 1 in the provisional dialect' N0183

# R161, section 5.2.1: the items have the data-type of the variable
net integer '[3]'
one_two_three | dat $float 32 3
refused R161 'floats for integers' N0184
bytes 1 1 0 1 | dat $bool 8 3
refused R161 'booleans for integers' N0184
bytes 1 1 2 255 | dat $unsigned 8 3
accepted R161 'unsigned integers' '1 2 255'
bytes 1 1 2 255 | dat $signed 8 3
accepted R161 'signed integers' '1 2 -1'
net scalar '[3]'
bytes 1 1 2 3 | dat $signed 8 3
refused R161 'integers for scalars' N0184
bytes 2 15360 16384 50176 | dat $float 16 3
accepted R161 'half floats' '1 2 -4'
bytes 2 0 0 0 16368 0 0 0 16384 0 0 0 49168 | dat $float 64 3
accepted R161 'double floats' '1 2 -4'
net logical '[3]'
bytes 1 1 0 1 | dat $unsigned 8 3
refused R161 'integers for logical values' N0184
bytes 1 1 0 255 | dat $bool 8 3
accepted R161 'booleans, of which any that is not zero is true' '1 0 1'

# R162, section 5.2: a header says what there is
net scalar '[3]'
for lie in 'a first byte:0 1 77' 'a second byte:1 1 238' 'a major version:2 1 2' \
    'a minor version:3 1 1' 'a rank above 8:8 4 9' 'floats of 24 bits:44 4 24' \
    'floats of 0 bits:44 4 0' 'an unknown type:48 2 6'; do
    one_two_three | dat $float 32 3
    # shellcheck disable=SC2086 # three numbers
    patch ${lie#*:}
    refused R162 "${lie%:*}" N0182
done
for lie in '4 4 11' '4 4 13' '12 4 2' '44 4 16'; do
    one_two_three | dat $float 32 3
    # shellcheck disable=SC2086 # three numbers
    patch $lie
    refused R162 "a length that does not follow from shape and bits ($lie)" N0185
done
one_two_three | dat $float 32 3
accepted R162 'the header without a lie' '1 2 3'
net scalar '[1,1,1,1,1,1,1,3]'
one_two_three | dat $float 32 '1 1 1 1 1 1 1 3'
accepted R162 'a rank of 8' '1 2 3'
net logical '[5]'
bytes 1 168 | dat $bool 2 5
refused R162 'booleans of 2 bits' N0182
bytes 1 168 | dat $bool 1 5
accepted R162 'booleans of 1 bit, the last byte padded' '1 0 1 0 1'
net integer '[2]'
bytes 1 127 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 | dat $signed 64 2
accepted R162 'integers of 64 bits' '127 1'
patch 44 4 65
refused R162 'integers of 65 bits' N0182
bytes 1 30 | dat $unsigned 4 2
accepted R162 'integers of 4 bits' '1 14'

# R171, sections 5.2, 5.2.1: what quantized items mean is said in graph.quant
net scalar '[3]'
bytes 1 0 128 255 | dat $quantized_unsigned 8 3
refused R171 'quantized data without a quantization file' N0217
echo '"x": linear_quantize(min = 0.0, max = 255.0, bits = 8);' >net/graph.quant
refused R171 'quantized data with an entry for another tensor' N0217
echo '"w": linear_quantize(min = 0.0, max = 255.0, bits = 8);' >net/graph.quant
accepted R171 'quantized data with an entry' '0 128 255'
bytes 1 0 128 255 | dat $quantized_signed 8 3
entry='zero_point_linear_quantize(zero_point = 0, scale = 0.5, bits = 8, signed = true'
echo "\"w\": $entry, symmetric = false);" >net/graph.quant
accepted R171 'signed quantized data with an entry' '0 -64 -0.5'
rm net/graph.quant
one_two_three | dat $float 32 3
accepted R171 'floats without an entry' '1 2 3'
finish
