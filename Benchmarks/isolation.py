# SPDX-License-Identifier: Apache-2.0
"""Decoding in a worker beside decoding in the program: the same bench, the same plugins, the same pixels."""

import os
import statistics

from gates import Contender, verdict

ICONS = ["icon.qoi", "icon.jpg", "icon.png"]
LARGE = ["photo24.jpg", "16mb.png", "16mb.webp"]
# What messages cost, however small the file is.
ICON_GATE_US = 100
# In memory that a program uses again and again: the copy out of a worker shows most there.
LARGE_GATE = 1.25
# Rows in any order go through memory for the whole picture, which is new for each.
GATES = {"16mb.webp": 1.60}
# The first file of a plugin, with its server, on a machine with nothing else to do.
FIRST_GATE_MS = 30


class Isolated(Contender):
    """The same program with its plugins in workers."""

    def say(self, operation, path, count, *more):
        os.environ["CODERS_ISOLATION"] = "required"
        try:
            return super().say(operation, path, count, *more)
        finally:
            del os.environ["CODERS_ISOLATION"]


def run(arguments, judged):
    os.environ.setdefault(
        "CODERS_WORKER", os.path.join(os.path.dirname(os.path.abspath(arguments.plugins)), "coders-worker"))
    both = [Contender(arguments.bench, arguments.plugins), Isolated(arguments.bench, arguments.plugins)]
    print(f"\nIn a worker\n{'':<26}{'here':>10}{'worker':>10}{'over':>9}")
    for name in ICONS + LARGE:
        is_icon = name in ICONS
        gate = ICON_GATE_US if is_icon else GATES.get(name, LARGE_GATE)
        here, there, value, same = judged(
            both, "full", os.path.join(arguments.corpus, name), arguments,
            (lambda our, base: (our - base) * 1000) if is_icon else (lambda our, base: our / base), gate)
        passed = verdict(f"worker: {name} {value:.3f}", value <= gate and same)
        unit = 1000 if is_icon else 1
        print(f"{name:<26}{here * unit:>10.1f}{there * unit:>10.1f}{value:>9.2f}   {passed} gate {gate} "
              f"{'µs more' if is_icon else 'times'}, {'same pixels' if same else 'PIXELS DIFFER'}", flush=True)
    first = statistics.median(both[1].turn("full", os.path.join(arguments.corpus, "icon.qoi"), 1)[0] for _ in range(9))
    passed = verdict(f"worker: the first file {first:.1f} ms", first <= FIRST_GATE_MS)
    print(f"{'the first file':<26}{'':>10}{first:>10.1f}{'':>9}   {passed} gate {FIRST_GATE_MS} ms", flush=True)
