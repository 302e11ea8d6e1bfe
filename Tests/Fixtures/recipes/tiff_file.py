# SPDX-License-Identifier: Apache-2.0
"""TIFF files put together tag by tag (TIFF 6.0, section 2), and what their codecs make of samples."""

import io
import struct
import zlib

import imagecodecs
import numpy as np
from PIL import Image

BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, SIGNED_RATIONAL, LONG8 = 1, 2, 3, 4, 5, 7, 10, 16
CODES = {BYTE: "B", SHORT: "H", LONG: "I", LONG8: "Q"}

WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER = 256, 257, 258, 259, 262, 266
STRIP_OFFSETS, ORIENTATION, SAMPLES, ROWS_PER_STRIP, STRIP_BYTE_COUNTS = 273, 274, 277, 278, 279
PLANAR, PREDICTOR, COLOR_MAP = 284, 317, 320
TILE_WIDTH, TILE_LENGTH, TILE_OFFSETS, TILE_BYTE_COUNTS = 322, 323, 324, 325
SUB_IFDS, INK_SET, EXTRA_SAMPLES, SAMPLE_FORMAT, JPEG_TABLES = 330, 332, 338, 339, 347
SUBSAMPLING, XMP, EXIF, ICC, GPS, NEW_SUBFILE_TYPE = 530, 700, 34665, 34675, 34853, 254


class Page:
    """Tags by number as (type, values), coded strips or tiles, and directories that a tag leads to."""

    def __init__(self, tags, striles, is_tiled=False, nested=None):
        self.tags, self.striles, self.is_tiled, self.nested = tags, striles, is_tiled, nested or {}


class File:
    """A file that grows from its header on: data first, directories behind it."""

    def __init__(self, order="<", big=False):
        self.order, self.big = order, big
        mark = b"II" if order == "<" else b"MM"
        self.data = bytearray(mark + self.pack("H", 43 if big else 42))
        self.data += self.pack("HHQ", 8, 0, 0) if big else self.pack("I", 0)
        self.link = len(self.data) - (8 if big else 4)

    def pack(self, codes, *values):
        return struct.pack(self.order + codes, *values)

    def append(self, data):
        self.data += bytes(len(self.data) % 2)
        place = len(self.data)
        self.data += data
        return place

    def values(self, kind, values):
        if isinstance(values, bytes):
            return values, len(values)
        values = values if isinstance(values, (list, tuple)) else [values]
        if kind == RATIONAL:
            return self.pack(f"{len(values)}I", *values), len(values) // 2
        if kind == SIGNED_RATIONAL:
            return self.pack(f"{len(values)}i", *values), len(values) // 2
        return self.pack(f"{len(values)}{CODES[kind]}", *values), len(values)

    def directory(self, tags):
        """Writes a directory; the answer is where it and its link are."""
        width, code = (8, "Q") if self.big else (4, "I")
        entries = []
        for tag, (kind, value) in sorted(tags.items()):
            data, count = self.values(kind, value)
            field = data.ljust(width, b"\0") if len(data) <= width else self.pack(code, self.append(data))
            entries.append(self.pack("HH" + code, tag, kind, count) + field)
        body = self.pack("Q" if self.big else "H", len(entries)) + b"".join(entries)
        place = self.append(body + bytes(width))
        return place, place + len(body)

    def add(self, page):
        tags = dict(page.tags)
        offset = LONG8 if self.big else LONG
        for tag, nested in page.nested.items():
            places = [self.finished(one) for one in nested]
            tags[tag] = (offset, places)
        if page.striles is not None:
            places = [self.append(strile) if strile else 0 for strile in page.striles]
            names = (TILE_OFFSETS, TILE_BYTE_COUNTS) if page.is_tiled else (STRIP_OFFSETS, STRIP_BYTE_COUNTS)
            tags[names[0]] = (offset, places)
            tags[names[1]] = (LONG, [len(strile) for strile in page.striles])
        return self.directory(tags)

    def finished(self, nested):
        if isinstance(nested, Page):
            return self.add(nested)[0]
        return self.directory(nested)[0]

    def chain(self, page):
        place, link = self.add(page)
        self.patch(self.link, place)
        self.link = link
        return place

    def patch(self, at, value):
        data = self.pack("Q" if self.big else "I", value)
        self.data[at : at + len(data)] = data


def tiff(*pages, order="<", big=False):
    file = File(order, big)
    for page in pages:
        file.chain(page)
    return bytes(file.data)


def packed(samples, bits, order="<"):
    """Rows of samples as a file has them."""
    rows = samples.reshape(samples.shape[0], -1)
    if bits in (8, 16, 32, 64):
        kind = {"f": "f", "i": "i"}.get(samples.dtype.kind, "u")
        return [row.astype(f"{order}{kind}{bits // 8}").tobytes() for row in rows]
    result = []
    for row in rows:
        spread = (row[:, None].astype(np.int64) >> np.arange(bits - 1, -1, -1)) & 1
        result.append(np.packbits(spread.astype(np.uint8).ravel()).tobytes())
    return result


def differenced(samples):
    """Predictor 2 (TIFF 6.0, section 14)."""
    result = samples.copy()
    result[:, 1:] = samples[:, 1:] - samples[:, :-1]
    return result


CODECS = {
    1: lambda data: data,
    5: imagecodecs.lzw_encode,
    8: zlib.compress,
    32946: zlib.compress,
    32773: imagecodecs.packbits_encode,
    34925: imagecodecs.lzma_encode,
    50000: imagecodecs.zstd_encode,
}


def strips(samples, bits, rows, compression=1, order="<", predictor=1):
    """Coded strips of one plane or of whole pixels."""
    if predictor == 2:
        samples = np.concatenate([differenced(samples[y : y + rows]) for y in range(0, samples.shape[0], rows)])
    lines = packed(samples, bits, order)
    return [CODECS[compression](b"".join(lines[y : y + rows])) for y in range(0, len(lines), rows)]


def tiles(samples, bits, side, compression=1, order="<"):
    """Coded tiles, row by row; what lies beside the picture is 0."""
    height, width, count = samples.shape
    result = []
    for y in range(0, height, side):
        for x in range(0, width, side):
            tile = np.zeros((side, side, count), samples.dtype)
            part = samples[y : y + side, x : x + side]
            tile[: part.shape[0], : part.shape[1]] = part
            result.append(CODECS[compression](b"".join(packed(tile, bits, order))))
    return result


def page(samples, bits, photometric, rows=5, compression=1, order="<", predictor=1, extra=None, tile=0, planar=False,
         more=None, nested=None, striles=None):
    """A page of samples: height × width × count."""
    height, width, count = samples.shape
    tags = {
        WIDTH: (SHORT, width),
        LENGTH: (SHORT, height),
        BITS: (SHORT, [bits] * count),
        COMPRESSION: (SHORT, compression),
        PHOTOMETRIC: (SHORT, photometric),
        SAMPLES: (SHORT, count),
        PLANAR: (SHORT, 2 if planar else 1),
    }
    if predictor != 1:
        tags[PREDICTOR] = (SHORT, predictor)
    if extra is not None:
        tags[EXTRA_SAMPLES] = (SHORT, extra)
    planes = [samples[:, :, i : i + 1] for i in range(count)] if planar else [samples]
    if tile:
        tags.update({TILE_WIDTH: (SHORT, tile), TILE_LENGTH: (SHORT, tile)})
        coded = [one for plane in planes for one in tiles(plane, bits, tile, compression, order)]
    else:
        tags[ROWS_PER_STRIP] = (SHORT, rows)
        if striles is None:
            coded = [one for plane in planes for one in strips(plane, bits, rows, compression, order, predictor)]
    tags.update(more or {})
    return Page(tags, striles if striles is not None else coded, bool(tile), nested)


def fax(samples, compression):
    """Strips of fax codes, by libtiff through Pillow; samples of 1 are black."""
    output = io.BytesIO()
    image = Image.fromarray((samples[:, :, 0] == 0).astype(np.uint8) * 255).convert("1")
    image.save(output, "TIFF", compression=compression, tiffinfo={PHOTOMETRIC: 0, ROWS_PER_STRIP: 8})
    with Image.open(io.BytesIO(output.getvalue())) as stored:
        tags = stored.tag_v2
        data = output.getvalue()
        coded = [data[a : a + n] for a, n in zip(tags[STRIP_OFFSETS], tags[STRIP_BYTE_COUNTS])]
        return coded, tags[ROWS_PER_STRIP], tags[PHOTOMETRIC], tags.get(292)
