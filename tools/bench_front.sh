#!/bin/sh
# bench_front.sh [--check] PROGRAM - how fast is a text parsed, checked and lowered, in how much memory?
#
# Prints time, throughput and peak memory of 'check' on generated documents, then the bars of the
# project with what was reached. Time is the median of processor time; of time and memory is taken
# off what a document of a few lines needs. The exit status is 2 if 'check' failed, with --check it
# is 1 if a bar was missed. SIZES are the documents' megabytes, RUNS says how often each is read.
set -eu

strict=0
if [ "$1" = --check ]; then
    strict=1
    shift
fi
program=$1
sizes=${SIZES:-1 4 16}
runs=${RUNS:-9}
tools=$(dirname "$0")
measure=$(dirname "$program")/tools/measure
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# measure_document KIND MEGABYTES - prints the document's size and what it takes
measure_document()
{
    awk -v kind="$1" -v megabytes="$2" -f "$tools/bench_front.awk" >"$work/graph.nnef"
    took=$("$measure" "$runs" "$program" check "$work/graph.nnef") || exit 2
    echo "$(wc -c <"$work/graph.nnef") $took"
}

for kind in flat compositional; do
    for size in 0 $sizes; do
        took=$(measure_document $kind "$size") # within a command its failure would not end the script
        echo "$kind $took" >>"$work/results"
    done
done
awk -v strict=$strict '
BEGIN { printf "%-15s%10s%10s%10s%18s\n", "document", "MB", "ms", "MB/s", "bytes per byte" }
!($1 in start) { start[$1] = $3; base[$1] = $4; next }
{
    kind = $1; size = $2; time = $3 - start[kind]; memory = $4 - base[kind]
    printf "%-15s%10.1f%10.1f%10.1f%18.1f\n", kind, size / 1e6, time * 1e3, size / time / 1e6, memory / size
    speed[kind] = size / time / 1e6
    if (kind in last_size) growth[kind] = (time / last_time[kind]) / (size / last_size[kind])
    last_size[kind] = size; last_time[kind] = time; bytes[kind] = memory / size
}
function bar(met, text) { print (met ? "met:    " : "missed: ") text; missed += !met }
END {
    print ""
    bar(speed["flat"] >= 30, sprintf("at least 30 MB/s flat (%.1f)", speed["flat"]))
    for (kind in bytes) {
        if (kind in growth)
            bar(growth[kind] <= 1.1, sprintf("%s: four times the text at most 4.4 times the time (%.2f)", kind, 4 * growth[kind]))
        bar(bytes[kind] <= 16, sprintf("%s: at most 16 bytes of memory a byte of text (%.1f)", kind, bytes[kind]))
    }
    exit(strict && missed > 0)
}' "$work/results"
