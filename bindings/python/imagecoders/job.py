# SPDX-License-Identifier: Apache-2.0
"""A run over all shards of a manifest, as each engine sees it: which shards are missing, and what is said at the end."""

from __future__ import annotations

import functools
import json
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable

from .manifest import Manifest, shard_name
from .reading import Reading
from .report import Report
from .shards import Op, earlier_report, result_name, run_shard
from .stages import thumbnails
from .storage import storage_at

RUN = "_run.json"
Progress = Callable[["Job", Report], None]


class ErrorShareExceeded(Exception):
    """More files have errors than the run allows. The results are there all the same, and report says what they are."""

    def __init__(self, report: Report, allowed: float) -> None:
        super().__init__(f"{report.errors:,} of {report.files:,} files have an error, more than {allowed:.2%}")
        self.report = report


def described(op: Op) -> dict[str, Any]:
    """What an op is, by name and arguments, so that two ops do not share a sink."""
    options: dict[str, Any] = {}
    while isinstance(op, functools.partial):
        options = {**op.keywords, **options}
        op = op.func
    name = f"{getattr(op, '__module__', '')}.{getattr(op, '__qualname__', type(op).__qualname__)}"
    return {"op": name, "options": json.loads(json.dumps(options, sort_keys=True, default=str))}


@dataclass
class Job:
    """What to do, where: the arguments are those of ``run_shard``. max_error_share: the run fails if more of the files have an error."""

    manifest: str
    sink: str
    op: Op = thumbnails
    source: str | None = None
    reading: Reading = field(default_factory=Reading)
    max_error_share: float | None = None

    def __post_init__(self) -> None:
        # A worker may have another working directory.
        self.manifest, self.sink = storage_at(self.manifest).uri, storage_at(self.sink).uri
        self.plan = Manifest.open(self.manifest)
        self.started = time.monotonic()

    def begin(self) -> tuple[Report, list[str]]:
        """The report of the shards that are there, and the names of those that are missing, in order.

        Raises ValueError if the sink has results of another manifest or of another op.
        """
        target = storage_at(self.sink)
        now = {"manifest": self.plan.digest, **described(self.op)}
        if target.size(RUN) >= 0:
            before = json.loads(target.read(RUN))
            for key, value in now.items():
                if before.get(key) != value:
                    raise ValueError(f"{self.sink}: it has results of another {key}: {before.get(key)}; this is {value}")
        else:
            target.write(RUN, (json.dumps(now, indent=2) + "\n").encode())
        there = set(target.files())
        report, missing = Report(), []
        for name in map(shard_name, range(self.plan.shards)):
            if result_name(name) in there:
                report.add(earlier_report(target, name))
            else:
                missing.append(name)
        return report, missing

    def shard(self, name: str) -> Report:
        """Makes one shard."""
        return run_shard(name, manifest=self.manifest, sink=self.sink, op=self.op, source=self.source, reading=self.reading)

    def finish(self, report: Report) -> Report:
        """Clears up after workers that died, and returns the report. Raises ErrorShareExceeded."""
        target = storage_at(self.sink)
        names = target.files()
        there = set(names)
        for name in names:
            # The name of a file that was not finished: .000123.parquet.tmp-1f2e3d
            final, mark, _ = name[1:].partition(".tmp-")
            if name.startswith(".") and mark and final in there:
                target.remove(name)
        report.seconds = time.monotonic() - self.started
        if self.max_error_share is not None and report.files and report.errors / report.files > self.max_error_share:
            raise ErrorShareExceeded(report, self.max_error_share)
        return report


def collect(job: Job, report: Report, results: Iterable[tuple[str, Report | str]], progress: Progress | None) -> Report:
    """Adds what an engine returns for each shard to a report: the shard's, or why there is none."""
    for name, result in results:
        if isinstance(result, Report):
            report.add(result)
        else:
            report.failed[name] = result
        if progress is not None:
            progress(job, report)
    return job.finish(report)
