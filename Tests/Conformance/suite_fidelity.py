# SPDX-License-Identifier: Apache-2.0
"""What files say before and after a conversion, as exiftool lists it: each difference is in the report."""

import json
import os
import subprocess
import tempfile

import numpy

from encoded import CODERS, save
from score import Score

FORMATS = ("jpg", "png", "webp", "tif", "heic", "avif", "jxl")
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
# How the picture is changed, and what of that no report has to say.
WAYS = {
    "encoded": (), "cropped": ("--crop", "64x48+16+16"), "scaled": ("--max-size", "60x60"), "turned": ("--rotate", "90"),
    "blurred": ("--blur", "2"),
}
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
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain.png")
        y, x = numpy.mgrid[0:97, 0:131]
        save(plain, numpy.stack([x + y, x * 2 % 256, y * 2], axis=2).astype(numpy.uint8))
        small = os.path.join(folder, "small.jpg")
        command(digest, plain, small, "--max-size", "40x40")
        for turn in (1, 6):
            for source in FORMATS:
                path = os.path.join(folder, f"source-{turn}.{source}")
                problem = command(digest, plain, path)[1]
                orientation = (f"-IFD0:Orientation#={turn}", f"-XMP-tiff:Orientation#={turn}") if turn > 1 else ()
                subprocess.run(
                    ["exiftool", "-q", "-q", "-m", "-overwrite_original", *TAGS, *orientation,
                     f"-IFD1:ThumbnailImage<={small}", path], capture_output=True, check=False)
                before = listed(path)
                if problem or len(before) < 10:
                    lost.add(f"{source}, orientation {turn}", problem or f"exiftool wrote {len(before)} tags")
                    continue
                for target in FORMATS:
                    for way, options in WAYS.items():
                        made = os.path.join(folder, f"made.{target}")
                        report, problem = command(digest, path, made, *options)
                        name = f"{source} to {target}, {way}, orientation {turn}"
                        if problem:
                            lost.add(name, problem)
                            continue
                        compare(lost, said, name, before, listed(made), report)
                        os.remove(made)
    return [lost, said]


def command(digest, source, target, *options):
    """The report of a conversion that encodes the picture, and what was wrong."""
    quality = () if target.endswith((".png", ".tif")) else ("--quality", "0.8")
    done = subprocess.run(
        [CODERS, "convert", "--plugin-dir", digest.plugins, "--json", source, target, *quality, *options],
        capture_output=True, text=True, check=False)
    if done.returncode:
        return {}, done.stderr.strip() or f"status {done.returncode}"
    return json.loads(done.stdout), None


def listed(path):
    """Tags and what they say, by group and name."""
    done = subprocess.run(
        ["exiftool", "-j", "-G1", "-n", "-a", "-q", "-q", "-charset", "IPTC=UTF8", path], capture_output=True, text=True,
        check=False)
    tags = json.loads(done.stdout)[0]
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
    """Each tag is as it was, or its fact is in the report; and each fact in the report has a tag that is not as it was."""
    reported = {change["fact"] for change in report["changes"] + report["kept"]}
    different = {fact(key): f"{key} was {value!r}, is {after.get(key)!r}"
                 for key, value in before.items() if not same(value, after.get(key))}
    silent = [text for kind, text in sorted(different.items()) if kind not in reported]
    lost.add(name, "; ".join(silent) or None)
    # Facts that exiftool lists in other groups, or the picture itself has.
    visible = {"orientation", "dimensions", "thumbnail", "regions", "panorama", "Exif", "XMP", "IPTC"}
    extra = sorted(kind for kind in reported & visible if kind not in different)
    said.add(name, f"{', '.join(extra)} reported, and nothing differs" if extra else None)


def same(first, second):
    if isinstance(first, float) and isinstance(second, (int, float)):
        return abs(first - second) <= 1e-6 * max(1, abs(first))
    return str(first) == str(second)
