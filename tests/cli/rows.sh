#!/bin/sh
# rows.sh - what other tools for networks can do, a section for each row of the table of capabilities
. "$(dirname "$0")/lib.sh"

fixtures=${ONNX_MODELS:-$top/build/release/tests/onnx_models}
mkdir t
said='(fixtures)'
"$fixtures" t 2>err
meets 'the fixtures are made' [ -s t/resnet_block.onnx ]

# --- A1: choose the parser by the name of a format ----------------------------------------------

run 2 info --from=nxp t/ir3.onnx
err_has 'nnef\|onnx'
for format in nnef onnx; do
    run 0 help info
    out_has "--from=.*$format"
done

# --- A3: models of ONNX -------------------------------------------------------------------------

# what the file has, and what is made of it: a Gemm is `linear`, an average `mean_reduce`
cat >resnet_block.counts <<'END'
nodes 10
    BatchNormalization 2
    Conv 2
    Relu 2
    Add 1
    Flatten 1
    Gemm 1
    GlobalAveragePool 1
operations 10
    batch_normalization 2
    conv 2
    relu 2
    add 1
    linear 1
    mean_reduce 1
    reshape 1
END
run 0 info t/resnet_block.onnx
sed -n '/^nodes/,/^parameters/p' out | sed '$d' >counts
same counts resnet_block.counts
# 2 convolutions of 4 * 8 * 8 results of 4 * 9, and a product of 10 results of 4
out_has "^macs $((2 * 256 * 36 + 40)) "
# 2 filters of 4 * 4 * 9, 8 vectors of 4, a matrix of 10 * 4 and its bias
out_has "^parameter_items $((2 * 144 + 8 * 4 + 50))\$"
out_has '^parameters 12$'
run 0 run t/resnet_block.onnx --random -q

# --- A4: external data --------------------------------------------------------------------------

run 0 verify t/external.onnx
run 1 verify t/external_dotdot.onnx
err_has "which is not below the folder of the model: component '\.\.'"

# --- A5: opsets ---------------------------------------------------------------------------------

run 0 info t/opset7.onnx
out_has '^opset ai.onnx 7$'
out_has '^opset com.example 3$'
out_has '^ir_version 8$'
run 4 verify t/new_opset.onnx
err_has 'version 99'

# --- A6: initializers are parameters, not inputs -------------------------------------------------

run 0 info t/ir3.onnx
out_has '^ir_version 3$'
out_has '^inputs 1$'
out_has '^    x scalar\[4,8\]$'
out_has '^parameters 1$'

# --- A7: two producers of a name -----------------------------------------------------------------

run 1 verify t/two_producers.onnx
err_has "node 1 'negate' \(Neg\) at byte [0-9]*: makes 'y', which is there already"

# --- A9: graph files are told by their signature ----------------------------------------------------

printf junk >junk.ng
run 1 verify junk.ng
err_has 'junk.ng: .*this is no graph file'

# --- A10: versions are numbers: a newer minor one is a warning, a newer major one is refused ---------

# versioned MAJOR MINOR FILE - g.ng with another version, whose sum is right
versioned()
{
    { head -c 8 g.ng && printf '%b' "\\0$(printf %o "$1")\\000\\0$(printf %o "$2")\\000" && tail -c +13 g.ng; } >old
    sections=$(od -An -tu4 -j12 -N4 old) size=$(od -An -tu8 -j16 -N8 old)
    { head -c 24 old && printf '\000\000\000\000' && tail -c +29 old; } >zeroed
    head -c $((32 + 24 * sections)) zeroed | gzip -c | tail -c 8 | head -c 4 >sum
    { head -c 24 old && cat sum && tail -c +29 old; } >"$3"
    meets 'the file has the size that it tells' [ "$(wc -c <"$3")" -eq "$size" ]
}
run 0 compile "$digits" -o g.ng
versioned 1 0 same.ng
same g.ng same.ng
versioned 1 10 newer.ng
run 0 verify newer.ng
err_has 'warning\[N0252\].*1\.10'
run 0 run newer.ng -i "$three" -q
versioned 2 0 other.ng
run 1 verify other.ng
err_has 'error\[N0252\].*version 2\.0, expected 1'

# --- A11: whatever is cut off is refused ----------------------------------------------------------------

is_refusal() { [ "$got" -ge 1 ] && [ "$got" -lt 70 ]; }
for cut in $(seq 0 64 4096); do
    head -c "$cut" g.ng >cut.ng
    "$NNEFC" verify cut.ng >out 2>err
    got=$?
    meets "$cut bytes are refused (status $got)" is_refusal
done

# --- A12: names are linked again, and a second writing makes the same bytes ---------------------------------

run 0 convert "$digits" a.ng
run 0 convert --raw a.ng b.ng
same a.ng b.ng
run 0 compare b.ng "$digits" -i "$three" -q

# --- A13: graphs of every kind are sound ---------------------------------------------------------

run 0 verify --no-data "$top"/examples/nnef/*/graph.nnef "$top"/examples/nnef/*/*.nnef
mkdir converted
for name in resnet_block external opset7 ir3 identity_outputs unused_inputs called_twice nested; do
    run 0 verify "t/$name.onnx"
    run 0 convert "t/$name.onnx" "converted/$name/"
    run 0 verify "converted/$name"
    run 0 convert "t/$name.onnx" "converted/$name.onnx"
    run 0 verify "converted/$name.onnx"
done

# --- A29: what only hands on changes no name, order or number of results -------------------------

# interface MODEL - its inputs and outputs, in their order
interface() { "$NNEFC" info "$1" | awk '/^inputs/ { on = 1 } /^(nodes|operations)/ { on = 0 } on'; }
run 0 convert t/identity_outputs.onnx identity.onnx
interface t/identity_outputs.onnx >before
interface identity.onnx >after
same before after
meets 'results stand as they were declared' \
    [ "$(sed -n 's/^ *\([a-z]*\) scalar.*/\1/p' before | tr '\n' ' ')" = 'x first same second ' ]
run 0 convert t/identity_outputs.onnx identity/
interface identity >after
same before after

# --- A30: inputs that nothing depends on stay -----------------------------------------------------

run 0 info t/unused_inputs.onnx
out_has '^inputs 3$'
run 0 convert t/unused_inputs.onnx unused.onnx
run 0 info unused.onnx
out_has '^inputs 3$'

# --- B8: the shape of a result is told --------------------------------------------------------------

run 0 list t/broadcast.onnx
out_has '^add y scalar\[2,3,4,5\] '
run 0 check t/broadcast.onnx --dump=graph
out_has '^y: scalar\[2,3,4,5\] = add'

# --- C4: operators and names, one a line, in their order --------------------------------------------

run 0 list t/resnet_block.onnx
cut -d' ' -f1,2 out >names
cat >expected <<'END'
conv c1
batch_normalization n1
relu r1
conv c2
batch_normalization n2
add s
relu r2
mean_reduce p
reshape f
linear y
END
same names expected
# --- A18, A20, A21: models of PNNX ------------------------------------------------------------------

pnnx=${NNEFC_SHARED:-$top/../shared}/pnnx
if [ -d "$pnnx" ]; then
    for each in resblock_o1 linear_bn_o1; do
        run 0 convert --raw "$(echo "$pnnx/gen/$each"/*.param)" raw/
        meets "$each has normalizations" grep -q batch_normalization raw/graph.nnef
        run 0 convert raw/ fused/
        run 0 compare raw/ fused/ --random --rtol=1e-5 --atol=1e-5
        meets "$each has none any more" not grep -q batch_normalization fused/graph.nnef
    done
    run 0 convert -v "$(echo "$pnnx/real-mit/resnet_batchnorm2"/*.param)" left/
    err_has 'not fused'
else
    skipped=$((skipped + 1))
    echo 'skipped: rows about models of PNNX, which are not here'
fi

finish
