# SPDX-License-Identifier: Apache-2.0
"""What cffi makes of the library's header: the module imagecoders._native, for every Python since 3.10."""

import os
import re
import subprocess

import cffi

folder = os.environ["IMAGECODERS_FACADE"]
text = ""
for name in ("imagecoders_types.h", "imagecoders.h"):
    with open(os.path.join(folder, "include", name), encoding="utf-8") as file:
        # Types of the C library are known to cffi.
        text += re.sub(r"#include.*", "", file.read())
declared = subprocess.run(["cc", "-E", "-P", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True).stdout

builder = cffi.FFI()
builder.cdef(declared)
builder.set_source(
    "imagecoders._native", '#include "imagecoders.h"', include_dirs=[os.path.join(folder, "include")],
    library_dirs=[os.path.join(folder, "lib")], libraries=["imagecoders"], py_limited_api=True,
    define_macros=[("Py_LIMITED_API", "0x030A0000")],
)
