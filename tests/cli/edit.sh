#!/bin/sh
# edit.sh - nnefc edit: only what is asked for changes in a text or graph, and only sound models are written
. "$(dirname "$0")/lib.sh"

cat >net.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;

# twice x, not the x of the graph
fragment twice( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    y = add( x, x );   # x and x
}

graph net( x ) -> ( y )   # x goes in
{
    x = external<scalar>( shape = [1,2,8,8] );
    w = variable<scalar>( shape = [4,2,3,3], label = 'layer/w' ); # the "layer/w"
    c = conv( (x), w, stride = [1,1] );
    t = twice( c );
    u = relu( t ) + relu( t );
    [p, q] = split( u, axis = 1, ratios = [1,1] );
    l = concat( [for i in [0,1] yield twice( p )], axis = 1 );
    y = relu( q );
}
END

# edited OPTION... - the text is changed as in the file `expected`
edited()
{
    run 0 edit net.nnef out.nnef "$@"
    same out.nnef expected
}

# --- names ------------------------------------------------------------------------------------

sed '/^graph/,$s/\bx\b/image/g; s/# image goes in/# x goes in/' net.nnef >expected
edited --rename x=image
run 5 diff net.nnef out.nnef
out_has '^renamed input: x -> image$'
out_has '^1 difference$'
sed 's/twice(/double(/' net.nnef >expected
edited --rename twice=double
run 5 diff net.nnef out.nnef
out_has '^renamed fragment: twice -> double$'
sed 's/\[p, q\]/[first, second]/; s/twice( p )/twice( first )/; s/relu( q )/relu( second )/' net.nnef >expected
edited --rename p=first --rename q=second
rm out.nnef
run 2 edit net.nnef out.nnef --rename nothing=x2
err_has "there is no tensor or fragment 'nothing'"
for name in c i twice; do
    run 2 edit net.nnef out.nnef --rename "t=$name"
    err_has "the name '$name' is taken"
done
for name in 1a 'a b' 'a;'; do
    run 2 edit net.nnef out.nnef --rename "t=$name"
    err_has 'is no identifier'
done
run 1 edit net.nnef out.nnef --rename t=shape_of
err_has 'N0007'
run 2 edit net.nnef out.nnef --rename t=a --rename t=b
err_has "two changes are of the same place: '[ab]' and '[ab]'"
absent out.nnef

# --- attributes and shapes --------------------------------------------------------------------

sed 's/stride = \[1,1\]/stride = [2,2]/' net.nnef >expected
edited --set 'c.stride=[2,2]'
sed "s/stride = \[1,1\] )/stride = [1,1], border = 'replicate' )/" net.nnef >expected
edited --set "c.border='replicate'"
sed 's/axis = 1, ratios/axis = 1, ratios/; s/ratios = \[1,1\]/ratios = [1,3]/' net.nnef >expected
edited --set 'q.ratios=[1,3]'
sed 's/\[1,2,8,8\]/[3,2,9,9]/' net.nnef | sed 's/shape = \[3,2,9,9\]/shape = [3,2,9,9]/' >expected
edited --shape x=3,2,9,9
# a comment before the ')' may end like a list without arguments
cp net.nnef plain.nnef
sed 's/c = conv.*/c = conv( (x), w # twice (\n    );/' plain.nnef >net.nnef
sed 's/^    );/    , stride = [1,1]);/' net.nnef >expected
edited --set 'c.stride=[1,1]'
sed 's/external<scalar>(.*/external <scalar> ( # (1)\n    );/' plain.nnef >net.nnef
sed 's/^    );/    shape = [1,2,8,8]);/' net.nnef >expected
edited --shape x=1,2,8,8
mv plain.nnef net.nnef
rm out.nnef
run 1 edit net.nnef out.nnef --set "c.no_such=1"
err_has 'out.nnef|net.nnef:14:'
run 2 edit net.nnef out.nnef --set "u.axis=1"
err_has "'u' is not the result of an operation alone"
run 2 edit net.nnef out.nnef --set "zz.axis=1"
err_has "the graph assigns no tensor 'zz'"
run 2 edit net.nnef out.nnef --set "c=1"
err_has "'c' names no attribute"
run 2 edit net.nnef out.nnef --set "c.stride=[2"
err_has "'\[2' is no value of 'c.stride'"
run 2 edit net.nnef out.nnef --set 'c.stride=[]); evil = neg(x'
run 1 edit net.nnef out.nnef --shape x=1,3,8,8
absent out.nnef

# --- outputs and statements -------------------------------------------------------------------

sed 's/-> ( y )   #/-> ( y, l, t )   #/' net.nnef >expected
edited --outputs=y,l,t
cp expected before
run 1 edit net.nnef out.nnef --outputs=y,nothing
same out.nnef before
cat >change.nnef <<'END'
version 1.0;
extension KHR_enable_operator_expressions;
graph change( t ) -> ( u )
{
    t = twice( c + 1.0 );
    u = tanh( t );   # this comment stays here
}
END
sed 's/t = twice( c );/t = twice( c + 1.0 );/; s/u = .*/u = tanh( t );/' net.nnef >expected
edited --apply change.nnef
sed 's/u = /none = /' change.nnef >wrong.nnef
run 2 edit net.nnef out.nnef --apply wrong.nnef
err_has "the graph assigns no tensor 'none'"
run 3 edit net.nnef out.nnef --apply missing.nnef
# what the parser leaves out would not be replaced
sed 's/tanh( t )/tanh( t t )/' change.nnef >wrong.nnef
run 1 edit net.nnef out.nnef --apply wrong.nnef
err_has 'wrong.nnef:6:17: error\[N0001\]'
sed 's/^}/} u = relu( t );/' change.nnef >wrong.nnef
run 1 edit net.nnef out.nnef --apply wrong.nnef
err_has 'wrong.nnef:7:'
# statements of other targets
for targets in p q '[q, p]' '[p, q, t]'; do
    printf 'version 1.0;\ngraph g( t ) -> ( u )\n{\n    %s = relu( t );\n}\n' "$targets" >wrong.nnef
    run 2 edit net.nnef out.nnef --apply wrong.nnef
    targets=${targets#[}
    err_has "the graph assigns 'p, q' by one statement, but 'wrong.nnef' assigns '${targets%]}'"
done
sed 's/\bt = .*/[t, u] = split( c, axis = 1, ratios = [1,1] );/; /u = tanh/d' change.nnef >wrong.nnef
run 2 edit net.nnef out.nnef --apply wrong.nnef
err_has "the graph assigns 't' by one statement, but 'wrong.nnef' assigns 't, u'"
same out.nnef expected
sed 's/ratios = \[1,1\]/ratios = [1,3]/' net.nnef >expected
printf 'version 1.0;\ngraph g( t ) -> ( q )\n{\n    [p, q] = split( u, axis = 1, ratios = [1,3] );\n}\n' >change.nnef
edited --apply change.nnef

# --- labels and data --------------------------------------------------------------------------

run 0 edit "$digits" renamed/ --rename-label conv1/filter=first/filter --rename image=photo
exists renamed/first/filter.dat
absent renamed/conv1/filter.dat
same renamed/first/filter.dat "$digits/conv1/filter.dat"
sed "s,'conv1/filter','first/filter',; /^graph/,\$s/\\bimage\\b/photo/g" "$digits/graph.nnef" >expected
diff expected renamed/graph.nnef >differences
meets 'only comments tell of the old name' not grep -q '^[<>] *[^#<> ]' differences
run 5 diff "$digits" renamed --data
out_has '^label variable filter1: conv1/filter -> first/filter$'
out_has '^renamed input: image -> photo$'
out_has '^2 differences$'
run 0 edit "$digits" renamed.tgz --rename-label conv1/filter=first/filter
run 5 diff "$digits" renamed.tgz --data --ignore=names
out_has '^1 difference$'
run 2 edit "$digits" other/ --rename-label conv1/filtre=x
err_has "did you mean 'conv1/filter'"
run 2 edit "$digits" other/ --rename-label "conv1/filter=a'b"
absent other

# A text in an archive is a text, which keeps its comments.
run 0 edit renamed.tgz other.tgz --rename image=photo
run 0 edit other.tgz other/ --rename photo=image --rename-label first/filter=conv1/filter
diff "$digits/graph.nnef" other/graph.nnef >differences
meets 'only comments tell of the old name' not grep -q '^[<>] *[^#<> ]' differences
meets 'comments stay' grep -q '^ *#' other/graph.nnef
run 0 diff "$digits" other --data
input=renamed.tgz
run 2 edit - other.nnef --rename image=photo
err_has 'in an archive on standard input'
input=/dev/null
absent other.nnef

# variables of one label have one file of data
model pair 'x = external<scalar>(shape = [1,2]);' "v = variable<scalar>(shape = [1,2], label = 'v');" \
    "w = variable<scalar>(shape = [1,2], label = 'v');" "u = variable<scalar>(shape = [1,2], label = 'u');" \
    'a = add(v, w);' 'b = mul(u, a);' 'y = add(x, b);'
run 0 init pair
differ pair/u.dat pair/v.dat
run 0 edit pair other/ --rename-label v=first
same other/first.dat pair/v.dat
same other/u.dat pair/u.dat
absent other/v.dat
run 0 convert pair whole/ --profile=document
same whole/v.dat pair/v.dat
# a label is not given to another variable, unless both change it
rm -r other
run 2 edit pair other/ --rename-label u=v
err_has "the label 'v' is taken"
run 2 edit pair other/ --rename-label u=first --rename-label v=first
err_has "the label 'first' is taken"
absent other
run 0 edit pair other/ --rename-label u=v --rename-label v=u
same other/u.dat pair/v.dat
same other/v.dat pair/u.dat

# --- the quantization file --------------------------------------------------------------------

model quant 'x = external<scalar>(shape = [1,4]);' 't = relu(x);' 'y = tanh(t);'
cat >quant/graph.quant <<'END'
# the "t": of the graph
"x": linear_quantize(min = 0.0, max = 1.0, bits = 8); # 't': no entry
't' # here, too
  : linear_quantize(min = -1.0, max = 1.0, bits = 8);
END
sed "s/^'t'/'image'/; s/^\"x\"/\"photo\"/" quant/graph.quant >expected
rm -r other
run 0 edit quant other/ --rename t=image --rename x=photo
same other/graph.quant expected
run 0 check other
quiet_err
run 0 edit quant packed.tgz --rename t=image --rename x=photo
run 0 check packed.tgz
quiet_err
cp -r quant place
run 0 edit --force place place/ --rename t=image --rename x=photo
same place/graph.quant expected
run 0 edit quant other/ --rename y=scores --force
same other/graph.quant quant/graph.quant
run 2 edit quant quant/graph.nnef --rename t=image
err_has "'quant/graph.quant' has the old name of 'image'"
run 0 edit quant out.nnef --rename y=scores

# --- other formats and streams ----------------------------------------------------------------

run 0 edit "$digits" photo.onnx --rename image=photo
run 0 info photo.onnx
out_has '^    photo scalar'
run 0 edit "$digits" photo.ng --rename image=photo
run 0 run photo.ng --random
input=net.nnef
run 0 edit - - --rename x=image
quiet_err
sed '/^graph/,$s/\bx\b/image/g; s/# image goes in/# x goes in/' net.nnef >expected
same out expected
input=/dev/null
cp net.nnef self.nnef
run 3 edit self.nnef self.nnef --rename x=image
err_has 'N0181'
same self.nnef net.nnef
run 0 edit self.nnef self.nnef --rename x=image --force
same self.nnef expected
run 2 edit net.nnef out.param
run 2 edit net.nnef
echo 'version 1.0; graph' >broken.nnef
run 1 edit broken.nnef out.nnef --rename a=b
run 3 edit missing.nnef out.nnef --rename a=b

# --- graphs -----------------------------------------------------------------------------------

# What is made of a graph computes what is made of the text by the same options.
three=$digits/images/3-3.png
run 0 convert "$digits" digits.onnx
run 0 convert "$digits" digits.ng
run 0 edit "$digits" text/ --rename image=photo --outputs=features,scores --set "conv1.border='replicate'"
for in in digits.onnx digits.ng; do
    for out in graph/ graph.nnef graph.tgz graph.onnx graph.ng; do
        run 0 edit $in $out --rename image=photo --outputs=features,scores --set "conv1.border='replicate'"
        quiet_err
        run 0 compare text $out -i photo="$three" -q
        run 0 list $out
        out_has 'photo'
        out_lacks 'probabilities'
    done
    rm -r graph graph.*
done
input=digits.onnx
run 0 edit - - --rename image=photo
input=/dev/null
out_has '^graph digits\(photo\)'
run 0 edit digits.ng labels/ --rename-label conv1/filter=first/filter
exists labels/first/filter.dat
absent labels/conv1/filter.dat
run 0 compare "$digits" labels -i "$three" -q

# Shapes follow: from the attribute in a graph, and from extents as an importer reads them.
model strided 'x = external<scalar>(shape = [1,1,4,4]);' "a = max_pool(x, size = [1,1,2,2], border = 'ignore');" 'y = relu(a);' 'z = neg(y);'
run 0 convert strided strided.onnx
run 0 convert strided strided.ng
for in in strided.onnx strided.ng; do
    run 0 edit $in out.ng --set 'a.stride=[1,1,2,2]' --rename a=b --outputs=y --force
    run 0 list out.ng
    out_has '^max_pool b scalar\[1,1,2,2\] '
    out_has '^relu y scalar\[1,1,2,2\] \(b\)'
    out_lacks neg
done
for in in strided.onnx strided.ng; do
    run 0 edit $in out.ng --shape x=2,1,6,6 --rename x=image --force
    run 0 list out.ng
    out_has '^max_pool a scalar\[2,1,6,6\] \(image\)'
    out_has '^relu y scalar\[2,1,6,6\]'
    rm out.ng
    run 2 edit $in out.ng --shape z=2,1,6,6
    err_has 'N0188'
done
run 1 edit strided.ng out.ng --shape x=2,1,6 # a window of four axes
one_error
absent out.ng
run 0 edit strided.ng out.ng --shape x=2,1,6 --set 'a.size=[1,2,2]' --set 'a.padding=[]'
run 0 list out.ng
out_has '^relu y scalar\[2,1,6\]'
rm out.ng
run 1 edit digits.ng out.ng --shape image=1,2,32,32 # filters of one channel
one_error
absent out.ng

# fails_to MESSAGE OPTION... - an edit of the graph gives one error, and writes nothing: of the model that it would
# be if the message has the code of such an error
fails_to()
{
    wanted=$1
    shift
    status=2
    case $wanted in N00?? | N01??) status=1 ;; esac
    run "$status" edit digits.onnx out.ng "$@"
    one_error
    err_has "$wanted"
    absent out.ng
}
fails_to "graph 'digits' has no tensor 'imag'" --rename imag=photo
fails_to "the name 'conv1' is taken" --rename image=conv1
fails_to "'1a' is no identifier" --rename image=1a
fails_to "did you mean 'stride'" --set 'conv1.strid=[1,1]'
fails_to "'image' is not the result of an operation" --set image.shape=1
fails_to "'stride' of 'conv1' is given twice" --set 'conv1.stride=[1,1]' --set 'conv1.stride=[1,1]'
fails_to N0090 --set conv1.stride=2.0
fails_to N0135 --set 'conv1.stride=[-1,1]'
fails_to N0139 --set "conv1.border='none'"
fails_to N0144 --set 'conv1.stride=[2,2]'
fails_to N0001 --set 'conv1.stride=[2'
fails_to 'is no value' --set 'conv1.stride=[1,1]); "b": f(a=1'
fails_to N0284 --outputs=nothing
fails_to "the label 'filter2' is taken" --rename-label filter1=filter2
fails_to "label '../a' has" --rename-label filter1=../a
fails_to "no variable has the label 'none'" --rename-label none=a
run 2 edit digits.onnx out.ng --apply change.nnef
err_has "'digits.onnx' is no NNEF text"
absent out.ng


# --- several changes of one place ----------------------------------------------------------------

run 0 edit "$digits" both.nnef --set conv1.border="'replicate'" --set conv1.dilation='[1,1]' --rename conv1=relu1 --rename relu1=conv1 --outputs=relu1
both=$(grep -c "relu1 = conv(image, .*, border = 'replicate', dilation = \[1,1\])" both.nnef)
meets 'both attributes are there, and the names are exchanged' [ "$both" -eq 1 ]
meets 'the result is what the model calls so' grep -q -- '-> ( *conv1 *)' both.nnef
meets 'who reads it does so' grep -q 'conv1 = relu(relu1)' both.nnef
run 2 edit "$digits" none.nnef --rename conv1=a --rename relu1=a
err_has "two tensors are to be called 'a'"
run 2 edit digits.onnx none.onnx --rename-label filter1=other
err_has '--rename-label'
absent none.nnef none.onnx
run 0 edit "$digits" named.nnef --rename probabilities=p --outputs=probabilities,scores
meets 'a result that is renamed is replaced once' grep -q -- '-> ( *p, scores *)' named.nnef
model two 'x = external<scalar>(shape = [1,3]);' "v = variable<scalar>(shape = [1,3], label = 'w_1');" \
    "u = variable<scalar>(shape = [1,3], label = 'w_2');" 'y = add(mul(x, v), u);'
"$NNEFC" init two -q
run 2 edit two/ merged/ --rename-label w_1=W_2
err_has "the label 'W_2' is taken"
finish
