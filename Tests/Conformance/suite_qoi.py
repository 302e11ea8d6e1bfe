# SPDX-License-Identifier: Apache-2.0
"""QOI: Pillow's decoder, exact."""

import glob

import numpy
from PIL import Image

from score import Score, difference
from suite_jpeg import short

def run(digest, corpora):
    score = Score("QOI", "Pillow, exact")
    for result in digest.run(
            sorted(glob.glob(f"{corpora}/**/*.qoi", recursive=True)), "--format", "rgba8", "--as-stored"):
        with Image.open(result.path) as image:
            wanted = numpy.asarray(image.convert("RGBA"))
        score.add(short(result.path), result.said if result.outcome != "ok" else difference(result.pixels(), wanted))
    return [score]
