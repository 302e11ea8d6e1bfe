# SPDX-License-Identifier: Apache-2.0
"""PNG: PngSuite against pypng, which is written in Python and shares nothing with libpng; APNG against Pillow."""

import glob

import numpy
import png
from PIL import Image

from apng import composed
from score import Score, difference, visible

# Files of which nothing but a checksum is wrong. The rows are right and are handed out, with the problem named.
CHECKSUM_ONLY = {"xcsn0g01.png", "xhdn0g08.png"}


def run(digest, corpora):
    return [*png_suite(digest, corpora), apng(digest, corpora)]


def png_suite(digest, corpora):
    valid = Score("PngSuite, valid", "pypng, exact at the file's depth")
    invalid = Score("PngSuite, x* refused", "must be an error")
    paths = sorted(glob.glob(f"{corpora}/deb/libspng/*/tests/images/*.png"))
    for result in digest.run(paths, "--frames", "--format", "depth", "--as-stored"):
        if not result.name.startswith("x"):
            problem = result.said if result.outcome != "ok" else difference(
                result.pixels(), expand(png.Reader(filename=result.path)))
            valid.add(result.name, problem)
            continue
        reported = result.outcome == "partial" and result.name in CHECKSUM_ONLY
        if reported:
            invalid.note(f"{result.name}: its rows come with the problem {result.code}")
        refused = reported or result.outcome == "error"
        invalid.add(result.name, None if refused else f"{result.outcome}: {result.said}")
    return valid, invalid


def expand(reader):
    """A file's pixels as RGBA of 16 bits where it has 16, and of 8 bits elsewhere."""
    width, height, rows, info = reader.read()
    depth = info["bitdepth"]
    samples = numpy.array([list(row) for row in rows], dtype=numpy.int64).reshape(height, width, info["planes"])
    top = (1 << depth) - 1
    full = 65535 if depth == 16 else 255
    sample = numpy.uint16 if depth == 16 else numpy.uint8
    if reader.color_type == 3:
        palette = numpy.array([(*entry, 255)[:4] for entry in reader.palette()])
        return palette[samples[:, :, 0]].astype(numpy.uint8)
    alpha = numpy.full((height, width, 1), top)
    if info["alpha"]:
        samples, alpha = samples[:, :, :-1], samples[:, :, -1:]
    elif info.get("transparent") is not None:
        matches = (samples == numpy.array(info["transparent"])).all(axis=2, keepdims=True)
        alpha = numpy.where(matches, 0, top)
    if info["greyscale"]:
        samples = numpy.repeat(samples, 3, axis=2)
    # Samples of 1, 2 and 4 bits spread over 8 without a rest.
    return (numpy.concatenate([samples, alpha], axis=2) * full // top).astype(sample)


def apng(digest, corpora):
    """Each frame as Pillow composites it, or as the specification has it where Pillow does otherwise."""
    score = Score("Pillow's APNG files", "Pillow's frames, exact; where it departs, the specification's")
    paths = sorted(glob.glob(f"{corpora}/pypi/pillow/*/Tests/images/apng/*.png"))
    for result in digest.run(paths, "--frames", "--format", "depth"):
        problem = pillow_verdict(result)
        if problem:
            reason = standard_verdict(result)
            if reason is None:
                score.note(f"{result.name}: as specified; against Pillow, {problem}")
                problem = None
            else:
                problem += f"; against the specification, {reason}"
        score.add(result.name, problem)
    return score


def pillow_verdict(result):
    if result.outcome in ("crash", "hang"):
        return result.outcome
    try:
        frames, delays, loops = pillow_frames(result.path)
    except Exception as error:  # Pillow raises whatever its parser meets
        refused = result.outcome in ("error", "partial")
        return None if refused else f"accepted where Pillow says {type(error).__name__}: {error}"
    if result.outcome == "error":
        return f"{result.said} where Pillow shows {len(frames)} frames"
    if len(frames) != len(result.frames):
        return f"{len(result.frames)} frames where Pillow has {len(frames)} ({result.said})"
    for index, frame in enumerate(frames):
        found = result.pixels(index)
        if found.dtype == numpy.uint16:
            found = (found >> 8).astype(numpy.uint8)  # Pillow keeps the upper half of 16 bits
        problem = difference(visible(found), visible(frame))
        if problem:
            return f"frame {index}: {problem}"
        numerator, denominator = result.frames[index]["delay"]
        if len(frames) > 1 and abs(numerator / denominator * 1000 - delays[index]) > 0.01:
            return f"frame {index}: delay of {numerator}/{denominator} s where Pillow has {delays[index]} ms"
    if len(frames) > 1 and loops is not None and result.record["loopCount"] != loops:
        return f"{result.record['loopCount']} plays where Pillow has {loops}"
    return None


def standard_verdict(result):
    """An animation as it is specified; of a file whose animation is broken, the default picture."""
    if result.outcome in ("crash", "hang", "error"):
        return result.said
    if not result.record["isAnimated"]:
        return difference(result.pixels(), expand(png.Reader(filename=result.path)))
    plays, frames = composed(result.path, expand)
    if result.record["loopCount"] != plays:
        return f"{result.record['loopCount']} plays where the file says {plays}"
    if len(frames) != len(result.frames):
        return f"{len(result.frames)} frames where there are {len(frames)}"
    for index, (delay, frame) in enumerate(frames):
        problem = difference(visible(result.pixels(index)), visible(frame))
        if problem:
            return f"frame {index}: {problem}"
        numerator, denominator = result.frames[index]["delay"]
        if abs(numerator / denominator - delay) > 1e-6:
            return f"frame {index}: delay of {numerator}/{denominator} s where the file says {delay} s"
    return None


def pillow_frames(path):
    frames, delays = [], []
    with Image.open(path) as image:
        first = 1 if image.info.get("default_image") else 0
        loops = image.info.get("loop")
        for index in range(first, getattr(image, "n_frames", 1)):
            image.seek(index)
            image.load()
            delays.append(image.info.get("duration", 0))
            frames.append(numpy.asarray(image.convert("RGBA")))
        if not frames:
            frames.append(numpy.asarray(image.convert("RGBA")))
    return frames, delays, loops
