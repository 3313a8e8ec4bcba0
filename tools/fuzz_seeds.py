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
    names = ("text", "lower", "convert", "rewrite")
    text, lower, convert, rewrite = (Seeds(folder, name) for name in names)
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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")  # archives with two members of one name are meant
    for add in (add_texts, add_quant, add_data, add_images, add_archives, add_pnnx):
        add(sys.argv[1])


main()
