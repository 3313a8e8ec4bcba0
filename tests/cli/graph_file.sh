#!/bin/sh
# graph_file.sh - models are compiled into graph files, which compute the same and are trusted in nothing
. "$(dirname "$0")/lib.sh"

# --- the same model ----------------------------------------------------------------------------

run 0 compile "$digits" -o net.ng
silent
run 0 check net.ng
silent
run 0 run "$digits" --input "$three" -o a.npy
run 0 run net.ng --input "$three" -o b.npy
meets 'a graph file computes the same' cmp a.npy b.npy
run 0 verify net.ng
run 0 info net.ng
out_has '^format graph$'
run 0 info net.ng --json
run 0 list net.ng
run 1 check "$digits/graph.nnef" --from=graph
err_has 'no graph file'
run 0 compile "$digits" -o again.ng
meets 'the same model makes the same bytes' cmp net.ng again.ng

# A12: what was read is written as it was
run 0 convert --raw net.ng second.ng
meets 'what was read is written as it was' cmp net.ng second.ng
run 0 compile net.ng --raw -o -
meets 'to standard output, too' cmp net.ng out

run 0 convert net.ng back/
run 0 compare back/ "$digits" --input "$three"
run 0 convert net.ng net.onnx
run 0 compare net.onnx "$digits" --input "$three"
input=net.ng
run 0 run - --input "$three" -o c.npy
input=/dev/null
meets 'from standard input, too' cmp a.npy c.npy
said='run - (from a pipe)'
# shellcheck disable=SC2002 # a pipe, which cannot be mapped
cat net.ng | "$NNEFC" run - --input "$three" -o piped.npy >out 2>err
meets 'from a pipe, too' cmp a.npy piped.npy

# --- what is damaged, or none ---------------------------------------------------------------------

# A9: the magic is looked at first
printf junk >junk.ng
run 1 check junk.ng
err_has 'this is no graph file'

# A11: a file that was cut off is refused, wherever
size=$(wc -c <net.ng)
for cut in 8 31 32 79 80 200 1000 $((size - 1)); do
    head -c "$cut" net.ng >cut.ng
    run 1 check cut.ng
    err_has 'error\[N0251\].*: at byte '
done
(cat net.ng && echo) >longer.ng
run 1 check longer.ng
err_has 'something was added'

# A byte of the data is missed when they are read.
spoil net.ng wrong.ng $((size - 70)) '\0377'
run 0 check wrong.ng
run 0 verify wrong.ng --no-data
run 1 verify wrong.ng
err_has 'the sum of the section is wrong'
run 1 convert wrong.ng wrong/
err_has 'the sum of the section is wrong'
absent wrong

# A10: the sum of the header would be wrong, too, but the version is looked at before
spoil net.ng newer.ng 8 '\0002'
run 1 check newer.ng
err_has 'error\[N0252\].*version 2.0, expected 1'

# --- what it does not hold ------------------------------------------------------------------------

cat >custom.nnef <<'EOF'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment mine(x: tensor<scalar>) -> (y: tensor<scalar>);
graph net(x) -> (y)
{
    x = external<scalar>(shape = [2]);
    y = mine(x);
}
EOF
run 1 compile custom.nnef -o custom.ng
err_has "error\[N0253\].*'mine' is a custom one"
absent custom.ng
run 2 compile "$digits"
err_has 'needs a file to write'
run 2 run net.ng --random --shape=x=1
err_has 'cannot be set'
run 2 init net.ng
run 2 pack net.ng net.tgz

finish
