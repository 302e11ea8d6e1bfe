# SPDX-License-Identifier: Apache-2.0
"""PNG stills, written chunk by chunk (PNG Third Edition)."""

import io
import struct
import zlib

import numpy as np
from PIL import Image

import fixtures
from fixtures import picture, rgba, valid

FORMAT = "png"

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
# Section 8.2, Adam7: first column, first row, step to the right, step down.
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width, height, depth, color, interlace=0, compression=0, filtering=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, compression, filtering, interlace))


def packed(row, depth):
    """One row's samples as bytes."""
    flat = row.reshape(-1)
    if depth == 16:
        return flat.astype(">u2").tobytes()
    if depth == 8:
        return flat.astype(np.uint8).tobytes()
    bits = "".join(format(int(value), f"0{depth}b") for value in flat)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filtered(rows, step, filters):
    """Section 9: each row with its filter's number before it."""
    result, before = b"", None
    for number, row in enumerate(rows):
        kind = filters[number % len(filters)]
        above = before if before is not None else bytes(len(row))
        left = bytes(step) + row
        corner = bytes(step) + above
        guess = {
            0: lambda i: 0,
            1: lambda i: left[i],
            2: lambda i: above[i],
            3: lambda i: (left[i] + above[i]) // 2,
            4: lambda i: paeth(left[i], above[i], corner[i]),
        }[kind]
        result += bytes([kind]) + bytes((row[i] - guess(i)) & 255 for i in range(len(row)))
        before = row
    return result


def image_data(samples, depth, interlaced=False, filters=(0,)):
    step = max(1, samples.shape[2] * depth // 8)
    passes = [samples[y0::dy, x0::dx] for x0, y0, dx, dy in ADAM7] if interlaced else [samples]
    raw = b""
    for part in passes:
        if part.size:
            raw += filtered([packed(row, depth) for row in part], step, filters)
    return zlib.compress(raw, 9)


def file(samples, depth, color, interlaced=False, filters=(0,), before=(), after=(), split=0):
    height, width = samples.shape[:2]
    data = image_data(samples, depth, interlaced, filters)
    parts = [data[i : i + split] for i in range(0, len(data), split)] if split else [data]
    chunks = [header(width, height, depth, color, int(interlaced)), *before]
    chunks += [chunk(b"IDAT", part) for part in parts]
    return SIGNATURE + b"".join(chunks) + b"".join(after) + chunk(b"IEND")


def agree(data, pixels):
    """Pillow is asked too, where it keeps all bits."""
    if pixels.dtype.itemsize == 1:
        seen = np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))
        assert np.array_equal(seen, pixels), "Pillow sees other pixels"


def still(name, shows, samples, depth, color, pixel_format, alpha="opaque", pixels=None, stored_bits=None, **more):
    keys = {key: more.pop(key) for key in ("interlaced", "filters", "before", "after", "split") if key in more}
    data = file(samples, depth, color, **keys)
    if pixels is None:
        pixels = rgba(samples, (1 << depth) - 1, 16 if depth == 16 else 8)
    agree(data, pixels)
    valid("png", name, data, shows, pixels, pixel_format, stored_bits or depth, alpha, **more)


def palette(count):
    index = np.arange(count)
    return np.stack([index * 255 // (count - 1), 255 - index * 200 // (count - 1), (index * 67) % 256], axis=-1)


def indexed(name, shows, depth, alphas=None, **keys):
    count = 1 << depth
    entries = palette(count)
    samples = picture(23, 17, 1, count - 1)
    before = [chunk(b"PLTE", entries.astype(np.uint8).tobytes())]
    full = np.full((count, 1), 255)
    if alphas:
        before.append(chunk(b"tRNS", bytes(alphas)))
        full[: len(alphas), 0] = alphas
    pixels = np.concatenate([entries, full], axis=-1)[samples[..., 0]].astype(np.uint8)
    pixel_format, alpha = ("rgba8", "straight") if alphas else ("rgb8", "opaque")
    still(name, shows, samples, depth, PALETTE, pixel_format, alpha, pixels, before=before, stored_bits=8, **keys)


def keyed(name, shows, depth, color, pixel_format):
    """One color is transparent (section 11.3.1.1, tRNS)."""
    largest = (1 << depth) - 1
    samples = picture(21, 13, CHANNELS[color], largest)
    key = samples[6, 10].copy()
    pixels = rgba(samples, largest, 16 if depth == 16 else 8)
    pixels[np.all(samples == key, axis=-1), 3] = 0
    before = [chunk(b"tRNS", key.astype(">u2").tobytes())]
    still(name, shows, samples, depth, color, pixel_format, "straight", pixels, before=before)


def make():
    eight = {GRAY: "gray8", RGB: "rgb8", GRAY_ALPHA: "gray-alpha8", RGBA: "rgba8"}
    sixteen = {GRAY: "gray16", RGB: "rgb16", GRAY_ALPHA: "gray-alpha16", RGBA: "rgba16"}
    names = {GRAY: "gray", RGB: "rgb", GRAY_ALPHA: "gray-alpha", RGBA: "rgba"}
    for depth in (1, 2, 4):
        samples = picture(21, 13, 1, (1 << depth) - 1)
        still(f"gray{depth}.png", f"gray of {depth} bits", samples, depth, GRAY, "gray8")
        indexed(f"palette{depth}.png", f"indexes of {depth} bits", depth)
    indexed("palette4-trns.png", "a palette whose first entries are translucent", 4, [0, 64, 128, 200])
    indexed("palette8-trns.png", "a palette of 256 with two translucent entries", 8, [10, 250])
    indexed("interlaced-palette4.png", "indexes of 4 bits in seven passes", 4, interlaced=True)
    for color, name in names.items():
        alpha = "straight" if color in (GRAY_ALPHA, RGBA) else "opaque"
        for depth, formats in ((8, eight), (16, sixteen)):
            size = (21, 13) if depth == 8 else (13, 9)
            samples = picture(*size, CHANNELS[color], (1 << depth) - 1)
            still(f"{name}{depth}.png", f"{name} of {depth} bits", samples, depth, color, formats[color], alpha)
    for color, depth in ((RGBA, 8), (GRAY, 1), (RGB, 16), (GRAY, 8)):
        alpha = "straight" if color == RGBA else "opaque"
        formats = sixteen if depth == 16 else eight
        samples = picture(13, 11, CHANNELS[color], (1 << depth) - 1)
        still(
            f"interlaced-{names[color]}{depth}.png",
            "seven passes (section 8.2)",
            samples,
            depth,
            color,
            formats[color],
            alpha,
            interlaced=True,
        )
    for width, height in ((1, 1), (3, 1), (1, 7)):
        still(
            f"interlaced-{width}x{height}.png",
            "passes without a pixel",
            picture(width, height, 3),
            8,
            RGB,
            "rgb8",
            interlaced=True,
        )
    keyed("gray8-trns.png", "one gray is transparent", 8, GRAY, "gray-alpha8")
    keyed("gray16-trns.png", "one gray of 16 bits is transparent", 16, GRAY, "gray-alpha16")
    keyed("rgb8-trns.png", "one color is transparent", 8, RGB, "rgba8")
    keyed("rgb16-trns.png", "one color of 16 bits is transparent", 16, RGB, "rgba16")
    plain = picture(16, 10, 3)
    still("all-filters.png", "each of the five filters (section 9)", plain, 8, RGB, "rgb8", filters=(1, 2, 3, 4, 0))
    still("split-idat.png", "image data in chunks of 7 bytes", plain, 8, RGB, "rgb8", split=7)
    still("pixels-1x1.png", "one pixel", picture(1, 1, 4), 8, RGBA, "rgba8", "straight")
    profile = fixtures.icc()
    still(
        "icc.png",
        "an ICC profile (iCCP)",
        plain,
        8,
        RGB,
        "rgb8",
        metadata={"ICC": profile},
        before=[chunk(b"iCCP", b"test\0\0" + zlib.compress(profile))],
    )
    still(
        "xmp.png",
        "an XMP packet (iTXt)",
        plain,
        8,
        RGB,
        "rgb8",
        metadata={"XMP": fixtures.XMP},
        before=[chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + fixtures.XMP)],
    )
    packed = b"Author\0\0" + zlib.compress("Grüße".encode("latin-1"))
    still(
        "text.png",
        "texts of each kind of chunk (tEXt, zTXt, iTXt), and content credentials (caBX)",
        plain,
        8,
        RGB,
        "rgb8",
        metadata={
            "text": "Title\0a\0Author\0Grüße\0Comment\0č\0".encode(), "C2PA": fixtures.manifest_store(),
        },
        before=[
            chunk(b"tEXt", b"Title\0a"), chunk(b"zTXt", packed),
            chunk(b"iTXt", "Comment\0\0\0cs\0Poznámka\0č".encode()), chunk(b"caBX", fixtures.manifest_store()),
        ],
    )
    tags = fixtures.exif(6)
    still(
        "exif-orientation-6.png",
        "Exif with an orientation (eXIf)",
        plain,
        8,
        RGB,
        "rgb8",
        orientation=6,
        metadata={"Exif": tags},
        before=[chunk(b"eXIf", tags)],
    )
    still(
        "gamma.png",
        "a gamma of 1/2.2 (gAMA), which changes no sample",
        plain,
        8,
        RGB,
        "rgb8",
        before=[chunk(b"gAMA", struct.pack(">I", 45455))],
    )
    still(
        "cicp.png",
        "code points of Display P3 (cICP)",
        plain,
        8,
        RGB,
        "rgb8",
        cicp=[12, 13, 0, 1],
        before=[chunk(b"cICP", bytes([12, 13, 0, 1]))],
    )
    still(
        "ancillary-unknown.png",
        "chunks that nobody knows",
        plain,
        8,
        RGB,
        "rgb8",
        before=[chunk(b"teST", b"abc")],
        after=[chunk(b"zzZz", bytes(9))],
    )
    still(
        "background.png",
        "a background (bKGD), which is not drawn",
        picture(9, 9, 4),
        8,
        RGBA,
        "rgba8",
        "straight",
        before=[chunk(b"bKGD", struct.pack(">HHH", 255, 0, 0))],
    )
    make_invalid(plain)


def make_invalid(plain):
    def bad(name, shows, data, error, **more):
        fixtures.invalid("png", name, data, shows, error, **more)

    good = file(plain, 8, RGB, filters=(1,))
    data = image_data(plain, 8)
    end = chunk(b"IEND")

    def edited(at, new):
        return good[:at] + new + good[at + len(new) :]

    idat = good.index(b"IDAT")
    bad("signature-only.png", "nothing but the signature", good[:8], "truncated")
    bad("truncated-header.png", "IHDR is cut", good[:20], "truncated")
    bad("truncated-before-idat.png", "no image data", good[:33], "truncated")
    bad(
        "truncated-idat.png",
        "image data is cut in the middle",
        good[: idat + (len(good) - idat) // 2],
        "truncated",
        rows="some",
    )
    bad("wrong-signature.png", "the first byte has lost its high bit", edited(0, b"\x09"), "wrongFormat")
    bad("signature-crlf.png", "line ends were converted", good.replace(b"\r\n", b"\n", 1), "wrongFormat")
    bad("ihdr-bad-crc.png", "the checksum of IHDR is wrong", edited(29, b"\0\0\0\0"), "checksumMismatch")

    def with_header(**keys):
        fields = {"width": 16, "height": 10, "depth": 8, "color": RGB, **keys}
        return SIGNATURE + header(**fields) + chunk(b"IDAT", data) + end

    bad("zero-width.png", "a width of 0", with_header(width=0), "malformed")
    bad("zero-height.png", "a height of 0", with_header(height=0), "malformed")
    bad("width-over-31-bits.png", "a width of 2^31", with_header(width=1 << 31), "malformed")
    bad("depth-3.png", "a bit depth of 3", with_header(depth=3), "malformed")
    bad("depth-4-rgb.png", "RGB of 4 bits (table 8)", with_header(depth=4), "malformed")
    bad("color-type-5.png", "a color type of 5", with_header(color=5), "malformed")
    bad("interlace-2.png", "an interlace method of 2", with_header(interlace=2), "malformed")
    bad("compression-1.png", "a compression method of 1", with_header(compression=1), "malformed")
    bad("filter-method-1.png", "a filter method of 1", with_header(filtering=1), "malformed")
    bad("huge-canvas.png", "65,000 pixels in each direction", with_header(width=65_000, height=65_000), "limitExceeded")
    bad("huge-side.png", "2,000,000 pixels in one row", with_header(width=2_000_000, height=1), "limitExceeded")
    bad(
        "palette-missing.png",
        "indexes without a palette",
        SIGNATURE + header(16, 10, 8, PALETTE) + chunk(b"IDAT", image_data(plain[..., :1], 8)) + end,
        "malformed",
    )
    bad(
        "palette-length-4.png",
        "a palette of 4 bytes",
        SIGNATURE
        + header(16, 10, 8, PALETTE)
        + chunk(b"PLTE", bytes(4))
        + chunk(b"IDAT", image_data(plain[..., :1], 8))
        + end,
        "malformed",
    )
    bad("idat-missing.png", "a file without image data", SIGNATURE + header(16, 10, 8, RGB) + end, "malformed")
    bad("ihdr-missing.png", "image data comes first", SIGNATURE + chunk(b"IDAT", data) + end, "malformed")
    bad(
        "idat-garbage.png",
        "image data that is no zlib stream",
        SIGNATURE + header(16, 10, 8, RGB) + chunk(b"IDAT", bytes(range(60))) + end,
        "malformed",
    )
    bad(
        "idat-short.png",
        "image data of half the rows",
        SIGNATURE + header(16, 10, 8, RGB) + chunk(b"IDAT", image_data(plain[:5], 8)) + end,
        "malformed",
        rows="some",
    )
    rows = [bytes([9 if y == 6 else 0]) + packed(plain[y], 8) for y in range(10)]
    bad(
        "filter-9.png",
        "row 6 has filter 9",
        SIGNATURE + header(16, 10, 8, RGB) + chunk(b"IDAT", zlib.compress(b"".join(rows))) + end,
        "malformed",
        rows="some",
    )
