# SPDX-License-Identifier: Apache-2.0
import hashlib
import json
import os
import pathlib
import pickle
from functools import partial

import numpy
import pytest

pa = pytest.importorskip("pyarrow")

import generated  # noqa: E402

import imagecoders as ic  # noqa: E402
from imagecoders import stages  # noqa: E402

FIXTURES = pathlib.Path(os.environ["FIXTURES"])
PPM = b"P6 2 1 255\n\x01\x02\x03\xfd\xfe\xff"


def table(*files, **names):
    files = [file.read_bytes() if isinstance(file, pathlib.Path) else file for file in files]
    return pa.table({names.get("id", "id"): [str(index) for index in range(len(files))], names.get("bytes", "bytes"): files})


def test_each_fixture_has_a_row_in_order():
    paths = sorted(path for folder in ("valid", "invalid") for path in FIXTURES.glob(f"*/{folder}/*") if path.is_file())
    given = pa.table({"id": [str(path) for path in paths], "bytes": [path.read_bytes() for path in paths]})
    made = stages.thumbnails(given, size=32, threads=2)
    assert len(paths) > 1000 and made.column("id").to_pylist() == [str(path) for path in paths]
    for row in made.select(["thumbnail", "status", "error", "message"]).to_pylist():
        assert (row["status"] == 0) == (row["error"] is None) == (row["message"] is None)
        assert row["thumbnail"] is not None or row["status"] != 0
    assert made.schema == stages.SCHEMA


def test_rows_say_what_is_known_of_a_file():
    whole = (FIXTURES / "png/valid/rgb8.png").read_bytes()
    made = stages.thumbnails(table(whole, whole[:-60], b"no picture at all", generated.BOMB, None), size=8, format="png").to_pylist()
    assert made[0]["thumbnail"] == ic.thumbnail(whole, 8, format="png", quality=0.8)
    assert {key: made[0][key] for key in ("thumbnail_width", "thumbnail_height", "format", "width", "height", "frames", "bytes")} == {
        "thumbnail_width": 8, "thumbnail_height": 5, "format": "PNG", "width": 21, "height": 13, "frames": 1, "bytes": len(whole)}
    assert made[0]["flags"] == ["lossless"] and made[0]["orientation"] == 1
    assert made[1]["thumbnail"] and (made[1]["status"], made[1]["error"]) == (0x11, "truncated") and made[1]["width"] == 21
    assert [row["status"] for row in made[2:]] == [0x21, 0x30, 0x50]
    assert [row["thumbnail"] for row in made[2:]] == [None] * 3 and made[4]["message"] == "the row has no bytes"


def test_hashes_and_properties_are_columns_that_are_asked_for():
    photo = FIXTURES / "jpeg/valid/orientation-6.jpg"
    row = stages.thumbnails(table(photo), properties=True, hashes=["sha256", "md5"]).to_pylist()[0]
    assert row["sha256"] == hashlib.sha256(photo.read_bytes()).hexdigest() and row["md5"] == hashlib.md5(photo.read_bytes()).hexdigest()
    assert json.loads(row["properties"])["Orientation"] == 6 == row["orientation"]
    with pytest.raises(ValueError, match="crc32"):
        stages.thumbnails(table(photo), hashes=["crc32"])


@pytest.mark.parametrize("wrong", [
    {"format": "nonsense"}, {"fit": "nonsense"}, {"quality": 2.0}, {"limits": {"nonsense": 1}}, {"size": -1},
])
def test_wrong_arguments_are_raised_and_not_rows(wrong):
    with pytest.raises(ic.ArgumentError):
        stages.thumbnails(table(PPM), **wrong)


def test_limits_are_of_each_picture():
    made = stages.thumbnails(table(PPM, FIXTURES / "png/valid/rgb8.png"), limits={"max_pixels": 100})
    assert made.column("error").to_pylist() == [None, "limitExceeded"]


def test_stages_pickle_with_their_arguments():
    op = pickle.loads(pickle.dumps(partial(stages.thumbnails, size=2, format="png", bytes_column="content", id_column="path")))
    assert op(table(PPM, id="path", bytes="content")).column("thumbnail_width").to_pylist() == [2]


def test_converted_pictures_keep_their_pixels():
    made = stages.converted(table(PPM, b"no picture at all"), format="png", lossless=True)
    assert numpy.asarray(ic.decode(made.column("file")[0].as_py())).tolist() == [[[1, 2, 3], [253, 254, 255]]]
    assert made.column("file_width").to_pylist() == [2, None] and made.column("error").to_pylist() == [None, "noCoder"]
    assert stages.converted(table(FIXTURES / "png/valid/rgb8.png"), format="webp", size=7).column("file_width").to_pylist() == [7]


def test_pixels_are_a_tensor_of_one_shape():
    made = stages.pixels(table(PPM, b"no picture at all", FIXTURES / "png/valid/rgb8.png"), size=(4, 2), fit="fit")
    array = made.column("pixels").combine_chunks().to_numpy_ndarray()
    assert array.shape == (3, 2, 4, 3) and array[0, 0, :2].tolist() == [[1, 2, 3], [253, 254, 255]]
    assert array[0, 1:].sum() == array[0, :, 2:].sum() == array[1].sum() == 0
    assert (array[2, :2, :3] == numpy.asarray(ic.decode(FIXTURES / "png/valid/rgb8.png", size=(4, 2)))).all()
    assert made.column("pixel_width").to_pylist() == [2, None, 3] and made.column("pixel_height").to_pylist() == [1, None, 2]
    empty = stages.pixels(table().cast(pa.schema([("id", pa.string()), ("bytes", pa.binary())])), size=4, mode="L", dtype="uint16")
    assert empty.num_rows == 0 and empty.schema.field("pixels").type == pa.fixed_shape_tensor(pa.uint16(), (4, 4, 1))
