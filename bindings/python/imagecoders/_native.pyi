# SPDX-License-Identifier: Apache-2.0
# What cffi made of imagecoders.h. Structs and functions have the header's names, and are known when the program runs.
from typing import Any

ffi: Any
lib: Any
