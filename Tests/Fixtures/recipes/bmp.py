# SPDX-License-Identifier: Apache-2.0
"""BMP, field by field (Windows GDI, BITMAPFILEHEADER to BITMAPV5HEADER; OS/2, BITMAPINFOHEADER2)."""

import struct

import numpy as np

import fixtures
from fixtures import fnv, picture, rgba, valid

FORMAT = "bmp"

RGB, RLE8, RLE4, BITFIELDS, ALPHABITFIELDS = 0, 1, 2, 3, 6
HUFFMAN, RLE24 = 3, 4
SRGB, EMBEDDED, LINKED = b"BGRs", b"DEBM", b"KNIL"


def info(size, width, height, bits, compression=RGB, colors=0, density=2835):
    """BITMAPINFOHEADER, or as much of BITMAPINFOHEADER2 as has `size` bytes."""
    header = struct.pack("<IiiHHIIiiII", size, width, height, 1, bits, compression, 0, density, density, colors, 0)
    return (header + bytes(size))[:size]


def core(width, height, bits):
    return struct.pack("<IHHHH", 12, width, height, 1, bits)


def version4(size, width, height, bits, masks, space=SRGB, gamma=0, profile=(0, 0), compression=BITFIELDS, colors=0):
    header = info(40, width, height, bits, compression, colors)
    header = struct.pack("<I", size) + header[4:] + struct.pack("<4I", *masks)
    header += space + bytes(36) + struct.pack("<3I", gamma, gamma, gamma)
    return header + (struct.pack("<4I", 4, *profile, 0) if size == 124 else b"")


def file(header, palette, pixels, offset=None, gap=b""):
    start = 14 + len(header) + len(palette) + len(gap)
    size = start + len(pixels)
    head = b"BM" + struct.pack("<IHHI", size, 0, 0, start if offset is None else offset)
    return head + header + palette + gap + pixels


def rows(lines, bottom_up=True):
    padded = [line + bytes(-len(line) % 4) for line in lines]
    return b"".join(reversed(padded) if bottom_up else padded)


def bgr(samples):
    return [line[:, 2::-1].astype(np.uint8).tobytes() for line in samples]


def bgra(samples):
    return [line[:, [2, 1, 0, 3]].astype(np.uint8).tobytes() for line in samples]


def words(values, size):
    return [line.astype(f"<u{size}").tobytes() for line in values]


def packed(indexes, bits):
    """Indexes of 1 to 8 bits, the first in the highest bits."""
    lines = []
    for line in indexes:
        text = "".join(format(int(v), f"0{bits}b") for v in line)
        text += "0" * (-len(text) % 8)
        lines.append(bytes(int(text[i : i + 8], 2) for i in range(0, len(text), 8)))
    return lines


def palette(colors, entry=4):
    return b"".join(bytes([b, g, r]) + bytes(entry - 3) for r, g, b in colors)


def spread(count):
    """Colors that are all different and none gray."""
    return [((37 * i + 20) % 256, (91 * i + 90) % 256, (i * 53 + 200) % 256) for i in range(count)]


def indexes(width, height, count):
    y, x = np.mgrid[0:height, 0:width]
    return (x * 5 + y * 3 + x * y) % count


def looked_up(index, colors):
    return rgba(np.array(colors)[index])


def scaled(values, masks):
    """Samples under masks, to the nearest of 8 bits; without a mask alpha is 255."""
    planes = []
    for number, mask in enumerate(masks):
        if mask == 0:
            planes.append(np.full(values.shape, 255 if number == 3 else 0))
            continue
        shift = (mask & -mask).bit_length() - 1
        largest = mask >> shift
        planes.append((((values & mask) >> shift) * 510 + largest) // (2 * largest))
    return np.stack(planes, axis=-1).astype(np.uint8)


def still(name, shows, data, pixels, pixel_format="rgb8", bits=8, alpha="opaque", **more):
    valid("bmp", name, data, shows, pixels, pixel_format, bits, alpha, isLossless=more.pop("isLossless", True), **more)


def make():
    make_indexed()
    make_colors()
    make_masks()
    make_runs()
    make_invalid()


def make_indexed():
    for bits, width in ((1, 27), (2, 13), (4, 15), (8, 19)):
        colors = spread(1 << bits)
        index = indexes(width, 9, 1 << bits)
        data = file(info(40, width, 9, bits), palette(colors), rows(packed(index, bits)))
        still(f"indexed{bits}.bmp", f"{bits} bits per pixel", data, looked_up(index, colors))
    grays = [(i * 17, i * 17, i * 17) for i in range(16)]
    index = indexes(15, 9, 16)
    data = file(info(40, 15, 9, 4), palette(grays), rows(packed(index, 4)))
    still("indexed4-gray.bmp", "a palette of grays", data, looked_up(index, grays), "gray8")
    colors = spread(8)
    index = indexes(15, 9, 8)
    short = palette(colors[:5])
    shown = looked_up(index, colors[:5] + [(0, 0, 0)] * 3)
    data = file(info(40, 15, 9, 8, colors=5), short, rows(packed(index, 8)))
    still("indexed8-short.bmp", "indexes behind the palette's end are black", data, shown)
    data = file(info(40, 15, 9, 4, colors=20), palette(spread(20)), rows(packed(index, 4)))
    still("indexed4-long.bmp", "more colors than indexes", data, looked_up(index, spread(16)))
    data = file(core(15, 9, 4), palette(spread(16), 3), rows(packed(index, 4)))
    still("os2-1.bmp", "a header of OS/2 1", data, looked_up(index, spread(16)))
    data = file(core(15, 9, 8), palette(colors, 3), rows(packed(index, 8)))
    still("os2-1-short.bmp", "a palette that ends where pixels begin", data, looked_up(index, colors))
    for size in (16, 64):
        data = file(info(size, 15, 9, 4), palette(spread(16)), rows(packed(index, 4)))
        still(f"os2-2-{size}.bmp", f"a header of OS/2 2 of {size} bytes", data, looked_up(index, spread(16)))
    data = file(info(40, 15, 9, 4), palette(spread(16)), rows(packed(index, 4)), gap=bytes(40))
    still("gap.bmp", "bytes between palette and pixels", data, looked_up(index, spread(16)))
    for name, offset in (("offset-zero", 0), ("offset-in-header", 40), ("offset-at-palette", 54)):
        data = file(info(40, 15, 9, 4), palette(spread(16)), rows(packed(index, 4)), offset)
        still(f"{name}.bmp", "an offset of the pixels that cannot be", data, looked_up(index, spread(16)))


def make_colors():
    rgb, alpha = picture(23, 17, 3), picture(13, 11, 4)
    still("rgb24.bmp", "24 bits", file(info(40, 23, 17, 24), b"", rows(bgr(rgb))), rgba(rgb))
    still("top-down.bmp", "rows from the top", file(info(40, 23, -17, 24), b"", rows(bgr(rgb), False)), rgba(rgb))
    still("os2-1-rgb24.bmp", "24 bits of OS/2 1", file(core(23, 17, 24), b"", rows(bgr(rgb))), rgba(rgb))
    still("pixel-1x1.bmp", "one pixel", file(info(40, 1, 1, 24), b"", rows(bgr(rgb[:1, :1]))), rgba(rgb[:1, :1]))
    hint = palette(spread(6))
    data = file(info(40, 23, 17, 24, colors=6), hint, rows(bgr(rgb)))
    still("rgb24-palette.bmp", "24 bits with a palette that is a hint", data, rgba(rgb))
    data = file(info(40, 13, 11, 32), b"", rows(bgra(alpha)))
    still("rgb32.bmp", "32 bits, whose fourth byte is no alpha", data, rgba(alpha[:, :, :3]))
    data = info(40, 23, 17, 24) + rows(bgr(rgb))
    still("clipboard.dib", "no file header", data, rgba(rgb))
    masks = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    data = file(version4(108, 13, 11, 32, masks), b"", rows(bgra(alpha)))
    still("rgba32.bmp", "32 bits with alpha", data, rgba(alpha), "rgba8", 8, "straight", cicp=[1, 13, 0, 1])
    data = file(version4(108, 13, 11, 32, masks, compression=RGB), b"", rows(bgra(alpha)))
    still("rgba32-rgb.bmp", "a mask of alpha with BI_RGB", data, rgba(alpha), "rgba8", 8, "straight")
    header = info(40, 13, 11, 32, ALPHABITFIELDS) + struct.pack("<4I", *masks)
    data = file(header, b"", rows(bgra(alpha)))
    still("rgba32-trailing-masks.bmp", "BI_ALPHABITFIELDS", data, rgba(alpha), "rgba8", 8, "straight")
    profile = fixtures.icc()
    pixels = rows(bgr(rgb))
    header = version4(124, 23, 17, 24, (0, 0, 0, 0), EMBEDDED, 0, (124 + len(pixels), len(profile)), RGB)
    still("icc.bmp", "an ICC profile", file(header, b"", pixels + profile), rgba(rgb), metadata={"ICC": profile})
    header = version4(124, 23, 17, 24, (0, 0, 0, 0), LINKED, 0, (124 + len(pixels), 12), RGB)
    still("icc-linked.bmp", "the name of a profile", file(header, b"", pixels + b"C:\\a\\b.icm\0\0"), rgba(rgb))
    deep = picture(11, 7, 4, 8192)
    lines = [line[:, [2, 1, 0, 3]].astype("<i2").tobytes() for line in deep]
    linear = deep[:, :, :3] / 8192
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    shown = np.concatenate([np.rint(encoded * 65535), (deep[:, :, 3:] * 131070 + 8192) // 16384], axis=-1)
    data = file(info(40, 11, 7, 64), b"", rows(lines))
    shown = np.clip(shown, 0, 65535).astype("<u2")
    still("rgba64.bmp", "linear samples of 16 bits, as GDI+ has them", data, shown, "rgba16", 16, "straight")


    make_array()


def make_array():
    small, large = picture(8, 6, 3), picture(14, 9, 3)
    pictures = []
    for samples in (small, large):
        height, width = samples.shape[:2]
        pictures.append((core(width, height, 24), rows(bgr(samples))))
    place = [0, 28 + len(pictures[0][0])]
    pixels_at = place[1] + 28 + len(pictures[1][0])
    data = b""
    for number, (header, pixels) in enumerate(pictures):
        following = place[1] if number == 0 else 0
        data += b"BA" + struct.pack("<IIHH", 28 + len(header), following, 0, 0)
        data += b"BM" + struct.pack("<IHHI", 14 + len(header), 0, 0, pixels_at) + header
        pixels_at += len(pixels)
    data += pictures[0][1] + pictures[1][1]
    sizes = (([8, 6], small), ([14, 9], large))
    pages = [{"canvas": size, "hash": fnv(rgba(samples).tobytes())} for size, samples in sizes]
    still("array.bmp", "an array of OS/2", data, rgba(large), pageCount=2, primaryPage=1, pages=pages)


def make_masks():
    def masked(name, shows, bits, masks, header, alpha="opaque", pixel_format=None, widest=None):
        high = 1 << bits
        values = (np.arange(17 * 11, dtype=np.uint64).reshape(11, 17) * 0x9E3779B1 + 12345) % high
        values = values.astype(np.int64)
        data = file(header, b"", rows(words(values, bits // 8)))
        found = widest or max(bin(mask).count("1") for mask in masks)
        pixel_format = pixel_format or ("rgb8" if alpha == "opaque" else "rgba8")
        still(name, shows, data, scaled(values, masks), pixel_format, found, alpha)

    def fields(bits, masks):
        return info(40, 17, 11, bits, BITFIELDS) + struct.pack("<3I", *masks[:3])

    rgb565 = (0xF800, 0x07E0, 0x001F, 0)
    masked("rgb555.bmp", "16 bits without masks", 16, (0x7C00, 0x03E0, 0x1F, 0), info(40, 17, 11, 16))
    masked("rgb565.bmp", "16 bits with masks", 16, rgb565, fields(16, rgb565))
    odd = (0x3, 0x1C, 0x20, 0)
    masked("rgb231.bmp", "masks of 2, 3 and 1 bits", 16, odd, fields(16, odd))
    swapped = (0xFF, 0xFF00, 0xFF0000, 0)
    masked("rgb32-swapped.bmp", "red in the lowest byte", 32, swapped, fields(32, swapped))
    fours = (0xF00, 0xF0, 0xF, 0xF000)
    masked("rgba4444.bmp", "four bits each", 16, fours, version4(108, 17, 11, 16, fours), "straight")
    fives = (0x7C00, 0x3E0, 0x1F, 0x8000)
    header = struct.pack("<I", 56) + info(40, 17, 11, 16, BITFIELDS)[4:] + struct.pack("<4I", *fives)
    masked("rgba5551.bmp", "one bit of alpha", 16, fives, header, "straight")
    no_green = (0xF800, 0, 0x001F, 0)
    masked("no-green.bmp", "a channel without a mask is 0", 16, no_green, fields(16, no_green))
    wide = (0xFFE00000, 0x1FFC00, 0x3FF, 0)
    values = (np.arange(17 * 11, dtype=np.uint64).reshape(11, 17) * 0x9E3779B1 + 12345) % (1 << 32)
    planes = [((values.astype(np.int64) >> s) & m) * 131070 // m for s, m in ((21, 2047), (10, 2047), (0, 1023))]
    shown = np.stack([(p + 1) // 2 for p in planes] + [np.full((11, 17), 65535)], axis=-1).astype("<u2")
    data = file(fields(32, wide), b"", rows(words(values, 4)))
    still("rgb11-11-10.bmp", "masks of 11 and 10 bits", data, shown, "rgba16", 11)


def make_runs():
    colors = spread(16)
    body = bytes([3, 1, 2, 2, 0, 3, 5, 6, 7, 0, 0, 0])  # 3 × 1, 2 × 2, absolute 5 6 7 and padding, end of row
    body += bytes([8, 9, 0, 0]) + bytes([0, 8]) + bytes(range(1, 9)) + bytes([0, 0]) + bytes([9, 3, 0, 0, 8, 15, 0, 1])
    index = np.array([[15] * 8, [3] * 8, list(range(1, 9)), [9] * 8, [1, 1, 1, 2, 2, 5, 6, 7]])
    data = file(info(40, 8, 5, 8, RLE8, 16), palette(colors), body)
    still("rle8.bmp", "runs, absolute bytes, and one run too long", data, looked_up(index, colors))
    body = bytes([5, 0x12, 0, 3, 0x45, 0x60, 0, 0]) + bytes([8, 0xAB, 0, 0])
    body += bytes([0, 5, 0x12, 0x34, 0x50, 0, 3, 0x77, 0, 1])
    index = np.array([[1, 2, 3, 4, 5, 7, 7, 7], [10, 11] * 4, [1, 2, 1, 2, 1, 4, 5, 6]])
    data = file(info(40, 8, 3, 4, RLE4, 16), palette(colors), body)
    still("rle4.bmp", "runs of two colors, absolute halves of bytes", data, looked_up(index, colors))
    body = bytes([2, 1, 0, 2, 3, 0, 3, 2, 0, 0]) + bytes([4, 5, 0, 2, 1, 2, 3, 6, 0, 1])
    shown = np.zeros((5, 8, 4), np.uint8)
    full = rgba(np.array(colors)[None])[0]
    shown[4, :2], shown[4, 5:] = full[1], full[2]
    shown[3, :4], shown[1, 5:] = full[5], full[6]
    data = file(info(40, 8, 5, 8, RLE8, 16), palette(colors), body)
    still("rle8-delta.bmp", "pixels that are passed over are transparent", data, shown, "rgba8", 8, "straight")
    body = bytes([4, 10, 20, 30, 0, 3]) + bytes(range(9)) + bytes([0, 0, 0, 7, 200, 100, 50, 0, 1])
    line = [[30, 20, 10]] * 4 + [[2, 1, 0], [5, 4, 3], [8, 7, 6]]
    data = file(info(64, 7, 2, 24, RLE24), b"", body)
    rows_shown = np.array([[[50, 100, 200]] * 7, line])
    still("rle24.bmp", "runs of 24 bits (OS/2 2)", data, rgba(rows_shown))
    # T.4, tables 2 and 3a; each row begins with a white run, of 0 where it has none.
    white, black = {4: "1011", 2: "0111", 0: "00110101", 10: "00111"}, {3: "10", 2: "11", 5: "0011"}
    bits = white[4] + black[3] + white[2] + black[2] + white[4] + white[0] + black[5] + white[10]
    bits += "0" * (-len(bits) % 8)
    body = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
    index = np.array([[1] * 5 + [0] * 10, [0] * 4 + [1] * 3 + [0] * 2 + [1] * 2 + [0] * 4])
    data = file(info(64, 15, 2, 1, HUFFMAN), palette(colors[:2]), body)
    still("huffman.bmp", "T.4 codes (OS/2 2)", data, looked_up(index, colors))


def make_invalid():
    rgb = picture(23, 17, 3)
    good = file(info(40, 23, 17, 24), b"", rows(bgr(rgb)))

    def bad(name, shows, data, error, **more):
        fixtures.invalid("bmp", name, data, shows, error, **more)

    bad("wrong-signature.bmp", "BN", b"BN" + good[2:], "wrongFormat")
    bad("truncated-header.bmp", "the header is cut", good[:30], "truncated")
    bad("truncated-pixels.bmp", "the pixels are cut, and the top with them", good[:700], "truncated", rows="some")
    down = file(info(40, 23, -17, 24), b"", rows(bgr(rgb), False))
    bad("truncated-top-down.bmp", "the pixels are cut, and the bottom with them", down[:700], "truncated", rows="some")
    bad("no-pixels.bmp", "no row is there", good[:60], "truncated")
    runs = file(info(40, 8, 5, 8, RLE8, 4), palette(spread(4)), bytes([8, 1, 0, 0, 8, 2, 0, 0, 4, 3]))
    bad("truncated-runs.bmp", "runs end in a row", runs, "truncated", rows="some")
    cut = file(info(40, 15, 9, 8), palette(spread(256)), b"")[:600]
    bad("truncated-palette.bmp", "the palette is cut", cut, "truncated")
    bad("header-66.bmp", "a header of 66 bytes", good[:14] + b"\x42" + good[15:], "unsupported")
    bad("zero-width.bmp", "a width of 0", file(info(40, 0, 17, 24), b"", b""), "malformed")
    bad("zero-height.bmp", "a height of 0", file(info(40, 23, 0, 24), b"", b""), "malformed")
    bad("negative-width.bmp", "a width of -23", file(info(40, -23, 17, 24), b"", b""), "malformed")
    bad("bits-5.bmp", "5 bits per pixel", file(info(40, 23, 17, 5), b"", bytes(99)), "unsupported")
    bad("rle8-of-24.bmp", "RLE8 of 24 bits", file(info(40, 23, 17, 24, RLE8), b"", bytes(99)), "unsupported")
    bad("lowest-height.bmp", "a height of -2³¹", file(info(40, 23, -(1 << 31), 24), b"", bytes(99)), "limitExceeded")
    bad("huge-canvas.bmp", "65,000 pixels each way", file(info(40, 65000, 65000, 24), b"", bytes(99)), "limitExceeded")
    code = file(info(64, 15, 2, 1, HUFFMAN), palette(spread(2)), bytes([0, 255, 255, 255]))
    bad("huffman-no-code.bmp", "a code that T.4 does not have", code, "malformed", rows="any")
