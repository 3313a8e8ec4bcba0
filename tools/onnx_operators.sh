#!/bin/sh
# onnx_operators.sh PROGRAM - prints docs/formats/onnx.md, of what PROGRAM tells of operators
set -eu

cat <<'END'
# Operators of ONNX

`make docs` writes this page from `nnefc list-ops --onnx`. It lists all operators of ai.onnx up to opset 28, and those of other
domains that nnefc knows by name.

- *operation*: one operation of NNEF takes the place of the operator.
- *fragment*: a fragment of `stdlib/onnx.nnef` or `stdlib/microsoft.nnef` composes it of operations.
- *function*: a C function of `src/convert/onnx/` translates it.
- *not so far*: nnefc does not compute it yet.
- *no*: nnefc does not import it, for the reason that is given.

The third column gives a condition. nnefc refuses a node that does not meet it, and names the node. A tensor is *known* if it is
an initializer, follows from shapes and known tensors, or is an input that `--bind` gives. nnefc refuses operators that it does
not import before it builds anything.

END
"$1" list-ops --onnx --markdown
