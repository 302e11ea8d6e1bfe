# SPDX-License-Identifier: Apache-2.0
"""AVIF, made by avifenc and put together item by item; answers are avifdec's, or the samples that went in."""

import struct

import imagecodecs
import numpy as np

import fixtures
import isobmff
from fixtures import Frame, animated, fnv, in_folder, picture, run, valid
from isobmff import Item, box, full

FORMAT = "avif"

SIZE = (16, 12)


def avifenc(pixels, *options):
    """One picture, or several as a sequence; samples of 16 bits for deeper files."""

    def body(folder):
        names = []
        for index, each in enumerate(pixels if isinstance(pixels, list) else [pixels]):
            names.append(str(folder / f"{index}.png"))
            samples = each[..., 0] if each.shape[-1] == 1 else each
            (folder / f"{index}.png").write_bytes(imagecodecs.png_encode(samples))
        # aom 3.6 loses changes of color between 4:4:4 frames at higher speeds.
        run("avifenc", "-s", "6" if len(names) > 1 else "8", *options, "-o", str(folder / "out.avif"), *names)
        return isobmff.without_times((folder / "out.avif").read_bytes())

    return in_folder(body)


def avifdec(data):
    """What libavif's own tool makes of it: RGBA of 8 or 16 bits, neither turned nor cropped."""

    def body(folder):
        (folder / "in.avif").write_bytes(data)
        run("avifdec", "--no-strict", "--ignore-icc", str(folder / "in.avif"), str(folder / "out.png"))
        return imagecodecs.png_decode((folder / "out.png").read_bytes())

    samples = in_folder(body)
    samples = samples[..., None] if samples.ndim == 2 else samples
    deep = samples.dtype.itemsize == 2
    return fixtures.rgba(samples, 65535 if deep else 255, 16 if deep else 8)


def planes(data):
    """The planes as they are stored, of a picture of 8 bits without chroma."""

    def body(folder):
        (folder / "in.avif").write_bytes(data)
        run("avifdec", str(folder / "in.avif"), str(folder / "out.y4m"))
        head, rest = (folder / "out.y4m").read_bytes().split(b"\nFRAME\n", 1)
        width, height = (int(next(f for f in head.split() if f[:1] == key)[1:]) for key in (b"W", b"H"))
        return [np.frombuffer(rest, np.uint8, width * height).reshape(height, width)]

    return in_folder(body)


def shifted(width, height, channels, phase):
    return np.roll(picture(width, height, channels), phase * 5, axis=1).astype(np.uint8)


def still(name, shows, data, pixel_format="rgb8", bits=8, alpha="opaque", pixels=None, **more):
    valid("avif", name, data, shows, avifdec(data) if pixels is None else pixels, pixel_format, bits, alpha, **more)


def make_layouts():
    rgb, rgba = picture(23, 17, 3).astype(np.uint8), picture(23, 17, 4).astype(np.uint8)
    gray = picture(23, 17, 1).astype(np.uint8)
    for chroma in (444, 422, 420):
        for depth in (8, 10, 12):
            still(
                f"{depth}bit-{chroma}.avif",
                f"4:{chroma // 10 % 10}:{chroma % 10} of {depth} bits",
                avifenc(rgb, "-y", str(chroma), "-d", str(depth), "--min", "20", "--max", "30"),
                "rgb8" if depth == 8 else "rgba16",
                depth,
                subsampling=chroma,
                isLossless=False,
            )
    still("limited-range.avif", "limited range", avifenc(rgb, "-y", "420", "-r", "l"), cicp=[1, 13, 6, 0])
    still("matrix-bt709.avif", "another matrix", avifenc(rgb, "-y", "444", "--cicp", "1/1/1"), cicp=[1, 1, 1, 1])
    still(
        "matrix-bt2020-pq.avif",
        "PQ of 10 bits",
        avifenc(rgb, "-y", "420", "-d", "10", "--cicp", "9/16/9"),
        "rgba16",
        10,
        cicp=[9, 16, 9, 1],
    )
    still("matrix-ycgco.avif", "YCgCo", avifenc(rgb, "-y", "444", "--cicp", "1/13/8"), cicp=[1, 13, 8, 1])
    still("alpha-420.avif", "alpha", avifenc(rgba, "-y", "420"), "rgba8", 8, "straight")
    still("alpha-12bit.avif", "alpha of 12 bits", avifenc(rgba, "-y", "444", "-d", "12"), "rgba16", 12, "straight")
    for width, height in ((1, 1), (1, 9), (17, 1), (65, 3)):
        still(f"{width}x{height}.avif", "odd sides", avifenc(picture(width, height, 3).astype(np.uint8), "-y", "420"))
    lossless = ("-l", "-s", "6")
    still("lossless.avif", "no loss", avifenc(rgb, *lossless), pixels=fixtures.rgba(rgb), isLossless=True)
    data = avifenc(rgba, *lossless)
    still("lossless-alpha.avif", "no loss", data, "rgba8", 8, "straight", fixtures.rgba(rgba), isLossless=True)
    for depth in (10, 12):
        samples = picture(23, 17, 3, (1 << depth) - 1)
        deep = fixtures.rgba(samples, (1 << depth) - 1, 16)
        data = avifenc(deep[..., :3].copy(), *lossless, "-d", str(depth))
        still(f"lossless-{depth}bit.avif", "no loss", data, "rgba16", depth, pixels=deep, isLossless=True)
    data = avifenc(np.repeat(gray, 3, axis=-1), "-y", "400", "--min", "0", "--max", "0")
    still("gray.avif", "no chroma", data, "gray8", pixels=fixtures.rgba(gray), subsampling=400, isLossless=True)
    data = avifenc(rgba, "-y", "400")
    still("gray-alpha.avif", "no chroma, alpha", data, "gray-alpha8", 8, "straight")
    data = avifenc(rgb, "-y", "400", "-r", "limited", "--min", "0", "--max", "0")
    # avifdec's conversion of limited gray is off by one here and there; ITU-T H.273, equation 20, is exact.
    luma = np.clip(planes(data)[0].astype(np.int64) - 16, 0, 219)
    answer = fixtures.rgba(luma[..., None], 219)
    still("gray-limited-range.avif", "no chroma, limited range", data, "gray8", pixels=answer, isLossless=False)


def coded_planes(planes, bits, cicp):
    """A file of planes in 4:4:4, without loss."""

    def body(folder):
        height, width = planes[0].shape
        deep = "" if bits == 8 else f"p{bits}"
        head = f"YUV4MPEG2 W{width} H{height} F25:1 Ip C444{deep} XCOLORRANGE=FULL\nFRAME\n".encode()
        video = head + b"".join(plane.astype("<u1" if bits == 8 else "<u2").tobytes() for plane in planes)
        run("avifenc", "--stdin", "--cicp", cicp, "-r", "full", "--min", "0", "--max", "0", "-s", "6", "-o",
            str(folder / "out.avif"), data=video)
        return isobmff.without_times((folder / "out.avif").read_bytes())

    return in_folder(body)


def constant_luminance(planes, bits, top):
    """ITU-T H.273, equations 47 to 53, with the curve of BT.2020; chroma in 32 bits as the planes are, light in 64."""
    encoded = lambda light: np.where(
        light < 0.018053968510807, 4.5 * light, 1.09929682680944 * np.maximum(light, 1e-9) ** 0.45 - 0.09929682680944)
    light = lambda code: np.where(
        code < 4.5 * 0.018053968510807, code / 4.5,
        (np.maximum(code, 1e-9) + 0.09929682680944) / 1.09929682680944) ** np.where(
            code < 4.5 * 0.018053968510807, 1, 1 / 0.45)
    kr, kb = np.float64(np.float32(0.2627)), np.float64(np.float32(0.0593))
    largest = (1 << bits) - 1
    y = planes[0] / largest
    cb, cr = [((p.astype(np.float32) - np.float32(1 << bits - 1)) / np.float32(largest)).astype(np.float64)
              for p in planes[1:]]
    def color(chroma, weight):
        below, above = 2 * encoded(np.float64(1 - weight)), 2 * (1 - encoded(np.float64(weight)))
        return np.clip(y + chroma * np.where(chroma > 0, above, below), 0, 1)
    blue, red = color(cb, 0.0593), color(cr, 0.2627)
    green = encoded(np.clip((light(y) - kr * light(red) - kb * light(blue)) / (1 - kr - kb), 0, 1))
    return (np.stack([red, green, blue, np.ones_like(red)], axis=-1) * top + 0.5).astype("<u2" if top > 255 else np.uint8)


def make_matrices():
    """Matrices that libavif 0.11 does not convert by: the planes are ours, and so are the answers."""
    for bits in (8, 10, 12):
        largest = (1 << bits) - 1
        samples = picture(24, 16, 3, largest)
        # Chroma in the middle of its range, so that most colors are ones of light.
        planes = [samples[..., 0], largest // 4 + samples[..., 1] // 2, largest // 4 + samples[..., 2] // 2]
        still(f"matrix-constant-luminance-{bits}.avif", "BT.2020 of constant luminance", coded_planes(planes, bits, "9/14/10"),
              "rgb8" if bits == 8 else "rgba16", bits, cicp=[9, 14, 10, 1],
              pixels=constant_luminance(planes, bits, 255 if bits == 8 else 65535))  # fmt: skip
    for bits, code, extra in ((10, 16, 2), (12, 16, 2), (10, 17, 1)):
        # Equations 58 to 65: the colors have so many bits less than the planes.
        colors = picture(24, 16, 3, (1 << bits - extra) - 1)
        red, green, blue = [colors[..., index] for index in range(3)]
        co = red - blue
        t = blue + (co >> 1)
        cg = green - t
        planes = [t + (cg >> 1), cg + (1 << bits - 1), co + (1 << bits - 1)]
        top = (1 << bits - extra) - 1
        answer = (colors.astype(np.float32) * (np.float32(1) / np.float32(top)) * np.float32(65535) + np.float32(0.5))
        answer = np.concatenate([answer.astype("<u2"), np.full((16, 24, 1), 65535, "<u2")], axis=-1)
        still(f"matrix-ycgco-{'re' if extra == 2 else 'ro'}-{bits}.avif", "YCgCo in integers",
              coded_planes(planes, bits, f"1/13/{code}"), "rgba16", bits, cicp=[1, 13, code, 1], pixels=answer)  # fmt: skip


def make_light():
    """How bright light is; Tests/PluginTests/StatedLightTests says what it has to be."""
    pieces, found = items(avifenc(picture(24, 16, 3).astype(np.uint8), "-y", "444", "--cicp", "9/16/6"))
    usual = picked(found, b"ispe", b"pixi", b"av1C", b"colr")
    points = struct.pack(">8H", *[15000] * 8)
    display = (box(b"mdcv", points, struct.pack(">II", 10_000_000, 50)), False)
    levels = (box(b"clli", struct.pack(">HH", 900, 200)), False)
    payload = pieces[1]
    plain = avifdec(isobmff.file(1, [Item(1, b"av01", payload, usual)]))
    def put(name, shows, properties=(), data=payload):
        still(name, shows, isobmff.file(1, [Item(1, b"av01", data, usual + list(properties))]), pixels=plain)
    put("light-boxes.avif", "light levels and a display", [display, levels])
    put("light-display.avif", "a display alone", [display])
    volume = (box(b"cclv", bytes([0x38]), bytes(24), struct.pack(">II", 0, 4_000_000_000)), False)
    put("light-volume.avif", "a volume of colors", [volume])
    put("light-nothing.avif", "light levels of 0", [(box(b"clli", bytes(4)), False)])
    # AV1 §5.8.3 and §5.8.4, behind the sequence header.
    head = 2 if payload[0] >> 3 & 15 == 2 else 0  # a temporal delimiter
    assert payload[head] >> 3 & 15 == 1
    head += 2 + payload[head + 1]
    unit = lambda content: bytes([5 << 3 | 2, len(content) + 1]) + content + b"\x80"
    more = unit(b"\1" + struct.pack(">HH", 700, 100)) + unit(b"\2" + points + struct.pack(">II", 2000 << 8, 1 << 13))
    put("light-units.avif", "light levels and a display in the bitstream", data=payload[:head] + more + payload[head:])


def make_presentations():
    rgb = picture(22, 18, 3).astype(np.uint8)
    turns = {1: (), 2: (0, 1), 3: (2,), 4: (0, 0), 5: (1, 0), 6: (3,), 7: (1, 1), 8: (1,)}
    for orientation, (angle, *mode) in [(o, t) for o, t in turns.items() if t]:
        options = (["--irot", str(angle)] if angle else []) + (["--imir", str(mode[0])] if mode else [])
        still(
            f"orientation-{orientation}.avif",
            f"irot and imir that come to orientation {orientation}",
            avifenc(rgb, "-y", "444", *options),
            orientation=orientation,
        )
    for orientation, (angle, mode) in {4: (2, 1), 5: (3, 1), 7: (3, 0)}.items():
        still(
            f"orientation-{orientation}-other.avif",
            "the same by another pair",
            avifenc(rgb, "-y", "444", "--irot", str(angle), "--imir", str(mode)),
            orientation=orientation,
        )
    for name, (x, y, width, height) in {"crop": (4, 6, 10, 8), "crop-rows": (0, 4, 22, 8)}.items():
        data = avifenc(rgb, "-y", "420", "--crop", f"{x},{y},{width},{height}", "--irot", "1")
        cropped = np.ascontiguousarray(avifdec(data)[y : y + height, x : x + width])
        still(f"{name}.avif", "a clean aperture, and turned", data, pixels=cropped, orientation=8)
    still(
        "pixel-aspect-ratio.avif", "pixels that are not square", avifenc(rgb, "-y", "420", "--pasp", "2,1")
    )


def make_metadata():
    rgb = picture(23, 17, 3).astype(np.uint8)
    payloads = {"ICC": fixtures.icc(), "Exif": fixtures.exif(6), "XMP": fixtures.XMP}

    def body(folder):
        (folder / "0.png").write_bytes(imagecodecs.png_encode(rgb))
        options = []
        for kind, payload in payloads.items():
            (folder / kind).write_bytes(payload)
            options += [f"--{kind.lower()}", str(folder / kind)]
        plain = ["-s", "8", "-y", "420", "-o", str(folder / "out.avif"), str(folder / "0.png")]
        run("avifenc", *options, *plain)
        return (folder / "out.avif").read_bytes()

    data = in_folder(body)
    # avifenc turns the picture as the tag says; with irot of 0 the tag means nothing.
    assert b"irot\x03" in data
    data = data.replace(b"irot\x03", b"irot\x00")
    still("metadata.avif", "ICC, XMP, and Exif whose orientation is not obeyed", data, metadata=payloads)
    data = avifenc(rgb, "-y", "420")
    still("brand-mif1.avif", "another major brand", isobmff.with_brands(data, b"mif1", b"miaf", b"mif1", b"avif"))


def items(data):
    """The AV1 data of a still of avifenc's and the properties that belong to it, alpha behind color."""
    place, _ = isobmff.find(data, b"meta", b"iloc")
    pieces = {}
    for index in range(struct.unpack(">H", data[place + 14 : place + 16])[0]):
        number, _, _, offset, size = struct.unpack(">HHHII", data[place + 16 + 14 * index : place + 30 + 14 * index])
        pieces[number] = data[offset : offset + size]
    start, end = isobmff.find(data, b"meta", b"iprp", b"ipco")
    found = [(kind, data[first:last]) for kind, first, last in isobmff.boxes(data, start + 8, end)]
    return pieces, found


def picked(found, *kinds):
    """The first property of each kind; av1C is essential."""
    return [(next(each for kind, each in found if kind == wanted), wanted == b"av1C") for wanted in kinds]


def extents(width, height):
    return full(b"ispe", 0, 0, struct.pack(">II", width, height))


def make_items():
    usual = (b"ispe", b"pixi", b"av1C", b"colr")
    whole = picture(128, 64, 3).astype(np.uint8)
    tiles = [items(avifenc(np.ascontiguousarray(whole[:, x : x + 64]), "-y", "420")) for x in (0, 64)]
    properties = picked(tiles[0][1], *usual)
    parts = [Item(2 + n, b"av01", each[0][1], properties, hidden=True) for n, each in enumerate(tiles)]
    joined = [(extents(100, 60), False)] + properties[1:2] + properties[3:]
    grid = Item(1, b"grid", struct.pack(">BBBBHH", 0, 0, 0, 1, 100, 60), joined, [(b"dimg", [2, 3])], in_idat=True)
    still("grid.avif", "a grid of two tiles, cut to size", isobmff.file(1, [grid, *parts]))

    data = isobmff.file(1, [grid, *parts])
    joined_pixels = avifdec(data)
    turned = Item(1, b"grid", grid.payload, joined, [(b"dimg", [3, 2])], in_idat=True)
    right_first = [Item(2 + n, b"av01", each[0][1], properties, hidden=True) for n, each in enumerate(tiles[::-1])]
    still(
        "grid-order.avif",
        "tiles whose order in the file is not that of the grid",
        isobmff.file(1, [turned, *right_first]),
        pixels=joined_pixels,
    )
    start, _ = isobmff.find(data, b"meta", b"idat")
    still("open-idat.avif", "an idat box up to the end of meta", data[:start] + bytes(4) + data[start + 4 :],
          pixels=joined_pixels)  # fmt: skip
    start, _ = isobmff.find(data, b"mdat")
    still("open-mdat.avif", "an mdat box up to the end", data[:start] + bytes(4) + data[start + 4 :],
          pixels=joined_pixels)  # fmt: skip
    make_tile_alpha(grid, parts, joined_pixels)

    rgba = picture(32, 24, 4).astype(np.uint8)
    data = avifenc(rgba, "-y", "420", "-p")
    answer = fixtures.in_folder(lambda folder: premultiplied(folder, data))
    shows = "colors that are multiplied by alpha"
    valid("avif", "alpha-premultiplied.avif", data, shows, answer, "rgba8", 8, "premultiplied")

    pieces, found = items(avifenc(whole, "-y", "420"))
    small = items(avifenc(np.ascontiguousarray(whole[::4, ::4]), "-y", "420"))
    main = Item(1, b"av01", pieces[1], picked(found, *usual))
    thumb = Item(2, b"av01", small[0][1], picked(small[1], *usual), [(b"thmb", [1])])
    still("thumbnail.avif", "a picture with a thumbnail", isobmff.file(1, [main, thumb]))
    gain = Item(3, b"av01", small[0][1], picked(small[1], *usual) + [
        (full(b"auxC", 0, 0, b"urn:com:example:auxiliary\0"), False)], [(b"auxl", [1])])
    still("auxiliary.avif", "an auxiliary picture that is not alpha", isobmff.file(1, [main, gain]))
    tones = Item(4, b"tmap", bytes(62), main.properties[:2] + main.properties[3:], [(b"dimg", [1, 3])], in_idat=True)
    plain = avifdec(isobmff.file(1, [main]))
    still("tone-map.avif", "a picture with a gain map as the primary item", isobmff.file(4, [main, gain, tones]),
          pixels=plain)  # fmt: skip
    same = Item(2, b"iden", b"", main.properties[:2], [(b"dimg", [1])])
    still("identity.avif", "a primary item that repeats another one", isobmff.file(2, [main, same]), pixels=plain)
    still("brand-miaf.avif", "the profile's brand first", isobmff.file(1, [main], b"miaf"))


def make_derived():
    """Pictures that libavif does not put together: the answers are made of what avifdec says of the parts."""
    usual = (b"ispe", b"pixi", b"av1C", b"colr")
    sources = [picture(24, 16, 3).astype(np.uint8), 255 - picture(24, 16, 3).astype(np.uint8)]
    made = [items(avifenc(each, "-y", "444")) for each in sources]
    properties = picked(made[0][1], *usual)
    rest = properties[1:2] + properties[3:]
    parts = [Item(2 + n, b"av01", each[0][1], properties, hidden=True) for n, each in enumerate(made)]
    first, second = [avifdec(isobmff.file(part.number, [part])) for part in parts]
    irot = lambda turns: (box(b"irot", bytes([turns])), True)
    turned_parts = [Item(p.number, b"av01", p.payload, properties + [irot(2)], hidden=True) for p in parts]

    canvas = np.zeros((30, 40, 4), np.uint8)
    canvas[...] = (255, 128, 0, 255)
    canvas[3:19, :20] = first[:, 4:]
    canvas[20:30, 30:40] = second[:10, :10]
    layout = bytes(2) + struct.pack(">4HHH", 65535, 128 * 257, 0, 65535, 40, 30) + struct.pack(">4h", -4, 3, 30, 20)
    over = Item(1, b"iovl", layout, [(extents(40, 30), False)] + rest, [(b"dimg", [2, 3])], in_idat=True)
    still("overlay.avif", "two pictures on a canvas that both leave", isobmff.file(1, [over, *parts]), pixels=canvas)
    clear = Item(1, b"iovl", layout[:8] + bytes(2) + layout[10:], over.properties, over.references, in_idat=True)
    holes = canvas.copy()
    holes[(canvas == (255, 128, 0, 255)).all(axis=-1)] = (255, 128, 0, 0)
    still("overlay-clear.avif", "a canvas of no color", isobmff.file(1, [clear, *parts]), "rgba8", 8, "straight", holes)
    again = Item(1, b"iden", b"", [(extents(24, 16), False)] + rest + [irot(3)], [(b"dimg", [2])])
    still("identity-turned.avif", "a picture that is another one, which is turned, turned once more",
          isobmff.file(1, [again, turned_parts[0]]), pixels=np.ascontiguousarray(first[::-1, ::-1]),
          orientation=6)  # fmt: skip
    whole = np.concatenate([each[::-1, ::-1] for each in (first, second)], axis=1)[:, :40]
    body = struct.pack(">BBBBHH", 0, 0, 0, 1, 40, 16)
    joined = Item(1, b"grid", body, [(extents(40, 16), False)] + rest, [(b"dimg", [2, 3])], in_idat=True)
    still("grid-of-turned.avif", "two tiles, each turned", isobmff.file(1, [joined, *turned_parts]),
          pixels=np.ascontiguousarray(whole))  # fmt: skip

    main = Item(1, b"av01", made[0][0][1], properties)
    small = items(avifenc(np.ascontiguousarray(sources[1][::2, ::2]), "-y", "400"))
    gray = Item(2, b"av01", small[0][1], picked(small[1], *usual), hidden=True)
    applied = [(extents(24, 16), False), (box(b"colr", b"nclx", struct.pack(">HHHB", 9, 16, 9, 128)), False)]
    def tone_mapped(name, shows, groups=((3, 1),), brands=(b"tmap",), extra=(), **more):
        tones = Item(3, b"tmap", isobmff.gain_map(**more), applied + list(extra), [(b"dimg", [1, 2])], in_idat=True)
        still(name, shows, isobmff.file(1, [main, gray, tones], brands=brands, groups=groups), pixels=first)
    tone_mapped("gain-map.avif", "a tone map of the picture and a gain map")
    tone_mapped("gain-map-no-brand.avif", "a tone map without the brand", brands=())
    tone_mapped("gain-map-order.avif", "a tone map behind its base", groups=((1, 3),))
    tone_mapped("gain-map-version.avif", "a tone map for readers of later versions", minimum_version=1)
    tone_mapped("gain-map-turned.avif", "a tone map that is turned", extra=[irot(1)])
    depth = (full(b"auxC", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0"), False)
    far = Item(2, b"av01", gray.payload, gray.properties + [depth], [(b"auxl", [1])], hidden=True)
    still("depth.avif", "a picture with its depth", isobmff.file(1, [main, far]), pixels=first)

    for name, wide in (("large-extents", 16384), ("larger-extents", 25)):
        stated = [(extents(wide, wide), False)] + properties[1:]
        data = isobmff.file(2, [Item(2, b"av01", made[0][0][1], stated)])
        fixtures.invalid("avif", f"{name}.avif", data, f"a picture of 24×16 that is said to be {wide}×{wide}", "malformed")
    # AV1 §5.5.1 of a still picture in 4:4:4: sides of 14 bits, no tool, full range.
    fields = [(1, 3), (1, 1), (1, 1), (8, 5), (13, 4), (13, 4), (16383, 14), (16383, 14), (0, 6), (0, 2), (1, 1), (0, 2)]
    bits = "".join(format(value, f"0{count}b") for value, count in fields) + "1"
    header = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    payload = made[0][0][1]
    start = 2 if payload[0] >> 3 & 15 == 2 else 0
    frame = payload[start + 2 + payload[start + 1] :]
    data = isobmff.file(2, [Item(2, b"av01", bytes([0x0A, len(header)]) + header + frame, properties)])
    fixtures.invalid("avif", "large-sequence-header.avif", data, "24×16 under a sequence header of 16384×16384", "malformed")
    wrong = [Item(part.number, b"av01", part.payload, stated, hidden=True) for part in parts]
    body = struct.pack(">BBBBHH", 0, 0, 0, 1, 50, 25)
    joined = Item(1, b"grid", body, [(extents(50, 25), False)] + rest, [(b"dimg", [2, 3])], in_idat=True)
    fixtures.invalid("avif", "grid-larger-tiles.avif", isobmff.file(1, [joined, *wrong]),
                     "tiles of 24×16 that are said to be 25×25", "malformed")  # fmt: skip


def make_tile_alpha(grid, parts, colors):
    """Alpha beside each tile, and none of the whole."""
    alpha = picture(128, 64, 1).astype(np.uint8)
    usual = (b"ispe", b"pixi", b"av1C")
    beside = []
    for part, x in zip(parts, (0, 64)):
        gray = np.repeat(np.ascontiguousarray(alpha[:, x : x + 64]), 3, axis=-1)
        pieces, found = items(avifenc(gray, "-y", "400", "--min", "0", "--max", "0"))
        kind = full(b"auxC", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
        of = picked(found, *usual) + [(kind, True)]
        beside.append(Item(part.number + 2, b"av01", pieces[1], of, [(b"auxl", [part.number])], hidden=True))
    pixels = np.concatenate([colors[..., :3], alpha[:60, :100]], axis=-1)
    data = isobmff.file(1, [grid, *parts, *beside])
    pieces, found = items(avifenc(np.repeat(np.ascontiguousarray(alpha[:60, :100]), 3, axis=-1), "-y", "400", "--min", "0",
                                  "--max", "0"))  # fmt: skip
    plain = Item(6, b"av01", pieces[1], picked(found, *usual) + [(kind, True)], [(b"auxl", [1])], hidden=True)
    still("grid-plain-alpha.avif", "a grid whose alpha is no grid", isobmff.file(1, [grid, *parts, plain]), "rgba8", 8,
          "straight", pixels)  # fmt: skip
    still("grid-tile-alpha.avif", "alpha beside each tile of a grid", data, "rgba8", 8, "straight", pixels)


def premultiplied(folder, data):
    """The stored samples divided by alpha to the nearest, as the kit asks for straight ones."""
    # Without the reference to alpha as prem, avifdec leaves the samples as they are.
    (folder / "in.avif").write_bytes(data.replace(b"prem", b"free"))
    run("avifdec", "--no-strict", str(folder / "in.avif"), str(folder / "out.png"))
    stored = imagecodecs.png_decode((folder / "out.png").read_bytes()).astype(np.int64)
    alpha = stored[..., 3:]
    divided = np.where(alpha > 0, np.minimum((stored[..., :3] * 255 + alpha // 2) // np.maximum(alpha, 1), 255), 0)
    return np.concatenate([divided, alpha], axis=-1).astype(np.uint8)


def opaque_sequence(frames):
    """avifenc gives sequences of PNG files alpha, so the planes are handed over: green, blue, red."""

    def body(folder):
        height, width = frames[0].shape[:2]
        video = b"YUV4MPEG2 W%d H%d F100:1 Ip C444 XCOLORRANGE=FULL\n" % (width, height)
        for frame in frames:
            video += b"FRAME\n" + frame[..., [1, 2, 0]].transpose(2, 0, 1).tobytes()
        command = ["avifenc", "--stdin", "--cicp", "1/13/0", "--min", "0", "--max", "0", "-s", "6"]
        run(*command, "--timescale", "100", "-o", str(folder / "out.avif"), data=video)
        return isobmff.without_times((folder / "out.avif").read_bytes())

    return in_folder(body)


def make_sequences():
    frames = [shifted(*SIZE, 3, phase) for phase in range(4)]
    data = avifenc(frames, "-l", "--timescale", "100")

    def sequence(name, shows, made, delays, plays, pixels=frames, **more):
        steps = [Frame(fixtures.rgba(each), delay=delay) for each, delay in zip(pixels, delays)]
        animated("avif", name, made, shows, SIZE, steps, plays, **more)

    plain = [(1, 100)] * 4
    sequence("sequence.avif", "a sequence that says nothing of plays", data, plain, "infinite")
    for plays in (0, 1, 3):
        made = isobmff.sequence(data, plays)
        sequence(f"sequence-plays-{plays}.avif", "an edit list", made, plain, plays or "infinite")
    ticks = [10, 250, 0, 3]
    made = isobmff.sequence(data, 2, ticks)
    sequence("sequence-delays.avif", "each delay is another", made, [(t, 100) for t in ticks], 2)
    # Parts of a media of four frames of 1 tick; a rate of 0 stands still, -65536 goes backwards.
    for name, shows, edits, order in (
        ("part", "the middle, then all", [(2, 1, 1 << 16), (4, 0, 1 << 16)], [(n, 1) for n in (1, 2, 0, 1, 2, 3)]),
        ("twice", "the media twice", [(4, 0, 1 << 16)] * 2, [(n, 1) for n in (0, 1, 2, 3) * 2]),
        ("pause", "a pause before the media", [(5, -1, 1 << 16), (4, 0, 1 << 16)], [(0, 6), (1, 1), (2, 1), (3, 1)]),
        ("dwell", "a frame that stands still, then a part backwards, then all", [(3, 2, 0), (2, 0, -1 << 16), (4, 0, 1 << 16)],
         [(2, 3), (1, 1), (0, 1), (0, 1), (1, 1), (2, 1), (3, 1)]),
    ):
        made = isobmff.sequence(data, 1, edits=edits)
        sequence(f"sequence-edits-{name}.avif", shows, made, [(ticks, 100) for _, ticks in order], 1,
                 [frames[n] for n, _ in order])  # fmt: skip
    made = avifenc(frames, "-l", "--timescale", "30000", "--duration", "1001", "-k", "2")
    sequence("sequence-keyframes.avif", "key frames, and 29.97 Hz", made, [(1001, 30000)] * 4, "infinite")
    opaque = {"pixel_format": "rgb8", "alpha": "opaque"}
    sequence("sequence-opaque.avif", "no alpha", opaque_sequence(frames), plain, "infinite", **opaque)
    for name, kind, shows in (
        ("sound", b"soun", "a track of sound, which has no size"),
        ("depth", b"auxv", "a track of depth, which is not alpha"),
    ):
        made = isobmff.with_track(opaque_sequence(frames), kind)
        sequence(f"sequence-{name}.avif", shows, made, plain, "infinite", **opaque)
    clear = [shifted(*SIZE, 4, phase) for phase in range(3)]
    made = avifenc(clear, "-l", "--timescale", "10")
    sequence("sequence-alpha.avif", "alpha in a track of its own", made, [(1, 10)] * 3, "infinite", clear)


def make_invalid():
    rgb = picture(23, 17, 3).astype(np.uint8)
    data = avifenc(rgb, "-y", "420")
    invalid = lambda *args, **more: fixtures.invalid("avif", *args, **more)
    invalid("empty.avif", b"", "no bytes", "truncated")
    invalid("cut-brand.avif", data[:10], "the file ends in its brand", "truncated")
    invalid("cut-boxes.avif", data[:100], "the file ends in its boxes", "truncated")
    invalid("cut-picture.avif", data[:-20], "the file ends in its AV1 data", "truncated", rows="any")
    invalid("brand-heic.avif", isobmff.with_brands(data, b"heic", b"mif1", b"heic"), "no brand of AVIF", "wrongFormat")
    start, end = isobmff.find(data, b"mdat")
    broken = data[: start + 8] + bytes(255 - byte for byte in data[start + 8 : end])
    invalid("broken-picture.avif", broken, "AV1 data with every bit changed", "malformed", rows="any")
    invalid("no-primary.avif", data.replace(b"pitm", b"free"), "no primary item", "malformed")
    place, _ = isobmff.find(data, b"meta", b"iprp", b"ipco", b"ispe")
    huge = data[: place + 12] + struct.pack(">II", 60000, 60000) + data[place + 20 :]
    invalid("huge.avif", huge, "a canvas of 60000×60000", "limitExceeded")
    usual = picked(items(data)[1], b"ispe", b"pixi", b"av1C", b"colr")
    overlay = Item(1, b"iovl", bytes(20), usual[:2], [(b"dimg", [2])], in_idat=True)
    base = Item(2, b"av01", items(data)[0][1], usual, hidden=True)
    invalid("overlay-empty.avif", isobmff.file(1, [overlay, base]), "an overlay on a canvas of no pixels", "malformed")
    loop = Item(1, b"iden", b"", usual[:2] + [(box(b"irot", bytes([1])), True)], [(b"dimg", [1])])
    invalid("identity-loop.avif", isobmff.file(1, [loop, base]), "a picture that is itself", "malformed")


def make_cut_grid():
    whole = picture(64, 128, 3).astype(np.uint8)
    tiles = [items(avifenc(np.ascontiguousarray(whole[y : y + 64]), "-y", "420")) for y in (0, 64)]
    properties = picked(tiles[0][1], b"ispe", b"pixi", b"av1C", b"colr")
    parts = [Item(2 + n, b"av01", each[0][1], properties, hidden=True) for n, each in enumerate(tiles)]
    joined = [(extents(64, 120), False)] + properties[1:2] + properties[3:]
    grid = Item(1, b"grid", struct.pack(">BBBBHH", 0, 0, 1, 0, 64, 120), joined, [(b"dimg", [2, 3])], in_idat=True)
    data = isobmff.file(1, [grid, *parts])[:-100]
    fixtures.invalid("avif", "cut-grid.avif", data, "a grid whose second row of tiles is cut", "truncated", rows="some")


def make():
    make_layouts()
    make_matrices()
    make_light()
    make_presentations()
    make_metadata()
    make_items()
    make_derived()
    make_sequences()
    make_invalid()
    make_cut_grid()
