# SPDX-License-Identifier: Apache-2.0
"""Portable maps, written from Netpbm's manual pages. What pamtopam makes of them is compared with the recipe."""

import struct

import numpy as np

import fixtures
from fixtures import fnv, picture, rgba, run, valid

FORMAT = "pnm"


def samples(pixels, maximum):
    return pixels.astype(">u2" if maximum > 255 else np.uint8).tobytes()


def raw(pixels, maximum=255, comment=b""):
    height, width, depth = pixels.shape
    return b"P%d\n%s%d %d\n%d\n" % (6 if depth == 3 else 5, comment, width, height, maximum) + samples(pixels, maximum)


def plain(pixels, maximum=255, end=b"\n"):
    height, width, depth = pixels.shape
    rows = b"\n".join(b" ".join(b"%d" % v for v in row.reshape(-1)) for row in pixels)
    return b"P%d\n%d %d\n%d\n" % (3 if depth == 3 else 2, width, height, maximum) + rows + end


def pam(pixels, kind, maximum=255):
    height, width, channels = pixels.shape
    numbers = [b"WIDTH", width, b"HEIGHT", height, b"DEPTH", channels, b"MAXVAL", maximum]
    lines = [b"P7"] + [b"%s %d" % pair for pair in zip(numbers[::2], numbers[1::2])]
    lines += [b"TUPLTYPE " + kind] if kind else []
    return b"\n".join(lines) + b"\nENDHDR\n" + samples(pixels, maximum)


def bitmap(black):
    """Ones are black."""
    height, width = black.shape
    return b"P4\n%d %d\n" % (width, height) + np.packbits(black, axis=1).tobytes()


def shown(black):
    return rgba((1 - black)[..., None], 1)


def floats(pixels, order="<"):
    height, width, depth = pixels.shape
    kind = b"PF" if depth == 3 else b"Pf"
    return b"%s\n%d %d\n%s1.0\n" % (kind, width, height, b"-" if order == "<" else b"") + pixels[::-1].astype(
        order + "f4"
    ).tobytes()


def photoshop(pixels):
    """A float map as Photoshop writes it: width and height on a line each, and rows from the top."""
    data = floats(pixels[::-1])
    height, width, _ = pixels.shape
    return data.replace(b"%d %d\n" % (width, height), b"%d\n%d\n" % (width, height), 1)


def check(data):
    """Netpbm reads the file."""
    run("pamtopam", data=data)


def make():
    def still(name, shows, data, pixels, pixel_format, bits=8, alpha="opaque", netpbm=True, **more):
        if netpbm:
            check(data)
        valid("pnm", name, data, shows, pixels, pixel_format, bits, alpha, isLossless=True, **more)

    rgb, gray = picture(21, 13, 3), picture(17, 11, 1)
    still("raw-rgb.ppm", "P6", raw(rgb), rgba(rgb), "rgb8")
    still("raw-gray.pgm", "P5", raw(gray), rgba(gray), "gray8")
    black = (np.add.outer(np.arange(9), np.arange(13)) % 3 == 0).astype(np.uint8)
    still("raw-bits.pbm", "P4, rows that do not fill their last byte", bitmap(black), shown(black), "gray8", 1)
    # The last sample has one digit: a cut leaves no other number.
    few = picture(9, 6, 3, 7)
    still("plain-rgb.ppm", "P3", plain(few, 7), rgba(few, 7), "rgb8", 3)
    few = picture(9, 6, 1, 9)
    still("plain-gray.pgm", "P2", plain(few, 9), rgba(few, 9), "gray8", 4)
    wide = picture(7, 5, 1, 4095)
    wide[-1, -1] = 0
    still("plain-gray-12.pgm", "P2 with a maxval of 4095", plain(wide, 4095), rgba(wide, 4095, 16), "gray16", 12)
    digits = b"\n".join(b"".join(b"%d" % v for v in row) for row in black)
    still("plain-bits.pbm", "P1 without white space", b"P1 13 9\n" + digits + b"\n", shown(black), "gray8", 1)
    commented = b"P1\n# one\n13 # two\n# three\n9\n" + digits.replace(b"\n", b" # four\n") + b"\n"
    still("plain-comments.pbm", "comments in the header and among digits", commented, shown(black), "gray8", 1)
    still("no-final-newline.pgm", "digits that end with the file", plain(few, 9, b""), rgba(few, 9), "gray8", 4,
          netpbm=False)  # fmt: skip
    still("comments.ppm", "comments between all numbers, and right behind one",
          b"P6#\n#a\n21#b\n13#c\n\t#d\n255\n" + samples(rgb, 255), rgba(rgb), "rgb8")  # fmt: skip
    for maximum in (1, 2, 100, 254):
        pixels = picture(19, 7, 3, maximum)
        still(f"maxval-{maximum}.ppm", f"a maxval of {maximum}", raw(pixels, maximum), rgba(pixels, maximum), "rgb8",
              maximum.bit_length())  # fmt: skip
    for maximum in (256, 1000, 65535):
        pixels = picture(13, 7, 3, maximum)
        still(f"maxval-{maximum}.ppm", f"a maxval of {maximum}", raw(pixels, maximum), rgba(pixels, maximum, 16),
              "rgb16", maximum.bit_length())  # fmt: skip
    deep = picture(13, 7, 1, 65535)
    still("raw-gray-16.pgm", "P5 of 16 bits", raw(deep, 65535), rgba(deep, 65535, 16), "gray16", 16)
    high = picture(8, 8, 1, 100) + 20
    still("over-maxval.pgm", "samples above the maxval", raw(high, 100), rgba(np.minimum(high, 100), 100), "gray8", 7,
          netpbm=False)  # fmt: skip
    arbitrary(still)
    float_maps(still)
    pages(rgb, gray, black)
    invalids(rgb, gray, black)


def arbitrary(still):
    for depth, kind, layout in ((1, b"GRAYSCALE", "gray8"), (2, b"GRAYSCALE_ALPHA", "gray-alpha8"),
                                (3, b"RGB", "rgb8"), (4, b"RGB_ALPHA", "rgba8")):  # fmt: skip
        alpha = "straight" if depth in (2, 4) else "opaque"
        name = kind.decode().lower().replace("_", "-")
        pixels = picture(15, 9, depth)
        still(f"pam-{name}.pam", f"tuples of type {kind.decode()}", pam(pixels, kind), rgba(pixels), layout, 8, alpha)
        unknown = pam(pixels, b"" if depth < 3 else b"SOMETHING ELSE")
        still(f"pam-depth-{depth}.pam", f"{depth} samples of no known type", unknown, rgba(pixels), layout, 8, alpha)
        pixels = picture(11, 6, depth, 65535)
        deep = {"gray8": "gray16", "gray-alpha8": "gray-alpha16", "rgb8": "rgb16"}.get(layout, "rgba16")
        still(f"pam-{name}-16.pam", f"tuples of type {kind.decode()}, 16 bits", pam(pixels, kind, 65535),
              rgba(pixels, 65535, 16), deep, 16, alpha)  # fmt: skip
    for kind, depth in ((b"BLACKANDWHITE", 1), (b"BLACKANDWHITE_ALPHA", 2)):
        bits = (picture(10, 7, depth, 9) > 4).astype(int)
        still(f"pam-{kind.decode().lower().replace('_', '-')}.pam", "1 is white", pam(bits, kind, 1), rgba(bits, 1),
              "gray8" if depth == 1 else "gray-alpha8", 1, "opaque" if depth == 1 else "straight")  # fmt: skip
    inks(still)
    more = picture(9, 7, 4)
    still("pam-more-planes.pam", "a depth that is larger than the type's", pam(more, b"RGB"), rgba(more[..., :3]),
          "rgb8")  # fmt: skip
    lines = pam(more, b"RGB_ALPHA").replace(b"P7\n", b"P7\n# a comment\n\n").replace(b"HEIGHT ", b"HEIGHT\t")
    still("pam-comments.pam", "comments and empty lines", lines, rgba(more), "rgba8", 8, "straight")


def light(inks, maximum):
    """What four inks leave of light by the plain formula."""
    product = (maximum - inks[..., :3]) * (maximum - inks[..., 3:4])
    return np.concatenate([(product + maximum // 2) // maximum, inks[..., 4:]], axis=2)


def inks(still):
    """No program of Netpbm makes pictures of inks; Ghostscript's device pamcmyk32 does."""
    few = picture(12, 7, 4)
    still("pam-cmyk.pam", "tuples of type CMYK", pam(few, b"CMYK"), rgba(light(few, 255)), "rgb8")
    deep = picture(11, 6, 4, 65535)
    still("pam-cmyk-16.pam", "tuples of type CMYK, 16 bits", pam(deep, b"CMYK", 65535),
          rgba(light(deep, 65535), 65535, 16), "rgb16", 16)  # fmt: skip
    few = picture(9, 6, 4, 100)
    scaled = (few * 255 * 2 + 100) // 200
    still("pam-cmyk-percent.pam", "inks of 0 to 100", pam(few, b"CMYK", 100), rgba(light(scaled, 255)), "rgb8", 7)
    few = np.concatenate([picture(10, 7, 4), picture(10, 7, 1)], axis=2)
    still("pam-cmyk-alpha.pam", "tuples of type CMYK_ALPHA", pam(few, b"CMYK_ALPHA"), rgba(light(few, 255)), "rgba8", 8,
          "straight")  # fmt: skip


def float_maps(still):
    for depth in (1, 3):
        # Whole 255ths are whole samples of 8 bits again.
        whole = picture(9, 7, depth, 255)
        for order, name in (("<", "little"), (">", "big")):
            data = floats(whole / np.float32(255), order)
            still(f"float-{depth}-{name}.pfm", f"{depth} floating-point samples, {name}-endian, from the bottom", data,
                  rgba(whole), "rgba-float32", 32, netpbm=False)  # fmt: skip
    data = photoshop(whole / np.float32(255))
    still("float-photoshop.pfm", "width and height on lines of their own, rows from the top", data, rgba(whole),
          "rgba-float32", 32, netpbm=False)  # fmt: skip


def page(pixels):
    return {"canvas": [pixels.shape[1], pixels.shape[0]], "hash": fnv(pixels.tobytes())}


def pages(rgb, gray, black):
    data = raw(rgb) + bitmap(black) + b"\n" + raw(gray) + pam(picture(5, 4, 4), b"RGB_ALPHA")
    each = [rgba(rgb), shown(black), rgba(gray), rgba(picture(5, 4, 4))]
    valid("pnm", "pages.pnm", data, "four pictures of different kinds, one with white space behind it", each[0], "rgb8",
          pageCount=4, primaryPage=0, pages=[page(p) for p in each])  # fmt: skip


def invalids(rgb, gray, black):
    def bad(name, shows, data, error, **more):
        fixtures.invalid("pnm", name, data, shows, error, **more)

    good = raw(rgb)
    bad("wrong-signature.ppm", "P8", b"P8" + good[2:], "wrongFormat")
    bad("no-space.ppm", "a letter behind P6", b"P6x" + good[3:], "wrongFormat")
    bad("truncated-header.ppm", "the header is cut", good[:6], "truncated")
    bad("truncated-rows.ppm", "rows are missing", good[:-100], "truncated", rows="some")
    bad("truncated-digits.pgm", "digits are missing", plain(gray)[:-40], "truncated", rows="some")
    bad("truncated-float.pfm", "upper rows are missing", floats(gray / np.float32(255))[:-99], "truncated", rows="some")
    bad("truncated-page.pnm", "the second page is cut", raw(gray) + raw(rgb)[:-9], "truncated", rows="some")
    bad("bad-second-page.pnm", "the second page has no maxval", raw(gray) + b"P5\n3 3\nx\n", "malformed", rows="some")
    bad("letter-in-digits.pgm", "a letter among digits", plain(gray)[:-40] + b"x", "malformed", rows="some")
    bad("two-in-bits.pbm", "a digit that is no bit", b"P1 2 2\n0 1\n0 2\n", "malformed", rows="some")
    bad("zero-width.ppm", "a width of 0", b"P6\n0 13\n255\n", "malformed")
    bad("negative-width.ppm", "a width below 0", b"P6\n-3 13\n255\n" + bytes(200), "malformed")
    bad("maxval-0.pgm", "a maxval of 0", b"P5\n3 3\n0\n" + bytes(9), "malformed")
    bad("maxval-65536.pgm", "a maxval of 65536", b"P5\n3 3\n65536\n" + bytes(18), "malformed")
    bad("huge-canvas.ppm", "65,000 pixels in each direction", b"P6\n65000 65000\n255\n" + bytes(99), "limitExceeded")
    bad("huge-numbers.ppm", "numbers of 30 digits", b"P6\n%s %s\n255\n" % (b"9" * 30, b"9" * 30), "limitExceeded")
    bad("pam-no-depth.pam", "a header without DEPTH", b"P7\nWIDTH 1\nHEIGHT 1\nMAXVAL 255\nENDHDR\n\0", "malformed")
    bad("pam-no-end.pam", "a header without an end", b"P7\nWIDTH 1\nHEIGHT 1\n", "truncated")
    bad("pam-shallow.pam", "two samples for RGB", pam(picture(3, 3, 2), b"RGB"), "malformed")
    bad("pam-cmyk-shallow.pam", "three samples for inks", pam(picture(3, 3, 3), b"CMYK"), "malformed")
    bad("pam-depth-5.pam", "five samples of no known type", pam(np.dstack([gray] * 5), b""), "unsupported")
    bad("float-scale-0.pfm", "a scale of 0", b"Pf\n2 2\n0.0\n" + struct.pack("<4f", 0, 0, 0, 0), "malformed")
