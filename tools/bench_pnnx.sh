#!/bin/sh
# bench_pnnx.sh [--check] PROGRAM - how fast is a model of PNNX read, and verified?
#
# Prints time and peak memory of generated models: of 'convert --raw' to /dev/null, which reads the text and
# writes it again, and of 'verify', which makes a graph of it besides; then the bars of the project with
# what was reached. Time is the median of processor time. The exit status is 2 if a command failed, with
# --check it is 1 if a bar was missed. OPERATORS is how many the smallest has, RUNS how often each is read.
set -eu

strict=0
if [ "$1" = --check ]; then
    strict=1
    shift
fi
program=$1
operators=${OPERATORS:-100000}
runs=${RUNS:-9}
tools=$(dirname "$0")
measure=$(dirname "$program")/tools/measure
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for count in "$operators" $((2 * operators)) $((4 * operators)); do
    awk -v operators="$count" -f "$tools/bench_pnnx.awk" >"$work/net.param"
    read=$("$measure" "$runs" "$program" convert --raw --to=pnnx "$work/net.param" /dev/null) || exit 2
    whole=$("$measure" "$runs" "$program" verify --quiet "$work/net.param") || exit 2
    echo "$count $(wc -c <"$work/net.param") $read $whole" >>"$work/results"
done
awk -v strict=$strict '
BEGIN {
    printf "%9s%8s%22s%22s\n", "", "", "read and written", "verified"
    printf "%9s%8s%14s%8s%14s%8s\n", "operators", "MB", "ms", "MB", "ms", "MB"
}
{
    printf "%9d%8.1f%14.0f%8.0f%14.0f%8.0f\n", $1, $2 / 1e6, $3 * 1e3, $4 / 1e6, $5 * 1e3, $6 / 1e6
    if (NR == 1) { operators = $1; first = $3 }
    else {
        if ($3 / read > growth) growth = $3 / read
        if ($5 / whole > growth) growth = $5 / whole
    }
    read = $3; whole = $5
}
function bar(met, text) { print (met ? "met:    " : "missed: ") text; missed += !met }
END {
    print ""
    bar(first <= 5e-6 * operators, sprintf("%d operators are read in %.2f s (%.2f with writing)", operators, 5e-6 * operators, first))
    bar(growth <= 2.5, sprintf("twice as many take at most 2.5 times as long (%.2f)", growth))
    exit(strict && missed > 0)
}' "$work/results"
