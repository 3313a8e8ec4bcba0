#!/bin/sh
# packed.sh - packed weights in a graph file are used where they fit, and computing is the same everywhere
. "$(dirname "$0")/lib.sh"

unset NNEFC_KERNELS

# One of every kind: Winograd's large and small tiles, direct, depthwise, grouped and transposed ones, and a
# matrix that many rows meet; one filter is used twice, and batch normalization goes into another.
mkdir many
cat >many/graph.nnef <<'EOG'
version 1.0;
graph net( x ) -> ( y, z )
{
    x = external<scalar>( shape = [1,16,24,24] );
    f1 = variable<scalar>( shape = [16,16,3,3], label = 'f1' );
    f2 = variable<scalar>( shape = [32,16,5,5], label = 'f2' );
    f3 = variable<scalar>( shape = [32,1,3,3], label = 'f3' );
    f4 = variable<scalar>( shape = [32,8,1,1], label = 'f4' );
    f5 = variable<scalar>( shape = [32,8,2,2], label = 'f5' );
    w = variable<scalar>( shape = [40,24], label = 'w' );
    b = variable<scalar>( shape = [1,16], label = 'b' );
    mean = variable<scalar>( shape = [1,32], label = 'mean' );
    square = variable<scalar>( shape = [1,32], label = 'square' );
    variance = sqr( square );
    c1 = conv( x, f1, b );
    r1 = relu( c1 );
    c2 = conv( r1, f1 );
    p2 = max_pool( c2, size = [1,1,2,2], stride = [1,1,2,2], padding = [(0,0), (0,0), (0,0), (0,0)] );
    c3 = conv( p2, f1, 0.5 );
    c4 = conv( c3, f2 );
    n4 = batch_normalization( c4, mean, variance, 0.25, 1.5, epsilon = 0.125 );
    c5 = conv( n4, f3, groups = 0 );
    c6 = conv( c5, f4, groups = 4 );
    c7 = deconv( c6, f5, stride = [2,2], padding = [(0,0), (0,0)] );
    q = reshape( c7, shape = [192, 24] );
    y = linear( q, w );
    z = copy( c6 );
}
EOG
run 0 init many

# --- there and used ------------------------------------------------------------------------------

run 0 compile many -o plain.ng
run 0 compile many -o packed.ng --pack
silent
run 0 compile many -o again.ng --pack
meets 'the same model makes the same bytes' cmp packed.ng again.ng
run 0 compile packed.ng -o again.ng --pack
meets 'also when it was packed before' cmp packed.ng again.ng
run 0 compile packed.ng --raw -o again.ng
run 0 info again.ng
out_lacks '^packed'

run 0 info packed.ng
out_has '^packed_parameters 6' # three steps share one
out_has '^packed_for (avx512(_vnni)?|avx2(_vnni)?|generic)(, big-endian)?$'
kernels=$(sed -n 's/^packed_for //p' out)
run 0 info packed.ng --json
out_has '"packed": \{'
out_has '"fits": true'
run 0 info plain.ng
out_lacks '^packed'
run 0 verify packed.ng
out_has "packed.ng: ok, with weights packed for $kernels\$"
run 0 verify plain.ng
out_lacks packed
run 0 check packed.ng
silent

# has N - a run took so many of its 8 weights from the file
has()
{
    err_has "^$1 of 8 packed weights are from the file, which has 6 for $kernels"
}

# same_as FILE ARGUMENT... - packed or not, the results are the same to the last bit
same_as()
{
    file=$1
    shift
    run 0 run plain.ng --random --backend=portable -q -o p.npz "$@"
    run 0 run "$file" --random --backend=portable -q -o q.npz -v "$@"
    same p.npz q.npz
}

same_as packed.ng
has 8
same_as packed.ng --threads=1
has 8
# Exact runs have no use for what Winograd's algorithm takes.
same_as packed.ng --exact
has 5
run 0 bench packed.ng --time=0 --backend=portable -v
has 8
run 0 bench packed.ng --time=0 --backend=portable
quiet_err
run 0 run packed.ng --random --backend=reference -q -v
err_has "^nothing is packed for 'reference', nor taken from the file, which has 6 for $kernels\$"
run 0 compile many -o exact.ng --pack --exact
same_as exact.ng --exact
has 8
same_as exact.ng
has 5
run 0 compare packed.ng many --random --atol=1e-4
run 0 run many --random --backend=reference -o reference.npz
run 0 run packed.ng --random --expect=reference.npz --atol=1e-4 -q
input=packed.ng
run 0 run - --random --backend=portable -q -o q.npz
input=/dev/null
same p.npz q.npz

# --- elsewhere -------------------------------------------------------------------------------------

for other in avx2 generic; do
    [ "$other" = "${kernels%,*}" ] && continue
    NNEFC_KERNELS=$other
    export NNEFC_KERNELS
    run 0 run packed.ng --random --expect=reference.npz --atol=1e-4 -q -v
    run 0 --version
    grep -q "portable ($other)" out || continue
    same_as packed.ng
    has 0
    err_has 'of no use'
    run 0 info packed.ng
    out_has "^packed_for $kernels \\(not used here\\)"
    run 0 verify packed.ng
    out_has 'which runs here do not use'
    run 0 compile many -o other.ng --pack
    run 0 info other.ng
    out_has "^packed_for $other\$"
done
NNEFC_KERNELS=imaginary
run 0 run packed.ng --random --backend=portable -q -v
has 8
unset NNEFC_KERNELS

# --- other ways to go on -----------------------------------------------------------------------------

run 0 convert packed.ng back/
run 0 compare back/ many --random
run 0 compile "$digits" -o digits.ng --pack
for backend in auto portable reference; do
    run 0 run digits.ng --input "$three" --backend=$backend -o digits.npz
    run 0 compare digits.npz "$digits" --input "$three"
done
# Nothing of it is packed.
model none 'x = external<scalar>(shape = [1,3]);' 'y = neg(x);'
run 0 compile none -o none.ng --pack
run 0 info none.ng
out_lacks '^packed'
run 2 compile many -o many.ng --exact
err_has '--exact has no effect without --pack'
absent many.ng

# --- damage --------------------------------------------------------------------------------------------

size=$(wc -c <packed.ng)
head -c $((size - 5000)) packed.ng >cut.ng
run 1 run cut.ng --random
err_has 'error\[N0251\]'

# Packed weights are looked at no more than others when a run starts; where all is checked, they are.
spoil packed.ng wrong.ng $((size - 70)) '\0377'
run 0 check wrong.ng
run 0 run wrong.ng --random -q
run 1 verify wrong.ng
err_has 'the sum of the section is wrong'
run 1 convert wrong.ng wrong/
absent wrong

# What they are is always checked: here the name of an algorithm.
at=$(grep -abo 'direct: ' packed.ng | head -n 1 | cut -d : -f 1)
spoil packed.ng wrong.ng "$at" X
run 1 run wrong.ng --random
err_has 'the sum of the section is wrong'

finish
