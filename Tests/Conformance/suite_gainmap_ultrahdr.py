# SPDX-License-Identifier: Apache-2.0
"""Gain maps beside libultrahdr: its files read by us, and ours, also cut, turned and smaller, read by it."""

import os
import tempfile

import imagecodecs
import numpy
from imagecodecs import ULTRAHDR

from score import Score
from suite_gainmap import coders, png16, pq

# libultrahdr takes the white of SDR for 203 nits.
WHITE = 203
# Its decoder gives light with the primaries of the file's SDR picture, which is in Display P3 here.
P3_TO_2020 = numpy.array(
    [[0.753845, 0.198593, 0.047562], [0.045746, 0.941777, 0.012477], [-0.001210, 0.017601, 0.983609]])


def run(digest, _corpora):
    score = Score("Gain maps beside libultrahdr", "libultrahdr 1.4, mean of PQ")
    with tempfile.TemporaryDirectory() as folder:
        theirs(score, folder)
        ours(score, folder)
    return [score]


def scene(height=64, width=96):
    """Light from 1/16 of SDR's white to 4.9 times, in Display P3."""
    down, across = numpy.mgrid[0:height, 0:width]
    light = numpy.stack(
        [numpy.exp2(across / width * 6 - 4), numpy.exp2(across / width * 4 - 3) + down / height / 2,
         numpy.exp2(down / height * 4 - 3)], axis=2)
    return numpy.minimum(light, 1000 / WHITE)


def add(score, name, found, wanted, most):
    if found.shape != wanted.shape:
        score.add(name, f"{found.shape} where {wanted.shape} was wanted")
        return
    wrong = numpy.abs(found - wanted)
    score.add(name, f"PQ differs by {wrong.mean():.4f} in the mean" if wrong.mean() > most else None)


def theirs(score, folder):
    light = numpy.dstack([scene(), numpy.ones((64, 96))]).astype(numpy.float16)
    path, out = os.path.join(folder, "theirs.jpg"), os.path.join(folder, "theirs.png")
    for scale in (1, 2):
        with open(path, "wb") as file:
            file.write(imagecodecs.ultrahdr_encode(light, level=95, scale=scale, gamut=ULTRAHDR.CG.DISPLAY_P3))
        decoded = imagecodecs.ultrahdr_decode(open(path, "rb").read())[:, :, :3].astype(float)
        status, _, told = coders("convert", path, out, "--gain-map", "apply")
        if status or told:
            score.add(f"read, scale {scale}", told or "no file")
            continue
        add(score, f"read, scale {scale}", png16(out) / 65535, pq(decoded @ P3_TO_2020.T * WHITE), 0.002)


def ours(score, folder):
    """A file of ours, and what becomes of it: libultrahdr reads from each what we read."""
    light = numpy.dstack([scene(), numpy.ones((64, 96))]).astype(numpy.float16)
    path, back = os.path.join(folder, "theirs.jpg"), os.path.join(folder, "back.png")
    with open(path, "wb") as file:
        file.write(imagecodecs.ultrahdr_encode(light, level=95, scale=2, gamut=ULTRAHDR.CG.DISPLAY_P3))
    for name, arguments in {
            "encoded again": ["--reencode", "--quality", "0.95"], "half": ["--max-size", "50%", "--quality", "0.95"],
            "cut out": ["--crop", "50x30+21+11", "--quality", "0.95"], "cut out without loss": ["--crop", "48x32+16+16"],
            "turned": ["--rotate", "90"], "made": ["--gain-map", "make", "--quality", "0.95"]}.items():
        made = os.path.join(folder, "ours.jpg")
        source = path
        if name == "made":
            source = os.path.join(folder, "hdr.png")
            coders("convert", path, source, "--gain-map", "apply")
        status, _, told = coders("convert", source, made, *arguments)
        if status or told:
            score.add(f"written, {name}", told or "no file")
            continue
        try:
            decoded = imagecodecs.ultrahdr_decode(open(made, "rb").read())[:, :, :3].astype(float)
        except Exception as failure:  # the module's own class is not public
            score.add(f"written, {name}", f"libultrahdr: {failure}")
            continue
        coders("convert", made, back, "--gain-map", "apply")
        add(score, f"written, {name}", pq(decoded @ P3_TO_2020.T * WHITE), png16(back) / 65535, 0.003)
