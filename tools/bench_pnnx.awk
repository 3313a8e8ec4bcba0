# bench_pnnx.awk - a model of PNNX of -v operators=N: a chain with a branch in each six of them
function put(type, pairs)
{
    printf "%-24s %-24s 1 1 %d %d %s #%d=(1,8,4,4)f32 #%d=(1,8,4,4)f32\n", type, "op_" n, last, n, pairs, last, n
    last = n++
}
function join()
{
    printf "%-24s %-24s 2 1 %d %d %d expr=add(@0,mul(@1,5.000000e-01)) #%d=(1,8,4,4)f32 #%d=(1,8,4,4)f32 #%d=(1,8,4,4)f32\n", \
        "pnnx.Expression", "op_" n, branch, last, n, branch, last, n
    branch = last = n++
}
BEGIN {
    printf "7767517\n%d %d\n", operators, operators - 1
    printf "%-24s %-24s 0 1 0 #0=(1,8,4,4)f32\n", "pnnx.Input", "pnnx_input_0"
    for (n = 1; n < operators - 1;) {
        kind = n % 6
        if (kind == 1) put("nn.ReLU", "")
        else if (kind == 2) put("torch.clamp", "max=6.000000e+00 min=-1.5 $input=" last)
        else if (kind == 3) put("nn.MaxPool2d", "ceil_mode=False dilation=(1,1) kernel_size=(3,3) padding=(1,1) return_indices=False stride=(1,1)")
        else if (kind == 4) put("pnnx.Expression", "expr=sub(sqrt(add(square(@0),1.0)),1.000000e-05)")
        else if (kind == 5) put("Tensor.reshape", "shape=(1,8,4,4) $input=" last)
        else join()
    }
    printf "%-24s %-24s 1 0 %d #%d=(1,8,4,4)f32\n", "pnnx.Output", "pnnx_output_0", last, last
}
