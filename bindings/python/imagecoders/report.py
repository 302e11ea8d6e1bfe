# SPDX-License-Identifier: Apache-2.0
"""What a run did: counts by format and status, times by format, and the slowest files. Reports of shards add up."""

from __future__ import annotations

import heapq
import json
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Iterable

# Times are counted in classes, each this much longer than the one before, so that a million of them add up in a few numbers.
STEP = 1.05
SLOWEST = 20
UNKNOWN_FORMAT = "unknown"


def time_class(milliseconds: float) -> int:
    return math.floor(math.log(max(milliseconds, 0.001)) / math.log(STEP))


def percentile(classes: Counter[int], share: float) -> float:
    """The time, in milliseconds, below which so many of the files are, to about 2.5%."""
    rest = math.ceil(sum(classes.values()) * share)
    for index in sorted(classes):
        rest -= classes[index]
        if rest <= 0:
            return float(STEP ** (index + 0.5))
    return 0.0


@dataclass
class Report:
    """The report of a shard, or the sum of many.

    statuses: files by (format, error), where error is ``""`` for whole pictures; times: classes of milliseconds by format; slowest: pairs
    of milliseconds and id; failed: shards that have no result, and why; skipped: shards that were there before; seconds: of the clock.
    """

    shards: int = 0
    files: int = 0
    bytes: int = 0
    made: int = 0
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)
    times: dict[str, Counter[int]] = field(default_factory=dict)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: int = 0
    lost: int = 0
    seconds: float = 0.0

    def add(self, other: "Report") -> None:
        """Adds another report to this one; seconds stay, since work runs side by side."""
        for name in ("shards", "files", "bytes", "made", "skipped", "lost"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.statuses.update(other.statuses)
        for name, classes in other.times.items():
            self.times.setdefault(name, Counter()).update(classes)
        self.slowest = heapq.nlargest(SLOWEST, self.slowest + other.slowest)
        self.failed.update(other.failed)

    def count(self, table: Any, milliseconds: Iterable[float | None], made_column: str | None) -> None:
        """Counts the rows of a stage."""
        names = table.column_names
        columns = [
            table.column(name).to_pylist() if name in names else [None] * table.num_rows for name in ("id", "format", "error", "bytes")
        ]
        for name, format, error, size, time in zip(*columns, milliseconds):
            self.statuses[format or UNKNOWN_FORMAT, error or ""] += 1
            self.bytes += size or 0
            if time is not None:
                self.times.setdefault(format or UNKNOWN_FORMAT, Counter())[time_class(time)] += 1
                self.slowest.append((round(time, 1), name))
        self.files += table.num_rows
        self.made += table.num_rows - (table.column(made_column).null_count if made_column in names else 0)
        self.slowest = heapq.nlargest(SLOWEST, self.slowest)

    @property
    def errors(self) -> int:
        """Rows whose status is not 0."""
        return sum(count for (_, error), count in self.statuses.items() if error)

    def to_dict(self) -> dict[str, Any]:
        """The report as data for JSON, from which ``from_dict`` makes it again."""
        statuses: dict[str, dict[str, int]] = {}
        for (format, error), count in sorted(self.statuses.items()):
            statuses.setdefault(format, {})[error] = count
        percentiles = {
            name: {f"p{round(share * 100)}": round(percentile(classes, share), 2) for share in (0.5, 0.95, 0.99)}
            for name, classes in sorted(self.times.items())
        }
        return {
            "shards": self.shards, "files": self.files, "bytes": self.bytes, "made": self.made, "errors": self.errors,
            "statuses": statuses, "milliseconds": percentiles, "slowest": [list(pair) for pair in self.slowest],
            "failed": dict(sorted(self.failed.items())), "skipped": self.skipped, "lost": self.lost, "seconds": round(self.seconds, 3),
            "times": {name: {str(key): classes[key] for key in sorted(classes)} for name, classes in sorted(self.times.items())},
        }

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Report":
        report = Report(**{name: data[name] for name in ("shards", "files", "bytes", "made", "skipped", "lost", "seconds", "failed")})
        report.statuses = Counter({
            (format, error): count for format, errors in data["statuses"].items() for error, count in errors.items()})
        report.times = {name: Counter({int(key): count for key, count in classes.items()}) for name, classes in data["times"].items()}
        report.slowest = [(time, name) for time, name in data["slowest"]]
        return report

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def __str__(self) -> str:
        done = f"{self.files:,} files in {self.shards:,} shards, {self.made:,} made, {self.errors:,} with an error"
        if self.seconds:
            done += f"; {self.seconds:,.1f} s, {self.files / self.seconds:,.1f} files/s"
        lines = [done]
        if self.skipped:
            lines.append(f"{self.skipped:,} shards were there before" + (f", {self.lost:,} of them without a report" if self.lost else ""))
        lines.append(f"{'format':14} {'files':>10} {'whole':>10} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8}  errors")
        for format in sorted({format for format, _ in self.statuses}):
            errors = {error: count for (name, error), count in sorted(self.statuses.items()) if name == format}
            times = [percentile(self.times.get(format, Counter()), share) for share in (0.5, 0.95, 0.99)]
            said = ", ".join(f"{error} {count:,}" for error, count in errors.items() if error)
            line = f"{format:14} {sum(errors.values()):10,} {errors.get('', 0):10,} " + " ".join(f"{time:8.1f}" for time in times)
            lines.append(f"{line}  {said}".rstrip())
        if self.slowest:
            lines.append("slowest: " + ", ".join(f"{name} {time:,.0f} ms" for time, name in self.slowest[:5]))
        lines += [f"failed: shard {name}: {reason}" for name, reason in sorted(self.failed.items())]
        return "\n".join(lines)
