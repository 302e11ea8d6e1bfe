# SPDX-License-Identifier: Apache-2.0
"""One table of everything that is held against somebody else: files of other people's encoders, ours beside the raw library and
the best other one. What is slower than its goal is marked, with where its time goes; docs/benchmarks.md gets the table."""

import datetime
import glob
import io
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import cv2
import imagecodecs
import numpy
import pillow_heif
from PIL import Image

from gates import one_processor
from pngs import REPETITIONS, by_vips, child, library, program, pyvips, turns, vips_thumbnail

cv2.setNumThreads(1)

DOCUMENT = os.path.join(os.path.dirname(__file__), "../docs/benchmarks.md")
BEGIN, END = "<!-- lines -->", "<!-- end of lines -->"


class Line:
    """One thing that is measured: a figure that may be at most the goal, or at least it."""

    def __init__(self, name, goal, figure, profiled=None, at_least=False, unit=""):
        self.name, self.goal, self.figure = name, goal, figure
        self.profiled, self.at_least, self.unit = profiled, at_least, unit

    def written(self, lab):
        """A row of the table."""
        found, beside = self.figure(lab)
        reached = found >= self.goal if self.at_least else found <= self.goal
        where = "" if reached or not self.profiled else lab.profile(*self.profiled)
        number = f"{text(found)}{self.unit}"
        row = [self.name, number if reached else f"**{number}**", text(self.goal) + self.unit, beside, where]
        return f"| {' | '.join(row)} |"


def text(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


class Lab:
    """The programs, and how they are run."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.raw = program(arguments.floor)
        self.ours = program(arguments.bench, arguments.plugins)
        # AVIF by libheif, of whose time its goals are shares.
        self.heif = program(arguments.floor, "heif")

    def path(self, name):
        return os.path.join(self.arguments.corpus, name)

    def share(self, operation, name, raw=None, of=None, programs=None, **others):
        """Ours as a share of the raw library's processor time, and what others take of it, which decode here or are programs; with
        `of`, also what ours takes with a newer library that one of them brings along."""
        programs = programs or {}
        contenders = [raw or self.raw, self.ours, *programs.values(), *map(library, others.values())]
        names = [*programs, *others]
        if of:
            contenders.append(self.ours_with(*of))
            names.append(f"ours with its {of[1].split('.')[0]}")
        with one_processor():
            _, shares, _ = turns(contenders, operation, self.path(name), self.arguments.rounds)
        return shares[1], ", ".join(f"{other} {share:.2f}" for other, share in zip(names, shares[2:]))

    def ours_with(self, pattern, name):
        """Ours, with a library that came with a package of Python's in place of the system's of that name."""
        packages = os.path.dirname(os.path.dirname(imagecodecs.__file__))
        found, = glob.glob(os.path.join(packages, pattern))
        folder = os.path.join(self.arguments.corpus, "libraries")
        os.makedirs(folder, exist_ok=True)
        link = os.path.join(folder, name)
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(found, link)

        def turn(operation, path, *more):
            os.environ["LD_LIBRARY_PATH"] = os.path.abspath(folder)
            try:
                return self.ours(operation, path, *more)
            finally:
                del os.environ["LD_LIBRARY_PATH"]
        return turn

    def against(self, operation, name, other, decode):
        """Ours as a share of another library's processor time."""
        with one_processor():
            _, shares, _ = turns([library(decode), self.ours], operation, self.path(name), self.arguments.rounds)
        return shares[1], f"{other} 1"

    def encoding(self, how, name, base=None, **others):
        """Ours as a share of the raw library's processor time; beside it, what becomes of the bytes, and what others make of
        an array of red, green and blue."""
        with Image.open(self.path(name)) as picture:
            pixels = numpy.asarray(picture.convert("RGB"))
        shares, sizes = [[] for _ in range(1 + len(others))], [0] * (1 + len(others))
        for _ in range(self.arguments.rounds):
            with one_processor():
                raw, raw_said = self.raw("encode", self.path(name), base or how)
                own, own_said = self.ours("encode", self.path(name), how)
                made = [(own, int(own_said[5])), *(timed(encode, pixels) for encode in others.values())]
            for index, (spent, size) in enumerate(made):
                shares[index].append(spent / raw)
                sizes[index] = size / int(raw_said[5])
        beside = [f"{sizes[0]:.3f} of the bytes"]
        for other, share, size in zip(others, shares[1:], sizes[1:]):
            beside.append(f"{other} {statistics.median(share):.2f} at {size:.3f}")
        return statistics.median(shares[0]), "; ".join(beside)

    def run(self, command):
        """Milliseconds of processor time and MB of a command, from start to end."""
        said = child([self.arguments.floor, "run", *command])[1]
        return float(said[1]), int(said[3]) / 1024

    def thumbnails(self, name, *options):
        """Commands that make a thumbnail of 256: ours and vipsthumbnail."""
        out = os.path.join(self.arguments.corpus, "thumbnail.png")
        # The plugins beside the command: another folder is an option that takes the whole command.
        ours = [self.arguments.coders, "thumbnail", *options, "--size", "256"]
        return [*ours, self.path(name), "-o", out], ["vipsthumbnail", self.path(name), "--size", "256x256", "-o", out]

    def command(self, name, *options, others=None):
        """Ours as a share of vipsthumbnail's processor time, from start to end; beside it gdk-pixbuf's, where it reads the file, and
        that of `others`, by name: the words of a command before the file, and those behind the result."""
        ours, theirs = self.thumbnails(name, *options)
        others = dict(others or {})
        if name.endswith((".png", ".jpg")):
            others["gdk-pixbuf"] = (["gdk-pixbuf-thumbnailer", "-s", "256"], [])
        commands = [theirs, ours, *([*before, self.path(name), ours[-1], *behind] for before, behind in others.values())]
        times, peaks = [[] for _ in commands], [0] * len(commands)
        for _ in range(self.arguments.rounds):
            for index, command in enumerate(commands):
                with one_processor():
                    spent, peak = self.run(command)
                times[index].append(spent)
                peaks[index] = max(peaks[index], peak)
        shares = [statistics.median(own / base for own, base in zip(each, times[0])) for each in times]
        more = [f"{other} {share:.2f}, {peak:.0f} MB" for other, share, peak in zip(others, shares[2:], peaks[2:])]
        return shares[1], "; ".join([f"{peaks[1]:.0f} MB, vips {peaks[0]:.0f}", *more])

    def peak(self, name, *options, magick=False):
        """MB of a thumbnail by the command; beside it those of vips, and of GraphicsMagick."""
        ours, theirs = self.thumbnails(name, *options)
        beside = f"vips {self.run(theirs)[1]:.0f} MB"
        if magick:
            other = ["gm", "convert", self.path(name) + "[0]", "-resize", "256x256", ours[-1]]
            beside += f", GraphicsMagick {self.run(other)[1]:.1f}"
        return self.run(ours)[1], beside

    def converting(self, name, suffix, *options):
        """MB of a conversion, ours, and vips beside it."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out" + suffix)
            ours = self.run([self.arguments.coders, "convert", *options, self.path(name), out])
            theirs = self.run(["vips", "copy", self.path(name), os.path.join(folder, "vips" + suffix)])
        return ours[1], f"vips {theirs[1]:.0f} MB"

    def by_clock(self, name, repetitions, library=None):
        """The least time of new processes that decode so often, on the clock, as a share of the raw library's, or of another one's
        that reads the format too."""
        shares = []
        commands = [[self.arguments.floor], [self.arguments.bench, self.arguments.plugins]]
        if library:
            commands.insert(0, [self.arguments.floor, library])
        for _ in range(2 * self.arguments.rounds + 1):
            least = [float(child([program, "full", self.path(name), str(repetitions), *more])[1][1]) for program, *more in commands]
            shares.append([each / least[0] for each in least])
        *others, ours = [statistics.median(each) for each in zip(*shares)]
        return ours, f"libavif {others[1]:.2f}" if library else ""

    def pieces(self, name):
        shares = []
        for _ in range(self.arguments.rounds):
            said = child([self.arguments.bench, "pieces", self.path(name), "2", self.arguments.plugins])[1]
            facts = dict(zip(said[::2], said[1::2]))
            one, pieces, copy = (float(facts[key]) for key in ("one_ms", "pieces_ms", "copy_ms"))
            shares.append((pieces - copy) / one)
        return statistics.median(shares), ""

    def headers(self):
        """Headers a second, of 10,000 files of the kinds and sizes that people have."""
        listed = self.listed()
        said = child([self.arguments.bench, "probe", listed, "3", self.arguments.plugins])[1]
        with open(listed, encoding="utf-8") as file:
            count = len(file.read().split())
        paths = sorted(set(open(listed, encoding="utf-8").read().split()))
        before = time.perf_counter()
        for path in paths:
            with Image.open(path) as image:
                image.size
        pillow = len(paths) / (time.perf_counter() - before)
        return count / float(said[1]) * 1000, f"Pillow {pillow:,.0f}, for the size alone"

    def listed(self):
        """500 files of six formats, 20 times each."""
        folder = self.path("sizes")
        if not os.path.isdir(folder):
            os.makedirs(folder + ".partial", exist_ok=True)
            picture = Image.open(self.path("real12.png")).convert("RGB")
            kinds = (("jpg", {"quality": 90}), ("png", {}), ("gif", {}), ("webp", {"quality": 85}),
                     ("heic", {"quality": 60}), ("avif", {"quality": 70, "speed": 10}))
            pillow_heif.register_heif_opener()
            for number in range(500):
                suffix, options = kinds[number % len(kinds)]
                side = 120 + number * 7 % 500
                x, y = number * 37 % 3000, number * 53 % 2000
                picture.crop((x, y, x + side, y + side)).save(f"{folder}.partial/{number}.{suffix}", **options)
            os.rename(folder + ".partial", folder)
        listed = self.path("sizes.txt")
        with open(listed, "w", encoding="utf-8") as file:
            file.write("\n".join(sorted(os.path.join(folder, name) for name in os.listdir(folder)) * 20))
        return listed

    def start(self, *words, other=None):
        """Milliseconds on the clock, from start to end: ten runs of each command in a row, then of the other one."""
        commands, times = [[self.arguments.coders, *words]] + ([other] if other else []), [[], []]
        for _ in range(4):
            for index, command in enumerate(commands):
                for _ in range(10):
                    before = time.perf_counter()
                    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
                    times[index].append((time.perf_counter() - before) * 1000)
        beside = f"; {other[0]} {statistics.median(times[1]):.1f} ms" if other else ""
        return statistics.median(times[0]), f"{self.run(commands[0])[1]:.1f} MB{beside}"

    def profile(self, operation, name):
        """The libraries in which the time of ours is spent."""
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            command = [self.arguments.bench, operation, self.path(name), "4", self.arguments.plugins]
            recorded = subprocess.run(["perf", "record", "-q", "-F", "2000", "-o", data, *command], capture_output=True, check=False)
            if recorded.returncode != 0:
                return ""
            said = subprocess.run(
                ["perf", "report", "-q", "--stdio", "--sort", "dso", "-i", data], capture_output=True, text=True, check=False).stdout
        parts = re.findall(r"^\s*([\d.]+)%\s+(\S+)", said, re.MULTILINE)[:3]
        return ", ".join(f"{library.strip('[]')} {float(share):.0f} %" for share, library in parts)


def timed(encode, pixels):
    """Milliseconds of processor time that an encoder in this process takes, and the bytes that it makes."""
    before = time.process_time()
    for _ in range(REPETITIONS):
        made = encode(pixels)
    return (time.process_time() - before) * 1000 / REPETITIONS, len(made)


def vips_encode(suffix, **options):
    def encode(pixels):
        height, width, bands = pixels.shape
        return pyvips.Image.new_from_memory(pixels.data, width, height, bands, "uchar").write_to_buffer(suffix, **options)
    return encode


def opencv_encode(suffix, *options):
    # Its order of channels is blue, green, red.
    return lambda pixels: cv2.imencode(suffix, cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), list(options))[1]


def opencv_full(data):
    return cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED)


def pillow_full(data):
    return Image.open(io.BytesIO(data)).convert("RGBA")


def heif_full(data):
    return pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=False).to_pillow()


def lines():
    """In the order of formats; goals are shares of the raw library's processor time unless the name says something else."""
    png = {"pyvips": by_vips, "imagecodecs": imagecodecs.png_decode, "OpenCV": opencv_full}
    full = [("RGB", "real12.png", 0.32), ("RGBA", "real12-rgba.png", 0.34), ("screen", "screen12.png", 0.24),
            ("palette", "screen12-palette.png", 0.22), ("interlaced", "real12-interlaced.png", 0.42),
            ("16 bits", "real12-16.png", 0.45)]
    for what, name, goal in full:
        yield Line(f"PNG, {what}", goal, lambda lab, name=name: lab.share("full", name, **png), ("full", name))
    small = [("24 MP", "real24.png", 0.32), ("RGBA", "real12-rgba.png", 0.32), ("16 bits", "real12-16.png", 0.48)]
    for what, name, goal in small:
        yield Line(f"PNG thumbnail, {what}", goal,
                   lambda lab, name=name: lab.share("thumbnail", name, pyvips=vips_thumbnail), ("thumbnail", name))
    yield Line("… the command, of vipsthumbnail's time", 0.34, lambda lab: lab.command("real24.png"))
    yield Line("… its peak", 12, lambda lab: lab.peak("real24.png"), unit=" MB")
    yield Line("APNG, 200 frames, of imagecodecs' time", 0.60,
               lambda lab: lab.against("all", "moving200.png", "imagecodecs", imagecodecs.apng_decode), ("all", "moving200.png"))
    for how, name, goal in [("png", "screen4.ppm", 0.14), ("png7", "screen4.ppm", 0.28), ("png-fast", "screen4.ppm", 0.08),
                            ("png", "real12.ppm", 0.12), ("png-fast", "real12.ppm", 0.04)]:
        what = {"png": "", "png7": ", a smaller level", "png-fast": ", fast"}[how]
        level = {"png": None, "png7": 9, "png-fast": 1}[how]
        others = {"pyvips": vips_encode(".png", **({"compression": level} if level else {})),
                  "OpenCV": opencv_encode(".png", *([cv2.IMWRITE_PNG_COMPRESSION, level] if level else []))}
        picture = "a screen" if name.startswith("screen") else "a photograph"
        yield Line(f"PNG encoding of {picture}{what}", goal,
                   lambda lab, how=how, name=name, others=others: lab.encoding(how, name, **others))
    yield Line("progressive JPEG thumbnail, 24 MP", 0.08, lambda lab: lab.share("thumbnail", "real24-progressive.jpg"),
               ("thumbnail", "real24-progressive.jpg"))
    yield Line("… the command, of vipsthumbnail's time", 0.12, lambda lab: lab.command("real24-progressive.jpg"))
    yield Line("… its peak", 14, lambda lab: lab.peak("real24-progressive.jpg"), unit=" MB")
    yield Line("… its peak, 96 MP", 30, lambda lab: lab.peak("real96-progressive.jpg"), unit=" MB")
    optimized = {"pyvips": vips_encode(".jpg", Q=90, optimize_coding=True),
                 "OpenCV": opencv_encode(".jpg", cv2.IMWRITE_JPEG_QUALITY, 90, cv2.IMWRITE_JPEG_OPTIMIZE, 1)}
    yield Line("JPEG encoding, optimised, of plain libjpeg's time", 1.6,
               lambda lab: lab.encoding("jpeg-optimized", "real12.ppm", "jpeg", **optimized))
    yield Line("HEIC with thmb, `--fast`, of vipsthumbnail's time", 0.30, lambda lab: lab.command("phone.heic", "--fast"))
    # vipsthumbnail shows the embedded thumbnail, as `--fast` does.
    whole = {"vips, of the whole picture": (["vips", "resize"], [str(256 / 4032)])}
    yield Line("… exact", 0.9, lambda lab: lab.command("phone.heic", others=whole), ("thumbnail", "phone.heic"))
    de265 = ("pillow_heif.libs/libde265-*.so.*", "libde265.so.0")
    for what, name in [("single", "real12.heic"), ("grid", "phone.heic")]:
        yield Line(f"HEIC, {what}", 0.80,
                   lambda lab, name=name: lab.share("full", name, of=de265, **{"pillow-heif": heif_full}), ("full", name))
    yield Line("… two threads, on the clock", 0.50, lambda lab: lab.by_clock("phone.heic", 3), ("full", "phone.heic"))
    yield Line("AVIF, first call, on the clock, of libheif's time", 0.55, lambda lab: lab.by_clock("real12.avif", 1, "heif"),
               ("full", "real12.avif"))
    for what, name, goal in [("single", "real12.avif", 0.60), ("grid", "real12-grid.avif", 0.48)]:
        yield Line(f"AVIF, {what}, of libheif's time", goal, lambda lab, name=name: lab.share(
            "full", name, raw=lab.heif, programs={"libavif": lab.raw}, imagecodecs=imagecodecs.avif_decode), ("full", name))
    yield Line("WebP with alpha, thumbnail", 1.0, lambda lab: lab.share("thumbnail", "real12-alpha.webp"), ("thumbnail", "real12-alpha.webp"))
    yield Line("… peak of the command", 60, lambda lab: lab.peak("real12-alpha.webp"), unit=" MB")
    yield Line("WebP without loss, thumbnail", 0.95, lambda lab: lab.share("thumbnail", "real12-lossless.webp"),
               ("thumbnail", "real12-lossless.webp"))
    yield Line("… peak of the command", 75, lambda lab: lab.peak("real12-lossless.webp"), unit=" MB")
    yield Line("TIFF of JPEG tiles, thumbnail", 0.45, lambda lab: lab.share("thumbnail", "real12-tiles.tif"), ("thumbnail", "real12-tiles.tif"))
    yield Line("TIFF, pyramid, of vipsthumbnail's time", 1.2, lambda lab: lab.command("real24-pyramid.tif"), ("thumbnail", "real24-pyramid.tif"))
    openjpeg = ("imagecodecs.libs/libopenjp2-*.so.*", "libopenjp2.so.7")
    yield Line("JPEG 2000", 0.97,
               lambda lab: lab.share("full", "real12.jp2", of=openjpeg, imagecodecs=imagecodecs.jpeg2k_decode), ("full", "real12.jp2"))
    yield Line("JPEG 2000 thumbnail", 1.3, lambda lab: lab.share("thumbnail", "real12.jp2"), ("thumbnail", "real12.jp2"))
    yield Line("JPEG XL thumbnail", 0.25, lambda lab: lab.share("thumbnail", "real12.jxl"), ("thumbnail", "real12.jxl"))
    yield Line("JPEG XL in pieces, of one call", 1.05, lambda lab: lab.pieces("real12.jxl"), ("full", "real12.jxl"))
    yield Line("BMP", 0.30, lambda lab: lab.share("full", "real12.bmp", imagecodecs=imagecodecs.bmp_decode), ("full", "real12.bmp"))
    yield Line("BMP thumbnail", 1.1, lambda lab: lab.share("thumbnail", "real12.bmp"), ("thumbnail", "real12.bmp"))
    yield Line("GIF of 48 MB, first frame, peak", 10, lambda lab: lab.peak("long.gif", magick=True), unit=" MB")
    yield Line("headers a second in one process", 150_000, lambda lab: lab.headers(), at_least=True)
    yield Line("start, `--version`, on the clock", 3.5, lambda lab: lab.start("--version"), unit=" ms")
    yield Line("start, `probe` of one PNG, on the clock", 4.5,
               lambda lab: lab.start("probe", lab.path("icon.png"), other=["vipsheader", lab.path("icon.png")]), unit=" ms")
    yield Line("convert, JPEG to JPEG, 96 MP, peak", 16, lambda lab: lab.converting("real96.jpg", ".jpg", "--reencode"), unit=" MB")
    yield Line("convert, PNG to JPEG, 96 MP, peak", 16, lambda lab: lab.converting("real96.png", ".jpg"), unit=" MB")


HEAD = ["| what | ours | goal | beside it | where the time goes |", "|---|---:|---:|---|---|"]


def run(arguments):
    """$LINES is a regular expression for some of the names; the others stay in the table as they were."""
    os.environ["VIPS_CONCURRENCY"] = "1"
    maker = os.path.join(os.path.dirname(__file__), "corpus.py")
    with open(__file__, encoding="utf-8") as source:
        names = sorted(set(re.findall(r'"((?:real|screen|phone|long|moving)[\w.-]*\.\w+)"', source.read())))
    subprocess.run([sys.executable, maker, arguments.corpus, *names], check=True)
    lab, found = Lab(arguments), {}
    print("\n" + "\n".join(HEAD))
    for number, line in enumerate(lines()):
        if re.search(os.environ.get("LINES", ""), line.name):
            found[number] = line.written(lab)
            print(found[number], flush=True)
    with open(DOCUMENT, encoding="utf-8") as file:
        head, rest = file.read().split(BEGIN, 1)
    old, tail = rest.split(END, 1)
    kept = [row for row in old.splitlines() if row.startswith("| ")][1:]
    rows = [found.get(number) or kept[number] for number in range(max(len(kept), len(found)))]
    # A figure that misses its goal is bold.
    short = sum("| **" in row for row in rows)
    counted = f"{len(rows) - short} of {len(rows)} reach their goals"
    print(f"\n{counted}")
    day = datetime.date.today().isoformat()
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(f"{head}{BEGIN}\n{day}, `scripts/bench lines`: {counted}.\n\n" + "\n".join([*HEAD, *rows]) + f"\n{END}{tail}")
