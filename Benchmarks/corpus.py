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
from PIL import Image, ImageDraw, ImageFont

pillow_heif.register_heif_opener()

PHOTO24 = (6000, 4000)
PHOTO12 = (4000, 3000)
PHOTO96 = (12000, 8000)
SCREEN = (480, 270)
MEGABYTES = (1, 4, 16)


def photo(width, height, seed):
    """Structure at every scale, hard edges, and the noise of a sensor: costs what a photograph costs."""
    random = numpy.random.default_rng(seed)
    total = numpy.zeros((height, width, 3), dtype=numpy.float32)
    for scale, strength in ((4, 70), (16, 35), (64, 18), (256, 9), (1024, 4)):
        grid = random.integers(0, 256, (max(2, height * scale // width), scale, 3), dtype=numpy.uint8)
        layer = Image.fromarray(grid).resize((width, height), Image.Resampling.BICUBIC)
        total += (numpy.asarray(layer, dtype=numpy.float32) - 128) * (strength / 128)
    picture = Image.fromarray(numpy.clip(total + 128, 0, 255).astype(numpy.uint8))
    draw = ImageDraw.Draw(picture)
    for _ in range(60):
        x, y = int(random.integers(0, width)), int(random.integers(0, height))
        side = int(random.integers(width // 100, width // 12))
        color = tuple(int(value) for value in random.integers(0, 256, 3))
        if random.random() < 0.5:
            draw.ellipse((x, y, x + side, y + side), fill=color)
        else:
            draw.line((x, y, x + side, y + side // 3), fill=color, width=6)
    pixels = numpy.asarray(picture, dtype=numpy.int16)
    noise = random.normal(0, 5, (height, width)).astype(numpy.int16)
    return Image.fromarray(numpy.clip(pixels + noise[:, :, None], 0, 255).astype(numpy.uint8))


def real(width, height, seed):
    """Photographs that scikit-image comes with, side by side, with a little noise: filters choose Paeth for most rows,
    as they do for photographs, which they do not for the pictures of `photo`."""
    import skimage
    names = ("astronaut.png", "coffee.png", "chelsea.png", "rocket.jpg", "motorcycle_left.png", "hubble_deep_field.jpg")
    side, down = width // 3, height // 2
    result = Image.new("RGB", (width, height))
    for number, name in enumerate(names):
        picture = Image.open(os.path.join(os.path.dirname(skimage.__file__), "data", name)).convert("RGB")
        scale = max(side / picture.width, down / picture.height)
        picture = picture.resize((round(picture.width * scale) + 1, round(picture.height * scale) + 1), Image.Resampling.LANCZOS)
        result.paste(picture.crop((0, 0, side, down)), (number % 3 * side, number // 3 * down))
    random = numpy.random.default_rng(seed)
    pixels = numpy.asarray(result, dtype=numpy.float32)
    noise = random.normal(0, 2.5, (height, width, 1)) + random.normal(0, 1, (height, width, 3))
    return Image.fromarray(numpy.clip(pixels + noise + 0.5, 0, 255).astype(numpy.uint8))


def screen(width, height, seed):
    """A screen: flat areas, smooth letters, and a photograph in a corner."""
    random = numpy.random.default_rng(seed)
    picture = Image.new("RGB", (width, height), (250, 250, 252))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, width, 40), fill=(45, 50, 60))
    draw.rectangle((0, 40, width // 8, height), fill=(230, 234, 240))
    words = "a picture has rows of pixels and each of them is read written filtered or shown by some program".split()
    colors = ((30, 30, 34), (160, 30, 60), (20, 90, 160), (30, 110, 60))
    letters, heads = ImageFont.load_default(15), ImageFont.load_default(22)
    for y in range(60, height - 30, 23):
        x = width // 8 + 30 + 24 * int(random.integers(0, 4))
        while x < width - 400 and random.random() > 0.05:
            word = words[int(random.integers(len(words)))]
            draw.text((x, y), word, fill=colors[int(random.integers(len(colors)))], font=letters)
            x += int(draw.textlength(word, font=letters)) + 7
    for y in range(70, height - 40, 44):
        draw.text((20, y), words[int(random.integers(len(words)))], fill=(45, 50, 60), font=heads)
    picture.paste(real(360, 240, seed), (width - 380, 60))
    return picture


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


def with_alpha(picture):
    """A soft edge all around: opaque in the middle, clear at the border."""
    width, height = picture.size
    x = numpy.minimum(numpy.arange(width), numpy.arange(width)[::-1]).astype(numpy.float32)
    y = numpy.minimum(numpy.arange(height), numpy.arange(height)[::-1]).astype(numpy.float32)
    edge = numpy.minimum(x[None, :], y[:, None]) * (255 / (height / 8))
    result = picture.convert("RGBA")
    result.putalpha(Image.fromarray(numpy.clip(edge, 0, 255).astype(numpy.uint8)))
    return result


def screencast(count):
    """Frames of a window in which text is typed and a pointer moves: small changes, flat colors."""
    random = numpy.random.default_rng(7)
    palette = [0, 0, 0, 255, 255, 255, 240, 240, 245, 40, 44, 52, 97, 175, 239, 152, 195, 121, 224, 108, 117]
    page = Image.new("P", SCREEN, 2)
    page.putpalette(palette + [0] * (768 - len(palette)))
    draw = ImageDraw.Draw(page)
    draw.rectangle((0, 0, SCREEN[0], 18), fill=3)
    draw.rectangle((0, 19, 90, SCREEN[1]), fill=1)
    x, y = 100, 30
    for number in range(count):
        if number % 60 == 59:
            draw.rectangle((91, 19, *SCREEN), fill=2)
            x, y = 100, 30
        for _ in range(12):
            width = int(random.integers(3, 9))
            draw.rectangle((x, y, x + width, y + 7), fill=int(random.integers(3, 7)))
            draw.line((x, y + int(random.integers(1, 7)), x + width, y + 3), fill=2)
            x += width + 2
            if x > 460:
                x, y = 100, y + 12 if y < 250 else 30
        frame = page.copy()
        left, top = int(240 + 200 * numpy.sin(number / 25)), int(135 + 100 * numpy.cos(number / 40))
        ImageDraw.Draw(frame).polygon((left, top, left + 9, top + 9, left, top + 12), fill=0)
        yield frame


def moving(count):
    """A photograph that pans: every pixel changes."""
    wide = photo(SCREEN[0] + 2 * count, SCREEN[1], 11)
    for number in range(count):
        yield wide.crop((2 * number, 0, 2 * number + SCREEN[0], SCREEN[1]))


def repeated(picture, pixels):
    """A picture of about so many pixels, made of copies of another one: its bytes per pixel are the other one's."""
    width = min(picture.width, round((pixels * 4 / 3) ** 0.5))
    height = round(pixels / width)
    rows = numpy.asarray(picture)[:, :width]
    result = Image.fromarray(numpy.concatenate([rows] * (height // picture.height + 1))[:height])
    if picture.mode == "P":
        result.putpalette(picture.getpalette())
    return result


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
