# SPDX-License-Identifier: Apache-2.0
"""Apple icons, page by page: icns2png for what they store themselves, Pillow for the files inside them."""

import glob
import io
import os
import struct
import subprocess
import tempfile

import numpy
from PIL import Image

from score import Score, difference, visible
from suite_jpeg import short

FILES = (b"\x89PNG\r\n\x1a\n", b"\0\0\0\x0cjP  \r\n\x87\n")
VARIANTS = (b"tile", b"over", b"open", b"drop", b"odrp")
# Width, height and bits of what icons store themselves; icns2png calls planes with their mask 32 bits.
SIDES = {b"icm": (16, 12), b"ics": (16, 16), b"icl": (32, 32), b"ICN": (32, 32), b"ich": (48, 48)}
PLANES = {b"is32": 16, b"il32": 32, b"ih32": 48, b"it32": 128}


def run(digest, corpora):
    score = Score("ICNS, every page", "icns2png and Pillow, exact where visible")
    for result in digest.run(
            sorted(glob.glob(f"{corpora}/**/*.icns", recursive=True)), "--pages", "--format", "rgba8", "--as-stored"):
        wanted = pages(result.path)
        if not wanted:
            score.add(short(result.path), "decoded without a word" if result.outcome == "ok" else None)
        elif result.outcome not in ("ok", "partial"):
            score.add(short(result.path), result.said)
        elif len(wanted) != len(result.frames):
            score.add(short(result.path), f"{len(result.frames)} pages where {len(wanted)} are expected")
        else:
            for index, (frame, picture) in enumerate(zip(result.frames, wanted)):
                name = f"{short(result.path)}, page {index}"
                if picture is None:
                    # Their JPEG 2000 decoders are not ours: what they give up may decode here.
                    if "error" not in frame:
                        score.note(f"{name}: decodes here, and neither icns2png nor Pillow reads it")
                    score.add(name, None)
                elif "error" in frame:
                    score.add(name, f"{frame['error']['code']}: {frame['error']['message']}")
                else:
                    score.add(name, difference(visible(result.pixels(index)), visible(picture)))
    return [score]


def elements(data):
    """Types and data in their order; those of the variants where there is no other."""
    offset, found, variants = 8, [], []
    while offset + 8 <= len(data):
        code, length = data[offset:offset + 4], struct.unpack(">I", data[offset + 4:offset + 8])[0]
        if length < 8:
            break
        content = data[offset + 8:offset + length]
        if code in VARIANTS:
            variants += elements(bytes(8) + content)
        elif content.startswith(FILES) or code in PLANES or code[:3] in SIDES:
            found.append((code, content))
        offset += length
    return found or variants


def pages(path):
    with open(path, "rb") as file:
        data = file.read()
    stored = extracted(path)
    return [
        opened(content) if content.startswith(FILES) else stored[size(code)] for code, content in elements(data)]


def size(code):
    if code in PLANES:
        return PLANES[code], PLANES[code], 32
    return (*SIDES[code[:3]], 1 if code.endswith(b"#") else int(code[3:]))


def opened(content):
    """None for a file that Pillow refuses."""
    try:
        with Image.open(io.BytesIO(content)) as image:
            return numpy.asarray(image.convert("RGBA"))
    except Exception:
        return None


def extracted(path):
    """What icns2png makes of the file, by width, height and bits."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["icns2png", "-x", "-o", folder, path], capture_output=True)
        pictures = {}
        for name in glob.glob(os.path.join(folder, "*x*x*.png")):
            words = name.rsplit("_", 1)[1].removesuffix(".png").split("x")
            if all(word.isdigit() for word in words):
                # What it makes of the files inside an icon is no oracle, and not always a picture.
                width, height, bits = (int(word) for word in words)
                if max(width, height) <= 128 and os.path.getsize(name) > 0:
                    with Image.open(name) as image:
                        pictures[width, height, bits] = numpy.asarray(image.convert("RGBA"))
        return pictures
