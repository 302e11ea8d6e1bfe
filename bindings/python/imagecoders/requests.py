# SPDX-License-Identifier: Apache-2.0
"""What a picture or a file should be, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping, TypedDict, Union

from ._native import ffi, lib
from .errors import CoderError
from .native import chosen, error_of, invalid, make

if TYPE_CHECKING:
    from typing_extensions import Buffer

Mode = Literal["L", "LA", "RGB", "RGBA", "BGRA"]
Dtype = Literal["uint8", "uint16", "float16", "float32"]
Fit = Literal["fit", "fill", "stretch"]
Color = Literal["srgb", "stored", "p3", "rec2020", "linear", "pq", "hlg"]
Size = Union[int, "tuple[int, int]"]

FORMATS: dict[tuple[str, str], int] = {
    ("L", "uint8"): 1, ("LA", "uint8"): 2, ("L", "uint16"): 3, ("LA", "uint16"): 4, ("RGB", "uint8"): 5, ("RGBA", "uint8"): 6,
    ("BGRA", "uint8"): 7, ("RGBA", "uint16"): 8, ("RGBA", "float16"): 9, ("RGBA", "float32"): 10, ("RGB", "uint16"): 11,
}
MODES: dict[int, tuple[str, str]] = {number: mode for mode, number in FORMATS.items()}
# What NumPy and struct call the samples.
TYPES = {"uint8": "|u1", "uint16": "<u2", "float16": "<f2", "float32": "<f4"}
# Kinds of metadata.
KINDS = {"icc": 1, "exif": 2, "xmp": 3, "iptc": 4, "c2pa": 6, "geotiff": 8, "text": 9, "trailer": 10, "other": 11}
FITS = {"fit": 0, "fill": 1, "stretch": 2}
COLORS = {"srgb": 0, "stored": 1, "p3": 2, "rec2020": 3, "linear": 4, "pq": 5, "hlg": 6}


class Limits(TypedDict, total=False):
    """What reading a file may use at most; more is a LimitError of that file."""

    max_pixels: int  # 2**28
    max_memory: int  # bytes: 2**30
    max_milliseconds: int  # of processor time: 600,000
    max_frames: int  # 65,536
    formats: Iterable[str]  # extensions, names or type identifiers that are read; others are an error: all


class PictureOptions(TypedDict, total=False):
    """What a picture should be, apart from its size and mode."""

    orientation: bool  # turned upright: True
    color: Color  # "srgb"; "stored" leaves the samples as they are
    page: int | None  # from 0; None: the one that the file names
    strict: bool  # damage is an error: False
    fast: bool  # a small picture may be a little softer, or come from a thumbnail inside of the file: False
    limits: Limits | None
    cancel: Cancel | None


class DecodeOptions(PictureOptions, total=False):
    """What a picture should be, apart from its mode."""

    size: Size | None  # a side, or (width, height), that it has to fit; 0 leaves a side free. It is never enlarged
    fit: Fit  # "fit"
    dtype: Dtype  # "uint8"; "float16" and "float32" need the mode RGBA


class EncodeOptions(TypedDict, total=False):
    """What a file should be."""

    quality: float | None  # 0 (smallest) to 1 (best); None: the format's own
    lossless: bool  # every sample is kept: False
    icc: Buffer | None  # the profile that says what the colors are; None: they are sRGB
    exif: Buffer | None  # begins with II or MM
    xmp: Buffer | None
    loop: int | None  # how often an animation plays; 0: without end
    max_bytes: int  # the best quality that fits; 0: as large as it gets
    options: Mapping[str, Any] | None  # of the format's writer, by name


class ConvertOptions(TypedDict, total=False):
    """What a file that is made of another should be."""

    size: Size | None  # a side, or (width, height), that the picture has to fit
    fit: Fit  # "fit"
    page: int | None  # from 0; None: all pages, or the one that the format can hold
    strict: bool  # damage, and what would be missed and has to be left out, are errors: False
    limits: Limits | None
    cancel: Cancel | None
    quality: float | None  # 0 to 1
    lossless: bool
    loop: int | None
    max_bytes: int
    options: Mapping[str, Any] | None
    color: Color | None  # None: that of the file
    leave_out: Iterable[str]  # kinds of metadata that are not kept: "exif", "xmp", …
    first_frame: bool  # one frame of one page: False
    encode_anew: bool  # also where the bytes could stay as they are: False


class Cancel:
    """A flag that stops work, from any thread: ``cancel.set()``. It stays set, and one may stop several calls.

    A call that it stops raises an EnvironmentFailure with the code ``cancelled``.
    """

    def __init__(self) -> None:
        self._handle = ffi.gc(lib.ic_cancel_new(), lib.ic_cancel_free)
        self._is_set = False

    def set(self) -> None:
        """Asks the calls that have this flag to stop."""
        self._is_set = True
        lib.ic_cancel_set(self._handle)

    @property
    def is_set(self) -> bool:
        return self._is_set


def cancelled() -> CoderError:
    """The error of work that did not begin."""
    return error_of(lib.IC_CANCELLED, "the work was cancelled before it began")


def handle_of(cancel: Cancel | None) -> Any:
    return ffi.NULL if cancel is None else cancel._handle


def request_of(
    size: Size | None = None, fit: str = "fit", mode: str | None = None, dtype: str = "uint8", orientation: bool = True,
    color: str = "srgb", page: int | None = None, strict: bool = False, fast: bool = False, limits: Limits | None = None,
    cancel: Cancel | None = None,
) -> tuple[Any, Any]:
    """The struct, and what has to live as long as it."""
    request = make("ic_request")
    if strict or fast or not orientation:
        request.flags = (
            (lib.IC_STRICT if strict else 0) | (lib.IC_FAST if fast else 0) | (0 if orientation else lib.IC_KEEP_ORIENTATION)
        )
    if size is not None:
        request.box_width, request.box_height = box_of(size)
    request.fit = chosen(FITS, fit, "fit")
    request.color = chosen(COLORS, color, "color")
    if mode is not None:
        request.pixel_format = chosen(FORMATS, (mode, dtype), "mode and dtype")
    if page is not None:
        if page < 0:
            raise invalid(f"page is {page}; pages count from 0")
        request.page = page + 1
    kept: list[Any] = []
    if limits:
        set_limits(request, limits, kept)
    if cancel is not None:
        request.cancel = cancel._handle
        kept.append(cancel)
    return request, kept


def box_of(size: Size) -> tuple[int, int]:
    """Width and height of the box that a size names."""
    sides = (size, size) if isinstance(size, int) else size
    width, height = sides
    if min(width, height) < 0 or max(width, height) == 0:
        raise invalid(f"size is {size!r}")
    return width, height


def set_limits(request: Any, limits: Limits, kept: list[Any]) -> None:
    for name, value in limits.items():
        if name == "formats":
            names = [ffi.new("char[]", word.encode()) for word in limits.get("formats", ())]
            array = ffi.new("char *[]", names)
            kept += [names, array]
            request.allowed_formats, request.allowed_count = array, len(names)
        elif name in ("max_pixels", "max_memory", "max_milliseconds", "max_frames"):
            setattr(request, name, value)
        else:
            raise invalid(f"no limit has the name {name!r}")


def encoding_of(
    format: str | None = None, quality: float | None = None, lossless: bool = False, icc: Buffer | None = None,
    exif: Buffer | None = None, xmp: Buffer | None = None, loop: int | None = None, max_bytes: int = 0,
    options: Mapping[str, Any] | None = None, pages: int = 0, color: str | None = None, leave_out: Iterable[str] = (),
    first_frame: bool = False, encode_anew: bool = False,
) -> tuple[Any, Any]:
    """The struct, and what has to live as long as it."""
    encoding, kept = make("ic_encoding"), []
    encoding.page_count = pages
    if color is not None:
        encoding.flags |= lib.IC_CONVERT_COLOR
        encoding.color = chosen(COLORS, color, "color")
    for kind in leave_out:
        encoding.left_out |= 1 << chosen(KINDS, kind, "leave_out")
    encoding.flags |= (lib.IC_FIRST_FRAME if first_frame else 0) | (lib.IC_ENCODE_ANEW if encode_anew else 0)
    if format is not None:
        kept.append(ffi.new("char[]", format.encode()))
        encoding.format = kept[-1]
    if quality is not None:
        encoding.flags |= lib.IC_QUALITY
        encoding.quality = quality
    if lossless:
        encoding.flags |= lib.IC_EXACT
    if loop is not None:
        encoding.flags |= lib.IC_LOOP
        encoding.loop_count = loop
    encoding.max_bytes = max_bytes
    for name, payload in (("icc", icc), ("exif", exif), ("xmp", xmp)):
        if payload:
            data = bytes(payload)
            kept.append(ffi.from_buffer(data))
            setattr(encoding, name, kept[-1])
            setattr(encoding, name + "_count", len(data))
    if options:
        array = ffi.new("ic_option[]", len(options))
        for index, (word, value) in enumerate(options.items()):
            given = str(value).lower() if isinstance(value, bool) else str(value)
            kept += [ffi.new("char[]", word.encode()), ffi.new("char[]", given.encode())]
            array[index].name, array[index].value = kept[-2], kept[-1]
        kept.append(array)
        encoding.options, encoding.option_count = array, len(options)
    return encoding, kept
