# SPDX-License-Identifier: Apache-2.0
"""Lists the pictures of a source once, and cuts the list into shards: ``python -m imagecoders.plan SOURCE MANIFEST``."""

from __future__ import annotations

import argparse
import contextlib
import sys
from fnmatch import fnmatchcase
from typing import Iterator
from urllib.parse import urlsplit

from .manifest import Manifest, write_manifest
from .places import Place, listed, places, source_of

MAX_BYTES = 512 << 20
MAX_FILES = 4096


def plan(
    source: str, manifest: str, *, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES, match: list[str] | None = None,
    skip: list[str] | None = None, bytes_column: str | None = None, id_column: str | None = None, list_file: str | None = None,
) -> Manifest:
    """Writes the manifest of a source, and returns it.

    source: a folder or a file, of this machine or of an object store; what files ending with ``.tar`` and ``.parquet`` hold is listed
    without unpacking. max_bytes and max_files: of a shard. match, skip: patterns of ids as a shell has them, with ``*`` for slashes, too.
    bytes_column, id_column: of Parquet. list_file: a list of addresses, a line for each, in place of looking into the source. What cannot
    be listed is in ``problems`` of the manifest. Raises OSError, and ValueError for a source with a password, which would be kept.
    """
    if "://" in source and (urlsplit(source).password or "secret_key=" in source):
        raise ValueError("the source has a password, and the manifest would keep it: give it in the environment")
    problems: list[str] = []

    def all_places() -> Iterator[Place]:
        if list_file is None:
            yield from places(source, bytes_column=bytes_column, id_column=id_column, problem=problems.append)
            return
        with contextlib.ExitStack() as stack:
            file = sys.stdin if list_file == "-" else stack.enter_context(
                open(list_file, encoding="utf-8", errors="surrogateescape"))
            yield from listed(file)

    chosen = (
        place for place in all_places()
        if (not match or any(fnmatchcase(place.id, pattern) for pattern in match))
        and not any(fnmatchcase(place.id, pattern) for pattern in skip or ())
    )
    return write_manifest(manifest, source_of(source), chosen, problems, max_bytes=max_bytes, max_files=max_files)


def amount(text: str) -> int:
    """A number of bytes: 512M, 2G, 4096."""
    units = {"k": 10, "m": 20, "g": 30, "t": 40}
    unit = units.get(text[-1:].lower())
    try:
        value = int(text[:-1] if unit else text) << (unit or 0)
    except ValueError:
        value = 0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes, such as 512M")
    return value


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m imagecoders.plan", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="List the pictures of SOURCE once, and cut the list into shards, the units of work of imagecoders.run.",
        epilog="""\
Every file of a folder is one picture, whatever its name is, so that each has a row in the result; --match and --skip choose.
Members of .tar files (WebDataset) and rows of .parquet files are listed, and later read, without unpacking.

  python -m imagecoders.plan photos/ manifest/
  python -m imagecoders.plan 's3://bucket/photos?region=eu-west-1' manifest/ --match '*.jpg' --match '*.heic'
  python -m imagecoders.plan shards/ manifest/ --skip '*.json' --skip '*.txt'     WebDataset: pictures without their labels
  python -m imagecoders.plan table.parquet manifest/ --bytes-column image --id-column url
  python -m imagecoders.plan s3://bucket manifest/ --list inventory.tsv           from a list, for more files than can be listed

Ends with 0, with 1 if something could not be listed (it is named, and the manifest has the rest), with 2 if there is no manifest.""")
    made.add_argument("source", metavar="SOURCE", help="a folder, a .tar or .parquet file, or an address such as s3://bucket/folder")
    made.add_argument("manifest", metavar="MANIFEST", help="the folder to write, which may have no manifest yet")
    made.add_argument("--match", action="append", metavar="GLOB", help="plan only ids that match; may be repeated")
    made.add_argument("--skip", action="append", metavar="GLOB", help="leave out ids that match; may be repeated")
    made.add_argument("--shard-bytes", type=amount, default=MAX_BYTES, metavar="N", help="bytes of a shard at most (512M)")
    made.add_argument("--shard-files", type=int, default=MAX_FILES, metavar="N", help="files of a shard at most (4096)")
    made.add_argument("--bytes-column", metavar="NAME", help="the column of Parquet with the files (bytes, content, image, …)")
    made.add_argument("--id-column", metavar="NAME", help="the column of Parquet with their names (id, path, key, …)")
    made.add_argument("--list", metavar="FILE", help="a list of addresses, a line for each; after a tab the size; - reads it from stdin")
    return made


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    try:
        made = plan(
            given.source, given.manifest, max_bytes=given.shard_bytes, max_files=given.shard_files, match=given.match, skip=given.skip,
            bytes_column=given.bytes_column, id_column=given.id_column, list_file=given.list)
    except (OSError, ValueError) as error:
        print(f"plan: {error}", file=sys.stderr)
        return 2
    for problem in made.problems:
        print(f"plan: {problem}", file=sys.stderr)
    print(f"{made.files:,} files, {made.bytes / 1e6:,.1f} MB, in {made.shards:,} shards")
    return 1 if made.problems else 0


if __name__ == "__main__":
    sys.exit(main())
