# SPDX-License-Identifier: Apache-2.0
"""AVIF stills and sequences, made by avifenc; answers are avifdec's, or the samples that went in."""

import struct

import imagecodecs
import numpy as np

import fixtures
import isobmff
from fixtures import Frame, animated, in_folder, picture, run, valid
from isobmff import Item, box

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


def make():
    make_layouts()
    make_matrices()
    make_light()
    make_presentations()
    make_metadata()
    make_sequences()
    make_invalid()
