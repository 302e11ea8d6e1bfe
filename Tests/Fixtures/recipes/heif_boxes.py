# SPDX-License-Identifier: Apache-2.0
"""HEIF files put together box by box (ISO/IEC 14496-12 and 23008-12), around bitstreams of x265."""

import struct

import numpy as np
from PIL import Image

import fixtures
from fixtures import in_folder, run


def box(name, *parts):
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body)) + name + body


def full(name, *parts, version=0, flags=0):
    return box(name, struct.pack(">I", version << 24 | flags), *parts)


def ispe(width, height):
    return full(b"ispe", struct.pack(">II", width, height))


def pixi(*bits):
    return full(b"pixi", bytes([len(bits), *bits]))


def irot(turns):
    return box(b"irot", bytes([turns]))


def imir(axis):
    return box(b"imir", bytes([axis]))


def clap(width, height, horizontal, vertical):
    """Sides and the way of the center, each a whole number or a pair."""
    pairs = [value if isinstance(value, tuple) else (value, 1) for value in (width, height, horizontal, vertical)]
    return box(b"clap", *(struct.pack(">iI", *pair) for pair in pairs))


def nclx(primaries, transfer, matrix, full_range=True):
    return box(b"colr", b"nclx", struct.pack(">HHHB", primaries, transfer, matrix, full_range << 7))


def prof(profile):
    return box(b"colr", b"prof", profile)


def auxc(kind):
    return full(b"auxC", kind.encode() + b"\0")


class Item:
    """An item: its type, its bytes, the properties that apply to it in order."""

    def __init__(self, kind, data=b"", properties=(), hidden=False, content_type=None, in_idat=False, extents=1):
        self.kind, self.data, self.properties, self.hidden = kind, data, list(properties), hidden
        self.content_type, self.in_idat, self.extents = content_type, in_idat, extents


def infe(number, item, wide):
    name = b"\0" + (item.content_type.encode() + b"\0" if item.content_type else b"")
    head = struct.pack(">IH" if wide else ">HH", number, 0)
    return full(b"infe", head, item.kind, name, version=3 if wide else 2, flags=int(item.hidden))


def pieces(item):
    """An item's bytes cut into as many extents as it wants, as offset and length."""
    edges = [len(item.data) * i // item.extents for i in range(item.extents + 1)]
    return list(zip(edges, (b - a for a, b in zip(edges, edges[1:]))))


def iloc(items, starts, wide):
    """Locations of version 1, or 2 with wide numbers; offsets of 4 bytes."""
    body = struct.pack(">HI" if wide else ">HH", 0x4440, len(items))
    for number, (item, start) in enumerate(zip(items, starts), 1):
        parts = pieces(item)
        body += struct.pack(">IHHI" if wide else ">HHHI", number, int(item.in_idat), 0, start)
        body += struct.pack(">H", len(parts)) + b"".join(struct.pack(">II", *part) for part in parts)
    return full(b"iloc", body, version=2 if wide else 1)


def iref(references, wide):
    """References as name, the item that they start from, and those they go to."""
    one = ">I" if wide else ">H"
    boxes = [
        box(name, struct.pack(one, start), struct.pack(">H", len(ends)), *(struct.pack(one, end) for end in ends))
        for name, start, ends in references
    ]
    return full(b"iref", *boxes, version=int(wide))


def iprp(items, wide, long_indexes):
    store, links = [], b""
    count = 0
    for number, item in enumerate(items, 1):
        if not item.properties:
            continue
        indexes = []
        for each in item.properties:
            if each not in store:
                store.append(each)
            indexes.append(store.index(each) + 1)
        count += 1
        links += struct.pack(">I" if wide else ">H", number) + bytes([len(indexes)])
        links += b"".join(struct.pack(">H" if long_indexes else ">B", index) for index in indexes)
    ipma = full(b"ipma", struct.pack(">I", count), links, version=int(wide), flags=int(long_indexes))
    return box(b"iprp", box(b"ipco", *store), ipma)


def heif(items, primary=1, references=(), brand=b"heic", brands=(b"mif1", b"heic"), wide=False, long_indexes=False,
         groups=()):
    """A file. Items count from 1; groups are lists of items of which one is shown, the best first."""
    idat = b"".join(item.data for item in items if item.in_idat)
    head = box(b"ftyp", brand, bytes(4), *brands)

    def meta(base):
        starts, inside, outside = [], 0, base
        for item in items:
            starts.append(inside if item.in_idat else outside)
            if item.in_idat:
                inside += len(item.data)
            else:
                outside += len(item.data)
        parts = [
            full(b"hdlr", bytes(4) + b"pict" + bytes(13)),
            full(b"pitm", struct.pack(">I" if wide else ">H", primary), version=int(wide)),
            iloc(items, starts, wide),
            full(
                b"iinf",
                struct.pack(">I" if wide else ">H", len(items)),
                *(infe(number, item, wide) for number, item in enumerate(items, 1)),
                version=int(wide),
            ),
        ]
        if references:
            parts.append(iref(references, wide))
        parts.append(iprp(items, wide, long_indexes))
        if idat:
            parts.append(box(b"idat", idat))
        if groups:
            parts.append(box(b"grpl", *(altr(100 + number, group) for number, group in enumerate(groups))))
        return full(b"meta", *parts)

    media = b"".join(item.data for item in items if not item.in_idat)
    size = len(head) + len(meta(0)) + 8
    return head + meta(size) + box(b"mdat", media)


def altr(number, items):
    return full(b"altr", struct.pack(">II", number, len(items)), *(struct.pack(">I", item) for item in items))


def gain_map(headroom=(2, 1), writer_version=0, minimum_version=0, version=0):
    """What a tmap item holds (ISO 21496-1): one channel, from 0 to log2 of the headroom, gamma 1, offsets of 1/64."""
    head = struct.pack(">BHHB", version, minimum_version, writer_version, 0)
    return head + struct.pack(">IIII", 0, 1, *headroom) + struct.pack(">iIiIIIiIiI", 0, 1, *headroom, 1, 1, 1, 64, 1, 64)


def grid(rows, columns, width, height, wide=False):
    return bytes([0, int(wide), rows - 1, columns - 1]) + struct.pack(">II" if wide else ">HH", width, height)


def overlay(background, width, height, offsets):
    head = bytes(2) + struct.pack(">4H", *background) + struct.pack(">HH", width, height)
    return head + b"".join(struct.pack(">hh", *offset) for offset in offsets)


class Coded:
    """A bitstream with its configuration box."""

    def __init__(self, configuration, payload):
        self.configuration, self.payload = configuration, payload

    def item(self, width, height, *properties, hidden=False, bits=(8, 8, 8), **more):
        known = [self.configuration, ispe(width, height), pixi(*bits)]
        return Item(b"hvc1", self.payload, known + list(properties), hidden, **more)


def coded(data):
    """The bitstream of a file that heif-enc made of a picture with even sides of at least 64."""
    start = data.index(b"hvcC") - 4
    size = struct.unpack(">I", data[start : start + 4])[0]
    return Coded(data[start : start + size], data[data.index(b"mdat") + 4 :])


def heif_enc(samples, *options):
    """A file that heif-enc makes of 8-bit samples, or of a PNG's bytes."""

    def body(folder):
        source = folder / "in.png"
        if isinstance(samples, bytes):
            source.write_bytes(samples)
        else:
            Image.fromarray(samples[..., 0] if samples.shape[-1] == 1 else samples).save(source)
        run("heif-enc", *options, str(source), "-o", str(folder / "out.heic"))
        return (folder / "out.heic").read_bytes()

    return in_folder(body)


def exact(samples):
    """A picture whose samples come back as they were: one channel, or GBR in 4:4:4, by ffmpeg's x265.

    heif-enc of libheif 1.15 converts to luma and chroma, whatever matrix it is asked for.
    """
    height, width, channels = samples.shape
    planes = [samples[..., index] for index in ((0,) if channels == 1 else (1, 2, 0))]
    stream = run(
        "ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "gray" if channels == 1 else "gbrp",
        "-s", f"{width}x{height}", "-i", "-", "-c:v", "libx265", "-frames:v", "1", "-x265-params",
        "lossless=1:keyint=1:info=0:log-level=none:pools=none:frame-threads=1", "-f", "hevc", "-",
        data=b"".join(plane.astype(np.uint8).tobytes() for plane in planes),
    )
    units = [unit.rstrip(b"\0") for unit in stream.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")[1:]]
    return Coded(hvcc(units, 0 if channels == 1 else 3), length_prefixed(units))


def kind(unit):
    """ITU-T H.265, section 7.3.1.2."""
    return unit[0] >> 1 & 0x3F


def length_prefixed(units):
    return b"".join(struct.pack(">I", len(unit)) + unit for unit in units if kind(unit) < 32)


def hvcc(units, chroma):
    """ISO/IEC 14496-15, section 8.3.3.1; the profile is copied from the sequence parameter set."""
    sequence = next(unit for unit in units if kind(unit) == 33)
    profile = sequence.replace(b"\0\0\3", b"\0\0")[3:15]
    head = b"\1" + profile + struct.pack(">HBBBBHB", 0xF000, 0xFC, 0xFC | chroma, 0xF8, 0xF8, 0, 0x0F)
    sets = [(number, [unit for unit in units if kind(unit) == number]) for number in (32, 33, 34)]
    arrays = b"".join(
        struct.pack(">BH", 0x80 | number, len(found)) + b"".join(struct.pack(">H", len(u)) + u for u in found)
        for number, found in sets
    )
    return box(b"hvcC", head, bytes([len(sets)]), arrays)


def heif_convert(data):
    """What libheif's own tool makes of a file of one picture: a PNG."""

    def body(folder):
        (folder / "in.heic").write_bytes(data)
        run("heif-convert", str(folder / "in.heic"), str(folder / "out.png"))
        return (folder / "out.png").read_bytes()

    return in_folder(body)


def smooth(width, height, channels, largest=255, step=1):
    """The test picture without its rough channel, in steps, so that a file without loss stays small."""
    y, x = np.mgrid[0:height, 0:width].astype(np.int64) // step * step
    planes = [
        x * largest // max(width - 1, 1),
        y * largest // max(height - 1, 1),
        (x + 2 * y) * largest // max(width + 2 * height - 3, 1),
        (x + y) * largest // max(width + height - 2, 1),
    ]
    return np.stack(planes[:channels], axis=-1)
