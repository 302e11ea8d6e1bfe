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
    Converted, Registry, Result, convert, decode, decode_batch, default, edit_metadata, encode, formats, frames, open, operate, probe,
    thumbnail, thumbnail_batch,
)
from .requests import Cancel, ConvertOptions, DecodeOptions, EncodeOptions, Limits, PictureOptions
from .sources import Sink, Source
from .writer import Writer

__all__ = [
    "ArgumentError", "Cancel", "CoderError", "ConvertOptions", "Converted", "DecodeOptions", "EncodeOptions", "EnvironmentFailure",
    "Feed", "File", "FileError", "Info", "LimitError", "Limits", "Picture", "PictureOptions", "Registry", "Result", "Sink", "Source",
    "UnsupportedError", "Writer", "convert", "decode", "decode_batch", "default", "edit_metadata", "encode", "formats", "frames",
    "open", "operate", "probe", "thumbnail", "thumbnail_batch",
]
