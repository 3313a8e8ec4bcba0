#!/bin/sh
# passes_forms.sh - what NNEF, and versions of ONNX, say in different ways looks and computes the same
. "$(dirname "$0")/lib.sh"

# --- forms of NNEF ----------------------------------------------------------------------------

forms()
{
    run 0 check "$top/tests/passes/normalise-attributes/$1.nnef" --dump=graph \
        --passes=normalise-attributes
}

forms slices
out_has '^a: .*axes = \[0, 1\], begin = \[0, 2\], end = \[1, 5\], stride = \[1, 1\]'
out_has '^c: .*end = \[4\], stride = \[3\]'
out_has '^d: .*begin = \[4\], end = \[-6\], stride = \[-1\]'
out_has '^e: .*begin = \[3\], end = \[-5\], stride = \[-1\]'
for name in g h; do
    out_has "^$name: .*axes = \[1\], begin = .* stride = \[1\]"
done
out_has '^b: .*begin = \[1\], end = \[5\], stride = \[1\]'
out_has '^i: .*begin = \[1\], end = \[5\], stride = \[1\]'
forms shapes
out_has '^a: .*shape = \[0, -1\]'
out_has '^b: .*shape = \[0, 3, 2\], axis_start = 0, axis_count = -1'
out_has '^c: .*axes = \[1, 0, 2, 3\]'
out_has 'ratios = \[1, 3\]'
for name in d g; do
    out_has "^$name: .*axes = \[0, 2\]"
done
forms windows
out_has '^a: .*padding = \[\(0,1\)\], stride = \[\], dilation = \[\], groups = 2'
out_has '^c: .*padding = \[\(0,0\)\], stride = \[2\]'
out_has '^d: .*padding = \[\], stride = \[3\]'

python=
for candidate in python3 /usr/bin/python3; do
    [ -z "$python" ] && "$candidate" -c 'import numpy, onnx' 2>/dev/null && python=$candidate
done
if [ -z "$python" ]; then
    echo 'there is no Python with numpy and onnx: skipped'
    skipped=$((skipped + 1))
    finish
    exit
fi

# As it is, as it is rewritten, and as it is written in NNEF and in ONNX.
agrees()
{
    run 0 compare "$1.onnx" "$1" -i "x=$1.npy" --rtol=1e-6 --atol=1e-6
    run 0 compare "$1.onnx" "$1" -i "x=$1.npy" --rtol=1e-6 --atol=1e-6 --passes=all --verify-passes
    run 0 convert "$1.onnx" "$1.nnef"
    run 0 compare "$1.nnef" "$1" -i "x=$1.npy" --rtol=1e-6 --atol=1e-6
    run 0 convert "$1.onnx" again.onnx
    run 0 compare again.onnx "$1" -i "x=$1.npy" --rtol=1e-6 --atol=1e-6
}

graph()
{
    run 0 check "$1.onnx" --dump=graph --passes=default
    sed 1d out >body
}

# The models, what they are given, and what they make of it: computed by numpy, not by a reader of ONNX.
cat >models.py <<'END'
import os
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

F = np.float32


def model(name, opset, nodes, x, y, known={}):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, name, [value('x', TensorProto.FLOAT, x.shape)],
        [value('y', TensorProto.FLOAT, y.shape)],
        [numpy_helper.from_array(np.array(v), k) for k, v in known.items()])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', opset)], ir_version=4),
         name + '.onnx')
    np.save(name + '.npy', x.astype(F))
    os.makedirs(name, exist_ok=True)
    np.save(name + '/y.npy', y.astype(F))


def one(name, opset, op, x, y, known={}, inputs=(), **attributes):
    node = helper.make_node(op, ['x', *(inputs or known)], ['y'], **attributes)
    model(name, opset, [node], x, y, known)


def ints(*items):
    return np.array(items, np.int64)


x = np.arange(24, dtype=F).reshape(2, 3, 4)
far = 2**31 - 1
y = x[1:2, 0:2]
one('slice_opset1_noaxes', 1, 'Slice', x, y, starts=[1, 0], ends=[far, 2])
one('slice_opset1_axes', 1, 'Slice', x, y, axes=[1, 0], starts=[0, 1], ends=[-1, far])
one('slice_opset10', 10, 'Slice', x, y,
    {'s': ints(1, 0), 'e': ints(2**63 - 1, 2), 'a': ints(0, 1)})
one('slice_noaxes', 13, 'Slice', x, y, {'s': ints(1, 0), 'e': ints(2**63 - 1, -1)})
one('slice_back', 13, 'Slice', x, x[:, ::-2],
    {'s': ints(-1), 'e': ints(-2**63), 'a': ints(-2), 't': ints(-2)})

x = np.array([-1e30, -3, -0.5, 0, 0.5, 3, 1e30], F)
one('clip_min_only', 11, 'Clip', x, np.maximum(x, -1), {'l': np.array(-1, F)})
one('clip_max_only', 11, 'Clip', x, np.minimum(x, 1), {'h': np.array(1, F)}, ('', 'h'))
one('clip_both', 11, 'Clip', x, np.clip(x, -1, 1), {'l': np.array(-1, F), 'h': np.array(1, F)})
one('clip_none', 11, 'Clip', x, x)
one('clip6_min_only', 6, 'Clip', x, np.maximum(x, -1), min=-1.0)
one('clip6_max_only', 6, 'Clip', x, np.minimum(x, 1), max=1.0)
one('clip6_defaults', 6, 'Clip', x, x)
one('clip6_told', 6, 'Clip', x, np.maximum(x, -1), min=-1.0, max=3.402823e+38)
one('clip6_all_told', 6, 'Clip', x, x, min=-3.4028234663852886e+38, max=3.402823e+38)

x = np.arange(1, 7, dtype=F).reshape(2, 3)
pads, widths = [1, 2, 0, 1], [(1, 0), (2, 1)]
five = np.pad(x, widths, constant_values=5)
one('pad_constant5', 11, 'Pad', x, five, {'p': ints(*pads), 'v': np.array(5, F)})
one('pad2_constant5', 2, 'Pad', x, five, pads=pads, value=5.0)
one('pad1_constant5', 1, 'Pad', x, five, paddings=pads, value=5.0)
one('pad_constant', 11, 'Pad', x, np.pad(x, widths), {'p': ints(*pads)}, mode='constant')
for opset, told in (11, {'p': ints(*pads)}), (2, None):
    for mode in 'reflect', 'edge':
        suffix = '' if opset == 11 else '2'
        attributes = {'mode': mode} if told else {'mode': mode, 'pads': pads}
        one(f'pad{suffix}_{mode}', opset, 'Pad', x, np.pad(x, widths, mode), told or {},
            **attributes)
one('pad_wrap', 19, 'Pad', x, np.pad(x, widths, 'wrap'), {'p': ints(*pads)}, mode='wrap')
one('pad_less', 11, 'Pad', x, x[1:, :2], {'p': ints(-1, 0, 0, -1), 'v': np.array(5, F)})
one('pad_both', 11, 'Pad', x, np.pad(x, [(0, 0), (2, 0)], constant_values=5)[:, :4],
    {'p': ints(0, 2, 0, -1), 'v': np.array(5, F)})

x = np.array([1, 2, 4, 8], F).reshape(1, 1, 4)
part = np.array([1, 1, 0.75], F)
upper = x[:, :, [0, 2, 3]]       # 0, 1.33 and 2.67, always up: so before opset 11 if it shrinks
nearer = x[:, :, [0, 1, 3]]      # 0.17, 1.5 and 2.83
double = np.array([1, 1, 2], F)
ramp = np.array([1, 1.5, 2, 3, 4, 6, 8, 8], F).reshape(1, 1, 8)     # i / 2
half = np.array([1, 1.25, 1.75, 2.5, 3.5, 5, 7, 8], F).reshape(1, 1, 8)
one('resize10_nearest', 10, 'Resize', x, upper, {'s': part}, mode='nearest')
one('resize10_linear', 10, 'Resize', x, ramp, {'s': double}, mode='linear')
one('resize11_nearest', 11, 'Resize', x, nearer, {'r': np.array([], F), 's': part}, mode='nearest')
one('resize11_linear', 11, 'Resize', x, half, {'r': np.array([], F), 's': double}, mode='linear')
one('resize11_as10', 11, 'Resize', x, upper, {'r': np.array([], F), 's': part}, mode='nearest',
    coordinate_transformation_mode='asymmetric', nearest_mode='ceil')
one('resize13_sizes', 13, 'Resize', x, half, {'z': ints(1, 1, 8)}, ('', '', 'z'), mode='linear')
one('upsample7_nearest', 7, 'Upsample', x, upper, scales=[1.0, 1.0, 0.75], mode='nearest')
one('upsample7_linear', 7, 'Upsample', x, ramp, scales=[1.0, 1.0, 2.0], mode='linear')
one('upsample9_nearest', 9, 'Upsample', x, upper, {'s': part}, mode='nearest')
one('upsample9_linear', 9, 'Upsample', x, ramp, {'s': double}, mode='linear')
one('upsample9_whole', 9, 'Upsample', x, x.repeat(2, 2), {'s': double}, mode='nearest')
END
meets 'the models are made' "$python" models.py

# --- A25: slices ------------------------------------------------------------------------------

for name in slice_opset1_noaxes slice_opset1_axes slice_opset10 slice_noaxes slice_back; do
    agrees "$name"
done
run 0 compare slice_opset1_noaxes.onnx slice_opset10.onnx --random
graph slice_opset1_noaxes
out_has "slice<scalar>\(x, axes = \[0, 1\], begin = \[1, 0\], end = \[2, 2\], stride = \[1, 1\]\)"
cp body expected
graph slice_opset1_axes
same body expected
graph slice_opset10
same body expected
graph slice_noaxes
same body expected

# --- A26: bounds --------------------------------------------------------------------------------

for name in clip_min_only clip_max_only clip_both clip_none clip6_min_only clip6_max_only \
    clip6_defaults clip6_told clip6_all_told; do
    agrees "$name"
done
graph clip_min_only
out_has ' max\(x, -1.0\)'
out_lacks 'min\(|clamp\('
graph clip6_told
out_has ' max\(x, -1.0\)'
out_lacks 'min\(|clamp\('
graph clip6_all_told
out_lacks 'max\(|min\(|clamp\('
graph clip_both
out_has ' clamp\(x, -1.0, 1.0\)'

# --- A27: padding -------------------------------------------------------------------------------

for name in pad_constant5 pad2_constant5 pad1_constant5 pad_constant pad_reflect pad_edge \
    pad2_reflect pad2_edge pad_wrap pad_less pad_both; do
    agrees "$name"
done
graph pad2_constant5
out_has "pad\(x, padding = \[\(1,0\), \(2,1\)\], border = 'constant', value = 5.0\)"
cp body expected
graph pad1_constant5
same body expected
graph pad_constant5
same body expected
graph pad2_edge
out_has "border = 'replicate', value = 0.0\)"
graph pad_less
out_has ' slice<scalar>\(x, axes = \[0, 1\], begin = \[1, 0\], end = \[2, 2\]'
out_lacks 'pad\('

# --- A28: other extents -------------------------------------------------------------------------

for name in resize10_nearest resize10_linear resize11_nearest resize11_linear resize11_as10 \
    resize13_sizes upsample7_nearest upsample7_linear upsample9_nearest upsample9_linear \
    upsample9_whole; do
    agrees "$name"
done
run 5 compare resize10_nearest.onnx resize11_nearest.onnx --random
run 0 compare resize10_nearest.onnx resize11_as10.onnx --random
graph upsample7_linear
out_has "multilinear_upsample\(x, factor = \[2\], method = 'asymmetric', border = 'replicate'\)"
graph resize11_linear
out_has "method = 'symmetric'"

finish
