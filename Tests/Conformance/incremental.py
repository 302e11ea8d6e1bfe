# SPDX-License-Identifier: Apache-2.0
"""Every file of the corpora in pieces of eight chunkings, single bytes one of them: what one call gives, rows that are
final stay, and the header comes with the same byte."""

import os

from digest import Digest
from robustness import corpus, is_over_memory, with_memory_for_two
from score import Score
from suite_jpeg import short

# The same picture for both, as it is stored: rows are counted so.
OPTIONS = ("--as-stored", "--format", "rgba8")
SEEDS = range(8)
# Larger files are cut in fewer ways.
LARGE = 4 << 20
SEEDS_OF_LARGE = (0, 1, 2)

# What does not have to be equal: how long it took, what is said of bytes that arrive alone, and of frames what is asked
# of an open file.
OWN = {"milliseconds", "headerBytes", "finalRows", "change", "rect", "disposal", "blend"}


def run(digest, corpora):
    """A score of what the files end with, one of their headers and one of their final rows."""
    # How long a file may take is another suite's question.
    patient = Digest(digest.program, digest.plugins, max(digest.seconds, 60), digest.environment)
    ends = Score("incremental: what one call gives", "one call")
    headers = Score("incremental: the header's byte", "each chunking")
    finals = Score("incremental: final rows stay", "")
    paths = corpus(corpora)
    expected = {result.path: result for result in patient.run(paths, *OPTIONS, raw=False)}
    known = {path: [] for path in paths}
    rows = 0
    large = [path for path in paths if os.path.getsize(path) > LARGE]
    for seed in SEEDS:
        some = paths if seed in SEEDS_OF_LARGE else [path for path in paths if path not in set(large)]
        for result in patient.run(some, *OPTIONS, "--chunks", f"seed:{seed}", raw=False):
            name = f"{short(result.path)} in pieces of seed {seed}"
            whole = expected[result.path]
            problem = difference(result, whole)
            if problem and is_over_memory(result):
                pieces = (*OPTIONS, "--chunks", f"seed:{seed}")
                problem = difference(*with_memory_for_two(patient, result.path, pieces, OPTIONS))
            ends.add(name, problem)
            if result.outcome in ("crash", "hang"):
                continue
            known[result.path].append(result.record.get("headerBytes"))
            if result.record.get("finalRows") or "change" in result.record:
                rows += result.record.get("finalRows", 0)
                finals.add(name, result.record.get("change"))
    digest.complaints += patient.complaints
    for path, pieces in known.items():
        headers.add(short(path), disagreement(pieces))
    ends.oracle = (
        f"one call; {len(SEEDS)} chunkings of {len(paths) - len(large)} files, {len(SEEDS_OF_LARGE)} of "
        f"{len(large)} above {LARGE >> 20} MB")
    finals.oracle = f"themselves later, {rows:,} rows; where rows came before the end"
    return [ends, headers, finals]


def difference(result, whole):
    """None when pieces came to what one call came to."""
    if result.outcome in ("crash", "hang"):
        return f"{result.outcome}, exit {result.record.get('exit')}: {result.record.get('said', '').strip()[:2000]}"
    if whole.outcome in ("crash", "hang"):
        return None
    found, wanted = strip(result.record), strip(whole.record)
    for key in wanted.keys() | found.keys():
        if found.get(key) != wanted.get(key):
            return f"{key}: {found.get(key)} where one call has {wanted.get(key)}"[:600]
    return None


def strip(value):
    """A record without what need not be equal."""
    if isinstance(value, list):
        return [strip(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: strip(item) for key, item in value.items() if key not in OWN}
    if "message" in kept:
        # A library that reads ahead is further on when it finds out, and whose bytes are missing depends on how many
        # were asked for.
        kept.pop("offset", None)
        if kept.get("code") == "truncated":
            kept.pop("message")
    return kept


def disagreement(pieces):
    """None when there is one byte with which the header came in all chunkings; each says before and with how many."""
    if len({piece is None for piece in pieces}) > 1:
        return f"the header came at the end in some chunkings and earlier in others: {pieces}"
    there = [piece for piece in pieces if piece is not None]
    if there and max(before for before, _ in there) >= min(end for _, end in there):
        return f"the header came with different bytes: {pieces}"
    return None
