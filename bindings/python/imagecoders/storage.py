# SPDX-License-Identifier: Apache-2.0
"""Folders of this machine and of object stores, by one name for each: ``/data/photos``, ``s3://bucket/photos``."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
import uuid
from typing import Any, Iterator

# Errors of one file, which stay as they are however often it is read.
LASTING = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
ATTEMPTS = 4


class NotRegularError(OSError):
    """A pipe, a device or a socket, which cannot be read as a file."""


class Storage:
    """A folder. Names are relative to it, with ``/`` between their parts; ``""`` is the folder itself."""

    is_local = False

    def __init__(self, uri: str) -> None:
        self.uri = uri

    def read(self, name: str, offset: int = 0, count: int | None = None) -> bytes:
        """Bytes of a file from an offset: up to ``count`` of them, or all; fewer where the file ends. Raises OSError."""
        raise NotImplementedError

    def size(self, name: str) -> int:
        """Bytes of a file, or -1 if there is none."""
        raise NotImplementedError

    def files(self, name: str = "") -> list[str]:
        """The names of the files directly in a folder, sorted; none if there is no such folder."""
        raise NotImplementedError

    def open(self, name: str) -> Any:
        """A file to read and seek in."""
        raise NotImplementedError

    def publishing(self, name: str) -> contextlib.AbstractContextManager[str]:
        """A path of this machine to write to. At the end of ``with``, the file appears under its name at once, whole."""
        raise NotImplementedError

    def remove(self, name: str) -> None:
        """Removes a file, if it is there."""
        raise NotImplementedError

    def write(self, name: str, data: bytes) -> None:
        """Writes a whole file, which replaces one of that name at once."""
        with self.publishing(name) as path, open(path, "wb") as file:
            file.write(data)


class Folder(Storage):
    """A folder of this machine."""

    is_local = True

    def __init__(self, uri: str) -> None:
        super().__init__(os.path.abspath(uri))
        self.root = self.uri

    def path(self, name: str) -> str:
        return os.path.join(self.root, name) if name else self.root

    def read(self, name: str, offset: int = 0, count: int | None = None) -> bytes:
        # Opening a pipe for reading would wait for its writer.
        descriptor = os.open(self.path(name), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(21, "it is a folder")
            if not stat.S_ISREG(status.st_mode):
                raise NotRegularError(22, "it is not a regular file")
            rest = max(status.st_size - offset, 0)
            rest = rest if count is None else min(rest, count)
            with os.fdopen(os.dup(descriptor), "rb", buffering=0) as file:
                file.seek(offset)
                pieces = []
                while rest and (piece := file.read(rest)):
                    pieces.append(piece)
                    rest -= len(piece)
                return pieces[0] if len(pieces) == 1 else b"".join(pieces)
        finally:
            os.close(descriptor)

    def size(self, name: str) -> int:
        try:
            return os.stat(self.path(name)).st_size
        except (FileNotFoundError, NotADirectoryError):
            return -1

    def files(self, name: str = "") -> list[str]:
        try:
            with os.scandir(self.path(name)) as entries:
                return sorted(entry.name for entry in entries if not entry.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            return []

    def open(self, name: str) -> Any:
        return open(self.path(name), "rb")

    @contextlib.contextmanager
    def publishing(self, name: str) -> Iterator[str]:
        path = self.path(name)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        folder, last = os.path.split(path)
        temporary = os.path.join(folder, f".{last}.tmp-{uuid.uuid4().hex[:12]}")
        try:
            yield temporary
            with open(temporary, "rb") as file:
                os.fsync(file.fileno())
            os.rename(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.remove(temporary)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path(name))


class ObjectStore(Storage):
    """A folder of an object store, by Arrow's file systems (s3, gs, abfs, hdfs), or else by fsspec's."""

    def __init__(self, uri: str) -> None:
        import pyarrow
        import pyarrow.fs

        super().__init__(uri)
        try:
            self.filesystem, self.root = pyarrow.fs.FileSystem.from_uri(uri)
        except pyarrow.ArrowInvalid:
            import fsspec.core

            filesystem, self.root = fsspec.core.url_to_fs(uri)
            self.filesystem = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(filesystem))
        self.root = self.root.rstrip("/")

    def path(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    def read(self, name: str, offset: int = 0, count: int | None = None) -> bytes:
        with self.filesystem.open_input_file(self.path(name)) as file:
            rest = max(file.size() - offset, 0)
            data: bytes = file.read_at(rest if count is None else min(rest, count), offset)
            return data

    def size(self, name: str) -> int:
        info = self.filesystem.get_file_info(self.path(name))
        return int(info.size) if info.is_file else -1

    def files(self, name: str = "") -> list[str]:
        import pyarrow.fs

        selector = pyarrow.fs.FileSelector(self.path(name), allow_not_found=True)
        return sorted(info.base_name for info in self.filesystem.get_file_info(selector) if info.is_file)

    def open(self, name: str) -> Any:
        return self.filesystem.open_input_file(self.path(name))

    @contextlib.contextmanager
    def publishing(self, name: str) -> Iterator[str]:
        import pyarrow.fs

        with tempfile.TemporaryDirectory(prefix="imagecoders-") as folder:
            path = os.path.join(folder, "file")
            yield path
            # A put is atomic: until the stream is closed, nothing has the name.
            if not isinstance(self.filesystem, pyarrow.fs.S3FileSystem):
                self.filesystem.create_dir(os.path.dirname(self.path(name)), recursive=True)
            with open(path, "rb") as source, self.filesystem.open_output_stream(self.path(name)) as target:
                while piece := source.read(16 << 20):
                    target.write(piece)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self.filesystem.delete_file(self.path(name))


def storage_at(uri: str) -> Storage:
    """The storage at a path or an address such as ``s3://bucket/folder?region=eu-west-1``."""
    if uri.startswith("file://"):
        uri = uri[len("file://"):]
    return ObjectStore(uri) if "://" in uri else Folder(uri)


def retried(read: Any) -> Any:
    """What a call returns, which is made again after errors that may pass: of the network, of a busy store."""
    for attempt in range(ATTEMPTS):
        try:
            return read()
        except (*LASTING, NotRegularError):
            raise
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(0.25 * 4**attempt)
    raise AssertionError("unreachable")
