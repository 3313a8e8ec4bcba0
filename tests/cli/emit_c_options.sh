#!/bin/sh
# emit_c_options.sh - every two choices of options of 'nnefc emit-c' together, for one document with all that they change
. "$(dirname "$0")/lib.sh"

strict='-std=c99 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wcast-qual -Wundef -Wvla -Werror'

# Images, a cascade, bytes and integers of the graph, a large state and a small one, data that may be at fault.
mkdir all
cat >all/graph.nnef <<'EOG'
version 1.0;
graph net( x, i ) -> ( y, z, k, b )
{
    x = external<scalar>( shape = [2,3,18,14] );
    i = external<integer>( shape = [2] );
    f = variable<scalar>( shape = [24,3,3,3], label = 'f' );
    g = variable<scalar>( shape = [24,1,3,3], label = 'g' );
    h = variable<scalar>( shape = [9,24,1,1], label = 'h' );
    s = variable<scalar>( shape = [2,9,9,7], label = 's' );
    n = variable<integer>( shape = [2], label = 'n' );
    table = constant<integer>( shape = [3], value = [2,-1,1000] );
    a1 = conv( x, f, stride = [2,2] );
    a = relu( a1 );
    d = conv( a, g, groups = 24 );
    e = conv( d, h );
    y = add( e, s );
    t = mul( y, 0.5 );
    new_s = update( s, t );
    z = max_reduce( y, axes = [2,3] );
    k = gather( table, i, axis = 0 );
    new_n = update( n, k );
    b = lt( z, 0.0 );
}
EOG
run 0 init all

for layout in plain channels-last; do
    run 0 emit-c all -o net.c --small --layout=$layout
    sed -n 's/^#define NET_ARENA_BYTES //p' net.h >least.$layout
    run 0 emit-c all -o net.c --layout=$layout
    sed -n 's/^#define NET_ARENA_BYTES //p' net.h >quick.$layout
    meets "the small plan needs less, $layout" [ "$(cat least.$layout)" -lt "$(cat quick.$layout)" ]
done

# prefix, weights, small, layout, arena, limit, check, how it is compiled; '-': the option is not given
cat >rows <<'EOG'
- file - channels-last caller tight - SMALL
other string small channels-last static - 99 O1
- array - plain static - 1 STRICT
other file small plain caller tight 99 STRICT
other array small plain static tight - SMALL
other string - plain caller tight 1 O1
- string small channels-last caller - - STRICT
- array - channels-last caller - 99 SMALL
- file small channels-last static - 1 O1
- string small plain caller - 1 SMALL
other array - plain static - - O1
EOG

meets 'every two choices are in a row' awk '
    { for (i = 1; i <= NF; i++) { choices[i, $i] = 1; for (j = 1; j < i; j++) seen[j, $j, i, $i] = 1 } }
    END {
        for (p in choices) for (q in choices) {
            split(p, a, SUBSEP); split(q, b, SUBSEP)
            if (a[1] < b[1] && !((a[1], a[2], b[1], b[2]) in seen)) { print a[2], b[2]; bad = 1 }
        }
        exit bad
    }' rows

# The images of a run: weights of the network, as they are at hand; both indices are 1.
head -c $((128 + 24 * 3 * 9 * 4)) all/f.dat | tail -c +129 >image.raw
while [ "$(wc -c <image.raw)" -lt $((2 * 3 * 18 * 14 * 4)) ]; do
    cat image.raw image.raw >more.raw
    head -c $((2 * 3 * 18 * 14 * 4)) more.raw >image.raw
done
printf '\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' >i.raw

# near A B - do lines of numbers agree?
near()
{
    paste "$1" "$2" | awk 'NF != 2 { exit bad = 1 }
        $1 != $2 { d = $1 - $2; if (d < 0) d = -d; if ($1 ~ /:/ || d > 1e-4) exit bad = 1 } END { exit bad || NR < 200 }'
}

while read -r prefix weights small layout arena limit check how; do
    row="$prefix $weights $small $layout $arena $limit $check $how"
    set -- --weights="$weights" --layout="$layout" --arena="$arena" --main
    name=net
    [ "$prefix" = - ] || { name=$prefix && set -- "$@" --prefix="$prefix"; }
    [ "$small" = - ] || set -- "$@" --small
    [ "$limit" = - ] || set -- "$@" --arena-limit="$(cat "least.$layout")"
    case $check in
    -) ;;
    1) set -- "$@" --self-test ;;
    *) set -- "$@" --self-test="$check" ;;
    esac
    rm -f net.bin net.c net.h net_main.c
    run 0 emit-c all -o net.c "$@"
    expected=quick
    [ "$small$limit" = -- ] || expected=least
    meets "$row: the arena is that of its plan" grep -qi "^#define ${name}_ARENA_BYTES $(cat "$expected.$layout")\$" net.h
    flags=-O1
    [ "$how" = O1 ] || flags=-D$(echo "$name" | tr '[:lower:]' '[:upper:]')_$how
    # shellcheck disable=SC2086 # flags
    meets "$row: it compiles without warnings" $CC $strict $flags net.c net_main.c -lm -o net
    # shellcheck disable=SC2046 # the file is there or not
    ./net $(ls net.bin 2>/dev/null) image.raw i.raw >results 2>said
    meets "$row: it runs" [ $? -eq 0 ]
    [ "$check" = - ] || meets "$row: it computes what the reference does" grep -qx 'check: right' said
    [ -f "results.$layout" ] || cp results "results.$layout"
    meets "$row: results are those of the other rows" near results "results.$layout"
done <rows

finish
