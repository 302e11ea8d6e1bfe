# SPDX-License-Identifier: Apache-2.0
"""Pictures in the library's memory, and what a file says of its picture."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ._native import ffi, lib
from .arrays import PROCESSOR, dense
from .errors import CoderError
from .native import error_of, make, text
from .requests import FORMATS, KINDS, MODES, TYPES


@dataclass(frozen=True)
class Info:
    """What a file says of its picture: width and height in displayed pixels, turned upright; pages and frames by number."""

    format: str
    name: str
    extension: str
    media_type: str
    width: int
    height: int
    orientation: int
    bits: int
    has_alpha: bool
    frames: int
    pages: int
    primary_page: int
    loop_count: int
    is_animated: bool
    is_progressive: bool
    is_lossless: bool
    metadata: tuple[str, ...]
    mode: str = "RGB"
    dtype: str = "uint8"
    stored_width: int = 0
    stored_height: int = 0
    is_cut: bool = False
    is_damaged: bool = False
    has_palette: bool = False
    pages_are_sizes: bool = False


@functools.lru_cache(maxsize=64)
def _kinds_of(mask: int) -> tuple[str, ...]:
    return tuple(name for name, kind in KINDS.items() if mask >> kind & 1)


# The texts of a format, by its identifier and name: there are few, and each is read from C again otherwise.
_TEXTS: dict[tuple[bytes, bytes], tuple[str, str, str, str]] = {}


def _texts_of(info: Any) -> tuple[str, str, str, str]:
    key = ffi.string(info.format), ffi.string(info.name)
    found = _TEXTS.get(key)
    if found is None:
        found = text(info.format), text(info.name), text(info.extension), text(info.media_type)
        if len(_TEXTS) < 256:
            _TEXTS[key] = found
    return found


# Constants of the library are looked up once.
_ANIMATED, _PROGRESSIVE, _LOSSLESS, _CUT, _DAMAGED, _PALETTE, _SIZES, _OPAQUE = (
    lib.IC_ANIMATED, lib.IC_PROGRESSIVE, lib.IC_LOSSLESS, lib.IC_CUT, lib.IC_DAMAGED, lib.IC_PALETTE, lib.IC_PAGES_ARE_SIZES,
    lib.IC_OPAQUE)


def info_of(info: Any) -> Info:
    flags: int = info.flags
    format, name, extension, media_type = _texts_of(info)
    mode, dtype = MODES.get(info.pixel_format, ("RGB", "uint8"))
    told = object.__new__(Info)
    # A frozen dataclass sets its fields one by one, which takes longer than reading a header.
    told.__dict__.update(
        format=format, name=name, extension=extension, media_type=media_type, width=info.width, height=info.height,
        orientation=info.orientation, bits=info.bits_per_channel, has_alpha=info.alpha != _OPAQUE, frames=info.frames, pages=info.pages,
        primary_page=info.primary_page - 1, loop_count=info.loop_count, is_animated=flags & _ANIMATED != 0, is_progressive=flags & _PROGRESSIVE != 0,
        is_lossless=flags & _LOSSLESS != 0, metadata=_kinds_of(info.metadata), mode=mode, dtype=dtype, stored_width=info.stored_width,
        stored_height=info.stored_height, is_cut=flags & _CUT != 0, is_damaged=flags & _DAMAGED != 0, has_palette=flags & _PALETTE != 0,
        pages_are_sizes=flags & _SIZES != 0)
    return told


# The bytes of a sample.
SAMPLES = {dtype: int(word[2:]) for dtype, word in TYPES.items()}
_ZERO = Fraction(0)


class Picture:
    """Pixels in the library's memory, height × width × channels, which arrays and tensors take without a copy.

    ``numpy.asarray(picture)``, ``torch.from_dlpack(picture)``, and from Python 3.12 ``memoryview(picture)``. mode and dtype say
    what a pixel is; stride is bytes from one row to the next; problem is what is missing of the picture, a CoderError, or None;
    delay is how long a frame is shown, in seconds. The memory lives as long as the picture, and as each array and view of it.
    """

    __slots__ = ("width", "height", "stride", "mode", "dtype", "problem", "delay", "_shared", "_data", "__weakref__")

    def __init__(self, pixels: Any, problem: CoderError | None) -> None:
        self.width: int = pixels.width
        self.height: int = pixels.height
        self.stride: int = pixels.stride
        self.mode, self.dtype = MODES[pixels.pixel_format]
        self.problem = problem
        denominator: int = pixels.delay_denominator
        self.delay = Fraction(pixels.delay_numerator, denominator) if denominator else _ZERO
        shared = lib.icp_shared_new(pixels.owner, pixels.data, self.stride * self.height)
        if not shared:
            lib.ic_release(pixels.owner)
            raise error_of(lib.IC_OUT_OF_MEMORY)
        self._data = lib.icp_shared_data(shared)
        self._shared = ffi.gc(shared, lib.icp_shared_drop)

    @property
    def shape(self) -> tuple[int, ...]:
        """Height, width and, unless there is one, the number of channels."""
        return (self.height, self.width) if len(self.mode) == 1 else (self.height, self.width, len(self.mode))

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes between neighbors along each side."""
        sample, channels = SAMPLES[self.dtype], len(self.mode)
        return (self.stride, sample) if channels == 1 else (self.stride, sample * channels, sample)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        address = int(ffi.cast("uintptr_t", self._data))
        return {
            "shape": self.shape, "typestr": TYPES[self.dtype], "strides": self.strides, "data": (address, False), "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return PROCESSOR, 0

    def __dlpack__(
        self, *, stream: Any = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A tensor over the same memory, for ``from_dlpack`` of NumPy, PyTorch and others."""
        import ctypes

        if stream is not None or dl_device not in (None, (PROCESSOR, 0)):
            raise BufferError("the picture is in the processor's memory")
        if copy:
            raise BufferError("the picture is given without a copy")
        sides, is_versioned = self.shape, max_version is not None and max_version[0] >= 1
        code, sample = (2 if self.dtype.startswith("float") else 1), SAMPLES[self.dtype]
        steps = [step // sample for step in self.strides]
        held = lib.icp_tensor_new(self._shared, is_versioned, len(sides), sides, steps, code, sample * 8)
        if not held:
            raise error_of(lib.IC_OUT_OF_MEMORY)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
        name, end = lib.icp_capsule_name(is_versioned), lib.icp_capsule_end()
        return new(*(int(ffi.cast("uintptr_t", pointer)) for pointer in (held, name, end)))

    @property
    def buffer(self) -> memoryview:
        """The bytes of all rows, ``stride`` bytes apart, without a copy."""
        return memoryview(ffi.buffer(self._whole(), self.stride * self.height))

    def _whole(self) -> Any:
        """The address of the memory as an object that keeps the memory."""
        shared = self._shared
        return ffi.gc(ffi.cast("char *", self._data), lambda _: shared)

    def __buffer__(self, flags: int) -> memoryview:
        # Python calls this from 3.12 on.
        if self.strides != dense(self.shape, self.strides[-1]):
            raise BufferError(f"rows are {self.stride} bytes apart: use .buffer, or an array")
        letter: Any = {"uint8": "B", "uint16": "H", "float16": "e", "float32": "f"}[self.dtype]
        view: memoryview = self.buffer.cast(letter, self.shape)
        return view

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (
            self.width, self.height, self.stride, (self.mode, self.dtype), self.problem, self.delay, self.buffer.tobytes(),
        )

    def __repr__(self) -> str:
        return f"<Picture {self.width}×{self.height} {self.mode} {self.dtype}>"


def _restored(
    width: int, height: int, stride: int, kind: tuple[str, str], problem: CoderError | None, delay: Fraction, rows: bytes
) -> Picture:
    """A picture that was pickled, in memory of its own."""
    pixels = make("ic_pixels")
    pixels.width, pixels.height, pixels.stride, pixels.pixel_format = width, height, stride, FORMATS[kind]
    pixels.delay_numerator, pixels.delay_denominator = delay.numerator, delay.denominator
    picture = Picture(pixels, problem)
    picture.buffer[:] = rows
    return picture
