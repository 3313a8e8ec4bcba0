#!/bin/sh
# check_names.sh - behind sema no operator and no attribute is looked up by its name
#
# node->op->id and the accessors of ops.h know them; see src/op/op.h.  Files that read names which
# somebody else wrote stand in names_allowed.txt, each with the number of lines that may do so.
cd "$(dirname "$0")/.." || exit 1

rooms='src/lower src/op src/ir src/pass src/convert src/exec src/backend src/kernel src/api'
lookup='strn?cmp\([^;]*\b(op|desc|attr|sig|signature)(\[[a-z]+\])?->name\b'
lookup="$lookup"'|\b(node_attr|attribute_[a-z]+)\([^;]*"[a-zA-Z_]+"'
lookup="$lookup"'|\bset_(integer|scalar|logical|string|pair)s?\([a-z]+, "'
lookup="$lookup"'|\b(strn?cmp|op_find)\([^;"]*(op_table|->op->name)'

# shellcheck disable=SC2086
grep -rnE "$lookup" $rooms --include='*.[ch]' | awk -v list=tools/names_allowed.txt '
BEGIN { while ((getline line < list) > 0) if (split(line, word, " ") > 1 && line !~ /^#/) allowed[word[1]] = word[2] }
{ split($0, at, ":"); if (++found[at[1]] > allowed[at[1]]) { print $0 ": looked up by name"; failed = 1 } }
END {
    for (file in allowed) if (found[file] < allowed[file]) {
        printf "%s: %d of the %d lines of names_allowed.txt are there\n", file, found[file], allowed[file]
        failed = 1
    }
    exit failed
}'
