#!/bin/sh
# bench_diff.sh [--check] PROGRAM - how long does it take to find the differences of two large models?
#
# Prints the processor time of 'diff' for chains of 100,000 operations: of a model with itself, with 100
# operations changed, and with all names changed, too. The time includes reading both. The exit status is
# 2 if 'diff' failed, with --check it is 1 if a bar was missed. RUNS says how often each is done.
set -eu

strict=0
if [ "$1" = --check ]; then
    strict=1
    shift
fi
program=$1
measure=$(dirname "$program")/tools/measure
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# network PREFIX EVERY - a chain of operations, each one in EVERY of another operator; 0: none
network()
{
    awk -v prefix="$1" -v every="$2" -v count=100000 '
    function name(i) { return i == 0 ? "x" : i == count ? "y" : prefix i }
    BEGIN {
        split("relu sigmoid tanh abs", operator, " ")
        print "version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external<scalar>( shape = [1,4,8,8] );"
        for (i = 1; i <= count; i++) {
            unary = every && i % every == int(every / 2) ? "softplus" : operator[i % 4 + 1]
            if (i % 5 == 0) printf "    %s = add( %s, %s );\n", name(i), name(i - 1), name(i - 4)
            else printf "    %s = %s( %s );\n", name(i), unary, name(i - 1)
        }
        print "}"
    }'
}

# took LABEL OPTION... - a line with the time of the comparison of a.nnef with b.nnef
took()
{
    label=$1
    shift
    # shellcheck disable=SC2016 # the inner shell expands it; 5: they differ
    seconds=$("$measure" "${RUNS:-5}" sh -c '"$@" || [ $? -eq 5 ]' sh \
        "$program" diff "$work/a.nnef" "$work/b.nnef" -q "$@") || exit 2
    echo "$label $seconds" >>"$work/results"
}

network t 0 >"$work/a.nnef"
cp "$work/a.nnef" "$work/b.nnef"
took same
network t 1001 >"$work/b.nnef"
took changed
network u 1001 >"$work/b.nnef"
took renamed --ignore=names
awk -v strict=$strict '
{ printf "%-10s%8.0f ms\n", $1, $2 * 1e3; if ($2 > 1) missed++ }
END {
    print (missed ? "missed: " : "met:    ") "100,000 operations in at most 1 s"
    exit(strict && missed > 0)
}' "$work/results"
