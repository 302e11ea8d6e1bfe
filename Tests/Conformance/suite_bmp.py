# SPDX-License-Identifier: Apache-2.0
"""BMP: bmpsuite and every other bitmap of the suites, against Pillow and a decoder written from the headers alone."""

import glob
import io
import os

import numpy
from PIL import Image

import bmp_reference
from score import Score, difference
from suite_jpeg import short

# In bmpsuite's folder of bad files are some with a wrong field that no decoder needs.
HARMLESS = {"badbitssize", "baddens1", "baddens2", "badfilesize", "badpalettesize", "badplanes"}

# Results that differ from every oracle, and why.
EXPLAINED = {
    "coloob.bmp": "the offset of the pixels is that of the palette's one color; no pixels follow it",
    "mmap_error.bmp": "the offset of the pixels is that of the palette, and they are where they have to be, after it",
}


def run(digest, corpora):
    everything = sorted(
        glob.glob(f"{corpora}/**/*.bmp", recursive=True) + glob.glob(f"{corpora}/**/*.dib", recursive=True))
    fuzzed = [path for path in everything if "/afl-bmp/" in path or "/ns-afl-bmp/" in path]
    suite = [path for path in everything if "/Tests/images/bmp/" in path]
    rest = [path for path in everything if path not in set(fuzzed) | set(suite)]

    def folder(name):
        return [path for path in suite if os.path.basename(os.path.dirname(path)) == name]

    return [
        exact(digest, folder("g"), Score("BMP, bmpsuite good", "bmpsuite's pictures and Pillow, exact")),
        exact(digest, folder("q"), Score("BMP, bmpsuite questionable", "Pillow or the headers' letter, exact")),
        bad(digest, folder("b")),
        exact(digest, rest, Score("BMP, other suites", "Pillow or the headers' letter, exact")),
        unharmed(digest, fuzzed),
    ]


def exact(digest, paths, score):
    for result in digest.run(paths, "--format", "rgba8", "--as-stored"):
        wanted = oracle(result.path)
        name = short(result.path)
        explained = EXPLAINED.get(os.path.basename(result.path))
        if explained and result.outcome not in ("crash", "hang"):
            score.note(f"{name}: {explained}")
        elif wanted is None:
            if result.outcome == "ok":
                score.note(f"{name}: decoded, and neither Pillow nor the letter of its header reads it")
            elif result.outcome in ("crash", "hang"):
                score.add(name, result.outcome)
            else:
                score.note(f"{name}: {result.said}")
        elif result.outcome != "ok":
            score.add(name, result.said)
        else:
            score.add(name, compared(result.pixels(), wanted, result.path, score))
    return score


def compared(found, wanted, path, score):
    """Pixels that runs pass over are transparent here, and Pillow's are of the palette's first color."""
    problem = difference(found, wanted)
    if problem and is_run_length(path) and found.shape == wanted.shape:
        over = found[:, :, 3] == 0
        if len(numpy.unique(wanted[over], axis=0)) == 1:
            score.note(f"{short(path)}: {int(over.sum())} pixels that the runs pass over are transparent")
            return difference(numpy.where(over[:, :, None], wanted, found), wanted)
    return problem


def is_run_length(path):
    with open(path, "rb") as file:
        return file.read(31)[30] in (1, 2)


def oracle(path):
    """bmpsuite's own picture, else the headers' letter, else Pillow."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) > 31 and data[30] in (4, 5) and data[14] >= 40:
        return picture(io.BytesIO(data[int.from_bytes(data[10:14], "little"):]))
    name = os.path.basename(path)[:-len(".bmp")].replace("rgb16-565pal", "rgb16-565")
    # Its pictures of palettes were made from other palettes, which differ by 1.
    own = os.path.join(os.path.dirname(path), "..", "html", name + ".png")
    if name.startswith("rgb") and os.path.exists(own):
        return picture(own)
    try:
        return bmp_reference.decode(data)
    except Exception:
        return picture(path)


def picture(source):
    try:
        with Image.open(source) as image:
            image.load()
            return numpy.asarray(image.convert("RGBA"))
    except Exception:
        return None


def bad(digest, paths):
    score = Score("BMP, bmpsuite bad", "an error, a part, or Pillow's picture; never a crash")
    for result in digest.run(paths, "--format", "rgba8", "--as-stored"):
        name = short(result.path)
        problem = result.outcome if result.outcome in ("crash", "hang") else None
        if result.outcome == "ok":
            wanted = picture(result.path)
            kind = os.path.basename(result.path)[:-len(".bmp")]
            if wanted is None or difference(result.pixels(), wanted):
                said = "harmless field" if kind in HARMLESS else "damage is read past"
                score.note(f"{name}: {said}, a picture without a word")
        score.add(name, problem)
    return score


def unharmed(digest, paths):
    score = Score("BMP, NetSurf's fuzzed files", "an answer within ten seconds")
    for result in digest.run(paths, raw=False):
        score.add(short(result.path), result.outcome if result.outcome in ("crash", "hang") else None)
    return score
