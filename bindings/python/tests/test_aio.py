# SPDX-License-Identifier: Apache-2.0
import asyncio
import io
import threading

import numpy
import pytest
from conftest import FIXTURES

import imagecoders as ic
from imagecoders import aio

PNG = FIXTURES / "png/valid/rgb8.png"
PPM = b"P6 2 1 255\n\x01\x02\x03\xfd\xfe\xff"


def test_calls_give_what_they_give_without_asyncio():
    async def main():
        frames = [numpy.full((4, 4, 3), shade, "uint8") for shade in (0, 128)]
        data = await aio.encode(frames, "png", delays=[0.1, 0.2])
        shades = [numpy.asarray(frame)[0, 0, 0] async for frame in aio.frames(data)]
        out = numpy.zeros((4, 4, 3), "uint8")
        return (
            await aio.probe(PNG), await aio.decode(PNG, size=8), await aio.thumbnail(PNG, 8), shades,
            await aio.decode(PPM, out=out) is out, (await aio.thumbnail_batch([PNG, "/nowhere"], 8))[1].error.code,
            (await aio.decode_batch([PPM], 2))[0].tolist())

    info, picture, small, shades, is_out, code, batch = asyncio.run(main())
    assert info == ic.probe(PNG) and (numpy.asarray(picture) == numpy.asarray(ic.decode(PNG, size=8))).all()
    assert (small, shades, is_out, code) == (ic.thumbnail(PNG, 8), [0, 128], True, "io")
    assert batch == [[[[1, 2, 3], [253, 254, 255]], [[0, 0, 0], [0, 0, 0]]]]


def test_errors_are_raised():
    with pytest.raises(ic.UnsupportedError):
        asyncio.run(aio.decode(b"no picture at all"))


def test_results_come_in_order_with_a_limit_of_concurrency():
    begun, most, in_work = [], 0, 0

    async def call(item):
        nonlocal most, in_work
        begun.append(item)
        in_work += 1
        most = max(most, in_work)
        # Later ones end first, and a fourth one would have begun meanwhile.
        for _ in range(60 - 15 * (item % 4)):
            await asyncio.sleep(0)
        in_work -= 1
        if item == 5:
            await aio.decode(b"no picture at all")
        return item * 10

    async def main():
        return [
            (result.index, result.value, result.error and result.error.code)
            async for result in aio.results(range(20), call, 3)]

    assert asyncio.run(main()) == [(index, *((None, "noCoder") if index == 5 else (index * 10, None))) for index in range(20)]
    assert most == 3 and begun == list(range(20))


def test_batches_of_sources_that_arrive():
    async def arriving():
        for source in (PNG, b"no picture at all", PNG.read_bytes()[:-60]):
            yield source

    async def main():
        pictures = [result async for result in aio.pictures(arriving(), size=8, concurrency=2)]
        return pictures, [result async for result in aio.thumbnails([PNG, "/nowhere"], 8)]

    pictures, thumbnails = asyncio.run(main())
    assert [(result.width, result.error and result.error.code) for result in pictures] == [(8, None), (0, "noCoder"), (8, "truncated")]
    assert thumbnails[0].value == ic.thumbnail(PNG, 8) and thumbnails[1].error.code == "io"


def test_cancelling_the_task_reaches_the_work():
    begun, ended = threading.Event(), threading.Event()

    def work(cancel):
        begun.set()
        for _ in range(10_000):
            if cancel.is_set:
                ended.set()
                break
            ended.wait(0.001)

    async def main():
        task = asyncio.create_task(aio.Coders(threads=1).run(work))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(ended.wait, 10)

    asyncio.run(main())


def test_cancel_stops_synchronous_calls():
    cancel = ic.Cancel()
    assert ic.decode(PPM, cancel=cancel).width == 2 and not cancel.is_set
    cancel.set()
    assert cancel.is_set
    for call in (
        lambda: ic.decode(PNG, cancel=cancel), lambda: ic.thumbnail(PNG, cancel=cancel),
        lambda: ic.encode(numpy.zeros((9, 9, 3), "uint8"), "png", cancel=cancel),
    ):
        with pytest.raises(ic.EnvironmentFailure) as caught:
            call()
        assert caught.value.code == "cancelled"
    results = ic.thumbnail_batch([PNG, PNG], cancel=cancel)
    assert [result.error.code for result in results] == ["cancelled"] * 2


class CancelsWhenRead(io.BytesIO):
    """A file that cancels the call which reads it, in the midst of its bytes."""

    def __init__(self, data, cancel):
        super().__init__(data)
        self.cancel, self.reads = cancel, 0

    def read(self, count=-1):
        self.reads += 1
        if super().tell() > 100_000:
            self.cancel.set()
        return super().read(count)


def test_cancel_stops_a_call_that_runs():
    data = ic.encode(numpy.random.default_rng(1).integers(0, 255, (800, 1000, 3), "uint8"), "png")
    cancel = ic.Cancel()
    file = CancelsWhenRead(data, cancel)
    with pytest.raises(ic.EnvironmentFailure) as caught:
        ic.decode(file, cancel=cancel)
    assert caught.value.code == "cancelled" and file.reads > 1
