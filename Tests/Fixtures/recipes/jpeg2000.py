# SPDX-License-Identifier: Apache-2.0
"""JPEG 2000, with codestreams by opj_compress and boxes put together one by one (ISO/IEC 15444-1 annex I)."""

import struct

import numpy as np
from PIL import Image

import fixtures
from fixtures import in_folder, run, valid

FORMAT = "jpeg2000"

SIGNATURE = bytes.fromhex("0000000c6a5020200d0a870a")
FILE_TYPE = b"\0\0\0\x14ftypjp2 \0\0\0\0jp2 "
EXIF = b"JpgTiffExif->JP2"
XMP = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
SRGB, GRAY, SYCC, CMYK = 16, 17, 18, 12


def box(kind, *payload, long=False, to_the_end=False):
    data = b"".join(payload)
    if long:
        return b"\0\0\0\1" + kind + struct.pack(">Q", len(data) + 16) + data
    return struct.pack(">I", 0 if to_the_end else len(data) + 8) + kind + data


def color(space, parameters=b""):
    return box(b"colr", b"\1\0\0", struct.pack(">I", space), parameters)


def channels(*definitions):
    """Channel, type, association of each."""
    return box(b"cdef", struct.pack(">H", len(definitions)), *(struct.pack(">HHH", *d) for d in definitions))


def jp2(codestream, *boxes, before=b"", behind=b"", **options):
    """A file; `boxes` go into the header behind `ihdr`."""
    width, height, count, bits = described(codestream)
    header = box(b"ihdr", struct.pack(">IIHBBBB", height, width, count, bits, 7, 0, 0))
    return (
        SIGNATURE + FILE_TYPE + box(b"jp2h", header, *boxes) + before + box(b"jp2c", codestream, **options) + behind
    )


def described(codestream):
    """Width, height, number of components and bits less one, from SIZ (A.5.1)."""
    x1, y1, x0, y0 = struct.unpack(">IIII", codestream[8:24])
    count = struct.unpack(">H", codestream[40:42])[0]
    depths = set(codestream[42 : 42 + 3 * count : 3])
    return x1 - x0, y1 - y0, count, depths.pop() if len(depths) == 1 else 255


def compress(planes, *options, bits=8, signed=False, steps=None):
    """A codestream of planes of samples, without loss unless the options say otherwise."""
    if bits < 8:
        return with_depths(planes, [bits] * len(planes), *options)
    height, width = planes[0].shape
    steps = steps or [(1, 1)] * len(planes)
    kind = ("i" if signed else "u") + ("1" if bits <= 8 else "2")
    raw = b"".join(p[::dy, ::dx].astype(">" + kind).tobytes() for p, (dx, dy) in zip(planes, steps))
    layout = ":".join(f"{dx}x{dy}" for dx, dy in steps)

    def body(folder):
        (folder / "in.raw").write_bytes(raw)
        described = f"{width},{height},{len(planes)},{bits},{'s' if signed else 'u'}@{layout}"
        arguments = [*options, *([] if "-mct" in options else ["-mct", "0"])]
        levels = [] if "-n" in options else ["-n", "3"]
        run("opj_compress", "-i", str(folder / "in.raw"), "-o", str(folder / "out.j2k"), "-F", described, *levels,
            *arguments)
        return (folder / "out.j2k").read_bytes()

    return in_folder(body)


def with_depths(planes, depths, *options):
    """A codestream of components of up to 8 bits: samples are moved by the difference of the level shifts (G.1.2),
    compressed with 8 bits, and SIZ says the truth."""
    moved = [plane - (1 << bits - 1) + 128 for plane, bits in zip(planes, depths)]
    data = bytearray(compress(moved, *options))
    for index, bits in enumerate(depths):
        data[42 + 3 * index] = bits - 1
    return bytes(data)


def split(samples):
    return [samples[..., index] for index in range(samples.shape[-1])]


def decompress(data, name="in.j2k"):
    """What OpenJPEG's own tool makes of a picture of 8 bits, as RGBA."""

    def body(folder):
        (folder / name).write_bytes(data)
        run("opj_decompress", "-quiet", "-i", str(folder / name), "-o", str(folder / "out.png"))
        return np.asarray(Image.open(folder / "out.png").convert("RGBA"))

    return in_folder(body)


def still(name, data, shows, pixels, pixel_format, bits=8, alpha="opaque", lossless=True, **more):
    more.setdefault("isProgressive", True)
    valid(FORMAT, name, data, shows, pixels, pixel_format, bits, alpha, isLossless=lossless, **more)


def make():
    import jpeg2000_colors
    import jpeg2000_damage
    import jpeg2000_streams

    jpeg2000_streams.make()
    jpeg2000_colors.make()
    jpeg2000_damage.make()
