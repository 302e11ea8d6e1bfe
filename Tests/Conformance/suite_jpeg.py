# SPDX-License-Identifier: Apache-2.0
"""JPEG: libjpeg-turbo's own decompressor with the accurate transform and fancy upsampling."""

import glob
import os
import subprocess
import tempfile
import warnings

import numpy
from PIL import Image

from encoded import CODERS
from score import Score, difference


def run(digest, corpora):
    paths = sorted(
        path for suffix in ("jpg", "jpeg", "JPG", "jpe", "mpo")
        for path in glob.glob(f"{corpora}/**/*.{suffix}", recursive=True))
    return [*against_djpeg(digest, paths), cmyk(digest, paths), turned(digest, paths)]


def against_djpeg(digest, paths):
    score = Score("JPEG, valid", "djpeg -dct int, exact")
    refused = Score("JPEG, djpeg refuses", "an error, or a part with a problem")
    expected = {path: djpeg(path) for path in paths}
    color = [path for path in paths if isinstance(expected[path], numpy.ndarray) and channels(path) != 4]
    for result in digest.run(color, "--format", "rgb8", "--as-stored"):
        wanted = expected[result.path]
        if wanted.shape[2] == 1:
            wanted = numpy.repeat(wanted, 3, axis=2)
        if result.code == "limitExceeded":
            score.note(f"{short(result.path)}: {result.said}")
            continue
        score.add(short(result.path), result.said if result.outcome != "ok" else difference(result.pixels(), wanted))
    # 12 bits and the lossless process are read by a reader of its own, which tests hold against other libraries.
    damaged = [
        path for path in paths
        if isinstance(expected[path], str) and expected[path] == "refused" and precision(path) in (None, 8)]
    for result in digest.run(damaged):
        shown = result.outcome == "ok" and result.record["coder"] == "org.imagecoders.jpeg"
        refused.add(short(result.path), "decoded without a word" if shown else None)
    return score, refused


def djpeg(path):
    """Pixels; "refused"; or "warned" for a file that djpeg shows and complains about."""
    done = subprocess.run(["djpeg", "-dct", "int", "-pnm", path], capture_output=True)
    if done.returncode not in (0, 2) or not done.stdout:
        return "refused"
    if done.stderr:
        return "warned"
    magic, size, _, rest = done.stdout.split(b"\n", 3)
    width, height = map(int, size.split())
    return numpy.frombuffer(rest, dtype=numpy.uint8).reshape(height, width, 1 if magic == b"P5" else 3)


def channels(path):
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(path) as image:
            return len(image.getbands())
    except Exception:
        return 0


def cmyk(digest, paths):
    """Color is ink × black / 255, as docs/formats/jpeg.md says; Adobe's inks are stored inverted, as Pillow knows."""
    score = Score("JPEG, CMYK and YCCK", "Pillow's inks, exact")
    listed = [path for path in paths if channels(path) == 4]
    for result in digest.run(listed, "--format", "rgb8", "--as-stored"):
        try:
            with Image.open(result.path) as image:
                ink = 255 - numpy.asarray(image).astype(numpy.int64)
        except Exception:
            score.note(f"{short(result.path)}: Pillow cannot read it")
            continue
        wanted = (ink[:, :, :3] * ink[:, :, 3:] + 127) // 255
        score.add(short(result.path), result.said if result.outcome != "ok" else difference(result.pixels(), wanted))
    return score


# How jpegtran names the turns that the command makes.
TURNS = {
    ("--rotate", "90"): ("-rotate", "90"), ("--rotate", "180"): ("-rotate", "180"),
    ("--rotate", "270"): ("-rotate", "270"), ("--flip", "horizontal"): ("-flip", "horizontal"),
    ("--flip", "vertical"): ("-flip", "vertical"), ("--rotate", "90", "--flip", "horizontal"): ("-transpose",),
    ("--rotate", "270", "--flip", "horizontal"): ("-transverse",), ("--crop", "16x16+16+16"): ("-crop", "16x16+16+16"),
    ("--crop", "21x8+0+8"): ("-crop", "21x8+0+8")}


def turned(digest, paths):
    """Turned without decoding: the scans are those of jpegtran, byte for byte, or both refuse."""
    score = Score("JPEG, turned", "jpegtran -perfect, exact coefficients")
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            with open(path, "rb") as file:
                data = file.read()
            # A tag would turn the picture in the command alone, and of damaged files each keeps another part.
            if orientation(path) != 1 or not isinstance(djpeg(path), numpy.ndarray):
                continue
            for turn, theirs in TURNS.items():
                score.add(f"{short(path)} {' '.join(turn)}", compare_turn(digest, folder, path, data, turn, theirs))
    return score


def compare_turn(digest, folder, path, data, turn, theirs):
    ours, wanted = os.path.join(folder, "ours.jpg"), os.path.join(folder, "wanted.jpg")
    for name in (ours, wanted):
        if os.path.exists(name):
            os.remove(name)
    options = ["-progressive"] if any(marker == 0xC2 for marker, _ in segments(data)) else []
    made = subprocess.run(
        [CODERS, "convert", "--plugin-dir", digest.plugins, "--lossless", *turn, path, ours], capture_output=True,
        text=True, check=False)
    subprocess.run(
        ["jpegtran", "-copy", "none", "-optimize", "-perfect", *options, *theirs, "-outfile", wanted, path],
        capture_output=True, check=False)
    size = turn[1].split("+")[0] if turn[0] == "--crop" else None
    # jpegtran moves the corner of a part to where it can begin and makes the part larger, and makes up what is outside.
    is_refused = not os.path.exists(wanted) or size is not None and (
        "x".join(map(str, dimensions(wanted))) != size
        or any(side < least for side, least in zip(dimensions(path), dimensions(wanted))))
    if made.returncode != 0:
        return None if is_refused else made.stderr.strip()
    if is_refused:
        return "jpegtran refuses"
    return None if scans(ours) == scans(wanted) else "other coefficients"


def dimensions(path):
    with Image.open(path) as image:
        return image.size


def orientation(path):
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(path) as image:
            return image.getexif().get(274, 1)
    except Exception:
        return 0


def segments(data):
    """Markers before the first scan, and where they are; metadata may hold bytes that look like others."""
    place = 2
    while place + 4 <= len(data) and data[place] == 0xFF and data[place + 1] != 0xDA:
        yield data[place + 1], place
        place += 2 + int.from_bytes(data[place + 2:place + 4], "big")


def precision(path):
    """Bits of a sample, or None for a file without a frame header."""
    with open(path, "rb") as file:
        data = file.read()
    frames = [place for marker, place in segments(data) if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC)]
    return data[frames[0] + 4] if frames else None


def scans(path):
    """From the first quantization table to the end of the first picture: what follows is a gain map of its own."""
    with open(path, "rb") as file:
        data = file.read()
    places = list(segments(data))
    end = data.index(b"\xff\xd9", places[-1][1])
    return data[next(place for marker, place in places if marker == 0xDB):end]


def short(path):
    return "/".join(path.split("/")[-3:])
