#!/usr/bin/python3
"""networks.py NAME FILE - write a network with random weights, in ONNX

Networks are those of the literature, batch 1: resnet50 (its batch normalization not folded), vgg16,
squeezenet11, mobilenetv2 (mobilenetv2-narrow has 0.35 of its channels, for an image of 96 x 96), and the encoders
of BERT: bertmini (4 layers of 256) and bertbase (2 of its 12 layers of 768), both for 128 tokens that are embedded
already; bertfused is bertmini in the operators that ONNX Runtime's optimizer puts in the place of those of ONNX.
resnet50-int8, mobilenetv2-int8, vgg16-int8 and squeezenet11-int8 are quantized to 8 bits, each result of an operator by
a range that is guessed; products with weights in bertmini-int8 and bertbase-int8 by the range that is found in each run.
blocks4, blocks8 and blocks4-rows are one MatMulNBits each of a matrix of 4096 x 4096, for one row or 64.
decoder8 is 8 layers of a decoder, all of which read one mask and the tables of its rotary embedding; cells are 12
cells of a search for networks, which read the two cells before.  A name always makes the same weights; their scale
keeps numbers near 1.  Needs python3-onnx.
"""
import sys
import zlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 13
MICROSOFT = 'com.microsoft'
IMAGE = [1, 3, 224, 224]


class Network:
    """A graph that grows: methods add a node and return the name of what it makes."""

    def __init__(self, name, shape):
        self.name = name
        self.random = numpy.random.default_rng(zlib.crc32(name.encode()))
        self.input = helper.make_tensor_value_info('input', TensorProto.FLOAT, shape)
        self.nodes = []
        self.stored = []

    def add(self, kind, *operands, **attributes):
        result = f'{kind.lower()}{len(self.nodes)}'
        self.nodes.append(helper.make_node(kind, operands, [result], **attributes))
        return result

    def store(self, items, dtype=numpy.float32):
        name = f'stored{len(self.stored)}'
        self.stored.append(numpy_helper.from_array(numpy.asarray(items, dtype), name))
        return name

    def noise(self, *shape, scale=1.0, around=0.0):
        return self.store(around + scale * self.random.standard_normal(shape))

    def relu(self, x):
        return self.add('Relu', x)

    def max_pool(self, x, size, stride, padding=0):
        return self.add('MaxPool', x, kernel_shape=[size] * 2, strides=[stride] * 2, pads=[padding] * 4)

    def convolution(self, x, channels, to, size, stride=1, padding=None, groups=1, bias=True):
        fan_in = channels // groups * size * size
        operands = [x, self.noise(to, channels // groups, size, size, scale=(2 / fan_in) ** 0.5)]
        if bias:
            operands.append(self.noise(to, scale=0.01))
        padding = size // 2 if padding is None else padding
        return self.add('Conv', *operands, kernel_shape=[size] * 2, strides=[stride] * 2,
                        pads=[padding] * 4, group=groups)

    def batch_normalization(self, x, channels):
        offset, mean = (self.noise(channels, scale=0.1) for _ in range(2))
        scale = self.noise(channels, scale=0.1, around=1)
        variance = self.store(1 + 0.1 * numpy.abs(self.random.standard_normal(channels)))
        return self.add('BatchNormalization', x, scale, offset, mean, variance, epsilon=1e-5)

    def dense(self, x, size, to):
        return self.add('Gemm', x, self.noise(to, size, scale=size ** -0.5), self.noise(to, scale=0.01), transB=1)

    def pool_and_flatten(self, x):
        return self.add('Flatten', self.add('GlobalAveragePool', x), axis=1)

    def model(self, result, shape):
        output = helper.make_tensor_value_info(result, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, self.name, [self.input], [output], self.stored)
        opsets = [helper.make_opsetid('', OPSET)]
        if any(node.domain == MICROSOFT for node in self.nodes):
            opsets.append(helper.make_opsetid(MICROSOFT, 1))
        model = helper.make_model(graph, producer_name='nnefc', opset_imports=opsets)
        model.ir_version = 8
        return model


class Quantized(Network):
    """The same with QuantizeLinear and DequantizeLinear: a result is quantized once it is used, after its activation."""

    def __init__(self, name, shape):
        super().__init__(name, shape)
        self.ranges = {'input': (-1, 1)}  # of what is not quantized yet
        self.used = {}                    # what stands for it, quantized

    def code(self, low, high):
        scale = (high - low) / 255
        return [self.store(scale), self.store(round(-low / scale), numpy.uint8)]

    def use(self, x):
        if x in self.ranges and x not in self.used:
            code = self.code(*self.ranges[x])
            self.used[x] = super().add('DequantizeLinear', super().add('QuantizeLinear', x, *code), *code)
        return self.used.get(x, x)

    def integers(self, items, scale, dtype):
        """Integers of constants, by a scale for each index of axis 0."""
        wide = numpy.reshape(scale, [-1] + [1] * (items.ndim - 1))
        names = [self.store(numpy.rint(items / wide), dtype), self.store(scale), self.store(0 * scale, dtype)]
        return super().add('DequantizeLinear', *names, axis=0)

    def layer(self, kind, x, shape, deviation, **attributes):
        low, high = self.ranges[x]
        weights = deviation * self.random.standard_normal(shape)
        scale = numpy.abs(weights).reshape(shape[0], -1).max(1) / 127
        bias = self.integers(0.01 * self.random.standard_normal(shape[0]),
                             numpy.float32((high - low) / 255) * numpy.float32(scale), numpy.int32)
        y = super().add(kind, self.use(x), self.integers(weights, scale, numpy.int8), bias, **attributes)
        self.ranges[y] = (-4, 4)
        return y

    def add(self, kind, *operands, **attributes):
        if kind in ('Clip', 'Relu'):
            y = super().add(kind, *operands, **attributes)
            self.ranges[y] = (0, 6)
            return y
        y = super().add(kind, *(self.use(x) for x in operands), **attributes)
        self.ranges[y] = (-6, 6) if kind == 'Add' else self.ranges[operands[0]]
        return y

    def convolution(self, x, channels, to, size, stride=1, padding=None, groups=1, bias=True):
        fan_in = channels // groups * size * size
        padding = size // 2 if padding is None else padding
        return self.layer('Conv', x, (to, channels // groups, size, size), (2 / fan_in) ** 0.5, kernel_shape=[size] * 2,
                          strides=[stride] * 2, pads=[padding] * 4, group=groups)

    def batch_normalization(self, x, channels):
        return x

    def dense(self, x, size, to):
        return self.use(self.layer('Gemm', x, (to, size), size ** -0.5, transB=1))


def resnet50(name, kind=Network):
    net = kind(name, IMAGE)

    def normalized(x, channels, to, size, stride=1):
        return net.batch_normalization(net.convolution(x, channels, to, size, stride, bias=False), to)

    def bottleneck(x, channels, inner, stride, projects):
        shortcut = normalized(x, channels, 4 * inner, 1, stride) if projects else x
        y = net.relu(normalized(x, channels, inner, 1))
        y = net.relu(normalized(y, inner, inner, 3, stride))
        return net.relu(net.add('Add', normalized(y, inner, 4 * inner, 1), shortcut))

    x = net.relu(normalized('input', 3, 64, 7, 2))
    x = net.max_pool(x, 3, 2, 1)
    channels = 64
    for stage, (blocks, inner) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            x = bottleneck(x, channels, inner, stride, block == 0)
            channels = 4 * inner
    return net.model(net.dense(net.pool_and_flatten(x), channels, 1000), [1, 1000])


def vgg16(name, kind=Network):
    net = kind(name, IMAGE)
    x, channels = 'input', 3
    for layers, to in [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)]:
        for _ in range(layers):
            x = net.relu(net.convolution(x, channels, to, 3))
            channels = to
        x = net.max_pool(x, 2, 2)
    x = net.add('Flatten', x, axis=1)
    x = net.relu(net.dense(x, 512 * 7 * 7, 4096))
    x = net.relu(net.dense(x, 4096, 4096))
    return net.model(net.dense(x, 4096, 1000), [1, 1000])


def squeezenet11(name, kind=Network):
    net = kind(name, IMAGE)

    def fire(x, channels, squeezed, expanded):
        x = net.relu(net.convolution(x, channels, squeezed, 1))
        halves = [net.relu(net.convolution(x, squeezed, expanded, size)) for size in (1, 3)]
        return net.add('Concat', *halves, axis=1)

    x = net.relu(net.convolution('input', 3, 64, 3, 2, padding=0))
    x = net.max_pool(x, 3, 2)
    channels = 64
    for squeezed, expanded, pooled in [(16, 64, False), (16, 64, True), (32, 128, False), (32, 128, True),
                                       (48, 192, False), (48, 192, False), (64, 256, False), (64, 256, False)]:
        x = fire(x, channels, squeezed, expanded)
        channels = 2 * expanded
        if pooled:
            x = net.max_pool(x, 3, 2)
    x = net.relu(net.convolution(x, channels, 1000, 1))
    return net.model(net.pool_and_flatten(x), [1, 1000])


def mobilenetv2(name, image=IMAGE, kind=Network, width=1):
    net = kind(name, image)
    low, high = net.store(0), net.store(6)

    def wide(channels):
        return max(8, int(channels * width + 4) // 8 * 8)

    def relu6(x):
        return net.add('Clip', x, low, high)

    def inverted_residual(x, channels, to, stride, expansion):
        inner = expansion * channels
        y = relu6(net.convolution(x, channels, inner, 1)) if expansion > 1 else x
        y = relu6(net.convolution(y, inner, inner, 3, stride, groups=inner))
        y = net.convolution(y, inner, to, 1)
        return net.add('Add', x, y) if stride == 1 and channels == to else y

    channels = wide(32)
    x = relu6(net.convolution('input', 3, channels, 3, 2))
    for expansion, to, blocks, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                          (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(blocks):
            x = inverted_residual(x, channels, wide(to), stride if block == 0 else 1, expansion)
            channels = wide(to)
    x = relu6(net.convolution(x, channels, 1280, 1))
    return net.model(net.dense(net.pool_and_flatten(x), 1280, 1000), [image[0], 1000])


class Encoder:
    """The layers of BERT, in the operators that exporters make of them."""

    def __init__(self, net, size, heads, tokens):
        self.net, self.size, self.tokens = net, size, tokens
        self.per_head = size // heads
        known = -1 if isinstance(tokens, str) else tokens
        self.head_shape = net.store([1, known, heads, self.per_head], numpy.int64)
        self.token_shape = net.store([1, known, size], numpy.int64)
        self.half, self.one, self.two, self.epsilon = (net.store(value) for value in (0.5, 1, 2, 1e-5))
        self.root_of_two = net.store(2 ** 0.5)
        self.scale = net.store(self.per_head ** -0.5)

    def dense(self, x, size, to):
        product = self.net.add('MatMul', x, self.net.noise(size, to, scale=size ** -0.5))
        return self.net.add('Add', product, self.net.noise(to, scale=0.01))

    def normalize(self, x):
        net = self.net
        off = net.add('Sub', x, net.add('ReduceMean', x, axes=[-1]))
        variance = net.add('ReduceMean', net.add('Pow', off, self.two), axes=[-1])
        deviation = net.add('Sqrt', net.add('Add', variance, self.epsilon))
        scaled = net.add('Mul', net.add('Div', off, deviation), net.noise(self.size, scale=0.1, around=1))
        return net.add('Add', scaled, net.noise(self.size, scale=0.1))

    def gelu(self, x):
        net = self.net
        error = net.add('Erf', net.add('Div', x, self.root_of_two))
        return net.add('Mul', net.add('Mul', x, net.add('Add', error, self.one)), self.half)

    def head(self, x, order):
        split = self.net.add('Reshape', self.dense(x, self.size, self.size), self.head_shape)
        return self.net.add('Transpose', split, perm=order)

    def attend(self, x):
        net = self.net
        query, value = (self.head(x, [0, 2, 1, 3]) for _ in range(2))
        key = self.head(x, [0, 2, 3, 1])
        scores = net.add('Mul', net.add('MatMul', query, key), self.scale)
        heads = net.add('MatMul', net.add('Softmax', scores, axis=-1), value)
        joined = net.add('Reshape', net.add('Transpose', heads, perm=[0, 2, 1, 3]), self.token_shape)
        return self.dense(joined, self.size, self.size)

    def layer(self, x):
        x = self.normalize(self.net.add('Add', self.attend(x), x))
        inner = self.gelu(self.dense(x, self.size, 4 * self.size))
        return self.normalize(self.net.add('Add', self.dense(inner, 4 * self.size, self.size), x))


class DynamicEncoder(Encoder):
    """The same layers with weights of 8 bits, and integers of what they are multiplied with."""

    def __init__(self, net, size, heads, tokens):
        super().__init__(net, size, heads, tokens)
        self.zero = net.store(0, numpy.int8)
        self.quantized = {}

    def quantize(self, x):
        if x not in self.quantized:
            names = [f'{x}_{what}' for what in ('integers', 'scale', 'zero')]
            self.net.nodes.append(helper.make_node('DynamicQuantizeLinear', [x], names))
            self.quantized[x] = names
        return self.quantized[x]

    def dense(self, x, size, to):
        net = self.net
        weights = size ** -0.5 * net.random.standard_normal([size, to])
        largest = numpy.abs(weights).max() / 127
        integers, scale, zero = self.quantize(x)
        product = net.add('MatMulInteger', integers, net.store(numpy.rint(weights / largest), numpy.int8), zero, self.zero)
        product = net.add('Cast', product, to=TensorProto.FLOAT)
        product = net.add('Mul', product, net.add('Mul', scale, net.store(largest)))
        return net.add('Add', product, net.noise(to, scale=0.01))


class FusedEncoder:
    """The same layers as ONNX Runtime's optimizer writes them."""

    def __init__(self, net, size, heads, tokens):
        self.net, self.size, self.heads = net, size, heads

    def fused(self, kind, *operands, **attributes):
        return self.net.add(kind, *operands, domain=MICROSOFT, **attributes)

    def weights(self, size, to):
        return self.net.noise(size, to, scale=size ** -0.5)

    def bias(self, size):
        return self.net.noise(size, scale=0.01)

    def normalize(self, product, x):
        scale, offset = self.net.noise(self.size, scale=0.1, around=1), self.net.noise(self.size, scale=0.1)
        return self.fused('SkipLayerNormalization', product, x, scale, offset, self.bias(self.size), epsilon=1e-5)

    def layer(self, x):
        net, size = self.net, self.size
        heads = self.fused('Attention', x, self.weights(size, 3 * size), self.bias(3 * size), num_heads=self.heads)
        x = self.normalize(net.add('MatMul', heads, self.weights(size, size)), x)
        inner = self.fused('BiasGelu', net.add('MatMul', x, self.weights(size, 4 * size)), self.bias(4 * size))
        return self.normalize(net.add('MatMul', inner, self.weights(4 * size, size)), x)


def bert(name, layers, size, heads, tokens=128, kind=Encoder):
    net = Network(name, [1, tokens, size])
    encoder = kind(net, size, heads, tokens)
    x = 'input'
    for _ in range(layers):
        x = encoder.layer(x)
    return net.model(x, [1, tokens, size])


class Decoder(Encoder):
    """Layers of a decoder of text: RMS normalization, rotary embedding, a mask, and a gate."""

    def __init__(self, net, size, heads, tokens):
        super().__init__(net, size, heads, tokens)
        half = self.per_head // 2
        self.tables = [net.noise(1, 1, tokens, self.per_head) for _ in range(2)]
        self.mask = net.noise(1, 1, tokens, tokens)
        self.start, self.middle, self.end = (net.store([at], numpy.int64) for at in (0, half, self.per_head))
        self.last = net.store([3], numpy.int64)

    def normalize(self, x):
        net = self.net
        mean = net.add('ReduceMean', net.add('Mul', x, x), axes=[-1])
        scaled = net.add('Div', x, net.add('Sqrt', net.add('Add', mean, self.epsilon)))
        return net.add('Mul', scaled, net.noise(self.size, scale=0.1, around=1))

    def rotate(self, x):
        net = self.net
        left = net.add('Slice', x, self.start, self.middle, self.last)
        right = net.add('Slice', x, self.middle, self.end, self.last)
        turned = net.add('Concat', net.add('Neg', right), left, axis=3)
        return net.add('Add', net.add('Mul', x, self.tables[0]), net.add('Mul', turned, self.tables[1]))

    def attend(self, x):
        net = self.net
        query, key = (self.rotate(self.head(x, [0, 2, 1, 3])) for _ in range(2))
        scores = net.add('Mul', net.add('MatMul', query, net.add('Transpose', key, perm=[0, 1, 3, 2])), self.scale)
        weights = net.add('Softmax', net.add('Add', scores, self.mask), axis=-1)
        heads = net.add('MatMul', weights, self.head(x, [0, 2, 1, 3]))
        joined = net.add('Reshape', net.add('Transpose', heads, perm=[0, 2, 1, 3]), self.token_shape)
        return self.dense(joined, self.size, self.size)

    def layer(self, x):
        net = self.net
        x = net.add('Add', x, self.attend(self.normalize(x)))
        y = self.normalize(x)
        gate = self.dense(y, self.size, 4 * self.size)
        gated = net.add('Mul', net.add('Mul', gate, net.add('Sigmoid', gate)), self.dense(y, self.size, 4 * self.size))
        return net.add('Add', x, self.dense(gated, 4 * self.size, self.size))


def cells(name, count=12, channels=8):
    """Cells of five sums of two branches, of which all results that nothing reads are joined."""
    net = Network(name, [1, channels, 32, 32])
    branches = [lambda x: net.relu(net.convolution(x, channels, channels, 3)),
                lambda x: net.max_pool(x, 3, 1, 1),
                lambda x: net.relu(net.convolution(branches[0](x), channels, channels, 5)),
                lambda x: x]
    before, x = 'input', net.relu(net.convolution('input', channels, channels, 3))
    for _ in range(count):
        states, read = [before, x], set()
        for _ in range(5):
            sides = [int(net.random.integers(len(states))) for _ in range(2)]
            read.update(sides)
            kinds = [int(net.random.integers(len(branches))) for _ in range(2)]
            states.append(net.add('Add', *(branches[kind](states[side]) for kind, side in zip(kinds, sides))))
        loose = [state for i, state in enumerate(states) if i >= 2 and i not in read]
        joined = net.add('Concat', *loose, axis=1) if len(loose) > 1 else loose[0]
        before, x = x, net.relu(net.convolution(joined, channels * len(loose), channels, 1))
    return net.model(x, [1, channels, 32, 32])


def blocks(name, bits, rows=1, size=4096, block=32):
    """One product with weights of so many bits, in blocks along what is summed, each with its scale."""
    net = Network(name, [rows, size])
    codes = net.store(net.random.integers(0, 256, (size, size // block, block * bits // 8)), numpy.uint8)
    scale = net.store(net.random.uniform(0.5, 1.5, size * size // block) * 2 ** -bits * size ** -0.5)
    y = net.add('MatMulNBits', 'input', codes, scale, domain=MICROSOFT, K=size, N=size, bits=bits, block_size=block)
    return net.model(y, [rows, size])


def loop(name):
    """As often as there are trips, 1 is added to a number; the trips are too many to be unrolled."""
    number, logical = TensorProto.FLOAT, TensorProto.BOOL
    body = helper.make_graph(
        [helper.make_node('Identity', ['go'], ['again']), helper.make_node('Add', ['v', 'one'], ['w'])], 'body',
        [helper.make_tensor_value_info('i', TensorProto.INT64, []), helper.make_tensor_value_info('go', logical, []),
         helper.make_tensor_value_info('v', number, [1])],
        [helper.make_tensor_value_info('again', logical, []), helper.make_tensor_value_info('w', number, [1])])
    graph = helper.make_graph(
        [helper.make_node('Loop', ['trips', '', 'input'], ['output'], body=body)], name,
        [helper.make_tensor_value_info('input', number, [1])], [helper.make_tensor_value_info('output', number, [1])],
        [numpy_helper.from_array(numpy.asarray(10000, numpy.int64), 'trips'),
         numpy_helper.from_array(numpy.ones(1, numpy.float32), 'one')])
    model = helper.make_model(graph, producer_name='nnefc', opset_imports=[helper.make_opsetid('', OPSET)])
    model.ir_version = 8
    return model


NETWORKS = {
    'resnet50': resnet50,
    'vgg16': vgg16,
    'squeezenet11': squeezenet11,
    'mobilenetv2': mobilenetv2,
    'mobilenetv2-narrow': lambda name: mobilenetv2(name, [1, 3, 96, 96], width=0.35),
    'bertmini': lambda name: bert(name, layers=4, size=256, heads=4),
    'bertfused': lambda name: bert(name, layers=4, size=256, heads=4, kind=FusedEncoder),
    'bertopen': lambda name: bert(name, layers=4, size=256, heads=4, tokens='tokens'),
    'loop': loop,
    'decoder8': lambda name: bert(name, layers=8, size=64, heads=4, tokens=32, kind=Decoder),
    'cells': cells,
    'mobileopen': lambda name: mobilenetv2(name, ['batch', 3, 'height', 'width']),
    'resnet50-int8': lambda name: resnet50(name, Quantized),
    'mobilenetv2-int8': lambda name: mobilenetv2(name, kind=Quantized),
    'vgg16-int8': lambda name: vgg16(name, Quantized),
    'squeezenet11-int8': lambda name: squeezenet11(name, Quantized),
    'bertmini-int8': lambda name: bert(name, layers=4, size=256, heads=4, kind=DynamicEncoder),
    'bertbase-int8': lambda name: bert(name, layers=2, size=768, heads=12, kind=DynamicEncoder),
    'blocks4': lambda name: blocks(name, 4),
    'blocks8': lambda name: blocks(name, 8),
    'blocks4-rows': lambda name: blocks(name, 4, rows=64),
    'bertbase': lambda name: bert(name, layers=2, size=768, heads=12),
}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in NETWORKS:
        sys.exit(f'usage: networks.py {"|".join(NETWORKS)} FILE')
    model = NETWORKS[sys.argv[1]](sys.argv[1])
    onnx.checker.check_model(model)
    onnx.save(model, sys.argv[2])


if __name__ == '__main__':
    main()
