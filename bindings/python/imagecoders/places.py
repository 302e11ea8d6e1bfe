# SPDX-License-Identifier: Apache-2.0
"""What is in a folder, an object store, tar files and Parquet files: where the bytes of each picture are, without reading them."""

from __future__ import annotations

import os
import stat
import tarfile
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, cast
from urllib.parse import quote, unquote_to_bytes

from .storage import Folder, ObjectStore, Storage, storage_at

COLUMNS = ("bytes", "content", "image", "jpg", "data")
ID_COLUMNS = ("id", "path", "key", "__key__", "url")
# Headers of a tar lie between its members: reads of this size find several small members at once.
TAR_BUFFER = 1 << 20
# Characters that stay as they are in an address.
PLAIN = "/!$&'()*+,;=:@~ "


@dataclass(frozen=True)
class Place:
    """Where a picture is.

    id: its name, unique in a manifest. uri: its file, relative to the source or absolute, percent-encoded; with ``#COLUMN/GROUP`` a
    column and a row group of Parquet. offset: None for a whole file, the first byte in a tar, the row of a row group. length: bytes, in
    Parquet the mean of its row group, -1 if it is unknown.
    """

    id: str
    uri: str
    offset: int | None
    length: int


def encoded(name: str) -> str:
    """A name as a part of an address. Names that are no UTF-8 come back as they were."""
    return quote(os.fsencode(name), safe=PLAIN)


def decoded(uri: str) -> str:
    return os.fsdecode(unquote_to_bytes(uri))


def shown(name: str) -> str:
    """A name as text, with \\x… for bytes that are no UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


class Opened:
    """The storages of a manifest's addresses: the source's for those that are relative to it, others by themselves."""

    def __init__(self, source: str) -> None:
        self.source = storage_at(source)
        self.others: dict[str, Storage] = {}

    def find(self, uri: str) -> tuple[Storage, str]:
        """The storage of an address without its fragment, and the name in it."""
        if "://" not in uri and not uri.startswith("/"):
            return self.source, decoded(uri)
        folder, _, last = uri.rpartition("/")
        if folder not in self.others:
            self.others[folder] = storage_at(decoded(folder) if uri.startswith("/") else folder)
        return self.others[folder], decoded(last)


def _walk(folder: Folder, name: str, problem: Callable[[str], None]) -> Iterator[tuple[str, int]]:
    """All files of a folder, by the order of their names, and their sizes. Links to folders are not followed."""
    try:
        with os.scandir(folder.path(name)) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        problem(f"{shown(name) or folder.root}: {error.strerror}: its files are not in the manifest")
        return
    for entry in entries:
        path = f"{name}/{entry.name}" if name else entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder, path, problem)
        elif entry.is_symlink() and entry.is_dir():
            problem(f"{shown(path)}: a link to a folder, which is not followed")
        else:
            try:
                status = entry.stat()
                yield path, status.st_size if stat.S_ISREG(status.st_mode) else 0
            except OSError:
                # It has a row all the same, which says why it cannot be read.
                yield path, 0


def _objects(store: ObjectStore) -> Iterator[tuple[str, int]]:
    import pyarrow.fs

    found = store.filesystem.get_file_info(pyarrow.fs.FileSelector(store.root, recursive=True))
    for info in sorted((info for info in found if info.is_file), key=lambda info: info.path):
        yield info.path[len(store.root) :].lstrip("/"), info.size


def _tar(store: Storage, name: str, uri: str, problem: Callable[[str], None]) -> Iterator[Place]:
    """The members of a tar: where the bytes of each begin, and how many they are."""
    import io

    raw = store.open(name)
    stream = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw, TAR_BUFFER)
    with stream:
        end = 0
        try:
            with tarfile.open(fileobj=stream, mode="r:") as archive:
                for member in archive:
                    if member.isfile() and not member.issparse():
                        yield Place(f"{shown(name)}/{shown(member.name)}", uri, member.offset_data, member.size)
                    elif not member.isdir():
                        problem(f"{shown(name)}/{shown(member.name)}: no regular file, and not in the manifest")
                    end = archive.offset
                    # The list would grow with the archive.
                    archive.members = []  # type: ignore[attr-defined]
                end = archive.offset
            # What tarfile takes for the end may be damage: the end of an archive is a block of zeros.
            stream.seek(end)
            block = stream.read(512)
            if block.strip(b"\0"):
                problem(f"{shown(name)}: damaged at byte {end}: members after it are not in the manifest")
        except (tarfile.TarError, OSError, ValueError, OverflowError) as error:
            problem(f"{shown(name)}: {error}: members after byte {end} are not in the manifest")


def _paths(schema: Any) -> Iterator[tuple[str, Any]]:
    """The columns of a schema, and those of the structs in it: ``image.bytes``."""
    import pyarrow as pa

    for field in schema:
        yield field.name, field.type
        if pa.types.is_struct(field.type):
            for index in range(field.type.num_fields):
                yield f"{field.name}.{field.type.field(index).name}", field.type.field(index).type


def _column(schema: Any, asked: str | None) -> str:
    import pyarrow as pa

    binary = {path for path, kind in _paths(schema) if pa.types.is_binary(kind) or pa.types.is_large_binary(kind)}
    for name in (asked,) if asked else COLUMNS:
        for path in (name, f"{name}.bytes"):
            if path in binary:
                return path
    raise ValueError(f"no column of bytes is named {asked or ' or '.join(COLUMNS)}; there are {', '.join(sorted(binary)) or 'none'}")


def _parquet(
    store: Storage, name: str, uri: str, bytes_column: str | None, id_column: str | None, problem: Callable[[str], None]
) -> Iterator[Place]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with store.open(name) as stream, pq.ParquetFile(stream) as file:
            column = _column(file.schema_arrow, bytes_column)
            names = file.schema_arrow.names
            key = id_column or next((name for name in ID_COLUMNS if name in names), None)
            leaves = [file.schema.column(index).path for index in range(len(file.schema))]
            first = 0
            for group in range(file.num_row_groups):
                about = file.metadata.row_group(group)
                length = about.column(leaves.index(column)).total_uncompressed_size // max(about.num_rows, 1)
                keys = file.read_row_group(group, columns=[key]).column(0).to_pylist() if key else range(first, first + about.num_rows)
                for row, value in enumerate(keys):
                    yield Place(str(value) if key else f"{shown(name)}/{value}", f"{uri}#{column}/{group}", row, length)
                first += about.num_rows
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        problem(f"{shown(name)}: {error}: its rows are not in the manifest")


def places(
    source: str, *, bytes_column: str | None = None, id_column: str | None = None, problem: Callable[[str], None] = lambda text: None
) -> Iterator[Place]:
    """Each picture of a source, in an order that is the same each time: by name, and in archives and tables by their own order.

    source: a folder or one file, of this machine or of an object store. Members of files that end with ``.tar``, and rows of those that
    end with ``.parquet``, are pictures; all other files are one picture each, whatever their names are. problem: called with a sentence
    for each thing that cannot be listed.
    """
    store, last = _opened(source)
    found: Iterable[tuple[str, int]]
    if last:
        found = [(last, store.size(last))]
    elif isinstance(store, Folder):
        if not os.path.isdir(store.root):
            raise FileNotFoundError(2, f"{source}: there is no such folder")
        found = _walk(store, "", problem)
    else:
        found = _objects(cast(ObjectStore, store))
    for name, size in found:
        uri = encoded(name)
        if name.endswith(".tar"):
            yield from _tar(store, name, uri, problem)
        elif name.endswith(".parquet"):
            yield from _parquet(store, name, uri, bytes_column, id_column, problem)
        else:
            yield Place(shown(name), uri, None, size)


def _opened(source: str) -> tuple[Storage, str]:
    """The folder of a source; and the name in it of a source that is a single file, otherwise an empty one."""
    store = storage_at(source)
    if isinstance(store, Folder):
        folder, last = os.path.split(store.root)
        return (Folder(folder), last) if os.path.isfile(store.root) else (store, "")
    if store.size("") < 0:
        return store, ""
    path, mark, query = source.partition("?")
    folder, _, last = path.rpartition("/")
    return storage_at(folder + mark + query), last


def source_of(source: str) -> str:
    """What addresses of a source are relative to: the folder itself, or that of a single file."""
    return _opened(source)[0].uri


def listed(lines: Iterable[str]) -> Iterator[Place]:
    """The places of a list: a line for each, an address or a path, and after a tab its size in bytes, if it is known."""
    for line in lines:
        name, _, size = line.rstrip("\r\n").partition("\t")
        if name:
            yield Place(shown(name), encoded(name), None, int(size) if size else -1)
