# SPDX-License-Identifier: Apache-2.0
"""The functions of this package for asyncio: they block no event loop, and stop when their task is cancelled.

    from imagecoders import aio
    picture = await aio.decode("photo.heic", size=256)
    async for result in aio.thumbnails(paths, 256, concurrency=8): ...

Work runs on threads of its own, as many as the machine has processors; what is more waits, first come, first served.
"""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping, TypeVar, overload

from .errors import CoderError
from .picture import Info, Picture
from .registry import Array, Registry, Result, default
from .requests import Cancel, DecodeOptions, Dtype, EncodeOptions, Fit, Mode, PictureOptions, Size, cancelled
from .sources import Source

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

Value = TypeVar("Value")
Item = TypeVar("Item")


class Coders:
    """A registry whose calls are awaited, and the threads that do them.

    registry: None for the default one. threads: how many calls run at a time; 0: one for each processor.
    """

    def __init__(self, registry: Registry | None = None, threads: int = 0) -> None:
        self._registry = registry or default()
        self._threads = threads or len(os.sched_getaffinity(0))
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._process = 0

    def _pool(self) -> ThreadPoolExecutor:
        with self._lock:
            # A child of fork() has none of the threads of its parent.
            if self._executor is None or self._process != os.getpid():
                self._executor = ThreadPoolExecutor(self._threads, thread_name_prefix="imagecoders")
                self._process = os.getpid()
            return self._executor

    async def run(self, call: Callable[..., Value], *arguments: Any, cancel: Cancel | None = None, **names: Any) -> Value:
        """Runs a call that takes ``cancel`` on a thread. When the task is cancelled, the flag is set, and the call ends soon."""
        flag = cancel or Cancel()

        def work() -> Value:
            if flag.is_set:
                raise cancelled()
            return call(*arguments, cancel=flag, **names)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool(), work)
        except asyncio.CancelledError:
            flag.set()
            raise

    async def probe(self, source: Source) -> Info:
        """As ``Registry.probe``."""
        return await self.run(lambda cancel: self._registry.probe(source))

    @overload
    async def decode(
        self, source: Source, *, mode: Mode | None = "RGB", out: None = None, **request: Unpack[DecodeOptions]
    ) -> Picture: ...

    @overload
    async def decode(self, source: Source, *, mode: Mode = "RGB", out: Array, **request: Unpack[DecodeOptions]) -> Array: ...

    async def decode(self, source: Source, *, mode: Any = "RGB", out: Any = None, **request: Unpack[DecodeOptions]) -> Any:
        """As ``Registry.decode``."""
        return await self.run(self._registry.decode, source, mode=mode, out=out, **request)

    async def thumbnail(
        self, source: Source, size: Size = 256, *, format: str | None = "jpeg", quality: float | None = None, fit: Fit = "fit",
        options: Mapping[str, Any] | None = None, **request: Unpack[PictureOptions],
    ) -> bytes:
        """As ``Registry.thumbnail``."""
        call = functools.partial(self._registry.thumbnail, format=format, quality=quality, fit=fit, options=options)
        return await self.run(call, source, size, **request)

    async def encode(
        self, image: Any, format: str | None = None, *, delays: Iterable[Any] = (), cancel: Cancel | None = None,
        **encoding: Unpack[EncodeOptions],
    ) -> bytes:
        """As ``Registry.encode``."""
        return await self.run(self._registry.encode, image, format, delays=delays, cancel=cancel, **encoding)

    @overload
    async def decode_batch(
        self, sources: Iterable[Source], size: Size, *, mode: Mode = "RGB", dtype: Dtype = "uint8", fit: Fit = "fit",
        out: None = None, threads: int = 0, **request: Unpack[PictureOptions],
    ) -> tuple[numpy.ndarray[Any, Any], list[Result[bool]]]: ...

    @overload
    async def decode_batch(
        self, sources: Iterable[Source], size: Size, *, mode: Mode = "RGB", dtype: Dtype = "uint8", fit: Fit = "fit",
        out: Array, threads: int = 0, **request: Unpack[PictureOptions],
    ) -> tuple[Array, list[Result[bool]]]: ...

    async def decode_batch(
        self, sources: Iterable[Source], size: Size, *, mode: Mode = "RGB", dtype: Dtype = "uint8", fit: Fit = "fit",
        out: Any = None, threads: int = 0, **request: Unpack[PictureOptions],
    ) -> tuple[Any, list[Result[bool]]]:
        """As ``Registry.decode_batch``. When the task is cancelled, files that have not begun are left out."""
        call = functools.partial(self._registry.decode_batch, mode=mode, dtype=dtype, fit=fit, out=out, threads=threads)
        return await self.run(call, sources, size, **request)

    async def thumbnail_batch(
        self, sources: Iterable[Source], size: Size = 256, *, format: str | None = "jpeg", quality: float | None = None,
        fit: Fit = "fit", threads: int = 0, options: Mapping[str, Any] | None = None, **request: Unpack[PictureOptions],
    ) -> list[Result[bytes]]:
        """As ``Registry.thumbnail_batch``."""
        call = functools.partial(
            self._registry.thumbnail_batch, format=format, quality=quality, fit=fit, threads=threads, options=options)
        return await self.run(call, sources, size, **request)

    async def frames(self, source: Source, *, mode: Mode | None = "RGB", **request: Unpack[DecodeOptions]) -> AsyncIterator[Picture]:
        """The frames of an animation, each decoded when it is asked for."""
        file = await self.run(self._registry.open, source, mode=mode, **request)
        for index in range(file.info.frames):
            yield await self.run(lambda cancel, index=index: file.frame(index))

    async def thumbnails(
        self, sources: Iterable[Source] | AsyncIterable[Source], size: Size = 256, *, concurrency: int = 0, **options: Any
    ) -> AsyncIterator[Result[bytes]]:
        """A Result for each source, in order, with ``concurrency`` of them in work (0: as many as threads). Nothing is raised.

        options: as for ``thumbnail``.
        """
        call = functools.partial(self.thumbnail, size=size, **options)
        async for result in results(sources, call, concurrency or self._threads):
            yield result

    async def pictures(
        self, sources: Iterable[Source] | AsyncIterable[Source], *, concurrency: int = 0, **options: Any
    ) -> AsyncIterator[Result[Picture]]:
        """A Result with a Picture for each source, in order; options as for ``decode``."""
        call: Callable[[Source], Awaitable[Picture]] = functools.partial(self.decode, **options)
        async for result in results(sources, call, concurrency or self._threads):
            if result.value is not None:
                result.error = result.value.problem
                result.width, result.height = result.value.width, result.value.height
            yield result


async def results(
    items: Iterable[Item] | AsyncIterable[Item], call: Callable[[Item], Awaitable[Value]], concurrency: int
) -> AsyncIterator[Result[Value]]:
    """What a call makes of each item, in order, with at most ``concurrency`` items in work; errors of coders are results."""
    waiting: list[asyncio.Task[Result[Value]]] = []

    async def result(index: int, item: Item) -> Result[Value]:
        try:
            return Result(index, await call(item))
        except CoderError as error:
            return Result(index, error=error)

    try:
        index = 0
        async for item in each(items):
            if len(waiting) >= concurrency:
                yield await waiting.pop(0)
            waiting.append(asyncio.create_task(result(index, item)))
            index += 1
        while waiting:
            yield await waiting.pop(0)
    finally:
        for task in waiting:
            task.cancel()


async def each(items: Iterable[Item] | AsyncIterable[Item]) -> AsyncIterator[Item]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


_default = Coders()
probe, decode, thumbnail, encode, frames = (
    _default.probe, _default.decode, _default.thumbnail, _default.encode, _default.frames)
decode_batch, thumbnail_batch = _default.decode_batch, _default.thumbnail_batch
thumbnails, pictures = _default.thumbnails, _default.pictures
