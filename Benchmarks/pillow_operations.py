# SPDX-License-Identifier: Apache-2.0
"""usage: pillow_operations.py MEGAPIXELS

Says which Pillow it is, then changes a picture of noise by each operation whose name it reads, and prints the milliseconds. A
program of its own, since Pillow and Pillow-SIMD have the same name and cannot be in one process."""

import sys
import time

import numpy
import PIL
from PIL import Image, ImageFilter

OPERATIONS = {
    "resize": lambda picture: picture.resize((picture.width // 4, picture.height // 4), Image.LANCZOS),
    "flip": lambda picture: picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    "turn": lambda picture: picture.transpose(Image.Transpose.ROTATE_270),
    "rotate": lambda picture: picture.rotate(-12.5, Image.BICUBIC, expand=True),
    "gray": lambda picture: picture.convert("L").convert("RGB"),
    "blur2": lambda picture: picture.filter(ImageFilter.GaussianBlur(2)),
    "blur10": lambda picture: picture.filter(ImageFilter.GaussianBlur(10)),
    "blur100": lambda picture: picture.filter(ImageFilter.GaussianBlur(100)),
}


def noise(megapixels):
    height = 2 * int((megapixels * 1e6 / 6) ** 0.5)
    return numpy.random.default_rng(1).integers(0, 256, (height, height * 3 // 2, 3), dtype="uint8")


def main(megapixels):
    picture = Image.fromarray(noise(float(megapixels)))
    print(PIL.__version__, flush=True)
    for line in sys.stdin:
        operation = OPERATIONS[line.strip()]
        before = time.perf_counter()
        operation(picture)
        print((time.perf_counter() - before) * 1e3, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
