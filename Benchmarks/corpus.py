# SPDX-License-Identifier: Apache-2.0
"""Makes the benchmark's pictures, the same ones each time: `python corpus.py FOLDER [NAME…]`. What is there is kept."""

import os
import shutil
import subprocess
import sys
import tempfile

import imagecodecs
import numpy
import pillow_heif
import tifffile
from PIL import Image

from pictures import moving, photo, real, repeated, screen, screencast, with_alpha

pillow_heif.register_heif_opener()

PHOTO24 = (6000, 4000)
PHOTO12 = (4000, 3000)
PHOTO96 = (12000, 8000)
MEGABYTES = (1, 4, 16)


def deep(picture):
    """Of 16 bits, with noise in the lower ones."""
    wide = numpy.asarray(picture()).astype(numpy.uint16) << 8
    return wide | numpy.random.default_rng(5).integers(0, 64, wide.shape, dtype=numpy.uint16) << 2


def interlaced(picture):
    def make(path):
        with tempfile.NamedTemporaryFile(suffix=".ppm") as plain:
            picture().save(plain.name)
            subprocess.run(["vips", "pngsave", plain.name, path + ".png", "--interlace", "--compression", "6", "--filter", "all"],
                           check=True)
        os.replace(path + ".png", path)
    return make


def by_tool(picture, suffix, *command):
    """A file of somebody else's encoder; {in} and {out} in the command are paths."""
    def make(path):
        with tempfile.TemporaryDirectory() as folder:
            source, made = os.path.join(folder, "in" + suffix), os.path.join(folder, "out" + os.path.splitext(path[:-8])[1])
            picture().save(source, **({"compress_level": 1} if suffix == ".png" else {}))
            subprocess.run([part.replace("{in}", source).replace("{out}", made) for part in command], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.replace(shutil.copyfile(made, path + ".copy"), path)
    return make


def phone(picture):
    """As phones store photographs: a grid of tiles of 512×512, and a thumbnail of 320×240."""
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../Tests/Fixtures/recipes"))
    import heif_boxes as boxes

    def make(path):
        side, shot = 512, picture()
        columns, rows = -(-shot.width // side), -(-shot.height // side)
        wide = Image.fromarray(numpy.pad(
            numpy.asarray(shot), ((0, rows * side - shot.height), (0, columns * side - shot.width), (0, 0)), mode="edge"))
        def item(part, **more):
            return boxes.coded(boxes.heif_enc(numpy.asarray(part), "-q", "60", "-p", "preset=fast")).item(
                *part.size, hidden=True, **more)
        tiles = [item(wide.crop((x * side, y * side, (x + 1) * side, (y + 1) * side)))
                 for y in range(rows) for x in range(columns)]
        whole = boxes.Item(
            b"grid", boxes.grid(rows, columns, *shot.size), [boxes.ispe(*shot.size), boxes.pixi(8, 8, 8)])
        small = item(shot.resize((320, 240), Image.Resampling.LANCZOS))
        numbers = list(range(2, 2 + len(tiles)))
        with open(path, "wb") as file:
            file.write(boxes.heif([whole, *tiles, small], 1,
                                  [(b"dimg", 1, numbers), (b"thmb", 2 + len(tiles), [1])]))
    return make


def write(path, make):
    if os.path.exists(path):
        return
    partial = f"{path}.partial"
    make(partial)
    os.replace(partial, path)
    print(f"{os.path.basename(path):<28} {os.path.getsize(path):>10} bytes", flush=True)


def save(picture, kind, **options):
    return lambda path: picture().save(path, kind, **options)


def coded(picture, encode, **options):
    def make(path):
        with open(path, "wb") as file:
            file.write(encode(numpy.asarray(picture()), **options))
    return make


def tiff(picture, **options):
    return lambda path: tifffile.imwrite(path, numpy.asarray(picture()), photometric="rgb", **options)


def sequence(frames, rate):
    """Pictures of HEVC in a movie, which is an image sequence but for the names of what it is."""
    def make(path):
        pictures = list(frames())
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
             "{}x{}".format(*pictures[0].size), "-r", str(rate), "-i", "-", "-c:v", "libx265", "-x265-params",
             "log-level=none:bframes=0:crf=24", "-pix_fmt", "yuv420p", "-tag:v", "hvc1", "-bitexact",
             "-f", "mp4", path],
            input=b"".join(picture.convert("RGB").tobytes() for picture in pictures), check=True)
        with open(path, "rb") as file:
            movie = file.read()
        end = int.from_bytes(movie[:4], "big")
        brands = (b"msf1" + bytes(4) + b"msf1hevciso8")[:end - 8].ljust(end - 8, b"\0")
        with open(path, "wb") as file:
            file.write(movie[:8] + brands + movie[end:].replace(b"vide", b"pict", 1))
    return make


def save_all(frames, kind, **options):
    def make(path):
        first, *others = frames()
        first.save(path, kind, save_all=True, append_images=others, **options)
    return make


def main(folder, *names):
    os.makedirs(folder, exist_ok=True)
    kept = {}

    def once(name, make):
        """A picture that several files share."""
        def get():
            if name not in kept:
                kept[name] = make()
            return kept[name]
        return get

    large = once("large", lambda: photo(*PHOTO24, 1))
    middle = once("middle", lambda: photo(*PHOTO12, 2))
    clear = once("clear", lambda: with_alpha(middle()))
    small = once("small", lambda: middle().resize((1632, 1224), Image.Resampling.LANCZOS))
    few = once("few", lambda: middle().quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE))
    # What costs about as much a pixel as a file of its kind does, and takes little time to write; bytes a pixel of each.
    sized = {
        "{}mb.jpg": (0.25, middle, lambda picture: save(picture, "JPEG", quality=90)),
        "{}mb-progressive.jpg": (0.23, middle, lambda picture: save(picture, "JPEG", quality=90, progressive=True)),
        "{}mb.png": (1.7, middle, lambda picture: save(picture, "PNG", compress_level=6)),
        "{}mb.gif": (0.47, few, lambda picture: save(picture, "GIF", interlace=0)),
        "{}mb.webp": (1.12, middle, lambda picture: save(picture, "WEBP", lossless=True, quality=20, method=1)),
        "{}mb.avif": (0.57, middle, lambda picture: save(picture, "AVIF", quality=99, speed=10)),
        "{}mb.tif": (1.7, middle, lambda picture: tiff(picture, compression="zlib", predictor=True, rowsperstrip=64)),
        "{}mb.jp2": (1.74, middle, lambda picture: save(picture, "JPEG2000", irreversible=False)),
        "{}mb.jxl": (0.55, middle, lambda picture: coded(picture, imagecodecs.jpegxl_encode, distance=0.2, effort=3)),
        "{}mb.bmp": (3, middle, lambda picture: save(picture, "BMP")),
        "{}mb.qoi": (1.79, middle, lambda picture: coded(picture, imagecodecs.qoi_encode)),
        "{}mb.ppm": (3, middle, lambda picture: save(picture, "PPM")),
    }

    def copies(picture, pixels):
        return lambda: repeated(picture(), pixels)

    icon = once("icon", lambda: middle().crop((0, 0, 3000, 3000)).resize((64, 64), Image.Resampling.LANCZOS))
    files = {
        "photo24.jpg": save(large, "JPEG", quality=90, subsampling="4:2:0"),
        "photo24-progressive.jpg": save(large, "JPEG", quality=90, subsampling="4:2:0", progressive=True),
        "photo12-rgb.png": save(middle, "PNG", compress_level=6),
        "photo12-rgba.png": save(clear, "PNG", compress_level=6),
        "photo12-palette.png": save(few, "PNG", compress_level=6),
        "photo12-lossy.webp": save(middle, "WEBP", quality=80, method=2),
        "photo12-lossless.webp": save(middle, "WEBP", lossless=True, quality=20, method=1),
        "photo12.gif": save(few, "GIF", interlace=0),
        "screencast600.gif": save_all(lambda: screencast(600), "GIF", duration=40, loop=0, disposal=1),
        "moving60.gif": save_all(lambda: moving(60), "GIF", duration=40, loop=0),
        "moving120.webp": save_all(lambda: moving(120), "WEBP", duration=40, loop=0, quality=75, method=1),
        "photo12.heic": save(middle, "HEIF", quality=70),
        "photo12.avif": save(middle, "AVIF", quality=70, speed=8),
        "photo12-lzw.tif": tiff(middle, compression="lzw", predictor=True, rowsperstrip=64),
        "photo12-deflate.tif": tiff(middle, compression="zlib", predictor=True, rowsperstrip=64),
        "photo12-tiled.tif": tiff(middle, compression="jpeg", compressionargs={"level": 90}, tile=(512, 512)),
        "photo12.jp2": save(middle, "JPEG2000", quality_layers=[40], quality_mode="dB", irreversible=True),
        "photo12.jxl": coded(middle, imagecodecs.jpegxl_encode, distance=1.0, effort=3),
        "photo12.bmp": save(middle, "BMP"),
        "photo12.qoi": coded(middle, imagecodecs.qoi_encode),
        "photo12.ppm": save(middle, "PPM"),
        "moving60.avif": save_all(lambda: moving(60), "AVIF", duration=40, quality=60, speed=9),
        "icon.jpg": save(icon, "JPEG", quality=90),
        "icon.png": save(icon, "PNG"),
        "icon.gif": save(icon, "GIF", interlace=0),
        "icon.webp": save(icon, "WEBP", quality=80),
        "icon.bmp": save(icon, "BMP"),
        "icon.qoi": coded(icon, imagecodecs.qoi_encode),
        "icon.ppm": save(icon, "PPM"),
        "icon.ico": save(icon, "ICO", sizes=[(64, 64)], bitmap_format="bmp"),
        "moving60.heics": sequence(lambda: moving(60), 25),
        "1mb-lossy.webp": save(copies(middle, 9.5e6), "WEBP", quality=80, method=2),
        "1mb.heic": save(copies(middle, 2.1e6), "HEIF", quality=70),
        "1mb.ico": save(
            lambda: middle().crop((0, 0, 256, 256)), "ICO", bitmap_format="bmp",
            sizes=[(side, side) for side in range(253, 257)]),
        "1mb.icns": save(lambda: middle().crop((0, 0, 512, 512)), "ICNS"),
    }
    for megabytes in MEGABYTES:
        for name, (per_pixel, picture, make) in sized.items():
            files[name.format(megabytes)] = make(copies(picture, megabytes * 1e6 / per_pixel))
    # What is sent to servers.
    uploads = {
        "photo12.jpg": save(middle, "JPEG", quality=90, subsampling="4:2:0"),
        "photo2.jpg": save(small, "JPEG", quality=85, subsampling="4:2:0"),
        "photo2.png": save(small, "PNG", compress_level=6),
        "photo2.webp": save(small, "WEBP", quality=80, method=4),
        "photo2.heic": save(small, "HEIF", quality=70),
    }
    true = once("true", lambda: real(*PHOTO12, 21))
    shot = once("shot", lambda: screen(*PHOTO12, 22))
    pngs = {
        "real24.png": save(lambda: real(*PHOTO24, 23), "PNG", compress_level=6),
        "real12.png": save(true, "PNG", compress_level=6),
        "real12-rgba.png": save(lambda: with_alpha(true()), "PNG", compress_level=6),
        "real12-interlaced.png": interlaced(true),
        "real12-16.png": lambda path: coded(lambda: deep(true), imagecodecs.png_encode, level=6)(path),
        "screen12.png": save(shot, "PNG", compress_level=9),
        "screen12-palette.png": save(
            lambda: shot().quantize(256, dither=Image.Dither.NONE), "PNG", compress_level=9),
        "real12.ppm": save(true, "PPM"),
        "real1.ppm": save(lambda: real(1200, 800, 24), "PPM"),
        "screen12.ppm": save(shot, "PPM"),
        "screen4.ppm": save(lambda: screen(2560, 1440, 25), "PPM"),
        "moving200.png": save_all(lambda: moving(200), "PNG", duration=40, loop=0),
    }
    # By the encoders that people use, at settings that they have by themselves.
    grand = once("grand", lambda: real(*PHOTO96, 26))
    clear12 = once("clear12", lambda: with_alpha(true()))
    vips = ["vips", "tiffsave", "{in}", "{out}", "--tile", "--tile-width", "256", "--tile-height", "256", "--compression", "jpeg"]
    tools = {
        "real12.jpg": by_tool(true, ".ppm", "cjpeg", "-quality", "90", "-outfile", "{out}", "{in}"),
        "real24-progressive.jpg": by_tool(
            lambda: real(*PHOTO24, 23), ".ppm", "cjpeg", "-quality", "90", "-progressive", "-outfile", "{out}", "{in}"),
        "real96-progressive.jpg": by_tool(
            grand, ".ppm", "cjpeg", "-quality", "90", "-progressive", "-outfile", "{out}", "{in}"),
        "real96.jpg": by_tool(grand, ".ppm", "cjpeg", "-quality", "90", "-outfile", "{out}", "{in}"),
        "real96.png": save(grand, "PNG", compress_level=3),
        "real12-alpha.webp": by_tool(clear12, ".png", "cwebp", "-q", "80", "{in}", "-o", "{out}"),
        "real12-lossless.webp": by_tool(true, ".png", "cwebp", "-lossless", "{in}", "-o", "{out}"),
        "real12.heic": by_tool(true, ".png", "heif-enc", "-q", "60", "-p", "preset=fast", "{in}", "-o", "{out}"),
        "phone.heic": phone(lambda: true().resize((4032, 3024), Image.Resampling.LANCZOS)),
        "real12.avif": by_tool(true, ".png", "avifenc", "-s", "8", "{in}", "{out}"),
        "real12-grid.avif": by_tool(
            lambda: true().crop((0, 0, 4000, 2976)), ".png", "avifenc", "-s", "8", "--grid", "4x3", "{in}", "{out}"),
        "real12-tiles.tif": by_tool(true, ".ppm", *vips, "--Q", "90"),
        "real24-pyramid.tif": by_tool(lambda: real(*PHOTO24, 23), ".ppm", *vips, "--Q", "90", "--pyramid"),
        "real12.jp2": by_tool(true, ".ppm", "opj_compress", "-i", "{in}", "-o", "{out}", "-r", "12", "-I"),
        "real12.jxl": by_tool(true, ".ppm", "cjxl", "-q", "90", "{in}", "{out}"),
        "real12.bmp": save(true, "BMP"),
        "long.gif": save_all(lambda: moving(600), "GIF", duration=40, loop=0),
    }
    for name in names:
        write(os.path.join(folder, name), (files | uploads | pngs | tools)[name])
    if names:
        return
    for name, make in files.items():
        write(os.path.join(folder, name), make)
    many(os.path.join(folder, "many"))


def many(folder):
    """2,000 small files of four formats, of as many sizes."""
    if os.path.isdir(folder):
        return
    partial = f"{folder}.partial"
    os.makedirs(partial, exist_ok=True)
    source = photo(1400, 900, 3)
    for number in range(2000):
        kind = ("JPEG", "PNG", "GIF", "WEBP")[number % 4]
        picture = source.crop((number % 600, number % 400, number % 600 + 60 + number % 331, number % 400 + 40 + number % 223))
        suffix = {"JPEG": "jpg"}.get(kind, kind.lower())
        options = {"compress_level": 1} if kind == "PNG" else {"method": 0} if kind == "WEBP" else {}
        picture.save(f"{partial}/{number:04d}.{suffix}", kind, **options)
    os.rename(partial, folder)


main(*sys.argv[1:])
