# SPDX-License-Identifier: Apache-2.0
"""The server of Examples beside the same service over libvips: both run, and are sent the same pictures in turn, or told to
fetch them from a third server."""

import argparse
import io
import json
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request

from PIL import Image

from gates import failed, verdict

FILES = ["photo12.jpg", "photo2.jpg", "photo2.png", "photo2.webp", "photo2.heic", "moving60.gif"]
BOX = 256
CONNECTIONS = 8
MEMORY_GATE = 200e6
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Server")


class Server:
    """A process that answers, anew for each series of files, so that its highest memory is that of the series."""

    def __init__(self, name, *command, **variables):
        self.name, self.command, self.variables = name, command, variables

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [*self.command, str(self.port), *self.rest], env=os.environ | self.variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health").close()
                return self
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"{self.name} does not answer")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    # What follows the port.
    rest = ()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/thumbnail?w={BOX}&h={BOX}&format=jpeg"

    def answer(self, path):
        """The picture that it makes of a file."""
        with open(path, "rb") as file:
            request = urllib.request.Request(self.url, file.read(), {"Content-Type": "application/octet-stream"})
        with urllib.request.urlopen(request) as answer:
            return Image.open(io.BytesIO(answer.read()))

    def fetched(self, address):
        """The picture that it makes of one of another server."""
        with urllib.request.urlopen(f"{self.fetching}&url={address}") as answer:
            return Image.open(io.BytesIO(answer.read()))

    @property
    def fetching(self):
        return f"http://127.0.0.1:{self.port}/?w={BOX}&h={BOX}&format=jpeg"

    def load(self, paths, seconds):
        return self.run("uploads.lua", self.url, [os.path.abspath(path) for path in paths], seconds)

    def load_fetches(self, how, addresses, seconds):
        self.asked = getattr(self, "asked", 0) + 1_000_000
        return self.run("fetches.lua", self.fetching, [how, str(self.asked), *addresses], seconds)

    def run(self, script, url, arguments, seconds):
        """What wrk says of so many seconds, and the milliseconds of processors that a request took."""
        command = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s", "--timeout",
                   "30s", "--script", script, url, "--", *arguments]
        before = self.ticks()
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=FOLDER)
        found = json.loads(done.stdout.strip().splitlines()[-1])
        found["cpu"] = (self.ticks() - before) * 1000 / os.sysconf("SC_CLK_TCK") / max(1, found["requests"])
        return found

    def ticks(self):
        """Processor time that the process has used."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            values = file.read().rsplit(")", 1)[1].split()
        return int(values[11]) + int(values[12])

    def megabytes(self):
        """The most memory that the process has had, and what it has now."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            values = dict(line.split(":", 1) for line in file)
        return [int(values[name].split()[0]) * 1024 / 1e6 for name in ("VmHWM", "VmRSS")]


def compare(name, contenders, paths, options, answer, load):
    """Rounds in which both are loaded in turn; what counts is the median."""
    found = {server.name: [] for server in contenders}
    memory = {}
    with contenders[0], contenders[1]:
        for path in paths:
            first, second = (answer(server, path) for server in contenders)
            if (first.format, first.size) != ("JPEG", second.size) or max(first.size) != BOX or second.format != "JPEG":
                raise SystemExit(f"{path}: {first.format} {first.size} and {second.format} {second.size}")
        for server in contenders:
            load(server, paths, max(2, options.seconds // 4))
        for number in range(options.rounds):
            for server in contenders if number % 2 == 0 else reversed(contenders):
                found[server.name].append(load(server, paths, options.seconds))
        for server in contenders:
            memory[server.name] = server.megabytes()
    ours, theirs = (
        {key: statistics.median(round[key] for round in found[server.name]) for key in ("p50", "p99", "cpu")}
        | {"rate": statistics.median(round["requests"] / round["seconds"] for round in found[server.name]),
           "errors": sum(round["errors"] for round in found[server.name]), "memory": memory[server.name]}
        for server in contenders)
    for label, values in (("ours", ours), ("pyvips", theirs)):
        print(f"{name:<18} {label:<7} {values['rate']:>8.1f} {values['p50']:>8.0f} {values['p99']:>8.0f} "
              f"{values['cpu']:>8.1f} {values['errors']:>6} {values['memory'][0]:>9.0f} {values['memory'][1]:>9.0f}",
              flush=True)
    gates = [
        (f"{name}: {ours['rate'] / theirs['rate']:.2f} of the requests per second", ours["rate"] >= theirs["rate"]),
        (f"{name}: {ours['p99'] / theirs['p99']:.2f} of the 99th percentile", ours["p99"] <= theirs["p99"]),
        (f"{name}: {ours['memory'][0]:.0f} MB", ours["memory"][0] * 1e6 <= MEMORY_GATE),
        (f"{name}: {ours['errors']} errors", ours["errors"] == 0),
    ]
    for gate, passed in gates:
        print(f"{verdict(gate, passed)}  {gate}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--python", required=True, help="one that has pyvips")
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--fetch", action="store_true", help="from another server, instead of uploads")
    parser.add_argument("files", nargs="*", help="one series for each, instead of all files mixed and then each alone")
    options = parser.parse_args()
    origin = Server("origin", options.python, os.path.join(FOLDER, "origin.py"))
    origin.rest = (options.corpus,)
    heads = [f"{'':<18} {'':<7}", *(f"{head:>8}" for head in ("per s", "p50 ms", "p99 ms", "CPU ms"))]
    print(*heads, f"{'errors':>6} {'peak MB':>9} {'after MB':>9}")
    with origin:
        # It may fetch from this machine, which it refuses otherwise.
        settings = {"SERVER_UNSIGNED": "1", "SERVER_ADDRESSES": "127.0.0.1/32", "SERVER_PORTS": str(origin.port)}
        contenders = [Server("ours", options.ours, **settings),
                      Server("pyvips", options.python, os.path.join(FOLDER, "pyvips_server.py"))]
        for files in [[file] for file in options.files] or [FILES, *([file] for file in FILES)]:
            name = files[0] if len(files) == 1 else "mixed"
            if not options.fetch:
                paths = [os.path.join(options.corpus, file) for file in files]
                compare(name, contenders, paths, options, Server.answer, Server.load)
                continue
            addresses = [f"http://127.0.0.1:{origin.port}/{file}" for file in files]
            for how in ("new", "same"):
                compare(f"{name} {how}", contenders, addresses, options, Server.fetched,
                        lambda server, places, seconds, how=how: server.load_fetches(how, places, seconds))
    for gate in failed:
        print(f"does not hold: {gate}")
    sys.exit(1 if failed else 0)


main()
