# SPDX-License-Identifier: Apache-2.0
"""Names that change their address, against the example server: `rebinding.py PROGRAM PICTURE FOLDER`.

To be run in a network and with mounts of its own (`unshare --net --mount`), as root: there it is the resolver, a public server,
and a server behind the example server that nobody outside may reach. Ends with status 0 if nobody did.
"""

import http.server
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

PROGRAM, PICTURE, FOLDER = sys.argv[1:]
PUBLIC, INNER, CLOUD = "93.184.216.34", "127.0.0.1", "169.254.169.254"
PORT = 8080
# The addresses of a name in the answers to its first question, its second one, and so on; the last ones go on.
NAMES = {
    "steady.test": [[PUBLIC]],
    "later.test": [[PUBLIC], [INNER]],
    "at-once.test": [[INNER]],
    "cloud.test": [[PUBLIC], [CLOUD]],
    "both.test": [[PUBLIC, INNER]],
    "turning.test": [[INNER], [PUBLIC], [INNER]],
    "mapped.test": [["::ffff:127.0.0.1"]],
    "hidden.test": [["64:ff9b::7f00:1"]],
}
asked = {}
reached = []


def answer_names(server):
    while True:
        question, client = server.recvfrom(512)
        parts, place = [], 12
        while question[place]:
            parts.append(question[place + 1:place + 1 + question[place]].decode())
            place += 1 + question[place]
        kind = struct.unpack(">H", question[place + 1:place + 3])[0]
        name = ".".join(parts).lower()
        answers = NAMES.get(name, [[]])
        # The system asks for both kinds of addresses at a time.
        turn = asked.setdefault((name, kind), 0)
        asked[name, kind] = turn + 1
        family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
        found = [each for each in answers[min(turn, len(answers) - 1)] if family and (":" in each) == (kind == 28)]
        # Not to be kept.
        records = b"".join(
            struct.pack(">HHHIH", 0xC00C, kind, 1, 0, 16 if kind == 28 else 4) + socket.inet_pton(family, each) for each in found)
        head = question[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0)
        server.sendto(head + question[12:place + 5] + records, client)


class Pictures(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        reached.append((self.server.server_address[0], self.headers["Host"], self.path))
        if self.path.startswith("/redirect"):
            self.send_response(302)
            self.send_header("Location", urllib.parse.unquote(self.path.partition("?")[2]))
            self.end_headers()
            return
        with open(PICTURE, "rb") as file:
            body = file.read()
        self.send_response(200)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)


def status(url):
    path = "/?" + urllib.parse.urlencode({"url": url, "w": "8"})
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=30).status
    except urllib.error.HTTPError as error:
        return error.code


def write(name, text):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["mount", "--bind", os.path.join(FOLDER, name), f"/etc/{name}"], check=True)


subprocess.run(["mount", "--make-rprivate", "/"], check=True)
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
for address in (PUBLIC, CLOUD):
    subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
write("resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
write("nsswitch.conf", "hosts: dns\n")
resolver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
resolver.bind((INNER, 53))
threading.Thread(target=answer_names, args=(resolver,), daemon=True).start()
for address in (PUBLIC, INNER, CLOUD):
    server = http.server.ThreadingHTTPServer((address, 80), Pictures)
    threading.Thread(target=server.serve_forever, daemon=True).start()

# Nothing is allowed beyond what is public.
program = subprocess.Popen([PROGRAM, str(PORT)], env={"SERVER_UNSIGNED": "1", "HOME": FOLDER}, cwd="/")
try:
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=5)
            break
        except OSError:
            time.sleep(0.1)
    expected = [
        ("http://steady.test/a.png", (200,)), ("http://steady.test/b.png", (200,)),
        # Each picture has its name looked up once, and its connection goes to that address.
        ("http://later.test/a.png", (200,)), ("http://later.test/b.png", (403,)), ("http://later.test/c.png", (403,)),
        ("http://at-once.test/a.png", (403,)), ("http://cloud.test/a.png", (200,)), ("http://cloud.test/latest", (403,)),
        ("http://both.test/a.png", (200, 403)), ("http://both.test/b.png", (200, 403)),
        ("http://turning.test/a.png", (403,)), ("http://turning.test/b.png", (200,)), ("http://turning.test/c.png", (403,)),
        ("http://mapped.test/a.png", (403,)), ("http://hidden.test/a.png", (403,)),
        ("http://steady.test/redirect?http://at-once.test/a.png", (403,)),
        ("http://steady.test/redirect?http://cloud.test/latest/meta-data", (403,)),
        ("http://steady.test/redirect?http://steady.test/c.png", (200,)),
    ]
    wrong = [f"{url}: {found}, not {codes}" for url, codes in expected if (found := status(url)) not in codes]
    inner = [each for each in reached if each[0] != PUBLIC]
    assert not wrong, "\n".join(wrong)
    assert not inner, f"reached {inner}"
    assert len(reached) >= 7, reached
    # The resolver was asked as often as names were needed: none was looked up again for its connection.
    assert asked["later.test", 1] == 3, asked
finally:
    program.kill()
