# SPDX-License-Identifier: Apache-2.0
"""Animations played to their ends: the frames are those that are decoded one by one, delays and loops those of Pillow."""

import glob

from PIL import Image

from score import Score
from suite_jpeg import short

# A player's times are nanoseconds, rounded up; Pillow's milliseconds are floating point.
TOLERANCE_MS = 0.001


def run(digest, corpora):
    score = Score("Played animations", "own frames; Pillow's delays and loops")
    paths = [path for kind in ("gif", "png", "apng", "webp", "avif", "avifs")
             for path in sorted(glob.glob(f"{corpora}/**/*.{kind}", recursive=True))]
    oracle = {path: found for path in paths if (found := pillow(path)) is not None}
    played = digest.run(list(oracle), "--play", raw=False)
    decoded = digest.run(list(oracle), "--frames", raw=False)
    for result, whole in zip(played, decoded):
        # What Pillow and we read of damaged files is compared by other suites.
        # Frames without any delay are parts of one picture.
        if whole.outcome != "ok" or not any(oracle[result.path][0]):
            continue
        score.add(short(result.path), difference(result, whole, *oracle[result.path]))
    return [score]


def pillow(path):
    """Delays in milliseconds and the number of plays, 0 without end; None for what is no animation."""
    try:
        with Image.open(path) as image:
            count = getattr(image, "n_frames", 1)
            if count < 2:
                return None
            kind = image.format
            loop = image.info.get("loop")
            # The picture for readers without animation is no frame.
            first = 1 if kind == "PNG" and image.default_image else 0
            delays = []
            for index in range(first, count):
                image.seek(index)
                # Some readers know a frame's delay only then.
                image.load()
                delays.append(float(image.info.get("duration", 0)))
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, Image.DecompressionBombError):
        return None
    if kind == "GIF":
        # A file without the extension is played once; with it, so many times more.
        loop = 1 if loop is None else loop + 1 if loop else 0
    return (delays, loop or 0) if len(delays) > 1 else None


def difference(result, whole, delays, loop):
    if result.outcome != "ok":
        return result.said
    if result.record["loopCount"] != loop:
        return f"{result.record['loopCount']} plays, not {loop}"
    if len(whole.frames) != len(delays):
        return f"{len(whole.frames)} frames, not {len(delays)}"
    one = sum(delays)
    plays = result.record["plays"]
    wanted, now = [], 0.0
    for _ in range(plays):
        for index, delay in enumerate(delays):
            # A frame without a delay is never shown.
            if delay > 0:
                wanted.append((index, now))
                now += delay
    # The last frame is where it rests, also without a delay.
    if delays[-1] == 0:
        wanted.append((len(delays) - 1, now))
    shown = result.record["shown"]
    if [index for index, _, _ in shown] != [index for index, _ in wanted]:
        return f"frames {[index for index, _, _ in shown][:20]}, not {[index for index, _ in wanted][:20]}"
    for (index, nanoseconds, found), (_, milliseconds) in zip(shown, wanted):
        if abs(nanoseconds / 1e6 - milliseconds) > TOLERANCE_MS:
            return f"frame {index} at {nanoseconds / 1e6} ms, not {milliseconds}"
        if found != whole.hashes[index]:
            return f"frame {index} has other pixels"
    if abs(result.record["end"] / 1e6 - plays * one) > TOLERANCE_MS:
        return f"the end at {result.record['end'] / 1e6} ms, not {plays * one}"
    return None
