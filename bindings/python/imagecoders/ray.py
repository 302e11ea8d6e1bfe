# SPDX-License-Identifier: Apache-2.0
"""Pictures with Ray: datasets that have a row for each file, and runs over the shards of a manifest.

    import imagecoders.ray as icr
    icr.read_images("s3://bucket/photos", size=256)                   # a Dataset of pixels, for training
    icr.thumbnails("s3://bucket/photos").write_parquet("s3://…")      # rows through Ray
    icr.run("manifest", "s3://bucket/small")                          # names through Ray: for a million and more
"""

from __future__ import annotations

import functools
from typing import Any, Iterator

import ray
import ray.data

from . import stages
from .errors import CoderError
from .job import Job, Progress, collect
from .reading import Reading
from .report import Report
from .shards import Op

# Rows of one call: 16 files of a few megabytes each are far below the 128 MB of a block.
BATCH_ROWS = 16


def _images(batch: Any, **options: Any) -> dict[str, Any]:
    """A batch of files as pictures in their own sizes, which are tensors of various shapes."""
    import numpy

    mode, dtype = options.pop("mode"), options.pop("dtype")
    registry, columns = stages.registry_of(None), batch.column("bytes")
    images, errors = numpy.empty(batch.num_rows, object), []
    for index in range(batch.num_rows):
        try:
            picture = registry.decode(columns[index].as_py(), mode=mode, dtype=dtype, **options)
            images[index] = numpy.asarray(picture).reshape(picture.height, picture.width, len(mode)).copy()
            errors.append(picture.problem)
        except CoderError as error:
            images[index] = numpy.zeros((0, 0, len(mode)), dtype)
            errors.append(error)
    return {
        "path": numpy.array(batch.column("path").to_pylist(), object), "image": images,
        "status": numpy.array([0 if error is None else error.status for error in errors], "int32"),
        "error": numpy.array([None if error is None else error.code for error in errors], object),
        "message": numpy.array([None if error is None else error.message for error in errors], object),
    }


def _pixels(batch: Any, **options: Any) -> Any:
    table = stages.pixels(batch, id_column="path", **options)
    return table.rename_columns([{"id": "path", "pixels": "image"}.get(name, name) for name in table.column_names])


def read_images(
    paths: Any, *, size: int | tuple[int, int] | None = None, fit: str = "fill", mode: str = "RGB", dtype: str = "uint8",
    formats: list[str] | None = None, include_paths: bool = True, include_errors: bool = True, limits: dict[str, Any] | None = None,
    **read_options: Any,
) -> "ray.data.Dataset":
    """A dataset of pictures, in the column ``image``: upright, in sRGB. It has a row for each file, whatever is in it.

    size: a side, or (width, height), of all pictures, as for ``stages.pixels``; None for each picture's own. A file that cannot be read
    has zeros, or with size None an image of 0×0, and says why in status, error and message. formats: names of those that are read; all
    others are errors. include_errors: False leaves out what cannot be read, and the columns of errors, but keeps cut pictures.
    read_options: those of ``ray.data.read_binary_files``.
    """
    allowed = dict(stages.LIMITS if limits is None else limits)
    if formats is not None:
        allowed["formats"] = list(formats)
    files = ray.data.read_binary_files(paths, include_paths=True, **read_options)
    if size is None:
        work = functools.partial(_images, mode=mode, dtype=dtype, limits=allowed)
    else:
        work = functools.partial(_pixels, size=size, fit=fit, mode=mode, dtype=dtype, limits=allowed)
    images = files.map_batches(work, batch_format="pyarrow", batch_size=BATCH_ROWS)
    names = ["path"] * include_paths + ["image"] + ["status", "error", "message"] * include_errors
    if not include_errors:
        images = images.map_batches(functools.partial(_readable, has_size=size is not None), batch_format="pyarrow")
    return images.select_columns(names)


def _readable(batch: Any, has_size: bool) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if has_size:
        return batch.filter(pc.is_valid(batch.column("pixel_width")))
    readable = [image.shape[0] > 0 for image in batch.column("image").to_numpy()] if batch.num_rows else []
    return batch.filter(pa.array(readable, pa.bool_()))


def thumbnails(paths_or_dataset: Any, *, bytes_column: str = "bytes", id_column: str = "path", **options: Any) -> "ray.data.Dataset":
    """A dataset of thumbnails with the columns of ``stages.SCHEMA``, from paths, or from a dataset with a column of bytes.

    options: those of ``stages.thumbnails``. Each row goes through Ray, which costs as much again as a thumbnail: ``run`` is for many.
    """
    dataset = paths_or_dataset
    if not isinstance(dataset, ray.data.Dataset):
        dataset = ray.data.read_binary_files(paths_or_dataset, include_paths=True)
    work = functools.partial(stages.thumbnails, bytes_column=bytes_column, id_column=id_column, **options)
    return dataset.map_batches(work, batch_format="pyarrow", batch_size=BATCH_ROWS)


def _shard(job: Job, name: str) -> Report | str:
    try:
        return job.shard(name)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _results(job: Job, names: list[str], in_flight: int, max_attempts: int, task: Any) -> Iterator[tuple[str, Report | str]]:
    """Gives names to Ray, as many as it has work for, and yields what comes back."""
    sent = ray.put(job)
    waiting, attempts = names[::-1], dict.fromkeys(names, 0)
    running: dict[Any, str] = {}
    while waiting or running:
        while waiting and len(running) < in_flight:
            name = waiting.pop()
            attempts[name] += 1
            running[task.remote(sent, name)] = name
        done, _ = ray.wait(list(running), num_returns=1)
        for reference in done:
            name = running.pop(reference)
            try:
                answer: Report | str = ray.get(reference)
            except ray.exceptions.RayError as error:
                # The worker died or ran out of memory, and so did those of Ray's own attempts.
                answer = f"{type(error).__name__}: {str(error).splitlines()[0]}"
                attempts[name] = max_attempts
            if isinstance(answer, str) and attempts[name] < max_attempts:
                waiting.append(name)
            else:
                yield name, answer


def run(
    manifest: str, sink: str, op: Op = stages.thumbnails, *, source: str | None = None, concurrency: int | None = None,
    num_cpus: float = 1, memory: int | None = 2 << 30, max_attempts: int = 3, max_error_share: float | None = None,
    reading: Reading = Reading(), progress: Progress | None = None,
) -> Report:
    """Makes what is missing of a run on a Ray cluster, as ``imagecoders.run.run`` does on one machine. Only names go through Ray.

    concurrency: shards at a time, as many as the cluster has processors by default; num_cpus, memory: what Ray reserves for each. The
    manifest, the source and the sink have to be where all workers see them: an object store or a shared folder.
    """
    if not ray.is_initialized():
        ray.init()
    job = Job(manifest, sink, op, source, reading, max_error_share)
    report, missing = job.begin()
    task = ray.remote(_shard).options(num_cpus=num_cpus, memory=memory, max_retries=max_attempts - 1, scheduling_strategy="SPREAD")
    resources: Any = ray.cluster_resources()  # type: ignore[no-untyped-call, unused-ignore]
    in_flight = concurrency or 2 * max(int(resources.get("CPU", 1) / max(num_cpus, 0.01)), 1)
    return collect(job, report, _results(job, missing, in_flight, max_attempts, task), progress)
