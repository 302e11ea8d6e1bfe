# SPDX-License-Identifier: Apache-2.0
"""usage: pillow_images.py FOLDER

Opens each picture of Pillow's own tests with Pillow's reader and with these coders, and says where they differ: whether it opens and
loads, its size, its number of frames, and its pixels, upright and in RGBA. Fails if a file that Pillow reads cannot be read, or a
size differs, unless DIFFERENT below says why."""
import collections
import pathlib
import sys
import warnings

import numpy
from PIL import Image, ImageOps

import imagecoders.pillow

# Files on which the two differ by intent.
DIFFERENT: dict[str, str] = {"hopper_lzma.tif": "the pinned libtiff has no LZMA"}


def seen(path):
    """What an application sees of a file: size, frames and pixels, or the class of the error."""
    try:
        with Image.open(path) as opened:
            frames, size = getattr(opened, "n_frames", 1), opened.size
            # TIFF turns pictures when they are loaded.
            upright = ImageOps.exif_transpose(opened).convert("RGBA")
            return opened.format, upright.size, frames, numpy.asarray(upright).astype(int), type(opened)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main(folder):
    warnings.simplefilter("ignore")
    Image.init()
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file() and path.suffix not in (".txt", ".gpl", ".icm"))
    theirs = {path: seen(path) for path in paths}
    taken = imagecoders.pillow.register(override=True)
    counts, failed = collections.Counter(), []
    for path in paths:
        their, our = theirs[path], seen(path)
        name = str(path.relative_to(folder))
        if isinstance(their, str):
            counts["Pillow reads it not, ours does" if not isinstance(our, str) else "neither reads it"] += 1
            continue
        if their[0] not in taken:
            counts["of a format that is Pillow's alone"] += 1
            continue
        if isinstance(our, str):
            verdict = f"not read: {our}"
        elif our[1] != their[1]:
            verdict = f"{our[0]}: {our[1]} where Pillow has {their[1]}"
        else:
            alike = numpy.abs(our[3] - their[3])
            # Of what is clear, colors do not count.
            alike[(our[3][..., 3] == 0) & (their[3][..., 3] == 0)] = 0
            counts["the same pixels" if not alike.any() else "pixels alike" if alike.mean() < 4 else "other pixels"] += 1
            if alike.mean() >= 4:
                print(f"{name}: {our[0]} differs by {alike.mean():.1f}")
            if our[2] != their[2]:
                print(f"{name}: {our[0]} has {our[2]} frames where Pillow has {their[2]}")
                counts["another number of frames"] += 1
            continue
        reason = DIFFERENT.get(path.name)
        counts["different by intent" if reason else "wrong"] += 1
        if not reason:
            failed.append(f"{name}: {verdict}")
    for line in failed:
        print(line)
    print("\n".join(f"{count:>6}  {what}" for what, count in counts.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
