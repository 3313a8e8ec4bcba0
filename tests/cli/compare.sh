#!/bin/sh
# compare.sh - nnefc compare: models with models and with recorded results, layers, exit statuses
. "$(dirname "$0")/lib.sh"

# net FILE FACTOR [OPERATION] - pool, scale by FACTOR, add, then two results
net()
{
    printf '%s\n' 'version 1.0;' 'graph net( x ) -> ( y, z )' '{' \
        '    x = external<scalar>( shape = [1,2,4] );' \
        "    c1 = abs( x );" \
        "    c2 = mul( c1, $2 );" \
        "    c3 = ${3:-add}( c2, 1.0 );" \
        '    y = relu( c3 );' \
        '    z = sum_reduce( c3, axes = [2] );' '}' >"$1"
}

# --- models that agree, and that do not -----------------------------------------------------

net a.nnef 2.0
net same.nnef 2.0
net b.nnef 2.5
run 0 compare a.nnef same.nnef --random
quiet_err
out_has '^result  type           max abs  max rel  beyond  worst at  A  B$'
out_has '^y       scalar\[1,2,4\]  0        0        0 of 8$'
out_has '^A and B agree: 2 of 2 results within 1e-05 \+ 1e-05 \* \|B\|$'
run 5 compare a.nnef b.nnef --random
quiet_err
out_has '^y .* 8 of 8 +\[0,[01],[0-3]\] +[0-9.]+ +[0-9.]+$'
out_has '^z .* 2 of 2 '
out_has '^A and B differ: 0 of 2 results within'
cp out seed1
run 5 compare b.nnef a.nnef --random
differ out seed1
run 5 compare a.nnef b.nnef --random=1
same out seed1
run 5 compare a.nnef b.nnef --random=2
differ out seed1
run 0 compare a.nnef same.nnef --random -q
silent
run 5 compare a.nnef b.nnef --random -q
silent
input=a.nnef
run 5 compare - b.nnef --random
same out seed1
run 0 compare a.nnef - --random
input=/dev/null

one='version 1.0; graph net( x ) -> ( y ) { x = external<scalar>( shape = [1,4] );'
echo "$one y = copy( x ); }" >copy.nnef
echo "$one y = mul( x, 1.25 ); }" >more.nnef

# --- tolerance ------------------------------------------------------------------------------

run 5 compare copy.nnef more.nnef --random
out_has '^y +scalar\[1,4\] +[0-9.]+ +0\.2 +4 of 4 '
run 0 compare copy.nnef more.nnef --random --rtol=0.21
out_has 'agree: 1 of 1 results within 1e-05 \+ 0\.21 \* \|B\|'
run 5 compare copy.nnef more.nnef --random --rtol 0.19 --atol 0
run 0 compare more.nnef copy.nnef --random --rtol=0.26
run 5 compare more.nnef copy.nnef --random --rtol=0.24
out_has ' 0\.25 +4 of 4 '
run 0 compare copy.nnef more.nnef --random --atol=1
run 0 compare copy.nnef copy.nnef --random --atol=0 --rtol=0
for wrong in -1 x nan inf ''; do
    run 2 compare copy.nnef more.nnef --random "--atol=$wrong"
    err_has "no value for --atol=X, expected a number from 0"
done

# --- NaN, infinities, integers, logicals ----------------------------------------------------

echo "$one y = log( x ); }" >log.nnef
echo "$one y = log( mul( x, 1.0 ) ); }" >log2.nnef
run 0 compare log.nnef log2.nnef --random=3 --atol=0 --rtol=0
run 5 compare log.nnef copy.nnef --random=3 --atol=1e30
out_has ' inf +inf +[1-4] of 4 .* -?nan '
echo "$one y = x < 0.0; }" >less.nnef
echo "$one y = x >= 0.0; }" >more_equal.nnef
sed 's/^version 1.0;/& extension KHR_enable_operator_expressions;/' -i less.nnef more_equal.nnef
run 5 compare less.nnef more_equal.nnef --random --atol=2
out_has '^y +logical\[1,4\] +1 +1 +4 of 4 +\[0,0\] +(true +false|false +true)$'

# --- other types, shapes and numbers of results -----------------------------------------------

run 5 compare less.nnef copy.nnef --random
out_has '^y +logical\[1,4\] +other type in B: scalar\[1,4\]$'
echo "$one y = transpose( x, axes = [1,0] ); }" >turned.nnef
run 5 compare copy.nnef turned.nnef --random
out_has '^y +scalar\[1,4\] +other shape in B: scalar\[4,1\]$'
run 2 compare a.nnef copy.nnef --random --shape x=1,2,4
err_has 'N0193'
err_has "'copy.nnef' cannot be compared"
sed 's/( y, z )/( z )/' a.nnef >z.nnef
run 5 compare a.nnef z.nnef --random
out_has '^y +scalar\[1,2,4\] +only in A$'
out_has 'differ: 1 of 2 results'
run 5 compare z.nnef a.nnef --random
out_has '^y +scalar\[1,2,4\] +only in B$'

# --- names ------------------------------------------------------------------------------------

sed 's/( y, z )/( z, y )/' a.nnef >swapped.nnef
run 0 compare a.nnef swapped.nnef --random
quiet_err
sed 's/\bx\b/data/g; s/\by\b/first/g; s/\bz\b/second/g' a.nnef >renamed.nnef
run 0 compare a.nnef renamed.nnef --random
err_has "parameter 'x' of A and 'data' of B get the same input"
err_has "'y' of A is compared with 'first' of B, because no names match"
out_has '^z, second '
run 0 compare a.nnef renamed.nnef --random -q
silent
run 0 compare a.nnef renamed.nnef --random --message-format=json
err_has '"severity":"note".*parameter'
sed 's/\[1,2,4\]/[1,2,5]/' a.nnef >wider.nnef
run 5 compare a.nnef wider.nnef --random
out_has '^x \(parameter\) +scalar\[1,2,4\] +other shape in B: scalar\[1,2,5\]$'
run 0 compare a.nnef wider.nnef --random --shape x=1,2,5

# --- inputs -----------------------------------------------------------------------------------

run 0 run copy.nnef --random=7 -o x.npy
run 0 compare copy.nnef copy.nnef --input x.npy
run 0 compare copy.nnef copy.nnef --input x=x.npy
input=x.npy
run 0 compare copy.nnef copy.nnef -i -
input=/dev/null
sed 's/\bx\b/in_b/g' copy.nnef >other.nnef
run 0 compare copy.nnef other.nnef -i in_b=x.npy
run 0 compare copy.nnef other.nnef -i x=x.npy
run 2 compare copy.nnef other.nnef -i in=x.npy
err_has "has no parameter 'in'"
run 2 compare copy.nnef other.nnef
err_has "N0187"
err_has "'copy.nnef' cannot be compared"
run 0 run copy.nnef --random=7 -o y.npz
cp y.npz x.npz
run 2 compare copy.nnef copy.nnef -i x.npz
err_has "no array 'x'"
sed 's/\by\b/x_of_it/g; s/\bx\b/y/g; s/x_of_it/x/g' copy.nnef >back.nnef
run 0 run back.nnef --random=7 -o x.npz
run 0 compare copy.nnef other.nnef -i x.npz
run 3 compare copy.nnef copy.nnef -i seed1
printf '%s\n' 'version 1.0;' 'graph net( x, m ) -> ( y )' '{' \
    '    x = external<scalar>( shape = [1,4] );' '    m = external<scalar>( shape = [1,4] );' \
    '    y = add( x, m );' '}' >two.nnef
run 2 compare copy.nnef two.nnef -i x.npy
err_has "parameter 'm'"
err_has "'two.nnef' cannot be compared"
run 5 compare copy.nnef two.nnef -i x.npy -i m=x.npy
out_has '^y .* 0\.5 +4 of 4 '

# --- recorded results -------------------------------------------------------------------------

run 0 run a.nnef --random -o expected/
run 0 compare a.nnef expected --random
run 5 compare b.nnef expected/ --random
out_has 'differ: 0 of 2 results'
run 0 run a.nnef --random -o expected.npz
run 0 compare expected.npz a.nnef --random
run 0 compare expected expected.npz
rm expected/z.dat
run 5 compare a.nnef expected --random
out_has '^z +scalar\[1,2,1\] +only in A$'
out_has '^A and B differ: 1 of 2 results'
mv expected/y.dat expected/sum.dat
run 5 compare a.nnef expected --random
out_has '^sum +.*only in B'
run 0 run copy.nnef --random -o single/
mv single/y.dat single/result.dat
run 0 compare copy.nnef single --random
err_has "'y' of A is compared with 'result' of B"
mkdir empty
run 3 compare a.nnef empty --random
err_has 'there are no results in it'
err_has "'empty' cannot be compared"
echo no >single/result.dat
run 3 compare copy.nnef single --random
err_has 'single/result.dat'

# --- layers -----------------------------------------------------------------------------------

run 0 compare a.nnef same.nnef --random --layers
out_has '^5 computed tensors agree$'
run 5 compare a.nnef b.nnef --random --layers
out_has "^first to differ: 'c2', after 1 that agrees$"
out_has "^    A: by 'mul' at a.nnef:6:10$"
out_has "^    B: by 'mul' at b.nnef:6:10$"
out_has '^c2 +scalar\[1,2,4\] .* 8 of 8 '
out_lacks '^[yz] '
net minus.nnef 2.0 sub
run 5 compare a.nnef minus.nnef --random --layers
out_has "^first to differ: 'c3', after 2 that agree$"
out_has "^    A: by 'add' at a.nnef:7:10$"
out_has "^    B: by 'sub' at minus.nnef:7:10$"

# All of them: c2 of A is 2 * c1 and that of B 2.5 * c1, so that it is off by a fifth and parallel; c1 is equal.
run 5 compare a.nnef b.nnef --random --layers=all --html=page.html
out_has "^first to differ: 'c2', after 1 that agrees$"
out_has '^c3 +scalar\[1,2,4\]'
out_has '^y +scalar'
run 5 compare a.nnef b.nnef --random --layers=all --json
meets 'errors are worked out by hand' /usr/bin/python3 -c '
import json
layers = json.load(open("out"))["layers"]
of = {f["a"]["name"]: f for f in layers["all"]}
assert of["c1"]["error"] == 0 and of["c1"]["meanAbsolute"] == 0 and abs(of["c1"]["cosine"] - 1) < 1e-6
assert abs(of["c2"]["error"] - 0.2) < 1e-6 and abs(of["c2"]["cosine"] - 1) < 1e-6
assert layers["all"][layers["grows"]]["a"]["name"] == "c2"'
cp out layers.json
meets 'the page asks for nothing' eval '/usr/bin/python3 "$top/tests/cli/page_data.py" page.html >data.json'
meets 'the page has both models, and the same findings, told by numbers of results' /usr/bin/python3 -c '
import json
layers, data = json.load(open("layers.json"))["layers"], json.load(open("data.json"))
ops, strings, groups = data["ops"], data["strings"], data["groups"]
assert data["findings"]["layers"]["all"] == layers["all"] and data["sides"] == "ab"
assert groups[0]["boxes"] == [1, 1, 1, 1 + (len(groups) - 1) // 2]
results = [value for list in ops["out"] for value in list]
half = len(results) // 2
for item in layers["all"]:
    for side, before in (("a", 0), ("b", half)):
        at = results[before + item[side]["resultIndex"]]
        assert strings[data["values"]["name"][at]] == item[side]["name"], item'
# Recorded results are no model to be drawn.
run 0 run b.nnef --fill=1 -o recorded/
run 5 compare a.nnef recorded --fill=1 --html=page.html
/usr/bin/python3 "$top/tests/cli/page_data.py" page.html >data.json
meets 'only A is drawn' grep -q '"sides": "a"' data.json
# A tensor that is NaN is as far off as can be.
for offset in 2.0 -2.0; do
    printf '%s\n' 'version 1.0; graph net( x ) -> ( y ) {' 'x = external<scalar>( shape = [1,4] );' \
        "s = sub( x, $offset ); l = log( s ); y = relu( l ); }" >log$offset.nnef
done
run 5 compare log2.0.nnef log-2.0.nnef --fill=1 --layers=all --html=page.html --json
/usr/bin/python3 "$top/tests/cli/page_data.py" page.html >data.json
meets 'NaN is told without a sign' /usr/bin/python3 -c '
import json
errors = {f["a"]["name"]: f["error"] for f in json.load(open("data.json"))["findings"]["layers"]["all"]}
assert errors["l"] == "nan", errors'
run 2 compare a.nnef b.nnef --random --html=-
err_has 'the page is a file'
cp a.nnef kept.a
cp b.nnef kept.b
for model in a b; do
    run 2 compare a.nnef b.nnef --random --html=$model.nnef
    err_has "would replace '$model.nnef'"
    same $model.nnef kept.$model
done
cp -R "$digits" digits.b
run 2 compare "$digits" digits.b --random --html=digits.b/conv1/bias.dat
err_has "would replace 'digits.b/conv1/bias.dat', a file of 'digits.b'"
same digits.b/conv1/bias.dat "$digits/conv1/bias.dat"
run 2 compare a.nnef b.nnef --random --layers=some
err_has "is no value for --layers"

# Without names in common the structure tells; without that nothing is compared.
sed 's/\bc\([123]\)\b/d\1/g' b.nnef >d.nnef
run 5 compare a.nnef d.nnef --random --layers
out_has "^first to differ: 'c2, d2', after 1 that agrees$"
run 5 compare a.nnef copy.nnef --random --layers
out_has 'parameter'
sed 's/c1 = abs( x );/e = neg( x ); c1 = abs( e );/; s/c2 = mul/c2 = mul/' a.nnef >longer.nnef
run 0 compare a.nnef longer.nnef --random --layers
out_has '^not compared: 0 computed in A only, 1 in B only$'

# A convolution into which a normalization was folded stands where that without it stood: if results agree, it is no
# difference, and if they differ, it is the first one.
mkdir whole
cat >whole/graph.nnef <<'END'
version 1.0;
graph net( x ) -> ( y )
{
    x = external<scalar>( shape = [1,2,4,4] );
    f = variable<scalar>( shape = [3,2,3,3], label = 'f' );
    m = variable<scalar>( shape = [1,3], label = 'm' );
    v = variable<scalar>( shape = [1,3], label = 'v' );
    c = conv( x, f );
    w = sqr( v );
    n = batch_normalization( c, m, w, 0.25, 1.5, epsilon = 0.125 );
    y = relu( n );
}
END
run 0 init whole
run 0 convert whole folded/
sed 's/\bn\b/k/' folded/graph.nnef >folded/renamed.nnef
run 0 compare whole folded/renamed.nnef --random --layers
out_has '^1 computed tensors agree$'
out_has '^not compared: 3 computed in A only, 1 in B only$'
run 0 compare whole folded/renamed.nnef --random --layers --json
out_has '"layers": \{"compared": 1, "onlyInA": 3, "onlyInB": 1, "first": null\}'
sed 's/relu(k)/leaky_relu(k, alpha = 0.5)/' folded/renamed.nnef >folded/leaky.nnef
run 5 compare whole folded/leaky.nnef --random --layers
out_has "^first to differ: 'c, k', after 0 that agree$"

# The order of independent operations does not matter.
fork='version 1.0; graph net( x ) -> ( y ) { x = external<scalar>( shape = [1,4] );'
echo "$fork p = sin( x ); q = cos( x ); r = neg( p ); y = add( r, q ); }" >pq.nnef
echo "$fork q = cos( x ); p = sin( x ); r = neg( p ); y = add( r, q ); }" >qp.nnef
run 0 compare pq.nnef qp.nnef --random --layers
out_has '^4 computed tensors agree$'
sed 's/cos/abs/' qp.nnef >qp_abs.nnef
run 5 compare pq.nnef qp_abs.nnef --random --layers
out_has "^first to differ: 'q', after 1 that agrees$"

# Tensors of fragments have no name, but a place.
head='version 1.0; extension KHR_enable_fragment_definitions;'
for f in 2 3; do
    printf '%s\n' "$head" 'fragment block( a: tensor<scalar> ) -> ( b: tensor<scalar> )' '{' \
        "    h = mul( a, $f.0 );" '    b = add( h, 1.0 );' '}' 'graph net( x ) -> ( y )' '{' \
        '    x = external<scalar>( shape = [1,4] );' '    y = block( x );' '}' >block$f.nnef
done
run 5 compare block2.nnef block3.nnef --random --layers
out_has "^first to differ: '.no name.', after 0 that agree$"
out_has "^    A: by 'mul' at block2.nnef:4:9 in fragment 'block'$"

# Recorded tensors need not be outputs then.
sed 's/( y, z )/( y, z, c2 )/' b.nnef >three.nnef
run 0 run three.nnef --random -o golden/
run 5 compare a.nnef golden --random --layers
out_has "^first to differ: 'c2', after 0 that agree$"
out_has "^    A: by 'mul' at a.nnef:6:10$"
out_lacks '^    B:'
run 0 compare golden b.nnef --random --layers
out_has '^3 computed tensors agree$'
run 5 compare b.nnef golden --random
out_has '^c2 +.*only in B$'
run 2 compare golden golden --layers
err_has 'both are recorded results'

# --- state ------------------------------------------------------------------------------------

for f in 1 2; do
    model state$f "x = external<scalar>( shape = [1,2] );" \
        "v = variable<scalar>( shape = [1,2], label = 'memory' );" 'y = copy( x );' \
        "s = add( v, mul( x, $f.0 ) );" 'w = update( v, s );'
    run 0 init state$f
done
run 5 compare state1 state2 --random
out_has '^y .* 0 of 2$'
out_has '^memory \(variable\) +scalar\[1,2\] .* 2 of 2 '
run 0 compare state1 state1 --random --steps=3
sed -i 's/y = copy( x );/y = copy( v );/' state1/graph.nnef state2/graph.nnef
run 5 compare state1 state2 --random --steps=2 --layers
out_has 'first to differ'
run 5 compare state1 state2 --random --steps=1
out_has '^y .* 0 of 2$'
run 5 compare state1 state2 --random --steps=2
out_has '^y .* 2 of 2 '

# --- weights ----------------------------------------------------------------------------------

cp -r state1 bare
rm bare/memory.dat
run 3 compare state1 bare --random
err_has 'bare/memory.dat'
err_has "'bare' cannot be compared"
run 0 compare state1 bare --random --data state1
run 0 compare bare bare --random --data state1 --data state1
run 0 init bare --seed=2 --data other
run 5 compare bare bare --random --data state1 --data=other
run 5 compare bare bare --random --data state1 --data=other --layers
out_has "^first to differ: 'y', after 0 that agree$"
out_has '^y +scalar\[1,2\] .* 2 of 2 '
out_has '^memory \(variable\) +scalar\[1,2\] .* 2 of 2 '
run 5 compare bare bare --random --data state1 --data=other --layers --json
out_has '"results": \[\{"part": "variable", "agrees": false, "reason": "items", "a": \{"name": "memory"'
run 2 compare bare bare --random --data a --data b --data c
err_has '3 times'
run 0 compare "$digits" "$digits/graph.nnef" -i "$three"
run 0 pack "$digits" digits.tgz
run 0 compare digits.tgz "$digits" -i "$three" --layers
run 0 compare "$digits" "$digits" -i "$three" --threads=2 --max-memory=1G
run 1 compare "$digits" "$digits" -i "$three" --max-memory=100K
err_has 'max-memory'

# --- JSON -------------------------------------------------------------------------------------

run 5 compare a.nnef b.nnef --random --json
quiet_err
out_has '^\{"agree": false, "a": "a.nnef", "b": "b.nnef", "atol": 1e-5, "rtol": 1e-5, "results": \['
out_has '"part": "output", "agrees": false, "reason": "items", "a": \{"name": "y", "type": "scalar", "shape": \[1, 2, 4\]\}'
out_has '"items": 8, "beyond": 8, "maxAbsolute": [0-9.]+, "maxRelative": [0-9.]+, "worst": \{"index": \[0, [01], [0-3]\], "a": [0-9.]+, "b": [0-9.]+\}'
out_lacks '"layers"'
run 0 compare a.nnef same.nnef --random --json --layers
out_has '"agree": true'
out_has '"reason": null'
out_has '"worst": null'
out_has '"layers": \{"compared": 5, "onlyInA": 0, "onlyInB": 0, "first": null\}'
run 5 compare a.nnef b.nnef --random --json --layers
out_has '"results": \[\]'
out_has '"step": 1, "madeInA": \{"operation": "mul", "fragment": null, "file": "a.nnef", "line": 6, "column": 10\}'
run 5 compare a.nnef z.nnef --random --json
out_has '"reason": "missing", "a": \{"name": "y".*"b": null\}'
run 5 compare log.nnef copy.nnef --random=3 --json
out_has '"maxAbsolute": "inf"'

# --- what cannot be compared -------------------------------------------------------------------

echo 'graph' >broken.nnef
run 1 compare a.nnef broken.nnef --random
err_has 'broken.nnef:1'
err_has "'broken.nnef' cannot be compared"
err_lacks "'a.nnef' cannot"
quiet_out
run 1 compare broken.nnef broken.nnef --random
meets 'both are told' [ "$(grep -c 'cannot be compared' err)" -eq 2 ]
run 1 compare broken.nnef a.nnef --random --message-format=json
meets 'each fault is told once' [ "$(grep -c '"code":"N0001"' err)" -eq 1 ]
run 3 compare a.nnef missing.nnef --random
err_has "'missing.nnef' cannot be compared"
printf '%s\n' "$head" 'fragment mine( a: tensor<scalar> ) -> ( b: tensor<scalar> );' \
    'graph net( x ) -> ( y ) { x = external<scalar>( shape = [1,4] ); y = mine( x ); }' >custom.nnef
run 4 compare copy.nnef custom.nnef --random
err_has "'custom.nnef' cannot be compared"
run 2 compare
err_has "'compare' needs two models"
run 2 compare a.nnef
run 2 compare a.nnef b.nnef copy.nnef
err_has 'two models at a time'
run 2 compare a.nnef b.nnef x.npy
err_has "is it '--input x.npy'"
run 2 compare - -
err_has 'standard input is used twice'
run 2 compare a.nnef b.nnef --outptu x
run 0 compare --help
out_has '^usage: nnefc compare A B \[OPTION\]'
out_has '^  5 what is compared differs$'
finish
