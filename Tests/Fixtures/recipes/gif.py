# SPDX-License-Identifier: Apache-2.0
"""GIF, written block by block (GIF89a, 1990)."""

import struct

import numpy as np

import fixtures
from fixtures import Frame, animated, picture, valid

FORMAT = "gif"

SIZE = (16, 12)
DISPOSAL = {"keep": 1, "restoreBackground": 2, "restorePrevious": 3}
PALETTE = np.array([[i * 36, 255 - i * 30, (i * 83) % 256] for i in range(8)], np.uint8)
OTHER = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]], np.uint8)


class Bits:
    def __init__(self):
        self.data, self.value, self.count = bytearray(), 0, 0

    def put(self, code, width):
        self.value |= code << self.count
        self.count += width
        while self.count >= 8:
            self.data.append(self.value & 255)
            self.value >>= 8
            self.count -= 8

    def finish(self):
        if self.count:
            self.data.append(self.value & 255)
        return bytes(self.data)


def lzw(indexes, minimum, clear_every=0, ends=True, defers=False):
    """Appendix F. `defers`: goes on with the full table instead of clearing it."""
    clear, end = 1 << minimum, (1 << minimum) + 1
    bits = Bits()
    table, width = {}, minimum + 1

    def reset():
        nonlocal table, width
        bits.put(clear, width)
        table = {(i,): i for i in range(clear)}
        width = minimum + 1

    reset()
    following = end + 1
    current = ()
    emitted = 0
    for index in indexes:
        longer = current + (int(index),)
        if longer in table:
            current = longer
            continue
        bits.put(table[current], width)
        emitted += 1
        if following < 4096:
            table[longer] = following
            if following == 1 << width and width < 12:
                width += 1
            following += 1
        if (following == 4096 and not defers) or (clear_every and emitted % clear_every == 0):
            reset()
            following = end + 1
        current = (int(index),)
    bits.put(table[current], width)
    if following < 4096 and following == 1 << width and width < 12:
        width += 1
    if ends:
        bits.put(end, width)
    return bits.finish()


def sub_blocks(data):
    return b"".join(bytes([len(data[i : i + 255])]) + data[i : i + 255] for i in range(0, len(data), 255)) + b"\0"


def screen(width, height, palette=PALETTE, version=b"GIF89a", background=0):
    flags, colors = 0, b""
    if palette is not None:
        bits = (len(palette) - 1).bit_length() - 1
        flags, colors = 0x80 | bits << 4 | bits, palette.tobytes()
    return version + struct.pack("<HHBBB", width, height, flags, background, 0) + colors


def control(delay=0, disposal=0, transparent=None):
    flags = disposal << 2 | (transparent is not None)
    return b"\x21\xf9\x04" + struct.pack("<BHB", flags, delay, transparent or 0) + b"\0"


def loops(repetitions):
    return b"\x21\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", repetitions) + b"\0"


def rows(indexes, interlaced):
    """Appendix E: the order of rows."""
    height = indexes.shape[0]
    order = [*range(0, height, 8), *range(4, height, 8), *range(2, height, 4), *range(1, height, 2)]
    return indexes[order] if interlaced else indexes


def image(indexes, x=0, y=0, palette=None, interlaced=False, minimum=3, **coding):
    height, width = indexes.shape
    flags, colors = (0x40 if interlaced else 0), b""
    if palette is not None:
        flags |= 0x80 | ((len(palette) - 1).bit_length() - 1)
        colors = palette.tobytes()
    data = lzw(rows(indexes, interlaced).reshape(-1), minimum, **coding)
    return b"\x2c" + struct.pack("<HHHHB", x, y, width, height, flags) + colors + bytes([minimum]) + sub_blocks(data)


def pattern(width, height, count=8):
    return picture(width, height, 3, count - 1)[..., 2] if count > 2 else picture(width, height, 1, 1)[..., 0]


def colored(indexes, palette=PALETTE, transparent=None):
    pixels = np.concatenate([palette[indexes], np.full((*indexes.shape, 1), 255, np.uint8)], axis=-1)
    if transparent is not None:
        pixels[indexes == transparent] = 0
    return pixels


def make():
    make_stills()
    make_animations()
    make_invalid()


def make_stills():
    def still(name, shows, data, pixels, pixel_format="rgb8", alpha="opaque", **more):
        valid("gif", name, data + b"\x3b", shows, pixels, pixel_format, 8, alpha, **more)

    plain = pattern(*SIZE)
    opaque = colored(plain)
    still("still-87a.gif", "version 87a", screen(*SIZE, version=b"GIF87a") + image(plain), opaque)
    still("still-89a.gif", "version 89a", screen(*SIZE) + image(plain), opaque)
    still(
        "transparent.gif",
        "one index is transparent",
        screen(*SIZE) + control(transparent=3) + image(plain),
        colored(plain, transparent=3),
        "rgba8",
        "straight",
    )
    still("interlaced.gif", "four passes (Appendix E)", screen(*SIZE) + image(plain, interlaced=True), opaque)
    thin = pattern(5, 3)
    still("interlaced-5x3.gif", "passes without a row", screen(5, 3) + image(thin, interlaced=True), colored(thin))
    two = pattern(*SIZE, 2)
    still(
        "palette2.gif",
        "two colors, codes from 2 bits on",
        screen(*SIZE, palette=OTHER[:2]) + image(two, minimum=2),
        colored(two, OTHER),
    )
    still("pixels-1x1.gif", "one pixel", screen(1, 1) + image(pattern(1, 1)), colored(pattern(1, 1)))
    four = plain % 4
    still(
        "local-palette.gif",
        "a palette of the image alone",
        screen(*SIZE, palette=None) + image(four, palette=OTHER, minimum=2),
        colored(four, OTHER),
    )
    still(
        "local-over-global.gif",
        "the image's palette counts",
        screen(*SIZE) + image(four, palette=OTHER, minimum=2),
        colored(four, OTHER),
    )
    still(
        "many-clear-codes.gif",
        "the table is cleared every 10 codes",
        screen(*SIZE) + image(plain, clear_every=10),
        opaque,
    )
    still("no-end-code.gif", "the end code is missing", screen(*SIZE) + image(plain, ends=False), opaque)
    noise = np.array([(i * 7919 + (i * i) // 3) % 61 % 8 for i in range(100 * 62)]).reshape(62, 100)
    still("full-table.gif", "the table is full and cleared", screen(100, 62) + image(noise), colored(noise))
    long = np.array([(i * i * 31 + i // 7) % 5 % 2 for i in range(200 * 100)]).reshape(100, 200)
    still(
        "deferred-clear.gif",
        "the table is full and kept",
        screen(200, 100, palette=OTHER[:2]) + image(long, minimum=2, defers=True),
        colored(long, OTHER),
    )
    comment = b"\x21\xfe" + sub_blocks(b"made for a test")
    still(
        "comment.gif",
        "a comment and an unknown application",
        screen(*SIZE) + comment + b"\x21\xff\x0bSOMEBODY1.0" + sub_blocks(b"data") + image(plain),
        opaque,
        metadata={"text": b"Comment\0made for a test\0"},
    )
    store = fixtures.manifest_store()
    still(
        "c2pa.gif",
        "content credentials (C2PA_GIF)",
        screen(*SIZE) + b"\x21\xff\x0bC2PA_GIF\1\0\0" + sub_blocks(store) + image(plain),
        opaque,
        metadata={"C2PA": store},
    )
    profile = fixtures.icc()
    still(
        "icc.gif",
        "an ICC profile (ICCRGBG1012)",
        screen(*SIZE) + b"\x21\xff\x0bICCRGBG1012" + sub_blocks(profile) + image(plain),
        opaque,
        metadata={"ICC": profile},
    )
    # XMP Specification Part 3, section 1.1.2: the packet as it is, then a magic trailer.
    trailer = b"\x01" + bytes(range(255, -1, -1)) + b"\0"
    still(
        "xmp.gif",
        "an XMP packet",
        screen(*SIZE) + b"\x21\xff\x0bXMP DataXMP" + fixtures.XMP + trailer + image(plain),
        opaque,
        metadata={"XMP": fixtures.XMP},
    )
    small = pattern(6, 5)
    canvas = np.zeros((12, 16, 4), np.uint8)
    canvas[4:9, 3:9] = colored(small)
    still(
        "image-inside-canvas.gif",
        "an image smaller than the canvas",
        screen(*SIZE) + image(small, 3, 4),
        canvas,
        "rgba8",
        "straight",
    )
    canvas = np.zeros((12, 16, 4), np.uint8)
    canvas[8:12, 12:16] = colored(pattern(6, 5))[:4, :4]
    still(
        "image-over-the-edge.gif",
        "an image that stands out is clipped",
        screen(*SIZE) + image(small, 12, 8),
        canvas,
        "rgba8",
        "straight",
    )

    # Section 21: without any table a decoder may take its own, whose first two colors are black and white.
    default = np.zeros((8, 3), np.uint8)
    default[1] = 255
    still(
        "palette-missing.gif", "no palette at all", screen(*SIZE, palette=None) + image(plain), colored(plain, default)
    )
    still("no-image.gif", "nothing is drawn", screen(*SIZE), np.zeros((12, 16, 4), np.uint8), "rgba8", "straight")


def block(indexes, frame, transparent=None, **keys):
    hundredths = frame.delay[0] * 100 // frame.delay[1]
    return control(hundredths, DISPOSAL[frame.disposal], transparent) + image(indexes, frame.x, frame.y, **keys)


def three(disposal):
    """Three frames with their indexes; the second is disposed of in some way."""
    first, second, third = pattern(*SIZE), np.full((5, 6), 7), np.full((6, 5), 1)
    second[2, 2:4] = 3
    return [
        (first, None, Frame(colored(first), delay=(10, 100))),
        (second, 3, Frame(colored(second, transparent=3), 2, 3, (20, 100), disposal, "over")),
        (third, None, Frame(colored(third), 6, 4, (30, 100))),
    ]


def make_animations():
    def moving(name, shows, parts, prefix, loop_count, palette=PALETTE):
        data = screen(*SIZE, palette=palette) + prefix
        for indexes, transparent, frame, *keys in parts:
            data += block(indexes, frame, transparent, **(keys[0] if keys else {}))
        animated("gif", name, data + b"\x3b", shows, SIZE, [part[2] for part in parts], loop_count)

    moving("disposal-keep.gif", "frames stay", three("keep"), loops(0), "infinite")
    moving(
        "disposal-restore-background.gif",
        "a frame's rectangle is cleared",
        three("restoreBackground"),
        loops(0),
        "infinite",
    )
    moving(
        "disposal-restore-previous.gif", "a frame is taken away again", three("restorePrevious"), loops(0), "infinite"
    )
    moving("loop-3.gif", "repeats twice, plays three times", three("keep"), loops(2), 3)
    moving("loop-unstated.gif", "plays once when the file says nothing", three("keep"), b"", 1)
    still = three("keep")
    for number, part in enumerate(still):
        part[2].delay = (number, 100)
    moving("delay-0-1-2.gif", "very short delays are kept", still, loops(0), "infinite")
    local = three("keep")
    recolored = np.full((6, 5), 2)
    local[2] = (recolored, None, Frame(colored(recolored, OTHER), 6, 4, (30, 100)), {"palette": OTHER, "minimum": 2})
    moving("frame-local-palette.gif", "the third frame has its own palette", local, loops(0), "infinite")
    moving(
        "first-frame-partial.gif",
        "the first frame does not cover the canvas",
        three("restorePrevious")[1:],
        loops(0),
        "infinite",
    )
    background = three("restoreBackground")
    background[0][2].disposal = "restorePrevious"
    moving(
        "first-restore-previous.gif", "the first frame's previous is the empty canvas", background, loops(0), "infinite"
    )
    covering, corner = three("keep"), np.full((3, 4), 5)
    covering[1:2] = [
        (pattern(*SIZE)[::-1], None, Frame(colored(pattern(*SIZE)[::-1]), 0, 0, (20, 100), "restorePrevious"))
    ]
    covering.append((corner, None, Frame(colored(corner), 1, 7, (20, 100), "restorePrevious")))
    covering.append((corner, None, Frame(colored(corner), 9, 1, (20, 100))))
    moving(
        "covering-restore-previous.gif",
        "a frame that covers the canvas is taken away again",
        covering,
        loops(0),
        "infinite",
    )
    interlaced = [(*part, {"interlaced": True}) for part in three("keep")]
    moving("interlaced-frames.gif", "frames in four passes", interlaced, loops(0), "infinite")


def make_invalid():
    def bad(name, shows, data, error, **more):
        fixtures.invalid("gif", name, data, shows, error, **more)

    plain = pattern(*SIZE)
    good = screen(*SIZE) + image(plain) + b"\x3b"
    bad("wrong-signature.gif", "version 88a", b"GIF88a" + good[6:], "wrongFormat")
    bad("truncated-header.gif", "the screen descriptor is cut", good[:10], "truncated")
    bad("truncated-palette.gif", "the palette is cut", good[:20], "truncated")
    bad("truncated-descriptor.gif", "the image descriptor is cut", good[:40], "truncated")
    bad("truncated-data.gif", "image data is cut", good[:-30], "truncated", rows="some")
    bad(
        "garbage-block.gif",
        "an unknown block before any image",
        screen(*SIZE) + b"\x99" + image(plain) + b"\x3b",
        "malformed",
    )
    bad(
        "code-size-12.gif",
        "codes of 12 bits at least",
        screen(*SIZE) + b"\x2c" + struct.pack("<HHHHB", 0, 0, *SIZE, 0) + b"\x0c" + sub_blocks(bytes(40)) + b"\x3b",
        "malformed",
    )
    bad(
        "lzw-garbage.gif",
        "the first code is not in the table",
        screen(*SIZE)
        + b"\x2c"
        + struct.pack("<HHHHB", 0, 0, *SIZE, 0)
        + b"\x03"
        + sub_blocks(b"\xf8\xff" * 20)
        + b"\x3b",
        "malformed",
    )
    half = lzw(plain[:6].reshape(-1), 3)
    bad(
        "data-short.gif",
        "data of half the rows",
        screen(*SIZE) + b"\x2c" + struct.pack("<HHHHB", 0, 0, *SIZE, 0) + b"\x03" + sub_blocks(half) + b"\x3b",
        "malformed",
        rows="some",
    )
    bad(
        "huge-canvas.gif",
        "65,535 pixels in each direction",
        screen(65_535, 65_535) + image(plain) + b"\x3b",
        "limitExceeded",
    )
