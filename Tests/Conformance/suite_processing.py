# SPDX-License-Identifier: Apache-2.0
"""Operations on pictures (`coders convert --apply`) beside numpy in double precision and Pillow."""

import math
import os
import subprocess
import tempfile

import numpy
from PIL import Image, ImageEnhance

from score import Score, difference

CODERS = os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin", "coders")
LUMA = numpy.array([0.299, 0.587, 0.114])


def run(digest, corpora):
    with tempfile.TemporaryDirectory() as folder:
        pictures = {name: made for name, made in samples()}
        for name, made in pictures.items():
            Image.fromarray(made).save(f"{folder}/{name}.png")
        exact, close = Score("Processing, exact", "numpy"), Score("Processing, within 1 level", "numpy, Pillow")
        for name, made in pictures.items():
            for operation, expected in moves(made):
                exact.add(f"{name} {operation}", compared(folder, name, operation, expected, 0))
            for operation, expected in mixes(made):
                close.add(f"{name} {operation}", compared(folder, name, operation, expected, 1))
        return [exact, close]


def samples():
    """Noise and edges, opaque and with alpha."""
    random = numpy.random.default_rng(7)
    yield "noise", random.integers(0, 256, (61, 83, 3), dtype="uint8")
    yield "alpha", random.integers(0, 256, (47, 59, 4), dtype="uint8")
    y, x = numpy.mgrid[0:90, 0:120]
    edges = numpy.where((x > 60 + y / 4) | (x == 9) | ((x - 30) ** 2 + (y - 50) ** 2 < 200), 255, 0).astype("uint8")
    yield "edges", numpy.dstack([edges, 255 - edges, edges])


def compared(folder, name, operation, expected, tolerance):
    out = f"{folder}/out.png"
    made = subprocess.run([CODERS, "convert", f"{folder}/{name}.png", out, "--reencode", "--apply", operation],
                          capture_output=True, text=True)
    if made.returncode != 0:
        return made.stderr.strip()
    found = numpy.asarray(Image.open(out).convert("RGBA" if expected.shape[2] == 4 else "RGB"))
    if expected.shape[2] == 4:
        # A faint pixel's color is only as exact as its alpha.
        found, expected = premultiplied(found), premultiplied(expected)
    return difference(numpy.rint(found).astype("int64"), numpy.rint(expected).astype("int64"), tolerance)


def premultiplied(pixels):
    pixels = pixels.astype("float64")
    return numpy.dstack([pixels[:, :, :3] * pixels[:, :, 3:] / 255, pixels[:, :, 3]])


def straight(pixels):
    alpha = pixels[:, :, 3:]
    color = numpy.divide(pixels[:, :, :3] * 255, alpha, out=numpy.zeros_like(pixels[:, :, :3]), where=alpha > 0)
    return numpy.dstack([color, alpha])


def moves(made):
    yield "crop:30x20+11+7", made[7:27, 11:41]
    yield "crop:30x20,bottom-right", made[-20:, -30:]
    yield "flip:horizontal", made[:, ::-1]
    yield "flip:vertical", made[::-1]
    yield "rotate:90", numpy.rot90(made, -1)
    yield "rotate:180|rotate:90", numpy.rot90(made)
    yield "inset:3,5,1,2", made[3:-1, 2:-5]
    white = numpy.pad(made, ((4, 4), (4, 4), (0, 0)), constant_values=255)
    yield "inset:-4,#ffffff", white


def mixes(made):
    color = made[:, :, :3].astype("float64")
    alpha = made[:, :, 3:].astype("float64")
    luma = (color @ LUMA)[:, :, None]

    def colored(result):
        return numpy.dstack([numpy.clip(result, 0, 255), alpha]) if alpha.size else numpy.clip(result, 0, 255)

    yield "grayscale:1", colored(numpy.repeat(luma, 3, axis=2))
    yield "saturation:1.7", colored(luma + 1.7 * (color - luma))
    yield "brightness:1.3", colored(1.3 * color)
    yield "contrast:1.4", colored(1.4 * color + 255 * (0.5 - 0.7))
    yield "invert", colored(255 - color)
    yield "sepia", colored(color @ numpy.array([[0.393, 0.349, 0.272], [0.769, 0.686, 0.534], [0.189, 0.168, 0.131]]))
    yield "gamma:1.8", colored(255 * (color / 255) ** (1 / 1.8))
    if not alpha.size:
        yield "sharpen:2,0.7", colored(color + 0.7 * (color - blurred(made, 2)))
    tint = numpy.array([255, 128, 0])
    yield "tint:#ff8000,multiply", colored(color * tint / 255)
    yield "tint:#ff800080", colored(color * (127 / 255) + tint * (128 / 255))
    if not alpha.size:
        yield "brightness:0.6", numpy.asarray(ImageEnhance.Brightness(Image.fromarray(made)).enhance(0.6))
    else:
        yield "flatten:#0080ff", color * alpha / 255 + numpy.array([0, 128, 255]) * (1 - alpha / 255)
    for sigma in (0.6, 2, 3, 3.5, 9, 40, 100):
        yield f"blur:{sigma}", blurred(made, sigma)
    for width, height in ((40, 30), (17, 44), (160, 100)):
        size = (width, height)
        # Of 8 bits, Pillow cuts off what is out of range after the first direction as well; of floating point it does not.
        planes = premultiplied(made) if alpha.size else color
        planes = [numpy.asarray(Image.fromarray(planes[:, :, c].astype("float32")).resize(size, Image.LANCZOS))
                  for c in range(made.shape[2])]
        expected = numpy.clip(numpy.dstack(planes).astype("float64"), 0, 255)
        if alpha.size:
            expected[:, :, :3] = numpy.minimum(expected[:, :, :3], expected[:, :, 3:])
            expected = straight(expected)
        yield f"resize:{width}x{height},stretch,enlarge", expected


def blurred(made, sigma):
    """A convolution in double precision; what is outside repeats the edge."""
    reach = math.ceil(8 * sigma)
    kernel = numpy.exp(-numpy.arange(-reach, reach + 1) ** 2 / (2 * sigma * sigma))
    kernel /= kernel.sum()
    pixels = premultiplied(made) if made.shape[2] == 4 else made.astype("float64")
    for axis in (0, 1):
        pad = [(0, 0)] * 3
        pad[axis] = (reach, reach)
        pixels = numpy.apply_along_axis(
            lambda line: numpy.convolve(line, kernel, "valid"), axis, numpy.pad(pixels, pad, mode="edge"))
    return straight(pixels) if made.shape[2] == 4 else pixels
