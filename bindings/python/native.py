# SPDX-License-Identifier: Apache-2.0
"""What cffi makes of the library's header: the module imagecoders._native, for every Python since 3.10."""

import os
import pathlib
import re
import subprocess

import cffi

folder = os.environ["IMAGECODERS_FACADE"]
here = pathlib.Path(__file__).parent


def declared(*paths: pathlib.Path) -> str:
    """Headers as cffi reads them, which knows the types of the C library."""
    text = re.sub(r"#include.*", "", "".join(path.read_text(encoding="utf-8") for path in paths))
    return subprocess.run(["cc", "-E", "-P", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True).stdout


headers = pathlib.Path(folder, "include")
builder = cffi.FFI()
builder.cdef(declared(headers / "imagecoders_types.h", headers / "imagecoders.h"))
builder.cdef(declared(here / "sharing.h"))
# What the library calls for files of Python's; the interpreter's lock is taken meanwhile.
builder.cdef("""
extern "Python" int64_t icp_read(void *context, uint64_t offset, void *target, uint64_t count);
extern "Python" int64_t icp_write(void *context, uint64_t offset, const void *bytes, uint64_t count);
""")
# Functions of the package alone are not exported.
static = re.sub(r"(?m)^(?=\w[\w ]*\**icp_\w+\()", "static ", (here / "sharing.h").read_text(encoding="utf-8"))
builder.set_source(
    "imagecoders._native", '#include "imagecoders.h"\n' + static + (here / "sharing.c").read_text(encoding="utf-8"),
    include_dirs=[os.path.join(folder, "include")], library_dirs=[os.path.join(folder, "lib")], libraries=["imagecoders"],
    py_limited_api=True, define_macros=[("Py_LIMITED_API", "0x030A0000")],
)
