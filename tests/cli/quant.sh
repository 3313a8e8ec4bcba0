#!/bin/sh
# quant.sh - quantization files: the rules of tests/quant, where they are found, what they change
. "$(dirname "$0")/lib.sh"

# --- files with faults ----------------------------------------------------------------------

# A mark '#! CODE' expects that error on its line, '#? CODE' that warning; nothing else is said.
marks() { awk '{ while (match($0, /#[!?] N[0-9]+/)) {
    print FNR, substr($0, RSTART + 1, RLENGTH - 1)
    $0 = substr($0, RSTART + RLENGTH) } }' "$1"; }
reports() { sed -n 's/^[^:]*\.quant:\([0-9]*\):[0-9]*: error\[\(N[0-9]*\)\].*/\1 ! \2/p
    s/^[^:]*\.quant:\([0-9]*\):[0-9]*: warning\[\(N[0-9]*\)\].*/\1 ? \2/p' err; }

for file in "$top"/tests/quant/*.quant; do
    case $file in
    *provisional*) document=$top/tests/quant/provisional.nnef ;;
    *) document=$top/tests/quant/model.nnef ;;
    esac
    marks "$file" >expected
    status=0
    grep -q '!' expected && status=1
    run $status check "$document" --quant-file="$file" --message-format=short
    reports | sort -n >reported
    meets "${file##*/} is reported as marked" cmp -s expected reported
    meets "${file##*/} is named by every report" [ "$(wc -l <err)" -eq "$(wc -l <expected)" ]
done
run 1 check "$top/tests/quant/model.nnef" --quant-file="$top/tests/quant/R163-unknown-tensor.quant"
err_has "that is a label; the tensor is called 'filter1'"
err_has "did you mean 'conv1'"
run 3 check "$top/tests/quant/model.nnef" --quant-file=nowhere.quant
err_has 'nowhere.quant'

# --- beside the document --------------------------------------------------------------------

model net 'x = external<scalar>(shape = [1,3]);' "w = variable<scalar>(shape = [1,3], label = 'w');" \
    'y = add(x, w);'
echo '"z": linear_quantize(min = 0.0, max = 1.0, bits = 2);' >net/graph.quant
run 1 check net --message-format=short
err_has '^net/graph.quant:1:1: error\[N0210\]'
(cd net && "$NNEFC" check . --message-format=short 2>../err)
err_has '^\./graph.quant:1:1: error\[N0210\]'
run 1 init net
absent net/w.dat
echo '"y": linear_quantize(min = 0.0, max = [[0.0, 1.0, 4.0]], bits = 2);' >other.quant
echo '"x": linear_quantize(min = -1.0, max = 1.0, bits = 1);' >net/graph.quant
run 0 check net
silent
run 0 init net
run 0 run net --random -o off.dat
run 0 run net --random --quant=off -o plain.dat
same off.dat plain.dat
run 0 run net --random --quant=apply -o applied.dat
differ off.dat applied.dat
run 0 run net --random --quant=apply --quant-file=other.quant -o other.dat
differ applied.dat other.dat
run 0 run net --random --quant apply --expand=all -o expanded.dat
same applied.dat expanded.dat
run 2 run net --random --quant=on
err_has 'off\|apply'

# --- with integers --------------------------------------------------------------------------

model layers 'x = external<scalar>(shape = [1,2,3,3]);' \
    "w = variable<scalar>(shape = [2,2,3,3], label = 'w');" 'y = conv(x, w);'
echo '"x": linear_quantize(min = -1.0, max = 1.55, bits = 8);' >layers/graph.quant
run 0 init layers
run 0 run layers --random -o plain.dat
run 0 run layers --random --quant=off -o off.dat
same plain.dat off.dat
run 0 run layers --random -v
err_lacks 'integers:'
echo '"w": min_max_linear_quantize(min = -1.0, max = 1.0, bits = 8, signed = true, symmetric = true);' \
    >>layers/graph.quant
run 0 run layers --random -v -o auto.dat
err_has '^integers: 1 of 1 layers, 100.0% of MACs'
run 0 run layers --random --quant=integers -o integers.dat
same auto.dat integers.dat
differ auto.dat off.dat
run 0 check layers --dump=plan
out_has '^integers: 1 of 1 layers, 100.0% of MACs'
run 0 check layers --dump=plan --quant=off
out_lacks 'integers:'
run 0 bench layers --time=0.01
out_has '^integers: 1 of 1 layers'
run 0 compare layers layers --random --layers
echo '"y": logarithmic_quantize(max = 4.0, bits = 4);' >>layers/graph.quant
run 0 run layers --random
err_has "warning\[N0218\]: tensor 'y' is quantized as a scalar: its steps are powers of two"
run 0 run layers --random --quant=off -o off2.dat
silent

# --- in an archive --------------------------------------------------------------------------

run 0 pack net net.tgz
run 0 run net.tgz --random --quant=apply -o packed.dat
same applied.dat packed.dat
finish
