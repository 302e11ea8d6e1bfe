# SPDX-License-Identifier: Apache-2.0
"""Camera raw files: DNG put together tag by tag (Digital Negative Specification 1.4), of a camera that nobody built.

LibRaw's own program says what the pictures are; where a recipe can work out a sample by hand, it compares.
"""

import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import imagecodecs
import numpy as np

import fixtures
from fixtures import picture
from tiff_file import (
    ASCII, BITS, BYTE, COMPRESSION, EXIF, GPS, LENGTH, LONG, NEW_SUBFILE_TYPE, ORIENTATION, PHOTOMETRIC, PLANAR, RATIONAL,
    ROWS_PER_STRIP, SAMPLES, SHORT, SIGNED_RATIONAL, SUB_IFDS, TILE_LENGTH, TILE_WIDTH, UNDEFINED, WIDTH, XMP, File, Page)

FORMAT = "raw"

SRGB = [1, 13, 0, 1]
PREDICTOR, SAMPLE_FORMAT, ROW_FIELDS, COLUMN_FIELDS = 317, 339, 50975, 52547
DEFLATE, JXL = 8, 52546
MOSAIC, LINEAR = 32803, 34892
PATTERNS = {"RGGB": [0, 1, 1, 2], "GBRG": [1, 2, 0, 1]}
# XYZ to linear sRGB (IEC 61966-2-1): the camera sees the primaries of sRGB, and its white is that of D65.
MATRIX = [3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.2040, 1.0570]
TEXT = {"make": "ImageCoders", "model": "Recipe 1"}


def camera(samples, orientation=1, photometric=MOSAIC, pattern="RGGB", levels=None, **more):
    """The tags that every file has. Samples are rows of columns, or of columns of colors."""
    height, width = samples.shape[:2]
    colors = 1 if samples.ndim == 2 else samples.shape[2]
    tags = {
        NEW_SUBFILE_TYPE: (LONG, 0), WIDTH: (LONG, width), LENGTH: (LONG, height), BITS: (SHORT, [16] * colors),
        COMPRESSION: (SHORT, 1), PHOTOMETRIC: (SHORT, photometric), SAMPLES: (SHORT, colors), PLANAR: (SHORT, 1),
        ROWS_PER_STRIP: (LONG, height), 271: (ASCII, TEXT["make"].encode() + b"\0"),
        272: (ASCII, TEXT["model"].encode() + b"\0"), ORIENTATION: (SHORT, orientation),
        50706: (BYTE, b"\1\4\0\0"), 50707: (BYTE, b"\1\1\0\0"), 50708: (ASCII, b"ImageCoders Recipe 1\0"),
        50721: (SIGNED_RATIONAL, [part for value in MATRIX for part in (round(value * 10000), 10000)]),
        50728: (RATIONAL, [1, 1] * 3), 50778: (SHORT, 21),
    }
    if photometric == MOSAIC:
        tags[33421] = (SHORT, [2, 2])
        tags[33422] = (BYTE, bytes(PATTERNS[pattern]))
    if colors == 1 and photometric == LINEAR:
        del tags[50721], tags[50728], tags[50778]
    black, white = levels or (0, 65535)
    tags[50714] = (LONG, black)
    tags[50717] = (LONG, white)
    tags.update(more.get("tags", {}))
    return tags


def file(tags, strips, order="<", nested=None, is_tiled=False):
    return whole(File(order), Page(tags, strips, is_tiled, nested))


def whole(made, page):
    place, _ = made.add(page)
    made.data[made.link : made.link + 4] = made.pack("I", place)
    return bytes(made.data)


def mosaic(scene, pattern="RGGB"):
    """One color of each pixel."""
    out = np.empty(scene.shape[:2], scene.dtype)
    for place, color in enumerate(PATTERNS[pattern]):
        y, x = divmod(place, 2)
        out[y::2, x::2] = scene[y::2, x::2, color]
    return out


def scene(width=40, height=30):
    """Light, of which more than one in a hundred pixels is white: brightness is not stretched then."""
    light = picture(width, height, 3, 60000)
    light[: height // 4, : width // 4] = 65535
    return light.astype("<u2")


def developed(data, *options):
    """The samples that LibRaw's program makes of a file, without turning them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.dng"
        path.write_bytes(data)
        command = ["dcraw_emu", "-w", "-6", "-g", "2.4", "12.92", "-t", "0", "-o", "1", *options, "-Z", "-", str(path)]
        found = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    kind, size, largest, rest = found.split(b"\n", 3)
    width, height = map(int, size.split())
    channels = {b"P5": 1, b"P6": 3}[kind]
    assert largest == b"65535"
    return np.frombuffer(rest, ">u2", width * height * channels).reshape(height, width, channels).astype("<u2")


def exif(main=(), exif=(), gps=()):
    """The payload that has what LibRaw says: the first directory, Exif's, and that of places."""
    texts = {271: TEXT["make"], 272: TEXT["model"]}
    main = {**{tag: ascii_field(text) for tag, text in texts.items()}, ORIENTATION: (SHORT, struct.pack("<H", 1)), **dict(main)}
    exif = {0x9000: (UNDEFINED, b"0232"), 0xA001: (SHORT, struct.pack("<H", 1)), **dict(exif)}
    gps = dict(gps)
    main[EXIF] = (LONG, bytes(4))
    if gps:
        main[GPS] = (LONG, bytes(4))
    first = 8 + size_of(main)
    main[EXIF] = (LONG, struct.pack("<I", first))
    if gps:
        main[GPS] = (LONG, struct.pack("<I", first + size_of(exif)))
    out = b"II*\0" + struct.pack("<I", 8)
    for directory in [main, exif] + ([gps] if gps else []):
        out += directory_bytes(directory, len(out))
    return out


def ascii_field(text):
    return ASCII, text.encode() + b"\0"


def even(value):
    return value + bytes(len(value) % 2)


def size_of(directory):
    return 6 + sum(12 + (len(even(value)) if len(value) > 4 else 0) for _, value in directory.values())


def directory_bytes(directory, start):
    sizes = {BYTE: 1, ASCII: 1, SHORT: 2, LONG: 4, RATIONAL: 8, UNDEFINED: 1}
    head, values = struct.pack("<H", len(directory)), b""
    end = start + 6 + 12 * len(directory)
    for tag, (kind, value) in sorted(directory.items()):
        field = value.ljust(4, b"\0") if len(value) <= 4 else struct.pack("<I", end + len(values))
        if len(value) > 4:
            values += even(value)
        head += struct.pack("<HHI", tag, kind, len(value) // sizes[kind]) + field
    return head + bytes(4) + values


def rationals(*parts):
    return RATIONAL, struct.pack(f"<{len(parts)}I", *parts)


def tiled(samples, compression, code, photometric=MOSAIC, order="<", tags=None):
    """A file of tiles of 32 by 16, which reach over the last column and row."""
    height, width = samples.shape[:2]
    whole = np.zeros((-height % 16 + height, -width % 32 + width) + samples.shape[2:], samples.dtype)
    whole[:height, :width] = samples
    tiles = [
        np.ascontiguousarray(whole[y : y + 16, x : x + 32])
        for y in range(0, height, 16) for x in range(0, width, 32)]
    made = {
        **camera(samples, photometric=photometric), COMPRESSION: (SHORT, compression), TILE_WIDTH: (LONG, 32),
        TILE_LENGTH: (LONG, 16), **(tags or {})}
    del made[ROWS_PER_STRIP]
    return file(made, [code(tile) for tile in tiles], order, is_tiled=True)


def differences(tile):
    made = tile.copy()
    made[:, 1:] -= tile[:, :-1]
    return made


def planes(tile):
    """The bytes of floating-point numbers, the first ones first, as differences (TIFF Technical Note 3)."""
    rows = tile.astype(">f4").view("u1").reshape(tile.shape[0], -1, 4).transpose(0, 2, 1).reshape(tile.shape[0], -1)
    return differences(rows)


def by_turns(samples):
    """Even columns and rows before odd ones."""
    rows = np.concatenate([samples[0::2], samples[1::2]])
    return np.concatenate([rows[:, 0::2], rows[:, 1::2]], axis=1)


def jxl(tile):
    return imagecodecs.jpegxl_encode(tile, lossless=True, usecontainer=False)


def packed(rggb, colors):
    """The same samples, kept in ways that LibRaw's program does not read: it develops them as they are."""
    mosaic, linear = file(camera(rggb), [rggb.tobytes()]), file(camera(colors, photometric=LINEAR), [colors.tobytes()])

    def same(name, data, shows, plain=mosaic):
        valid(name, data, shows, of=plain)

    same("tiles.dng", tiled(rggb, 1, np.ndarray.tobytes), "tiles without compression")
    same("deflate.dng", tiled(rggb, DEFLATE, lambda tile: zlib.compress(tile.tobytes())), "tiles in deflate")
    same(
        "deflate-differences.dng",
        tiled(
            colors, DEFLATE, lambda tile: zlib.compress(differences(tile).astype(">u2").tobytes()), LINEAR, ">",
            {PREDICTOR: (SHORT, 2)}),
        "three colors in deflate, as differences, big-endian", linear)
    light = (rggb / np.float32(65535)).astype("<f4")
    of_floats = {BITS: (SHORT, 32), SAMPLE_FORMAT: (SHORT, 3), 50717: (SHORT, 1)}
    same(
        "float-deflate.dng",
        tiled(light, DEFLATE, lambda tile: zlib.compress(planes(tile).tobytes()), tags={**of_floats, PREDICTOR: (SHORT, 3)}),
        "floating point in deflate, as differences of bytes")
    same("jxl.dng", tiled(colors, JXL, jxl, LINEAR), "three colors in tiles of JPEG XL", linear)
    same("float-jxl.dng", tiled(light, JXL, jxl, tags=of_floats), "floating point in tiles of JPEG XL")
    same(
        "jxl-by-turns.dng",
        tiled(by_turns(rggb), JXL, jxl, tags={ROW_FIELDS: (LONG, 2), COLUMN_FIELDS: (LONG, 2)}),
        "a mosaic in tiles of JPEG XL, each color in a quarter of its own")


def valid(name, data, shows, orientation=1, payload=None, of=None, **more):
    """`of` is another file of the same picture, which LibRaw's program reads."""
    samples = developed(of or data)
    gray = samples.shape[2] == 1
    main = {ORIENTATION: (SHORT, struct.pack("<H", orientation))}
    metadata = {"Exif": payload or exif(main), **more.pop("metadata", {})}
    fixtures.valid(
        "raw", name, data, shows, fixtures.rgba(samples, 65535, 16), "gray16" if gray else "rgb16", bits=16,
        orientation=orientation, metadata=metadata, cicp=SRGB, isLossless=False, **more)
    return samples


def curve(light):
    """IEC 61966-2-1."""
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


def near(samples, light, what):
    wanted = curve(light) * 65535
    assert np.all(np.abs(samples.astype(float) - wanted) < 40), f"{what}: {samples} beside {wanted}"


def make():
    light = scene()
    rggb = mosaic(light)
    plain = file(camera(rggb), [rggb.tobytes()])
    valid("rggb.dng", plain, "a mosaic, red first")
    gbrg = mosaic(light, "GBRG")
    valid("gbrg.dng", file(camera(gbrg, pattern="GBRG"), [gbrg.tobytes()]), "a mosaic, green and blue first")
    valid("big-endian.dng", file(camera(rggb), [rggb.astype(">u2").tobytes()], ">"), "big-endian tags and samples")
    for orientation in range(2, 9):
        valid(
            f"orientation-{orientation}.dng", file(camera(rggb, orientation), [rggb.tobytes()]), "another orientation",
            orientation=orientation)
    odd = mosaic(scene(39, 29))
    valid("odd-size.dng", file(camera(odd), [odd.tobytes()]), "an odd number of columns and rows")

    # A quarter of the light that is white, on white.
    gray = np.full((30, 40), 16384, "<u2")
    gray[:, 20:] = 65535
    found = valid("gray.dng", file(camera(gray, photometric=LINEAR), [gray.tobytes()]), "a sensor without colors")
    near(found[:, 4:16, 0], 0.25, "gray")
    found = valid("gray-mosaic.dng", file(camera(gray), [gray.tobytes()]), "the same light in all colors")
    near(found[:, 4:14], 0.25, "gray from a mosaic")
    levels = (gray.astype(int) * 3840 // 65535 + 256).astype("<u2")
    found = valid(
        "levels.dng", file(camera(levels, levels=(256, 4095)), [levels.tobytes()]), "black of 256 and white of 4095")
    near(found[:, 4:14], 0.25, "levels")
    colors = scene(24, 22)
    valid("linear.dng", file(camera(colors, photometric=LINEAR), [colors.tobytes()]), "three colors in each pixel")

    packed(mosaic(scene(32, 24)), scene(34, 22))

    packet = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
    valid(
        "xmp.dng", file(camera(rggb, tags={XMP: (BYTE, packet)}), [rggb.tobytes()]), "an XMP packet",
        metadata={"XMP": packet})
    described()
    damaged(rggb, plain)


def described():
    """What a camera says of a picture, as tags; the payload has it in the fractions that come out of numbers."""
    small = mosaic(scene(24, 24))
    shot = {
        0x829A: (RATIONAL, [1, 250]), 0x829D: (RATIONAL, [28, 10]), 0x8827: (SHORT, 400),
        0x9003: (ASCII, b"2026:11:29 12:34:56\0"), 0x920A: (RATIONAL, [50, 1]), 0xA405: (SHORT, 75),
        0xA433: (ASCII, b"Glass\0"), 0xA434: (ASCII, b"Glass 50mm F2\0"),
    }
    place = {
        0: (BYTE, b"\2\3\0\0"), 1: (ASCII, b"N\0"), 2: (RATIONAL, [48, 1, 12, 1, 30, 1]), 3: (ASCII, b"W\0"),
        4: (RATIONAL, [11, 1, 30, 1, 15, 1]), 5: (BYTE, b"\0"), 6: (RATIONAL, [520, 1]),
        7: (RATIONAL, [11, 1, 34, 1, 56, 1]),
    }
    tags = camera(small, tags={
        270: (ASCII, b"A recipe\0"), 305: (ASCII, b"make-fixtures\0"), 306: (ASCII, b"2026:11:29 12:34:56\0"),
        315: (ASCII, b"A. Author\0")})
    nested = {EXIF: [Page(shot, None)], GPS: [Page(place, None)]}
    date = ascii_field("2026:11:29 12:34:56")
    payload = exif(
        {270: ascii_field("A recipe"), 305: ascii_field("make-fixtures"), 306: date, 315: ascii_field("A. Author")},
        {0x829A: rationals(1, 250), 0x829D: rationals(28, 10), 0x8827: (SHORT, struct.pack("<H", 400)), 0x9003: date,
         0x920A: rationals(50, 1), 0xA405: (SHORT, struct.pack("<H", 75)), 0xA433: ascii_field("Glass"),
         0xA434: ascii_field("Glass 50mm F2")},
        {0: (BYTE, b"\2\3\0\0"), 1: (ASCII, b"N\0"), 2: rationals(48, 1, 12, 1, 30, 1), 3: (ASCII, b"W\0"),
         4: rationals(11, 1, 30, 1, 15, 1), 5: (BYTE, b"\0"), 6: rationals(520, 1), 7: rationals(11, 1, 34, 1, 56, 1)})
    valid("camera.dng", file(tags, [small.tobytes()], nested=nested), "what a camera says of a picture", payload=payload)


def damaged(rggb, plain):
    def bad(name, data, shows, error, **more):
        fixtures.invalid("raw", name, data, shows, error, **more)

    huge = dict(camera(rggb))
    huge[WIDTH] = huge[LENGTH] = (LONG, 60000)
    bad("huge.dng", file(huge, [rggb.tobytes()]), "60,000 pixels in each direction", "limitExceeded")
    bad("no-directory.dng", plain[:200], "the directory is missing", "truncated")
    other = dict(camera(rggb))
    other[COMPRESSION] = (SHORT, 61000)
    bad("compression-61000.dng", file(other, [rggb.tobytes()]), "a compression that is not known", "wrongFormat")
    # The directory first, so that the end of the file is the end of the samples.
    made = File("<")
    tags = dict(camera(rggb))
    tags[273], tags[279] = (LONG, 3000), (LONG, rggb.nbytes)
    head = whole(made, Page(tags, None))
    cut = head + bytes(3000 - len(head)) + rggb.tobytes()[:1000]
    bad("truncated.dng", cut, "half of the samples are missing", "truncated", rows="any")
