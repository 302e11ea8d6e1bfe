# SPDX-License-Identifier: Apache-2.0
"""Gain maps in AVIF files, which are taken apart here by their boxes; avifdec decodes the pieces."""

import os
import struct
import subprocess
import tempfile
import zlib

import imagecodecs
import numpy

from score import Score
from suite_gainmap import THREE, TO_2020, applied, coders, iso, joined, jpeg, light, png16, pq, scene, segment, ISO


def run(digest, corpora):
    score = Score("Gain maps of AVIF", "boxes in Python, pictures of avifdec, formula of ISO 21496-1")
    with tempfile.TemporaryDirectory() as folder:
        keeping(score, folder)
        making(score, folder)
    return [score]


def boxes(data, start, end):
    while start + 8 <= end:
        size, kind = struct.unpack(">I4s", data[start:start + 8])
        yield kind, start + 8, start + size
        start += size


def child(data, found, *path):
    for kind in path:
        found = next((s, e) for k, s, e in boxes(data, *found) if k == kind)
        if kind in (b"meta", b"iref"):
            found = (found[0] + 4, found[1])
    return found


def items(data):
    """Items by their numbers: type, whether hidden, bytes, properties; and references and groups."""
    meta = child(data, (0, len(data)), b"meta")
    found = {}
    start, end = child(data, meta, b"iinf")
    for kind, s, e in boxes(data, start + 6, end):
        number, _, name = struct.unpack(">HH4s", data[s + 4:s + 12])
        found[number] = dict(type=name, hidden=data[s + 3] & 1 == 1, properties=[])
    start, _ = child(data, meta, b"iloc")
    version, sizes = data[start], struct.unpack(">H", data[start + 4:start + 6])[0]
    count = struct.unpack(">H", data[start + 6:start + 8])[0]
    place = start + 8
    base = sizes >> 4 & 15
    for _ in range(count):
        number = struct.unpack(">H", data[place:place + 2])[0]
        place += 2 + (2 if version else 0) + 2 + base
        assert struct.unpack(">H", data[place:place + 2])[0] == 1 and sizes >> 8 == 0x44
        offset, length = struct.unpack(">II", data[place + 2:place + 10])
        found[number]["bytes"] = data[offset:offset + length]
        place += 10
    pool = [(k, data[s:e]) for k, s, e in boxes(data, *child(data, meta, b"iprp", b"ipco"))]
    start, _ = child(data, meta, b"iprp", b"ipma")
    assert data[start:start + 4] == bytes(4)
    place = start + 8
    for _ in range(struct.unpack(">I", data[start + 4:start + 8])[0]):
        number, count = struct.unpack(">HB", data[place:place + 3])
        found[number]["properties"] = [pool[(byte & 127) - 1] for byte in data[place + 3:place + 3 + count]]
        place += 3 + count
    references = []
    for kind, s, e in boxes(data, *child(data, meta, b"iref")):
        count = struct.unpack(">H", data[s + 2:s + 4])[0]
        references.append((kind, *struct.unpack(f">H{count}H", data[s:s + 2] + data[s + 4:s + 4 + 2 * count])))
    groups = [struct.unpack(f">{(e - s - 4) // 4}I", data[s + 4:e]) for k, s, e in boxes(data, *child(data, meta, b"grpl"))
              if k == b"altr"]
    primary = struct.unpack(">H", data[child(data, meta, b"pitm")[0] + 4:][:2])[0]
    return found, references, groups, primary


def meaning_of(payload):
    """What ISO 21496-1 has, annex C.2."""
    minimum, _, flags = struct.unpack(">HHB", payload[:5])
    numbers = struct.unpack(">IIII", payload[5:21])
    found = dict(headroom=numbers[2] / numbers[3], minimum=[], maximum=[], gamma=[], base=[], other=[])
    for channel in range(3 if flags & 0x80 else 1):
        fields = struct.unpack(">iIiIIIiIiI", payload[21 + 40 * channel:61 + 40 * channel])
        for name, n, d in zip(("minimum", "maximum", "gamma", "base", "other"), fields[::2], fields[1::2]):
            found[name].append(n / d)
    if not flags & 0x80:
        for name in ("minimum", "maximum", "gamma", "base", "other"):
            found[name] *= 3
    return None if minimum or len(payload) != (141 if flags & 0x80 else 61) else found


def shown(data, folder):
    path, out = os.path.join(folder, "part.avif"), os.path.join(folder, "part.png")
    with open(path, "wb") as file:
        file.write(data)
    subprocess.run(["avifdec", "--no-strict", "--ignore-icc", path, out], check=True, capture_output=True)
    samples = imagecodecs.png_decode(open(out, "rb").read())
    return numpy.repeat(samples[..., None], 3, axis=2) if samples.ndim == 2 else samples[..., :3]


def taken_apart(path, folder):
    """The base, the map, what the map's samples mean, and the points of the other rendition; or what is wrong."""
    data = open(path, "rb").read()
    found, references, groups, base = items(data)
    brands = data[8:struct.unpack(">I", data[:4])[0]]
    tones = [number for number, item in found.items() if item["type"] == b"tmap"]
    if len(tones) != 1 or b"tmap" not in brands[8:]:
        return "no tone map, or no brand of one"
    item = found[tones[0]]
    inputs = [r for r in references if r[:2] == (b"dimg", tones[0])]
    if len(inputs) != 1 or len(inputs[0]) != 4 or inputs[0][2] != base:
        return f"the tone map is made of {inputs}"
    map_ = inputs[0][3]
    if [group[1:] for group in groups] != [(2, tones[0], base)] or groups[0][0] in found:
        return f"the groups are {groups}"
    if item["hidden"] or not found[map_]["hidden"]:
        return "what is hidden is wrong"
    known = lambda number: dict(found[number]["properties"])
    if known(tones[0])[b"ispe"] != known(base)[b"ispe"]:
        return "the tone map has another size than its base"
    if any(kind in known(tones[0]) for kind in (b"irot", b"imir", b"clap", b"av1C")):
        return "the tone map is turned or coded"
    for kind in (b"irot", b"imir"):
        if known(base).get(kind) != known(map_).get(kind):
            return "base and map are turned differently"
    if item["bytes"][:1] != b"\0" or meaning_of(item["bytes"][1:]) is None:
        return "the tone map's bytes break a rule"
    place = child(data, child(data, (0, len(data)), b"meta"), b"pitm")[0] + 4
    other = data[:place] + struct.pack(">H", map_) + data[place + 2:]
    colors = known(tones[0])[b"colr"]
    points = struct.unpack(">HHH", colors[4:10]) if colors[:4] == b"nclx" else None
    return shown(data, folder), shown(other, folder), meaning_of(item["bytes"][1:]), points, item["bytes"][1:]


def keeping(score, folder):
    base, map_ = scene(numpy.random.default_rng(1), (64, 96))
    first, second = jpeg(base), jpeg(map_)
    source, out = os.path.join(folder, "in.jpg"), os.path.join(folder, "out.avif")
    with open(source, "wb") as file:
        file.write(joined(first, second[:2] + segment(0xE2, ISO + iso(THREE)) + second[2:], "directory"))
    from suite_gainmap import decoded
    whole = applied(light(decoded(first) / 255), decoded(second), THREE, 1)
    again, back = os.path.join(folder, "again.avif"), os.path.join(folder, "back.jpg")
    best = ["--quality", "0.97", "--option", "subsampling=4:4:4"]
    cases = {
        "JPEG to AVIF": ([source, out, *best], whole), "AVIF to AVIF": ([out, again, "--quality", "0.97"], whole),
        "half": ([source, out, *best, "--max-size", "50%"], None),
        "cut out": ([source, out, *best, "--crop", "50x30+21+11"], whole[11:41, 21:71]),
        "turned": ([source, out, *best, "--rotate", "90"], numpy.rot90(whole, -1)),
        "mirrored": ([source, out, *best, "--flip", "horizontal"], whole[:, ::-1])}
    for name, (arguments, wanted) in cases.items():
        status, _, told = coders("convert", *arguments)
        if status or told:
            score.add(f"kept, {name}", told or "no file")
            continue
        parts = taken_apart(arguments[1], folder)
        if isinstance(parts, str):
            score.add(f"kept, {name}", parts)
            continue
        if parts[2] != {key: value for key, value in meaning_of(iso(THREE)).items()}:
            score.add(f"kept, {name}", f"the samples mean {parts[2]}")
            continue
        if wanted is None:
            wanted = whole.reshape(32, 2, 48, 2, 3).mean(axis=(1, 3))
        got = applied(light(parts[0] / 255), parts[1], parts[2], 1)
        if got.shape != wanted.shape:
            score.add(f"kept, {name}", f"{got.shape} where {wanted.shape} was wanted")
            continue
        wrong = numpy.abs(pq(got * 203) - pq(wanted * 203)).mean()
        score.add(f"kept, {name}", f"PQ differs by {wrong:.4f} in the mean" if wrong > 0.01 else None)
        if name == "JPEG to AVIF":
            status, _, told = coders("convert", out, back)
            score.add("kept, AVIF to JPEG", told if status or told else None if b"hdrgm:Version" in
                      open(back, "rb").read() else "no map in the JPEG")
    status, _, told = coders("convert", source, out, "--color", "p3")
    gone = status == 0 and "the gain map is left out" in told and b"tmap" not in open(out, "rb").read()
    score.add("left out with a warning: colors", None if gone else told or "no warning")


def making(score, folder):
    down, across = numpy.mgrid[0:64, 0:96]
    made = numpy.stack([numpy.exp2(across / 16 - 4), numpy.exp2(across / 20 - 4) + down / 100,
                        numpy.exp2(down / 16 - 3)], axis=2)
    made = numpy.minimum(made, 1000 / 203) @ TO_2020.T
    source, out = os.path.join(folder, "hdr.png"), os.path.join(folder, "made.avif")
    code = numpy.rint(pq(made * 203) * 65535).astype(">u2")

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = b"".join(b"\0" + row.tobytes() for row in code)
    with open(source, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 96, 64, 16, 2, 0, 0, 0))
                   + chunk(b"cICP", bytes([9, 16, 0, 1])) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    status, _, told = coders("convert", source, out, "--gain-map", "make", "--quality", "0.97")
    parts = taken_apart(out, folder) if status == 0 else told
    if isinstance(parts, str):
        score.add("made of PQ", parts)
        return
    if parts[3] is None or parts[3][1] != 16:
        score.add("made of PQ", f"the other rendition is {parts[3]}")
        return
    p3 = numpy.array([[0.753845, 0.198593, 0.047562], [0.045746, 0.941777, 0.012477], [-0.001210, 0.017601, 0.983609]])
    found = applied(light(parts[0] / 255), parts[1], parts[2], 1) @ p3.T
    wrong = numpy.abs(pq(found * 203) - pq(made * 203)).mean()
    score.add("made of PQ", f"PQ differs by {wrong:.4f} in the mean" if wrong > 0.012 else None)
    back = os.path.join(folder, "back.png")
    status, _, told = coders("convert", out, back, "--gain-map", "apply")
    if status:
        score.add("made and applied", told)
        return
    wrong = numpy.abs(png16(back) / 65535 - pq(found * 203)).mean()
    score.add("made and applied", f"PQ differs by {wrong:.4f} in the mean" if wrong > 0.01 else None)
