# SPDX-License-Identifier: Apache-2.0
"""Compares the results of a run with its manifest, and lists the errors: ``python -m imagecoders.verify MANIFEST SINK``."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Iterator

from .manifest import Manifest, shard_name
from .shards import result_name
from .storage import Storage, storage_at

COLUMNS = ("id", "format", "status", "error", "message", "coder", "offset", "bytes")


@dataclass
class Verification:
    """What was found: statuses are rows by error, ``""`` for whole pictures; problems are sentences, none if all is as it should be."""

    shards: int = 0
    rows: int = 0
    expected: int = 0
    missing: list[str] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.missing and not self.problems


def _rows(sink: Storage, name: str) -> Any:
    import pyarrow.parquet as pq

    with sink.open(result_name(name)) as stream, pq.ParquetFile(stream) as file:
        names = file.schema_arrow.names
        return file.read(columns=[column for column in COLUMNS if column in names])


def verify(manifest: str, sink: str) -> Verification:
    """Checks that each picture of a manifest has one row, in its place, that no id is there twice, and counts statuses.

    Memory: about 100 bytes for each id, of which a digest is kept. Raises OSError if the manifest cannot be read.
    """
    import pyarrow as pa

    made, target = Manifest.open(manifest), storage_at(sink)
    found, there = Verification(), set(target.files())
    seen: set[bytes] = set()
    statuses: Counter[str] = Counter()
    for name, ids in made.shards_with_ids():
        found.expected += len(ids)
        if result_name(name) not in there:
            found.missing.append(name)
            continue
        found.shards += 1
        try:
            table = _rows(target, name)
        except (OSError, pa.ArrowException) as error:
            found.problems.append(f"shard {name} cannot be read: {error}")
            continue
        found.rows += table.num_rows
        rows = table.column("id").to_pylist()
        if rows != ids:
            first = next((index for index, (row, id) in enumerate(zip(rows, ids)) if row != id), min(len(rows), len(ids)))
            found.problems.append(f"shard {name} has {len(rows)} rows of {len(ids)}; row {first} is not what the manifest says")
        digests = [hashlib.blake2b(str(row).encode("utf-8", "surrogatepass"), digest_size=8).digest() for row in rows]
        twice = len(digests) - len(set(digests) - seen)
        if twice:
            found.problems.append(f"shard {name} has {twice} ids that are there twice")
        seen.update(digests)
        if "error" in table.column_names:
            statuses.update(error or "" for error in table.column("error").to_pylist())
    known = set(map(shard_name, range(made.shards)))
    for name in sorted(there):
        if name.endswith(".parquet") and name[: -len(".parquet")] not in known:
            found.problems.append(f"{name} belongs to no shard of the manifest")
    found.statuses = dict(sorted(statuses.items()))
    return found


def errors(manifest: str, sink: str) -> Iterator[dict[str, Any]]:
    """The rows whose status is not 0, without what was made: id, format, status, error, message, coder, offset, bytes."""
    import pyarrow.compute as pc

    target = storage_at(sink)
    there = set(target.files())
    for name in Manifest.open(manifest).names():
        if result_name(name) in there:
            table = _rows(target, name)
            yield from table.filter(pc.not_equal(table.column("status"), 0)).to_pylist()


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m imagecoders.verify", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Compare the results in SINK with MANIFEST: a row for each picture, in order, each id once; count the errors.",
        epilog="""\
  python -m imagecoders.verify manifest/ thumbnails/
  python -m imagecoders.verify manifest/ thumbnails/ --errors            a line for each error: id, error, byte, message
  python -m imagecoders.verify manifest/ thumbnails/ --errors --json     the same, an object of JSON on each line

Ends with 0 if all is there, with 1 if something is missing or wrong, with 2 if the manifest cannot be read. Errors of pictures are rows,
and do not count.""")
    made.add_argument("manifest", metavar="MANIFEST", help="a folder or an address that imagecoders.plan wrote")
    made.add_argument("sink", metavar="SINK", help="the results of imagecoders.run")
    made.add_argument("--errors", action="store_true", help="list the pictures with an error")
    made.add_argument("--json", action="store_true", help="as JSON")
    return made


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    try:
        if given.errors:
            for row in errors(given.manifest, given.sink):
                if given.json:
                    print(json.dumps(row, ensure_ascii=False))
                else:
                    place = "" if row.get("offset") is None else f" at byte {row['offset']}"
                    print(f"{row['id']}: {row['error']}{place}: {row['message']}")
            return 0
        found = verify(given.manifest, given.sink)
    except (OSError, ValueError) as error:
        print(f"verify: {error}", file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps({**asdict(found), "holds": found.holds}, ensure_ascii=False, indent=2))
    else:
        print(f"{found.rows:,} rows of {found.expected:,}, {len(found.missing):,} shards missing, {len(found.problems):,} problems")
        for name, count in found.statuses.items():
            print(f"{count:12,}  {name or 'whole'}")
        for problem in [f"shard {shard} is missing" for shard in found.missing[:20]] + found.problems:
            print(problem)
    return 0 if found.holds else 1


if __name__ == "__main__":
    sys.exit(main())
