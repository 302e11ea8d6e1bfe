# SPDX-License-Identifier: Apache-2.0
"""One batch of files in, one table out, for every engine: a row for each file, whatever is in it.

    from imagecoders.stages import thumbnails
    table = thumbnails(pyarrow.table({"id": names, "bytes": files}), size=256, format="webp")

Nothing is raised for a file: what is wrong with it is in its row. A file that is cut or damaged has a status *and* what could be made of
it. What is wrong with an argument is raised, as ``imagecoders.ArgumentError``, before the first file. Functions of this module pickle,
and so do ``functools.partial`` objects of them, which every engine sends to its workers.
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable

import pyarrow as pa

from .errors import ArgumentError, CoderError
from .registry import Registry

# 512 MB for each picture at a time, which a worker of 2 GB has even with two threads. The other limits are the library's own.
LIMITS = {"max_memory": 512 << 20}
HASHES = ("md5", "sha1", "sha256", "sha512", "blake2b")

# What is known of each file. Sizes are in displayed pixels, upright; status is 0, or the number of the error, whose name is in error.
_KNOWN = [
    ("format", pa.string()), ("width", pa.int32()), ("height", pa.int32()), ("frames", pa.int32()), ("pages", pa.int32()),
    ("orientation", pa.int8()), ("flags", pa.list_(pa.string())), ("bytes", pa.int64()), ("status", pa.int32()), ("error", pa.string()),
    ("message", pa.string()), ("coder", pa.string()), ("offset", pa.int64()),
]


def schema_of(made: Iterable[tuple[str, Any]], properties: bool = False, hashes: Iterable[str] = ()) -> pa.Schema:
    """The schema of a stage: id, what it makes, what is known of the file, and milliseconds."""
    more = [(name, pa.string()) for name in hashes] + ([("properties", pa.string())] if properties else [])
    return pa.schema([("id", pa.string()), *made, *_KNOWN, *more, ("milliseconds", pa.float32())])


_THUMBNAIL = [("thumbnail", pa.binary()), ("thumbnail_width", pa.int32()), ("thumbnail_height", pa.int32())]
_FILE = [("file", pa.binary()), ("file_width", pa.int32()), ("file_height", pa.int32())]

#: The schema of ``thumbnails``. ``flags`` has the words alpha, animated, progressive, lossless; ``milliseconds`` is the time that the
#: picture took, as the clock on the wall has it, and the only column that is not the same each time.
SCHEMA: pa.Schema = schema_of(_THUMBNAIL)


@functools.lru_cache(maxsize=8)
def registry_of(isolate: str | None) -> Any:
    """The registry of a process, by its isolation."""
    mode: Any = isolate or "off"
    return Registry(isolation=mode)


@functools.lru_cache(maxsize=8)
def _written(isolate: str | None) -> frozenset[str]:
    formats = [known for known in registry_of(isolate).formats() if known["writes"]]
    return frozenset(str(known[key]).lower() for known in formats for key in ("format", "name", "extension"))


def error_columns(error: CoderError | None) -> dict[str, Any]:
    """The columns that say what is wrong; with None, that nothing is."""
    if error is None:
        return {"status": 0}
    return {
        "status": error.status, "error": error.code, "message": error.message, "coder": error.coder or None, "offset": error.offset,
    }


class _Stage:
    """What the stages have in common: the loop over files, what is known of each, and its time."""

    def __init__(
        self, made: Any, *, properties: bool, hashes: Iterable[str], limits: dict[str, Any] | None, isolate: str | None, threads: int
    ) -> None:
        self.hashes = tuple(hashes)
        for name in self.hashes:
            if name not in HASHES:
                raise ArgumentError(f"hashes has {name!r}, which is none of {', '.join(HASHES)}", "invalidArgument", 0x40)
        self.schema = schema_of(made, properties, self.hashes)
        self.properties, self.threads = properties, max(threads, 1)
        self.limits = LIMITS if limits is None else limits
        self.registry = registry_of(isolate)

    def known(self, data: bytes) -> dict[str, Any]:
        """What the header says. Of a file that no coder reads, nothing."""
        try:
            info = self.registry.probe(data)
        except CoderError:
            return {}
        words = [
            ("alpha", info.has_alpha), ("animated", info.is_animated), ("progressive", info.is_progressive),
            ("lossless", info.is_lossless),
        ]
        return {
            "format": info.name, "width": info.width, "height": info.height, "frames": info.frames, "pages": info.pages,
            "orientation": info.orientation, "flags": [word for word, holds in words if holds],
        }

    def said(self, data: bytes) -> str | None:
        """The properties of a file as JSON, with sorted keys."""
        try:
            with self.registry.open(data, limits=self.limits) as file:
                return json.dumps(file.properties(), sort_keys=True, ensure_ascii=False)
        except CoderError:
            return None

    def row(
        self, name: Any, data: bytes | None, make: Callable[[bytes], tuple[dict[str, Any], CoderError | None]]
    ) -> dict[str, Any]:
        row: dict[str, Any] = {"id": None if name is None else str(name)}
        if data is None:
            return {**row, **error_columns(CoderError("the row has no bytes", "io", 0x50)), "milliseconds": 0.0}
        start = time.perf_counter()
        made, error = make(data)
        if error is not None and error.status >> 4 == 4:
            raise error
        row.update(made, bytes=len(data), **error_columns(error))
        if made or error is None or error.code not in ("noCoder", "wrongFormat"):
            row.update(self.known(data))
            if self.properties and "format" in row:
                row["properties"] = self.said(data)
        for kind in self.hashes:
            row[kind] = hashlib.new(kind, data).hexdigest()
        row["milliseconds"] = (time.perf_counter() - start) * 1000
        return row

    def rows(
        self, batch: Any, bytes_column: str, id_column: str, make: Callable[[int, bytes], tuple[dict[str, Any], CoderError | None]]
    ) -> list[dict[str, Any]]:
        names, files = batch.column(id_column).to_pylist(), batch.column(bytes_column)

        def row(index: int) -> dict[str, Any]:
            return self.row(names[index], files[index].as_py(), functools.partial(make, index))

        if self.threads == 1 or len(names) < 2:
            return [row(index) for index in range(len(names))]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(row, range(len(names))))


def _must_be_written(format: str | None, isolate: str | None) -> None:
    if format is not None and format.lower() not in _written(isolate):
        raise ArgumentError(f"no coder writes the format {format!r}", "invalidArgument", 0x40)


def thumbnails(
    batch: Any, *, bytes_column: str = "bytes", id_column: str = "id", size: int | tuple[int, int] = 256, fit: str = "fit",
    format: str | None = "jpeg", quality: float | None = 0.8, properties: bool = False, hashes: Iterable[str] = (),
    limits: dict[str, Any] | None = None, isolate: str | None = None, threads: int = 1,
) -> pa.Table:
    """Makes a thumbnail of each file of a table or record batch: upright, in sRGB, never enlarged.

    size: a side, or (width, height), in pixels; fit: ``fit``, ``fill``, ``stretch``. format: ``jpeg``, ``webp``, …; with None, one that
    holds the picture. properties: what the metadata says, as JSON. hashes: of the files, such as ``sha256``. limits: as for ``decode``,
    ``LIMITS`` by default. isolate: as ``isolation`` of a Registry. threads: how many pictures are made at a time. Returns ``SCHEMA``,
    with columns for hashes and properties if they are asked for.
    """
    stage = _Stage(_THUMBNAIL, properties=properties, hashes=hashes, limits=limits, isolate=isolate, threads=threads)
    _must_be_written(format, isolate)
    box = tuple(size) if isinstance(size, (tuple, list)) else size
    make_all = functools.partial(
        stage.registry.thumbnail_batch, size=box, fit=fit, format=format, quality=quality, limits=stage.limits, threads=1)
    make_all([])

    def make(_: int, data: bytes) -> tuple[dict[str, Any], CoderError | None]:
        result = make_all([data])[0]
        if result.value is None:
            return {}, result.error
        small = stage.registry.probe(result.value)
        return {"thumbnail": result.value, "thumbnail_width": small.width, "thumbnail_height": small.height}, result.error

    return pa.Table.from_pylist(stage.rows(batch, bytes_column, id_column, make), schema=stage.schema)


def converted(
    batch: Any, *, format: str, bytes_column: str = "bytes", id_column: str = "id", size: int | tuple[int, int] | None = None,
    fit: str = "fit", quality: float | None = None, lossless: bool = False, options: dict[str, Any] | None = None, properties: bool = False,
    hashes: Iterable[str] = (), limits: dict[str, Any] | None = None, isolate: str | None = None, threads: int = 1,
) -> pa.Table:
    """Writes the picture of each file anew in a format: upright, in sRGB, without metadata; of an animation the first frame.

    size: None for the picture's own, otherwise as for ``thumbnails``, as all else. lossless, options: as for ``encode``. The columns are
    those of ``SCHEMA``, with file, file_width and file_height in place of the thumbnail's.
    """
    stage = _Stage(_FILE, properties=properties, hashes=hashes, limits=limits, isolate=isolate, threads=threads)
    _must_be_written(format, isolate)

    def make(_: int, data: bytes) -> tuple[dict[str, Any], CoderError | None]:
        try:
            picture = stage.registry.decode(data, mode=None, size=size, fit=fit, limits=stage.limits)
            file = stage.registry.encode(picture, format, quality=quality, lossless=lossless, options=options)
        except CoderError as error:
            return {}, error
        return {"file": file, "file_width": picture.width, "file_height": picture.height}, picture.problem

    return pa.Table.from_pylist(stage.rows(batch, bytes_column, id_column, make), schema=stage.schema)


def pixels(
    batch: Any, *, size: int | tuple[int, int], bytes_column: str = "bytes", id_column: str = "id", fit: str = "fill", mode: str = "RGB",
    dtype: str = "uint8", properties: bool = False, hashes: Iterable[str] = (), limits: dict[str, Any] | None = None,
    isolate: str | None = None, threads: int = 1,
) -> pa.Table:
    """Decodes each file into a tensor of one shape, height × width × channels, for training.

    A picture that is smaller than that, since none is enlarged, is in its top left corner; pixel_width and pixel_height are its own size.
    The rest, and all of a file that cannot be read, is 0. The column ``pixels`` is a fixed-shape tensor of Arrow:
    ``table["pixels"].combine_chunks().to_numpy_ndarray()`` is N × height × width × channels.
    """
    import numpy

    width, height = (size, size) if isinstance(size, int) else size
    shape = (height, width, len(mode))
    array = numpy.zeros((batch.num_rows, *shape), dtype)
    tensor = pa.fixed_shape_tensor(pa.from_numpy_dtype(array.dtype), shape)
    made = [("pixels", tensor), ("pixel_width", pa.int32()), ("pixel_height", pa.int32())]
    stage = _Stage(made, properties=properties, hashes=hashes, limits=limits, isolate=isolate, threads=threads)
    decode = functools.partial(
        stage.registry.decode_batch, size=(width, height), mode=mode, dtype=dtype, fit=fit, limits=stage.limits, threads=1)
    decode([], out=numpy.zeros((1, *shape), dtype))

    def make(index: int, data: bytes) -> tuple[dict[str, Any], CoderError | None]:
        result = decode([data], out=array[index : index + 1])[1][0]
        if not result.value:
            return {}, result.error
        return {"pixel_width": result.width, "pixel_height": result.height}, result.error

    rows = stage.rows(batch, bytes_column, id_column, make)
    known = pa.schema([field for field in stage.schema if field.name != "pixels"])
    values = pa.array(array.reshape(-1))
    storage = pa.FixedSizeListArray.from_arrays(values, height * width * len(mode))
    columns = pa.Table.from_pylist(rows, schema=known)
    return columns.add_column(1, stage.schema.field("pixels"), pa.ExtensionArray.from_storage(tensor, storage)).cast(stage.schema)
