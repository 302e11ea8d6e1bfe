# SPDX-License-Identifier: Apache-2.0
"""Gain maps from each format to each, beside what the pieces of the files say: taken apart here, decoded by others."""

import io
import os
import struct
import subprocess
import tempfile

import imagecodecs
import numpy
import pillow_heif
from PIL import Image

from score import Score
from suite_gainmap import ISO, coders, joined, jpeg, scene, segment
from suite_gainmap_avif import boxes, child, items

# One channel beside an SDR picture, and three beside an HDR one, with gains in the primaries of the SDR one.
ONE = struct.pack(">HHB", 0, 0, 0x40) + struct.pack(
    ">IIII iIiIIIiIiI", 0, 1, 7, 3, -1, 3, 23, 10, 5, 4, 1, 64, 1, 32)
THREE = struct.pack(">HHB", 0, 0, 0x80) + struct.pack(">IIII", 3, 1, 1, 7) + b"".join(
    struct.pack(">iIiIIIiIiI", -n, 2, 5 - n, 2, n, 3, 1, 64 * n, -1, 50) for n in (1, 2, 3))
FORMATS = ("jpg", "heic", "avif", "jxl")


def run(digest, corpora):
    score = Score("Gain maps between formats", "files taken apart in Python, Pillow, pillow-heif, avifdec, djxl")
    with tempfile.TemporaryDirectory() as folder:
        for name, metadata, channels in (("one channel, SDR", ONE, 1), ("three channels, HDR", THREE, 3)):
            directions(score, folder, name, metadata, channels)
        recompressed(score, folder)
    return [score]


def numbers(metadata):
    """Everything that the metadata says, fractions as numbers."""
    minimum, writer, flags = struct.unpack(">HHB", metadata[:5])
    fields = struct.unpack(f">{(len(metadata) - 5) // 4}i", metadata[5:])
    return minimum, writer, flags, [n / d for n, d in zip(fields[::2], fields[1::2])]


def jpeg_parts(data):
    start = data.find(b"MPF\0") + 4
    fields = struct.iter_unpack(">HHII", data[start + 10:start + 10 + 12 * data[start + 9]])
    place = start + next(value for tag, _, _, value in fields if tag == 0xB002)
    _, length, offset = struct.unpack(">III", data[place + 16:place + 28])
    second = data[start + offset:start + offset + length]
    place = second.find(ISO)
    count = struct.unpack(">H", second[place - 2:place])[0] - 2 - len(ISO)
    pixels = numpy.asarray(Image.open(io.BytesIO(second)))
    return second[place + len(ISO):place + len(ISO) + count], pixels


def item_parts(data, folder, name):
    found, references, _, base = items(data)
    tone = next(number for number, item in found.items() if item["type"] == b"tmap")
    map_ = next(r[3] for r in references if r[:3] == (b"dimg", tone, base))
    place = child(data, child(data, (0, len(data)), b"meta"), b"pitm")[0] + 4
    other = data[:place] + struct.pack(">H", map_) + data[place + 2:]
    # libheif takes no hidden item for the primary one.
    start, end = child(data, child(data, (0, len(data)), b"meta"), b"iinf")
    entry = next(s for _, s, _ in boxes(data, start + 6, end) if struct.unpack(">H", data[s + 4:s + 6])[0] == map_)
    other = other[:entry + 3] + b"\0" + other[entry + 4:]
    if name == "heic":
        shown = numpy.asarray(pillow_heif.open_heif(io.BytesIO(other)))
    else:
        path, out = os.path.join(folder, "part.avif"), os.path.join(folder, "part.png")
        with open(path, "wb") as file:
            file.write(other)
        subprocess.run(["avifdec", "--no-strict", "--ignore-icc", path, out], check=True, capture_output=True)
        shown = imagecodecs.png_decode(open(out, "rb").read())
    return found[tone]["bytes"][1:], shown


def jxl_parts(data, folder):
    content = next(data[s:e] for kind, s, e in boxes(data, 0, len(data)) if kind == b"jhgm")
    version, size = struct.unpack(">BH", content[:3])
    place = 3 + size
    place += 1 + content[place]
    place += 4 + struct.unpack(">I", content[place:place + 4])[0]
    if version or content[place:place + 2] != b"\xff\x0a":
        raise ValueError("the map is no codestream")
    return content[3:3 + size], djxl(content[place:], folder)


def djxl(data, folder):
    path, out = os.path.join(folder, "part.jxl"), os.path.join(folder, "part.png")
    with open(path, "wb") as file:
        file.write(data)
    subprocess.run(["djxl", "--quiet", path, out], check=True, capture_output=True)
    return imagecodecs.png_decode(open(out, "rb").read())


def parts(path, folder):
    """The metadata and the samples of a file's map."""
    data, name = open(path, "rb").read(), path.rsplit(".", 1)[1]
    if name == "jpg":
        return jpeg_parts(data)
    return jxl_parts(data, folder) if name == "jxl" else item_parts(data, folder, name)


def samples(pixels, channels):
    """As many channels as the map has: a decoder may show gray as red, green and blue."""
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    return pixels[:, :, :channels].astype(float)


def halved(pixels):
    return pixels.reshape(pixels.shape[0] // 2, 2, pixels.shape[1] // 2, 2, -1).mean(axis=(1, 3))


def directions(score, folder, name, metadata, channels):
    base, map_ = scene(numpy.random.default_rng(1), (64, 96))
    first, second = jpeg(base), jpeg(map_ if channels == 3 else map_[:, :, 0])
    source = os.path.join(folder, "in.jpg")
    with open(source, "wb") as file:
        file.write(joined(first, second[:2] + segment(0xE2, ISO + metadata) + second[2:], "index"))
    best = ["--quality", "0.97", "--reencode"]
    edits = {
        "whole": ([], lambda pixels: pixels), "half": (["--max-size", "50%"], halved),
        "cut out": (["--crop", "48x32+16+8"], lambda pixels: pixels[4:20, 8:32]),
        "turned": (["--rotate", "90"], lambda pixels: numpy.rot90(pixels, -1)),
        "mirrored": (["--flip", "vertical"], lambda pixels: pixels[::-1])}
    for before in FORMATS:
        path = source
        if before != "jpg":
            path = os.path.join(folder, f"in.{before}")
            coders("convert", source, path, *best)
        _, stored = parts(path, folder)
        stored = samples(stored, channels)
        for after in FORMATS:
            out = os.path.join(folder, f"out.{after}")
            for edit, (arguments, expected) in edits.items():
                label = f"{name}, {before} to {after}, {edit}"
                status, _, told = coders("convert", path, out, *best, *arguments)
                if status or told:
                    score.add(label, told or "no file")
                    continue
                try:
                    score.add(label, difference(parts(out, folder), metadata, expected(stored), channels))
                except (StopIteration, struct.error, ValueError, OSError, subprocess.CalledProcessError) as error:
                    score.add(label, f"cannot be taken apart: {error!r}")


def difference(found, metadata, wanted, channels):
    if numbers(found[0]) != numbers(metadata):
        return f"the samples mean {numbers(found[0])}"
    shown = samples(found[1], channels)
    if shown.shape != wanted.shape:
        return f"a map of {shown.shape} where {wanted.shape} was wanted"
    wrong = numpy.abs(shown - wanted)
    return f"samples differ by {wrong.mean():.2f} in the mean" if wrong.mean() > 2 else None


def recompressed(score, folder):
    """JPEG to JPEG XL and back without decoding: the map is shown as JPEG XL, and comes back byte for byte."""
    base, map_ = scene(numpy.random.default_rng(1), (64, 96))
    second = jpeg(map_)
    source, out, back = (os.path.join(folder, name) for name in ("in.jpg", "kept.jxl", "back.jpg"))
    with open(source, "wb") as file:
        file.write(joined(jpeg(base), second[:2] + segment(0xE2, ISO + THREE) + second[2:], "index"))
    told = "".join(coders("convert", *files)[2] for files in ((source, out), (out, back)))
    if told:
        score.add("JPEG in JPEG XL", told)
        return
    metadata, pixels = parts(out, folder)
    shown = samples(numpy.asarray(Image.open(io.BytesIO(second))), 3)
    score.add("JPEG in JPEG XL, map", difference((metadata, pixels), THREE, shown, 3))
    same = open(source, "rb").read() == open(back, "rb").read()
    score.add("JPEG in JPEG XL, restored", None if same else "the JPEG is not the same")
    # The map of a JPEG that is encoded again is not.
    status, _, told = coders("convert", source, back, "--quality", "0.5", "--reencode")
    kept = status == 0 and second[second.find(b"\xff\xdb"):] in open(back, "rb").read()
    score.add("JPEG to JPEG, the map's bytes", None if kept else told or "the map was encoded again")
