# SPDX-License-Identifier: Apache-2.0
"""PNG beside libpng, and beside libraries with newer inflaters and row loops: processor time, so that a busy machine does
not count; medians of ratios of contenders that take turns. Real photographs, and a screen."""

import os
import resource
import statistics
import subprocess
import sys
import time

import imagecodecs
import numpy
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../build/bench/peers"))
import pyvips

from gates import verdict

Image.MAX_IMAGE_PIXELS = None

# Shares of libpng's time.
FULL = {"real12.png": 0.32, "real12-rgba.png": 0.34, "screen12.png": 0.24, "screen12-palette.png": 0.22,
        "real12-interlaced.png": 0.42, "real12-16.png": 0.45}
THUMBNAIL = {"real24.png": 0.32, "real12.png": 0.32, "real12-rgba.png": 0.32, "screen12.png": 0.32,
             "screen12-palette.png": 0.32, "real12-16.png": 0.48}
# Of vipsthumbnail's processor time, and the peak in MB.
WHOLE = {"real24.png": (0.34, 12), "screen12.png": (0.34, 12)}
# Of imagecodecs' time.
ANIMATION = ("moving200.png", 0.60)
# How, and shares of the time and of the bytes of libpng's level 6.
ENCODE = [("png", "real12.ppm", 0.12, 1.00), ("png", "real1.ppm", 0.12, 1.00), ("png", "screen12.ppm", 0.14, 1.02),
          ("png", "screen4.ppm", 0.14, 1.02), ("png7", "screen12.ppm", 0.28, 1.00), ("png7", "screen4.ppm", 0.28, 1.00),
          ("png-fast", "real12.ppm", 0.04, 1.01), ("png-fast", "screen12.ppm", 0.08, 1.05),
          ("png-fast", "screen4.ppm", 0.08, 1.05)]
REPETITIONS = 4


def child(command):
    """Milliseconds of processor time of a program, and the words that it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Not what libraries put into the environment: libvips of PyPI names a folder that is not there for the command vips.
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ))
    said = done.stdout.split()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000, said


def program(*command):
    """A program of the form `program operation file repetitions …`: the time of a repetition, without those of starting
    it, of reading the file and of the first one, and what it says."""
    def turn(operation, path, *more):
        begin = [command[0], operation, path]
        first, said = child([*begin, "1", *command[1:], *more])
        all_of_them, _ = child([*begin, str(1 + REPETITIONS), *command[1:], *more])
        return (all_of_them - first) / REPETITIONS, said
    return turn


def library(decode):
    """A library of Python's, in this process."""
    def turn(_, path, *more):
        with open(path, "rb") as file:
            data = file.read()
        before = time.process_time()
        for _ in range(REPETITIONS):
            decode(data)
        return (time.process_time() - before) * 1000 / REPETITIONS, []
    return turn


def by_vips(data):
    return pyvips.Image.new_from_buffer(data, "").numpy()


def vips_thumbnail(data):
    return pyvips.Image.thumbnail_buffer(data, 256, height=256).numpy()


def turns(contenders, operation, path, rounds):
    """For each contender the median of its time, and of its share of the first one's; and what the first two say."""
    times, said = [[] for _ in contenders], [None] * len(contenders)
    for _ in range(rounds):
        for index, contender in enumerate(contenders):
            spent, said[index] = contender(operation, path)
            times[index].append(spent)
    shares = [statistics.median(own / base for own, base in zip(each, times[0])) for each in times]
    return [statistics.median(each) for each in times], shares, said


def same_as_pillow(path, *decoders):
    """Whether other libraries give the pixels that Pillow gives, of those that have 8 bits."""
    with Image.open(path) as image:
        wanted = numpy.asarray(image.convert("RGBA" if image.mode == "RGBA" else "RGB"))
    with open(path, "rb") as file:
        data = file.read()
    found = [decode(data) for decode in decoders]
    return all(one.shape != wanted.shape or numpy.array_equal(one, wanted) for one in found)


def decoding(title, operation, gates, raw, ours, others, arguments):
    heads = "".join(f"{name:>13}" for name in others)
    print(f"\n{title}, processor time\n{'':<26}{'raw ms':>9}{'ours ms':>9}{'ours':>8}{heads}   gates")
    for name, gate in gates.items():
        path = os.path.join(arguments.corpus, name)
        times, shares, said = turns([raw, ours, *map(library, others.values())], operation, path, arguments.rounds)
        passed = verdict(f"{title}: {name} {shares[1]:.3f}", shares[1] <= gate)
        pixels = ""
        if operation == "full":
            same = said[0][5] == said[1][5] and (name.endswith("-16.png") or same_as_pillow(path, *others.values()))
            pixels = "same pixels" if same else "PIXELS DIFFER"
            if not same:
                verdict(f"{title}: {name} has other pixels", False)
        rest = "".join(f"{share:>13.3f}" for share in shares[2:])
        print(f"{name:<26}{times[0]:>9.1f}{times[1]:>9.1f}{shares[1]:>8.3f}{rest}   {gate:.2f} {passed} {pixels}", flush=True)


def whole(arguments):
    """Thumbnails by the commands, from start to end."""
    print(f"\nThumbnail by the command, beside vipsthumbnail\n{'':<26}{'vips ms':>9}{'ours ms':>9}{'ours':>8}{'MB':>7}   gates")
    out = os.path.join(arguments.corpus, "thumbnail.png")
    commands = (["vipsthumbnail", "{}", "--size", "256x256", "-o", out],
                [arguments.coders, "thumbnail", "--size", "256x256", "--plugin-dir", arguments.plugins, "{}", "-o", out])
    for name, (gate, most) in WHOLE.items():
        path, shares, times, peak = os.path.join(arguments.corpus, name), [], [[], []], 0
        for _ in range(arguments.rounds):
            for index, command in enumerate(commands):
                words = [part.format(path) for part in command]
                said = child([arguments.floor, "run", *words])[1]
                times[index].append(float(said[1]))
                if index == 1:
                    peak = max(peak, int(said[3]) / 1024)
            shares.append(times[1][-1] / times[0][-1])
        share = statistics.median(shares)
        passed = verdict(f"thumbnail of {name} by the command {share:.3f}, {peak:.1f} MB", share <= gate and peak <= most)
        print(f"{name:<26}{statistics.median(times[0]):>9.1f}{statistics.median(times[1]):>9.1f}{share:>8.3f}{peak:>7.1f}   "
              f"{gate:.2f}, {most} MB {passed}", flush=True)
    os.remove(out)


def animation(ours, arguments):
    name, gate = ANIMATION
    path = os.path.join(arguments.corpus, name)
    times, shares, _ = turns([library(imagecodecs.apng_decode), ours], "all", path, arguments.rounds)
    passed = verdict(f"{name} {shares[1]:.3f} of imagecodecs", shares[1] <= gate)
    print(f"\nEvery frame of {name}: imagecodecs {times[0]:.1f} ms, ours {times[1]:.1f}: {shares[1]:.3f}   gate {gate:.2f} {passed}",
          flush=True)


def encoding(raw, ours, arguments):
    print(f"\nEncoding beside libpng at level 6, processor time of one thread or more\n"
          f"{'':<26}{'raw ms':>9}{'ours ms':>9}{'time':>8}{'bytes':>8}   gates")
    for how, name, time_gate, size_gate in ENCODE:
        path, shares, times, size = os.path.join(arguments.corpus, name), [], [[], []], 0
        for _ in range(arguments.rounds):
            base, base_said = raw("encode", path, how)
            own, own_said = ours("encode", path, how)
            times[0].append(base)
            times[1].append(own)
            shares.append(own / base)
            size = int(own_said[5]) / int(base_said[5])
        share = statistics.median(shares)
        passed = verdict(f"encoding {name}, {how}: {share:.3f} of the time, {size:.3f} of the bytes",
                         share <= time_gate and size <= size_gate)
        print(f"{name + ', ' + how:<26}{statistics.median(times[0]):>9.1f}{statistics.median(times[1]):>9.1f}{share:>8.3f}"
              f"{size:>8.3f}   {time_gate:.2f}, {size_gate:.2f} {passed}", flush=True)


def run(arguments):
    os.environ["VIPS_CONCURRENCY"] = "1"
    names = {*FULL, *THUMBNAIL, *WHOLE, ANIMATION[0], *(name for _, name, _, _ in ENCODE)}
    maker = os.path.join(os.path.dirname(__file__), "corpus.py")
    subprocess.run([sys.executable, maker, arguments.corpus, *sorted(names)], check=True)
    raw, ours = program(arguments.floor), program(arguments.bench, arguments.plugins)
    decoding("Full decode of PNG", "full", FULL, raw, ours,
             {"pyvips": by_vips, "imagecodecs": imagecodecs.png_decode}, arguments)
    decoding("Thumbnail of PNG", "thumbnail", THUMBNAIL, raw, ours, {"pyvips": vips_thumbnail}, arguments)
    whole(arguments)
    animation(ours, arguments)
    encoding(raw, ours, arguments)
