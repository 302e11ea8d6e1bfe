# SPDX-License-Identifier: Apache-2.0
"""Looks for the numbers by which JPEG is quantized: the fewest bytes at the same SSIMULACRA2.

usage: search.py search FOLDER [ROUNDS] | check FOLDER | numbers FOLDER

FOLDER has pictures as PNG or PPM: `corpus.py` makes them. `search` changes one number at a time, on six pictures that it names,
and prints those that need fewer bytes; what it prints goes into Plugins/JPEG/CJPEGShim/tuning.c. `check` compares the encoder
with libjpeg's progressive files on all other pictures, and `numbers` prints which quality looks as one of annex K does.
"""

import math
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent.parent
names = ["slope", "cslope", "power", "dc", "chroma", "blue", "lambda", "clambda", "mask", "cmask", "sharp"]
# The qualities around which scores are compared, and those scores.
ends = {"coarse": ((14, 26, 38, 52, 66), (50, 56, 62)), "fine": ((50, 64, 75, 84, 91, 96), (70, 75, 80))}
searched = ["p_bythewater", "p_kite", "p_garden", "p_twowings", "p_astronaut", "g_konqui"]


def build(folder):
    shim, kernels = root / "Plugins/JPEG/CJPEGShim", root / "Plugins/Kernels"
    includes = [root / "Sources/CImageCoder/include", root / "Sources/CSimilarity/include", shim, shim / "include"]
    includes += [kernels / "CProcessor/include", kernels / "CJPEGEighths/include", kernels / "CJPEGEighths"]
    sources = [root / "Benchmarks/Look/trial.c", *sorted((root / "Sources/CSimilarity").glob("*.c")), kernels / "CProcessor/processor.c"]
    sources += sorted(shim.glob("*.c")) + sorted((kernels / "CJPEGEighths").glob("*.c"))
    program = folder / "trial"
    command = ["clang", "-O2", "-std=gnu11", "-DTUNING_SEARCH", *[f"-I{path}" for path in includes]]
    subprocess.run([*command, *map(str, sources), "-ljpeg", "-lm", "-fuse-ld=lld", "-o", str(program)], check=True)
    return program


def pictures(folder, work):
    """The pictures as PPM, which the program reads."""
    for path in sorted(folder.glob("*.png")):
        from PIL import Image

        made = work / f"{path.stem}.ppm"
        if not made.exists():
            Image.open(path).convert("RGB").save(made)
    return {path.stem: path for path in [*sorted(folder.glob("*.ppm")), *sorted(work.glob("*.ppm"))]}


def curve(program, effort, picture, qualities, numbers=()):
    """Points of score, logarithm of bytes and quality."""
    command = [str(program), effort, "420", str(picture), *map(str, qualities), *numbers]
    output = subprocess.run(command, check=True, capture_output=True, text=True, env={"ONCE": "1"}).stdout
    rows = [list(map(float, line.split())) for line in output.splitlines()]
    return sorted((score, math.log(size), quality) for quality, size, score, _ in rows)


def at(points, score, column=1):
    for low, high in zip(points, points[1:]):
        if low[0] <= score <= high[0]:
            share = (score - low[0]) / max(high[0] - low[0], 1e-9)
            return low[column] + share * (high[column] - low[column])
    return None


def sizes(program, chosen, end, numbers):
    """The logarithms of bytes at the scores of an end of the range, by picture and score."""
    qualities, scores = ends[end]
    words = [f"{name}={value:.5g}" for name, value in numbers.items()]
    found = {}
    for picture in chosen:
        points = curve(program, "small", picture, qualities, words)
        found.update({(picture, score): value for score in scores if (value := at(points, score)) is not None})
    return found


def cost(found, needed):
    """The mean over what could be measured at first: a score that is no longer reached would make the mean of the others."""
    return sum(found[key] for key in needed) / len(needed) if needed <= found.keys() else math.inf


def search(program, paths, rounds):
    chosen = [path for name, path in paths.items() if name in searched]
    for end in ends:
        text = (root / "Plugins/JPEG/CJPEGShim/tuning.c").read_text(encoding="utf-8")
        numbers = dict(zip(names, defaults(text, end)))
        first = sizes(program, chosen, end, numbers)
        needed = set(first)
        best, step = cost(first, needed), 0.2
        print(f"{end}: {best:.5f} {numbers}", flush=True)
        for _ in range(rounds):
            for name in names:
                for factor in (1 + step, 1 / (1 + step)):
                    tried = dict(numbers, **{name: numbers[name] * factor})
                    found = cost(sizes(program, chosen, end, tried), needed)
                    if found < best - 0.0002:
                        best, numbers = found, tried
                        print(f"{end}: {best:.5f} {name}={tried[name]:.4g}", flush=True)
                        break
            step /= 2
        print(f"{end}: {best:.5f}", {name: float(f"{value:.3g}") for name, value in numbers.items()}, flush=True)


def defaults(text, end):
    """The numbers that tuning.c has, in the order of the struct."""
    import re

    block = re.search(rf"at_{end} = {{(.*?)}};", text, re.DOTALL).group(1)
    return [float(value) for value in re.findall(r"= ([0-9.]+)", block)]


def check(program, paths):
    qualities = (15, 30, 45, 60, 72, 82, 88, 93)
    for kind, words in (("p_", "photographs"), ("g_", "graphics"), ("", "all")):
        chosen = [path for name, path in paths.items() if name.startswith(kind) and name not in searched]
        curves = {
            effort: [curve(program, effort, picture, qualities) for picture in chosen]
            for effort in ("annex-progressive", "default", "small")
        }
        for effort in ("default", "small"):
            cells = []
            for score in (50, 60, 70, 80, 85):
                pairs = [(at(a, score), at(b, score)) for a, b in zip(curves[effort], curves["annex-progressive"])]
                ratios = [a - b for a, b in pairs if a is not None and b is not None]
                if ratios:
                    mean, worst = math.exp(sum(ratios) / len(ratios)), math.exp(max(ratios))
                    cells.append(f"{score}: {mean:.3f} (worst {worst:.2f}, {len(ratios)})")
            print(words, effort, *cells, sep="  ", flush=True)


def numbers(program, paths):
    asked = (10, 20, 30, 40, 50, 60, 70, 80, 85, 90)
    grid = range(5, 100, 5)
    for effort in ("default", "small"):
        means = {quality: [] for quality in grid}
        wanted = {quality: [] for quality in asked}
        for picture in paths.values():
            for score, _, quality in curve(program, f"annex-{effort}", picture, asked):
                wanted[quality].append(score)
            for score, _, quality in curve(program, effort, picture, grid):
                means[quality].append(score)
        points = sorted((sum(scores) / len(scores), 0, quality) for quality, scores in means.items())
        print(effort, [(q, round(at(points, sum(s) / len(s), 2) or 0, 1)) for q, s in wanted.items()])


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("search", "check", "numbers"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        program = build(Path(work))
        paths = pictures(Path(sys.argv[2]), Path(work))
        if sys.argv[1] == "search":
            search(program, paths, int(sys.argv[3]) if len(sys.argv) > 3 else 3)
        elif sys.argv[1] == "check":
            check(program, paths)
        else:
            numbers(program, paths)


main()
