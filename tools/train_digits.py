#!/usr/bin/python3
"""Train the network of examples/nnef/digits and measure it.

Run with Debian's python3, python3-numpy and python3-sklearn; one core, about a minute:

    tools/train_digits.py              train, write weights, images and expected values, measure
    tools/train_digits.py --measure    measure the weights that are there, write nothing
    tools/train_digits.py --held-out=D write the held-out images to the folder D, INDEX-DIGIT.png
    tools/train_digits.py --validate   train on 4/5 of the training part, measure on the rest of it

The held-out part (20 %, the same share of each digit, fixed seed) decides nothing: it is read after
training, to measure. Whatever was chosen by trial was chosen with --validate.
"""

import argparse
import os
import re
import struct
import zlib

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy: one thread sums in one order

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MODEL = os.path.join(ROOT, "examples", "nnef", "digits")
EXPECTED = os.path.join(ROOT, "tests", "models", "digits", "expected.tsv")

SEED = 1797
EPOCHS = 40
BATCH = 32
RATE = 2e-3
DECAY = 1e-4  # of the weights, per unit of rate
SHAPES = {
    "conv1/filter": (16, 1, 3, 3),
    "conv1/bias": (1, 16),
    "conv2/filter": (32, 16, 3, 3),
    "conv2/bias": (1, 32),
    "conv3/filter": (64, 32, 3, 3),
    "conv3/bias": (1, 64),
    "linear1/filter": (10, 256),
    "linear1/bias": (1, 10),
}


# The data

def load_images():
    """Grey values 0..255 as the PNG files hold them, [n,1,8,8], and the digits."""
    digits = load_digits()
    grey = np.rint(digits.images / 16 * 255).astype(np.uint8)
    return grey[:, np.newaxis], digits.target


def split(grey, target):
    """Training part and held-out part."""
    return train_test_split(grey, target, test_size=0.2, stratify=target, random_state=SEED)


def to_input(grey):
    """What the network is fed: grey / 255, in [0,1]."""
    return (grey / 255).astype(np.float32)


def distort(images, rng):
    """Turn, scale and shift each image a little, with bilinear interpolation."""
    count, size = len(images), images.shape[-1]
    angle = rng.uniform(-0.2, 0.2, count)
    scale = rng.uniform(0.9, 1.1, (2, count))
    shift = rng.uniform(-0.8, 0.8, (2, count))
    centre = (size - 1) / 2
    y, x = np.mgrid[:size, :size] - centre
    cos, sin = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    v = (cos * y - sin * x) * scale[0][:, None, None] + shift[0][:, None, None] + centre
    u = (sin * y + cos * x) * scale[1][:, None, None] + shift[1][:, None, None] + centre
    return bilinear(images, v, u)


def bilinear(images, v, u):
    """Values of the images at rows v and columns u; zero outside."""
    padded = np.pad(images[:, 0], ((0, 0), (2, 3), (2, 3)))
    v = np.clip(v + 2, 0, padded.shape[1] - 2)
    u = np.clip(u + 2, 0, padded.shape[2] - 2)
    i, j = v.astype(int), u.astype(int)
    dv, du = v - i, u - j
    n = np.arange(len(images))[:, None, None]
    top = padded[n, i, j] * (1 - du) + padded[n, i, j + 1] * du
    bottom = padded[n, i + 1, j] * (1 - du) + padded[n, i + 1, j + 1] * du
    return (top * (1 - dv) + bottom * dv).astype(np.float32)[:, np.newaxis]


# The network: every forward function returns its result and what the backward one needs

def conv(x, filters, bias):
    """3x3 convolution, padding 1, stride 1."""
    count, _, height, width = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    columns = sliding_window_view(padded, (3, 3), axis=(2, 3)).transpose(0, 2, 3, 1, 4, 5)
    columns = columns.reshape(count * height * width, -1)
    y = columns @ filters.reshape(len(filters), -1).T + bias
    return y.reshape(count, height, width, -1).transpose(0, 3, 1, 2), columns


def conv_backward(dy, columns, filters):
    """Gradients of the input, the filters and the bias."""
    count, channels, height, width = dy.shape
    dy = dy.transpose(0, 2, 3, 1).reshape(-1, channels)
    dcolumns = (dy @ filters.reshape(channels, -1)).reshape(count, height, width, -1, 3, 3)
    dx = np.zeros((count, dcolumns.shape[3], height + 2, width + 2), dy.dtype)
    for i in range(3):
        for j in range(3):
            dx[:, :, i:i + height, j:j + width] += dcolumns[..., i, j].transpose(0, 3, 1, 2)
    return dx[:, :, 1:-1, 1:-1], (dy.T @ columns).reshape(filters.shape), dy.sum(0, keepdims=True)


def max_pool(x):
    """2x2 maximum, stride 2; the mask shares a gradient among equal maxima."""
    count, channels, height, width = x.shape
    blocks = x.reshape(count, channels, height // 2, 2, width // 2, 2)
    y = blocks.max(axis=(3, 5), keepdims=True)
    mask = (blocks == y).astype(x.dtype)
    return y[:, :, :, 0, :, 0], mask / mask.sum(axis=(3, 5), keepdims=True)


def max_pool_backward(dy, mask):
    dx = mask * dy[:, :, :, None, :, None]
    return dx.reshape(dy.shape[0], dy.shape[1], dy.shape[2] * 2, dy.shape[3] * 2)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def forward(weights, x):
    """Probabilities [n,10]; the tape is what backward() reads."""
    tape = {}
    for layer, pooled in (("conv1", False), ("conv2", True), ("conv3", True)):
        x, tape[layer] = conv(x, weights[layer + "/filter"], weights[layer + "/bias"])
        tape[layer + "/sign"] = x > 0
        x = np.maximum(x, 0)
        if pooled:
            x, tape[layer + "/mask"] = max_pool(x)
    tape["linear1"] = x.reshape(len(x), -1)
    return softmax(tape["linear1"] @ weights["linear1/filter"].T + weights["linear1/bias"]), tape


def backward(weights, tape, dy):
    """Gradients of all weights, for the gradient of the input of the softmax."""
    gradients = {
        "linear1/filter": dy.T @ tape["linear1"],
        "linear1/bias": dy.sum(0, keepdims=True),
    }
    dx = (dy @ weights["linear1/filter"]).reshape(len(dy), 64, 2, 2)
    for layer in ("conv3", "conv2", "conv1"):
        if layer + "/mask" in tape:
            dx = max_pool_backward(dx, tape[layer + "/mask"])
        dx, filters, bias = conv_backward(dx * tape[layer + "/sign"], tape[layer],
                                          weights[layer + "/filter"])
        gradients[layer + "/filter"], gradients[layer + "/bias"] = filters, bias
    return gradients


# Training

def initial_weights(rng):
    weights = {}
    for label, shape in SHAPES.items():
        deviation = np.sqrt(2 / np.prod(shape[1:])) if label.endswith("filter") else 0
        weights[label] = (rng.standard_normal(shape) * deviation).astype(np.float32)
    return weights


def adam(weights, gradients, moments, step, rate):
    """One step of Adam, with the weights themselves decaying."""
    for label, gradient in gradients.items():
        first, second = moments[label]
        first += 0.1 * (gradient - first)
        second += 0.001 * (gradient * gradient - second)
        slope = first / (1 - 0.9 ** step)
        spread = np.sqrt(second / (1 - 0.999 ** step)) + 1e-8
        weights[label] -= rate * (slope / spread + DECAY * weights[label])


def train(grey, target):
    """Weights after EPOCHS passes, the rate falling to zero along a cosine."""
    rng = np.random.default_rng(SEED)
    weights = initial_weights(rng)
    moments = {label: (np.zeros_like(w), np.zeros_like(w)) for label, w in weights.items()}
    images, wanted = to_input(grey), np.eye(10, dtype=np.float32)[target]
    steps, step = EPOCHS * (len(images) // BATCH), 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(images))
        for batch in order[:len(order) // BATCH * BATCH].reshape(-1, BATCH):
            rate = RATE * (1 + np.cos(np.pi * step / steps)) / 2
            step += 1
            y, tape = forward(weights, distort(images[batch], rng))
            gradients = backward(weights, tape, (y - wanted[batch]) / BATCH)
            adam(weights, gradients, moments, step, np.float32(rate))
        if (epoch + 1) % 10 == 0:
            print("epoch %d: %.2f %% right on the training part"
                  % (epoch + 1, 100 * np.mean(predict(weights, grey).argmax(1) == target)))
    return weights


def predict(weights, grey):
    """Probabilities in float64, from the float32 weights and inputs."""
    wide = {label: w.astype(np.float64) for label, w in weights.items()}
    return forward(wide, to_input(grey).astype(np.float64))[0]


# The files

def label_path(label):
    return os.path.join(MODEL, label + ".dat")


def write_tensor(path, values):
    """A .dat file: 128 bytes of header, then float32 in row-major order (NNEF 1.0.5, 5.2)."""
    data = np.ascontiguousarray(values, "<f4").tobytes()
    extents = list(values.shape) + [0] * (8 - values.ndim)
    header = b"\x4e\xef\x01\x00" + struct.pack("<11I2H", len(data), values.ndim, *extents, 32, 0, 0)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(header.ljust(128, b"\0") + data)


def read_tensor(path):
    with open(path, "rb") as file:
        content = file.read()
    length, rank, *rest = struct.unpack("<11I2H", content[4:52])
    assert content[:4] == b"\x4e\xef\x01\x00" and rest[8:] == [32, 0, 0], path
    assert len(content) == 128 + length, path
    return np.frombuffer(content, "<f4", offset=128).reshape(rest[:rank])


def read_weights():
    """The weights of all variables that the graph declares."""
    with open(os.path.join(MODEL, "graph.nnef"), encoding="ascii") as file:
        text = file.read()
    found = re.findall(r"variable<scalar>\(shape = \[([\d, ]+)\], label = '([\w/]+)'\)", text)
    shapes = {label: tuple(map(int, shape.split(","))) for shape, label in found}
    assert shapes == SHAPES, "graph.nnef and this script disagree about the variables"
    return {label: read_tensor(label_path(label)).reshape(shapes[label]) for label in shapes}


def write_png(path, grey):
    """An 8-bit greyscale PNG without filters."""
    def chunk(kind, content):
        checksum = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + checksum

    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n"
                   + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def write_examples(weights, grey, target):
    """The first held-out image of each digit, and what the network makes of it."""
    first = [int(np.argmax(target == digit)) for digit in range(10)]
    os.makedirs(os.path.join(MODEL, "images"), exist_ok=True)
    os.makedirs(os.path.dirname(EXPECTED), exist_ok=True)
    with open(EXPECTED, "w", encoding="ascii") as file:
        for digit, y in enumerate(predict(weights, grey[first])):
            name = "%d-%d.png" % (digit, digit)
            write_png(os.path.join(MODEL, "images", name), grey[first[digit], 0])
            file.write("\t".join([name] + ["%.9f" % p for p in y]) + "\n")


def write_held_out(folder, grey, target):
    os.makedirs(folder, exist_ok=True)
    for index, (image, digit) in enumerate(zip(grey, target)):
        write_png(os.path.join(folder, "%03d-%d.png" % (index, digit)), image[0])


def measure(weights, grey, target, part):
    right = predict(weights, grey).argmax(1) == target
    print("%d of %d images of the %s right: %.2f %%"
          % (right.sum(), len(right), part, 100 * right.mean()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--measure", action="store_true", help="measure the weights that are there")
    mode.add_argument("--validate", action="store_true", help="leave the held-out part alone")
    mode.add_argument("--held-out", metavar="FOLDER", help="write the held-out images")
    options = parser.parse_args()

    train_grey, test_grey, train_target, test_target = split(*load_images())
    if options.validate:
        train_grey, grey, train_target, target = split(train_grey, train_target)
        measure(train(train_grey, train_target), grey, target, "validation part")
        return
    if options.held_out:
        write_held_out(options.held_out, test_grey, test_target)
        return
    if not options.measure:
        for label, values in train(train_grey, train_target).items():
            write_tensor(label_path(label), values)
        write_examples(read_weights(), test_grey, test_target)
    measure(read_weights(), test_grey, test_target, "held-out part")


if __name__ == "__main__":
    main()
