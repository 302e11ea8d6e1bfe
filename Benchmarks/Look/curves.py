# SPDX-License-Identifier: Apache-2.0
"""Compares encoders at the same look, and draws the curves of docs/look.md.

usage: curves.py measure CODERS FOLDER RESULTS | searches CODERS FOLDER RESULTS | draw RESULTS SEARCHES PAGE

FOLDER has pictures as PNG: `corpus.py` makes twelve that no number was searched by. `measure` writes each at some qualities, in our
formats and by the tools that are installed, and keeps SSIMULACRA2, bytes, processor time and for some Butteraugli's distance in
RESULTS (JSON), one picture after another, so that it can be stopped and goes on. `searches` counts the files that `--look` encodes.
`draw` makes pictures of photographs' curves and of those of graphics in the folder `images` beside PAGE, and puts tables between
PAGE's marks.
"""

import io
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCORES = (50, 60, 70, 80, 90)
DISTANCES = (6, 4, 3, 2, 1.5)  # of Butteraugli, which takes as long as all the rest
PERCENT = (12, 25, 40, 55, 68, 80, 90, 96)
JUDGED_TWICE = (25, 55, 80, 96)
BASE = "JPEG, annex K, progressive"
# Pictures of curves: the title, marks, where curves have points, what these are (as of `at`), and how they are spread.
AXES = {
    "look": ("SSIMULACRA2", SCORES, range(50, 91, 5), 0, float),
    "look-butteraugli": ("distance of Butteraugli", DISTANCES, (6, 5, 4, 3.5, 3, 2.5, 2, 1.75, 1.5), 3, math.log),
}
TARGETS = (65, 80)
SEARCHED = {"JPEG": "jpg", "WebP": "webp", "AVIF": "avif", "JPEG XL": "jxl", "HEIC": "heic"}


def ours(suffix, *options):
    return suffix, lambda coders, source, made, q: [coders, "convert", source, made, "--quality", str(q / 100), *options]


def tool(name, suffix, words):
    return suffix, lambda coders, source, made, q: shutil.which(name) and [name, *words(source, made, q)]


# What is written, and how: the suffix, and a command for a quality of 1 to 100. No command: the tool is not there.
ENCODERS = {
    BASE: ours("jpg", "--option", "effort=fast", "--progressive"),
    "JPEG, ours": ours("jpg"),
    "JPEG, ours, small": ours("jpg", "--option", "effort=small", "--subsampling", "420"),
    "JPEG, cjpeg -optimize": tool(
        "cjpeg", "jpg", lambda source, made, q: ["-quality", str(q), "-optimize", "-outfile", made, source]),
    "JPEG, mozjpeg": ("jpg", None),
    "JPEG, jpegli of pyjpegli": ("jpg", None),
    "WebP, ours": ours("webp"),
    "WebP, ours, method 6, sharp-yuv": ours("webp", "--option", "method=6", "--option", "sharp-yuv=true"),
    "WebP, cwebp -m 6": tool("cwebp", "webp", lambda source, made, q: ["-quiet", "-m", "6", "-q", str(q), source, "-o", made]),
    "AVIF, ours": ours("avif"),
    "AVIF, ours, 10 bits": ours("avif", "--option", "bit-depth=10"),
    "AVIF, avifenc -s 6": tool("avifenc", "avif", lambda source, made, q: [
        "-j", "1", "-s", "6", "-y", "420", "--min", str(max(0, 59 - q * 63 // 100)), "--max", str(min(63, 67 - q * 63 // 100)),
        "-a", "end-usage=q", "-a", f"cq-level={63 - q * 63 // 100}", "-a", "tune=ssim", source, made]),
    "JPEG XL, ours": ours("jxl"),
    "JPEG XL, ours, effort 3": ours("jxl", "--option", "effort=3"),
    "JPEG XL, cjxl": tool("cjxl", "jxl", lambda source, made, q: [source, made, "-q", str(q), "--num_threads=0", "--quiet"]),
    "HEIC, ours": ours("heic"),
}
COLORS = {
    "JPEG, ours": "#d08a00", "JPEG, ours, small": "#c22", "JPEG, mozjpeg": "#777", "WebP, ours, method 6, sharp-yuv": "#283",
    "AVIF, ours": "#25c", "JPEG XL, ours": "#92b", "HEIC, ours": "#099",
}


def spent(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds if done.returncode == 0 else None


def mozjpeg(source, made, quality):
    """By the wheel of libvips, which has it inside."""
    try:
        import pyvips
    except ImportError:
        return None
    picture = pyvips.Image.new_from_file(source).copy_memory()
    before = resource.getrusage(resource.RUSAGE_SELF)
    file = picture.jpegsave_buffer(
        Q=quality, interlace=True, optimize_coding=True, trellis_quant=True, overshoot_deringing=True, optimize_scans=True,
        quant_table=3, keep="none")
    after = resource.getrusage(resource.RUSAGE_SELF)
    Path(made).write_bytes(file)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def jpegli(source, made, quality):
    """By a wheel that has 4:2:0 and one scan, and nothing to choose but the quality."""
    try:
        import pyjpegli
        from PIL import Image
    except ImportError:
        return None
    picture = Image.open(source).convert("RGB")
    before = resource.getrusage(resource.RUSAGE_SELF)
    file = pyjpegli.encode(picture.tobytes(), picture.width, picture.height, quality)
    after = resource.getrusage(resource.RUSAGE_SELF)
    Path(made).write_bytes(file)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def distance_of(coders, source, made):
    """Butteraugli's distance, the largest of all places, or nothing without the tool. It reads PNG and JPEG."""
    if not shutil.which("butteraugli"):
        return None
    if not made.endswith(".jpg"):
        subprocess.run([coders, "convert", made, f"{made}.png"], check=True, stdout=subprocess.DEVNULL)
        made = f"{made}.png"
    found = subprocess.run(["butteraugli", source, made], capture_output=True, text=True, check=False)
    return float(found.stdout) if found.returncode == 0 else None


def score_of(coders, source, made):
    """SSIMULACRA2 of a file."""
    found = subprocess.run(
        [coders, "compare", source, made, "--metric", "ssimulacra2", "--json"], capture_output=True, text=True, check=False)
    return json.loads(found.stdout)["ssimulacra2"] if found.stdout else None


def measure(coders, folder, results):
    known = json.loads(results.read_text()) if results.exists() else {}
    with tempfile.TemporaryDirectory() as work:
        for picture in sorted(folder.glob("*.png")):
            ppm = f"{work}/{picture.stem}.ppm"
            subprocess.run([coders, "convert", picture, ppm], check=True, stdout=subprocess.DEVNULL)
            size = int(open(ppm, "rb").read(32).split()[1]) * int(open(ppm, "rb").read(32).split()[2])
            for name, (suffix, command) in ENCODERS.items():
                if f"{picture.stem}|{name}" in known:
                    continue
                points = []
                for quality in PERCENT:
                    made = f"{work}/made.{suffix}"
                    Path(made).unlink(missing_ok=True)
                    source = str(picture) if suffix in ("avif", "jxl") and not name.startswith(("AVIF, ours", "JPEG XL, ours")) else ppm
                    if command is None:
                        seconds = (jpegli if "jpegli" in name else mozjpeg)(str(picture), made, quality)
                    else:
                        words = command(coders, source, made, quality)
                        seconds = spent(words) if words else None
                    if seconds is None or not os.path.exists(made):
                        continue
                    score = score_of(coders, ppm, made)
                    if score is not None:
                        is_judged = quality in JUDGED_TWICE and (name in COLORS or name == BASE)
                        distance = distance_of(coders, str(picture), made) if is_judged else None
                        points.append((score, os.path.getsize(made) * 8 / size, seconds / size * 1e6, distance))
                known[f"{picture.stem}|{name}"] = points
            results.write_text(json.dumps(known))
            print(picture.stem, flush=True)


def search(coders, folder, results):
    """What `--look` comes to: by format, the files of each search, and how far its score is from the target."""
    known = json.loads(results.read_text()) if results.exists() else {}
    with tempfile.TemporaryDirectory() as work:
        for picture in sorted(folder.glob("*.png")):
            for name, suffix in SEARCHED.items():
                for target in TARGETS:
                    key = f"{picture.stem}|{name}|{target}"
                    if key in known:
                        continue
                    command = [coders, "convert", picture, f"{work}/made.{suffix}", "--look", str(target), "--json"]
                    done = subprocess.run(command, capture_output=True, text=True, check=False)
                    look = json.loads(done.stdout)["look"] if done.returncode == 0 else None
                    known[key] = (look["tries"], look["score"] - target) if look else None
            results.write_text(json.dumps(known))
            print(picture.stem, flush=True)


def searches_table(known):
    lines = ["| | files | most | within 0.5 | better | without loss | not reached |", "|---|" + "---:|" * 6]
    for name in SEARCHED:
        found = [value for key, value in known.items() if key.split("|")[1] == name]
        made = [value for value in found if value]
        lossy = [value for key, value in known.items() if value and key.split("|")[1] == name and value[1] < 100 - int(key.split("|")[2])]
        near = sum(abs(distance) <= 0.5 for _, distance in lossy)
        lines.append(
            f"| {name} | {sum(tries for tries, _ in made) / len(made):.1f} | {max(tries for tries, _ in made)} | {near} | "
            f"{len(lossy) - near} | {len(made) - len(lossy)} | {len(found) - len(made)} |")
    return "\n".join(lines)


def at(points, look, column=1, by=0):
    """Between two qualities: logarithms of bytes and seconds are interpolated.

    `by` is 0 for a score and 3 for a distance.
    """
    points = sorted((tuple(point) for point in points if point[by] is not None), key=lambda point: point[by])
    for low, high in zip(points, points[1:]):
        if low[by] <= look <= high[by] and low[by] < high[by]:
            share = (look - low[by]) / (high[by] - low[by])
            return math.log(low[column]) * (1 - share) + math.log(high[column]) * share
    return None


def ratio(known, kind, name, look, column=1, by=0):
    """The geometric mean over the pictures that both can make look so, and how many there are."""
    logs = []
    for key, points in known.items():
        stem, encoder = key.split("|")
        if encoder == name and stem.startswith(kind):
            pair = at(points, look, column, by), at(known.get(f"{stem}|{BASE}", []), look, column, by)
            if None not in pair:
                logs.append(pair[0] - pair[1])
    return (math.exp(sum(logs) / len(logs)), len(logs)) if len(logs) >= 2 else None


def table(known, kind, column, looks, by):
    lines = ["| | " + " | ".join(map(str, looks)) + " |", "|---|" + "---:|" * len(looks)]
    count = len({key.split("|")[0] for key in known if key.startswith(kind)})
    ratios = {name: [ratio(known, kind, name, look, column, by) for look in looks] for name in ENCODERS}
    # The best: of those that all pictures reach, where there are some.
    best = []
    for place in zip(*ratios.values()):
        found = [one for one in place if one]
        best.append(min((one for one in found if one[1] == count), default=min(found, default=(1, 0)))[0])
    for name in ENCODERS:
        cells = []
        for found, least in zip(ratios[name], best):
            note = f" ({found[1]})" if found and found[1] < count else ""
            mark = "**" if found and found[0] == least else ""
            cells.append(f"{mark}{found[0]:.2f}{mark}{note}" if found else "–")
        if any(cell != "–" for cell in cells):
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def drawing(known, kind, axis):
    """Bytes beside those of the base, by score or by distance."""
    title, ticks, looks, by, across = axis
    width, height, left, top, right, bottom = 720, 400, 50, 20, 240, 40
    most = 1.1

    def place(look, value):
        share = (across(look) - across(ticks[0])) / (across(ticks[-1]) - across(ticks[0]))
        x = left + share * (width - left - right)
        return f"{x:.1f},{top + (1 - min(value, most) / most) * (height - top - bottom):.1f}"

    out = io.StringIO()
    out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">\n')
    out.write(f'<rect width="{width}" height="{height}" fill="#fff"/>\n')
    for step in range(0, 6):
        x, y = place(ticks[0], step / 5).split(",")
        end = place(ticks[-1], 0).split(",")[0]
        out.write(f'<path d="M{x} {y}H{end}" stroke="#ddd"/><text x="{float(x) - 8}" y="{float(y) + 4}" text-anchor="end">{step / 5:.1f}</text>\n')
    for look in ticks:
        x, y = place(look, 0).split(",")
        out.write(f'<text x="{x}" y="{float(y) + 18}" text-anchor="middle">{look}</text>\n')
    base = place(ticks[0], 1), place(ticks[-1], 1)
    out.write(f'<path d="M{base[0]}L{base[1]}" stroke="#000" stroke-dasharray="4 3"/>\n')
    for line, (name, color) in enumerate(COLORS.items()):
        points = [(look, ratio(known, kind, name, look, by=by)) for look in looks]
        points = [place(look, found[0]) for look, found in points if found]
        if not points:
            continue
        out.write(f'<polyline points="{" ".join(points)}" fill="none" stroke="{color}" stroke-width="2"/>\n')
        y = top + 16 + line * 20
        out.write(f'<path d="M{width - right + 16} {y - 4}h18" stroke="{color}" stroke-width="2"/><text x="{width - right + 40}" y="{y}">{name}</text>\n')
    y = top + 16 + len(COLORS) * 20
    out.write(f'<path d="M{width - right + 16} {y - 4}h18" stroke="#000" stroke-dasharray="4 3"/><text x="{width - right + 40}" y="{y}">{BASE}</text>\n')
    out.write(f'<text x="{left + (width - left - right) / 2}" y="{height - 6}" text-anchor="middle">{title}</text>\n</svg>\n')
    return out.getvalue()


def placed(text, name, made):
    """The text with a table between the marks of its name."""
    begin, end = f"<!-- {name} -->", f"<!-- end {name} -->"
    before, rest = text.split(begin)
    return f"{before}{begin}\n\n{made}\n\n{end}{rest.split(end)[1]}"


def draw(results, searches, page):
    known = json.loads(results.read_text())
    text = placed(page.read_text(encoding="utf-8"), "searches", searches_table(json.loads(searches.read_text())))
    for kind, word in (("p_", "photographs"), ("g_", "graphics")):
        for name, axis in AXES.items():
            (page.parent / "images" / f"{name}-{word}.svg").write_text(drawing(known, kind, axis), encoding="utf-8")
        for column, what, looks, by in ((1, "bytes", SCORES, 0), (2, "time", SCORES, 0), (1, "butteraugli", DISTANCES, 3)):
            text = placed(text, f"{word} {what}", table(known, kind, column, looks, by))
    page.write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "measure":
        measure(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    elif len(sys.argv) == 5 and sys.argv[1] == "searches":
        search(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    elif len(sys.argv) == 5 and sys.argv[1] == "draw":
        draw(Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        sys.exit(__doc__)


main()
