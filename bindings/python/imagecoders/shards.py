# SPDX-License-Identifier: Apache-2.0
"""One shard of a manifest, whatever happens to the process: its result appears whole, under its name, and is the same each time."""

from __future__ import annotations

import json
import os
import pickle
import signal
import time
import uuid
from typing import Any, Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from .manifest import Manifest
from .places import Place
from .reading import Reader, Reading, Unread
from .report import Report
from .storage import Folder, Storage, storage_at

Op = Callable[[pa.Table], pa.Table]

INPUT = pa.schema([("id", pa.string()), ("bytes", pa.large_binary())])
# A row group of the result is written when it has so many rows or bytes.
GROUP_ROWS = 1024
GROUP_BYTES = 32 << 20
CRASHED = Unread(0x55, "coderCrashed", "the process that decodes it died, twice")


class CrashError(Exception):
    """A child process ended before it had answered."""


def result_name(name: str) -> str:
    return f"{name}.parquet"


def in_child(work: Callable[[], Any]) -> Any:
    """What a call returns or raises that is made in a child process. Raises CrashError if the child dies."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        # Nothing of the parent's may run here after the call: no handlers, no buffers, no threads.
        status = 1
        try:
            os.close(reading)
            try:
                answer = (True, work())
            except Exception as error:
                answer = (False, error)
            with os.fdopen(writing, "wb") as file:
                pickle.dump(answer, file)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        code = os.waitstatus_to_exitcode(status)
        raise CrashError(f"the child ended with {signal.Signals(-code).name if code < 0 else code}")
    holds, value = pickle.loads(said)
    if not holds:
        raise value
    return value


class Journal:
    """Which pictures an attempt is at, so that the next attempt knows what the process died of.

    A file for each attempt, ``_journal/SHARD/ATTEMPT``, has the range that is being decoded. On this machine it is written before each
    batch; in an object store, where that is a request, only by an attempt that follows one that died.
    """

    def __init__(self, sink: Storage, name: str, count: int) -> None:
        self.sink, self.folder = sink, f"_journal/{name}"
        self.earlier = [(attempt, self._range(attempt)) for attempt in sink.files(self.folder)]
        self.file = f"{self.folder}/{uuid.uuid4().hex[:12]}"
        self.is_detailed = sink.is_local or bool(self.earlier)
        self.descriptor = -1
        if isinstance(sink, Folder):
            os.makedirs(sink.path(self.folder), exist_ok=True)
            self.descriptor = os.open(sink.path(self.file), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        self._write(range(count))

    def _range(self, attempt: str) -> range:
        try:
            start, stop = self.sink.read(f"{self.folder}/{attempt}").split()
            return range(int(start), int(stop))
        except (OSError, ValueError):
            return range(0)

    def _write(self, rows: range) -> None:
        text = b"%012d %012d\n" % (rows.start, rows.stop)
        if self.descriptor >= 0:
            os.pwrite(self.descriptor, text, 0)
        else:
            self.sink.write(self.file, text)

    def note(self, rows: range) -> None:
        """Says that these rows are decoded now."""
        if self.is_detailed:
            self._write(rows)

    def suspects(self, batch: range) -> bool:
        """Whether an earlier attempt died in a batch."""
        return any(rows.start < batch.stop and batch.start < rows.stop for _, rows in self.earlier)

    def deaths(self, row: int) -> int:
        """How many earlier attempts died while they decoded this row alone."""
        return sum(rows == range(row, row + 1) for _, rows in self.earlier)

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def remove(self) -> None:
        """Removes the journals of all attempts: the shard is done."""
        self.close()
        for name in {attempt for attempt, _ in self.earlier} | {self.file.rpartition("/")[2]}:
            self.sink.remove(f"{self.folder}/{name}")
        if isinstance(self.sink, Folder):
            try:
                os.rmdir(self.sink.path(self.folder))
            except OSError:
                pass


class _Worker:
    """Runs an op over batches: here, or in a child where an attempt died before."""

    def __init__(self, op: Op, places: list[Place], journal: Journal) -> None:
        self.op, self.places, self.journal = op, places, journal
        self.schema = op(INPUT.empty_table()).schema

    def table(self, batch: range, files: list[bytes | Unread]) -> pa.Table:
        """The rows of a batch, in order."""
        good = [index for index, file in zip(batch, files) if not isinstance(file, Unread)]
        made = self._made(good, [file for file in files if not isinstance(file, Unread)])
        if len(good) == len(files):
            return made
        rows = iter(range(made.num_rows))
        parts = [
            self._unmade(self.places[index], file, None) if isinstance(file, Unread) else made.slice(next(rows), 1)
            for index, file in zip(batch, files)
        ]
        return pa.concat_tables(parts)

    def _made(self, rows: list[int], files: list[bytes]) -> pa.Table:
        if not rows:
            return self.schema.empty_table()
        span = range(rows[0], rows[-1] + 1)
        if not self.journal.suspects(span):
            self.journal.note(span)
            return self._run(rows, files)
        if len(rows) > 1 and not any(self.journal.deaths(row) for row in rows):
            self.journal.note(span)
            try:
                return in_child(lambda: self._run(rows, files))
            except CrashError:
                pass
        return pa.concat_tables([self._alone(row, file) for row, file in zip(rows, files)])

    def _alone(self, row: int, file: bytes) -> pa.Table:
        # A child that takes its parent along leaves two journals at this row.
        if self.journal.deaths(row) < 2:
            self.journal.note(range(row, row + 1))
            try:
                return in_child(lambda: self._run([row], [file]))
            except CrashError:
                pass
        return self._unmade(self.places[row], CRASHED, len(file))

    def _run(self, rows: list[int], files: list[bytes]) -> pa.Table:
        ids = [self.places[row].id for row in rows]
        table = self.op(pa.table([pa.array(ids, pa.string()), pa.array(files, pa.large_binary())], schema=INPUT))
        if table.num_rows != len(ids) or table.column("id").to_pylist() != ids:
            raise ValueError(f"the op made {table.num_rows} rows of {len(ids)}, or other ids: it has to make one for each, in order")
        return table.cast(self.schema)

    def _unmade(self, place: Place, why: Unread, size: int | None) -> pa.Table:
        known = {"id": place.id, "status": why.status, "error": why.error, "message": why.message, "bytes": size}
        columns = [
            _nothing(field.type) if known.get(field.name) is None else pa.array([known[field.name]], field.type) for field in self.schema
        ]
        return pa.table(columns, schema=self.schema)


def _nothing(kind: pa.DataType) -> pa.Array:
    """One value that says nothing: 0 for tensors, which have no nulls, and null for all else."""
    if isinstance(kind, pa.FixedShapeTensorType):
        count = kind.storage_type.list_size
        zeros = pa.array([0] * count, pa.int8()).cast(kind.value_type)
        return pa.ExtensionArray.from_storage(kind, pa.FixedSizeListArray.from_arrays(zeros, count))
    return pa.nulls(1, kind)


def _groups(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Joins tables to row groups. Where they are cut depends on the rows alone."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(part.num_rows for part in waiting) >= GROUP_ROWS or sum(part.nbytes for part in waiting) >= GROUP_BYTES:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()


def run_shard(name: str, *, manifest: str, sink: str, op: Op, source: str | None = None, reading: Reading = Reading()) -> Report:
    """Makes the result of one shard, ``SINK/NAME.parquet``, unless it is there, and returns the report of it.

    op: a function of a table with the columns id and bytes to one with a row for each, in order, and a column id; it has to take a table
    without rows, too. ``imagecoders.stages`` has such; ``functools.partial`` gives them their arguments. A column ``milliseconds`` goes
    into the report, all others into the result, whose rows are in the manifest's order, and whose bytes are the same each time. source:
    where relative addresses are, if that is not what the manifest says.

    May be called again after anything, and twice at the same time. Raises OSError if the source or the sink does not answer, and what the
    op raises.
    """
    target = storage_at(sink)
    if target.size(result_name(name)) >= 0:
        return earlier_report(target, name)
    start = time.monotonic()
    made = Manifest.open(manifest)
    places = made.rows(name)
    journal = Journal(target, name, len(places))
    try:
        worker, report = _Worker(op, places, journal), Report(shards=1)
        kept = [column for column in worker.schema.names if column != "milliseconds"]
        made_column = next((column for column in ("thumbnail", "file", "pixel_width") if column in kept), None)

        def tables(reader: Reader) -> Iterator[pa.Table]:
            for batch, files in reader.batches():
                table = worker.table(batch, files)
                times = table.column("milliseconds").to_pylist() if "milliseconds" in table.column_names else [None] * table.num_rows
                report.count(table, times, made_column)
                yield table.select(kept)

        with target.publishing(result_name(name)) as path:
            schema = worker.schema if kept == worker.schema.names else pa.schema([worker.schema.field(column) for column in kept])
            with pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=["format", "error", "message", "coder"]) as writer:
                with Reader(places, source or made.source, reading) as reader:
                    for group in _groups(tables(reader)):
                        writer.write_table(group, row_group_size=group.num_rows)
            report.seconds = time.monotonic() - start
            target.write(f"_reports/{name}.json", json.dumps(report.to_dict(), ensure_ascii=False).encode())
        journal.remove()
        return report
    finally:
        journal.close()


def earlier_report(sink: Storage, name: str) -> Report:
    """The report of a shard that is there already."""
    try:
        report = Report.from_dict(json.loads(sink.read(f"_reports/{name}.json")))
    except (OSError, ValueError, KeyError):
        report = Report(shards=1, lost=1)
    report.skipped = 1
    return report
