# SPDX-License-Identifier: Apache-2.0
"""WebP: libwebp's own decompressor; animations as Pillow's copy of libwebp composites them."""

import glob
import os
import subprocess
import tempfile

import numpy
from PIL import Image

from score import Score, difference, visible
from suite_jpeg import short


def run(digest, corpora):
    paths = sorted(glob.glob(f"{corpora}/**/*.webp", recursive=True))
    stills, animations, broken = [], [], []
    for path in paths:
        frames = frame_count(path)
        (animations if frames > 1 else stills if frames == 1 else broken).append(path)
    return [still(digest, stills), animated(digest, animations), refused(digest, broken)]


def frame_count(path):
    try:
        with Image.open(path) as image:
            image.load()
            return getattr(image, "n_frames", 1)
    except Exception:
        return 0


def still(digest, paths):
    score = Score("WebP, still", "dwebp, exact")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.pam")
        for result in digest.run(paths, "--format", "rgba8", "--as-stored"):
            done = subprocess.run(
                ["dwebp", "-quiet", "-nodither", "-pam", result.path, "-o", output], capture_output=True)
            if done.returncode != 0:
                wanted = pillow(result.path)
                score.note(f"{short(result.path)}: dwebp does not read it, compared with Pillow")
            else:
                wanted = pam(output)
            score.add(
                short(result.path), result.said if result.outcome != "ok" else difference(result.pixels(), wanted))
    return score


def pam(path):
    with open(path, "rb") as file:
        header, rest = file.read().split(b"ENDHDR\n", 1)
    fields = dict(line.split(b" ", 1) for line in header.split(b"\n") if b" " in line)
    return numpy.frombuffer(rest, dtype=numpy.uint8).reshape(int(fields[b"HEIGHT"]), int(fields[b"WIDTH"]), -1)


def pillow(path):
    with Image.open(path) as image:
        return numpy.asarray(image.convert("RGBA"))


def animated(digest, paths):
    score = Score("WebP, animated", "libwebp's WebPAnimDecoder through Pillow, ±1 where frames blend")
    for result in digest.run(paths, "--frames", "--format", "rgba8"):
        score.add(short(result.path), animation_verdict(result))
    return score


def animation_verdict(result):
    if result.outcome != "ok":
        return result.said
    with Image.open(result.path) as image:
        if image.n_frames != len(result.frames):
            return f"{len(result.frames)} frames where Pillow has {image.n_frames}"
        if image.info.get("loop", 0) != result.record["loopCount"]:
            return f"{result.record['loopCount']} plays where Pillow has {image.info.get('loop')}"
        for index in range(image.n_frames):
            image.seek(index)
            image.load()
            wanted = visible(numpy.asarray(image.convert("RGBA")))
            problem = difference(visible(result.pixels(index)), wanted, tolerance=1)
            if problem:
                return f"frame {index}: {problem}"
            numerator, denominator = result.frames[index]["delay"]
            if numerator * 1000 != image.info["duration"] * denominator:
                return f"frame {index}: delay of {numerator}/{denominator} s, Pillow has {image.info['duration']} ms"
    return None


def refused(digest, paths):
    score = Score("WebP, libwebp refuses", "an error, or a part with a problem")
    for result in digest.run(paths):
        score.add(short(result.path), "decoded without a word" if result.outcome == "ok" else None)
    return score
