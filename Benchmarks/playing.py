# SPDX-License-Identifier: Apache-2.0
"""Playing animations: processor time beside a plain loop in C, memory, the player's own step, and the first frame in a
terminal beside a thumbnail."""

import os
import pty
import statistics
import subprocess
import tempfile
import time

from gates import once_more, verdict

PROCESSOR_GATE = 1.10
# A frame of this one takes 0.37 ms: the tenth of a millisecond shows that two threads take to hand a frame over.
PROCESSOR_GATES = {"moving60.avif": 1.45}
CANVASES_GATE = 3
ADVANCE_GATE_NS = 1000
FIRST_FRAME_GATE = 1.5


def run(raw, ours, animations, judged, arguments):
    print(f"\nPlaying, in processor time\n{'':<26}{'raw ms':>10}{'ours ms':>10}{'ratio':>8}   gate {PROCESSOR_GATE:.2f}")
    for name in animations:
        path = os.path.join(arguments.corpus, name)
        gate = PROCESSOR_GATES.get(name, PROCESSOR_GATE)
        floor, own, ratio, _ = judged(
            [raw, ours], "processor", path, arguments, lambda our, base: our / base, gate)
        passed = verdict(f"playing {name} {ratio:.3f}", ratio <= gate)
        print(f"{name:<26}{floor:>10.1f}{own:>10.1f}{ratio:>8.3f}   {passed}", flush=True)
    print(f"\n{'':<26}{'canvases over the budget':>26}{'a step, ns':>12}   gates {CANVASES_GATE}, {ADVANCE_GATE_NS}")
    for name in animations:
        said = ours.say("player", os.path.join(arguments.corpus, name), 1)
        over, step = float(said[1]), float(said[3])
        passed = verdict(
            f"playing {name}: {over:.1f} canvases, {step:.0f} ns", over <= CANVASES_GATE and step <= ADVANCE_GATE_NS)
        print(f"{name:<26}{over:>26.1f}{step:>12.0f}   {passed}", flush=True)
    first_frame(arguments)


def first_frame(arguments):
    """From the start of the command to the first character of the picture, in a terminal of 80 by 24."""
    path = os.path.join(arguments.corpus, "screencast600.gif")
    made_in = tempfile.TemporaryDirectory()
    thumbnail = [arguments.coders, "thumbnail", "--size", "80x48", "--plugin-dir", arguments.plugins, path,
                 "-o", os.path.join(made_in.name, "thumbnail.png")]
    play = [arguments.coders, "play", "--protocol", "blocks", "--size", "80x24", "--plugin-dir", arguments.plugins, path]

    def measure(count):
        ratios, shown, made = [], [], []
        for _ in range(2 * count):
            made.append(timed(thumbnail))
            shown.append(first_character(play))
            ratios.append(shown[-1] / made[-1])
        return statistics.median(ratios), min(made), min(shown)
    ratio, made, shown = once_more(measure, arguments.rounds, FIRST_FRAME_GATE)
    passed = verdict(f"first frame of play {ratio:.2f} × a thumbnail", ratio <= FIRST_FRAME_GATE)
    print(f"\nfirst frame of coders play {shown:.1f} ms, coders thumbnail {made:.1f} ms: {ratio:.2f}   "
          f"gate {FIRST_FRAME_GATE}   {passed}")


def timed(command):
    before = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - before) * 1000


def first_character(command):
    controller, terminal = pty.openpty()
    before = time.perf_counter()
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal) as player:
        os.close(terminal)
        seen = b""
        while "▀".encode() not in seen:
            seen += os.read(controller, 65536)
        took = (time.perf_counter() - before) * 1000
        player.terminate()
        # What it still writes has to be read, or it waits for that.
        while True:
            try:
                if not os.read(controller, 65536):
                    break
            except OSError:
                break
        player.wait()
    os.close(controller)
    return took
