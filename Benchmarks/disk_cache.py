# SPDX-License-Identifier: Apache-2.0
"""The cache on disk beside SQLite and files used plainly, as processor time: `scripts/bench disk-cache` runs it.

usage: disk_cache.py BENCH [ENTRIES [ROWS]]"""

import collections
import statistics
import subprocess
import sys
import tempfile

from gates import failed, verdict

# Ours may cost so many times the cheaper of the two plain ways.
GATE = 1.3
OPEN_GATE_MS = 10.0


def measure(bench, *words):
    figures = collections.defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="coders-cache-bench.") as folder:
        done = subprocess.run([bench, folder, *map(str, words)], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        *name, microseconds = line.split()
        figures[tuple(name)].append(float(microseconds))
    return {name: statistics.median(values) for name, values in figures.items()}


def run(bench, entries=100_000, rows=1_000_000):
    mixed = measure(bench, "mixed", entries)
    print(f"cache on disk, {entries} entries of 1 to 512 KiB, microseconds of processor time")
    print("       own  SQLite  files  files, safe  ratio to the cheaper of SQLite and safe files, which promise as much")
    for call in ("put", "get"):
        own, sqlite, files, safe = (mixed[call, name] for name in ("own", "sqlite", "files", "safe"))
        ratio = own / min(sqlite, safe)
        print(f"{call}  {own:6.1f}  {sqlite:6.1f} {files:6.1f}  {safe:11.1f}  {ratio:.2f}  "
              + verdict(f"disk cache: {call} costs {ratio:.2f} times the cheaper plain way, {GATE} allowed", ratio <= GATE))

    sizes = measure(bench, "sizes", 400)
    print("\nwhere values lie, microseconds of processor time")
    print("   KiB  get inline  get file  put inline  put file")
    for size in (1, 4, 16, 32, 64, 128, 256, 512, 1024):
        figures = [sizes[call, place, str(size)] for call in ("get", "put") for place in ("inline", "file")]
        print(f"{size:6}" + "".join(f"{figure:11.1f}" for figure in figures))

    milliseconds = measure(bench, "start", rows)["open", str(rows)] / 1000
    print(f"\nopening {rows} rows, a value and the totals: {milliseconds:.1f} ms  "
          + verdict(f"disk cache: opening takes {milliseconds:.1f} ms, {OPEN_GATE_MS} allowed", milliseconds <= OPEN_GATE_MS))


if __name__ == "__main__":
    run(sys.argv[1], *map(int, sys.argv[2:]))
    for name in failed:
        print("FAILED", name)
    sys.exit(bool(failed))
