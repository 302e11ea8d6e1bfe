# SPDX-License-Identifier: Apache-2.0
"""QOI, chunk by chunk (The Quite OK Image Format, version 1.0)."""

import io
import struct

import numpy as np
from PIL import Image

import fixtures
from fixtures import picture, rgba, valid

FORMAT = "qoi"

END = bytes(7) + b"\1"


def header(width, height, channels, colorspace=0):
    return b"qoif" + struct.pack(">IIBB", width, height, channels, colorspace)


def file(samples, colorspace=0):
    """Every chunk kind where it fits, written from the specification's table."""
    height, width, channels = samples.shape
    data = header(width, height, channels, colorspace)
    seen, before, run = [(0, 0, 0, 0)] * 64, (0, 0, 0, 255), 0
    pixels = [tuple(int(v) for v in (*p, 255)[:4]) for p in samples.reshape(-1, channels)]
    for number, pixel in enumerate(pixels):
        if pixel == before:
            run += 1
            if run == 62 or number + 1 == len(pixels):
                data, run = data + bytes([0xC0 | run - 1]), 0
            continue
        if run:
            data, run = data + bytes([0xC0 | run - 1]), 0
        r, g, b, a = pixel
        place = (r * 3 + g * 5 + b * 7 + a * 11) % 64
        dr, dg, db = ((pixel[i] - before[i] + 128) % 256 - 128 for i in range(3))
        if seen[place] == pixel:
            data += bytes([place])
        elif a != before[3]:
            data += bytes([0xFF, r, g, b, a])
        elif all(-2 <= d <= 1 for d in (dr, dg, db)):
            data += bytes([0x40 | dr + 2 << 4 | dg + 2 << 2 | db + 2])
        elif -32 <= dg <= 31 and -8 <= dr - dg <= 7 and -8 <= db - dg <= 7:
            data += bytes([0x80 | dg + 32, dr - dg + 8 << 4 | db - dg + 8])
        else:
            data += bytes([0xFE, r, g, b])
        seen[place] = before = pixel
    return data + END


def make():
    def still(name, shows, samples, **more):
        data = file(samples)
        pixels = rgba(samples)
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(data)).convert("RGBA")), pixels)
        has_alpha = samples.shape[2] == 4
        valid(
            "qoi",
            name,
            data,
            shows,
            pixels,
            "rgba8" if has_alpha else "rgb8",
            8,
            "straight" if has_alpha else "opaque",
            cicp=[1, 13, 0, 1],
            isLossless=True,
            **more,
        )

    still("rgb8.qoi", "three channels", picture(21, 13, 3))
    still("rgba8.qoi", "four channels", picture(17, 11, 4))
    still("pixels-1x1.qoi", "one pixel", picture(1, 1, 4))
    runs = np.zeros((9, 40, 3), int)
    runs[4:, 10:] = [1, 2, 3]
    still("runs.qoi", "runs of 62 pixels and over the end of a row", runs)
    smooth = np.add.outer(np.arange(12) * 3, np.arange(20))[..., None] * np.array([1, 2, 1]) % 256
    still("differences.qoi", "differences led by green, which wrap around", smooth)
    # All 64 steps of -2 to 1 in each channel, from 0, 0, 0.
    steps = np.stack(np.meshgrid(*[np.arange(-2, 2)] * 3), -1).reshape(4, 16, 3)
    small = np.cumsum(steps.reshape(-1, 3), axis=0).reshape(4, 16, 3) % 256
    assert sum(0x40 <= chunk < 0x80 for chunk in file(small)[14:-8]) > 50
    still("differences-small.qoi", "differences of one byte, which wrap around", small)
    good = file(picture(21, 13, 3))

    def bad(name, shows, data, error, **more):
        fixtures.invalid("qoi", name, data, shows, error, **more)

    bad("wrong-signature.qoi", "qoig", b"qoig" + good[4:], "wrongFormat")
    bad("truncated-header.qoi", "the header is cut", good[:10], "truncated")
    bad("truncated-pixels.qoi", "the pixels are cut", good[: len(good) // 2], "truncated", rows="some")
    bad("zero-width.qoi", "a width of 0", header(0, 13, 3) + good[14:], "malformed")
    bad("channels-5.qoi", "five channels", header(21, 13, 5) + good[14:], "malformed")
    bad("colorspace-2.qoi", "a color space of 2", header(21, 13, 3, 2) + good[14:], "malformed")
    bad("huge-canvas.qoi", "65,000 pixels in each direction", header(65_000, 65_000, 3) + good[14:], "limitExceeded")
