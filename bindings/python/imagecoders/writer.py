# SPDX-License-Identifier: Apache-2.0
"""Files that are written frame by frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import ffi, lib
from .arrays import pixels_of, set_delay
from .native import check, error_of, make, taken
from .requests import Cancel, EncodeOptions, encoding_of, handle_of
from .sources import Sink, sink_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .registry import Registry


class Writer:
    """A file that is written frame by frame, for one thread at a time.

        with ic.Writer("party.webp", quality=0.8) as writer:
            for array in frames:
                writer.add(array, delay=0.04)

    to: a path, at which the file appears when it is whole; an object with ``write()``; None: the bytes are in ``data`` after the end.
    format: an extension or a name; None: that of the path. pages: how many pages there will be, instead of frames. cancel: stops it.
    """

    def __init__(
        self, to: Sink | None = None, format: str | None = None, *, pages: int = 0, cancel: Cancel | None = None,
        registry: Registry | None = None, **encoding: Unpack[EncodeOptions],
    ) -> None:
        from .registry import default

        self._handle: Any = None
        self.data: bytes | None = None
        given, words = encoding_of(format, pages=pages, **encoding)
        sink, held = sink_of(to)
        self._registry, made, error = registry or default(), ffi.new("ic_writer **"), make("ic_error")
        check(lib.ic_writer_new(self._registry._handle, given, sink, handle_of(cancel), made, error), error)
        self._handle = ffi.gc(made[0], lib.ic_writer_free)
        self._kept = (held, cancel)

    def _open(self) -> Any:
        if self._handle is None:
            raise error_of(lib.IC_OUT_OF_ORDER, "the file is finished")
        return self._handle

    def add(self, image: Any, delay: Any = 0) -> None:
        """Adds an array, a tensor or a Picture, which is copied. delay: how long it is shown, in seconds; of a Picture, its own."""
        pixels, kept = pixels_of(image)
        set_delay(pixels, delay or getattr(image, "delay", 0))
        error = make("ic_error")
        check(lib.ic_writer_add(self._open(), pixels, error), error)

    def finish(self) -> bytes | None:
        """Writes the rest, and gives the bytes if they went nowhere else."""
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_writer_finish(self._open(), data, error), error)
        self.data = taken(data) or None
        self.close()
        return self.data

    def close(self) -> None:
        """Ends the work; of a file that is not finished, nothing stays at its path."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None and self._handle is not None:
            self.finish()
        self.close()
