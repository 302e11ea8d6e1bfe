# SPDX-License-Identifier: Apache-2.0
"""Operations on 24 megapixels of noise beside Pillow, Pillow-SIMD and libvips, which take turns with ours in one run."""

import os
import statistics
import subprocess
import sys
import time

import pyvips

from gates import once_more, verdict
from pillow_operations import noise

# Where scripts/bench builds it.
SIMD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/bench/pillow-simd")
MEGAPIXELS = 24
# Above sigma 20 a blur costs the same at any radius: of sigma 100, so many times that of sigma 21 at most.
BLUR_GATE = 1.25
# What we call it, what Pillow's program calls it, and how libvips does it.
OPERATIONS = [
    ("resize to a quarter", "resize", lambda picture: picture.resize(0.25)),
    ("flip", "flip", lambda picture: picture.fliphor()),
    ("turn by 90°", "turn", lambda picture: picture.rot90()),
    ("turn by 12.5°", "rotate",
     lambda picture: picture.similarity(angle=12.5, interpolate=pyvips.Interpolate.new("bicubic"))),
    ("grayscale", "gray", lambda picture: picture.colourspace("b-w")),
    ("blur, sigma 2", "blur2", lambda picture: picture.gaussblur(2, min_ampl=0.01)),
    ("blur, sigma 10", "blur10", lambda picture: picture.gaussblur(10, min_ampl=0.01)),
    ("blur, sigma 100", "blur100", None),
]
OURS = {
    "flip": "flip:horizontal", "turn": "rotate:90", "rotate": "rotate:12.5,black", "gray": "grayscale:1",
    "blur2": "blur:2", "blur10": "blur:10", "blur100": "blur:100",
}


class Pillow:
    """One of the Pillows, in a process of its own."""

    def __init__(self, name, folder=None):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pillow_operations.py")
        variables = os.environ | ({"PYTHONPATH": folder} if folder else {})
        self.process = subprocess.Popen(
            [sys.executable, program, str(MEGAPIXELS)], env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.name = f"{name} {self.process.stdout.readline().strip()}"

    def milliseconds(self, operation):
        self.process.stdin.write(operation + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


class Libvips:
    def __init__(self, pixels):
        self.name = f"libvips {'.'.join(str(pyvips.version(part)) for part in range(3))}"
        self.picture = pyvips.Image.new_from_memory(pixels.tobytes(), pixels.shape[1], pixels.shape[0], 3, "uchar")
        self.operations = {key: operation for _, key, operation in OPERATIONS}

    def milliseconds(self, operation):
        if not self.operations[operation]:
            return None
        before = time.perf_counter()
        # libvips does nothing before somebody wants the pixels.
        self.operations[operation](self.picture).write_to_memory()
        return (time.perf_counter() - before) * 1e3


def run(ours, arguments):
    pixels = noise(MEGAPIXELS)
    named = OURS | {"resize": f"resize:{pixels.shape[1] // 4}x{pixels.shape[0] // 4},stretch"}
    peers = [Pillow("Pillow"), Pillow("Pillow-SIMD", SIMD), Libvips(pixels)]
    columns = "".join(f"{peer.name:>26}" for peer in peers)
    print(f"\nOperations on {MEGAPIXELS} megapixels, ms, and ours over theirs\n{'':<22}{'ours':>8}{columns}")
    for name, key, _ in OPERATIONS:
        own, theirs = [], [[] for _ in peers]
        for _ in range(arguments.rounds):
            own.append(milliseconds(ours, named[key]))
            for peer, times in zip(peers, theirs):
                times.append(peer.milliseconds(key))
        line = f"{name:<22}{min(own):>8.0f}"
        for times in theirs:
            if times[0] is None:
                line += f"{'—':>18}{'—':>8}"
            else:
                line += f"{min(times):>18.0f}{statistics.median(a / b for a, b in zip(own, times)):>8.2f}"
        print(line, flush=True)

    def measure(rounds):
        pairs = [(milliseconds(ours, "blur:100"), milliseconds(ours, "blur:21")) for _ in range(rounds)]
        return statistics.median(large / little for large, little in pairs), pairs
    ratio, _ = once_more(measure, arguments.rounds, BLUR_GATE)
    print(f"blur of sigma 100 over sigma 21: {ratio:.2f}   gate {BLUR_GATE}   "
          f"{verdict(f'blur of sigma 100 takes {ratio:.2f} × sigma 21', ratio <= BLUR_GATE)}")


def milliseconds(ours, operation):
    return float(ours.say("process", operation, 2, MEGAPIXELS)[1])
