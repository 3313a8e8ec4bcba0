#!/bin/sh
# open.sh - models that leave extents open: each input has those of its file, or those that are drawn
. "$(dirname "$0")/lib.sh"

# The digits, of any batch, in ONNX; images of several batches.
run 0 convert "$digits" open.onnx --dynamic=image:0=batch
for batch in 1 3 7; do
    printf 'version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external<scalar>( shape = [%s,1,8,8] );\n    y = copy( x );\n}\n' \
        $batch >copy.nnef
    run 0 run copy.nnef --random -o y=x$batch.npy
done

# --- what is open ------------------------------------------------------------------------------

run 0 info open.onnx
out_has '^open image:0 batch$'
out_has '^    image FLOAT\[batch,1,8,8\]$'
out_lacks '^operations'
run 0 info open.onnx --dim batch=2
out_lacks '^open'
out_has '^    image scalar\[2,1,8,8\]$'
run 0 check open.onnx
quiet_out
quiet_err
run 1 check open.onnx --dump=graph
err_has "input 'image' has shape \[batch,1,8,8\], with extents that are not known"
err_has "help: give them with --shape 'image=1,1,8,8', or each by its name: --dim 'batch=1'"
run 1 list open.onnx
err_has 'error\[N0226\]'
run 1 convert open.onnx made/
err_has 'error\[N0226\]'
absent made

# --- steps -------------------------------------------------------------------------------------

run 0 run "$digits" -i x1.npy -o y1.npy
for batch in 1 3 7; do
    run 0 run open.onnx -i x$batch.npy -o open$batch.npy
    run 0 run open.onnx --dim batch=$batch -i x$batch.npy -o closed$batch.npy
    same open$batch.npy closed$batch.npy
done
same open1.npy y1.npy

# An input that is given several times is several steps.
run 0 run open.onnx -i x1.npy -i x3.npy -i x1.npy -i x7.npy -o y.npy
same y.1.npy y1.npy
same y.2.npy open3.npy
same y.3.npy y1.npy
same y.4.npy open7.npy
run 0 run open.onnx -i image=x3.npy -i image=x7.npy -o made/
exists made/1/probabilities.dat
exists made/2/probabilities.dat
run 0 run open.onnx -i x3.npy -i x7.npy
out_has '^step 1$'
out_has '^probabilities: scalar\[7,10\]$'
run 0 run open.onnx -i x3.npy -i x7.npy --json
out_has '"step": 2'
run 2 run open.onnx -i x3.npy -i x7.npy --steps 2
err_has '--steps is for inputs that are given once'
run 2 run open.onnx -i x3.npy -i x7.npy --expect y1.npy
err_has '--expect is for inputs that are given once'

# Whatever is kept, results are the same.
for plans in 1 2 64; do
    run 0 run open.onnx -i x7.npy -i x3.npy -i x7.npy --limit=plans=$plans -o p.npy
    same p.1.npy open7.npy
    same p.2.npy open3.npy
    same p.3.npy open7.npy
done

# A step that cannot be made names what was fed; nothing is written.
run 0 run copy.nnef --shape x=2,1,8,9 --random -o y=wide.npy
run 3 run open.onnx -i wide.npy -o none.npy
err_has "shape is \[2,1,8,9\], but parameter 'image' has shape \[\?,1,8,8\]"
absent none.npy

# Of several steps, the note tells which one it is of; the others are as before.
run 3 run open.onnx -i wide.npy -o none.npy
err_lacks 'in step'
run 3 run open.onnx -i x1.npy -i x3.npy -i wide.npy -i x7.npy -o some.npy
err_has 'note: in step 3 of 4$'
exists some.2.npy
absent some.3.npy
run 3 run open.onnx -i x1.npy -i wide.npy --message-format=json
err_has '"notes":\[\{.*"message":"in step 2 of 2"'
run 3 bench open.onnx -i x1.npy -i wide.npy --time=0
err_has 'note: in step 2 of 2$'

# --- texts -------------------------------------------------------------------------------------

run 0 run "$digits" --open image:0=batch -i x7.npy -o text7.npy
run 0 run "$digits" --shape image=7,1,8,8 -i x7.npy -o own7.npy
same text7.npy own7.npy
run 2 run "$digits" --open picture:0 -i x7.npy
err_has "graph 'digits' has no parameter 'picture' to open"
run 2 run "$digits" --open image:4 -i x7.npy
err_has "has no axis 4 to open"
run 2 run "$digits" --open image -i x7.npy
run 2 run open.onnx --open image:0 -i x7.npy
err_has 'extents are opened of NNEF texts'

# A variable that is updated holds what it held, whatever shape the next step has.
cat >count.nnef <<'END'
version 1.0;
extension KHR_enable_operator_expressions;

graph count( x ) -> ( y )
{
    x = external<scalar>( shape = [1,2] );
    v = variable<scalar>( shape = [1,1], label = 'v' );
    n = v + sum_reduce( x, axes = [0,1] );
    y = x * n;
    v2 = update( v, n );
}
END
run 0 init count.nnef --seed 1
for n in 1 3; do
    printf 'version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external<scalar>( shape = [1,%s] );\n    y = copy( x );\n}\n' \
        $n >row.nnef
    run 0 run row.nnef --fill=1 -o y=row$n.npy
done
for backend in reference portable; do
    run 0 run count.nnef --backend $backend --open x:1 -i row1.npy -i row3.npy -i row1.npy --json
    cp out steps
    run 0 run count.nnef --backend $backend --shape x=1,1 --fill=1 --json
    first=$(sed 's/.*"values": \[\([^]]*\)\].*/\1/' out)
    third=$(sed -n '3s/.*"values": \[\([^]]*\)\].*/\1/p' steps)
    said='(the third step has counted 1, 3 and 1)'
    meets "$first + 4 is $third" awk -v a="$first" -v b="$third" \
        'BEGIN { exit !(b - a - 4 < 1e-5 && a + 4 - b < 1e-5) }'
done

# --- state -------------------------------------------------------------------------------------

cat >sum.nnef <<'END'
version 1.0;
extension KHR_enable_operator_expressions;

graph sum( past, x ) -> ( present )
{
    past = external<scalar>( shape = [1,2] );
    x = external<scalar>( shape = [1,2] );
    present = past + x;
}
END
run 0 run sum.nnef --fill=2 --state past=present --steps 5 --json
out_has '"values": \[12(.0)?, 12(.0)?\]' # 2 + 5 * 2
printf 'version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external<scalar>( shape = [1,2] );\n    y = copy( x );\n}\n' >row.nnef
run 0 run row.nnef --fill=2 -o y=two.npy
run 0 run sum.nnef -i x=two.npy --state past=present --steps 5 --json
out_has '"values": \[10(.0)?, 10(.0)?\]' # nothing was fed for the past, so that it was 0
run 2 run sum.nnef --fill=2 --state gone=present
err_has "graph 'sum' has no parameter 'gone'"
run 2 run sum.nnef --fill=2 --state past
err_has "expected the name of an input and that of a result"

# --- bench -------------------------------------------------------------------------------------

run 0 bench open.onnx --dim batch=1..3 --time=0.05 --json
out_has '"plansMade": 3'
run 0 bench "$digits" --open image:0=batch --dim batch=2..2 --time=0
out_has '^plans_made 1$'
run 1 bench open.onnx --time=0
err_has 'error\[N0226\]'
err_has "help: .* take them from the files of inputs, and 'bench' draws them: --dim 'batch=1..8'\."
run 2 run open.onnx --dim batch=1..3 -i x1.npy
err_has "--dim batch=1..3 is for 'bench'"
run 2 bench open.onnx --dim batch=3..1

# Files are taken in turns: of three shapes, each is planned once.
run 0 bench open.onnx -i x3.npy --time=0
out_has '^plans_made 1$'
run 0 bench open.onnx -i x1.npy -i x3.npy -i x7.npy --warmup=8 --time=0
out_has '^plans_made 3$'
out_has '^plans_taken 7$'
run 0 bench open.onnx -i x1.npy -i x3.npy --limit=plans=1 --warmup=4 --time=0
out_has '^plans_made 6$'
run 3 bench open.onnx -i x1.npy -i wide.npy --time=0
err_has "shape is \\[2,1,8,9\\], but parameter 'image' has shape \\[\\?,1,8,8\\]"
run 2 bench open.onnx -i x1.npy -i - --time=0
err_has 'read again and again, which standard input cannot be'
run 2 bench open.onnx --dim batch=1..3 --fill=1 --time=0
err_has 'fill and the range of --dim batch=1..3 exclude each other'
run 0 bench open.onnx --dim batch=2 --fill=1 --time=0
run 2 bench open.onnx --steps=2

# --- compare -----------------------------------------------------------------------------------

run 0 compare open.onnx "$digits" --random
run 0 compare "$digits" open.onnx --random
run 0 compare open.onnx open.onnx -i x3.npy
out_has '^probabilities  scalar\[3,10\]'
run 1 compare open.onnx open.onnx --random
err_has 'error\[N0226\]'
run 1 compare open.onnx "$digits" --random --layers
err_has 'error\[N0226\]'

# --- functions that call themselves ----------------------------------------------------------

"${ONNX_MODELS:-$top/build/release/tests/onnx_models}" . || exit 1
run 1 run parts_without_end.onnx --random
err_has "function 'Again': functions are nested more than 64 deep"

# --- parts -------------------------------------------------------------------------------------

run 0 bench open_cut.onnx --shape x=100,3 --profile --time=0 --json
out_has '"operations": "NonZero"'
out_has '"operations": "cast"'
run 0 bench open_cut.onnx --shape x=100,3 --profile --time=0
out_has '^places *NonZero *reference'
run 0 compare open_cut.onnx open_cut.onnx --shape x=100,3 --random

# Where the model is cut is told: by info the first cut, by bench all that a run has met.
run 0 info open_cut.onnx
out_lacks '^cuts'
run 0 info open_cut.onnx --shape x=100,3
out_has '^cuts 1$'
out_has "^    node 0 'find' \\(NonZero\\) at byte [0-9]+: it has to know the items of input 0, 'x'$"
run 0 info open_cut.onnx --shape x=100,3 --json
out_has '"node": "find"'
out_has '"operation": "NonZero"'
out_has '"why": "it has to know the items of input 0'
run 0 info open.onnx --dim batch=2
out_lacks '^cuts'
run 0 bench sequence_twice.onnx --time=0
out_has '^cuts 2$'
out_has "^    function 'Both', node 0 'find' \\(NonZero\\)"

# What a later part reports tells the step, too.
printf 'version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external<scalar>( shape = [9,9] );\n    y = copy( x );\n}\n' >square.nnef
for fill in 0 1; do
    run 0 run square.nnef --fill=$fill -o y=square$fill.npy
done
run 1 run sequence_cut.onnx -i square0.npy -i square1.npy -i square0.npy
err_has 'has position 162 in a sequence of 2 tensors'
err_has 'note: in step 2 of 3$'
finish
