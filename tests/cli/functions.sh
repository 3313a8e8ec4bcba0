#!/bin/sh
# functions.sh - convert --functions: which fragments become functions; ONNX Runtime judges the rest
. "$(dirname "$0")/lib.sh"

fragments=$top/tests/onnxruntime/models/fragments/graph.nnef
mkdir net
cp "$fragments" net/graph.nnef
run 0 init net
run 0 convert net plain.onnx
run 0 convert net kept.onnx --functions
silent
run 0 convert net again.onnx --functions
same kept.onnx again.onnx
differ kept.onnx plain.onnx

# has COUNT WORD - how often the model has a string
has() { meets "$2 is there $1 times" [ "$(grep -a -o "$2" kept.onnx | wc -l)" -eq "$1" ]; }

# a function for each kind of body, and a call for each invocation; numbers in it do not matter
meets 'fragments are a domain' grep -aq 'nnef\.fragments' kept.onnx
meets 'plain models have none' not grep -aq 'nnef\.fragments' plain.onnx
has 0 'scaled_2'
has 3 'either_2'
has 0 'either_3'

# what is read again computes the same
run 0 run net --random=1 -o first=first.npy
run 0 run kept.onnx --random=1 -o first=second.npy
same first.npy second.npy

# flat documents have nothing to keep
run 0 convert "$digits" flat.onnx
run 0 convert "$digits" same.onnx --functions
same flat.onnx same.onnx

# A model that is no text has no fragments.
"${ONNX_MODELS:-$top/build/release/tests/onnx_models}" . || exit 1
run 4 convert called_twice.onnx out.onnx --functions
err_has 'error\[N0231\]: only fragments of an NNEF text become functions'
absent out.onnx
finish
