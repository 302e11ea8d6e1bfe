# SPDX-License-Identifier: Apache-2.0
"""Files of boxes with any number of something: HEIF and AVIF, JPEG 2000, JPEG XL."""
import struct

from animations import boxes, fixture


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def full(kind, version, *parts):
    return box(kind, struct.pack(">I", version << 24), *parts)


class Still:
    """The parts of a file with one coded picture, from which files with more of something are made."""

    def __init__(self, path, filler):
        data = fixture(path)
        top = {kind: (start, content, stop) for kind, start, content, stop in boxes(data, 0, len(data))}
        start, content, stop = top[b"meta"]
        inner = {kind: data[at:end] for kind, _, at, end in boxes(data, content + 4, stop)}
        self.type_box = data[top[b"ftyp"][0] : top[b"ftyp"][2]]
        _, at, end = top[b"mdat"]
        self.coded = data[at:end]
        self.kind = inner[b"iinf"][inner[b"iinf"].index(b"infe") + 12 :][:4]
        held = inner[b"iprp"]
        properties = next((at, end) for kind, _, at, end in boxes(held, 0, len(held)) if kind == b"ipco")
        self.properties = [held[start:end] for _, start, _, end in boxes(held, *properties)]
        sizes = [part for part in self.properties if part[4:8] == b"ispe"]
        # A picture that is cut has a second size.
        self.properties = [part for part in self.properties if part not in sizes[1:]]
        self.size = next(struct.unpack(">II", held[-8:]) for held in self.properties if held[4:8] == b"ispe")
        # A unit of the bitstream, of one byte more each, that decoders pass over.
        self.filler = filler

    def all_properties(self):
        return [index + 1 for index in range(len(self.properties))]

    def file(self, items, references=(), more=(), data=b"", meta=b"", top=b""):
        """items: (type, hidden, [numbers of properties], [(offset, length)]); the first is the primary one."""
        entries = [
            full(b"infe", 2, struct.pack(">HH", number, 0), kind, b"\0", b"a/b\0" if kind == b"mime" else b"")[:11]
            + bytes([hidden])
            + full(b"infe", 2, struct.pack(">HH", number, 0), kind, b"\0", b"a/b\0" if kind == b"mime" else b"")[12:]
            for number, (kind, hidden, _, _) in enumerate(items, 1)]
        properties = b"".join([*self.properties, *more])
        associations = [
            struct.pack(">HB", number, len(which)) + bytes(which) for number, (_, _, which, _) in enumerate(items, 1) if which]

        def whole(place):
            places = [
                struct.pack(">HHHH", number, 0, 0, len(extents))
                + b"".join(struct.pack(">II", place + offset, length) for offset, length in extents)
                for number, (_, _, _, extents) in enumerate(items, 1)]
            parts = [
                full(b"hdlr", 0, b"\0\0\0\0pict", bytes(12), b"\0"), full(b"pitm", 0, b"\0\1"),
                full(b"iinf", 1, struct.pack(">I", len(items)), *entries),
                full(b"iloc", 1, b"\x44\0", struct.pack(">H", len(items)), *places),
                box(b"iprp", box(b"ipco", properties), full(b"ipma", 0, struct.pack(">I", len(associations)), *associations)),
                full(b"iref", 0, *references) if references else b"", meta]
            return self.type_box + top + full(b"meta", 0, *parts)

        head = whole(0)
        head = whole(len(head) + 8)
        return head + box(b"mdat", self.coded, data)

    def picture(self, hidden=0):
        return self.kind, hidden, self.all_properties(), [(0, len(self.coded))]

    def boxes(self, count):
        return self.file([self.picture()], top=box(b"free") * count)

    def boxes_inside(self, count):
        return self.file([self.picture()], meta=box(b"free") * count)

    def items(self, count):
        references = [box(b"cdsc", struct.pack(">HHH", number, 1, 1)) for number in range(2, count + 2)]
        return self.file([self.picture()] + [(b"mime", 1, [], [(0, 1)])] * count, references)

    def thumbnails(self, count):
        references = [box(b"thmb", struct.pack(">HHH", number, 1, 1)) for number in range(2, count + 2)]
        return self.file([self.picture()] + [self.picture(1)] * count, references)

    def references(self, count):
        return self.file(
            [self.picture(), (b"mime", 1, [], [(0, 1)])],
            [box(b"cdsc", struct.pack(">HH", 2, count), struct.pack(">H", 1) * count)])

    def property_boxes(self, count):
        return self.file([self.picture()], more=[box(b"free")] * count)

    def extents(self, count):
        data = self.filler(count)
        picture = self.kind, 0, self.all_properties(), [(0, len(self.coded))] + [(len(self.coded) + i, 1) for i in range(len(data))]
        return self.file([picture], data=data)

    def pages(self, count):
        return self.file([self.picture()] * count)

    def tiles(self, count):
        columns = 25
        width, height = self.size
        grid = bytes([0, 1, count // columns - 1, columns - 1]) + struct.pack(">II", width * columns, height * (count // columns))
        size = full(b"ispe", 0, grid[4:])
        shape = [index for index in self.all_properties() if self.properties[index - 1][4:8] in (b"colr", b"pixi")]
        first = b"grid", 0, shape + [len(self.properties) + 1], [(len(self.coded), len(grid))]
        return self.file(
            [first] + [self.picture(1)] * count,
            [box(b"dimg", struct.pack(">HH", 1, count), *(struct.pack(">H", i + 2) for i in range(count)))], more=[size], data=grid)


# AV1 §5.3: a padding unit. HEVC §7.3.2.12: filler data, after its length.
avif = Still("avif/valid/brand-miaf.avif", lambda count: b"\x7a" + leb128(count) + bytes(count - 1) + b"\x80")
heif = Still("heif/valid/lossy-420.heic", lambda count: struct.pack(">I", count) + b"\x4c\x01" + b"\xff" * (count - 3) + b"\x80")


def leb128(number):
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def edits(path):
    """A sequence whose list of edits has so many, each of which shows all."""

    def make(count):
        data = fixture(path)
        parts = data.index(b"elst") - 4
        size, = struct.unpack_from(">I", data, parts)
        version = data[parts + 8]
        one = data[parts + 16 :][: 12 if version == 0 else 20]
        made = struct.pack(">I4sII", 16 + len(one) * count, b"elst", version << 24, count) + one * count
        grown = len(made) - size
        data = bytearray(data[:parts] + made + data[parts + size :])
        # The boxes around it, and what lies after it.
        for name in (b"moov", b"trak", b"edts"):
            at = data.index(name) - 4
            struct.pack_into(">I", data, at, struct.unpack_from(">I", data, at)[0] + grown)
        place = data.index(b"stco") + 12
        for index in range(struct.unpack_from(">I", data, place - 4)[0]):
            struct.pack_into(">I", data, place + 4 * index, struct.unpack_from(">I", data, place + 4 * index)[0] + grown)
        return bytes(data)

    return make


def jpeg2000_boxes(count):
    data = fixture("jpeg2000/valid/gray8.jp2")
    at = data.index(b"jp2c") - 4
    return data[:at] + box(b"uuid", bytes(16)) * count + data[at:]


def jpeg2000_comments(count):
    data = fixture("jpeg2000/valid/codestream.j2k")
    at = data.index(b"\xff\x90")
    return data[:at] + b"\xff\x64\0\5\0\1a" * count + data[at:]


def jpeg2000_tiles(count):
    """One component, no wavelet, one layer: an empty packet is a byte of 0."""
    columns = 25
    size = struct.pack(">HIIIIIIIIH", 0, 8 * columns, 8 * (count // columns), 0, 0, 8, 8, 0, 0, 1) + bytes([7, 1, 1])
    parts = [b"\xff\x4f\xff\x51", struct.pack(">H", 2 + len(size)), size, b"\xff\x52\0\x0c\0\0\0\1\0\0\4\4\0\1", b"\xff\x5c\0\4\x40\x40"]
    parts += [struct.pack(">HHHIBBH", 0xFF90, 10, tile, 15, 0, 1, 0xFF93) + b"\0" for tile in range(count)]
    return b"".join(parts) + b"\xff\xd9"


def jxl_boxes(count):
    data = fixture("jxl/valid/container-jxlc.jxl")
    at = data.index(b"jxlc") - 4
    return data[:at] + box(b"abcd") * count + data[at:]


def jxl_parts(count):
    data = fixture("jxl/valid/container-jxlc.jxl")
    at = data.index(b"jxlc") - 4
    code = data[at + 8 :]
    parts = [box(b"jxlp", struct.pack(">I", index)) for index in range(count)]
    return data[:at] + b"".join(parts) + box(b"jxlp", struct.pack(">I", count | 1 << 31), code)
