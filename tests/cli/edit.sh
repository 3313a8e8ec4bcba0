#!/bin/sh
# edit.sh - nnefc edit: only what is asked for changes in the text, and only sound models are written
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
rm out.nnef
run 1 edit net.nnef out.nnef --set "c.no_such=1"
err_has 'out.nnef|net.nnef:14:'
run 2 edit net.nnef out.nnef --set "u.axis=1"
err_has "'u' is not the result of an operation alone"
run 2 edit net.nnef out.nnef --set "zz.axis=1"
err_has "the graph assigns no tensor 'zz'"
run 2 edit net.nnef out.nnef --set "c=1"
err_has "'c' names no attribute"
run 1 edit net.nnef out.nnef --set "c.stride=[2"
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
same out.nnef expected

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
run 2 edit renamed.tgz other/ --rename image=photo
err_has 'which is in an archive'

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
run 2 edit photo.onnx out/ --rename photo=x
err_has "'photo.onnx' is no NNEF text"
run 2 edit net.nnef out.param
run 2 edit net.nnef
echo 'version 1.0; graph' >broken.nnef
run 1 edit broken.nnef out.nnef --rename a=b
run 3 edit missing.nnef out.nnef --rename a=b

finish
