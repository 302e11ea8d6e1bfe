# SPDX-License-Identifier: Apache-2.0
"""Pictures of all formats: upright, in sRGB, with errors that say why.

    import imagecoders as ic
    pixels = numpy.asarray(ic.decode("photo.heic", size=256))
    small = ic.thumbnail("photo.heic", 256, format="jpeg")

A source is bytes, a path, an object with ``read()``, or any buffer, which is copied. The lock of the interpreter is free during each
call, and every function may be called by many threads.
"""

from .errors import (  # noqa: F401
    ArgumentError, CoderError, EnvironmentFailure, FileError, LimitError, UnsupportedError,
)
from .registry import (  # noqa: F401
    Feed, File, Info, Picture, Registry, Result, decode, decode_batch, default, encode, formats, frames, open, probe,
    thumbnail, thumbnail_batch,
)
