# SPDX-License-Identifier: Apache-2.0
"""What the parts of the comparison share: programs that are timed, and figures that are held to gates."""

import contextlib
import os
import subprocess

TURN_MS = 300  # what a contender's turn should last

failed = []


def verdict(name, passed):
    """`name` says what was found; those that do not pass are listed at the end."""
    if not passed:
        failed.append(name)
    return "PASS" if passed else "FAIL"


def once_more(measure, rounds, gate):
    """What `measure(rounds)` gives, a figure first. One over its gate is measured once more, twice as long, and then
    counts: a machine is rarely alone for a minute."""
    result = measure(rounds)
    return result if result[0] <= gate else measure(2 * rounds)


@contextlib.contextmanager
def one_processor():
    """Keeps this process and its children on one processor, which is never idle while they have something to do. Two threads of one
    core slow each other down, so that the processor time of two is more than that of one."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


class Contender:
    """A program of the form `program operation file repetitions`."""

    def __init__(self, *command):
        self.command = list(command)

    def say(self, operation, path, count, *more):
        """The words that the program prints."""
        program, *rest = self.command
        done = subprocess.run(
            [program, operation, path, str(count), *rest, *map(str, more)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{program} {operation} {path}: exit {done.returncode} {done.stderr.strip()}")
        return done.stdout.split()

    def turn(self, operation, path, count):
        """The least milliseconds of a turn, and the hash of the pixels."""
        said = self.say(operation, path, count)
        return float(said[1]), said[5]

    def facts(self, operation, path, count, *more):
        """What the program says as `name value`; a word at the end has no value."""
        said = self.say(operation, path, count, *more)
        return dict(zip(said[::2], said[1::2])), said[-1]
