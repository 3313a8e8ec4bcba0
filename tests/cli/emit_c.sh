#!/bin/sh
# emit_c.sh - 'nnefc emit-c': the files that it writes, what compilers say of them, and what it refuses
. "$(dirname "$0")/lib.sh"

strict='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wcast-qual -Wundef -Wvla -Werror'
head -c 256 /dev/zero >zeros.raw # an image of 64 scalars

# --- files ---------------------------------------------------------------------------------------

run 0 emit-c "$digits" -o net.c
out_has '^net\.c: 8 steps, arena 12288 \(12\.0 KiB\), weights 103464 \(101\.0 KiB\)$'
out_has '^most memory, 12288 \(12\.0 KiB\), at step 2: conv \+ relu, graph\.nnef:17, scalar\[1,32,8,8\]$'
quiet_err
exists net.h
absent net.bin
absent net_main.c
cp net.c before.c
run 0 emit-c "$digits" -o net.c
same net.c before.c
NNEFC_KERNELS=generic
export NNEFC_KERNELS
run 0 emit-c "$digits" -o net.c
unset NNEFC_KERNELS
meets 'kernels of this processor do not matter' cmp net.c before.c
meets 'the header has the interface' grep -q '^int net_run(const float image\[64\], float probabilities\[10\]);$' net.h
meets 'the title names the model' grep -q "^ \* graph.nnef (SHA-1 $(sha1sum <"$digits/graph.nnef" | cut -c1-40))$" net.h
run 0 emit-c "$digits" -o net.c --json
out_has '^  "arena": 12288,$'
out_has '^    "step": "2: conv \+ relu, graph.nnef:17, '
run 0 emit-c "$digits" -o net.c -q
silent
meets 'steps name their line' grep -q '^/\* 1: conv + relu, graph.nnef:[0-9]*, scalar\[1,16,8,8\]; reads image, writes ' net.c

run 0 emit-c "$digits" -o - --prefix=digits
out_has '^int digits_run\('
out_lacks 'nn_|NN_|net_'
cp out alone.c
run 0 emit-c "$digits" -o 'a-b.c'
meets 'the name of a file becomes an identifier' grep -q '^int a_b_run(' a-b.h
meets 'titles have the names of files' grep -q '^ \* a-b\.[ch] - network' a-b.c a-b.h
meets 'that of C its own' grep -q '^ \* a-b\.c - network' a-b.c
for name in 'a"b.c' 'a\b.c' 'a??=.c' "$(printf 'a\nb.c')"; do
    run 2 emit-c "$digits" -o "$name"
    err_has 'is no name that C can include'
done
run 0 emit-c "$digits" -o net.c --prefix=graph
for prefix in _x 1x x-y; do
    run 2 emit-c "$digits" -o net.c --prefix="$prefix"
    err_has 'is no identifier that begins with a letter'
done

# A step that writes over its operand does not take both, and equal steps are one function.
cat >twice.nnef <<'EOG'
version 1.0;
graph net( x ) -> ( y )
{
    x = external<scalar>( shape = [1,4,8,8] );
    f = variable<scalar>( shape = [4,4,1,1], label = 'f' );
    g = variable<scalar>( shape = [4,4,1,1], label = 'g' );
    h = variable<scalar>( shape = [4,4,1,1], label = 'h' );
    a = conv( x, f, padding = [(0,0), (0,0)] );
    b = conv( a, g, padding = [(0,0), (0,0)] );
    c = add( a, b );
    d = conv( c, h, padding = [(0,0), (0,0)] );
    y = exp( d );
}
EOG
mkdir twice
mv twice.nnef twice/graph.nnef
run 0 init twice
run 0 emit-c twice -o net.c --self-test --main --json
meets 'no more than the arena is in use' awk '/"arena"/ { arena = $2 + 0 } /"bytes"/ { bytes = $2 + 0 } END { exit !(bytes > 0 && bytes <= arena) }' out
meets 'equal steps are one function' [ "$(grep -c '^static void net_step[0-9]*(' net.c)" -lt "$(grep -c '^    net_step[0-9]*(' net.c)" ]
meets 'a step names the function that does it' grep -q '; by step[0-9]*() \*/$' net.c
meets 'they have weights of their own' sh -c "$CC net.c net_main.c -lm -o net && ./net 2>err && grep -qx 'check: right' err"

# --- compilers -----------------------------------------------------------------------------------

# shellcheck disable=SC2086 # flags
meets 'one file is C99 without warnings' $CC -std=c99 -O1 $strict -c alone.c -o alone.o
# shellcheck disable=SC2086
meets 'so it is without vectors' $CC -std=c99 -O1 -DDIGITS_STRICT -DDIGITS_SMALL $strict -c alone.c -o alone.o
meets 'it calls what it says' [ -z "$(nm -u alone.o | grep -Ev ' (memcpy|memset|expf|fabsf|floorf|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__[au][bs].*)(@|$)')" ]
if command -v g++ >/dev/null; then
    # shellcheck disable=SC2086
    meets 'it is C++11' g++ -std=c++11 -O1 -Wall -Wextra -Wpedantic -Werror -c alone.c -o alone.o
fi

cat >unread.nnef <<'EOG'
version 1.0;
graph net( int, weights ) -> ( y )
{
    int = external<scalar>( shape = [2] );
    weights = external<scalar>( shape = [2] );
    y = exp( int );
}
EOG
run 0 emit-c unread.nnef -o - -q
# shellcheck disable=SC2086
meets 'inputs may go unread, and have names that C has taken' $CC -x c -std=c99 $strict -c out -o alone.o

cat >names.nnef <<'EOG'
version 1.0;
graph net( memory, items, unix, INFINITY, net_step0, NET_LANES, stdin, X, x ) -> ( INT8_MAX )
{
    memory = external<scalar>( shape = [2] );
    items = external<scalar>( shape = [2] );
    unix = external<scalar>( shape = [2] );
    INFINITY = external<scalar>( shape = [2] );
    net_step0 = external<scalar>( shape = [2] );
    NET_LANES = external<scalar>( shape = [2] );
    stdin = external<scalar>( shape = [2] );
    X = external<scalar>( shape = [2] );
    x = external<scalar>( shape = [2] );
    INT8_MAX = exp( memory );
}
EOG
run 0 emit-c names.nnef -o net.c --arena=caller --weights=file -q
meets 'names are neither macros nor those of the file' $CC -include stdio.h -c net.c -o alone.o
meets 'each has one of its own' grep -q 'infinity\[2\], const float xnet_step0\[2\].* x\[2\], const float x_2\[2\], float int8_max' net.h
for prefix in INT8 size; do
    run 0 emit-c "$digits" -o net.c --prefix=$prefix
    meets "$prefix makes no macro of stdint.h" $CC -c net.c -o alone.o
done
run 0 emit-c "$digits" -o 1.c
meets 'no name begins as those of the implementation do' grep -q '^int x1_run(' 1.h

cat >empty.pnnx.param <<'EOG'
7767517
4 3
pnnx.Input in 0 1 0 #0=(2,0)f32
F.relu a 1 1 0 1 $input=0 #0=(2,0)f32 #1=(2,0)f32
F.softmax b 1 1 1 2 dim=1 $input=1 #1=(2,0)f32 #2=(2,0)f32
pnnx.Output out 1 0 2 #2=(2,0)f32
EOG
: >nothing.raw
run 0 emit-c empty.pnnx.param -o net.c --main -q
# shellcheck disable=SC2086
meets 'tensors may have no items' $CC -std=c99 $strict net.c net_main.c -lm -o net
meets 'whose first is not read' ./net nothing.raw

cat >windows.nnef <<'EOG'
version 1.0;
graph net( x ) -> ( y, z )
{
    x = external<scalar>( shape = [1,2,4,4] );
    y = box( x, size = [1,3,1,1] );
    z = multilinear_upsample( x, factor = [2,2] );
}
EOG
run 0 emit-c windows.nnef -o out.c -q
# shellcheck disable=SC2086
meets 'doubles are not met by chance' $CC -std=c99 $strict -c out.c -o alone.o

first=
for how in --weights=array --weights=string --weights=file --arena=caller '--arena=caller --weights=file'; do
    # shellcheck disable=SC2086 # options
    run 0 emit-c "$digits" -o net.c --main $how
    # shellcheck disable=SC2086
    meets "$how compiles without warnings" $CC -std=c99 -O1 $strict net.c net_main.c -lm -o net
    case $how in
    *=file) ./net net.bin zeros.raw >result ;;
    *) ./net zeros.raw >result ;;
    esac
    meets "$how gives ten probabilities" [ "$(grep -c '^[0-9.e-]*$' result)" -eq 10 ]
    meets "$how computes the same" [ -z "$first" -o "$first" = "$(cksum <result)" ]
    first=$(cksum <result)
done
exists net.bin

# --- the check -----------------------------------------------------------------------------------

# Of every type: integers and logicals have to be equal, and NaN to be NaN.
cat >types.nnef <<'EOG'
version 1.0;
graph net( x, i, b ) -> ( least, root, both )
{
    x = external<scalar>( shape = [3,7] );
    i = external<integer>( shape = [5] );
    b = external<logical>( shape = [5] );
    least = argmin_reduce( x, axes = [1] );
    root = sqrt( x );
    nb = not( b );
    both = and( b, nb );
}
EOG
for model in "$digits" types.nnef; do
    for how in --self-test --self-test=99 '--self-test --arena=caller --weights=file'; do
        rm -f net.bin
        # shellcheck disable=SC2086 # options
        run 0 emit-c $model -o net.c --main -q $how
        # shellcheck disable=SC2086
        meets "$how compiles without warnings" $CC -std=c99 -O1 $strict net.c net_main.c -lm -o net
        ./net $(ls net.bin 2>/dev/null) 2>err
        meets "$how of $model: it computes the same" grep -qx 'check: right' err
    done
done
run 0 emit-c "$digits" -o net.c --main -q --self-test
meets 'the check has ten items' grep -q '^static const struct net_expected net_expected0\[10\] = {$' net.c
sed 's/^    {0, [^}]*}/    {0, 2.0F}/' net.c >apart.c
$CC apart.c net_main.c -lm -o net
./net 2>err
meets 'it finds an item that is apart' [ $? -eq 1 ]
meets 'it says so' grep -qx 'check: WRONG' err
$CC net.c net_main.c -lm -o net
./net -t 3 zeros.raw >result 2>err
meets 'the program tells the time of a run' grep -Eqx '3 runs, [0-9.]+ us each' err
meets 'and prints results' [ "$(grep -c '^[0-9.e-]*$' result)" -eq 10 ]
./net -t 0 zeros.raw 2>err
meets 'it refuses to run no times' [ $? -eq 2 ]
run 2 emit-c "$digits" -o net.c --self-test=x

# --- memory --------------------------------------------------------------------------------------

# Two images; the convolutions are one step where memory is to be saved.
cat >images.nnef <<'EOG'
version 1.0;
graph net( x ) -> ( y, z )
{
    x = external<scalar>( shape = [2,3,9,7] );
    f = variable<scalar>( shape = [8,3,3,3], label = 'f' );
    g = variable<scalar>( shape = [8,1,3,3], label = 'g' );
    h = variable<scalar>( shape = [4,8,1,1], label = 'h' );
    a1 = conv( x, f, stride = [2,1] );
    a = relu( a1 );
    b = conv( a, g, groups = 8 );
    y = conv( b, h );
    z = max_reduce( y, axes = [2,3] );
}
EOG
mkdir images
mv images.nnef images/graph.nnef
run 0 init images
run 0 emit-c images -o net.c --report
out_has '^bytes in use at each step, and what lies where$'
out_has '^ +[0-9]+  2: conv \+ relu, graph\.nnef:8, scalar\[2,8,5,7\]$'
out_has '^ +[0-9]+  to [0-9]+: a$'
for how in '' --small --layout=channels-last '--small --layout=channels-last'; do
    # shellcheck disable=SC2086 # options
    run 0 emit-c images -o net.c --main --self-test --report --json $how
    meets "$how: steps use no more than the arena" awk '
        /"arena"/ { arena = $2 + 0 }
        /"table"/ { table = 1 }
        /"step"/ && table { steps++ }
        /"at"/ { at = $2 + 0 }
        /"bytes"/ && table { if ($2 + 0 > arena || at + $2 + 0 > arena) bad = 1; at = 0 }
        END { exit bad || steps < 3 }' out
    awk '/"arena"/ { print $2 + 0 }' out >"arena$how"
    # shellcheck disable=SC2086
    meets "$how compiles without warnings" $CC -std=c99 -O1 $strict net.c net_main.c -lm -o net
    ./net 2>err
    meets "$how: it computes the same" grep -qx 'check: right' err
done
meets 'less memory is needed where that is asked for' [ "$(cat arena--small)" -lt "$(cat arena)" ]
meets 'images need not be turned' [ "$(cat 'arena--small --layout=channels-last')" -lt "$(cat arena--small)" ]
meets 'the header says how images lie' grep -q '^#define NET_X_ITEMS 378 /\* scalar\[2,3,9,7\], channels last: \[2,9,7,3\] \*/$' net.h
meets 'other tensors lie as ever' grep -q '^#define NET_Z_ITEMS 8 /\* scalar\[2,4,1,1\] \*/$' net.h

# The quick plan, if it is within the limit; else the small one; else what needs more.
quick=$(cat arena)
run 0 emit-c images -o net.c --json --arena-limit="$quick"
out_has "^  \"arena\": $quick,$"
run 0 emit-c images -o net.c --json --arena-limit=$((quick - 1))
out_has "^  \"arena\": $(cat arena--small),$"
rm -f net.*
run 4 emit-c images -o net.c --arena-limit=1K
err_has "N0254.*the arena takes $(cat arena--small) bytes, and no more than 1024 are allowed"
err_has "N0254.*step [0-9]+, 'conv', needs [0-9]+ bytes of the arena: .*'scratch' [0-9]+"
err_has 'graph.nnef:8'
absent net.c
absent net.h
for limit in 0 -1 x 1Q ''; do
    run 2 emit-c images -o net.c --arena-limit="$limit"
done
err_has 'a whole number above 0, perhaps with K, M, G or T'
run 2 emit-c images -o net.c --layout=last
err_has 'expected plain.channels-last'
run 2 emit-c images -o - --report
err_has 'prints where the C goes'
run 2 emit-c images -o net.c --report -q
err_has 'quiet prints nothing'
absent net.c

# --- refused -------------------------------------------------------------------------------------

rm -f net.*
run 2 emit-c "$digits"
err_has "needs a file to write"
run 2 emit-c "$digits" -o net.h
err_has "ends in .c"
run 2 emit-c "$digits" -o - --main
err_has 'is no file'
run 2 emit-c "$digits" -o net.c --prefix=1x
err_has "no identifier"
run 3 emit-c "$digits" -o none/net.c
absent none

finish
