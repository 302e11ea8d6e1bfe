# SPDX-License-Identifier: Apache-2.0
"""What the tests share: fixtures of the repository, and Pillow as it was."""

import os
import pathlib

import pytest

FIXTURES = pathlib.Path(os.environ["FIXTURES"])


@pytest.fixture
def pillow():
    """imagecoders.pillow; what it registers is taken back afterwards."""
    Image = pytest.importorskip("PIL.Image")
    import imagecoders.pillow

    Image.init()
    tables = [Image.ID, Image.OPEN, Image.SAVE, Image.SAVE_ALL, Image.EXTENSION, Image.MIME]
    kept = [table.copy() for table in tables]
    yield imagecoders.pillow
    for table, before in zip(tables, kept):
        table.clear()
        (table.extend if isinstance(table, list) else table.update)(before)
