# SPDX-License-Identifier: Apache-2.0
"""Encoding: time and size beside the raw libraries, and sizes of animations beside the tools that people use."""

import os
import statistics
import subprocess
import tempfile

from gates import TURN_MS, once_more, verdict

# How, and the gates: time and size as shares of the raw library's.
STILLS = [
    ("jpeg", 1.00, 1.01), ("png", 0.30, 1.03), ("png-fast", 0.13, 1.09),
    ("webp0", 1.02, 1.01), ("webp2", 1.02, 1.01), ("webp4", 1.02, 1.01),
]
PICTURE = "photo12.ppm"
MOVIES = [("screencast600.gif", 120), ("moving60.gif", 30)]
MOVIE_GATES = {"gifsicle -O3": 1.01, "apngasm": 1.00, "gif2webp -min_size": 1.02, "img2webp -lossless": 1.01}


def stills(raw, ours, arguments):
    """A photograph of 12 megapixels from RGBA in memory to bytes in memory."""
    path = os.path.join(arguments.corpus, PICTURE)
    print(f"\nEncoding {PICTURE}\n{'':<12}{'raw ms':>10}{'ours ms':>10}{'ratio':>8}{'size':>8}   gates")
    for how, time_gate, size_gate in STILLS:
        def measure(rounds, how=how):
            ratios, sizes, least = [], [], [float("inf")] * 2
            for number in range(rounds):
                said = [None, None]
                for index in (0, 1) if number % 2 == 0 else (1, 0):
                    program = (raw, ours)[index]
                    words = program.say("encode", path, 1 if number == 0 else max(1, int(TURN_MS / least[index])), how)
                    said[index] = float(words[1]), int(words[5])
                    least[index] = min(least[index], said[index][0])
                ratios.append(said[1][0] / said[0][0])
                sizes.append(said[1][1] / said[0][1])
            return statistics.median(ratios), sizes[-1], *least
        ratio, size, base, our = once_more(measure, arguments.rounds, time_gate)
        passed = verdict(f"encoding {how}: {ratio:.3f} of the time, {size:.3f} of the size",
                         ratio <= time_gate and size <= size_gate)
        print(f"{how:<12}{base:>10.1f}{our:>10.1f}{ratio:>8.3f}{size:>8.3f}   {time_gate:.2f}, {size_gate:.2f}   {passed}",
              flush=True)


def movies(arguments):
    """The same frames, without loss, by us and by the tools of the formats, both told to take the time that small files need
    where they can be told."""
    print(f"\nAnimations without loss, bytes\n{'':<34}{'ours':>12}{'theirs':>12}{'ratio':>8}")
    for name, count in MOVIES:
        with tempfile.TemporaryDirectory() as folder:
            source, frames = os.path.join(folder, "source.gif"), os.path.join(folder, "frames")
            subprocess.run(
                ["gifsicle", "--unoptimize", os.path.join(arguments.corpus, name), f"#0-{count - 1}", "-o", source],
                check=True, stderr=subprocess.DEVNULL)
            coders = [arguments.coders, "--plugin-dir", arguments.plugins]
            subprocess.run([coders[0], "frames", *coders[1:], source, "-o", frames], check=True, capture_output=True)
            pictures = [os.path.join(frames, file) for file in sorted(os.listdir(frames))]
            theirs = {
                "gif": ("gifsicle -O3", [], ["gifsicle", "-O3", source, "-o", "{}"]),
                "png": ("apngasm", ["compression=12"], ["apngasm", "{}", *pictures, "1", "25"]),
                "webp": ("gif2webp -min_size", ["min-size=1"], ["gif2webp", "-quiet", "-min_size", source, "-o", "{}"]),
                "webp-img": ("img2webp -lossless", [], ["img2webp", "-lossless", "-d", "40", *pictures, "-o", "{}"]),
            }
            for kind, (tool, options, command) in theirs.items():
                extension = kind.split("-")[0]
                our, their = (os.path.join(folder, f"{who}.{extension}") for who in ("ours", "theirs"))
                subprocess.run(
                    [coders[0], "convert", *coders[1:], "--reencode", source, our,
                     *([] if extension == "gif" else ["--lossless"]),
                     *(word for option in options for word in ("--option", option))], check=True, capture_output=True)
                subprocess.run(
                    [part.format(their) if "{}" in part else part for part in command], check=True, capture_output=True)
                sizes = os.path.getsize(our), os.path.getsize(their)
                gate = MOVIE_GATES[tool]
                ratio = sizes[0] / sizes[1]
                passed = verdict(f"bytes of {name} beside {tool} {ratio:.3f}", ratio <= gate)
                print(f"{name + ', ' + tool:<34}{sizes[0]:>12,}{sizes[1]:>12,}{ratio:>8.3f}   {passed} gate {gate}", flush=True)
