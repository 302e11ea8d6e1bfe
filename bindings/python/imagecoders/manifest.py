# SPDX-License-Identifier: Apache-2.0
"""The manifest of a run: a folder of Parquet files that say which picture belongs to which shard, and where its bytes are.

``part-000000.parquet`` has the shards 0 to 999, a row group for each, with the columns shard, id, uri, offset, length (``Place``);
``_plan.json``, written last, has their number and a digest of all of it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import dataclass
from typing import Any, Iterable, Iterator

from .places import Place
from .storage import Storage, storage_at

SHARDS_PER_PART = 1000
PLAN = "_plan.json"
# A file whose size is unknown is planned as one of this size.
UNKNOWN = 1 << 20


def shard_name(index: int) -> str:
    return f"{index:06d}"


def part_name(part: int) -> str:
    return f"part-{part:06d}.parquet"


def cost(place: Place) -> int:
    """The bytes that a picture counts for in shards and batches."""
    return UNKNOWN if place.length < 0 else place.length


@dataclass(frozen=True)
class Manifest:
    """A manifest that was written: source is what relative addresses belong to."""

    storage: Storage
    source: str
    shards: int
    files: int
    bytes: int
    digest: str
    problems: tuple[str, ...] = ()

    @staticmethod
    def open(uri: str) -> "Manifest":
        """Opens a manifest. Raises FileNotFoundError if there is none, or one that was not finished."""
        storage = storage_at(uri)
        if storage.size(PLAN) < 0:
            raise FileNotFoundError(2, f"{uri}: there is no finished manifest; python -m imagecoders.plan makes one")
        plan = json.loads(storage.read(PLAN))
        if plan.pop("version") != 1:
            raise ValueError(f"{uri}: the manifest was made by a later version")
        return Manifest(storage, **{**plan, "problems": tuple(plan["problems"])})

    def names(self) -> Iterator[str]:
        """The names of the shards, in order."""
        return map(shard_name, range(self.shards))

    def rows(self, name: str) -> list[Place]:
        """The pictures of a shard, in order."""
        import pyarrow.parquet as pq

        index = int(name)
        if not 0 <= index < self.shards:
            raise ValueError(f"the manifest has no shard {name!r}: they are 000000 to {shard_name(self.shards - 1)}")
        with self.storage.open(part_name(index // SHARDS_PER_PART)) as stream, pq.ParquetFile(stream) as file:
            return _places(file.read_row_group(index % SHARDS_PER_PART))

    def shards_with_ids(self) -> Iterator[tuple[str, list[str]]]:
        """Each shard with the ids of its pictures."""
        import pyarrow.parquet as pq

        for first in range(0, self.shards, SHARDS_PER_PART):
            with self.storage.open(part_name(first // SHARDS_PER_PART)) as stream, pq.ParquetFile(stream) as file:
                for group in range(file.num_row_groups):
                    yield shard_name(first + group), file.read_row_group(group, columns=["id"]).column(0).to_pylist()


def _places(table: Any) -> list[Place]:
    columns = (table.column(name).to_pylist() for name in ("id", "uri", "offset", "length"))
    return [Place(*row) for row in zip(*columns)]


def shards_of(places: Iterable[Place], max_bytes: int, max_files: int) -> Iterator[list[Place]]:
    """Cuts a list of pictures into shards of at most so many bytes and files; a larger file is a shard of its own."""
    shard: list[Place] = []
    total = 0
    for place in places:
        if shard and (len(shard) == max_files or total + cost(place) > max_bytes):
            yield shard
            shard, total = [], 0
        shard.append(place)
        total += cost(place)
    if shard:
        yield shard


def write_manifest(
    uri: str, source: str, places: Iterable[Place], problems: list[str], *, max_bytes: int = 512 << 20, max_files: int = 4096
) -> Manifest:
    """Writes a manifest to a folder that has none. The same places give the same bytes. problems is read at the end."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    storage = storage_at(uri)
    if storage.size(PLAN) >= 0:
        raise FileExistsError(17, f"{uri}: there is a manifest already")
    schema = pa.schema([
        ("shard", pa.string()), ("id", pa.string()), ("uri", pa.string()), ("offset", pa.int64()), ("length", pa.int64()),
    ])
    digest, files, total, count = hashlib.sha256(), 0, 0, 0
    shards = enumerate(shards_of(places, max_bytes, max_files))
    for part in itertools.count():
        some = list(itertools.islice(shards, 1))
        if not some:
            break
        with storage.publishing(part_name(part)) as path, pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for index, shard in itertools.chain(some, itertools.islice(shards, SHARDS_PER_PART - 1)):
                columns = [[shard_name(index)] * len(shard)]
                columns += [[getattr(place, name) for place in shard] for name in ("id", "uri", "offset", "length")]
                writer.write_table(pa.table(columns, schema=schema), row_group_size=len(shard))
                digest.update(json.dumps([shard_name(index), *columns[1:]]).encode())
                files, total, count = files + len(shard), total + sum(max(place.length, 0) for place in shard), index + 1
    plan = {
        "version": 1, "source": source, "shards": count, "files": files, "bytes": total, "digest": digest.hexdigest()[:32],
        "problems": problems,
    }
    storage.write(PLAN, (json.dumps(plan, indent=2, ensure_ascii=False) + "\n").encode())
    return Manifest.open(uri)
