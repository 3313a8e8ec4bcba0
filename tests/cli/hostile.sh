#!/bin/sh
# hostile.sh - what exhausts other programs is refused with its diagnostic, soon and in little memory
#
# Each attempt has 256 MB of address space and 30 seconds of processor time, far more than it takes;
# the sanitizers need more space, for each function, too, so that only time is bounded there.
. "$(dirname "$0")/lib.sh"

space=262144
if ! (ulimit -v $space && exec "$NNEFC" --version) >/dev/null 2>&1; then
    space=unlimited
    ulimit -s 65536 2>/dev/null
    skipped=$((skipped + 1))
    echo 'skipped: little memory, for the sanitizers need more'
fi

# attempt STATUS CODE ARGUMENT... - that status, and an error of that code before any other
attempt()
{
    expected=$1 code=$2
    shift 2
    said=$*
    (ulimit -v $space && ulimit -t 30 && exec "$NNEFC" "$@" --color=never) <"$input" >out 2>err
    got=$?
    meets "exit status $expected (it was $got)" [ $got -eq "$expected" ]
    meets "the first error is $code" [ "$(sed -n 's/^error\[\(N[0-9]*\)\].*/\1/p' err | head -1)" = "$code" ]
    meets 'little is said' [ "$(wc -c <err)" -lt 40000 ]
}

refused() { attempt 1 "$@"; }

# copies COUNT TEXT - that text over and over, in one line; %d in it counts from 0
copies() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf text, i }' </dev/null; }

# document NAME FRAGMENTS STATEMENTS - with every extension; graph parameter x, result y
document()
{
    cat >"$1" <<END
version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
$2
graph net( x ) -> ( y )
{
    x = external<scalar>( shape = [1] );
    $3
}
END
}

# body STATEMENTS - a document whose graph invokes a fragment of that body
body() { document bomb.nnef "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { $1 }" 'y = f(x);'; }

# doubling FIRST NEXT - 40 fragments, each of which does NEXT with 'g(x)', the one before, twice
doubling()
{
    awk -v first="$1" -v next_one="$2" '
    function declare(name, body) {
        print "fragment " name "( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { " body " }"
    }
    BEGIN {
        declare("g0", first)
        for (i = 1; i <= 40; i++) {
            body = next_one
            gsub(/g\(/, "g" (i - 1) "(", body)
            declare("g" i, body)
        }
    }' </dev/null
}

# --- expansion: 2^40 of something from a few lines ------------------------------------------

document bomb.nnef "$(doubling 'y = neg(x);' 'y = g(g(x));')" 'y = g40(x);'
refused N0118 check bomb.nnef
err_has 'the graph takes more than [0-9]* bytes of memory'
err_has 'raise the limit with --limit=growth=N'
document bomb.nnef "$(doubling 'y = neg(x);' 'a = g(x); b = g(a); y = a + b;')" 'y = g40(x);'
refused N0118 check bomb.nnef
document bomb.nnef "$(doubling 'y = neg(x);' 'y = concat([g(x), g(x)], axis = 0);')" 'y = g40(x);'
refused N0118 check bomb.nnef
document bomb.nnef "$(doubling 'y = x if true else neg(x);' 'y = g(g(x));')" 'y = g40(x);'
refused N0118 check bomb.nnef
err_has 'expansion takes more than 25000000 steps'
err_has 'raise the limit with --limit=steps=N'
document bomb.nnef 'fragment fib( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> )
    { y = x if n < 2 else fib(x, n = n - 1) + fib(x, n = n - 2); }' 'y = fib(x, n = 100);'
refused N0118 check bomb.nnef

# doubled FIRST ITEM LAST - a0 = FIRST, 40 times ITEM with 'a', the one before, and LAST
doubled()
{
    awk -v first="$1" -v item="$2" -v last="$3" 'BEGIN {
        printf "a0 = %s; ", first
        for (i = 1; i <= 40; i++) {
            text = item
            gsub(/a/, "a" (i - 1), text)
            printf "a%d = %s; ", i, text
        }
        print last
    }' </dev/null
}
body "$(doubled '[1]' 'a + a' 'y = x * scalar(length_of(a40));')"
refused N0118 check bomb.nnef
err_has 'an array of [0-9]* items exceeds the limit of 4000000'
err_has 'raise the limit with --limit=array-length=N'
body "$(doubled "'ab'" 'a + a' 'y = x * scalar(length_of(a40));')"
refused N0118 check bomb.nnef
err_has 'a string of [0-9]* characters exceeds the limit of 4000000'
body "$(doubled '[(x, x)]' 'a + a' '[(y, z)] = a40;')"
refused N0118 check bomb.nnef
body "$(doubled '[1.0]' '[a, a]' 'y = x if a40 in [a40] else neg(x);')"
refused N0118 check bomb.nnef
body "$(doubled '(1, 1)' '(a, a)' 'y = x * 2.0;')"
refused N0006 check bomb.nnef
err_has 'type of more than 4096 parts'
body 'y = x * scalar(length_of([1] * 1099511627776));'
refused N0118 check bomb.nnef
body "y = x * scalar(length_of('ab' * 1099511627776));"
refused N0118 check bomb.nnef
body 'y = concat([x] * 3999999, axis = 0);'
refused N0118 check bomb.nnef --max-memory=1G
body '[y] = copy_n(x, times = 3999999);'
refused N0118 check bomb.nnef --max-memory=1G
body 'n = [for i in range_of([0] * 1048576) yield [for j in range_of([0] * 1048576) yield i]];
      y = x * scalar(length_of(n));'
refused N0118 check bomb.nnef
body 'n = [for i in range_of([0] * 1048576) yield
          length_of([for j in range_of([0] * 1048576) if false yield i])];
      y = x * scalar(length_of(n));'
refused N0118 check bomb.nnef
body "n = [1]; n40 = $(copies 40 '[for i%d in [1, 2] yield ')1$(copies 40 ']'); y = x * 2.0;"
refused N0118 check bomb.nnef
body "s = 'a' * 3000000; y = x if s + 'b' in [s] * 3999999 else neg(x);"
refused N0118 check bomb.nnef
body "s = 'a' * 3999999; n = [for i in range_of([0] * 100000) yield 1 if s == s else 2];
      y = x * scalar(length_of(n));"
refused N0118 check bomb.nnef
document bomb.nnef 'fragment h( x: tensor<scalar>, s: string[] ) -> ( y: tensor<scalar> );' \
    "y = h(x, s = ['a' * 3000000] * 3999999);"
refused N0118 check bomb.nnef

# --- recursion ----------------------------------------------------------------------------

document deep.nnef 'fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = f(x); }' 'y = f(x);'
refused N0117 check deep.nnef
err_has "fragments are expanded more than 4096 deep, in 'f'"
err_has 'see whether the recursion ends, or raise the limit with --limit=depth=N'
document deep.nnef 'fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = g(x); }
fragment g( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = f(f(x)); }' 'y = f(x);'
refused N0117 check deep.nnef
document deep.nnef 'fragment f( x: tensor<scalar>, s: string ) -> ( y: tensor<scalar> )
    { y = f(x, s = s + s); }' "y = f(x, s = 'ab');"
refused N0118 check deep.nnef
refused N0117 check deep.nnef --limit=array-length=1T --limit=growth=1T --limit=depth=20
# Raised as far as that goes, the limits of our own recursion and of memory are left.
document deep.nnef 'fragment f( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> )
    { y = f(neg(x), n = n + 1); }' 'y = f(x, n = 0);'
attempt 1 N0117 check deep.nnef --limit=depth=1T --limit=growth=1T --limit=steps=1T --limit=nodes=1T

# --- 10^6 nested brackets -----------------------------------------------------------------

# nested OPEN MIDDLE CLOSE
nested() { document deep.nnef '' "y = $(copies 1000000 "$1")$2$(copies 1000000 "$3");"; }
nested '(' x ')'
refused N0006 check deep.nnef
err_has 'nested more than 2048 deep'
one_error
nested '[' x ']'
refused N0006 check deep.nnef
one_error
nested 'neg(' x ')'
refused N0006 check deep.nnef
nested '[for i in ' x ' yield i]'
refused N0006 check deep.nnef
nested '' x ' + x'
refused N0006 check deep.nnef
nested '' x '[0]'
refused N0006 check deep.nnef
nested - x ''
refused N0006 check deep.nnef
nested '(' '' ''
refused N0006 check deep.nnef
nested '' '' ')'
refused N0001 check deep.nnef
document deep.nnef "fragment f( x: tensor<scalar>, a: integer$(copies 1000000 '[]') ) -> ( y: tensor<scalar> );" \
    'y = x;'
refused N0006 check deep.nnef

# --- large texts --------------------------------------------------------------------------

head -c 200000000 /dev/zero | tr '\0' ' ' >long.nnef
refused N0240 check long.nnef
err_has 'the text has more than 67108864 bytes'
err_has 'raise the limit with --limit=text=N'
input=long.nnef
refused N0240 check -
input=/dev/null
rm long.nnef
refused N0240 check /dev/zero
attempt 3 N0182 run "$digits" -i /dev/zero
attempt 3 N0191 run "$digits" -i "$three" --data /dev/zero
document names.nnef "fragment f( x: tensor<scalar>$(copies 20000 ', a%d: integer') ) -> ( y: tensor<scalar> );" \
    "y = f(x$(copies 20000 ', b%d = 1'));"
refused N0054 check names.nnef
document name.nnef '' "y = $(head -c 10000000 /dev/zero | tr '\0' a);"
refused N0079 check name.nnef
document names.nnef '' "y = concat([$(copies 20000 'neg(b%d), ')x], axis = 0);"
refused N0079 check names.nnef

# --- shapes and work ----------------------------------------------------------------------

document large.nnef '' 'y = tile(x, repeats = [9223372036854775807]);'
refused N0150 check large.nnef
err_has 'raise the limit with --limit=volume=N'
document large.nnef '' 'y = pad(x, padding = [(9223372036854775807, 9223372036854775807)]);'
refused N0130 check large.nnef
document large.nnef '' 'a = constant<scalar>( shape = [4294967296, 4294967296], value = [1.0] ); y = x + 1.0;'
refused N0150 check large.nnef
document large.nnef '' 'y = box(x, size = [1099511627776], padding = [(549755813888, 549755813887)]);'
refused N0242 check large.nnef
err_has "'box' reads 1099511627776 items for each one of shape \[1\]"
err_has 'raise the limit with --limit=work=N'
run 0 check large.nnef --limit=work=100T
document large.nnef '' 'y = debox(x, size = [1099511627776]);'
refused N0242 check large.nnef
document large.nnef '' 'y = box(x, size = [4], dilation = [4611686018427387904],
    padding = [(4611686018427387904, 4611686018427387904)]);'
refused N0135 check large.nnef
# Each for itself is within the limit, all together are not.
document large.nnef '' 'y = add_n([for i in range_of([0] * 200) yield
    box(x, size = [999999999999], padding = [(499999999999, 499999999999)])]);'
run 0 check large.nnef
refused N0242 run large.nnef --random
err_has "a run reads 100[0-9]* items, more than the limit of 100000000000000"
err_has 'raise the limit with --limit=total-work=N'
one_error
document large.nnef '' 'a = constant<scalar>( shape = [1, 1, 4000000], value = [1.0] );
    b = constant<scalar>( shape = [1, 1, 2000000], value = [1.0] );
    c = conv(a, b, padding = [(0, 0)]); y = x + sum_reduce(c, axes = [0, 1, 2]);'
refused N0242 run large.nnef --random --limit=total-work=4000000000000
err_has "'c', result of 'conv', a run reads 4000002000000 items"
sed 's/conv/deconv/' large.nnef >up.nnef
refused N0242 run up.nnef --random --limit=total-work=4000000000000
err_has "'c', result of 'deconv', a run reads 8000000000000 items"
document large.nnef '' 'a = constant<scalar>( shape = [2000, 2000], value = [1.0] );
    b = matmul(a, a); y = x + sum_reduce(b, axes = [0, 1]);'
refused N0242 run large.nnef --random --limit=total-work=7999999999
err_has "'b', result of 'matmul', a run reads 8000000000 items"
document large.nnef '' 'y = neg(x);'
run 0 run large.nnef --random --limit=total-work=2
refused N0242 run large.nnef --random --limit=total-work=1
document large.nnef '' 'y = tile(x, repeats = [1099511627776]);'
refused N0241 run large.nnef --random
err_has "computing 'y' of shape \[1099511627776\] takes 4398046511104 bytes"
err_has '^ *7 \|'
document large.nnef '' 'a = constant<scalar>( shape = [1048576, 1048576], value = [1.0] ); y = matmul(a, a);'
refused N0241 run large.nnef --random
refused N0241 run "$digits" --random --max-memory=2K
# 8 MiB of bytes, which take 64 MiB where their items are read one by one.
model bytes 'x = external<integer>(shape = [1]);' "w = variable<integer>(shape = [2048,4096], label = 'w');" \
    'y = slice(w, axes = [0,1], begin = [0,0], end = [1,1]);'
{
    printf 'N\357\001\000\000\000\200\000\002\000\000\000\000\010\000\000\000\020\000\000'
    head -c 24 /dev/zero # further extents
    printf '\010\000\000\000\001\000\000\000'
    head -c $((76 + 2048 * 4096)) /dev/zero
} >bytes/w.dat
refused N0241 run bytes --random --max-memory=40M
run 0 run bytes --random --max-memory=80M -q

# --- data ---------------------------------------------------------------------------------

# octets VALUE - four, the lowest first
octets()
{
    v=$1
    for _ in 1 2 3 4; do
        printf "\\$(printf %03o $((v % 256)))"
        v=$((v / 256))
    done
}

# header BYTES RANK EXTENT... - of a tensor file of 32-bit floats
header()
{
    printf 'N\357\001\000'
    for v in "$@"; do octets "$v"; done
    shift 2
    for _ in $(seq $# 7) ; do octets 0; done
    octets 32
    head -c 80 /dev/zero
}

model big 'x = external<scalar>( shape = [2] );' \
    "y = variable<scalar>( shape = [2], label = 'w' );"
header 0 4 32768 32768 32768 32768 >big/w.dat
refused N0243 run big --random
err_has 'the header claims shape \[32768,32768,32768,32768\], but the file has 128 bytes'
header 4294967295 8 4294967295 4294967295 4294967295 4294967295 4294967295 4294967295 4294967295 \
    4294967295 >big/w.dat
refused N0243 run big --random
header 0 4294967295 >big/w.dat
attempt 3 N0182 run big --random

model plain 'x = external<scalar>( shape = [2] );' 'y = neg(x);'
# array SHAPE - a file of NumPy that claims it
array()
{
    printf '\223NUMPY\002\000'
    text="{'descr': '<f4', 'fortran_order': False, 'shape': ($1), }"
    octets ${#text}
    printf %s "$text"
}
array '1152921504606846976,' >claim.npy
refused N0243 run plain -i claim.npy
array '0,4611686018427387904,4611686018427387904,' >claim.npy
refused N0243 run plain -i claim.npy
array "$(copies 1000000 '1,')" >claim.npy
attempt 3 N0182 run plain -i claim.npy
printf '\223NUMPY\002\000\377\377\377\377{' >claim.npy
attempt 3 N0185 run plain -i claim.npy

# big_endian VALUE - four bytes
big_endian()
{
    for unit in 16777216 65536 256 1; do
        printf "\\$(printf %03o $(($1 / unit % 256)))"
    done
}

# chunk LENGTH TYPE FILE - a chunk of a PNG image that claims this length; gzip knows its checksum
chunk()
{
    big_endian "$1"
    { printf %s "$2" && cat "$3"; } >typed
    cat typed
    big_endian "$(gzip -c typed | tail -c 8 | od -An -tu4 | awk '{ print $1 }')"
}

# image WIDTH HEIGHT LENGTH - in grey, whose chunk of data claims this length and has 64 bytes
image()
{
    { big_endian "$1" && big_endian "$2" && printf '\010\000\000\000\000'; } >fields
    head -c 64 /dev/zero >pixels
    printf '\211PNG\r\n\032\n'
    chunk 13 IHDR fields
    chunk "$3" IDAT pixels
    chunk 0 IEND /dev/null
}
model picture 'x = external<scalar>( shape = [1, 1, 28, 28] );' 'y = neg(x);'
for side in 2147483647 1000000; do
    image $side $side 64 >claim.png
    refused N0241 run picture -i claim.png
    err_has "the image is $side wide and $side high"
done
image 28 28 2147483647 >claim.png
attempt 3 N0189 run picture -i claim.png
err_has 'a chunk has 2147483647 bytes, 80 bytes before the end of the file'
image 28 28 64 >claim.png
attempt 3 N0189 run picture -i claim.png

printf '"y": linear_quantize( min = %s;' "$(copies 1000000 '(')" >plain/graph.quant
refused N0006 check plain
head -c 200000000 /dev/zero >plain/graph.quant
refused N0240 check plain
rm plain/graph.quant

# --- places outside the model -------------------------------------------------------------

for label in ../../etc/passwd 'a/../../b' '..\\\\b' .. C:/b; do
    model outside 'x = external<scalar>( shape = [2] );' \
        "y = variable<scalar>( shape = [2], label = '$label' );"
    refused N0084 check outside
    refused N0084 init outside
    refused N0084 pack outside outside.tgz
done
err_has 'letters, digits and _ - . / '
absent outside.tgz
model outside 'x = external<scalar>( shape = [2] );' \
    "y = variable<scalar>( shape = [2], label = '$(copies 1000000 a/)a' );"
refused N0084 run outside --random
err_has 'more than 1024 characters'

# member NAME FILE - as the member of an archive that tar would not write by itself
member() { tar -rPf members.tar --transform "s,.*,$1," "$2"; }
model inside 'x = external<scalar>( shape = [2] );' \
    "y = variable<scalar>( shape = [2], label = 'w' );"
run 0 init inside
for name in ../w.dat a/../../w.dat /w.dat; do
    rm -f members.tar
    member graph.nnef inside/graph.nnef
    member $name inside/w.dat
    refused N0245 run members.tar --random
    err_has "member '$name' leads out of the archive"
done
for target in /etc/passwd ../w.dat; do
    rm -f members.tar link
    ln -s $target link
    member graph.nnef inside/graph.nnef
    tar -rPf members.tar --transform 's,link,w.dat,r' link
    refused N0245 run members.tar --random
    rm inside/w.dat
    ln -s $target inside/w.dat
    refused N0245 run inside --random
    refused N0245 init inside --force
    refused N0245 pack inside inside.tgz
done
absent inside.tgz
rm inside/w.dat
if mkfifo inside/w.dat 2>/dev/null; then
    attempt 3 N0180 run inside --random
    err_has 'it is a pipe or device, expected a regular file'
    rm -f members.tar
    member graph.nnef inside/graph.nnef
    member w.dat inside/w.dat
    attempt 3 N0191 run members.tar --random
fi
rm inside/w.dat
mkdir inside/w.dat
attempt 3 N0180 run inside --random
attempt 3 N0181 init inside --force

rm -rf many members.tar
mkdir many
(cd many && copies 2000 '%d\n' | xargs touch)
cp plain/graph.nnef many
tar -czf many.tgz -C many .
refused N0244 check many.tgz --limit=members=2000
err_has 'more than 2000 members'
run 0 check many.tgz

# A file that is cut off while it is mapped is no crash.
model cut 'x = external<scalar>( shape = [100000] );' \
    "w = variable<scalar>( shape = [100000], label = 'w' );" 'y = add(x, w);'
run 0 init cut
run 0 run cut --random -o full.npy
if mkfifo late 2>/dev/null && [ $space != unlimited ]; then
    "$NNEFC" run cut -i late -o cut.npy >out 2>err &
    exec 3>late
    truncate -s 200 cut/w.dat
    cat full.npy >&3
    exec 3>&-
    wait $!
    got=$?
    said='run cut (whose data are cut off)'
    meets "exit status 3 (it was $got)" [ $got -eq 3 ]
    meets 'an error is reported' grep -Eq 'became shorter|N0185|N0243' err
    absent cut.npy
fi

finish
