# SPDX-License-Identifier: Apache-2.0
"""GIF: the suite of gdk-pixbuf with each frame's canvas, and giflib's own pictures."""

import configparser
import glob
import os

import numpy

from score import Score, difference, visible


def run(digest, corpora):
    return [gif_test_suite(digest, corpora), giflib(digest, corpora)]


def gif_test_suite(digest, corpora):
    """Every frame composited, its delay, and the number of plays."""
    score = Score("gif-test-suite", "its .conf and .rgba files, exact")
    listed = sorted(glob.glob(f"{corpora}/deb/gdk-pixbuf/*/tests/test-images/gif-test-suite/*.conf"))
    configurations = [configuration(path) for path in listed]
    # Some files are to be shown as animations although they have no delay.
    for forced, options in ((False, ()), (True, ("--parts",))):
        chosen = {
            os.path.join(os.path.dirname(path), configuration["config"]["input"]): configuration
            for path, configuration in zip(listed, configurations)
            if (configuration["config"]["force-animation"] == "yes") == forced}
        for result in digest.run(list(chosen), "--frames", "--format", "rgba8", *options):
            score.add(result.name, verdict(result, chosen[result.path]))
    return score


def configuration(path):
    parser = configparser.ConfigParser(interpolation=None)
    with open(path, encoding="utf-8") as file:
        parser.read_file(file)
    return parser


def verdict(result, expected):
    config = expected["config"]
    width, height = int(config["width"]), int(config["height"])
    frames = [name for name in config["frames"].split(",") if name.strip()]
    if result.outcome in ("crash", "hang"):
        return result.said
    if not frames:
        return None  # the suite has no picture of it, so that an end is all that can be asked for
    if result.outcome == "error":
        return result.said
    if result.record["canvas"] != [width, height]:
        return f"canvas of {result.record['canvas']} where {width}×{height} is expected"
    forced = config["force-animation"] == "yes"
    shown = [
        index for index, frame in enumerate(result.frames)
        if forced or frame["delay"][0] > 0 or index == len(result.frames) - 1]
    # The suite counts images that are shown for no time as parts of the next one, unless it says otherwise.
    if len(shown) != len(frames):
        return f"{len(shown)} frames where {len(frames)} are expected ({result.said})"
    # A file's number is that of repetitions after the first play; here are plays, with 0 for no end.
    loops = config["loop-count"]
    plays = 0 if loops == "infinite" else int(loops) + 1
    if not forced and result.record["loopCount"] != plays:
        return f"{result.record['loopCount']} plays where {plays} are expected"
    for index, name in zip(shown, frames):
        section = expected[name.strip()]
        path = os.path.join(os.path.dirname(result.path), section["pixels"])
        wanted = numpy.fromfile(path, dtype=numpy.uint8).reshape(height, width, 4)
        problem = difference(visible(result.pixels(index)), visible(wanted))
        if problem:
            return f"frame {index}: {problem}"
        numerator, denominator = result.frames[index]["delay"]
        delay = int(section.get("delay", "0")) * denominator
        if result.record["isAnimated"] and numerator * 100 != delay:
            return f"frame {index}: delay of {numerator}/{denominator} where {delay}/100 is expected"
    return None


def giflib(digest, corpora):
    """What giflib's gif2rgb made of them is kept beside them as RGB: all images over each other, so stills only."""
    score = Score("giflib's stills", "giflib's .rgb files, exact")
    root = glob.glob(f"{corpora}/deb/giflib/*")
    paths = sorted(path for folder in root for path in glob.glob(f"{folder}/pic/*.gif")
                   if os.path.exists(reference(path)))
    for result in digest.run(paths, "--format", "rgba8"):
        if result.outcome != "ok":
            score.add(result.name, result.said)
            continue
        if result.record["frameCount"] > 1:
            continue
        wanted = numpy.fromfile(reference(result.path), dtype=numpy.uint8)
        found = result.pixels(0)
        height, width, _ = found.shape
        if wanted.size != height * width * 3:
            score.add(result.name, f"{width}×{height} where {wanted.size} bytes are expected")
            continue
        # gif2rgb knows no transparency: only pixels that are opaque can be compared.
        opaque = found[:, :, 3:] == 255
        wanted = wanted.reshape(height, width, 3)
        score.add(result.name, difference(found[:, :, :3] * opaque, wanted * opaque))
    return score


def reference(path):
    folder, name = os.path.split(path)
    return os.path.join(os.path.dirname(folder), "tests", os.path.splitext(name)[0] + ".rgb")
