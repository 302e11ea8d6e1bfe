# SPDX-License-Identifier: Apache-2.0
"""Ours beside the raw libraries and Pillow: contenders take turns, ratios are medians over rounds of their minima."""

import argparse
import importlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import pillow_heif
from PIL import Image

import caches
import encoding
import isolation
import playing
import starting
from gates import TURN_MS, Contender, failed, once_more, verdict
from incremental import Incremental

pillow_heif.register_heif_opener()

FULL = ["photo24.jpg", "photo24-progressive.jpg", "photo12-rgb.png", "photo12-rgba.png", "photo12-palette.png",
        "photo12-lossy.webp", "photo12-lossless.webp", "photo12.gif", "photo12.heic", "photo12.avif",
        "photo12-lzw.tif", "photo12-deflate.tif", "photo12-tiled.tif", "photo12.jp2", "photo12.jxl", "photo12.bmp",
        "photo12.qoi", "photo12.ppm"]
ANIMATIONS = ["screencast600.gif", "moving60.gif", "moving120.webp", "moving60.avif", "moving60.heics"]
ICONS = ["icon.jpg", "icon.png", "icon.gif", "icon.webp", "icon.bmp", "icon.qoi", "icon.ppm"]
# Their planes are converted to RGB here, within 2 of the library's own conversion: make conformance holds them to that.
OWN_CONVERSION = {"photo12.heic", "moving60.heics"}
# Pillow does not read these, so nothing resamples them for comparison.
NO_REFERENCE = {"photo12.jxl"}

FULL_GATE = 1.03
# The floors reduce with a box or libwebp's own filter, ours with Lanczos: this holds the price of that down.
THUMBNAIL_GATE = 1.20
THUMBNAIL_GATES = {
    # Both are filtered from 500 columns; ours moves their samples to where pixels are.
    "photo12.jp2": 1.30,
}
ICON_GATE_US = 10
PROBE_GATE = 20
PSNR_GATE_DB = 48


def rounds(contenders, operation, path, count):
    """For each contender its minima by round, and its hash."""
    first, _ = contenders[0].turn(operation, path, 1)
    repetitions = max(1, min(3000, int(TURN_MS / first)))
    times = [[] for _ in contenders]
    hashes = [None] * len(contenders)
    for number in range(count):
        order = list(range(len(contenders)))
        for index in order if number % 2 == 0 else reversed(order):
            least, hashes[index] = contenders[index].turn(operation, path, repetitions)
            times[index].append(least)
    return times, hashes


def judged(contenders, operation, path, arguments, figure, gate):
    """A figure of the two contenders' minima by round."""
    def measure(count):
        (raw, ours), (expected, found) = rounds(contenders, operation, path, count)
        value = statistics.median(figure(our, base) for our, base in zip(ours, raw))
        return value, min(raw), min(ours), expected == found
    value, raw, ours, same = once_more(measure, arguments.rounds, gate)
    return raw, ours, value, same


def ratios(title, operation, names, contenders, arguments, gate=FULL_GATE, equal=True, gates=None):
    print(f"\n{title}\n{'':<26}{'raw ms':>10}{'ours ms':>10}{'ratio':>8}   gate {gate:.2f}")
    for name in names:
        path = os.path.join(arguments.corpus, name)
        allowed = (gates or {}).get(name, gate)
        raw, ours, ratio, same = judged(
            contenders, operation, path, arguments, lambda our, base: our / base, allowed)
        passed = verdict(f"{title}: {name} {ratio:.3f}", ratio <= allowed)
        print(f"{name:<26}{raw:>10.2f}{ours:>10.2f}{ratio:>8.3f}   {passed} "
              f"{agreement(title, name, same) if equal and name not in OWN_CONVERSION else ''}", flush=True)


def agreement(title, name, same):
    if not same:
        verdict(f"{title}: {name} has other pixels", False)
    return "same pixels" if same else "PIXELS DIFFER"


def icons(contenders, arguments):
    print(f"\n64×64 pictures\n{'':<26}{'raw µs':>10}{'ours µs':>10}{'over':>8}   gate {ICON_GATE_US} µs")
    for name in ICONS:
        path = os.path.join(arguments.corpus, name)
        raw, ours, over, same = judged(
            contenders, "full", path, arguments, lambda our, base: (our - base) * 1000, ICON_GATE_US)
        passed = verdict(f"64×64: {name} {over:.1f} µs", over <= ICON_GATE_US)
        print(f"{name:<26}{raw * 1000:>10.1f}{ours * 1000:>10.1f}{over:>8.1f}   {passed} "
              f"{agreement('64×64', name, same)}", flush=True)


def probing(ours, arguments):
    """Headers of 2,000 files in one process. Ours tell size, orientation and frames; Pillow tells the size at once,
    and the rest when it is asked."""
    folder = os.path.join(arguments.corpus, "many")
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
        listed.write("\n".join(paths))
        listed.flush()
        times = {"ours": [], "size": [], "all": []}
        for _ in range(arguments.rounds):
            times["ours"].append(ours.turn("probe", listed.name, 10)[0])
            times["size"].append(min(pillow_probe(paths, lambda image: image.size) for _ in range(3)))
            times["all"].append(pillow_probe(paths, pillow_header))
    least = min(times["ours"])
    print(f"\nHeaders of {len(paths)} files in one process\n{'ours':<44}{least:>8.1f} ms, "
          f"{len(paths) / least * 1000:,.0f} a second")
    for key, name in (("size", "Pillow, size alone"), ("all", "Pillow, size, orientation and frames")):
        ratio = statistics.median(theirs / our for our, theirs in zip(times["ours"], times[key]))
        judged = ""
        if key == "all":
            judged = f"   gate {PROBE_GATE}   {verdict(f'probing {ratio:.1f} × as fast as Pillow', ratio >= PROBE_GATE)}"
        print(f"{name:<44}{min(times[key]):>8.1f} ms, ours is {ratio:.1f} × as fast{judged}")


def pillow_probe(paths, ask):
    before = time.perf_counter()
    for path in paths:
        with Image.open(path) as image:
            ask(image)
    return (time.perf_counter() - before) * 1000


def pillow_header(image):
    return image.size, image.getexif().get(0x0112), getattr(image, "n_frames", 1)


def quality(arguments):
    """Our thumbnails against Pillow's Lanczos filter of the whole picture."""
    print(f"\nThumbnails of 256 against Lanczos of the full picture   gate {PSNR_GATE_DB} dB")
    for name in [name for name in FULL if name not in NO_REFERENCE]:
        path = os.path.join(arguments.corpus, name)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [arguments.digest, "--plugins", arguments.plugins, "--thumbnail", "256", "--format", "rgba8", "--raw",
                 folder, path], stdout=subprocess.DEVNULL, check=True)
            found = numpy.fromfile(os.path.join(folder, "0-0.raw"), dtype=numpy.uint8)
        with Image.open(path) as image:
            width, height = image.size
            shape = (256, round(height * 256 / width))
            wanted = image.convert("RGBA").resize(shape, Image.Resampling.LANCZOS)
        if found.size != shape[0] * shape[1] * 4:
            print(f"{name:<26}{found.size // 1024} rows where {shape[1]} are expected   "
                  f"{verdict(f'thumbnail of {name}: size', False)}")
            continue
        ratio = psnr(found.reshape(shape[1], shape[0], 4), numpy.asarray(wanted))
        passed = ratio >= PSNR_GATE_DB
        print(f"{name:<26}{ratio:>10.1f} dB   {verdict(f'thumbnail of {name} {ratio:.1f} dB', passed)}")


def psnr(found, wanted):
    """Of colors multiplied by alpha, and alpha where there is any: what is clear has no color."""
    def light(pixels):
        pixels = pixels.astype(numpy.float64)
        return numpy.concatenate([pixels[:, :, :3] * pixels[:, :, 3:] / 255, pixels[:, :, 3:]], axis=2)
    channels = 4 if (wanted[:, :, 3] < 255).any() else 3
    error = ((light(found) - light(wanted))[:, :, :channels] ** 2).mean()
    return 99 if error == 0 else 10 * numpy.log10(255 ** 2 / error)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("floor", "bench", "digest", "coders", "plugins", "corpus"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("parts", nargs="+", help="those that scripts/bench names")
    arguments = parser.parse_args()
    # vipsthumbnail takes other paths from the folder of its input.
    arguments.corpus = os.path.abspath(arguments.corpus)
    # These need libraries of others that the other parts do without.
    module = importlib.import_module
    raw, ours = Contender(arguments.floor), Contender(arguments.bench, arguments.plugins)
    both = [raw, ours]
    parts = {
        "full": lambda: ratios("Full decode to RGBA8", "full", FULL, both, arguments),
        "thumbnail": lambda: ratios(
            "Thumbnail to fit 256×256", "thumbnail", FULL, both, arguments, THUMBNAIL_GATE, equal=False,
            gates=THUMBNAIL_GATES),
        "icons": lambda: icons(both, arguments),
        "all": lambda: ratios("Every frame, composited", "all", ANIMATIONS, both, arguments),
        "start": lambda: starting.compare(arguments),
        "probe": lambda: probing(ours, arguments),
        "quality": lambda: quality(arguments),
        "colors": lambda: module("colors").run(ours, arguments),
        "encode": lambda: encoding.stills(raw, ours, arguments),
        "sizes": lambda: encoding.movies(arguments),
        "isolation": lambda: isolation.run(arguments, judged),
        "processing": lambda: module("processing").run(ours, arguments),
        "caches": lambda: caches.run(ours, arguments),
        "png": lambda: module("pngs").run(arguments),
        "lines": lambda: module("lines").run(arguments),
        "play": lambda: playing.run(raw, ours, ANIMATIONS, judged, arguments),
    }
    incremental = Incremental(ours, arguments, FULL, ANIMATIONS)
    parts["incremental"] = incremental.run
    for name in arguments.parts:
        {**parts, **incremental.parts}[name]()
    print(f"\n{'every gate holds' if not failed else f'{len(failed)} gates do not hold:'}")
    for line in failed:
        print(f"  {line}")
    sys.exit(1 if failed else 0)


main()
