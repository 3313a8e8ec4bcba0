#!/bin/sh
# run.sh - nnefc run: inputs, results in all forms, determinism, and what cannot be run
. "$(dirname "$0")/lib.sh"

# --- a model with data and an image -------------------------------------------------------

run 0 run "$digits" --input "$three"
quiet_err
out_has '^probabilities: scalar\[1,10\]$'
out_has '^    min .*, max 0\.99[0-9]*, mean 0\.1$'
out_has '^    first '
out_has '^    top 5$'
meets 'the best score is that of the digit 3' eval 'grep -A1 "top 5" out | grep -Eq "^ *3  0\.99"'
cp out first
run 0 run "$digits" -i image="$three"
same out first
run 0 run -i "$three" "$digits/graph.nnef"
same out first
run 0 run "$digits" --input="$three" --expand=all
meets 'expanded, the best score is the same' eval 'grep -A1 "top 5" out | grep -Eq "^ *3  0\.99"'
run 0 run "$digits" -i "$three" -q
silent
input=$three
run 0 run "$digits" -i -
same out first
input=$digits/graph.nnef
run 0 run - --data "$digits" -i "$three"
same out first
input=/dev/null
cp "$digits/graph.nnef" alone.nnef
run 0 run alone.nnef --data="$digits" -i "$three"
same out first

# --- JSON ---------------------------------------------------------------------------------

run 0 run "$digits" -i "$three" --json
quiet_err
out_has '^\{"graph": "digits", "outputs": \[\{"name": "probabilities", "type": "scalar", "shape": \[1, 10\]'
out_has '"top": \[\{"index": 3, "value": 0\.99'
out_has '"values": \['
model odd 'x = external<scalar>(shape = [1,2]);' 'y = log(x);'
run 0 run odd --random=3 --json
out_has '"values": \[.*"nan"'
model edge 'x = external<scalar>(shape = [1]);' 'y = log(x);'
run 0 run edge --fill=0 --json
out_has '"values": \["-inf"\]'
model wide 'x = external<integer>(shape = [1]);' \
    'c = constant<integer>(shape = [3], value = [9007199254740993, 16777217, -9007199254740993]);' \
    'y = copy(c);'
run 0 run wide --fill=0
out_has 'min -9007199254740993, max 9007199254740993, mean 5.59241e\+06$'
out_has 'values 9007199254740993 16777217 -9007199254740993$'
run 0 run wide --fill=0 --json
out_has '"min": -9007199254740993, "max": 9007199254740993,'
out_has '"values": \[9007199254740993, 16777217, -9007199254740993\]'
run 0 check wide --dump=graph
out_has 'integer\[3\] \[9007199254740993, 16777217, -9007199254740993\]$'

# --- results in files ---------------------------------------------------------------------

run 0 run "$digits" -i "$three" --output out.dat
silent
run 0 run "$digits" -i "$three" -o results/
silent
same results/probabilities.dat out.dat
mkdir there
run 0 run "$digits" -i "$three" -o there
same there/probabilities.dat out.dat
run 0 run "$digits" -i "$three" -o probabilities=named.dat
same named.dat out.dat
run 0 run "$digits" -i "$three" --output=array.npy
meets 'array.npy is a NumPy array' eval 'head -c 6 array.npy | grep -q NUMPY'
run 0 run "$digits" -i "$three" -o -
same out out.dat
run 2 run "$digits" -i "$three" -o prob=x.dat
err_has "no result 'prob'"
absent x.dat
run 0 run "$digits" -i "$three" -o ./prob=x.dat
same ./prob=x.dat out.dat
run 2 run "$digits" -i "$three" -o a.dat -o b.dat
err_has "no output is left for 'b.dat'"
run 2 run "$digits" -i "$three" -o p/ -o q/
err_has "two folders"
run 2 run "$digits" -i "$three" -o probabilities=results/
err_has 'is a folder'
absent p

# --- several parameters and results -------------------------------------------------------

printf '%s\n' 'version 1.0;' 'graph net( a, b ) -> ( s, d )' '{' \
    '    a = external<scalar>(shape = [1,3]);' '    b = external<scalar>(shape = [1,3]);' \
    '    s = add(a, b);' '    d = sub(a, b);' '}' >two.nnef
model copy 'x = external<scalar>(shape = [1,3]);' 'y = copy(x);'
run 0 run copy --random=1 -o one.dat
run 0 run copy --random=2 -o two.dat
differ one.dat two.dat
run 0 run copy --input one.dat -o again.npy
run 0 run copy --input again.npy -o again.dat
same again.dat one.dat
run 0 run two.nnef -i one.dat -i two.dat -o 1/
run 0 run two.nnef -i b=two.dat -i one.dat -o 2/
same 1/d.dat 2/d.dat
run 0 run two.nnef -i b=one.dat -i a=two.dat -o 3/
same 1/s.dat 3/s.dat
differ 1/d.dat 3/d.dat
run 0 run two.nnef -i one.dat -i two.dat -o d=only.dat
same only.dat 1/d.dat
run 0 run two.nnef -i one.dat --random -o 4/
exists 4/s.dat
run 2 run two.nnef -i one.dat -i two.dat -i one.dat
err_has "no input is left for 'one.dat': the graph has 2"
run 2 run two.nnef -i a=one.dat -i a=two.dat # two steps, in none of which b has an input
err_has "parameter 'b' .* has no input"
run 2 run two.nnef -i a=one.dat -i a=two.dat -i b=one.dat -i b=two.dat -i b=one.dat
err_has "input 'b' is given 3 times, others 2 times"
run 2 run two.nnef -i c=one.dat
err_has "it has 'a', 'b'"
err_has "no parameter 'c'"

# --- images -------------------------------------------------------------------------------

model image 'x = external<scalar>(shape = [1,1,8,8]);' 'y = copy(x);'
model last 'x = external<scalar>(shape = [1,8,8,1]);' 'y = reshape(x, shape = [1,1,8,8]);'
run 0 run image -i "$three" -o plain.dat
run 0 run last -i "$three" --layout=nhwc -o nhwc.dat
same plain.dat nhwc.dat
run 0 run image -i "$three"
out_has 'min 0, max 1,'
run 0 run image -i "$three" --mean=0.5 --scale=0.25
out_has 'min -2, max 2,'
run 3 run image -i "$three" --mean=1,2,3
err_has 'error\[N0189\]'
run 3 run copy -i "$three"
one_error

# --- the same bytes for any number of threads, and twice ----------------------------------

run 0 run "$digits" --random=7 -o t1.dat --threads=1
for threads in 2 3 8; do
    run 0 run "$digits" --random=7 -o t.dat --threads $threads
    same t.dat t1.dat
done
run 0 run "$digits" --random=7 -o t.dat
same t.dat t1.dat
run 0 run "$digits" --random --json
cp out first
run 0 run "$digits" --random=1 --json
same out first

# --- steps --------------------------------------------------------------------------------

model count 'x = external<scalar>(shape = [1,1]);' \
    "n = variable<scalar>(shape = [1,1], label = 'n');" 'm = add(n, 1.0);' 'y = update(n, m);'
model zero 'x = external<scalar>(shape = [1,1]);' 'y = mul(x, 0.0);'
run 0 run zero --random -o count/n.dat
run 0 run count --random
out_has 'values 1$'
run 0 run count --random --steps=5
out_has 'values 5$'
run 0 run count --random
out_has 'values 1$'

# --- shapes -------------------------------------------------------------------------------

run 0 run copy --random --shape x=2,5
out_has '^y: scalar\[2,5\]'
printf 'version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external<scalar>( shape = [5,3] );\n    y = relu( x );\n}\n' >five.nnef
run 0 run five.nnef --random -o y=one.npy
printf 'version 1.0\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [0,3])\n    y = idn(x)\n}\n' >open.nnef
run 1 run open.nnef --random
err_has "error\[N0226\]: input 'x' has shape \[\?,3\]"
err_has "help: .*--shape 'x=1,3'"
run 0 run open.nnef --input x=one.npy
out_has '^y: scalar\[5,3\]'
run 0 run open.nnef --random --shape=x=2,3
out_has '^y: scalar\[2,3\]'

# --- inputs that are wrong: one message that names file and tensor, nothing written --------

refused()
{
    absent none.dat
    quiet_out
    one_error
}

run 2 run copy -o none.dat
err_has "error\[N0187\].*parameter 'x'.*scalar\[1,3\]"
err_has 'give --input x=FILE, --random or --fill=V'
refused
run 2 run two.nnef -o none.dat
meets 'both missing inputs are named' [ "$(grep -c 'error\[N0187\]' err)" -eq 2 ]
run 3 run copy -i missing.dat -o none.dat
err_has '^missing\.dat: error\[N0180\]: .*No such file'
refused
head -c 130 one.dat >short.dat
run 3 run copy -i short.dat -o none.dat
err_has '^short\.dat: error\[N018[25]\]'
refused
head -c 20 one.dat >head.dat
run 3 run copy -i head.dat -o none.dat
err_has '^head\.dat: error\[N018'
refused
spoil one.dat lying.dat 12 '\0377\0377\0377\0177'
run 3 run copy -i lying.dat -o none.dat
err_has '^lying\.dat: error\[N018'
refused
echo 'no tensor at all' >text.dat
run 3 run copy -i text.dat -o none.dat
err_has '^text\.dat: error\[N018'
refused
run 3 run copy -i "$digits/conv1/bias.dat" -o none.dat
err_has "bias\.dat: error\[N0183\]: .*\[1,16\].*'x'.*\[1,3\]"
refused
model whole 'x = external<integer>(shape = [1,3]);' 'y = copy(x);'
run 0 run whole --random -o whole.dat
run 3 run copy -i whole.dat -o none.dat
err_has "^whole\.dat: error\[N0184\]: .*integer.*'x'.*scalar"
refused
head -c 60 "$three" >broken.png
run 3 run "$digits" -i broken.png -o none.dat
err_has '^broken\.png: error\[N0189\]'
refused
run 3 run copy -i . -o none.dat
err_has 'error\[N0180\]'
refused

# --- data of variables that is wrong -------------------------------------------------------

model data 'x = external<scalar>(shape = [1,3]);' "w = variable<scalar>(shape = [1,3], label = 'a/w');" \
    'y = add(x, w);'
run 3 run data --random -o none.dat
err_has "^data/graph.nnef:[0-9]+:[0-9]+: error\[N0180\]: 'data/a/w\.dat': no data for variable 'w': "
err_has "help: name the folder of the data with --data, or run 'nnefc init MODEL'"
refused
run 3 run data --random --data nowhere
one_error
err_has 'nowhere: error\[N0180\]: cannot read the folder of the data'
model many 'x = external<scalar>(shape = [1,3]);' 'y = add_n([x, a, b, c, d, e]);'
for label in a b c d e; do
    sed -i "/external/a\\    $label = variable<scalar>(shape = [1,3], label = '$label');" many/graph.nnef
done
run 3 run many --random
meets 'three of the files and one sum are reported' [ "$(grep -c 'error\[' err)" -eq 4 ]
err_has 'error\[N0180\]: 2 more variables have no data'
mkdir data/a
cp again.npy data/a/w.dat
run 3 run data --random -o none.dat
err_has "error\[N0182\]: 'data/a/w\.dat': this is a NumPy array"
refused
mkdir -p data/a
cp short.dat data/a/w.dat
run 3 run data --random -o none.dat
err_has "error\[N018[25]\]: 'data/a/w\.dat': "
refused
cp "$digits/conv1/bias.dat" data/a/w.dat
run 3 run data --random -o none.dat
err_has "^data/graph.nnef:[0-9]+:[0-9]+: error\[N0183\]: 'data/a/w\.dat': .*\[1,16\].*variable 'w'.*\[1,3\]"
refused
cp whole.dat data/a/w.dat
run 3 run data --random -o none.dat
err_has "error\[N0184\]: 'data/a/w\.dat': "
refused
cp one.dat data/a/w.dat
run 0 run data -i one.dat -o none.dat
rm none.dat
input=data/graph.nnef
run 3 run - -i one.dat -o none.dat
err_has "variable 'w'"
err_has '--data'
refused
input=/dev/null
run 0 check data

# --- outputs that cannot be written --------------------------------------------------------

run 3 run copy --random -o no/such/folder/y.dat
err_has 'no/such/folder/y\.dat.*error\[N0181\]'
run 3 run copy -o no/such/folder/y.dat
err_has 'N0181'
err_lacks 'N0187'
run 3 run copy --random -o one.dat/deep/
err_has 'one\.dat/deep/y\.dat: error\[N0181\]'
run 0 run copy --random -o new/sub/deep/
exists new/sub/deep/y.dat
run 3 run two.nnef --random -o s=kept2.dat -o d=no/such/folder/d.dat
absent kept2.dat
run 0 run two.nnef --random -o first.npy
err_has "not written: 'd'; give each NAME=FILE, or a folder for all"
run 0 run two.nnef --random -o first.npy -q
silent
run 0 run two.nnef --random -o s=first.npy
silent
ln -s first.npy link.npy
rm first.npy
run 0 run two.nnef --random -o s=link.npy
exists first.npy
mkdir taken taken/y.dat
run 3 run copy --random -o taken/
err_has 'taken/y\.dat: error\[N0181\]'
cp one.dat kept.dat
run 2 run copy -o kept.dat
same kept.dat one.dat
meets 'no temporary files are left' [ -z "$(find . -name '*.tmp*' -o -name '.*.dat*' -o -name '.nnefc*' | head -1)" ]

# --- valid, but it cannot be run -----------------------------------------------------------

printf '%s\n' 'version 1.0;' 'extension KHR_enable_fragment_definitions;' \
    'fragment strange( x: tensor<scalar> ) -> ( y: tensor<scalar> );' 'graph net( x ) -> ( y )' \
    '{' '    x = external<scalar>(shape = [1,3]);' '    y = strange(x);' '}' >custom.nnef
run 0 check custom.nnef
run 4 run custom.nnef --random -o none.dat
err_has "^custom\.nnef:7:9: error\[N0064\]: operation 'strange'"
refused

# --- errors of the model -------------------------------------------------------------------

model bad 'x = external<scalar>(shape = [1,3]);' 'y = ad(x, x);'
run 1 run bad --random -o none.dat
err_has 'error\[N0050\]'
refused
model outside 'x = external<integer>(shape = [1,3]);' \
    't = constant<scalar>(shape = [1], value = [5.0]);' 'y = gather(t, x);'
run 1 run outside -i whole.dat -o none.dat
err_has "^outside/graph\.nnef:6:9: error\[N0170\]: .*'gather'"
refused
# --- data that are made, and results that are expected ------------------------------------------

model filled 'x = external<scalar>(shape = [2,3]);' 'y = mul(x, 2.0);'
run 0 run filled --fill=1.5 --json
out_has '"values": \[3.0, 3.0, 3.0, 3.0, 3.0, 3.0\]'
run 0 run filled --fill=1.5 -o y=expected.dat
run 0 run filled --fill=1.5 --expect expected.dat
out_has '^y +scalar\[2,3\] +0 +0 +0 of 6'
out_has '^A and B agree: 1 of 1 results within 1e-05'
run 5 run filled --fill=1.6 --expect y=expected.dat --json
out_has '"agree": false'
run 0 run filled --fill=1.6 --expect expected.dat --atol=0.3 --rtol=0 -q
quiet_out
run 5 run filled --fill=1.6 --expect expected.dat --atol=0.1 --rtol=0 -q
mkdir all numbered
cp expected.dat all/y.dat
cp expected.dat numbered/out0.dat
for place in all numbered; do
    run 0 run filled --fill=1.5 --expect $place
done
run 0 run filled --fill=1.5 -o all.npz
run 0 run filled --fill=1.5 --expect all.npz -q
mkdir none && cp expected.dat none/other.dat
run 2 run filled --fill=1.5 --expect none
err_has "'none' has none of the results, such as 'y' or 'out0'"
run 2 run filled --fill=1.5 --expect all --expect all.npz
err_has "'all' or in 'all.npz'"
run 2 run filled --fill=1.5 --expect y=all
err_has "'all' is for all results"
run 2 run filled --fill=1.5 --expect z=expected.dat
err_has "no result 'z'"
run 3 run filled --fill=1.5 --expect absent.dat
run 2 run filled --fill=1.5 --expect expected.dat -o -
err_has 'standard output is used twice'
run 2 run filled --fill=1 --random
err_has '--random and --fill exclude each other'
model two 'x = external<scalar>(shape = [2,3]);' 'y = mul(x, 2.0);'
sed -i 's/( y )/( y, x2 )/; s/y = mul(x/x2 = add(x, 1.0); y = mul(x/' two/graph.nnef
run 5 run two --fill=1.5 --expect all
out_has '^x2 +scalar\[2,3\] +only in A'
run 0 run two --fill=1.5 --expect expected.dat
model count 'x = external<integer>(shape = [2]);' 'y = select(true, x, x);'
run 0 run count --fill=7 --json
out_has '"values": \[7, 7\]'
run 2 run count --fill=1.5
err_has "'x' is of type integer, which has no item 1.5"
model flag 'x = external<logical>(shape = [2]);' 'y = not(x);'
run 0 run flag --fill=1 --json
out_has '"values": \[false, false\]'
run 2 run flag --fill=2
mkdir chance
cat >chance/graph.nnef <<END
version 1.0;
extension KHR_enable_fragment_definitions;
fragment random_normal( shape: integer[], mean: scalar = 0.0, scale: scalar = 1.0,
                        seed: integer = -1, stream: integer = 0 )
-> ( output: tensor<scalar> );
graph net( x ) -> ( y, z )
{
    x = external<scalar>( shape = [100000] );
    a = random_normal( shape = [100000] );
    b = random_normal( shape = [100000] );
    y = add( x, a );
    z = sub( a, b );
}
END
run 0 run chance --fill=0 -o y=none.npy
run 0 run chance --fill=0 -o y=zero.npy --seed=0 --threads=1
same none.npy zero.npy
run 0 run chance --fill=0 -o y=one.npy --seed=1 --threads=1
differ none.npy one.npy
run 0 run chance --fill=0 -o y=again.npy --seed=1 --threads=4
same one.npy again.npy
run 0 run chance --fill=0 -o y=reference.npy --seed=1 --backend=reference
same one.npy reference.npy
run 0 run chance --fill=0 -o y=steps.npy --seed=1 --steps=2
differ one.npy steps.npy
run 0 run chance --fill=0 --json --seed=9223372036854775807
run 2 run chance --fill=0 --seed=-1
err_has 'expected a whole number from 0'
run 0 compare chance chance --fill=0 -q
run 0 convert chance chance.ng
run 0 run chance.ng --fill=0 -o y=graph.npy --seed=1
same one.npy graph.npy
run 4 convert chance strict/
one_error
err_has "operations of NNEF cannot compute what 'random_normal' does"
absent strict
run 0 convert chance custom/ --profile=custom
run 0 run custom --fill=0 -o y=custom.npy --seed=1
same one.npy custom.npy
run 0 convert chance chance.onnx
run 0 run chance.onnx --fill=0 -o y=chance.npy --seed=1
same one.npy chance.npy
# seeds that ONNX has as a whole number and as the bits of 0.1, and one that no float stands for
for seed in 7 1036831949 4294967297; do
    mkdir seeded
    sed "s/a = random_normal( shape = \[100000\] );/a = random_normal( shape = [100000], seed = $seed );/" chance/graph.nnef \
        >seeded/graph.nnef
    run 0 run seeded --fill=0 -o y=seeded.npy
    differ none.npy seeded.npy
    run "$([ $seed = 4294967297 ] && echo 4 || echo 0)" convert seeded seeded.onnx
    if [ $seed = 4294967297 ]; then
        err_has 'has seed 4294967297, for which no float stands'
    else
        run 0 run seeded.onnx --fill=0 -o y=back.npy
        same seeded.npy back.npy
    fi
    rm -rf seeded seeded.onnx seeded.npy
done
mkdir nothing
run 3 run filled --fill=1 --expect nothing
run 0 compare two two --fill=1.5 -q

finish
