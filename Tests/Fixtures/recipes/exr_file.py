# SPDX-License-Identifier: Apache-2.0
"""Files of OpenEXR, byte by byte (OpenEXR File Layout)."""

import struct
import zlib

import numpy as np

TYPES = {np.dtype("<u4"): 0, np.dtype("<f2"): 1, np.dtype("<f4"): 2}
ROWS = {"none": 1, "rle": 1, "zips": 1, "zip": 16}
NUMBERS = {"none": 0, "rle": 1, "zips": 2, "zip": 3}


def attribute(name, kind, value):
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value


def box(window):
    return struct.pack("<4i", *window)


def predicted(data):
    """Even bytes before odd ones, and each byte less the one before it, plus 128."""
    apart = np.frombuffer(data[0::2] + data[1::2], np.uint8).astype(np.int64)
    return np.concatenate([apart[:1], np.diff(apart) + 128]).astype(np.uint8).tobytes() if len(data) else data


def runs(data):
    """Runs of at least three equal bytes as a count less 1, others with a negative count before them."""
    out, x, literal = b"", 0, b""

    def flush(literal):
        return b"".join(bytes([256 - len(part)]) + part
                        for part in (literal[i:i + 127] for i in range(0, len(literal), 127)))  # fmt: skip

    while x < len(data):
        end = x + 1
        while end < len(data) and end - x < 127 and data[end] == data[x]:
            end += 1
        if end - x >= 3:
            out, literal = out + flush(literal) + bytes([end - x - 1, data[x]]), b""
        else:
            literal += data[x:end]
        x = end
    return out + flush(literal)


def compressed(data, kind):
    packed = {"none": lambda d: d, "rle": lambda d: runs(predicted(d))}.get(kind, lambda d: zlib.compress(predicted(d)))(data)
    return packed if len(packed) < len(data) else data


class Part:
    """One part. `channels` are arrays by name; subsampled ones have fewer columns and rows."""

    def __init__(self, channels, kind="zip", data=None, display=None, order=0, tile=None, levels=None, mode=0, extra=b"",
                 name=None, samplings=None, deep=False):  # fmt: skip
        self.channels = {key: np.ascontiguousarray(channels[key]) for key in sorted(channels)}
        self.samplings = samplings or {}
        width, height = self.size(self.channels)
        self.data = data or (0, 0, width - 1, height - 1)
        self.display = display or self.data
        self.kind, self.order, self.tile, self.levels, self.mode = kind, order, tile, levels, mode
        self.extra, self.name, self.deep = extra, name, deep

    def size(self, channels):
        name, plane = next((n, p) for n, p in channels.items() if n not in self.samplings)
        return plane.shape[1], plane.shape[0]

    def chunks(self):
        """Coordinates and the bytes of each chunk, in the order of the table."""
        if self.tile:
            for level, channels in enumerate(self.levels or [self.channels]):
                channels = {key: channels[key] for key in sorted(channels)}
                width, height = self.size(channels)
                for y in range(0, height, self.tile[1]):
                    for x in range(0, width, self.tile[0]):
                        parts = {n: p[y : y + self.tile[1], x : x + self.tile[0]] for n, p in channels.items()}
                        rows = next(iter(parts.values())).shape[0]
                        data = b"".join(parts[n][row].tobytes() for row in range(rows) for n in parts)
                        yield struct.pack("<4i", x // self.tile[0], y // self.tile[1], level, level), data
            return
        height = self.data[3] - self.data[1] + 1
        for y in range(0, height, ROWS[self.kind]):
            data = b""
            for row in range(y, min(height, y + ROWS[self.kind])):
                for name, plane in self.channels.items():
                    step = self.samplings.get(name, (1, 1))[1]
                    if row % step == 0:
                        data += plane[row // step].tobytes()
            yield struct.pack("<i", self.data[1] + y), data

    def header(self, multi):
        channels = b"".join(
            n.encode() + b"\0" + struct.pack("<iB3xii", TYPES[p.dtype], 0, *self.samplings.get(n, (1, 1)))
            for n, p in self.channels.items())
        out = attribute("channels", "chlist", channels + b"\0")
        out += attribute("compression", "compression", bytes([NUMBERS[self.kind]]))
        out += attribute("dataWindow", "box2i", box(self.data)) + attribute("displayWindow", "box2i", box(self.display))
        out += attribute("lineOrder", "lineOrder", bytes([self.order]))
        out += attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
        out += attribute("screenWindowCenter", "v2f", bytes(8)) + attribute("screenWindowWidth", "float", struct.pack("<f", 1))
        if self.tile:
            out += attribute("tiles", "tiledesc", struct.pack("<IIB", *self.tile, self.mode))
        if multi:
            kind = ("deep" if self.deep else "") + ("tile" if self.tile else "scanline") + ("" if self.deep else "image")
            kind = {"tileimage": "tiledimage"}.get(kind, kind)
            out += attribute("name", "string", self.name.encode()) + attribute("type", "string", kind.encode())
            if self.deep:
                out += attribute("version", "int", struct.pack("<i", 1))
            out += attribute("chunkCount", "int", struct.pack("<i", len(list(self.chunks()))))
        return out + self.extra + b"\0"


def file(*parts, multi=False, table=True, reverse=False, flags=None):
    """A file. Without a table, its offsets are zeros, as in one that was not finished."""
    if flags is None:
        flags = 0x1000 if multi else 0x200 if parts[0].tile else 0
    head = bytes.fromhex("762f3101") + struct.pack("<I", 2 | flags)
    head += b"".join(part.header(multi) for part in parts) + (b"\0" if multi else b"")
    place = head + bytes(8 * sum(len(list(part.chunks())) for part in parts))
    offsets, body = [], b""
    for number, part in enumerate(parts):
        chunks, own = list(part.chunks()), {}
        for index in reversed(range(len(chunks))) if reverse or part.order == 1 else range(len(chunks)):
            own[index] = len(place) + len(body)
            where, data = chunks[index]
            packed = compressed(data, part.kind)
            body += (struct.pack("<i", number) if multi else b"") + where
            if part.deep:
                # Counts of zero samples in each pixel: a table of zeros, and no sample.
                packed = zlib.compress(predicted(bytes(4 * part.size(part.channels)[0])))
                body += struct.pack("<QQQ", len(packed), 0, 0) + packed
            else:
                body += struct.pack("<i", len(packed)) + packed
        offsets += [own[index] for index in range(len(chunks))]
    return head + struct.pack(f"<{len(offsets)}Q", *(offsets if table else [0] * len(offsets))) + body
