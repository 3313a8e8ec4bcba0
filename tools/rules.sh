#!/bin/sh
# rules.sh - the rules of the language and of arguments that no document violates
#
# A rule has a document tests/rules/Rnnn-*.nnef or tests/op/rules/Vnn-*.nnef with a fault in it:
# a mark '#!', or '#?' for what is tolerated. With --check the exit status is 1 if a rule has none.
cd "$(dirname "$0")/.." || exit 1

# uncovered FORMAT LAST FOLDER
uncovered()
{
    number=1
    while [ $number -le "$2" ]; do
        # shellcheck disable=SC2059 # the format is ours
        rule=$(printf "$1" $number)
        grep -qsE '#[!?]' "$3/$rule"-*.nnef || echo "$rule"
        number=$((number + 1))
    done
}

missing=$(uncovered R%03d 157 tests/rules; uncovered V%02d 50 tests/op/rules)
[ -z "$missing" ] && exit 0
echo "rules without a document:"
echo "$missing"
[ "${1:-}" != --check ]
