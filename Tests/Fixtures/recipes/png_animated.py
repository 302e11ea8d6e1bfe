# SPDX-License-Identifier: Apache-2.0
"""Animated PNG (PNG Third Edition, section 11.3.6)."""

import struct

import numpy as np

from fixtures import Frame, animated, picture, valid
from png import RGBA, SIGNATURE, chunk, header, image_data

FORMAT = "png"

DISPOSAL = {"keep": 0, "restoreBackground": 1, "restorePrevious": 2}
BLEND = {"source": 0, "over": 1}
SIZE = (16, 12)


def control(frame, sequence, denominator=None, disposal=None):
    x, y, width, height = frame.rect
    return chunk(
        b"fcTL",
        struct.pack(
            ">IIIIIHHBB",
            sequence,
            width,
            height,
            x,
            y,
            frame.delay[0],
            frame.delay[1] if denominator is None else denominator,
            DISPOSAL[frame.disposal] if disposal is None else disposal,
            BLEND[frame.blend],
        ),
    )


def file(frames, plays, size=SIZE, depth=8, hidden=None, denominator=None, first_disposal=None):
    chunks = [header(*size, depth, RGBA), chunk(b"acTL", struct.pack(">II", len(frames), plays))]
    sequence = 0
    if hidden is not None:
        chunks.append(chunk(b"IDAT", image_data(hidden, depth)))
    for number, frame in enumerate(frames):
        chunks.append(control(frame, sequence, denominator, first_disposal if number == 0 else None))
        sequence += 1
        data = image_data(frame.pixels, depth)
        if number == 0 and hidden is None:
            chunks.append(chunk(b"IDAT", data))
        else:
            chunks.append(chunk(b"fdAT", struct.pack(">I", sequence) + data))
            sequence += 1
    return SIGNATURE + b"".join(chunks) + chunk(b"IEND")


def patch(width, height, color, alpha=255):
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[...] = [*color, alpha]
    return pixels


def first():
    return picture(*SIZE, 4).astype(np.uint8)


def three(disposal, blend="source", alpha=255):
    return [
        Frame(first(), delay=(1, 10)),
        Frame(patch(6, 5, (255, 0, 0), alpha), 2, 3, (1, 5), disposal, blend),
        Frame(patch(5, 6, (0, 0, 255), alpha), 6, 4, (3, 10), "keep", blend),
    ]


def make():
    def moving(name, shows, frames, plays, **keys):
        more = {key: keys.pop(key) for key in ("bits", "pixel_format") if key in keys}
        animated("png", name, file(frames, plays, **keys), shows, SIZE, frames, plays or "infinite", **more)

    moving("apng-dispose-keep.png", "frames stay", three("keep"), 0)
    moving("apng-dispose-background.png", "a frame's rectangle is cleared", three("restoreBackground"), 0)
    moving("apng-dispose-previous.png", "a frame is taken away again", three("restorePrevious"), 0)
    moving("apng-blend-over.png", "translucent frames on a translucent canvas", three("keep", "over", 100), 0)
    moving("apng-loop-3.png", "plays three times", three("keep"), 3)
    moving("apng-offset-over-previous.png", "blended, then taken away", three("restorePrevious", "over", 77), 1)
    covering = three("keep")
    covering[1] = Frame(patch(*SIZE, (255, 0, 0), 120), 0, 0, (1, 5), "restorePrevious")
    moving("apng-covering-previous.png", "a frame that covers the canvas is taken away again", covering, 0)
    # Section 11.3.6.2: in the first frame "previous" is treated as "background".
    start = three("keep")
    start[0].disposal = "restoreBackground"
    moving("apng-first-previous.png", "the first frame's previous is the empty canvas", start, 0, first_disposal=2)
    zero = three("keep")
    for frame in zero:
        frame.delay = (3, 100)
    moving("apng-delay-denominator-0.png", "a denominator of 0 counts as 100", zero, 0, denominator=0)
    moving("apng-hidden-default.png", "the still picture is no frame", three("keep"), 0, hidden=picture(*SIZE, 4))
    deep = [
        Frame(picture(*SIZE, 4, 65535).astype("<u2")),
        Frame(picture(5, 4, 4, 65535).astype("<u2"), 3, 3, (1, 4), "restoreBackground", "over"),
        Frame(picture(4, 5, 4, 65535).astype("<u2"), 8, 2, (1, 4), "keep", "over"),
    ]
    moving("apng-rgba16.png", "blending at 16 bits", deep, 0, depth=16, bits=16, pixel_format="rgba16")
    one = [Frame(first(), delay=(1, 2))]
    moving("apng-single-frame.png", "an animation of one frame", one, 2)
    # The still picture survives: an animation whose first frame control is missing is none.
    pixels = first()
    data = SIGNATURE + header(*SIZE, 8, RGBA) + chunk(b"acTL", struct.pack(">II", 2, 0))
    data += chunk(b"IDAT", image_data(pixels, 8)) + chunk(b"IEND")
    valid(
        "png",
        "apng-without-frames.png",
        data,
        "acTL promises frames that are not there",
        pixels,
        "rgba8",
        8,
        "straight",
    )
