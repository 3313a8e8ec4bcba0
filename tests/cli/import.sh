#!/bin/sh
# import.sh - models of ONNX are checked, run and written again
. "$(dirname "$0")/lib.sh"

model net 'x = external<scalar>(shape = [1,2,4,4]);' \
    'f = variable<scalar>(shape = [3,2,3,3], label = "filter");' \
    'y = relu(conv(x, f, 0.5, padding = [(1,1),(1,1)]));'
run 0 init net
run 0 convert net net.onnx

# --- the same values as before ----------------------------------------------------------------

run 0 check net.onnx
silent
run 0 check net.onnx --dump=graph
out_has '^variable f: scalar\[3,2,3,3\] .f.'
out_has 'y: scalar\[1,3,4,4\] = relu\('
run 0 run net --random=7 -o y=a.npy
run 0 run net.onnx --random=7 -o y=b.npy
meets 'a model computes the same in ONNX' cmp a.npy b.npy
run 0 convert net.onnx again.onnx
run 0 run again.onnx --random=7 -o y=c.npy
meets 'and when it is written again' cmp a.npy c.npy
input=net.onnx
run 0 check -
silent
input=/dev/null

# --- what it is told, and what cannot be -------------------------------------------------------

run 2 check net.onnx --shape=z=1
err_has "no input 'z'"
run 2 check net.onnx --shape=x=1,2
err_has "expected rank 4"
run 1 check net.onnx --shape=x=1,3,4,4
err_has "net.onnx: error\[N[0-9]*\]: node 0 .*\(Conv\) at byte [0-9]*: "
run 0 run net.onnx --random --shape=x=1,2,9,9 --json
out_has '\[1, 3, 9, 9\]'
run 2 check net.onnx --bind=z=a.npy
err_has "no input 'z'"
run 3 check net.onnx --bind=x=none.npy
run 2 check net.onnx --dim=batch
run 2 check net.onnx --dim=batch=0
run 2 run net.onnx --random --dim=batch=2 --dim=size=3
err_has "net.onnx: error\[N0188\]: no input of the model has an extent 'batch', as --dim wants it"
err_has "extent 'size'"
run 2 check net --dim=batch=2
err_has 'extents have no names'
run 2 check net --bind=x=a.npy
err_has 'cannot be bound'

# --- extents of the files of inputs ------------------------------------------------------------

mkdir two
cat >two/graph.nnef <<'EOF'
version 1.0;
graph two(x, y) -> (z)
{
    x = external<scalar>(shape = [2,3]);
    y = external<scalar>(shape = [2,3]);
    z = add(x, y);
}
EOF
run 0 convert two open.onnx --dynamic=x:0=batch --dynamic=y:0=batch
cat >both.nnef <<'EOF'
version 1.0;
graph both(a) -> (x, y)
{
    a = external<scalar>(shape = [4,3]);
    x = copy(a);
    y = neg(a);
}
EOF
run 0 run both.nnef --random -o all.npz -o x=x.npy -o y=y.dat
run 0 run open.onnx --shape=x=4,3 --dim=batch=4 -i all.npz -o z=z.npy
for given in 'x=x.npy -i y=y.dat' 'x.npy -i y.dat' all.npz 'y=all.npz:y -i x.npy' 'y.dat -i x=x.npy'; do
    # shellcheck disable=SC2086 # words
    run 0 run open.onnx -i $given --expect z=z.npy
    quiet_err
done
run 0 compare open.onnx open.onnx -i x.npy -i y.dat
out_has '^z .*scalar\[4,3\]'

# A name that one file knows is known of all inputs.
run 0 run open.onnx -i y=y.dat --fill=1
out_has '^z: scalar\[4,3\]$'
run 0 run open.onnx --dim=batch=2 --fill=1
out_has '^z: scalar\[2,3\]$'
run 3 run open.onnx --dim=batch=2 -i x.npy -i y.dat
err_has "x.npy: error\[N0183\]: shape is \[4,3\], but parameter 'x' has shape \[2,3\]"
run 1 run open.onnx --fill=1
err_has "input 'x' has shape \[batch,3\], with extents that are not known"
err_has "'run', 'bench' and 'compare' take them from the files of inputs"
input=x.npy
run 0 run open.onnx -i - --fill=1 # what is made up has extents of the same names
out_has '^z: scalar\[4,3\]$'
input=/dev/null

sed 's/4,3/4,2/' both.nnef >narrow.nnef
run 0 run narrow.nnef --random -o x=narrow.npy
run 3 run open.onnx -i narrow.npy --fill=1
one_error
err_has "narrow.npy: error\[N0183\]: shape is \[4,2\], but parameter 'x' has shape \[\?,3\]"
sed 's/4,3/4,3,1/' both.nnef >deep.nnef
run 0 run deep.nnef --random -o x=deep.npy
run 3 run open.onnx -i y=deep.npy --fill=1
one_error
err_has "deep.npy: error\[N0183\]: shape is \[4,3,1\], but parameter 'y' has shape \[\?,3\]"
sed 's/4,3/5,3/' both.nnef >more.nnef
run 0 run more.nnef --random -o x=more.npy
run 3 run open.onnx -i x.npy -i more.npy
one_error
err_has "error\[N0183\]: extent 'batch' is 4 in 'x', but 5 in 'y'"
run 3 run open.onnx -i none.npy --fill=1
one_error
err_has 'none.npy: error\[N0180\]'
head -c 20 x.npy >cut.npy
run 3 run open.onnx -i cut.npy --fill=1
one_error
run 2 run open.onnx -i w=x.npy --dim=batch=4 --fill=1
err_has "no parameter 'w'"

# An image has extents, too; what has no name in PNNX is each input's own.
model image 'x = external<scalar>(shape = [1,1,8,8]);' 'y = relu(x);'
run 0 convert image image.onnx --dynamic=x:2=high --dynamic=x:3=wide
run 0 run image.onnx -i "$three"
out_has '^y: scalar\[1,1,8,8\]$'
model last 'x = external<scalar>(shape = [1,8,8,1]);' 'y = relu(x);'
run 0 convert last last.onnx --dynamic=x:1=high --dynamic=x:2=wide
run 0 run last.onnx -i "$three" --layout=nhwc
out_has '^y: scalar\[1,8,8,1\]$'
pnnx_model '(?,3)f32' 'F.relu r 1 1 x y'
run 0 run net.param -i x.npy
out_has '^o: scalar\[4,3\]$'
run 0 run net.param -i x=all.npz:y
out_has '^o: scalar\[4,3\]$'
run 3 run net.param -i deep.npy
err_has "deep.npy: error\[N0183\]: shape is \[4,3,1\], but parameter 'x' has shape \[\?,3\]"
run 1 check net.param
err_has 'error\[N0226\]'

# --- names of any characters ------------------------------------------------------------------

mkdir names
cat >names/graph.nnef <<'EOF'
version 1.0;
graph names(in_put) -> (aa_put)
{
    in_put = external<scalar>(shape = [1,3,4,4]);
    aa_put = neg(in_put);
}
EOF
run 0 convert names plain.onnx
sed 's|in_put|in:put|g; s|aa_put|../put|g' plain.onnx >odd.onnx
run 0 run odd.onnx -i in:put=b.npy -o ./c.npy
run 0 run odd.onnx -i in:put=b.npy -o results/below/
exists results/below/%2E.%2Fput.dat
absent results/put.dat
run 0 compare odd.onnx results/below -i in:put=b.npy
out_has '^A and B agree'
run 2 run odd.onnx -i in:putt=b.npy
err_has "no parameter 'in:putt'"

# --- what is broken ---------------------------------------------------------------------------

head -c 300 net.onnx >cut.onnx
run 1 check cut.onnx
err_has 'cut.onnx: error\[N022'
run 2 init net.onnx
run 2 pack net.onnx net.tgz
run 2 check net.onnx --dump=ast
err_has 'no text of NNEF'

# --- integers of 64 bits without a sign --------------------------------------------------------

# x of UINT64[2], y = BitwiseNot(x)
type='\022\012\012\010\010\015\022\004\012\002\010\002'
printf '\010\010\072\071\012\022\012\001x\022\001y\042\012BitwiseNot\022\001g' >u64.onnx
printf "\\132\\017\\012\\001x$type\\142\\017\\012\\001y$type\\102\\002\\020\\022" >>u64.onnx
for how in --raw --backend=portable; do
    run 0 run u64.onnx --fill=1 $how
    out_has 'min 18446744073709551614, max 18446744073709551614, mean 1.84467e\+19'
    run 0 run u64.onnx --fill=1 $how --json
    out_has '"min": "18446744073709551614"'
    out_has '"values": \["18446744073709551614", "18446744073709551614"\]'
    run 0 run u64.onnx --fill=1 $how -o y.npy -o y.npz
    out_lacks .
    meets 'items have no sign' grep -q "'<u8'" y.npy
    run 0 run u64.onnx --fill=1 $how --expect y.npy
done
run 0 compile u64.onnx -o u64.ng
run 0 run u64.ng --fill=1
out_has 'min 18446744073709551614, max'
run 0 compile u64.ng --raw -o again.ng
meets 'a graph file keeps the type' cmp u64.ng again.ng
run 0 convert u64.ng again.onnx --opset=18
run 0 run again.onnx --fill=1
out_has 'min 18446744073709551614, max'
run 0 run u64.onnx -i y.npy --json
out_has '"values": \[1, 1\]'
run 5 run u64.onnx --fill=2 --expect y.npy
out_has 18446744073709551613
model i64 'x = external<integer>(shape = [2]);' 'y = copy(x);'
run 3 run i64 -i y.npy
err_has "item 0 is 18446744073709551614, but parameter 'x' has signed integer items of 64 bits"

finish
