#!/bin/sh
# check_docs.sh - every code of src/base/diag.def has an entry in docs/diagnostics.md, and no other
#
# An entry is a heading that starts with the code.
cd "$(dirname "$0")/.." || exit 1
codes=src/base/diag.def
entries=docs/diagnostics.md
[ -f $codes ] && [ -f $entries ] || exit 0

awk -v codes=$codes -v entries=$entries '
function note(list, where) {
    if ($0 in list) fail($0 " stands twice in " where)
    list[$0] = 1
}
function fail(text) { print text; failed = 1 }
FILENAME == codes && /^[A-Z]+\([NW][0-9]+,/ && match($0, /[NW][0-9]+/) {
    $0 = substr($0, RSTART, RLENGTH); note(coded, codes)
}
FILENAME == entries && /^#+ .?[NW][0-9]+/ {
    match($0, /[NW][0-9]+/); $0 = substr($0, RSTART, RLENGTH); note(told, entries)
}
END {
    for (code in coded) if (!(code in told)) fail(code ": no entry in " entries)
    for (code in told) if (!(code in coded)) fail(code ": not in " codes)
    exit failed
}' $codes $entries
