#!/bin/sh
# explain.sh - nnefc explain; the commands and clients among its examples do what they are said to do
. "$(dirname "$0")/lib.sh"

run 0 explain N0142
quiet_err
out_has '^N0142: axis out of range \(NNEF 1\.0\.5, section 4\)$'
out_has '^    y = sum_reduce\(x, axes = \[4\]\);$'
cp out one
for name in n0142 0142 142; do
    run 0 explain $name
    same out one
done
run 0 explain N0142 N0143
out_has '^N0142: '
out_has '^N0143: '
run 0 explain N0142 --json
out_has '^\{"code":"N0142","title":"axis out of range","section":"4",.*\}$'
run 0 explain N0006 N0142 --json
meets 'an object a line' [ "$(grep -c '^{.*}$' out)" -eq 2 ]
meets 'no line of text is too long' [ "$(grep -v '^    ' one | awk '{ print length }' | sort -n | tail -1)" -le 80 ]

# Every code of the source has its line, its text and its object.
sed -n 's/^DIAG(\(N[0-9]*\),.*/\1/p' "$top/src/diag/diag.def" >codes
run 0 explain --list
sed -n 's/^\(N[0-9]*\)  .*/\1/p' out >listed
same codes listed
run 0 explain --list --json
sed -n 's/^ *"code": "\(N[0-9]*\)",$/\1/p' out >listed
same codes listed
# shellcheck disable=SC2046 # codes hold no blanks
run 0 explain $(cat codes)
sed -n 's/^\(N[0-9]*\): .*/\1/p' out >listed
same codes listed

run 2 explain
err_has 'needs a code'
run 2 explain N0412
err_has "there is no code 'N0412'; did you mean 'N0[0-9]*'\?"
run 2 explain N0142 frobnicate
quiet_out
err_has "no code 'frobnicate'; 'nnefc explain --list' lists them"
run 2 explain N0142 --dump=ast
err_has "'explain' has no option '--dump'"

# --- command lines --------------------------------------------------------------------------

mkdir place && cd place || exit 1
cp -R "$digits" model
cp "$three" image.png
cp "$digits/conv1/bias.dat" . && tar cf weights.tar bias.dat
(cd model && tar cPf ../outside.tar ../model/graph.nnef)
"$NNEFC" pack model model.tar
"$NNEFC" compile model -o net.ng
"$NNEFC" run model --input=image.png -o probabilities.npy
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [1,1,8,8]); y = copy(x); }\n' >scalars.nnef
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<integer>(shape = [1,1,8,8]); y = copy(x); }\n' >integers.nnef
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [1]); a = ngg(x); y = nog(a); }\n' >typos.nnef
printf 'version 1.0\ngraph g( x ) -> ( y ) { x = external(shape = [4]) y = neg(x) }\n' >provisional.nnef
printf 'version 1.0;\ngraph g( x ) -> ( y ) { x = external<scalar>(shape = [4]); a = neg(x); b = exp(a); y = add(a, b); }\n' >residual.nnef
cat >mystery.nnef <<'END'
version 1.0;
extension KHR_enable_fragment_definitions;
fragment mystery( x: tensor<scalar> ) -> ( y: tensor<scalar> );
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [4]);
    y = mystery(x);
}
END
cat >far.nnef <<'END'
version 1.0;
graph g( x ) -> ( y )
{
    x = external<scalar>(shape = [1,1,4]);
    y = box(x, size = [1,1,1], padding = [(0,0), (0,0), (4294967296,0)], stride = [1,1,4294967297]);
}
END
model quantized 'x = external<scalar>(shape = [3]);' "w = variable<scalar>(shape = [3], label = 'w');" 'y = add(x, w);'
echo '"w": linear_quantize(min = 0.0, max = 255.0, bits = 8);' >w.quant
echo '"w": logarithmic_quantize(max = 1.0, bits = 8);' >powers.quant

# Files of tensors: cut off; in the form of 2018, with 4 bytes more; of quantized items; of a shape beyond any file.
"$NNEFC" run scalars.nnef --random -o image.npy
"$NNEFC" run scalars.nnef --fill=0 -o zero.npy
"$NNEFC" run scalars.nnef --random -o image.dat
"$NNEFC" run integers.nnef --random -o integers.npy
head -c 200 image.npy >cut.npy
{ head -c 128 image.dat && printf '\000\000\000\000' && tail -c +129 image.dat; } >legacy.dat
{
    printf 'N\357\001\000\003\000\000\000\001\000\000\000\003\000\000\000' && head -c 28 /dev/zero
    printf '\010\000\000\000\002\000\000\000' && head -c 76 /dev/zero && printf '\000\200\377'
} >quantized/w.dat
claim="{'descr': '<f4', 'fortran_order': False, 'shape': (1152921504606846976,), }"
# shellcheck disable=SC2059 # an octal escape
{ printf '\223NUMPY\001\000' && printf "\\$(printf %o ${#claim})\\000" && printf %s "$claim"; } >claim.npy
{ head -c 8 net.ng && printf '\002' && tail -c +10 net.ng; } >next.ng

# Models of PNNX and ONNX
cat >net.pnnx.param <<'END'
7767517
4 3
pnnx.Input in 0 1 x #x=(2,3)f32
pnnx.Attribute w 0 1 w @data=(3)f32 #w=(3)f32
pnnx.Expression scale 2 1 x w y expr=mul(@0,@1)
pnnx.Output out 1 0 y
END
pnnx_weights >net.pnnx.bin
sed 's/(3)/(4)/g; s/(2,3)/(2,4)/' net.pnnx.param >wide.pnnx.param

# Parts of a message of protocol buffers, as `printf %b` takes them: five characters for each byte.
bytes() { printf %s "$1" | od -An -v -to1 | tr -d '\n' | sed 's/ /\\0/g'; }
varint()
{
    if [ "$1" -lt 128 ]; then
        printf '\\0%03o' "$1"
    else
        printf '\\0%03o\\0%03o' $(($1 % 128 + 128)) $(($1 / 128))
    fi
}
number() { varint $(($1 << 3)) && varint "$2"; }
field() { varint $(($1 << 3 | 2)) && varint $((${#2} / 5)) && printf %s "$2"; }
# vector NAME - a description of NAME as two floats
vector() { field 1 "$(bytes "$1")" && field 2 "$(field 1 "$(number 1 1 && field 2 "$(field 1 "$(number 1 2)")")")"; }
opset=$(number 1 8 && field 8 "$(field 1 '' && number 2 13)")
# onnx NAME PARTS - a model whose graph has input x, output y and PARTS
onnx() { printf %b "$opset$(field 7 "$(field 11 "$(vector x)")$(field 12 "$(vector y)")$2")" >"$1"; }
# negate NAME - a node
negate() { field 1 "$(field 1 "$(bytes "$1")")$(field 2 "$(bytes y)")$(field 4 "$(bytes Neg)")"; }
deep=
for _ in $(seq 22); do deep=$(field 1 "$(field 5 "$(field 6 "$deep")")"); done
onnx net.onnx "$(negate x)"
onnx unmade.onnx "$(negate z)"
onnx deep.onnx "$deep"
onnx weightless.onnx "$(negate x)$(field 5 "$(number 1 2)$(number 2 1)$(field 8 "$(bytes w)")")"
printf %b "$opset" >graphless.onnx

# examples LANGUAGE - each in a file CODE.WHICH.LANGUAGE, which 'list' names
examples()
{
    "$NNEFC" explain --markdown | awk -v language="$1" '
    /^### N/ { code = $2 }
    /^(Wrong|Right):$/ { which = tolower(substr($0, 1, 5)) }
    /^```$/ { file = "" }
    file { print >file }
    $0 == "```" language { file = "../" code "." which "." language; printf "" >file }'
    ls ../*."$1" >list
}

# prints LINE - is it one of the messages? ' ... ' in it stands for anything
prints()
{
    grep -Fqx -- "$1" err && return
    while read -r line; do
        case $line in
        "${1%% ... *}"*"${1#* ... }") return 0 ;;
        esac
    done <err
    false
}

# Those that are wrong are reported by that code alone, and print the lines behind '# '.
export ASAN_OPTIONS=allocator_may_return_null=1
mkdir ../bin && ln -s "$NNEFC" ../bin/nnefc
PATH=$work/bin:$PATH
examples sh
meets 'there are command lines' [ "$(grep -c wrong list)" -ge 30 ]
meets 'half of them are right' [ "$(grep -c right list)" -eq "$(grep -c wrong list)" ]
while read -r file; do
    code=${file#../} code=${code%%.*}
    said="$code: $(cat "$file")"
    sh "$file" </dev/null >out 2>err
    status=$?
    case $file in
    *.wrong.*)
        sed -n 's/^[a-z]*\[\(N[0-9]*\)\]: .*/\1/p' err | sort -u >codes
        [ "$code" != N0190 ] || sed -i /N0050/d codes # the many errors
        meets "$code is reported, and nothing else" [ "$(cat codes)" = "$code" ]
        meets 'an error is a failure' [ "$(grep -c '^error' err) $status" != "1 0" ]
        sed -n 's/^# //p' "$file" >messages
        meets 'the example shows what is printed' [ -s messages ]
        while read -r shown; do
            meets "it prints '$shown'" prints "$shown"
        done <messages
        ;;
    *)
        meets "exit status 0 (it was $status)" [ $status -eq 0 ]
        quiet_err
        ;;
    esac
done <list

# --- clients of the library -----------------------------------------------------------------

# A function computes the operation 'mystery'; other text is statements.
examples c
meets 'there are clients' [ "$(grep -c wrong list)" -ge 2 ]
while read -r file; do
    code=${file#../} code=${code%%.*}
    said="$file: $(cat "$file")"
    {
        printf '#include <nnefc/nnefc.h>\n'
        if grep -q '^static' "$file"; then
            cat "$file"
            cat <<'END'
static bool infer(struct nnefc_infer *infer, void *user)
{
    (void)user;
    return nnefc_infer_set_shape(infer, 0, 1, &(int64_t){4});
}
int main(void)
{
    struct nnefc_model *model = nnefc_model_new();
    const struct nnefc_custom_op op = {sizeof op, "mystery", infer, eval, NULL};
    nnefc_model_add_op(model, &op);
    nnefc_model_load(model, "mystery.nnef");
    struct nnefc_run *run = nnefc_run_new(model);
    nnefc_run_randomize_input(run, 0, 1);
    nnefc_run_step(run);
END
        else
            printf 'int main(void)\n{\n'
            sed 's/^/    /' "$file"
        fi
        cat <<'END'
    nnefc_run_free(run);
    nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_FULL, false);
    nnefc_model_free(model);
    return 0;
}
END
    } >client.c
    compile_client client || break
    ./client >out 2>err
    case $file in
    *.wrong.*) meets "$code is reported, and nothing else" [ "$(grep -o '\[N[0-9]*\]: ' err)" = "[$code]: " ] ;;
    *) quiet_err ;;
    esac
done <list
cd .. || exit 1
finish
