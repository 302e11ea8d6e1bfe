# SPDX-License-Identifier: Apache-2.0
"""TIFF, put together tag by tag. Pixels come from the recipe; those of JPEG from libjpeg through Pillow."""

import io
import struct

import numpy as np
from PIL import Image

import fixtures
from fixtures import fnv, invalid, picture, rgba, valid
from tiff_file import *
from tiff_file import File, Page, fax, page, strips, tiff

FORMAT = "tiff"

SIZE = (23, 17)


def samples(count, bits):
    return picture(*SIZE, count, (1 << bits) - 1)


def still(name, shows, data, pixels, pixel_format, bits=8, alpha="opaque", **more):
    valid(FORMAT, name, data, shows, pixels, pixel_format, bits, alpha, **more)


def depths():
    for bits in (1, 2, 4, 8):
        gray = samples(1, bits)
        shown = rgba(gray, (1 << bits) - 1)
        still(f"gray{bits}.tif", f"gray, {bits} bits", tiff(page(gray, bits, 1)), shown, "gray8", bits, isLossless=True)
        turned = shown.copy()
        turned[:, :, :3] = 255 - turned[:, :, :3]
        still(f"gray{bits}-min-is-white.tif", "0 is white", tiff(page(gray, bits, 0)), turned, "gray8", bits)
    for bits in (10, 12, 14, 16):
        gray = samples(1, bits)
        shown = rgba(gray, (1 << bits) - 1, 16)
        still(f"gray{bits}.tif", f"gray, {bits} bits", tiff(page(gray, bits, 1)), shown, "gray16", bits)
    for order, name in (("<", "little"), (">", "big")):
        deep = samples(3, 16)
        data = tiff(page(deep, 16, 2, order=order), order=order)
        still(f"rgb16-{name}-endian.tif", f"{name}-endian words", data, rgba(deep, 65535, 16), "rgb16", 16)
        wide = (samples(1, 16).astype(np.int64) * 65537).astype(np.uint32)
        data = tiff(page(wide, 32, 1, order=order), order=order)
        still(f"gray32-{name}-endian.tif", "32-bit integers become 16-bit ones", data,
              rgba(samples(1, 16), 65535, 16), "gray16", 32)
        wide = samples(1, 16)[:13].astype(np.uint64) * 0x1000100010001
        data = tiff(page(wide, 64, 1, order=order), order=order)
        still(f"gray64-{name}-endian.tif", "64-bit integers become 16-bit ones", data,
              rgba(samples(1, 16)[:13], 65535, 16), "gray16", 32)
    wide = (samples(3, 16)[:9].astype(np.uint64) * 0x1000100010001) ^ (1 << 63)
    still("rgb64-signed-deflate.tif", "64-bit integers, the smallest is black",
          tiff(page(wide, 64, 2, compression=8, more={SAMPLE_FORMAT: (SHORT, [2, 2, 2])})),
          rgba(samples(3, 16)[:9], 65535, 16), "rgb16", 32)
    signed = samples(1, 8).astype(np.int64) - 128
    more = {SAMPLE_FORMAT: (SHORT, 2)}
    still("gray8-signed.tif", "the smallest number is black", tiff(page(signed.astype(np.int8), 8, 1, more=more)),
          rgba(samples(1, 8)), "gray8")
    floating()


def floating():
    deep = samples(3, 16)
    more = {SAMPLE_FORMAT: (SHORT, [3, 3, 3])}
    for bits in (32, 64):
        values = (deep / 65535).astype(f"f{bits // 8}")
        small, shown = values[: 288 // bits], rgba(deep[: 288 // bits], 65535, 16)
        still(f"rgb-float{bits}.tif", f"{bits}-bit floats", tiff(page(small, bits, 2, more=more)), shown,
              "rgba-float32", min(bits, 32))
    half = (samples(1, 8) // 16 / 16).astype(np.float16)
    exact = np.rint(half.astype(np.float64) * 65535).astype(np.int64)
    data = tiff(page(half, 16, 1, more={SAMPLE_FORMAT: (SHORT, 3)}))
    still("gray-float16.tif", "16-bit floats", data, rgba(exact, 65535, 16), "rgba-float32", 16)
    data = tiff(page((samples(1, 16)[:9] / 65535).astype(np.float32), 32, 0, order=">", compression=8,
                     more={SAMPLE_FORMAT: (SHORT, 3)}), order=">")
    still("gray-float32-min-is-white.tif", "0.0 is white", data,
          rgba(65535 - samples(1, 16)[:9], 65535, 16), "rgba-float32", 32)
    floating_inks()


def floating_inks():
    """0 is no ink and 1 all of it; they become 16 bits. What is beyond counts as the nearest."""
    four = {SAMPLE_FORMAT: (SHORT, [3, 3, 3, 3])}
    inks = samples(4, 16)[:9]
    values = (inks / 65535).astype(np.float32)
    values[0, 0], values[0, 1] = (-1, 2, 0.5, 0), (np.nan, np.inf, -np.inf, 0.25)
    inks[0, 0], inks[0, 1] = (0, 65535, 32768, 0), (0, 65535, 0, 16384)
    light = (65535 - inks[:, :, :3].astype(np.int64)) * (65535 - inks[:, :, 3:].astype(np.int64))
    shown = rgba((light + 32767) // 65535, 65535, 16)
    still("cmyk-float32.tif", "inks of floating point", tiff(page(values, 32, 5, more=four)), shown, "rgb16", 32)
    still("cmyk-float32-planar.tif", "inks of floating point in planes",
          tiff(page(values, 32, 5, planar=True, compression=8, more=four)), shown, "rgb16", 32)


def channels():
    rgb, with_alpha = samples(3, 8), samples(4, 8)
    still("rgb8.tif", "RGB", tiff(page(rgb, 8, 2)), rgba(rgb), "rgb8", isLossless=True)
    still("rgba8-straight.tif", "straight alpha", tiff(page(with_alpha, 8, 2, extra=2)), rgba(with_alpha), "rgba8", 8,
          "straight")
    still("rgba8-unstated.tif", "a fourth sample without a word", tiff(page(with_alpha, 8, 2)), rgba(with_alpha),
          "rgba8", 8, "straight")
    opaque = with_alpha.copy()
    opaque[:, :, 3] = 255
    still("rgb8-extra-unspecified.tif", "a fourth sample that is not alpha", tiff(page(with_alpha, 8, 2, extra=0)),
          rgba(opaque), "rgb8")
    # A fifth of colors that are multiples of 5: nothing is rounded.
    straight = with_alpha // 5 * 5
    straight[:, :, 3] = 51
    multiplied = straight.copy()
    multiplied[:, :, :3] //= 5
    still("rgba8-premultiplied.tif", "premultiplied alpha", tiff(page(multiplied, 8, 2, extra=1)), rgba(straight),
          "rgba8", 8, "premultiplied")
    both = samples(2, 8)
    still("gray-alpha8.tif", "gray with alpha", tiff(page(both, 8, 1, extra=2)), rgba(both), "gray-alpha8", 8,
          "straight")
    deep = samples(4, 16)[:9]
    still("rgba16-straight.tif", "16 bits with alpha", tiff(page(deep, 16, 2, extra=2)), rgba(deep, 65535, 16),
          "rgba16", 16, "straight")
    both = samples(2, 16)
    still("gray-alpha16.tif", "gray with alpha, 16 bits", tiff(page(both, 16, 1, extra=2)), rgba(both, 65535, 16),
          "gray-alpha16", 16, "straight")
    still("planar-rgb8.tif", "planes", tiff(page(rgb, 8, 2, planar=True)), rgba(rgb), "rgb8")
    still("planar-rgba8-deflate.tif", "planes with alpha", tiff(page(with_alpha, 8, 2, planar=True, compression=8,
          extra=2)), rgba(with_alpha), "rgba8", 8, "straight")
    five = np.concatenate([rgb, samples(1, 8), with_alpha[:, :, 3:]], axis=2)
    still("rgb8-second-extra-is-alpha.tif", "an unknown sample before alpha", tiff(page(five, 8, 2, extra=[0, 2])),
          rgba(np.concatenate([rgb, with_alpha[:, :, 3:]], axis=2)), "rgba8", 8, "straight")
    inks = samples(4, 8)
    light = (255 - inks[:, :, :3]) * (255 - inks[:, :, 3:])
    still("cmyk8.tif", "inks", tiff(page(inks, 8, 5)), rgba((light + 127) // 255), "rgb8")
    palette()
    chroma()


def palette():
    generator = np.random.default_rng(7)
    for bits in (1, 2, 4, 8):
        table = generator.integers(0, 256, (1 << bits, 3))
        if bits == 8:
            table[:, 1] = table[:, 2] = 0
        index = samples(1, bits)
        shown = rgba(table[index[:, :, 0]])
        color_map = [int(value) * 257 for value in table.T.ravel()]
        if bits == 2:
            color_map = [int(value) for value in table.T.ravel()]
        what = "a map of 8 bits" if bits == 2 else "a map of 16 bits"
        still(f"palette{bits}.tif", f"{bits}-bit indexes, {what}",
              tiff(page(index, bits, 3, compression=8, more={COLOR_MAP: (SHORT, color_map)})), shown, "rgb8")


def chroma():
    """YCbCr in blocks of 2 by 2 pixels, with gray chroma: color is luma."""
    luma = samples(1, 8)
    height, width = luma.shape[:2]
    padded = np.pad(luma[:, :, 0], ((0, height % 2), (0, width % 2)), mode="edge")
    blocks = b"".join(
        bytes([padded[y, x], padded[y, x + 1], padded[y + 1, x], padded[y + 1, x + 1], 128, 128])
        for y in range(0, height, 2) for x in range(0, width, 2))
    more = {SUBSAMPLING: (SHORT, [2, 2]), BITS: (SHORT, [8, 8, 8]), SAMPLES: (SHORT, 3)}
    data = tiff(page(luma, 8, 6, rows=height, more=more, striles=[blocks]))
    still("ycbcr-420-raw.tif", "subsampled YCbCr without JPEG", data, rgba(luma), "rgb8", subsampling=420)
    stored = io.BytesIO()
    Image.fromarray(samples(3, 8).astype(np.uint8)).save(stored, "JPEG", quality=80, subsampling=2)
    shown = np.asarray(Image.open(io.BytesIO(stored.getvalue())).convert("RGBA"))
    more = {SUBSAMPLING: (SHORT, [2, 2])}
    data = tiff(page(samples(3, 8), 8, 6, rows=17, compression=7, more=more, striles=[stored.getvalue()]))
    still("jpeg-ycbcr.tif", "JPEG with its own tables", data, shown, "rgb8", subsampling=420, isLossless=False)
    data = tiff(page(samples(3, 8), 8, 6, rows=17, compression=7, more={SUBSAMPLING: (SHORT, [1, 1])},
                     striles=[stored.getvalue()]))
    still("jpeg-wrong-subsampling.tif", "YCbCrSubSampling that JPEG itself contradicts", data, shown, "rgb8",
          subsampling=420)


def codecs():
    rgb, deep = samples(3, 8), samples(3, 16)[:12]
    names = {5: "lzw", 8: "deflate", 32946: "old-deflate", 32773: "packbits", 34925: "lzma", 50000: "zstd"}
    for code, name in names.items():
        still(f"{name}.tif", name, tiff(page(rgb, 8, 2, compression=code)), rgba(rgb), "rgb8")
    for code, name in ((5, "lzw"), (8, "deflate"), (50000, "zstd")):
        data = tiff(page(rgb, 8, 2, compression=code, predictor=2))
        still(f"{name}-predictor.tif", f"{name} of differences", data, rgba(rgb), "rgb8")
    data = tiff(page(deep.astype(np.uint16), 16, 2, compression=8, predictor=2, order=">"), order=">")
    still("deflate-predictor-rgb16.tif", "differences of big-endian words", data, rgba(deep, 65535, 16), "rgb16", 16)
    bits = samples(1, 1)
    for code, name in ((3, "group3"), (4, "group4"), (2, "tiff_ccitt")):
        coded, rows, photometric, options = fax(bits, name)
        more = {292: (LONG, options)} if options is not None else None
        shown = rgba(1 - bits if photometric == 0 else bits, 1)
        data = tiff(page(bits, 1, photometric, rows=rows, compression=code, more=more, striles=coded))
        still(f"ccitt-{code}.tif", f"fax, {name}", data, shown, "gray8", 1)
    reversed_bits = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
    turned = [strip.translate(reversed_bits) for strip in strips(bits, 1, 5)]
    data = tiff(page(bits, 1, 1, more={FILL_ORDER: (SHORT, 2)}, striles=turned))
    still("fill-order-2.tif", "bits from the lowest on", data, rgba(bits, 1), "gray8", 1)
    turned = [strip.translate(reversed_bits) for strip in strips(rgb, 8, 5, 8)]
    data = tiff(page(rgb, 8, 2, compression=8, more={FILL_ORDER: (SHORT, 2)}, striles=turned))
    still("fill-order-2-deflate.tif", "compressed bytes from the lowest bit on", data, rgba(rgb), "rgb8")


def places():
    rgb = samples(3, 8)
    still("tiles.tif", "tiles that reach over the edge", tiff(page(rgb, 8, 2, tile=16, compression=8)), rgba(rgb),
          "rgb8")
    still("tiles-planar.tif", "tiles of planes", tiff(page(rgb, 8, 2, tile=16, planar=True, compression=8)),
          rgba(rgb), "rgb8")
    still("bigtiff.tif", "offsets of 8 bytes", tiff(page(rgb, 8, 2), big=True), rgba(rgb), "rgb8")
    still("bigtiff-big-endian.tif", "offsets of 8 bytes, big-endian", tiff(page(rgb, 8, 2, order=">"), order=">",
          big=True), rgba(rgb), "rgb8")
    still("one-strip.tif", "one strip", tiff(page(rgb, 8, 2, rows=17)), rgba(rgb), "rgb8")
    one = picture(1, 1, 3)
    still("rgb8-1x1.tif", "one pixel", tiff(page(one, 8, 2)), rgba(one), "rgb8")
    sparse = strips(rgb, 8, 5)
    sparse[1] = b""
    shown = rgb.copy()
    shown[5:10] = 0
    still("sparse.tif", "a strip that is left out is 0", tiff(page(rgb, 8, 2, striles=sparse)), rgba(shown), "rgb8")
    for orientation in range(1, 9):
        data = tiff(page(rgb, 8, 2, compression=8, more={ORIENTATION: (SHORT, orientation)}))
        still(f"orientation-{orientation}.tif", "the tag Orientation", data, rgba(rgb), "rgb8",
              orientation=orientation)


def pages():
    def described(picture_page, pixels):
        height, width = pixels.shape[:2]
        return {"canvas": [width, height], "hash": fnv(pixels.tobytes())}

    first, second, third = samples(3, 8), picture(9, 21, 1), picture(12, 5, 3)
    three = [page(first, 8, 2, compression=8), page(second, 8, 1), page(third, 8, 2)]
    shown = [rgba(one) for one in (first, second, third)]
    still("pages.tif", "three pages", tiff(*three), shown[0], "rgb8", pageCount=3, primaryPage=0,
          pages=[described(one, pixels) for one, pixels in zip(three, shown)])
    small = page(first[::2, ::2], 8, 2, more={NEW_SUBFILE_TYPE: (LONG, 1)})
    mask = page(samples(1, 1), 1, 4, more={NEW_SUBFILE_TYPE: (LONG, 4)})
    still("reduced-is-no-page.tif", "a smaller version and a mask are no pages", tiff(three[0], small, mask, three[2]),
          shown[0], "rgb8", pageCount=2, primaryPage=0,
          pages=[described(three[0], shown[0]), described(three[2], shown[2])])
    large = picture(24, 16, 3)
    nested = page(large[::2, ::2], 8, 2, more={NEW_SUBFILE_TYPE: (LONG, 1)})
    data = tiff(page(large, 8, 2, compression=8, nested={SUB_IFDS: [nested]}))
    still("sub-ifd.tif", "a smaller version in a SubIFD", data, rgba(large), "rgb8", pageCount=1)


def metadata():
    rgb = samples(3, 8)
    icc = fixtures.icc()
    data = tiff(page(rgb, 8, 2, compression=8, more={ICC: (UNDEFINED, icc)}))
    still("icc.tif", "an ICC profile", data, rgba(rgb), "rgb8", metadata={"ICC": icc})
    data = tiff(page(rgb, 8, 2, compression=8, more={XMP: (BYTE, fixtures.XMP)}))
    still("xmp.tif", "XMP", data, rgba(rgb), "rgb8", metadata={"XMP": fixtures.XMP})
    exif = {36864: (UNDEFINED, b"0232"), 33434: (RATIONAL, [1, 125]), 37500: (UNDEFINED, b"a maker's note"),
            34855: (SHORT, 200)}
    gps = {1: (ASCII, b"N\0"), 2: (RATIONAL, [52, 1, 30, 1, 0, 1])}
    own = {271: (ASCII, b"Maker\0"), ORIENTATION: (SHORT, 1), 305: (ASCII, b"A program\0")}
    data = tiff(page(rgb, 8, 2, compression=8, more=own, nested={EXIF: [exif], GPS: [gps]}))
    still("exif.tif", "directories of Exif and GPS", data, rgba(rgb), "rgb8", metadata={"Exif": block(own, exif, gps)})


def block(own, exif, gps):
    """The structure that docs/formats/tiff.md describes: each directory with its values behind it."""

    def directory(tags, place):
        body, tail = struct.pack("<H", len(tags)), b""
        behind = place + 2 + 12 * len(tags) + 4
        file = File()
        for tag, (kind, value) in sorted(tags.items()):
            data, count = file.values(kind, value)
            field = data.ljust(4, b"\0") if len(data) <= 4 else struct.pack("<I", behind + len(tail))
            if len(data) > 4:
                tail += data + bytes(len(data) % 2)
            body += struct.pack("<HHI", tag, kind, count) + field
        return body + bytes(4) + tail

    pointers = {EXIF: (LONG, 0), GPS: (LONG, 0)}
    exif_place = 8 + len(directory({**own, **pointers}, 8))
    gps_place = exif_place + len(directory(exif, exif_place))
    pointers = {EXIF: (LONG, exif_place), GPS: (LONG, gps_place)}
    return (b"II*\0\x08\0\0\0" + directory({**own, **pointers}, 8) + directory(exif, exif_place)
            + directory(gps, gps_place))


def damaged():
    rgb = samples(3, 8)

    def bad(name, shows, data, error, **more):
        invalid(FORMAT, name, data, shows, error, **more)

    bad("no-directory.tif", "a first directory at 0", b"II*\0\0\0\0\0", "malformed")
    bad("directory-outside.tif", "a first directory behind the end", b"II*\0\0\x10\0\0", "truncated")
    bad("no-entries.tif", "a directory without entries", b"II*\0\x08\0\0\0" + bytes(6), "malformed")
    bad("no-size.tif", "no ImageWidth", tiff(Page({LENGTH: (SHORT, 3)}, [b"abc"])), "malformed")
    bad("no-offsets.tif", "no StripOffsets", tiff(Page(page(rgb, 8, 2).tags, None)), "malformed")
    bad("zero-width.tif", "an empty canvas", tiff(page(rgb, 8, 2, more={WIDTH: (SHORT, 0)})), "malformed")
    bad("zero-rows-per-strip.tif", "strips without rows", tiff(page(rgb, 8, 2, more={ROWS_PER_STRIP: (SHORT, 0)})),
        "malformed")
    bad("huge.tif", "a canvas of 65535 by 65535", tiff(page(rgb, 8, 2, more={WIDTH: (SHORT, 65535), LENGTH:
        (SHORT, 65535)})), "limitExceeded")
    bad("huge-tile.tif", "a tile that no memory holds", tiff(page(rgb, 8, 2, tile=16, more={TILE_WIDTH: (LONG, 1 << 20),
        TILE_LENGTH: (LONG, 1 << 19)})), "limitExceeded")
    bad("few-samples.tif", "RGB of two samples", tiff(page(samples(2, 8), 8, 2)), "malformed")
    bad("unknown-compression.tif", "JPEG 2000", tiff(page(rgb, 8, 2, more={COMPRESSION: (SHORT, 34712)})),
        "unsupported")
    bad("unknown-photometric.tif", "a color filter array", tiff(page(samples(1, 8), 8, 32803)), "unsupported")
    bad("mixed-bits.tif", "5, 6 and 5 bits", tiff(page(rgb, 8, 2, more={BITS: (SHORT, [5, 6, 5])})), "unsupported")
    coded = strips(rgb, 8, 5, 8)
    broken = coded[:2] + [bytes(len(coded[2]))] + coded[3:]
    bad("broken-strip.tif", "one strip that is no zlib stream; the others are shown",
        tiff(page(rgb, 8, 2, compression=8, striles=broken)), "malformed", rows="some")
    bad("broken-first-strip.tif", "a first strip that is no zlib stream",
        tiff(page(rgb, 8, 2, compression=8, striles=[bytes(20)] + coded[1:])), "malformed", rows="some")
    short = strips(rgb, 8, 5)
    short[1] = short[1][:100]
    bad("short-raw-strip.tif", "an uncompressed strip of fewer bytes than its rows need",
        tiff(page(rgb, 8, 2, striles=short)), "malformed", rows="some")
    bad("planes-of-many-strips.tif", "more strips than RowsPerStrip makes of three planes",
        tiff(page(rgb, 8, 2, planar=True, more={ROWS_PER_STRIP: (LONG, (1 << 31) + 1)})), "malformed")
    bad("old-jpeg-planes.tif", "old-style JPEG in three planes, whose strips hold plain samples",
        tiff(page(rgb, 8, 2, rows=4, planar=True, more={COMPRESSION: (SHORT, 6)})), "malformed")
    file = File()
    place = file.chain(page(rgb, 8, 2, compression=8))
    file.patch(file.link, place)
    bad("ring.tif", "a directory that comes after itself", bytes(file.data), "malformed", rows="some")
    file = File()
    file.chain(page(rgb, 8, 2, compression=8))
    file.patch(file.link, 1 << 20)
    bad("next-outside.tif", "a second directory behind the end", bytes(file.data), "truncated", rows="some")
    order = File()
    lead = order.append(b"".join(coded))
    ahead = page(rgb, 8, 2, compression=8, striles=[b""] * 4)
    places = np.cumsum([0] + [len(one) for one in coded[:-1]]) + 4000
    ahead.tags.update({STRIP_OFFSETS: (LONG, [lead, *[int(p) for p in places[1:]]]), STRIP_BYTE_COUNTS:
                       (LONG, [len(one) for one in coded])})
    ahead.striles = None
    order.chain(ahead)
    bad("cut-strips.tif", "strips behind the end of the file", bytes(order.data), "truncated", rows="some")


def make():
    depths()
    channels()
    codecs()
    places()
    pages()
    metadata()
    damaged()
