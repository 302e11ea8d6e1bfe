# SPDX-License-Identifier: Apache-2.0
"""Radiance HDR: imagecodecs' decoder, exact in floating point."""

import glob

import imagecodecs
import numpy

from score import Score
from suite_jpeg import short


def run(digest, corpora):
    score = Score("Radiance HDR", "imagecodecs, exact in floating point")
    paths = sorted(path for path in glob.glob(f"{corpora}/**/*.hdr", recursive=True) if is_picture(path))
    for result in digest.run(paths, "--format", "rgba-float32", "--as-stored"):
        wanted = light(result.path)
        if result.outcome != "ok":
            score.add(short(result.path), result.said)
        elif numpy.array_equal(result.pixels()[:, :, :3], wanted):
            score.add(short(result.path), None)
        else:
            score.add(short(result.path), "other pixels than those of imagecodecs")
    return [score]


def is_picture(path):
    """Other formats have headers of that name: those of ECAT and Analyze."""
    with open(path, "rb") as file:
        return file.read(2) == b"#?"


def light(path):
    """What the decoder says, divided by the exposures, which it leaves to its callers."""
    with open(path, "rb") as file:
        data = file.read()
    exposure = 1.0
    for line in data.split(b"\n\n", 1)[0].split(b"\n"):
        if line.startswith(b"EXPOSURE="):
            exposure *= float(line.split(b"=", 1)[1])
    return imagecodecs.rgbe_decode(data) / numpy.float32(exposure)
