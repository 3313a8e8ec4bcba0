#!/bin/sh
# large.sh - texts that are long, deep or full of mistakes are read, computed and written all the same
#
# Time is bounded by the processor time that a process may take: what took the square of the number of
# statements took minutes.
. "$(dirname "$0")/lib.sh"
ulimit -t 60
ulimit -s 65536 2>/dev/null || ulimit -s "$(ulimit -H -s)" # the sanitizers' frames are large

# document NAME STATEMENTS - of an input a of 4 items, and a result y
document()
{
    cat >"$1" <<END
version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
graph net( a ) -> ( y )
{
    a = external<scalar>( shape = [1,4] );
    $2
}
END
}

# copies COUNT TEXT - that text over and over; %d in it counts from 1, %s is one less
copies() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 1; i <= n; i++) printf text, i, i - 1 }' </dev/null; }

# --- operands: the library's add_n recurses over them ----------------------------------------

document sum.nnef "$(copies 2000 'x%d = add(a, %d.0);')
    y = add_n([$(copies 2000 'x%d,' | sed 's/,$//')]);"
# 2,000 inputs of 0 with 0 .. 1,999 added
run 0 run sum.nnef --fill 0
out_has 'min 1.999e.06, max 1.999e.06'
for written in sum.onnx flat.nnef; do
    run 0 convert sum.nnef $written
    run 0 run $written --fill 0
    out_has 'min 1.999e.06, max 1.999e.06'
done

# --- terms -------------------------------------------------------------------------------------

document terms.nnef "y = a$(copies 1500 ' + a');"
run 0 run terms.nnef --fill 1
out_has 'values 1501 1501 1501 1501'

# A thread whose stack is small refuses what it cannot hold.
(ulimit -s 512 && exec "$NNEFC" check terms.nnef) >out 2>err
got=$?
said='check terms.nnef (with a small stack)'
meets "exit status 1 (it was $got)" [ $got -eq 1 ]
meets 'the nesting is refused' grep -q 'N0006' err
meets 'the stack is named' grep -q 'stack' err
(ulimit -s 512 && exec "$NNEFC" check sum.nnef) >out 2>err
got=$?
said='check sum.nnef (with a small stack)'
meets "exit status 1 (it was $got)" [ $got -eq 1 ]
meets 'the expansion is refused' grep -q 'N0117.*stack' err

# --- a tensor that grows by one concat after the other -------------------------------------------

document grows.nnef "x0 = copy(a);
    $(copies 1900 'x%d = concat([x%d, a], axis = 1);')
    y = copy(x1900);"
run 0 run grows.nnef --fill 1
out_has 'y: scalar.1,7604.'

# --- mistakes ------------------------------------------------------------------------------------

document unknown.nnef "$(copies 20000 'x%d = copy(b%d);')
    y = copy(a);"
run 1 check unknown.nnef --error-limit=0 --message-format=short
meets '20,000 errors' [ "$(grep -c N0079 err)" -eq 20000 ]

# --- a graph of many operations, written under the limit under which it is read --------------------

document chain.nnef "x0 = copy(a);
    $(copies 40000 'x%d = sin(x%d);')
    y = copy(x40000);"
run 0 compile chain.nnef -o chain.ng --limit=growth=1M
run 0 list chain.ng --limit=growth=1M
meets '40,000 operations' [ "$(grep -c '^sin ' out)" -eq 40000 ]

finish
