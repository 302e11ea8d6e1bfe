# SPDX-License-Identifier: Apache-2.0
"""JPEG XL animations, and files that are not right."""

import numpy as np

import fixtures
from fixtures import Frame, animated, picture
from jxl import box, container
from jxl_library import Layer, encode

FORMAT = "jxl"

SIZE = (16, 12)
TICKS = {"have_animation": 1, "tps_numerator": 1000, "tps_denominator": 1}


def patch(width, height, color, alpha=255):
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[...] = [*color, alpha]
    return pixels


def shown(pixels, delay):
    """A frame as it is delivered: the whole canvas."""
    return Frame(np.ascontiguousarray(pixels), delay=delay)


def moving(name, shows, layers, frames, plays=0, pixel_format="rgba8", alpha="straight", size=SIZE, **info):
    data = encode(layers, num_loops=plays, **{**TICKS, **info})
    animated("jxl", name, data, shows, size, frames, plays or "infinite", pixel_format, 8, alpha)
    return data


def make():
    base = picture(*SIZE, 4).astype(np.uint8)
    red, blue = patch(6, 5, (255, 0, 0)), patch(5, 6, (0, 0, 255))
    turned = base[::-1, ::-1].copy()
    whole = [Layer(base, duration=100), Layer(turned, duration=40), Layer(base, duration=1230)]
    frames = [shown(base, (1, 10)), shown(turned, (1, 25)), shown(base, (123, 100))]
    data = moving("animated.jxl", "whole frames, without end", whole, frames)
    moving("animated-loop-3.jxl", "plays three times", whole, frames, 3)
    moving("animated-single-frame.jxl", "an animation of one frame", whole[:1], frames[:1], 1)

    def crop(pixels, x, y, **header):
        return Layer(pixels, have_crop=1, crop_x0=x, crop_y0=y, **{"source": 1, "save_as_reference": 1, **header})

    first = base.copy()
    second = first.copy()
    second[4:9, 2:8] = red
    third = second.copy()
    third[4:10, 6:11] = blue
    moving(
        "animated-crops.jxl",
        "frames that change a part",
        [Layer(base, duration=100, save_as_reference=1), crop(red, 2, 4, duration=200), crop(blue, 6, 4, duration=300)],
        [shown(first, (1, 10)), shown(second, (1, 5)), shown(third, (3, 10))],
    )
    moving(
        "animated-layers.jxl",
        "a layer without a delay belongs to the frame behind it",
        [
            Layer(base, duration=100, save_as_reference=1),
            crop(red, 2, 4, name="red"),
            crop(blue, 6, 4, duration=300, name="blue"),
        ],
        [shown(first, (1, 10)), shown(third, (3, 10))],
    )
    blue_alone = first.copy()
    blue_alone[4:10, 6:11] = blue
    moving(
        "animated-not-kept.jxl",
        "a frame that the next one does not see",
        [
            Layer(base, duration=100, save_as_reference=1),
            crop(red, 2, 4, duration=200, save_as_reference=0),
            crop(blue, 6, 4, duration=300),
        ],
        [shown(first, (1, 10)), shown(second, (1, 5)), shown(blue_alone, (3, 10))],
    )
    outside = first.copy()
    outside[10:, 13:] = red[:2, :3]
    moving(
        "animated-crop-outside.jxl",
        "a part that stands out of the canvas",
        [Layer(base, duration=100, save_as_reference=1), crop(red, 13, 10, duration=200)],
        [shown(first, (1, 10)), shown(outside, (1, 5))],
    )
    opaque = [np.ascontiguousarray(pixels[..., :3]) for pixels in (base, turned)]
    seen = [np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)]) for pixels in opaque]
    moving(
        "animated-ntsc.jxl",
        "ticks of 1001/30000 s, and no alpha",
        [Layer(opaque[0], duration=1), Layer(opaque[1], duration=30)],
        [shown(seen[0], (1001, 30000)), shown(seen[1], (1001, 1000))],
        0,
        "rgb8",
        "opaque",
        tps_numerator=30000,
        tps_denominator=1001,
    )
    moving(
        "animated-timecodes.jxl",
        "time codes beside delays",
        [Layer(opaque[0], duration=500, timecode=0x01020304), Layer(opaque[1], duration=500, timecode=0x01020305)],
        [shown(seen[0], (1, 2)), shown(seen[1], (1, 2))],
        2,
        "rgb8",
        "opaque",
        have_timecodes=1,
    )
    make_invalid(data)


def headed(width, height):
    """A codestream's size header (ISO/IEC 18181-1, section D.2): not small, 30 bits each."""
    bits = [0, *number(3, 2), *number(height - 1, 30), *number(0, 3), *number(3, 2), *number(width - 1, 30), 1]
    bits += [0] * (-len(bits) % 8)
    return b"\xff\n" + bytes(sum(bit << i for i, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8))


def number(value, count):
    return [value >> bit & 1 for bit in range(count)]


def make_invalid(animation):
    def bad(name, shows, data, error, **more):
        fixtures.invalid("jxl", name, data, shows, error, **more)

    rough = np.random.default_rng(5).integers(0, 256, (24, 40, 3), dtype=np.uint8)
    stream = encode([Layer(rough)])
    bad("signature-half.jxl", "half a signature", container()[:7], "truncated")
    bad("signature-alone.jxl", "a codestream's signature", stream[:2], "truncated")
    bad("image-header-cut.jxl", "cut inside the size", stream[:3], "truncated")
    bad("frame-header-cut.jxl", "cut before the first frame's header ends", stream[:6], "truncated")
    bad("data-cut.jxl", "cut inside the samples", stream[: len(stream) // 2], "truncated", rows="any")
    bad(
        "container-cut.jxl",
        "cut inside a box",
        container(box(b"jxlc", stream))[: len(stream) // 2],
        "truncated",
        rows="any",
    )
    bad("container-empty.jxl", "a container without a codestream", container(), "truncated")
    bad("wrong-signature.jxl", "another box first", box(b"JXL ", b"\r\n\x87\r") + stream, "wrongFormat")
    damaged = bytearray(stream)
    damaged[len(stream) // 3 : len(stream) // 3 + 40] = bytes(40)
    bad("data-damaged.jxl", "zeros among the samples", bytes(damaged), "malformed", rows="any")
    bad("huge-side.jxl", "1,073,741,824 pixels on a side", headed(1 << 30, 1 << 30) + bytes(40), "limitExceeded")
    bad("huge-area.jxl", "60,000 pixels in each direction", headed(60_000, 60_000) + bytes(40), "limitExceeded")
    bad(
        "animation-cut.jxl",
        "an animation that ends inside its second frame",
        animation[: len(animation) // 2],
        "truncated",
        rows="some",
    )
    without_ftyp = container(box(b"jxlc", stream))[:12] + box(b"jxlc", stream)
    bad("ftyp-missing.jxl", "a container without ftyp", without_ftyp, "malformed")
