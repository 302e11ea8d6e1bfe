# SPDX-License-Identifier: Apache-2.0
"""HEIC image sequences: planes by ffmpeg's decoder, colors by H.273 in floating point, times by ffprobe."""

import fractions
import glob
import json
import os
import subprocess
import tempfile

import numpy

from score import Score, difference
from suite_heif import converted

# Kr and Kb; what ffprobe calls them
WEIGHTS = {"bt709": (0.2126, 0.0722), "bt2020nc": (0.2627, 0.0593)}
BT601 = (0.299, 0.114)
EXTENSIONS = ("heic", "heics", "heif", "heifs", "hif", "avif", "avifs")
BRANDS = {b"hevc", b"hevx", b"hevm", b"hevs", b"msf1"}


def run(digest, corpora):
    paths = sorted(path for kind in EXTENSIONS for path in glob.glob(f"{corpora}/**/*.{kind}", recursive=True))
    sequences = [path for path in paths if has_movie(path)]
    theirs = [path for path in sequences if codec(path) == "hevc"]
    others = [path for path in paths if path not in theirs and named(path)]
    return [animated(digest, theirs), passed_on(digest, others)]


def boxes(path):
    """Names and payloads of a file's boxes, of the movie no more than its place."""
    with open(path, "rb") as file:
        size = os.path.getsize(path)
        place = 0
        while place + 8 <= size:
            file.seek(place)
            head = file.read(16)
            length = int.from_bytes(head[:4], "big")
            start = 16 if length == 1 else 8
            length = int.from_bytes(head[8:16], "big") if length == 1 else length or size - place
            if length < start:
                return
            file.seek(place + start)
            yield head[4:8], file.read(min(length - start, 256))
            place += length


def has_movie(path):
    return any(name == b"moov" for name, _ in boxes(path))


def named(path):
    """Whether a file names a brand of sequences in HEVC."""
    for name, payload in boxes(path):
        if name == b"ftyp":
            brands = {payload[i : i + 4] for i in range(0, len(payload), 4) if i != 4}
            return bool(brands & BRANDS)
    return False


def probe(path, *options):
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "json", *options, path], capture_output=True)
    return json.loads(done.stdout or b"{}")


def codec(path):
    streams = probe(path, "-show_streams").get("streams") or [{}]
    return streams[0].get("codec_name")


def animated(digest, paths):
    score = Score("HEICS", "ffmpeg's planes, H.273 in floating point, ±1; times of ffprobe")
    for result in digest.run(paths, "--frames", "--format", "rgba8", "--as-stored"):
        score.add(os.path.basename(result.path), verdict(result))
    return score


def verdict(result):
    if result.outcome != "ok":
        return result.said
    stream = probe(result.path, "-show_streams")["streams"][0]
    if stream["pix_fmt"] not in ("yuv420p", "yuvj420p"):
        return f"the oracle does not know {stream['pix_fmt']}"
    width, height = stream["width"], stream["height"]
    planes = subprocess.run(
        ["ffmpeg", "-v", "error", "-ignore_editlist", "1", "-i", result.path, "-map", "0:v:0", "-vsync", "passthrough",
         "-f", "rawvideo", "-"], capture_output=True, check=True).stdout
    size = width * height * 3 // 2
    if len(planes) != size * len(result.frames):
        return f"{len(result.frames)} frames where ffmpeg has {len(planes) / size}"
    packets = probe(result.path, "-ignore_editlist", "1", "-show_packets")["packets"]
    base = fractions.Fraction(stream["time_base"])
    times = sorted(int(packet["pts"]) for packet in packets)
    for index, frame in enumerate(result.frames):
        wanted = colors(planes[index * size : (index + 1) * size], width, height, stream)
        problem = difference(result.pixels(index), wanted, tolerance=1)
        if problem:
            return f"frame {index}: {problem}"
        delay = fractions.Fraction(*frame["delay"])
        if index + 1 < len(times) and delay != (times[index + 1] - times[index]) * base:
            return f"frame {index}: delay of {delay} s, ffprobe has {(times[index + 1] - times[index]) * base}"
    return None


def colors(data, width, height, stream):
    """RGBA of 4:2:0 planes; each chroma sample counts for four pixels."""
    samples = numpy.frombuffer(data, numpy.uint8).astype(numpy.float64)
    luma = samples[: width * height].reshape(height, width)
    chroma = samples[width * height :].reshape(2, height // 2, width // 2).repeat(2, 1).repeat(2, 2)
    if stream.get("color_range") == "pc":
        y, (cb, cr) = luma / 255, (chroma - 128) / 255
    else:
        y, (cb, cr) = (luma - 16) / 219, (chroma - 128) / 224
    red, blue = WEIGHTS.get(stream.get("color_space"), BT601)
    green = 1 - red - blue
    r = y + 2 * (1 - red) * cr
    b = y + 2 * (1 - blue) * cb
    g = (y - red * r - blue * b) / green
    result = numpy.stack([r, g, b, numpy.ones_like(r)], axis=-1) * 255
    return numpy.clip(numpy.rint(result), 0, 255).astype(numpy.uint8)


def passed_on(digest, paths):
    """Stills and sequences in AV1 that name a brand of ours: another coder must get its chance."""
    score = Score("HEICS, for other coders", "wrongFormat, another coder's answer, or an error as heif-convert's")
    for result in digest.run(paths):
        read_here = result.record.get("format") == "public.heics"
        passes = result.code in ("wrongFormat", "unsupported", "noCoder") or result.outcome == "ok" and not read_here
        if not passes and result.outcome == "error":
            with tempfile.TemporaryDirectory() as folder:
                passes = converted(result.path, folder)[0] is None
        score.add(os.path.basename(result.path), None if passes else result.said)
    return score
