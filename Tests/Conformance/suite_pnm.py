# SPDX-License-Identifier: Apache-2.0
"""Portable maps: Netpbm's programs, exact."""

import glob
import subprocess

import numpy

from score import Score, difference
from suite_jpeg import short

# What pamtopam refuses and is read here: samples above the maxval, digits that end with the file, and PFM ("Pf", "PF"),
# for which Netpbm has another program.
LENIENT = ("exceeds the image maxval", "EOF / read error reading a byte", "bad magic number 0x5066",
           "bad magic number 0x5046")

EXTENSIONS = ("pbm", "pgm", "ppm", "pnm", "pam", "pfm")


def run(digest, corpora):
    score = Score("PNM", "Netpbm's pamtopam, exact")
    paths = sorted(
        path for extension in EXTENSIONS for path in glob.glob(f"{corpora}/**/*.{extension}", recursive=True)
        if is_map(path))
    for result in digest.run(paths, "--as-stored"):
        wanted, said = netpbm(result.path)
        if wanted is None and result.outcome == "ok" and any(words in said for words in LENIENT):
            score.note(f"{short(result.path)}: read here, {said}")
        elif wanted is None:
            score.add(short(result.path), "decoded without a word" if result.outcome == "ok" else None)
        elif result.outcome != "ok":
            score.add(short(result.path), result.said)
        else:
            score.add(short(result.path), difference(result.pixels(), wanted))
    return [score]


def is_map(path):
    """Some of the files are of other formats: fonts that are PNG."""
    with open(path, "rb") as file:
        return file.read(1) == b"P"


def netpbm(path):
    """The first picture as RGBA of 8 bits, or of 16 when its maxval needs more; None where Netpbm refuses it."""
    with open(path, "rb") as file:
        data = file.read()
    read = subprocess.run(["pamtopam"], input=data, capture_output=True)
    if read.returncode != 0:
        return None, read.stderr.decode(errors="replace").strip()
    samples, maximum = pam(read.stdout)
    top = 65535 if maximum > 255 else 255
    scaled = (samples.astype(numpy.int64) * top * 2 + maximum) // (2 * maximum)
    depth = scaled.shape[2]
    color = scaled[:, :, :3] if depth >= 3 else numpy.repeat(scaled[:, :, :1], 3, axis=2)
    alpha = scaled[:, :, -1:] if depth in (2, 4) else numpy.full_like(color[:, :, :1], top)
    return numpy.concatenate([color, alpha], axis=2).astype(numpy.uint16 if top == 65535 else numpy.uint8), ""


def pam(data):
    """What pamtopam writes: it keeps pbm, pgm and ppm, so all four kinds are read here."""
    if data.startswith(b"P7"):
        header, rest = data.split(b"ENDHDR\n", 1)
        fields = dict(line.split(b" ", 1) for line in header.split(b"\n") if b" " in line)
        width, height, depth, maximum = (int(fields[name]) for name in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
    else:
        kind, numbers, rest = data[:2], [], data[2:]
        while len(numbers) < (2 if kind == b"P4" else 3):
            word = rest.split(None, 1)[0]
            numbers.append(int(word))
            rest = rest.lstrip()[len(word):]
        rest = rest[1:]
        width, height, maximum = (*numbers, 1)[:3]
        depth = 3 if kind == b"P6" else 1
        if kind == b"P4":
            size = (width + 7) // 8
            rows = numpy.frombuffer(rest, numpy.uint8, size * height).reshape(height, size)
            return 1 - numpy.unpackbits(rows, axis=1)[:, :width, None], 1
    samples = numpy.frombuffer(rest, ">u2" if maximum > 255 else numpy.uint8, width * height * depth)
    return samples.reshape(height, width, depth), maximum
