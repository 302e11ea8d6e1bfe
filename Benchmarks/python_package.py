# SPDX-License-Identifier: Apache-2.0
"""The Python package beside Pillow, pillow-heif, pyvips, OpenCV, imagecodecs and simplejpeg: processor time, so that a busy machine does
not count; contenders take turns, and the least time of a file counts. `python_package.py FOLDER [PASSES]` makes its files there."""

import io
import os
import sys
import threading
import time

os.environ.setdefault("VIPS_CONCURRENCY", "1")
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../build/bench/peers"))

import cv2
import imagecodecs
import numpy
import pillow_heif
import pyvips
import simplejpeg
from PIL import Image, ImageFile

import imagecoders as ic
import imagecoders.pillow
from pictures import photo, with_alpha

SIDE = 256
SIZES = [(640, 480), (1600, 1200), (4000, 3000)]
cv2.setNumThreads(1)


def turned(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


# What a file of each kind is, by Pillow's writers and pillow-heif's.
KINDS = {
    "JPEG": lambda picture: {"format": "JPEG", "quality": 85},
    "JPEG, progressive": lambda picture: {"format": "JPEG", "quality": 85, "progressive": True},
    "JPEG, Exif 6": lambda picture: {"format": "JPEG", "quality": 88, "exif": turned(6)},
    "JPEG, CMYK": lambda picture: {"format": "JPEG", "quality": 88},
    "PNG": lambda picture: {"format": "PNG", "compress_level": 3},
    "PNG, alpha": lambda picture: {"format": "PNG", "compress_level": 3},
    "WebP": lambda picture: {"format": "WEBP", "quality": 80, "method": 1},
    "AVIF": lambda picture: {"format": "AVIF", "quality": 65, "speed": 10},
    "HEIC": lambda picture: {"format": "HEIF", "quality": 70},
    "GIF": lambda picture: {"format": "GIF"},
    "TIFF, LZW": lambda picture: {"format": "TIFF", "compression": "tiff_lzw"},
    "TIFF, Deflate": lambda picture: {"format": "TIFF", "compression": "tiff_adobe_deflate"},
    "TIFF, JPEG": lambda picture: {"format": "TIFF", "compression": "jpeg"},
    "TIFF, none": lambda picture: {"format": "TIFF"},
    "JPEG, cut": lambda picture: {"format": "JPEG", "quality": 85},
}


def made(folder):
    """Kind, size and bytes of each file; those that are there stay."""
    os.makedirs(folder, exist_ok=True)
    pictures = {}
    for kind, options in KINDS.items():
        for size in SIZES:
            path = os.path.join(folder, f"{kind.replace(', ', '-').replace(' ', '-').lower()}-{size[0]}")
            if not os.path.exists(path):
                if size not in pictures:
                    pictures[size] = photo(*size, 7)
                picture = pictures[size]
                if kind == "PNG, alpha":
                    picture = with_alpha(picture)
                elif kind == "JPEG, CMYK":
                    picture = picture.convert("CMYK")
                elif kind == "GIF":
                    picture = picture.quantize(256, Image.Quantize.FASTOCTREE)
                file = io.BytesIO()
                picture.save(file, **options(picture))
                data = file.getvalue()
                with open(path, "wb") as target:
                    target.write(data[: len(data) // 2] if kind == "JPEG, cut" else data)
            with open(path, "rb") as file:
                yield kind, size, file.read()


def by_pillow(data):
    with Image.open(io.BytesIO(data)) as image:
        image.draft("RGB", (SIDE * 2, SIDE * 2))
        image.thumbnail((SIDE, SIDE))
        return numpy.asarray(image.convert("RGB"))


def by_vips(data):
    image = pyvips.Image.thumbnail_buffer(data, SIDE, height=SIDE, size="down")
    return (image.flatten() if image.hasalpha() else image).numpy()


def reduced(pixels):
    height, width = pixels.shape[:2]
    scale = min(1, SIDE / max(height, width))
    return cv2.resize(pixels, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=cv2.INTER_AREA)


def by_opencv(data):
    # It has no way to know the size before it decodes, and a factor of 2 is safe for all of these.
    pixels = cv2.imdecode(numpy.frombuffer(data, "uint8"), cv2.IMREAD_REDUCED_COLOR_2)
    return cv2.cvtColor(reduced(pixels), cv2.COLOR_BGR2RGB)


def by_imagecodecs(data):
    return reduced(imagecodecs.imread(data)[..., :3].copy())


def by_simplejpeg(data):
    return reduced(simplejpeg.decode_jpeg(data, min_width=SIDE, min_height=SIDE))


THUMBNAILS = {
    "ours": lambda data: numpy.asarray(ic.decode(data, size=SIDE)),
    "ours, fast": lambda data: numpy.asarray(ic.decode(data, size=SIDE, fast=True)),
    "Pillow": by_pillow, "pyvips": by_vips, "OpenCV": by_opencv, "imagecodecs": by_imagecodecs, "simplejpeg": by_simplejpeg,
}
WHOLE = {
    "ours": lambda data: numpy.asarray(ic.decode(data)),
    "Pillow": lambda data: numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB")),
    "pyvips": lambda data: pyvips.Image.new_from_buffer(data, "").numpy(),
    "OpenCV": lambda data: cv2.cvtColor(cv2.imdecode(numpy.frombuffer(data, "uint8"), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB),
    "imagecodecs": imagecodecs.imread,
    "simplejpeg": simplejpeg.decode_jpeg,
}


def measured(contenders, files, passes):
    """Milliseconds of processor time by kind and contender, the sum of the least of each file; None: it cannot read one of them."""
    least = {}
    for number in range(passes):
        for kind, size, data in files:
            names = list(contenders)
            for name in names if number % 2 == 0 else reversed(names):
                key = kind, name
                if least.get(key, ()) is None:
                    continue
                before = time.process_time()
                try:
                    contenders[name](data)
                except Exception:
                    least[key] = None
                    continue
                spent = (time.process_time() - before) * 1000
                found = least.setdefault(key, {})
                found[size] = min(found.get(size, spent), spent)
    return {key: None if found is None else sum(found.values()) for key, found in least.items()}


def table(title, contenders, files, passes):
    """Prints the table of a page: milliseconds for the files of a kind, the least in bold. Pillow reads HEIC by pillow-heif."""
    found = measured(contenders, files, passes)
    print(f"\n{title}\n\n| kind | {' | '.join(contenders)} |\n|---|{'---:|' * len(contenders)}", flush=True)
    for kind in dict.fromkeys(kind for kind, _, _ in files):
        row = [found[kind, name] for name in contenders]
        best = min(value for value in row if value is not None)
        words = ["–" if value is None else f"**{value:.1f}**" if value == best else f"{value:.1f}" for value in row]
        print(f"| {kind} | {' | '.join(words)} |", flush=True)
    for name in contenders:
        if name.startswith("ours"):
            continue
        shared = [kind for kind in dict.fromkeys(kind for kind, _, _ in files) if found[kind, name] is not None]
        ratio = sum(found[kind, "ours"] for kind in shared) / sum(found[kind, name] for kind in shared)
        print(f"ours over {name}, of the {len(shared)} kinds that it reads: {ratio:.2f}")


def longest_pause(call):
    """Milliseconds that a thread which ticks each half of one waited at most while a call ran on another."""
    longest, is_over = 0.0, threading.Event()

    def tick():
        nonlocal longest
        last = time.perf_counter()
        while not is_over.is_set():
            time.sleep(0.0005)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    thread = threading.Thread(target=tick)
    thread.start()
    time.sleep(0.01)
    call()
    is_over.set()
    thread.join()
    return longest * 1000 - 0.5


def pauses(files, rounds):
    """Whether the interpreter's lock is free during a call: the least of several rounds, as other programs make pauses, too."""
    print("\nLongest pause of a thread that ticks, while another decodes 12 megapixels, ms\n\n| kind | ours | Pillow |\n|---|---:|---:|")
    for kind, size, data in files:
        if size == SIZES[-1] and kind in ("JPEG", "PNG", "WebP", "AVIF", "HEIC", "TIFF, LZW"):
            found = [min(longest_pause(lambda: WHOLE[name](data)) for _ in range(rounds)) for name in ("ours", "Pillow")]
            print(f"| {kind} | {found[0]:.1f} | {found[1]:.1f} |", flush=True)


def microseconds(call, count):
    best = float("inf")
    for _ in range(5):
        before = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - before) / count)
    return best * 1e6


def overhead(count):
    """What a call costs where the work is next to nothing."""
    noise = numpy.random.default_rng(1).integers(0, 255, (64, 64, 3), "uint8")
    files = {}
    for name, side, kind in (("PNG of 8×8", 8, "png"), ("JPEG of 8×8", 8, "jpeg"), ("JPEG of 64×64", 64, "jpeg")):
        files[name] = ic.encode(noise[:side, :side], kind)
    rows = [("probe", f"{name}, probe", data, lambda data: ic.probe(data), lambda data: Image.open(io.BytesIO(data)).size)
            for name, data in files.items()]
    rows += [("decode", f"{name}, to NumPy", data, WHOLE["ours"], WHOLE["Pillow"]) for name, data in files.items()]
    print("\nOne call, µs\n\n| | ours | Pillow |\n|---|---:|---:|")
    for _, name, data, ours, theirs in rows:
        print(f"| {name} | {microseconds(lambda: ours(data), count):.1f} | {microseconds(lambda: theirs(data), count):.1f} |", flush=True)


def opening(files, count):
    """Image.open of a large HEIC by the plugin for Pillow and by pillow-heif."""
    data = next(data for kind, size, data in files if kind == "HEIC" and size == SIZES[-1])
    imagecoders.pillow.register(["HEIF"], override=True)
    ours = microseconds(lambda: Image.open(io.BytesIO(data)), count)
    pillow_heif.register_heif_opener()
    theirs = microseconds(lambda: Image.open(io.BytesIO(data)), count)
    print(f"\nImage.open of a HEIC of 12 megapixels: ours {ours:.0f} µs, pillow-heif {theirs:.0f} µs")


def main(folder, passes=3):
    pillow_heif.register_heif_opener()
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    files = list(made(folder))
    table(f"Thumbnails of {SIDE} pixels to RGB, ms", THUMBNAILS, files, passes)
    table("Whole pictures to RGB, ms", WHOLE, files, passes)
    overhead(200 * passes)
    pauses(files, passes)
    opening(files, 10 * passes)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
