# SPDX-License-Identifier: Apache-2.0
"""The files of a shard, in order and in batches, with several reads on their way and a limit of the bytes that are kept."""

from __future__ import annotations

import collections
import re
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Iterator

from .manifest import cost
from .places import Opened, Place
from .storage import LASTING, NotRegularError, retried

# Ranges of one file that lie this near to each other are one read, of at most this size.
GAP = 256 << 10
SPAN = 8 << 20


@dataclass(frozen=True)
class Reading:
    """How files are read.

    reads: requests at a time; keep: bytes that may wait to be decoded; batch_rows, batch_bytes: what is decoded in one call; max_bytes: a
    larger file is not read, and its row says so.
    """

    reads: int = 12
    keep: int = 256 << 20
    batch_rows: int = 16
    batch_bytes: int = 64 << 20
    max_bytes: int = 256 << 20


@dataclass(frozen=True)
class Unread:
    """A file that could not be read: what its row says."""

    status: int
    error: str
    message: str


def batches_of(places: list[Place], reading: Reading) -> Iterator[range]:
    """Cuts the pictures of a shard into batches. The cuts depend on the manifest alone."""
    start = total = 0
    for index, place in enumerate(places):
        if index > start and (index - start == reading.batch_rows or total + cost(place) > reading.batch_bytes):
            yield range(start, index)
            start = index
            total = 0
        total += cost(place)
    if start < len(places):
        yield range(start, len(places))


def _is_row(place: Place) -> bool:
    return "#" in place.uri


def _spans(places: list[Place], batch: range, max_bytes: int) -> Iterator[list[int]]:
    """The pictures of a batch by the reads that bring them: neighbors in one tar share one."""
    span: list[int] = []
    for index in batch:
        place = places[index]
        if span:
            first, last = places[span[0]], places[span[-1]]
            joins = place.uri == last.uri and (
                _is_row(place)
                or place.offset is not None and last.offset is not None
                and 0 <= place.offset - last.offset - last.length <= GAP
                and place.offset + place.length - (first.offset or 0) <= SPAN
            )
            if not joins:
                yield span
                span = []
        span.append(index)
    if span:
        yield span


class Column:
    """A column of bytes in a row group of Parquet, read forward. Used by one thread at a time."""

    def __init__(self, opened: Opened, uri: str) -> None:
        import pyarrow.parquet as pq

        path, _, rest = uri.partition("#")
        self.name, _, group = rest.rpartition("/")
        store, name = opened.find(path)
        self.file = pq.ParquetFile(store.open(name))
        self.uri, self.position = uri, 0
        batches = self.file.iter_batches(batch_size=8, row_groups=[int(group)], columns=[self.name])
        self.values = (value for batch in batches for value in self._leaf(batch.column(0)))

    def _leaf(self, column: Any) -> Any:
        for name in self.name.split(".")[1:]:
            column = column.field(name)
        return column

    def read(self, row: int) -> bytes | None:
        for value in self.values:
            self.position += 1
            if self.position == row + 1:
                found: bytes | None = value.as_py()
                return found
        raise ValueError(f"the row group ends before row {row}")


class Reader:
    """Reads the pictures of a shard ahead of those who take them. ``with`` ends the reads."""

    def __init__(self, places: list[Place], source: str, reading: Reading) -> None:
        self.places, self.reading, self.opened = places, reading, Opened(source)
        self.pool = ThreadPoolExecutor(reading.reads, "read")
        # Rows of a table come one after another.
        self.row_pool = ThreadPoolExecutor(1, "read-rows")
        self.column: Column | None = None

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: Any) -> None:
        for pool in (self.pool, self.row_pool):
            pool.shutdown(wait=True, cancel_futures=True)

    def batches(self) -> Iterator[tuple[range, list[bytes | Unread]]]:
        """Each batch with its files, in order. Raises OSError if the source does not answer."""
        waiting: collections.deque[tuple[range, list[Future[list[bytes | Unread]]], int]] = collections.deque()
        kept, plan = 0, batches_of(self.places, self.reading)
        ahead = next(plan, None)
        while ahead is not None or waiting:
            while ahead is not None:
                size = sum(min(cost(self.places[index]), self.reading.max_bytes) for index in ahead)
                # What is taken by the caller counts until it asks for more.
                if waiting and kept + size > self.reading.keep:
                    break
                waiting.append((ahead, [self._read(span) for span in _spans(self.places, ahead, SPAN)], size))
                kept += size
                ahead = next(plan, None)
            batch, reads, size = waiting.popleft()
            files: list[bytes | Unread] = []
            for read in reads:
                files += read.result()
            reads.clear()
            yield batch, files
            del files
            kept -= size

    def _read(self, span: list[int]) -> Future[list[bytes | Unread]]:
        return (self.row_pool if _is_row(self.places[span[0]]) else self.pool).submit(self._span, span)

    def _span(self, span: list[int]) -> list[bytes | Unread]:
        places = [self.places[index] for index in span]
        first = places[0]
        if _is_row(first):
            return [self._row(place) for place in places]
        if any(place.length > self.reading.max_bytes for place in places):
            return [self._too_large(place.length) for place in places]
        try:
            store, name = self.opened.find(first.uri)
            if first.offset is None:
                # The size may be unknown, and a file may have grown.
                data = retried(lambda: store.read(name, 0, self.reading.max_bytes + 1))
                return [data if len(data) <= self.reading.max_bytes else self._too_large(store.size(name))]
            start = first.offset
            offsets = [(place.offset or 0) - start for place in places]
            data = retried(lambda: store.read(name, start, offsets[-1] + places[-1].length))
            return [data[offset : offset + place.length] for offset, place in zip(offsets, places)]
        except (*LASTING, NotRegularError) as error:
            return [Unread(0x50, "io", error.strerror or "the file cannot be read") for _ in places]

    def _too_large(self, size: int) -> Unread:
        return Unread(0x30, "limitExceeded", f"the file has {size} bytes, at most {self.reading.max_bytes} are read (maxBytes)")

    def _row(self, place: Place) -> bytes | Unread:
        import pyarrow as pa

        row = place.offset or 0

        def read() -> bytes | None:
            if self.column is None or self.column.uri != place.uri or self.column.position > row:
                self.column = Column(self.opened, place.uri)
            try:
                return self.column.read(row)
            except (OSError, ValueError):
                self.column = None
                raise

        try:
            data = retried(read)
        except (*LASTING, ValueError, pa.ArrowException) as error:
            return Unread(0x50, "io", f"its row group cannot be read: {str(error).splitlines()[0]}")
        return Unread(0x50, "io", "the row has no bytes") if data is None else data
