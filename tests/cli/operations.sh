#!/bin/sh
# operations.sh - what list-ops says, and the page that is made from it
. "$(dirname "$0")/lib.sh"

# Those of the standard, and what was added to them.
count_is() { meets "$1 lines or more have '$2'" [ "$(grep -Ec -- "$2" out)" -ge "$1" ]; }
all_have() { meets "each operation has '$1'" [ "$(grep -Ec -- "$1" out)" -eq "$all" ]; }

run 0 list-ops --json
quiet_err
count_is 118 '"name":'
all=$(grep -c '"name":' out)
all_have '"executable": true'
count_is 73 '"kind": "primitive"'
count_is 45 '"kind": "compound"'
all_have '"shape": "..'
count_is 118 '"section": "4\.[1-9]'
count_is 82 '"since": "provisional"'
count_is 14 '"since": "1\.0\.4"'

run 0 list-ops --json --std=provisional
count_is 85 '"executable": true'
count_is 45 '"kind": "primitive"'
out_has '"name": "planewise_conv"'
out_lacks '"since": "1'

run 0 list-ops
quiet_err
out_has '^sqr\(x: tensor<scalar>\) -> \(y: tensor<scalar>\)$'
out_has '^    compound, kept; section 4\.2\.4; since provisional$'
out_has '^    borders: constant$'
all_have '^    shape: .'

run 0 list-ops --markdown
all_have '^### '

run 2 list-ops model
err_has "takes options only, not 'model'"
run 2 list-ops --threads=2
err_has "'list-ops' has no option '--threads'"
run 0 help list-ops
out_has '^usage: nnefc list-ops \[OPTION\]'
"$top/tools/operations.sh" "$NNEFC" >page 2>err
meets "docs/operations.md is what 'make docs' writes: run it" cmp -s page "$top/docs/operations.md"

# --- operators of ONNX ------------------------------------------------------------------------

run 0 list-ops --onnx
quiet_err
out_has '^Abs \(ai.onnx\): operation `abs`$'
out_has '^Elu \(ai.onnx\): fragment `Elu`$'
out_has '^Conv \(ai.onnx\): function `import_conv`$'
out_has '^OptionalGetElement \(ai.onnx\): no: optionals$'
out_has '^SequenceAt \(ai.onnx\): function `import_sequence_at`'
out_has '^all others \(ai.onnx.ml\): no: '
# One of them is ONNX Runtime's own.
meets 'ai.onnx has 203 operators' [ "$(grep '(ai.onnx):' out | grep -vc 'ONNX ended')" -eq 204 ]
out_has '^SimplifiedLayerNormalization \(ai.onnx\)'
out_has '^FusedConv \(com.microsoft\): function `import_fused_conv`$'
out_has '^QuickGelu \(com.microsoft\): fragment `QuickGelu`$'
meets 'each operator stands there once' [ -z "$(sed 's/):.*//' out | sort | uniq -d)" ]
run 0 list-ops --onnx --json
out_has '"how": "refused"'
run 2 list-ops --onnx --extensions
err_has '--onnx lists other operators than --extensions'
run 2 list-ops --onnx --std=1.0
"$top/tools/onnx_operators.sh" "$NNEFC" >page 2>err
meets "docs/formats/onnx.md is what 'make docs' writes: run it" cmp -s page "$top/docs/formats/onnx.md"
finish
