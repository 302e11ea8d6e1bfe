# SPDX-License-Identifier: Apache-2.0
"""Pictures with Spark: thumbnails of a column of bytes, and runs over the shards of a manifest.

    from imagecoders import spark as ics
    ics.thumbnails(spark.read.format("binaryFile").load(folder), id="path", bytes="content")
    ics.run(spark, "hdfs:///manifest", "hdfs:///small")
"""

from __future__ import annotations

import json
from typing import Any, Iterable, Iterator

import pyarrow as pa

from . import stages
from .job import Job, Progress, collect
from .manifest import shard_name
from .reading import Reading
from .report import Report
from .shards import Op

# Each task makes its shards one after another, so that Spark's driver keeps few results.
MAX_TASKS = 10_000
BATCH_ROWS = 16
TYPES = {
    pa.string(): "string", pa.binary(): "binary", pa.int8(): "tinyint", pa.int32(): "int", pa.int64(): "bigint", pa.float32(): "float",
    pa.list_(pa.string()): "array<string>",
}


def ddl(schema: pa.Schema) -> str:
    """A schema in the words of Spark's SQL."""
    return ", ".join(f"`{field.name}` {TYPES[field.type]}" for field in schema)


def _in_batches(batches: Iterable[pa.RecordBatch], work: Any) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        # Spark's batches have 10,000 rows: their thumbnails leave bit by bit.
        for start in range(0, batch.num_rows, BATCH_ROWS):
            yield from work(batch.slice(start, BATCH_ROWS)).to_batches()


def thumbnails(df: Any, *, bytes: str = "content", id: str = "path", **options: Any) -> Any:
    """A DataFrame of thumbnails with the columns of ``stages.SCHEMA``, a row for each row of ``df``.

    bytes, id: its columns; options: those of ``stages.thumbnails``. ``spark.sql.execution.arrow.maxRecordsPerBatch`` is 10,000, which are
    20 GB of files of 2 MB in a Python worker: set it to 64. Spark's ``binaryFile`` leaves out empty files, and files above 2 GB fail the
    job: leave those out by length. ``run`` has a row for all of them.
    """
    schema = stages.thumbnails(
        pa.table({id: pa.array([], pa.string()), bytes: pa.array([], pa.binary())}), bytes_column=bytes, id_column=id, **options).schema

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _in_batches(batches, lambda batch: stages.thumbnails(batch, bytes_column=bytes, id_column=id, **options))

    return df.select(id, bytes).mapInArrow(work, ddl(schema))


def run(
    spark: Any, manifest: str, sink: str, op: Op = stages.thumbnails, *, source: str | None = None, max_error_share: float | None = None,
    reading: Reading = Reading(), progress: Progress | None = None,
) -> Report:
    """Makes what is missing of a run on a Spark cluster, as ``imagecoders.run.run`` does on one machine. Only names go through Spark.

    The manifest, the source and the sink have to be where all workers see them. A task whose worker dies is tried again
    ``spark.task.maxFailures`` times, 4 by default on a cluster; in ``local[2]`` not at all, in ``local[2,4]`` as often. Set
    ``spark.executor.memoryOverhead`` to at least 1 GB for each processor of an executor. Progress is told once, at the end.
    """
    job = Job(manifest, sink, op, source, reading, max_error_share)
    report, missing = job.begin()
    if not missing:
        return job.finish(report)
    tasks = min(len(missing), MAX_TASKS)
    numbers = [int(name) for name in missing]

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column("id").to_pylist():
                name = shard_name(numbers[index])
                try:
                    said = json.dumps(job.shard(name).to_dict())
                    failure = None
                except Exception as error:
                    said, failure = None, f"{type(error).__name__}: {error}"
                yield pa.record_batch([[name], [said], [failure]], schema=ANSWER)

    answers = spark.range(0, len(missing), 1, tasks).mapInArrow(work, ddl(ANSWER)).collect()
    results = ((row.name, Report.from_dict(json.loads(row.report)) if row.report else row.failure) for row in answers)
    return collect(job, report, results, progress)


ANSWER = pa.schema([("name", pa.string()), ("report", pa.string()), ("failure", pa.string())])
