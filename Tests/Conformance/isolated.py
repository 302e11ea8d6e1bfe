# SPDX-License-Identifier: Apache-2.0
"""Every file of the corpora in isolated workers: the same pixels, problems and errors as in the program."""

import os

from digest import Digest
from robustness import corpus
from score import Score
from suite_jpeg import short

ROUTES = [
    ("one call", ()),
    ("1,000 bytes at a time", ("--chunks", "1000")),
    ("thumbnail of 64", ("--thumbnail", "64")),
    ("header and metadata", ("--header",)),
]

# What is no answer of a coder; and with how many bytes a header is known, which for a PNG inside an ICO file is all of them in
# a worker.
PASSING = {"milliseconds", "headerBytes"}


def run(digest, corpora):
    """A score for each route, of files that come to the same in a worker."""
    paths = corpus(corpora)
    worker = os.path.join(os.path.dirname(os.path.abspath(digest.plugins)), "coders-worker")
    variables = {**digest.environment, "CODERS_ISOLATION": "required", "CODERS_WORKER": worker}
    # A worker of a plugin is started anew after each fault.
    isolated = Digest(digest.program, digest.plugins, 3 * digest.seconds, variables)
    scores = []
    for name, options in ROUTES:
        score = Score(f"the same in a worker: {name}", "the same program without workers")
        expected = digest.run(paths, *options, raw=False)
        for here, there in zip(expected, isolated.run(paths, *options, raw=False)):
            score.add(short(here.path), difference(here, there))
        scores.append(score)
    digest.complaints += isolated.complaints
    return scores


def difference(here, there, where="in a worker", otherwise="without one"):
    """None when both came to the same, else what differs."""
    if here.outcome in ("crash", "hang"):
        # A library that ends its process does so in its worker, which is an error of the file.
        return None if there.outcome == "error" else f"{there.outcome} {where}, {here.outcome} {otherwise}"
    if here.outcome != there.outcome:
        return f"{there.outcome} {where}, {there.said}; {here.outcome} {otherwise}, {here.said}"
    differing = [
        key for key in sorted(set(here.record) | set(there.record))
        if key not in PASSING and here.record.get(key) != there.record.get(key)]
    return f"another {', '.join(differing)}: {there.said} {where}, {here.said} {otherwise}" if differing else None
