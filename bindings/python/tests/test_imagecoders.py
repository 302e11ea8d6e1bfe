# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import pickle

import numpy
import pytest

import imagecoders as ic

FIXTURES = pathlib.Path(os.environ["FIXTURES"])
PNG = FIXTURES / "png/valid/rgb8.png"
PPM = b"P6 2 1 255\n\x01\x02\x03\xfd\xfe\xff"


def test_pixels_are_the_librarys_memory():
    picture = ic.decode(PPM)
    array = numpy.asarray(picture)
    assert array.tolist() == [[[1, 2, 3], [253, 254, 255]]]
    assert numpy.shares_memory(array, numpy.asarray(picture))
    del picture
    assert array[0, 1, 2] == 255


def test_arrays_are_encoded_and_read_again():
    array = numpy.arange(24 * 32 * 3, dtype="uint8").reshape(24, 32, 3)
    for given in (array, array[::-1], array[:, ::2]):
        assert (numpy.asarray(ic.decode(ic.encode(given, "png"))) == given).all()


def test_errors_say_who_has_to_act_and_pickle():
    with pytest.raises(ic.UnsupportedError) as caught:
        ic.decode(b"no picture at all")
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.code, error.status, str(error)) == ("noCoder", 0x21, str(caught.value))
    with pytest.raises(ic.EnvironmentFailure) as caught:
        ic.probe("/nowhere.png")
    assert pickle.loads(pickle.dumps(caught.value)).code == "io"
    with pytest.raises(ValueError):
        ic.decode(PPM, fit="nonsense")


def test_damage_is_a_problem_and_strict_an_error():
    cut = PNG.read_bytes()[:-60]
    assert ic.decode(cut).problem.code == "truncated"
    with pytest.raises(ic.FileError):
        ic.decode(cut, strict=True)


def test_batches_answer_for_each_item():
    array, results = ic.decode_batch([PNG, b"no picture at all", PPM], 8, threads=2)
    assert array.shape == (3, 8, 8, 3) and [r.value for r in results] == [True, False, True]
    assert (results[0].width, results[0].height, results[1].error.code) == (8, 5, "noCoder")
    assert (array[0, :5] == numpy.asarray(ic.decode(PNG, size=8))).all() and not array[1].any()
    assert array[2, 0, :2].tolist() == [[1, 2, 3], [253, 254, 255]]
    small = ic.thumbnail_batch([PNG, "/nowhere"], 8)
    assert small[0].value == ic.thumbnail(PNG, 8) and small[1].error.code == "io"


def test_images_that_make_one_picture_are_one_frame():
    whole = (FIXTURES / "gif/valid/pixels-1x1.gif").read_bytes()
    head, image = whole[:13 + 8 * 3], whole[13 + 8 * 3:-1]
    parts = head + 4 * image + b";"
    assert ic.probe(parts).frames == 1 and len(list(ic.frames(parts))) == 1
    with ic.open(parts) as file:
        assert file.info.frames == 1


def test_files_frames_and_feeds():
    assert (ic.probe(PNG).width, ic.probe(PNG).name) == (21, "PNG")
    frames = [numpy.full((4, 4, 3), shade, "uint8") for shade in (0, 128, 255)]
    with ic.open(ic.encode(frames, "png", delays=[0.1, 0.2, 0.3], loop=2)) as file:
        assert file.info.frames == 3 and file.info.loop_count == 2 and file.metadata("exif") is None
        assert [numpy.asarray(file.frame(i))[0, 0, 0] for i in range(3)] == [0, 128, 255]
        assert [float(file.frame(i).delay) for i in range(3)] == [0.1, 0.2, 0.3]
    feed = ic.Feed()
    for byte in PNG.read_bytes():
        feed.append(bytes([byte]))
    assert (numpy.asarray(feed.finish()) == numpy.asarray(ic.decode(PNG))).all()
