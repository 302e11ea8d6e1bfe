# SPDX-License-Identifier: Apache-2.0
import ctypes
import gc
import sys
import threading

import numpy
import pytest
from conftest import FIXTURES

import imagecoders as ic
from imagecoders._native import lib
from imagecoders.sources import bytes_of

PNG = FIXTURES / "png/valid/rgb8.png"
PPM = b"P6 2 1 255\n\x01\x02\x03\xfd\xfe\xff"


def living():
    gc.collect()
    return lib.icp_shared_living()


def make_ppm(width, height):
    return b"P6 %d %d 255\n" % (width, height) + bytes(range(1, 1 + width * height * 3))


def test_memory_outlives_registry_and_is_freed_with_the_last_view():
    before = living()
    registry = ic.Registry()
    picture = registry.decode(PPM)
    del registry
    array = numpy.asarray(picture)
    view, tensor, rows = array[:, 1:], numpy.from_dlpack(picture), picture.buffer
    assert living() == before + 1
    del picture, array
    assert (view.tolist(), tensor[0, 0].tolist(), rows[3]) == ([[[253, 254, 255]]], [1, 2, 3], 253)
    del view, rows
    assert living() == before + 1
    del tensor
    assert living() == before


def test_dlpack_shares_memory_with_numpy():
    picture = ic.decode(PNG)
    tensor = numpy.from_dlpack(picture)
    assert numpy.shares_memory(tensor, numpy.asarray(picture)) and tensor.shape == (13, 21, 3)
    assert (tensor == numpy.asarray(picture)).all()
    for mode, dtype in (("L", "uint16"), ("RGBA", "float16"), ("RGBA", "float32"), ("LA", "uint8")):
        picture = ic.decode(PNG, mode=mode, dtype=dtype)
        tensor = numpy.from_dlpack(picture)
        assert (tensor.dtype, tensor.shape) == (numpy.dtype(dtype), picture.shape)
        assert (tensor == numpy.asarray(picture)).all()


def test_dlpack_refuses_other_devices_and_copies():
    picture = ic.decode(PPM)
    assert picture.__dlpack_device__() == (1, 0)
    for asked in ({"stream": 1}, {"dl_device": (2, 0)}, {"copy": True}):
        with pytest.raises(BufferError):
            picture.__dlpack__(**asked)


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_capsule_that_nobody_takes_frees_itself(version):
    before = living()
    picture = ic.decode(PPM)
    capsule = picture.__dlpack__(max_version=version)
    del picture
    assert living() == before + 1
    del capsule
    assert living() == before


def test_a_consumer_without_the_interpreters_lock_frees_memory():
    """As PyTorch does: what it took is freed by native code on another thread."""
    before = living()
    picture = ic.decode(PPM)
    capsule = picture.__dlpack__()
    pointer, rename = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_SetName
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
    managed = pointer(capsule, b"dltensor")
    used = b"used_dltensor"
    rename(capsule, used)
    del capsule, picture
    assert living() == before + 1
    # The deleter is the last field of the struct of 64 bytes.
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.c_void_p.from_address(managed + 56).value)
    thread = threading.Thread(target=deleter, args=[managed])
    thread.start()
    thread.join()
    assert living() == before


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes in Python have buffers since 3.12")
def test_contiguous_pictures_are_buffers():
    view = memoryview(ic.decode(PPM))
    assert (view.shape, view.format, view.tolist()) == ((1, 2, 3), "B", [[[1, 2, 3], [253, 254, 255]]])


def test_buffer_holds_all_rows():
    picture = ic.decode(make_ppm(5, 3))
    rows = picture.buffer
    assert len(rows) == picture.stride * 3 and bytes(rows[picture.stride : picture.stride + 15]) == bytes(range(16, 31))


def test_buffer_keeps_the_memory():
    before = living()
    rows = ic.decode(PPM).buffer
    assert living() == before + 1 and bytes(rows[:6]) == PPM[-6:]
    del rows
    assert living() == before


def test_bytes_are_read_where_they_are_and_buffers_copied():
    data = PNG.read_bytes()
    assert bytes_of(data) is data
    for buffer in (bytearray(data), memoryview(data), numpy.frombuffer(data, "uint8")):
        copy = bytes_of(buffer)
        assert type(copy) is bytes and copy == data and copy is not data


def test_torch_shares_memory():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    before = living()
    picture = ic.decode(PNG)
    tensor = torch.from_dlpack(picture)
    assert tensor.dtype == torch.uint8 and tuple(tensor.shape) == (13, 21, 3)
    assert tensor.data_ptr() == picture.__array_interface__["data"][0]
    assert (tensor.numpy() == numpy.asarray(picture)).all()
    planes = tensor.permute(2, 0, 1)
    del picture, tensor
    assert living() == before + 1 and int(planes[0, 0, 0]) == numpy.asarray(ic.decode(PNG))[0, 0, 0]
    del planes
    assert living() == before


def test_torch_tensors_are_written_to_and_encoded():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    out = torch.full((3, 8, 8, 3), 77, dtype=torch.uint8)
    address = out.data_ptr()
    given, results = ic.decode_batch([PNG, b"no picture at all", PPM], 8, out=out)
    assert given is out and out.data_ptr() == address
    assert [result.value for result in results] == [True, False, True]
    assert (out[0, :5].numpy() == numpy.asarray(ic.decode(PNG, size=8))).all()
    assert (out[1] == 77).all() and out[2, 0, :2].tolist() == [[1, 2, 3], [253, 254, 255]]
    assert ic.decode(PPM, out=out[1]) is not None and out[1, 0, :2].tolist() == [[1, 2, 3], [253, 254, 255]]
    tensor = torch.arange(24 * 32 * 3, dtype=torch.int64).reshape(24, 32, 3).to(torch.uint8)
    for each in (tensor, tensor[:, ::2], tensor.flip(0)):
        assert (numpy.asarray(ic.decode(ic.encode(each, "png"))) == each.numpy()).all()
    with pytest.raises(ic.ArgumentError):
        ic.decode(PPM, out=torch.zeros((8, 8, 3), dtype=torch.float32))


class Planes:
    """A tensor of a library that speaks DLPack alone."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **asked):
        return self.array.__dlpack__(**asked)


def test_out_takes_tensors_of_the_processor_alone():
    array = numpy.zeros((4, 4, 3), "uint8")
    ic.decode(PPM, out=Planes(array))
    assert array[0, :2].tolist() == [[1, 2, 3], [253, 254, 255]] and not array[1:].any()
    with pytest.raises(ic.ArgumentError, match="processor"):
        ic.decode(PPM, out=Planes(array, device=2))
    fixed = array.copy()
    fixed.setflags(write=False)
    for out in (fixed, bytes(48), array[:, :, :2], array[:, ::2], array.astype("uint16")):
        with pytest.raises((ic.ArgumentError, BufferError)):
            ic.decode(PPM, out=out)


def test_batches_of_gray_have_three_sides():
    array, results = ic.decode_batch([b"P5 2 1 255\n\x07\x09"], 2, mode="L")
    assert array.tolist() == [[[7, 9], [0, 0]]] and results[0].value


def test_a_bytearray_may_change_while_it_is_decoded():
    data = bytearray(PNG.read_bytes())
    right = numpy.asarray(ic.decode(bytes(data)))
    is_over = threading.Event()

    def scribble():
        while not is_over.is_set():
            for index in range(30, len(data)):
                data[index] ^= 0xFF

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        for _ in range(200):
            try:
                assert ic.decode(data).width in range(1, 1 << 16)
            except ic.CoderError:
                pass
    finally:
        is_over.set()
        thread.join()
    assert (numpy.asarray(ic.decode(PNG)) == right).all()


def test_pictures_pickle_into_memory_of_their_own():
    import pickle

    before = living()
    picture = pickle.loads(pickle.dumps(ic.decode(PNG.read_bytes()[:-60])))
    assert picture.problem.code == "truncated" and (picture.width, picture.height, picture.mode) == (21, 13, "RGB")
    assert (numpy.asarray(picture) == numpy.asarray(ic.decode(PNG.read_bytes()[:-60]))).all()
    del picture
    assert living() == before
