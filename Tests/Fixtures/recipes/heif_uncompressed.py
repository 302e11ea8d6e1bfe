# SPDX-License-Identifier: Apache-2.0
"""Uncompressed items (ISO/IEC 23001-17): the samples are in the file as the recipe puts them there."""

import struct
import zlib

import numpy as np

import fixtures
from fixtures import picture, rgba, valid
from heif_boxes import Item, box, full, heif, ispe

MONO, Y, CB, CR, RED, GREEN, BLUE, ALPHA, PADDED = 0, 1, 2, 3, 4, 5, 6, 7, 12
COMPONENTS, PIXELS, MIXED, ROWS, TILE_COMPONENTS, MULTI_Y = 0, 1, 2, 3, 4, 5
# Flags: padding in the low bits of blocks, their lowest byte first, the first component in the lowest bits.
LOW_PADDING, LITTLE_BLOCKS, REVERSED_BLOCKS = 0x40, 0x20, 0x10


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


def stated(components, interleave, flags=0, block=0, row=0, tiles=(1, 1), sampling=0):
    """uncC of components that differ: their kind, bits, format and bytes."""
    parts = b"".join(struct.pack(">HBBB", index, bits - 1, form, width) for index, (_, bits, form, width) in enumerate(components))
    head = bytes(4) + struct.pack(">I", len(components)) + parts + struct.pack(">BBBB", sampling, interleave, block, flags)
    return full(b"uncC", head + struct.pack(">IIIII", 0, row, 0, tiles[0] - 1, tiles[1] - 1))


def together(values, widths):
    """Numbers one after the other by their bits, up to a whole byte."""
    text = "".join(format(int(value), f"0{width}b") for value, width in zip(values, widths))
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big")


def make_bits():
    """Components of other sizes than whole bytes (section 5.2.1)."""
    size = (12, 8)
    width, height = size

    def put(name, shows, components, data, pixels, pixel_format, bits=8, alpha="opaque", more=None, **settings):
        kinds = [kind for kind, *_ in components]
        made = Item(b"unci", data, [ispe(*size), cmpd(kinds), stated(components, **settings)])
        valid("heif", f"unci-{name}.heif", heif([made], brand=b"mif1", brands=(b"mif1",)), shows, pixels, pixel_format, bits,
              alpha, **(more or {}))

    planes = [picture(*size, 3, 31)[..., 0], picture(*size, 3, 63)[..., 1], picture(*size, 3, 31)[..., 2]]
    shown = np.stack([rgba(plane[..., None], top)[..., 0] for plane, top in zip(planes, (31, 63, 31))], axis=-1)
    lines = [together([planes[i][y, x] for x in range(width) for i in range(3)], [5, 6, 5] * width) for y in range(height)]
    put("565", "5, 6 and 5 bits in two bytes", [(RED, 5, 0, 0), (GREEN, 6, 0, 0), (BLUE, 5, 0, 0)], b"".join(lines),
        rgba(shown), "rgb8", interleave=PIXELS)
    for bits in (1, 4, 7):
        plane = picture(*size, 1, (1 << bits) - 1)
        data = b"".join(padded(together(plane[y, :, 0], [bits] * width), 4) for y in range(height))
        put(f"{bits}bit", f"{bits} bits, rows of whole words", [(MONO, bits, 0, 0)], data, rgba(plane, (1 << bits) - 1), "gray8",
            interleave=COMPONENTS, row=4)
    deep = picture(*size, 3, 1023)
    tens = [(kind, 10, 0, 0) for kind in (RED, GREEN, BLUE)]
    for name, shows, flags, order, codes in (
        ("blocks", "10 bits three to a block", 0, (0, 1, 2), ">I"),
        ("blocks-low-padding", "the padding in the lowest bits", LOW_PADDING, (0, 1, 2), ">I"),
        ("blocks-little", "blocks with the lowest byte first", LITTLE_BLOCKS, (0, 1, 2), "<I"),
        ("blocks-reversed", "the first component in the lowest bits", REVERSED_BLOCKS, (2, 1, 0), ">I"),
    ):
        shift = 2 if flags & LOW_PADDING else 0
        words = [deep[y, x, order[0]] << 20 | deep[y, x, order[1]] << 10 | deep[y, x, order[2]]
                 for y in range(height) for x in range(width)]
        put(name, shows, tens, b"".join(struct.pack(codes, int(word) << shift) for word in words), rgba(deep, 1023, 16), "rgba16",
            10, interleave=PIXELS, block=4, flags=flags)
    twelve = picture(*size, 1, 4095)
    put("12-in-16", "12 bits at the end of two bytes", [(MONO, 12, 0, 2)], twelve[..., 0].astype(">u2").tobytes(),
        rgba(twelve, 4095, 16), "gray16", 12, interleave=COMPONENTS)
    for bits in (16, 32, 64):
        # Sums of a few powers of two, so that each size has the same numbers.
        values = picture(*size, 1, 64)[..., 0] / 64
        data = values.astype(f">f{bits // 8}").tobytes()
        pixels = rgba(np.floor(values * 65535 + 0.5).astype(np.int64)[..., None], 65535, 16)
        put(f"float{bits}", f"floating point of {bits} bits", [(MONO, bits, 1, 0)], data, pixels, "gray16", 16,
            interleave=COMPONENTS)
    color = picture(*size, 3).astype(np.uint8)
    bytes_of = lambda plane: b"".join(plane[y : y + 4, x : x + 6].tobytes() for y in (0, 4) for x in (0, 6))
    eights = [(kind, 8, 0, 0) for kind in (RED, GREEN, BLUE)]
    put("tile-components", "all tiles of a component, then those of the next", eights,
        b"".join(bytes_of(color[..., i]) for i in range(3)), rgba(color), "rgb8", interleave=TILE_COMPONENTS, tiles=(2, 2))
    luma = picture(*size, 1)
    put("mixed", "luma, then both of chroma by pixels", [(kind, 8, 0, 0) for kind in (Y, CB, CR)],
        luma.astype(np.uint8).tobytes() + bytes([128]) * (width * height // 2), rgba(luma), "rgb8",
        interleave=MIXED, sampling=2, more={"subsampling": 420})


WHOLE, PICTURE, TILE, ROW = 0, 1, 2, 3


def cmpc(method, unit):
    return full(b"cmpC", method, bytes([unit]))


def icef(units, places=True):
    """Where units are that lie one after the other: with places of 24 bits, or with sizes of 16 alone."""
    body = struct.pack(">BI", 2 << 5 | 1 << 2 if places else 1 << 2, len(units))
    start = 0
    for unit in units:
        body += (start.to_bytes(3, "big") if places else b"") + struct.pack(">H", len(unit))
        start += len(unit)
    return full(b"icef", body)


def deflated(data):
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    return made.compress(data) + made.flush()


def make_units():
    """Items in compressed units (ISO/IEC 23001-17 section 7)."""
    size = (12, 8)
    rgb = [picture(*size, 3)[..., index] for index in range(3)]
    shown = rgba(np.stack(rgb, axis=-1))
    kinds = [RED, GREEN, BLUE]

    def put(name, shows, units, boxes, error=None, rows=None, **more):
        made = Item(b"unci", b"".join(units), [ispe(*size), cmpd(kinds), uncc(kinds, **more), *boxes])
        data = heif([made], brand=b"mif1", brands=(b"mif1",))
        if error is None:
            valid("heif", f"unci-{name}.heif", data, shows, shown, "rgb8", 8, "opaque")
        else:
            fixtures.invalid("heif", f"unci-{name}.heif", data, shows, error, **({"rows": rows} if rows else {}))

    plain = samples(rgb)
    put("zlib", "one zlib stream", [zlib.compress(plain)], [cmpc(b"zlib", WHOLE)])
    put("deflate", "one stream of Deflate alone", [deflated(plain)], [cmpc(b"defl", PICTURE)])
    rows = [plain[start : start + 36] for start in range(0, len(plain), 36)]
    units = [zlib.compress(row) for row in rows]
    put("zlib-rows", "a zlib stream for each row, whose sizes are stated", units, [cmpc(b"zlib", ROW), icef(units, places=False)])
    tiled = samples(rgb, tiles=(2, 2))
    quarter = len(tiled) // 4
    units = [deflated(tiled[index * quarter : (index + 1) * quarter]) for index in range(4)]
    put("deflate-tiles", "a stream of Deflate for each tile, whose places are stated", units, [cmpc(b"defl", TILE), icef(units)],
        tiles=(2, 2))
    units = [zlib.compress(row) for row in rows]
    units[5] = units[5][:6] + bytes([units[5][6] ^ 255]) + units[5][7:]
    put("unit-damaged", "the sixth row does not inflate", units, [cmpc(b"zlib", ROW), icef(units)], "malformed",
        "some")
    put("unit-short", "a stream of fewer bytes than the samples need", [zlib.compress(plain[:-1])], [cmpc(b"zlib", WHOLE)],
        "malformed", "some")
    units = [zlib.compress(plain)]
    put("unit-outside", "a unit that ends after the item", units, [cmpc(b"zlib", WHOLE), icef([units[0] + b"."])], "malformed")
    many = full(b"icef", struct.pack(">BI", 1 << 2, 0xFFFFFFFF), bytes(8))
    put("unit-count", "more units than the box has room for", units, [cmpc(b"zlib", WHOLE), many], "malformed")
    put("brotli", "samples that are compressed with Brotli", units, [cmpc(b"brot", WHOLE)], "unsupported")
    huge = Item(b"unci", units[0], [ispe(16000, 16000), cmpd(kinds), uncc(kinds), cmpc(b"zlib", WHOLE)])
    fixtures.invalid("heif", "unci-unit-huge.heif", heif([huge], brand=b"mif1", brands=(b"mif1",)),
                     "more samples than its bytes can become", "malformed")


def make_profiles():
    """Layouts that have a name (table 5). Chroma of 128, or 512 of 1023, is none."""
    size = (12, 8)
    width, height = size
    luma = picture(*size, 1)[..., 0].astype(np.uint8)
    gray = rgba(np.stack([luma] * 3, axis=-1))
    deep = picture(*size, 1, 1023)[..., 0]

    def put(name, data, pixels, pixel_format="rgb8", bits=8, alpha="opaque", sampling=444, shows=None):
        made = Item(b"unci", data, [ispe(*size), full(b"uncC", name.encode(), version=1)])
        more = {} if sampling == 444 else {"subsampling": sampling}
        valid("heif", f"unci-{name}.heif", heif([made], brand=b"mif1", brands=(b"mif1",)), shows or f"the profile {name}", pixels,
              pixel_format, bits, alpha, **more)

    def beside(*order):
        """Pairs of luma between those of chroma."""
        return b"".join(bytes(128 if each is None else luma[y, x + each] for each in order)
                        for y in range(height) for x in range(0, width, 2))

    put("2vuy", beside(None, 0, None, 1), gray, sampling=422)
    put("yuv2", beside(0, None, 1, None), gray, sampling=422)
    put("nv12", luma.tobytes() + bytes([128]) * (width * height // 2), gray, sampling=420)
    put("i420", luma.tobytes() + bytes([128]) * (width * height // 2), gray, sampling=420)
    put("v308", b"".join(bytes([128, value, 128]) for value in luma.flat), gray)
    put("v410", b"".join(struct.pack("<I", (512 << 20 | int(value) << 10 | 512) << 2) for value in deep.flat),
        rgba(np.stack([deep] * 3, axis=-1), 1023, 16), "rgba16", 10)
    pairs = [number for y in range(height) for x in range(0, width, 2) for number in (deep[y, x], 512, deep[y, x + 1], 512)]
    put("y210", b"".join(struct.pack("<H", int(number) << 6) for number in pairs), rgba(np.stack([deep] * 3, axis=-1), 1023, 16),
        "rgba16", 10, sampling=422)


def make():
    make_bits()
    make_units()
    make_profiles()
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
    invalid("17bit", "components of 17 bits", item(size, kinds, bytes(900), bits=17), "unsupported")
    invalid("5bit-short", "fewer bits than its size says", item(size, kinds, bytes(179), bits=5), "malformed")
