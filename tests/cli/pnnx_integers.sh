#!/bin/sh
# pnnx_integers.sh - models of PNNX compute integers as PyTorch does, in the width of their type
#
# Each result is worked by hand from the rules of PyTorch: two's complement; // and % round down; sums of
# integers have 64 bits; a number takes the type of the tensor that it meets.
# shellcheck disable=SC2016 # $input is of PNNX
. "$(dirname "$0")/lib.sh"

# gives ITEM RESULTS - for an input all of whose items are that, by the reference and by all passes
gives()
{
    for how in --raw --backend=portable; do
        run 0 run net.param --fill="$1" --json $how
        out_has "\"values\": \\[$2\\]"
    done
}

# computes TYPE ITEM EXPRESSION RESULT
computes()
{
    pnnx_model "(2)$1" "pnnx.Expression e 1 1 x y expr=$3"
    gives "$2" "$4, $4"
}

computes u8 200 'add(@0,100)' 44
computes i8 127 'add(@0,1)' -128
computes i32 65536 'mul(@0,65536)' 0
computes i64 16777217 'add(@0,1)' 16777218
computes i64 16777217 'eq(@0,16777216)' false
computes i64 16777217 'square(@0)' 281475010265089
computes i64 1099511627777 'remainder(@0,2)' 1
computes i32 30000 'remainder(@0,100003)' 30000
computes i32 -30000 'remainder(@0,100003)' 70003
computes i32 -30000 'fmod(@0,100003)' -30000
computes i64 -16777217 'floor_divide(@0,2)' -8388609
computes i8 -128 'floor_divide(@0,127)' -2
computes i64 -7 'floor_divide(@0,7)' -1
computes i32 16777217 'and(@0,3)' 1
computes u8 200 'or(@0,7)' 207
computes i64 -1 'xor(@0,16777217)' -16777218
computes i64 -16777217 'rshift(@0,1)' -8388609
computes u8 200 'lshift(@0,1)' 144
computes i64 1 'lshift(@0,40)' 1099511627776
computes i64 -16777217 'round(@0)' -16777217
computes bool 1 'xor(@0,@0)' false
computes bool 1 'add(@0,@0)' true
computes bool 1 'mul(@0,lt(@0,1))' false
computes bool 1 'add(@0,1)' 2

pnnx_model '(2)u8' 'torch.bitwise_not n 1 1 x y $input=x'
gives 200 '55, 55'
pnnx_model '(2)i16' 'torch.bitwise_left_shift n 1 1 x y other=12 $input=x'
gives 17 '4096, 4096'
pnnx_model '(2)i32' 'torch.sum s 1 1 x y dim=(0) keepdim=True $input=x'
gives 2147483647 4294967294
pnnx_model '(2)u8' 'torch.prod s 1 1 x y dim=0 keepdim=True $input=x'
gives 200 40000
pnnx_model '(2)i8' 'torch.cumsum s 1 1 x y dim=0 $input=x'
gives 100 '100, 200'

# Two tensors meet in a type that has the integers of both.
pnnx_model '(2)u8' 'Tensor.to t 1 1 x a dtype=torch.int8 $input=x' 'pnnx.Expression e 2 1 x a y expr=add(@0,@1)'
gives 200 '144, 144'

pnnx_model '(2)bool' 'pnnx.Expression e 1 1 x y expr=sub(@0,@0)'
run 4 check net.param
err_has "computes 'sub' of logicals"

# F.pad fills with an item that no double has, or with one that the type lacks.
pnnx_model '(2)i64' 'F.pad p 1 1 x y mode=constant pad=(1,0) value=9007199254740993 $input=x'
gives 5 '9007199254740993, 5, 5'
pnnx_model '(2)i32' 'F.pad p 1 1 x y mode=constant pad=(1,0) value=16777217 $input=x'
gives 5 '16777217, 5, 5'
pnnx_model '(2)u8' 'F.pad p 1 1 x y mode=constant pad=(1,0) value=256 $input=x'
run 1 check net.param
err_has "has 'value' 256, expected an item of UINT8"

# PyTorch has no mean of integers; floats round a large one, which is said.
pnnx_model '(2)i64' 'torch.mean m 1 1 x y dim=(0) keepdim=True $input=x'
run 4 check net.param
err_has 'averages something other than real numbers'
pnnx_model '(2)i64' 'F.hardshrink h 1 1 x y lambd=0.5 $input=x'
run 0 check net.param
err_has 'warning.N0234.*integers of 64 bits as 32-bit floats, which round them beyond 2\^24'
run 1 check net.param -Werror=integer-precision

finish
