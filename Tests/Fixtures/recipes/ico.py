# SPDX-License-Identifier: Apache-2.0
"""ICO and CUR, field by field (Windows, icon resources: ICONDIR, ICONDIRENTRY, ICONIMAGE)."""

import io
import struct

import numpy as np
from PIL import Image

import fixtures
from fixtures import fnv, picture, rgba, valid
from bmp import bgr, bgra, indexes, info, packed, palette, rows, spread, words

FORMAT = "ico"

ICON, CURSOR = 1, 2


class Entry:
    """A picture with what the directory says of it."""

    def __init__(self, pixels, data, bits, size=None, first=1, embedded=False):
        self.pixels, self.data, self.bits, self.first, self.embedded = pixels, data, bits, first, embedded
        self.size = size or (pixels.shape[1] % 256, pixels.shape[0] % 256)
        self.offset = self.length = None


def file(entries, kind=ICON):
    offset = 6 + 16 * len(entries)
    directory = struct.pack("<HHH", 0, kind, len(entries))
    body = b""
    for entry in entries:
        start = offset + len(body) if entry.offset is None else entry.offset
        length = len(entry.data) if entry.length is None else entry.length
        directory += struct.pack("<4BHHII", *entry.size, 0, 0, entry.first, entry.bits, length, start)
        body += entry.data
    return directory + body


def mask(transparent):
    return rows(packed(transparent.astype(int), 1))


def bitmap(width, height, bits, colors, pixels, transparent=None, compression=0, doubled=True, top_down=False):
    total = height * (2 if doubled else 1)
    header = info(40, width, -total if top_down else total, bits, compression, len(colors) if bits <= 8 else 0, 0)
    and_mask = b"" if transparent is None else mask(transparent if not top_down else transparent[::-1])
    return header + palette(colors) + pixels + and_mask


def holes(width, height):
    y, x = np.mgrid[0:height, 0:width]
    return (x - width // 2) ** 2 + (y - height // 2) ** 2 > (min(width, height) // 2) ** 2


def cut(pixels, transparent):
    """The pixels with alpha 0 where the mask says so; colors stay."""
    shown = pixels.copy()
    shown[transparent, 3] = 0
    return shown


def indexed(width, height, bits):
    colors, index, transparent = spread(1 << bits), indexes(width, height, 1 << bits), holes(width, height)
    data = bitmap(width, height, bits, colors, rows(packed(index, bits)), transparent)
    return Entry(cut(rgba(np.array(colors)[index]), transparent), data, bits)


def colored(width, height, bits=32, **more):
    samples = picture(width, height, 4)
    if bits == 24:
        transparent = holes(width, height)
        data = bitmap(width, height, 24, [], rows(bgr(samples)), transparent, **more)
        return Entry(cut(rgba(samples[:, :, :3]), transparent), data, 24)
    data = bitmap(width, height, 32, [], rows(bgra(samples)), np.zeros((height, width), bool), **more)
    return Entry(rgba(samples), data, 32)


def png(width, height):
    samples = picture(width, height, 4).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(samples).save(stream, "png")
    return Entry(samples, stream.getvalue(), 32, embedded=True)


def icon(name, shows, entries, kind=ICON, primary=None, bits=8, **more):
    sizes = [(e.pixels.shape[0] * e.pixels.shape[1], e.bits) for e in entries]
    primary = max(range(len(entries)), key=lambda i: (sizes[i], -i)) if primary is None else primary
    pages = []
    for entry in entries:
        page = {"canvas": [entry.pixels.shape[1], entry.pixels.shape[0]]}
        pages.append({**page, "embedded": True} if entry.embedded else {**page, "hash": fnv(entry.pixels.tobytes())})
    more.update(isLossless=True, pageCount=len(entries), primaryPage=primary, pages=pages)
    valid("ico", name, file(entries, kind), shows, entries[primary].pixels, "rgba8", bits, "straight", **more)


def make():
    for bits in (1, 4, 8):
        icon(f"indexed{bits}.ico", f"{bits} bits per pixel and a mask", [indexed(17, 11, bits)])
    icon("rgb24.ico", "24 bits and a mask", [colored(19, 13, 24)])
    icon("rgba32.ico", "32 bits with alpha, which goes before the mask", [colored(19, 13)])
    samples, transparent = picture(12, 12, 3), holes(12, 12)
    blank = np.concatenate([samples, np.zeros((12, 12, 1), int)], axis=-1)
    data = bitmap(12, 12, 32, [], rows(bgra(blank)), transparent)
    entry = Entry(cut(rgba(samples), transparent), data, 32)
    icon("rgb32-mask.ico", "32 bits without any alpha: the mask counts", [entry])
    values = (np.arange(12 * 9).reshape(9, 12) * 40503 + 77) % 0x8000
    planes = np.stack([values >> 10, values >> 5 & 31, values & 31], axis=-1)
    data = bitmap(12, 9, 16, [], rows(words(values, 2)), holes(12, 9))
    icon("rgb16.ico", "16 bits", [Entry(cut(rgba(planes, 31), holes(12, 9)), data, 16)], bits=5)
    sizes = [indexed(8, 8, 4), colored(20, 20), indexed(16, 16, 8)]
    icon("sizes.ico", "three sizes, the largest in the middle", sizes)
    icon("depths.ico", "one size in three depths", [indexed(16, 16, 1), colored(16, 16), indexed(16, 16, 8)])
    icon("png-small.ico", "a PNG file beside a larger bitmap", [png(8, 8), colored(16, 16)])
    lying = colored(16, 12)
    lying.size = (32, 32)
    icon("size-differs.ico", "a directory that says another size", [lying])
    samples = picture(9, 7, 3)
    data = bitmap(9, 7, 24, [], rows(bgr(samples)))
    icon("no-mask.ico", "a bitmap without a mask", [Entry(rgba(samples), data, 24)])
    icon("not-doubled.ico", "a height that does not count the mask", [colored(10, 10, doubled=False)])
    down = colored(10, 10)
    down.data = bitmap(10, 10, 32, [], rows(bgra(picture(10, 10, 4)), False), np.zeros((10, 10), bool), top_down=True)
    icon("top-down.ico", "rows from the top", [down])
    short = colored(9, 9, 24)
    short.length = 40
    icon("length-too-small.ico", "a length that has no room for the colors", [short])
    first, second = colored(10, 8), colored(10, 8)
    first.offset = second.offset = 38
    second.data, second.length = b"", len(first.data)
    icon("same-picture.ico", "two entries of one picture", [first, second])
    pointer = indexed(16, 16, 1)
    pointer.first, pointer.bits = 3, 5
    icon("pointer.cur", "a cursor with a hot spot", [pointer], CURSOR)
    broken = Entry(np.zeros((64, 64, 4), np.uint8), info(40, 64, 128, 7), 32)
    entries = [colored(10, 8), broken]
    answer = [{"canvas": [10, 8], "hash": fnv(entries[0].pixels.tobytes())}]
    valid(
        "ico", "one-is-broken.ico", file(entries), "a larger picture that cannot be read", entries[0].pixels,
        "rgba8", 8, "straight", isLossless=True, pageCount=2, primaryPage=0, pages=answer)
    make_invalid()


def make_invalid():
    good = file([colored(19, 13)])

    def bad(name, shows, data, error, **more):
        fixtures.invalid("ico", name, data, shows, error, **more)

    bad("wrong-type.ico", "type 3", good[:2] + b"\3" + good[3:], "wrongFormat")
    bad("no-pictures.ico", "a directory of no pictures", struct.pack("<HHH", 0, 1, 0) + bytes(40), "wrongFormat")
    bad("truncated-directory.ico", "the directory is cut", good[:20], "truncated")
    bad("truncated-header.ico", "the bitmap's header is cut", good[:40], "truncated")
    bad("truncated-pixels.ico", "the pixels are cut", good[:600], "truncated", rows="some")
    masked = file([colored(19, 13, 24)])
    bad("truncated-mask.ico", "the mask is cut", masked[:-20], "truncated", rows="some")
    away = colored(19, 13)
    away.offset = 1 << 30
    bad("offset-outside.ico", "a picture behind the file's end", file([away]), "truncated")
    itself = colored(19, 13)
    itself.offset = 0
    bad("offset-zero.ico", "a picture that is the directory itself", file([itself]), "unsupported")
    many = struct.pack("<HHH", 0, 1, 4097) + bytes(64)
    bad("too-many.ico", "4,097 pictures", many, "limitExceeded")
    huge = Entry(np.zeros((1, 1, 4), np.uint8), info(40, 65_000, 130_000, 32), 32)
    bad("huge-canvas.ico", "65,000 pixels each way", file([huge]), "limitExceeded")
    runs = Entry(np.zeros((8, 8, 4), np.uint8), info(40, 8, 16, 8, 1) + bytes(1200), 8)
    bad("runs.ico", "RLE8, which icons do not have", file([runs]), "unsupported")
    wide = Entry(np.zeros((8, 8, 4), np.uint8), info(40, -8, 16, 32) + bytes(300), 32)
    bad("negative-width.ico", "a width of -8", file([wide]), "malformed")
