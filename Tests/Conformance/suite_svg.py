# SPDX-License-Identifier: Apache-2.0
"""SVG: rsvg-convert at the drawing's own size, within 1 of 255 of premultiplied samples."""

import glob
import io
import subprocess

import numpy
from PIL import Image

from score import Score, difference
from suite_jpeg import short

# Sides that rsvg-convert takes from what is drawn, and CSS from 300×150: docs/quirks.md. Where nothing is drawn, or too much, it refuses.
BY_CONTENT = "a size that rsvg-convert takes from what is drawn"
REFUSALS = (b"has no dimensions", b"would be larger than")
# A side that is 0, or shorter than a pixel.
NO_SIDE = "sides of more than 0 are needed"


def run(digest, corpora):
    score = Score("SVG", "rsvg-convert, ±1 premultiplied")
    by_content = 0
    paths = sorted(path for ending in ("svg", "svgz") for path in glob.glob(f"{corpora}/**/*.{ending}", recursive=True))
    # Drawings that refer to themselves take both several seconds, and more where other work is done.
    seconds, digest.seconds = digest.seconds, 120
    for result in digest.run(paths, "--format", "rgba8", "--as-stored"):
        wanted, refusal = expected(result.path)
        if result.outcome == "ok" and any(words in refusal for words in REFUSALS):
            by_content += 1
        elif result.outcome == "error" and NO_SIDE in result.said and states_no_size(result.path):
            by_content += 1
        elif wanted is None or result.outcome != "ok":
            score.add(short(result.path), None if wanted is None and result.outcome == "error" else result.said)
        elif result.pixels().shape != wanted.shape and states_no_size(result.path):
            by_content += 1
        else:
            score.add(short(result.path), difference(premultiplied(result.pixels()), premultiplied(wanted), 1))
    digest.seconds = seconds
    if by_content:
        score.note(f"{by_content} files: {BY_CONTENT}")
    return [score]


def premultiplied(pixels):
    color = pixels[:, :, :3].astype(int) * pixels[:, :, 3:] / 255
    return numpy.concatenate([numpy.rint(color), pixels[:, :, 3:]], axis=2)


def states_no_size(path):
    with open(path, "rb") as file:
        return b"viewBox" not in file.read()


def expected(path):
    """RGBA, and what rsvg-convert says; None where it refuses the file. From standard input, a file has no neighbors that are loaded."""
    with open(path, "rb") as file:
        drawn = subprocess.run(["rsvg-convert"], stdin=file, capture_output=True)
    if drawn.returncode != 0 or not drawn.stdout:
        return None, drawn.stderr
    return numpy.asarray(Image.open(io.BytesIO(drawn.stdout)).convert("RGBA")), drawn.stderr
