# SPDX-License-Identifier: Apache-2.0
"""Photoshop's files: what KImageFormats keeps beside its own, else ImageMagick, within 1 of 255."""

import glob
import os
import subprocess

import numpy

from score import Score, difference, visible
from suite_jpeg import short

# What neither has as it is here: docs/quirks.md.
KNOWN = {
    "argb16-raw-affinityphoto-1.8.5.psd": "transparency over white, which KImageFormats leaves in",
    "gray0.psd": "transparency over white, which ImageMagick leaves in for gray",
    "laba_8bit.psd": "Lab, converted otherwise by both",
    "laba_16bit.psd": "Lab, converted otherwise by both",
}


def run(digest, corpora):
    score = Score("PSD", "KImageFormats' PNG, else ImageMagick, ±1")
    paths = sorted(
        path for extension in ("psd", "psb") for path in glob.glob(f"{corpora}/**/*.{extension}", recursive=True)
        if is_photoshop(path))
    for result in digest.run(paths, "--format", "rgba16", "--as-stored"):
        wanted = expected(result.path)
        if result.name in KNOWN:
            score.note(f"{short(result.path)}: {KNOWN[result.name]}")
        elif result.outcome != "ok" and result.code == "unsupported":
            score.note(f"{short(result.path)}: {result.said}")
        elif wanted is None:
            score.add(short(result.path), "decoded without a word" if result.outcome == "ok" else None)
        elif result.outcome != "ok":
            score.add(short(result.path), result.said)
        else:
            score.add(short(result.path), difference(visible(result.pixels()), visible(wanted), 257))
    return [score]


def is_photoshop(path):
    with open(path, "rb") as file:
        return file.read(4) == b"8BPS"


def expected(path):
    """RGBA of 16 bits; None where ImageMagick refuses the file."""
    beside = os.path.splitext(path)[0] + ".png"
    # Pillow keeps other pictures under such names.
    source = beside if "kimageformats" in path and os.path.exists(beside) else path + "[0]"
    size = subprocess.run(["/usr/bin/identify", "-format", "%w %h", source], capture_output=True).stdout.split()
    read = subprocess.run(["/usr/bin/convert", source, "-depth", "16", "rgba:-"], capture_output=True).stdout
    if len(size) != 2 or len(read) != int(size[0]) * int(size[1]) * 8:
        return None
    return numpy.frombuffer(read, numpy.uint16).reshape(int(size[1]), int(size[0]), 4)
