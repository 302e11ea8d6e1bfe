# SPDX-License-Identifier: Apache-2.0
"""TIFF: tifffile and imagecodecs with the conversions of the specification; libtiff's tiff2rgba for the rest."""

import glob
import logging
import os
import subprocess
import tempfile

import numpy
import tifffile
from PIL import Image

from digest import LAYOUTS
from score import Score, difference
from suite_jpeg import short
from tiff_colors import colors

LAYOUTS.setdefault("rgba-float32", (4, numpy.float32))
logging.getLogger("tifffile").setLevel(logging.CRITICAL)

# What may differ: libjpeg's rounding of color, and alpha that is multiplied out.
LOSSY, PREMULTIPLIED = 2, 1
# tiff2rgba writes a picture and says that it went well, whatever became of strips.
COMPLAINTS = (b"rror", b"Not enough data")


def run(digest, corpora):
    paths = sorted({
        os.path.realpath(path) for suffix in ("tif", "tiff", "TIF", "TIFF")
        for path in glob.glob(f"{corpora}/**/*.{suffix}", recursive=True)})
    exact = Score("TIFF, by tifffile", "tifffile's samples, exact; JPEG within 2")
    library = Score("TIFF, by libtiff", "tiff2rgba, within 2; the same library, not independent")
    refused = Score("TIFF, both refuse", "an error, or a part with a problem")
    for result in digest.run(paths, "--format", "native", "--as-stored"):
        name = short(result.path)
        if result.outcome in ("crash", "hang"):
            exact.add(name, result.outcome)
            continue
        wanted, tolerance = by_tifffile(result.path)
        if wanted is not None:
            judge(exact, result, wanted, tolerance)
            continue
        wanted = by_libtiff(result.path)
        if wanted is not None:
            judge(library, result, wanted, LOSSY)
        else:
            refused.add(name, "decoded without a word" if result.outcome == "ok" else None)
    return [exact, library, refused]


def judge(score, result, wanted, tolerance):
    name = short(result.path)
    problem = result.said if not result.frames else None
    if problem is None:
        problem = difference(spread(result.pixels(), wanted), wanted, tolerance)
    if problem is None and result.outcome != "ok":
        score.note(f"{name}: right, and reported: {result.said}")
    if problem and result.frames and score.oracle.startswith("tifffile"):
        second = by_libtiff(result.path)
        if second is not None and difference(spread(result.pixels(), second), second, LOSSY) is None:
            score.note(f"{name}: as tiff2rgba has it, the same library; against tifffile, {problem}")
            problem = None
    score.add(name, problem)


def spread(found, wanted):
    """Pixels as RGBA of the depth of the expected ones."""
    height, width, count = found.shape
    top = 1 if found.dtype == numpy.float32 else numpy.iinfo(found.dtype).max
    color = numpy.repeat(found[:, :, :1], 3, axis=2) if count <= 2 else found[:, :, :3]
    alpha = found[:, :, -1:] if count in (2, 4) else numpy.full((height, width, 1), top, found.dtype)
    result = numpy.concatenate([color, alpha], axis=2)
    if result.dtype == wanted.dtype:
        return result
    if result.dtype == numpy.float32:
        return (numpy.clip(result, 0, 1) * numpy.iinfo(wanted.dtype).max + 0.5).astype(wanted.dtype)
    return (result.astype(numpy.int64) * numpy.iinfo(wanted.dtype).max // top).astype(wanted.dtype)


def by_tifffile(path):
    """The first page that is no smaller version of another, as RGBA; and what may differ."""
    try:
        with tifffile.TiffFile(path) as file:
            page = first_page(file)
            if page.compression in (6, 34676, 34677) or not reasonable(page):
                return None, 0
            found = colors(page)
            if found is None:
                return None, 0
            lossy = page.compression in (7, 50001) or page.photometric in (6, 8, 9, 10)
            premultiplied = 1 in page.extrasamples
            return found, LOSSY if lossy else PREMULTIPLIED if premultiplied else 0
    except Exception:  # tifffile raises whatever its parsers meet
        return None, 0


def first_page(file):
    for index in range(16):  # the chain of directories may be a ring
        try:
            page = file.pages[index]
        except IndexError:
            break
        if not page.is_reduced and not page.is_mask:
            return page
    return file.pages[0]


def reasonable(page):
    """Whether tifffile may have a try: it takes memory for whatever a directory claims."""
    pixels = page.imagewidth * page.imagelength * page.samplesperpixel
    tile = page.tilewidth * page.tilelength * page.samplesperpixel if page.is_tiled else 0
    return max(pixels, tile) < 1 << 27 and len(page.dataoffsets) < 1 << 20


def by_libtiff(path):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.tif")
        done = subprocess.run(
                ["timeout", "20", "tiff2rgba", "-c", "none", path, output], capture_output=True)
        if done.returncode != 0 or not os.path.exists(output) or any(word in done.stderr for word in COMPLAINTS):
            return None
        try:
            with Image.open(output) as image:
                return numpy.asarray(image.convert("RGBA"))
        except Exception:
            return None
