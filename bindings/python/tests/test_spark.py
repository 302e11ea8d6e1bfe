# SPDX-License-Identifier: Apache-2.0
import functools
import os
import pathlib
import sys

import pytest

pytest.importorskip("pyspark")

import generated  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import imagecoders as ic  # noqa: E402
import imagecoders.spark as ics  # noqa: E402
from imagecoders.plan import plan  # noqa: E402
from imagecoders.run import run  # noqa: E402
from imagecoders.stages import SCHEMA  # noqa: E402


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.environ.update(PYTHONPATH=str(pathlib.Path(__file__).parent), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "64").config("spark.driver.bindAddress", "127.0.0.1")
    session = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse"))).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_thumbnails_are_columns_of_a_data_frame(spark, tmp_path):
    expected = generated.mixed(str(tmp_path / "pictures"), 2)
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(f"file://{tmp_path}/pictures")
    made = ics.thumbnails(files, size=32)
    assert made.columns == SCHEMA.names
    prefix = f"file:{tmp_path}/pictures/"
    rows = {row.id.removeprefix(prefix): row for row in made.collect()}
    # Spark leaves out empty files, without a word.
    del expected["trouble/empty.jpg"]
    assert {name: row.error or "" for name, row in rows.items()} == expected
    assert bytes(rows["0001/tiff.tiff"].thumbnail) == ic.thumbnail(tmp_path / "pictures/0001/tiff.tiff", 32, quality=0.8)
    assert rows["0001/png.png"].flags == ["lossless"]


def test_a_run_whose_workers_die_gives_the_same_bytes(spark, tmp_path):
    generated.mixed(str(tmp_path / "pictures"), 3, crash=True)
    made = plan(str(tmp_path / "pictures"), str(tmp_path / "manifest"), max_files=8)
    run(str(tmp_path / "manifest"), str(tmp_path / "local"), generated.SMALL, workers=2)
    op = functools.partial(generated.dies_at_crash, size=32)
    report = ics.run(spark, str(tmp_path / "manifest"), str(tmp_path / "sink"), op)
    assert report.failed == {} and report.files == made.files
    assert generated.contents(str(tmp_path / "sink")) == generated.contents(str(tmp_path / "local"))
    rows = {row["id"]: row["error"] for row in pq.read_table(str(tmp_path / "sink")).to_pylist()}
    assert rows[f"trouble/{generated.CRASH}"] == "coderCrashed" and rows["trouble/cut.jpg"] == "truncated"
    assert ics.run(spark, str(tmp_path / "manifest"), str(tmp_path / "sink"), op).skipped == made.shards
