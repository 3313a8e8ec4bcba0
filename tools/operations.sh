#!/bin/sh
# operations.sh PROGRAM - prints docs/operations.md
#
# What PROGRAM tells of the standard operations, and which documents below tests/op invoke each.
set -eu

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."

cat <<'EOF'
# Operations of NNEF 1.0.5

Written by `make docs` from `nnefc list-ops`; `nnefc list-ops --std=provisional` lists those of the
provisional text. A compound operation is kept where there is a kernel for the whole of it, and
expanded by its body otherwise, or always with `--expand=all`. The oldest text an operation appears
in under its name is the provisional one, or 1.0 to 1.0.4. Tests are documents below `tests/op`.

EOF
# shellcheck disable=SC2046 # names of tests hold no blanks
"$program" list-ops --markdown | awk '
FILENAME != "-" {
    sub(/#.*/, "")
    while (match($0, /[A-Za-z_][A-Za-z_0-9]*(<[a-z?]*>)? *\(/)) {
        name = substr($0, RSTART, RLENGTH)
        sub(/[^A-Za-z_0-9].*/, "", name)
        note(name, FILENAME)
        $0 = substr($0, RSTART + RLENGTH)
    }
    next
}
/^### / { name = $2 }
{ print }
/^- shape: / && name in tests { print "- tests: " tests[name] }

function note(name, file, link) {
    if ((name, file) in noted) return
    noted[name, file] = 1
    link = file
    sub(/^tests\/op\//, "", link)
    sub(/\.nnef$/, "", link)
    link = "[" link "](../" file ")"
    if (name in tests) link = tests[name] ", " link
    tests[name] = link
}' $(find tests/op -name '*.nnef' | LC_ALL=C sort) -
