# SPDX-License-Identifier: Apache-2.0
"""Errors: who has to act is the class, what happened is the code."""

from __future__ import annotations

from typing import Any


class CoderError(Exception):
    """Why a picture could not be read or written. It can be pickled.

    code: the name of the status, ``truncated``; status: its number; coder: the identifier of the coder, or ``""``; offset: the
    byte of the file where it was found, or None; limit: the limit that was exceeded, or ``""``.
    """

    def __init__(
        self, message: str, code: str = "", status: int = 0, coder: str = "", offset: int | None = None, limit: str = ""
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.status = message, code, status
        self.coder, self.offset, self.limit = coder, offset, limit

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.code, self.status, self.coder, self.offset, self.limit)

    def __str__(self) -> str:
        place = "" if self.offset is None else f" at byte {self.offset}"
        return f"{self.code}{place}: {self.message}"


class FileError(CoderError):
    """The file is cut or damaged."""


class UnsupportedError(CoderError):
    """No coder reads or writes that."""


class LimitError(CoderError):
    """The picture needs more than it may have."""


class ArgumentError(CoderError, ValueError):
    """An argument is outside of its range."""


class EnvironmentFailure(CoderError):
    """The machine: files, memory, plugins; and work that was cancelled."""


GROUPS = {1: FileError, 2: UnsupportedError, 3: LimitError, 4: ArgumentError, 5: EnvironmentFailure}
