# SPDX-License-Identifier: Apache-2.0
"""JPEG 2000: OpenJPEG's own decompressor."""

import glob
import os
import subprocess
import tempfile

import numpy

from score import Score, difference
from suite_jpeg import short

EXTENSIONS = ("jp2", "j2k", "j2c", "jpc", "jpf", "jpx")

# Files that opj_decompress refuses, and whose codestreams decode.
READABLE = {
    "expected_to_read.jp2": "the header box is missing",
    "00r1_graya_la.jp2": "opj_decompress writes no components of different steps",
    "crash-4fb027452e6988530aa5dabee76eecacb3b79f8a.j2k": "opj_decompress writes no components of different steps",
    "crash-7d4c83eb92150fb8f1653a697703ae06ae7c4998.j2k": "opj_decompress writes no components of different depths",
    "crash-ccca68ff40171fdae983d924e127a721cab2bd50.j2k": "opj_decompress writes no components of different depths",
}


def run(digest, corpora):
    paths = sorted(p for e in EXTENSIONS for p in glob.glob(f"{corpora}/**/*.{e}", recursive=True))
    with tempfile.TemporaryDirectory() as folder:
        wanted = {path: expected(path, folder) for path in paths}
    whole = [path for path in paths if wanted[path] is not None]
    broken = [path for path in paths if wanted[path] is None]
    return [still(digest, whole, wanted), refused(digest, broken)]


def expected(path, folder):
    """A picture as RGBA of 16 bits, or None when the oracle reads none."""
    output = os.path.join(folder, "out.pnm")
    if os.path.exists(output):
        os.unlink(output)
    done = subprocess.run(["opj_decompress", "-quiet", "-i", path, "-o", output], capture_output=True)
    if done.returncode != 0 or not os.path.exists(output):
        return None
    return widened(*read_pnm(output))


def widened(samples, largest):
    """Samples of 1 to 4 channels as RGBA of 16 bits."""
    scaled = (samples.astype(numpy.int64) * 65535 * 2 + largest) // (largest * 2)
    count = scaled.shape[2]
    colors = numpy.repeat(scaled[:, :, :1], 3, axis=2) if count <= 2 else scaled[:, :, :3]
    alpha = scaled[:, :, -1:] if count in (2, 4) else numpy.full_like(scaled[:, :, :1], 65535)
    return numpy.concatenate([colors, alpha], axis=2)


def read_pnm(path):
    """Samples of a PGM, PPM or PAM, and the largest that there may be."""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"P7"):
        head, rest = data.split(b"ENDHDR\n", 1)
        fields = dict(line.split(b" ", 1) for line in head.split(b"\n") if b" " in line)
        width, height, count, largest = (int(fields[k]) for k in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
    else:
        lines = [line for line in data[:200].split(b"\n") if not line.startswith(b"#")][:3]
        width, height = map(int, lines[1].split())
        count, largest = 3 if lines[0] == b"P6" else 1, int(lines[2])
        rest = data[-(width * height * count * (2 if largest > 255 else 1)):]
    sample = ">u2" if largest > 255 else numpy.uint8
    return numpy.frombuffer(rest, sample, width * height * count).reshape(height, width, count), largest


def still(digest, paths, wanted):
    score = Score("JPEG 2000", "opj_decompress, exact")
    for result in digest.run(paths, "--format", "rgba16", "--as-stored"):
        score.add(
            short(result.path),
            result.said if result.outcome != "ok" else difference(result.pixels(), wanted[result.path]))
    return score


def refused(digest, paths):
    score = Score("JPEG 2000, OpenJPEG refuses", "an error, or a part with a problem")
    for result in digest.run(paths, "--as-stored"):
        reason = READABLE.get(os.path.basename(result.path))
        if reason and result.outcome == "ok":
            score.note(f"{short(result.path)}: {reason}, and the codestream decodes")
            continue
        score.add(short(result.path), "decoded without a word" if result.outcome == "ok" else None)
    return score
