#!/bin/sh
# passes_fuse.sh - models of ONNX are the same after fusions, row by row of the table of features
. "$(dirname "$0")/lib.sh"

python=
for candidate in python3 /usr/bin/python3; do
    if [ -z "$python" ] && $candidate -c 'import onnx' 2>/dev/null; then
        python=$candidate
    fi
done

# --- what needs no models of ONNX --------------------------------------------------------------

# A16: passes are listed, and chosen by name
run 0 check "$digits" --list-passes
out_has '^fuse-batch-norm +default +[a-z]'
out_has '^fuse-bias +default +[a-z]'
out_has '^fuse-batch-norm-into-next + put '
out_has '^bn-to-conv +turn '
model norm 'x = external<scalar>( shape = [1,2,4,4] );' \
    'f = variable<scalar>( shape = [2,2,3,3], label = "f" );' \
    'm = variable<scalar>( shape = [1,2], label = "m" );' \
    'c = conv( x, f, 0.5 );' \
    'b = batch_normalization( c, m, 2.0, m, 1.5, epsilon = 0.001 );' \
    'y = relu( b );'
run 0 init norm
run 0 convert norm fused/
quiet_err
meets 'A2: no batch normalization is left' not grep -q batch_normalization fused/graph.nnef
run 0 convert norm raw/ --raw
meets 'A2: unless nothing is to be changed' grep -q batch_normalization raw/graph.nnef
run 0 compare norm fused --random --rtol=1e-5 --atol=1e-5
for how in --no-pass=fuse-batch-norm --passes=fuse-bias --passes=none; do
    run 0 convert norm some/ "$how"
    meets "A16: it is left by $how" grep -q batch_normalization some/graph.nnef
done
run 2 convert norm some/ --passes=fuse-bn
err_has "there is no pass 'fuse-bn'"

# labels of new data are like those of the old
meets 'the filter has another label' grep -q 'label = .f_2.' fused/graph.nnef
meets 'what was replaced is not written' [ ! -e fused/f.dat ]

# what a quantization file says something about stays
cp -r norm quantized
echo '"c": linear_quantize(min = -8.0, max = 8.0, bits = 8);' >quantized/graph.quant
run 0 convert quantized kept/ -v
err_has "'batch_normalization' of 'b' was left: not fused with 'conv' of 'c': its result is needed"
meets 'what has an entry is kept' grep -q batch_normalization kept/graph.nnef

# what there is no room for is left
model wide 'x = external<scalar>( shape = [1,2000] );' \
    'f = variable<scalar>( shape = [2000,2000], label = "f" );' \
    'l = linear( x, f );' 'y = mul( l, 2.0 );'
run 0 init wide
run 0 convert wide narrow/ -v --max-memory=20M
err_has "'mul' of 'y' was left: not fused with 'linear' of 'l': another filter would take too much room"
run 0 convert wide narrow/ -v
err_has '^fuse-scale: 1 changed'

if [ -z "$python" ]; then
    skipped=$((skipped + 1))
    echo 'skipped: models of ONNX, for there is no Python with onnx'
    finish
    exit
fi

# --- models of ONNX ----------------------------------------------------------------------------

"$python" - <<'EOF' || exit 1
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(7)


def save(name, nodes, inputs, outputs, fixed, opset=13):
    """Nodes are (type, inputs, outputs, attributes); fixed are arrays, or shapes of random ones."""
    def port(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    arrays = {k: v if isinstance(v, np.ndarray) else rng.uniform(0.25, 1, v) for k, v in fixed.items()}
    graph = helper.make_graph(
        [helper.make_node(t, i.split(), o.split(), name=o.split()[0], **a) for t, i, o, a in nodes],
        name, [port(k, v) for k, v in inputs.items()], [port(k, v) for k, v in outputs.items()],
        [numpy_helper.from_array(v if v.dtype == np.int64 else v.astype(np.float32), k)
         for k, v in arrays.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', opset)])
    model.ir_version = 7
    onnx.checker.check_model(model)
    onnx.save(model, name + '.onnx')


def norm(x, y, channels, fixed):
    fixed.update({y + part: [channels] for part in ('_scale', '_offset', '_mean', '_variance')})
    return ('BatchNormalization', f'{x} {y}_scale {y}_offset {y}_mean {y}_variance', y, {})


# A2, A18: convolutions with and without bias, groups, of rank 3 to 5
for rank in (3, 4, 5):
    space = [5] * (rank - 2)
    for groups in (1, 2, 4):
        fixed = {'w': [8, 4 // groups] + [3] * (rank - 2), 'b': [8]}
        save(f'conv_bn_{rank}_{groups}',
             [('Conv', 'x w b', 'c', {'group': groups, 'pads': [1] * (2 * rank - 4)}),
              norm('c', 'n', 8, fixed), ('Relu', 'n', 'y', {})],
             {'x': [2, 4] + space}, {'y': [2, 8] + space}, fixed)

# A18: a residual block
fixed = {'w1': [4, 3, 3, 3], 'w2': [4, 4, 3, 3], 'w3': [4, 3, 1, 1]}
save('resnet_block',
     [('Conv', 'x w1', 'c1', {'pads': [1, 1, 1, 1]}), norm('c1', 'n1', 4, fixed),
      ('Relu', 'n1', 'r1', {}),
      ('Conv', 'r1 w2', 'c2', {'pads': [1, 1, 1, 1]}), norm('c2', 'n2', 4, fixed),
      ('Conv', 'x w3', 'c3', {}), norm('c3', 'n3', 4, fixed),
      ('Add', 'n2 n3', 's', {}), ('Relu', 's', 'y', {})],
     {'x': [1, 3, 6, 6]}, {'y': [1, 4, 6, 6]}, fixed)

# A19: transposed convolutions with groups
for groups in (1, 2, 3):
    fixed = {'w': [6, 6 // groups, 3, 3], 'b': [6]}
    save(f'deconv_bn_{groups}',
         [('ConvTranspose', 'x w b', 'c', {'group': groups, 'strides': [2, 2]}),
          norm('c', 'y', 6, fixed)],
         {'x': [1, 6, 3, 3]}, {'y': [1, 6, 7, 7]}, fixed)
fixed = {'w': [4, 1, 3]}
save('deconv_bn_depthwise',
     [('ConvTranspose', 'x w', 'c', {'group': 4}), norm('c', 'y', 4, fixed)],
     {'x': [1, 4, 3]}, {'y': [1, 4, 5]}, fixed)

# A20: products, with factors of their own and of the bias
for name, attributes in (('', {}), ('_transposed', {'transB': 1}),
                         ('_beta', {'transB': 1, 'alpha': 2.0, 'beta': 0.5})):
    fixed = {'w': [5, 3] if 'transB' in attributes else [3, 5], 'b': [5]}
    save('gemm_bn' + name, [('Gemm', 'x w b', 'g', attributes), norm('g', 'y', 5, fixed)],
         {'x': [2, 3]}, {'y': [2, 5]}, fixed)
fixed = {'w': [3, 5], 'b': [5]}
save('matmul_bn', [('MatMul', 'x w', 'm', {}), ('Add', 'm b', 'a', {}), norm('a', 'y', 5, fixed)],
     {'x': [2, 3]}, {'y': [2, 5]}, fixed)

# A21: normalizations that cannot be fused
fixed = {'w': [2, 2, 1, 1], 'v': [2, 2, 1, 1]}
save('bn_left',
     [norm('x', 'pre', 2, fixed), ('Relu', 'pre', 'r', {}), ('Conv', 'r w', 'twice', {}),
      norm('twice', 'first', 2, fixed), ('Conv', 'r v', 'result', {}),
      norm('result', 'second', 2, fixed), ('Add', 'twice first', 's', {}),
      ('Add', 's second', 'y', {})],
     {'x': [1, 2, 3, 3]}, {'y': [1, 2, 3, 3], 'result': [1, 2, 3, 3]}, fixed)

# A22: normalizations alone
for rank in (2, 3, 4, 5):
    fixed = {}
    shape = [2, 3] + [4] * (rank - 2)
    save(f'bn_{rank}', [('Relu', 'x', 'r', {}), norm('r', 'y', 3, fixed)],
         {'x': shape}, {'y': shape}, fixed)

# A23: sums with constants; `width` is as long as there are channels
sums = {'existing': ('c k', [1, 4, 1, 1]), 'channel': ('c k', [4, 1, 1]), 'scalar': ('c k', []),
        'single': ('c k', [1]), 'first': ('k c', [1, 4, 1, 1])}
for name, (operands, shape) in sums.items():
    save('bias_add_' + name,
         [('Conv', 'x w b' if name == 'existing' else 'x w', 'c', {}), ('Add', operands, 'y', {})],
         {'x': [1, 2, 4, 4]}, {'y': [1, 4, 4, 4]}, {'w': [4, 2, 1, 1], 'b': [4], 'k': shape})
    save('bias_sub_' + name,
         [('ConvTranspose', 'x w b', 'c', {}), ('Sub', operands, 'y', {})],
         {'x': [1, 2, 4, 4]}, {'y': [1, 4, 4, 4]}, {'w': [2, 4, 1, 1], 'b': [4], 'k': shape})
for name, shape in (('width', [4]), ('plane', [4, 4]), ('item', [1, 4, 4, 4])):
    save('bias_left_' + name, [('Conv', 'x w b', 'c', {}), ('Add', 'c k', 'y', {})],
         {'x': [1, 2, 4, 4]}, {'y': [1, 4, 4, 4]}, {'w': [4, 2, 1, 1], 'b': [4], 'k': shape})
save('bias_left_widens', [('Conv', 'x w', 'c', {}), ('Add', 'c k', 'y', {})],
     {'x': [1, 2, 4, 4]}, {'y': [1, 8, 4, 4]}, {'w': [1, 2, 1, 1], 'k': [1, 8, 1, 1]})
save('bias_left_output', [('Conv', 'x w', 'c', {}), ('Add', 'c k', 'y', {})],
     {'x': [1, 2, 4, 4]}, {'y': [1, 4, 4, 4], 'c': [1, 4, 4, 4]},
     {'w': [4, 2, 1, 1], 'k': [1, 4, 1, 1]})
save('gemm_add', [('Gemm', 'x w b', 'g', {'transB': 1}), ('Add', 'g k', 'y', {})],
     {'x': [2, 3]}, {'y': [2, 5]}, {'w': [5, 3], 'b': [5], 'k': [5]})
save('gemm_left_rank', [('Gemm', 'x w b', 'g', {'transB': 1}), ('Add', 'g k', 'y', {})],
     {'x': [2, 3]}, {'y': [2, 2, 5]}, {'w': [5, 3], 'b': [5], 'k': [2, 1, 5]})
save('gemm_left_rows', [('Gemm', 'x w b', 'g', {'transB': 1}), ('Add', 'g k', 'y', {})],
     {'x': [2, 3]}, {'y': [2, 5]}, {'w': [5, 3], 'b': [5], 'k': [2, 1]})

# windows behind Pad
pads = np.array([0, 0, 1, 0, 0, 0, 1, 2], np.int64)
for name, kind, attributes in (('conv', 'Conv', {}), ('conv_padded', 'Conv', {'pads': [0, 1, 1, 0]}),
                               ('mean', 'AveragePool', {'kernel_shape': [2, 2]}),
                               ('maximum', 'MaxPool', {'kernel_shape': [2, 2]})):
    height, width = (6, 6) if name == 'conv_padded' else (5, 5)
    save('pad_' + name,
         [('Pad', 'x p', 'b', {'mode': 'constant'}),
          (kind, 'b w' if kind == 'Conv' else 'b', 'y', attributes)],
         {'x': [1, 2, 4, 4]}, {'y': [1, 2, height, width]},
         {'p': pads, **({'w': [2, 2, 2, 2]} if kind == 'Conv' else {})})
EOF

# same_after MODEL - as it is and rewritten, it computes the same
same_after()
{
    run 0 convert --raw "$1.onnx" raw/
    run 0 convert "$1.onnx" default/ --verify-passes
    run 0 compare raw default --random --rtol=1e-5 --atol=1e-5
    rm -rf raw default
}

# left MODEL OPERATION COUNT - how many of them there are in the end
left()
{
    run 0 check "$1.onnx" --dump=graph --passes=default
    meets "$3 of '$2' in $1" [ "$(grep -c " = $2[<(]" out)" -eq "$3" ]
}

# A2: loading and formatting are one
run 0 check conv_bn_4_1.onnx --dump=graph --raw
meets 'A2: one, raw' [ "$(grep -c 'batch_norm' out)" -eq 1 ]
left conv_bn_4_1 batch_normalization 0
left conv_bn_4_1 conv 1

# A16
run 0 convert --no-pass=fuse-batch-norm conv_bn_4_1.onnx without/
meets 'A16: one, without that pass' \
    [ "$(grep -c 'batch_normalization' without/graph.nnef)" -eq 1 ]

# A18
for each in conv_bn_3_1 conv_bn_3_2 conv_bn_3_4 conv_bn_4_1 conv_bn_4_2 conv_bn_4_4 conv_bn_5_1 \
    conv_bn_5_2 conv_bn_5_4 resnet_block; do
    same_after $each
    left $each batch_normalization 0
done

# A19
for each in deconv_bn_1 deconv_bn_2 deconv_bn_3 deconv_bn_depthwise; do
    same_after $each
    left $each batch_normalization 0
done

# A20
for each in gemm_bn gemm_bn_transposed gemm_bn_beta matmul_bn; do
    same_after $each
    left $each batch_normalization 0
    left $each linear 1
    left $each matmul 0
done

# A21
same_after bn_left
run 0 convert -v bn_left.onnx remarks/
err_has "fuse-batch-norm: 'batch_normalization' of 'pre' was left: not fused: 'x' is the result of no"
err_has "'batch_normalization' of 'first' was left: not fused with 'conv' of 'twice': its result is"
err_has "'batch_normalization' of 'second' was left: not fused with 'conv' of 'result': its result"
run 0 convert -v conv_bn_4_1.onnx remarks/
err_lacks 'not fused'

# A22
for rank in 2 3 4 5; do
    run 0 convert --raw bn_$rank.onnx raw/
    for pass in bn-to-conv bn-to-scale; do
        run 0 convert --passes=$pass bn_$rank.onnx other/
        run 0 compare raw other --random --rtol=1e-5 --atol=1e-5
        case $pass$rank in
        bn-to-conv2) what=batch_normalization ;;
        bn-to-conv*) what=conv ;;
        *) what=mul ;;
        esac
        meets "A22: rank $rank by $pass is '$what'" grep -q " = $what(" other/graph.nnef
        rm -rf other
    done
    rm -rf raw
    left bn_$rank batch_normalization 1
done

# A23
for each in existing channel scalar single first; do
    same_after bias_add_$each
    left bias_add_$each add 0
    same_after bias_sub_$each
    left bias_sub_$each sub 0
done
for each in width plane item widens output; do
    same_after bias_left_$each
    left bias_left_$each add 1
done
same_after gemm_add
left gemm_add add 0
for each in rank rows; do
    same_after gemm_left_$each
    left gemm_left_$each add 1
done

# padding
for each in conv conv_padded mean; do
    same_after pad_$each
    left pad_$each pad 0
done
same_after pad_maximum
left pad_maximum pad 1

finish
