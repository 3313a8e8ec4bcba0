#!/bin/sh
# sequences.sh - sequences of ONNX that are refused; what they compute, random_sequences.js judges
. "$(dirname "$0")/lib.sh"

"${ONNX_MODELS:-$top/build/release/tests/onnx_models}" . || exit 1

refused()
{
    run "$1" check "sequence_$2.onnx"
    quiet_out
    err_has "$3"
}

refused 4 shown "output 's': is a sequence, where NNEF has tensors only"
refused 1 added "node 1 'sum' \\(Add\\) at byte [0-9]+: input 0, 's', is a sequence, expected a tensor"
refused 1 of_none "node 1 'count' \\(SequenceLength\\) at byte [0-9]+: input 0 is a tensor, expected a sequence"
refused 1 mixed "node 2 'more' \\(SequenceInsert\\) at byte [0-9]+: has tensors of types FLOAT and INT64 in one sequence"
refused 1 place "node 1 'take' \\(SequenceAt\\) at byte [0-9]+: has position 2 in a sequence of 2 tensors"
refused 1 fraction "node 1 'take' \\(SequenceAt\\) at byte [0-9]+: has a position of type FLOAT, expected an integer"

refused 1 mapped "node 1 'map' \\(SequenceMap\\) at byte [0-9]+: input 1 is left out"

# A sequence goes from part to part.
run 0 run sequence_twice.onnx --random
out_has '^y: scalar\[4,'
out_has 'min 0, max 0'
run 1 run sequence_cut.onnx --random
err_has "node 3 'take' \\(SequenceAt\\) at byte [0-9]+: has position 162 in a sequence of 2 tensors"
err_has "this is for 'places' \\[2,81\\], sequence 's' of 2"
finish
