# SPDX-License-Identifier: Apache-2.0
"""Uncompressed items (ISO/IEC 23001-17): the samples are in the file as the recipe puts them there."""

import struct

import numpy as np

import fixtures
from fixtures import picture, rgba, valid
from heif_boxes import Item, box, full, heif, ispe

MONO, Y, CB, CR, RED, GREEN, BLUE, ALPHA, PADDED = 0, 1, 2, 3, 4, 5, 6, 7, 12
COMPONENTS, PIXELS, ROWS = 0, 1, 3


def cmpd(kinds):
    return box(b"cmpd", struct.pack(">I", len(kinds)), *(struct.pack(">H", kind) for kind in kinds))


def uncc(kinds, bits=8, interleave=PIXELS, little=False, pixel=0, row=0, tile=0, tiles=(1, 1), sampling=0):
    parts = b"".join(struct.pack(">HBBB", index, bits - 1, 0, 0) for index in range(len(kinds)))
    head = bytes(4) + struct.pack(">I", len(kinds)) + parts
    head += struct.pack(">BBBB", sampling, interleave, 0, 0x80 if little else 0)
    return full(b"uncC", head + struct.pack(">IIIII", pixel, row, tile, tiles[0] - 1, tiles[1] - 1))


def padded(data, to):
    return data + bytes(-len(data) % to) if to else data


def samples(planes, bits=8, interleave=PIXELS, little=False, pixel=0, row=0, tile=0, tiles=(1, 1)):
    """The bytes of an item, of planes of one size."""
    kind = np.dtype(np.uint8) if bits == 8 else np.dtype("<u2" if little else ">u2")
    height, width = planes[0].shape
    high, wide = height // tiles[1], width // tiles[0]
    data = b""
    for top in range(0, height, high):
        for left in range(0, width, wide):
            parts = [each[top : top + high, left : left + wide].astype(kind) for each in planes]
            if interleave == COMPONENTS:
                made = b"".join(padded(line.tobytes(), row) for part in parts for line in part)
            elif interleave == ROWS:
                made = b"".join(padded(part[y].tobytes(), row) for y in range(high) for part in parts)
            else:
                lines = (b"".join(padded(b"".join(part[y, x : x + 1].tobytes() for part in parts), pixel) for x in range(wide))
                         for y in range(high))
                made = b"".join(padded(line, row) for line in lines)
            data += padded(made, tile)
    return data


def item(size, kinds, data, **more):
    return Item(b"unci", data, [ispe(*size), cmpd(kinds), uncc(kinds, **more)])


def make():
    size = (12, 8)
    rgb = [picture(*size, 3)[..., index] for index in range(3)]
    shown = rgba(np.stack(rgb, axis=-1))
    mask = picture(*size, 1)[..., 0]
    clear = rgba(np.stack([*rgb, mask], axis=-1))
    deep = [picture(*size, 4, 65535)[..., index] for index in range(4)]
    wide = rgba(np.stack(deep, axis=-1), 65535, 16)

    def put(name, shows, kinds, planes, pixels, pixel_format, bits=8, alpha="opaque", **more):
        data = heif([item(size, kinds, samples(planes, bits, **more), bits=bits, **more)], brand=b"mif1", brands=(b"mif1",))
        valid("heif", f"unci-{name}.heif", data, shows, pixels, pixel_format, bits, alpha)

    put("pixels", "red, green and blue by pixels", [RED, GREEN, BLUE], rgb, shown, "rgb8")
    put("components", "blue first, by components, in tiles whose rows and ends are padded", [BLUE, GREEN, RED], rgb[::-1],
        shown, "rgb8", interleave=COMPONENTS, tiles=(3, 2), row=8, tile=64)
    put("rows", "alpha first, by rows", [ALPHA, RED, GREEN, BLUE], [mask, *rgb], clear, "rgba8", 8, "straight",
        interleave=ROWS, row=16)
    put("padded", "a component of padding, and pixels of 6 bytes", [RED, GREEN, PADDED, BLUE],
        [rgb[0], rgb[1], mask, rgb[2]], shown, "rgb8", pixel=6)
    put("16bit", "16 bits, the high byte first", [RED, GREEN, BLUE, ALPHA], deep, wide, "rgba16", 16, "straight",
        tiles=(2, 2))
    put("16bit-little", "16 bits, the low byte first, by components", [RED, GREEN, BLUE, ALPHA], deep, wide, "rgba16", 16,
        "straight", interleave=COMPONENTS, little=True)
    put("gray", "one component", [MONO], [mask], rgba(mask[..., None]), "gray8")
    # Chroma of 128 is none, so the colors are luma.
    even = np.full_like(mask, 128)
    put("luma", "luma and chroma", [Y, CB, CR], [mask, even, even], rgba(np.stack([mask] * 3, axis=-1)), "rgb8")
    kinds, quarter = [Y, CB, CR], bytes([128]) * (12 * 8 // 4)
    data = heif([item(size, kinds, mask.astype(np.uint8).tobytes() + quarter * 2, interleave=COMPONENTS, sampling=2)],
                brand=b"mif1", brands=(b"mif1",))
    valid("heif", "unci-420.heif", data, "chroma of 4:2:0", rgba(np.stack([mask] * 3, axis=-1)), "rgb8", subsampling=420)
    short = Item(b"unci", samples([*rgb, mask]), [ispe(*size), full(b"uncC", b"rgba", version=1)])
    valid("heif", "unci-profile.heif", heif([short], brand=b"mif1", brands=(b"mif1",)), "the profile rgba", clear, "rgba8", 8,
          "straight")

    def invalid(name, shows, made, error, **more):
        data = heif([made], brand=b"mif1", brands=(b"mif1",))
        fixtures.invalid("heif", f"unci-{name}.heif", data, shows, error, **more)

    kinds = [RED, GREEN, BLUE]
    invalid("short", "fewer bytes than its size says", item((4000, 4000), kinds, bytes(100)), "malformed")
    invalid("padding", "pixels of 4 GiB", item(size, kinds, bytes(300), pixel=0xFFFFFFFF), "unsupported")
    invalid("tiles", "as many tiles as 32 bits count", item(size, kinds, bytes(300), tiles=(1 << 32, 1 << 32)), "malformed")
    invalid("5bit", "components of 5 bits", item(size, kinds, bytes(300), bits=5), "unsupported")
