# SPDX-License-Identifier: Apache-2.0
import io
import sys

import numpy
import pytest
from conftest import FIXTURES

import imagecoders as ic

PNG = FIXTURES / "png/valid/rgb8.png"
HEIC = FIXTURES / "heif/valid/exif.heic"
NOISE = numpy.random.default_rng(5).integers(0, 255, (400, 500, 3), "uint8")


class Counting(io.RawIOBase):
    """A file that counts what is read of it, and may fail."""

    def __init__(self, data, failure=None):
        self.file, self.bytes, self.failure = io.BytesIO(data), 0, failure

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=0):
        return self.file.seek(offset, whence)

    def tell(self):
        return self.file.tell()

    def read(self, count=-1):
        if self.failure:
            raise self.failure
        data = self.file.read(count)
        self.bytes += len(data)
        return data


def test_seekable_objects_are_read_piecewise():
    data = ic.encode(NOISE, "png")
    assert len(data) > 500_000
    file = Counting(data)
    assert ic.probe(file).width == 500 and 0 < file.bytes < len(data) // 2
    file.seek(0)
    assert (numpy.asarray(ic.decode(file)) == NOISE).all()
    file = Counting(b"before" + data)
    file.seek(6)
    assert (numpy.asarray(ic.decode(file)) == NOISE).all()
    file.seek(6)
    with ic.open(file) as opened:
        assert (numpy.asarray(opened.frame(0)) == NOISE).all()


def test_files_of_the_system_are_read_from_where_they_are(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"before" + PNG.read_bytes())
    with open(path, "rb") as file:
        file.seek(6)
        assert ic.probe(file).width == 21
    with open(PNG, "rb") as file:
        assert ic.probe(file).width == 21 and ic.decode(file).width == 21


def test_small_and_unseekable_objects_are_read_whole():
    class Stream:
        def __init__(self, data):
            self.data = data

        def read(self):
            return self.data

    assert ic.decode(Stream(PNG.read_bytes())).width == 21
    file = Counting(PNG.read_bytes())
    assert ic.decode(file).width == 21 and file.bytes == len(PNG.read_bytes())


def test_what_reading_raises_is_the_cause():
    data = ic.encode(NOISE, "tif")
    with pytest.raises(ic.EnvironmentFailure) as caught:
        ic.decode(Counting(data, OSError("the bucket is gone")))
    assert caught.value.code == "io" and str(caught.value.__cause__) == "the bucket is gone"
    with pytest.raises(KeyboardInterrupt):
        ic.decode(Counting(data, KeyboardInterrupt()))
    with pytest.raises(ic.EnvironmentFailure) as caught:
        ic.probe("/nowhere.png")
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError("gone")])
def test_an_interrupt_is_not_lost_in_a_partial_picture(failure):
    data = ic.encode(NOISE, "bmp")

    class Late(Counting):
        def read(self, count=-1):
            if self.file.tell() > 200_000:
                raise failure
            return super().read(min(count, 100_000))

    with ic.open(Late(data)) as file:
        with pytest.raises(BaseException) as caught:
            file.frame(0)
    assert failure in (caught.value, caught.value.__cause__)
    with pytest.raises(ic.EnvironmentFailure) as caught:
        ic.probe("/nowhere.png")
    assert caught.value.__cause__ is None


def test_batches_read_objects_before_they_begin():
    data = ic.encode(NOISE, "tif")
    results = ic.thumbnail_batch([Counting(data), io.BytesIO(data), Counting(data, OSError("gone"))], 16)
    assert results[0].value == results[1].value == ic.thumbnail(data, 16)
    assert (results[2].error.code, results[2].error.message) == ("io", "gone")


def test_writers_add_frames():
    shades = [numpy.full((8, 6, 3), shade, "uint8") for shade in (0, 100, 200)]
    with ic.Writer(None, "webp", loop=2, lossless=True) as writer:
        for index, shade in enumerate(shades):
            writer.add(shade, (index + 1) / 10)
    with ic.open(writer.data) as file:
        assert (file.info.frames, file.info.loop_count) == (3, 2)
        assert [float(file.frame(index).delay) for index in range(3)] == [0.1, 0.2, 0.3]
        assert all((numpy.asarray(file.frame(index)) == shades[index]).all() for index in range(3))
    with pytest.raises(ic.ArgumentError) as caught:
        writer.add(shades[0])
    assert caught.value.code == "outOfOrder"


def test_writers_keep_the_delay_of_pictures():
    data = ic.encode([NOISE[:8, :8], NOISE[8:16, :8]], "png", delays=[0.25, 0.5])
    with ic.Writer(None, "png") as writer:
        for frame in ic.frames(data):
            writer.add(frame)
    assert [float(frame.delay) for frame in ic.frames(writer.data)] == [0.25, 0.5]


def test_writers_write_to_paths_and_objects(tmp_path):
    path = tmp_path / "a.tif"
    with ic.Writer(path, pages=2) as writer:
        writer.add(NOISE[:5])
        assert not path.exists()
        writer.add(NOISE[5:10])
    assert writer.data is None and ic.probe(path).pages == 2
    file = io.BytesIO(b"before")
    file.seek(6)
    with ic.Writer(file, "png") as writer:
        writer.add(NOISE)
    assert file.getvalue()[:6] == b"before" and (numpy.asarray(ic.decode(file.getvalue()[6:])) == NOISE).all()


def test_unfinished_files_leave_nothing(tmp_path):
    path = tmp_path / "a.png"
    with pytest.raises(ZeroDivisionError):
        with ic.Writer(path) as writer:
            writer.add(NOISE)
            raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_what_writing_raises_is_the_cause():
    class Full:
        def write(self, data):
            raise OSError("no space")

    with pytest.raises(ic.EnvironmentFailure) as caught:
        ic.convert(PNG, "webp", to=Full())
    assert caught.value.code == "io" and str(caught.value.__cause__) == "no space"
    with pytest.raises(ic.ArgumentError):
        ic.convert(PNG, "webp", to=3)


def test_convert_keeps_what_a_file_carries(tmp_path):
    jpeg = ic.encode(NOISE, "jpeg", exif=b"MM\0*\0\0\0\x08\0\1\1\x0f\0\2\0\0\0\2A\0\0\0\0\0\0\0")
    data, report, problem = ic.convert(jpeg, "jxl")
    assert problem is None and report["bytes"] == len(data) and ic.probe(data).extension == "jxl"
    back = ic.convert(data, "jpeg")
    assert back.data == jpeg
    small = ic.convert(jpeg, "webp", size=50, quality=0.5, leave_out=["exif"])
    info = ic.probe(small.data)
    assert (info.width, info.height, info.metadata) == (50, 40, ())
    assert "exif" in ic.probe(ic.convert(jpeg, "webp", size=50).data).metadata
    path = tmp_path / "a.png"
    assert ic.convert(jpeg, to=path).data == b"" and (numpy.asarray(ic.decode(path)) == numpy.asarray(ic.decode(jpeg))).all()
    assert ic.convert(jpeg[:-3000], "png").problem.code == "truncated"
    with pytest.raises(ic.ArgumentError):
        ic.convert(jpeg, "webp", leave_out=["nonsense"])


def test_metadata_is_edited_without_pixels():
    jpeg = ic.encode(NOISE, "jpeg")
    edited = ic.edit_metadata(jpeg, set={"Copyright": "A. Author"}).data
    with ic.open(edited) as file:
        assert "A. Author" in str(file.properties())
    assert (numpy.asarray(ic.decode(edited)) == numpy.asarray(ic.decode(jpeg))).all()
    with ic.open(ic.edit_metadata(edited, strip=["all"]).data) as file:
        assert "A. Author" not in str(file.properties())
    turned = ic.operate(jpeg, {"operation": "turn", "values": {"orientation": 6}}).data
    assert (ic.probe(turned).width, ic.probe(turned).height) == (400, 500)
    with pytest.raises(ic.UnsupportedError):
        ic.operate(jpeg, {"operation": "nonsense"})


def test_parts_of_a_file_are_listed_and_read():
    with ic.open(HEIC) as file:
        exif = next(part for part in file.parts() if part["kind"] == "exif")
        assert file.part(exif["part"]) == file.metadata("exif")
        with pytest.raises(ic.CoderError):
            file.open_part(exif["part"])
        with pytest.raises(ic.CoderError):
            file.part(99)


def test_pillow_reads_objects_piecewise(pillow):
    from PIL import Image

    data = ic.encode(NOISE, "png")
    pillow.register(["png"], override=True)
    file = Counting(data)
    opened = Image.open(file)
    assert opened.size == (500, 400) and file.bytes < len(data) // 2
    assert (numpy.asarray(opened) == NOISE).all()


def test_reading_holds_no_reference():
    file = Counting(ic.encode(NOISE, "tif"))
    count = sys.getrefcount(file)
    ic.decode(file)
    assert sys.getrefcount(file) == count
