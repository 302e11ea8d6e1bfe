# SPDX-License-Identifier: Apache-2.0
"""HEIF: libheif's heif-convert for pixels, heif-info for what is in a file."""

import glob
import os
import re
import subprocess
import tempfile
from unittest.mock import patch

import numpy
import png
from PIL import Image

from score import Score, difference
from suite_jpeg import short

# Pictures that other coders read: these are sequences whose brand is msf1.
SEQUENCES = {"bird_burst.heic"}

# heif-convert gives no picture, or another one, for a reason that is known.
EXPLAINED = {
    "invalid_id.heic": "the primary item is marked as a thumbnail too: heif-convert leaves it out, here it is shown",
    "newlogoCCW.heic": "heif-convert stops at the color profile when it writes its PNG",
    "truncated.heic": "its last item, Exif, is cut, so that libheif opens nothing of it; the picture is whole",
}


def run(digest, corpora):
    paths = sorted(
        path for suffix in ("heic", "heif", "hif")
        for path in glob.glob(f"{corpora}/**/*.{suffix}", recursive=True)
        if os.path.basename(path) not in SEQUENCES)
    valid = Score("HEIF, valid", "heif-convert, ±2 in color at the file's depth, alpha exact")
    refused = Score("HEIF, heif-convert refuses", "an error, or a part with a problem")
    with tempfile.TemporaryDirectory() as folder:
        for result in digest.run(paths, "--format", "depth"):
            if result.name in EXPLAINED:
                valid.note(f"{short(result.path)}: {EXPLAINED[result.name]}; here {result.outcome}")
                continue
            wanted, bits = converted(result.path, folder)
            if wanted is None:
                problem = None if result.outcome in ("error", "partial") else "decoded without a word"
                refused.add(short(result.path), problem)
                continue
            if result.outcome != "ok":
                valid.add(short(result.path), result.said)
                continue
            valid.add(short(result.path), verdict(result.pixels(), wanted, bits))
    return [valid, refused]


# Rows that are compared at a time: the largest picture has 200 million pixels.
STRIP = 256


def verdict(found, wanted, bits):
    if found.shape != wanted.shape:
        return difference(found, wanted)
    for first in range(0, found.shape[0], STRIP):
        problem = strip_verdict(found[first : first + STRIP], wanted[first : first + STRIP], bits)
        if problem:
            return f"from row {first} on, {problem}"
    return None


def strip_verdict(found, wanted, bits):
    if bits > 8:
        top = (1 << bits) - 1
        # Samples of the file's depth, which heif-convert shifts up and we scale.
        wanted = wanted.astype(numpy.int64) >> (16 - bits)
        found = (found.astype(numpy.int64) * top + 32767) // 65535
    problem = difference(found[:, :, 3:], wanted[:, :, 3:])
    if problem:
        return f"alpha: {problem}"
    return difference(found, wanted, tolerance=2)


def converted(path, folder):
    """RGBA as heif-convert has the primary picture, and its depth; (None, 0) when it refuses."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    output = os.path.join(folder, "out.png")
    try:
        done = subprocess.run(["heif-convert", path, output], capture_output=True, timeout=120)
        listed = subprocess.run(["heif-info", path], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None, 0
    if done.returncode != 0 and not os.listdir(folder):
        return None, 0
    images = re.findall(r"^image: .*$", listed.stdout.decode(errors="replace"), re.MULTILINE)
    primary = next((index for index, line in enumerate(images) if "primary" in line), 0)
    written = [os.path.join(folder, f"out-{primary + 1}.png"), output]
    for name in written:
        # heif-convert leaves an empty file behind when it fails.
        if os.path.exists(name) and os.path.getsize(name) > 0:
            return expand(name), depth(path)
    return None, 0


def depth(path):
    """Bits of the picture's samples: what its pixi property says, else 8."""
    with open(path, "rb") as file:
        data = file.read(1 << 16)
    place = data.find(b"pixi")
    return data[place + 9] if place >= 0 else 8


def expand(path):
    """A PNG's samples as RGBA."""
    # Only here: other suites leave bombs to Pillow.
    with patch.object(Image, "MAX_IMAGE_PIXELS", None), Image.open(path) as image:
        if image.mode in ("RGB", "RGBA", "L") and image.tile[0][3] in ("RGB", "RGBA", "L"):
            return numpy.asarray(image.convert("RGBA"))
    width, height, rows, info = png.Reader(filename=path).asDirect()
    sample = numpy.uint16 if info["bitdepth"] == 16 else numpy.uint8
    samples = numpy.array([numpy.frombuffer(row, sample) if isinstance(row, bytes) else row for row in rows], sample)
    samples = samples.reshape(height, width, info["planes"])
    if info["greyscale"]:
        gray = numpy.repeat(samples[:, :, :1], 3, axis=2)
        samples = numpy.concatenate([gray, samples[:, :, 1:]], axis=2)
    if samples.shape[2] == 3:
        opaque = numpy.full((height, width, 1), numpy.iinfo(sample).max, sample)
        samples = numpy.concatenate([samples, opaque], axis=2)
    return samples
