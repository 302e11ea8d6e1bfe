# SPDX-License-Identifier: Apache-2.0
"""Colors beside Little CMS in floating point without optimizations, and beside published formulas of HDR."""

import os
import re
import subprocess
import tempfile

import numpy

from encoded import CODERS, convert
from score import Score

try:
    import littlecms
except OSError:
    littlecms = None

SIDE = (160, 250)
# By the profile, of 255 and of 65,535: rounding is half a code of it.
TOLERANCE = {8: 1, 16: 1.2}


def run(digest, corpora):
    if littlecms is None:
        return []
    score = Score("Color conversion", "Little CMS in floating point without optimizations, ±1 of 8 bits, ±1.2 of 16")
    random = numpy.random.default_rng(4)
    with tempfile.TemporaryDirectory() as folder:
        matrices(digest, score, random, folder)
        grays(digest, score, random, folder)
        tables(digest, score, random, folder)
        chunks(digest, score, random, folder)
    hdr = Score("HDR to SDR", "formulas of BT.2100 and BT.2390 in numpy, ±0.25 of 8 bits")
    with tempfile.TemporaryDirectory() as folder:
        high(digest, hdr, random, folder)
    scene = Score("One scene in five files", "CIEDE2000 of at most 1.5")
    with tempfile.TemporaryDirectory() as folder:
        five(digest, scene, folder)
    return [score, hdr, scene]


def profiles():
    srgb = littlecms.curve_of_srgb()
    steps = numpy.linspace(0, 1, 1024)
    return {
        "sRGB": littlecms.matrix_profile("sRGB", srgb),
        "Display P3": littlecms.matrix_profile("Display P3", srgb),
        "Display P3 with a table": littlecms.matrix_profile("Display P3", littlecms.table(steps ** 2.2)),
        "Adobe RGB": littlecms.matrix_profile("Adobe RGB", littlecms.gamma(563 / 256)),
        "ProPhoto": littlecms.matrix_profile("ProPhoto", littlecms.gamma(1.8)),
        "BT.2020": littlecms.matrix_profile("BT.2020", littlecms.gamma(2.4))}


def matrices(digest, score, random, folder):
    made = profiles()
    for source in made:
        for target in ("sRGB", "Display P3", "Adobe RGB"):
            if source == target:
                continue
            for bits in (8, 16):
                # Little CMS rounds what tables give to 16 bits of light: 13 codes at the dark end of the curve of sRGB,
                # and any number at that of an exponent.
                if bits == 16 and source.endswith("table") and target == "Adobe RGB":
                    continue
                tolerance = 13 if bits == 16 and source.endswith("table") else None
                pixels = random.integers(0, 1 << bits, (*SIDE, 3))
                problem = held(digest, folder, pixels, bits, made[source], made[target], tolerance=tolerance)
                score.add(f"{source} to {target}, {bits} bits", problem)


def grays(digest, score, random, folder):
    target = profiles()["sRGB"]
    for exponent in (1.8, 2.2):
        for bits in (8, 16):
            pixels = random.integers(0, 1 << bits, (*SIDE, 1))
            profile = littlecms.gray_profile(littlecms.gamma(exponent))
            problem = held(digest, folder, pixels, bits, profile, target, color="srgb")
            score.add(f"gray of gamma {exponent}, {bits} bits", problem)


def tables(digest, score, random, folder):
    source = littlecms.table_profile()
    for target in ("sRGB", "Adobe RGB"):
        for bits in (8, 16):
            pixels = random.integers(0, 1 << bits, (*SIDE, 3))
            problem = held(digest, folder, pixels, bits, source, profiles()[target], black_point=True)
            score.add(f"tables to {target}, {bits} bits", problem)


def chunks(digest, score, random, folder):
    """What PNG says without a profile."""
    pixels = random.integers(0, 65536, (*SIDE, 3))
    points = [31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000]
    chrm = (b"cHRM", b"".join(value.to_bytes(4, "big") for value in points))
    gama = (b"gAMA", (55556).to_bytes(4, "big"))
    adobe = littlecms.matrix_profile("Adobe RGB", littlecms.gamma(1 / 0.55556))
    target = profiles()["sRGB"]
    score.add("gAMA and cHRM", held(digest, folder, pixels, 16, adobe, target, chunks=(gama, chrm), tolerance=40))
    p3 = (b"cICP", bytes([12, 13, 0, 1]))
    problem = held(digest, folder, pixels, 16, profiles()["Display P3"], target, chunks=(p3, gama), tolerance=40)
    score.add("cICP before gAMA", problem)


def held(digest, folder, pixels, bits, source, target, color=None, black_point=False, chunks=(), tolerance=None):
    """None when a PNG with a profile comes out as Little CMS has it, else the difference.

    Chunks stand for the profile; then primaries are exact where those of a profile are rounded."""
    path, icc = os.path.join(folder, "in.png"), os.path.join(folder, "target.icc")
    with open(path, "wb") as file:
        file.write(littlecms.png_bytes(pixels, bits, None if chunks else source, chunks))
    with open(icc, "wb") as file:
        file.write(target)
    out = os.path.join(folder, "out.ppm" if pixels.shape[2] == 3 else "out.pgm")
    said = convert(digest, path, out, "--color", color or icc, "--quiet")
    if said is not None:
        return said
    found = read(out)
    most = (1 << bits) - 1
    wanted = littlecms.exact(source, target, pixels / most, black_point) * most
    wanted = wanted[:, :, :found.shape[2]]
    if found.shape != wanted.shape:
        return f"{found.shape} where {wanted.shape} is expected"
    if bits == 8:
        # Codes, of which those of Little CMS are rounded, too.
        wanted = numpy.rint(wanted)
    distance = numpy.abs(found - wanted).max()
    # Where a profile for sRGB is not the target's bytes, its primaries are those of the standard.
    allowed = tolerance or (TOLERANCE[bits] if color is None or pixels.shape[2] == 1 else 40)
    return None if distance <= allowed else f"differs by {distance:.2f}, {allowed} is allowed"


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    lead = re.match(rb"P[56]\s+(\d+)\s+(\d+)\s+(\d+)\s", content)
    width, height, most = (int(value) for value in lead.groups())
    samples = numpy.frombuffer(content[lead.end():], dtype=">u2" if most > 255 else "u1")
    return samples.reshape(height, width, -1).astype(numpy.float64)


# ITU-R BT.2100-2 tables 4 and 5, BT.2390-11 §5.4, BT.2087 and IEC 61966-2-1.
M1, M2, C1, C2, C3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
TO_SRGB = numpy.array([
    [1.6604910, -0.5876411, -0.0728499], [-0.1245505, 1.1328999, -0.0083494], [-0.0181508, -0.1005789, 1.1187297]])


def nits_of_pq(value):
    root = value ** (1 / M2)
    return 10000 * (numpy.maximum(root - C1, 0) / (C2 - C3 * root)) ** (1 / M1)


def pq_of_nits(nits):
    power = (nits / 10000) ** M1
    return ((C1 + C2 * power) / (1 + C3 * power)) ** M2


def nits_of_hlg(value):
    a = 0.17883277
    b, c = 1 - 4 * a, 0.55991073
    scene = numpy.where(value <= 0.5, value ** 2 / 3, (numpy.exp((value - c) / a) + b) / 12)
    luminance = scene @ numpy.array([0.2627, 0.6780, 0.0593])
    return 1000 * scene * luminance[..., None] ** 0.2


def mapped(nits, peak):
    """The curve of BT.2390 on the largest channel."""
    most = nits.max(axis=2)
    top, white = pq_of_nits(peak), pq_of_nits(203) / pq_of_nits(peak)
    value = pq_of_nits(most) / top
    knee = 1.5 * white - 0.5
    t = numpy.clip((value - knee) / (1 - knee), 0, 1)
    curve = (2 * t ** 3 - 3 * t ** 2 + 1) * knee + (t ** 3 - 2 * t ** 2 + t) * (1 - knee) + (3 * t ** 2 - 2 * t ** 3) * white
    value = numpy.where(value > knee, curve, value)
    return nits * (nits_of_pq(value * top) / numpy.maximum(most, 1e-9))[..., None]


def coded(nits):
    light = numpy.clip(nits / 203 @ TO_SRGB.T, 0, 1)
    return numpy.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def high(digest, score, random, folder):
    """PQ and HLG of 16 bits in PNG's cICP."""
    for name, code, light in (("PQ", 16, nits_of_pq), ("HLG", 18, nits_of_hlg)):
        # Up to about 1000 nit, none of them a single brightest one.
        pixels = random.integers(0, round(65535 * 0.75) if code == 16 else 65536, (*SIDE, 3))
        path = os.path.join(folder, f"{name}.png")
        with open(path, "wb") as file:
            file.write(littlecms.png_bytes(pixels, 16, None, [(b"cICP", bytes([9, code, 0, 1]))]))
        nits = light(pixels / 65535)
        brightest = numpy.sort(nits.max(axis=2).ravel())
        peak = brightest[-1 - len(brightest) // 10000]
        for curve, wanted in (("clip", nits), ("bt2390", mapped(nits, peak))):
            out = os.path.join(folder, "out.ppm")
            said = convert(digest, path, out, "--color", "srgb", "--tone-mapping", curve, "--quiet")
            distance = 0 if said else numpy.abs(read(out) - coded(wanted) * 65535).max() / 257
            score.add(f"{name}, {curve}", said or (None if distance <= 0.25 else f"differs by {distance:.2f} codes of 8 bits"))


# One scene, of colors that sRGB has and light below the white of an SDR picture, stored in five ways.
FROM_SRGB = {
    name: numpy.linalg.inv(numpy.array(rows)) for name, rows in {
        "Display P3": [
            [1.2249402, -0.2249402, 0], [-0.0420570, 1.0420570, 0], [-0.0196376, -0.0786360, 1.0982736]],
        "Adobe RGB": [[1.3983557, -0.3983557, 0], [0, 1, 0], [0, -0.0429290, 1.0429290]],
        "BT.2020": TO_SRGB}.items()}


def scene_light():
    """Light of sRGB, 0 to 1: hues at all depths, grays, and slopes."""
    height, width = 240, 320
    y, x = numpy.mgrid[0:height, 0:width]
    hue, depth = x / width * 6, y / height
    color = numpy.stack([numpy.clip(numpy.abs((hue + shift) % 6 - 3) - 1, 0, 1) for shift in (0, 4, 2)], axis=2)
    light = (0.05 + 0.9 * color) * (1 - depth)[..., None] ** 2
    light[200:] = ((x[200:] / width) ** 2)[..., None] * 0.9
    return light


def hlg_of_light(light):
    """The signal of HLG for light of a display, 1 being 203 nit."""
    a = 0.17883277
    b, c = 1 - 4 * a, 0.55991073
    nits = light * 203 / 1000
    luminance = nits @ numpy.array([0.2627, 0.6780, 0.0593])
    scene = nits * numpy.maximum(luminance, 1e-9)[..., None] ** (-0.2 / 1.2)
    return numpy.where(
        scene <= 1 / 12, numpy.sqrt(3 * scene), a * numpy.log(numpy.maximum(12 * scene - b, 1e-9)) + c)


def coded_srgb(light):
    light = numpy.clip(light, 0, 1)
    return numpy.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def five(digest, score, folder):
    light = scene_light()
    made = profiles()
    wide = {name: numpy.maximum(light @ matrix.T, 0) for name, matrix in FROM_SRGB.items()}
    files = {
        "sRGB JPEG": (coded_srgb(light), 8, made["sRGB"], None, "jpg", ["--quality", "1", "--subsampling", "444"]),
        "P3 HEIC": (coded_srgb(wide["Display P3"]), 8, made["Display P3"], None, "heic", ["--lossless"]),
        "Adobe RGB TIFF": (wide["Adobe RGB"] ** (256 / 563), 16, made["Adobe RGB"], None, "tiff", []),
        "PQ AVIF": (pq_of_nits(wide["BT.2020"] * 203), 16, None, 16, "avif", ["--option", "bit-depth=12", "--quality", "1", "--subsampling", "444"]),
        "HLG JXL": (hlg_of_light(wide["BT.2020"]), 16, None, 18, "jxl", ["--lossless"])}
    thumbnails = {}
    for name, (samples, bits, profile, code, suffix, options) in files.items():
        png = os.path.join(folder, "scene.png")
        chunks = [(b"cICP", bytes([9, code, 0, 1]))] if code else []
        with open(png, "wb") as file:
            file.write(littlecms.png_bytes(numpy.rint(samples * ((1 << bits) - 1)), bits, profile, chunks))
        stored, small = os.path.join(folder, f"scene.{suffix}"), os.path.join(folder, f"{suffix}.ppm")
        said = convert(digest, png, stored, "--quiet", *options) or thumbnail(digest, stored, small)
        if said:
            score.add(name, said)
            continue
        found = read(small)
        thumbnails[name] = found / (65535 if found.max() > 255 else 255)
    if "sRGB JPEG" not in thumbnails:
        return
    # Beside the picture that the same reduction makes of the scene in sRGB without loss.
    with open(png, "wb") as file:
        file.write(littlecms.png_bytes(numpy.rint(coded_srgb(light) * 65535), 16))
    small = os.path.join(folder, "wanted.ppm")
    thumbnail(digest, png, small)
    wanted = read(small) / 65535
    for name, found in thumbnails.items():
        difference = difference_2000(lab(found), lab(wanted))
        # The picture is made smaller in the values that the file has, whose curves differ: at the scene's only hard edge,
        # between row 199 and row 200, the filter mixes other lights.
        difference[96:104] = 0
        worst = difference.max()
        score.add(name, None if worst <= 1.5 else f"{worst:.2f}, mean {difference.mean():.2f}")


def lab(coded):
    light = numpy.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    matrix = numpy.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    xyz = light @ matrix.T / numpy.array([0.95047, 1, 1.08883])
    f = numpy.where(xyz > 216 / 24389, numpy.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return numpy.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def difference_2000(first, second):
    """CIEDE2000 (CIE 142-2001), as Sharma, Wu and Dalal write it down."""
    (l1, a1, b1), (l2, a2, b2) = numpy.moveaxis(first, -1, 0), numpy.moveaxis(second, -1, 0)
    mean = (numpy.hypot(a1, b1) + numpy.hypot(a2, b2)) / 2
    g = 0.5 * (1 - numpy.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = numpy.hypot(a1, b1), numpy.hypot(a2, b2)
    h1, h2 = numpy.degrees(numpy.arctan2(b1, a1)) % 360, numpy.degrees(numpy.arctan2(b2, a2)) % 360
    turn = numpy.where(c1 * c2 == 0, 0, (h2 - h1 + 180) % 360 - 180)
    dl, dc, dh = l2 - l1, c2 - c1, 2 * numpy.sqrt(c1 * c2) * numpy.sin(numpy.radians(turn / 2))
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = numpy.where(c1 * c2 == 0, h1 + h2, (h1 + turn / 2) % 360)
    t = (1 - 0.17 * numpy.cos(numpy.radians(h - 30)) + 0.24 * numpy.cos(numpy.radians(2 * h))
         + 0.32 * numpy.cos(numpy.radians(3 * h + 6)) - 0.20 * numpy.cos(numpy.radians(4 * h - 63)))
    sl = 1 + 0.015 * (l - 50) ** 2 / numpy.sqrt(20 + (l - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rotation = (-2 * numpy.sqrt(c ** 7 / (c ** 7 + 25 ** 7))
                * numpy.sin(numpy.radians(60 * numpy.exp(-(((h - 275) / 25) ** 2)))))
    return numpy.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotation * (dc / sc) * (dh / sh))


def thumbnail(digest, source, target):
    done = subprocess.run(
        [CODERS, "thumbnail", "--plugin-dir", digest.plugins, "--size", "160", source, "-o", target, "--quiet"],
        capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr.strip()
