# SPDX-License-Identifier: Apache-2.0
"""What cffi makes of the library's header: the module imagecoders._native, for every Python since 3.10."""

import os
import pathlib
import re
import subprocess

import cffi

folder = os.environ["IMAGECODERS_FACADE"]
here = pathlib.Path(__file__).parent


def declared(path: pathlib.Path) -> str:
    """A header as cffi reads it, which knows the types of the C library."""
    text = re.sub(r"#include.*", "", path.read_text(encoding="utf-8"))
    return subprocess.run(["cc", "-E", "-P", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True).stdout


builder = cffi.FFI()
builder.cdef(declared(pathlib.Path(folder, "include", "imagecoders.h")))
builder.cdef(declared(here / "sharing.h"))
# Functions of the package alone are not exported.
static = re.sub(r"(?m)^(?=\w[\w ]*\**icp_\w+\()", "static ", (here / "sharing.h").read_text(encoding="utf-8"))
builder.set_source(
    "imagecoders._native", '#include "imagecoders.h"\n' + static + (here / "sharing.c").read_text(encoding="utf-8"),
    include_dirs=[os.path.join(folder, "include")], library_dirs=[os.path.join(folder, "lib")], libraries=["imagecoders"],
    py_limited_api=True, define_macros=[("Py_LIMITED_API", "0x030A0000")],
)
