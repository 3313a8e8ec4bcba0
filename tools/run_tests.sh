#!/bin/sh
# run_tests.sh PROGRAM... - runs test programs, as many at a time as there are processors
#
# tests/unit_ROOM are cmocka programs, and unit_ROOM:FILE,FILE are some files of one; those of tests/fuzz/ replay the inputs of their corpora;
# fuzz_bindings, fuzz_passes and fuzz_plans make random graphs; nnef_test runs the documents below tests/, also
# with the portable backend, after the passes, and written as C if there is the compiler EMIT_CC (tcc). With NNEFC naming the program, every tests/cli/*.sh
# but lib.sh runs too; with ONNX_CASES ONNX Runtime judges what those cases make. All but the cmocka
# programs end with a line "N passed, N failed, N skipped", and so does this script. It shows the
# output of what failed, or of everything with V=1, and the seconds of each, by the clock and of processors.
# TEST_TIMEOUT bounds each program, in seconds; JOBS is how many run at a time. With STOP=1 none begins
# after one has failed. SKIP_EMPTY=1 leaves out the documents with extents of 0, SKIP_JUDGE=1 all that ONNX Runtime judges.
set -u

cd "$(dirname "$0")/.." || exit 1
: "${EMIT_CC:=tcc}"

# The counts that a cmocka program states. If its status says so it has failed whatever it states;
# from 124 on the status means a program that was killed or took too long.
count_cmocka()
{
    awk -v status="$1" '
        /^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
        /^\[  SKIPPED *\] [0-9]+ test/ { skipped += $4 }
        /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
        END { print passed + 0, failed + (status && !failed || status >= 124), skipped + 0 }' "$2"
}

# The counts of the last closing line, or else the program's exit status as one test.
count_closing_line()
{
    awk -v status="$1" '
        /^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { passed = $1; failed = $3; skipped = $5 + 0; said = 1 }
        END {
            if (!said) { passed = !status; skipped = status == 77; status = status != 77 && status }
            print passed + 0, failed + (status && !failed || status >= 124), skipped + 0
        }' "$2"
}

# What `times` said in a file, as seconds that the processors spent on what the shell ran.
processor_seconds()
{
    awk 'NR == 2 { split($1 "m" $2, part, /[ms]+/); printf "%.0f", 60 * (part[1] + part[3]) + part[2] + part[4] }' "$1"
}

# one LINE - runs the command of a line of the list, "COUNT COMMAND...", and appends its counts to $LOG/counts
one()
{
    # shellcheck disable=SC2086 # words of the list
    set -- $1
    count=$1 log=$(mktemp "$LOG/output.XXXXXX")
    shift
    begin=$(date +%s)
    timeout "${TEST_TIMEOUT:-900}" "$@" >"$log" 2>&1 </dev/null
    status=$?
    times >"$log.times"
    seconds="$(($(date +%s) - begin)) s, $(processor_seconds "$log.times") s of processors"
    # shellcheck disable=SC2046 # three numbers
    set -- "$*" $($count $status "$log")
    {
        printf '%s: %d passed, %d failed, %d skipped, %s\n' "${1#"$PWD"/}" "$2" "$3" "$4" "$seconds"
        [ "$4" -eq 0 ] || sed -n 's/^skipped:/    &/p' "$log" | sort -u
        if [ "$3" -gt 0 ] || [ -n "${V:-}" ]; then
            cat "$log"
            [ $status -le 1 ] || echo "(exit status $status$([ $status -ne 124 ] || echo ', timed out'))"
        fi
    } >"$log.shown"
    cat "$log.shown"
    echo "$2 $3 $4" >>"$LOG/counts"
    [ -z "${STOP:-}" ] || [ "$3" -eq 0 ] || exit 255 # which ends xargs
}

# The commands, one a line. What takes longest comes first, so that no processor waits for it at the end.
list()
{
    last=
    for program; do
        case $program in
        */nnef_test) [ -n "${SKIP_EMPTY:-}" ] || echo "count_closing_line $program --empty tests/op" ;;
        esac
    done
    if [ -n "${NNEFC:-}" ]; then
        for script in tests/cli/*.sh; do
            case $script in
            */lib.sh) ;;
            */allocation.sh | */fix_all.sh | */hostile.sh | */containers.sh) echo "count_closing_line $script" ;;
            *) last="$last
count_closing_line $script" ;;
            esac
        done
    fi
    if [ -n "${ONNX_CASES:-}" ] && [ -z "${SKIP_JUDGE:-}" ]; then
        echo 'count_closing_line tests/onnxruntime/judge.sh'
        echo 'count_closing_line tests/onnxruntime/judge.sh --passes'
        for judge in examples options open pnnx; do
            echo "count_closing_line tests/onnxruntime/$judge.sh"
        done
        echo 'count_closing_line tests/onnxruntime/compare.sh empty'
        echo 'count_closing_line tests/onnxruntime/compare.sh random_sizes 100'
        echo 'count_closing_line tests/onnxruntime/compare.sh random_index 100'
        echo 'count_closing_line tests/onnxruntime/compare.sh random_images 100'
        echo 'count_closing_line tests/onnxruntime/compare.sh random_microsoft 100'
        echo 'count_closing_line tests/onnxruntime/compare.sh random_operators 100'
        echo 'count_closing_line tests/onnxruntime/compare.sh random_losses 100'
        echo 'count_closing_line tests/onnxruntime/compare.sh made_networks'
        echo 'count_closing_line tests/onnxruntime/compare.sh open_models'
        echo 'count_closing_line tests/onnxruntime/compare.sh random_programs 50'
        echo 'count_closing_line tests/onnxruntime/compare.sh random_sequences 50'
    fi
    for program; do
        case $program in
        */unit_*) echo "count_cmocka $program" | tr ':,' '  ' ;;
        */fuzz/*) echo "count_closing_line $program tests/fuzz/corpus/${program##*/fuzz_}" ;;
        */fuzz_bindings | */fuzz_passes | */fuzz_plans) echo "count_closing_line $program --count=200" ;;
        *)
            echo "count_closing_line $program tests"
            echo "count_closing_line $program --passes tests"
            echo "count_closing_line $program --backend=portable tests"
            for small in '' --small; do
                ! command -v "$EMIT_CC" >/dev/null || echo "count_closing_line $program --emit-c=$EMIT_CC $small tests"
            done
            ;;
        esac
    done
    echo "$last" | sed '/^$/d'
}

if [ "${1-}" = --one ]; then
    one "$2"
    exit
fi

LOG=$(mktemp -d) || exit 1
trap 'rm -rf "$LOG"' EXIT
trap 'exit 1' HUP INT TERM
export LOG
list "$@" | tr '\n' '\0' | xargs -0 -n 1 -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" "$0" --one
awk '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0 || passed + skipped == 0
    }' "$LOG/counts"
