# SPDX-License-Identifier: Apache-2.0
"""WebP, made by cwebp and put together chunk by chunk (RFC 9649)."""

import struct

import numpy as np
from PIL import Image

import fixtures
from fixtures import Frame, animated, in_folder, picture, run, valid

FORMAT = "webp"

SIZE = (16, 12)
ANIMATION, XMP, EXIF, ALPHA, ICC = 0x02, 0x04, 0x08, 0x10, 0x20


def cwebp(pixels, *options):
    def body(folder):
        Image.fromarray(pixels).save(folder / "in.png")
        run("cwebp", "-quiet", *options, str(folder / "in.png"), "-o", str(folder / "out.webp"))
        return (folder / "out.webp").read_bytes()

    return in_folder(body)


def dwebp(data):
    """What libwebp's own tool makes of it."""

    def body(folder):
        (folder / "in.webp").write_bytes(data)
        run("dwebp", "-quiet", str(folder / "in.webp"), "-o", str(folder / "out.png"))
        return np.asarray(Image.open(folder / "out.png").convert("RGBA"))

    return in_folder(body)


def chunk(kind, data):
    return kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def riff(*chunks):
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def three_bytes(value):
    return struct.pack("<I", value)[:3]


def extended(width, height, flags):
    return chunk(b"VP8X", bytes([flags, 0, 0, 0]) + three_bytes(width - 1) + three_bytes(height - 1))


def pictures(data):
    """The chunks of a simple file or of one frame: ALPH and VP8, or VP8L."""
    result, offset = b"", 12
    while offset + 8 <= len(data):
        size = struct.unpack("<I", data[offset + 4 : offset + 8])[0]
        end = offset + 8 + size + size % 2
        if data[offset : offset + 4] in (b"VP8 ", b"VP8L", b"ALPH"):
            result += data[offset:end]
        offset = end
    return result


def make():
    rgb = picture(23, 17, 3).astype(np.uint8)
    rgba = picture(23, 17, 4).astype(np.uint8)

    def still(name, shows, data, alpha="opaque", pixel_format=None, **more):
        valid(
            "webp",
            name,
            data,
            shows,
            dwebp(data),
            pixel_format or ("rgb8" if alpha == "opaque" else "rgba8"),
            8,
            alpha,
            **more,
        )

    lossy = cwebp(rgb, "-q", "80")
    lossless = cwebp(rgb, "-lossless")
    still("lossy.webp", "VP8", lossy, isLossless=False, subsampling=420)
    still(
        "lossy-simple-filter.webp", "VP8 with the simple loop filter", cwebp(rgb, "-q", "10", "-nostrong", "-f", "60")
    )
    still(
        "lossy-segments.webp",
        "VP8 with four segments and partitions",
        cwebp(rgb, "-q", "30", "-segments", "4", "-partition_limit", "50"),
    )
    still("lossy-alpha.webp", "VP8 with a compressed alpha plane", cwebp(rgba, "-q", "80"), "straight")
    still(
        "lossy-alpha-raw.webp", "VP8 with a raw alpha plane", cwebp(rgba, "-q", "80", "-alpha_method", "0"), "straight"
    )
    still(
        "lossy-alpha-coarse.webp",
        "VP8 with a coarse alpha plane",
        cwebp(rgba, "-q", "80", "-alpha_q", "20"),
        "straight",
    )
    still("lossless.webp", "VP8L", lossless, isLossless=True)
    still("lossless-alpha.webp", "VP8L with alpha", cwebp(rgba, "-lossless", "-exact"), "straight", isLossless=True)
    few = (rgb // 128 * 255).astype(np.uint8)
    still("lossless-palette.webp", "VP8L with the color indexing transform", cwebp(few, "-lossless"))
    still("lossless-fast.webp", "VP8L with few transforms", cwebp(rgb, "-lossless", "-m", "0", "-q", "0"))
    for width, height in ((1, 1), (1, 9), (17, 16)):
        still(
            f"lossy-{width}x{height}.webp",
            "an edge inside a macroblock",
            cwebp(picture(width, height, 3).astype(np.uint8)),
        )
    still("lossless-1x1.webp", "one pixel", cwebp(picture(1, 1, 3).astype(np.uint8), "-lossless"))
    profile, tags = fixtures.icc(), fixtures.exif(6)
    wide = extended(23, 17, ICC)
    still("icc.webp", "an ICC profile", riff(wide, chunk(b"ICCP", profile), pictures(lossy)), metadata={"ICC": profile})
    still(
        "exif-orientation-6.webp",
        "Exif with an orientation",
        riff(extended(23, 17, EXIF), pictures(lossy), chunk(b"EXIF", tags)),
        metadata={"Exif": tags},
        orientation=6,
    )
    still(
        "xmp.webp",
        "an XMP packet",
        riff(extended(23, 17, XMP), pictures(lossy), chunk(b"XMP ", fixtures.XMP)),
        metadata={"XMP": fixtures.XMP},
    )
    still(
        "unknown-chunk.webp",
        "a chunk that nobody knows",
        riff(extended(23, 17, 0), chunk(b"teST", b"abc"), pictures(lossy)),
    )
    make_animations()
    make_invalid(lossy, lossless)


def frame_chunk(frame, options=("-lossless", "-exact")):
    x, y, width, height = frame.rect
    flags = (frame.blend == "source") << 1 | (frame.disposal == "restoreBackground")
    head = three_bytes(x // 2) + three_bytes(y // 2) + three_bytes(width - 1) + three_bytes(height - 1)
    return chunk(b"ANMF", head + three_bytes(frame.delay[0]) + bytes([flags]) + pictures(cwebp(frame.pixels, *options)))


def animation(frames, plays, size=SIZE, background=b"\xff\xff\xff\xff"):
    return riff(
        extended(*size, ANIMATION | ALPHA),
        chunk(b"ANIM", background + struct.pack("<H", plays)),
        *(frame_chunk(frame) for frame in frames),
    )


def patch(width, height, color, alpha):
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[...] = [*color, alpha]
    return pixels


def three(disposal="keep", blend="source", alpha=255):
    return [
        Frame(picture(*SIZE, 4).astype(np.uint8), delay=(100, 1000)),
        Frame(patch(6, 5, (255, 0, 0), alpha), 2, 4, (200, 1000), disposal, blend),
        Frame(patch(5, 6, (0, 0, 255), alpha), 6, 4, (0, 1000), "keep", blend),
    ]


def make_animations():
    def moving(name, shows, frames, plays):
        animated("webp", name, animation(frames, plays), shows, SIZE, frames, plays or "infinite")

    moving("animated-source.webp", "frames replace what is there", three(alpha=90), 0)
    moving("animated-blend.webp", "translucent frames on a translucent canvas", three(blend="over", alpha=90), 0)
    moving("animated-dispose-background.webp", "a frame's rectangle is cleared", three("restoreBackground"), 0)
    moving("animated-loop-3.webp", "plays three times", three(), 3)
    moving("animated-single-frame.webp", "an animation of one frame", three()[:1], 1)


def make_invalid(lossy, lossless):
    def bad(name, shows, data, error, **more):
        fixtures.invalid("webp", name, data, shows, error, **more)

    bad("riff-only.webp", "nothing but RIFF", lossy[:4], "truncated")
    bad("truncated-header.webp", "cut behind WEBP", lossy[:12], "truncated")
    bad("truncated-vp8-header.webp", "cut inside the VP8 header", lossy[:24], "truncated")
    bad("truncated-vp8.webp", "cut inside VP8 data", lossy[: len(lossy) // 2], "truncated", rows="any")
    bad("truncated-vp8l.webp", "cut inside VP8L data", lossless[: len(lossless) // 2], "truncated", rows="any")
    bad("wrong-signature.webp", "RIFF of another kind", lossy[:8] + b"WAVE" + lossy[12:], "wrongFormat")
    bad("vp8-start-code.webp", "the start code of VP8 is wrong", lossy[:23] + b"\0\0\0" + lossy[26:], "malformed")
    bad("vp8l-signature.webp", "the signature of VP8L is wrong", lossless[:20] + b"\x2e" + lossless[21:], "malformed")
    bad("vp8-zero-width.webp", "a VP8 width of 0", lossy[:26] + b"\0\0" + lossy[28:], "malformed")
    bad("image-missing.webp", "an extended file without an image", riff(extended(23, 17, 0)), "malformed")
    bad(
        "canvas-differs.webp",
        "the canvas and the image differ",
        riff(extended(40, 30, 0), pictures(lossy)),
        "malformed",
    )
    bad(
        "huge-canvas.webp",
        "65,535 pixels in each direction",
        riff(extended(65_535, 65_535, 0), pictures(lossy)),
        "limitExceeded",
    )
    bad(
        "canvas-over-32-bits.webp",
        "more than 2^32 - 1 pixels (section 2.7)",
        riff(extended(16_384, 1 << 20, 0), pictures(lossy)),
        "malformed",
    )
    frames = three()
    frames[1].x = 14
    bad(
        "frame-outside-canvas.webp",
        "a frame stands out of the canvas; the one before it is shown",
        animation(frames, 0),
        "malformed",
        rows="some",
    )
    lone = riff(extended(*SIZE, ANIMATION), chunk(b"ANIM", bytes(6)))
    bad("animation-without-frames.webp", "an animation without a frame", lone, "malformed")
