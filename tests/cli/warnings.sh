#!/bin/sh
# warnings.sh - warnings by name: -W turns each on and off, or into an error
. "$(dirname "$0")/lib.sh"

model nested 'x = external<scalar>(shape = [1,3]);' 'y = neg(neg(x));'
model both 'x = external<scalar>(shape = [1,4,8,8]);' \
    "v = variable<scalar>(shape = [4], label = 'v');" 'y = neg(add(x, v));'
printf 'version 1.0;\nextension KHR_enable_fragment_definitions;\n' >unused.nnef
sed 1d nested/graph.nnef | sed 's/neg(neg(x))/neg(x)/' >>unused.nnef

# Each ends with its name, which turns it off.
run 0 check nested
err_has 'warning\[N0015\]: .* \[-Wmissing-extension\]$'
run 0 check nested -Wno-missing-extension
silent
run 0 check nested --warn=no-missing-extension
silent
run 0 check nested -W no-missing-extension
silent
run 0 check nested -Wno-all
silent
run 0 check nested -Wno-all -Wmissing-extension
err_has '\[-Wmissing-extension\]'
run 0 check both -Wno-missing-extension
err_has '\[-Wleading-broadcast\]'
err_lacks 'missing-extension'

# Into an error: one, all, all but one.
run 1 check both -Werror=leading-broadcast
err_has 'error\[N0202\]: .* \[-Werror=leading-broadcast\]'
err_has 'warning\[N0015\]'
run 1 check both -Werror
err_has 'error\[N0015\]'
run 1 check both -Werror -Wno-missing-extension
err_has 'error\[N0202\]'
run 1 check both -Werror -Wno-error=missing-extension
err_has 'error\[N0202\]'
err_has 'warning\[N0015\]'
run 0 check both -Werror -Wno-error
err_lacks 'error'
run 0 check nested -Werror=missing-extension -Wno-missing-extension
silent
run 1 run both --random -Werror=leading-broadcast

# Some are given only when asked for.
run 0 check unused.nnef
silent
for how in -Wunused-extension -Wall --pedantic; do
    run 0 check unused.nnef $how
    err_has 'warning\[N0201\]: .* \[-Wunused-extension\]'
done
run 0 check unused.nnef -Wall -Wno-unused-extension
silent
run 1 check unused.nnef -Werror=unused-extension

# What has no effect is said by -Wall.
cat >idle.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment idle(x: tensor<scalar>) -> (y: tensor<scalar>) { y = relu(x); }
fragment again(x: tensor<scalar>) -> (y: tensor<scalar>) { y = again(x); }
fragment busy(x: tensor<scalar>) -> (y: tensor<scalar>) { y = relu(x); }
graph net(x) -> (y)
{
    x = external<scalar>(shape = [1]);
    v = variable<scalar>(shape = [1], label = 'v');
    w = variable<scalar>(shape = [1], label = 'w');
    u = variable<scalar>(shape = [1], label = 'u');
    a = add(x, v);
    b = update(u, x);
    y = add(busy(x), w);
}
END
run 0 check idle.nnef -Wno-missing-extension
silent
run 0 check idle.nnef -Wall -Wno-missing-extension
err_has "^idle.nnef:3:10: warning\[N0203\]: fragment 'idle' is never invoked \[-Wunused-fragment\]"
err_has "^idle.nnef:4:10: warning\[N0203\]: fragment 'again' is never invoked"
err_has "^idle.nnef:9:[0-9]+: warning\[N0204\]: no result depends on variable 'v' \[-Wunused-variable\]"
meets 'three warnings' [ "$(grep -c '^warning' err)" -eq 3 ]
run 1 check idle.nnef -Werror=unused-variable -Wno-missing-extension
err_has 'error\[N0204\]: .* \[-Werror=unused-variable\]'

# What is tolerated is no warning to the pedantic.
run 1 check nested --pedantic -Wno-missing-extension
err_has 'error\[N0015\]'
err_lacks '\[-W'

# The names.
run 0 help warnings
quiet_err
for name in missing-extension leading-broadcast mixed-logic deprecated legacy-data; do
    out_has "^  N[0-9]{4}   $name  "
done
out_has '^  N0201 \* unused-extension '
run 2 check nested -Wno-mising-extension
err_has "no warning 'mising-extension'; did you mean 'missing-extension'"
run 2 check nested -Wfrobnicate
err_has "no warning 'frobnicate'; 'nnefc help warnings' lists them"
run 2 check nested -Werror=all-of-it
err_has "no warning 'all-of-it'"
run 2 check nested -Wno-
err_has 'is no value for --warn='
run 2 check nested -W
err_has 'needs a value'

# --- numbers of 64 bits -----------------------------------------------------------------------

# An array of 64 doubles, each 0x7f7f7f7f7f7f7f7f, for a model of 8 x 8 pixels.
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,8,8), }"
    head -c 512 /dev/zero | tr '\000' '\177'
} >huge.npy
run 0 run "$digits" --input=huge.npy --message-format=short
meets 'one warning a tensor' [ "$(grep -c 'N0195' err)" -eq 1 ]
err_has 'huge.npy: warning\[N0195\]: item 0 is 1\.382.*e\+306, but inf in the 32 bits .* \[-Wdouble-precision\]$'
run 0 run "$digits" --input=huge.npy -Wno-double-precision
quiet_err
run 1 run "$digits" --input=huge.npy --pedantic
err_has 'error\[N0195\]'
run 0 run "$digits" --input=huge.npy --pedantic -Wno-error=double-precision
err_has 'warning\[N0195\]'
run 0 run "$digits" --fill=1e39
err_has 'warning\[N0195\]: .*1e\+39, but inf'
run 1 run "$digits" --fill=1e39 --pedantic
finish
