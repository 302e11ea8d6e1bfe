# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md, word for word: one program, in a folder with the files that the page names."""

import importlib.util
import re
import shutil
import subprocess
import sys

import numpy
import pytest
from conftest import FIXTURES

import imagecoders as ic

PAGE = FIXTURES.parents[1] / "docs/python.md"


def examples():
    """Line, needed modules and text of each example."""
    text = PAGE.read_text(encoding="utf-8")
    for found in re.finditer(r"(?:<!-- needs: ([^>]*) -->\n)?```python\n(.*?)^```", text, re.M | re.S):
        yield text[: found.start(2)].count("\n") + 1, (found[1] or "").split(), found[2]


def test_examples_of_the_page_run(tmp_path):
    if not PAGE.exists():
        pytest.skip("the sources of the page are not here")
    random = numpy.random.default_rng(1)
    (tmp_path / "photo.jpg").write_bytes(ic.encode(random.integers(0, 255, (64, 96, 3), "uint8"), "jpeg"))
    shutil.copy(FIXTURES / "heif/valid/exif.heic", tmp_path / "photo.heic")
    program, count = [], 0
    for line, needs, text in examples():
        if all(importlib.util.find_spec(name) for name in needs):
            # A failure names the line of the page.
            program.append(f"exec(compile({chr(10) * (line - 1) + text!r}, {str(PAGE)!r}, 'exec'))")
            count += 1
    assert count > 12
    made = subprocess.run([sys.executable, "-c", "\n".join(program)], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "small.jxl").exists()
