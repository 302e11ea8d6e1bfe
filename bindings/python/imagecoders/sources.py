# SPDX-License-Identifier: Apache-2.0
"""Where the bytes of a file come from, and where those of a written file go."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, Protocol, Union

from ._native import ffi, lib
from .native import invalid, make, raised

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Readable(Protocol):
    """An object that a file is read from."""

    def read(self) -> Any:
        """All bytes from here on."""


class Writable(Protocol):
    """An object that a file is written to."""

    def write(self, data: Any, /) -> Any:
        """Takes bytes."""


Path = Union[str, "os.PathLike[str]", "os.PathLike[bytes]"]
# Bytes, a path, an object with ``read()``, or any buffer, which is copied.
Source = Union[bytes, Path, Readable, "Buffer"]
# A path, or an object with ``write()``.
Sink = Union[Path, Writable]
# Files of fewer bytes are read whole: each piece takes the interpreter's lock.
PIECEWISE = 256 << 10


class Descriptor:
    """An open file of the system, read from its start wherever its position is, as long as it is open."""

    def __init__(self, file: Any) -> None:
        self.file = file


class Pieces:
    """An object with ``read`` and ``seek``, of which the library reads what it needs."""

    def __init__(self, file: Any, start: int, size: int) -> None:
        self.file, self.start, self.size = file, start, size

    def read(self, offset: int, target: Any) -> int:
        """Fills a buffer with the bytes at an offset."""
        self.file.seek(self.start + offset)
        done = 0
        while done < len(target):
            piece = self.file.read(len(target) - done)
            if not piece:
                raise OSError(f"the file ends at byte {offset + done}, {self.size} were there")
            target[done : done + len(piece)] = piece
            done += len(piece)
        return done


class Writing:
    """An object with ``write``, and ``seek`` if the format's writer puts bytes right later."""

    def __init__(self, file: Any) -> None:
        self.file, self.position, self.start = file, 0, 0
        self.is_seekable = bool(getattr(file, "seekable", lambda: hasattr(file, "seek"))())
        if self.is_seekable:
            self.start = file.tell()

    def write(self, offset: int, data: Any) -> int:
        """Writes bytes at an offset."""
        if offset != self.position:
            if not self.is_seekable:
                raise OSError("the format's writer goes back, which the object cannot: write to bytes first")
            self.file.seek(self.start + offset)
        rest = bytes(data)
        while rest:
            count = self.file.write(rest)
            # Raw files may take a part; what returns nothing took all.
            rest = rest[count:] if isinstance(count, int) and 0 < count < len(rest) else b""
        self.position = offset + len(data)
        return len(data)


def _answer(call: Any, *arguments: Any) -> int:
    try:
        count: int = call(*arguments)
        return count
    except BaseException as failure:
        raised.failure = failure
        return -5


@ffi.def_extern()  # type: ignore[untyped-decorator]
def icp_read(context: Any, offset: int, target: Any, count: int) -> int:
    return _answer(ffi.from_handle(context).read, offset, ffi.buffer(target, count))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def icp_write(context: Any, offset: int, data: Any, count: int) -> int:
    return _answer(ffi.from_handle(context).write, offset, ffi.buffer(data, count))


def source_of(value: Source, is_shared: bool = False) -> tuple[Any, Any]:
    """The struct, and what has to live as long as it. is_shared: whether other threads read it, on which no object is called."""
    source = make("ic_source")
    data: Any = value
    if type(data) is not bytes:
        if isinstance(data, (str, os.PathLike)):
            kept = ffi.new("char[]", os.fsencode(data))
            source.kind, source.path = lib.IC_SOURCE_PATH, kept
            return source, kept
        data = data if is_shared or isinstance(data, (Descriptor, Pieces)) else pieces_of(data)
        if isinstance(data, Descriptor):
            source.kind, source.descriptor = lib.IC_SOURCE_DESCRIPTOR, data.file.fileno()
            return source, data
        if isinstance(data, Pieces):
            handle = ffi.new_handle(data)
            source.kind, source.count, source.read, source.context = lib.IC_SOURCE_FUNCTION, data.size, lib.icp_read, handle
            return source, (handle, data)
        data = bytes_of(data)
    kept = ffi.from_buffer(data)
    source.kind, source.bytes, source.count = lib.IC_SOURCE_BYTES, kept, len(data)
    return source, (kept, data)


def pieces_of(value: Any) -> Any:
    """A way to read a large object piecewise from where it is, or the object itself."""
    if type(value) is io.BytesIO or not hasattr(value, "read") or not hasattr(value, "seek"):
        return value
    if not getattr(value, "seekable", lambda: True)():
        return value
    start = value.tell()
    if start == 0 and type(value) is io.BufferedReader and type(value.raw) is io.FileIO:
        return Descriptor(value)
    end = value.seek(0, io.SEEK_END)
    size = (value.tell() if end is None else end) - start
    value.seek(start)
    return Pieces(value, start, size) if size > PIECEWISE else value


def bytes_of(value: Any) -> bytes:
    """Bytes that nobody changes while they are read: a copy, unless they are a bytes object already."""
    if type(value) is io.BytesIO and value.tell() == 0:
        # Shares its memory until somebody writes.
        return value.getvalue()
    data: Any = value.read() if hasattr(value, "read") else value
    return data if type(data) is bytes else bytes(memoryview(data))


def sink_of(value: Sink | None) -> tuple[Any, Any]:
    """The struct, or null for bytes, and what has to live as long as it."""
    if value is None:
        return ffi.NULL, None
    sink = make("ic_sink")
    if isinstance(value, (str, os.PathLike)):
        kept = ffi.new("char[]", os.fsencode(value))
        sink.kind, sink.path = lib.IC_SINK_PATH, kept
        return sink, kept
    if not hasattr(value, "write"):
        raise invalid(f"{type(value).__name__} is neither a path nor has write()")
    handle = ffi.new_handle(Writing(value))
    sink.kind, sink.write, sink.context = lib.IC_SINK_FUNCTION, lib.icp_write, handle
    return sink, handle
