# SPDX-License-Identifier: Apache-2.0
"""APNG composited in Python as PNG Third Edition §12.5 has it, on pixels that pypng decodes."""

import io
import struct
import zlib

import numpy
import png

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(path):
    with open(path, "rb") as file:
        data = file.read()
    offset = len(SIGNATURE)
    while offset + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, offset)
        yield data[offset + 4:offset + 8], data[offset + 8:offset + 8 + length]
        offset += length + 12


def packed(kind, payload):
    return struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", zlib.crc32(kind + payload))


def pictures(path):
    """The canvas's size, the number of plays, and each frame's control fields and own file; none of the default
    picture."""
    shared, frames = [], []
    header = None
    control = None
    plays = None
    for kind, payload in chunks(path):
        if kind == b"IHDR":
            header = payload
        elif kind in (b"PLTE", b"tRNS"):
            shared.append(packed(kind, payload))
        elif kind == b"acTL":
            _, plays = struct.unpack(">II", payload)
        elif kind == b"fcTL":
            control = struct.unpack(">IIIIIHHBB", payload)
            frames.append((control, []))
        elif kind == b"IDAT" and control:
            frames[-1][1].append(payload)
        elif kind == b"fdAT":
            frames[-1][1].append(payload[4:])
    built = []
    for control, data in frames:
        width, height = control[1:3]
        file = SIGNATURE + packed(b"IHDR", struct.pack(">II", width, height) + header[8:]) + b"".join(shared)
        built.append((control, file + packed(b"IDAT", b"".join(data)) + packed(b"IEND", b"")))
    return struct.unpack(">II", header[:8]), plays, built


def composed(path, expand):
    """The number of plays, and for every frame its delay in seconds and its canvas, as RGBA at the file's depth.

    `expand` gives RGBA of a pypng reader."""
    (width, height), plays, frames = pictures(path)
    canvas = None
    shown = []
    for number, (control, file) in enumerate(frames):
        _, wide, high, x, y, numerator, denominator, disposal, blend = control
        pixels = expand(png.Reader(file=io.BytesIO(file)))
        if canvas is None:
            canvas = numpy.zeros((height, width, 4), dtype=pixels.dtype)
        place = (slice(y, y + high), slice(x, x + wide))
        before = canvas.copy()
        canvas[place] = over(pixels, canvas[place]) if blend == 1 else pixels
        shown.append((numerator / (denominator or 100), canvas.copy()))
        if disposal == 1 or (disposal == 2 and number == 0):
            canvas[place] = 0
        elif disposal == 2:
            canvas = before
    return plays, shown


def over(above, below):
    """Source over destination for straight alpha, to the nearest sample (PNG Third Edition §13.16)."""
    full = numpy.iinfo(above.dtype).max
    above, below = above.astype(numpy.float64), below.astype(numpy.float64)
    weight_above = above[:, :, 3:] * full
    weight_below = below[:, :, 3:] * (full - above[:, :, 3:])
    total = weight_above + weight_below
    color = (above[:, :, :3] * weight_above + below[:, :, :3] * weight_below) / numpy.maximum(total, 1)
    blended = numpy.concatenate([color, total / full], axis=2)
    return numpy.floor(blended + 0.5).astype(numpy.uint16 if full > 255 else numpy.uint8)
