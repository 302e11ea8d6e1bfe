# SPDX-License-Identifier: Apache-2.0
"""OpenEXR: its own module for Python, exact in floating point."""

import glob

import numpy
import OpenEXR

from score import Score
from suite_jpeg import short

# What the module does not read, or reads otherwise: docs/quirks.md.
CHROMA = {"sample.exr", "comp_b44.exr"}


def run(digest, corpora):
    score = Score("OpenEXR", "OpenEXR 3.5 for Python, exact in floating point")
    paths = sorted(path for path in glob.glob(f"{corpora}/**/*.exr", recursive=True) if is_picture(path))
    for result in digest.run(paths, "--format", "rgba-float32", "--as-stored"):
        wanted = None if result.name in CHROMA else expected(result.path)
        if result.name in CHROMA:
            score.note(f"{short(result.path)}: chroma, which the module leaves as it is")
        elif wanted is None:
            score.note(f"{short(result.path)}: refused by the module; here {result.said}")
        elif result.outcome != "ok":
            score.add(short(result.path), result.said)
        elif numpy.allclose(*finite(result.pixels(), wanted), rtol=1e-6, atol=0):
            score.add(short(result.path), None)
        else:
            score.add(short(result.path), "other pixels than those of the module")
    return [score]


def finite(found, wanted):
    """Light that is infinite, or none that alpha could be taken out of, is compared by no one."""
    return [numpy.where(numpy.isfinite(wanted), pixels, 0) for pixels in (found, wanted)]


def is_picture(path):
    """Python's own tests have scripts of that name."""
    with open(path, "rb") as file:
        return file.read(4) == bytes.fromhex("762f3101")


def expected(path):
    """Colors not multiplied by alpha, on the canvas; None for a file that the module does not read."""
    try:
        part = OpenEXR.File(path, separate_channels=True).parts[0]
    except (RuntimeError, IndexError):
        return None
    channels = part.channels
    layer = next((name[:-1] for name in ["R", *sorted(channels)] if name.endswith("R") and name in channels), "")
    colors = [channels.get(layer + name) for name in "RGBA"]
    if colors[:3] == [None] * 3:
        gray = channels.get("Y") or channels[sorted(channels)[0]]
        colors = [gray] * 3 + [channels.get("A") if "Y" in channels else None]
    shape = next(color for color in colors if color is not None).pixels.shape
    planes = [numpy.full(shape, index == 3) if color is None else color.pixels for index, color in enumerate(colors)]
    light = numpy.stack(planes, axis=-1).astype(numpy.float32)
    alpha = light[..., 3:]
    with numpy.errstate(invalid="ignore", divide="ignore", over="ignore"):
        light[..., :3] = numpy.where(alpha <= 0, 0, light[..., :3] / alpha)
    data, display = part.header["dataWindow"], part.header["displayWindow"]
    # A canvas, and where the data lie on it.
    (left, top), (right, bottom) = display
    out = numpy.zeros((bottom - top + 1, right - left + 1, 4), numpy.float32)
    x, y = data[0][0] - left, data[0][1] - top
    rows, columns = slice(max(y, 0), max(0, y + shape[0])), slice(max(x, 0), max(0, x + shape[1]))
    cut = light[max(-y, 0):, max(-x, 0):]
    room = out[rows, columns]
    room[:] = cut[: room.shape[0], : room.shape[1]]
    return out
