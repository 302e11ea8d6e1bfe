# SPDX-License-Identifier: Apache-2.0
"""Runs coder-digest over files and reads what it prints."""

import json
import os
import select
import subprocess
import tempfile

import numpy

# channels and sample type of the layouts that rows are asked for in
LAYOUTS = {
    "gray8": (1, numpy.uint8), "gray-alpha8": (2, numpy.uint8), "rgb8": (3, numpy.uint8), "rgba8": (4, numpy.uint8),
    "gray16": (1, numpy.uint16), "gray-alpha16": (2, numpy.uint16), "rgb16": (3, numpy.uint16), "rgba16": (4, numpy.uint16),
    "rgba-float32": (4, numpy.float32),
}


class Result:
    """What became of one file: "ok", "partial", "error", "crash" or "hang"."""

    def __init__(self, path, outcome, record, raw):
        self.path = path
        self.name = os.path.basename(path)
        self.outcome = outcome
        self.record = record
        self.raw = raw

    @property
    def frames(self):
        return self.record.get("frames", [])

    @property
    def hashes(self):
        return [frame["hash"] for frame in self.frames]

    @property
    def said(self):
        """The problem or error in one line."""
        found = self.record.get("error") or self.record.get("problem")
        return f"{found['code']}: {found['message']}" if found else self.outcome

    @property
    def code(self):
        found = self.record.get("error") or self.record.get("problem")
        return found["code"] if found else None

    def pixels(self, frame=0):
        """A frame's rows as an array of height × width × channels."""
        described = self.frames[frame]
        channels, sample = LAYOUTS[described["format"]]
        width, height = described["size"]
        rows = numpy.fromfile(f"{self.raw}-{described['index']}.raw", dtype=sample)
        return rows.reshape(height, width, channels)


class Digest:
    """The program with its plugins."""

    def __init__(self, program, plugins, seconds=10, environment=None):
        """`seconds` is what a file may take; `environment` is added to the program's."""
        self.program = program
        self.plugins = plugins
        self.seconds = seconds
        self.environment = environment or {}
        self.complaints = []
        self.scratch = tempfile.TemporaryDirectory(prefix="coder-digest-")
        self.runs = 0

    def run(self, paths, *options, raw=True):
        """One result for each path, in order. A crash or hang costs the one file that it was in."""
        results = []
        while len(results) < len(paths):
            results += self._run(paths[len(results):], options, raw)
        return results

    def _run(self, paths, options, raw):
        self.runs += 1
        folder = os.path.join(self.scratch.name, str(self.runs))
        os.mkdir(folder)
        command = [self.program, "--plugins", self.plugins, *options, *(["--raw", folder] if raw else [])]
        with open(os.path.join(folder, "list"), "w+") as listed, open(os.path.join(folder, "said"), "w+") as said:
            listed.write("".join(path + "\n" for path in paths))
            listed.seek(0)
            variables = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **self.environment}
            process = subprocess.Popen(command, stdin=listed, stdout=subprocess.PIPE, stderr=said, env=variables)
            results, outcome = self._read(process, paths, folder, self.seconds)
            process.stdout.close()
            if outcome == "hang":
                process.kill()
            code = process.wait()
            said.seek(0)
            complaint = said.read()
        if not results and outcome != "hang" and code == 1:
            raise SystemExit(f"{' '.join(command)}: {complaint}")
        if len(results) == len(paths) and code != 0:
            self.complaints.append(f"{' '.join(options)}: exit {code} after the last file: {complaint}")
        if len(results) < len(paths):
            path = paths[len(results)]
            if outcome != "hang":
                # Whatever the scores were, a crash is never passed over.
                self.complaints.append(f"{path} {' '.join(options)}: crash, exit {code}: {complaint.strip()[:2000]}")
            results.append(Result(path, outcome or "crash", {"path": path, "exit": code, "said": complaint}, None))
        return results

    @staticmethod
    def _read(process, paths, folder, seconds):
        results = []
        pending = b""
        while len(results) < len(paths):
            ready, _, _ = select.select([process.stdout], [], [], seconds)
            if not ready:
                return results, "hang"
            chunk = os.read(process.stdout.fileno(), 1 << 20)
            if not chunk:
                return results, "crash"
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                record = json.loads(line)
                outcome = "error" if "error" in record else "partial" if "problem" in record else "ok"
                raw = os.path.join(folder, str(len(results)))
                results.append(Result(record["path"], outcome, record, raw))
        return results, None
