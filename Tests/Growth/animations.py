# SPDX-License-Identifier: Apache-2.0
"""Animations of any number of frames, of the frames of small fixtures. Each function takes the number and returns a file."""
import os
import struct
import subprocess
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def fixture(path):
    with open(f"{ROOT}/Tests/Fixtures/{path}", "rb") as file:
        return file.read()


def gif(count):
    screen = struct.pack("<6sHHBBB", b"GIF89a", 1, 1, 0x80, 0, 0) + bytes([0, 0, 0, 255, 255, 255])
    image = struct.pack("<BHHHHB", 0x2C, 0, 0, 1, 1, 0) + bytes([2, 2, 0x44, 1, 0])
    # Without a delay, only a look at all images tells whether one has one.
    return screen + image * count + b";"


def timed_gif(count):
    screen = struct.pack("<6sHHBBB", b"GIF89a", 1, 1, 0x80, 0, 0) + bytes([0, 0, 0, 255, 255, 255])
    image = bytes([0x21, 0xF9, 4, 0, 5, 0, 0, 0]) + struct.pack("<BHHHHB", 0x2C, 0, 0, 1, 1, 0) + bytes([2, 2, 0x44, 1, 0])
    return screen + image * count + b";"


def webp(count):
    data = fixture("webp/valid/animated-source.webp")
    start = data.index(b"ANMF")
    size = 8 + struct.unpack_from("<I", data, start + 4)[0]
    body = data[8:start] + data[start : start + size + size % 2] * count
    return b"RIFF" + struct.pack("<I", len(body)) + body


def png(count):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = zlib.compress(b"\0\x80")
    parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), chunk(b"acTL", struct.pack(">II", count, 0))]
    number = 0
    for frame in range(count):
        parts.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, 1, 1, 0, 0, 1, 100, 0, 0)))
        number += 1
        if frame == 0:
            parts.append(chunk(b"IDAT", pixels))
        else:
            parts.append(chunk(b"fdAT", struct.pack(">I", number) + pixels))
            number += 1
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IEND", b"")


def boxes(data, start, end):
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        header = 8
        if size == 1:
            size, header = struct.unpack_from(">Q", data, start + 8)[0], 16
        yield kind, start, start + header, start + (size or end - start)
        start += size or end - start


def sequence(data, count):
    """The first track with so many samples, each in a chunk of its own, and all at the place of its first one."""

    def rebuilt(start, end, shift):
        parts, tracks = [], 0
        for kind, at, content, stop in boxes(data, start, end):
            if kind == b"trak":
                tracks += 1
            if kind in (b"edts", b"stss", b"ctts", b"sbgp", b"sgpd", b"cslg", b"tref") or kind == b"trak" and tracks > 1:
                continue
            body = data[content:stop]
            if kind in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
                body = rebuilt(content, stop, shift)
            elif kind == b"stts":
                body = struct.pack(">IIII", 0, 1, count, struct.unpack_from(">I", body, 12)[0])
            elif kind in (b"stsz", b"stz2"):
                size = struct.unpack_from(">I", body, 4)[0] or struct.unpack_from(">I", body, 12)[0]
                kind, body = b"stsz", struct.pack(">III", 0, size, count)
            elif kind == b"stsc":
                body = struct.pack(">IIIII", 0, 1, 1, 1, 1)
            elif kind == b"stco":
                place = struct.unpack_from(">I", body, 8)[0]
                body = struct.pack(">II", 0, count) + struct.pack(">I", place + shift) * count
            parts.append(struct.pack(">I4s", 8 + len(body), kind) + body)
        return b"".join(parts)

    parts, shift = [], 0
    movie = next((at, stop) for kind, at, _, stop in boxes(data, 0, len(data)) if kind == b"moov")
    for shift in (0, len(rebuilt(*movie, 0)) - (movie[1] - movie[0])):
        made = rebuilt(*movie, shift)
    return data[: movie[0]] + made + data[movie[1] :]


def avif(count):
    return sequence(fixture("avif/valid/sequence-keyframes.avif"), count)


def heics(count):
    return sequence(fixture("heif/valid/intra.heics"), count)


def jxl(count):
    """Two frames are where the codestream of two frames more has more bytes: frames begin at whole bytes."""
    four, six = (jxl_frames(frames) for frames in (4, 6))
    same = next(i for i in range(len(four)) if four[i] != six[i] or i == len(four) - 1)
    pair = six[same : same + len(six) - len(four)]
    assert six == four[:same] + pair + four[same:], "the frames of a JPEG XL file are not alike"
    return four[:same] + pair * (count // 2 - 2) + four[same:]


def jxl_frames(count):
    """Pictures in turn: frames that are alike would become one."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/a.gif", "wb") as file:
            made = timed_gif(2)
            first, second = made[19:-1][: (len(made) - 20) // 2], made[19:-1][(len(made) - 20) // 2 :]
            file.write(made[:19] + (first + second.replace(bytes([2, 2, 0x44, 1, 0]), bytes([2, 2, 0x4C, 1, 0]))) * (count // 2) + b";")
        subprocess.run([os.environ["CODERS"], "convert", "--option", "effort=1", f"{folder}/a.gif", f"{folder}/a.jxl"], check=True)
        with open(f"{folder}/a.jxl", "rb") as file:
            return file.read()


