# SPDX-License-Identifier: Apache-2.0
"""Does what a manifest says on one machine: ``python -m imagecoders.run MANIFEST SINK``.

A run may be killed at any time, or lose workers; called again, it goes on with the shards that are missing.
"""

from __future__ import annotations

import argparse
import collections
import functools
import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
import time
from typing import Any, Iterator

from . import stages
from .job import ErrorShareExceeded, Job, Progress, collect
from .plan import amount
from .reading import Reading
from .report import Report
from .shards import Op, run_shard

__all__ = ["Report", "Reading", "run", "run_shard"]


def _work(job: Job, tasks: Any) -> None:
    """A worker: takes names, answers with reports. It ends with the process that started it."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    while (name := tasks.recv()) is not None:
        try:
            answer: Report | str = job.shard(name)
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        tasks.send((name, answer))


class _Pool:
    """Processes that make shards. One that dies is replaced, and its shard given to another."""

    def __init__(self, job: Job, workers: int, max_attempts: int) -> None:
        # A child that was forked would share the parent's threads and connections.
        self.context = multiprocessing.get_context("spawn")
        self.job, self.workers, self.max_attempts = job, workers, max_attempts
        self.busy: dict[Any, tuple[Any, str]] = {}

    def results(self, names: list[str]) -> Iterator[tuple[str, Report | str]]:
        waiting = collections.deque(names)
        attempts: collections.Counter[str] = collections.Counter()
        idle: list[tuple[Any, Any]] = []
        try:
            while waiting or self.busy:
                while waiting and len(self.busy) < self.workers:
                    process, tasks = idle.pop() if idle else self._start()
                    name = waiting.popleft()
                    attempts[name] += 1
                    self.busy[tasks] = process, name
                    try:
                        tasks.send(name)
                    except OSError:
                        pass  # It died; what is received says so.
                ready: list[Any] = multiprocessing.connection.wait(list(self.busy))
                for tasks in ready:
                    process, name = self.busy.pop(tasks)
                    answer: Report | str
                    try:
                        _, answer = tasks.recv()
                        idle.append((process, tasks))
                    except (EOFError, OSError):
                        process.join()
                        tasks.close()
                        answer = f"its worker ended with {process.exitcode}, {attempts[name]} times"
                    if isinstance(answer, str) and attempts[name] < self.max_attempts:
                        waiting.appendleft(name)
                    else:
                        yield name, answer
        finally:
            for tasks, (process, _) in self.busy.items():
                process.kill()
            for process, tasks in idle:
                tasks.send(None)
                process.join()

    def _start(self) -> tuple[Any, Any]:
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=_work, args=(self.job, theirs), daemon=True)
        process.start()
        theirs.close()
        return process, ours


def run(
    manifest: str, sink: str, op: Op = stages.thumbnails, *, source: str | None = None, workers: int | None = None, max_attempts: int = 3,
    max_error_share: float | None = None, reading: Reading = Reading(), progress: Progress | None = None,
) -> Report:
    """Makes what is missing of a run, with processes of this machine, and returns the report of all of it.

    op, source, reading: as for ``run_shard``; workers: processes, one for each processor by default; max_attempts: for a shard whose
    worker dies or fails. Shards that have no result are in ``failed`` of the report. Raises ValueError if the sink has results of another
    manifest or op, OSError, ErrorShareExceeded. As with every use of ``multiprocessing``, the main program of a caller has to be
    importable: ``if __name__ == "__main__":``.
    """
    job = Job(manifest, sink, op, source, reading, max_error_share)
    report, missing = job.begin()
    pool = _Pool(job, workers or len(os.sched_getaffinity(0)), max_attempts)
    return collect(job, report, pool.results(missing), progress)


def show_progress(seconds: float = 10.0) -> Progress:
    """Progress on stderr: one line that changes on a terminal, otherwise one line every so many seconds."""
    is_terminal = sys.stderr.isatty()
    shown = 0.0
    before: int | None = None

    def show(job: Job, report: Report) -> None:
        nonlocal shown, before
        now = time.monotonic()
        finished = report.shards + len(report.failed) == job.plan.shards
        if before is None:
            before = 0 if report.shards == 1 else report.files - report.files // max(report.shards, 1)
        if now - shown < (0.2 if is_terminal else seconds) and not finished:
            return
        shown = now
        rate = (report.files - before) / max(now - job.started, 0.001)
        left = (job.plan.files - report.files) / rate if rate > 0 else 0
        line = (
            f"{report.shards:,} of {job.plan.shards:,} shards, {report.files:,} of {job.plan.files:,} files, {rate:,.1f} files/s, "
            f"{report.errors:,} errors, {left / 60:,.0f} min left")
        print(f"\r\033[K{line}" if is_terminal else line, end="\n" if finished or not is_terminal else "", file=sys.stderr, flush=True)

    return show


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m imagecoders.run", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Make thumbnails of all pictures of MANIFEST, which imagecoders.plan wrote, with all processors of this machine.",
        epilog="""\
SINK gets a Parquet file for each shard, with a row for each picture: id, thumbnail, format, width, height, …, status, error, message.
A picture that cannot be read is a row, too; one that is cut has a thumbnail and an error. pyarrow, DuckDB, Spark and others read the
folder as one table; python -m imagecoders.verify compares it with the manifest, and lists the errors.

  python -m imagecoders.plan photos/ manifest/
  python -m imagecoders.run manifest/ thumbnails/
  python -m imagecoders.run manifest/ thumbnails/                        again, after anything: does what is missing
  python -m imagecoders.run manifest/ s3://bucket/small --size 512 --format webp --json report.json
  python -m imagecoders.run manifest/ web/ --op converted --format avif --quality 0.6 --source /mnt/copy/photos

A picture that kills its worker, twice, is a row with the error coderCrashed, and the rest of its shard is made.
Ends with 0, with 1 if a shard has no result or --max-error-share is exceeded, with 2 if nothing was begun.""")
    made.add_argument("manifest", metavar="MANIFEST", help="a folder or an address that imagecoders.plan wrote")
    made.add_argument("sink", metavar="SINK", help="the folder or address for the results")
    made.add_argument("--op", choices=["thumbnails", "converted", "pixels"], default="thumbnails", help="what to make (thumbnails)")
    made.add_argument("--size", type=_size, metavar="N or WxH", help="the box in pixels (256; for converted, the picture's own)")
    made.add_argument("--fit", choices=["fit", "fill", "stretch"], help="how a picture fits the box (fit; for pixels, fill)")
    made.add_argument("--format", help="of the files that are made, such as jpeg, webp, avif (jpeg)")
    made.add_argument("--quality", type=float, metavar="Q", help="from 0, smallest, to 1, best (0.8 for thumbnails)")
    made.add_argument("--properties", action="store_true", help="add what the metadata says, as JSON")
    made.add_argument("--hash", action="append", choices=stages.HASHES, help="add a hash of each file; may be repeated")
    made.add_argument("--max-memory", type=amount, metavar="N", help="memory for one picture at most (512M)")
    made.add_argument("--max-pixels", type=int, metavar="N", help="pixels of one picture at most")
    made.add_argument("--isolate", choices=["off", "preferred", "required", "strict"], help="decode in a worker that has no rights (off)")
    made.add_argument("--source", metavar="SOURCE", help="where the pictures are now, if they were moved since they were planned")
    made.add_argument("--workers", type=int, metavar="N", help="processes (one for each processor)")
    made.add_argument("--reads", type=int, default=Reading.reads, metavar="N", help="reads at a time in each worker (12)")
    made.add_argument("--max-attempts", type=int, default=3, metavar="N", help="for a shard whose worker dies (3)")
    made.add_argument("--max-error-share", type=float, metavar="SHARE", help="fail if more of the files have errors, such as 0.05")
    made.add_argument("--json", metavar="FILE", help="write the report as JSON; - writes it to stdout instead of the table")
    made.add_argument("--quiet", action="store_true", help="no progress, no table")
    return made


def _size(text: str) -> int | tuple[int, int]:
    sides = [int(side) for side in text.lower().split("x")]
    if len(sides) not in (1, 2) or min(sides) < 1:
        raise ValueError
    return sides[0] if len(sides) == 1 else (sides[0], sides[1])


def op_of(given: argparse.Namespace) -> Op:
    """The op that the options of the command mean, without those that are defaults."""
    options: dict[str, Any] = {
        "size": given.size, "fit": given.fit, "quality": given.quality, "properties": given.properties or None,
        "hashes": tuple(given.hash) if given.hash else None, "isolate": given.isolate,
    }
    limits = {"max_memory": given.max_memory or stages.LIMITS["max_memory"]}
    if given.max_pixels:
        limits["max_pixels"] = given.max_pixels
    if limits != stages.LIMITS:
        options["limits"] = limits
    if given.op == "pixels":
        if given.format or given.quality is not None:
            raise ValueError("pixels has no format and no quality")
        options["size"] = given.size or 256
    else:
        options["format"] = given.format or ("jpeg" if given.op == "converted" else None)
    return functools.partial(getattr(stages, given.op), **{name: value for name, value in options.items() if value is not None})


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    exceeded: ErrorShareExceeded | None = None
    try:
        report = run(
            given.manifest, given.sink, op_of(given), source=given.source, workers=given.workers, max_attempts=given.max_attempts,
            max_error_share=given.max_error_share, reading=Reading(reads=given.reads), progress=None if given.quiet else show_progress())
    except ErrorShareExceeded as error:
        report, exceeded = error.report, error
    except (OSError, ValueError) as error:
        print(f"run: {error}", file=sys.stderr)
        return 2
    if given.json == "-":
        print(report.to_json())
    elif given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            file.write(report.to_json() + "\n")
    if given.json != "-" and not given.quiet:
        print(report)
    if exceeded is not None:
        print(f"run: {exceeded}", file=sys.stderr)
    return 1 if report.failed or exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
