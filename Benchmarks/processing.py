# SPDX-License-Identifier: Apache-2.0
"""Operations on 24 megapixels of noise beside Pillow and libvips, which take turns with ours in one run."""

import statistics
import time

import numpy
from PIL import Image, ImageFilter

from gates import once_more, verdict

try:
    import pyvips
except (ImportError, OSError):
    pyvips = None

MEGAPIXELS = 24
# A blur costs the same at any radius: of sigma 100, so many times that of sigma 2 at most.
BLUR_GATE = 2.0


def run(ours, arguments):
    height = 2 * int((MEGAPIXELS * 1e6 / 6) ** 0.5)
    noise = numpy.random.default_rng(1).integers(0, 256, (height, height * 3 // 2, 3), dtype="uint8")
    picture = Image.fromarray(noise)
    vips = pyvips.Image.new_from_memory(noise.tobytes(), picture.width, picture.height, 3, "uchar") if pyvips else None
    small = (picture.width // 4, picture.height // 4)

    def drawn(image):
        # libvips does nothing before somebody wants the pixels.
        return image.write_to_memory()

    rows = [
        ("resize to a quarter", f"resize:{small[0]}x{small[1]},stretch", lambda: picture.resize(small, Image.LANCZOS),
         lambda: drawn(vips.resize(0.25))),
        ("flip", "flip:horizontal", lambda: picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
         lambda: drawn(vips.fliphor())),
        ("turn by 90°", "rotate:90", lambda: picture.transpose(Image.Transpose.ROTATE_270),
         lambda: drawn(vips.rot90())),
        ("turn by 12.5°", "rotate:12.5,black", lambda: picture.rotate(-12.5, Image.BICUBIC, expand=True),
         lambda: drawn(vips.similarity(angle=12.5, interpolate=pyvips.Interpolate.new("bicubic")))),
        ("grayscale", "grayscale:1", lambda: picture.convert("L").convert("RGB"),
         lambda: drawn(vips.colourspace("b-w"))),
        ("blur, sigma 2", "blur:2", lambda: picture.filter(ImageFilter.GaussianBlur(2)),
         lambda: drawn(vips.gaussblur(2, min_ampl=0.01))),
        ("blur, sigma 10", "blur:10", lambda: picture.filter(ImageFilter.GaussianBlur(10)),
         lambda: drawn(vips.gaussblur(10, min_ampl=0.01))),
        ("blur, sigma 100", "blur:100", lambda: picture.filter(ImageFilter.GaussianBlur(100)), None),
    ]
    print(f"\nOperations on {MEGAPIXELS} megapixels\n{'':<22}{'ours ms':>10}{'Pillow ms':>12}{'ratio':>8}{'libvips ms':>12}{'ratio':>8}")
    for name, operation, pillow, other in rows:
        own, theirs, others = [], [], []
        for _ in range(arguments.rounds):
            own.append(milliseconds(ours, operation))
            theirs.append(timed(pillow))
            if vips and other:
                others.append(timed(other))
        ratio = statistics.median(a / b for a, b in zip(own, theirs))
        line = f"{name:<22}{min(own):>10.0f}{min(theirs):>12.0f}{ratio:>8.2f}"
        if others:
            line += f"{min(others):>12.0f}{statistics.median(a / b for a, b in zip(own, others)):>8.2f}"
        print(line, flush=True)

    def measure(rounds):
        pairs = [(milliseconds(ours, "blur:100"), milliseconds(ours, "blur:2")) for _ in range(rounds)]
        return statistics.median(large / little for large, little in pairs), pairs
    ratio, _ = once_more(measure, arguments.rounds, BLUR_GATE)
    print(f"blur of sigma 100 over sigma 2: {ratio:.2f}   gate {BLUR_GATE}   "
          f"{verdict(f'blur of sigma 100 takes {ratio:.2f} × sigma 2', ratio <= BLUR_GATE)}")


def milliseconds(ours, operation):
    return float(ours.say("process", operation, 2, MEGAPIXELS)[1])


def timed(body):
    before = time.perf_counter()
    body()
    return (time.perf_counter() - before) * 1e3
