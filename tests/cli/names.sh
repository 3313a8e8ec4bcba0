#!/bin/sh
# names.sh - names of any bytes: none that a terminal obeys reaches it, and JSON is UTF-8
. "$(dirname "$0")/lib.sh"

# relu FILE NAME - a model of ONNX whose names are NAME, 8 bytes, and one of the letters i o n g
relu()
{
    printf '%b' "\010\010\022\011$2p:f\012\047\012\011$2i\022\011$2o\032\011$2n\042\004Relu\022\011$2g" \
        "Z\027\012\011$2i\022\012\012\010\010\001\022\004\012\002\010\003" \
        "b\027\012\011$2o\022\012\012\010\010\001\022\004\012\002\010\003B\002\020\021" >"$1"
}

relu control.onnx 'a\033[31m\nb'
relu direction.onnx 'a\0342\0200\0256b\0302\0233c'
relu bytes.onnx 'a\0377\0376bcdef'
cp control.onnx "$(printf 'a\033[31m').onnx"
cp bytes.onnx "$(printf 'a\377').onnx"

# terminal_safe ARGUMENT... - prints neither control characters nor what is no UTF-8
terminal_safe()
{
    run 0 "$@"
    cat out err >both
    meets 'no control character is printed' [ "$(LC_ALL=C tr -d '\n\t -~\200-\377' <both | wc -c)" -eq 0 ]
    meets 'all is UTF-8, of one direction' is_plain both
}

# No character of C1 or that turns the direction either.
is_plain()
{
    iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 &&
        ! LC_ALL=C grep -q "$(printf '\342\200\256')" "$1" && ! LC_ALL=C grep -q "$(printf '\302\233')" "$1"
}

for model in control.onnx direction.onnx bytes.onnx "$(printf 'a\033[31m').onnx" "$(printf 'a\377').onnx"; do
    for command in check info list verify 'check --dump=graph' 'check --dump=plan' 'run --random' \
        'run --random --profile'; do
        # shellcheck disable=SC2086 # words
        terminal_safe $command "$model"
    done
    for command in 'info --json' 'list --json' 'run --random --json' 'check --message-format=json' 'check --message-format=sarif'; do
        # shellcheck disable=SC2086 # words
        run 0 $command "$model"
        meets 'it is JSON in UTF-8' iconv -f UTF-8 -t UTF-8 -o converted out
        meets 'no control character is printed' [ "$(LC_ALL=C tr -d '\n\t -~\200-\377' <out | wc -c)" -eq 0 ]
    done
    terminal_safe compare "$model" "$model" --random
done

run 0 list control.onnx
out_has '^relu a\\x1B\[31m\\x0Abo '
run 0 list bytes.onnx
out_has '^relu a\\xFF\\xFEbcdefo '
run 0 run control.onnx --random --json
out_has '"a\\u001B\[31m\\nbo"'
run 0 run bytes.onnx --random --json
out_has '"a\\\\xFF\\\\xFEbcdefo"'
meets 'lines of a dump stay' [ "$("$NNEFC" check control.onnx --dump=graph | wc -l)" -gt 2 ]
run 2 run bytes.onnx --random -o "$(printf 'a\033[31m')=x.dat"
meets 'no escape character is said' not grep -q "$(printf '\033')" err

finish
