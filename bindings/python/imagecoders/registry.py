# SPDX-License-Identifier: Apache-2.0
"""Registries, and what they make of files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterable, Iterator

from ._native import ffi, lib
from .errors import CoderError
from .native import (
    FORMATS, MODES, TYPES, check, encoding_of, error_of, layout_of, make, problem_of, request_of, source_of, taken, text,
)

KINDS = {"icc": 1, "exif": 2, "xmp": 3, "iptc": 4, "c2pa": 6, "geotiff": 8, "text": 9, "trailer": 10, "other": 11}


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


def info_of(info) -> Info:
    flags, kinds = info.flags, tuple(name for name, kind in KINDS.items() if info.metadata >> kind & 1)
    return Info(
        text(info.format), text(info.name), text(info.extension), text(info.media_type), info.width, info.height,
        info.orientation, info.bits_per_channel, info.alpha != lib.IC_OPAQUE, info.frames, info.pages,
        info.primary_page - 1, info.loop_count, bool(flags & lib.IC_ANIMATED), bool(flags & lib.IC_PROGRESSIVE),
        bool(flags & lib.IC_LOSSLESS), kinds,
    )


class Picture:
    """Pixels in the library's memory, which NumPy takes without a copy: ``numpy.asarray(picture)``, height × width × channels.

    mode and dtype say what a pixel is; problem is what is missing of the picture, a CoderError, or None; delay is how long a frame is
    shown, in seconds. The memory lives as long as the picture, and as each array and view of it.
    """

    def __init__(self, pixels, problem: CoderError | None) -> None:
        self.width, self.height, self.stride = pixels.width, pixels.height, pixels.stride
        self.mode, self.dtype = MODES[pixels.pixel_format]
        self.problem = problem
        self.delay = Fraction(pixels.delay_numerator, pixels.delay_denominator or 1)
        owner = pixels.owner
        self._data = ffi.gc(ffi.cast("char *", pixels.data), lambda _: lib.ic_release(owner))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.height, self.width) if len(self.mode) == 1 else (self.height, self.width, len(self.mode))

    @property
    def __array_interface__(self) -> dict:
        sample = int(TYPES[self.dtype][2:])
        strides = (self.stride, sample * len(self.mode), sample)[: len(self.shape)]
        address = int(ffi.cast("uintptr_t", self._data))
        return {"shape": self.shape, "typestr": TYPES[self.dtype], "strides": strides, "data": (address, False), "version": 3}

    @property
    def buffer(self) -> memoryview:
        """The bytes of all rows, ``stride`` bytes apart, without a copy."""
        return memoryview(ffi.buffer(self._data, self.stride * self.height))

    def __repr__(self) -> str:
        return f"<Picture {self.width}×{self.height} {self.mode} {self.dtype}>"


@dataclass
class Result:
    """What became of one item of a batch: a value, or an error. With a value, error is what is missing of the picture, or None."""

    index: int
    value: Any = None
    error: CoderError | None = None
    width: int = 0
    height: int = 0


def pixels_of(array: Any):
    """An array of the caller's as the struct, without a copy where its rows allow that, and what keeps it."""
    address, shape, strides, kind, kept = layout_of(array)
    channels = shape[2] if len(shape) == 3 else 1
    names = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
    dtype = next((name for name, text in TYPES.items() if text == kind), None)
    number = FORMATS.get((getattr(array, "mode", names.get(channels)), dtype))
    if number is None or len(shape) not in (2, 3):
        raise error_of(lib.IC_INVALID_ARGUMENT, f"no pixels have the shape {shape} and the type {kind}")
    sample = int(kind[2:])
    if len(shape) == 3 and strides[2] != sample or strides[1] != sample * channels or strides[0] < sample * channels * shape[1]:
        kept = ffi.from_buffer(memoryview(array).tobytes())
        address, strides = int(ffi.cast("uintptr_t", kept)), (sample * channels * shape[1],)
    pixels = make("ic_pixels")
    pixels.height, pixels.width = shape[:2]
    pixels.pixel_format, pixels.stride = number, strides[0]
    pixels.data = ffi.cast("void *", address)
    return pixels, (kept, array)


class Registry:
    """Coders with what they may do; used by any number of threads.

    policy: ``standard``, ``trusted``, ``web``, ``thumbnailer``, or the path of a file. plugins: whether installed plugins are looked
    for; folders: further places of plugins. isolation: ``off``, ``preferred``, ``required``, ``strict``.
    """

    def __init__(self, policy: str | None = None, plugins: bool = False, folders: Iterable[str] = (), isolation: str = "off"):
        options, kept = make("ic_registry_options"), []
        modes = ("off", "preferred", "required", "strict")
        if isolation not in modes:
            raise error_of(lib.IC_INVALID_ARGUMENT, f"isolation is {isolation!r}, none of {', '.join(modes)}")
        options.isolation = modes.index(isolation)
        options.flags = lib.IC_PLUGINS if plugins else 0
        if policy is not None:
            kept.append(ffi.new("char[]", policy.encode()))
            options.policy = kept[-1]
        names = [ffi.new("char[]", folder.encode()) for folder in folders]
        array = ffi.new("char *[]", names) if names else ffi.NULL
        options.plugin_folders, options.folder_count = array, len(names)
        made, error = ffi.new("ic_registry **"), make("ic_error")
        check(lib.ic_registry_new(options, made, error), error)
        self._handle = ffi.gc(made[0], lib.ic_registry_free)

    def formats(self) -> list[dict]:
        """The formats: dictionaries with format, name, extension, media_type, reads, writes."""
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_registry_formats(self._handle, data, error), error)
        return json.loads(taken(data))

    def probe(self, source: Any) -> Info:
        """Reads the header of a file, which is a few kilobytes of it."""
        (given, kept), info, error = source_of(source), make("ic_info"), make("ic_error")
        check(lib.ic_probe(self._handle, given, ffi.NULL, info, error), error)
        return info_of(info)

    def decode(self, source: Any, *, mode: str | None = "RGB", out: Any = None, **request: Any) -> Any:
        """Decodes a picture, or the first frame of an animation.

        size: a side or (width, height) that the picture has to fit; fit: ``fit``, ``fill``, ``stretch``; mode: ``L``, ``LA``, ``RGB``,
        ``RGBA``, ``BGRA``, or None for that of the file; dtype: ``uint8``, ``uint16``, with RGBA also ``float16``, ``float32``;
        color: ``srgb``, ``stored``, ``p3``, …; page: from 0; strict: damage is an error; limits: max_pixels, max_memory,
        max_milliseconds, formats. out: an array that is written to, in its top left corner; it is returned then.
        """
        given, kept = source_of(source)
        asked, names = request_of(mode=mode, **request)
        pixels, error = make("ic_pixels"), make("ic_error")
        if out is not None:
            address, shape, strides, kind, held = layout_of(out, writable=True)
            self._aim(asked, address, shape, strides, kind, mode, request.get("dtype", "uint8"))
        check(lib.ic_decode(self._handle, given, asked, pixels, error), error)
        return out if out is not None else Picture(pixels, problem_of(error))

    @staticmethod
    def _aim(asked, address, shape, strides, kind, mode, dtype) -> None:
        sample, channels = int(TYPES[dtype][2:]), len(mode or "")
        wanted = shape[2:] == (channels,) if channels > 1 else shape[2:] in ((), (1,))
        if not wanted or kind != TYPES[dtype] or strides[1] != sample * channels or strides[0] < strides[1] * shape[1]:
            raise error_of(lib.IC_INVALID_ARGUMENT, f"out has the shape {shape} and the type {kind}: no rows of {mode} {dtype}")
        asked.target, asked.target_stride = ffi.cast("void *", address), strides[0]
        asked.target_height, asked.target_width = shape[:2]

    def thumbnail(
        self, source: Any, size: Any = 256, *, format: str | None = "jpeg", quality: float | None = None, fit: str = "fit",
        options: dict | None = None, **request: Any,
    ) -> bytes:
        """The file of a thumbnail: upright, in sRGB, without Exif. What is damaged is made of what is there, unless strict."""
        (given, kept), (asked, names) = source_of(source), request_of(size=size, fit=fit, **request)
        encoding, words = encoding_of(format, quality, options=options)
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_thumbnail(self._handle, given, asked, encoding, data, error), error)
        return taken(data)

    def encode(self, image: Any, format: str | None = None, *, delays: Iterable[Any] = (), **encoding: Any) -> bytes:
        """Encodes an array or a Picture; a list of them is an animation, with delays in seconds. Pixels are not copied.

        quality: 0 to 1; lossless; icc, exif, xmp: bytes; loop: how often it plays, 0 without end; max_bytes; options: by name.
        """
        shown = [pixels_of(one) for one in (image if isinstance(image, (list, tuple)) else [image])]
        for (pixels, _), delay in zip(shown, delays):
            exact = Fraction(delay).limit_denominator(1_000_000)
            pixels.delay_numerator, pixels.delay_denominator = exact.numerator, exact.denominator
        given, words = encoding_of(format, **encoding)
        array = ffi.new("ic_pixels *[]", [pixels for pixels, _ in shown])
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_encode(self._handle, ffi.cast("ic_pixels **", array), len(shown), given, ffi.NULL, data, error), error)
        return taken(data)

    def open(self, source: Any, *, mode: str | None = "RGB", **request: Any) -> "File":
        """Opens a file for its frames, pages and metadata; arguments as for decode."""
        given, kept = source_of(source)
        asked, names = request_of(mode=mode, **request)
        made, error = ffi.new("ic_file **"), make("ic_error")
        check(lib.ic_open(self._handle, given, asked, made, error), error)
        return File(made[0], kept)

    def frames(self, source: Any, **request: Any) -> Iterator[Picture]:
        """The frames of an animation, each whole as it is shown."""
        with self.open(source, **request) as file:
            for index in range(file.info.frames):
                yield file.frame(index)

    def _batch(self, sources: list, operation: int, prepare, threads: int) -> tuple:
        jobs, kept, errors = ffi.new("ic_job[]", max(len(sources), 1)), [], []
        results = [Result(index) for index in range(len(sources))]
        for index, source in enumerate(sources):
            job, error = jobs[index], make("ic_error")
            job.size, job.operation, job.error = ffi.sizeof("ic_job"), operation, error
            errors.append(error)
            try:
                given = source_of(source)
            except (OSError, TypeError) as failure:
                results[index].error = error_of(lib.IC_IO, str(failure))
                continue
            job.source = given[0]
            kept += [given, prepare(index, job)]
        lib.ic_batch(self._handle, jobs, len(sources), threads, ffi.NULL)
        for index, result in enumerate(results):
            if result.error is None:
                result.error = problem_of(errors[index])
                result.value = jobs[index].status == 0
        return results, jobs, kept

    def decode_batch(
        self, sources: Iterable[Any], size: tuple[int, int] | int, *, mode: str = "RGB", dtype: str = "uint8", fit: str = "fit",
        out: Any = None, threads: int = 0, **request: Any,
    ) -> tuple[Any, list[Result]]:
        """Decodes files side by side into one array, N × height × width × channels, each into the corner of its place.

        out: that array; otherwise NumPy makes it, with zeros. threads: 0 for each processor. Nothing is raised for an item.
        """
        sources = list(sources)
        width, height = (size, size) if isinstance(size, int) else size
        if out is None:
            import numpy

            out = numpy.zeros((len(sources), height, width, len(mode)), dtype)
        address, shape, strides, kind, held = layout_of(out, writable=True)
        if len(shape) != 4 or shape[0] < len(sources):
            raise error_of(lib.IC_INVALID_ARGUMENT, f"out has the shape {shape}, {len(sources)} pictures are to come")

        def prepare(index, job):
            asked, names = request_of(size=(width, height), mode=mode, dtype=dtype, fit=fit, **request)
            self._aim(asked, address + index * strides[0], shape[1:], strides[1:], kind, mode, dtype)
            pixels = make("ic_pixels")
            job.request, job.pixels = asked, pixels
            return asked, names, pixels

        results, jobs, kept = self._batch(sources, lib.IC_JOB_DECODE, prepare, threads)
        for index, result in enumerate(results):
            if result.value:
                result.width, result.height = jobs[index].pixels.width, jobs[index].pixels.height
        return out, results

    def thumbnail_batch(
        self, sources: Iterable[Any], size: Any = 256, *, format: str | None = "jpeg", quality: float | None = None,
        fit: str = "fit", threads: int = 0, **request: Any,
    ) -> list[Result]:
        """Thumbnails of files side by side: a Result for each, with bytes or an error. Nothing is raised for an item."""
        asked, encoding = request_of(size=size, fit=fit, **request), encoding_of(format, quality)

        def prepare(index, job):
            data = make("ic_bytes")
            job.request, job.encoding, job.bytes = asked[0], encoding[0], data
            return data

        results, jobs, kept = self._batch(list(sources), lib.IC_JOB_THUMBNAIL, prepare, threads)
        for index, result in enumerate(results):
            result.value = taken(jobs[index].bytes) if result.value else None
        return results


class File:
    """A file that is open, for one thread at a time; ``with`` closes it. Pictures of it stay."""

    def __init__(self, handle, kept) -> None:
        # The bytes stay as long as the file.
        self._kept = kept
        self._handle = ffi.gc(handle, lib.ic_file_close)

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; a second time is nothing."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = self._kept = None

    def _open(self):
        if self._handle is None:
            raise error_of(lib.IC_OUT_OF_ORDER, "the file is closed")
        return self._handle

    @property
    def info(self) -> Info:
        info, error = make("ic_info"), make("ic_error")
        check(lib.ic_file_info(self._open(), info, error), error)
        return info_of(info)

    def frame(self, index: int) -> Picture:
        """A frame, from 0, whole as it is shown."""
        pixels, error = make("ic_pixels"), make("ic_error")
        check(lib.ic_file_frame(self._open(), index, pixels, error), error)
        return Picture(pixels, problem_of(error))

    def page(self, index: int) -> "File":
        """Another page, from 0, as a file of its own."""
        made, error = ffi.new("ic_file **"), make("ic_error")
        check(lib.ic_file_page(self._open(), index + 1, made, error), error)
        return File(made[0], self._kept)

    def metadata(self, kind: str) -> bytes | None:
        """A payload: ``exif``, ``icc``, ``xmp``, ``iptc``, …; None if there is none."""
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_file_metadata(self._open(), KINDS.get(kind, 0), data, error), error)
        return taken(data) or None

    def properties(self) -> dict:
        """What the metadata says, by the names that ImageIO has."""
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_file_properties(self._open(), data, error), error)
        return json.loads(taken(data))


class Feed:
    """A file that arrives piece by piece; arguments as for decode."""

    def __init__(self, *, mode: str | None = "RGB", registry: Registry | None = None, **request: Any) -> None:
        asked, names = request_of(mode=mode, **request)
        self._registry, made, error = registry or default(), ffi.new("ic_feed **"), make("ic_error")
        check(lib.ic_feed_new(self._registry._handle, asked, made, error), error)
        self._handle = ffi.gc(made[0], lib.ic_feed_free)

    def append(self, data: Any) -> None:
        """Appends the next bytes."""
        data, error = bytes(data), make("ic_error")
        check(lib.ic_feed_append(self._handle, ffi.from_buffer(data), len(data), error), error)

    def look(self) -> Picture | None:
        """The picture so far, or None before its first row."""
        pixels, error = make("ic_pixels"), make("ic_error")
        check(lib.ic_feed_look(self._handle, pixels, error), error)
        return Picture(pixels, problem_of(error)) if pixels.data else None

    def finish(self) -> Picture:
        """The picture, once all bytes have come."""
        pixels, error = make("ic_pixels"), make("ic_error")
        check(lib.ic_feed_finish(self._handle, pixels, error), error)
        return Picture(pixels, problem_of(error))


_default: Registry | None = None


def default() -> Registry:
    """The registry of the functions of this module: the coders inside of the library, the policy ``standard``."""
    global _default
    if _default is None:
        _default = Registry()
    return _default


def _of_default(name: str):
    def call(*arguments: Any, **names: Any) -> Any:
        return getattr(default(), name)(*arguments, **names)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = getattr(Registry, name).__doc__
    return call


probe, decode, thumbnail, encode = map(_of_default, ("probe", "decode", "thumbnail", "encode"))
open, frames, formats = map(_of_default, ("open", "frames", "formats"))
decode_batch, thumbnail_batch = map(_of_default, ("decode_batch", "thumbnail_batch"))
