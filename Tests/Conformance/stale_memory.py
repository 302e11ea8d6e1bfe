# SPDX-License-Identifier: Apache-2.0
"""Nothing that lay in memory before comes into a picture: every file twice, with memory that is full of other bytes.

Where a library hands out what it did not decode, a damaged file shows what the process had in memory before: parts of
other people's pictures. glibc fills memory that it gives out with the complement of MALLOC_PERTURB_."""

import glob
import os
import tempfile

from digest import Digest
from isolated import difference
from robustness import corpus
from score import Score
from suite_jpeg import short

ROUTES = [
    ("one call", ()),
    ("frame by frame", ("--frames",)),
    ("1,000 bytes at a time", ("--chunks", "1000")),
    ("thumbnail of 64", ("--thumbnail", "64")),
    ("each page", ("--pages",)),
]
FILLINGS = ("85", "170")
# Coders that come to files only when another one refuses them.
SECOND = ("giflib", "libheif")


def run(digest, corpora):
    """A score for each route, of files that come to the same twice: with the coders in their order, and the second ones."""
    paths = corpus(corpora)
    # What fuzzing has found, where it has found something.
    paths += sorted(glob.glob(os.path.join(glob.escape(corpora), "fuzz", "*-*", "*")))
    scores = [score(digest, digest.plugins, paths, name, options) for name, options in ROUTES]
    with tempfile.TemporaryDirectory() as folder:
        for name in SECOND:
            for path in glob.glob(os.path.join(glob.escape(digest.plugins), "*")):
                if name in os.path.basename(path).lower():
                    os.symlink(os.path.abspath(path), os.path.join(folder, os.path.basename(path)))
        suffixes = (".gif", ".heic", ".heif", ".hif", ".avif")
        some = [path for path in paths if path.lower().endswith(suffixes) or "/fuzz/" in path]
        scores.append(score(digest, folder, some, "one call, second coders", ()))
    return scores


def score(digest, plugins, paths, name, options):
    score = Score(f"nothing of other memory: {name}", "memory full of other bytes")
    first, second = (
        Digest(digest.program, plugins, 3 * digest.seconds, {**digest.environment, "MALLOC_PERTURB_": filling})
        for filling in FILLINGS)
    answers = [one.run(paths, *options, raw=False) for one in (first, second)]
    for here, there in zip(*answers):
        score.add(short(here.path), difference(here, there, "the second time", "the first"))
    digest.complaints += first.complaints + second.complaints
    return score
