#!/bin/sh
# empty.sh - extents of 0 go in and out of the program
. "$(dirname "$0")/lib.sh"

cat >net.nnef <<'NET'
version 1.0;
graph net( x ) -> ( y, z )
{
    x = external<scalar>( shape = [2,3] );
    y = relu( x );
    z = sum_reduce( x, axes = [0] );
}
NET

# Text alone has none.
sed 's/2,3/0,3/' net.nnef >none.nnef
run 1 check none.nnef
err_has 'N0130'
run 0 check none.nnef --shape=x=0,3

# Results of each format are read again.
run 0 run net.nnef --shape=x=0,3 --random
out_has '^y: scalar\[0,3\]'
out_has 'values 0 0 0'
run 0 run net.nnef --shape=x=0,3 --random --json
out_has '"name": "y", "type": "scalar", "shape": \[0, 3\], "values": \[\]'
run 0 run net.nnef --shape=x=0,3 --random -o y=y.npy -o z=z.dat
run 0 run net.nnef --shape=x=0,3 --random -o all.npz
run 0 run net.nnef --shape=x=0,3 --random -o all/
for y in y.npy all/y.dat all.npz:y; do
    run 0 run net.nnef --shape=x=0,3 -i x=$y --expect all.npz
done
run 3 run net.nnef -i x=y.npy
err_has 'shape is \[0,3\]'

# Other formats have them, NNEF has not.
run 4 convert net.nnef nnef/ --shape=x=0,3
err_has "net.nnef:4:9: error\[N0231\]: 'x' has shape \[0,3\]"
meets 'nothing is written' test ! -e nnef
run 0 convert net.nnef net.onnx --shape=x=0,3
run 0 compile net.nnef -o net.graph --shape=x=0,3
for model in net.onnx net.graph; do
    run 0 run $model -i x=y.npy --expect all.npz
    run 4 convert $model nnef/
    err_has "$model: error\[N0231\]: 'x' has shape \[0,3\]"
done

# PNNX, with the extent in its text and asked for.
printf '%s\n' 7767517 '3 2' 'pnnx.Input in 0 1 0 #0=(%n,3)f32' 'torch.prod p 1 1 0 1 dim=0 keepdim=False #0=(%n,3)f32 #1=(3)f32' \
    'pnnx.Output out 1 0 1' >p.param
run 0 run p.param --dim=n=0 --random
out_has 'values 1 1 1'
run 0 run p.param --shape=in=0,3 --random
out_has 'values 1 1 1'
run 4 convert p.param nnef/ --dim=n=0
err_has "N0231.*'in' has shape \[0,3\]"
sed 's/%n/0/' p.param >q.param
run 0 run q.param --random
out_has 'values 1 1 1'

# Nothing has no greatest item.
sed 's/sum_reduce/max_reduce/' net.nnef >max.nnef
run 1 check max.nnef --shape=x=0,3
err_has "max.nnef:6:.*N0130.*'max_reduce' along axes of shape \[0,3\] without an item"
run 0 check max.nnef --shape=x=2,0
finish
