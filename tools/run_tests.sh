#!/bin/sh
# run_tests.sh PROGRAM... - runs test programs and sums up what they say
#
# tests/unit/ holds cmocka programs; those of tests/fuzz/ are given the inputs of their corpora;
# fuzz_passes and fuzz_plans make some random graphs; nnef_test runs the documents below tests/, lets backends
# compute them and passes rewrite them; with NNEFC naming the program, every tests/cli/*.sh but lib.sh
# is run too, and with ONNX_CASES ONNX Runtime judges what those cases make. All but the first kind end with a line
# "N passed, N failed, N skipped", and so does this script. Output is shown of what failed only,
# or of everything with V=1. TEST_TIMEOUT bounds each program, in seconds.
set -u

cd "$(dirname "$0")/.." || exit 1
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# The counts a cmocka program states. If its status says so it has failed whatever it states;
# from 124 on the status means a program that was killed or took too long.
count_cmocka()
{
    awk -v status="$1" '
        /^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
        /^\[  SKIPPED *\] [0-9]+ test/ { skipped += $4 }
        /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
        END { print passed + 0, failed + (status && !failed || status >= 124), skipped + 0 }' "$log"
}

# The counts of the last closing line, or else the program's exit status as one test.
count_closing_line()
{
    awk -v status="$1" '
        /^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { passed = $1; failed = $3; skipped = $5 + 0; said = 1 }
        END {
            if (!said) { passed = !status; skipped = status == 77; status = status != 77 && status }
            print passed + 0, failed + (status && !failed || status >= 124), skipped + 0
        }' "$log"
}

# run COUNT COMMAND... - runs COMMAND and adds what COUNT finds in its output
run()
{
    count=$1
    shift
    timeout "${TEST_TIMEOUT:-900}" "$@" >"$log" 2>&1 </dev/null
    status=$?
    # shellcheck disable=SC2046 # three numbers
    set -- "$*" $($count $status)
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
    printf '%s: %d passed, %d failed, %d skipped\n' "${1#"$PWD"/}" "$2" "$3" "$4"
    [ "$4" -eq 0 ] || sed -n 's/^skipped:/    &/p' "$log" | sort -u
    if [ "$3" -gt 0 ] || [ -n "${V:-}" ]; then
        cat "$log"
        [ $status -le 1 ] || echo "(exit status $status$([ $status -ne 124 ] || echo ', timed out'))"
    fi
}

for program; do
    case $program in
    */unit/*) run count_cmocka "$program" ;;
    */fuzz/*) run count_closing_line "$program" "tests/fuzz/corpus/${program##*/fuzz_}" ;;
    */fuzz_passes | */fuzz_plans) run count_closing_line "$program" --count=200 ;;
    *)
        run count_closing_line "$program" tests
        run count_closing_line "$program" --passes tests
        run count_closing_line "$program" --backend=portable tests
        run count_closing_line "$program" --backend=onednn tests
        ;;
    esac
done
if [ -n "${NNEFC:-}" ]; then
    for script in tests/cli/*.sh; do
        [ "$script" = tests/cli/lib.sh ] || run count_closing_line "$script"
    done
fi

if [ -n "${ONNX_CASES:-}" ]; then
    run count_closing_line tests/onnxruntime/judge.sh
    run count_closing_line tests/onnxruntime/judge.sh --passes
    run count_closing_line tests/onnxruntime/examples.sh
    run count_closing_line tests/onnxruntime/options.sh
    run count_closing_line tests/onnxruntime/open.sh
    run count_closing_line tests/onnxruntime/pnnx.sh
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
