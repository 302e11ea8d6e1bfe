# SPDX-License-Identifier: Apache-2.0
"""SVG: rsvg-convert at the drawing's own size, within 1 of 255 of premultiplied samples."""

import glob
import io
import subprocess

import numpy
from PIL import Image

from score import Score, difference
from suite_jpeg import short

# Sides that rsvg-convert takes from what is drawn, and CSS from 300×150: docs/quirks.md.
BY_CONTENT = "a size that rsvg-convert takes from what is drawn"


def run(digest, corpora):
    score = Score("SVG", "rsvg-convert, ±1 premultiplied")
    paths = sorted(path for ending in ("svg", "svgz") for path in glob.glob(f"{corpora}/**/*.{ending}", recursive=True))
    for result in digest.run(paths, "--format", "rgba8", "--as-stored"):
        wanted = expected(result.path)
        if wanted is None or result.outcome != "ok":
            score.add(short(result.path), None if wanted is None and result.outcome == "error" else result.said)
            continue
        found = premultiplied(result.pixels())
        if found.shape != wanted.shape and states_no_size(result.path):
            score.note(f"{short(result.path)}: {BY_CONTENT}")
        else:
            score.add(short(result.path), difference(found, premultiplied(wanted), 1))
    return [score]


def premultiplied(pixels):
    color = pixels[:, :, :3].astype(int) * pixels[:, :, 3:] / 255
    return numpy.concatenate([numpy.rint(color), pixels[:, :, 3:]], axis=2)


def states_no_size(path):
    with open(path, "rb") as file:
        return b"viewBox" not in file.read()


def expected(path):
    """RGBA; None where rsvg-convert refuses the file. From standard input, a file has no neighbors that are loaded."""
    with open(path, "rb") as file:
        drawn = subprocess.run(["rsvg-convert"], stdin=file, capture_output=True)
    if drawn.returncode != 0 or not drawn.stdout:
        return None
    return numpy.asarray(Image.open(io.BytesIO(drawn.stdout)).convert("RGBA"))
