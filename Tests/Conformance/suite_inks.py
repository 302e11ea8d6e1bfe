# SPDX-License-Identifier: Apache-2.0
"""Inks, intents, what files state of colors, HDR as a target and light that is resampled: beside Little CMS and formulas."""

import os
import subprocess
import tempfile

import numpy
import tifffile
from PIL import Image

from encoded import CODERS, convert
from score import Score
from suite_color import (
    TO_SRGB, coded_srgb, difference_2000, hlg_of_light, mapped, nits_of_hlg, nits_of_pq, pq_of_nits, profiles, read)
from suite_gainmap import png16

try:
    import littlecms
except OSError:
    littlecms = None

SIDE = (120, 200)


def run(digest, corpora):
    if littlecms is None:
        return []
    random = numpy.random.default_rng(11)
    inks = Score("CMYK by profiles", "Little CMS in floating point, mean of at most 0.5, 99.9 % within 5")
    press = Score("CMYK without a profile", "the model of docs/color.md in numpy")
    intents = Score("Intents and black of profiles", "Little CMS in floating point")
    printed = Score("CMYK beside measurements", "characterized prints, CIEDE2000 of at most 4 on average")
    stated = Score("Stated primaries, curves and light", "Little CMS, and formulas in numpy")
    hdr = Score("SDR and light to HDR", "formulas of BT.2100 in numpy")
    light = Score("Light resampled", "numpy")
    with tempfile.TemporaryDirectory() as folder:
        by_profile(digest, inks, random, folder)
        by_model(digest, press, random, folder)
        by_measurements(printed)
        by_intent(digest, intents, random, folder)
        as_stated(digest, stated, random, folder)
        to_hdr(digest, hdr, random, folder)
        resampled(digest, light, folder)
    return [inks, press, printed, intents, stated, hdr, light]


def compared(found, wanted, most):
    """None where a picture is as it should be: on average, nearly everywhere and everywhere, in codes of 255."""
    if found.shape != wanted.shape:
        return f"{found.shape} where {wanted.shape} is expected"
    distance = numpy.abs(found - wanted) / most * 255
    mean, nearly, worst = distance.mean(), numpy.quantile(distance, 0.999), distance.max()
    # Rounding to codes costs a quarter on average.
    if mean <= 0.5 and nearly <= 1 and worst <= 1.5:
        return None
    return f"differs by {mean:.2f} on average, {nearly:.2f} for 99.9 %, {worst:.2f} at most"


def converted(digest, path, folder, *options):
    out = os.path.join(folder, "out.ppm")
    said = convert(digest, path, out, "--quiet", *options)
    return said, None if said else read(out)


def tiff_of(folder, inks, bits, profile, planar=False):
    path = os.path.join(folder, "inks.tif")
    samples = numpy.rint(inks * ((1 << bits) - 1)).astype(numpy.uint16 if bits == 16 else numpy.uint8)
    stored = numpy.moveaxis(samples, 2, 0) if planar else samples
    tifffile.imwrite(
        path, stored, photometric="separated", planarconfig="separate" if planar else "contig", iccprofile=profile,
        compression="zlib")
    return path, samples / ((1 << bits) - 1)


def by_profile(digest, score, random, folder):
    profile, target = littlecms.ink_profile(), profiles()["sRGB"]
    icc = os.path.join(folder, "target.icc")
    with open(icc, "wb") as file:
        file.write(target)
    inks = random.random((*SIDE, 4))
    for bits in (8, 16):
        for planar in (False, True):
            path, exact = tiff_of(folder, inks, bits, profile, planar)
            said, found = converted(digest, path, folder, "--color", icc)
            most = (1 << bits) - 1
            wanted = littlecms.exact(profile, target, exact, black_point=True) * most
            name = f"TIFF, {bits} bits{', planar' if planar else ''}"
            score.add(name, said or compared(found, wanted, most))
    absolute = littlecms.exact(profile, target, exact, intent=3) * most
    said, found = converted(digest, path, folder, "--color", icc, "--intent", "absolute")
    score.add("TIFF, absolute", said or compared(found, absolute, most))
    # What JPEG loses is lost before: the inks that Pillow reads are those to convert.
    smooth = numpy.kron(random.random((15, 25, 4)), numpy.ones((8, 8, 1)))
    path = os.path.join(folder, "inks.jpg")
    Image.fromarray((smooth * 255).astype(numpy.uint8), "CMYK").save(path, quality=95, icc_profile=profile)
    exact = numpy.asarray(Image.open(path)) / 255
    said, found = converted(digest, path, folder, "--color", icc)
    wanted_of_all = littlecms.exact(profile, target, exact, black_point=True) * 255
    score.add("JPEG", said or compared(found, wanted_of_all, 255))
    out = os.path.join(folder, "small.ppm")
    done = subprocess.run(
        [CODERS, "thumbnail", "--plugin-dir", digest.plugins, "--size", "25", path, "-o", out, "--quiet"],
        capture_output=True, text=True, check=False)
    found = None if done.returncode else read(out)
    # Flat squares, of which the filter leaves the middle of every pixel nearly alone.
    wanted = numpy.rint(littlecms.exact(profile, target, numpy.kron(exact[4::8, 4::8], numpy.ones((1, 1, 1))),
                                        black_point=True) * 255)
    far = None if done.returncode else numpy.abs(found - wanted).mean()
    score.add("JPEG, thumbnail", done.stderr.strip() or (None if far < 12 else f"differs by {far:.1f} on average"))
    # No format that is written holds inks: where no colors are asked for, they become sRGB by their profile.
    said, found = converted(digest, path, folder)
    score.add("JPEG, kept", said or compared(found, wanted_of_all, 255))


# CIELab of D50 that ISO 12647-2 aims at on coated paper: paper, C, M, CM, Y, CY, MY, CMY.
SOLIDS = [(95, 0, -2), (55, -37, -50), (48, 74, -3), (24, 20, -46), (89, -5, 93), (50, -66, 26), (47, 68, 48), (23, 0, 0)]
D50 = numpy.array([0.9642, 1, 0.8249])
# From D50, by linear Bradford.
XYZ_TO_SRGB = numpy.linalg.inv(numpy.array([
    [0.4360658, 0.3851515, 0.1430784], [0.2224932, 0.7168870, 0.0606169], [0.0139239, 0.0970813, 0.7140994]]))


def xyz_of_lab(lightness, a, b):
    y = (lightness + 16) / 116
    f = numpy.array([y + a / 500, y, y - b / 200])
    return numpy.where(f > 6 / 29, f ** 3, 108 / 841 * (f - 4 / 29)) * D50


def reflected(inks):
    """What paper with inks reflects, as a share of what the paper does."""
    paper = xyz_of_lab(*SOLIDS[0])
    solids = [xyz_of_lab(*lab) / paper for lab in SOLIDS]
    black, surface = xyz_of_lab(16, 0, 0) / paper, 0.005
    solids += [surface + (solid - surface) * (black - surface) / (1 - surface) for solid in solids]
    dots = inks + numpy.array([0.12, 0.12, 0.12, 0]) * inks * (1 - inks)
    roots = 0
    for index, solid in enumerate(solids):
        share = 1
        for channel in range(4):
            share = share * (dots[..., channel] if index >> channel & 1 else 1 - dots[..., channel])
        roots = roots + share[..., None] * numpy.sqrt(solid)
    return roots ** 2


def press(inks):
    """Light of sRGB, black compensated."""
    lost = reflected(numpy.ones(4))[1]
    return ((reflected(inks) - lost) / (1 - lost) * D50) @ XYZ_TO_SRGB.T


def by_measurements(score):
    """The model beside what was measured on prints: characterisations in Debian's package icc-profiles-free."""
    paper = xyz_of_lab(*SOLIDS[0])
    for name in ("FOGRA39L", "FOGRA28L", "TR003", "TR005", "TR006"):
        path = f"/usr/share/color/icc/{name}.ti3"
        if not os.path.exists(path):
            continue
        with open(path, encoding="latin-1") as file:
            text = file.read()
        fields = text.split("BEGIN_DATA_FORMAT")[1].split("END_DATA_FORMAT")[0].split()
        lines = text.split("BEGIN_DATA\n")[1].split("END_DATA")[0].strip().splitlines()
        rows = numpy.array([[float(word) for word in line.split()[1:]] for line in lines])
        inks = rows[:, [fields.index(f"CMYK_{ink}") - 1 for ink in "CMYK"]] / 100
        wanted = rows[:, [fields.index(f"LAB_{axis}") - 1 for axis in "LAB"]]
        roots = reflected(inks) * paper / D50
        f = numpy.where(roots > 216 / 24389, numpy.cbrt(roots), (24389 / 27 * roots + 16) / 116)
        found = numpy.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)
        far = difference_2000(found, wanted)
        score.add(name, None if far.mean() <= 4 else f"{far.mean():.2f} on average, {far.max():.1f} at most")


def by_model(digest, score, random, folder):
    for bits in (8, 16):
        path, exact = tiff_of(folder, random.random((*SIDE, 4)), bits, None)
        said, found = converted(digest, path, folder, "--color", "srgb")
        most = (1 << bits) - 1
        score.add(f"TIFF, {bits} bits", said or compared(found, coded_srgb(press(exact)) * most, most))
    # Colors that designers know from programs with a profile of the same printing: not those of a screen.
    known = {
        (1, 0, 0, 0): (0, 159, 227), (0, 1, 0, 0): (230, 0, 126), (0, 0, 1, 0): (255, 237, 0),
        (0, 1, 1, 0): (227, 6, 19), (1, 0, 1, 0): (0, 150, 64), (1, 1, 0, 0): (49, 39, 131), (0, 0, 0, 1): (29, 29, 27),
        (0, 0, 0, 0.5): (157, 157, 156), (0.5, 0, 0, 0): (137, 207, 240), (0.25, 0.4, 0.65, 0): (203, 160, 106)}
    found = numpy.array([coded_srgb(press(numpy.array(inks))) * 255 for inks in known])
    worst = numpy.abs(found - numpy.array(list(known.values()))).max()
    score.add("colors of FOGRA39, within 18", None if worst <= 18 else f"{worst:.1f}")


def by_intent(digest, score, random, folder):
    target = profiles()["sRGB"]
    icc, path = os.path.join(folder, "target.icc"), os.path.join(folder, "in.png")
    with open(icc, "wb") as file:
        file.write(target)
    words = {"perceptual": 0, "relative": 1, "saturation": 2, "absolute": 3}
    for name, source in (
            ("a white of paper", littlecms.lifted_profile(0, (60000, 62500, 48000))),
            ("a black with light", littlecms.lifted_profile(0.02)), ("tables", littlecms.table_profile())):
        pixels = random.integers(0, 65536, (*SIDE, 3))
        with open(path, "wb") as file:
            file.write(littlecms.png_bytes(pixels, 16, source))
        for intent, number in words.items():
            for black in ("compensated", "kept"):
                said, found = converted(
                    digest, path, folder, "--color", icc, "--intent", intent, "--black-point", black)
                wanted = littlecms.exact(
                    source, target, pixels / 65535, black_point=black == "compensated", intent=number) * 65535
                far = 0 if said else numpy.abs(found - wanted).max()
                # Little CMS rounds tables of curves to 16 bits of light, which are 13 codes at the dark end.
                score.add(f"{name}, {intent}, black {black}", said or (None if far <= 20 else f"differs by {far:.1f}"))


def as_stated(digest, score, random, folder):
    path = os.path.join(folder, "in.tif")
    pixels = random.integers(0, 65536, (*SIDE, 3)).astype(numpy.uint16)
    curve = (numpy.linspace(0, 1, 65536) ** (563 / 256) * 65535).round().astype(numpy.uint16)
    ratio = lambda points: tuple(value for point in points for value in (round(point * 1e6), 1000000))
    tags = [(318, "2I", 2, ratio([0.3127, 0.3290])), (319, "2I", 6, ratio([0.64, 0.33, 0.21, 0.71, 0.15, 0.06])),
            (301, "H", 65536, tuple(int(value) for value in curve))]
    tifffile.imwrite(path, pixels, photometric="rgb", extratags=[
        (tag, 5 if code == "2I" else 3, count, value, True) for tag, code, count, value in tags])
    adobe = littlecms.matrix_profile("Adobe RGB", littlecms.gamma(563 / 256))
    said, found = converted(digest, path, folder, "--color", "srgb")
    wanted = littlecms.exact(adobe, profiles()["sRGB"], pixels / 65535) * 65535
    far = 0 if said else numpy.abs(found - wanted).max()
    score.add("TIFF: WhitePoint, PrimaryChromaticities, TransferFunction", said or (None if far <= 60 else f"{far:.1f}"))
    bmp(digest, score, random, folder)
    nits = numpy.minimum(4000 * random.random((*SIDE, 3)) ** 4, 900)
    samples = numpy.rint(pq_of_nits(nits) * 65535)
    nits = nits_of_pq(samples / 65535)
    lead = [(b"cICP", bytes([9, 16, 0, 1]))]
    level = lambda *values: b"".join(round(value * 10000).to_bytes(4, "big") for value in values)
    display = (b"mDCV", bytes(16) + level(2000, 0.01))
    for name, chunks, peak in (("cLLI before mDCV", [display, (b"cLLI", level(1500, 100))], 1500),
                               ("mDCV", [display], 2000), ("cLLI of 0", [display, (b"cLLI", level(0, 0))], 2000)):
        path = os.path.join(folder, "in.png")
        with open(path, "wb") as file:
            file.write(littlecms.png_bytes(samples, 16, None, lead + chunks))
        said, found = converted(digest, path, folder, "--color", "srgb")
        wanted = coded_srgb(mapped(nits, peak) / 203 @ TO_SRGB.T) * 65535
        far = 0 if said else numpy.abs(found - wanted).max() / 257
        score.add(f"PNG: {name}", said or (None if far <= 0.25 else f"differs by {far:.2f} codes of 8 bits"))


def bmp(digest, score, random, folder):
    """BITMAPV4HEADER with the end points of Adobe RGB, whose sum is its white."""
    pixels = random.integers(0, 256, (64, 64, 3)).astype(numpy.uint8)
    white, *points = [(0.3127, 0.3290), (0.64, 0.33), (0.21, 0.71), (0.15, 0.06)]
    tristimulus = lambda point: numpy.array([point[0] / point[1], 1, (1 - sum(point)) / point[1]])
    ends = numpy.stack([tristimulus(point) for point in points], axis=1)
    ends = ends * numpy.linalg.solve(ends, tristimulus(white))
    number = lambda value, count=4: int(value).to_bytes(count, "little", signed=True)
    header = number(108) + number(64) + number(-64) + number(1, 2) + number(24, 2) + bytes(24) + bytes(16) + number(0)
    header += b"".join(number(round(value * (1 << 30))) for value in ends.T.ravel())
    header += number(round(563 / 256 * 65536)) * 3
    path = os.path.join(folder, "in.bmp")
    with open(path, "wb") as file:
        file.write(b"BM" + number(14 + 108 + pixels.size) + bytes(4) + number(122) + header + pixels[..., ::-1].tobytes())
    adobe = littlecms.matrix_profile("Adobe RGB", littlecms.gamma(563 / 256))
    said, found = converted(digest, path, folder, "--color", "srgb")
    wanted = littlecms.exact(adobe, profiles()["sRGB"], pixels / 255) * 255
    score.add("BMP: end points and gamma", said or compared(found, wanted, 255))


def to_hdr(digest, score, random, folder):
    """Pictures of sRGB, and HDR ones of the other kind."""
    codes = random.integers(0, 65536, (*SIDE, 3))
    value = codes / 65535
    light = numpy.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    wide = light @ numpy.linalg.inv(TO_SRGB).T
    sources = {
        "sRGB": ([], wide), "HLG": ([(b"cICP", bytes([9, 18, 0, 1]))], nits_of_hlg(value) / 203)}
    targets = {"rec2100-pq": lambda light: pq_of_nits(light * 203), "rec2100-hlg": hlg_of_light}
    for source, (chunks, light) in sources.items():
        for target, encode in targets.items():
            if source == "HLG" and target == "rec2100-hlg":
                continue
            path, png = os.path.join(folder, "in.png"), os.path.join(folder, "hdr.png")
            with open(path, "wb") as file:
                file.write(littlecms.png_bytes(codes, 16, None, chunks))
            said = convert(digest, path, png, "--quiet", "--color", target)
            if not said:
                with open(png, "rb") as file:
                    content = file.read()
                place = content.find(b"cICP")
                code = 16 if target == "rec2100-pq" else 18
                if content[place + 4:place + 8] != bytes([9, code, 0, 1]) or content[24] != 16:
                    said = f"cICP {content[place + 4:place + 8].hex()} and {content[24]} bits"
            if not said:
                found = png16(png).astype(float)
            far = 0 if said else numpy.abs(found - encode(numpy.maximum(light, 0)) * 65535)
            problem = None if said or far.max() <= 8 else f"differs by {far.max():.1f} of 65,535, mean {far.mean():.2f}"
            score.add(f"{source} to {target}", said or problem)
    # Through AVIF of 12 bits and back.
    path, avif = os.path.join(folder, "in.png"), os.path.join(folder, "hdr.avif")
    flat = numpy.kron(random.random((8, 10, 3)), numpy.ones((16, 16, 1)))
    with open(path, "wb") as file:
        file.write(littlecms.png_bytes(numpy.rint(flat * 255), 8))
    said = convert(
        digest, path, avif, "--quiet", "--color", "rec2100-pq", "--option", "bit-depth=12", "--quality", "1",
        "--subsampling", "444")
    if not said:
        said, found = converted(digest, avif, folder, "--color", "srgb", "--tone-mapping", "clip")
    far = 0 if said else numpy.abs(found / (65535 if found.max() > 255 else 255) * 255 - numpy.rint(flat * 255)).max()
    score.add("sRGB to PQ in AVIF and back", said or (None if far <= 2 else f"differs by {far:.1f} codes"))


def resampled(digest, score, folder):
    def small(pixels, size, *options):
        path, out = os.path.join(folder, "in.png"), os.path.join(folder, "small.ppm")
        with open(path, "wb") as file:
            file.write(littlecms.png_bytes(pixels, 8))
        subprocess.run(
            [CODERS, "thumbnail", "--plugin-dir", digest.plugins, "--size", str(size), path, "-o", out, "--quiet",
             *options], capture_output=True, check=True)
        return read(out)
    y, x = numpy.mgrid[0:256, 0:256]
    pattern = numpy.repeat((((x + y) % 2) * 255)[:, :, None], 3, axis=2)
    for options, wanted in (([], 128), (["--linear-light"], 188)):
        middle = small(pattern, 32, *options)[8:24, 8:24]
        far = numpy.abs(middle - wanted).max()
        score.add(f"a fine pattern becomes {wanted}", None if far <= 1 else f"differs by {far}")
    step = numpy.repeat(numpy.where(x < 128, 26, 230)[:, :, None], 3, axis=2)
    found = small(step, 64, "--linear-light")[32, :, 0]
    score.add("an edge has no halo", None if found.min() >= 25 and found.max() <= 231 and (numpy.diff(found) >= 0).all()
              else f"{found.min()} to {found.max()}")
    lanczos = small(step, 64)[32, :, 0]
    score.add("Lanczos has one", None if lanczos.min() < 24 and lanczos.max() > 232 else f"{lanczos.min()} to {lanczos.max()}")
