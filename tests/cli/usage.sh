#!/bin/sh
# usage.sh - help, version, and what a wrong command line is answered
. "$(dirname "$0")/lib.sh"

# Without arguments there is help, and a failure.
run 2
quiet_out
err_has '^usage: nnefc COMMAND'

for how in help --help -h; do
    run 0 $how
    quiet_err
    out_has '^examples:'
    out_has '^exit status:'
done
for verb in check run bench init info list verify; do
    run 0 help $verb
    cp out help
    run 0 $verb --help
    same out help
    run 0 $verb -h
    same out help
    out_has "^usage: nnefc $verb MODEL"
    out_has '^examples:'
    meets "examples come before options in the help of $verb" \
        [ "$(sed -n '/^examples:/=' help)" -lt "$(sed -n '/^options:/=' help)" ]
done

run 0 --version
out_has '^nnefc [0-9]+\.[0-9]+\.[0-9]+$'
out_has 'NNEF 1\.0\.5'
out_has '^threads: '
out_has '^compiler: '

# What is unknown is answered with what is near.
run 2 chek model
err_has "no command 'chek'; did you mean 'check'"
run 2 help rnu
err_has "did you mean 'run'"
run 2 frobnicate
err_has "'nnefc help' lists them"
run 2 run model --inptu x
err_has "'run' has no option '--inptu'; did you mean '--input'"
run 2 info model --threads 2
err_has "'info' has no option '--threads'"
run 2 check model -x
err_has "no option '-x'"

# Models and values.
for verb in check run init; do
    run 2 $verb
    err_has "'$verb' needs a model"
    if [ $verb != check ]; then
        run 2 $verb a b
        err_has "one model at a time: 'a' or 'b'"
        run 2 $verb -- --quiet a
        err_has "'--quiet' or 'a'"
    fi
    run 2 $verb a --std
    err_has 'needs a value: auto\|1.0\|provisional'
    run 2 $verb a --quiet=yes
    err_has '--quiet takes no value'
    for bad in --std=2.0 --message-format=xml --color=red --error-limit=-1 --error-limit=x --expand=some \
        --shape=1,2 --shape=x= --shape=x=1,-1 --shape=x=1,,2 --shape=x=1,2,3,4,5,6,7,8,9; do
        run 2 $verb a $bad
        err_has "is no value for ${bad%%=*}="
        quiet_out
    done
done
for bad in --threads=0 --threads=1025 --threads=two --steps=0 --random=-1 --random=x --mean= \
    --fill= --fill=x --fill=inf --expect= --atol=-1 --mean=1,,2 --mean=1,2,3,4,5 --scale=x --layout=hwc --input= --output= --data=; do
    run 2 run a $bad
    err_has "is no value for ${bad%%=*}\\[?=.*, expected "
done
for bad in --scale=0 --scale=1,0 --mean=nan --mean=inf; do
    run 2 run a $bad
    err_has "is no value for ${bad%%=*}=.*, expected one to four numbers"
done
run 2 run a --random=abc
err_has "'abc' is no value for --random\[=SEED\], expected a whole number from 0"
for bad in --dump= --dump=flan; do
    run 2 check a $bad
    err_has 'is no value for --dump='
done
# near VERB OPTION WRONG WORD - the value WRONG is answered by all words, and by the one that is near
near()
{
    run 2 "$1" a "$2=$3"
    err_has "'$3' is no value for $2=.*, expected [a-z0-9.]+(\\|[a-z0-9.]+)+; did you mean '$4'\\?$"
}
near check --dump grpah graph
near check --dump Checked checked
near check --color alway always
near check --message-format jsn json
near check --std provisonal provisional
near run --quant aply apply
near run --layout nhcw nchw
near convert --to onx onnx
near convert --quant qqd qdq
near convert --state input inputs
run 2 check a --dump=tokens
err_has "expected ast\\|checked\\|graph\\|plan$"
run 2 run a --shape=shape
err_lacks 'did you mean'
run 2 init a --seed=x
err_has 'is no value for --seed=N'

# What is said of options that do not fit each other.
run 2 check a --shape=x=1,2 --shape=x=3
err_has "two shapes for 'x'"
run 2 run - -i -
err_has 'standard input is used twice'
run 2 run a -i x=- -i y=-
err_has 'standard input is used twice'
run 2 run a -o x=- -o y=-
err_has 'standard output is used twice'
run 2 run a -o x=- --json
err_has 'standard output is used twice, by --json and by --output -'
run 2 run a b.npy
err_has "one model at a time: 'a' or 'b.npy'; is it '--input b.npy'\?"
for file in p.csv p.txt p.png 'y=p.csv'; do
    run 2 run a -o $file
    err_has "cannot write 'p\.[a-z]*': results are .dat, .npy or .npz files$"
done
run 2 run a -o out
err_has "write 'out/' for a folder"
for option in --mean=0 --scale=1 --layout=nhwc; do
    run 2 run a --random $option
    err_has "${option%=*} is for images, but no input is an image"
    run 2 run a -i "$digits/graph.nnef" $option
    err_has "${option%=*} is for images, but '.*graph.nnef' is no image"
done
for file in m.zip m.bogus m; do
    run 2 pack "$digits" $file
    err_has "cannot write '$file': archives are .tgz, .tar.gz or .tar files"
    absent $file
done

# Options in other spellings.
run 0 run "$digits" -i"$three" -q
silent
run 0 -V
out_has '^nnefc [0-9]'

# Output that cannot be written is a failure.
if [ -e /dev/full ]; then
    said='help >/dev/full'
    "$NNEFC" help >/dev/full 2>err
    status=$?
    meets "exit status 3 (it was $status)" [ $status -eq 3 ]
    err_has 'cannot write to standard output'
fi

# The manual page knows every command and option.
run 0 help --mdoc
cp out tables
meets 'the manual page is made' awk -f "$top/tools/manual.awk" "$top/man/nnefc.1.in" tables >page
verbs=$("$NNEFC" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
for verb in $verbs; do
    meets "the manual page has $verb" grep -q "^\.Ss nnefc $verb\$" page
    run 0 help "$verb"
    # shellcheck disable=SC2013 # options hold no blanks
    for option in $(sed -n '/^options:/,/^$/s/^  \(-[^ ]*,\)* *\(--*[A-Za-z-]*\).*/\2/p' out); do
        words=$(printf '%s' "${option#-}" | sed 's/^-/Fl /')
        meets "the manual page has $option" grep -Eq "Fl $words\>" page
    done
done

# Text for an option that there is not is an error.
printf '@commands\n@detail check --gone\n' >frame
meets 'an option that is gone is found' not awk -f "$top/tools/manual.awk" frame tables >out 2>err
err_has "no command or option 'check --gone'"

# So does it every limit, with its standard value, and the page on limits says the same.
said='(limits)'
sed -n 's/.*= FIELD("\([a-z-]*\)".*/\1/p' "$top/src/api/limits.c" | sort >known
sed -n '/^.Sh LIMITS/,/^.El/s/^.It \([a-z-]*\) Ta \([^ ]*\) Ta \(N[0-9]*\|-\) .*/\1 \2 \3/p' page |
    sed 's/,//g; s/10^12/1000000000000/; s/10^14/100000000000000/' | sort >manual
sed -n 's/^| `\([a-z-]*\)` | \([^ ]*\) | \(N[0-9]*\|-\) .*/\1 \2 \3/p' "$top/docs/limits.md" | sort >limits
sed 's/ .*//' manual >named
meets 'the manual page has all limits' cmp -s known named
meets 'docs/limits.md has the same' cmp -s manual limits
while read -r limit value _; do
    [ "$limit" = memory ] || run 0 check "$digits" --limit="$limit=$value"
done <manual
finish
