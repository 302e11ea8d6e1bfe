# SPDX-License-Identifier: Apache-2.0
"""Registries, and what they make of files."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING, Any, Callable, Generic, Iterable, Iterator, Literal, Mapping, NamedTuple, Sequence, TypeVar, overload,
)

from ._native import ffi, lib
from .arrays import aim, layout_of, pixels_of, set_delay
from .errors import CoderError
from .files import File
from .native import check, chosen, error_of, invalid, make, problem_of, taken
from .picture import Info, Picture, info_of
from .requests import (
    Cancel, ConvertOptions, DecodeOptions, Dtype, EncodeOptions, Fit, Limits, Mode, PictureOptions, Size, box_of, encoding_of,
    handle_of, request_of,
)
from .sources import Sink, Source, sink_of, source_of

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

Isolation = Literal["off", "preferred", "required", "strict"]
ISOLATION = {"off": 0, "preferred": 1, "required": 2, "strict": 3}
Value = TypeVar("Value")
Array = TypeVar("Array")


@dataclass
class Result(Generic[Value]):
    """What became of one item of a batch: a value, or an error. With a value, error is what is missing of the picture, or None."""

    index: int
    value: Value | None = None
    error: CoderError | None = None
    width: int = 0
    height: int = 0


class Converted(NamedTuple):
    """A file that was made of another: its bytes, empty if they went elsewhere; the report, as ``coders convert --json`` prints it;
    and what is missing of the picture that was read, or None."""

    data: bytes
    report: dict[str, Any]
    problem: CoderError | None = None


def _remade(kind: type[Registry], *made_of: Any) -> Registry:
    return kind(*made_of[:4], worker=made_of[4], library_folder=made_of[5])


class Registry:
    """Coders with what they may do; used by any number of threads.

    policy: ``standard``, ``trusted``, ``web``, ``thumbnailer``, or the path of a file. plugins: whether installed plugins are looked
    for; folders: further places of plugins. isolation: ``off``, ``preferred``, ``required``, ``strict``. Of the whole process, None
    leaves what was named before: worker, the program that coders are isolated in, at first the package's own; library_folder, where
    ``libheif.so.1`` is loaded from to write HEIC, at first nowhere.
    """

    def __init__(
        self, policy: str | None = None, plugins: bool = False, folders: Iterable[str] = (), isolation: Isolation = "off",
        *, worker: str | None = None, library_folder: str | None = None,
    ) -> None:
        self._made_of = (policy, plugins, tuple(folders), isolation, worker, library_folder)
        options, kept = make("ic_registry_options"), []
        options.isolation = chosen(ISOLATION, isolation, "isolation")
        options.flags = lib.IC_PLUGINS if plugins else 0
        for name, value in (("policy", policy), ("worker", worker), ("library_folder", library_folder)):
            if value is not None:
                kept.append(ffi.new("char[]", value.encode()))
                setattr(options, name, kept[-1])
        names = [ffi.new("char[]", folder.encode()) for folder in self._made_of[2]]
        array = ffi.new("char *[]", names) if names else ffi.NULL
        options.plugin_folders, options.folder_count = array, len(names)
        made, error = ffi.new("ic_registry **"), make("ic_error")
        check(lib.ic_registry_new(options, made, error), error)
        self._handle = ffi.gc(made[0], lib.ic_registry_free)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), *self._made_of)

    def formats(self) -> list[dict[str, Any]]:
        """The formats: dictionaries with format, name, extension, media_type, reads, writes."""
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_registry_formats(self._handle, data, error), error)
        found: list[dict[str, Any]] = json.loads(taken(data))
        return found

    def probe(self, source: Source) -> Info:
        """Reads the header of a file, which is a few kilobytes of it."""
        (given, kept), info, error = source_of(source), make("ic_info"), make("ic_error")
        check(lib.ic_probe(self._handle, given, ffi.NULL, info, error), error)
        return info_of(info)

    @overload
    def decode(
        self, source: Source, *, mode: Mode | None = "RGB", out: None = None, **request: Unpack[DecodeOptions]
    ) -> Picture: ...

    @overload
    def decode(self, source: Source, *, mode: Mode = "RGB", out: Array, **request: Unpack[DecodeOptions]) -> Array: ...

    def decode(self, source: Source, *, mode: Mode | None = "RGB", out: Any = None, **request: Unpack[DecodeOptions]) -> Any:
        """Decodes a picture, or the first frame of an animation.

        size: a side or (width, height) that the picture has to fit; fit: ``fit``, ``fill``, ``stretch``; mode: ``L``, ``LA``, ``RGB``,
        ``RGBA``, ``BGRA``, or None for that of the file; dtype: ``uint8``, ``uint16``, with RGBA also ``float16``, ``float32``;
        color: ``srgb``, ``stored``, ``p3``, …; page: from 0; strict: damage is an error; limits: max_pixels, max_memory,
        max_milliseconds, max_frames, formats; cancel: stops it. out: an array or a tensor of height × width × channels that is written
        to, in its top left corner; it is returned then.
        """
        given, kept = source_of(source)
        asked, names = request_of(mode=mode, **request)
        pixels, error = make("ic_pixels"), make("ic_error")
        if out is not None:
            if mode is None:
                raise invalid("out needs a mode")
            held = layout_of(out, writable=True)
            aim(asked, held, mode, request.get("dtype", "uint8"))
        check(lib.ic_decode(self._handle, given, asked, pixels, error), error)
        return out if out is not None else Picture(pixels, problem_of(error))

    def thumbnail(
        self, source: Source, size: Size = 256, *, format: str | None = "jpeg", quality: float | None = None, fit: Fit = "fit",
        options: Mapping[str, Any] | None = None, **request: Unpack[PictureOptions],
    ) -> bytes:
        """The file of a thumbnail: upright, in sRGB, without Exif. What is damaged is made of what is there, unless strict.

        size: a side or (width, height) in pixels; quality: 0 to 1; options: of the format's writer, by name.
        """
        (given, kept), (asked, names) = source_of(source), request_of(size=size, fit=fit, **request)
        encoding, words = encoding_of(format, quality, options=options)
        data, error = make("ic_bytes"), make("ic_error")
        check(lib.ic_thumbnail(self._handle, given, asked, encoding, data, error), error)
        return taken(data)

    def encode(
        self, image: Any, format: str | None = None, *, delays: Iterable[Any] = (), pages: bool = False,
        cancel: Cancel | None = None, **encoding: Unpack[EncodeOptions],
    ) -> bytes:
        """Encodes an array, a tensor or a Picture; a list of them is an animation, with delays in seconds. Pixels are not copied.

        pages: whether a list is of pages, not of frames. quality: 0 to 1; lossless; icc, exif, xmp: bytes; loop: how often it plays, 0 without end; max_bytes; options: by name.
        """
        shown = [pixels_of(one) for one in (image if isinstance(image, (list, tuple)) else [image])]
        for (pixels, _), delay in zip(shown, delays):
            set_delay(pixels, delay)
        given, words = encoding_of(format, pages=len(shown) if pages else 0, **encoding)
        array = ffi.new("ic_pixels *[]", [pixels for pixels, _ in shown])
        data, error = make("ic_bytes"), make("ic_error")
        frames, stop = ffi.cast("ic_pixels **", array), handle_of(cancel)
        check(lib.ic_encode(self._handle, frames, len(shown), given, stop, data, error), error)
        return taken(data)

    def convert(
        self, source: Source, format: str | None = None, *, to: Sink | None = None, **options: Unpack[ConvertOptions]
    ) -> Converted:
        """Makes a file of another format, and keeps what it states and carries: frames, pages, metadata, colors, gain maps.

        Where bytes can stay as they are, they do; a JPEG becomes a JPEG XL without loss. to: a path, or an object with ``write()``;
        without, the bytes are in the result. format: an extension or a name; None: that of the path.
        """
        writing: dict[str, Any] = dict(options)
        reading = {name: writing.pop(name) for name in ("size", "fit", "page", "strict", "limits", "cancel") if name in writing}
        (given, kept), (asked, names), (sink, held) = source_of(source), request_of(**reading), sink_of(to)
        encoding, words = encoding_of(format, **writing)
        data, report, error = make("ic_bytes"), make("ic_bytes"), make("ic_error")
        check(lib.ic_convert(self._handle, given, asked, encoding, sink, data, report, error), error)
        return Converted(taken(data), json.loads(taken(report) or b"{}"), problem_of(error))

    def operate(
        self, source: Source, operation: Mapping[str, Any], *, to: Sink | None = None, limits: Limits | None = None,
        strict: bool = False, cancel: Cancel | None = None,
    ) -> Converted:
        """Works on a whole file without decoding its pixels: ``{"operation": "turn", "values": {"orientation": 6}}``.

        The operations and their values are those of ``coders operations``. to: as for convert.
        """
        (given, kept), (sink, held) = source_of(source), sink_of(to)
        asked, names = request_of(limits=limits, strict=strict, cancel=cancel)
        data, report, error = make("ic_bytes"), make("ic_bytes"), make("ic_error")
        words = ffi.new("char[]", json.dumps(operation).encode())
        check(lib.ic_operate(self._handle, given, asked, words, sink, data, report, error), error)
        return Converted(taken(data), json.loads(taken(report) or b"{}"), problem_of(error))

    def edit_metadata(
        self, source: Source, *, strip: Iterable[str] = (), set: Mapping[str, Any] | None = None, to: Sink | None = None,
        limits: Limits | None = None, strict: bool = False, cancel: Cancel | None = None,
    ) -> Converted:
        """Removes and sets metadata, and leaves the pixels' bytes alone: ``strip=["gps"], set={"Copyright": "A. Author"}``.

        The names are those of ``coders metadata``. to: as for convert.
        """
        edit: dict[str, Any] = {"strip": list(strip)} if strip else {}
        if set:
            edit["set"] = dict(set)
        return self.operate(source, edit, to=to, limits=limits, strict=strict, cancel=cancel)

    def open(self, source: Source, *, mode: Mode | None = "RGB", **request: Unpack[DecodeOptions]) -> File:
        """Opens a file for its frames, pages and metadata; arguments as for decode."""
        given, kept = source_of(source)
        asked, names = request_of(mode=mode, **request)
        made, error = ffi.new("ic_file **"), make("ic_error")
        check(lib.ic_open(self._handle, given, asked, made, error), error)
        return File(made[0], (kept, names))

    def frames(self, source: Source, *, mode: Mode | None = "RGB", **request: Unpack[DecodeOptions]) -> Iterator[Picture]:
        """The frames of an animation, each whole as it is shown."""
        with self.open(source, mode=mode, **request) as file:
            for index in range(file.info.frames):
                yield file.frame(index)

    def _batch(
        self, sources: Sequence[Source], operation: int, prepare: Callable[[int, Any], Any], threads: int, cancel: Cancel | None
    ) -> tuple[list[Result[Any]], Any, Any]:
        jobs, kept, errors = ffi.new("ic_job[]", max(len(sources), 1)), [], []
        results: list[Result[Any]] = [Result(index) for index in range(len(sources))]
        for index, source in enumerate(sources):
            job, error = jobs[index], make("ic_error")
            job.size, job.operation, job.error = ffi.sizeof("ic_job"), operation, error
            errors.append(error)
            try:
                given = source_of(source, is_shared=True)
            except (OSError, TypeError, ValueError) as failure:
                results[index].error = error_of(lib.IC_IO, str(failure))
                continue
            job.source = given[0]
            kept += [given, prepare(index, job)]
        lib.ic_batch(self._handle, jobs, len(sources), threads, handle_of(cancel))
        for index, result in enumerate(results):
            if result.error is None:
                result.error = problem_of(errors[index])
                result.value = jobs[index].status == 0
        return results, jobs, kept

    @overload
    def decode_batch(
        self, sources: Iterable[Source], size: Size, *, mode: Mode = "RGB", dtype: Dtype = "uint8", fit: Fit = "fit",
        out: None = None, threads: int = 0, **request: Unpack[PictureOptions],
    ) -> tuple[numpy.ndarray[Any, Any], list[Result[bool]]]: ...

    @overload
    def decode_batch(
        self, sources: Iterable[Source], size: Size, *, mode: Mode = "RGB", dtype: Dtype = "uint8", fit: Fit = "fit",
        out: Array, threads: int = 0, **request: Unpack[PictureOptions],
    ) -> tuple[Array, list[Result[bool]]]: ...

    def decode_batch(
        self, sources: Iterable[Source], size: Size, *, mode: Mode = "RGB", dtype: Dtype = "uint8", fit: Fit = "fit",
        out: Any = None, threads: int = 0, **request: Unpack[PictureOptions],
    ) -> tuple[Any, list[Result[bool]]]:
        """Decodes files side by side into one array, N × height × width × channels, each into the corner of its place.

        out: that array or tensor; otherwise NumPy makes it, with zeros. threads: 0 for each processor. Nothing is raised for an item.
        """
        sources = list(sources)
        width, height = box_of(size)
        if out is None:
            import numpy

            out = numpy.zeros((len(sources), height, width, len(mode))[: 3 if mode == "L" else 4], dtype)
        whole = layout_of(out, writable=True)
        if len(whole.shape) not in (3, 4) or whole.shape[0] < len(sources):
            raise invalid(f"out has the shape {whole.shape}, {len(sources)} pictures are to come")

        def prepare(index: int, job: Any) -> Any:
            asked, names = request_of(size=(width, height), mode=mode, dtype=dtype, fit=fit, **request)
            place = whole._replace(
                address=whole.address + index * whole.strides[0], shape=whole.shape[1:], strides=whole.strides[1:])
            aim(asked, place, mode, dtype)
            pixels = make("ic_pixels")
            job.request, job.pixels = asked, pixels
            return asked, names, pixels

        results, jobs, kept = self._batch(sources, lib.IC_JOB_DECODE, prepare, threads, request.get("cancel"))
        for index, result in enumerate(results):
            if result.value:
                result.width, result.height = jobs[index].pixels.width, jobs[index].pixels.height
        return out, results

    def thumbnail_batch(
        self, sources: Iterable[Source], size: Size = 256, *, format: str | None = "jpeg", quality: float | None = None,
        fit: Fit = "fit", threads: int = 0, options: Mapping[str, Any] | None = None, **request: Unpack[PictureOptions],
    ) -> list[Result[bytes]]:
        """Thumbnails of files side by side: a Result for each, with bytes or an error. Nothing is raised for an item."""
        asked, encoding = request_of(size=size, fit=fit, **request), encoding_of(format, quality, options=options)

        def prepare(index: int, job: Any) -> Any:
            data = make("ic_bytes")
            job.request, job.encoding, job.bytes = asked[0], encoding[0], data
            return data

        results, jobs, kept = self._batch(list(sources), lib.IC_JOB_THUMBNAIL, prepare, threads, request.get("cancel"))
        for index, result in enumerate(results):
            result.value = taken(jobs[index].bytes) if result.value else None
        return results


class DefaultRegistry(Registry):
    """The coders inside of the library, with the policy ``standard``; made when it is first used."""

    _lock = threading.Lock()

    def __init__(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        # Called once: afterwards, the handle is there.
        if name not in ("_handle", "_made_of"):
            raise AttributeError(name)
        with self._lock:
            if name not in self.__dict__:
                super().__init__()
        return self.__dict__[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return default, ()


_default = DefaultRegistry()


def default() -> Registry:
    """The registry of the functions of this module: the coders inside of the library, the policy ``standard``."""
    return _default


probe, decode, thumbnail, encode = _default.probe, _default.decode, _default.thumbnail, _default.encode
convert, edit_metadata, operate = _default.convert, _default.edit_metadata, _default.operate
open, frames, formats = _default.open, _default.frames, _default.formats
decode_batch, thumbnail_batch = _default.decode_batch, _default.thumbnail_batch
