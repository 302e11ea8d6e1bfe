# SPDX-License-Identifier: Apache-2.0
"""Folders of pictures for tests and measurements: all formats that are written, and files that are cut, damaged or no pictures."""
from __future__ import annotations

import functools
import os
import signal
import struct

import numpy

import imagecoders as ic
from imagecoders.stages import thumbnails

FORMATS = ("jpeg", "png", "webp", "gif", "tiff", "avif", "jxl", "jp2", "bmp", "qoi", "ppm")
# A header that claims 3.6 thousand million pixels, in 22 bytes.
BOMB = b"qoif" + struct.pack(">II", 60_000, 60_000) + b"\x03\x00" + bytes(7) + b"\x01"
CRASH = "crash.jpg"


def picture(seed: int, width: int, height: int) -> numpy.ndarray:
    """Gradients with grain, which files of photos are as large as."""
    random = numpy.random.default_rng(seed)
    across, down = numpy.linspace(0, 3, width), numpy.linspace(0, 2, height)[:, None]
    waves = [numpy.sin(across * (channel + 1) + seed) * numpy.cos(down + channel) for channel in range(3)]
    grain = random.integers(-6, 7, (height, width, 1))
    return numpy.clip(numpy.stack(waves, -1) * 100 + 128 + grain, 0, 255).astype("uint8")


def write(folder: str, name: str, data: bytes) -> None:
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def mixed(folder: str, rounds: int, width: int = 64, height: int = 48, crash: bool = False) -> dict[str, str]:
    """Writes so many pictures of each format and one of each kind of trouble. Returns what each error has to be, "" for none, by id."""
    expected: dict[str, str] = {}

    def add(name: str, data: bytes, error: str = "") -> None:
        write(folder, name, data)
        expected[name] = error

    for index in range(rounds):
        pixels = picture(index, width, height)
        for format in FORMATS:
            add(f"{index:04d}/{format}.{format}", ic.encode(pixels, format))
    whole = ic.encode(picture(9, width, height), "jpeg")
    add("trouble/cut.jpg", whole[: len(whole) * 2 // 3], "truncated")
    add("trouble/empty.jpg", b"", "wrongFormat")
    add("trouble/text.png", b"no picture at all\n" * 9, "noCoder")
    add("trouble/bomb.qoi", BOMB, "limitExceeded")
    add("trouble/\u00fcml\u00e4ut #1 100%.jpg", whole)
    if crash:
        add(f"trouble/{CRASH}", whole, "coderCrashed")
    return expected


def dies_at_crash(batch, **options):
    """Thumbnails by a coder that kills its process for one file."""
    if any(name.endswith(CRASH) for name in batch.column("id").to_pylist()):
        os.kill(os.getpid(), signal.SIGKILL)
    return thumbnails(batch, **options)


def slowly(batch, seconds: float = 0.05, **options):
    """Thumbnails that take their time, so that a test can kill what makes them."""
    import time

    time.sleep(seconds * batch.num_rows)
    return dies_at_crash(batch, **options)


SMALL = functools.partial(dies_at_crash, size=32)


def contents(folder: str) -> dict[str, bytes]:
    """The results of a run: the bytes of each file that does not tell of the run itself."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".parquet") and not name.startswith("."):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
    return found
