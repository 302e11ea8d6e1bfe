# SPDX-License-Identifier: Apache-2.0
"""What files say before and after a conversion, as exiftool lists it: each difference is in the report."""

import json
import os
import shutil
import subprocess
import tempfile

import numpy

from encoded import CODERS, save
from score import Score

FORMATS = ("jpg", "png", "webp", "tif", "heic", "avif", "jxl", "jp2", "gif")
TARGETS = (*FORMATS, "bmp")
# exiftool puts these into a file of a format; what it refuses is not there before, either.
TAGS = (
    "-IFD0:Artist=A. Author", "-IFD0:Copyright=© A. Author", "-IFD0:ImageDescription=Harbour", "-IFD0:Make=Maker",
    "-IFD0:Model=One", "-IFD0:Software=Firmware 1", "-IFD0:ModifyDate=2024:05:06 07:08:09",
    "-ExifIFD:DateTimeOriginal=2024:05:06 07:08:09", "-ExifIFD:OffsetTimeOriginal=+02:00", "-ExifIFD:ISO=200",
    "-ExifIFD:ExposureTime=0.01", "-ExifIFD:FNumber=2.8", "-ExifIFD:LensModel=A lens", "-ExifIFD:UserComment=a comment",
    "-ExifIFD:BodySerialNumber=12345", "-ExifIFD:ExifImageWidth=131", "-ExifIFD:ExifImageHeight=97",
    "-ExifIFD:SubjectArea=60 40 10 10", "-GPS:GPSLatitude=48.2", "-GPS:GPSLatitudeRef=N", "-GPS:GPSLongitude=16.4",
    "-GPS:GPSLongitudeRef=E", "-GPS:GPSAltitude=170", "-GPS:GPSTimeStamp=07:56:13", "-GPS:GPSDateStamp=2024:05:06",
    "-IFD0:XResolution=300", "-IFD0:YResolution=200", "-IFD0:ResolutionUnit=2",
    "-XMP-dc:Title=Harbour", "-XMP-dc:Creator=A. Author", "-XMP-dc:Creator=B. Author", "-XMP-dc:Subject=sea",
    "-XMP-dc:Rights=© A. Author", "-XMP-photoshop:City=Vienna", "-XMP-xmp:Rating=4", "-XMP-iptcCore:Location=Quay",
    "-XMP-tiff:ImageWidth=131", "-XMP-xmpRights:Marked=true", "-XMP-GPano:FullPanoWidthPixels=262",
    "-IPTC:Keywords=sea", "-IPTC:Keywords=boat", "-IPTC:Caption-Abstract=Harbour", "-IPTC:By-line=A. Author",
)
# How the picture is changed: the verb of the command, and its options.
WAYS = {
    "encoded": ("convert", "--reencode"), "cropped": ("convert", "--reencode", "--crop", "64x48+16+16"),
    "scaled": ("convert", "--max-size", "60x60"), "resized": ("convert", "--resize", "200x200,fill"),
    "turned": ("convert", "--reencode", "--rotate", "90"), "flipped": ("convert", "--reencode", "--flip", "horizontal"),
    "blurred": ("convert", "--blur", "2"), "gray": ("convert", "--grayscale", "1"),
    "first frame": ("convert", "--reencode", "--first-frame"),
    "as a thumbnail": ("thumbnail", "--size", "48", "--metadata", "keep"), "as a frame": ("animate",),
    "as a sheet": ("sheet",),
}
# What is not decoded: from JPEG, or to the same format.
COPIES = {
    "copied": (), "turned without loss": ("--rotate", "90"), "cropped without loss": ("--crop", "64x48+16+16"),
    "flipped without loss": ("--flip", "vertical")}
# What edits take out, and the tags that go: by the beginning of group and name.
STRIPS = {
    "exif": ("IFD0:", "IFD1:", "ExifIFD:", "GPS:"), "gps": ("GPS:",), "xmp": ("XMP-",), "iptc": ("IPTC:",),
    "location": ("GPS:", "XMP-photoshop:City", "XMP-iptcCore:Location"), "thumbnail": ("IFD1:",), "text": (),
    "other": (),
}
# Kinds of files that the ways of several pictures write, and what is tried of pictures that lie on their side.
SEVERAL = {"as a frame": ("png", "webp", "gif", "avif", "jxl"), "as a sheet": ("png", "webp")}
TURNED = ("encoded", "cropped", "turned", "as a thumbnail")
# What a TIFF file needs by itself, which is in the same directory.
OWN = ("IFD0:XResolution", "IFD0:YResolution", "IFD0:ResolutionUnit")
GROUPS = ("IFD0", "IFD1", "ExifIFD", "GPS", "IPTC")
# What a TIFF says of its own coding, and what exiftool and the writers of Exif add so that it can be read.
CODING = {
    "ImageWidth", "ImageHeight", "BitsPerSample", "Compression", "PhotometricInterpretation", "StripOffsets",
    "SamplesPerPixel", "RowsPerStrip", "StripByteCounts", "PlanarConfiguration", "SampleFormat", "Predictor",
    "ExtraSamples", "SubfileType", "TileWidth", "TileLength", "TileOffsets", "TileByteCounts", "ThumbnailOffset",
    "ThumbnailLength", "YCbCrPositioning", "ExifVersion", "ComponentsConfiguration", "FlashpixVersion", "ColorSpace",
    "GPSVersionID", "ReferenceBlackWhite", "YCbCrCoefficients", "YCbCrSubSampling", "CodedCharacterSet",
    "ApplicationRecordVersion", "EnvelopeRecordVersion", "XMPToolkit", "JPEGTables", "FillOrder"}
FACTS = {
    "Orientation": "orientation", "ExifImageWidth": "dimensions", "ExifImageHeight": "dimensions",
    "ImageWidth": "dimensions", "ImageHeight": "dimensions", "XResolution": "density", "YResolution": "density",
    "ResolutionUnit": "density", "SubjectArea": "regions", "SubjectLocation": "regions"}


def run(digest, corpora):
    lost = Score("Facts, none lost in silence", "exiftool before and after")
    said = Score("Facts, none reported that stay", "exiftool before and after")
    edits = Score("Edits, what is asked to go and nothing else", "exiftool before and after")
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain.png")
        y, x = numpy.mgrid[0:97, 0:131]
        save(plain, numpy.stack([x + y, x * 2 % 256, y * 2], axis=2).astype(numpy.uint8))
        small = os.path.join(folder, "small.jpg")
        command(digest, plain, small, "convert", "--max-size", "40x40")
        # Lossless turns need whole blocks.
        even = os.path.join(folder, "even.jpg")
        command(digest, plain, even, "convert", "--crop", "128x96+0+0", "--subsampling", "444")
        for turn in (1, 6):
            for source in FORMATS:
                path = os.path.join(folder, f"source-{turn}.{source}")
                problem = described(digest, plain, path, small, turn)
                if problem:
                    lost.add(f"{source}, orientation {turn}", problem)
                    continue
                for target in TARGETS:
                    ways = {
                        name: way for name, way in WAYS.items()
                        if target in SEVERAL.get(name, TARGETS) and (turn == 1 or name in TURNED)}
                    check(digest, lost, said, folder, f"{source} to {target}", turn, path, target, ways)
                edit(digest, edits, folder, source, turn, path)
            whole = os.path.join(folder, f"even-{turn}.jpg")
            problem = described(digest, even, whole, small, turn)
            if problem:
                lost.add(f"jpg, orientation {turn}", problem)
                continue
            ways = {name: ("convert", *way) for name, way in COPIES.items()}
            check(digest, lost, said, folder, "jpg to jpg", turn, whole, "jpg", ways)
            several(digest, lost, said, folder, whole, turn)
            # What a JPEG XL says may be compressed, and exiftool may not read that: the JPEG in it says all.
            stored = os.path.join(folder, "stored.jxl")
            problem = command(digest, whole, stored, "convert")[1]
            if problem:
                lost.add(f"jpg in jxl, orientation {turn}", problem)
                continue
            restored = os.path.join(folder, "restored.jpg")
            report, problem = command(digest, stored, restored, "convert")
            tags = listed([whole, restored]) if not problem else {}
            if problem:
                lost.add(f"jpg in jxl, orientation {turn}", problem)
            else:
                compare(lost, said, f"jpg in jxl, orientation {turn}", tags[whole], tags[restored], report)
    return [lost, said, edits]


def several(digest, lost, said, folder, whole, turn):
    """Exif of more than 64 KiB, which exiftool puts into several segments of a JPEG."""
    path = os.path.join(folder, "several.jpg")
    shutil.copy(whole, path)
    text = os.path.join(folder, "long.txt")
    with open(text, "w", encoding="ascii") as file:
        file.write("Harbour of Vienna. " * 8000)
    subprocess.run(
        ["exiftool", "-q", "-q", "-m", "-overwrite_original", f"-IFD0:ImageDescription<={text}", path],
        capture_output=True, check=False)
    if os.path.getsize(path) < os.path.getsize(text):
        lost.add(f"jpg of several segments, orientation {turn}", "exiftool wrote one segment")
        return
    for target in TARGETS:
        check(digest, lost, said, folder, f"jpg of several segments to {target}", turn, path, target, {
            name: WAYS[name] for name in ("encoded", "cropped")})
    check(digest, lost, said, folder, "jpg of several segments to jpg", turn, path, "jpg", {
        name: ("convert", *way) for name, way in COPIES.items()})


def described(digest, plain, path, small, turn):
    """Makes a file that says what exiftool can write into its format; what was wrong."""
    problem = command(digest, plain, path, "convert")[1]
    if problem:
        return problem
    orientation = (f"-IFD0:Orientation#={turn}", f"-XMP-tiff:Orientation#={turn}") if turn > 1 else ()
    subprocess.run(
        ["exiftool", "-q", "-q", "-m", "-overwrite_original", *TAGS, *orientation,
         f"-IFD1:ThumbnailImage<={small}", path],
        capture_output=True, check=False)
    count = len(listed([path])[path])
    return None if count >= 10 else f"exiftool wrote {count} tags"


def check(digest, lost, said, folder, pair, turn, path, target, ways):
    """One source and one target in several ways: exiftool reads all of them at a time."""
    made = {}
    for way, (verb, *options) in ways.items():
        name = f"{pair}, {way}, orientation {turn}"
        file = os.path.join(folder, f"made-{len(made)}.{target}")
        report, problem = command(digest, path, file, verb, *options)
        if problem:
            lost.add(name, problem)
        else:
            made[file] = (name, report)
    tags = listed([path, *made])
    for file, (name, report) in made.items():
        compare(lost, said, name, tags[path], tags[file], report)
        os.remove(file)


def edit(digest, score, folder, source, turn, path):
    """Each part that an edit takes out: its tags are gone, and all others say what they said."""
    made = {}
    for part in STRIPS:
        file = os.path.join(folder, f"edited-{part}.{source}")
        done = subprocess.run(
            [CODERS, "metadata", "--plugin-dir", digest.plugins, "--json", "--strip", part, path, "-o", file],
            capture_output=True, text=True, check=False)
        if done.returncode:
            score.add(f"{source}, {part}, orientation {turn}", done.stderr.strip())
        else:
            made[file] = part
    tags = listed([path, *made])
    for file, part in made.items():
        problems = []
        for key, value in tags[path].items():
            # The orientation stays where it counts, since the picture would be shown turned.
            counts = key == "IFD0:Orientation" and source not in ("heic", "avif", "jxl")
            goes = key.startswith(STRIPS[part]) and not counts
            if source == "tif" and key in OWN:
                goes = False
            if part in ("gps", "location") and key.startswith("XMP-exif:GPS"):
                goes = True
            if goes and key in tags[file]:
                problems.append(f"{key} is there")
            if not goes and not same(value, tags[file].get(key)):
                problems.append(f"{key} was {value!r}, is {tags[file].get(key)!r}")
        score.add(f"{source}, {part}, orientation {turn}", "; ".join(problems) or None)
        os.remove(file)


def command(digest, source, target, verb, *options):
    """The report of a conversion, and what was wrong."""
    output = ("-o", target, source) if verb != "convert" else (source, target)
    done = subprocess.run(
        [CODERS, verb, "--plugin-dir", digest.plugins, "--json", *options, *output], capture_output=True, text=True,
        check=False)
    if done.returncode:
        return {}, done.stderr.strip() or f"status {done.returncode}"
    report = json.loads(done.stdout)
    return report["files"][0] if "files" in report else report, None


def listed(paths):
    """Of each file, tags and what they say, by group and name."""
    done = subprocess.run(
        ["exiftool", "-j", "-G1", "-n", "-a", "-q", "-q", "-charset", "IPTC=UTF8", *paths], capture_output=True,
        text=True, check=False)
    return {tags["SourceFile"]: facts(tags) for tags in json.loads(done.stdout)}


def facts(tags):
    """Tags that state facts."""
    found = {}
    for key, value in tags.items():
        group, _, name = key.partition(":")
        if group not in GROUPS and not group.startswith("XMP-"):
            continue
        # Sizes in XMP are facts, those in a directory of TIFF are its coding.
        if name in CODING and not (group.startswith("XMP-") and name in FACTS):
            continue
        found[key] = value
    return found


def fact(key):
    """What a tag states, by the names of docs/fidelity.md."""
    group, _, name = key.partition(":")
    if group == "IFD1":
        return "thumbnail"
    if group == "XMP-GPano":
        return "panorama"
    if name in FACTS:
        return FACTS[name]
    return "IPTC" if group == "IPTC" else "XMP" if group.startswith("XMP-") else "Exif"


def compare(lost, said, name, before, after, report):
    """Each tag is as it was, or its fact is in the report; and each of these has a tag that is not as it was."""
    reported = {change["fact"] for change in report["changes"] + report["kept"]}
    different, silent = set(), []
    for key, value in sorted(before.items()):
        if same(value, after.get(key)):
            continue
        different.add(fact(key))
        # A fact that goes along with all of Exif or XMP is not named by itself.
        whole = "XMP" if key.startswith("XMP-") else "IPTC" if key.startswith("IPTC:") else "Exif"
        if fact(key) not in reported and not (whole in reported and key not in after):
            silent.append(f"{key} was {value!r}, is {after.get(key)!r}")
    lost.add(name, "; ".join(silent) or None)
    # Facts that exiftool lists in other groups, or the picture itself has.
    visible = {"orientation", "dimensions", "thumbnail", "regions", "panorama", "Exif", "XMP", "IPTC"}
    extra = sorted(kind for kind in reported & visible if kind not in different)
    said.add(name, f"{', '.join(extra)} reported, and nothing differs" if extra else None)


def same(first, second):
    if isinstance(first, float) and isinstance(second, (int, float)):
        return abs(first - second) <= 1e-6 * max(1, abs(first))
    return str(first) == str(second)
