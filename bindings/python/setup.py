# SPDX-License-Identifier: Apache-2.0
"""Builds the package against the library in the folder that IMAGECODERS_FACADE names: make wheel does."""

import os
import re

from setuptools import setup

header = open(os.path.join(os.environ["IMAGECODERS_FACADE"], "include", "imagecoders.h"), encoding="utf-8").read()
major, minor = re.search(r"IC_VERSION_MAJOR = (\d+), IC_VERSION_MINOR = (\d+)", header).groups()
setup(
    version=f"{major}.{minor}.0",
    packages=["imagecoders"],
    package_data={"imagecoders": ["py.typed", "_native.pyi", "bin/coders"]},
    cffi_modules=["native.py:builder"],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
