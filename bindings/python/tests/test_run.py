# SPDX-License-Identifier: Apache-2.0
import functools
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

pytest.importorskip("pyarrow")

import generated  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import imagecoders as ic  # noqa: E402
from imagecoders.plan import plan  # noqa: E402
from imagecoders.reading import Reading  # noqa: E402
from imagecoders.run import main as run_main  # noqa: E402
from imagecoders.run import run, run_shard  # noqa: E402
from imagecoders.stages import thumbnails  # noqa: E402
from imagecoders.verify import errors, verify  # noqa: E402

TINY = functools.partial(thumbnails, size=32)


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A folder of pictures with one that crashes, its manifest, what is expected, and the results of an undisturbed run."""
    base = tmp_path_factory.mktemp("run")
    expected = generated.mixed(str(base / "pictures"), 6, crash=True)
    made = plan(str(base / "pictures"), str(base / "manifest"), max_files=12)
    report = run(str(base / "manifest"), str(base / "sink"), generated.SMALL, workers=2)
    return base, expected, made, report


def test_each_file_has_a_row_and_crashes_are_one(planned):
    base, expected, made, report = planned
    table = pq.read_table(str(base / "sink"))
    assert dict(zip(table["id"].to_pylist(), [error or "" for error in table["error"].to_pylist()])) == expected
    assert table["id"].to_pylist() == sorted(expected, key=lambda name: name.encode())
    made_of = {row["id"]: row for row in table.to_pylist()}
    assert made_of["trouble/cut.jpg"]["thumbnail"] and made_of["trouble/cut.jpg"]["status"] == 0x11
    assert made_of[f"trouble/{generated.CRASH}"]["status"] == 0x55
    assert made_of["0003/png.png"]["thumbnail"] == ic.thumbnail(base / "pictures/0003/png.png", 32, quality=0.8)
    assert (made_of["0003/png.png"]["thumbnail_width"], made_of["0003/png.png"]["thumbnail_height"]) == (32, 24)
    assert report.failed == {} and report.files == len(expected) == made.files
    assert Counter(error for (_, error), count in report.statuses.items() for _ in range(count)) == Counter(expected.values())
    assert sorted(os.listdir(base / "sink"))[-3:] == ["_journal", "_reports", "_run.json"]
    assert os.listdir(base / "sink/_journal") == []


def test_verify_counts_and_lists_errors(planned):
    base, expected, made, _ = planned
    found = verify(str(base / "manifest"), str(base / "sink"))
    assert found.holds and (found.rows, found.shards) == (len(expected), made.shards)
    assert found.statuses == dict(Counter(expected.values()))
    assert {row["id"]: row["error"] for row in errors(str(base / "manifest"), str(base / "sink"))} == {
        name: error for name, error in expected.items() if error}


def test_verify_finds_what_is_missing_and_wrong(planned, tmp_path):
    base, *_ = planned
    sink = tmp_path / "sink"
    sink.mkdir()
    for name, data in generated.contents(str(base / "sink")).items():
        (sink / name).write_bytes(data)
    (sink / "000001.parquet").unlink()
    (sink / "000002.parquet").write_bytes((sink / "000003.parquet").read_bytes())
    (sink / "000004.parquet").write_bytes((sink / "000004.parquet").read_bytes()[:-9])
    (sink / "000099.parquet").write_bytes(b"")
    found = verify(str(base / "manifest"), str(sink))
    assert found.missing == ["000001"] and not found.holds
    assert [problem.split(";")[0].split(":")[0] for problem in found.problems] == [
        "shard 000002 has 12 rows of 12", "shard 000003 has 12 ids that are there twice", "shard 000004 cannot be read",
        "000099.parquet belongs to no shard of the manifest"]


def test_shards_alone_and_reads_of_any_size_give_the_same_bytes(planned, tmp_path):
    base, _, made, _ = planned
    expected = generated.contents(str(base / "sink"))
    for reading in (Reading(reads=1, keep=1), Reading(reads=16)):
        sink = tmp_path / f"sink-{reading.reads}"
        run_shard("000000", manifest=str(base / "manifest"), sink=str(sink), op=TINY, reading=reading)
        assert generated.contents(str(sink)) == {"000000.parquet": expected["000000.parquet"]}


def test_sinks_belong_to_one_manifest_and_op(planned):
    base, *_ = planned
    with pytest.raises(ValueError, match="another options"):
        run(str(base / "manifest"), str(base / "sink"), functools.partial(generated.dies_at_crash, size=33))


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def children(process: int) -> list[int]:
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


DRIVER = """
import functools, generated
from imagecoders.run import run
if __name__ == "__main__":
    run({manifest!r}, {sink!r}, functools.partial(generated.slowly, size=32), workers=2)
"""


@pytest.mark.parametrize("victim", ["worker", "driver"])
def test_what_is_killed_goes_on_with_the_same_bytes(planned, tmp_path, victim):
    base, expected, made, _ = planned
    sink = tmp_path / "sink"
    program = tmp_path / "driver.py"
    program.write_text(DRIVER.format(manifest=str(base / "manifest"), sink=str(sink)))
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent)}
    driver = subprocess.Popen([sys.executable, program], env=environment)
    for share in (0.2, 0.5, 0.8) if victim == "worker" else (0.5,):
        wait_for(lambda: len(generated.contents(str(sink))) >= made.shards * share if sink.exists() else False)
        workers = [child for child in children(driver.pid) if b"spawn_main" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes()]
        os.kill(workers[-1] if victim == "worker" else driver.pid, signal.SIGKILL)
    assert driver.wait() == (0 if victim == "worker" else -signal.SIGKILL)
    if victim == "driver":
        assert len(generated.contents(str(sink))) < made.shards
        wait_for(lambda: all(not os.path.exists(f"/proc/{worker}") for worker in workers))
        assert subprocess.run([sys.executable, program], env=environment).returncode == 0
    assert generated.contents(str(sink)) == generated.contents(str(base / "sink"))
    assert [name for name in os.listdir(sink) if ".tmp-" in name] == []


def fails_once(batch, marker):
    if batch.num_rows and not os.path.exists(marker):
        open(marker, "w").close()
        raise OSError("the store does not answer")
    return TINY(batch)


def fails(batch):
    if batch.num_rows:
        raise RuntimeError("an op of the caller failed")
    return TINY(batch)


def test_shards_that_fail_are_tried_again_and_named(planned, tmp_path):
    base, _, made, _ = planned
    report = run(str(base / "manifest"), str(tmp_path / "a"), functools.partial(fails_once, marker=str(tmp_path / "m")), workers=1)
    assert report.failed == {} and report.shards == made.shards
    report = run(str(base / "manifest"), str(tmp_path / "b"), fails, workers=2, max_attempts=2)
    assert set(report.failed.values()) == {"RuntimeError: an op of the caller failed"} and len(report.failed) == made.shards
    assert generated.contents(str(tmp_path / "b")) == {}


def test_the_command_reports_and_says_how_it_ended(tmp_path, capsys):
    expected = generated.mixed(str(tmp_path / "pictures"), 1)
    plan(str(tmp_path / "pictures"), str(tmp_path / "manifest"))
    arguments = [str(tmp_path / "manifest"), str(tmp_path / "sink"), "--size", "32", "--workers", "1", "--json", "-"]
    assert run_main(arguments) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert (report["files"], report["errors"], report["shards"]) == (len(expected), 4, 1)
    assert report["statuses"]["JPEG"] == {"": 2, "truncated": 1}
    assert report["statuses"]["unknown"] == {"limitExceeded": 1, "noCoder": 1, "wrongFormat": 1}
    assert report["milliseconds"]["JPEG"].keys() == {"p50", "p95", "p99"} and len(report["slowest"]) == len(expected)
    assert f"1 of 1 shards, {len(expected)} of {len(expected)} files" in printed.err
    assert run_main([*arguments, "--max-error-share", "0.01"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["skipped"] == 1 and f"4 of {len(expected)} files have an error, more than 1.00%" in printed.err
    assert run_main([*arguments, "--max-error-share", "0.5"]) == 0
    capsys.readouterr()
    assert run_main([str(tmp_path / "nowhere"), str(tmp_path / "sink")]) == 2


def test_files_that_cannot_be_read_have_rows(tmp_path):
    pictures = tmp_path / "pictures"
    expected = generated.mixed(str(pictures), 1)
    (pictures / "gone.jpg").symlink_to("nowhere")
    os.mkfifo(pictures / "pipe.jpg")
    plan(str(pictures), str(tmp_path / "manifest"))
    (pictures / "0000/png.png").unlink()
    largest = max(path.stat().st_size for path in pictures.rglob("*") if path.is_file())
    (pictures / "0000/gif.gif").write_bytes(bytes(largest + 7))
    report = run(str(tmp_path / "manifest"), str(tmp_path / "sink"), TINY, workers=1, reading=Reading(max_bytes=largest - 1))
    rows = {row["id"]: row for row in pq.read_table(str(tmp_path / "sink")).to_pylist()}
    assert rows.keys() == expected.keys() | {"gone.jpg", "pipe.jpg"} and report.failed == {}
    assert [rows[name]["message"] for name in ("gone.jpg", "pipe.jpg", "0000/png.png")] == [
        "No such file or directory", "it is not a regular file", "No such file or directory"]
    assert {rows[name]["status"] for name in ("gone.jpg", "pipe.jpg", "0000/png.png")} == {0x50}
    big = [row for row in rows.values() if row["message"] and "maxBytes" in row["message"]]
    # One that was so large when it was planned, and one that has grown.
    assert sorted(row["message"] for row in big) == [
        f"the file has {size} bytes, at most {largest - 1} are read (maxBytes)" for size in (largest, largest + 7)]
