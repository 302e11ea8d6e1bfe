# SPDX-License-Identifier: Apache-2.0
import asyncio
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
    running, most, lock, together = 0, 0, threading.Lock(), threading.Barrier(3)

    def work(item, cancel):
        nonlocal running, most
        with lock:
            running, most = running + 1, max(most, running + 1)
        if item < 3:
            together.wait(10)
        with lock:
            running -= 1
        if item == 5:
            ic.decode(b"no picture at all")
        return item * 10

    async def main():
        coders = aio.Coders(threads=8)
        return [
            (result.index, result.value, result.error and result.error.code)
            async for result in aio.results(range(20), lambda item: coders.run(work, item), 3)]

    assert asyncio.run(main()) == [(index, *((None, "noCoder") if index == 5 else (index * 10, None))) for index in range(20)]
    assert most == 3


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
        while not cancel.is_set:
            ended.wait(0.001)
        ended.set()

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


def test_cancel_stops_a_call_that_runs():
    noise = numpy.random.default_rng(1).integers(0, 255, (1500, 2000, 3), "uint8")
    cancel, caught = ic.Cancel(), []

    def work():
        try:
            # Half a minute, if nobody stopped it.
            ic.encode(noise, "jxl", lossless=True, options={"effort": 9}, cancel=cancel)
        except ic.CoderError as error:
            caught.append(error.code)

    thread = threading.Thread(target=work)
    thread.start()
    cancel.set()
    thread.join()
    assert caught == ["cancelled"]
