# SPDX-License-Identifier: Apache-2.0
"""Pictures for Examples/Server to fetch: `origin.py PORT FOLDER LOG`.

/NAME is a file of the folder, with an ETag and fresh for ten minutes; /redirect?URL leads to URL; /endless never ends;
/html is no picture; /loop leads to itself; /split leads to a place with the end of a line in it;
/unnamed/NAME is the file without a tag, never to be kept; /evil/NAME has heads that nobody should pass on; /short/NAME says
that more comes, /long/NAME that less comes. The log has a line for each request.
"""

import hashlib
import http.server
import os
import socketserver
import sys
import urllib.parse

PORT, FOLDER, LOG = int(sys.argv[1]), sys.argv[2], sys.argv[3]


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(self.path + ("  injected header" if "X-Injected" in self.headers else "") + "\n")

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/loop":
            return self.answer(302, {"Location": "/loop"})
        if path == "/split":
            return self.answer(302, {"Location": "/nothing%0d%0aX-Injected:%201"})
        if path == "/redirect":
            return self.answer(302, {"Location": urllib.parse.unquote(query)})
        if path == "/html":
            return self.answer(200, {"Content-Type": "text/html"}, b"<p>no picture</p>")
        if path == "/endless":
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.end_headers()
            try:
                self.wfile.write(b"\x89PNG\r\n\x1a\n")
                while True:
                    self.wfile.write(bytes(1 << 16))
            except OSError:
                self.close_connection = True
            return None
        try:
            with open(os.path.join(FOLDER, os.path.basename(path)), "rb") as file:
                body = file.read()
        except OSError:
            return self.answer(404, {"Content-Type": "text/plain"}, b"none")
        if path.startswith("/unnamed/"):
            return self.answer(200, {"Content-Type": "application/octet-stream", "Cache-Control": "no-store"}, body)
        if path.startswith("/evil/"):
            return self.answer(
                200, {
                    "Content-Type": "application/octet-stream; evil", "Set-Cookie": "evil=1", "X-Evil": "evil", "ETag": '"evil\t, x"',
                    "Cache-Control": 'max-age=61, evil="a, b"', "Link": "<evil>; rel=preload",
                }, body)
        if path.startswith(("/short/", "/long/")):
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(body) + 1000 if path.startswith("/short/") else 40))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True
            return None
        tag = f'"{hashlib.md5(body).hexdigest()}"'
        if self.headers.get("If-None-Match") == tag:
            return self.answer(304, {"ETag": tag})
        return self.answer(200, {"Content-Type": "application/octet-stream", "ETag": tag, "Cache-Control": "max-age=600"}, body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


Server(("127.0.0.1", PORT), Origin).serve_forever()
