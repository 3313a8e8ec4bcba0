#!/bin/sh
# check.sh - nnefc check: models as file, folder and standard input, options, exit statuses
. "$(dirname "$0")/lib.sh"

model good 'x = external<scalar>(shape = [1,3]);' 'y = add(x, x);'
model bad 'x = external<scalar>(shape = [1,3]);' 'y = ad(x, x);' 'z = neg(w);'
model warned 'x = external<scalar>(shape = [1,3]);' 'y = neg(neg(x));'

# Silent if nothing is wrong, whichever way the model is given.
run 0 check good
silent
run 0 check good/graph.nnef
silent
run 0 check good/
silent
input=good/graph.nnef
run 0 check -
silent
input=/dev/null
run 0 check "$digits"
silent

# Errors: status 1, on standard error, all in one run.
run 1 check bad
quiet_out
err_has '^bad/graph\.nnef:5:9: error\[N0050\]: '
err_has '^bad/graph\.nnef:6:'
err_has '\^'
input=bad/graph.nnef
run 1 check -
err_has '^<stdin>:5:9: error\[N0050\]'
input=/dev/null

# Files that cannot be read.
run 3 check nowhere
err_has "^nowhere: error\[N0180\]: .*No such file"
one_error
mkdir empty
run 3 check empty
err_has '^empty/graph\.nnef: error\[N0180\]'

# Dumps.
run 0 check good --dump=graph
quiet_err
out_has '^parameter x: scalar\[1,3\]$'
out_has '^result y: scalar\[1,3\]$'
out_has '^y: scalar\[1,3\] = add\(x, x\)$'
run 0 check --dump ast good
out_has 'y = add\(x, x\);'
cp out ast.nnef
run 0 check ast.nnef --dump=ast
same out ast.nnef
run 0 check "$top/examples/nnef/provisional" --dump=ast # as it was read: without deduced types
cp out ast.nnef
run 0 check ast.nnef --dump=ast
same out ast.nnef
run 0 check good --dump=checked
out_has 'add\(x, x\)'
printf 'graph n(x) -> (y)\n{\n    x = external(shape = [2]);\n    y = copy(x);\n}\n' >versionless.nnef
run 1 check versionless.nnef --dump=graph
quiet_out
printf 'length_of 1.0;\ngraph n(x) -> (y) { x = external(shape = [2]); y = foo(x); }\n' >garbled.nnef
run 1 check garbled.nnef --dump=ast
run 1 check bad --dump=graph
quiet_out
run 1 check bad --dump=ast
out_has 'ad\(x, x\)'

# How diagnostics are printed.
run 1 check bad --color=always
err_has "$(printf '\033\\[')"
run 1 check bad --color=never
err_lacks "$(printf '\033\\[')"
run 1 check bad
err_lacks "$(printf '\033\\[')"
run 1 check bad --error-limit=1
one_error
err_has '^note\[N0190\]: 1 more error is not shown; --error-limit=0 shows all$'

# Warnings: shown, hidden, made errors.
run 0 check warned
err_has 'warning\[N'
run 0 check warned -q
silent
run 0 check warned --quiet
silent
run 1 check warned -Werror
err_has 'error\[N'
err_has '\[-Werror='
run 1 check warned --warn=error --quiet
err_has '\[-Werror='
run 1 check warned --pedantic
err_has 'error\[N'
run 1 check -q bad
err_has 'error\[N0050\]'

# Dialects.
printf 'version 1.0\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1,3])\n    y = idn(x)\n}\n' >old.nnef
run 0 check old.nnef
silent
run 0 check old.nnef --std=provisional
silent
run 1 check old.nnef --std=1.0
one_error
err_has "^old.nnef:1:12: error\[N0017\]"
err_has 'help: this is provisional NNEF: leave out --std=1.0\.'
run 1 check good --std=provisional
one_error
err_has 'help: this is NNEF 1.0: leave out --std=provisional\.'

# What is no text at all is said to be what it is.
printf '\223NUMPY\1\0' >array.npy
foreign()
{
    cat >foreign
    run 1 check foreign
    one_error
    err_has "error\[N0025\]: this is $1, not an NNEF text"
    err_has 'help: '
}
foreign 'a NumPy array' <array.npy
foreign 'a PNG image' <"$three"
foreign 'a tensor file' <"$digits/conv1/bias.dat"
printf '\34\0\0\0TFL3\24\0' | foreign 'a TensorFlow Lite model'
printf '\0\1\2' | foreign 'a binary file'
printf '\377\376v\0e\0r\0' | foreign 'text in UTF-16'
printf '# made by hand\nimport torch\n' | foreign 'a Python program'
printf '\n{ "nodes": [] }\n' | foreign 'a JSON text'
printf '<!DOCTYPE html>\n<html>' | foreign 'an HTML page'
printf 'ir_version: 7\n' | foreign 'an ONNX model as text'
printf '"conv1": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n' |
    foreign 'a quantization file'

# NNEF of other kinds is one fault.
other()
{
    cat >other.nnef
    run 1 check other.nnef
    one_error
    err_has "$1"
}
other '^other.nnef:1:9: error\[N0010\]: this is NNEF 2.0' <<'END'
version 2.0;
import nn;
graph net { @input { x: real[1, n]; } @output { y: real[1, n]; } @compose { y = nn.relu(x); } }
END
other '^other.nnef:1:1: error\[N0010\]: this is NNEF 2.0' <<'END'
graph net {
    @input { x: real[1, n]; }
}
END
other '^other.nnef:3:11: error\[N0026\]: extension .tract_registry.*tract' <<'END'
version 1.0;

extension tract_registry tract_core;
extension tract_symbol S;
extension tract_assert S >= 1;
fragment tract_core_properties() -> (properties: (string, tensor<scalar>)[])
{
    properties = [("tract_nnef_ser_version", "0.18.3")];
}
graph network(x) -> (y)
{
    x = tract_core_external(shape = [1, S], datum_type = 'f16');
    i"/a.b:0" = tract_core_cast(x, to = 'f32');
    y = select(x > 0.0, i"/a.b:0", -inf);
}
END
err_has "note: .*'tract_core_external', 'tract_core_cast'"
other "^other.nnef:5:9: error\[N0026\]: 'tract_core_erf' is an operation of tract" <<'END'
version 1.0;
graph network(x) -> (y)
{
    x = external<scalar>(shape = [1, 2]);
    a = tract_core_erf(x);
    y = tract_core_cast(a, to = 'f32');
}
END
other '^other.nnef:5:5: error\[N0026\]: identifier in quotes' <<'END'
version 1.0;
graph network(x) -> (y)
{
    x = external<scalar>(shape = [1, 2]);
    i"/a.b:0" = relu(x);
    y = copy(i"/a.b:0");
}
END

# Several models: the worst status counts.
run 0 check good good/graph.nnef
silent
run 1 check good bad good
run 3 check bad nowhere good
err_has 'bad/graph.nnef'
err_has 'nowhere'

# Shapes and expansion.
run 0 check good --shape=x=4,5 --dump=graph
out_has '^result y: scalar\[4,5\]$'
run 2 check good --shape=x=4,5,6
err_has 'expected rank 2'
run 2 check good --shape z=1,2
err_has "no parameter 'z'"
err_has "it has 'x'"
model pooled 'x = external<scalar>(shape = [1,3]);' 'y = softmax(x);'
run 0 check pooled --dump=graph
out_has ' = softmax\('
run 0 check pooled --dump=graph --expand=all
out_has ' = exp\('
out_lacks ' = softmax\('

# An unknown name says which ones there are.
model named 'x = external<scalar>(shape = [3]);' "y = box(x, size = [2], border = 'edge');"
run 1 check named
err_has "'edge', expected 'constant', 'replicate', 'reflect', 'reflect-even' or 'ignore'"

# Everything a network as large as ResNet-50 expands to.
run 0 check "$top/examples/nnef/resnet/graph.nnef" --dump=graph
quiet_err
meets '53 convolutions' [ "$(grep -c ' = conv(' out)" -eq 53 ]
out_has '^result [a-z]*: scalar\[1,1000\]$'
cp out first
run 0 check "$top/examples/nnef/resnet" --dump=graph
same out first
run 0 check "$top/examples/nnef/provisional"
silent
finish
