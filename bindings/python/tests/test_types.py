# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess
import sys

import pytest

import imagecoders

PACKAGE = pathlib.Path(imagecoders.__file__).parent
EXAMPLE = '''
import numpy
import imagecoders as ic
from imagecoders import aio

async def example() -> None:
    reveal_type(ic.decode("a.jpg", size=256, mode="L", limits={"max_pixels": 9}, cancel=ic.Cancel()))
    reveal_type(ic.decode(bytearray(b""), out=numpy.zeros((8, 8, 3), "uint8")))
    reveal_type(ic.decode_batch(["a.jpg"], 8))
    reveal_type(ic.thumbnail_batch(["a.jpg"])[0].value)
    reveal_type(ic.encode(ic.decode(b""), "png", quality=0.5))
    reveal_type(ic.open("a.tif").page(1).frame(0))
    reveal_type(await aio.decode("a.jpg"))
    reveal_type(await aio.decode("a.jpg", out=ic.decode(b"")))
    async for result in aio.thumbnails(["a.jpg"]):
        reveal_type(result)
'''
REVEALED = [
    "imagecoders.picture.Picture", "numpy.ndarray[", "tuple[numpy.ndarray[Any, Any], list[imagecoders.registry.Result[bool]]]",
    "bytes | None", "bytes", "imagecoders.picture.Picture", "imagecoders.picture.Picture", "imagecoders.picture.Picture",
    "imagecoders.registry.Result[bytes]",
]
WRONG = ['ic.decode(b"", sise=3)', 'ic.decode(b"", mode="XYZ")', "ic.decode(3)", 'ic.decode(b"", limits={"max": 3})', "ic.Picture()"]


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    pytest.importorskip("mypy", reason="mypy is not installed")
    cache = tmp_path_factory.mktemp("mypy")

    def run(*arguments, cwd):
        # Engines of clusters need not be installed.
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "--disable-error-code", "import-not-found"]
        command += ["--disable-error-code", "import-untyped"]
        made = subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=cwd)
        return made.returncode, made.stdout

    return run


def test_package_is_strictly_typed(mypy, tmp_path):
    (tmp_path / "imagecoders").symlink_to(PACKAGE)
    status, said = mypy("-p", "imagecoders", cwd=tmp_path)
    assert status == 0, said


def test_types_of_results_depend_on_arguments(mypy, tmp_path):
    (tmp_path / "example.py").write_text(EXAMPLE)
    status, said = mypy("example.py", cwd=tmp_path)
    assert status == 0, said
    revealed = [line.split('"')[1] for line in said.splitlines() if "Revealed type" in line]
    assert len(revealed) == len(REVEALED), said
    assert all(found.startswith(wanted) for found, wanted in zip(revealed, REVEALED)), revealed


def test_wrong_arguments_are_found(mypy, tmp_path):
    lines = "\n".join(WRONG)
    (tmp_path / "wrong.py").write_text(f"import imagecoders as ic\n{lines}\n")
    status, said = mypy("wrong.py", cwd=tmp_path)
    found = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line}
    assert status == 1 and found == set(range(2, 2 + len(WRONG))), said
