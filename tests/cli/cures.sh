#!/bin/sh
# cures.sh - what 'help:' and notes answer to the mistakes of newcomers
. "$(dirname "$0")/lib.sh"

# cure TEXT - the document on standard input is answered by TEXT
cure()
{
    cat >cure.nnef
    said="check cure.nnef"
    "$NNEFC" check cure.nnef >out 2>err
    join_places
    err_has "$1"
}

# statements TEXT STATEMENT... - the same for a body with the parameter x of shape [2,4,8,8]
statements()
{
    expected=$1
    shift
    {
        printf 'version 1.0;\nextension KHR_enable_operator_expressions;\n'
        printf 'graph net( x ) -> ( y )\n{\n'
        printf '    %s\n' 'x = external<scalar>(shape = [2,4,8,8]);' "$@"
        echo '}'
    } >body.nnef
    cure "$expected" <body.nnef
}

# --- which dialect it is
cure "^cure.nnef:1:9: note: read as provisional NNEF because ';' is missing" <<'END'
version 1.0
graph net(x) -> (y) { x = external<scalar>(shape = [1]); y = copy<scalar>(x); }
END
err_has "help: write 'version 1.0;' if this is NNEF 1.0\\."
meets 'the note is given once' [ "$(grep -c 'read as' err)" -eq 1 ]
cure "^cure.nnef:1:9: note: read as NNEF 1.0 because of the ';'" <<'END'
version 1.0;
fragment f(x: tensor) -> (y: tensor) { y = relu(x); }
graph net(x) -> (y) { x = external(shape = [1]); y = f(x); }
END
run 1 check cure.nnef --std=1.0
err_lacks 'read as'

# --- text
statements "help: a comment begins with '#' and ends with the line\\." '// twice' 'y = x + x;'
statements "help: a comment begins with '#' and ends with the line\\." 'y = x + x; /* twice */'
cure "help: a parameter or result of a fragment has a type: write 'x: tensor<scalar>'\\." <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment f(x) -> (y) { y = relu(x); }
graph net(x) -> (y) { x = external(shape = [1]); y = f(x); }
END
cure "N0010" <<'END'
extension KHR_enable_fragment_definitions;
version 1.0;
graph net(x) -> (y) { x = external(shape = [1]); y = relu(x); }
END
one_error

# --- names
statements "help: write 'true'\\." 'y = box(x, size = [1,1,1,1], normalize = True);'
statements "help: leave out an argument" 'y = box(x, size = [1,1,1,1], padding = None);'
cure "help: did you mean 'ouptut', which is assigned and not used\\?" <<'END'
version 1.0;
graph net(x) -> (output) { x = external<scalar>(shape = [1]); ouptut = relu(x); }
END
cure "help: write 'x = external<scalar>\\(shape = \\[\\.\\.\\.\\]\\);' with its shape\\." <<'END'
version 1.0;
graph net(x) -> (y) { y = constant<scalar>(shape = [1], value = [1.0]); }
END
cure "help: pass it to the fragment as a parameter\\." <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment f(x: tensor<scalar>) -> (y: tensor<scalar>)
{
    w = variable<scalar>(shape = [1], label = 'w');
    y = mul(x, w);
}
graph net(x) -> (y) { x = external(shape = [1]); y = f(x); }
END

# --- arguments
statements "help: write an array: '\\[\\.\\.\\.\\]' instead of" 'y = reshape(x, shape = (8, 64));'
statements "help: write an array of one item" 'y = softmax(x, axes = 1);'
statements "help: .*put '\\.\\.\\. in \\.\\.\\.' in parentheses\\." 'y = x if 1 in [1] && true else x;'
one_error
err_lacks N0100
statements "help: .*put '\\.\\.\\. in \\.\\.\\.' in parentheses\\." \
    'y = x if true && 1 in [1] && true else x;'
one_error
statements "expected 'constant', 'replicate'," "y = box(x, size = [1,1,1,1], border = 'zero');"
statements "has 1 item, expected 4" 'y = box(x, size = [1]);'

# --- shapes
statements "help: the filter of 'linear' is \\[outputs, inputs\\]: transpose it\\." \
    'a = reshape(x, shape = [2,256]);' \
    "w = variable<scalar>(shape = [256,10], label = 'w');" 'y = linear(a, w);'
statements "help: they would be equal with 'transposeB = true'\\." \
    'a = reshape(x, shape = [2,256]);' \
    "w = variable<scalar>(shape = [10,256], label = 'w');" 'y = matmul(a, w);'
statements "help: a filter has two dimensions of channels" \
    "w = variable<scalar>(shape = [3,3], label = 'w');" 'y = conv(x, w);'
statements "help: a filter is \\[output channels, input channels / groups, \\.\\.\\.\\]\\." \
    "w = variable<scalar>(shape = [3,3,4,8], label = 'w');" 'y = conv(x, w);'
statements "help: a bias has the batch extent 1" \
    "w = variable<scalar>(shape = [8,4,3,3], label = 'w');" \
    "b = variable<scalar>(shape = [8], label = 'b');" 'y = conv(x, w, b);'
statements "help: for channels write the shape \\[1,4\\]\\." \
    'a = slice(x, axes = [0], begin = [0], end = [1]);' \
    "w = variable<scalar>(shape = [4], label = 'w');" 'y = a + w;'
err_has 'warning\[N0202\]'

# --- notes
statements '^ +::: <standard library>:[0-9]+:[0-9]+$' 'y = relu(x, x);'
err_has "---- 'relu' is declared here"
statements "N0142" 'y = concat([x, x], axis = 9);'
meets 'no note is given twice' [ -z "$(grep 'note:' err | sort | uniq -d)" ]

# --- files that are not there
model digits 'x = external<scalar>(shape = [1,2]);' \
    "w = variable<scalar>(shape = [1,2], label = 'conv/W1');" 'y = add(x, w);'
run 0 init digits
tar -cf digits.tar -C digits .
for wrong in digts/ ./digts Digits/ "$work/digts" digts.tar digits/grph.nnef digts/graph.nnef; do
    right=$(printf '%s' "$wrong" | sed 's/[dD]ig.*ts/digits/; s/grph/graph/')
    run 3 check "$wrong"
    err_has "help: did you mean '$right'\\?"
done
run 3 check digts/nothing
err_lacks 'did you mean'
run 3 check elsewhere/digits
err_lacks 'did you mean'
run 3 run digits --random --quant=apply --quant-file digits/grph.nnef
err_has "help: did you mean 'digits/graph\\.nnef'\\?"

mkdir other
run 3 check other
err_has "^other/graph\\.nnef: error\\[N0180\\]: the folder has no document 'graph\\.nnef'"
err_lacks 'help:'
cp digits/graph.nnef other/net.nnef
run 3 check other/
err_has "help: pass 'other/net\\.nnef', which is there\\."
cp digits/graph.nnef other/second.nnef
run 3 check other
err_lacks 'help:'
cp digits/graph.nnef other/grahp.nnef
run 3 check other
err_has "help: pass 'other/grahp\\.nnef', which is there\\."
mv other/net.nnef other/Graph.NNEF
run 0 check other

# --- labels that are spelled in another way
for spelled in conv_V1 conv_W1 conv.W1 conv-w1 CONV_W1; do
    rm -rf spelled
    model spelled "$(sed -n '/external/p' digits/graph.nnef)" \
        "w = variable<scalar>(shape = [1,2], label = 'conv/W1');" 'y = add(x, w);'
    cp digits/conv/W1.dat "spelled/$spelled.dat"
    tar -cf spelled.tar -C spelled .
    for place in spelled spelled.tar; do
        run 3 run $place --random
        if [ $spelled = conv_V1 ]; then
            err_has "help: name the folder of the data"
        else
            err_has "help: there is a file of the label '$spelled'\\."
        fi
    done
done

# --- data that are elsewhere
mkdir nothing
cp digits/graph.nnef bare.nnef
tar -cf nothing.tar nothing
run 3 run digits --random --data digts
one_error
err_has "^digts: error\\[N0180\\]: cannot read the folder of the data"
err_has "help: did you mean 'digits'\\?"
run 3 run digits --random --data nowhere
err_has "help: the data seem to be in 'digits', with the model: leave out --data\\."
run 3 run bare.nnef --random --data nowhere
err_has 'help: --data names the folder or archive that has LABEL\.dat'
for place in nothing nothing.tar; do
    for of in digits digits.tar bare.nnef; do
        run 3 run $of --random --data $place
        one_error
        err_has "^$place: error\\[N0180\\]: no data for any variable of the model, such as 'conv/W1\\.dat'"
        case $of in
        digits) err_has "help: the data seem to be in 'digits', with the model: leave out --data\\." ;;
        digits.tar) err_has 'help: the data seem to be in the archive of the model: leave out' ;;
        *) err_has 'help: --data names the folder or archive' ;;
        esac
    done
done
mkdir nothing/conv
ln -s "$work/digits/conv/W1.dat" nothing/conv/W1.dat
run 1 run digits --random --data nothing
err_lacks 'no data for any'
err_has 'leads out of the model folder'
run 3 run digits --random --data spelled
err_lacks 'no data for any'
run 0 run digits --random --data digits.tar
finish
