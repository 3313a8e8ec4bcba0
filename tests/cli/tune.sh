#!/bin/sh
# tune.sh - the fastest ways are found, remembered and used; never how fast they are
. "$(dirname "$0")/lib.sh"

XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
mkdir cache
remembered=cache/nnefc/tuning.txt

# A convolution that several kernels can do.
model taps 'x = external<scalar>(shape = [1,16,24,24]);' \
    'f = variable<scalar>(shape = [16,16,3,3], label = "f");' 'y1 = conv(x, f);' 'y = relu(y1);'
run 0 init taps
run 0 run taps --random --backend=reference -q -o expected/

# --- tried once, remembered, right ---

run 0 run taps --random --tune --backend=portable -q --expect=expected/
quiet_err
exists $remembered
meets 'the file says what it is' [ "$(head -n 1 $remembered)" = 'nnefc tuning 1' ]
meets 'and of which machine' \
    grep -Eq '^machine .+; threads [0-9]+; nnefc [0-9.]+; portable \((avx512|avx2|generic)\)$' $remembered
way='^portable channels-last (direct|winograd F\([24],3\)) \| [0-9.]+ ms \| '
meets 'and which way is the fastest' \
    grep -Eq "${way}conv\\(scalar\\[1,16,24,24\\] plain, constant .*\\) \\+ relu\\(\\.\\)\$" $remembered
cp $remembered before
run 0 run taps --random --tune --backend=portable -q --expect=expected/
same $remembered before
run 0 bench taps --time=0 --tune --backend=portable
same $remembered before
run 0 check taps --dump=plan --tune --backend=portable
same $remembered before

# What is remembered is done, even if another way were faster.
for kernel in 'direct' 'winograd F(4,3)' 'winograd F(2,3)'; do
    sed "s/channels-last [a-z].* | \(.* conv\)/channels-last $kernel | \1/" before >$remembered
    run 0 check taps --dump=plan --tune --backend=portable
    meets "it is done by $kernel" grep -Fq " by portable, $kernel, " out
    run 0 run taps --random --tune --backend=portable -q --expect=expected/
    quiet_err
done

# A way that there is not is looked for anew.
sed 's/channels-last [a-z].* | \(.* conv\)/channels-last magic | \1/' before >$remembered
run 0 check taps --dump=plan --tune --backend=portable
meets 'there is a way again' grep -Eq "$way" $remembered
meets 'and not the other' not grep -q magic $remembered

# --- another number of threads, exactness, other backends: another machine ---

run 0 run taps --random --tune --backend=portable --threads=3 -q
meets 'other threads are apart' [ "$(grep -c '^machine ' $remembered)" -eq 2 ]
run 0 run "$digits" --random --tune --backend=portable --threads=3 --exact -q
meets 'so is what is exact' grep -Eq '^machine .*; threads 3; .*; exact$' $remembered
sed 's/channels-last direct |/channels-last winograd F(4,3) |/; s/^machine .*/&; exact/' before >exact
run 0 check taps --dump=plan --tune=exact --backend=portable --exact
out_has ' by portable, direct, '
out_lacks 'winograd'
run 0 run taps --random --tune -q --expect=expected/
run 0 --version
if grep -q onednn out; then
    meets 'auto chooses from all backends' grep -Eq '^machine .*portable \(.*\), onednn \(' $remembered
else
    skipped=$((skipped + 1))
fi
run 0 run "$digits" --input="$three" --backend=reference -q -o digits/
run 0 run "$digits" --input="$three" --tune -q --expect=digits/
quiet_err

# --- layers that could be done in one go ---

model falls 'x = external<scalar>(shape = [1,16,64,64]);' \
    'f = variable<scalar>(shape = [64,16,1,1], label = "f");' 'y1 = conv(x, f);' 'y2 = relu(y1);' \
    'g = variable<scalar>(shape = [64,1,3,3], label = "g");' 'y3 = conv(y2, g, groups = 64);' 'y4 = relu(y3);' \
    'h = variable<scalar>(shape = [16,64,1,1], label = "h");' 'y = conv(y4, h);'
run 0 init falls
run 0 run falls --random --backend=reference -q -o fallen/
# falling OPTION... - its plan, tuned by the file `layers`
falling() { run 0 check falls --dump=plan --tune=layers --backend=portable --threads=1 "$@"; }
falling
meets 'all at once or apart, one is faster' \
    grep -Eq '^(apart|portable channels-last) \| [0-9.]+ ms \| conv\(.* \+ conv\(\., .* \+ conv\(\., ' layers
meets 'each layer was tried by itself' \
    grep -Eq '^portable channels-last depthwise \| [0-9.]+ ms \| conv\([^+]*channels-last[^+]* \+ relu\(\.\)$' layers
for way in 'apart' 'portable channels-last'; do
    sed "s/^.* | \(.* ms | conv.* conv.* conv\)/$way | \1/" layers >wanted
    cp wanted layers
    falling
    case $way in
    apart) out_has ' by portable, depthwise, ' && out_lacks ' by portable, cascade, ' ;;
    *) out_has ' by portable, cascade, ' && out_lacks ' by portable, depthwise, ' ;;
    esac
    same layers wanted
    run 0 run falls --random --tune=layers --backend=portable --threads=1 -q --expect=fallen/
    quiet_err
done

# --- which file ---

run 0 run taps --random --tune=mine -q
exists mine
quiet_err
run 0 run taps --random --tune=/dev/null -q
quiet_err
unset XDG_CACHE_HOME
mkdir home
HOME=$work/home run 0 run taps --random --tune -q
exists home/.cache/nnefc/tuning.txt
XDG_CACHE_HOME=relative HOME=$work/home run 0 run taps --random --tune -q
absent relative
for option in --tune= --tune=-; do
    run 2 run taps --random $option
    err_has 'is no value for --tune\[=FILE\], expected a file'
done
run 2 run taps --random --tune --backend=reference
err_has 'the reference cannot be tuned'
run 2 check taps --tune
err_has '--tune is for --dump=plan'

# --- two programs at a time: what the one remembers the other does not forget ---

model wide 'x = external<scalar>(shape = [1,32,64,64]);' \
    'f = variable<scalar>(shape = [64,32,3,3], label = "f");' 'y = conv(x, f);'
run 0 init wide
"$NNEFC" run wide --random --tune=both -q &
run 0 run taps --random --tune=both -q
wait
meets 'one remembers' grep -q 'conv(scalar\[1,16,24,24\]' both
meets 'so does the other' grep -q 'conv(scalar\[1,32,64,64\]' both

# --- files that cannot be used are warnings, and results are right ---

# warns WHAT OPTION... - a run with a warning that says so
warns()
{
    why=$1
    shift
    run 0 run taps --random --backend=portable --expect=expected/ "$@"
    err_has "warning\\[N0174\\]: .*$why.*\\[-Wtuning-file\\]"
    meets 'there is one warning' [ "$(grep -c 'warning\[' err)" -eq 1 ]
}

head -c 150 before >torn
warns 'damaged' --tune=torn
meets 'it is mended' grep -q ' ms | conv(.*)$' torn
run 0 run taps --random --backend=portable --tune=torn -q
quiet_err
echo 'my diary' >foreign
cp foreign kept
warns 'no tuning file of this version' --tune=foreign
same foreign kept
sed '1s/1$/2/' before >newer
cp newer kept
warns 'no tuning file of this version' --tune=newer
same newer kept
head -c 17000000 /dev/zero >large
warns 'nothing is known or remembered' --tune=large
warns 'nothing is remembered of tuning: ' --tune=foreign/below
warns 'nothing is remembered of tuning: ' --tune=nowhere/below
mkdir folder
warns 'nothing is remembered of tuning: ' --tune=folder
(
    unset HOME
    warns 'neither XDG_CACHE_HOME nor HOME' --tune
    [ "$failed" -eq 0 ]
) || failed=$((failed + 1))
run 0 run taps --random --tune=foreign -Wno-tuning-file -q
quiet_err
run 1 run taps --random --tune=foreign -Werror=tuning-file
err_has 'error\[N0174\]'

finish
