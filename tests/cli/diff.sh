#!/bin/sh
# diff.sh - nnefc diff: what it prints, weights, formats, exit statuses, use by git
. "$(dirname "$0")/lib.sh"

# net FILE [STRIDE] - two layers, the first of two channels
net()
{
    printf '%s\n' 'version 1.0;' 'graph net( x ) -> ( y )' '{' \
        '    x = external<scalar>( shape = [1,2,8,8] );' \
        "    w = variable<scalar>( shape = [4,2,3,3], label = 'layer/w' );" \
        "    c = conv( x, w, stride = [${2:-1,1}] );" \
        '    y = relu( c );' '}' >"$1"
}

# --- what is printed --------------------------------------------------------------------------

net a.nnef
net b.nnef 2,2
run 0 diff a.nnef a.nnef
quiet_err
out_has '^A and B are the same$'
run 5 diff a.nnef b.nnef
quiet_err
out_has '^attribute conv c: stride \[1, 1\] -> \[2, 2\] \(b\.nnef:6:9\)$'
out_has '^type conv c: scalar\[1,4,8,8\] -> scalar\[1,4,4,4\], and 1 behind it \(b\.nnef:6:9\)$'
out_has '^2 differences$'
run 5 diff a.nnef b.nnef -q
silent
run 5 diff a.nnef b.nnef --json
out_has '"same": false'
out_has '"kind": "attribute"'
out_has '"attribute": "stride"'
out_has '"from": "\[1, 1\]"'
run 0 diff a.nnef a.nnef --json
out_has '"changes": \[\]'
run 5 diff a.nnef b.nnef --markdown
out_has '^- \*\*attribute\*\* conv <code>c</code>: <code>stride \[1, 1\] -&gt; \[2, 2\]</code>$'
sed 's/y = relu( c )/t = tanh( c ); y = relu( t )/' a.nnef >more.nnef
run 5 diff a.nnef more.nnef
out_has '^inserted tanh t \(more\.nnef:7:9\)$'
out_has '^1 difference$'
run 5 diff more.nnef a.nnef
out_has '^removed tanh t \(more\.nnef:7:9\)$'
input=a.nnef
run 5 diff - b.nnef
run 2 diff - -
input=/dev/null

# --- what is ignored --------------------------------------------------------------------------

sed "s/\\bx\\b/image/g; s/\\by\\b/scores/; s/\\bc\\b/hidden/g; s,layer/w,first," a.nnef >renamed.nnef
sed 's/y = relu/scores = relu/' -i renamed.nnef
run 5 diff a.nnef renamed.nnef
out_has '^renamed input: x -> image$'
out_has '^label variable w: layer/w -> first$'
out_has '^renamed conv: c -> hidden '
out_has '^renamed relu: y -> scores '
out_has '^4 differences$'
run 5 diff a.nnef renamed.nnef --ignore=names
out_has '^1 difference$'
run 0 diff a.nnef renamed.nnef --ignore=names,labels
run 2 diff a.nnef renamed.nnef --ignore=names,colours
err_has 'no value for --ignore=WHAT\[,WHAT\.\.\.\], expected some of names, labels, order and fragments'

# --- fragments --------------------------------------------------------------------------------

resnet=$top/examples/nnef/resnet
run 0 convert "$resnet" - --to=nnef --raw
cp out flat.nnef
run 5 diff "$resnet" flat.nnef
out_has '^fragment conv: stage/residual_unit/conv_norm -> none \(32\)'
run 0 diff "$resnet" flat.nnef --ignore=fragments
run 0 diff "$resnet" "$resnet"

# --- weights, and other formats ---------------------------------------------------------------

run 0 diff "$digits" "$digits" --data
cp -r "$digits" other
printf '\100' | dd of=other/conv1/filter.dat bs=1 seek=131 conv=notrunc 2>dd
run 0 diff "$digits" other
run 5 diff "$digits" other --data
quiet_err
out_has '^weights variable filter1: 1 of [0-9]+ items, by [0-9.e+]+ at most$'
out_has '^1 difference$'
run 5 diff "$digits/graph.nnef" "$digits/graph.nnef" --data="$digits" --data=other
out_has '^weights variable filter1: 1 of '
run 2 diff a.nnef a.nnef --data=x --data=y --data=z
run 3 diff a.nnef a.nnef --data
run 0 convert "$digits" digits.onnx --raw
run 5 diff "$digits" digits.onnx --ignore=labels,names --passes=default
out_lacks '^(inserted|removed) (conv|relu|linear|max_pool|softmax)'
run 0 convert "$digits" digits.ng --raw
run 0 diff "$digits" digits.ng --data --ignore=fragments

# --- faults -----------------------------------------------------------------------------------

run 2 diff a.nnef
err_has "'diff' needs two models"
run 2 diff a.nnef b.nnef more.nnef
run 3 diff a.nnef missing.nnef
echo 'version 1.0; graph' >broken.nnef
run 1 diff a.nnef broken.nnef
quiet_out

# --- as a driver of git -----------------------------------------------------------------------

if command -v git >/dev/null; then
    mkdir repository
    cd repository || exit 1
    git init -q . 2>/dev/null
    git config user.name nobody
    git config user.email nobody@example.org
    printf '%s\n' '#!/bin/sh' '"$NNEFC" diff "$2" "$5" || [ $? -eq 5 ]' >../nnefc-diff
    chmod +x ../nnefc-diff
    git config diff.nnef.command "$work/nnefc-diff"
    echo '*.nnef diff=nnef' >.gitattributes
    cp ../a.nnef net.nnef
    git add .
    git commit -qm first
    cp ../b.nnef net.nnef
    NNEFC=$NNEFC git --no-pager diff --ext-diff >../out 2>../err
    cd ..
    out_has '^attribute conv c: stride \[1, 1\] -> \[2, 2\]'
else
    skipped=$((skipped + 1))
fi

finish
