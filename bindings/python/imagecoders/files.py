# SPDX-License-Identifier: Apache-2.0
"""Files that stay open, and files that arrive piece by piece."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ._native import ffi, lib
from .native import check, error_of, make, problem_of, taken
from .picture import Info, Picture, info_of
from .requests import KINDS, DecodeOptions, Mode, request_of

if TYPE_CHECKING:
    from typing_extensions import Buffer, Unpack

    from .registry import Registry


class File:
    """A file that is open, for one thread at a time; ``with`` closes it. Pictures of it stay."""

    def __init__(self, handle: Any, kept: Any) -> None:
        # The bytes stay as long as the file.
        self._kept = kept
        self._handle = ffi.gc(handle, lib.ic_file_close)

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; a second time is nothing."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = self._kept = None

    def _open(self) -> Any:
        if self._handle is None:
            raise error_of(lib.IC_OUT_OF_ORDER, "the file is closed")
        return self._handle

    @property
    def info(self) -> Info:
        """What the file says of its picture."""
        info, error = make("ic_info"), make("ic_error")
        check(lib.ic_file_info(self._open(), info, error), error)
        return info_of(info)

    def frame(self, index: int) -> Picture:
        """A frame, from 0, whole as it is shown."""
        if index < 0:
            raise IndexError("frames count from 0")
        pixels, error = make("ic_pixels"), make("ic_error")
        check(lib.ic_file_frame(self._open(), index, pixels, error), error)
        return Picture(pixels, problem_of(error))

    def page(self, index: int) -> File:
        """Another page, from 0, as a file of its own."""
        if index < 0:
            raise IndexError("pages count from 0")
        made, error = ffi.new("ic_file **"), make("ic_error")
        check(lib.ic_file_page(self._open(), index + 1, made, error), error)
        return File(made[0], self._kept)

    def metadata(self, kind: str) -> bytes | None:
        """A payload: ``exif``, ``icc``, ``xmp``, ``iptc``, …; None if there is none."""
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_file_metadata(self._open(), KINDS.get(kind, 0), data, error), error)
        return taken(data) or None

    def properties(self) -> dict[str, Any]:
        """What the metadata says, by the names that ImageIO has."""
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_file_properties(self._open(), data, error), error)
        found: dict[str, Any] = json.loads(taken(data))
        return found

    def parts(self) -> list[dict[str, Any]]:
        """What the file carries besides its picture: gain maps, depth, thumbnails, pages, videos, blocks of metadata.

        Dictionaries as ``coders parts --json`` prints them; ``part``, from 1, is the number for ``part`` and ``open_part``.
        """
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_file_parts(self._open(), data, error), error)
        found: list[dict[str, Any]] = json.loads(taken(data))["parts"]
        return found

    def part(self, number: int) -> bytes:
        """The bytes of a part; of a picture that is no file of its own, a PNG."""
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_file_part(self._open(), number, data, error), error)
        return taken(data)

    def open_part(self, number: int) -> File:
        """A part that is a picture, in its own size and colors, as a file of its own."""
        made, error = ffi.new("ic_file **"), make("ic_error")
        check(lib.ic_file_open_part(self._open(), number, made, error), error)
        return File(made[0], self._kept)


class Feed:
    """A file that arrives piece by piece; arguments as for decode."""

    def __init__(self, *, mode: Mode | None = "RGB", registry: Registry | None = None, **request: Unpack[DecodeOptions]) -> None:
        from .registry import default

        asked, _ = request_of(mode=mode, **request)
        self._registry, made, error = registry or default(), ffi.new("ic_feed **"), make("ic_error")
        check(lib.ic_feed_new(self._registry._handle, asked, made, error), error)
        # The work looks at the flag as long as it goes on.
        self._cancel = request.get("cancel")
        self._handle = ffi.gc(made[0], lib.ic_feed_free)

    def append(self, data: Buffer) -> None:
        """Appends the next bytes."""
        piece, error = bytes(data), make("ic_error")
        check(lib.ic_feed_append(self._handle, ffi.from_buffer(piece), len(piece), error), error)

    @property
    def info(self) -> Info | None:
        """What the file says of its picture, or None until that has arrived."""
        info, error = make("ic_info"), make("ic_error")
        check(lib.ic_feed_info(self._handle, info, error), error)
        return info_of(info) if info.width else None

    def look(self) -> Picture | None:
        """The picture so far, or None before its first row."""
        pixels, error = make("ic_pixels"), make("ic_error")
        check(lib.ic_feed_look(self._handle, pixels, error), error)
        return Picture(pixels, problem_of(error)) if pixels.data else None

    def finish(self) -> Picture:
        """The picture, once all bytes have come."""
        pixels, error = make("ic_pixels"), make("ic_error")
        check(lib.ic_feed_finish(self._handle, pixels, error), error)
        return Picture(pixels, problem_of(error))
