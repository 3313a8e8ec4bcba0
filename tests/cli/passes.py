"""passes.py FOLDER - models of ONNX for passes.sh, and what they must give"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = sys.argv[1]
FLOAT = TensorProto.FLOAT


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs, tensors=(), opset=13):
    graph = helper.make_graph(nodes, name, inputs, outputs,
                              [numpy_helper.from_array(array, key) for key, array in tensors])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 7
    onnx.save(model, f"{FOLDER}/{name}.onnx")


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def const_forms():
    """Every form of Constant; one is an output itself."""
    array = np.array([[1, 2], [3, 4]], np.float32)
    nodes = [
        node("Constant", "", "a", value=numpy_helper.from_array(array)),
        node("Constant", "", "b", value_float=0.5),
        node("Constant", "", "c", value_floats=[10.0, 20.0]),
        node("Constant", "", "i", value_int=2),
        node("Constant", "", "j", value_ints=[1, 4]),
        node("Constant", "", "s", sparse_value=sparse("values", [5.0], [3], [2, 2], [1])),
        node("Cast", "i", "fi", to=FLOAT),
        node("Reshape", "x j", "row"),
        node("Reshape", "row k", "square"),
        node("Constant", "", "k", value_ints=[2, 2]),
    ]
    nodes.insert(7, nodes.pop())
    names = ["square", "a", "b", "c", "fi", "s"]
    for index, name in enumerate(names[1:]):
        nodes.append(node("Add", f"{'square' if index == 0 else f't{index - 1}'} {name}",
                          f"t{index}"))
    nodes.append(node("Identity", "t4", "y"))
    save("const_forms", nodes, [value("x", [4])], [value("y", [2, 2]), value("a", [2, 2])])


def sparse(name, values, indices, dims, index_dims):
    return helper.make_sparse_tensor(
        helper.make_tensor(name, FLOAT, [len(values)], values),
        helper.make_tensor(f"{name}_indices", TensorProto.INT64, index_dims, indices), dims)


def sparse_initializer():
    """A weight with one index for each dimension; the same in full; and one with an index too large."""
    for name, indices in ("sparse", [0, 1, 2, 0]), ("sparse_outside", [0, 1, 3, 0]):
        graph = helper.make_graph([node("Add", "x w", "y")], name, [value("x", [3, 2])],
                                  [value("y", [3, 2])])
        graph.sparse_initializer.append(sparse("w", [1.5, -2.0], indices, [3, 2], [2, 2]))
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]),
                  f"{FOLDER}/{name}.onnx")
    save("dense", [node("Add", "x w", "y")], [value("x", [3, 2])], [value("y", [3, 2])],
         [("w", np.array([[0, 1.5], [0, 0], [-2, 0]], np.float32))])


def cast_same():
    save("cast_same", [node("Cast", "x", "c", to=FLOAT), node("Relu", "c", "y")],
         [value("x", [3])], [value("y", [3])])


def resize10():
    """Of opset 10, and what that means said in opset 11; Upsample of opset 9."""
    scales = ("scales", np.array([1, 1, 2, 3], np.float32))
    ends = [value("x", [1, 1, 2, 3])], [value("y", [1, 1, 4, 9])]
    for mode in "nearest", "linear":
        save(f"resize10_{mode}", [node("Resize", "x scales", "y", mode=mode)], *ends, [scales], 10)
        save(f"resize9_{mode}", [node("Upsample", "x scales", "y", mode=mode)], *ends, [scales], 9)
        how = {"coordinate_transformation_mode": "asymmetric"}
        if mode == "nearest":
            how["nearest_mode"] = "floor"
        resize = helper.make_node("Resize", ["x", "roi", "scales"], ["y"], mode=mode, **how)
        save(f"resize11_{mode}", [resize], *ends, [("roi", np.zeros(0, np.float32)), scales], 11)


def identity_outputs():
    """Two of one tensor, an input and a weight that are outputs by way of copies."""
    nodes = [node("Relu", "x", "r"), node("Identity", "r", "z"), node("Identity", "r", "y"),
             node("Identity", "x", "same"), node("Identity", "w", "weight")]
    save("identity_outputs", nodes, [value("x", [2])],
         [value(name, [2]) for name in ("z", "weight", "y", "same")],
         [("w", np.array([3, 4], np.float32))])
    save("identity_only", [node("Identity", "x", "y")], [value("x", [2])], [value("y", [2])])


def unused_inputs():
    nodes = [node("Relu", "x", "y"), node("Exp", "u", "lost"), node("Neg", "lost", "more")]
    save("unused_inputs", nodes, [value(name, [2]) for name in ("x", "u", "never")],
         [value("y", [2])])


def shared():
    """A weight that two layers and an output have in common."""
    nodes = [node("MatMul", "x w", "h"), node("Relu", "h", "r"), node("MatMul", "r w", "y"),
             node("Identity", "w", "weight")]
    weight = np.arange(400, dtype=np.float32).reshape(20, 20) / 400
    save("shared", nodes, [value("x", [1, 20])], [value("y", [1, 20]), value("weight", [20, 20])],
         [("w", weight)])


for make in const_forms, sparse_initializer, cast_same, resize10, identity_outputs, unused_inputs, shared:
    make()
