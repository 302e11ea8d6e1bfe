# SPDX-License-Identifier: Apache-2.0
"""Pictures that both servers fetch: `python origin.py PORT FOLDER`. A file has as many addresses as one likes: `/NAME?N`."""

import pathlib
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

files = {}


async def picture(request):
    name = request.path_params["name"]
    if name not in files:
        files[name] = (pathlib.Path(sys.argv[2]) / pathlib.Path(name).name).read_bytes()
    return Response(files[name], media_type="application/octet-stream", headers={"Cache-Control": "max-age=600"})


async def health(_):
    return PlainTextResponse("ok\n")


service = Starlette(routes=[Route("/health", health), Route("/{name}", picture)])
uvicorn.run(service, port=int(sys.argv[1]), loop="uvloop", http="httptools", access_log=False, log_level="warning")
