# SPDX-License-Identifier: Apache-2.0
"""AVIF: planes and frames as libavif's avifdec and Pillow's own copy of libavif have them."""

import glob
import os
import subprocess
import tempfile

import numpy
from PIL import Image

from score import Score, difference, visible
from suite_jpeg import short

# What each orientation does to a stored picture (Exif 2.32, section 4.6.4 A).
UPRIGHT = {
    1: lambda a: a, 2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1], 4: lambda a: a[::-1],
    5: lambda a: a.transpose(1, 0, 2), 6: lambda a: a[::-1].transpose(1, 0, 2),
    7: lambda a: a[::-1, ::-1].transpose(1, 0, 2), 8: lambda a: a.transpose(1, 0, 2)[::-1],
}


def run(digest, corpora):
    paths = sorted(path for end in ("avif", "avifs") for path in glob.glob(f"{corpora}/**/*.{end}", recursive=True))
    frames = {path: frame_count(path) for path in paths}
    return [
        stills(digest, [path for path in paths if frames[path] == 1]),
        turned(digest, [path for path in paths if frames[path] == 1]),
        sequences(digest, [path for path in paths if frames[path] > 1]),
        others(digest, [path for path in paths if frames[path] == 0]),
    ]


def frame_count(path):
    try:
        with Image.open(path) as image:
            image.load()
            return image.n_frames
    except Exception:
        return 0


def avifdec(path):
    """Pixels as they are stored, before irot and imir; avifdec turns nothing."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.png")
        done = subprocess.run(["avifdec", "--no-strict", "--ignore-icc", path, output], capture_output=True)
        if done.returncode != 0:
            return None
        with Image.open(output) as image:
            return numpy.asarray(image.convert("RGBA"))


def stills(digest, paths):
    score = Score("AVIF, still", "avifdec, exact")
    for result in digest.run(paths, "--format", "rgba8", "--as-stored"):
        wanted = avifdec(result.path)
        if result.outcome != "ok" or wanted is None:
            score.add(short(result.path), result.said if result.outcome != "ok" else "avifdec does not read it")
            continue
        score.add(short(result.path), difference(visible(result.pixels()), visible(wanted)))
    return score


def turned(digest, paths):
    score = Score("AVIF, upright", "Pillow's libavif and its orientation, ±2")
    for result in digest.run(paths, "--format", "rgba8"):
        if result.outcome != "ok":
            score.add(short(result.path), result.said)
            continue
        with Image.open(result.path) as image:
            # Pillow states irot and imir as Exif; what an XMP packet says besides is not asked for.
            exif = Image.Exif()
            exif.load(image.info.get("exif", b""))
            orientation = exif.get(0x0112, 1)
            wanted = UPRIGHT[orientation](numpy.asarray(image.convert("RGBA")))
        score.add(short(result.path), difference(visible(result.pixels()), visible(wanted), tolerance=2))
    return score


def sequences(digest, paths):
    score = Score("AVIF, sequences", "Pillow's libavif, ±2, delays to the millisecond")
    for result in digest.run(paths, "--frames", "--format", "rgba8"):
        score.add(short(result.path), sequence_verdict(result))
    return score


def sequence_verdict(result):
    if result.outcome != "ok":
        return result.said
    with Image.open(result.path) as image:
        if image.n_frames != len(result.frames):
            return f"{len(result.frames)} frames where Pillow has {image.n_frames}"
        for index in range(image.n_frames):
            image.seek(index)
            image.load()
            problem = difference(visible(result.pixels(index)), visible(numpy.asarray(image.convert("RGBA"))), 2)
            if problem:
                return f"frame {index}: {problem}"
            numerator, denominator = result.frames[index]["delay"]
            if abs(numerator * 1000 / denominator - image.info["duration"]) > 0.5:
                return f"frame {index}: {numerator}/{denominator} s, Pillow has {image.info['duration']} ms"
    return None


def others(digest, paths):
    """Files that libavif refuses and libheif reads, or nobody. libheif repeats chroma, so edges differ."""
    score = Score("AVIF, Pillow refuses", "heif-convert, at most 2 in the mean, or an error")
    for result in digest.run(paths, "--format", "rgba8"):
        wanted = heif_convert(result.path)
        if wanted is None:
            score.add(short(result.path), "decoded without a word" if result.outcome == "ok" else None)
        elif result.outcome != "ok":
            score.add(short(result.path), result.said)
        else:
            distance = abs(visible(result.pixels()).astype(int) - visible(wanted).astype(int)).mean()
            score.add(short(result.path), None if distance <= 2 else f"differs by {distance:.1f} in the mean")
    return score


def heif_convert(path):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.png")
        done = subprocess.run(["heif-convert", path, output], capture_output=True)
        if done.returncode != 0 or not os.path.exists(output):
            return None
        with Image.open(output) as image:
            return numpy.asarray(image.convert("RGBA"))
