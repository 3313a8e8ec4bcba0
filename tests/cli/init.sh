#!/bin/sh
# init.sh - nnefc init: where weights go, that they are reproducible, that nothing is lost
. "$(dirname "$0")/lib.sh"

mkdir net
cp "$digits/graph.nnef" net/
run 0 init net
silent
exists net/conv1/filter.dat
exists net/linear1/bias.dat
run 0 run net --random
quiet_err
out_lacks 'not finite'

# The same seed makes the same bytes, another seed others.
cp net/conv1/filter.dat first.dat
run 3 init net
err_has "net/conv1/filter\.dat: error\[N0181\]: .*'filter1'.* already"
err_has 'help: .*--force'
one_error
run 0 init net --force --seed=2
differ net/conv1/filter.dat first.dat
run 0 init net -f --seed 1
same net/conv1/filter.dat first.dat
run 0 init net -f
same net/conv1/filter.dat first.dat

# Nothing is written if one file is there.
rm -r net/conv1
run 3 init net
absent net/conv1

# Elsewhere.
run 0 init net/graph.nnef --data=other
same other/conv1/filter.dat first.dat
input=net/graph.nnef
run 0 init - --data deep/er/still
same deep/er/still/conv1/filter.dat first.dat
run 3 init -
err_has '--data'
input=/dev/null

# Roles: what divides is positive, whatever the seed.
printf '%s\n' 'version 1.0;' 'graph net( x ) -> ( y )' '{' '    x = external<scalar>(shape = [1,8]);' \
    "    m = variable<scalar>(shape = [1,8], label = 'm');" \
    "    v = variable<scalar>(shape = [1,8], label = 'v');" \
    '    y = batch_normalization(x, m, v, 0.0, 1.0, epsilon = 0.0);' '}' >norm.nnef
for seed in 1 2 3; do
    run 0 init norm.nnef --force --seed=$seed
    run 0 run norm.nnef --random
    out_lacks 'not finite'
done

# Labels that differ in case only are one variable, hence one file.
printf '%s\n' 'version 1.0;' 'graph net( x ) -> ( y )' '{' '    x = external<scalar>(shape = [3]);' \
    "    a = variable<scalar>(shape = [3], label = 'W');" \
    "    b = variable<scalar>(shape = [3], label = 'w');" \
    '    c = sub(a, b);' '    y = add(c, x);' '}' >shared.nnef
run 0 init shared.nnef --data=shared
exists shared/W.dat
absent shared/w.dat

# In the provisional dialect they are two, of whatever shapes.
printf '%s\n' 'version 1.0' 'graph net( x ) -> ( y )' '{' '    x = external(shape = [3])' \
    "    a = variable(shape = [3], label = 'W')" "    b = variable(shape = [1], label = 'w')" \
    '    c = sub(a, b)' '    y = add(c, x)' '}' >apart.nnef
run 0 init apart.nnef --data=apart
differ apart/W.dat apart/w.dat
mkdir whole
cp apart.nnef whole/graph.nnef
cp apart/*.dat whole
run 0 pack whole whole.tar
run 0 run whole.tar --random -o packed.dat
run 0 run apart.nnef --data=apart --random -o folder.dat
same packed.dat folder.dat

# What cannot be written, and models with errors.
: >file
run 3 init net --data file
err_has 'file.*error\[N0191\]'
echo 'version 1.0; graph' >bad.nnef
run 1 init bad.nnef
run 3 init nowhere
finish
