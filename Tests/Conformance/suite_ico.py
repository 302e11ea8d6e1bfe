# SPDX-License-Identifier: Apache-2.0
"""ICO and CUR: the page that is shown, against the same entry as Pillow decodes it."""

import glob
import io
import struct

import numpy
from PIL import Image

from score import Score, difference, visible
from suite_jpeg import short


def run(digest, corpora):
    everything = sorted(
        glob.glob(f"{corpora}/**/*.ico", recursive=True) + glob.glob(f"{corpora}/**/*.cur", recursive=True))
    fuzzed = [path for path in everything if "/afl-ico/" in path or "/ns-afl-ico/" in path]
    return [pictures(digest, [path for path in everything if path not in set(fuzzed)]), unharmed(digest, fuzzed)]


def pictures(digest, paths):
    score = Score("ICO and CUR", "Pillow's decoding of the largest, deepest entry, exact")
    for result in digest.run(paths, "--format", "rgba8", "--as-stored"):
        name = short(result.path)
        try:
            wanted, note = oracle(result.path)
        except Exception as error:
            if result.outcome in ("ok", "crash", "hang"):
                score.add(name, f"{result.outcome}, and Pillow says {error}")
            else:
                score.note(f"{name}: {result.said}; Pillow says {type(error).__name__}")
            continue
        if result.outcome != "ok":
            score.add(name, result.said)
            continue
        problem = difference(visible(result.pixels()), visible(wanted))
        if problem and note:
            score.note(f"{name}: {note}")
        else:
            score.add(name, problem)
    return score


def oracle(path):
    """The largest and then deepest entry as Pillow decodes it, and what is known of its difference."""
    with open(path, "rb") as file:
        data = file.read()
    kind, count = struct.unpack_from("<xxHH", data)
    if data[:2] != b"\0\0" or kind not in (1, 2) or count == 0:
        raise ValueError("no icon")
    best = max(range(count), key=lambda index: (*measure(data, index), -index))
    width, height, bits, colors, _, length, offset = entry(data, best)
    if data[offset:offset + 8] == b"\x89PNG\r\n\x1a\n":
        with Image.open(io.BytesIO(data[offset:offset + length])) as image:
            return numpy.asarray(image.convert("RGBA")), None
    # Pillow keeps entries in another order and takes none for cursors: it gets a file with this one alone.
    fields = (0, 1, 1, width, height, colors, 0, 1, depth(data, offset))
    try:
        pixels = alone(fields, data[offset:offset + length])
    except OSError:
        # A length that is too small; what follows is taken.
        pixels = alone(fields, data[offset:])
    note = None
    if depth(data, offset) == 32 and not pixels[:, :, 3].any():
        note = "no pixel has alpha, so the mask counts here; Pillow shows nothing"
    return pixels, note


def alone(fields, data):
    with Image.open(io.BytesIO(struct.pack("<HHH4BHHII", *fields, len(data), 22) + data)) as image:
        return numpy.asarray(image.convert("RGBA"))


def entry(data, index):
    width, height, colors, _, planes, bits, length, offset = struct.unpack_from("<4BHHII", data, 6 + 16 * index)
    return width, height, bits, colors, planes, length, offset


def depth(data, offset):
    return struct.unpack_from("<H", data, offset + 14)[0]


def measure(data, index):
    """Pixels and bits per pixel, as the picture itself says."""
    offset = entry(data, index)[6]
    if data[offset:offset + 8] == b"\x89PNG\r\n\x1a\n":
        width, height, bits, kind = struct.unpack_from(">IIBB", data, offset + 16)
        return width * height, bits * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    width, height = struct.unpack_from("<ii", data, offset + 4)
    return width * (abs(height) // 2), depth(data, offset)


def unharmed(digest, paths):
    score = Score("ICO, NetSurf's fuzzed files", "an answer within ten seconds")
    for result in digest.run(paths, raw=False):
        score.add(short(result.path), result.outcome if result.outcome in ("crash", "hang") else None)
    return score
