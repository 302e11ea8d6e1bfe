# SPDX-License-Identifier: Apache-2.0
"""Python's values as the structs of imagecoders.h, and back."""

from __future__ import annotations

import threading
from typing import Any, Mapping

from ._native import ffi, lib
from .errors import GROUPS, CoderError

# The types of structs and their sizes: a look into a table costs less than cffi's reading of a name.
_STRUCTS = {
    name: (ffi.typeof(name + " *"), ffi.sizeof(name))
    for name in (
        "ic_bytes", "ic_encoding", "ic_error", "ic_info", "ic_job", "ic_pixels", "ic_registry_options", "ic_request", "ic_sink",
        "ic_source",
    )
}


def make(name: str) -> Any:
    """A struct whose size is set, all else 0."""
    kind, size = _STRUCTS[name]
    struct = ffi.new(kind)
    struct.size = size
    return struct


def text(array: Any) -> str:
    """The text of a C string."""
    value: bytes = ffi.string(array)
    return value.decode("utf-8", "replace")


def chosen(table: Mapping[Any, int], word: Any, what: str) -> int:
    """The number of a word, or an ArgumentError that names the argument."""
    try:
        return table[word]
    except (KeyError, TypeError):
        raise invalid(f"{what} is {word!r}, none of {', '.join(map(str, table))}") from None


def error_of(status: int, message: str = "", coder: str = "", offset: int | None = None, limit: str = "") -> CoderError:
    """The error of a status, of the class that says who has to act."""
    code = text(lib.ic_status_name(status))
    return GROUPS.get(status >> 4, CoderError)(message or code, code, status, coder, offset, limit)


def invalid(message: str) -> CoderError:
    """The error of an argument that is outside of its range."""
    return error_of(lib.IC_INVALID_ARGUMENT, message)


def problem_of(error: Any) -> CoderError | None:
    """What a struct says, or None."""
    if error.status == 0:
        return None
    offset = None if error.offset < 0 else error.offset
    return error_of(error.status, text(error.message), text(error.coder), offset, text(error.limit))


class _Raised(threading.local):
    failure: BaseException | None = None


# What an object of Python's raised during the call of the library that is under way on this thread.
raised = _Raised()


def check(status: int, error: Any) -> None:
    """Raises what a call that failed says, because of what an object of Python's raised meanwhile."""
    if status == 0 and raised.failure is None:
        return
    cause, raised.failure = raised.failure, None
    if cause is not None and not isinstance(cause, Exception):
        # Ctrl-C, also where the library has made something of the bytes before it.
        raise cause
    if status != 0:
        raise (problem_of(error) or error_of(status)) from cause


def taken(data: Any) -> bytes:
    """The bytes of the library's, which are given back."""
    try:
        return bytes(ffi.buffer(data.data, data.count)) if data.count else b""
    finally:
        lib.ic_release(data.owner)
