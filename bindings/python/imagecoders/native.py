# SPDX-License-Identifier: Apache-2.0
"""Python's values as the structs of imagecoders.h, and back."""

from __future__ import annotations

import os
from typing import Any

from ._native import ffi, lib
from .errors import GROUPS, CoderError

FORMATS = {
    ("L", "uint8"): 1, ("LA", "uint8"): 2, ("L", "uint16"): 3, ("LA", "uint16"): 4, ("RGB", "uint8"): 5, ("RGBA", "uint8"): 6,
    ("BGRA", "uint8"): 7, ("RGBA", "uint16"): 8, ("RGBA", "float16"): 9, ("RGBA", "float32"): 10, ("RGB", "uint16"): 11,
}
MODES = {number: mode for mode, number in FORMATS.items()}
TYPES = {"uint8": "|u1", "uint16": "<u2", "float16": "<f2", "float32": "<f4"}
FITS = {"fit": 0, "fill": 1, "stretch": 2}
COLORS = {"srgb": 0, "stored": 1, "p3": 2, "rec2020": 3, "linear": 4, "pq": 5, "hlg": 6}


def chosen(table: dict, word: Any, what: str) -> int:
    if word not in table:
        raise error_of(lib.IC_INVALID_ARGUMENT, f"{what} is {word!r}, none of {', '.join(map(str, table))}")
    return table[word]


def make(name: str):
    """A struct whose size is set, all else 0."""
    struct = ffi.new(name + " *")
    struct.size = ffi.sizeof(name)
    return struct


def text(array) -> str:
    return ffi.string(array).decode("utf-8", "replace")


def error_of(status: int, message: str = "", coder: str = "", offset: int | None = None, limit: str = "") -> CoderError:
    code = text(lib.ic_status_name(status))
    return GROUPS.get(status >> 4, CoderError)(message or code, code, status, coder, offset, limit)


def problem_of(error) -> CoderError | None:
    """What a struct says, or None."""
    if error.status == 0:
        return None
    offset = None if error.offset < 0 else error.offset
    return error_of(error.status, text(error.message), text(error.coder), offset, text(error.limit))


def check(status: int, error) -> None:
    if status != 0:
        raise problem_of(error) or error_of(status)


def source_of(value: Any):
    """The struct, and what has to live as long as it."""
    source = make("ic_source")
    if isinstance(value, (str, os.PathLike)):
        kept = ffi.new("char[]", os.fsencode(value))
        source.kind, source.path = lib.IC_SOURCE_PATH, kept
        return source, kept
    if hasattr(value, "read"):
        value = value.read()
    # Others may change what is no bytes object while it is read.
    data = value if type(value) is bytes else bytes(memoryview(value))
    kept = ffi.from_buffer(data)
    source.kind, source.bytes, source.count = lib.IC_SOURCE_BYTES, kept, len(data)
    return source, (kept, data)


def request_of(
    size=None, fit="fit", mode=None, dtype="uint8", orientation=True, color="srgb", page=None, strict=False, fast=False,
    limits=None,
):
    """The struct, and what has to live as long as it."""
    request = make("ic_request")
    request.flags = (
        (lib.IC_STRICT if strict else 0) | (lib.IC_FAST if fast else 0) | (0 if orientation else lib.IC_KEEP_ORIENTATION)
    )
    if size is not None:
        width, height = (size, size) if isinstance(size, int) else size
        if min(width, height) < 0 or max(width, height) == 0:
            raise error_of(lib.IC_INVALID_ARGUMENT, f"size is {size!r}")
        request.box_width, request.box_height = width, height
    request.fit = chosen(FITS, fit, "fit")
    request.color = chosen(COLORS, color, "color")
    if mode is not None:
        request.pixel_format = chosen(FORMATS, (mode, dtype), "mode and dtype")
    if page is not None:
        request.page = page + 1
    kept = []
    for name, value in (limits or {}).items():
        if name == "formats":
            names = [ffi.new("char[]", word.encode()) for word in value]
            array = ffi.new("char *[]", names)
            kept += [names, array]
            request.allowed_formats, request.allowed_count = array, len(names)
        elif name in ("max_pixels", "max_memory", "max_milliseconds", "max_frames"):
            setattr(request, name, value)
        else:
            raise error_of(lib.IC_INVALID_ARGUMENT, f"no limit has the name {name!r}")
    return request, kept


def encoding_of(format=None, quality=None, lossless=False, icc=None, exif=None, xmp=None, loop=None, max_bytes=0, options=None):
    """The struct, and what has to live as long as it."""
    encoding, kept = make("ic_encoding"), []
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
            kept.append(ffi.from_buffer(bytes(payload)))
            setattr(encoding, name, kept[-1])
            setattr(encoding, name + "_count", len(payload))
    if options:
        array = ffi.new("ic_option[]", len(options))
        for index, (name, value) in enumerate(options.items()):
            word = str(value).lower() if isinstance(value, bool) else str(value)
            kept += [ffi.new("char[]", name.encode()), ffi.new("char[]", word.encode())]
            array[index].name, array[index].value = kept[-2], kept[-1]
        kept.append(array)
        encoding.options, encoding.option_count = array, len(options)
    return encoding, kept


def taken(data) -> bytes:
    """The bytes of the library's, which are given back."""
    try:
        return bytes(ffi.buffer(data.data, data.count)) if data.count else b""
    finally:
        lib.ic_release(data.owner)


def layout_of(array: Any, writable: bool = False):
    """Address, shape, strides and type of an array, and what keeps it: numpy's, or any that has rows as C has them."""
    interface = getattr(array, "__array_interface__", None)
    if interface is None:
        view = memoryview(array)
        types = {"B": "|u1", "H": "<u2", "e": "<f2", "f": "<f4"}
        if view.format not in types or not view.c_contiguous or writable and view.readonly:
            raise error_of(lib.IC_INVALID_ARGUMENT, "the buffer has no rows of samples, or may not be written to")
        kept = ffi.from_buffer(view, require_writable=writable)
        return int(ffi.cast("uintptr_t", kept)), view.shape, view.strides, types[view.format], kept
    address, is_fixed = interface["data"]
    shape, kind = interface["shape"], interface["typestr"]
    if writable and is_fixed:
        raise error_of(lib.IC_INVALID_ARGUMENT, "the array may not be written to")
    strides = interface.get("strides")
    if strides is None:
        steps, step = [], int(kind[2:])
        for side in reversed(shape):
            steps.insert(0, step)
            step *= side
        strides = tuple(steps)
    return address, shape, strides, kind, array
