#!/bin/sh
# fuzz_corpus.sh PROGRAM... - makes tests/fuzz/corpus of the seeds and of what the fuzzer found
#
# Kept is what reaches code that nothing smaller reaches, of inputs of less than MOST bytes,
# and every file that has a name of its own: what was wrong once. Of the texts for 'convert',
# 'rewrite' and 'run', which other tests have, as few are kept as reach all the code together.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
MOST=${MOST:-1500}

# No name of libFuzzer's: 40 digits.
has_name()
{
    ! echo "${1##*/}" | grep -qE '^[0-9a-f]{40}$'
}

python3 tools/fuzz_seeds.py "$work/seeds"
for program; do
    name=${program##*/fuzz_} corpus=tests/fuzz/corpus/${program##*/fuzz_}
    found=$(dirname "$program")/corpus/$name
    mkdir -p "$corpus" "$found" "$work/kept" "$work/seeds/$name"
    for file in "$corpus"/*; do
        [ ! -f "$file" ] || has_name "$file" || mv "$file" "$work/seeds/$name"
    done
    find "$found" -type f -size -"$MOST"c -exec cp {} "$work/seeds/$name" \;
    merge=merge
    case $name in convert | rewrite | run) merge=set_cover_merge ;; esac
    # The code that reads these is small: what it is led to do how often, or by which numbers, counts as well.
    features=-use_counters=0
    case $name in onnx | pnnx_bin) features=-use_counters=1 ;; png) features=-use_value_profile=1 ;; esac
    "$program" "-$merge=1" $features -timeout=60 "$work/kept" "$corpus" "$work/seeds/$name" >"$work/log" 2>&1 || {
        tail -5 "$work/log" >&2
        exit 1
    }
    find "$work/kept" -type f -exec mv {} "$corpus" \;
    printf '%s: %d inputs, %d KB\n' "$name" "$(find "$corpus" -type f | wc -l)" \
        "$(du -bk "$corpus" | cut -f1)"
    rm -r "$work/kept"
done
