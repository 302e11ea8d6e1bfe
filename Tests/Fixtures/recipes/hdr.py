# SPDX-License-Identifier: Apache-2.0
"""Pictures of Radiance, byte by byte (Radiance File Formats, "Picture File Format").

What imagecodecs' decoder, which is that of Bruce Walter, makes of them is compared with the recipe where it reads them.
"""

import imagecodecs
import numpy as np

import fixtures
from fixtures import picture, valid

FORMAT = "hdr"

ORIENTATIONS = {
    2: ("-Y", "-X"),
    3: ("+Y", "-X"),
    4: ("+Y", "+X"),
    5: ("+X", "-Y"),
    6: ("-X", "-Y"),
    7: ("-X", "+Y"),
    8: ("+X", "+Y"),
}


def stored(light):
    """Light as three mantissas and an exponent, to the nearest."""
    exponent = np.frexp(light.max(axis=-1))[1]
    mantissas = np.rint(np.ldexp(light, (8 - exponent)[..., None]))
    over = mantissas.max(axis=-1) > 255
    exponent = exponent + over
    mantissas = np.where(over[..., None], np.rint(np.ldexp(light, (8 - exponent)[..., None])), mantissas)
    return np.concatenate([mantissas, exponent[..., None] + 128], axis=-1).astype(np.uint8)


def light_of(pixels):
    """What pixels are in a file without an exposure."""
    power = pixels[..., 3:].astype(np.int64) - 136
    return np.where(pixels[..., 3:] == 0, 0, np.ldexp(pixels[..., :3].astype(np.float64), power))


def scene(width, height):
    """Light from a sixteenth to 2, with some black pixels."""
    light = 2.0 ** (picture(width, height, 3) / 51 - 4)
    light[1::4, 2::7] = 0
    return stored(np.where(light.max(axis=-1, keepdims=True) == 0, 1e-9, light)) * (light.max(axis=-1) > 0)[..., None]


def runs(plane):
    """One channel of a scanline: a run for each two or more equal bytes, else a count and bytes."""
    data, x = b"", 0
    while x < len(plane):
        end = x + 1
        while end < len(plane) and end - x < 127 and plane[end] == plane[x]:
            end += 1
        data += bytes([128 + end - x, plane[x]]) if end - x > 1 else bytes([1, plane[x]])
        x = end
    return data


def adaptive(pixels):
    lead = bytes([2, 2, pixels.shape[1] >> 8, pixels.shape[1] & 255])
    return b"".join(lead + b"".join(runs(row[:, channel].tolist()) for channel in range(4)) for row in pixels)


def counted(pixels):
    """Older runs: a pixel of ones and a count, whose bytes come one after the other, the lowest first."""
    data = b""
    for row in pixels:
        x = 0
        while x < len(row):
            end = x + 1
            while end < len(row) and (row[end] == row[x]).all():
                end += 1
            data += row[x].tobytes()
            more = end - x - 1
            while more:
                data += bytes([1, 1, 1, more & 255])
                more >>= 8
            x = end
    return data


def header(lines=(), kind="rgbe", signature="#?RADIANCE", end="\n"):
    return end.join([signature, *lines, f"FORMAT=32-bit_rle_{kind}", "", ""]).encode()


def size(pixels, axes=("-Y", "+X")):
    return f"{axes[0]} {pixels.shape[0]} {axes[1]} {pixels.shape[1]}\n".encode()


def samples(light, bits=16):
    """Light as the samples that hashes are taken of: up to 1, to the nearest, even ones first."""
    top = (1 << bits) - 1
    color = np.rint(np.clip(light, 0, 1) * top)
    return np.concatenate([color, np.full_like(color[..., :1], top)], axis=-1).astype("<u2" if bits == 16 else np.uint8)


LINEAR = [1, 8, 0, 1]


def still(name, shows, data, light, cicp=LINEAR, known=True, orientation=1, bits=16):
    if known:
        found = imagecodecs.rgbe_decode(data)
        if not np.array_equal(found, light.astype(np.float32)):
            raise SystemExit(f"hdr/{name}: imagecodecs reads other pixels")
    more = {"cicp": cicp} if cicp else {}
    valid("hdr", name, data, shows, samples(light, bits), "rgba-float32", 32, orientation=orientation, isLossless=True,
          **more)  # fmt: skip


def make():
    pixels = scene(21, 13)
    light = light_of(pixels)
    start = header() + size(pixels)
    still("adaptive-runs.hdr", "four channels one after the other, with runs", start + adaptive(pixels), light)
    still("flat.hdr", "pixels of four bytes", start + pixels.tobytes(), light)
    text = header(signature="#?RGBE")
    still("rgbe-signature.hdr", "a signature of #?RGBE", text + size(pixels) + adaptive(pixels), light)
    short = scene(7, 5)
    still("narrow.hdr", "scanlines too short for channels", header() + size(short) + short.tobytes(), light_of(short))
    one = scene(1, 1)
    still("pixels-1x1.hdr", "one pixel", header() + size(one) + one.tobytes(), light_of(one))
    long(), headers(pixels, light), colors(pixels, light)
    for orientation, axes in ORIENTATIONS.items():
        name = f"orientation-{orientation}.hdr"
        still(name, f"{axes[0]} {axes[1]}", header() + size(pixels, axes) + adaptive(pixels), light, known=False,
              orientation=orientation)  # fmt: skip
    exponents()
    invalids(pixels)


def long():
    """Runs that are longer than one count, and the widths at which channels begin and end."""
    row = np.repeat(scene(5, 1), 60, axis=1)
    row[:, 10:280] = row[:, 10:11]
    still("older-runs.hdr", "older runs, one with a count of two bytes", header() + size(row) + counted(row),
          light_of(row), known=False)  # fmt: skip
    cut = counted(row[:, :20]) + bytes([1, 1, 1, 255, 1, 1, 1, 255])
    row = np.concatenate([row[:, :20], np.repeat(row[:, 19:20], 280, axis=1)], axis=1)
    still("older-run-too-long.hdr", "an older run over the end of its scanline", header() + size(row) + cut,
          light_of(row), known=False)  # fmt: skip
    ones = scene(9, 2)
    ones[1, 0] = (1, 1, 1, 130)
    still("ones-first.hdr", "a scanline whose first pixel looks like a count", header() + size(ones) + ones.tobytes(),
          light_of(ones), known=False)  # fmt: skip
    for width, coded in ((8, adaptive), (32767, adaptive), (32768, counted)):
        row = np.repeat(scene(1, 1), width, axis=1)
        row[:, -1] = (200, 100, 50, 128)
        still(f"width-{width}.hdr", f"a scanline of {width} pixels", header() + size(row) + coded(row), light_of(row),
              known=width < 32768)  # fmt: skip


def headers(pixels, light):
    data = size(pixels) + adaptive(pixels)
    text = header(["# a comment", "GAMMA=1", "PRIMARIES=0 0 0 0 0 0 0 0"])
    still("header-photoshop.hdr", "primaries of zeros, which say nothing", text + data, light)
    text = header(["oconv scene.rad", "\tEXPOSURE=8", "VIEW= -vtv -vp 0 0 1", "PIXASPECT=0.5", "SOFTWARE= test 1",
                   "CAPDATE= 2020:01:02 03:04:05"])  # fmt: skip
    still("header-variables.hdr", "variables, a command, and a line of another picture", text + data, light)
    text = header(["EXPOSURE=0", "EXPOSURE=-3", "EXPOSURE=nan", "EXPOSURE=1e300", "EXPOSURE=x", "EXPOSURE="])
    still("header-bad-numbers.hdr", "exposures that are none", text + data, light)
    text = header(end="\r\n")
    still("header-crlf.hdr", "lines that end as those of Windows", text + data, light, known=False)
    still("header-no-format.hdr", "no line FORMAT", b"#?RADIANCE\nEXPOSURE=1\n\n" + data, light, known=False)
    still("header-other-program.hdr", "the signature of another program", header(signature="#?PROGRAM 3") + data, light,
          known=False)  # fmt: skip


def colors(pixels, light):
    data = size(pixels) + adaptive(pixels)
    text = header(["EXPOSURE=2", "EXPOSURE= 0.25 "])
    still("exposures.hdr", "two exposures, half of the light together", text + data, light * 2, known=False)
    text = header(["COLORCORR=2 1 0.5", "COLORCORR= 1 4 1"])
    still("corrections.hdr", "two color corrections", text + data, light / [2, 4, 0.5], known=False)
    p3 = "PRIMARIES=0.6800 0.3200 0.2650 0.6900 0.1500 0.0600 0.3127 0.3290"
    still("primaries-p3.hdr", "primaries that have a code point", header([p3]) + data, light, [12, 8, 0, 1])
    text = header(["PRIMARIES= 0.6400 0.3300 0.2900 0.6000 0.1500 0.0600 0.3333 0.3333"])
    still("primaries-default.hdr", "the primaries of Radiance, as its programs write them", text + data, light)
    own = "PRIMARIES= .64 .33 .21 .71 .15 .06 .3127 .329"
    still("primaries-own.hdr", "primaries without a code point", header([own]) + data, light, None)
    still("gamma.hdr", "samples that are no light", header(["GAMMA=2.2"]) + data, light, None)
    xyz = light_of(pixels) @ to_xyz().T
    coded = stored(np.where(xyz.max(axis=-1, keepdims=True) == 0, 1e-9, xyz))
    coded[xyz.max(axis=-1) == 0] = 0
    rgb = light_of(coded) @ np.linalg.inv(to_xyz()).T
    # Sums of rounded numbers are compared in 8 bits.
    data = size(coded) + adaptive(coded)
    still("xyze.xyze", "X, Y and Z", header(kind="xyze") + data, rgb, known=False, bits=8)
    text = header(["EXPOSURE=0.00558659217877095"], "xyze")
    still("xyze-luminance.xyze", "X, Y and Z in candelas per square meter", text + data, rgb, known=False, bits=8)


def to_xyz():
    """From light of BT.709's primaries to X, Y and Z, white from D65 to equal energy (ICC.1:2022 annex E.3)."""
    cones = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])

    def tristimulus(x, y):
        return np.array([x / y, 1, (1 - x - y) / y])

    d65, equal = tristimulus(0.3127, 0.3290), np.ones(3)
    primaries = np.array([[0.64, 0.33, 0.03], [0.30, 0.60, 0.10], [0.15, 0.06, 0.79]]).T
    matrix = primaries @ np.diag(np.linalg.inv(primaries) @ d65)
    return np.linalg.inv(cones) @ np.diag((cones @ equal) / (cones @ d65)) @ cones @ matrix


def exponents():
    row = np.zeros((1, 256, 4), np.uint8)
    row[0, :, 0], row[0, :, 1], row[0, :, 2], row[0, :, 3] = 255, 128, 1, np.arange(256)
    still("exponents.hdr", "every exponent; 0 is black", header() + size(row) + adaptive(row), light_of(row))


def invalids(pixels):
    def bad(name, shows, data, error, **more):
        fixtures.invalid("hdr", name, data, shows, error, **more)

    start = header()
    good = start + size(pixels) + adaptive(pixels)
    rows = [adaptive(pixels[y : y + 1]) for y in range(len(pixels))]
    bad("wrong-signature.hdr", "#!RADIANCE", b"#!" + good[2:], "wrongFormat")
    bad("binary-signature.hdr", "a signature with a byte that is no text", b"#?RAD\0" + good[6:], "wrongFormat")
    octree = b"#?RADIANCE\nFORMAT=Radiance_octree\n\nxyz"
    bad("octree.hdr", "a file of Radiance that is no picture", octree, "wrongFormat")
    bad("other-program.hdr", "another program's file, without a format", b"#?PROGRAM\n\n-Y 1 +X 1\n....", "wrongFormat")
    spectra = b"#?RADIANCE\nFORMAT=Radiance_rle_spectra\n\n-Y 1 +X 1\n...."
    bad("spectra.hdr", "a spectral picture", spectra, "unsupported")
    bad("truncated-header.hdr", "the header is cut", good[:20], "truncated")
    bad("truncated-resolution.hdr", "the resolution string is cut", start + b"-Y 13 +X 2", "truncated")
    bad("truncated-runs.hdr", "scanlines are missing", good[:-40], "truncated", rows="some")
    flat = start + size(pixels) + pixels.tobytes()
    bad("truncated-flat.hdr", "pixels are missing", flat[:-99], "truncated", rows="some")
    three = start + size(pixels) + b"".join(rows[:3])
    other = three + bytes([2, 2, 0, 20]) + rows[3][4:]
    bad("other-width.hdr", "a scanline of another width", other, "malformed", rows="some")
    bad("run-too-long.hdr", "a run over the end of a channel", three + rows[3][:4] + bytes([128 + 22, 9]) + bytes(99),
        "malformed", rows="some")  # fmt: skip
    over = three + rows[3][:4] + bytes([22]) + bytes(99)
    bad("bytes-too-many.hdr", "bytes over the end of a channel", over, "malformed", rows="some")
    count = pixels[3, :1].tobytes() + bytes([1, 1, 1, 0]) * 4 + bytes([1, 1, 1, 1])
    bad("count-of-five-bytes.hdr", "an older run whose count has five bytes", three + count, "malformed", rows="some")
    resolutions = {
        "one-axis": "-Y 13 -Y 21",
        "no-sign": "Y 13 X 21",
        "zero-width": "-Y 13 +X 0",
        "negative-width": "-Y 13 +X -21",
        "three-words": "-Y 13 +X",
        "letters": "-Y a +X b",
    }
    for name, words in resolutions.items():
        data = start + words.encode() + b"\n" + bytes(99)
        bad(f"resolution-{name}.hdr", f"a resolution string of {words}", data, "malformed")
    huge = start + b"-Y 65000 +X 65000\n" + bytes(99)
    bad("huge-canvas.hdr", "65,000 pixels in each direction", huge, "limitExceeded")
    bad("huge-numbers.hdr", "numbers of 30 digits", start + b"-Y %s +X %s\n" % (b"9" * 30, b"9" * 30), "limitExceeded")
