# SPDX-License-Identifier: Apache-2.0
"""Camera raw: LibRaw's own programs, exact; exiftool for what a camera says."""

import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import zlib

import numpy
import png

from encoded import CODERS
from score import Score, difference
from suite_jpeg import short
from suite_metadata import agree

# After the others: a recipe there is called png, as a package here is.
sys.path.append(os.path.join(os.path.dirname(__file__), "..", "Fixtures", "recipes"))
import raw as recipe  # noqa: E402
import tiff_file  # noqa: E402

EXTENSIONS = ("dng", "cr2", "cr3", "crw", "nef", "raf", "rw2", "mrw", "iiq", "orf", "pef", "arw", "raw")
# LibRaw's steps and settings as docs/formats/raw.md has them, and linear light.
OPTIONS = {"srgb": ["-g", "2.4", "12.92"], "linear": ["-g", "1", "1", "-W"]}
# Tags that say the same in all formats, by exiftool's names and ours.
FIELDS = {
    "Make": ("{TIFF}", "Make"), "Model": ("{TIFF}", "Model"), "Orientation": ("{TIFF}", "Orientation"),
    "ISO": ("{Exif}", "ISOSpeedRatings"), "ExposureTime": ("{Exif}", "ExposureTime"), "FNumber": ("{Exif}", "FNumber"),
    "FocalLength": ("{Exif}", "FocalLength"), "LensModel": ("{Exif}", "LensModel"),
    "DateTimeOriginal": ("{Exif}", "DateTimeOriginal")}


def run(digest, corpora):
    paths = sorted(
        path for path in glob.glob(f"{corpora}/**/*", recursive=True)
        if path.lower().rsplit(".", 1)[-1] in EXTENSIONS and is_known(path))
    # Sensors of 24 megapixels take LibRaw several seconds, and more where other work is done.
    seconds, digest.seconds = digest.seconds, 120
    try:
        with tempfile.TemporaryDirectory() as folder:
            kept = list(repacked(paths, folder))
            return [developed(digest, paths, folder), unpacked(digest, kept), described(digest, paths)]
    finally:
        digest.seconds = seconds


def is_known(path):
    """Whether LibRaw's program recognizes a file: other kinds of files have such names."""
    return subprocess.run(["raw-identify", path], capture_output=True, check=False).stdout.strip() != b""


def expected(path, output="srgb"):
    """The samples, not turned; None where the program fails, or says that samples are missing or damaged."""
    command = ["dcraw_emu", "-w", "-6", *OPTIONS[output], "-t", "0", "-o", "1", "-Z", "-", path]
    found = subprocess.run(command, capture_output=True, check=False)
    if found.returncode != 0 or not found.stdout or re.search(rb"nexpected end|corrupted", found.stderr):
        return None
    kind, size, _, rest = found.stdout.split(b"\n", 3)
    width, height = map(int, size.split())
    return numpy.frombuffer(rest, ">u2").reshape(height, width, {b"P5": 1, b"P6": 3}[kind])


# Their samples are missing, and dcraw_emu does not say so.
STUBS = {"t/images/Panasonic.rw2"}


def developed(digest, paths, folder):
    score = Score("Camera raw", "dcraw_emu, exact")
    for result in digest.run(paths, "--format", "rgba16", "--as-stored"):
        if result.code == "noCoder":
            score.note(f"{short(result.path)}: known to LibRaw by its size alone")
            continue
        wanted = expected(result.path)
        if wanted is None:
            # Rows may come with the error; a picture without a word may not.
            score.add(short(result.path), "decoded without a word" if result.outcome == "ok" else None)
        elif short(result.path) in STUBS:
            score.note(f"{short(result.path)}: cut after 12 KB; dcraw_emu shows what memory held in the place of its samples")
            score.add(short(result.path), None if result.code == "truncated" else f"{result.said} where truncated is expected")
        elif result.outcome != "ok":
            score.add(short(result.path), result.said)
        else:
            score.add(short(result.path), beside(result.pixels(), wanted))
            score.add(f"{short(result.path)}, linear", linear(digest, result.path, folder))
    return score


def beside(found, wanted):
    return difference(found[:, :, :3], numpy.broadcast_to(wanted, wanted.shape[:2] + (3,)))


def linear(digest, path, folder):
    """The same file with the option `output=linear`, written as PNG without a change of colors."""
    target = os.path.join(folder, "linear.png")
    made = subprocess.run(
        [CODERS, "convert", path, target, "--read-option", "output=linear", "--metadata", "strip", "--orientation", "keep",
         "--plugin-dir", digest.plugins], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return made.stderr.strip()
    width, height, rows, information = png.Reader(target).read()
    found = numpy.vstack([numpy.asarray(row, "u2") for row in rows]).reshape(height, width, information["planes"])
    return beside(found if found.shape[2] > 1 else numpy.repeat(found, 3, 2), expected(path, "linear"))


def repacked(paths, folder):
    """A real mosaic in each way that LibRaw's program does not read: (file, one strip of the same samples)."""
    for path in paths:
        told = exiftool(path)
        if told.get("Compression") != 1 or told.get("PhotometricInterpretation") != 32803:
            continue
        samples = mosaic(path, told)
        level, white = int(told["BlackLevel"]), int(told["WhiteLevel"])
        tags = {50714: (tiff_file.LONG, level), 50717: (tiff_file.LONG, white)}
        plain = os.path.join(folder, f"{os.path.basename(path)}-plain.dng")
        write(plain, recipe.file(recipe.camera(samples, levels=(level, white)), [samples.tobytes()]))
        ways = {
            "tiles": recipe.tiled(samples, 1, numpy.ndarray.tobytes, tags=tags),
            "deflate": recipe.tiled(
                samples, recipe.DEFLATE, lambda tile: zlib.compress(recipe.differences(tile).tobytes()),
                tags={**tags, recipe.PREDICTOR: (tiff_file.SHORT, 2)}),
            "jxl": recipe.tiled(samples, recipe.JXL, recipe.jxl, tags=tags),
            "jxl-by-turns": recipe.tiled(
                recipe.by_turns(samples), recipe.JXL, recipe.jxl,
                tags={**tags, recipe.ROW_FIELDS: (tiff_file.LONG, 2), recipe.COLUMN_FIELDS: (tiff_file.LONG, 2)}),
        }
        for name, data in ways.items():
            target = os.path.join(folder, f"{os.path.basename(path)}-{name}.dng")
            write(target, data)
            yield target, plain


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def mosaic(path, told):
    """Samples without compression: the first one in the highest bits."""
    width, height, bits = told["ImageWidth"], told["ImageHeight"], told["BitsPerSample"]
    with open(path, "rb") as file:
        file.seek(told["StripOffsets"])
        data = numpy.frombuffer(file.read(told["StripByteCounts"]), numpy.uint8)
    if bits == 16:
        return data.view("<u2")[: width * height].reshape(height, width)
    rows = numpy.unpackbits(data)[: width * height * bits].reshape(height, width, bits)
    return (rows.astype("<u4") << numpy.arange(bits - 1, -1, -1, dtype="<u4")).sum(axis=2).astype("<u2")


def unpacked(digest, kept):
    score = Score("Camera raw, samples kept otherwise", "dcraw_emu of the same samples in one strip, exact")
    plain = dict(kept)
    for result in digest.run(list(plain), "--format", "rgba16", "--as-stored"):
        if result.outcome != "ok":
            score.add(short(result.path), result.said)
        else:
            score.add(short(result.path), beside(result.pixels(), expected(plain[result.path])))
    return score


def exiftool(path):
    found = subprocess.run(["exiftool", "-j", "-n", path], capture_output=True, text=True, check=False)
    return json.loads(found.stdout)[0]


def described(digest, paths):
    score = Score("Camera raw, what a file says", "raw-identify's sizes; exiftool, of files that are no TIFF raw-identify")
    for result in digest.run(paths, "--header"):
        name = short(result.path)
        if result.code == "noCoder":
            score.note(f"{name}: known to LibRaw by its size alone")
            continue
        if result.outcome != "ok":
            score.add(name, result.said)
            continue
        told = subprocess.run(["raw-identify", "-v", result.path], capture_output=True, check=False).stdout
        told = told.decode(errors="replace")
        size = list(map(int, re.search(r"Output size: +(\d+) x (\d+)", told).groups()))
        found = result.record["canvas"]
        score.add(f"{name}, size", None if found in (size, size[::-1]) else f"{found}, not {size}")
        ours = properties(digest, result.path)
        theirs = exiftool(result.path) if is_tiff(result.path) else identified(told)
        for field, (group, key) in FIELDS.items():
            if theirs.get(field) not in (None, "", "undef", 0):
                score.add(f"{name}, {field}", said_alike(key, ours.get(group, {}).get(key), theirs[field]))
    return score


def is_tiff(path):
    with open(path, "rb") as file:
        return file.read(4) in (b"II*\0", b"MM\0*")


def identified(told):
    """What LibRaw's program prints, rounded as it does."""
    found = {"Orientation": {0: 1, 3: 3, 5: 8, 6: 6}[int(re.search(r"Image flip: (\d)", told).group(1))]}
    found["Make"], found["Model"] = re.search(r"Camera: (\S+) (.*) ID:", told).groups()
    for field, pattern in {
            "ISO": r"ISO speed: ([\d.]+)", "ExposureTime": r"Shutter: 1/([\d.]+)", "FNumber": r"Aperture: f/([\d.]+)",
            "FocalLength": r"Focal length: ([\d.]+)"}.items():
        if match := re.search(pattern, told):
            found[field] = float(match.group(1))
    if found.get("ExposureTime"):
        found["ExposureTime"] = 1 / found["ExposureTime"]
    return found


def said_alike(key, ours, theirs):
    """Numbers within one in a hundred: programs print them rounded."""
    try:
        value = float(ours[0] if isinstance(ours, list) else ours)
        return None if math.isclose(value, theirs, rel_tol=0.01) else f"{ours!r}, not {theirs!r}"
    except (TypeError, ValueError):
        return agree(key, ours, theirs)


def properties(digest, path):
    made = subprocess.run(
        [CODERS, "metadata", "--json", "--plugin-dir", digest.plugins, path], capture_output=True, text=True, check=False)
    return json.loads(made.stdout)["files"][0].get("properties", {})
