# SPDX-License-Identifier: Apache-2.0
"""Pictures of all formats: upright, in sRGB, with errors that say why.

    import imagecoders as ic
    pixels = numpy.asarray(ic.decode("photo.heic", size=256))
    small = ic.thumbnail("photo.heic", 256, format="jpeg")

A source is bytes, a path, an object with ``read()``, or any buffer, which is copied. The lock of the interpreter is free during each
call, and every function may be called by many threads. ``imagecoders.aio`` has the same for asyncio, and ``imagecoders.pillow``
gives Pillow these coders.
"""

from .errors import ArgumentError, CoderError, EnvironmentFailure, FileError, LimitError, UnsupportedError
from .files import Feed, File
from .picture import Info, Picture
from .registry import (
    Registry, Result, decode, decode_batch, default, encode, formats, frames, open, probe, thumbnail, thumbnail_batch,
)
from .requests import Cancel, DecodeOptions, EncodeOptions, Limits, PictureOptions
from .sources import Source

__all__ = [
    "ArgumentError", "Cancel", "CoderError", "DecodeOptions", "EncodeOptions", "EnvironmentFailure", "Feed", "File", "FileError",
    "Info", "LimitError", "Limits", "Picture", "PictureOptions", "Registry", "Result", "Source", "UnsupportedError", "decode",
    "decode_batch", "default", "encode", "formats", "frames", "open", "probe", "thumbnail", "thumbnail_batch",
]
