#!/bin/sh
# bench_front.sh PROGRAM - how fast is a text parsed, checked and lowered, and in how much memory?
#
# Prints time, throughput and peak memory of 'check' on generated documents, then the bars of the
# project with what was reached. The exit status is 1 if one was missed, 2 if 'check' failed. SIZES
# are the documents' megabytes, RUNS the runs of which the best one counts.
set -eu

program=$1
sizes=${SIZES:-1 4 16}
runs=${RUNS:-5}
tools=$(dirname "$0")
measure=$(dirname "$program")/tools/measure
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for kind in flat compositional; do
    for size in $sizes; do
        awk -v kind=$kind -v megabytes="$size" -f "$tools/bench_front.awk" >"$work/graph.nnef"
        best=$("$measure" "$runs" "$program" check "$work/graph.nnef") || exit 2
        echo "$kind $(wc -c <"$work/graph.nnef") $best" >>"$work/results"
        rm "$work/graph.nnef"
    done
done
awk '
BEGIN { printf "%-15s%10s%10s%10s%16s\n", "document", "MB", "ms", "MB/s", "bytes per byte" }
{
    kind = $1; size = $2; time = $3; memory = $4
    printf "%-15s%10.1f%10.1f%10.1f%16.1f\n", kind, size / 1e6, time * 1e3, size / time / 1e6, memory / size
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
    exit missed > 0
}' "$work/results"
