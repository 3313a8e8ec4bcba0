#!/bin/sh
# emit_c_kinds.sh - C of quantized models, of variables that are updated, and of data at fault
. "$(dirname "$0")/lib.sh"

strict='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wcast-qual -Wundef -Wvla -Werror'

# --- quantized models give the bytes of a run --------------------------------------------------

cp -r "$digits" scores
sed -i 's/-> *( *probabilities *)/-> ( scores )/; /softmax/d' scores/graph.nnef
cat >image.nnef <<'EOG'
version 1.0;
graph net( image ) -> ( y )
{
    image = external<scalar>( shape = [1,1,8,8] );
    y = copy( image );
}
EOG
cat >bytes.c <<'EOC'
#include "net.h"
#include <stdio.h>

int main(void)
{
    static float image[64], scores[10];
#ifdef NET_WEIGHTS_FILE_BYTES
    static union {
        int64_t aligned;
        char bytes[NET_WEIGHTS_FILE_BYTES];
    } weights;
    FILE *file = fopen("net.bin", "rb");

    if (!file || fread(weights.bytes, 1, NET_WEIGHTS_FILE_BYTES, file) != NET_WEIGHTS_FILE_BYTES)
        return 1;
#define WEIGHTS weights.bytes,
#else
#define WEIGHTS
#endif

    return fread(image, 4, 64, stdin) != 64 || net_run(WEIGHTS image, scores) != 0 ||
           fwrite(scores, 4, 10, stdout) != 10;
}
EOC
run 0 quantize scores small.onnx --data="$digits/images" -Wno-few-samples -q
run 0 quantize scores small --to=nnef --data="$digits/images" -Wno-few-samples -q
for model in small.onnx small; do
    run 0 emit-c "$model" -o net.c
    meets "layers of $model are integers" [ "$(grep -c '^/\* .*: quantized_conv' net.c)" -eq 3 ]
    meets "weights of $model take a byte each" grep -q '^static const int8_t net_c' net.c
    # shellcheck disable=SC2086 # flags
    meets "$model compiles without warnings" $CC -std=c99 -O3 -march=native -ffp-contract=fast $strict net.c bytes.c -lm -o bytes
    for image in 0-0 3-3 8-8; do
        run 0 run image.nnef -i "$digits/images/$image.png" -o image.dat -q
        tail -c +129 image.dat >image.raw
        run 0 run "$model" -i "$digits/images/$image.png" -o scores.dat -q
        tail -c +129 scores.dat >expected.raw
        ./bytes <image.raw >found.raw
        meets "$model computes the bytes of a run for $image" cmp -s found.raw expected.raw
    done
    for form in string file; do
        run 0 emit-c "$model" -o net.c --weights=$form
        meets "weights of $model are in a $form" not grep -q '^static const [a-z0-9_]* net_c' net.c
        # shellcheck disable=SC2086
        meets "they compile without warnings" $CC -std=c99 -O1 $strict net.c bytes.c -lm -o bytes
        ./bytes <image.raw >found.raw
        meets "$model computes the same with weights in a $form" cmp -s found.raw expected.raw
    done
done

# Kernels that are functions: GCC once warned of a loop over the channels that vectors leave, which has no iterations here.
mkdir depthwise
cat >depthwise/graph.nnef <<'EOG'
version 1.0;
graph net( image ) -> ( scores )
{
    image = external<scalar>( shape = [1,1,8,8] );
    f = variable<scalar>( shape = [32,1,3,3], label = 'f' );
    c = conv( image, f, padding = [(1,1), (1,1)] );
    g = variable<scalar>( shape = [32,1,3,3], label = 'g' );
    d = conv( relu( c ), g, padding = [(1,1), (1,1)], groups = 32 );
    h = variable<scalar>( shape = [10,32,8,8], label = 'h' );
    e = conv( relu( d ), h, padding = [(0,0), (0,0)] );
    scores = reshape( e, shape = [1,10] );
}
EOG
run 0 init depthwise
run 0 quantize depthwise small.onnx --data="$digits/images" -Wno-few-samples -q
run 0 emit-c small.onnx -o net.c
meets 'a depthwise layer is one of bytes' grep -q 'net_bytes_depthwise(&layer' net.c
run 0 run image.nnef -i "$digits/images/3-3.png" -o image.dat -q
tail -c +129 image.dat >image.raw
run 0 run small.onnx -i "$digits/images/3-3.png" -o scores.dat -q
tail -c +129 scores.dat >expected.raw
for flags in -O3 '-O3 -march=native'; do
    # shellcheck disable=SC2086
    meets "its functions compile without warnings by $flags" $CC -std=c99 $flags -DNET_SMALL $strict net.c bytes.c -lm -o bytes
    ./bytes <image.raw >found.raw
    meets "they compute the bytes of a run" cmp -s found.raw expected.raw
done

# A check expects what layers of integers give.  Scalars give other integers for some odd sums, as 0.11 * 0.13 / 0.0286 is near 0.5.
cat >halves.nnef <<'EOG'
version 1.0;
extension KHR_enable_fragment_definitions;

fragment quantize( x: tensor<scalar>, scale: tensor<scalar>, zero: tensor<integer> = 0,
                   low: integer = 0, high: integer = 255 ) -> ( y: tensor<integer> );
fragment dequantize( x: tensor<integer>, scale: tensor<scalar>, zero: tensor<integer> = 0 )
-> ( y: tensor<scalar> );

graph net( image ) -> ( y )
{
    image = external<scalar>( shape = [1,32,8,8] );
    q = quantize( image, 0.2, low = -128, high = 127 );
    x = dequantize( q, 0.11 );
    ones = constant<integer>( shape = [32,1,3,3], value = [1] );
    f = dequantize( ones, 0.13 );
    c = conv( x, f, padding = [(1,1), (1,1)], groups = 32 );
    r = quantize( c, 0.0286, low = -128, high = 127 );
    y = dequantize( r, 0.0286 );
}
EOG
run 0 emit-c halves.nnef -o net.c --main --self-test
meets 'its layer is one of integers' grep -q '^/\* .*: quantized_conv' net.c
meets 'a check expects what layers of integers give' sh -c "$CC -std=c99 -O1 net.c net_main.c -lm -o net && ./net 2>err && grep -qx 'check: right' err"

# Half a byte for each of 2560 weights, four for each of 80 scales.
run 0 quantize "$digits" blocks/ --weights=int4 --block=32 --only=scores -q
for form in array string file; do
    rm -f net.bin
    run 0 emit-c blocks -o net.c --main --self-test --weights=$form
    meets 'a product stays one of blocks' grep -q '^/\* .*: block_matmul' net.c
    meets 'its weights take no more than they have to' [ "$(sed -n 's/^#define NET_WEIGHTS_BYTES //p' net.h)" -eq $((103464 - 2560 * 4 + 2560 / 2 + 80 * 4 + 80 * 2)) ]
    # shellcheck disable=SC2086
    meets "blocks in a $form compile without warnings" $CC -std=c99 -O1 $strict net.c net_main.c -lm -o net
    # shellcheck disable=SC2046
    ./net $(ls net.bin 2>/dev/null) 2>err
    meets "products with blocks in a $form are right" grep -qx 'check: right' err
done

# Constants of all widths: added to 0, and with one that is true, they come out as they are.
cat >widths.nnef <<'EOG'
version 1.0;
extension KHR_enable_fragment_definitions;

fragment integer_add( x: tensor<integer>, y: tensor<integer>, bits: integer = 64, signed: logical = true )
-> ( z: tensor<integer> );

graph net( x, b ) -> ( w8, w16, w32, w64, l )
{
    x = external<integer>( shape = [3] );
    b = external<logical>( shape = [3] );
    c8 = constant<integer>( shape = [3], value = [-128, 34, 127] );
    w8 = integer_add( x, c8 );
    c16 = constant<integer>( shape = [3], value = [-129, 92, 32767] );
    w16 = integer_add( x, c16 );
    c32 = constant<integer>( shape = [3], value = [-32769, 10, 2147483647] );
    w32 = integer_add( x, c32 );
    c64 = constant<integer>( shape = [3], value = [-9223372036854775808, 0, 4294967296] );
    w64 = integer_add( x, c64 );
    some = constant<logical>( shape = [3], value = [true, false, true] );
    l = or( b, some );
}
EOG
head -c 24 /dev/zero >x.raw
head -c 3 /dev/zero >b.raw
printf '%s\n' w8: -128 34 127 w16: -129 92 32767 w32: -32769 10 2147483647 w64: -9223372036854775808 0 4294967296 l: 1 0 1 >expected
for form in array string file; do
    rm -f net.bin
    run 0 emit-c widths.nnef -o net.c --main --weights=$form -q
    # shellcheck disable=SC2086
    meets "constants of all widths in a $form compile without warnings" $CC -std=c99 -O1 $strict net.c net_main.c -o net
    # shellcheck disable=SC2046 # the file is there or not
    ./net $(ls net.bin 2>/dev/null) x.raw b.raw >found
    meets "a $form holds them" cmp found expected
done

# --- variables -----------------------------------------------------------------------------------

mkdir counter
cat >counter/graph.nnef <<'EOG'
version 1.0;
graph net( x ) -> ( y, before )
{
    x = external<scalar>( shape = [2] );
    v = variable<scalar>( shape = [2], label = 'v' );
    before = copy( v );
    y = add( x, v );
    w = update( v, y );
}
EOG
run 0 init counter
cat >counter.c <<'EOC'
#include "net.h"
#include <stdio.h>

int main(void)
{
    static struct net_state one, other;
    const float x[2] = {1, 2};
    float y[2], before[2], first[2];

    net_reset(&one);
    net_reset(&other);
    net_run(&one, x, y, first);
    for (int i = 0; i < 2; i++)
        net_run(&one, x, y, before);
    printf("%g %g", (double)(y[0] - first[0]), (double)(before[1] - first[1]));
    net_run(&other, x, y, before);
    printf(" %g\n", (double)(y[0] - first[0]));
    net_reset(&one);
    net_run(&one, x, y, before);
    return before[0] < first[0] || before[0] > first[0];
}
EOC
for arena in static caller; do
    run 0 emit-c counter -o net.c --arena=$arena --main --self-test
    # shellcheck disable=SC2086
    meets "a program of variables compiles without warnings" $CC -std=c99 -O1 $strict net.c net_main.c -lm -o net
    meets 'it checks itself, from the state that a reset gives' sh -c "./net 2>err && grep -qx 'check: right' err"
done
run 0 emit-c counter -o net.c --weights=file --main --self-test
meets 'a reset takes the weights from the file' sh -c "$CC -std=c99 net.c net_main.c -lm -o net && ./net net.bin 2>err && grep -qx 'check: right' err"
run 0 emit-c counter -o net.c
# shellcheck disable=SC2086
$CC -std=c99 -O1 $strict net.c counter.c -lm -o counted
meets 'a variable changes from run to run, in its own state, and begins anew' [ "$(./counted)" = '3 4 1' ]

# What a variable takes over lies in the arena until the end, in bytes that earlier tensors had.
mkdir hidden
cat >hidden/graph.nnef <<'EOG'
version 1.0;
graph net( x ) -> ( y )
{
    x = external<scalar>( shape = [64,64] );
    v = variable<scalar>( shape = [64,64], label = 'v' );
    a = matmul( x, x );
    b = matmul( a, x );
    c = matmul( b, x );
    h = add( c, v );
    w = update( v, h );
    y = sum_reduce( h, axes = [0,1] );
}
EOG
run 0 init hidden
for how in '' --small; do
    # shellcheck disable=SC2086 # options
    run 0 emit-c hidden -o net.c --main --self-test --report $how
    out_has ', arena 32768 '
    out_has '^most memory, 32768 '
    out_has '^ +32768  4: add'
    meets 'the new value is in use to the end' [ "$(tail -n 1 out | sed 's/^ *[0-9]*  to [0-9]*: //')" = h ]
    meets 'the header counts it' grep -q '^#define NET_ARENA_BYTES 32768$' net.h
    meets 'and it is right' sh -c "$CC -std=c99 -O1 net.c net_main.c -lm -o net && ./net 2>err && grep -qx 'check: right' err"
done

# --- data at fault -------------------------------------------------------------------------------

cat >fault.nnef <<'EOG'
version 1.0;
extension KHR_enable_fragment_definitions;

fragment integer_div( x: tensor<integer>, y: tensor<integer>, bits: integer = 64, signed: logical = true )
-> ( z: tensor<integer> );

graph net( x, i, d ) -> ( y, z )
{
    x = external<scalar>( shape = [3] );
    i = external<integer>( shape = [1] );
    d = external<integer>( shape = [1] );
    z = integer_div( i, d );
    y = gather( x, i, axis = 0 );
}
EOG
cat >fault.c <<'EOC'
#include "net.h"
#include <stdio.h>

int main(void)
{
    const float x[3] = {1, 2, 3};
    const int64_t indices[4] = {2, 3, -1, 1}, divisors[4] = {1, 1, 1, 0};
    float y[1];
    int64_t z[1];

    for (int k = 0; k < 4; k++)
        printf("%d ", net_run(x, indices + k, divisors + k, y, z));
    return 0;
}
EOC
run 0 emit-c fault.nnef -o net.c
# shellcheck disable=SC2086
$CC -std=c99 -O1 $strict net.c fault.c -lm -o fault
meets 'the number of the step at fault is returned' [ "$(./fault)" = '0 2 2 1 ' ]

# Equal steps share a function, but the number returned is that of the step.
cat >fault.nnef <<'EOG'
version 1.0;
graph net( x, i, j ) -> ( y, z )
{
    x = external<scalar>( shape = [3] );
    i = external<integer>( shape = [1] );
    j = external<integer>( shape = [1] );
    y = gather( x, i, axis = 0 );
    z = gather( x, j, axis = 0 );
}
EOG
cat >fault.c <<'EOC'
#include "net.h"

int main(void)
{
    const float x[3] = {1, 2, 3};
    const int64_t i[1] = {2}, j[1] = {3};
    float y[1], z[1];

    return net_run(x, i, j, y, z) != 2 || net_run(x, j, i, y, z) != 1;
}
EOC
run 0 emit-c fault.nnef -o net.c
meets 'two steps are one function' [ "$(grep -c '^static int net_step' net.c)" -eq 1 ]
meets 'each returns its own number' sh -c "$CC -std=c99 net.c fault.c -lm -o fault && ./fault"

# --- bounds --------------------------------------------------------------------------------------

cat >rows.nnef <<'EOG'
version 1.0;
extension KHR_enable_fragment_definitions;

fragment determinant( x: tensor<scalar> ) -> ( y: tensor<scalar> );

graph net( x ) -> ( y )
{
    x = external<scalar>( shape = [65,65] );
    y = determinant( x );
}
EOG
rm -f net.*
run 4 emit-c rows.nnef -o net.c
err_has 'error\[N0254\]: there is no C for this .determinant.'
err_has 'rows.nnef:9:'
absent net.c
cat >far.nnef <<'EOG'
version 1.0;
graph net( x ) -> ( y )
{
    x = external<scalar>( shape = [2] );
    y = box( x, size = [1], padding = [(4294967296,4294967296)], stride = [4294967297] );
}
EOG
run 4 emit-c far.nnef -o net.c
err_has 'error\[N0254\]: there is no C for this .box.'
absent net.c

finish
