#!/bin/sh
# broadcast.sh - the three rules from the command line, and a table of cases if there is one
. "$(dirname "$0")/lib.sh"

run 0 broadcast nnef 1,16,7,7 1,16
quiet_err
out_has '^\[1,16,7,7\]$'
run 0 broadcast onnx '[2,1]' '(6,)' scalar
out_has '^\[2,6\]$'
run 0 broadcast onnx '()' '[]' --json
out_has '^\{"shape":\[\],"reason":null\}$'

run 1 broadcast onnx 1,16,7,7 1,16
err_has 'extents 16 and 7 at dimension -1, counted from the last'
run 1 broadcast nnef 8,16 16
err_has 'extents 16 and 8 at dimension 0, counted from the first'
run 1 broadcast onnx-one-way 2,3 1,2,3
err_has '\[1,2,3\] has 3 dimensions, the first shape only 2'
run 1 broadcast nnef 0,4 1,4
err_has 'shape 1 has extent 0, expected 1 or more'
run 0 broadcast onnx 0,4 1,4
out_has '^\[0,4\]$'
run 1 broadcast onnx 4 -- -4
err_has 'extent -4, expected 0 or more'
run 1 broadcast nnef 2,3 3,2 --json
out_has '"shape":null,"reason":"\[3,2\]'

run 2 broadcast numpy 1 1
err_has "'numpy' is no rule, expected nnef, onnx or onnx-one-way"
run 2 broadcast
run 2 broadcast nnef 2,3
run 2 broadcast nnef 2,3 2x3
err_has "'2x3' is no shape"
run 2 broadcast nnef 1 1,1,1,1,1,1,1,1,1
run 2 broadcast nnef 1 99999999999999999999

# A table of cases beside the project: id, rule, A, the others, verdict, result.
table=${NNEFC_SHARED:-$top/../shared}/broadcast-cases.tsv
if [ ! -r "$table" ]; then
    echo 'skipped: there is no table of broadcasting cases'
    skipped=$((skipped + 1))
    finish
    exit
fi
tail -n +2 "$table" >cases
while IFS='	' read -r id rule a others verdict result _; do
    case $rule in
    nnef*) rule=nnef ;;
    onnx-uni) rule=onnx-one-way ;;
    onnx-multi*) rule=onnx ;;
    esac
    status=0
    [ "$verdict" = ok ] || status=1
    # shellcheck disable=SC2086 # several shapes
    run $status broadcast $rule "$a" $others
    want=$(echo "$result" | sed 's/,*)$/]/; s/^(/[/')
    [ $status -eq 1 ] || meets "$id gives $want" [ "$(cat out)" = "$want" ]
done <cases
finish
