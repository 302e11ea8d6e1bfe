# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import ctypes.util
import itertools
import multiprocessing
import os
import pickle
import subprocess
import sys

import numpy
import pytest
from conftest import FIXTURES

import imagecoders as ic

PNG = FIXTURES / "png/valid/rgb8.png"
TIFF = FIXTURES / "tiff/valid/lzw.tif"


def work(path):
    """What a worker does, and the errors that it meets."""
    picture = ic.decode(path)
    try:
        ic.decode(b"no picture at all")
    except ic.CoderError as error:
        return ic.probe(path), numpy.asarray(picture).tobytes(), error, picture


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_each_kind_read_and_answer(method):
    here = work(PNG), work(TIFF)
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        there = list(pool.map(work, [PNG, TIFF]))
    for (info, pixels, error, picture), (their_info, their_pixels, their_error, their_picture) in zip(here, there):
        assert (their_info, their_pixels) == (info, pixels)
        assert type(their_error) is type(error) and vars(their_error) == vars(error) and str(their_error) == str(error)
        assert (numpy.asarray(their_picture) == numpy.asarray(picture)).all()


def raising(_):
    return ic.decode(PNG.read_bytes()[:-60], strict=True)


def test_errors_are_raised_through_a_pool():
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        with pytest.raises(ic.FileError) as caught:
            list(pool.map(raising, [0]))
    assert (caught.value.code, caught.value.status) == ("truncated", 0x11)
    here = pytest.raises(ic.FileError, raising, 0).value
    assert here.offset is not None and vars(caught.value).items() >= vars(here).items()


def test_values_pickle():
    info = ic.probe(PNG)
    assert pickle.loads(pickle.dumps(info)) == info and hash(info) == hash(pickle.loads(pickle.dumps(info)))
    registry = pickle.loads(pickle.dumps(ic.Registry(policy="web")))
    # That policy reads what browsers show, in workers, and nothing else.
    assert bytes(registry.decode(PNG).buffer) == bytes(ic.decode(PNG).buffer)
    with pytest.raises(ic.UnsupportedError):
        registry.decode(b"P6 2 1 255\n\x01\x02\x03\xfd\xfe\xff")
    assert pickle.loads(pickle.dumps(ic.default())) is ic.default()
    result = ic.thumbnail_batch([b"no picture at all"])[0]
    assert pickle.loads(pickle.dumps(result)).error.code == "noCoder"


def test_info_is_a_frozen_dataclass():
    import dataclasses

    info = ic.probe(PNG)
    assert dataclasses.asdict(info) == {field.name: getattr(info, field.name) for field in dataclasses.fields(info)}
    with pytest.raises(dataclasses.FrozenInstanceError):
        info.width = 3


# What each library reads from a file, as code.
PEERS = {
    "imagecoders": "import imagecoders as ic; assert ic.decode(png).width == ic.decode(avif).width == 64",
    "PIL": "import io; from PIL import Image; Image.open(io.BytesIO(png)).load(); Image.open(io.BytesIO(avif)).load()",
    "pyvips": "import pyvips; assert pyvips.Image.new_from_buffer(png, '').avg() > 0",
    "cv2": "import cv2, numpy; assert cv2.imdecode(numpy.frombuffer(png, 'uint8'), 1).shape[1] == 64",
    "imagecodecs": "import imagecodecs; assert imagecodecs.png_decode(png).shape[1] == imagecodecs.avif_decode(avif).shape[1] == 64",
    "torch": "import torch; assert torch.zeros(3).sum() == 0",
    "pillow_heif": "import pillow_heif; pillow_heif.libheif_info()",
}


def is_installed(name):
    return subprocess.run([sys.executable, "-c", f"import importlib.util as u; exit(u.find_spec({name!r}) is None)"]).returncode == 0


def test_other_libraries_and_this_one_decode_beside_each_other(tmp_path):
    picture = numpy.random.default_rng(1).integers(0, 255, (48, 64, 3), "uint8")
    for name in ("png", "avif"):
        (tmp_path / f"a.{name}").write_bytes(ic.encode(picture, name))
    peers = [name for name in PEERS if name != "imagecoders" and is_installed(name)]
    assert "PIL" in peers
    begin = "png, avif = open('a.png', 'rb').read(), open('a.avif', 'rb').read()"
    # Each first and each last, and all that are imported before any of them decodes.
    orders = [order for peer in peers for order in (("imagecoders", peer), (peer, "imagecoders"))]
    orders += [("imagecoders", *peers), (*peers, "imagecoders"), (*reversed(peers), "imagecoders")]
    for order in orders:
        imports = "\n".join(f"import {name}" for name in order)
        uses = "\n".join(PEERS[name] for name in itertools.chain(order, reversed(order)))
        made = subprocess.run([sys.executable, "-c", f"{imports}\n{begin}\n{uses}"], cwd=tmp_path, capture_output=True, text=True)
        assert made.returncode == 0, f"{order}: {made.stderr}"


def test_heic_is_written_by_a_libheif_that_is_named():
    found = ctypes.util.find_library("heif")
    folders = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
    folder = next((place for place in folders if os.path.exists(f"{place}/libheif.so.1")), None)
    if not found or not folder:
        pytest.skip("no libheif")
    # In a process of its own: it is named for all of one.
    code = f"""
import imagecoders as ic, pickle
pixels = ic.decode({str(PNG)!r})
try:
    ic.encode(pixels, "heic")
except ic.CoderError as error:
    assert "library_folder" in str(error), error
else:
    raise SystemExit("written without a folder")
registry = pickle.loads(pickle.dumps(ic.Registry(library_folder={folder!r})))
assert ic.probe(registry.encode(pixels, "heic")).name == "HEIC"
"""
    subprocess.run([sys.executable, "-c", code], check=True)
