# SPDX-License-Identifier: Apache-2.0
import functools
import os
import pathlib
import signal
import threading
import time

import numpy
import pytest

ray = pytest.importorskip("ray")

import generated  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import imagecoders as ic  # noqa: E402
import imagecoders.ray as icr  # noqa: E402
from imagecoders.plan import plan  # noqa: E402
from imagecoders.run import run  # noqa: E402


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    base = tmp_path_factory.mktemp("ray")
    expected = generated.mixed(str(base / "pictures"), 4)
    environment = {"env_vars": {"PYTHONPATH": str(pathlib.Path(__file__).parent), "RAY_TRAIN_V2_ENABLED": "0"}}
    ray.init(num_cpus=2, object_store_memory=300 << 20, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield base, expected
    ray.shutdown()


def named(rows, base):
    return {os.path.relpath(row["path"], base / "pictures"): row for row in rows}


def test_images_have_a_row_for_each_file(pictures):
    base, expected = pictures
    rows = named(icr.read_images(str(base / "pictures"), size=(32, 16)).take_all(), base)
    assert {name: row["error"] or "" for name, row in rows.items()} == expected
    array = numpy.zeros((16, 32, 3), "uint8")
    ic.decode(base / "pictures/0002/png.png", size=(32, 16), fit="fill", out=array)
    assert (rows["0002/png.png"]["image"] == array).all() and rows["trouble/text.png"]["image"].sum() == 0
    kept = icr.read_images(str(base / "pictures"), size=16, include_errors=False)
    assert kept.columns() == ["path", "image"]
    assert named(kept.take_all(), base).keys() == {name for name, error in expected.items() if error in ("", "truncated")}


def test_images_without_a_size_have_their_own(pictures):
    base, expected = pictures
    rows = named(icr.read_images(str(base / "pictures"), formats=["png", "jpeg"]).take_all(), base)
    assert rows.keys() == expected.keys() and rows["0001/webp.webp"]["status"] != 0
    assert (rows["0001/png.png"]["image"] == numpy.asarray(ic.decode(base / "pictures/0001/png.png"))).all()
    assert rows["trouble/text.png"]["image"].shape == (0, 0, 3)


def test_thumbnails_go_through_a_dataset(pictures):
    base, expected = pictures
    rows = icr.thumbnails(str(base / "pictures"), size=32).take_all()
    rows = {os.path.relpath(row["id"], base / "pictures"): row for row in rows}
    assert {name: row["error"] or "" for name, row in rows.items()} == expected
    assert rows["0000/gif.gif"]["thumbnail"] == ic.thumbnail(base / "pictures/0000/gif.gif", 32, quality=0.8)


def ray_workers() -> list[int]:
    """The processes that run a task, by the names that Ray gives them."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if words.startswith(b"ray::") and b"shard" in words and descends(parent):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def descends(process: int) -> bool:
    while process > 1:
        if process == os.getpid():
            return True
        process = int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return False


def test_a_run_that_loses_workers_gives_the_same_bytes(pictures, tmp_path):
    base, expected = pictures
    generated.mixed(str(tmp_path / "pictures"), 4, crash=True)
    made = plan(str(tmp_path / "pictures"), str(tmp_path / "manifest"), max_files=6)
    run(str(tmp_path / "manifest"), str(tmp_path / "local"), generated.SMALL, workers=2)
    killed = []

    def kill():
        for share in (0.2, 0.5, 0.8):
            while not (tmp_path / "sink").exists() or len(generated.contents(str(tmp_path / "sink"))) < made.shards * share:
                time.sleep(0.02)
            while not (workers := ray_workers()):
                time.sleep(0.01)
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    report = icr.run(
        str(tmp_path / "manifest"), str(tmp_path / "sink"), functools.partial(generated.slowly, size=32), memory=None, max_attempts=5)
    killer.join(30)
    assert report.failed == {} and report.files == made.files and len(killed) == 3
    assert generated.contents(str(tmp_path / "sink")) == generated.contents(str(tmp_path / "local"))
    table = pq.read_table(str(tmp_path / "sink"))
    assert dict(zip(table["id"].to_pylist(), table["error"].to_pylist()))[f"trouble/{generated.CRASH}"] == "coderCrashed"
    again = icr.run(str(tmp_path / "manifest"), str(tmp_path / "sink"), functools.partial(generated.slowly, size=32), memory=None)
    assert again.skipped == made.shards and again.statuses == report.statuses
