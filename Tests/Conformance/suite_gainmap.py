# SPDX-License-Identifier: Apache-2.0
"""Gain maps beside the formula of ISO 21496-1 in numpy, in files that are taken apart here."""

import io
import os
import re
import struct
import subprocess
import tempfile

import numpy
import png
from PIL import Image

from encoded import CODERS
from score import Score

ISO = b"urn:iso:std:iso:ts:21496:-1\0"
# Gains of 1 to 8 in the red, 1 to 4 in the others; an offset of 1/64.
ONE = dict(minimum=[0] * 3, maximum=[3] * 3, gamma=[1] * 3, base=[1 / 64] * 3, other=[1 / 64] * 3, headroom=3)
THREE = dict(ONE, minimum=[-0.5, 0, 0.25], maximum=[3, 2, 1], gamma=[1, 0.5, 2])


def run(digest, corpora):
    score = Score("Gain maps of JPEG", "formula of ISO 21496-1 in numpy")
    with tempfile.TemporaryDirectory() as folder:
        reading(score, folder)
        keeping(score, folder)
        making(score, folder)
    return [score]


def coders(*arguments):
    made = subprocess.run([CODERS, *arguments], capture_output=True, text=True)
    return made.returncode, made.stdout, made.stderr


def light(samples):
    return numpy.where(samples <= 0.04045, samples / 12.92, ((samples + 0.055) / 1.055) ** 2.4)


def pq(nits):
    power = numpy.clip(nits / 10000, 0, 1) ** (2610 / 16384)
    return ((3424 / 4096 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32)


def nits(code):
    root = code ** (32 / 2523)
    return 10000 * (numpy.maximum(root - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * root)) ** (16384 / 2610)


TO_2020 = numpy.array([[0.627404, 0.329283, 0.043313], [0.069097, 0.919540, 0.011362], [0.016391, 0.088013, 0.895595]])


def segment(marker, payload):
    return struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload


def jpeg(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=95, subsampling=0)
    return file.getvalue()


def fraction(value):
    return struct.pack(">iI", round(value * 65536), 65536)


def iso(meaning):
    same = all(len(set(meaning[name])) == 1 for name in ("minimum", "maximum", "gamma", "base", "other"))
    data = struct.pack(">HHB", 0, 0, 0x40 if same else 0xC0) + fraction(0) + fraction(meaning["headroom"])
    for channel in range(1 if same else 3):
        for name in ("minimum", "maximum", "gamma", "base", "other"):
            data += fraction(meaning[name][channel])
    return data


def hdrgm(meaning):
    def value(name, key):
        items = "".join(f"<rdf:li>{number}</rdf:li>" for number in meaning[key])
        return f"<hdrgm:{name}><rdf:Seq>{items}</rdf:Seq></hdrgm:{name}>"
    return packet(
        f'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" '
        f'hdrgm:HDRCapacityMax="{meaning["headroom"]}"',
        value("GainMapMin", "minimum") + value("GainMapMax", "maximum") + value("Gamma", "gamma"))


def packet(attributes, elements=""):
    text = ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            f'<rdf:Description {attributes}>{elements}</rdf:Description></rdf:RDF></x:xmpmeta>')
    return segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + text.encode())


def joined(base, second, by):
    """A file of two, found by its index or by the directory in XMP."""
    if by == "directory":
        items = "".join(
            f'<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="{name}" Item:Mime="image/jpeg"{rest}/></rdf:li>'
            for name, rest in (("Primary", ""), ("GainMap", f' Item:Length="{len(second)}"')))
        head = packet(
            'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" '
            'xmlns:Container="http://ns.google.com/photos/1.0/container/" '
            'xmlns:Item="http://ns.google.com/photos/1.0/container/item/"',
            f"<Container:Directory><rdf:Seq>{items}</rdf:Seq></Container:Directory>")
        return base[:2] + head + base[2:] + second
    size = 2 + 2 + 4 + 8 + 2 + 12 + 4 + 32
    place = size + len(base) - 8 - 2
    # The first size is wrong, as in many files.
    entries = struct.pack(">IIIHH", 0x30000, 12345, 0, 0, 0) + struct.pack(">IIIHH", 0, len(second), place, 0, 0)
    index = b"MPF\0MM\0*" + struct.pack(">IHHHIII", 8, 1, 0xB002, 7, 32, 26, 0) + entries
    return base[:2] + segment(0xE2, index) + base[2:] + second


def scene(random, size=(48, 64)):
    down, across = numpy.mgrid[0:size[0], 0:size[1]]
    base = numpy.stack([across * 3 + 20, down * 4 + 30, 255 - across * 2], axis=2).clip(0, 255).astype(numpy.uint8)
    half = (size[0] // 2, size[1] // 2, 3)
    map_ = numpy.linspace(10, 250, half[0] * half[1] * 3).reshape(half[1], half[0], 3).swapaxes(0, 1).astype(numpy.uint8)
    return base, map_


def enlarged(map_, shape):
    rows = ((numpy.arange(shape[0]) + 0.5) * map_.shape[0] / shape[0] - 0.5).clip(0, map_.shape[0] - 1)
    columns = ((numpy.arange(shape[1]) + 0.5) * map_.shape[1] / shape[1] - 0.5).clip(0, map_.shape[1] - 1)
    top, left = numpy.floor(rows).astype(int), numpy.floor(columns).astype(int)
    bottom, right = numpy.minimum(top + 1, map_.shape[0] - 1), numpy.minimum(left + 1, map_.shape[1] - 1)
    y, x = (rows - top)[:, None, None], (columns - left)[None, :, None]
    map_ = map_.astype(float)
    upper = map_[top][:, left] * (1 - x) + map_[top][:, right] * x
    lower = map_[bottom][:, left] * (1 - x) + map_[bottom][:, right] * x
    return upper * (1 - y) + lower * y


def applied(base, map_, meaning, weight):
    if map_.ndim == 2:
        map_ = numpy.repeat(map_[:, :, None], 3, axis=2)
    sample = enlarged(map_, base.shape) / 255
    low, high = numpy.array(meaning["minimum"]), numpy.array(meaning["maximum"])
    gain = 2 ** (weight * (low + (high - low) * sample ** (1 / numpy.array(meaning["gamma"], dtype=float))))
    return numpy.maximum((base + meaning["base"]) * gain - meaning["other"], 0)


def decoded(data):
    return numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def png16(path):
    """Samples of a PNG of 16 bits, which Pillow cuts to 8."""
    width, height, rows, _ = png.Reader(path).read()
    return numpy.vstack([numpy.array(row, dtype=numpy.uint16) for row in rows]).reshape(height, width, -1)[:, :, :3]


def reading(score, folder):
    random = numpy.random.default_rng(1)
    base, map_ = scene(random)
    for name, meaning in (("one", ONE), ("three", THREE)):
        for carrier in ("ISO 21496-1", "hdrgm"):
            for by in ("index", "directory"):
                first = jpeg(base)
                second = jpeg(map_ if name == "three" else map_[:, :, 0])
                shown = numpy.asarray(Image.open(io.BytesIO(second)))
                head = segment(0xE2, ISO + iso(meaning)) if carrier.startswith("ISO") else hdrgm(meaning)
                path, out = os.path.join(folder, "in.jpg"), os.path.join(folder, "out.png")
                with open(path, "wb") as file:
                    file.write(joined(first, second[:2] + head + second[2:], by))
                for stops, weight in ((3, 1), (1.5, 0.5)):
                    status, _, told = coders("convert", path, out, "--gain-map", f"apply={stops}")
                    label = f"{name} channel, {carrier}, {by}, {stops} stops"
                    if status or told:
                        score.add(label, told or "no file")
                        continue
                    expected = applied(light(decoded(first) / 255), shown, meaning, weight) @ TO_2020.T
                    wanted = pq(expected * 203)
                    found = png16(out) / 65535
                    worst = numpy.abs(wanted - found).max()
                    score.add(label, f"PQ differs by {worst:.5f}" if worst > 0.0015 else None)


def taken_apart(path):
    """The two pictures of a file, by its index, and what the second one's samples mean."""
    data = open(path, "rb").read()
    start = data.find(b"MPF\0") + 4
    if start < 4 or data[start:start + 4] != b"MM\0*":
        return None
    count = struct.unpack(">H", data[start + 8:start + 10])[0]
    for index in range(count):
        tag, _, _, place = struct.unpack(">HHII", data[start + 10 + 12 * index:start + 22 + 12 * index])
        if tag == 0xB002:
            entries = data[start + place:start + place + 32]
    _, size, _, _ = struct.unpack(">IIII", entries[:16])
    _, length, offset, _ = struct.unpack(">IIII", entries[16:])
    first, second = data[:size], data[start + offset:start + offset + length]
    if start + offset + length != len(data) or size != start + offset:
        return None
    if not (first.endswith(b"\xff\xd9") and second.startswith(b"\xff\xd8")):
        return None
    stated = re.search(rb'Semantic="GainMap"[^>]*Item:Length="(\d+)"', first)
    if not stated or int(stated[1]) != len(second) or ISO + bytes(4) not in first:
        return None
    place = second.find(ISO) + len(ISO)
    flags = second[place + 4]
    numbers = struct.unpack(">IIII", second[place + 5:place + 21])
    meaning = dict(headroom=numbers[2] / numbers[3], minimum=[], maximum=[], gamma=[], base=[], other=[])
    place += 21
    for _ in range(3 if flags & 0x80 else 1):
        fields = struct.unpack(">iIiIIIiIiI", second[place:place + 40])
        for name, n, d in zip(("minimum", "maximum", "gamma", "base", "other"), fields[::2], fields[1::2]):
            meaning[name].append(n / d)
        place += 40
    if not flags & 0x80:
        for name in ("minimum", "maximum", "gamma", "base", "other"):
            meaning[name] *= 3
    return first, second, meaning


def keeping(score, folder):
    base, map_ = scene(numpy.random.default_rng(1), (64, 96))
    first, second = jpeg(base), jpeg(map_)
    path, out = os.path.join(folder, "in.jpg"), os.path.join(folder, "out.jpg")
    with open(path, "wb") as file:
        file.write(joined(first, second[:2] + segment(0xE2, ISO + iso(THREE)) + second[2:], "directory"))
    whole = applied(light(decoded(first) / 255), decoded(second), THREE, 1)
    cases = {
        "encoded again": (["--quality", "0.95", "--reencode"], whole),
        "half": (["--quality", "0.95", "--max-size", "50%"], None),
        "cut out": (["--quality", "0.95", "--crop", "50x30+21+11"], whole[11:41, 21:71]),
        "cut out without loss": (["--crop", "48x32+16+16"], whole[16:48, 16:64]),
        "turned": (["--rotate", "90"], numpy.rot90(whole, -1)),
        "mirrored": (["--flip", "horizontal"], whole[:, ::-1])}
    for name, (arguments, wanted) in cases.items():
        status, _, told = coders("convert", path, out, *arguments)
        if status or told:
            score.add(f"kept, {name}", told or "no file")
            continue
        parts = taken_apart(out)
        if parts is None:
            score.add(f"kept, {name}", "the file cannot be taken apart")
            continue
        if wanted is None:
            wanted = whole.reshape(32, 2, 48, 2, 3).mean(axis=(1, 3))
        found = applied(light(decoded(parts[0]) / 255), decoded(parts[1]), parts[2], 1)
        if found.shape != wanted.shape:
            score.add(f"kept, {name}", f"{found.shape} where {wanted.shape} was wanted")
            continue
        wrong = numpy.abs(pq(found * 203) - pq(wanted * 203)).mean()
        score.add(f"kept, {name}", f"PQ differs by {wrong:.4f} in the mean" if wrong > 0.006 else None)
    for name, arguments in {"colors": [out, "--color", "p3"], "PNG": [os.path.join(folder, "out.png")]}.items():
        status, _, told = coders("convert", path, *arguments)
        gone = status == 0 and "the gain map is left out" in told
        with open(arguments[0], "rb") as file:
            data = file.read()
            gone = gone and b"hdrgm:Version" not in data and b"Container:Directory" not in data
        score.add(f"left out with a warning: {name}", None if gone else told or "no warning")


def making(score, folder):
    down, across = numpy.mgrid[0:64, 0:96]
    scene_ = numpy.stack([numpy.exp2(across / 16 - 4), numpy.exp2(across / 20 - 4) + down / 100,
                          numpy.exp2(down / 16 - 3)], axis=2)
    scene_ = numpy.minimum(scene_, 1000 / 203) @ TO_2020.T
    source, out = os.path.join(folder, "hdr.png"), os.path.join(folder, "made.jpg")
    code = numpy.rint(pq(scene_ * 203) * 65535).astype(">u2")
    import zlib

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = b"".join(b"\0" + row.tobytes() for row in code)
    with open(source, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 96, 64, 16, 2, 0, 0, 0))
                   + chunk(b"cICP", bytes([9, 16, 0, 1])) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    status, _, told = coders("convert", source, out, "--gain-map", "make", "--quality", "0.95")
    parts = taken_apart(out) if status == 0 else None
    if parts is None:
        score.add("made of PQ", told or "the file cannot be taken apart")
        return
    p3 = numpy.array([[0.753845, 0.198593, 0.047562], [0.045746, 0.941777, 0.012477], [-0.001210, 0.017601, 0.983609]])
    found = applied(light(decoded(parts[0]) / 255), decoded(parts[1]), parts[2], 1) @ p3.T
    wrong = numpy.abs(pq(found * 203) - pq(scene_ * 203))
    problem = f"PQ differs by {wrong.mean():.4f} in the mean" if wrong.mean() > 0.008 else None
    score.add("made of PQ", problem)
    back = os.path.join(folder, "back.png")
    status, _, told = coders("convert", out, back, "--gain-map", "apply")
    if status:
        score.add("made and applied", told)
        return
    wrong = numpy.abs(png16(back) / 65535 - pq(found * 203)).max()
    score.add("made and applied", f"PQ differs by {wrong:.4f}" if wrong > 0.003 else None)
