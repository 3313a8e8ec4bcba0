#!/bin/sh
# convert_custom.sh - convert --allow-custom: what ONNX lacks becomes operations of domain 'nnef'
. "$(dirname "$0")/lib.sh"

has() { meets "the model has '$1'" env LC_ALL=C grep -aFq "$1" out.onnx; }
lacks() { meets "the model lacks '$1'" not env LC_ALL=C grep -aFq "$1" out.onnx; }

cat >mystery.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment mystery( x: tensor<scalar>, ys: tensor<scalar>[], mode: string, count: integer = 3,
                  weights: scalar[] = [0.5, 1.5], pairs: (integer,integer)[] = [(1,2)] )
    -> ( y: tensor<scalar>, zs: tensor<scalar>[] );
graph net( x ) -> ( y, c, d )
{
    x = external<scalar>(shape = [2,3]);
    k = relu(x);
    (a, [b, c]) = mystery(x, [k, x], mode = 'fast');
    y = sin(a);
    d = add(b, x);
}
END

run 4 convert mystery.nnef out.onnx
one_error
err_has "^mystery\.nnef:10:19: error\[N0230\]: 'mystery' has no counterpart in ONNX"
absent out.onnx
run 0 convert mystery.nnef out.onnx --allow-custom
err_has "^mystery\.nnef:10:19: warning\[N0230\]: 'mystery' becomes a node of domain 'nnef'"
err_has "^mystery\.nnef:12:9: warning\[N0230\]: 'add' becomes a node of domain 'nnef': the shapes that 'add' works on are not known"
err_lacks "'sin'"
for text in mystery mode fast count weights pairs nnef.operands Sin; do
    has "$text"
done
run 0 convert mystery.nnef again.onnx --allow-custom -Wno-custom-node
silent
same out.onnx again.onnx
run 4 convert mystery.nnef other.onnx --allow-custom -Werror=custom-node
absent other.onnx

# An operation that ONNX has but not in this form; what was emitted before that showed is taken back.
window='size = [2,2,2,2,2,2,2], padding = [(0,0),(0,0),(0,0),(0,0),(0,0),(0,0),(0,0)]'
model wide 'x = external<scalar>(shape = [2,2,2,2,2,2,2]);' \
    "i = argmax_pool(x, $window);" "y = sample(x, i, $window);"
cp out.onnx before.onnx
run 4 convert wide out.onnx
err_has "^wide/graph\.nnef:6:9: error\[N0230\]: the window of 'sample' slides along 7 dimensions"
same out.onnx before.onnx
run 0 convert wide out.onnx --allow-custom
err_has "^wide/graph\.nnef:6:9: warning\[N0230\]: 'sample' becomes a node of domain 'nnef': the window"
has sample
lacks GatherElements
finish
