# SPDX-License-Identifier: Apache-2.0
"""What the example server tells of its queue, and how it ends: `operation.py WHAT SETTINGS`.

SETTINGS has what client.py needs, the path of the `program`, a `home`, `origin`, the port of origin.py, and for `memory` the paths of
`mixed` files and how many `requests` are sent. Each part starts a server of
its own at `port`, with a collector of OpenTelemetry that is a part of this program, and ends with status 0 if all was as it should be.
"""

import http.client
import http.server
import json
import signal
import socket
import subprocess
import sys
import threading
import time

from client import HOST, SMALL, begin_slow_picture, connect, link, read_all, request, settings, upload_path

PATIENCE = 120


class Collector(http.server.BaseHTTPRequestHandler):
    """Keeps the last point of each series, and all spans."""

    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    spans = []
    points = {}
    # The largest value that each series has had.
    peaks = {}

    def log_message(self, *_):
        pass

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            if self.path == "/v1/traces":
                for resource in message["resourceSpans"]:
                    for scope in resource["scopeSpans"]:
                        self.spans.extend(scope["spans"])
            elif self.path == "/v1/metrics":
                for resource in message["resourceMetrics"]:
                    for scope in resource["scopeMetrics"]:
                        for metric in scope["metrics"]:
                            self.take(metric)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def take(self, metric):
        kind = next(each for each in ("sum", "gauge", "summary") if each in metric)
        for point in metric[kind]["dataPoints"]:
            key = metric["name"], *(each["value"]["stringValue"] for each in point["attributes"])
            self.points[key] = point
            self.peaks[key] = max(self.peaks.get(key, 0), point.get("asDouble", 0))


def value(*key):
    """The last value of a counter or gauge, 0 before there is one."""
    with Collector.lock:
        return Collector.points.get(key, {}).get("asDouble", 0)


def summary(*key):
    """How often a timer has run, and the sum of its seconds."""
    with Collector.lock:
        point = Collector.points.get(key, {"count": "0", "sum": 0})
        return int(point["count"]), point["sum"]


def attribute(span, name):
    found = [each["value"] for each in span["attributes"] if each["key"] == name]
    return next(iter(found[0].values())) if found else None


def spans_of(name):
    with Collector.lock:
        return [span for span in Collector.spans if span["name"] == name]


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what}: not after {PATIENCE} s"
        assert server.poll() is None, f"{what}: the server has ended with {server.returncode}"
        time.sleep(0.05)


def status():
    return json.loads(request("GET", "/status")[2])


def is_idle():
    now = status()
    return now["running"] == now["waiting"] == 0


def start(**environment):
    collector = http.server.ThreadingHTTPServer((HOST, 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    environment.update({
        "HOME": settings["home"], "SERVER_KEYS": settings["key"], "SERVER_ADDRESSES": "127.0.0.1/32",
        "SERVER_PORTS": str(settings["origin"]), "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{HOST}:{collector.server_address[1]}",
    })
    program = subprocess.Popen([settings["program"], str(settings["port"])], env=environment, cwd="/")
    for _ in range(300):
        try:
            connect().close()
            return program
        except OSError:
            time.sleep(0.1)
    program.kill()
    raise AssertionError("the server does not begin")


def telemetry():
    """The collector learns how long the queue is and how long work waits, who is refused, whose work it is, and what requests did."""
    for _ in range(3):
        assert request("POST", upload_path(), body=SMALL)[0] == 200
    origin = f"http://{HOST}:{settings['origin']}"
    assert request("GET", link(origin + "/rgba8.png"))[0] == 200
    assert request("GET", link(origin + "/missing.png"))[0] == 404
    assert request("GET", "/a/path/of/a/stranger")[0] == 404
    wait_for("three uploads", lambda: summary("image_queue_run_seconds", "uploads")[0] >= 3)
    assert summary("image_queue_run_seconds", "uploads")[0] == 3
    # A picture is decoded and written, one that is not there is neither.
    wait_for("a picture of a host", lambda: summary("image_queue_run_seconds", "hosts")[0] >= 2)
    assert all(summary("image_queue_run_seconds", each)[1] > 0 for each in ("uploads", "hosts"))
    assert value("image_queue_refused", "uploads") == 0
    # Requests, with what was done for them.
    wait_for("spans", lambda: len(spans_of("POST /thumbnail")) == 3 and len(spans_of("GET /")) == 2)
    # Names are those of routes: a path that has none is in none of them.
    wait_for("a path without a route", lambda: [
        span for span in list(Collector.spans) if attribute(span, "url.path") == "/a/path/of/a/stranger"])
    assert not [span for span in Collector.spans if "stranger" in span["name"]]
    assert all(attribute(span, "http.response.status_code") == "200" for span in spans_of("POST /thumbnail"))
    loads = {span["parentSpanId"]: span for span in spans_of("image.load")}
    for span in spans_of("GET /"):
        load = loads[span["spanId"]]
        assert load["traceId"] == span["traceId"] and len(span["traceId"]) == 32 and "parentSpanId" not in span, (load, span)
        assert int(span["startTimeUnixNano"]) <= int(load["startTimeUnixNano"]) <= int(load["endTimeUnixNano"]), (load, span)
        is_found = attribute(span, "http.response.status_code") == "200"
        assert ("status" in load) != is_found, load
    fetches = [span for span in Collector.spans if span.get("parentSpanId") in {load["spanId"] for load in loads.values()}]
    assert {span["name"] for span in fetches} >= {"image.bytes", "image.decode"}, {span["name"] for span in fetches}
    # Uploads that take long: the processors are taken, four wait, and five are told to come again.
    held, refused = [], 0
    while refused < 5 and len(held) < 60:
        connection = begin_slow_picture()
        connection.settimeout(0.5)
        try:
            answer = connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 503 ") and b"retry-after: " in answer.lower(), answer
            refused += 1
            connection.close()
        except TimeoutError:
            held.append(connection)
    assert refused == 5, f"{refused} refused, {len(held)} taken"
    wait_for("refusals", lambda: value("image_queue_refused", "uploads") == 5)
    wait_for("four that wait", lambda: Collector.peaks["image_queue_waiting", "uploads"] == 4)
    assert Collector.peaks["image_queue_waiting", "hosts"] == 0
    assert Collector.peaks["image_queue_longest_wait_seconds",] > 0
    assert Collector.peaks["image_queue_running",] == len(held) - 4, (Collector.peaks["image_queue_running",], len(held))
    for connection in held:
        connection.close()
    wait_for("those who left", lambda: value("image_queue_waiting", "uploads") == value("image_queue_running") == 0)
    # Nothing waited for a link.
    assert summary("image_queue_wait_seconds", "uploads")[0] >= 3 + len(held) - 4
    assert value("image_queue_refused", "hosts") == 0
    wait_for("spans of refusals", lambda: len(
        [span for span in spans_of("POST /thumbnail") if attribute(span, "http.response.status_code") == "503"]) == 5)


def shutdown():
    """After SIGTERM, a picture that was begun is sent, nobody else is served, and the collector learns of the last one."""
    idle = connect()
    idle.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b"ok\n" in idle.recv(65536)
    connection = begin_slow_picture()
    wait_for("the picture is begun", lambda: status()["running"] == 1)
    server.send_signal(signal.SIGTERM)
    # A connection without a request is closed.
    assert idle.recv(65536) == b""
    while True:
        try:
            socket.create_connection((HOST, settings["port"]), timeout=60).close()
            time.sleep(0.01)
        except ConnectionError:
            break
    assert server.poll() is None
    connection.setblocking(False)
    try:
        raise AssertionError(f"the picture was there too early to tell: {connection.recv(100)}")
    except BlockingIOError:
        connection.setblocking(True)
    answer, _ = read_all(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length: "))
    assert (int(length.split()[1]), body[4:12]) == (len(body), b"ftypavif"), (head, len(body), body[:20])
    assert server.wait(PATIENCE) == 0, server.returncode
    assert summary("image_queue_run_seconds", "uploads")[0] == 1
    assert [attribute(span, "http.response.status_code") for span in spans_of("POST /thumbnail")] == ["200"]


def crowd():
    """Of a hundred clients with pictures that take long, 99 leave: their work leaves the queue, and the last one is served."""
    before = status()["finished"]
    clients = [begin_slow_picture() for _ in range(100)]
    wait_for("all are there", lambda: status()["running"] + status()["waiting"] >= 100)
    running = status()["running"]
    for client in clients[:-1]:
        client.close()
    answer = clients[-1].recv(65536)
    assert answer.startswith(b"HTTP/1.1 200 "), answer[:200]
    wait_for("nothing is left", is_idle)
    # Those that had begun, and were ended, and the one that was wanted; a place that became free meanwhile may have been taken.
    ran = status()["finished"] - before
    assert ran <= 2 * running + 1, f"{ran} of 100 ran, {running} at a time"
    assert request("POST", upload_path(), body=SMALL)[0] == 200


def resident():
    """Bytes in memory of the server's own process. Workers end with their files."""
    with open(f"/proc/{server.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))


def memory():
    """After many mixed requests, the server holds at most 1.2 times of what it held after the first thousand."""
    bodies = []
    for path in settings["mixed"]:
        with open(path, "rb") as file:
            bodies.append(file.read())
    origin = f"http://{HOST}:{settings['origin']}"
    numbers = iter(range(settings["requests"]))
    lock, wrong, first = threading.Lock(), [], []

    def client():
        connection = http.client.HTTPConnection(HOST, settings["port"], timeout=PATIENCE)
        while True:
            with lock:
                number = next(numbers, None)
            if number is None or wrong:
                return
            width = str(10 + number % 150)
            if number % 10 == 0:
                connection.request("GET", link(origin + "/rgba8.png", w=width))
            else:
                connection.request("POST", upload_path(w=width), body=bodies[number % len(bodies)])
            answer = connection.getresponse()
            answer.read()
            if answer.status not in (200, 415):
                wrong.append((number, answer.status))
            if number == 1000:
                first.append(resident())

    clients = [threading.Thread(target=client) for _ in range(4)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    assert not wrong, wrong
    wait_for("nothing is left", is_idle)
    last = resident()
    print(f"{first[0] / 1e6:.1f} MB after 1,000 requests, {last / 1e6:.1f} MB after {settings['requests']:,}", flush=True)
    assert last <= 1.2 * first[0]


server = start(**{"telemetry": {"SERVER_WAITING": "4"}, "crowd": {"SERVER_WAITING": "200"}}.get(sys.argv[1], {}))
try:
    globals()[sys.argv[1]]()
finally:
    server.kill()
