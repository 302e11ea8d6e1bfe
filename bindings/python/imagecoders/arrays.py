# SPDX-License-Identifier: Apache-2.0
"""Arrays and tensors of others, without a copy: by NumPy's interface, DLPack or a buffer."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from ._native import ffi
from .native import invalid, make
from .requests import FORMATS, TYPES

# Types of samples by their letters in a buffer, and by their code and bits in DLPack.
LETTERS = {"B": "|u1", "H": "<u2", "e": "<f2", "f": "<f4"}
CODES = {(1, 8): "|u1", (1, 16): "<u2", (2, 16): "<f2", (2, 32): "<f4"}
PROCESSOR = 1


class Layout(NamedTuple):
    """Where an array's samples are: its address, sides, bytes between neighbors, type, and what keeps it there."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: str
    kept: Any


def dense(shape: tuple[int, ...], step: int) -> tuple[int, ...]:
    """The strides of an array whose samples follow each other."""
    steps: list[int] = []
    for side in reversed(shape):
        steps.insert(0, step)
        step *= side
    return tuple(steps)


def layout_of(array: Any, writable: bool = False) -> Layout:
    """The layout of an array of NumPy's, a tensor, or a buffer whose samples follow each other."""
    interface = getattr(array, "__array_interface__", None)
    if interface is None:
        return tensor_layout(array, writable) if hasattr(array, "__dlpack__") else buffer_layout(array, writable)
    data, shape, kind = interface["data"], interface["shape"], interface["typestr"]
    strides = interface.get("strides") or dense(shape, int(kind[2:]))
    if isinstance(data, bytes):
        # A copy that the array made of itself.
        if writable:
            raise invalid("the array gives a copy of its pixels: it cannot be written to")
        kept = ffi.from_buffer(data)
        return Layout(int(ffi.cast("uintptr_t", kept)), shape, strides, kind, (kept, data))
    address, is_fixed = data
    if writable and is_fixed:
        raise invalid("the array may not be written to")
    return Layout(address, shape, strides, kind, array)


def buffer_layout(array: Any, writable: bool) -> Layout:
    view = memoryview(array)
    if view.format not in LETTERS or not view.c_contiguous or writable and view.readonly:
        raise invalid("the buffer has no rows of samples, or may not be written to")
    kept = ffi.from_buffer(view, require_writable=writable)
    shape, kind = tuple(view.shape or ()), LETTERS[view.format]
    return Layout(int(ffi.cast("uintptr_t", kept)), shape, dense(shape, view.itemsize), kind, (kept, array))


def tensor_layout(array: Any, writable: bool) -> Layout:
    """The layout of a tensor of another library; it is looked at, and stays that library's."""
    import ctypes

    if array.__dlpack_device__()[0] != PROCESSOR:
        raise invalid("the tensor is not in the processor's memory")
    try:
        capsule = array.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = array.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    if is_valid(capsule, b"dltensor_versioned"):
        versioned = ffi.cast("icp_versioned *", pointer(capsule, b"dltensor_versioned"))
        if versioned.major != 1:
            raise invalid(f"the tensor is of DLPack {versioned.major}, which is not known")
        if writable and versioned.flags & 3:
            raise invalid("the tensor may not be written to")
        tensor = versioned.tensor
    else:
        tensor = ffi.cast("icp_managed *", pointer(capsule, b"dltensor")).tensor
    kind = CODES.get((tensor.code, tensor.bits))
    if kind is None or tensor.lanes != 1:
        raise invalid(f"the tensor has samples of code {tensor.code} and {tensor.bits} bits")
    shape = tuple(tensor.shape[index] for index in range(tensor.ndim))
    step = tensor.bits // 8
    strides = tuple(tensor.strides[index] * step for index in range(tensor.ndim)) if tensor.strides else dense(shape, step)
    return Layout(int(ffi.cast("uintptr_t", tensor.data)) + tensor.byte_offset, shape, strides, kind, (capsule, array))


def copied(array: Any, layout: Layout) -> Layout:
    """The samples of an array, one after another."""
    if hasattr(array, "tobytes"):
        data = array.tobytes()
    elif hasattr(array, "contiguous"):
        return layout_of(array.contiguous())
    else:
        data = memoryview(array).tobytes()
    kept = ffi.from_buffer(data)
    return layout._replace(
        address=int(ffi.cast("uintptr_t", kept)), strides=dense(layout.shape, int(layout.kind[2:])), kept=(kept, data))


def pixels_of(array: Any) -> tuple[Any, Any]:
    """An array of the caller's as the struct, without a copy where its rows allow that, and what keeps it."""
    layout = layout_of(array)
    shape, kind = layout.shape, layout.kind
    channels = shape[2] if len(shape) == 3 else 1
    dtype = next((name for name, word in TYPES.items() if word == kind), "")
    named = getattr(array, "mode", None)
    mode = named if isinstance(named, str) else {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}.get(channels, "")
    number = FORMATS.get(("L" if mode == "I;16" else mode, dtype))
    if number is None or len(shape) not in (2, 3):
        raise invalid(f"no pixels have the shape {shape}, the type {kind} and the mode {mode}")
    sample = int(kind[2:])
    row, *within = layout.strides
    if tuple(within) != dense(shape[1:], sample) or row < sample * channels * shape[1] or layout.address % sample or row % sample:
        layout = copied(array, layout)
    pixels = make("ic_pixels")
    pixels.height, pixels.width = shape[:2]
    pixels.pixel_format, pixels.stride = number, layout.strides[0]
    pixels.data = ffi.cast("void *", layout.address)
    return pixels, (layout.kept, array)


def set_delay(pixels: Any, seconds: Any) -> None:
    """Says how long a frame is shown."""
    exact = Fraction(seconds).limit_denominator(1_000_000)
    pixels.delay_numerator, pixels.delay_denominator = exact.numerator, exact.denominator


def aim(request: Any, layout: Layout, mode: str, dtype: str) -> None:
    """Has a request write into an array of height × width × channels."""
    channels, sample = len(mode), int(TYPES[dtype][2:])
    height, width, *rest = layout.shape if len(layout.shape) in (2, 3) else (0, 0, 0)
    within = dense((width, channels)[: len(layout.shape) - 1], sample)
    row, *steps = layout.strides
    if (rest or [1]) != [channels] or layout.kind != TYPES[dtype] or tuple(steps) != within or row < sample * channels * width:
        raise invalid(f"out has the shape {layout.shape} and the type {layout.kind}: no rows of {mode} {dtype}")
    request.target, request.target_stride = ffi.cast("void *", layout.address), row
    request.target_width, request.target_height = width, height
