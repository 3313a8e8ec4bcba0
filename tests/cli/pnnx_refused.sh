#!/bin/sh
# pnnx_refused.sh - what NNEF cannot say of a model of PNNX is refused by operator and line, and nothing is
# written; what it can say is converted (row C19 of the table of capabilities)
# shellcheck disable=SC2016 # $input is of PNNX
. "$(dirname "$0")/lib.sh"

# refuses SHAPE NUMBER WORDS LINE... - a model with these lines, from 4 on, between an input `x` and an
# output `y`: that of the number cannot be said, with these words
refuses()
{
    shape=$1 number=$2 words=$3
    shift 3
    pnnx_model "$shape" "$@"
    run 4 convert --message-format=short net.param net/
    one_error
    type=$(sed -n "${number}s/ .*//p" net.param)
    name=$(sed -n "${number}s/[^ ]* //; ${number}s/ .*//p" net.param)
    err_has "^net.param:$number:[0-9]+: error\[N0231\]: '$name'.*$words"
    err_has "\\($type\\)|operator '$type'|operand '$name'"
    absent net
}

# --- operators and forms of them ------------------------------------------------------------------

refuses '(2,8)f32' 4 "operator 'torch.fft.rfft' is not supported" 'torch.fft.rfft fft 1 1 x y dim=-1 $input=x'
refuses '(2,8)f32' 5 "operator 'models.yolo.Detect'" 'nn.ReLU r 1 1 x z' 'models.yolo.Detect d 1 1 z y'
refuses '(2,3)f32' 4 'indices into several dimensions' 'Tensor.index ix 1 1 x y expr=[[0,1],[2,0]] $input=x'
refuses '(2,3)f32' 4 'no list of indices' 'Tensor.index ix 1 1 x y expr=[None,None,None] $input=x'
refuses '(2,3)f32' 4 'no list of indices' 'Tensor.index ix 1 1 x y $input=x'
refuses '(2,3)f32' 4 'with the bits of real numbers' 'pnnx.Expression e 1 1 x y expr=and(@0,3)'
refuses '(2,3)f32' 5 'with the bits of real numbers' 'nn.ReLU r 1 1 x z' 'pnnx.Expression e 2 1 x z y expr=xor(@0,or(@1,1))'
refuses '(1,1,4)f32' 4 'divides sums by another number' \
    'nn.AvgPool1d p 1 1 x y kernel_size=(2) divisor_override=3'
refuses '(1,1,4,4)f32' 4 'divides sums by another number' \
    'F.avg_pool2d p 1 1 x y kernel_size=(2,2) stride=(2,2) padding=(0,0) divisor_override=3 $input=x'
refuses '(2,3)f32' 4 "rounds a quotient 'up'" 'torch.div d 2 1 x x y rounding_mode=up $input=x $other=x'
refuses '(2,3)f32' 4 'norm of order 3' 'torch.norm n 1 1 x y p=3 dim=(1) keepdim=True $input=x'
refuses '(2,3)f32' 4 'norm of order 3' 'F.normalize n 1 1 x y p=3 dim=1 eps=1e-12 $input=x'
refuses '(2,3,4)f32' 4 'as in training' 'F.batch_norm b 1 1 x y training=True $input=x'
refuses '(2,3,4)f32' 4 'statistics of its input' 'nn.BatchNorm1d b 1 1 x y num_features=3 eps=1e-5'
refuses '(1,4,6)f32' 4 'of which none is in the middle' 'nn.LocalResponseNorm n 1 1 x y size=2 alpha=1.0 beta=0.75 k=1.0'
refuses '(1,3)f32' 4 'halves shape' 'nn.GLU g 1 1 x y dim=1'
refuses '(2,3)f32' 4 "makes items of type 'torch.complex64'" 'Tensor.to c 1 1 x y dtype=torch.complex64 $input=x'
refuses '(1,2,3)f32' 4 'projects its states' 'nn.LSTM l 1 1 x y input_size=3 hidden_size=4 proj_size=2 num_layers=1'
refuses '(2,1,4)f32' 4 'keys that are added' 'nn.MultiheadAttention m 1 1 x y num_heads=2 embed_dim=4 add_zero_attn=True'
refuses '(1,3,4,4)f32' 4 'has an output 1' \
    'nn.AdaptiveMaxPool2d p 1 2 x z i output_size=(2,2) return_indices=True' 'nn.ReLU r 1 1 i y'
refuses '(2,3)f32' 4 'does not say how it splits' 'torch.split s 1 2 x y z dim=1 $input=x'
refuses '(2,3)f32' 4 'shuffles shape' 'nn.ChannelShuffle s 1 1 x y groups=2'

# --- types and expressions ------------------------------------------------------------------------

refuses '(2)f32' 4 "computes 'digamma' of 1 operands" 'pnnx.Expression e 1 1 x y expr=add(1,digamma(@0))'
refuses '(2)f32' 4 'complex number 1.0e\+00\+2.0e\+00j' 'pnnx.Expression e 1 1 x y expr=mul(@0,1.0e+00+2.0e+00j)'
for each in c32 c64 c128 cp64; do
    refuses "(2)$each" 3 "operand 'x' is of type c" 'nn.ReLU r 1 1 x y'
done

# --- C19: what can be said ------------------------------------------------------------------------

# convert_model FILE [OPTION] - to NNEF and to ONNX, which compute the same
convert_model()
{
    rm -rf net net.onnx
    run 0 convert "$1" net/ ${2:+"$2"}
    run 0 verify net
    run 0 convert "$1" net.onnx ${2:+"$2"}
    case $1 in
    */resnet_93_graph/*) return ;; # takes seconds; its results are compared elsewhere
    esac
    run 0 compare "$1" net --random --atol=1e-5 --rtol=1e-5 ${2:+"$2"}
    run 0 compare net.onnx net --random --atol=1e-5 --rtol=1e-5
}

pnnx=$top/../shared/pnnx
if [ -d "$pnnx" ]; then
    for each in "$pnnx"/gen/*/*.param "$pnnx"/real-mit/*/*.param; do
        case $each in
        */complex/*) ;;
        */dynamic/*) convert_model "$each" --shape=pnnx_input_0=1,3,16,16 ;;
        *) convert_model "$each" ;;
        esac
    done
    run 4 convert --message-format=short "$pnnx/gen/complex/complex.pnnx.param" no/
    err_has "complex.pnnx.param:4:1: .*'torch.fft.rfft_1': operator 'torch.fft.rfft' is not supported"
    run 4 convert --message-format=short "$pnnx/param-only-mit/yolov5s/yolov5s.pnnx.param" no/
    one_error
    err_has "yolov5s.pnnx.param:[0-9]+:1: .*operator 'models.yolo.Detect' is not supported"
    run 3 convert --message-format=short "$pnnx/param-only-mit/mobile_224/mobile_224.pnnx.param" no/
    one_error
    err_has 'mobile_224.pnnx.bin: error'
    absent no
else
    skipped=$((skipped + 1))
    echo 'skipped: models of PNNX, which are not here'
fi

finish
