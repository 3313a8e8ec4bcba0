#!/bin/sh
# convert_whole.sh - nnefc convert: the same bytes everywhere, all refusals at once, and nothing half done
. "$(dirname "$0")/lib.sh"

run 0 convert "$digits" first.onnx
silent

# The same bytes: again, from elsewhere, in another order of the environment, where commas are points.
run 0 convert "$digits" again.onnx
same first.onnx again.onnx
run 0 convert "$digits" again.onnx --opset=17
same first.onnx again.onnx
run 0 convert "$digits" other.onnx --opset=13
differ first.onnx other.onnx
mkdir elsewhere
cd elsewhere || exit 1
cp -R "$digits" here
run 0 convert here here.onnx
cd ..
same first.onnx elsewhere/here.onnx
for variables in 'ZZ=1 AA=2' 'AA=2 ZZ=1' 'LC_ALL=C' 'LC_ALL=tr_TR.UTF-8' 'TZ=Asia/Tokyo'; do
    said="convert (with $variables)"
    # shellcheck disable=SC2086 # words
    meets 'it is converted' env -i "PATH=$PATH" $variables "$NNEFC" convert "$digits" again.onnx
    same first.onnx again.onnx
done
comma=$(locale -a 2>/dev/null | grep -i '^de_DE' | head -n 1)
if [ -z "$comma" ] && mkdir locales && localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>/dev/null; then
    comma=de_DE.UTF-8
    export LOCPATH="$work/locales"
fi
if [ "$comma" ]; then
    said="convert (with LC_ALL=$comma)"
    meets 'it is converted' env "LC_ALL=$comma" "$NNEFC" convert "$digits" again.onnx
    same first.onnx again.onnx
else
    echo 'skipped: numbers with commas, no locale has them here'
    skipped=$((skipped + 1))
fi
unset LOCPATH

# What cannot be expressed is told as a whole, each with its operation, line and reason.
cat >custom.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
fragment mine( x: tensor<scalar> ) -> ( y: tensor<scalar> );
graph net( x ) -> ( y, z, s, w )
{
    x = external( shape = [2,3] );
    y = conv( relu( mine( x ) ), 1.0 );
    z = mine( y );
    s = copy( cast<string>( x ) );
    w = x + 1.0;
}
END
cp first.onnx kept.onnx
run 4 convert custom.nnef kept.onnx --raw
err_has "custom\.nnef:7:.*error\[N0230\]: 'mine' has no counterpart in ONNX"
err_has "custom\.nnef:8:.*error\[N0230\]: 'mine' has no counterpart in ONNX"
err_has "custom\.nnef:9:15: error\[N0230\]: .* is a tensor of strings"
err_has "custom\.nnef:9:9: error\[N0230\]: 's' is a tensor of strings"
meets 'four faults are reported' [ "$(grep -c 'error\[' err)" -eq 4 ]
same first.onnx kept.onnx
run 4 convert custom.nnef made.onnx
absent made.onnx

# Extents that are left open make no model that is silently for others.
printf 'version 1.0\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [0,3]);\n    y = relu(x);\n}\n' |
    tr -d ';' >open.nnef
run 4 convert open.nnef made.onnx
err_has "open\.nnef:4:.*error\[N0230\]: the shape \[\?,3\] of parameter 'x' leaves extents open"
err_has 'help: .*--shape x='
one_error
absent made.onnx
run 0 convert open.nnef made.onnx --shape x=2,3
exists made.onnx

# An existing file is replaced by a complete one, or stays.
mkdir full
cp "$three" full/model.onnx
run 0 convert "$digits" full/model.onnx
same first.onnx full/model.onnx
cp "$three" full/model.onnx
# cut_short ACTION - too large a file is an error if ACTION is '', else ends the process at once
cut_short()
{
    said="convert (with files of one block, the signal '$1')"
    cp "$three" full/model.onnx
    (
        trap "$1" XFSZ
        ulimit -c 0
        ulimit -f 1
        "$NNEFC" convert "$digits" full/model.onnx || exit 1
    ) >out 2>err
    meets 'it fails' [ $? -ne 0 ]
    same "$three" full/model.onnx
}
cut_short ''
err_has 'full/model\.onnx'
meets 'no other file is left' [ "$(ls -A full)" = model.onnx ]
cut_short -
if [ -e /dev/full ]; then
    ln -s /dev/full full.onnx
    run 3 convert "$digits" full.onnx
    one_error
fi
mkdir kept
cp first.onnx kept/model.onnx
chmod 500 kept
if [ -w kept ]; then
    echo 'skipped: folders that cannot be written to, nothing is one for this user'
    skipped=$((skipped + 1))
else
    run 3 convert "$digits" kept/model.onnx --opset=13
    same first.onnx kept/model.onnx
fi
chmod 700 kept

finish
