#!/bin/sh
# explain.sh - nnefc explain; the command lines among its examples do what they are said to do
. "$(dirname "$0")/lib.sh"

run 0 explain N0142
quiet_err
out_has '^N0142: axis out of range \(NNEF 1\.0\.5, section 4\)$'
out_has '^    y = sum_reduce\(x, axes = \[4\]\);$'
cp out one
for name in n0142 0142 142; do
    run 0 explain $name
    same out one
done
run 0 explain N0142 N0143
out_has '^N0142: '
out_has '^N0143: '
run 0 explain N0142 --json
out_has '^\{"code":"N0142","title":"axis out of range","section":"4",.*\}$'
run 0 explain N0006 N0142 --json
meets 'an object a line' [ "$(grep -c '^{.*}$' out)" -eq 2 ]
meets 'no line of text is too long' [ "$(grep -v '^    ' one | awk '{ print length }' | sort -n | tail -1)" -le 80 ]

# Every code of the source has its line, its text and its object.
sed -n 's/^DIAG(\(N[0-9]*\),.*/\1/p' "$top/src/diag/diag.def" >codes
run 0 explain --list
sed -n 's/^\(N[0-9]*\)  .*/\1/p' out >listed
same codes listed
run 0 explain --list --json
sed -n 's/^ *"code": "\(N[0-9]*\)",$/\1/p' out >listed
same codes listed
# shellcheck disable=SC2046 # codes hold no blanks
run 0 explain $(cat codes)
sed -n 's/^\(N[0-9]*\): .*/\1/p' out >listed
same codes listed

run 2 explain
err_has 'needs a code'
run 2 explain N0412
err_has "there is no code 'N0412'; did you mean 'N0[0-9]*'\?"
run 2 explain N0142 frobnicate
quiet_out
err_has "no code 'frobnicate'; 'nnefc explain --list' lists them"
run 2 explain N0142 --dump=ast
err_has "'explain' has no option '--dump'"

# --- command lines --------------------------------------------------------------------------

mkdir place && cd place || exit 1
cp -R "$digits" model
cp "$three" image.png
cp "$digits/conv1/bias.dat" . && tar cf weights.tar bias.dat
"$NNEFC" pack model model.tar
"$NNEFC" run model --input=image.png -o probabilities.npy
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [1,1,8,8]); y = copy(x); }\n' >scalars
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<integer>(shape = [1,1,8,8]); y = copy(x); }\n' >integers
"$NNEFC" run scalars --random -o image.npy
"$NNEFC" run integers --random -o integers.npy
head -c 200 image.npy >cut.npy
printf '%s\n' 7767517 '3 2' 'pnnx.Input in 0 1 x #x=(2,3)f32' 'nn.ReLU r 1 1 x y #y=(2,4)f32' \
    'pnnx.Output out 1 0 y' >net.pnnx.param

# Lines of STATUS CODE COMMAND: those that are wrong fail by that code alone.
"$NNEFC" explain --markdown | awk '
/^### N/ { code = $2 }
/^(Wrong|Right):$/ { wrong = /^W/ }
/^```sh$/ { inside = 1; next }
/^```$/ { inside = 0 }
inside { print wrong, code, $0 }' >commands
meets 'there are command lines' [ "$(grep -c '^1' commands)" -ge 10 ]
meets 'half of them are right' [ "$(grep -c '^0' commands)" -eq "$(grep -c '^1' commands)" ]
while read -r wrong code program arguments; do
    said=$arguments
    meets "'$arguments' runs nnefc" [ "$program" = nnefc ]
    # shellcheck disable=SC2086 # words
    "$NNEFC" $arguments --message-format=short </dev/null >out 2>err
    status=$?
    if [ "$wrong" -eq 1 ]; then
        meets 'it fails' [ $status -gt 0 ]
        meets "only $code is reported" not grep -qv "error\[$code\]: " err
        meets "$code is reported" grep -q "error\[$code\]: " err
    else
        meets "exit status 0 (it was $status)" [ $status -eq 0 ]
        quiet_err
    fi
done <commands
cd .. || exit 1
finish
