#!/bin/sh
# backend.sh - who computes, what is said if it cannot, and where the time goes
. "$(dirname "$0")/lib.sh"

# --- which there are ---

run 0 --version
out_has '^backends: .*portable'
out_has '^backends: .*reference'
out_has 'portable \((avx512|avx2|generic)\)'
there=false
grep -q '^backends: .*onednn (oneDNN [0-9.]*)' out && there=true
auto=portable # unless it has no kernels for this processor's vectors
$there && grep -q 'portable (generic)' out && auto=onednn

run 2 run "$digits" --random --backend=imaginary
err_has 'auto, onednn, portable or reference'

# --- the same by all of them ---

run 0 run "$digits" --input="$three" --backend=reference --output=expected.npz -q
for backend in auto portable onednn; do
    run 0 run "$digits" --input="$three" --backend=$backend --expect=expected.npz -q
done
if $there; then
    quiet_err
    run 0 bench "$digits" --time=0 --backend=onednn --profile
    out_has '^backend onednn$'
    out_has ' onednn '
else
    skipped=$((skipped + 1))
fi
run 0 bench "$digits" --time=0
out_has "^backend $auto\$"

# --- where the time goes ---

run 0 run "$digits" --input="$three" --backend=portable --profile
err_has '^step +operations +kernel +layout +ms +share +GFLOP/s$'
err_has ' conv( \+ [a-z]+)* +[a-z]'
out_lacks 'GFLOP'
run 0 bench "$digits" --time=0 --backend=portable --profile
out_has '^step +operations +kernel +layout +ms +share +GFLOP/s$'
quiet_err
run 0 bench "$digits" --time=0 --backend=portable --profile --json
out_has '"steps": \['
out_has '"operations": "conv'
out_has '"minMs": '
out_has '"share": '
run 0 bench "$digits" --time=0 --json
out_lacks '"steps"'
run 2 run "$digits" --input="$three" --backend=reference --profile
err_has 'no steps'

# --- without the plugin: a copy of the program has none beside it ---

cp "$NNEFC" alone
NNEFC=$work/alone
unset NNEFC_PLUGINS
run 0 --version
if grep -q '^backends: .*onednn' out; then
    skipped=$((skipped + 1)) # one is installed
else
    run 0 run "$digits" --input="$three" --expect=expected.npz -q
    quiet_err
    run 0 run "$digits" --input="$three" --backend=onednn --expect=expected.npz
    err_has "warning\[N0173\]: backend 'onednn' cannot be opened"
    run 0 run "$digits" --input="$three" --backend=onednn --expect=expected.npz -Wno-backend-absent
    quiet_err
    run 1 run "$digits" --input="$three" --backend=onednn -Werror=backend-absent
    err_has 'error\[N0173\]'
    # What is no plugin is as good as none.
    mkdir plugins
    echo 'not an object' >plugins/nnefc_onednn.so
    NNEFC_PLUGINS=$work/plugins
    export NNEFC_PLUGINS
    run 0 run "$digits" --input="$three" --backend=onednn
    err_has 'N0173'
fi

finish
