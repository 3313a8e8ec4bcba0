#!/bin/sh
# pnnx_rows.sh - what is asked of models of PNNX, a section for each row of the table of capabilities
. "$(dirname "$0")/lib.sh"

pnnx=${NNEFC_SHARED:-$top/../shared}/pnnx
if [ ! -d "$pnnx" ]; then
    echo 'skipped: rows about models of PNNX, which are not here'
    skipped=1
    finish
    exit
fi

# Everything of a model: gen/joins -> its folder, and its text
text_of() { echo "$pnnx/$1"/*.param; }
gen=$pnnx/gen bad=$pnnx/bad

# --- C1: text and weights are loaded --------------------------------------------------------------

seed=$(text_of gen/seed_graph)
run 0 verify "$seed"
out_has ': ok$'
cp "$seed" alone.param
run 3 verify alone.param
run 0 verify alone.param --bin="$gen/seed_graph/seed_graph.pnnx.bin"

# --- C2: a file that is not there ------------------------------------------------------------------

run 3 verify "$work/nonexistent.param"
one_error
err_has "$work/nonexistent.param"

# --- C3: no operators --------------------------------------------------------------------------------

run 1 verify "$bad/empty_file.pnnx.param"
one_error
err_has 'empty_file.pnnx.param:1:'

# --- C4: type and name of each operator, in the order of the file --------------------------------------

run 0 list "$seed"
cat >listed <<'EOF'
pnnx.Input pnnx_input_0
nn.Conv2d conv1
nn.Conv2d conv2
pnnx.Expression pnnx_expr_0
nn.MaxPool2d max
pnnx.Output pnnx_output_0
EOF
same out listed

# --- C5: counts agree with those of the manifest, and with what is listed --------------------------------

tab=$(printf '\t')
tail -n +2 "$pnnx/manifest.tsv" >rows
while IFS="$tab" read -r id folder _ _ operators operands attributes _; do
    run 0 info "$(text_of "$folder/$id")"
    printf 'operators %s\noperands %s\nattributes %s\n' "$operators" "$operands" "$attributes" >counts
    grep -E '^(operators|operands|attributes) ' out >told
    same told counts
    run 0 list "$(text_of "$folder/$id")"
    meets "$id has $operators operators" [ "$(wc -l <out)" -eq "$operators" ]
    run 0 list "$(text_of "$folder/$id")" --json
    meets "$id has $operands values" [ "$(grep -c '"producer": ' out)" -eq "$operands" ]
done <rows
meets 'there are models in the manifest' [ "$(wc -l <rows)" -gt 30 ]

# --- C6, C9: an operand: its producer, its uses with positions, name, shape, type ---------------------------

run 0 list "$(text_of gen/joins)" --json
cp out joins
out_has '"name": "1", "producer": 1, "port": 0, "uses": \[\{"op": 4, "input": 2\}, \{"op": 5, "input": 0\}, \{"op": 7, "input": 1\}\], "shape": \[2, 3, 4\], "type": "f32"'
out_has '"name": "6", "producer": 3, "port": 2, "uses": \[\{"op": 7, "input": 3\}\]'
out_has '"name": "13", "producer": 9, "port": 0, "uses": \[\{"op": 10, "input": 0\}\], "shape": null, "type": null'
run 0 list "$(text_of gen/pool_dup)" --json
out_has '"inputs": \["0", "0"\], "arguments": \["input", "other"\]'
out_has '"name": "0", .*\{"op": 2, "input": 0\}, \{"op": 2, "input": 1\}'

# --- C7: an operator: type, name, inputs, outputs, parameters, attributes ------------------------------------

cp joins out
out_has '"type": "torch.split", "name": "torch.split_2", "line": 6, "inputs": \["0"\], "arguments": \["tensor"\], "outputs": \["4", "5", "6"\], "params": \{"dim": 1, "split_size_or_sections": \[1, 2, 3\]\}, "attributes": \{\}'
run 0 list "$seed" --json
out_has '"name": "conv2", .*"attributes": \{"bias": \{"shape": \[1\], "type": "f32"\}, "weight": \{"shape": \[1, 1, 5, 5\], "type": "f32"\}\}'

# --- C8: inputs by name, by operand and by order; the same tensor twice ----------------------------------------

twice=$gen/pool_dup
for given in "0=$twice/in0.dat" "pnnx_input_0=$twice/in0.dat" "$twice/in0.dat"; do
    run 0 run "$(text_of gen/pool_dup)" --input "$given" --expect "$twice"
    out_has '3 of 3 results'
done
run 5 run "$(text_of gen/pool_dup)" --fill=1 --expect "$twice" -q
run 2 run "$(text_of gen/pool_dup)" --input 1="$twice/in0.dat"
err_has "no parameter '1'"

# --- C10: several outputs of one operator ---------------------------------------------------------------------

run 0 run "$(text_of gen/joins)" -i 1="$gen/joins/in1.dat" -i 0="$gen/joins/in0.dat" --expect "$gen/joins"
out_has '4 of 4 results'
run 0 run "$(text_of gen/joins)" -i "$gen/joins/in0.dat" -i "$gen/joins/in1.dat" --expect "$gen/joins" -q

# --- C11: types of items -----------------------------------------------------------------------------------------

# a model that hands on items of a type
hand_on() { printf '7767517\n2 1\npnnx.Input x 0 1 0 #0=(2,3)%s\npnnx.Output y 1 0 0\n' "$1" >typed.param; }
for type in f32 f64 f16 bf16 i64 i32 i16 i8 u8 bool; do
    hand_on "$type"
    run 0 run typed.param --fill=1 --json
    out_has '"values": \[(1, 1, 1, 1, 1, 1|1.0, 1.0, 1.0, 1.0, 1.0, 1.0|true, true, true, true, true, true)\]'
    run 0 list typed.param --json
    out_has "\"shape\": \[2, 3\], \"type\": \"$type\""
done
for type in c32 c64 c128; do
    hand_on "$type"
    run 0 list typed.param --json
    out_has "\"type\": \"$type\""
    run 4 run typed.param --fill=1
    one_error
    err_has "typed.param:3:.*'x': operand '0' is of type $type"
done
run 4 run "$(text_of gen/complex)" -i "$gen/complex/in0.dat"
err_has 'complex.pnnx.param:4:.*c64'

# --- C12: weights: their bytes, shapes and types --------------------------------------------------------------------

for name in attr_missing attr_short bin_deflated bin_truncated bin_not_zip; do
    run 1 verify "$bad/$name.pnnx.param"
    one_error
    err_has "$name.pnnx.(param:4|bin):"
done
pnnx_weights >bytes.bin
while read -r count type values; do
    printf '7767517\n2 1\npnnx.Attribute w 0 1 0 @data=(%s)%s\npnnx.Output y 1 0 0\n' \
        "$count" "$type" >bytes.param
    run 0 run bytes.param --json
    out_has "\"values\": \[$values\]"
done <<'EOF'
3 f32 2.0, 4.0, 8.0
3 i32 1073741824, 1082130432, 1090519040
6 f16 0.0, 2.0, 0.0, 2.25, 0.0, 2.5
6 bf16 0.0, 2.0, 0.0, 4.0, 0.0, 8.0
6 i16 0, 16384, 0, 16512, 0, 16640
12 u8 0, 0, 0, 64, 0, 0, 128, 64, 0, 0, 0, 65
12 i8 0, 0, 0, 64, 0, 0, -128, 64, 0, 0, 0, 65
12 bool false, false, false, true, false, false, true, true, false, false, false, true
EOF
sed 's/\x80@/\x81@/' bytes.bin >flipped.bin
run 1 verify bytes.param --bin=flipped.bin
err_has 'flipped.bin'

# --- C14: a logical is no number ----------------------------------------------------------------------------------------

run 0 list "$seed" --json
out_has '"ceil_mode": false[,}]'
out_has '"name": "conv1", .*"bias": false, .*"padding_mode": "zeros", "stride": \[1, 1\]'
out_has '"name": "conv2", .*"bias": true, '

# --- C15: a graph of our own is made, and sound ---------------------------------------------------------------------------

run 0 verify "$gen"/*/*.param "$pnnx"/real-mit/*/*.param
meets 'each is told about' [ "$(grep -c ': ok$' out)" -eq "$(cat "$gen"/*/*.param "$pnnx"/real-mit/*/*.param | grep -c '^7767517')" ]

# --- C16: expressions, nested --------------------------------------------------------------------------------------------

run 0 run "$(text_of gen/expr_readme)" -i "$gen/expr_readme/in0.dat" -i "$gen/expr_readme/in1.dat" \
    --expect "$gen/expr_readme"
run 0 run "$(text_of real-mit/resnet_add2)" --fill=1 --expect "$pnnx/real-mit/resnet_add2" \
    --atol=5e-6 --rtol=0

# --- C17: convolutions, an expression and pooling --------------------------------------------------------------------------

run 0 run "$seed" -i "$gen/seed_graph/in0.dat" --expect "$gen/seed_graph/out0.dat" --atol=5e-6 --rtol=0
run 0 run "$(text_of real-mit/small_graph)" --fill=1 \
    --expect "$pnnx/real-mit/small_graph/out0.dat" --atol=5e-6 --rtol=0

# --- C18: what PNNX has fused already is left alone ----------------------------------------------------------------------------

run 0 info "$(text_of gen/noops)"
out_has '^operators 3$'
out_has '^operations 1$'
run 0 convert --raw "$(text_of gen/noops)" noops.param
run 0 info noops.param
out_has '^operators 3$'
run 0 convert "$(text_of gen/noops)" noops/
run 0 info noops
out_has '^operations 1$'
run 0 compare noops "$(text_of gen/noops)" --random -q

# --- C22: open extents ---------------------------------------------------------------------------------------------------------

dynamic=$(text_of gen/dynamic)
run 0 info "$dynamic"
out_has '^    pnnx_input_0 f32\[\?,3,\?,\?\]$'
run 0 list "$dynamic" --json
out_has '"shape": \["\?", 3, "\?", "\?"\]'
run 1 run "$dynamic" --random
err_has "error\[N0226\]: input 'pnnx_input_0' has shape \[\?,3,\?,\?\]"
for shape in 1,3,16,16 2,3,9,30; do
    printf 'version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external<scalar>( shape = [%s] );\n    y = copy( x );\n}\n' \
        $shape >copy.nnef
    run 0 run copy.nnef --random -o x$shape.npy
    run 0 run "$dynamic" --shape=pnnx_input_0=$shape -i x$shape.npy -o closed$shape.npy
done
run 0 run "$dynamic" -i x1,3,16,16.npy -i x2,3,9,30.npy -i x1,3,16,16.npy -o open.npy
same open.1.npy closed1,3,16,16.npy
same open.2.npy closed2,3,9,30.npy
same open.3.npy closed1,3,16,16.npy
run 0 run "$dynamic" -i "$gen/dynamic/in0.dat" --expect "$gen/dynamic" -q
run 0 info "$dynamic" --shape=pnnx_input_0=1,3,16,16
out_has '^    pnnx_input_0 scalar\[1,3,16,16\]$'
out_has '^    pnnx_output_0 scalar\[1,2\]$'
run 0 run "$dynamic" --shape=0=1,3,16,16 -i "$gen/dynamic/in0.dat" --expect "$gen/dynamic" -q
sed 's/#0=(?,3,?,?)f32/#0=(%batch,3,%size,%size)f32/' "$dynamic" >symbols.param
cp "$gen/dynamic"/*.bin symbols.bin
run 0 info symbols.param
out_has '^    pnnx_input_0 f32\[%batch,3,%size,%size\]$'
run 0 run symbols.param --dim=batch=1 --dim=size=16 -i "$gen/dynamic/in0.dat" --expect "$gen/dynamic" -q

# --- C23: operators that are not known -------------------------------------------------------------------------------------------

yolo=$(text_of param-only-mit/yolov5s)
run 0 list "$yolo"
meets 'all of them are listed' [ "$(wc -l <out)" -eq 142 ]
run 0 list "$yolo" --json
out_has '"type": "models.yolo.Detect", "name": "24", "line": 143, '
run 0 info "$yolo"
run 4 convert "$yolo" yolo/
err_has "yolov5s.pnnx.param:143:.*'24': operator 'models.yolo.Detect' is not supported"
absent yolo
run 0 verify "$(text_of gen/complex)"
err_has 'warning.*torch.fft.rfft'

# --- C24: what is broken is refused, once, at its line ------------------------------------------------------------------------------

tail -n +2 "$bad/cases.tsv" >cases
while IFS="$tab" read -r name verdict line _; do
    "$NNEFC" check "$bad/$name.pnnx.param" >out 2>err
    got=$?
    said="check $name"
    join_places
    case $verdict in
    accept) meets "$name is accepted" [ $got -eq 0 ] ;;
    reject)
        meets "$name is refused" [ $got -eq 1 ]
        one_error
        [ "$line" = - ] || err_has "^[^ ]*/$name.pnnx.param:$line:"
        ;;
    *) meets "$name is answered" [ $got -lt 70 ] ;;
    esac
done <cases
meets 'there are cases' [ "$(wc -l <cases)" -gt 20 ]

finish
