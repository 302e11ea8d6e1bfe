# SPDX-License-Identifier: Apache-2.0
"""The service of Examples/Server over libvips: `python pyvips_server.py PORT`."""

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor

# As many pictures at a time as there are processors, a thread each, as libvips' documentation advises for servers.
os.environ.setdefault("VIPS_CONCURRENCY", "1")

import aiohttp
import pyvips
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

# The cache of operations keeps pictures that no later request can use.
pyvips.cache_set_max(0)
workers = ThreadPoolExecutor(len(os.sched_getaffinity(0)))


def small(body, width, height):
    picture = pyvips.Image.thumbnail_buffer(body, width, height=height)
    return picture.jpegsave_buffer(Q=85, strip=True, background=255)


async def thumbnail(request):
    body = await request.body()
    width, height = int(request.query_params.get("w", 300)), int(request.query_params.get("h", 300))
    try:
        answer = await asyncio.get_running_loop().run_in_executor(workers, small, body, width, height)
    except pyvips.Error as error:
        return PlainTextResponse(str(error), 422)
    return Response(answer, media_type="image/jpeg")


async def remote(request):
    if not hasattr(service.state, "session"):
        service.state.session = aiohttp.ClientSession()
    async with service.state.session.get(request.query_params["url"]) as response:
        body = await response.read()
    width, height = int(request.query_params["w"]), int(request.query_params["h"])
    answer = await asyncio.get_running_loop().run_in_executor(workers, small, body, width, height)
    return Response(answer, media_type="image/jpeg")


async def health(_):
    return PlainTextResponse("ok\n")


service = Starlette(
    routes=[Route("/thumbnail", thumbnail, methods=["POST"]), Route("/", remote), Route("/health", health)])
uvicorn.run(service, port=int(sys.argv[1]), loop="uvloop", http="httptools", access_log=False, log_level="warning")
