# SPDX-License-Identifier: Apache-2.0
"""A decoder of bitmaps without compression, straight from the headers' descriptions, for what Pillow does not read."""

import struct

import numpy


class NotRead(Exception):
    """The file is none that this decoder is for."""


def decode(data):
    """RGBA of 8 bits."""
    if data[:2] != b"BM":
        raise NotRead("no file header")
    start, size = struct.unpack_from("<II", data, 10)
    if size == 12:
        width, height, _, bits = struct.unpack_from("<HHHH", data, 18)
        compression, colors, entry = 0, 0, 3
    else:
        fields = (data[14:14 + size] + bytes(64))[:64]
        _, width, height, _, bits, compression, _, _, _, colors = struct.unpack_from("<IiiHHIIiiI", fields)
        entry = 4
    masks, palette_at = (0, 0, 0, 0), 14 + size
    if compression in (3, 6):
        count = 4 if compression == 6 or size >= 56 else 3
        masks = (*struct.unpack_from(f"<{count}I", data, 54), 0, 0)[:4]
        palette_at += (0 if size > 40 else 4 * count)
    elif compression:
        raise NotRead(f"compression {compression}")
    stride = (width * bits + 31) // 32 * 4
    rows = numpy.frombuffer(data, numpy.uint8, stride * abs(height), start).reshape(abs(height), stride)
    if height > 0:
        rows = rows[::-1]
    if bits <= 8:
        return indexed(rows, width, bits, data[palette_at:start], entry)
    if bits == 24:
        color = rows[:, :width * 3].reshape(-1, width, 3)[:, :, ::-1]
        return numpy.dstack([color, numpy.full(color.shape[:2], 255, numpy.uint8)])
    if not any(masks):
        masks = (0x7C00, 0x3E0, 0x1F, 0) if bits == 16 else (0xFF0000, 0xFF00, 0xFF, 0)
    values = rows[:, :width * bits // 8].copy().view(f"<u{bits // 8}").astype(numpy.int64)
    return numpy.dstack([channel(values, mask, 255 if index == 3 else 0) for index, mask in enumerate(masks)])


def indexed(rows, width, bits, palette, entry):
    every = numpy.unpackbits(rows, axis=1).reshape(len(rows), -1, bits)
    indexes = numpy.dot(every, 1 << numpy.arange(bits)[::-1])[:, :width]
    count = min(len(palette) // entry, 1 << bits)
    colors = numpy.zeros((1 << bits, 4), numpy.uint8)
    colors[:, 3] = 255
    stored = numpy.frombuffer(palette, numpy.uint8, count * entry).reshape(count, entry)
    colors[:count, :3] = stored[:, 2::-1]
    return colors[indexes]


def channel(values, mask, missing):
    """Samples under a mask, to the nearest; samples over 8 bits by way of 16, as the coder's own layout has them."""
    if mask == 0:
        return numpy.full(values.shape, missing, numpy.uint8)
    shift = (mask & -mask).bit_length() - 1
    largest = mask >> shift
    samples = (values & mask) >> shift
    if largest > 255:
        wide = (samples * 131070 + largest) // (2 * largest)
        return ((wide * 510 + 65535) // 131070).astype(numpy.uint8)
    return ((samples * 510 + largest) // (2 * largest)).astype(numpy.uint8)
