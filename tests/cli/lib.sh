# shellcheck shell=sh disable=SC2034 # what is set here is used by whoever reads this
# lib.sh - what the tests of the program share; NNEFC names the program
#
# `run STATUS ARGUMENT...` runs it on standard input from $input and expects that exit status. What
# follows looks at what it printed. The last line says how many expectations were met.

: "${NNEFC:?names the program}"
case $NNEFC in
/*) ;;
*) NNEFC=$PWD/$NNEFC ;;
esac
top=$(cd "$(dirname "$0")/../.." && pwd)
digits=$top/examples/nnef/digits
three=$digits/images/3-3.png
unset NO_COLOR CLICOLOR_FORCE
: "${CC:=cc}"
passed=0 failed=0 skipped=0
input=/dev/null
said=
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

finish()
{
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

# meets WHAT COMMAND... - counts whether COMMAND succeeds
meets()
{
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not met: $what"
        echo "  after: nnefc $said"
        sed 's/^/  | /' err | head -5
    fi
}

# Each report behind its place, as the short style has it, for err_has.
join_places()
{
    awk '
    /^(error|warning|note)(\[N[0-9]*\])?: / { head = $0 }
    /^ *--> / && head { sub(/^ *--> /, ""); print $0 ": " head; head = "" }' err >places
}

run()
{
    expected=$1
    shift
    said=$*
    "$NNEFC" "$@" <"$input" >out 2>err
    got=$?
    join_places
    meets "exit status $expected (it was $got)" [ "$got" -eq "$expected" ]
}

# Is everything ten times as slow, so that a sample of what is many is enough?
sanitized() { ldd "$NNEFC" 2>/dev/null | grep -q libasan; }

not() { ! "$@"; }

out_has() { meets "output has '$1'" grep -Eq -- "$1" out; }
out_lacks() { meets "output lacks '$1'" not grep -Eq -- "$1" out; }
err_has() { meets "message has '$1'" grep -Eq -- "$1" err places; }
err_lacks() { meets "message lacks '$1'" not grep -Eq -- "$1" err; }
silent() { meets 'nothing is printed' [ ! -s out ] && meets 'nothing is said' [ ! -s err ]; }
quiet_out() { meets 'nothing is printed' [ ! -s out ]; }
quiet_err() { meets 'nothing is said' [ ! -s err ]; }
one_error() { meets 'one error is reported' [ "$(grep -c 'error\[' err)" -eq 1 ]; }
exists() { meets "$1 exists" [ -e "$1" ]; }
absent() { meets "$1 does not exist" [ ! -e "$1" ]; }
same() { meets "$1 and $2 are the same" cmp -s "$1" "$2"; }
differ() { meets "$1 and $2 differ" not cmp -s "$1" "$2"; }

# spoil FILE COPY OFFSET BYTES - a copy with other bytes there, as `printf %b` has them
spoil()
{
    cp "$1" "$2"
    printf '%b' "$4" | dd of="$2" bs=1 seek="$3" conv=notrunc 2>/dev/null
}

# model NAME STATEMENT... - writes NAME/graph.nnef: parameter x, result y
model()
{
    folder=$1
    shift
    mkdir -p "$folder"
    printf 'version 1.0;\ngraph net( x ) -> ( y )\n{\n' >"$folder/graph.nnef"
    printf '    %s\n' "$@" >>"$folder/graph.nnef"
    echo '}' >>"$folder/graph.nnef"
}

# pnnx_model INPUT LINE... - writes net.param: these lines between an input `x`, such as '(2,3)f32', and an
# output `y`
pnnx_model()
{
    shape=$1 operators=2 operands=1
    shift
    for line; do
        operators=$((operators + 1))
        operands=$((operands + $(echo "$line" | cut -d' ' -f4)))
    done
    {
        printf '7767517\n%d %d\npnnx.Input x 0 1 x #x=%s\n' $operators $operands "$shape"
        printf '%s\n' "$@" 'pnnx.Output o 1 0 y'
    } >net.param
}

# An archive of PNNX, ZIP without ZIP64, with the weights 2, 4 and 8 of 'w.data'.
pnnx_weights()
{
    printf '%b' \
    'PK\003\004\024\000\000\000\000\000\000\000\041\000\377\370\337\342\014\000\000\000\014' \
    '\000\000\000\006\000\000\000w.data\000\000\000\100\000\000\200\100\000\000\000APK\001' \
    '\002\024\003\024\000\000\000\000\000\000\000\041\000\377\370\337\342\014\000\000\000' \
    '\014\000\000\000\006\000\000\000\000\000\000\000\000\000\000\000\200\001\000\000\000' \
    '\000w.dataPK\005\006\000\000\000\000\001\000\001\000\064\000\000\000\060\000\000\000' \
    '\000\000'
}

# compile_client NAME - NAME.c against the library that is beside the program, with its sanitizers if it has any;
# false, and a test that is skipped, where there is no compiler
compile_client()
{
    library=$(dirname "$NNEFC")
    [ -e "$library/libnnefc.a" ] || library=$library/release
    if ! command -v "${CC%% *}" >out 2>&1 || [ ! -e "$library/libnnefc.a" ]; then
        skipped=$((skipped + 1))
        echo "skipped: no compiler, or no library, for $1.c"
        return 1
    fi
    flags=$(pkg-config --libs libarchive libpng zlib 2>err || echo -larchive -lpng -lz)
    ! grep -q __asan_init "$library/libnnefc.a" || flags="$flags -fsanitize=address,undefined"
    # shellcheck disable=SC2086 # words
    $CC -std=c11 -Wall -Wextra -Werror -I"$top/include" -o "$1" "$1.c" "$library/libnnefc.a" $flags -lm -pthread >out 2>err
    meets "$1.c compiles" [ $? -eq 0 ]
}
