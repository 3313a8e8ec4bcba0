#!/bin/sh
# rules.sh [--check] - how the rules of tests/rules.txt are covered by tests
#
# tests/rules.txt says how the tests of a rule are named. With --check only what is missing is
# printed. Otherwise they are run, by NNEF_TEST and the scripts of tests/cli with NNEFC, and a line
# tells of each rule how many violations and near misses it has and whether all pass.
# The exit status is 1 if a rule lacks either, if a test is named after no rule, or if one fails.
set -u

cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Lines "RULE KIND TEST": '-' for a violation, '+' for a near miss, or what is wrong with it: a
# violation has a fault marked, or what is tolerated, and a near miss has none.
tests()
{
    for file in tests/rules/*.nnef tests/op/rules/*.nnef tests/quant/[RV][0-9]*.quant; do
        name=${file##*/}
        case $name in
        *-ok-*)
            kind=+
            ! grep -q '#!' "$file" || kind=marked
            ;;
        *)
            kind=-
            grep -q '#[!?]' "$file" || kind=unmarked
            ;;
        esac
        echo "${name%%-*} $kind $file"
    done
    sed -n 's/^ *refused \([RV][0-9]*\) .*/\1 - data.sh/p
        s/^ *accepted \([RV][0-9]*\) .*/\1 + data.sh/p' tests/cli/data.sh
}

# Lines "RULE TEST" for what failed, "? PROGRAM" where something did.
failures()
{
    "$NNEF_TEST" -v tests/rules tests/op/rules >"$work/documents" || echo '? nnef_test'
    sed -n 's|^\(.*/\([RV][0-9]*\)-[^/]*\.nnef\): FAILED$|\2 \1|p' "$work/documents"
    for script in tests/cli/quant.sh tests/cli/data.sh; do
        "$script" >"$work/script" 2>&1 || echo "? $script"
        sed -n 's/^not met: \([RV][0-9]*\)\(.*\)/\1 \1\2/p' "$work/script"
    done
}

tests >"$work/tests"
: >"$work/failures"
if [ "${1:-}" != --check ]; then
    NNEFC=$(realpath "${NNEFC:-build/nnefc}")
    export NNEFC
    : "${NNEF_TEST:=build/release/tests/nnef_test}"
    failures >"$work/failures"
fi
awk -v check="${1:-}" '
function gap(text) { gaps[++ngaps] = text }
function status(rule) {
    if (failed[rule]) return "FAILS"
    return violations[rule] && misses[rule] ? "ok" : "GAP"
}
FILENAME ~ /rules.txt$/ && /^[RV][0-9]/ {
    if ($1 in section) gap($1 " is listed twice")
    order[++nrules] = $1
    section[$1] = $2
    text[$1] = $0
    sub(/^[^ ]+ +[^ ]+ +/, "", text[$1])
}
FILENAME ~ /tests$/ {
    if (!($1 in section)) gap($3 " is named after no rule")
    else if ($2 == "unmarked") gap($3 " has no fault marked")
    else if ($2 == "marked") gap($3 " is a near miss with a fault marked")
    else if ($2 == "-") violations[$1]++
    else misses[$1]++
    ntests++
}
FILENAME ~ /failures$/ {
    if ($1 != "?") {
        failed[$1]++
        nfailed++
        gap($2 " fails")
    } else {
        broken = $2 " fails"
    }
}
END {
    if (!nfailed && broken) {
        nfailed = 1
        gap(broken)
    }
    if (!check) print "rule  section  violations  near misses  status  what it says"
    for (i = 1; i <= nrules; i++) {
        rule = order[i]
        violated += violations[rule] > 0
        missed += misses[rule] > 0
        if (!violations[rule]) gap(rule " has no violation")
        if (!misses[rule]) gap(rule " has no near miss")
        if (!check)
            printf "%-4s  %-7s  %10d  %11d  %-6s  %s\n", rule, section[rule], violations[rule],
                misses[rule], status(rule), text[rule]
    }
    for (i = 1; i <= ngaps; i++) print gaps[i]
    if (!check)
        printf "%d rules: %d with a violation, %d with a near miss, %d tests, %s\n", nrules, violated,
            missed, ntests, nfailed ? "not all pass" : "all pass"
    exit ngaps > 0 || nfailed > 0
}' tests/rules.txt "$work/tests" "$work/failures"
