# SPDX-License-Identifier: Apache-2.0
"""Pillow's ``save`` and ``save_all``, with the names that Pillow's own writers have."""

from __future__ import annotations

from fractions import Fraction
from typing import IO, Any, Callable

from PIL import Image, ImageSequence

from .errors import CoderError
from .orientation import orientation_of, upright_exif
from .registry import Registry

Save = Callable[[Image.Image, IO[bytes], "str | bytes"], None]
# Modes that are written as they are.
MODES = {"L", "LA", "RGB", "RGBA", "I;16"}
# What an orientation does to pixels, so that they are upright.
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_90,
}


def save(registry: Registry, name: str, extension: str) -> Save:
    """Writes one picture."""
    return lambda im, fp, filename: write([im.copy() if im.mode == "P" else im], im, fp, registry, name, extension)


def save_all(registry: Registry, name: str, extension: str) -> Save:
    """Writes all frames of a picture and of ``append_images``."""

    def run(im: Image.Image, fp: IO[bytes], filename: str | bytes) -> None:
        frames, place = [], im.tell()
        try:
            for image in (im, *im.encoderinfo.get("append_images", ())):
                for frame in ImageSequence.Iterator(image):
                    frames.append(writable(frame.copy()))
        finally:
            im.seek(place)
        write(frames, im, fp, registry, name, extension)

    return run


def writable(im: Image.Image) -> Image.Image:
    """A picture in a mode that a file can have."""
    if im.mode in MODES:
        return im
    if im.mode in ("1", "P", "PA", "La", "RGBa") or "transparency" in im.info:
        return im.convert("L" if im.mode == "1" else "RGBA" if im.has_transparency_data else "RGB")
    if im.mode in ("I;16B", "I;16L", "I;16N", "I"):
        return im.convert("I;16")
    return im.convert("RGB")


def write(
    frames: list[Image.Image], im: Image.Image, fp: IO[bytes], registry: Registry, name: str, extension: str
) -> None:
    from .pillow import TURNING

    info: dict[str, Any] = im.encoderinfo
    shown = [writable(frame) for frame in frames]
    if len({frame.mode for frame in shown}) > 1:
        shown = [frame.convert("RGBA") for frame in shown]
    exif = info.get("exif", im.info.get("exif") if name == "HEIF" else None)
    if isinstance(exif, Image.Exif):
        exif = exif.tobytes()
    exif = exif.removeprefix(b"Exif\0\0") if exif else None
    if exif and name in TURNING:
        # Readers of these formats do not look at Exif's orientation.
        turn = TURNS.get(orientation_of(exif))
        shown = [frame.transpose(turn) for frame in shown] if turn is not None else shown
        exif = upright_exif(exif)
    xmp = info.get("xmp")
    quality = info.get("quality")
    if quality is not None and not (isinstance(quality, (int, float)) and -1 <= quality <= 100):
        raise ValueError("Invalid quality setting")
    asked: dict[str, Any] = {
        "quality": None if quality is None or quality < 0 else quality / 100,
        "lossless": bool(info.get("lossless", quality == -1)),
        "icc": info.get("icc_profile", im.info.get("icc_profile")),
        "exif": exif, "xmp": xmp.encode() if isinstance(xmp, str) else xmp, "options": info.get("options"),
    }
    if len(shown) > 1:
        duration = info.get("duration", im.info.get("duration", 0))
        each = list(duration) if isinstance(duration, (list, tuple)) else [duration] * len(shown)
        asked["delays"] = [Fraction(one).limit_denominator(1000) / 1000 for one in each]
        asked["loop"] = info.get("loop", im.info.get("loop", 0))
    try:
        fp.write(registry.encode(shown, extension, **asked))
    except CoderError as error:
        raise OSError(f"cannot write as {name}: {error}") from error
