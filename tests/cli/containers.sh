#!/bin/sh
# containers.sh - models in archives, nnefc pack, arrays in .npz
. "$(dirname "$0")/lib.sh"

# numpy CODE - runs it with every array of NumPy at hand; false if there is no NumPy
python=
for candidate in python3 /usr/bin/python3; do
    if [ -z "$python" ] && $candidate -c 'import numpy' 2>/dev/null; then
        python=$candidate
    fi
done
numpy() { "$python" -c "import sys, numpy as np; $1"; }

# An archive of what is in folder $1, by the tar of the system, with its further arguments.
archive()
{
    folder=$1 file=$2
    shift 2
    tar -cf "$file" -C "$folder" "$@"
}

# expect_digits MODEL - it runs as the folder of the digits does
expect_digits()
{
    run 0 run "$1" -i "$three" -o got.npy
    quiet_err
    same got.npy digits.npy
}

run 0 run "$digits" -i "$three" -o digits.npy

# --- pack ---------------------------------------------------------------------------------

run 0 pack "$digits" digits.tgz
silent
cp -r "$digits" copied
touch -d 2001-02-03 copied/graph.nnef copied/conv1/*
chmod 600 copied/graph.nnef
: >copied/stray.dat
(umask 077 && TZ=Asia/Tokyo "$NNEFC" pack copied again.tgz)
same digits.tgz again.tgz
run 0 pack copied/graph.nnef -
same out digits.tgz
run 0 pack digits.tgz again.tgz
same digits.tgz again.tgz
run 0 pack "$digits" digits.tar
cp digits.tar before.tar
run 3 pack digits.tar digits.tar
err_has 'the model was read from this file, which would be lost'
err_has 'help: .*--force'
same digits.tar before.tar
run 0 pack digits.tar digits.tar --force
run 0 pack digits.tar again.tgz
same digits.tgz again.tgz
meets 'members are sorted, and nothing else is in it' \
    [ "$(tar -tf digits.tar | tr '\n' ' ')" = "$(tar -tf digits.tar | sort | tr '\n' ' ')" ]
meets 'nine members' [ "$(tar -tf digits.tar | wc -l)" -eq 9 ]
meets 'no time and no name in the header of gzip' \
    [ "$(head -c 8 digits.tgz | od -An -tx1 | tr -d ' ')" = 1f8b080000000000 ]

# graph.quant goes along; a provisional document and data elsewhere do, too.
model quantized 'x = external<scalar>(shape = [2]);' \
    "w = variable<scalar>(shape = [2], label = 'A\\\\w');" 'y = x + w;'
sed -i 's/^version 1.0;/&\nextension KHR_enable_operator_expressions;/' quantized/graph.nnef
run 0 init quantized --data weights
: >quantized/graph.quant
run 0 pack quantized q.tar --data weights
meets 'graph.quant is in it' [ "$(tar -tf q.tar | tr '\n' ' ')" = 'A/w.dat graph.nnef graph.quant ' ]
run 0 run q.tar --random
run 0 pack quantized/graph.nnef q2.tar --data q.tar
same q.tar q2.tar

# Nothing is packed that would not run.
run 3 pack quantized absent.tgz
err_has "error\[N0180\]: '.*w.dat': "
absent absent.tgz
: >weights/A/w.dat
run 3 pack quantized absent.tgz --data weights
absent absent.tgz
model broken 'y = neg(z);'
run 1 pack broken absent.tgz
absent absent.tgz
run 3 pack "$digits" no/such/folder.tgz
err_has 'N0181'
run 2 pack "$digits"
err_has "'pack' needs OUT"
run 2 pack "$digits" a.tgz b.tgz
err_has "one target at a time"

# --- models in archives -------------------------------------------------------------------

expect_digits digits.tgz
expect_digits digits.tar
cp digits.tgz digits.nnef
expect_digits digits.nnef
input=digits.tgz
expect_digits -
input=digits.tar
expect_digits -
input=/dev/null
archive "$digits" around.tar .
expect_digits around.tar
gzip -c around.tar >around.tgz
expect_digits around.tgz
archive "$digits/.." folder.tar digits
expect_digits folder.tar
for program in bzip2 xz zstd lz4; do
    if command -v $program >/dev/null; then
        $program -c <digits.tar >compressed
        expect_digits compressed
    else
        skipped=$((skipped + 1))
        echo "skipped: archives by $program, which is not here"
    fi
done
cp "$digits/graph.nnef" bare.nnef
run 0 run bare.nnef --data digits.tgz -i "$three" -o got.npy
same got.npy digits.npy
input=bare.nnef
run 0 run - --data digits.tar -i "$three" -o got.npy
same got.npy digits.npy
input=/dev/null
run 0 check digits.tgz --dump=graph
cp out graph
run 0 check "$digits" --dump=graph
same out graph

# A fault is at its place in the archive.
archive broken broken.tar graph.nnef
run 1 check broken.tar
err_has 'broken.tar/graph.nnef:[0-9]+:[0-9]+: error\[N0079\]'
archive "$digits" half.tar graph.nnef conv1
run 3 run half.tar -i "$three"
err_has "half.tar/graph.nnef:[0-9]+:[0-9]+: error\[N0180\]: 'half.tar/conv2/filter.dat': .*has no such member"
cp -R "$digits" named
mv named/conv2/filter.dat named/conv2/filtre.dat
tar -cf named.tar -C named .
for model in named named.tar; do
    run 3 run "$model" -i "$three"
    err_has "help: there is a file of the label 'conv2/filtre'\."
done
archive "$digits" none.tar conv1
run 3 check none.tar
err_has "none.tar: error\[N0191\]: archive has no member 'graph.nnef'"
run 3 init digits.tgz --force
err_has 'cannot write data into an archive'
err_has -- '--data'

# Members outside are nobody's.
mkdir outside
cp "$digits/graph.nnef" outside
archive outside outside.tar --transform 's,^,../,' -P graph.nnef
run 1 check outside.tar
err_has "N0245.*member '../graph.nnef' leads out of the archive"
ln -s "$digits/graph.nnef" outside/link.nnef
archive outside link.tar --transform 's,link.nnef,graph.nnef,' link.nnef
run 1 check link.tar
err_has 'N0245.*is a link to .* leads out of the archive'
ln -s other.nnef outside/inner.nnef
archive outside inner.tar --transform 's,inner.nnef,graph.nnef,' inner.nnef
run 3 check inner.tar
err_has 'not followed'

# --- hostile archives ---------------------------------------------------------------------

# Cut anywhere there is an error, or the archive is whole but for its end.
size=$(wc -c <digits.tgz)
at=$((size / 23))
while [ $at -lt "$size" ]; do
    head -c $at digits.tgz >cut
    "$NNEFC" run cut -i "$three" -q -o cut.npy >out 2>err
    got=$?
    said="run cut (of $at bytes)"
    meets "status 3 (it was $got)" [ $got -eq 3 ]
    meets 'an error is reported' grep -q 'error\[' err
    at=$((at + size / 23))
done
absent cut.npy

# A bomb does not go off: a quarter of a gigabyte of zeros for a variable of two items, and for the text.
mkdir -p bomb/A
cp quantized/graph.nnef bomb
truncate -s 256M bomb/A/w.dat
archive bomb bomb.tar -S graph.nnef A/w.dat
archive bomb bomb.tgz -z graph.nnef A/w.dat
truncate -s 257M bomb/graph.nnef
archive bomb text.tgz -z graph.nnef
small_memory() { (ulimit -v 200000 && exec "$NNEFC" "$@"); }
for bomb in bomb.tar bomb.tgz; do
    run 1 run $bomb --random
    err_has 'N0244.*more than is of use'
    if small_memory --version >/dev/null 2>&1; then
        small_memory run $bomb --random >out 2>err
        meets "$bomb is refused in 200 MB of memory" [ $? -eq 1 ]
    else # the sanitizers need more
        skipped=$((skipped + 1))
        echo 'skipped: little memory, for the sanitizers need more'
    fi
done
run 1 check text.tgz
err_has 'N0240.*more than 67108864 bytes'

# --- arrays by name -----------------------------------------------------------------------

model sum 'a = external<scalar>(shape = [2,3]);' 'b = external<scalar>(shape = [1,3]);' \
    'y = add(a, b);' 'z = mul(a, b);'
sed -i 's/net( x ) -> ( y )/net( a, b ) -> ( y, z )/' sum/graph.nnef
run 0 run sum --random=1 -o all.npz -o r/
silent
run 0 run sum --random=1 -o again.npz
same all.npz again.npz
run 2 run sum --random -o y=all.npz
err_has "is a .npz archive, but 'y' is one result"
run 2 run sum --random -o a.npz -o b.npz
err_has 'two .npz archives'
absent a.npz
run 2 run sum -i all.npz
err_has "no array 'a'; it has 'y.npy', 'z.npy'"
run 0 run sum -i a=all.npz:z --random -q
run 3 run sum -i b=all.npz:z --random
err_has 'shape'
head -c 100 all.npz >cut.npz
run 3 run sum -i cut.npz
err_has 'N0191'

# libarchive is loaded for an archive only; where that fails, nothing else does.
mkdir without
echo 'no library' >without/libarchive.so.13
path=${LD_LIBRARY_PATH-}
export LD_LIBRARY_PATH="$PWD/without:$path"
run 0 check "$digits"
run 3 check digits.tgz
err_has 'digits.tgz: error\[N0191\]: cannot read archive: .*libarchive\.so'
err_has 'help: install libarchive, or unpack the archive\.'
run 3 pack "$digits" none.tgz
err_has 'none.tgz: error\[N0181\]: cannot write archive: .*libarchive\.so'
absent none.tgz
export LD_LIBRARY_PATH="$path"

if [ -n "$python" ]; then
    meets 'NumPy reads our archives' numpy "
z = np.load('all.npz'); assert sorted(z) == ['y', 'z'] and z['y'].shape == (2, 3), list(z)
assert z['y'].dtype == np.float32
a, b = np.arange(6.).reshape(2, 3), np.ones((1, 3), 'f4')
np.savez('stored.npz', a=a, b=b, other=b); np.savez_compressed('deflated.npz', a=a, b=b)
np.savez('part.npz', a=a); np.save('b.npy', b)"
    for npz in stored deflated; do
        run 0 run sum -i $npz.npz -o $npz-out.npz
        meets 'the results are right' numpy "
z = np.load('$npz-out.npz'); a = np.arange(6.).reshape(2, 3)
assert (z['y'] == a + 1).all() and (z['z'] == a).all()"
    done
    cp stored.npz stored
    run 0 run sum -i stored -o got.npz
    same got.npz stored-out.npz
    run 0 run sum -i part.npz -i b=b.npy -o got.npz
    same got.npz stored-out.npz
    run 0 run sum -i a=deflated.npz:a -i deflated.npz:b -o got.npz
    same got.npz stored-out.npz
    run 0 run sum -i part.npz --random -o y=got.npy
    run 2 run sum -i part.npz
    err_has "N0187"
else
    skipped=$((skipped + 1))
    echo 'skipped: NumPy and .npz, for there is no NumPy'
fi

finish
