#!/bin/sh
# onnx_operators.sh PROGRAM - prints docs/formats/onnx.md, of what PROGRAM tells of operators
set -eu

cat <<'END'
# Operators of ONNX

Written by `make docs` from `nnefc list-ops --onnx`: all operators of ai.onnx up to opset 28, and those of other domains that we
know of. An *operation* of NNEF takes the place of the operator; a *fragment* of `stdlib/onnx.nnef`, or of `microsoft.nnef`,
composes it of operations; a *function* of `src/convert/onnx/` translates it. The third column says what a use has to be like;
other uses are refused with their node. A tensor is *known* if it is an initializer, follows from shapes and known tensors, or is
an input that `--bind` gives. Everything else is refused by its name, before anything is made: "not so far" is an operator that
nothing here computes, "no" one that has no meaning in a graph of NNEF.

END
"$1" list-ops --onnx --markdown
