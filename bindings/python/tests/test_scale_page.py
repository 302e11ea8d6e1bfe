# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/scale.md, word for word and in order, in a folder with photos/."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")

import generated  # noqa: E402

PAGE = pathlib.Path(__file__).parents[3] / "docs/scale.md"
BLOCK = re.compile(r"(?:<!-- needs: (\w+) -->\n)?```(sh|python)\n(.*?)^```", re.M | re.S)


def examples():
    """Line, needed module, language and text of each example."""
    text = PAGE.read_text(encoding="utf-8")
    return [(text[: found.start()].count("\n") + 1, *found.groups()) for found in BLOCK.finditer(text)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    base = tmp_path_factory.mktemp("page")
    generated.mixed(str(base / "photos"), 1)
    (base / "python").symlink_to(sys.executable)
    return base


@pytest.mark.parametrize("line, needs, language, text", [pytest.param(*example, id=f"line-{example[0]}") for example in examples()])
def test_example_of_the_page_runs(folder, line, needs, language, text):
    if needs and importlib.util.find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed")
    if text.startswith("pip install"):
        pytest.skip("nothing is installed by a test")
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "PYSPARK_PYTHON": sys.executable}
    if language == "python":
        (folder / "example.py").write_text(text)
    command = [sys.executable, "example.py"] if language == "python" else ["sh", "-e", "-c", text]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    assert made.returncode == 0, f"line {line}: {made.stderr}"
