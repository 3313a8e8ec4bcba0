#!/bin/sh
# fuzz.sh SECONDS PROGRAM... - lets libFuzzer try inputs on targets, one for each processor at a time
# fuzz.sh --check CLANG      - can it be linked at all?
#
# A target starts from tests/fuzz/corpus/NAME and from what earlier calls found, which is kept in
# corpus/NAME beside the programs; an input that brings it down, is slow or wants much memory goes
# to findings/ there, and is what the last status is about.  FUZZ_OPTIONS are libFuzzer's.
set -u
cd "$(dirname "$0")/.." || exit 1

# check CLANG
check()
{
    echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        "$1" -fsanitize=fuzzer -x c -o /dev/null - 2>/dev/null && return
    echo "fuzzing needs clang and its fuzzer, which '$1' cannot link; on Debian install them with" >&2
    echo '    sh tools/setup.sh fuzz' >&2
    return 1
}

# dictionary NAME - the file of words for a target, if it has one
dictionary()
{
    case $1 in
    text | lower | rewrite | convert | run | quant)
        tools/fuzz_dictionary.sh >"$place/$1.dict"
        echo "$place/$1.dict"
        ;;
    pnnx_param)
        tr ' "' '\n\n' <src/convert/pnnx/convert_list.def |
            sed -n -E 's/\*/2/; s/^(nn|F|torch|Tensor|aten)[.:].*/"&"/p' >"$place/$1.dict"
        echo "$place/$1.dict"
        ;;
    *) [ ! -f "tests/fuzz/$1.dict" ] || echo "tests/fuzz/$1.dict" ;;
    esac
}

# forget_fast PROGRAM FILE... - removes the slow inputs that only a busy machine was slow with
forget_fast()
{
    program=$1
    shift
    for file; do
        [ -e "$file" ] && (ulimit -t 1 && "$program" "$file") >/dev/null 2>&1 && rm "$file"
    done
}

# fuzz PROGRAM - false if there was a finding
fuzz()
{
    name=${1##*/fuzz_} place=$(dirname "$1") words=''
    found=$place/corpus/$name log=$place/$name.log
    mkdir -p "$found" "$place/findings"
    rm -f "$place/findings/$name-"*
    words=$(dictionary "$name")
    # shellcheck disable=SC2086 # options
    "$1" ${words:+-dict="$words"} -timeout=5 -report_slow_units=1 -rss_limit_mb=2048 \
        -max_total_time="$seconds" -artifact_prefix="$place/findings/$name-" ${FUZZ_OPTIONS:-} \
        "$found" "tests/fuzz/corpus/$name" >"$log" 2>&1
    status=$?
    forget_fast "$1" "$place/findings/$name-slow-unit-"*
    set -- "$place/findings/$name-"*
    summary "$name" <"$log"
    [ $status -eq 0 ] && [ ! -e "$1" ] && return
    [ $status -ne 0 ] || echo '    an input takes more than a second'
    grep -E 'not so:|runtime error:|ERROR: |^ +#[0-9]+ .*/(src|tests)/|[Aa]ssert' "$log" | head -20
    echo "    all of it: $log"
    [ ! -e "$1" ] || printf '    the input: %s\n' "$@"
    return 1
}

# The last line of libFuzzer's that says how far it came.
summary()
{
    awk -v name="$1" '
        /^#[0-9]+\t.* cov: / { runs = substr($1, 2); edges = $4; features = $6 }
        /^Done / { runs = $2; seconds = $5 }
        END { printf "%s: %d inputs, %d edges, %d features\n", name, runs, edges, features }'
}

case ${1-} in
--check)
    check "$2"
    exit
    ;;
'' | *[!0-9]*)
    sed -n 's/^# \(fuzz.sh .*\) - .*/usage: \1/p' "$0" >&2
    exit 2
    ;;
esac
seconds=$1
shift
if [ -n "${FUZZ_ONE-}" ]; then
    fuzz "$1" >"$1.said" && status=0 || status=1
    cat "$1.said"
    exit $status
fi
export FUZZ_ONE=1
printf '%s\0' "$@" | xargs -0 -n 1 -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" "$0" "$seconds" ||
    { echo 'targets have findings'; exit 1; }
