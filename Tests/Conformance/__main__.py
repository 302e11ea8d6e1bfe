# SPDX-License-Identifier: Apache-2.0
"""Scores against public test suites: `python Tests/Conformance --digest PROGRAM --plugins FOLDER --corpora FOLDER`."""

import argparse
import datetime
import glob
import importlib
import json
import os
import sys

import incremental
import isolated
import robustness
import stale_memory
from digest import Digest

# Each module suite_NAME scores one format: run(digest, corpora) gives its scores.
HERE = os.path.dirname(os.path.abspath(__file__))
SUITES = {
    os.path.basename(path)[len("suite_"):-len(".py")]: importlib.import_module(os.path.basename(path)[:-len(".py")]).run
    for path in sorted(glob.glob(os.path.join(HERE, "suite_*.py")))}
SUITES["robustness"] = robustness.run
SUITES["incremental"] = incremental.run
SUITES["isolated"] = isolated.run
SUITES["stale_memory"] = stale_memory.run
RECORDED = os.path.join(os.path.dirname(__file__), "scores.json")
DOCUMENT = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "conformance.md")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digest", required=True)
    parser.add_argument("--plugins", required=True)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--record", action="store_true", help="keep the scores as those to hold, and in docs/")
    parser.add_argument("--all-failures", action="store_true", help="print each, not the first ten of a suite")
    parser.add_argument("--sanitizer", action="store_true", help="the program is built with AddressSanitizer")
    parser.add_argument("suites", nargs="*", help=f"of {', '.join(SUITES)}; all when none is named")
    arguments = parser.parse_args()
    for name in arguments.suites:
        if name not in SUITES:
            parser.error(f"there is no suite '{name}'; there are {', '.join(SUITES)}")
    digest = Digest(arguments.digest, arguments.plugins)
    if arguments.sanitizer:
        # Memory that cannot be had is an answer of malloc's, not a report; and everything takes several times as long.
        options = "allocator_may_return_null=1:detect_leaks=1"
        digest = Digest(arguments.digest, arguments.plugins, 60, {"ASAN_OPTIONS": options})
    scores = []
    for name in arguments.suites or SUITES:
        for score in SUITES[name](digest, os.path.abspath(arguments.corpora)):
            if score.total == 0:
                continue
            print(score, flush=True)
            shown = len(score.failures) if arguments.all_failures else 10
            for failure in score.failures[:shown]:
                print(f"    {failure}")
            if len(score.failures) > shown:
                print(f"    and {len(score.failures) - shown} more")
            for note in score.notes:
                print(f"    explained: {note}")
            scores.append(score)
    for complaint in digest.complaints:
        print(complaint)
    if arguments.sanitizer:
        sys.exit(1 if digest.complaints or any(score.failures for score in scores) else 0)
    sys.exit(judge(scores, arguments.record) or (1 if digest.complaints else 0))


def judge(scores, record):
    """1 when fewer files are right than are recorded, or more are wrong, as of more files than were there then."""
    recorded = {}
    if os.path.exists(RECORDED):
        with open(RECORDED, encoding="utf-8") as file:
            recorded = json.load(file)
    if record:
        recorded.update({score.name: {"passed": score.passed, "total": score.total} for score in scores})
        with open(RECORDED, "w", encoding="utf-8") as file:
            json.dump(recorded, file, indent=2)
            file.write("\n")
        write_table(scores, recorded)
        return 0
    worse = [
        f"{score.name}: {score.passed} of {score.total}, {recorded[score.name]['passed']} are recorded"
        for score in scores if score.name in recorded and is_worse(score, recorded[score.name])]
    for line in worse:
        print(f"below the record: {line}")
    return 1 if worse else 0


def is_worse(score, recorded):
    return score.passed < recorded["passed"] or score.total - score.passed > recorded["total"] - recorded["passed"]


def write_table(scores, recorded):
    """Puts the scores between the marks of docs/conformance.md. What was not scored now stays as it was."""
    with open(DOCUMENT, encoding="utf-8") as file:
        before, rest = file.read().split("<!-- scores -->\n", 1)
        old, after = rest.split("<!-- end of scores -->\n", 1)
    found = {score.name: f"| {score.name} | {score.passed} of {score.total} | {score.oracle} |" for score in scores}
    kept = {line.split(" | ")[0][2:]: line for line in old.splitlines() if line.startswith("| ")}
    names = [name for name in kept if name in recorded] + [name for name in found if name not in kept]
    date = old.splitlines()[0] if len(found) < len(names) else f"`make conformance`, {datetime.date.today()}:"
    rows = [found.get(name) or kept[name] for name in names]
    table = [date, "", "| suite | right | held against |", "|---|---|---|", *rows]
    known = tuple(f"- {name}: " for name in found)
    notes = [line for line in old.splitlines() if line.startswith("- ") and not line.startswith(known)]
    notes += [f"- {score.name}: {note}" for score in scores for note in score.notes]
    text = "\n".join([*table, *(["", "Explained, and counted as right or not counted:", "", *notes] if notes else []), ""])
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(f"{before}<!-- scores -->\n{text}<!-- end of scores -->\n{after}")


main()
