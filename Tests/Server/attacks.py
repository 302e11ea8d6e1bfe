# SPDX-License-Identifier: Apache-2.0
"""Attacks the example server: `attacks.py ATTACK SETTINGS`, of which SETTINGS is an object of JSON.

SETTINGS has what client.py needs, `silence` and `seconds` as limits of time, and `pictures` places; `origin` is the port of origin.py,
`log` its log. Each attack ends with status 0 if the server held.
"""

import socket
import sys
import threading
import time
import urllib.parse

from client import HOST, SMALL, begin_slow_picture, connect, head_of_upload, link, read_all, request, settings, sign, upload_path


def small_upload():
    return request("POST", upload_path(), body=SMALL)[0]


def holds():
    """The server still does its work."""
    found = request("GET", "/health")[0], small_upload()
    assert found == (200, 200), f"then an honest client gets {found}"


def trickle(connection, text, every, stop):
    """Sends a byte at a time, until the server closes."""
    for byte in text:
        if stop.wait(every):
            return
        try:
            connection.sendall(bytes([byte]))
        except OSError:
            return


def slow(head, most, every=0.3, expected=None):
    """A client that sends slowly what never ends: it is closed within a time."""
    stop = threading.Event()
    with connect() as connection:
        connection.sendall(head)
        writer = threading.Thread(target=trickle, args=(connection, b"x" * 100_000, every, stop))
        writer.start()
        got, seconds = read_all(connection)
        stop.set()
        writer.join()
    assert seconds <= most, f"closed after {seconds:.1f} s, more than {most}"
    if expected:
        assert got.split(b"\r\n")[0].split(b" ")[1] == expected, got[:200]


def slow_heads():
    many = [connect() for _ in range(200)]
    for connection in many:
        connection.sendall(b"POST /thumbnail?w=8 HTTP/1.1\r\nHost: x\r\nX-Slow: ")
    holds()
    slow(b"POST /thumbnail?w=8 HTTP/1.1\r\nHost: x\r\nX-Slow: ", settings["silence"] + 2)
    for connection in many:
        connection.settimeout(settings["silence"] + 2)
        assert read_all(connection)[1] <= settings["silence"] + 2
        connection.close()


def slow_bodies():
    most = settings["seconds"] + settings["silence"] + 2
    slow(head_of_upload(upload_path(), 90_000), most, expected=b"408")
    # Who was refused is not waited for either.
    slow(head_of_upload("/thumbnail?w=8", 90_000), most, expected=b"403")
    slow(head_of_upload("/nowhere", 90_000), most, expected=b"404")
    # In parts of which none is late by itself.
    slow(
        f"POST {upload_path()} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + b"186a0\r\n", most,
        every=settings["silence"] / 2, expected=b"408")
    holds()


def silence():
    with connect() as connection:
        got, seconds = read_all(connection)
    assert got == b"" and seconds <= settings["silence"] + 2, (got, seconds)
    with connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        got, seconds = read_all(connection)
    assert got.endswith(b"ok\n") and settings["silence"] - 1 <= seconds <= settings["silence"] + 2, (got, seconds)


KNOWN_HEADERS = {
    "etag", "cache-control", "vary", "x-content-type-options", "content-security-policy", "content-type", "content-length",
    "date", "server", "connection",
}


def injection():
    origin = f"http://{HOST}:{settings['origin']}"
    for text in ("\r\nX-Injected: 1", "\n\nX-Injected: 1", "\0", "\x7f"):
        for path in (link(origin + "/rgba8.png" + text), link(origin + "/rgba8.png", format="png" + text)):
            assert request("GET", path)[0] == 400, path
    # Encoded once more, it stays a part of the path, here and after a redirect.
    for address in ("/%0d%0aX-Injected:%201", "/redirect?/%250d%250aX-Injected:%25201", "/split"):
        assert request("GET", link(origin + address))[0] in (404, 502), address
    with open(settings["log"], encoding="utf-8") as log:
        assert "injected header" not in log.read()
    status, headers, body = request("GET", link(origin + "/evil/rgba8.png"))
    assert status == 200 and body.startswith(b"\x89PNG"), (status, body[:80])
    assert set(headers) <= KNOWN_HEADERS, headers
    assert headers["content-type"] == "image/png" and headers["cache-control"] == "public, max-age=61", headers
    assert "evil" not in str(headers), headers
    # What a head may not have.
    for line in (b"X: a\rb", b"X : y", b" X: y", b"X\0: y", b"Content-Length: 5\r\nContent-Length: 6"):
        with connect() as connection:
            connection.sendall(b"POST " + upload_path().encode() + b" HTTP/1.1\r\nHost: x\r\n" + line + b"\r\n\r\nGET /health")
            got, _ = read_all(connection)
        assert b" 200 " not in got, (line, got)
    # Two ways to say where a body ends: what comes after it is no second request.
    with connect() as connection:
        connection.sendall(
            b"POST " + upload_path().encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        got, _ = read_all(connection)
    assert b"ok\n" not in got, got
    holds()


def lying_lengths():
    path = upload_path().encode()
    for length in (b"33554433", b"1000000000000", b"9223372036854775808", b"-1", b"0x10", b"1, 2", b"+5", b""):
        start = time.monotonic()
        with connect() as connection:
            connection.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " + length + b"\r\n\r\n")
            status = connection.recv(65536).split(b" ")[1:2]
        # One that no machine can count to gets no answer, and its connection the time of a silent one.
        most = 2 if status else settings["silence"] + 2
        assert status in ([b"400"], [b"413"], []) and time.monotonic() - start < most, (length, status)
    # More than comes: the client ends, and nothing was made.
    with connect() as connection:
        connection.sendall(head_of_upload(upload_path(), len(SMALL) + 10) + SMALL)
        connection.shutdown(socket.SHUT_WR)
        got, _ = read_all(connection)
    assert b" 200 " not in got, got[:200]
    # Less than comes: the picture is cut, or given up, and its end is no request.
    with connect() as connection:
        connection.sendall(head_of_upload(upload_path(), 60) + SMALL)
        got, _ = read_all(connection)
    assert got.split(b" ")[1] in (b"400", b"422") and b" 200 " not in got, got[:200]
    origin = f"http://{HOST}:{settings['origin']}"
    assert request("GET", link(origin + "/short/rgba8.png"))[0] == 502
    assert request("GET", link(origin + "/long/rgba8.png"))[0] in (415, 422, 502)
    holds()


def redirects():
    origin = f"http://{HOST}:{settings['origin']}"
    assert request("GET", link(origin + "/loop"))[0] == 502
    for target in ("file:///etc/passwd", "ftp://example.com/a.png", "//127.0.0.2/a.png", "gopher://x", ""):
        status = request("GET", link(origin + "/redirect?" + urllib.parse.quote(target)))[0]
        assert status in (400, 403, 502), (target, status)
    holds()


def send_slow_picture(is_kept):
    """Has a picture made that takes long; leaves, or waits for the answer."""
    start = time.monotonic()
    connection = begin_slow_picture()
    if not is_kept:
        time.sleep(0.5)
        connection.close()
        return 0
    status = connection.recv(65536).split(b" ")[1]
    connection.close()
    assert status == b"200", status
    return time.monotonic() - start


def hang_up():
    """Pictures of clients that have left are given up: their places are free long before they would be made."""
    whole = send_slow_picture(is_kept=True)
    assert whole > 2, f"the picture takes {whole:.1f} s, too little to tell"
    for _ in range(settings["pictures"]):
        send_slow_picture(is_kept=False)
    start = time.monotonic()
    while small_upload() == 503:
        time.sleep(0.05)
    seconds = time.monotonic() - start
    assert seconds < whole / 2, f"places are free after {seconds:.1f} s of {whole:.1f}"


def queue():
    held = [connect() for _ in range(settings["pictures"])]
    for connection in held:
        connection.sendall(head_of_upload(upload_path(), len(SMALL)) + SMALL[:10])
    time.sleep(0.3)
    status, headers, body = request("POST", upload_path(), body=SMALL)
    assert (status, headers.get("retry-after")) == (503, "5") and b"too many" in body, (status, headers, body)
    assert request("GET", link(f"http://{HOST}:{settings['origin']}/rgba8.png"))[0] == 503
    assert request("GET", "/health")[0] == 200
    # Those that were there first are served.
    for connection in held:
        connection.sendall(SMALL[10:])
        assert connection.recv(65536).split(b" ")[1] == b"200"
        connection.close()
    holds()


globals()[sys.argv[1]]()
