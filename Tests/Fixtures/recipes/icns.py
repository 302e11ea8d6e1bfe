# SPDX-License-Identifier: Apache-2.0
"""Apple icons, element by element. What icns2png shows of them is compared with what the recipe put in."""

import io
import struct

import numpy as np
from PIL import Image

import fixtures
from fixtures import fnv, in_folder, picture, rgba, run, valid

FORMAT = "icns"


def element(code, data):
    return code + struct.pack(">I", len(data) + 8) + data


def icon(*elements):
    body = b"".join(elements)
    return b"icns" + struct.pack(">I", len(body) + 8) + body


def contents(*elements):
    return element(b"TOC ", b"".join(e[:8] for e in elements))


def packed(plane):
    """Runs of three and more, the rest as it is."""
    data, literal, position = b"", b"", 0
    values = plane.tobytes()

    def flush():
        nonlocal data, literal
        for start in range(0, len(literal), 128):
            part = literal[start : start + 128]
            data += bytes([len(part) - 1]) + part
        literal = b""

    while position < len(values):
        end = position
        while end < len(values) and end - position < 130 and values[end] == values[position]:
            end += 1
        if end - position >= 3:
            flush()
            data += bytes([end - position + 125, values[position]])
        else:
            literal += values[position:end]
        position = end
    flush()
    return data


def planes(pixels, channels=(0, 1, 2)):
    return b"".join(packed(np.ascontiguousarray(pixels[..., c])) for c in channels)


def bits(plane):
    return np.packbits(plane.astype(bool).reshape(-1)).tobytes()


def png(pixels):
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def smooth(side, channels=4):
    """Few values, so that planes pack well."""
    pixels = (picture(side, side, channels) // 32 * 32).astype(np.uint8)
    return pixels if channels == 4 else np.dstack([pixels, np.full((side, side), 255, np.uint8)])


FOUR = [
    0xFFFFFF, 0xFCF305, 0xFF6402, 0xDD0806, 0xF20884, 0x4600A5, 0x0000D4, 0x02ABEA,
    0x1FB714, 0x006411, 0x562C05, 0x90713A, 0xC0C0C0, 0x808080, 0x404040, 0x000000,
]  # fmt: skip


def system_color(index):
    """The 8-bit system palette by its rule."""
    if index == 255:
        return [0, 0, 0]
    if index < 215:
        return [255 - 51 * (index // 36), 255 - 51 * (index // 6 % 6), 255 - 51 * (index % 6)]
    channel, step = divmod(index - 215, 10)
    value = [0xEE, 0xDD, 0xBB, 0xAA, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11][step]
    return [value if channel in (c, 3) else 0 for c in range(3)]


EIGHT = [system_color(index) for index in range(256)]


def shown(colors, mask=None):
    alpha = np.full(colors.shape[:2], 255) if mask is None else mask
    return np.dstack([colors, alpha]).astype(np.uint8)


def check(data, *pages):
    """icns2png agrees with the recipe, wherever it has a picture of that size and depth."""

    def body(folder):
        (folder / "in.icns").write_bytes(data)
        run("icns2png", "-x", "-o", str(folder), str(folder / "in.icns"))
        for pixels, depth in pages:
            height, width = pixels.shape[:2]
            found = np.asarray(Image.open(folder / f"in_{width}x{height}x{depth}.png").convert("RGBA"))
            assert np.array_equal(found, pixels), (width, height, depth)

    in_folder(body)


def page(pixels):
    return {"canvas": [pixels.shape[1], pixels.shape[0]], "hash": fnv(pixels.tobytes())}


def make():
    def still(name, shows, data, pixels, *others, pixel_format="rgba8", bits=8, alpha="straight", primary=0, **more):
        pages = [page(p) for p in (pixels, *others)]
        pages.insert(primary, pages.pop(0))
        for index in more.pop("embedded", []):
            pages[index] = {"canvas": pages[index]["canvas"], "embedded": True}
        valid("icns", name, data, shows, pixels, pixel_format, bits, alpha, pageCount=len(pages), primaryPage=primary,
              pages=pages, isLossless=True, **more)  # fmt: skip

    sides = {16: (b"is32", b"s8mk"), 32: (b"il32", b"l8mk"), 48: (b"ih32", b"h8mk")}

    def masked(side):
        color, mask = sides[side]
        pixels = smooth(side)
        return [element(color, planes(pixels)), element(mask, pixels[..., 3].tobytes())]

    for side in (16, 32):
        data = icon(*masked(side))
        check(data, (smooth(side), 32))
        still(f"masked-{side}.icns", f"packed planes of {side} pixels with a mask of 8 bits", data, smooth(side))
    flat = np.zeros((48, 48, 4), np.uint8)
    flat[4:44, 4:44] = [200, 40, 90, 255]
    flat[20:30, 8:40] = [20, 240, 90, 128]
    data = icon(element(b"ih32", planes(flat)), element(b"h8mk", flat[..., 3].tobytes()))
    check(data, (flat, 32))
    still("masked-48.icns", "packed planes of 48 pixels with a mask of 8 bits", data, flat)
    tile = np.zeros((128, 128, 4), np.uint8)
    tile[...] = [90, 40, 200, 255]
    tile[30:90, 16:100] = [255, 200, 0, 255]
    data = icon(element(b"it32", bytes(4) + planes(tile)))
    still("planes-128.icns", "packed planes of 128 pixels behind four zero bytes, without a mask", data, tile,
          pixel_format="rgb8", alpha="opaque")  # fmt: skip
    opaque = smooth(16, 3)
    still("no-mask.icns", "no mask", icon(element(b"is32", planes(opaque))), opaque, pixel_format="rgb8",
          alpha="opaque")  # fmt: skip
    noise = np.dstack([picture(16, 16, 3), np.full((16, 16), 255)]).astype(np.uint8)
    still("unpacked.icns", "24 bits that are not packed", icon(element(b"is32", noise[..., :3].tobytes())), noise,
          pixel_format="rgb8", alpha="opaque")  # fmt: skip
    holes = np.add.outer(np.arange(16), np.arange(16)) % 5 > 0
    mono = np.add.outer(np.arange(16), 2 * np.arange(16)) % 3 == 0
    one_bit = shown(np.dstack([np.where(mono, 0, 255)] * 3), holes * 255)
    sharp = element(b"ics#", bits(mono) + bits(holes))
    check(icon(sharp), (one_bit, 1))
    still("bits-16.icns", "one bit and a mask of one bit", icon(sharp), one_bit, pixel_format="gray-alpha8", bits=1)
    bit_masked = shown(opaque[..., :3], holes * 255)
    still("mask-of-bits.icns", "24 bits with a mask of one bit", icon(element(b"is32", planes(opaque)), sharp),
          bit_masked, one_bit)  # fmt: skip
    drawing = np.add.outer(np.arange(32) * 3, np.arange(32)) % 4 == 0
    still("bits-32-opaque.icns", "one bit without a mask", icon(element(b"ICON", bits(drawing))),
          shown(np.dstack([np.where(drawing, 0, 255)] * 3)), pixel_format="gray8", bits=1,
          alpha="opaque")  # fmt: skip
    nibbles = np.add.outer(np.arange(16), np.arange(16)) % 16
    colors4 = np.array([[c >> 16, c >> 8 & 255, c & 255] for c in FOUR])[nibbles]
    indexes4 = element(b"ics4", (nibbles[:, ::2] << 4 | nibbles[:, 1::2]).astype(np.uint8).tobytes())
    check(icon(indexes4, sharp), (shown(colors4, holes * 255), 4))
    still("indexes-4.icns", "the system's sixteen colors", icon(indexes4, sharp), shown(colors4, holes * 255),
          one_bit, bits=4)  # fmt: skip
    bytes8 = np.arange(256).reshape(16, 16)
    colors8 = np.array(EIGHT)[bytes8]
    indexes8 = element(b"ics8", bytes8.astype(np.uint8).tobytes())
    check(icon(indexes8, sharp), (shown(colors8, holes * 255), 8))
    still("indexes-8.icns", "the system's 256 colors", icon(indexes8, sharp), shown(colors8, holes * 255), one_bit)
    still("indexes-8-opaque.icns", "256 colors without a mask", icon(indexes8), shown(colors8), pixel_format="rgb8",
          alpha="opaque")  # fmt: skip
    mini = np.arange(12 * 16).reshape(12, 16)
    mini_bits = np.ones((12, 16), bool)
    mini_bits[:3, :5] = False
    data = icon(element(b"icm8", mini.astype(np.uint8).tobytes()), element(b"icm#", bits(mini_bits) * 2))
    mono12 = shown(np.dstack([np.where(mini_bits, 0, 255)] * 3), mini_bits * 255)
    check(data, (shown(np.array(EIGHT)[mini], mini_bits * 255), 8))
    still("mini.icns", "16×12 pixels", data, shown(np.array(EIGHT)[mini], mini_bits * 255), mono12)
    for code, side in ((b"ic04", 16), (b"ic05", 32), (b"icsb", 18)):
        pixels = smooth(side)
        data = icon(element(code, b"ARGB" + planes(pixels, (3, 0, 1, 2))))
        still(f"argb-{side}.icns", "planes with alpha", data, pixels)
    elements = masked(32) + masked(16)
    data = icon(contents(*elements), *elements)
    check(data, (smooth(32), 32), (smooth(16), 32))
    still("sizes.icns", "two sizes behind a table of contents", data, smooth(32), smooth(16))
    data = icon(*masked(16), indexes8, sharp)
    still("depths.icns", "one size in three depths", data, smooth(16), shown(colors8, holes * 255), one_bit)
    entry = element(b"icp4", png(smooth(16)))
    still("png-second.icns", "a PNG beside a larger picture", icon(*masked(32), entry), smooth(32), smooth(16),
          embedded=[1])  # fmt: skip
    dark = element(b"\xfd\xd9\x2f\xa8", icon(*masked(16)))
    other = element(b"icnV", struct.pack(">f", 128.0)) + element(b"name", b"icon") + element(b"xxxx", b"what")
    still("more.icns", "a name, a version, something unknown, and a dark variant", icon(*masked(16), other, dark),
          smooth(16))  # fmt: skip
    argb = element(b"ic04", b"ARGB" + planes(smooth(16), (3, 0, 1, 2)))
    still("variants.icns", "variants alone", icon(element(b"open", argb)), smooth(16))
    invalids(masked, element(b"is32", planes(opaque)))


def invalids(masked, small):
    def bad(name, shows, data, error, **more):
        fixtures.invalid("icns", name, data, shows, error, **more)

    good = icon(*masked(32))
    bad("wrong-signature.icns", "icnt", b"icnt" + good[4:], "wrongFormat")
    bad("truncated-header.icns", "the header is cut", good[:6], "truncated")
    bad("truncated-pixels.icns", "the planes are cut", good[:100], "truncated", rows="any")
    bad("truncated-mask.icns", "the mask is cut", good[:-300], "truncated", rows="some")
    bad("file-length-7.icns", "a file length of 7", b"icns" + struct.pack(">I", 7) + good[8:], "malformed")
    bad("no-elements.icns", "no element", icon(), "unsupported")
    bad("unknown-elements.icns", "an element that nobody knows", icon(element(b"xxxx", b"what")), "unsupported")
    short = icon(b"is32" + struct.pack(">I", 7) + small[8:])
    bad("element-length-7.icns", "an element length of 7", short, "malformed")
    bad("short-element.icns", "eight bits for one pixel", icon(element(b"ics8", b"\1")), "malformed")
    bad("long-element.icns", "an element that leads out of the file", icon(b"is32\x7f\xff\xff\xff" + small[8:]),
        "malformed", rows="some")  # fmt: skip
    bad("planes-short.icns", "planes that end early", icon(small[:4] + struct.pack(">I", 108) + small[8:108]),
        "malformed", rows="any")  # fmt: skip
    bad("short-beside-good.icns", "a short element costs no other", icon(element(b"ic10", b"\1"), *masked(16)),
        "malformed", rows="some")  # fmt: skip
