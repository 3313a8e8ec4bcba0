#!/bin/sh
# check_exports.sh LIBRARY - the shared library offers exactly the functions that nnefc.h declares
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A type before "(*" is that of a pointer to a function.
cc -E -P include/nnefc/nnefc.h | grep -oE '\<nnefc_[a-z0-9_]+ *\(\*?' | grep -v '\*' | tr -d ' (' | sort -u >"$work/declared"
nm -D --defined-only "$1" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort -u >"$work/exported"
diff "$work/declared" "$work/exported" >"$work/diff" || {
    sed -n 's/^</declared only:/p; s/^>/exported only:/p' "$work/diff"
    exit 1
}
