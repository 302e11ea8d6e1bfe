# SPDX-License-Identifier: Apache-2.0
"""The orientation that Exif and XMP state: found, and set to upright without a change of anything else."""

from __future__ import annotations

import re

TAG, SHORT = 0x0112, 3
_XMP = re.compile(rb"(tiff:Orientation(?:\s*=\s*[\"']|>))\s*([1-8])")


def is_readable(exif: bytes) -> bool:
    """Whether a payload has a first directory."""
    return exif[:2] in (b"II", b"MM") and len(exif) >= 14


def place_of(exif: bytes) -> tuple[int, str] | None:
    """Where the tag's value is in a payload that begins with II or MM, and the byte order."""
    order = {b"II": "little", b"MM": "big"}.get(exif[:2])
    if order is None or len(exif) < 8:
        return None

    def number(at: int, size: int) -> int:
        return int.from_bytes(exif[at : at + size], "little" if order == "little" else "big")

    first = number(4, 4)
    if first + 2 > len(exif):
        return None
    for index in range(number(first, 2)):
        entry = first + 2 + index * 12
        if entry + 12 > len(exif):
            return None
        if number(entry, 2) == TAG:
            return (entry + 8, order) if number(entry + 2, 2) == SHORT else None
    return None


def orientation_of(exif: bytes | None) -> int:
    """1 to 8, as Exif numbers them; 1 if it says nothing."""
    place = place_of(exif) if exif else None
    if exif and place:
        at, order = place
        value = int.from_bytes(exif[at : at + 2], "little" if order == "little" else "big")
        return value if 1 <= value <= 8 else 1
    return 1


def upright_exif(exif: bytes) -> bytes:
    """The payload with an orientation of 1, if it states one."""
    place = place_of(exif)
    if place is None:
        return exif
    at, order = place
    return exif[:at] + (b"\1\0" if order == "little" else b"\0\1") + exif[at + 2 :]


def upright_xmp(xmp: bytes) -> bytes:
    """The packet with an orientation of 1, if it states one."""
    return _XMP.sub(rb"\g<1>1", xmp)
