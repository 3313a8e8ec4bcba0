#!/bin/sh
# whole.sh - files are whole and nobody's work is lost: killed writers, refused names, full disks, containers
#
# STOPPING names the library of tools/stopping.c, which ends each command before any of its calls that
# change a folder. WHOLE_KILLS is how often each is killed after a while besides.
. "$(dirname "$0")/lib.sh"

: "${WHOLE_KILLS:=5}"
skip()
{
    echo "skipped: $1"
    skipped=$((skipped + 1))
}

# Two models of the same shapes: M1 and M2 differ in their weights and so in their results.
for i in 1 2; do
    mkdir M$i
    cat >M$i/graph.nnef <<'END'
version 1.0;
graph net( x ) -> ( y, z )
{
    x = external( shape = [1,16] );
    a = variable( label = 'a', shape = [16,16] );
    b = variable( label = 'b', shape = [16,16] );
    z = matmul( x, a );
    y = matmul( z, b );
}
END
    run 0 init M$i --seed=$i
done
run 0 run M1 --random -o out1/
run 0 run M2 --random -o out2/
differ out1/y.dat out2/y.dat

# --- who wins, and what is refused -----------------------------------------------------------------

run 2 run M1 --random -o y=q.npy -o z=./q.npy
err_has "two results are to be written to './q.npy'"
absent q.npy
ln -s q.npy alias.npy
run 2 run M1 --random -o y=q.npy -o z=alias.npy
err_has 'two results are to be written to .alias.npy.'
absent q.npy

# What was read is replaced only by force; data that stay what they are stay where they are.
cp -R M1 own
run 3 convert own own/
err_has 'own/graph\.nnef.*the model was read from this file, which would be lost'
same M1/graph.nnef own/graph.nnef
run 3 convert own/graph.nnef own/
same M1/graph.nnef own/graph.nnef
ls -i own/a.dat >before
run 0 convert own own/ --force
differ M1/graph.nnef own/graph.nnef
ls -i own/a.dat >after
same before after
run 0 run own --random -o again/
same out1/y.dat again/y.dat
run 0 convert M1 first.onnx --external-data
run 3 convert first.onnx first.onnx
err_has 'first\.onnx.*the model was read from this file'
mv first.onnx second.onnx
run 3 convert second.onnx first.onnx --external-data
err_has 'first\.onnx\.data.*the model was read from this file'
absent first.onnx
run 0 compile M1 -o net.ng
run 3 compile net.ng -o net.ng
err_has 'net\.ng.*the model was read from this file'
run 0 compile net.ng -o net.ng --force
run 0 pack M1 net.tgz
run 3 pack net.tgz net.tgz
err_has 'net\.tgz.*the model was read from this file'

# Results do not replace data of the model, by whatever way they would. They may replace what was fed.
rm -r own
cp -R M1 own
sed "s/label = 'a'/label = 'z'/" M1/graph.nnef >own/graph.nnef
mv own/a.dat own/z.dat
ln -s own/z.dat alias.dat
cp -R own intact
for place in z=own/z.dat z=./own/../own/z.dat z=alias.dat own/; do
    run 3 run own --random -o $place
    err_has '(z|alias)\.dat.*the model was read from this file, which would be lost'
    one_error
    meets 'the model is as it was' diff -r own intact
done
run 0 run M1 --random -o y=fed.npy
cp fed.npy before
run 0 run M1 --input fed.npy -o y=fed.npy
differ fed.npy before

# A model does not take the data of another one, although their sizes are right.
run 0 convert M1 pair.onnx --external-data
run 0 run pair.onnx --random -o again/
same out1/y.dat again/y.dat
run 0 convert M2 other.onnx --external-data
cp other.onnx.data pair.onnx.data
run 1 run pair.onnx --random
err_has "'pair\.onnx\.data', which is not the file of this model: its SHA-1 digest is"
one_error
run 1 verify pair.onnx
err_has "'pair\.onnx\.data', which is not the file of this model: its SHA-1 digest is"

# The digest that the model names is that of the whole file. verify computes it and so finds damaged
# weights; run looks at the end of the file only, and at nothing in a file that ends otherwise.
digest() { sha1sum "$1" | cut -c 1-40; }
meets 'the digest is that of sha1sum' env LC_ALL=C grep -aq "$(digest other.onnx.data)" other.onnx
run 0 verify other.onnx
run 0 run other.onnx --random -o again/
same out2/y.dat again/y.dat
cp other.onnx.data ours
head -c -64 ours >other.onnx.data
run 0 run other.onnx --random -o again/
same out2/y.dat again/y.dat
run 1 verify other.onnx
err_has "'other\.onnx\.data', which is not the file of this model: its SHA-1 digest is"
one_error
cp other.onnx named.onnx
LC_ALL=C sed "s/$(digest ours)/$(digest other.onnx.data)/" named.onnx >other.onnx
differ named.onnx other.onnx
run 0 verify other.onnx
run 0 run other.onnx --random -o again/
same out2/y.dat again/y.dat
mv named.onnx other.onnx
mv ours other.onnx.data
printf X | dd of=other.onnx.data bs=1 seek=16 conv=notrunc 2>dd.log
run 1 verify other.onnx
err_has "'other\.onnx\.data', which is not the file of this model: its SHA-1 digest is"
run 0 run other.onnx --random

# --- writers that end early ------------------------------------------------------------------------

# begin WHAT - a folder t/ with the files of the first model; what WHAT means is said by write()
begin()
{
    rm -rf t
    mkdir t
    case $1 in
    convert) "$NNEFC" convert M1 t/m.onnx --external-data ;;
    flatten) "$NNEFC" convert M1 t/ ;;
    run) cp out1/*.dat t/ ;;
    init) cp M1/* t/ ;;
    pack) "$NNEFC" pack M1 t/m.tgz ;;
    compile) "$NNEFC" compile M1 -o t/m.ng ;;
    esac
    ls -A t >files
}

# What replaces them by those of the second model.
write()
{
    case $1 in
    convert) exec "$NNEFC" convert M2 t/m.onnx --external-data ;;
    flatten) exec "$NNEFC" convert M2 t/ ;;
    run) exec "$NNEFC" run M2 --random -o t/ ;;
    init) exec "$NNEFC" init t --seed=2 --force ;;
    pack) exec "$NNEFC" pack M2 t/m.tgz ;;
    compile) exec "$NNEFC" compile M2 -o t/m.ng ;;
    esac
}

# found WHAT - says whose files a later read accepts: 1, 2, or that it finds some missing
found()
{
    rm -rf read
    case $1 in
    run) mkdir read && cp t/y.dat t/z.dat read/ ;;
    convert) "$NNEFC" run t/m.onnx --random -o read/ ;;
    flatten | init) "$NNEFC" run t --random -o read/ ;;
    pack) "$NNEFC" run t/m.tgz --random -o read/ ;;
    compile) "$NNEFC" run t/m.ng --random -o read/ ;;
    esac >out 2>err || { echo missing; return; }
    for i in 1 2; do
        cmp -s out$i/y.dat read/y.dat && cmp -s out$i/z.dat read/z.dat && echo $i && return
    done
    echo mixed
}

# As docs/files.md says.
restore()
{
    for old in t/*.old-*; do
        [ ! -e "$old" ] || mv "$old" "${old%.old-*}"
    done
}

# judge WHAT - after the end of a writer: no mixture, and nothing lost
judge()
{
    whose=$(found "$1")
    case $whose in
    missing)
        restore
        meets "what was set aside is whole ($2)" [ "$(found "$1")" = 1 ]
        ;;
    *) meets "all files are of one model, not $whose ($2)" [ "$whose" != mixed ] ;;
    esac
}

stop_everywhere()
{
    n=0
    status=137
    while [ $status -eq 137 ] && [ $n -lt 100 ]; do
        n=$((n + 1))
        begin "$1"
        { # the shell says that it was killed
            (export STOP_AT=$n LD_PRELOAD="$STOPPING"; write "$1") >out 2>err
            status=$?
        } 2>/dev/null
        judge "$1" "$1, killed before call $n"
    done
    meets "$1 was killed at some calls and went on at last" [ $status -eq 0 ] && meets 'files were replaced' [ $n -gt 3 ]
    meets 'a writer that went on leaves no other file' [ "$(ls -A t)" = "$(cat files)" ]
    n=0
    status=3
    while [ $status -eq 3 ] && [ $n -lt 100 ]; do
        n=$((n + 1))
        begin "$1"
        (export REFUSE_AT=$n LD_PRELOAD="$STOPPING"; write "$1") >out 2>err
        status=$?
        [ $status -ne 3 ] || meets "the old files are there after name $n was refused" [ "$(found "$1")" = 1 ]
        meets 'no other file is left' [ "$(ls -A t)" = "$(cat files)" ]
    done
    meets "$1 went on at last" [ $status -eq 0 ]
    meets 'all files are new then' [ "$(found "$1")" = 2 ]
}

stoppable=
if [ "${STOPPING:-}" ] && LD_PRELOAD=$STOPPING "$NNEFC" help >out 2>err && [ ! -s err ]; then
    stoppable=1
else
    skip 'writers that are killed before a call, which cannot be arranged here'
fi
for kind in convert flatten run init pack compile; do
    said="$kind (that is killed or refused a name)"
    [ -z "$stoppable" ] || stop_everywhere $kind
    i=0
    while [ $i -lt "$WHOLE_KILLS" ]; do
        i=$((i + 1))
        begin $kind
        write $kind >out 2>err &
        sleep "$(printf '0.0%02d' $((i * 7 % 40)))"
        kill -9 $! 2>/dev/null
        { wait $!; } 2>/dev/null
        judge $kind "$kind, killed after a while"
    done
done

# --- full disks -------------------------------------------------------------------------------------

if [ -e /dev/full ]; then
    said='convert M1 - >/dev/full'
    "$NNEFC" convert M1 - >/dev/full 2>err
    meets 'the exit status is 3' [ $? -eq 3 ]
    err_has '<stdout>'
    err_has 'No space left'
    one_error
    meets 'it is said once' [ "$(grep -c 'No space' err)" -eq 1 ]
fi
for kind in convert flatten run init pack compile; do
    begin $kind
    said="$kind (with files of no block)"
    { # through a pipe, since no file takes the message
        (trap '' XFSZ; ulimit -f 0; write $kind) 2>&1
        echo "status $?"
    } | cat >err
    err_has 'status 3'
    err_has 't/[a-z.]*$|t/[a-z.]*:'
    err_lacks 'nnefc-'
    meets 'the old files are there' [ "$(found $kind)" = 1 ]
    meets 'no other file is left' [ "$(ls -A t)" = "$(cat files)" ]
done

# --- mounts and containers --------------------------------------------------------------------------

if ! unshare -r -m -p -f true 2>/dev/null; then
    skip 'mounts and process namespaces, which this user may not make'
    finish
    exit
fi

# inside COMMAND - in mounts and processes of its own; $1 is the program
inside() { unshare -r -m -p -f sh -c "$1" sh "$NNEFC"; }

# A file that is mounted in its place cannot be replaced, whichever of the set it is.
for file in m.onnx m.onnx.data; do
    said="convert (with $file mounted)"
    begin convert
    cp t/$file mounted
    inside "mount --bind mounted t/$file && \"\$1\" convert M2 t/m.onnx --external-data" >out 2>err
    meets 'it fails' [ $? -eq 3 ]
    err_has "t/$file"
    err_has 'busy'
    meets 'the old files are there' [ "$(found convert)" = 1 ]
    meets 'no other file is left' [ "$(ls -A t)" = "$(cat files)" ]
done

# A disk with room for the old files and half of the new ones.
for kind in convert flatten run init pack compile; do
    said="$kind (with a full disk)"
    begin $kind
    cp -R t kept
    export kind
    (
        export NNEFC
        unshare -r -m sh -c '
            mount -t tmpfs -o size=32k none t && cp kept/* t/ && cat /dev/zero >t/filler 2>/dev/null
            case $kind in
            convert) "$NNEFC" convert M2 t/m.onnx --external-data ;;
            flatten) "$NNEFC" convert M2 t/ ;;
            run) "$NNEFC" run M2 --random -o t/ ;;
            init) "$NNEFC" init t --seed=2 --force ;;
            pack) "$NNEFC" pack M2 t/m.tgz ;;
            compile) "$NNEFC" compile M2 -o t/m.ng ;;
            esac
            echo $? >status
            rm -f t/filler
            rm -rf seen && cp -R t seen'
    ) >out 2>err
    meets 'it fails' [ "$(cat status)" = 3 ]
    err_has 'No space left'
    err_has 't/[a-z.]*$|t/[a-z.]*:'
    err_lacks 'nnefc-'
    meets 'the old files are there, and no other' diff -r kept seen
    rm -rf kept
done

# Containers give their processes the same numbers, and may share a folder.
said='run and convert (in two containers)'
for round in 1 2 3 4 5 6 7 8; do
    rm -rf t
    mkdir t
    for i in 1 2; do
        (
            inside "\"\$1\" run M$i --random -o t/ && \"\$1\" convert M$i t/m.onnx --external-data" >out$i.txt 2>&1
            echo $? >status$i
        ) &
    done
    wait
    meets 'both succeed' [ "$(cat status1 status2 | tr -d '\n')" = 00 ]
    for kind in run convert; do
        whose=$(found $kind)
        meets "all results are of one process ($kind, round $round: $whose)" [ -z "${whose#[12]}" ]
    done
    meets 'no other file is left' [ "$(find t -type f | wc -l)" -eq 4 ]
done

finish
