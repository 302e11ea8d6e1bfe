# SPDX-License-Identifier: Apache-2.0
"""Pictures to encode, the command that encodes them, and decoders of others that read what it wrote."""

import io
import os
import re
import subprocess
import tempfile

import numpy
import png
import tifffile
from PIL import Image

import apng

CODERS = os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin", "coders")


def convert(digest, source, target, *options):
    """None, or what the command said when it failed."""
    done = subprocess.run(
        [CODERS, "convert", "--plugin-dir", digest.plugins, source, target, *options],
        capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr.strip()


def pictures():
    """Names and arrays of height × width × channels: 8 and 16 bits, few colors and many, with alpha and without."""
    random = numpy.random.default_rng(7)
    height, width = 97, 131
    y, x = numpy.mgrid[0:height, 0:width]
    slopes = numpy.stack([(x * 2 + y) % 256, (x + y * 3) % 256, (x * y // 16) % 256], axis=2)
    photo = numpy.clip(slopes // 2 + random.normal(60, 6, slopes.shape), 0, 255).astype(numpy.uint8)
    alpha = ((x * 255) // width).astype(numpy.uint8)[:, :, None]
    flat = numpy.where(((x // 9 + y // 7) % 3 == 0)[:, :, None], [20, 90, 200], [240, 200, 16]).astype(numpy.uint8)
    deep = (photo.astype(numpy.uint16) << 8) + random.integers(0, 256, photo.shape).astype(numpy.uint16)
    return {
        "photo": photo, "photo with alpha": numpy.concatenate([photo, alpha], axis=2), "flat": flat,
        "gray": photo[:, :, :1], "16 bits": deep, "gray of 16 bits": deep[:, :, :1],
        "16 bits with alpha": numpy.concatenate([deep, deep[:, :, :1]], axis=2),
        "one pixel": photo[:1, :1], "a column": photo[:, :1],
    }


def save(path, pixels):
    """Writes a PNG with pypng."""
    height, width, channels = pixels.shape
    bits = 16 if pixels.dtype == numpy.uint16 else 8
    writer = png.Writer(
        width, height, greyscale=channels < 3, alpha=channels in (2, 4), bitdepth=bits, compression=1)
    with open(path, "wb") as file:
        writer.write(file, pixels.reshape(height, -1).tolist())


def rgba(pixels):
    """An array as RGBA of its own depth."""
    full = numpy.iinfo(pixels.dtype).max
    if pixels.shape[2] < 3:
        color = numpy.repeat(pixels[:, :, :1], 3, axis=2)
        rest = pixels[:, :, 1:]
    else:
        color, rest = pixels[:, :, :3], pixels[:, :, 3:]
    if rest.shape[2] == 0:
        rest = numpy.full(color.shape[:2] + (1,), full, dtype=pixels.dtype)
    return numpy.concatenate([color, rest], axis=2)


def read_png(path):
    with open(path, "rb") as file:
        return expand(png.Reader(file=io.BytesIO(file.read())))


def expand(reader):
    """RGBA of a pypng reader, at the file's depth."""
    width, height, rows, said = reader.asDirect()
    kind = numpy.uint16 if said["bitdepth"] > 8 else numpy.uint8
    return rgba(numpy.array([numpy.asarray(row, dtype=kind) for row in rows]).reshape(height, width, said["planes"]))


def through(*command):
    """A decoder that is a program which writes a PNG."""
    def read(path):
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "out.png")
            done = subprocess.run(
                [part.format(path, target) for part in command], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise ValueError(f"{command[0]}: {done.stderr.strip()[:200]}")
            return read_png(target)
    return read


def pillow(path):
    with Image.open(path) as image:
        if image.mode.startswith("I;16"):
            return rgba(numpy.asarray(image).astype(numpy.uint16)[:, :, None])
        return numpy.asarray(image.convert("RGBA"))


def read_tiff(path):
    pixels = tifffile.imread(path)
    return rgba(pixels if pixels.ndim == 3 else pixels[:, :, None])


def read_pam(path):
    """Portable anymaps of 8 and 16 bits (netpbm's pam(5)); maps of one and three channels through their headers."""
    with open(path, "rb") as file:
        done = subprocess.run(["pamtopam"], stdin=file, capture_output=True, check=True).stdout
    head, rest = done.split(b"ENDHDR\n", 1)
    fields = dict(line.split(b" ", 1) for line in head.split(b"\n") if b" " in line)
    kind = ">u2" if int(fields[b"MAXVAL"]) > 255 else numpy.uint8
    shape = [int(fields[name]) for name in (b"HEIGHT", b"WIDTH", b"DEPTH")]
    pixels = numpy.frombuffer(rest, dtype=kind).reshape(shape)
    return rgba(pixels.astype(numpy.uint16 if kind == ">u2" else numpy.uint8))


# Extensions, and decoders that know nothing of ours.
DECODERS = {
    "png": read_png, "gif": pillow, "webp": through("dwebp", "-quiet", "{0}", "-o", "{1}"), "bmp": pillow,
    "tiff": read_tiff, "qoi": pillow, "pam": read_pam, "ico": pillow,
    "jp2": through("opj_decompress", "-quiet", "-i", "{0}", "-o", "{1}"), "jxl": through("djxl", "--quiet", "{0}", "{1}"),
    "avif": through("avifdec", "{0}", "{1}"), "heic": through("heif-convert", "{0}", "{1}"),
    "jpg": pillow,
}


class Movie:
    """Frames as RGBA, delays in seconds, plays (0: without end); frames that show the same one after the other are one."""

    def __init__(self, frames, delays, plays):
        self.frames, self.delays, self.plays = [], [], plays
        for frame, delay in zip(frames, delays):
            if self.frames and numpy.array_equal(self.frames[-1], frame):
                self.delays[-1] += delay
            else:
                self.frames.append(frame)
                self.delays.append(delay)


def pillow_movie(path):
    with Image.open(path) as image:
        frames, delays = [], []
        for index in range(image.n_frames):
            image.seek(index)
            image.load()
            frames.append(numpy.asarray(image.convert("RGBA")))
            delays.append(image.info.get("duration", 0) / 1000)
        loop = image.info.get("loop")
        # Of a GIF Pillow tells how often it starts again, and nothing for one that plays once.
        if image.format == "GIF":
            loop = 1 if loop is None else loop + 1 if loop else 0
        return Movie(frames, delays, loop)


def apng_movie(path):
    plays, shown = apng.composed(path, expand)
    return Movie([pixels for _, pixels in shown], [delay for delay, _ in shown], plays)


def jxl_movie(path):
    """Pixels from djxl, whose APNG has delays of its own; jxlinfo tells those of the file."""
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.apng")
        subprocess.run(["djxl", "--quiet", path, target], capture_output=True, check=True)
        plays, shown = apng.composed(target, expand)
    said = subprocess.run(["jxlinfo", path], capture_output=True, text=True, check=True).stdout
    delays = [float(milliseconds) / 1000 for milliseconds in re.findall(r"duration: ([0-9.]+) ms", said)]
    return Movie([pixels for _, pixels in shown], delays, plays)


def avif_movie(path):
    """Pillow reads sequences with libavif and dav1d; it does not tell how often they play."""
    movie = pillow_movie(path)
    movie.plays = None
    return movie


MOVIES = {"gif": pillow_movie, "png": apng_movie, "webp": pillow_movie, "jxl": jxl_movie, "avif": avif_movie}


def psnr(found, wanted):
    error = ((found[:, :, :3].astype(numpy.float64) - wanted[:, :, :3]) ** 2).mean()
    return 99.0 if error == 0 else float(10 * numpy.log10(numpy.iinfo(wanted.dtype).max ** 2 / error))
