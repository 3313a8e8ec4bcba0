#!/bin/sh
# reduce.sh - nnefc reduce: small parts of models, and short texts, that still fail
. "$(dirname "$0")/lib.sh"

mkdir temporary # of this test alone, whatever else runs here
export TMPDIR="$PWD/temporary"

# --- a wrong operation in random networks --------------------------------------------------------

# Networks of SEED and NODES: with WRONG=1 one operation is 'cos' instead of 'sin'.
cat >network.awk <<'END'
function draw(n) { state = (state * 1103515245 + 12345) % 2147483648; return int(state / 65536) % n }
function tensor(i) { return i == 0 ? "x" : "t" (i < 8 ? draw(i) : i - 8 + draw(8)) }
BEGIN {
    state = seed
    ones = split("tanh sigmoid sin softplus elu neg", one, " ")
    twos = split("add sub max min", two, " ")
    bad = int(nodes / 8) + draw(nodes - int(nodes / 8))
    for (i = 0; i < nodes; i++) {
        used[a = tensor(i)] = used[b = i ? tensor(i) : "k"] = 1
        body[i] = draw(2) ? two[1 + draw(twos)] "(" a ", " b ")" : one[1 + draw(ones)] "(" a ")"
        if (i == bad) body[i] = (wrong ? "cos(" : "sin(") a ")"
    }
    for (i = 0; i < nodes; i++)
        if (!(("t" i) in used)) results = results (results ? ", " : "") "t" i
    print "version 1.0;\ngraph net( x, k ) -> ( " results " )\n{"
    print "    x = external<scalar>(shape = [2,3]);\n    k = external<scalar>(shape = [2,3]);"
    for (i = 0; i < nodes; i++) print "    t" i " = " body[i] ";"
    print "}"
}
END
networks=100 failing=0 small=0 quick=0 still=0 seed=0
sanitized && networks=5
while [ $failing -lt $networks ] && [ $seed -lt 300 ]; do
    seed=$((seed + 1))
    nodes=$((50 + seed * 37 % 451))
    for wrong in 0 1; do
        awk -v seed=$seed -v nodes=$nodes -v wrong=$wrong -f network.awk >net$wrong.nnef </dev/null
    done
    # What is wrong may come to nothing on the way to the results; then there is nothing to reduce.
    "$NNEFC" reduce net1.nnef small.nnef --differs=net0.nnef --random --record=seen >out 2>err || continue
    failing=$((failing + 1))
    # shellcheck disable=SC2046 # words
    set -- $(sed -n 's/^\([0-9]*\) of [0-9]* operations left after \([0-9]*\) checks$/\1 \2/p' out)
    [ "$("$NNEFC" list small.nnef | wc -l)" -eq "$1" ] && [ "$1" -le 3 ] && small=$((small + 1))
    [ "$2" -le 60 ] && quick=$((quick + 1))
    again=$(sed -n 's/^nnefc \(compare .*\)$/\1/p' out)
    # shellcheck disable=SC2086 # words
    "$NNEFC" $again -q >compared 2>&1
    [ $? -eq 5 ] && still=$((still + 1))
    rm -r seen
done
meets "$networks networks fail" [ $failing -eq $networks ]
meets "95 % have 3 operations left: $small of $failing" [ $((small * 100)) -ge $((failing * 95)) ]
meets "60 checks are enough: $quick of $failing" [ $quick -eq $failing ]
meets "what is left still fails: $still of $failing" [ $still -eq $failing ]

# --- samples -------------------------------------------------------------------------------------

# Two results share the branch `a`.  B has another last operation, which shows where `b` is negative: in the
# second sample only.
pair()
{
    model "$1" 'x = external<scalar>(shape = [4]);' 'm = external<scalar>(shape = [4]);' 'a = sigmoid(x);' \
        'b = mul(a, m);' "y = $2;" 'z = neg(a);'
    sed -i 's/( x ) -> ( y )/( x, m ) -> ( z, y )/' "$1/graph.nnef"
}
pair a 'relu(b)'
pair b 'leaky_relu(b, alpha = 0.25)'
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [4]); y = copy(x); }\n' >copy.nnef
for sample in 1 2; do
    "$NNEFC" run copy.nnef --fill=$((3 - 2 * sample)) -o m$sample.npy
done
"$NNEFC" run copy.nnef --random -o x.npy
run 2 reduce a small/ --differs=b -i x=x.npy -i m=m1.npy
err_has "'a' does not fail, so there is nothing to reduce"
run 0 reduce a small/ --differs=b -i x=x.npy -i m=m1.npy -i m=m2.npy --record=seen --as-is
out_has '^1 of 4 operations left'
run 0 list small
out_has '^relu y scalar\[4\] \(b\)$'
for sample in 1 2; do # the part is fed what the model computes of each sample
    "$NNEFC" extract a part.nnef --from=b --to=y --record=one -i x=x.npy -i m=m$sample.npy -q
    same one/input/b.dat seen/$sample/b.dat
done
run 5 compare small seen/other.ng -i b=seen/2/b.dat
run 0 compare small seen/other.ng -i b=seen/1/b.dat
run 2 reduce a same/ --differs=backend:portable --random

# --- commands ------------------------------------------------------------------------------------

# Two operations are needed, far from each other: what is between is left out.
model far 'x = external<scalar>(shape = [4]);' 'a = tanh(x);' 'b = neg(a);' 'c = exp(b);' 'd = neg(c);' 'e = sin(d);' \
    'f = neg(e);' 'y = relu(f);'
run 0 reduce far two/ --check='! { grep -q tanh {}/graph.nnef && grep -q sin {}/graph.nnef; }'
out_has '^2 of 7 operations left'
run 0 reduce far two.onnx --check='case {} in *.onnx) ! grep -q Sin {} ;; esac' --min-good=good.nnef --random
run 0 list two.onnx
out_has '^sin e '
meets 'one line is left' [ "$(wc -l <out)" -eq 1 ]
run 0 list good.nnef
out_lacks '^sin'
out_has '^neg d'
run 0 reduce far two.nnef --to=onnx --check='case {} in *.onnx) ! grep -q Sin {} ;; esac' -q
silent
run 0 reduce far in.nnef --check='! { [ -s {in}/x.dat ] && grep -q sin {}/graph.nnef; }' --to=nnef --random -q
run 0 reduce far few.nnef --check='! grep -q sin {}/graph.nnef' --to=nnef --tests=2
out_has 'after 2 checks'
run 2 reduce far none/ --check='exit 125; {}'
err_has 'cannot be told whether .far. fails: the check ended with 125'
run 3 reduce far none/ --check='./missing {}'
one_error=$(grep -c 'cannot be run' err)
meets 'it is said once' [ "$one_error" -eq 1 ]
absent none

# Interrupted, the best so far is there.
# shellcheck disable=SC2016 # the shell of the command expands
run 6 reduce far best.nnef --to=onnx --check='! grep -q Sin {} || { echo >>tries; [ $(wc -l <tries) -lt 3 ] || kill -INT $PPID; false; }'
run 0 list best.nnef
out_has '^sin e '
meets 'the folder for tries is gone' [ -z "$(ls temporary)" ]

# What is left hangs together: `sin` has to depend on `tanh`, so operations between are bridged.
cat >linked.sh <<'END'
awk '$2 == "=" {
    made = $3 ~ /^tanh/
    for (v in from) if (from[v] && $0 ~ ("[( ]" v "[,)]")) made = 1
    from[$1] = made
    if (made && $3 ~ /^sin/) linked = 1
} END { exit linked }' "$1/graph.nnef"
END
sed 's/( x )/( x, z )/; s/x = external.*/&\n    z = external<scalar>(shape = [4]);/; s/exp(b)/add(b, z)/' far/graph.nnef >linked.nnef
run 0 reduce linked.nnef linked/ --check='sh linked.sh {}' --random --record=inputs --as-is
out_has '^2 of 7 operations left'
exists inputs/1/x.dat
absent inputs/1/z.dat # which only a bridged operation read
run 0 list linked
out_has '^tanh a '
out_has '^sin e scalar\[4\] \(a\)$'

# Parts of both models are bridged: 0.6 twice is beyond a tolerance of 1, with `relu` between or without.
for term in 0.0 0.6; do
    model off$term 'x = external<scalar>(shape = [4]);' "a = add(x, $term);" 'b = relu(a);' "y = add(b, $term);"
done
run 0 reduce off0.0 off/ --differs=off0.6 --fill=1 --atol=1 --rtol=0 --record=off.in
out_has '^2 of 3 operations left'
out_has '^nnefc compare off/ off.in/other.ng -i x=off.in/1/x.dat --atol=1 --rtol=0$'
run 5 compare off/ off.in/other.ng -i x=off.in/1/x.dat --atol=1 --rtol=0

# Attributes get their defaults, unless that changes shapes, or it does not fail then.
model rich 'x = external<scalar>(shape = [1,2,8,8]);' \
    "y = max_pool(x, size = [1,1,3,3], stride = [1,1,2,2], dilation = [1,1,1,1], border = 'ignore', padding = [(0,0),(0,0),(1,1),(1,1)]);"
run 0 reduce rich poor.nnef --check='! grep -q "border = .ignore" {}/graph.nnef'
run 0 check poor.nnef --dump=graph
out_has "border = 'ignore'"
out_has 'stride = \[1, *1, *2, *2\]'
out_has 'dilation = \[\]'
out_has 'padding = \[\]'

# --- extents, weights and names ------------------------------------------------------------------

# B differs at the border, which no weight of 0 shows: one item and weights of 1 are left, and no bias.
sed 's/( x ) -> ( y )/( image ) -> ( scores )/' >planted.nnef <<'END'
version 1.0;
graph net( x ) -> ( y )
{
    image = external<scalar>(shape = [2,4,16,12]);
    filter = variable<scalar>(shape = [8,4,3,3], label = 'layer1/filter');
    bias = variable<scalar>(shape = [1,8], label = 'layer1/bias');
    first = sigmoid(image);
    second = conv(first, filter, bias);
    scores = relu(second);
}
END
sed "s/bias);/bias, border = 'replicate');/" planted.nnef >sound.nnef
run 0 init planted.nnef
run 0 reduce planted.nnef form/ --differs=sound.nnef --random --record=form.in
out_has '^1 of 3 operations left'
out_has '^[0-9]* more checks of extents, weights and names$'
run 0 list form
out_has '^conv [a-z] scalar\[1,1,1,1\] \([a-z], [a-z], [a-z]\)$'
again=$(find form.in/1 -name '*.dat')
run 5 compare form form.in/other.ng -i "$again"
run 0 run form --fill=3
out_has '3( |$)' # 3 times 1, and a bias of 0
run 0 reduce planted.nnef uncut/ --differs=sound.nnef --random --as-is
out_lacks 'more checks'
run 0 list uncut
out_has '^conv second scalar\[2,8,16,12\] \(first, filter, bias\)$'
cmp layer1/filter.dat uncut/layer1/filter.dat >out 2>err
meets 'weights stay' [ $? -eq 0 ]

# What a check wants stays: an extent of 8 or more, and a name.
run 0 reduce planted.nnef wanted/ --check='! grep -q "filter.*shape = .[89]" {}/graph.nnef' --tests=40
run 0 list wanted
out_has '^conv [a-z]* scalar\[1,8,1,1\] \([a-z]*, filter, [a-z]*\)$'

# --- how to see it again -------------------------------------------------------------------------

# Without a tolerance a backend differs from the reference by rounding.
run 0 reduce "$digits" again.ng --differs=backend:portable --atol=0 --rtol=0 --record=again --as-is \
    -i image="$digits/images/3-3.png" -i image="$digits/images/0-0.png"
sed -n 's/^nnefc run .*/&/p' out | sed 's/nnefc run/"$NNEFC" run/g' >again.sh
sed 's/ --[ar]tol=0//g' again.sh >near.sh
meets 'there is a command for each sample' [ "$(wc -l <again.sh)" -eq 2 ]
for sample in 1 2; do
    sed -n ${sample}p again.sh | sh >compared 2>&1
    meets "the command shows that sample $sample fails" [ $? -eq 5 ]
    sed -n ${sample}p near.sh | sh >compared 2>&1
    meets "within the tolerance sample $sample passes" [ $? -eq 0 ]
done

# A command that does not end is stopped with what it started: by the end of the time, or a signal.
# shellcheck disable=SC2016 # the shell of the command expands
hang='[ -s whole ] || { echo {} >whole; exit 1; }; { while sleep 0.05; do echo >>ticks; done; } & wait'
ended()
{
    before=$(wc -c <ticks)
    sleep 0.5
    [ "$before" -eq "$(wc -c <ticks)" ]
}
# Tries of a slow machine get more time: the first check has to end in it.
patiently() # OPTION ARGUMENT...
{
    option=$1
    shift
    for seconds in 0.5 2 8 32 128; do
        rm -f whole ticks
        "$NNEFC" "$@" "$option=$seconds" >out 2>&1 && break
    done
    meets "the first of $option=$seconds ends" grep -q '^1: .* fails$' out
}
patiently --time reduce far late.nnef --check="$hang"
out_has '^7 of 7 operations left'
meets 'what it started has ended' ended
run 2 reduce far late2.nnef --check='sleep 300; {}' --time=0.2
err_has "the time was over before 'far' was seen to fail"
rm whole ticks
"$NNEFC" reduce far stopped.nnef --check="$hang" >out 2>err &
reducer=$!
while [ ! -s ticks ] && kill -0 $reducer 2>/dev/null; do
    sleep 0.05
done
kill -TERM $reducer
wait $reducer
meets 'it ends as interrupted' [ $? -eq 6 ]
meets 'what it started has ended' ended
exists stopped.nnef

# A comparison runs in a process of its own, which ends as a command does: these products take many
# minutes.
model hours 'x = external<scalar>(shape = [4096,4096]);' 'a = matmul(x, x);' 'b = matmul(a, a);' 'c = matmul(b, b);' \
    'd = matmul(c, c);' 'e = matmul(d, d);' 'f = matmul(e, e);' 'g = matmul(f, f);' 'h = matmul(g, g);' 'y = neg(h);'
sed 's/neg(h)/copy(h)/' hours/graph.nnef >hours.nnef
run 2 reduce hours late3.nnef --differs=hours.nnef --fill=1 --time=1
err_has "the time was over before 'hours' was seen to fail"
run 2 reduce hours late3.nnef --differs=hours.nnef --fill=1 --each=1
err_has '^1: 9 operations: cannot be told'
err_has 'cannot be told whether'
absent late3.nnef
patiently --each reduce far each.nnef --check="$hang" --tests=2
out_has '^2: . operations: cannot be told'
meets 'what it started has ended' ended
rm whole ticks

# A folder for tries that a shell would take for two words is refused, and only where it matters.
mkdir 'two words'
kept_folder=$TMPDIR
export TMPDIR="$PWD/two words"
run 2 reduce far spaced.nnef --check='! grep -q sin {}'
err_has "TMPDIR is '.*two words'"
run 2 reduce far spaced.nnef --crash --random
err_has 'does not fail'
export TMPDIR="$kept_folder"

# --- quantization --------------------------------------------------------------------------------

# As in 'run', a quantization file has an effect: B differs in it alone.
model coded 'x = external<scalar>(shape = [1,2]);' 'w = external<scalar>(shape = [2,2]);' 'a = matmul(x, w);' \
    'b = neg(a);' 'y = relu(b);'
sed -i 's/( x )/( x, w )/' coded/graph.nnef
cp -R coded coarse
codes() # SCALE
{
    for tensor in x w a; do
        echo "'$tensor': zero_point_linear_quantize(zero_point = 0, scale = 0.0078125, bits = 8, signed = true, symmetric = true);"
    done
    echo "'b': zero_point_linear_quantize(zero_point = 0, scale = $1, bits = 8, signed = true, symmetric = true);"
}
codes 0.0078125 >coded/graph.quant
codes 0.25 >coarse/graph.quant
run 5 compare coded coarse --random
run 0 reduce coded found/ --differs=coarse --random
run 2 reduce coded none/ --differs=coarse --random --quant=off
err_has 'does not fail'
rm coarse/graph.quant
run 2 reduce coded none/ --differs=coarse --random
err_has "cannot be told whether 'coded' fails"

# --- texts ---------------------------------------------------------------------------------------

# A reader that a certain attribute crashes, and a text of 2000 lines.
awk 'BEGIN {
    print "version 1.0;\nextension KHR_enable_fragment_definitions;"
    print "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = copy(x); } # twice"
    print "graph net( x ) -> ( y )\n{\n    x = external<scalar>(shape = [2,3]);\n    t0 = neg(x);"
    for (i = 1; i < 1992; i++)
        print "    t" i " = " (i == 777 ? "leaky_relu(t776, alpha = 0.125)" : i % 7 ? "relu(t" i - 1 ")" : "add(t" i - 1 ", t" int(i / 2) ")") ";"
    print "    y = f(t1991);\n}" }' >long.nnef
meets 'there are 2000 lines' [ "$(wc -l <long.nnef)" -eq 2000 ]
# shellcheck disable=SC2016 # what the reader expands
echo 'grep -q "fragment f" "$1" && grep -q "leaky_relu(.*0.125)" "$1" && kill -SEGV $$; exit 0' >reader.sh
run 0 reduce long.nnef short.nnef --check='sh reader.sh {}'
meets 'at most 12 lines are left' [ "$(awk 'END { print NR }' short.nnef)" -le 12 ]
sh reader.sh short.nnef >out 2>&1
meets 'they crash the reader' [ $? -ge 128 ]

# A diagnostic behind many statements that it needs: operands take their places.
sed 's/t999 = .*;/t999 = softmax(t998, axes = [7]);/' long.nnef >wrong.nnef
run 0 reduce wrong.nnef code/ --code=N0142 -q
meets 'few lines are left' [ "$(awk 'END { print NR }' code/graph.nnef)" -le 12 ]
run 1 check code
err_has 'N0142'
run 2 reduce wrong.nnef code/ --code=N0001
err_has 'does not fail'
run 2 reduce far same/ --crash --random
err_has 'does not fail'

# If the graph passes, the text gets a folder with its data, too: what a command wants of one is there.
run 2 reduce "$digits" none/ --check='grep -q conv {}/graph.nnef && [ -s {}/conv1/filter.dat ]'
err_has 'does not fail'
run 2 reduce "$digits" none/ --to=onnx --check='[ -s {} ] && case {} in *.onnx) ;; *) false ;; esac'
err_has 'does not fail'
absent none
cp -R "$digits" commented
sed -i '2i# a comment that a reader cannot take' commented/graph.nnef
run 0 reduce commented comment/ --check='! grep -q "reader cannot" {}/graph.nnef && [ -s {}/conv1/filter.dat ]'
out_has '^1 of 35 lines left'

# --- command lines -------------------------------------------------------------------------------

run 2 reduce far out.nnef
err_has 'one of --differs'
run 2 reduce far out.nnef --crash --code=N0001
run 2 reduce far out.nnef --check=true
err_has 'no \{\}'
run 2 reduce far out.param --crash
run 2 reduce far out.onnx --code=N0001
run 2 reduce far - --crash
cp -R far before.far
for out in far/ far/graph.nnef; do
    run 2 reduce far/graph.nnef $out --check='! grep -q sin {}'
    err_has "would replace 'far/graph.nnef'"
done
same far/graph.nnef before.far/graph.nnef
cp -R b before.b
for way in 'b/' 'b/graph.nnef' 'out.nnef --min-good=b/'; do
    # shellcheck disable=SC2086 # words
    run 2 reduce a $way --differs=b -i x=x.npy -i m=m2.npy
    err_has "would replace 'b'"
done
same b/graph.nnef before.b/graph.nnef
for way in 'one.nnef one.nnef' 'one/ one/' 'one/ one/graph.nnef' 'one/graph.nnef ./one/'; do
    run 2 reduce far "${way% *}" --min-good="${way#* }" --check='! grep -q sin {}' --force
    err_has 'OUT and --min-good are both'
done
run 2 reduce far out.nnef --differs=b:portable
# --- what users get wrong ------------------------------------------------------------------------

run 2 reduce "$digits" none/ --differs=backend:portable
err_has "N0187.*'image' .*has no input"
run 2 reduce "$digits" none/ --differs=backend:nope --random
err_has 'cannot be told whether .*: the backend does not compute it'
run 2 reduce "$digits" none/ --check='exit 125; {}'
err_has 'the check ended with 125'
run 2 reduce "$digits/graph.nnef" none.nnef --code=N0136x
err_has "there is no code 'N0136x'; did you mean 'N0136'"
run 3 reduce absent none/ --check='false {}'
run 3 reduce "$digits" none/ --differs=absent --random
absent none none.nnef

# A folder that was not there has the data of what is left only; commands can be copied to a shell.
cp -r "$digits" leaky
sed 's/relu(conv2)/leaky_relu(conv2, alpha = 0.1)/' "$digits/graph.nnef" >leaky/graph.nnef
run 0 reduce "$digits" left/ --differs=leaky --random --record="its 'inputs'" --as-is
out_lacks '^[0-9]*: '
err_has '^1: 11 operations: fails'
find left -type f >files
echo left/graph.nnef >expected
same files expected
command=$(grep '^nnefc compare ' out)
eval "set -- ${command#nnefc }"
run 5 "$@"

# Of a folder that was there, what the parts before had goes, too, and nothing else.
mkdir -p left/conv3
echo other >left/conv3/filter.dat
echo other >left/note.dat
run 0 reduce "$digits" left/ --differs=leaky --random --as-is -q
find left -type f | sort >files
printf 'left/%s\n' conv3/filter.dat graph.nnef note.dat >expected
same files expected

# NNEF cannot have every name of ONNX: samples and commands have those of the part.
printf 'version 1.0;\ngraph g( in_x ) -> ( y ) { in_x = external<scalar>(shape = [4]); to_a = relu(in_x); y = sin(to_a); }\n' >named.nnef
sed 's/sin(/cos(/' named.nnef >renamed.nnef
for name in named renamed; do
    "$NNEFC" convert $name.nnef $name.onnx
    LC_ALL=C sed -i 's/in_x/in x/g; s/to_a/to a/g' $name.onnx
done
run 0 reduce named.onnx spaces/ --differs=renamed.onnx --fill=1 --record=spaces.in
out_has '^1 of 2 operations left'
command=$(grep '^nnefc compare ' out)
eval "set -- ${command#nnefc }"
run 5 "$@"
run 0 reduce named.onnx spaces/ --check='! { ls {in} >>listed; grep -q sin {}/graph.nnef; }' --random -q --as-is
meets 'a sample has the names of the text' [ "$(grep -v '^in_x.dat$' listed | sort -u)" = to_a.dat ]

# What waits for a model ends as any program; the folder for tries is not there.
if mkfifo waiting.onnx waiting.npy; then
    for way in waiting.onnx "$digits"; do
        set -- --check='false {}'
        [ $way = waiting.onnx ] || set -- --crash -i image=waiting.npy
        fed=$([ $way = waiting.onnx ] && echo waiting.onnx || echo waiting.npy)
        "$NNEFC" reduce "$way" waited/ "$@" >out 2>err &
        reducer=$!
        exec 3>$fed # once it is opened to be read
        (sleep 20; kill -KILL $reducer) 2>/dev/null &
        watch=$!
        kill -TERM $reducer
        { wait $reducer; } 2>/dev/null
        meets 'the signal ends it' [ $? -eq 143 ]
        kill $watch
        exec 3>&-
        meets 'no folder for tries is left' [ -z "$(ls temporary)" ]
    done
else
    skipped=$((skipped + 1))
fi

# --- data of other models ------------------------------------------------------------------------

# Parts have other data under the same labels, so they do not lie beside other documents.
cp -r "$digits" own
sums() { find own -name '*.dat' -exec cksum {} + | sort; }
sums >before
run 2 reduce own/ own/part.nnef --check='! grep -q "conv(" {}/graph.nnef'
err_has "the data of other documents beside 'own/part.nnef' would be replaced"
sed 's/relu(conv2)/tanh(conv2)/' own/graph.nnef >own/other.nnef
run 2 reduce own/other.nnef own/graph.nnef --check='! grep -q "conv(" {}/graph.nnef'
run 2 reduce own/ both/ --min-good=both/good.nnef --check='! grep -q "conv(" {}/graph.nnef'
err_has 'OUT and --min-good would share data'
sums >after
same after before
absent both

# A label has several spellings, and one file.
model sep 'x = external<scalar>(shape = [1,3]);' "v = variable<scalar>(shape = [1,3], label = 'k/b');" \
    "u = variable<scalar>(shape = [1,3], label = '/k/b');" 'a = add(x, v);' 'b = mul(a, u);' 'y = relu(b);'
"$NNEFC" init sep -q
run 0 reduce sep/ spelled/ --as-is --check='! grep -q mul {}/graph.nnef'
run 0 run spelled --fill=1 -q

# Entries of the quantization file go with the tensors that they are of.
"$NNEFC" quantize "$digits" coded8/ --data="$digits/images" -Wno-few-samples -q
run 0 reduce coded8/ one8/ --as-is --check='! grep -q softmax {}/graph.nnef'
out_has '^1 of [0-9]* operations left'
absent one8/graph.quant
run 3 convert "$digits" coded8/
err_has 'graph\.quant.*is there already, and this model has none'
exists coded8/graph.quant
run 0 convert "$digits" coded8/ --force
absent coded8/graph.quant

# What a check ends with is not what stops it; signals that are ignored do not.
run 0 reduce sep/ ended/ --as-is --check='! grep -q mul {}/graph.nnef || exit 143'
out_has '^1 of 3 operations left'
(trap '' HUP && "$NNEFC" reduce sep/ deaf/ --as-is --check='kill -HUP $PPID; ! grep -q mul {}/graph.nnef') >out 2>err
meets 'a signal that is ignored does not end it' [ $? -eq 0 ]
finish
