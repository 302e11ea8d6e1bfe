# SPDX-License-Identifier: Apache-2.0
"""Terminals that are played: what answers, the shell that starts a program, and the program's run. And pictures to show."""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import zlib

COLUMNS, ROWS, CELL = 80, 24, (10, 20)


def install(scripts, programs):
    """Installs what pictures are read back with: packages by their programs."""
    missing = [package for program, package in programs.items() if not shutil.which(program)]
    if missing:
        subprocess.run([os.path.join(scripts, "install-packages"), *missing], check=True)


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Kitty:
    """Kitty's parser and its pictures, without a window."""

    def __init__(self, is_remote=False, has_frames=True):
        self.is_remote, self.has_frames = is_remote, has_frames
        sys.path.insert(0, "/usr/lib/kitty")
        from kitty.fast_data_types import Screen, parse_bytes, set_options
        from kitty.options.types import defaults
        set_options(defaults)
        self.parse, self.written = parse_bytes, b""
        self.screen = Screen(self, ROWS, COLUMNS, 10, *CELL, 0, self)
        self.ids = []

    def write(self, data):
        self.written += bytes(data)

    def __getattr__(self, name):
        return lambda *arguments, **options: None

    def answers(self, data):
        self.ids += [int(number) for number in re.findall(rb"_Ga=T,[^;]*?i=(\d+)", data)]
        # It complains about questions that it does not know, and there is no screen to be held back.
        self.parse(self.screen, re.sub(rb"\x1b\[\?[12];1;0S|\x1b\[\?2026[hl]", b"", data))
        found, self.written = self.written, b""
        if self.is_remote:
            found = found.replace(b"\x1b_Gi=32;OK\x1b\\", b"")
        if not self.has_frames:
            found = re.sub(rb"\x1b_Gi=33[^\x1b]*\x1b\\", b"", found)
        # One by one, so that they can be reversed.
        return re.findall(rb"\x1b\[[^a-zA-Z]*[a-zA-Z]|\x1b[P_].*?\x1b\\", found, re.S)

    def image(self, index=-1):
        return self.screen.grman.image_for_client_id(self.ids[index])


class Plain:
    """A terminal that answers by a list and remembers what it was sent."""

    def __init__(self, name=None, attributes="62", is_silent=False):
        self.attributes, self.name, self.is_silent = attributes, name, is_silent

    def answers(self, data):
        if self.is_silent:
            return []
        found = []
        for question in re.findall(rb"\x1b\[[^a-zA-Z]*[a-zA-Z]", data):
            answer = {
                b"\x1b[>q": f"\x1bP>|{self.name}\x1b\\" if self.name else None, b"\x1b[c": f"\x1b[?{self.attributes}c",
                b"\x1b[5n": "\x1b[0n", b"\x1b[16t": f"\x1b[6;{CELL[1]};{CELL[0]}t",
                b"\x1b[?2026$p": "\x1b[?2026;2$y", b"\x1b[?1;1;0S": "\x1b[?1;0;256S",
                b"\x1b[?2;1;0S": "\x1b[?2;0;1000;1000S"}.get(question)
            if answer:
                found.append(answer.encode())
        return found


def shell(arguments, report):
    """Runs a command in the foreground of this terminal, goes on after a stop, and says what is left to read."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    before = termios.tcgetattr(0)
    result = {"stops": []}

    def look():
        os.tcsetpgrp(0, os.getpgrp())
        now = termios.tcgetattr(0)
        raw = termios.tcgetattr(0)
        raw[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(0, termios.TCSANOW, raw)
        left = b""
        while select.select([0], [], [], 0.6)[0]:
            left += os.read(0, 1000)
        termios.tcsetattr(0, termios.TCSANOW, before)
        return {"same": now == before, "left": left.decode("latin-1")}

    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        # As a shell does at a prompt: what runs in the background may have been started with some of them ignored.
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP, signal.SIGTTIN,
                       signal.SIGTTOU, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.close(report)
        os.execv(arguments[0], arguments)
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        result["stops"].append(look())
        os.tcsetpgrp(0, child)
        os.killpg(child, signal.SIGCONT)
    result.update(look())
    result["status"] = os.waitstatus_to_exitcode(status)
    os.write(report, json.dumps(result).encode())
    os._exit(0)


class Run:
    """The program in a terminal, to its end."""

    program = None

    def __init__(self, terminal, *arguments, delay=0.0, pieces=False, is_reversed=False, events=(), environment=(), program=None,
                 ready=0.0, rest=0.0, since=b"\x1b7"):
        self.output, self.result, self.most_in_flight, self.fences = b"", None, 0, 0
        waiting, in_flight = [], 0
        read, write = os.pipe()
        os.set_inheritable(write, True)
        # Events count from what comes first, by default the first frame; one with a question comes when the answer is yes.
        began, self.began, self.changed = time.monotonic(), None, time.monotonic()
        due = lambda event, now: event[0](self) if callable(event[0]) else event[0] <= now - self.began
        process, master = pty.fork()
        if process == 0:
            os.environ.update({"TERM": "xterm-256color"})
            for name in ("COLORTERM", "TMUX", "NO_COLOR"):
                os.environ.pop(name, None)
            os.environ.update(dict(environment))
            time.sleep(0.1)
            try:
                shell([program or Run.program, *arguments], write)
            finally:
                os._exit(99)
        os.close(write)
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        events = list(events) if any(callable(event[0]) for event in events) else sorted(events, key=lambda event: event[0])
        while True:
            now = time.monotonic()
            if now - began > 60:
                os.kill(process, signal.SIGKILL)
                os.close(master)
                raise Failure("does not end")
            while self.began and events and due(events[0], now):
                events.pop(0)[1](self, master)
                self.changed = now
            while waiting and waiting[0][0] <= now:
                answer = waiting.pop(0)[1]
                in_flight -= answer == b"\x1b[0n"
                os.write(master, answer)
            times = [entry[0] - now for entry in waiting[:1]]
            times += [0.05 if callable(event[0]) else event[0] + self.began - now for event in events[:1] if self.began]
            if not select.select([master], [], [], max(0, min(times + [0.5])))[0]:
                continue
            # Rested, it reads several questions at once.
            time.sleep(rest)
            try:
                data = os.read(master, 1 << 16)
            except OSError:
                break
            if not data:
                break
            self.output += data
            self.changed = time.monotonic()
            if not self.began and since in self.output:
                self.began = time.monotonic()
            self.fences += data.count(b"\x1b[5n")
            in_flight += data.count(b"\x1b[5n")
            self.most_in_flight = max(self.most_in_flight, in_flight)
            answers = terminal.answers(data)
            for answer in reversed(answers) if is_reversed else answers:
                moment = now + delay + (ready if answer == b"\x1b[0n" else 0)
                # Reversed, what follows the answer that ends all comes late.
                moment = max([moment] + [entry[0] + (0.02 if is_reversed else 0) for entry in waiting])
                for part in [answer[i:i + 1] for i in range(len(answer))] if pieces else [answer]:
                    waiting.append((moment, part))
                    moment += 0.002 if pieces else 0
        os.waitpid(process, 0)
        said = b""
        while part := os.read(read, 1 << 16):
            said += part
        os.close(read)
        os.close(master)
        self.result = json.loads(said or b"{}")
        # The shell looks for what is left for 0.6 seconds.
        self.seconds = time.monotonic() - (self.began or began)


def as_it_was(run, status=0):
    expect(run.result.get("status") == status, f"status {run.result.get('status')}, not {status}: {run.output[-300:]}")
    expect(run.result["same"], "the terminal's settings are others than before")
    expect(run.result["left"] == "", f"left for the shell: {run.result['left']!r}")
    expect(b"^[" not in run.output, "an answer was echoed")
    left = [name for name in os.listdir("/dev/shm") if name.startswith("coders-")]
    expect(not left, f"left in shared memory: {left}")


def sixels(data):
    return re.findall(rb"\x1bP0;1;0q.*?\x1b\\", data, re.S)


def quiet(run):
    """Whether nothing has been shown for longer than a frame of the pictures here lasts."""
    return time.monotonic() - run.changed > 0.8


def send(data):
    return lambda run, master: os.write(master, data)


def png(width, height, *frames):
    """A PNG file of RGBA pixels; of several frames, which are shown for 100 ms, 200 ms and so on without end."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    number = 0
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    if len(frames) > 1:
        file += chunk(b"acTL", struct.pack(">II", len(frames), 0))
    for index, pixel in enumerate(frames):
        rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width)) for y in range(height))
        if len(frames) > 1:
            control = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, index + 1, 10, 0, 0)
            file, number = file + chunk(b"fcTL", control), number + 1
        if index == 0:
            file += chunk(b"IDAT", zlib.compress(rows))
        else:
            file, number = file + chunk(b"fdAT", struct.pack(">I", number) + zlib.compress(rows)), number + 1
    return file + chunk(b"IEND", b"")


def pictures(folder):
    """Writes the pictures that are shown, and gives their paths by their names."""
    steps = (0, 51, 102, 153, 204, 255)  # whole percents, as sixels have
    color = lambda x, y, shift=0: (steps[x // 4 % 6], steps[y // 6 % 6], steps[(x // 4 + y // 6 + shift) % 6], 255)
    frames = [lambda x, y, index=index: color(x, y, index) for index in range(3)]
    four = ((255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255,) * 4)
    files = {"colors.png": png(48, 36, color), "four.png": png(2, 2, lambda x, y: four[2 * y + x]),
             "clear.png": png(48, 36, lambda x, y: (200, 100, 50, min(255, x * 6)) if y > 5 else (0, 0, 0, 0)),
             "party.png": png(48, 36, *frames)}
    files.update({f"frame{index}.png": png(48, 36, frame) for index, frame in enumerate(frames)})
    for name, data in files.items():
        open(os.path.join(folder, name), "wb").write(data)
    return {name: os.path.join(folder, name) for name in files}


def pixels(path, *command):
    """Width, height and RGBA pixels of any picture, which the command converts."""
    pam = path + ".pam"
    subprocess.run([*command, "--quiet", "--option", "kind=pam", path, pam], check=True)
    data = open(pam, "rb").read()
    head, body = data.split(b"ENDHDR\n", 1)
    fields = dict(line.split(None, 1) for line in head.decode().splitlines()[1:] if line)
    width, height, depth = (int(fields[name]) for name in ("WIDTH", "HEIGHT", "DEPTH"))
    found = bytearray()
    for place in range(0, len(body), depth):
        sample = body[place:place + depth]
        color = sample[:3] if depth > 2 else sample[:1] * 3
        found += color + (sample[-1:] if depth in (2, 4) else b"\xff")
    return width, height, bytes(found)
