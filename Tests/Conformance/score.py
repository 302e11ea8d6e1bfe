# SPDX-License-Identifier: Apache-2.0
"""What a suite came to."""


class Score:
    """Files that came out as they must, of how many, and what is wrong with the others."""

    def __init__(self, name, oracle):
        self.name = name
        self.oracle = oracle
        self.passed = 0
        self.total = 0
        self.failures = []
        self.notes = []

    def add(self, path, problem):
        """Counts a file; `problem` is None for one that is right."""
        self.total += 1
        if problem is None:
            self.passed += 1
        else:
            self.failures.append(f"{path}: {problem}")

    def note(self, text):
        """A difference that is known, explained and not counted."""
        self.notes.append(text)

    def __str__(self):
        return f"{self.name:<34} {self.passed:>5} of {self.total:<5} {self.oracle}"


def difference(found, expected, tolerance=0):
    """None when two arrays agree, else where and how far they differ."""
    if found.shape != expected.shape:
        return f"{describe(found)} where {describe(expected)} is expected"
    distance = abs(found.astype("int64") - expected.astype("int64"))
    if distance.max(initial=0) <= tolerance:
        return None
    wrong = distance.max(axis=2) > tolerance
    y, x = divmod(int(wrong.argmax()), wrong.shape[1])
    return (
        f"{int(wrong.sum())} of {wrong.size} pixels differ, by {int(distance.max())} at most, first at {x},{y}: "
        f"{found[y, x].tolist()} where {expected[y, x].tolist()} is expected")


def describe(array):
    height, width, channels = array.shape
    return f"{width}×{height} of {channels} channels"


def visible(pixels):
    """Colors of pixels that are wholly transparent are nobody's business: they become 0."""
    cleaned = pixels.copy()
    cleaned[cleaned[:, :, 3] == 0] = 0
    return cleaned
