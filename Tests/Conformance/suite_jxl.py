# SPDX-License-Identifier: Apache-2.0
"""JPEG XL: libjxl's own decompressor, whose samples as floating point are rounded here."""

import glob
import os
import subprocess
import tempfile

import numpy

from score import Score, difference
from suite_jpeg import short


def run(digest, corpora):
    paths = sorted(glob.glob(f"{corpora}/**/*.jxl", recursive=True))
    expected = {path: djxl(path) for path in paths}
    readable = [path for path in paths if expected[path] is not None]
    return [compared(digest, readable, expected), refused(digest, [path for path in paths if expected[path] is None])]


def djxl(path):
    """Frames × height × width × channels, from 0 to 1 and upright, or None for a file that djxl refuses."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.npy")
        done = subprocess.run(["djxl", "--quiet", path, output], capture_output=True)
        if done.returncode != 0 or not os.path.exists(output):
            return None
        return numpy.load(output)


def compared(digest, paths, expected):
    """Whole numbers of at most 8 bits as RGBA of 8 bits, all others as RGBA of 16."""
    score = Score("JPEG XL", "djxl, exact")
    for result in digest.run(paths, "--frames", "--format", "depth"):
        score.add(short(result.path), result.said if result.outcome != "ok" else verdict(result, expected[result.path]))
    return score


def verdict(result, wanted):
    if len(result.frames) != len(wanted):
        return f"{len(result.frames)} frames where djxl has {len(wanted)}"
    for index, samples in enumerate(wanted):
        found = result.pixels(index)
        largest = numpy.iinfo(found.dtype).max
        samples = numpy.clip(rgba(samples, result.record["alpha"] != "opaque"), 0, 1)
        if result.record["pixelFormat"] == "rgba-float16":
            samples = samples.astype(numpy.float16).astype(numpy.float32)
        problem = difference(found, numpy.rint(samples * numpy.float32(largest)).astype(found.dtype))
        if problem:
            return f"frame {index}: {problem}"
    return None


def rgba(samples, has_alpha):
    """Gray three times, and an alpha of 1 where there is none; another extra channel may be in its place."""
    channels = samples.shape[2]
    color = samples[:, :, : 1 if channels < 3 else 3]
    if channels < 3:
        color = numpy.repeat(color, 3, axis=2)
    alpha = samples[:, :, -1:] if has_alpha and channels in (2, 4) else numpy.ones_like(samples[:, :, :1])
    return numpy.concatenate([color, alpha], axis=2)


def refused(digest, paths):
    score = Score("JPEG XL, djxl refuses", "an error, or a part with a problem")
    for result in digest.run(paths):
        score.add(short(result.path), "decoded without a word" if result.outcome == "ok" else None)
    return score
