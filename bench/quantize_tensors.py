#!/usr/bin/python3
"""quantize_tensors.py NNEFC MODEL INPUT FILE - quantize each tensor of a network in ONNX to 8 bits

What is read and made by operators that execute integers gets a QuantizeLinear and a DequantizeLinear, as tools commonly
write them: with the range that it has for INPUT, a file of NumPy, which nnefc runs.  Weights have a scale for each
channel, and biases 32 bits.  Other operators compute floats.  Extents become those of INPUT.  Needs python3-onnx.
"""
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS = {'Conv': 0, 'ConvTranspose': 1}  # the axis of the weights that has a scale for each index
ALL_OPERANDS = {'Add', 'Mul', 'Concat', 'MatMul'}
MOVES = {'MaxPool', 'Reshape', 'Resize', 'Slice', 'Transpose'}  # have the same code before and behind
ACTIVATIONS = {'Clip', 'Relu'}                                  # a layer and its activation are not parted
OTHERS = {'AveragePool', 'GlobalAveragePool', 'Sigmoid', 'Softmax'}


def call(program, *arguments):
    subprocess.run([program, *arguments, '--quiet'], check=True)


class Ranges:
    """The least and the greatest item of each result, 0 among them."""

    def __init__(self, nnefc, model, sample, folder):
        every, results = os.path.join(folder, 'every.onnx'), os.path.join(folder, 'results.npz')
        names = [name for node in model.graph.node for name in node.output]
        seen = onnx.ModelProto()
        seen.CopyFrom(model)
        known = {value.name: value for value in [*model.graph.value_info, *model.graph.output]}
        del seen.graph.output[:]
        seen.graph.output.extend(
            known.get(name) or helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
        onnx.save(seen, every)
        call(nnefc, 'run', every, f'--input={sample}', f'--output={results}')
        with numpy.load(results) as arrays:
            self.of = {name: self.find(arrays[key]) for name, key in zip(names, arrays.files)}
        self.of[model.graph.input[0].name] = self.find(numpy.load(sample))

    @staticmethod
    def find(items):
        return (min(float(items.min()), 0.0), max(float(items.max()), 0.0))


class Quantizer:
    def __init__(self, model, ranges):
        self.graph = model.graph
        self.ranges = ranges.of
        self.constants = {stored.name: numpy_helper.to_array(stored) for stored in self.graph.initializer}
        self.readers = {}
        for node in self.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node.op_type)
        self.codes = {}  # scale and zero of a tensor
        self.used = {}   # what stands for it, quantized
        self.nodes, self.stored = [], list(self.graph.initializer)

    def store(self, items, dtype):
        name = f'quantized{len(self.stored)}'
        self.stored.append(numpy_helper.from_array(numpy.asarray(items, dtype), name))
        return name

    def add(self, kind, *operands, **attributes):
        result = f'{kind.lower()}{len(self.nodes)}'
        self.nodes.append(helper.make_node(kind, operands, [result], **attributes))
        return result

    def code(self, name):
        if name not in self.codes:
            low, high = self.ranges[name] if name in self.ranges else Ranges.find(self.constants[name])
            scale = numpy.float32((high - low) / 255 or 1)
            self.codes[name] = scale, numpy.clip(numpy.rint(-low / scale), 0, 255)
        return self.codes[name]

    def use(self, name):
        """The tensor, quantized and decoded."""
        if name not in self.used:
            scale, zero = self.code(name)
            pair = self.store(scale, numpy.float32), self.store(zero, numpy.uint8)
            if name in self.constants:
                items = numpy.clip(numpy.rint(self.constants[name] / scale) + zero, 0, 255)
                integers = self.store(items, numpy.uint8)
            else:
                integers = self.add('QuantizeLinear', name, *pair)
            self.used[name] = self.add('DequantizeLinear', integers, *pair)
        return self.used[name]

    def integers(self, items, scale, dtype, axis):
        """Constants by a scale for each index of an axis, or by one for all if there is none."""
        wide = numpy.reshape(scale, [-1 if i == axis else 1 for i in range(items.ndim)])
        names = [self.store(numpy.rint(items / wide), dtype), self.store(scale, numpy.float32),
                 self.store(0 * scale, dtype)]
        return self.add('DequantizeLinear', *names, **({} if axis is None else {'axis': axis}))

    def layer_operands(self, node, axis):
        weights, of_input = self.constants[node.input[1]], self.code(node.input[0])[0]
        others = tuple(i for i in range(weights.ndim) if i != axis)
        bias = self.constants[node.input[2]] if len(node.input) > 2 else numpy.zeros(())
        # No bias is to be beyond its 32 bits.
        scale = numpy.maximum(numpy.abs(weights).max(others) / 127, numpy.abs(bias) / of_input / 2 ** 30)
        scale = numpy.maximum(scale, 1e-9).astype(numpy.float32)
        operands = [self.use(node.input[0]), self.integers(weights, scale, numpy.int8, axis)]
        if len(node.input) > 2:
            operands.append(self.integers(bias, of_input * scale, numpy.int32, 0))
        return operands

    def operands(self, node):
        kind, inputs = node.op_type, list(node.input)
        if kind in LAYERS:
            return self.layer_operands(node, LAYERS[kind])
        if kind == 'MatMul' and inputs[1] in self.constants:
            return self.layer_operands(node, None)  # as ONNX Runtime multiplies them
        if kind in ALL_OPERANDS:
            return [self.use(name) for name in inputs]
        if kind in MOVES | OTHERS:
            return [self.use(inputs[0]), *inputs[1:]]
        return inputs

    def ends_quantized(self, node):
        """Is the result quantized, too?"""
        if node.op_type not in {*LAYERS, *ALL_OPERANDS, *MOVES, *ACTIVATIONS, *OTHERS}:
            return False
        readers = self.readers.get(node.output[0], [])
        return not (node.op_type not in MOVES and len(readers) == 1 and readers[0] in ACTIVATIONS)

    def quantize(self):
        outputs = {output.name for output in self.graph.output}
        for node in list(self.graph.node):
            operands = self.operands(node)
            self.nodes.append(node)
            if node.op_type in MOVES:
                self.codes[node.output[0]] = self.code(node.input[0])
            node.input[:] = operands
            if self.ends_quantized(node) and not outputs & set(node.output):
                self.use(node.output[0])
        read = {name for node in self.nodes for name in node.input}
        del self.graph.node[:], self.graph.initializer[:], self.graph.value_info[:]
        self.graph.node.extend(self.nodes)
        self.graph.initializer.extend(stored for stored in self.stored if stored.name in read)


def main():
    if len(sys.argv) != 5:
        sys.exit('usage: quantize_tensors.py NNEFC MODEL INPUT FILE')
    nnefc, path, sample, target = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, 'plain.onnx')
        name = onnx.load(path).graph.input[0].name
        shape = ','.join(map(str, numpy.load(sample).shape))
        call(nnefc, 'convert', path, plain, f'--shape={name}={shape}')
        model = onnx.load(plain)
        Quantizer(model, Ranges(nnefc, model, sample, folder)).quantize()
    onnx.checker.check_model(model)
    onnx.save(model, target)


if __name__ == '__main__':
    main()
