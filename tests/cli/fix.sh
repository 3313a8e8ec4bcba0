#!/bin/sh
# fix.sh - nnefc check --fix and --diff: what is changed, what is left alone, how that is told
. "$(dirname "$0")/lib.sh"

# Text FILE after '\r' before every line end.
with_returns() { sed 's/$/\r/' "$1"; }
inode() { ls -i "$1" | cut -d ' ' -f 1; }
unchanged() { meets "$1 was not written" [ "$(inode "$1")" = "$2" ]; }

wrong()
{
    printf 'version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external<scalar>(shape = [1,3]);\n'
    printf '    a = rleu(x)  # d\303\251j\303\240 vu: 1\n    y = -leaky_relu(a, alpha = 1);\n}\n'
}
right()
{
    printf 'version 1.0;\nextension KHR_enable_operator_expressions;\ngraph net( x ) -> ( y )\n{\n'
    printf '    x = external<scalar>(shape = [1,3]);\n'
    printf '    a = relu(x);  # d\303\251j\303\240 vu: 1\n    y = -leaky_relu(a, alpha = 1.0);\n}\n'
}

# --- a file ---------------------------------------------------------------------------------

wrong >net.nnef
right >expected
chmod 640 net.nnef
run 0 check net.nnef --fix
quiet_out
same net.nnef expected
meets 'all that is said is how much was mended' [ "$(cat err)" = 'nnefc: net.nnef: 4 faults mended, 0 left' ]
# shellcheck disable=SC2012 # a name without surprises
meets 'the permissions are kept' [ "$(ls -l net.nnef | cut -c 1-10)" = '-rw-r-----' ]
now=$(inode net.nnef)
run 0 check net.nnef --fix
silent
unchanged net.nnef "$now"
meets 'nothing else is left in the folder' [ -z "$(find . -name '*.tmp')" ]

wrong >net.nnef
run 0 check net.nnef --fix -q
silent
same net.nnef expected

# What remains is told about the file as it is now; its faults decide on the status.
model part 'x = external<scalar>(shape = [1,3])' 'y = add(x, undefined);'
run 1 check part --fix --message-format=short
err_has '^part/graph.nnef:5:16: error\[N00'
err_has '^nnefc: part: 1 fault mended, 1 left$'
meets 'what can be mended is' grep -q 'shape = \[1,3\]);$' part/graph.nnef
now=$(inode part/graph.nnef)
run 1 check part/graph.nnef --fix
err_has '^nnefc: part/graph.nnef: 0 faults mended, 1 left$'
unchanged part/graph.nnef "$now"

# Line ends, a last line without one, a byte order mark, bytes that are no characters.
wrong >net.nnef
with_returns net.nnef >returns.nnef
run 0 check returns.nnef --fix
with_returns expected >with_returns
same returns.nnef with_returns
wrong | tr '\n' '\r' >old.nnef
run 0 check old.nnef --fix
tr '\n' '\r' <expected >old
same old.nnef old
printf '%s' "$(wrong)" >short.nnef
run 0 check short.nnef --fix
printf '%s' "$(right)" >short
same short.nnef short
printf '# \377\nversion 1.0; graph g(x) -> (y) { x = external(shape = [1]) y = x * 2; }' >bytes.nnef
run 0 check bytes.nnef --fix
printf '# \377\nversion 1.0; extension KHR_enable_operator_expressions; ' >expected_bytes
printf 'graph g(x) -> (y) { x = external(shape = [1]); y = x * 2.0; }' >>expected_bytes
same bytes.nnef expected_bytes

# A symbolic link stays one; a folder whose document is spelled otherwise gets no second one.
wrong >real.nnef
ln -s real.nnef link.nnef
run 0 check link.nnef --fix
same real.nnef expected
meets 'the link stays' [ -h link.nnef ]
mkdir -p upper
wrong >upper/Graph.NNEF
run 0 check upper --fix
same upper/Graph.NNEF expected
absent upper/graph.nnef

# Several models; a fault in one does not keep the others from being mended.
wrong >one.nnef
wrong >two.nnef
run 3 check one.nnef nowhere two.nnef --fix
same one.nnef expected
same two.nnef expected
err_has '^nowhere: error\[N0180\]'
err_lacks 'nowhere.*mended'

# --- the quantization file ------------------------------------------------------------------

model quantized 'x = external<scalar>(shape = [1,3])' 'y = relu(x);'
cat >quantized/graph.quant <<'END'
"x": linear_quantize(min = 0, max = 1.0, bits = 8);
"y": linear_quantize(min = 0.0, max = 1.0, bits = 8)
END
cp quantized/graph.quant beside.quant
run 0 check quantized --fix
err_has '^nnefc: quantized: 3 faults mended, 0 left$'
cat >expected_quant <<'END'
"x": linear_quantize(min = 0.0, max = 1.0, bits = 8);
"y": linear_quantize(min = 0.0, max = 1.0, bits = 8);
END
same quantized/graph.quant expected_quant
meets 'the document is mended, too' grep -q '\[1,3\]);$' quantized/graph.nnef
rm quantized/graph.quant
run 0 check quantized --quant-file beside.quant --fix
same beside.quant expected_quant

# --- the difference -------------------------------------------------------------------------

wrong >net.nnef
cp net.nnef before
run 1 check net.nnef
cp err plain
run 1 check net.nnef --diff
same net.nnef before
cp out diff
cat >expected_diff <<'END'
--- net.nnef
+++ net.nnef
@@ -1,7 +1,8 @@
 version 1.0;
+extension KHR_enable_operator_expressions;
 graph net( x ) -> ( y )
 {
     x = external<scalar>(shape = [1,3]);
-    a = rleu(x)  # déjà vu: 1
-    y = -leaky_relu(a, alpha = 1);
+    a = relu(x);  # déjà vu: 1
+    y = -leaky_relu(a, alpha = 1.0);
 }
END
same diff expected_diff
err_has '^nnefc: net.nnef: --fix mends 4 faults, 0 left$'
sed '$d' err >told
same told plain
run 1 check net.nnef --diff --fix -q
same net.nnef before
same out diff
same err plain
run 0 check expected --diff
silent

# Changes far apart are hunks of their own; patch makes of it what --fix does.
{
    printf 'version 1.0;\ngraph net(x) -> (y)\n{\n    x = external(shape = [1])\n'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "    x$i = relu(x); # $i"; done
    printf '    y = clamp(x, 0,\n\n        1);\n}'
} >far.nnef
cp far.nnef before
run 1 check far.nnef --diff
meets 'there are two hunks' [ "$(grep -c '^@@' out)" -eq 2 ]
out_has '^\\ No newline at end of file$'
cp out far.patch
run 0 check far.nnef --fix
if command -v patch >/dev/null; then
    patch -s before far.patch
    same before far.nnef
else
    echo 'skipped: there is no patch'
    skipped=$((skipped + 1))
fi
mkdir 'a b'
wrong >'a b/"c.nnef'
run 1 check 'a b/"c.nnef' --diff
meets 'a name that could end the line is quoted' grep -Fqx -- '+++ "a b/\"c.nnef"' out
wrong >'a b/c.nnef'
run 1 check 'a b/c.nnef' --diff
meets 'a name with blanks ends with a tab' grep -qx -- "--- a b/c.nnef$(printf '\t')" out

# --- standard input ---------------------------------------------------------------------------

wrong >net.nnef
input=net.nnef
run 0 check - --fix
same out expected
err_has '^nnefc: <stdin>: 4 faults mended, 0 left$'
run 1 check - --diff
out_has '^--- <stdin>$'
err_has '^ +--> <stdin>:5:'
input=part/graph.nnef
run 1 check - --fix --message-format=short
same out part/graph.nnef
err_has '^<stdin>:5:16: error'
input=expected
run 0 check - --fix
same out expected
quiet_err
printf '\177ELF' >foreign
input=foreign
run 1 check - --fix
quiet_out
one_error
input=/dev/null
run 3 check nowhere --fix
quiet_out
one_error

# --- what cannot be mended where it is ----------------------------------------------------------

wrong >net.nnef
mkdir -p packed
mv net.nnef packed/graph.nnef
tar -cf packed.tar packed
cp packed.tar before
for option in --fix --diff; do
    run 2 check packed.tar $option
    quiet_out
    err_has "^nnefc: cannot mend 'packed.tar/packed/graph.nnef', which is in an archive; unpack it first$"
    same packed.tar before
    run 2 check packed $option --quant-file=-
    err_has "$option needs the quantization file by its name"
done
mkfifo pipe
run 2 check pipe --fix
err_has "^nnefc: cannot mend 'pipe', which is a pipe or device"
run 2 check packed --diff --dump=ast
err_has 'standard output is used twice, by --dump and by --diff'
run 2 check packed - --fix --dump=ast
err_has 'standard output is used twice, by --dump and by --fix'
run 2 check packed - - --fix
err_has 'standard input is used twice'
run 2 run packed --fix
err_has "'run' has no option '--fix'"
run 0 check packed --fix --dump=ast
out_has 'relu\(x\)'

# A file that cannot be written stays as it is, and so does what is told about it.
{
    wrong
    printf '# %04096d\n' 0
} >large.nnef
cp large.nnef before
(
    trap '' XFSZ
    ulimit -f 1
    "$NNEFC" check large.nnef --fix --message-format=short 2>err
    echo $? >status
)
said='check large.nnef --fix, where files must not be as large'
meets 'the exit status is that of files' [ "$(cat status)" -eq 3 ]
err_has '^large.nnef: error\[N0181\]: cannot write: '
err_has '^large.nnef:5:[0-9]+: error'
err_lacks 'mended'
same large.nnef before

# --- many faults ---------------------------------------------------------------------------------

{
    printf 'version 1.0;\ngraph net(x) -> (y)\n{\n    x = external<scalar>(shape = [1]);\n'
    i=0
    while [ $i -lt 300 ]; do
        echo "    x$i = elu(x, alpha = 1)"
        i=$((i + 1))
    done
    printf '    y = relu(x);\n}\n'
} >many.nnef
run 1 check many.nnef --diff -q
meets 'the limit is on what is told' [ "$(grep -c '^error' err)" -eq 20 ]
err_has '^note\[N0190\]: 580 more errors are not shown; --error-limit=0 shows all$'
run 0 check many.nnef --fix
err_has '^nnefc: many.nnef: 600 faults mended, 0 left$'
meets 'all are mended' [ "$(grep -c 'alpha = 1.0);' many.nnef)" -eq 300 ]

# --- for programs ---------------------------------------------------------------------------------

wrong >net.nnef
run 0 check net.nnef --fix --message-format=json
meets 'an object tells what was done' grep -Fqx \
    '{"code":null,"severity":"note","warning":null,"section":null,"file":null,"line":null,"column":null,"endLine":null,"endColumn":null,"message":"net.nnef: 4 faults mended, 0 left","labels":[],"notes":[],"help":null,"fixes":[]}' \
    err
meets 'it satisfies the schema' "${SCHEMA:?names tools/schema}" "$top/docs/diagnostics.schema.json" <err
wrong >net.nnef
run 0 check net.nnef --fix --message-format=sarif
meets 'it is told as something done' grep -q '"toolExecutionNotifications"' err
cp err log.sarif
"$top/tests/sarif/judge.sh" log.sarif >err 2>&1
case $? in
77) cat err && skipped=$((skipped + 1)) ;;
*) meets 'the log satisfies the schema of the standard' [ ! -s err ] ;;
esac
finish
