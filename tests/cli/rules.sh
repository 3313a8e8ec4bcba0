#!/bin/sh
# rules.sh - every rule of tests/rules.txt has a violation and a near miss, and a gap would be seen
. "$(dirname "$0")/lib.sh"

said='(tools/rules.sh --check)'

# covered STATUS [FOLDER] - looks for gaps in a tree
covered()
{
    "${2:-.}/tools/rules.sh" --check >out 2>err
    got=$?
    cat out >>err
    meets "exit status $1 (it was $got)" [ $got -eq "$1" ]
}

covered 0 "$top"
silent

mkdir -p tests/op tests/cli
cp -r "$top/tools" .
cp -r "$top/tests/rules" "$top/tests/rules.txt" "$top/tests/quant" tests
cp -r "$top/tests/op/rules" tests/op
cp "$top/tests/cli/data.sh" tests/cli
covered 0
rm tests/rules/R012-ok-*
sed -i '/^refused R159/d' tests/cli/data.sh
rm tests/op/rules/V22-[!o]*
mv tests/rules/R004-number.nnef tests/rules/R172-number.nnef
sed -i 's/#!.*//' tests/rules/R005-exponent.nnef
rm tests/quant/R168-ok-*
sed -i '2s/$/ #! N0090/' tests/quant/R169-ok-broadcast.quant
covered 1
out_has '^R012 has no near miss$'
out_has '^R159 has no violation$'
out_has '^V22 has no violation$'
out_has '^tests/rules/R172-number.nnef is named after no rule$'
out_has '^R004 has no violation$'
out_has '^tests/rules/R005-exponent.nnef has no fault marked$'
out_has '^R005 has no violation$'
out_has '^R168 has no near miss$'
out_has '^tests/quant/R169-ok-broadcast.quant is a near miss with a fault marked$'
out_has '^R169 has no near miss$'
meets 'nothing else is missing' [ "$(wc -l <out)" -eq 10 ]
finish
