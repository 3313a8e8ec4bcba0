#!/bin/sh
# extract.sh - nnefc extract: parts of models, and what was computed there
. "$(dirname "$0")/lib.sh"

# --- every format, and what is recorded ----------------------------------------------------------

# The part is fed what the model had there, and computes the same bits by the reference.
for out in part/ part.nnef part.tgz part.tar part.onnx part.ng; do
    run 0 extract "$digits" $out --from=pool2 --to=relu3,scores --record=seen -i "$three"
    quiet_err
    out_has "^nnefc run $out -i pool2=seen/input/pool2.dat --expect seen/expected/$"
    run 0 verify $out
    run 0 run $out -i pool2=seen/input/pool2.dat --expect seen/expected/ --backend=reference --atol=0 --rtol=0
    out_has '2 of 2 results'
    rm -r seen
done
meets 'a part lacks what comes before' not grep -q conv1 part/graph.nnef
exists part/conv3/filter.dat
absent part/conv2
same "$digits/conv3/filter.dat" part/conv3/filter.dat

# --- ends ----------------------------------------------------------------------------------------

model net 'x = external<scalar>(shape = [2]);' 'm = external<scalar>(shape = [2]);' \
    "w = variable<scalar>(shape = [2], label = 'w');" 'a = mul(x, w);' 'b = exp(a);' 'c = neg(m);' 'y = add(b, c);'
sed -i 's/( x )/( x, m )/' net/graph.nnef
"$NNEFC" init net -q
run 0 extract net io.onnx --from=a,c --to=y,a,b --record=seen --random -q
silent
run 0 run io.onnx -i a=seen/input/a.dat -i c=seen/input/c.dat --expect seen/expected/
out_has '^a_out '
out_has '3 of 3 results'
run 0 extract net - --format=nnef --to=b
out_has '^graph net\(x\) -> \(b\)$'
run 2 extract net around/ --from=b --to=y
one_error
err_has "error\[N0285\]: 'y' also depends on 'm', by 'c'"
absent around
run 2 extract net none/ --from=b,x,c --to=y
one_error
err_has "error\[N0284\]: no result that is asked for depends on 'x'"
run 2 extract net none/ --to=yy
err_has "error\[N0284\]: graph 'net' has no tensor 'yy'"
err_has "'y'"
absent none

# A tensor in a fragment goes by what `list` calls it.
cat >block.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment block( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { t = exp(x); y = neg(t); }
graph net( x ) -> ( y ) { x = external<scalar>(shape = [2]); a = block(x); y = block(a); }
END
run 0 list block.nnef
inner=$(sed -n 's/^exp \(%[0-9]*\) .*(a)$/\1/p' out)
run 0 extract block.nnef inner.nnef --from="$inner" --to=y
run 0 list inner.nnef
out_has "^neg y scalar\[2\] \(exp_${inner#%}\)$"
run 2 extract block.nnef inner.onnx --from="$inner" --to=y
err_has 'other numbers in ONNX'

# --- state -----------------------------------------------------------------------------------------

# The update of what became an input hands on what it would set it to.
model state 'x = external<scalar>(shape = [2]);' "v = variable<scalar>(shape = [2], label = 'v');" \
    'v2 = add(v, x);' 'v3 = update(v, v2);' 'y = mul(v3, v);'
"$NNEFC" init state -q
for out in begun/ begun.onnx begun.ng; do
    run 0 extract state $out --from=v,v2 --to=y,v3 --record=seen --random -q
    silent
    run 0 run $out -i v=seen/input/v.dat -i v2=seen/input/v2.dat --expect seen/expected/
    out_has '2 of 2 results'
    rm -r seen
done
run 0 list begun/
out_has '^copy v3 scalar\[2\] \(v2\)$'
run 2 extract state none/ --from=v,v2 --to=v3
one_error
err_has "error\[N0284\]: no result that is asked for depends on 'v'"

# In provisional NNEF the new value may lack trailing axes of one item.
model old 'x = external(shape = [1,2]);' "v = variable(shape = [1,2,1,1], label = 'v');" \
    'v2 = add(x, x);' 'v3 = update(v, v2);' 'y = mul(v3, v);'
sed -i 's/1.0;/1.0/' old/graph.nnef
"$NNEFC" init old -q
run 0 extract old old.onnx --from=v,v2 --to=y,v3 --record=seen --random -q
silent
run 0 run old.onnx -i v=seen/input/v.dat -i v2=seen/input/v2.dat --expect seen/expected/
out_has '2 of 2 results'
rm -r seen

# What OUT has besides, a parameter that NNEF wants, is not recorded.
model fixed 'x = external<scalar>(shape = [2]);' "v = variable<scalar>(shape = [2], label = 'v');" \
    'z = relu(v);' 'y = add(x, z);'
"$NNEFC" init fixed -q
for out in fixed.nnef fixed.onnx; do
    run 0 extract fixed $out --to=z --record=seen -q
    exists seen/expected/z.dat
    absent seen/expected/unused.dat
    run 0 run $out --expect seen/expected/
    out_has '1 of 1 results'
    rm -r seen
done
run 0 extract state kept/ --from=x --to=y --record=seen --random -q
run 0 run kept/ -i x=seen/input/x.dat --expect seen/expected/
out_has '1 of 1 results'
rm -r seen
run 2 extract state kept.onnx --from=x --to=y --record=seen --random
err_has "state of ONNX that variable 'v' becomes"
absent kept.onnx
absent seen

# Variables of one label are one state, whichever of them the update names.
model shared 'x = external<scalar>(shape = [2]);' "v = variable<scalar>(shape = [2], label = 's');" \
    "w = variable<scalar>(shape = [2], label = 's');" 's = add(w, x);' 'v2 = update(v, s);' 'y = neg(s);'
"$NNEFC" init shared -q
for from in x v,x; do
    [ $from = x ] && to=y || to=y,v
    run 0 extract shared once/ --from=$from --to=$to
    run 0 list once/
    out_has '^update v2 scalar\[2\] \(w, s\)$'
done

# --- quantized models ----------------------------------------------------------------------------

# What is recorded is what `run` computes, and so is what the part computes: relu2 alone has no layer of integers.
"$NNEFC" quantize "$digits" eight/ --data="$digits/images" -Wno-few-samples -q
run 0 extract eight whole.ng --to=probabilities --record=seen -i "$three" -q
run 0 run eight -i "$three" --expect seen/expected/ --backend=reference --atol=0 --rtol=0
out_has '1 of 1 results'
rm -r seen
again()
{
    shift 2
    run 0 run "$@" --backend=reference --atol=0 --rtol=0
    out_has '1 of 1 results'
}
for out in relu/ relu.tgz relu.onnx relu.ng; do
    for how in auto off; do
        run 0 extract eight $out --from=relu1 --to=relu2 --record=seen -i "$three" --quant=$how
        # shellcheck disable=SC2046 # words
        again $(cat out)
        rm -r seen
    done
done
run 2 extract eight relu.nnef --to=relu2 --quant=apply
err_has '--quant=apply is for a part in another format'

# --- command lines -------------------------------------------------------------------------------

run 2 extract net target/
err_has '--to has to name'
run 2 extract net out.param --to=y
err_has 'PNNX'
run 2 extract net target --to=y
err_has 'decides no format'
err_lacks '--to=nnef'
run 2 extract fixed target/ --to=y --record=seen2 -i x=fixed/v.dat -i x=fixed/v.dat
err_has '--record is for inputs that are given once'
absent seen2
run 2 extract net target/ --to=y --random
err_has 'no effect without --record'
run 2 extract net target/ --to=y --record=seen2
err_has "'x'"
absent seen2
run 3 extract net missing/out.nnef --to=y -q
run 0 extract net/ ./ --to=b -q
said='extract - -'
"$NNEFC" convert "$digits" whole.onnx -q
"$NNEFC" extract whole.onnx named.onnx --to=conv2 -q
"$NNEFC" extract - - --to=conv2 <whole.onnx >out 2>err
same out named.onnx
run 2 extract whole.onnx - --to=conv2 --record=samples --random
err_has '--record prints the command that runs the part'

# --- texts ---------------------------------------------------------------------------------------

# A part as its text has it is the part that is flat, with the fragments and comments of what is left.
cat >text.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
# Twice.
fragment twice( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    t = exp(x); # inside
    y = add(t, x);
}
graph net( x, mask ) -> ( y, z )
{
    x = external<scalar>(shape = [2]); # the picture
    mask = external<scalar>(shape = [2]);
    v = variable<scalar>(shape = [2], label = 'v');
    w = variable<scalar>(shape = [2], label = 'w'); # of the mask
    # what follows is twice
    a = mul(x, v);
    [p, q] = split(a, axis = 0, ratios = [1, 1]); b = twice(a); # b
    c = mul(mask, w); d = add(c, 1.0);
    y = add(b, d);
    z = neg(b);
    r = concat([q, p], axis = 0);
}
END
run 0 init text.nnef --force
for cut in '--to=z' '--from=a --to=z' '--from=d,b --to=y' '--to=d' '--from=mask,a --to=d,b,r' '--from=p,q --to=r' '--from=x --to=r,z'; do
    # shellcheck disable=SC2086 # words
    run 0 extract text.nnef flat/ $cut --force
    # shellcheck disable=SC2086
    run 0 extract text.nnef kept/ $cut --profile=document --force
    quiet_err
    run 0 diff flat kept --ignore=fragments,order --data
    meets 'the fragment stays' grep -q '^    t = exp(x); # inside$' kept/graph.nnef
    rm -r flat kept
done
run 0 extract text.nnef part.nnef --from=a --to=z --profile=document --force
sed '1,/^graph/{/^graph/!d}' part.nnef >body
cat >expected <<'END'
graph net( a ) -> ( z )
{
    # what follows is twice
    a = external<scalar>(shape = [2]);
    b = twice(a); # b
    z = neg(b);
}
END
same body expected
run 0 extract "$digits" head/ --to=pool2 --profile=document
run 0 verify head
absent head/conv3
same "$digits/conv1/filter.dat" head/conv1/filter.dat
refuses_text() # MESSAGE ARGUMENT...
{
    wanted=$1
    shift
    run 2 extract "$@" --profile=document
    err_has "$wanted"
    absent refused
}
refuses_text "'b' is an input of the part" text.nnef refused/ --from=b --to=z,b
refuses_text "the statement of 'p' is needed for its other results" text.nnef refused/ --from=p,x --to=q,r
refuses_text 'is no text of NNEF 1.0' part.onnx refused/ --to=scores
refuses_text "no name for 'exp_" block.nnef refused/ --from="$inner" --to=y
refuses_text 'other shapes' text.nnef refused/ --to=d --shape mask=2
run 2 extract text.nnef refused/ --from=b --to=y --profile=document
err_has "also depends on 'mask'"
absent refused

# Brackets of targets belong to the statement, whatever is in front of the first.
printf 'version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external<scalar>(shape = [2]);\n    [ # two\n      p,\n      q] = split(x, axis = 0, ratios = [1, 1]);\n    y = relu(x);\n}\n' >marks.nnef
run 0 extract marks.nnef left.nnef --to=y --profile=document
run 0 check left.nnef
meets 'nothing of the statement is left' not grep -q '\[ #' left.nnef
# A ',' in a name is written '\,'.
model comma 'x = external<scalar>(shape = [1,4]);' 'a_1 = relu(x);' 'a_2 = tanh(a_1);' 'y = sin(a_2);'
run 0 convert comma comma.onnx
LC_ALL=C sed -i 's/a_/a,/g' comma.onnx
run 2 extract comma.onnx part.onnx --from=a,1 --to='a\,2'
err_has "'a'"
run 0 extract comma.onnx part.onnx --from='a\,1' --to='a\,2,y'
run 0 info part.onnx
out_has '^    a,1 scalar'
out_has '^outputs 2$'
run 0 edit comma.onnx cut.onnx --outputs='a\,1'
run 0 list cut.onnx
out_has '^relu a,1 '
meets 'one line is left' [ "$(wc -l <out)" -eq 1 ]
finish
