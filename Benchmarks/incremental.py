# SPDX-License-Identifier: Apache-2.0
"""Bytes that arrive in pieces, beside one call: one program does both, taking turns."""

import contextlib
import os
import statistics

from gates import TURN_MS, once_more, verdict

PIECES_GATE = 1.05
PASSES_GATE = 1.7
PASSES_MOST = 5
BYTES_GATE = 3
# What is decoded at the speed of memory takes less time a byte than a call does: there a push may cost so much instead.
PUSH_GATE_NS = 20
GROWTH_GATE = 1.5
FIRST_GATE = 0.02
CANCEL_GATE_MS = 50

KIB = 1 << 10
# Files of one kind and three sizes.
SIZED = ["{}mb.jpg", "{}mb-progressive.jpg", "{}mb.png", "{}mb.gif", "{}mb.webp", "{}mb.avif", "{}mb.tif", "{}mb.jp2",
         "{}mb.jxl", "{}mb.bmp", "{}mb.qoi", "{}mb.ppm"]
MEGABYTES = (1, 4, 16)
# About a megabyte each, of every format.
SMALL = [name.format(1) for name in SIZED] + [
    "1mb-lossy.webp", "1mb.heic", "1mb.ico", "1mb.icns", "screencast600.gif", "moving120.webp", "moving60.avif",
    "moving60.heics"]
PROGRESSIVE = "photo24-progressive.jpg"
BASELINE = "photo24.jpg"
COARSE = {"photo12.jp2"}


@contextlib.contextmanager
def one_arena():
    """Memory that one call gave back is warm for the pieces, and the other way round: otherwise the thread that reads has
    an arena of the C library of its own, whose pages are faulted in again for each decode."""
    os.environ["MALLOC_ARENA_MAX"] = "1"
    try:
        yield
    finally:
        del os.environ["MALLOC_ARENA_MAX"]


class Incremental:
    """The parts of the measurement."""

    def __init__(self, ours, arguments, pictures, animations):
        self.ours = ours
        self.corpus = arguments.corpus
        self.rounds = arguments.rounds
        self.pictures = pictures
        self.animations = animations

    @property
    def parts(self):
        return {"pieces": self.pieces, "passes": self.passes, "bytes": self.bytes, "growth": self.growth,
                "first": self.first, "cancel": self.cancel}

    def run(self):
        for part in self.parts.values():
            part()

    def path(self, name):
        return os.path.join(self.corpus, name)

    def figure(self, operation, name, size, gate):
        """Pieces, less a copy of the bytes, ÷ one call: the median over rounds of the minima's ratio. And the least times,
        and how many passes were rendered."""
        facts, _ = self.ours.facts(operation, self.path(name), 1, size)
        pair = float(facts["one_ms"]) + float(facts["pieces_ms"])
        repetitions = max(2, min(3000, int(2 * TURN_MS / pair)))

        def measure(rounds):
            with one_arena():
                found = [self.ours.facts(operation, self.path(name), repetitions, size) for _ in range(rounds)]
            times = [tuple(float(facts[key]) for key in ("one_ms", "pieces_ms", "copy_ms")) for facts, _ in found]
            if any(word != "same" for _, word in found):
                verdict(f"{operation} of {size} bytes: {name} has other pixels", False)
            return (statistics.median((pieces - copy) / one for one, pieces, copy in times), min(one for one, _, _ in times),
                    min(pieces for _, pieces, _ in times), int(found[0][0]["passes"]))
        return once_more(measure, self.rounds, gate)

    def table(self, title, names, size, usual):
        print(f"\n{title}\n{'':<26}{'one ms':>10}{'pieces ms':>11}{'ratio':>8}   gate {usual:.2f}")
        for name in names:
            # A coarse picture is rendered on the way, as of a progressive JPEG.
            gate = PASSES_GATE if name in COARSE else usual
            ratio, one, pieces, _ = self.figure("pieces", name, size, gate)
            print(f"{name:<26}{one:>10.2f}{pieces:>11.2f}{ratio:>8.3f}   "
                  f"{verdict(f'{title}: {name} {ratio:.3f}', ratio <= gate)}", flush=True)

    def pieces(self):
        names = [name for name in self.pictures + self.animations if name != PROGRESSIVE]
        self.table("Incremental, by 64 KiB, beside one call", names, 64 * KIB, PIECES_GATE)

    def passes(self):
        """Every pass is rendered, whether anybody looks at it or not. A look costs a copy of the picture more."""
        ratio, one, pieces, _ = self.figure("pieces", PROGRESSIVE, 64 * KIB, PASSES_GATE)
        looked, _, looking, count = self.figure("passes", PROGRESSIVE, 64 * KIB, PASSES_GATE)
        print(f"\nProgressive JPEG by 64 KiB, beside one call\n{PROGRESSIVE:<26}{one:>10.2f}{pieces:>11.2f}"
              f"{ratio:>8.3f}   gate {PASSES_GATE:.2f}   {verdict(f'passes {ratio:.3f}', ratio <= PASSES_GATE)}   "
              f"{count} passes, at most {PASSES_MOST}   {verdict(f'{count} passes', count <= PASSES_MOST)}")
        print(f"{'… with a look at each':<26}{one:>10.2f}{looking:>11.2f}{looked:>8.3f}")

    def bytes(self):
        print(f"\nIncremental, byte by byte, about 1 MB, beside one call\n{'':<26}{'one ms':>10}{'pieces ms':>11}"
              f"{'ratio':>9}{'ns a push':>11}   gate {BYTES_GATE:.2f}, or {PUSH_GATE_NS} ns a push")
        for name in SMALL:
            ratio, one, pieces, _ = self.figure("pieces", name, 1, BYTES_GATE)
            push = (pieces - one) * 1e6 / os.path.getsize(self.path(name))
            passed = verdict(f"byte by byte: {name} {ratio:.2f}, {push:.0f} ns a push",
                             ratio <= BYTES_GATE or push <= PUSH_GATE_NS)
            print(f"{name:<26}{one:>10.2f}{pieces:>11.2f}{ratio:>9.2f}{push:>11.1f}   {passed}", flush=True)

    def growth(self):
        """What a megabyte costs when it arrives in pieces, in files of more and more of them."""
        columns = "".join(f"{f'{size} MB':>9}" for size in MEGABYTES)
        print(f"\nIncremental, by 4 KiB: milliseconds a megabyte of files of\n{'':<26}{columns}{'16 ÷ 1':>9}   "
              f"gate {GROWTH_GATE:.2f}")
        for kind in SIZED:
            names = [kind.format(size) for size in MEGABYTES]

            def measure(rounds):
                costs = [self.cost(name, rounds) for name in names]
                return costs[-1] / costs[0], costs
            ratio, costs = once_more(measure, self.rounds, GROWTH_GATE)
            print(f"{kind.format('N '):<26}{''.join(f'{cost:>9.2f}' for cost in costs)}{ratio:>9.2f}   "
                  f"{verdict(f'incremental, by 4 KiB: {kind.format(16)} {ratio:.2f}', ratio <= GROWTH_GATE)}", flush=True)

    def cost(self, name, rounds):
        """Least milliseconds a megabyte."""
        path = self.path(name)
        times = [float(self.ours.facts("pieces", path, 2, 4 * KIB)[0]["pieces_ms"]) for _ in range(rounds)]
        return min(times) / os.path.getsize(path) * 1e6

    def first(self):
        """With which share of the bytes something can be shown. The gate is on baseline JPEG; others depend on how
        their files are laid out."""
        print(f"\nShare of the bytes with which the header and the first rows come\n{'':<26}{'header':>10}{'rows':>9}"
              f"   gate {FIRST_GATE:.0%} for {BASELINE}")
        for name in self.pictures + self.animations:
            facts, _ = self.ours.facts("first", self.path(name), 1, 512)
            header, rows = (int(facts[key]) / int(facts["bytes"]) for key in ("header", "rows"))
            judged = f"   {verdict(f'first rows of {name} {rows:.2%}', rows <= FIRST_GATE)}" if name == BASELINE else ""
            print(f"{name:<26}{header:>10.2%}{rows:>9.2%}{judged}")

    def cancel(self):
        """From another thread, at eight moments of each decode, in pieces of 64 KiB and all at once."""
        print(f"\nMilliseconds until a cancelled decode has ended, the longest\n{'':<26}{'64 KiB':>10}{'one piece':>11}"
              f"   gate {CANCEL_GATE_MS} ms")
        for name in self.pictures + self.animations:
            worst = []
            for size in (64 * KIB, 1 << 40):
                # The longest of few is what a loaded machine makes of it: of two measurements the shorter one counts.
                first = self.longest(name, size)
                worst.append(min(first, self.longest(name, size)) if first > CANCEL_GATE_MS else first)
            longest = max(worst)
            print(f"{name:<26}{worst[0]:>10.2f}{worst[1]:>11.2f}   "
                  f"{verdict(f'cancelling {name} {longest:.0f} ms', longest <= CANCEL_GATE_MS)}", flush=True)

    def longest(self, name, size):
        """Milliseconds of the slowest cancelled decode."""
        facts, _ = self.ours.facts("cancel", self.path(name), max(1, self.rounds // 3), size)
        return float(facts["worst_ms"])
