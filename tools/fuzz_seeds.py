#!/usr/bin/env python3
"""fuzz_seeds.py FOLDER - writes what the fuzzer starts from into FOLDER/NAME for every target

Texts are the documents of tests/ and examples/; files of data are made here, one of every form
that can be read and a few that cannot.  `make fuzz-corpus` keeps those that reach code no other
reaches.
"""
import io
import pathlib
import struct
import sys
import tarfile
import warnings
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGEST_TEXT = 4096


class Seeds:
    def __init__(self, folder, name):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.count = 0

    def add(self, data):
        (self.folder / f"{self.count:04}").write_bytes(data)
        self.count += 1


# --- texts -------------------------------------------------------------------------------------


def documents():
    paths = sorted((ROOT / "tests").rglob("*.nnef")) + sorted((ROOT / "examples").rglob("*.nnef"))
    return [path for path in paths if path.is_file()]


def add_texts(folder):
    names = ("text", "lower", "convert", "rewrite", "run")
    text, lower, convert, rewrite, run = (Seeds(folder, name) for name in names)
    for path in documents():
        data = path.read_bytes()
        if len(data) > LARGEST_TEXT:
            continue
        text.add(data)
        if "syntax" not in path.parts:
            lower.add(data)  # expanded or not is told by whether the size is odd
            lower.add(data + b"\n")
        if "op" in path.parts and b"#>" in data and "rules" not in path.parts:
            convert.add(data)  # the opset is told by the size
        if "passes" in path.parts:
            rewrite.add(data)
        if b"#>" in data and "rules" not in path.parts:
            run.add(data)
            run.add(data + (6 - len(data)) % 8 * b"\n")  # a size that feeds NaN and infinities


def add_quant(folder):
    quant = Seeds(folder, "quant")
    for path in sorted((ROOT / "tests/quant").glob("*.quant")):
        data = path.read_bytes()
        data += b"\n" * (-len(data) % 4)
        for extra in range(4):  # the model and what becomes of it are told by the size
            quant.add(data + b"\n" * extra)


# --- data --------------------------------------------------------------------------------------

FLOAT, UNSIGNED, QUANTIZED, QUANTIZED_SIGNED, SIGNED, BOOL = range(6)


def dat(kind, bits, extents, parameters=b""):
    count = 1
    for extent in extents:
        count *= extent
    size = (count * bits + 7) // 8
    items = bytes((i * 37 + 11) % 251 for i in range(size))
    padded = list(extents) + [0] * (8 - len(extents))
    head = b"\x4e\xef\1\0" + struct.pack("<II8III", size, len(extents), *padded, bits, kind)
    return (head + parameters).ljust(128, b"\0") + items


def provisional_dat(bits, extents, algorithm=b""):
    count = 1
    for extent in extents:
        count *= extent
    size = (count * bits + 7) // 8
    offset = 12 + 4 * len(extents) + 4 + len(algorithm)
    head = b"\x4e\xef\1\0" + struct.pack("<II", offset, len(extents))
    head += struct.pack(f"<{len(extents)}I", *extents)
    head += struct.pack("<BBH", 0, bits, len(algorithm)) + algorithm
    return head + bytes((i * 29 + 5) % 251 for i in range(size))


def dats():
    for bits in (16, 32, 64):
        yield dat(FLOAT, bits, [2, 3])
    for kind in (UNSIGNED, QUANTIZED, QUANTIZED_SIGNED, SIGNED):
        for bits in (1, 3, 4, 7, 8, 16, 24, 32, 64):
            yield dat(kind, bits, [3, 2])
    yield dat(BOOL, 1, [9])
    yield dat(BOOL, 8, [4])
    yield dat(FLOAT, 32, [])
    yield dat(FLOAT, 32, [1, 1, 1, 1, 2, 1, 1, 1])
    yield dat(FLOAT, 33, [2])
    yield dat(9, 32, [2])
    for code in (0x10, 0x11, 1):
        yield dat(code, 8, [2, 2], parameters=struct.pack("<ff", -1.0, 1.0))
    legacy = dat(FLOAT, 32, [2, 3])
    yield legacy[:128] + b"\0\0\0\0" + legacy[128:]
    yield legacy[:-1]
    yield legacy[:100]
    yield provisional_dat(32, [2, 3])
    yield provisional_dat(16, [2])
    for algorithm in (b"linear_quantize(min = 0.0, max = 1.0, bits = 8)", b"linear(0.0, 1.0)"):
        yield provisional_dat(8, [2, 3], algorithm)


def npy(descr, shape, items, version=1, fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    size = "<H" if version == 1 else "<I"
    room = -(8 + struct.calcsize(size) + len(header) + 1) % 16
    header += " " * room + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(size, len(header)) + header.encode() + items


def npys():
    for descr, size in (("f2", 2), ("f4", 4), ("f8", 8), ("i2", 2), ("i4", 4), ("i8", 8), ("u4", 4)):
        for order in "<>":
            yield npy(order + descr, "(2, 3)", bytes(i * 7 % 256 for i in range(6 * size)))
    for descr in ("|i1", "|u1", "|b1"):
        yield npy(descr, "(3,)", b"\0\1\1")
    yield npy("<f4", "()", b"\0\0\x80\x3f")
    yield npy("<f4", "(0, 2)", b"")
    yield npy("<f4", "(2, 3)", bytes(range(24)), version=2)
    yield npy("<f4", "(2, 3)", bytes(range(24)), version=3)
    yield npy("<i4", "(2, 3)", bytes(range(24)), fortran=True)
    yield npy("<f4", "(2, 1, 3)", bytes(range(24)), fortran=True)
    yield npy("<c8", "(1,)", bytes(8))
    yield npy("<f4", "(2, 3)", b"")


def zipped(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def add_data(folder):
    seeds = Seeds(folder, "dat")
    for data in dats():
        seeds.add(data)
    seeds = Seeds(folder, "npy")
    arrays = list(npys())
    for data in arrays:
        seeds.add(data)
    two = [("a.npy", arrays[0]), ("b.npy", arrays[3])]
    seeds.add(zipped(two))
    seeds.add(zipped(two, zipfile.ZIP_DEFLATED))
    seeds.add(zipped([]))
    seeds.add(zipped([("a.npy", b"none"), ("folder/", b"")]))


# --- images ------------------------------------------------------------------------------------


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(colour, depth, size=4, interlaced=0, extra=b""):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    row = (size * channels * depth + 7) // 8
    rows = b"".join(bytes([y % 5]) + bytes((i * 31 + y) % 256 for i in range(row)) for y in range(size))
    rows += bytes(size * 2) if interlaced else b""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, depth, colour, 0, 0, interlaced))
    body = chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + head + extra + body + chunk(b"IEND", b"")


def add_images(folder):
    seeds = Seeds(folder, "png")
    palette = chunk(b"PLTE", bytes(range(48)))
    for path in sorted((ROOT / "examples/nnef/digits/images").glob("*.png"))[:2]:
        seeds.add(path.read_bytes())
    for depth in (1, 2, 4, 8, 16):
        seeds.add(png(0, depth))
    for depth in (1, 2, 4, 8):
        seeds.add(png(3, depth, extra=palette))
    for colour in (2, 4, 6):
        seeds.add(png(colour, 8))
        seeds.add(png(colour, 16))
    seeds.add(png(2, 8, interlaced=1))
    seeds.add(png(0, 8, extra=chunk(b"tRNS", b"\0\1")))
    seeds.add(png(2, 8, extra=chunk(b"tRNS", b"\0\1\0\2\0\3")))
    seeds.add(png(3, 8, extra=palette + chunk(b"tRNS", bytes(16))))
    seeds.add(png(0, 8, extra=chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"sBIT", b"\5")))
    seeds.add(png(3, 8))
    seeds.add(png(0, 8)[:-30])
    add_other_images(seeds, palette)


def add_other_images(seeds, palette):
    """Sizes, interlacing, chunks in odd places or of odd sizes, and files that are cut off."""
    for colour, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))):
        for depth in depths:
            for size in (1, 3, 9):
                extra = palette if colour == 3 else b""
                seeds.add(png(colour, depth, size, extra=extra))
                seeds.add(png(colour, depth, size, interlaced=1, extra=extra))
    for kind, data in ((b"tRNS", b"\0\1\0"), (b"tRNS", b""), (b"gAMA", b"\0" * 4), (b"gAMA", b"\1"),
                       (b"PLTE", bytes(5)), (b"PLTE", bytes(3 * 257)), (b"PLTE", b""), (b"bKGD", b"\0\1"),
                       (b"cHRM", bytes(32)), (b"sRGB", b"\0"), (b"pHYs", bytes(9)), (b"tIME", bytes(7)),
                       (b"tEXt", b"a\0b"), (b"zTXt", b"a\0\0" + zlib.compress(b"b" * 99)), (b"iCCP", b"a\0\0x"),
                       (b"hIST", bytes(8)), (b"sPLT", b"a\0\x08" + bytes(6)), (b"IHDR", bytes(13)), (b"IEND", b""),
                       (b"ABCD", b"unknown, critical"), (b"abcd", b"unknown")):
        for colour in (0, 2, 3):
            seeds.add(png(colour, 8, extra=(palette if colour == 3 else b"") + chunk(kind, data)))
    whole = png(6, 8, 5, extra=chunk(b"tIME", bytes(7)))
    for end in range(0, len(whole), 5):
        seeds.add(whole[:end])
    for at in range(8, len(whole), 7):
        seeds.add(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])


# --- models of ONNX ----------------------------------------------------------------------------

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = 1, 2, 3, 6, 7, 8, 9, 10, 11


def varint(number):
    number &= 2**64 - 1
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def field(number, value):
    """A varint, a text, bytes, or a float of 32 bits."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx_tensor(name, kind, extents, raw=None, **typed):
    data = b"".join(field(1, extent) for extent in extents) + field(2, kind) + field(8, name)
    if raw is not None:
        data += field(9, raw)
    numbers = {"floats": (4, "<f"), "int32s": (5, None), "int64s": (7, None), "doubles": (10, "<d"),
               "uint64s": (11, None)}
    for key, items in typed.items():
        number, form = numbers[key]
        packed = b"".join(struct.pack(form, x) if form else varint(x) for x in items)
        data += field(number, packed)
    return data


def onnx_attribute(name, value):
    data = field(1, name)
    if isinstance(value, bytes):
        return data + field(5, value) + field(20, 4)
    if isinstance(value, float):
        return data + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return data + field(3, value) + field(20, 2)
    if isinstance(value, str):
        return data + field(4, value) + field(20, 3)
    if value and isinstance(value[0], float):
        return data + b"".join(field(7, x) for x in value) + field(20, 6)
    if value and isinstance(value[0], str):
        return data + b"".join(field(9, x) for x in value) + field(20, 8)
    return data + b"".join(field(8, x) for x in value) + field(20, 7)


def onnx_node(kind, inputs, outputs, domain="", **attributes):
    data = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
    data += field(4, kind) + (field(7, domain) if domain else b"")
    return data + b"".join(field(5, onnx_attribute(*pair)) for pair in attributes.items())


def onnx_port(name, kind, extents):
    dims = b"".join(field(1, field(1, x) if isinstance(x, int) else field(2, x)) for x in extents)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, dims)))


def onnx_model(nodes, initializers=(), kind=FLOAT, extents=(1, 2, 4, 4), opset=17, outputs=("y",)):
    graph = b"".join(field(1, node) for node in nodes) + field(2, "g")
    graph += b"".join(field(5, tensor) for tensor in initializers)
    graph += field(11, onnx_port("x", kind, extents))
    graph += b"".join(field(12, onnx_port(name, FLOAT, ())) for name in outputs)
    return field(1, 8) + field(8, field(1, "") + field(2, opset)) + field(7, graph)


def shape_of(*extents):
    return onnx_tensor("s", INT64, [len(extents)], int64s=extents)


def weights(*extents, name="w"):
    count = 1
    for extent in extents:
        count *= extent
    return onnx_tensor(name, FLOAT, extents, raw=struct.pack("<%df" % count, *[i / 8 for i in range(count)]))


UNARY = """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish Identity LeakyRelu
Log LogSoftmax LpNormalization Mish Neg Not Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softmax Softplus Softsign
Sqrt Tan Tanh ThresholdedRelu GlobalAveragePool GlobalMaxPool Flatten Shape Size Transpose ReduceSum ReduceMean ReduceMax
ReduceL2 ReduceLogSumExp ArgMax ArgMin DepthToSpace IsNaN IsInf Det NonZero Unknown""".split()
BINARY = "Add Sub Mul Div Pow Mod Min Max Mean Sum Equal Less Greater GreaterOrEqual PRelu And Xor BitShift MatMul".split()


def onnx_models():
    for opset in (6, 13, 18, 28):
        for kind in UNARY:
            yield onnx_model([onnx_node(kind, ["x"], ["y"])], opset=opset)
    for kind in BINARY:
        yield onnx_model([onnx_node(kind, ["x", "w"], ["y"])], [weights(4, 4)])
        yield onnx_model([onnx_node(kind, ["x", "x"], ["y"])], kind=INT64)
    one = ["x"], ["y"]
    rows = [
        ([onnx_node("Conv", ["x", "w", "b"], ["y"], pads=[1, 1, 0, 1], strides=[2, 1])], [weights(3, 2, 3, 3), weights(3, name="b")]),
        ([onnx_node("Conv", ["x", "w"], ["y"], auto_pad="SAME_LOWER", group=2, dilations=[1, 2])], [weights(4, 1, 2, 2)]),
        ([onnx_node("ConvTranspose", ["x", "w"], ["y"], output_shape=[9, 9], strides=[2, 2])], [weights(2, 3, 3, 3)]),
        ([onnx_node("ConvTranspose", ["x", "w"], ["y"], output_padding=[1, 0], strides=[2, 2])], [weights(2, 3, 3, 3)]),
        ([onnx_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2], ceil_mode=1, storage_order=1)], ()),
        ([onnx_node("AveragePool", *one, kernel_shape=[3, 3], count_include_pad=1, pads=[1, 1, 1, 1])], ()),
        ([onnx_node("LpPool", *one, kernel_shape=[2, 2], p=3)], ()),
        ([onnx_node("LRN", *one, size=3, alpha=1e-3, beta=0.5)], ()),
        ([onnx_node("Gemm", ["f", "w", "c"], ["y"], alpha=0.5, transB=1), onnx_node("Flatten", ["x"], ["f"])][::-1],
         [weights(3, 32), weights(3, name="c")]),
        ([onnx_node("BatchNormalization", ["x", "a", "a", "a", "a"], ["y"])], [weights(2, name="a")]),
        ([onnx_node("InstanceNormalization", ["x", "a", "a"], ["y"])], [weights(2, name="a")]),
        ([onnx_node("LayerNormalization", ["x", "a"], ["y"], axis=-1)], [weights(4, name="a")]),
        ([onnx_node("Reshape", ["x", "s"], ["y"])], [shape_of(0, -1, 8)]),
        ([onnx_node("Reshape", ["x", "s"], ["y"])], [shape_of(-1, -1)]),
        ([onnx_node("Expand", ["x", "s"], ["y"])], [shape_of(3, 2, 4, 4)]),
        ([onnx_node("Tile", ["x", "s"], ["y"])], [shape_of(1, 2, 1, 3)]),
        ([onnx_node("Squeeze", ["x", "s"], ["y"])], [shape_of(0)]),
        ([onnx_node("Unsqueeze", ["x", "s"], ["y"])], [shape_of(0, -1)]),
        ([onnx_node("Slice", ["x", "s", "s", "a", "a"], ["y"])], [shape_of(-3, 1), onnx_tensor("a", INT32, [2], int32s=[2, 3])]),
        ([onnx_node("Split", ["x", "s"], ["y", "z"], axis=2)], [shape_of(1, 3)]),
        ([onnx_node("Concat", ["x", "x"], ["y"], axis=-1)], ()),
        ([onnx_node("Gather", ["x", "s"], ["y"], axis=3)], [shape_of(0, -1)]),
        ([onnx_node("GatherElements", ["x", "s"], ["y"])], [shape_of(0)]),
        ([onnx_node("ScatterND", ["x", "s", "w"], ["y"])], [shape_of(0), weights(1)]),
        ([onnx_node("Pad", ["x", "s"], ["y"], mode="reflect")], [shape_of(0, 0, 1, 1, 0, 0, 1, -1)]),
        ([onnx_node("Resize", ["x", "", "w"], ["y"], mode="linear", coordinate_transformation_mode="half_pixel")], [weights(4)]),
        ([onnx_node("Resize", ["x", "", "", "s"], ["y"], mode="cubic")], [shape_of(1, 2, 7, 3)]),
        ([onnx_node("Upsample", *one, mode="nearest", scales=[1.0, 1.0, 2.0, 2.0])], ()),
        ([onnx_node("Cast", *one, to=FLOAT16)], ()),
        ([onnx_node("Constant", [], ["c"], value=onnx_tensor("", DOUBLE, [2], doubles=[1, 2])), onnx_node("Add", ["x", "c"], ["y"])], ()),
        ([onnx_node("ConstantOfShape", ["s"], ["y"])], [shape_of(2, 3)]),
        ([onnx_node("Where", ["c", "x", "x"], ["y"]), onnx_node("Greater", ["x", "w"], ["c"])][::-1], [weights(1)]),
        ([onnx_node("Clip", ["x", "w"], ["y"])], [onnx_tensor("w", FLOAT, [], floats=[0.5])]),
        ([onnx_node("TopK", ["x", "s"], ["y", "i"], largest=0)], [shape_of(2)]),
        ([onnx_node("CumSum", ["x", "s"], ["y"], exclusive=1)], [onnx_tensor("s", INT64, [], int64s=[1])]),
        ([onnx_node("OneHot", ["s", "d", "w"], ["y"])], [shape_of(1, 2), onnx_tensor("d", INT64, [], int64s=[4]), weights(2)]),
        ([onnx_node("Einsum", ["x", "x"], ["y"], equation="abij,abjk->abik")], ()),
        ([onnx_node("QuantizeLinear", ["x", "w", "z"], ["q"]), onnx_node("DequantizeLinear", ["q", "w", "z"], ["y"])],
         [weights(), onnx_tensor("z", UINT8, [], int32s=[128])]),
        ([onnx_node("LSTM", ["t", "w", "r"], ["y"], hidden_size=2), onnx_node("Reshape", ["x", "s"], ["t"])][::-1],
         [shape_of(4, 2, 4), weights(1, 8, 4), weights(1, 8, 2, name="r")]),
        ([onnx_node("GRU", ["t", "w", "r"], ["y", "h"], hidden_size=2, direction="reverse"), onnx_node("Reshape", ["x", "s"], ["t"])][::-1],
         [shape_of(4, 2, 4), weights(1, 6, 4), weights(1, 6, 2, name="r")]),
        ([onnx_node("If", ["b"], ["y"], then_branch=b"", else_branch=b"")], [onnx_tensor("b", BOOL, [], int32s=[1])]),
        ([onnx_node("Gelu", ["x"], ["y"], domain="com.microsoft")], ()),
        ([onnx_node("Relu", ["y"], ["x2"]), onnx_node("Relu", ["x2"], ["y"])], ()),
    ]
    for nodes, initializers in rows:
        yield onnx_model(nodes, initializers)
        yield onnx_model(nodes, initializers, opset=9)
        yield onnx_model(nodes, initializers, extents=("batch", 2, "N", 4))
    for kind, data in ((INT32, {"int32s": [1, -1]}), (INT64, {"int64s": [1, -1]}), (DOUBLE, {"doubles": [1, 2]}), (12, {"uint64s": [1, 2]}),
                       (FLOAT16, {"int32s": [1, 2]}), (16, {"int32s": [1, 2]}), (BOOL, {"int32s": [0, 1]}), (22, {"int32s": [0x21]}),
                       (STRING, {}), (14, {"floats": [1, 2]}), (FLOAT, {"floats": [1]}), (INT8, {"raw": b"\1\xff"}), (99, {"raw": b"\1"})):
        yield onnx_model([onnx_node("Cast", ["w"], ["y"], to=FLOAT)], [onnx_tensor("w", kind, [2], **data)])


def add_onnx(folder):
    messages, imports = Seeds(folder, "onnx"), Seeds(folder, "import")
    for model in onnx_models():
        messages.add(model)
        imports.add(model)
    whole = onnx_model([onnx_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])], [weights(1, 2, 3, 3)])
    for end in range(0, len(whole), 9):
        messages.add(whole[:end])
    for at in range(0, len(whole), 5):
        messages.add(whole[:at] + bytes([whole[at] ^ 0x2A]) + whole[at + 1:])


# --- models ------------------------------------------------------------------------------------

MODEL = b"""version 1.0;
graph g(x)->(y)
{
 x=external<scalar>(shape=[1,3]);
 w=variable<scalar>(shape=[1,3],label='a/w');
 y=add(x,w);
}
"""
QUANTIZED_MODEL = b"\"w\": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n"
PROVISIONAL_MODEL = b"""version 1.0
graph g(x)->(y)
{
 x=external(shape=[1,3])
 w=variable(shape=[1,3],label='a/w')
 y=add(x,w)
}
"""


def tarred(members, form=tarfile.USTAR_FORMAT, compression=""):
    """Without the blocks of zeros that pad an archive to 10 KiB."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            if data is None:
                info.type, info.linkname = tarfile.SYMTYPE, "elsewhere"
            else:
                info.size = len(data)
            archive.addfile(info, io.BytesIO(data or b""))
        end = archive.offset
    data = out.getvalue()[: end + 1024]
    if compression:
        packer = __import__(compression)
        data = packer.compress(data, mtime=0) if compression == "gzip" else packer.compress(data)
    return data


def models():
    weights = dat(FLOAT, 32, [1, 3])
    quantized = [("graph.nnef", MODEL), ("graph.quant", QUANTIZED_MODEL)]
    quantized += [("a/w.dat", dat(QUANTIZED, 8, [1, 3]))]
    yield [("graph.nnef", MODEL), ("a/w.dat", weights)]
    yield quantized
    yield [("graph.nnef", MODEL), ("a/w.dat", dat(1, 8, [1, 3]))]
    yield [("graph.nnef", PROVISIONAL_MODEL), ("a/w.dat", provisional_dat(32, [1, 3]))]
    algorithm = b"linear_quantize(min = 0.0, max = 1.0, bits = 8)"
    yield [("graph.nnef", PROVISIONAL_MODEL), ("a/w.dat", provisional_dat(8, [1, 3], algorithm))]
    yield [("net/graph.nnef", MODEL), ("net/a/W.dat", weights)]
    yield [("graph.nnef", MODEL), ("a/w.dat", None)]
    yield [("./graph.nnef", MODEL), ("../w.dat", weights), ("/w.dat", weights), ("a\\w.dat", weights)]
    yield [("a/graph.nnef", MODEL), ("b/graph.nnef", MODEL)]
    yield [("graph.nnef", MODEL), ("graph.nnef", MODEL), ("a/w.dat", weights)]
    yield [("x" * 120 + "/graph.nnef", MODEL)]


def add_archives(folder):
    seeds = Seeds(folder, "archive")
    for model in models():
        seeds.add(tarred(model))
        seeds.add(tarred(model, compression="gzip"))
        seeds.add(zipped([(name, data or b"") for name, data in model]))
    model = next(models())
    seeds.add(tarred(model, form=tarfile.GNU_FORMAT))
    seeds.add(tarred(model, form=tarfile.PAX_FORMAT))
    seeds.add(zipped(model, zipfile.ZIP_DEFLATED))
    for compression in ("bz2", "lzma"):
        seeds.add(tarred(model, compression=compression))
    seeds.add(MODEL)


# --- models of PNNX ----------------------------------------------------------------------------

PNNX = [
    ["nn.Conv2d c 1 1 x y bias=True dilation=(1,1) groups=1 kernel_size=(3,3) padding=(1,1) "
     "padding_mode=reflect stride=(2,2) @bias=(2)f32 @weight=(2,3,3,3)f32 #y=(1,2,2,3)f32"],
    ["nn.MaxPool2d p 1 2 x y z kernel_size=(2,2) stride=None padding=(0,0) dilation=(1,1) "
     "ceil_mode=True return_indices=True"],
    ["F.adaptive_avg_pool2d a 1 1 x y output_size=(3,None) $input=x"],
    ["nn.BatchNorm2d b 1 1 x y eps=1.000000e-5 @bias=(3)f16 @running_mean=(3)bf16 "
     "@running_var=(3)f64 @weight=(3)f32"],
    ["pnnx.Expression s 0 1 s expr=[1,-1,2]", "Tensor.reshape r 2 1 x s y $input=x $shape=s"],
    ["torch.split s 1 2 x a b dim=1 split_size_or_sections=(1,2) $tensor=x",
     "torch.cat c 2 1 b a y dim=1"],
    ["Tensor.slice s 1 1 x y dims=(2,3) starts=(0,1) ends=(2147483647,3) steps=(1,2) "
     "selects=(1,2147483647)"],
    ["pnnx.Attribute a 0 1 w @data=(1,3,1,1)f32",
     "pnnx.Expression e 2 1 x w y expr=add(mul(@0,@1),pow(@0,2))"],
    ["prim::Constant k 0 1 k value=1", "aten::add p 3 1 x x k y"],
    ["nn.Upsample u 1 1 x y mode=bilinear scale_factor=(2.0,2.0) align_corners=False"],
    ["torch.mean m 1 1 x m dim=(2,3) keepdim=False", "nn.Linear l 1 1 m y bias=True "
     "in_features=3 out_features=2 @bias=(2)f32 @weight=(2,3)f32"],
    ["Tensor.index i 1 1 x y expr=[None,[0,2]]"],
    ["torch.flatten f 1 1 x f start_dim=2 end_dim=-1", "nn.LSTM l 1 1 f y bias=False "
     "bidirectional=False hidden_size=2 input_size=20 num_layers=1 @weight_ih_l0=(8,20)f32 "
     "@weight_hh_l0=(8,2)f32"],
]

EXPRESSIONS = [
    "add(@0,@1)", "mul(sub(@0,1.5e-3),-2)", "[size(@0,0),floor_divide(size(@0,1),2)]",
    "torch.long(max(@0,0.0))", "and(lt(@0,@1),not(eq(@0,2)))", "atan2(@0,remainder(@1,3))",
    "[[@0,@1],None]", "(1+2j)",
]


def pnnx_model(lines):
    names = {word for line in lines for word in line.split()[4:] if "=" not in word}
    names |= {"x"}
    text = f"7767517\n{len(lines) + 2} {len(names)}\npnnx.Input in 0 1 x #x=(1,3,4,5)f32\n"
    return (text + "".join(line + "\n" for line in lines) + "pnnx.Output out 1 0 y\n").encode()


def zip64(members):
    """As PNNX writes them: sizes and offsets are in extra fields."""
    body, directory = b"", b""
    for name, data in members:
        extra = struct.pack("<HHQQQI", 1, 28, len(data), len(data), len(body), 0)
        common = struct.pack("<HHHHHIIIHH", 0, 0, 0, 0, 0, zlib.crc32(data), 2**32 - 1, 2**32 - 1,
                             len(name), len(extra))
        directory += struct.pack("<IH", 0x02014B50, 0) + common
        directory += struct.pack("<HHHII", 0, 0, 0, 0, 2**32 - 1) + name.encode() + extra
        body += struct.pack("<I", 0x04034B50) + common + name.encode() + extra + data
    end = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 0, 0, 0, 0, len(members), len(members),
                      len(directory), len(body))
    locator = struct.pack("<IIQI", 0x07064B50, 0, len(body) + len(directory), 1)
    last = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 2**16 - 1, 2**16 - 1, 2**32 - 1, 2**32 - 1, 0)
    return body + directory + end + locator + last


def add_pnnx(folder):
    texts, expressions, archives = (Seeds(folder, f"pnnx_{name}")
                                    for name in ("param", "expression", "bin"))
    for lines in PNNX:
        texts.add(pnnx_model(lines))
    for expression in EXPRESSIONS:
        expressions.add(expression.encode())
    members = [("conv.weight", bytes(range(24))), ("conv.bias", b"")]
    for data in (zipped(members), zip64(members), zipped(members, zipfile.ZIP_DEFLATED), zip64([])):
        archives.add(data)
    add_other_archives(archives, members)


def add_other_archives(archives, members):
    """Many members, names that are empty, long or not unique, and archives that are damaged or cut off."""
    for count in (0, 1, 3, 17):
        for form in (zipped, zip64):
            archives.add(form([(f"layer{i}.weight", bytes(i)) for i in range(count)]))
    for name in ("", "conv.weight", "a/b", "..", "n" * 300, "\u00e9"):
        for form in (zipped, zip64):
            archives.add(form(members + [(name, b"\1\2\3\4")]))
    for whole in (zipped(members), zip64(members)):
        archives.add(b"in front" + whole)
        archives.add(whole + b"behind")
        for end in range(0, len(whole), 11):
            archives.add(whole[:end])
        for at in range(0, len(whole), 3):
            for mask in (0xFF, 0x01, 0x80):
                archives.add(whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1:])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")  # archives with two members of one name are meant
    for add in (add_texts, add_quant, add_data, add_images, add_onnx, add_archives, add_pnnx):
        add(sys.argv[1])


main()
