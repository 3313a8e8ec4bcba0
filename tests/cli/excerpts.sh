#!/bin/sh
# excerpts.sh - diagnostics on terminals: colours, and texts that were made to do harm
. "$(dirname "$0")/lib.sh"

escape=$(printf '\033')
model bad 'x = external<scalar>(shape = [1,3]);' 'y = ad(x, x);'

# --- colours: the option, then NO_COLOR, then CLICOLOR_FORCE, then what the stream is ------------
coloured() { run 1 check bad "$@" && err_has "$escape\\["; }
plain() { run 1 check bad "$@" && err_lacks "$escape\\["; }

plain
plain --color=auto
plain --color=never
coloured --color=always
coloured --color=always --message-format=short
export NO_COLOR=1
coloured --color=always
export CLICOLOR_FORCE=1
plain
NO_COLOR=
coloured
plain --color=never
TERM=dumb
export TERM
coloured
CLICOLOR_FORCE=0
plain
CLICOLOR_FORCE=
plain
coloured --color=always
unset NO_COLOR CLICOLOR_FORCE

# on_terminal COMMAND - what COMMAND prints to a terminal becomes the message
on_terminal()
{
    said="on a terminal: $1"
    script -qec "$1" /dev/null </dev/null >err 2>&1
    : >places
}

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    TERM=xterm
    on_terminal "$NNEFC check bad"
    err_has "$escape\\[1;31merror"
    on_terminal "$NNEFC check bad --color=never"
    err_lacks "$escape\\["
    on_terminal "env NO_COLOR=1 $NNEFC check bad"
    err_lacks "$escape\\["
    on_terminal "env TERM=dumb $NNEFC check bad"
    err_lacks "$escape\\["
    on_terminal "$NNEFC check bad 2>into"
    meets 'no colours in a file while another stream is a terminal' not grep -q "$escape" into
    on_terminal "$NNEFC check bad >/dev/null"
    err_has "$escape\\[1;31merror"
else
    skipped=$((skipped + 1))
    echo 'skipped: colours on a terminal, for there is no program "script", or no terminal for it'
fi

# --- texts ------------------------------------------------------------------------------------------
# A name of a megabyte, and a line of two: neither is printed whole.
name=$(head -c 1000000 /dev/zero | tr '\0' n)
{
    printf 'version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external<scalar>(shape = [1]);\n    '
    printf 'y = add(%s, %s); }\n' "$name" "$name"
} >long.nnef
for how in human short json; do
    run 1 check long.nnef --message-format=$how
    err_has 'N0079'
    meets "little is said (--message-format=$how)" [ "$(wc -c <err)" -lt 3000 ]
done
run 1 check long.nnef
err_has "unknown identifier 'n+\\.\\.\\.n+'"
err_has '^   \|     +\^{83}$'

# The lines of places are not counted anew for each of many faults.
{
    printf 'version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external<scalar>(shape = [1]);\n'
    awk 'BEGIN { for (i = 0; i < 20000; i++) print "    a" i " = neg(x, x);" }'
    printf '    y = copy(x);\n}\n'
} >many.nnef
said='check many.nnef --error-limit=0'
timeout 20 "$NNEFC" check many.nnef --error-limit=0 >out 2>err
meets 'all of 20000 errors are printed in time' [ "$(grep -c '^error\[N0051\]' err)" -eq 20000 ]

# What commands a terminal does not reach it: from the text, from names of files.
printf 'version 1.0;\ngraph net( x ) -> ( y )\n{\n    # \033]0;title\a\n    y = \033[2J(x); \r\302\233 }\n' >evil.nnef
run 1 check evil.nnef
meets 'no control characters' not grep -q "$(printf '[\033\a\r]')" err
run 3 check "$(printf 'no\033[2Jwhere')"
err_has '--> no\?\[2Jwhere'
finish
