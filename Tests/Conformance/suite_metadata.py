# SPDX-License-Identifier: Apache-2.0
"""Metadata as properties, field by field beside exiftool."""

import glob
import json
import math
import os
import subprocess
import tempfile

from encoded import CODERS
from score import Score

EXTENSIONS = ("jpg", "jpeg", "png", "webp", "tif", "tiff", "jxl", "heic", "heif", "avif", "hif")
# Names of exiftool that are others with ImageIO.
NAMES = {
    "IFD0": {"ModifyDate": "DateTime"},
    "ExifIFD": {
        "CreateDate": "DateTimeDigitized", "ISO": "ISOSpeedRatings", "ExposureCompensation": "ExposureBiasValue",
        "FocalLengthIn35mmFormat": "FocalLenIn35mmFilm", "SubSecTime": "SubsecTime",
        "SubSecTimeOriginal": "SubsecTimeOriginal", "SubSecTimeDigitized": "SubsecTimeDigitized",
        "ExifImageWidth": "PixelXDimension", "ExifImageHeight": "PixelYDimension",
        "SubjectDistanceRange": "SubjectDistRange", "SerialNumber": "BodySerialNumber", "OwnerName": "CameraOwnerName",
        "LensInfo": "LensSpecification", "FlashpixVersion": "FlashPixVersion"},
    "IPTC": {
        "By-line": "Byline", "By-lineTitle": "BylineTitle", "Caption-Abstract": "Caption/Abstract",
        "Sub-location": "SubLocation", "Province-State": "Province/State", "Writer-Editor": "Writer/Editor",
        "Country-PrimaryLocationCode": "Country/PrimaryLocationCode",
        "Country-PrimaryLocationName": "Country/PrimaryLocationName",
        "SupplementalCategories": "SupplementalCategory"}}
GROUPS = {"IFD0": "{TIFF}", "ExifIFD": "{Exif}", "GPS": "{GPS}", "IPTC": "{IPTC}"}
# Schemas whose values exiftool gives as they are stored.
XMP = ("dc", "xmp", "xmpRights", "xmpMM", "photoshop", "lr", "hdrgm", "iptcCore")
# What ImageIO has no name for, is given as bytes, or in words of exiftool's own.
LEFT_OUT = {
    "UserComment", "ComponentsConfiguration", "CFAPattern", "FileSource", "SceneType", "ProcessingMethod",
    "AreaInformation", "TransferFunction", "XPTitle", "MakerNote", "Padding", "OffsetSchema", "LightSource"}


def run(digest, corpora):
    score = Score("Metadata fields", "exiftool")
    files = sorted(
        path for path in glob.glob(f"{corpora}/**/*", recursive=True) if path.lower().rsplit(".", 1)[-1] in EXTENSIONS)
    with tempfile.TemporaryDirectory() as folder:
        names = os.path.join(folder, "names")
        with open(names, "w", encoding="utf-8") as file:
            file.write("\n".join(files) + "\n")
        ours = subprocess.run(
            [CODERS, "metadata", "--json", "--plugin-dir",
             digest.plugins, "--files-from", names], capture_output=True, text=True, check=False)
        theirs = subprocess.run(
            ["exiftool", "-j", "-G1", "-n", "-a", "-q", "-q", "-charset", "IPTC=UTF8", "-@", names],
            capture_output=True, text=True, check=False)
    found = {file["file"]: file["properties"] for file in json.loads(ours.stdout)["files"] if "properties" in file}
    for file in json.loads(theirs.stdout):
        path = file["SourceFile"]
        # A file that is not decoded has no properties; other suites say which ones are.
        if path in found:
            compare(score, os.path.relpath(path, corpora), file, found[path])
    return [score]


def compare(score, path, theirs, ours):
    for tag, value in theirs.items():
        group, _, name = tag.partition(":")
        if group.startswith("XMP-") and group[4:] in XMP:
            compare_xmp(score, path, group[4:], name, value, ours.get("{XMP}", {}))
        if group not in GROUPS:
            continue
        if group == "GPS":
            name = {"GPSVersionID": "Version", "GPSHPositioningError": "HPositioningError"}.get(name, name[3:])
            name = "GPSVersion" if name == "Version" else name
        name = NAMES.get(group, {}).get(name, name)
        properties = ours.get(GROUPS[group], {})
        # A fraction over zero and an empty text say nothing.
        if name in LEFT_OUT or name not in KNOWN[group] or value in ("undef", ""):
            continue
        # XMP counts for IPTC where both say something.
        if group == "IPTC" and name in properties and "{XMP}" in ours and agree(name, properties[name], value) is not None:
            if any(agree(name, properties[name], other) is None for other in ours["{XMP}"].values()):
                continue
        score.add(f"{path} {tag}", agree(name, properties.get(name), value))


def compare_xmp(score, path, prefix, name, value, properties):
    prefix = {"iptcCore": "Iptc4xmpCore"}.get(prefix, prefix)
    own = {key.lower(): item for key, item in properties.items()}
    key = f"{prefix}:{name}".lower()
    # exiftool flattens structures, and gives each language its own tag.
    if "-" in name or key not in own and any(name.lower().startswith(k.rpartition(":")[2]) for k in own):
        return
    score.add(f"{path} XMP-{prefix}:{name}", agree(name, own.get(key), value))


def agree(name, ours, theirs):
    """None if the values say the same, else what is wrong."""
    if ours is None:
        return f"missing, exiftool has {theirs!r}"
    if plain(name, ours, True) == plain(name, theirs, False):
        return None
    try:
        first, second = numbers(name, ours), numbers(None, theirs)
        if len(first) == len(second) and all(
                math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-9) for a, b in zip(first, second)):
            return None
    except (TypeError, ValueError, OverflowError):
        pass
    return f"{ours!r}, exiftool has {theirs!r}"


def numbers(name, value):
    parts = value if isinstance(value, list) else str(value).split()
    result = [float(part) for part in parts]
    # exiftool turns APEX values into seconds and f-numbers.
    if name == "ShutterSpeedValue":
        return [2 ** -part for part in result]
    if name in ("ApertureValue", "MaxApertureValue"):
        return [2 ** (part / 2) for part in result]
    return result


def plain(name, value, is_ours):
    """Text of a value, without what is a matter of writing."""
    if isinstance(value, list):
        if is_ours and name.endswith("Version"):
            value = "".join(str(part) for part in value)
        else:
            return [plain(name, part, is_ours) for part in value] if len(value) != 1 else plain(name, value[0], is_ours)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip().lower()
    if name.endswith("Version"):
        return text.replace(".", "").strip("0")
    if "Date" in name or "Time" in name:
        return text.replace("-", ":").replace("t", " ").replace(":", "").replace("+0000", "z").removesuffix("z")
    return text


KNOWN = {
    "IFD0": {
        "DocumentName", "ImageDescription", "Make", "Model", "Orientation", "XResolution", "YResolution",
        "ResolutionUnit", "Software", "DateTime", "Artist", "HostComputer", "WhitePoint", "PrimaryChromaticities",
        "Copyright"},
    "ExifIFD": {
        "ExposureTime", "FNumber", "ExposureProgram", "SpectralSensitivity", "ISOSpeedRatings", "SensitivityType",
        "ExifVersion", "DateTimeOriginal", "DateTimeDigitized", "OffsetTime", "OffsetTimeOriginal",
        "OffsetTimeDigitized", "CompressedBitsPerPixel", "ShutterSpeedValue", "ApertureValue", "BrightnessValue",
        "ExposureBiasValue", "MaxApertureValue", "SubjectDistance", "MeteringMode", "Flash", "FocalLength",
        "SubjectArea", "SubsecTime", "SubsecTimeOriginal", "SubsecTimeDigitized", "FlashPixVersion", "ColorSpace",
        "PixelXDimension", "PixelYDimension", "RelatedSoundFile", "FocalPlaneXResolution", "FocalPlaneYResolution",
        "FocalPlaneResolutionUnit", "ExposureIndex", "SensingMethod", "CustomRendered", "ExposureMode", "WhiteBalance",
        "DigitalZoomRatio", "FocalLenIn35mmFilm", "SceneCaptureType", "GainControl", "Contrast", "Saturation",
        "Sharpness", "SubjectDistRange", "ImageUniqueID", "CameraOwnerName", "BodySerialNumber", "LensSpecification",
        "LensMake", "LensModel", "LensSerialNumber", "Gamma"},
    "GPS": {
        "GPSVersion", "LatitudeRef", "Latitude", "LongitudeRef", "Longitude", "AltitudeRef", "Altitude", "TimeStamp",
        "Satellites", "Status", "MeasureMode", "DOP", "SpeedRef", "Speed", "TrackRef", "Track", "ImgDirectionRef",
        "ImgDirection", "MapDatum", "DestLatitudeRef", "DestLatitude", "DestLongitudeRef", "DestLongitude",
        "DestBearingRef", "DestBearing", "DestDistanceRef", "DestDistance", "DateStamp", "Differential",
        "HPositioningError"},
    "IPTC": {
        "ObjectName", "Urgency", "Category", "SupplementalCategory", "FixtureIdentifier", "Keywords",
        "ContentLocationCode", "ContentLocationName", "ReleaseDate", "ReleaseTime", "ExpirationDate",
        "SpecialInstructions", "DateCreated", "TimeCreated", "DigitalCreationDate", "OriginatingProgram",
        "ProgramVersion", "Byline", "BylineTitle", "City", "SubLocation", "Province/State",
        "Country/PrimaryLocationCode", "Country/PrimaryLocationName", "OriginalTransmissionReference", "Headline",
        "Credit", "Source", "CopyrightNotice", "Contact", "Caption/Abstract", "Writer/Editor"},
}
