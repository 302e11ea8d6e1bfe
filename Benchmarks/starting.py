# SPDX-License-Identifier: Apache-2.0
"""Short runs of the command, from start to end, beside those of libvips that do the same."""

import os
import statistics
import subprocess
import tempfile

from gates import verdict

# Of the median processor time of libvips' command, and the most MB.
GATES = {"--version": (0.25, 17), "list": (None, 19), "probe": (0.35, 21), "thumbnail": (0.55, 23)}
RUNS = 25


def run(floor, command):
    """Milliseconds of processor time, and the most memory in MB. A small program starts the command: memory of the one that
    does would count, too."""
    said = subprocess.run([floor, "run", *command], capture_output=True, text=True, check=True).stdout.split()
    return float(said[1]), int(said[3]) / 1024


def compare(arguments):
    if not os.path.exists(arguments.coders):
        print(f"\n{arguments.coders} is not built: its start is not measured")
        return
    picture = os.path.join(arguments.corpus, "1mb.png")
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "icon.png")
        subprocess.run([arguments.coders, "thumbnail", "--size", "64", picture, "-o", small, "--quiet"], check=True)
        medium = os.path.join(folder, "medium.jpg")
        subprocess.run([arguments.coders, "convert", "--max-size", "1200x800", picture, medium, "--quiet"], check=True)
        out = os.path.join(folder, "out.jpg")
        pairs = {
            "--version": ([arguments.coders, "--version"], ["vips", "--version"]),
            "list": ([arguments.coders, "list"], None),
            "probe": ([arguments.coders, "probe", small], ["vipsheader", small]),
            "thumbnail": ([arguments.coders, "thumbnail", "--size", "256", medium, "-o", out],
                          ["vipsthumbnail", medium, "--size", "256", "-o", out]),
        }
        print(f"\nFrom start to end\n{'':<12}{'ours ms':>9}{'MB':>7}{'libvips ms':>12}{'MB':>7}{'ours ÷ it':>11}   gates")
        for name, (ours, theirs) in pairs.items():
            commands = [ours] if theirs is None else [ours, theirs]
            measured = [[] for _ in commands]
            for _ in range(RUNS):
                for command, into in zip(commands, measured):
                    into.append(run(arguments.floor, command))
            times = [statistics.median(time for time, _ in found) for found in measured]
            memory = [max(megabytes for _, megabytes in found) for found in measured]
            gate, most = GATES[name]
            share = times[0] / times[1] if theirs else None
            passed = verdict(f"coders {name} {times[0]:.1f} ms, {memory[0]:.1f} MB",
                             memory[0] <= most and (gate is None or share <= gate))
            beside = f"{times[1]:>12.1f}{memory[1]:>7.1f}{share:>11.2f}   {gate:.2f}, {most} MB" if theirs else f"{'':>30}   {most} MB"
            print(f"{name:<12}{times[0]:>9.1f}{memory[0]:>7.1f}{beside} {passed}", flush=True)
