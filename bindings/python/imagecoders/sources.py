# SPDX-License-Identifier: Apache-2.0
"""Where the bytes of a file come from."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, Protocol, Union

from ._native import ffi, lib
from .native import make

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Readable(Protocol):
    """An object that a file is read from."""

    def read(self) -> Any:
        """All bytes from here on."""


# Bytes, a path, an object with ``read()``, or any buffer, which is copied.
Source = Union[bytes, str, "os.PathLike[str]", "os.PathLike[bytes]", Readable, "Buffer"]


def source_of(value: Source) -> tuple[Any, Any]:
    """The struct, and what has to live as long as it."""
    source = make("ic_source")
    data: Any = value
    if type(data) is not bytes:
        if isinstance(data, (str, os.PathLike)):
            kept = ffi.new("char[]", os.fsencode(data))
            source.kind, source.path = lib.IC_SOURCE_PATH, kept
            return source, kept
        if isinstance(data, Descriptor):
            source.kind, source.descriptor = lib.IC_SOURCE_DESCRIPTOR, data.file.fileno()
            return source, data
        data = bytes_of(data)
    kept = ffi.from_buffer(data)
    source.kind, source.bytes, source.count = lib.IC_SOURCE_BYTES, kept, len(data)
    return source, (kept, data)


def bytes_of(value: Any) -> bytes:
    """Bytes that nobody changes while they are read: a copy, unless they are a bytes object already."""
    if isinstance(value, io.BytesIO) and value.tell() == 0:
        # Shares its memory until somebody writes.
        return value.getvalue()
    data: Any = value.read() if hasattr(value, "read") else value
    return data if type(data) is bytes else bytes(memoryview(data))


class Descriptor:
    """An open file of the system, read from its start wherever its position is, as long as it is open."""

    def __init__(self, file: Any) -> None:
        self.file = file
