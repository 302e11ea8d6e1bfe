# SPDX-License-Identifier: Apache-2.0
"""JPEG XL stills, made by libjxl's encoder and put together box by box (ISO/IEC 18181-2)."""

import struct

import numpy as np

import fixtures
import isobmff
import jxl_library as library
from fixtures import in_folder, picture, run, valid
from jxl_library import Layer, encode

FORMAT = "jxl"

SIGNATURE = struct.pack(">I", 12) + b"JXL \r\n\x87\n"
FTYP = struct.pack(">I", 20) + b"ftypjxl \0\0\0\0jxl "
SIZE = (23, 17)


def box(kind, content):
    return struct.pack(">I", 8 + len(content)) + kind + content


def container(*boxes):
    return SIGNATURE + FTYP + b"".join(boxes)


def part(number, content, is_last):
    return box(b"jxlp", struct.pack(">I", number | is_last << 31) + content)


def djxl(data):
    """What libjxl's own tool makes of it, as RGBA of 8 bits and upright: samples of floating point, rounded here."""

    def body(folder):
        (folder / "in.jxl").write_bytes(data)
        run("djxl", "--quiet", str(folder / "in.jxl"), str(folder / "out.npy"))
        return np.load(folder / "out.npy")

    return np.stack([np.rint(np.clip(rgba(f), 0, 1) * np.float32(255)).astype(np.uint8) for f in in_folder(body)])


def rgba(samples, opaque=1):
    """Samples of 1 to 4 channels as four, with an alpha of `opaque` where there is none."""
    channels = samples.shape[2]
    color = np.repeat(samples[..., :1], 3, axis=2) if channels < 3 else samples[..., :3]
    alpha = samples[..., -1:] if channels in (2, 4) else np.full_like(samples[..., :1], opaque)
    return np.ascontiguousarray(np.concatenate([color, alpha], axis=2))


def cjxl(pixels, *options, suffix=".png"):
    from PIL import Image

    def body(folder):
        # cjxl says what it assumes about colors.
        Image.fromarray(pixels.squeeze()).save(folder / f"in{suffix}")
        run("cjxl", "--quiet", str(folder / f"in{suffix}"), str(folder / "out.jxl"), *options)
        return (folder / "out.jxl").read_bytes()

    return in_folder(body)


def still(name, shows, data, pixels, pixel_format, bits=8, alpha="opaque", **more):
    valid("jxl", name, data, shows, pixels, pixel_format, bits, alpha, **more)


def make():
    make_depths()
    make_lossy()
    make_colors()
    make_containers()
    make_metadata()
    make_gain_maps()
    make_orientations()


def make_depths():
    formats = {1: "gray", 2: "gray-alpha", 3: "rgb", 4: "rgba"}
    names = {1: "gray", 2: "gray-alpha", 3: "rgb", 4: "rgba"}
    for channels, bits in (
        (1, 8),
        (2, 8),
        (3, 8),
        (4, 8),
        (1, 16),
        (2, 16),
        (3, 16),
        (4, 16),
        (1, 1),
        (3, 5),
        (3, 10),
        (1, 12),
    ):
        to = 8 if bits <= 8 else 16
        samples = picture(*SIZE, channels if channels != 2 else 4, (1 << bits) - 1)
        samples = samples[..., [0, 3]] if channels == 2 else samples
        # libjxl scales in 32-bit floating point.
        wide = samples.astype(np.float32) * np.float32(1 / ((1 << bits) - 1)) * np.float32((1 << to) - 1)
        given = np.rint(wide).astype(np.uint8 if to == 8 else np.uint16)
        layout = formats[channels] + str(to)
        still(
            f"lossless-{names[channels]}{bits}.jxl",
            f"{bits} bits of {names[channels]}, every sample kept",
            encode([Layer(given)], bits=bits),
            rgba(given, (1 << to) - 1),
            layout,
            bits,
            "straight" if channels in (2, 4) else "opaque",
            isLossless=True,
        )
    for name, kind, exponent in (("float16", np.float16, 5), ("float32", np.float32, 8)):
        given = (picture(*SIZE, 4) / 255).astype(kind)
        shown = np.rint(given.astype(np.float32) * np.float32(65535)).astype(np.uint16)
        still(
            f"lossless-{name}.jxl",
            f"samples as {name}, level 10",
            encode([Layer(given)], exponent=exponent),
            shown,
            f"rgba-{name}",
            given.dtype.itemsize * 8,
            "straight",
            isLossless=True,
        )
    for width, height in ((1, 1), (1, 9), (300, 2)):
        given = picture(width, height, 3).astype(np.uint8)
        still(f"lossless-{width}x{height}.jxl", "a small side", encode([Layer(given)]), rgba(given, 255), "rgb8")


def make_lossy():
    for name, shows, channels, options in (
        ("lossy-rgb", "VarDCT and XYB", 3, ()),
        ("lossy-rgba", "VarDCT with an alpha channel", 4, ()),
        ("lossy-gray", "VarDCT of gray", 1, ()),
        ("lossy-low", "a large distance", 3, ("-d", "9")),
        ("lossy-modular", "modular, lossy", 3, ("-m", "1", "-d", "2")),
        ("lossy-progressive", "passes from coarse to fine", 3, ("-p",)),
        ("lossy-progressive-dc", "a frame of low resolution first", 3, ("--progressive_dc=1", "-p")),
        ("lossy-noise", "noise that the decoder makes", 3, ("--photon_noise=ISO3200",)),
        ("lossy-edges", "edge-preserving filter and patches", 3, ("--epf=3", "--patches=1", "--dots=1")),
    ):
        pixels = picture(*SIZE, channels).astype(np.uint8)
        data = cjxl(pixels, *options)
        layout = {1: "gray8", 3: "rgb8", 4: "rgba8"}[channels]
        still(
            f"{name}.jxl",
            shows,
            data,
            djxl(data)[0],
            layout,
            8,
            "straight" if channels == 4 else "opaque",
            isLossless=False,
        )
    data = encode([Layer(picture(*SIZE, 3).astype(np.uint8))], lossless=False, options=[(library.RESAMPLING, 2)])
    still(
        "lossy-half.jxl", "half the resolution, enlarged by the decoder", data, djxl(data)[0], "rgb8", isLossless=False
    )
    data = cjxl(picture(*SIZE, 3).astype(np.uint8), suffix=".jpg")
    still("jpeg-reconstruction.jxl", "a JPEG that can be made again", data, djxl_pixels(data), "rgb8", isLossless=False)


def djxl_pixels(data):
    """Pixels and not the JPEG, which djxl would rather make."""
    return djxl(data)[0]


def make_colors():
    pixels = picture(*SIZE, 3).astype(np.uint8)
    for name, shows, cicp, values in (
        ("p3", "Display P3", [12, 13, 0, 1], (library.P3_PRIMARIES, library.SRGB)),
        ("rec2100-pq", "BT.2100 with PQ", [9, 16, 0, 1], (library.REC2100, library.PQ)),
        ("rec2100-hlg", "BT.2100 with HLG", [9, 18, 0, 1], (library.REC2100, library.HLG)),
        ("linear", "linear light", [1, 8, 0, 1], (library.SRGB_PRIMARIES, library.LINEAR)),
    ):
        encoding = library.ColorEncoding(white_point=library.D65, primaries=values[0], transfer=values[1])
        data = encode([Layer(pixels)], color=encoding)
        still(f"color-{name}.jxl", shows, data, rgba(pixels, 255), "rgb8", cicp=cicp)
        if name == "rec2100-pq":
            data = encode([Layer(pixels)], color=encoding, intensity_target=1000.0, min_nits=0.01)
            still("light.jxl", "PQ of at most 1000 nit", data, rgba(pixels, 255), "rgb8", cicp=cicp)
        # A part of which no PQ sample is near to where it is rounded to the next: libjxl's PQ differs by processor.
        lossy = np.ascontiguousarray(pixels[3:11, 3:15]) if name == "rec2100-pq" else pixels
        data = encode([Layer(lossy)], color=encoding, lossless=False)
        still(f"color-{name}-lossy.jxl", f"{shows}, stored as XYB", data, djxl(data)[0], "rgb8", cicp=cicp)
    profile = odd_profile()
    still(
        "icc.jxl",
        "an ICC profile that no numbers describe",
        encode([Layer(pixels)], icc=profile),
        rgba(pixels, 255),
        "rgb8",
        metadata={"ICC": profile},
    )
    data = encode([Layer(pixels)], icc=odd_profile(), lossless=False)
    # djxl's answer is linear, which 8 bits do not hold; what is delivered is sRGB, and says so.
    valid(
        "jxl",
        "icc-lossy.jxl",
        data,
        "an ICC profile that XYB cannot be converted to: sRGB",
        as_srgb(data),
        "rgb8",
        cicp=[1, 13, 0, 1],
    )


def as_srgb(data):
    def body(folder):
        (folder / "in.jxl").write_bytes(data)
        run("djxl", "--quiet", "--color_space=RGB_D65_SRG_Rel_SRG", str(folder / "in.jxl"), str(folder / "out.npy"))
        return np.load(folder / "out.npy")[0]

    return np.rint(np.clip(rgba(in_folder(body)), 0, 1) * np.float32(255)).astype(np.uint8)


def odd_profile():
    """A display with primaries and a gamma of its own (ICC.1:2010, sections 7 and 9)."""

    def fixed(value):
        return struct.pack(">i", round(value * 65536))

    def xyz(*values):
        return b"XYZ \0\0\0\0" + b"".join(fixed(value) for value in values)

    curve = b"curv\0\0\0\0\0\0\0\1" + struct.pack(">H", round(1.9 * 256)) + b"\0\0"
    text = b"text\0\0\0\0CC0\0"
    words = b"desc\0\0\0\0" + struct.pack(">I", 4) + b"odd\0" + bytes(79)
    tags = {
        b"desc": words + bytes(-len(words) % 4),
        b"cprt": text,
        b"wtpt": xyz(0.9642, 1, 0.8249),
        b"rXYZ": xyz(0.5151, 0.2512, 0.0011),
        b"gXYZ": xyz(0.2919, 0.6522, 0.0419),
        b"bXYZ": xyz(0.1572, 0.0966, 0.7819),
        b"rTRC": curve,
        b"gTRC": curve,
        b"bTRC": curve,
    }
    offset, table, body = 128 + 4 + 12 * len(tags), b"", b""
    for name, content in tags.items():
        table += name + struct.pack(">II", offset + len(body), len(content))
        body += content
    header = bytearray(128)
    struct.pack_into(">I4sI4s4s4s", header, 0, offset + len(body), bytes(4), 0x02400000, b"mntr", b"RGB ", b"XYZ ")
    header[36:40] = b"acsp"
    header[68:80] = bytes.fromhex("0000f6d6000100000000d32d")
    return bytes(header) + struct.pack(">I", len(tags)) + table + body


def make_containers():
    pixels = picture(*SIZE, 3).astype(np.uint8)
    stream = encode([Layer(pixels)])
    shown = rgba(pixels, 255)
    half = len(stream) // 2
    for name, shows, data in (
        ("codestream", "no container", stream),
        ("jxlc", "the codestream in one box", container(box(b"jxlc", stream))),
        (
            "jxlp",
            "the codestream in parts",
            container(part(0, stream[:20], 0), part(1, stream[20:half], 0), part(2, stream[half:], 1)),
        ),
        ("to-the-end", "a box of size 0 reaches to the end", container(struct.pack(">I", 0) + b"jxlc" + stream)),
        (
            "large-size",
            "a box with a size of 64 bits",
            container(struct.pack(">I4sQ", 1, b"jxlc", 16 + len(stream)) + stream),
        ),
        (
            "unknown-box",
            "boxes that nobody knows",
            container(box(b"abcd", b"1234567"), box(b"jxlc", stream), box(b"efgh", b"")),
        ),
        ("level-10", "a level box", container(box(b"jxll", b"\n"), box(b"jxlc", stream))),
    ):
        still(f"container-{name}.jxl", shows, data, shown, "rgb8")


def make_metadata():
    pixels = picture(*SIZE, 3).astype(np.uint8)
    stream, shown, tags, packet = encode([Layer(pixels)]), rgba(pixels, 255), fixtures.exif(6), fixtures.XMP
    image = box(b"jxlc", stream)
    for name, shows, data, metadata in (
        (
            "exif",
            "Exif, whose orientation does not count",
            container(box(b"Exif", bytes(4) + tags), image),
            {"Exif": tags},
        ),
        (
            "exif-offset",
            "Exif behind three bytes",
            container(box(b"Exif", b"\0\0\0\3abc" + tags), image),
            {"Exif": tags},
        ),
        (
            "exif-offset-outside",
            "an offset behind the box: no Exif",
            container(box(b"Exif", b"\0\0\xff\0" + tags), image),
            None,
        ),
        ("exif-behind", "Exif behind the picture", container(image, box(b"Exif", bytes(4) + tags)), {"Exif": tags}),
        ("xmp", "XMP", container(box(b"xml ", packet), image), {"XMP": packet}),
        (
            "compressed",
            "Exif and XMP, compressed",
            encode([Layer(pixels)], boxes=[(b"Exif", bytes(4) + tags, 1), (b"xml ", packet, 1)]),
            {"Exif": tags, "XMP": packet},
        ),
    ):
        still(f"metadata-{name}.jxl", shows, data, shown, "rgb8", metadata=metadata)


def make_gain_maps():
    """A gain map beside the picture; Tests/PluginTests/AuxiliaryItemTests says what it has to be listed as."""
    pixels = picture(*SIZE, 3).astype(np.uint8)
    stream, shown = encode([Layer(pixels)]), rgba(pixels, 255)
    image, small = box(b"jxlc", stream), encode([Layer(picture(6, 4, 1).astype(np.uint8))])
    metadata = isobmff.gain_map()[1:]
    # Numbers and their bits, the lowest first: not the default, no profile; RGB, D65, BT.2100, no gamma, PQ, relative.
    fields = [(0, 1), (0, 1), (0, 2), (1, 2), (2, 2), (7, 4), (0, 1), (2, 2), (14, 4), (1, 2)]
    text = "".join(format(value, f"0{count}b")[::-1] for value, count in fields).ljust(24, "0")
    colors = bytes(int(text[place : place + 8][::-1], 2) for place in (0, 8, 16))
    head = struct.pack(">BH", 0, len(metadata)) + metadata
    latest = head + bytes([len(colors)]) + colors + bytes(4) + small
    early = head + struct.pack(">I", len(colors)) + colors + bytes(4) + struct.pack(">I", len(small)) + small
    later = struct.pack(">BH", 0, len(metadata)) + b"\0\1" + metadata[2:] + latest[len(head) :]
    for name, shows, data in (
        ("gain-map", "a gain map", container(image, box(b"jhgm", latest))),
        ("gain-map-early", "a gain map as libjxl wrote it before 0.11 was done", container(box(b"jhgm", early), image)),
        ("gain-map-compressed", "a gain map, compressed", encode([Layer(pixels)], boxes=[(b"jhgm", latest, 1)])),
        ("gain-map-version", "a gain map for readers of later versions", container(image, box(b"jhgm", later))),
        ("gain-map-cut", "a gain map that ends too early", container(image, box(b"jhgm", latest[:70]))),
    ):
        still(f"{name}.jxl", shows, data, shown, "rgb8")


def make_orientations():
    pixels = picture(*SIZE, 3).astype(np.uint8)
    for orientation in range(2, 9):
        still(
            f"orientation-{orientation}.jxl",
            "the codestream's orientation",
            encode([Layer(pixels)], orientation=orientation),
            rgba(pixels, 255),
            "rgb8",
            orientation=orientation,
        )
