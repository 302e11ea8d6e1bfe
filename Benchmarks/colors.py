# SPDX-License-Identifier: Apache-2.0
"""Conversion of colors beside Little CMS, and what it adds to a thumbnail of a JPEG."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

from gates import Contender, once_more, verdict

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "Tests", "Conformance"))
import littlecms  # noqa: E402

# Megapixels a second over those of Little CMS: its usual way at 8 bits, its exact one at 16, where the usual one is
# wrong by thousands.
GATES = {8: 6.0, 16: 10.0}
THUMBNAIL_GATE = 1.10
SIDE = 2048


def run(ours, arguments):
    p3 = littlecms.matrix_profile("Display P3", littlecms.curve_of_srgb())
    srgb = littlecms.matrix_profile("sRGB", littlecms.curve_of_srgb())
    conversions(ours, p3, srgb, arguments)
    libvips(ours, p3, srgb, arguments)
    thumbnail(ours, p3, arguments)


def conversions(ours, p3, srgb, arguments):
    print(f"\nDisplay P3 to sRGB, {SIDE}×{SIDE} of noise\n{'':<26}{'lcms2 MP/s':>12}{'ours MP/s':>12}{'ratio':>8}")
    random = numpy.random.default_rng(1)
    for bits in (8, 16):
        kind, flags = (littlecms.RGB8, 0) if bits == 8 else (littlecms.RGB16, littlecms.NO_OPTIMIZATION)
        pixels = random.integers(0, 1 << bits, (SIDE, SIDE, 3), dtype=numpy.uint8 if bits == 8 else numpy.uint16)
        # At 16 bits, as many as take as long.
        count = SIDE * SIDE if bits == 8 else SIDE * SIDE // 8
        conversion = littlecms.transform(p3, srgb, kind, kind, flags)
        target = numpy.empty_like(pixels)

        def measure(rounds):
            theirs, own = [], []
            for _ in range(rounds):
                before = time.perf_counter()
                littlecms.run(conversion, pixels, target, count)
                theirs.append(count / (time.perf_counter() - before) / 1e6)
                own.append(float(ours.say("color", str(bits), 5)[3]))
            ratio = statistics.median(our / their for our, their in zip(own, theirs))
            # The larger the worse, for the rule that measures once more.
            return 1 / ratio, max(theirs), max(own)
        inverse, theirs, own = once_more(measure, arguments.rounds, 1 / GATES[bits])
        ratio = 1 / inverse
        passed = verdict(f"colors of {bits} bits {ratio:.1f} × as fast as lcms2", ratio >= GATES[bits])
        print(f"{f'{bits} bits':<26}{theirs:>12.1f}{own:>12.1f}{ratio:>8.1f}   gate {GATES[bits]:.0f}   {passed}", flush=True)


def libvips(ours, p3, srgb, arguments):
    """libvips on one thread, which is Little CMS in its usual way, less what copying the same pixels takes; and whether
    both give the same colors."""
    if shutil.which("vips") is None:
        print("vips is not here (libvips-tools): nothing to measure it by")
        return
    random = numpy.random.default_rng(2)
    environment = {**os.environ, "VIPS_CONCURRENCY": "1"}
    with tempfile.TemporaryDirectory() as folder:
        names = {name: os.path.join(folder, name) for name in ("p3.icc", "srgb.icc", "in.png", "in.v", "out.v", "copy.v",
                                                               "theirs.ppm", "ours.ppm")}
        for name, profile in (("p3.icc", p3), ("srgb.icc", srgb)):
            with open(names[name], "wb") as file:
                file.write(profile)

        def vips(*words):
            before = time.perf_counter()
            subprocess.run(["vips", *words], env=environment, check=True, capture_output=True)
            return time.perf_counter() - before
        for bits in (8, 16):
            pixels = random.integers(0, 1 << bits, (SIDE, SIDE, 3))
            with open(names["in.png"], "wb") as file:
                file.write(littlecms.png_bytes(pixels, bits, p3))
            vips("copy", names["in.png"], names["in.v"])
            turn = ["icc_transform", names["in.v"], names["out.v"], names["srgb.icc"], "--depth", str(bits)]
            theirs = min(vips(*turn) for _ in range(3)) - min(vips("copy", names["in.v"], names["copy.v"]) for _ in range(3))
            speed = SIDE * SIDE / max(theirs, 1e-3) / 1e6
            own = max(float(ours.say("color", str(bits), 5)[3]) for _ in range(3))
            vips("copy", names["out.v"], names["theirs.ppm"])
            subprocess.run(
                [arguments.coders, "convert", "--plugin-dir", arguments.plugins, names["in.png"], names["ours.ppm"],
                 "--color", names["srgb.icc"], "--quiet"], check=True)
            found = [numpy.frombuffer(open(names[name], "rb").read()[-SIDE * SIDE * 3 * bits // 8:],
                                      dtype=">u2" if bits == 16 else "u1").astype(int)
                     for name in ("theirs.ppm", "ours.ppm")]
            wanted = littlecms.exact(p3, srgb, pixels / ((1 << bits) - 1)).ravel() * ((1 << bits) - 1)
            far = [numpy.abs(pixels - wanted).max() for pixels in found]
            print(f"{f'libvips, {bits} bits':<26}{speed:>12.1f}{own:>12.1f}{own / speed:>8.1f}   from exact: theirs "
                  f"{far[0]:.1f}, ours {far[1]:.1f} codes", flush=True)


def thumbnail(ours, p3, arguments):
    path = os.path.join(arguments.corpus, "photo24-p3.jpg")
    with open(os.path.join(arguments.corpus, "photo24.jpg"), "rb") as file:
        content = file.read()
    # After the start of the image, as ICC.1 annex B.4 has it.
    part = b"ICC_PROFILE\0\x01\x01" + p3
    with open(path, "wb") as file:
        file.write(content[:2] + b"\xff\xe2" + (len(part) + 2).to_bytes(2, "big") + part + content[2:])

    def measure(rounds):
        plain, converted = [], []
        for _ in range(rounds):
            plain.append(ours.turn("thumbnail", path, 5)[0])
            converted.append(ours.turn("thumbnail-srgb", path, 5)[0])
        return statistics.median(b / a for a, b in zip(plain, converted)), min(plain), min(converted)
    ratio, plain, converted = once_more(measure, arguments.rounds, THUMBNAIL_GATE)
    passed = verdict(f"thumbnail of a JPEG of Display P3 as sRGB {ratio:.3f}", ratio <= THUMBNAIL_GATE)
    print(f"\nThumbnail of photo24.jpg in Display P3: {plain:.2f} ms, as sRGB {converted:.2f} ms, ratio {ratio:.3f}   "
          f"gate {THUMBNAIL_GATE:.2f}   {passed}")
