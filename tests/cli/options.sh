#!/bin/sh
# options.sh - an option that has no effect on this verb, model or output is refused with a hint
#
# The table has each option that is for some formats only.  What it says is tried with every verb that
# has the option and a model of every format, and with convert and an output of every format.
. "$(dirname "$0")/lib.sh"

model net 'x = external<scalar>( shape = [1,2] );' 'y = neg(x);'
mkdir -p of && cp net/graph.nnef of/nnef
"$NNEFC" convert net of/onnx --to=onnx
"$NNEFC" compile net -o of/graph
printf '7767517\n3 2\npnnx.Input x 0 1 0 #0=(1,2)f32\ntorch.neg n 1 1 0 1\npnnx.Output y 1 0 1\n' >of/pnnx
printf '' >empty
"$NNEFC" run net --random -q -o x.npy

formats='nnef onnx graph pnnx'

# tried OPTION ALLOWED FORMAT ARGUMENT... - refused by status 2 with that hint, unless the format is allowed
tried()
{
    option_name=$1 allowed=$2 format=$3
    shift 3
    said=$*
    "$NNEFC" "$@" >out 2>err </dev/null
    got=$?
    case " $allowed " in
    *" $format "*) meets "$option_name has an effect on $format" not grep -q -- "$option_name is for" err ;;
    *)
        meets "exit status 2 (it was $got)" [ $got -eq 2 ]
        quiet_out
        meets "$option_name is refused for $format" grep -q -- "$option_name is for .*, but '.*' is" err
        ;;
    esac
}

# --- formats of models ---------------------------------------------------------------------------

# option=value, and the formats that it is for
cat >reads <<'END'
--std=1.0 nnef
--trust-shapes onnx pnnx
--bin=empty pnnx
--quant-file=empty nnef
--graph pnnx
END
while read -r option allowed; do
    name=${option%%=*}
    tries=0
    for verb in check info list verify run bench init pack convert compile; do
        "$NNEFC" help $verb | grep -q -- "^  $name" || continue
        for format in $formats; do
            case $verb in
            run) set -- --random -q ;;
            bench) set -- --time=0 -q ;;
            pack) set -- out.tgz ;;
            convert) set -- out.nnef ;;
            compile) set -- -o out.ng ;;
            *) set -- ;;
            esac
            rm -rf out.*
            tried "$name" "$allowed" $format $verb of/$format "$option" "$@"
            tries=$((tries + 1))
        done
    done
    said="the table of options ($name)"
    meets "some verb has $name" [ $tries -gt 0 ]
done <reads

run 0 info of/onnx --std=auto

# A command that reads several models has an effect on one of them.
run 0 check of/nnef of/onnx --std=1.0
run 0 verify of/onnx of/nnef --trust-shapes
run 0 compare of/nnef of/onnx --random --trust-shapes

# --- formats that convert writes -----------------------------------------------------------------

cat >writes <<'END'
--profile=custom nnef
--opset=17 onnx
--functions onnx
--allow-custom onnx
--external-data onnx
--state=inputs onnx
--dynamic=x:0=n onnx
END
while read -r option allowed; do
    for format in $formats; do
        raw=
        [ $format = pnnx ] && raw=--raw
        rm -rf out.*
        # shellcheck disable=SC2086 # nothing, or one option
        tried "${option%%=*}" "$allowed" $format convert of/nnef out.$format --to=$format "$option" $raw
    done
done <writes

# --- options that need another one ---------------------------------------------------------------

# refused HINT ARGUMENT...
refused()
{
    hint=$1
    shift
    run 2 "$@"
    err_has "$hint"
    quiet_out
}

refused "--rtol has no effect without --expect" run net --random --rtol=1
refused "--atol has no effect without --expect" run net --random --atol=1
refused "--exact has no effect without --pack" compile net -o out.ng --exact
refused "--threads is for --dump=plan" check net --threads=1
for verb in run bench check; do
    refused "--fold-limit has no effect without --passes" $verb net --fold-limit=3
    refused "--prune-inputs has no effect without --passes" $verb net --prune-inputs
    refused "--verify-passes has no effect without --passes" $verb net --verify-passes
done
refused "--raw leaves no passes for --no-pass" convert net out.onnx --raw --no-pass=fold
refused "--list lists all codes, so that '137' has no effect" explain 137 --list
refused "'--bogus' has no effect behind 'version'" version --bogus
refused "'x' has no effect behind 'run'" help run x
run 0 help help
out_has '^commands:'

finish
