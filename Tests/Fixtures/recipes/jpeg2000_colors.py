# SPDX-License-Identifier: Apache-2.0
"""JPEG 2000: channels, colors and metadata (ISO/IEC 15444-1 annex I, 15444-2 annex M)."""

import struct

import numpy as np

import fixtures
from fixtures import picture, rgba
from jpeg2000 import CMYK, EXIF, GRAY, SRGB, SYCC, XMP, box, channels, color, compress, decompress, jp2, split, still
from jpeg2000 import with_depths
from jpeg2000_streams import SIZE

SRGB_CODES = [1, 13, 0, 1]
OPACITY = {1: channels((0, 0, 1), (1, 1, 0)), 3: channels((0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 1, 0))}


def make():
    rgb = picture(*SIZE, 3)
    make_depths()
    make_alpha()
    make_palettes()
    make_spaces(rgb)
    make_metadata(rgb)


def make_depths():
    for bits in (1, 4, 8, 12, 16):
        samples = picture(*SIZE, 1, (1 << bits) - 1)
        data = jp2(compress(split(samples), bits=bits), color(GRAY))
        wide = bits > 8
        still(
            f"gray{bits}.jp2",
            data,
            f"{bits} bits",
            rgba(samples, (1 << bits) - 1, 16 if wide else 8),
            "gray16" if wide else "gray8",
            bits,
            cicp=SRGB_CODES,
        )
    for bits in (5, 8, 10, 16):
        samples = picture(*SIZE, 3, (1 << bits) - 1)
        data = jp2(compress(split(samples), "-mct", "1", bits=bits), color(SRGB))
        wide = bits > 8
        still(
            f"rgb{bits}.jp2",
            data,
            f"{bits} bits in three channels",
            rgba(samples, (1 << bits) - 1, 16 if wide else 8),
            "rgb16" if wide else "rgb8",
            bits,
            cicp=SRGB_CODES,
        )
    signed = picture(*SIZE, 1)
    data = jp2(compress(split(signed - 128), signed=True), color(GRAY))
    still("gray8-signed.jp2", data, "samples from -128 to 127", rgba(signed), "gray8")
    depths = (8, 5, 3)
    planes = [picture(*SIZE, 3, (1 << bits) - 1)[..., index] for index, bits in enumerate(depths)]
    boxes = box(b"bpcc", bytes(bits - 1 for bits in depths)), color(SRGB)
    scaled = np.concatenate([rgba(p[..., None], (1 << b) - 1)[..., :1] for p, b in zip(planes, depths)], axis=-1)
    still("depths.jp2", jp2(with_depths(planes, depths), *boxes), "8, 5 and 3 bits", rgba(scaled), "rgb8")


def make_alpha():
    for bits in (8, 16):
        largest = (1 << bits) - 1
        for count, name, space in ((2, "gray-alpha", GRAY), (4, "rgba", SRGB)):
            samples = picture(*SIZE, count, largest)
            data = jp2(compress(split(samples), bits=bits), color(space), OPACITY[count - 1])
            still(
                f"{name}{bits}.jp2",
                data,
                f"opacity, {bits} bits",
                rgba(samples, largest, bits),
                f"{name}{bits}",
                bits,
                "straight",
            )
    rgb_alpha = picture(*SIZE, 4)
    still(
        "rgba8-undefined.j2k", compress(split(rgb_alpha)), "a fourth component", rgba(rgb_alpha), "rgba8", 8, "straight"
    )
    opaque = np.maximum(rgb_alpha[..., 3:], 1)
    multiplied = np.concatenate([rgb_alpha[..., :3] * opaque // 255, opaque], axis=-1)
    definitions = channels((0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 2, 0))
    straight = np.concatenate(
        [np.minimum((multiplied[..., :3] * 255 * 2 + opaque) // (opaque * 2), 255), opaque], axis=-1
    )
    data = jp2(compress(split(multiplied)), color(SRGB), definitions)
    still(
        "rgba8-premultiplied.jp2", data, "colors multiplied by opacity", rgba(straight), "rgba8", 8, "premultiplied"
    )
    order = channels((3, 0, 1), (1, 0, 3), (2, 0, 2), (0, 1, 0))
    planes = split(rgb_alpha)
    data = jp2(compress([planes[3], planes[2], planes[1], planes[0]]), color(SRGB), order)
    still("channel-order.jp2", data, "opacity first, then blue, green, red", rgba(rgb_alpha), "rgba8", 8, "straight")


def make_palettes():
    indexes = picture(*SIZE, 1, 15)
    entries = picture(4, 4, 4).reshape(16, 4)
    for columns in (3, 4):
        table = box(b"pclr", struct.pack(">HB", 16, columns), b"\7" * columns, entries[:, :columns].astype("u1"))
        mapping = box(b"cmap", *(struct.pack(">HBB", 0, 1, index) for index in range(columns)))
        defined = [OPACITY[3]] if columns == 4 else []
        data = jp2(compress(split(indexes), bits=4), color(SRGB), table, mapping, *defined)
        still(
            f"palette{columns}.jp2",
            data,
            f"16 colors of {columns} channels",
            rgba(entries[indexes[..., 0], :columns]),
            "rgb8" if columns == 3 else "rgba8",
            8,
            "opaque" if columns == 3 else "straight",
        )
    deep = picture(4, 4, 3, 4095).reshape(16, 3)
    table = box(b"pclr", struct.pack(">HB", 16, 3), b"\x0b" * 3, deep.astype(">u2"))
    mapping = box(b"cmap", *(struct.pack(">HBB", 0, 1, index) for index in range(3)))
    data = jp2(compress(split(indexes), bits=4), color(SRGB), table, mapping)
    still("palette-12bit.jp2", data, "colors of 12 bits", rgba(deep[indexes[..., 0]], 4095, 16), "rgb16", 12)


def make_spaces(rgb):
    planes = split(rgb)
    # opj_compress reads subsampled planes right only where the sides are even.
    even = [plane[:16, :22] for plane in planes]
    for name, step, number in (("420", (2, 2), 420), ("422", (2, 1), 422), ("444", (1, 1), 444)):
        steps = [(1, 1), step, step]
        stored = compress(even, steps=steps)
        spread = [plane[::dy, ::dx].repeat(dy, 0).repeat(dx, 1) for plane, (dx, dy) in zip(even, steps)]
        still(
            f"sycc-{name}.jp2",
            jp2(stored, color(SYCC)),
            f"luma and color differences, 4:{number % 100 // 10}:{number % 10}",
            rgba(from_ycc(spread)),
            "rgb8",
            subsampling=number,
            cicp=SRGB_CODES,
        )
    inks = picture(*SIZE, 4)
    light = (255 - inks[..., :3]) * (255 - inks[..., 3:])
    still("cmyk.jp2", jp2(compress(split(inks)), color(CMYK)), "four inks", rgba((light + 127) // 255), "rgb8")
    white = picture(*SIZE, 1, 1)
    still("bilevel.jp2", jp2(compress(split(white), bits=1), color(0)), "1 is black", rgba(1 - white, 1), "gray8", 1)
    six = planes + planes[::-1]
    still("six-components.jp2", jp2(compress(six), color(SRGB)), "three components too many", rgba(rgb), "rgb8")
    unknown = jp2(compress(planes), box(b"colr", b"\1\0\0\0\0\1\0"))
    still("color-unknown.jp2", unknown, "a color space that nobody knows", rgba(rgb), "rgb8")
    second = jp2(compress(planes), box(b"colr", b"\4\0\0abcd"), color(SRGB))
    still("color-second.jp2", second, "a second color specification", rgba(rgb), "rgb8", cicp=SRGB_CODES)


def from_ycc(planes):
    """ITU-T T.871, section 7, in 16.16 fixed point."""
    y, cb, cr = planes[0] * 65536 + 32768, planes[1] - 128, planes[2] - 128
    channels = [y + 91881 * cr, y - 22554 * cb - 46802 * cr, y + 116130 * cb]
    return np.clip(np.stack(channels, axis=-1) >> 16, 0, 255)


def make_metadata(rgb):
    codestream = compress(split(rgb))
    pixels = rgba(rgb)

    def plain(name, shows, data, **more):
        still(name, data, shows, pixels, "rgb8", **more)

    profile, tags = fixtures.icc(), fixtures.exif(6)
    for method in (2, 3):
        specified = box(b"colr", bytes([method, 0, 0]), profile)
        data = jp2(codestream, specified)
        plain(f"icc-{method}.jp2", f"an ICC profile, method {method}", data, metadata={"ICC": profile})
    exif = box(b"uuid", EXIF, tags)
    plain(
        "exif-orientation-6.jp2",
        "Exif with an orientation",
        jp2(codestream, color(SRGB), before=exif),
        metadata={"Exif": tags},
        orientation=6,
    )
    prefixed = box(b"uuid", EXIF, b"Exif\0\0", tags)
    plain(
        "exif-behind.jp2",
        "Exif behind the codestream, with JPEG's prefix",
        jp2(codestream, color(SRGB), behind=prefixed),
        metadata={"Exif": tags},
        orientation=6,
    )
    packet = box(b"uuid", XMP, fixtures.XMP)
    plain("xmp.jp2", "XMP", jp2(codestream, color(SRGB), before=packet), metadata={"XMP": fixtures.XMP})
    plain("long-length.jp2", "a length of 64 bits", jp2(codestream, color(SRGB), long=True))
    plain("to-the-end.jp2", "a box up to the file's end", jp2(codestream, color(SRGB), to_the_end=True))
    plain("unknown-box.jp2", "a box that nobody knows", jp2(codestream, color(SRGB), before=box(b"teST", b"abc")))
    metre = struct.pack(">HHHHBB", 11811, 1, 11811, 1, 0, 0)
    plain("resolution.jp2", "300 dpi", jp2(codestream, color(SRGB), box(b"res ", box(b"resd", metre))))
    plain("two-codestreams.jp2", "a second codestream", jp2(codestream, color(SRGB), behind=box(b"jp2c", codestream)))
    lossy = compress(split(rgb), "-I", "-r", "3", "-mct", "1")
    still("irreversible.jp2", jp2(lossy, color(SRGB)), "9-7", decompress(lossy), "rgb8", lossless=False)
