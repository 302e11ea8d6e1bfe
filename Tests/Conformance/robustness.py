# SPDX-License-Identifier: Apache-2.0
"""Every file of the corpora, damaged ones above all, on every route: no signal, no hang, the same pixels."""

import os

from score import Score
from suite_jpeg import short

SUFFIXES = (
    ".png", ".apng", ".jpg", ".jpeg", ".jpe", ".mpo", ".gif", ".webp", ".avif", ".avifs", ".heic", ".heif", ".heics",
    ".avci", ".hif", ".bmp", ".dib", ".ico", ".cur", ".icns", ".tif", ".tiff", ".jp2", ".j2k", ".j2c", ".jpf", ".jpx",
    ".jpc", ".jxl", ".ppm", ".pgm", ".pbm", ".pnm", ".pam", ".pfm", ".dng", ".exr", ".psd", ".psb", ".qoi")

ROUTES = [
    ("one call", ()),
    ("frame by frame", ("--frames",)),
    ("last frame first", ("--backwards",)),
    ("1,000 bytes at a time", ("--chunks", "1000")),
    ("thumbnail of 64", ("--thumbnail", "64")),
    ("thumbnail of 256", ("--thumbnail", "256")),
    ("each page", ("--pages",)),
    ("header and metadata", ("--header",)),
]

# Routes that have to come to the same pixels as one call does.
SAME = {"frame by frame", "last frame first", "1,000 bytes at a time"}


def corpus(corpora):
    found = []
    for folder, _, names in os.walk(corpora):
        found += [os.path.join(folder, name) for name in names if name.lower().endswith(SUFFIXES)]
    return sorted(found)


def run(digest, corpora):
    """A score for each route, of files that end neither in a signal nor after the time allowed."""
    scores = []
    paths = corpus(corpora)
    expected = {}
    consistent = Score("the same pixels on each route", "one call")
    for name, options in ROUTES:
        score = Score(f"no crash, no hang: {name}", "")
        counts = {}
        times = []
        for result in digest.run(paths, *options, raw=False):
            counts[result.outcome] = counts.get(result.outcome, 0) + 1
            times.append((result.record.get("milliseconds", 0), result.path))
            broken = result.outcome in ("crash", "hang")
            score.add(
                result.path, f"{result.outcome}, exit {result.record.get('exit')}: "
                f"{result.record.get('said', '').strip()[:6000]}" if broken else None)
            if name == "one call":
                expected[result.path] = result
            elif name in SAME and result.path in expected:
                problem = compare(name, result, expected[result.path])
                if problem and is_over_memory(result):
                    problem = compare(name, *with_memory_for_two(digest, result.path, options, ()))
                consistent.add(short(result.path), problem)
        times.sort()
        worst, path = times[-1]
        score.oracle = (
            ", ".join(f"{counts[key]} {key}" for key in ("ok", "partial", "error", "crash", "hang") if key in counts)
            + f"; p99 {times[len(times) * 99 // 100][0]:.0f} ms, worst {worst:.0f} ms ({os.path.basename(path)})")
        scores.append(score)
    return scores + ([consistent] if consistent.total else [])


def is_over_memory(result):
    return result.code == "limitExceeded" and "maxMemory" in result.said


def with_memory_for_two(digest, path, *ways):
    """Results with twice the memory: a picture that arrives can be looked at, and so may be there twice."""
    return [digest.run([path], *options, "--memory", str(2 << 30), raw=False)[0] for options in ways]


def compare(route, result, expected):
    """One call ends at the first frame that cannot be had; frames asked for one by one may come after it."""
    found = {frame["index"]: frame["hash"] for frame in result.frames}
    same = all(found.get(frame["index"]) == frame["hash"] for frame in expected.frames)
    ended = expected.outcome != "ok" and route != "1,000 bytes at a time"
    if same and (ended or (result.hashes == expected.hashes and result.outcome == expected.outcome)):
        return None
    return (
        f"{route}: {len(result.frames)} frames, {result.said}; in one call {len(expected.frames)} frames, "
        f"{expected.said}")
