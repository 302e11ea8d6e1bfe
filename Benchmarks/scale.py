# SPDX-License-Identifier: Apache-2.0
"""Thumbnails of many files by each engine: processor time beside the command's, memory, and what is left when processes are killed.

scripts/bench-scale runs it. It makes its own files: distinct pictures, each under many names, 1% of them cut and 1% no pictures."""
from __future__ import annotations

import argparse
import collections
import functools
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import time

import numpy

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent.parent / "bindings/python/tests"))
import generated  # noqa: E402

import imagecoders as ic  # noqa: E402
from imagecoders.plan import plan  # noqa: E402
from imagecoders.stages import thumbnails  # noqa: E402
from imagecoders.verify import verify  # noqa: E402

# What a collection of the web has, in percent.
MIX = [("jpeg", 64), ("png", 15), ("webp", 12), ("gif", 4), ("tiff", 3), ("avif", 2)]
SIZES = [(320, 240), (640, 480), (800, 600), (1024, 768), (1600, 1200), (2000, 1500)]
TYPES_OF_RAY = (".jpeg", ".png", ".gif", ".tiff")
DISTINCT = 300
SHARD_FILES = 100
MARK = "IMAGECODERS_SCALE"
OP = functools.partial(thumbnails, size=256)
SHARES = (0.2, 0.5, 0.8)


def make_corpus(folder: pathlib.Path, count: int) -> dict[str, str]:
    """Writes the files once, and returns what the error of each has to be."""
    known = folder / "expected.json"
    if known.exists():
        return json.loads(known.read_text())
    shutil.rmtree(folder, ignore_errors=True)
    kinds = [format for format, share in MIX for _ in range(share)]
    random, files = numpy.random.default_rng(1), []
    for index in range(DISTINCT):
        format = kinds[index * 37 % 100]
        pixels = generated.picture(index, *SIZES[random.integers(len(SIZES))])
        files.append((format, ic.encode(pixels, format, quality=None if format in ("png", "gif", "tiff") else 0.85)))
    expected = {}
    for index in range(count):
        format, data = files[index % DISTINCT]
        name, error = f"{index // 1000:03d}/{index:06d}.{format}", ""
        if index % 100 == 41:
            format, data = files[0]
            name, data, error = f"{index // 1000:03d}/{index:06d}-cut.jpeg", data[: len(data) // 2], "truncated"
        elif index % 100 == 83:
            name, data, error = f"{index // 1000:03d}/{index:06d}-no.jpeg", b"no picture at all " * 1000, "noCoder"
        elif index == count // 2:
            name, data, error = f"{index // 1000:03d}/{index:06d}-bomb.qoi", generated.BOMB, "limitExceeded"
        generated.write(str(folder / "pictures"), name, data)
        expected[name] = error
    large = numpy.tile(generated.picture(5, 1020, 1020), (6, 8, 1))
    for format in ("jpeg", "png", "webp", "tiff"):
        generated.write(str(folder / "pictures"), f"large/50.{format}", ic.encode(large, format))
        expected[f"large/50.{format}"] = ""
    known.write_text(json.dumps(expected))
    return expected


class Tree:
    """The processes of one engine: those whose environment has a mark."""

    def __init__(self, mark: str) -> None:
        self.word = f"{MARK}={mark}".encode()
        self.ours = {os.getpid()}

    def processes(self) -> list[int]:
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) not in self.ours:
                try:
                    if self.word in pathlib.Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                        found.append(int(entry))
                except OSError:
                    pass
        return found

    def seconds(self) -> float:
        """Processor time of all processes and of those that they have waited for."""
        total = 0
        for process in self.processes():
            try:
                total += sum(map(int, pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]))
            except OSError:
                pass
        return total / os.sysconf("SC_CLK_TCK")

    def workers(self) -> list[int]:
        """The processes that make shards now."""
        found = []
        for process in self.processes():
            try:
                words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
                parent = int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
                beside = pathlib.Path(f"/proc/{parent}/cmdline").read_bytes()
            except OSError:
                continue
            if b"spawn_main" in words or words.startswith(b"ray::") and b"shard" in words or b"pyspark.daemon" in words and words == beside:
                found.append(process)
        return found

    def largest(self) -> float:
        """The most memory that a worker has had, in MB."""
        sizes = [0.0]
        for process in self.workers():
            try:
                text = pathlib.Path(f"/proc/{process}/status").read_text()
                sizes += [int(line.split()[1]) / 1000 for line in text.splitlines() if line.startswith("VmHWM")]
            except OSError:
                pass
        return max(sizes)

    def end(self) -> None:
        """Waits for processes whose driver is gone, and ends those that stay."""
        limit = time.monotonic() + 30
        while (left := self.processes()) and time.monotonic() < limit:
            time.sleep(0.1)
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Engine:
    """A driver in a process of its own, which says when it has started, waits for a line, and says when it is done."""

    def __init__(self, name: str, job: str, *words: str) -> None:
        mark = f"{name}-{job}-{os.getpid()}-{time.monotonic_ns()}"
        tests = str(HERE.parent.parent / "bindings/python/tests")
        environment = {**os.environ, MARK: mark, "PYTHONPATH": f"{HERE.parent}:{tests}", "RAY_DEDUP_LOGS": "0"}
        self.tree = Tree(mark)
        self.process = subprocess.Popen(
            [sys.executable, str(HERE), "engine", name, job, *words], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=open(HERE.parent.parent / "build/scale/engine.log", "w"), text=True)
        self.wait_for("ready")

    def wait_for(self, word: str) -> str:
        for line in self.process.stdout:
            if line.startswith(word):
                return line[len(word) :].strip()
        raise SystemExit(f"scale: the engine ended with {self.process.wait()} before it said {word}")

    def go(self) -> None:
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.tree.end()


def listed_in(file: str) -> list[str]:
    return pathlib.Path(file).read_text().split("\n")


def engine(name: str, job: str, words: list[str]) -> None:
    """The driver: starts the engine, does a little, and then the job."""
    import warnings

    warnings.simplefilter("ignore")
    warm, sink = pathlib.Path(words[0]).parent / "warm", words[-1]
    if name == "ray":
        import ray

        import imagecoders.ray as icr

        paths = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}}
        ray.init(num_cpus=2, object_store_memory=600 << 20, include_dashboard=False, log_to_driver=False, runtime_env=paths)
        ray.data.DataContext.get_current().enable_progress_bars = False
        jobs = {
            "shards": lambda manifest, sink: icr.run(manifest, sink, OP, memory=None, max_attempts=6),
            "rows": lambda listed, sink: icr.thumbnails(listed_in(listed)).write_parquet(sink),
            "images": lambda listed, sink: collections.deque(
                ray.data.read_images(listed_in(listed), size=(256, 256), mode="RGB").iter_batches(batch_format="pyarrow"), maxlen=0),
        }
    elif name == "spark":
        from pyspark.sql import SparkSession

        import imagecoders.spark as ics

        os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
        builder = SparkSession.builder.master("local[2,6]").config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
        session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
        jobs = {"shards": lambda manifest, sink: ics.run(session, manifest, sink, OP)}
    else:
        from imagecoders.run import run

        jobs = {"shards": lambda manifest, sink: run(manifest, sink, OP, workers=2, max_attempts=6)}
    first = str(warm) if job == "shards" else f"{words[0]}.some"
    jobs[job](first, f"{sink}-warm")
    print("ready", flush=True)
    sys.stdin.readline()
    report = jobs[job](*words)
    print("done", getattr(report, "failed", ""), flush=True)
    sys.stdin.readline()


def results(sink: pathlib.Path) -> dict[str, bytes]:
    return generated.contents(str(sink)) if sink.exists() else {}


def count(sink: pathlib.Path) -> int:
    return sum(name.endswith(".parquet") and not name.startswith(".") for name in os.listdir(sink)) if sink.exists() else 0


def measure(name: str, job: str, files: int, *words: str) -> tuple[float, float, float]:
    """ms of processor time for each file, files per second, and MB of the largest worker."""
    running = Engine(name, job, *words)
    before, start = running.tree.seconds(), time.monotonic()
    running.go()
    largest = 0.0
    while not select.select([running.process.stdout], [], [], 0.5)[0]:
        largest = max(largest, running.tree.largest())
    running.wait_for("done")
    used, seconds = running.tree.seconds() - before, time.monotonic() - start
    running.close()
    return used / files * 1000, files / seconds, largest


def measure_command(coders: str, files: int, folder: pathlib.Path, output: pathlib.Path) -> tuple[float, float, float]:
    shutil.rmtree(output, ignore_errors=True)
    start, before = time.monotonic(), os.times()
    subprocess.run(
        [coders, "thumbnail", "-r", str(folder), "--jobs", "2", "--size", "256", "--format", "jpeg", "--quality", "0.8", "-o", str(output)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    made = sum(len(names) for _, _, names in os.walk(output))
    if made < files * 0.97:
        raise SystemExit(f"scale: coders made {made} of {files} thumbnails")
    return used / files * 1000, files / (time.monotonic() - start), 0.0


def disturb(name: str, manifest: str, sink: pathlib.Path, shards: int) -> tuple[int, float]:
    """A run that loses a worker at 20, 50 and 80%, and its driver at 65%, and goes on. Returns kills and seconds."""
    kills, start, shares = 0, time.monotonic(), [*SHARES[:2], "driver", SHARES[2]]
    running = Engine(name, "shards", manifest, str(sink))
    running.go()
    for share in shares:
        while count(sink) < shards * (0.65 if share == "driver" else share):
            if running.process.poll() is not None:
                raise SystemExit(f"scale: {name} ended with {running.process.returncode}")
            time.sleep(0.02)
        if share == "driver":
            running.process.kill()
            running.process.wait()
            running.tree.end()
            kills += 1
            running = Engine(name, "shards", manifest, str(sink))
            running.go()
            continue
        while not (workers := running.tree.workers()) and count(sink) < shards:
            time.sleep(0.02)
        if workers:
            os.kill(workers[0], signal.SIGKILL)
            kills += 1
    failed = running.wait_for("done")
    running.close()
    if failed != "{}":
        raise SystemExit(f"scale: {name}: shards failed: {failed}")
    return kills, time.monotonic() - start


def main() -> int:
    if sys.argv[1:2] == ["engine"]:
        engine(sys.argv[2], sys.argv[3], sys.argv[4:])
        return 0
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--files", type=int, default=20_000)
    given.add_argument("--folder", type=pathlib.Path, required=True)
    given.add_argument("--coders", required=True)
    given = given.parse_args()
    folder = given.folder / str(given.files)
    expected = make_corpus(folder, given.files)
    pictures, files = folder / "pictures", len(expected)
    for name in os.listdir(folder):
        if name not in ("pictures", "expected.json"):
            target = folder / name
            target.unlink() if target.is_file() else shutil.rmtree(target)
    made = plan(str(pictures), str(folder / "manifest"), max_files=SHARD_FILES)
    plan(str(pictures / "000"), str(folder / "warm"), max_files=20, match=["00000*"])
    readable = [str(pictures / name) for name, error in expected.items() if not error and name.endswith(TYPES_OF_RAY)]
    readable = [name for name in readable if "/large/" not in name]
    listed = folder / "readable.txt"
    listed.write_text("\n".join(readable))
    (folder / "readable.txt.some").write_text("\n".join(readable[:8]))
    (folder / "readable").mkdir()
    for name in readable:
        os.link(name, folder / "readable" / os.path.basename(name))
    print(f"{files:,} files, {made.bytes / 1e6:,.0f} MB, {made.shards} shards; load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"{'':44} {'ms/file':>8} {'ratio':>6} {'files/s':>8} {'MB':>6}", flush=True)
    base = 0.0

    def show(text: str, numbers: tuple[float, float, float], beside: float | None = None) -> float:
        used, rate, largest = numbers
        ratio = f"{used / (beside or base or used):6.2f}"
        print(f"{text:44} {used:8.2f} {ratio} {rate:8.1f} {largest or 0:6.0f}  load {os.getloadavg()[0]:.1f}", flush=True)
        return used

    manifest = str(folder / "manifest")
    base = show("coders thumbnail --jobs 2", measure_command(given.coders, files, pictures, folder / "command"))
    shares = {}
    for name in ("local", "ray", "spark"):
        shares[name] = show(f"{name}, shards", measure(name, "shards", files, manifest, str(folder / name)))
    show("coders thumbnail, again", measure_command(given.coders, files, pictures, folder / "command"))
    some = len(readable)
    images = show(f"ray.data.read_images ({some:,} it can read)", measure("ray", "images", some, str(listed), str(folder / "images")))
    show("  imagecoders.ray.thumbnails, beside it", measure("ray", "rows", some, str(listed), str(folder / "rows")), images)
    plan(str(folder / "readable"), str(folder / "readable-manifest"), max_files=SHARD_FILES)
    shards = str(folder / "readable-manifest")
    show("  imagecoders.ray.run, beside it", measure("ray", "shards", some, shards, str(folder / "ray-readable")), images)

    wrong, whole = 0, results(folder / "local")
    found = verify(manifest, str(folder / "local"))
    print(f"local: {found.rows:,} rows, {found.statuses}", flush=True)
    wrong += not found.holds or found.statuses != dict(collections.Counter(expected.values()))
    for name in ("ray", "spark"):
        same = results(folder / name) == whole
        wrong += not same
        print(f"{name}: {'the same bytes' if same else 'OTHER BYTES'} as local", flush=True)
    for name in ("local", "ray", "spark"):
        sink = folder / f"{name}-killed"
        kills, seconds = disturb(name, manifest, sink, made.shards)
        same = results(sink) == whole
        left = [file for file in os.listdir(sink) if ".tmp-" in file] + os.listdir(sink / "_journal")
        wrong += not same or bool(left)
        said = "the same bytes" if same else "OTHER BYTES"
        print(f"{name}: {kills} kills, {seconds:.0f} s: {said}; {len(left)} files left over", flush=True)
    for name in os.listdir(folder):
        if name not in ("pictures", "expected.json"):
            target = folder / name
            target.unlink() if target.is_file() else shutil.rmtree(target)
    print(f"scale: {6 - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
