# SPDX-License-Identifier: Apache-2.0
"""A client of the example server, for attacks.py and operation.py, whose second argument is an object of JSON with the server's
`port`, a `key`, and the path of a `small` picture and of a `slow` one, which takes long to write as AVIF.
"""

import base64
import hashlib
import hmac
import http.client
import json
import socket
import sys
import time
import urllib.parse

HOST = "127.0.0.1"
settings = json.loads(sys.argv[2])
with open(settings["small"], "rb") as file:
    SMALL = file.read()


def sign(parameters, is_upload):
    """The path of a request, signed as README.md of the server says."""
    lines = (["POST /thumbnail"] if is_upload else []) + [f"{name}={parameters[name]}" for name in sorted(parameters)]
    code = hmac.new(settings["key"].encode(), "\n".join(lines).encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(code).decode().rstrip("=")
    return ("/thumbnail?" if is_upload else "/?") + urllib.parse.urlencode({**parameters, "s": signature})


def upload_path(**parameters):
    return sign({"w": "8", **parameters}, True)


def link(url, **parameters):
    return sign({"url": url, "w": "8", **parameters}, False)


def connect():
    return socket.create_connection((HOST, settings["port"]), timeout=60)


def read_all(connection):
    """What comes until the server closes, and how long that takes."""
    start, got = time.monotonic(), b""
    try:
        while part := connection.recv(65536):
            got += part
    except ConnectionError:
        pass
    return got, time.monotonic() - start


def request(method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(HOST, settings["port"], timeout=60)
    connection.request(method, path, body=body, headers=headers or {})
    answer = connection.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def head_of_upload(path, length):
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode()


def begin_slow_picture():
    """Sends a whole picture that takes long to be made; the answer has not come."""
    with open(settings["slow"], "rb") as file:
        body = file.read()
    connection = connect()
    path = sign({"w": "4000", "h": "4000", "format": "avif"}, True)
    connection.sendall(head_of_upload(path, len(body)) + body)
    return connection
