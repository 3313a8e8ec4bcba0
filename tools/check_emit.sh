#!/bin/sh
# check_emit.sh - the C of all documents of tests/op and of the examples, by several compilers
#
# gcc -O2, and clang -O1 with the vectors of this x86-64, have no warnings and compute what the reference does, and so
# does the code between the checks of the sanitizers; it is C++, too; no more functions are called than the titles
# name, and there are no variables but arenas. NNEF_TEST names the program that runs documents. What is not installed
# is skipped with a line.
set -u

: "${NNEF_TEST:?names the program}" "${NNEFC:?names the program}"
cd "$(dirname "$0")/.." || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
strict='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wcast-qual -Wundef -Wvla -Werror'
native=
[ "$(uname -m)" != x86_64 ] || native=-march=native
sanitize='-fsanitize=address,undefined -fno-sanitize-recover=all'

# ends WHAT STATUS LOG - counts it
ends()
{
    if [ "$2" -eq 0 ]; then
        echo "ok: $1"
        passed=$((passed + 1))
    else
        echo "FAILED: $1"
        grep -v '^n[0-9]*_' "$3" | tail -n 20
        failed=$((failed + 1))
    fi
}

# there COMMAND...
there()
{
    for command; do
        command -v "$command" >/dev/null && continue
        echo "skipped: no $command"
        skipped=$((skipped + 1))
        return 1
    done
}

# documents COMPILER - runs the documents; the C and the object of all stay in $out/COMMAND.{c,so}
documents()
{
    "$NNEF_TEST" --emit-c="keep() {
        $1 \"\$@\" && for file; do
            case \$file in *.c) cp \"\$file\" $out/${1%% *}.c ;; *.so) cp \"\$file\" $out/${1%% *}.so ;; esac
        done
    }; keep" tests/op
}

# Without what a distribution adds to all that it compiles, which calls functions of its own.
plain() { documents "gcc -std=c99 -O2 -U_FORTIFY_SOURCE -fno-stack-protector $strict"; }
other() { documents "clang -std=c99 -O1 $native $strict"; }

# Memory is checked in this object only, by a library that has to be there before any other.
sanitized()
{
    library=$(clang -print-file-name="libclang_rt.asan-$(uname -m).so")
    export LD_PRELOAD="$library" ASAN_OPTIONS=detect_leaks=0,verify_asan_link_order=0
    documents "env LD_PRELOAD= clang -O0 -DTEST_SMALL -shared-libasan $sanitize"
}

# A title names what its network calls, whatever others do.
calls()
{
    nm -D --undefined-only "$out/gcc.so" | sed -n 's/^ *U \([^@]*\).*$/\1/p' >"$out/called"
    [ -s "$out/called" ] && awk '
        NR == FNR { called[$1] = 1; next }
        / \* It needs: / { split("", named); n = split($0, word, /[ ,]+/); for (i = 1; i <= n; i++) named[word[i]] = 1 }
        { line = $0
          while (match(line, /[A-Za-z0-9_]+\(/)) {
              name = substr(line, RSTART, RLENGTH - 1); line = substr(line, RSTART + RLENGTH)
              if (name in called) seen[name] = 1
              if (name in called && !(name in named)) { print FNR ": " name; bad = 1 }
          } }
        END { for (name in called) if (!(name in seen)) { print name " is called by nobody"; bad = 1 } exit bad }' \
        "$out/called" "$out/gcc.c"
}

# The callers have the states of the networks.
variables()
{
    nm "$out/gcc.so" | awk '$2 ~ /^[bBdDcC]$/ && $3 ~ /^n[0-9]+_/ && $3 !~ /^n[0-9]+_arena$/ { print; bad = 1 } END { exit bad }'
}

# example NAME COMPILER - random weights where the example has none; tcc would take a minute for ResNet-50
example()
{
    if [ ! -d "$out/$1" ]; then
        cp -R "examples/nnef/$1" "$out/$1"
        [ "$1" = digits ] || "$NNEFC" init "$out/$1" -q || return
        "$NNEFC" emit-c "$out/$1" -o "$out/$1.c" --prefix=net --weights=file --self-test --main -q || return
    fi
    $2 "$out/$1.c" "$out/$1_main.c" -lm -o "$out/example" && "$out/example" "$out/$1.bin" 2>&1 | grep -x 'check: right'
}

there gcc g++ nm clang clang++ || exit 77
plain >"$out/plain" 2>&1 &
first=$!
(sanitized) >"$out/sanitized" 2>&1 &
second=$!
wait $first
ends 'gcc -O2 has no warnings, and computes the same' $? "$out/plain"
other >"$out/other" 2>&1 &
third=$!
calls >"$out/log" 2>&1
ends 'functions that are called are named' $? "$out/log"
variables >"$out/log" 2>&1
ends 'there are no variables but arenas' $? "$out/log"
for compiler in 'g++ -std=c++11' 'clang++ -std=c++20'; do
    $compiler -x c++ -fsyntax-only -Wall -Wextra -Wpedantic -Werror "$out/gcc.c" >"$out/log" 2>&1
    ends "it is C++ for $compiler" $? "$out/log"
done
wait $second
ends 'the sanitizers have nothing to say' $? "$out/sanitized"
wait $third
ends 'clang -O1 has no warnings, and computes the same' $? "$out/other"
for name in digits provisional resnet; do
    for compiler in "gcc -std=c99 -O2 $strict" "clang -std=c99 -O2 $strict" tcc; do
        [ "$name $compiler" != 'resnet tcc' ] && there "${compiler%% *}" || continue
        example $name "$compiler" >"$out/log" 2>&1
        ends "the example $name checks itself by ${compiler%% *}" $? "$out/log"
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
