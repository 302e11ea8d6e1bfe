# SPDX-License-Identifier: Apache-2.0
"""Boxes of ISO/IEC 14496-12 and items of ISO/IEC 23008-12, written by hand."""

import struct


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I", len(body) + 8) + kind + body


def full(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def boxes(data, start=0, end=None):
    """Kind, start and end of each box in a range."""
    position, end = start, len(data) if end is None else end
    while position + 8 <= end:
        size, kind = struct.unpack(">I4s", data[position : position + 8])
        yield kind, position, position + size
        position += size


def find(data, *path):
    """Start and end of a box by its path; meta and stsd have fields before their children."""
    start, end = 0, len(data)
    for depth, name in enumerate(path):
        kind, start, end = next(found for found in boxes(data, start, end) if found[0] == name)
        if depth < len(path) - 1:
            start += 8 + {b"meta": 4, b"stsd": 8}.get(name, 0)
    return start, end


def without_times(data):
    """Headers of version 1 with times of creation and change of 0, so that a file comes out the same each day."""
    result = bytearray(data)

    def clear(start, end):
        for kind, first, last in boxes(data, start, end):
            if kind in (b"moov", b"trak", b"mdia"):
                clear(first + 8, last)
            elif kind in (b"mvhd", b"tkhd", b"mdhd"):
                result[first + 12 : first + 28] = bytes(16)

    clear(0, len(data))
    return bytes(result)


def with_brands(data, major, *compatible):
    """Another FileTypeBox of the same size."""
    _, end = find(data, b"ftyp")
    brands = (list(compatible) + [b"mif1"] * 20)[: (end - 16) // 4]
    return box(b"ftyp", major, bytes(4), *brands) + data[end:]


class Item:
    """An item of a meta box: its properties are whole boxes, with True for an essential one."""

    def __init__(self, number, kind, payload, properties, references=(), in_idat=False, content=b"", hidden=False):
        self.number, self.kind, self.payload, self.properties = number, kind, payload, properties
        self.references, self.in_idat, self.content, self.hidden = references, in_idat, content, hidden


def altr(number, items):
    return full(b"altr", 0, 0, struct.pack(">II", number, len(items)), *(struct.pack(">I", item) for item in items))


def gain_map(minimum_version=0, version=0):
    """What a tmap item holds (ISO 21496-1): one channel from 0 to 2, gamma 1, offsets of 1/64, headrooms of 0 and 2."""
    head = struct.pack(">BHHB", version, minimum_version, 0, 0)
    return head + struct.pack(">IIII", 0, 1, 2, 1) + struct.pack(">iIiIIIiIiI", 0, 1, 2, 1, 1, 1, 1, 64, 1, 64)


def file(primary, items, brand=b"avif", brands=(), groups=()):
    """A file of items. A property that several items have is written once.

    Groups are lists of items of which one is shown, the best first.
    """
    pool, lists = [], []
    for item in items:
        places = []
        for found, essential in item.properties:
            if found not in pool:
                pool.append(found)
            places.append((0x80 if essential else 0) | (pool.index(found) + 1))
        lists.append(struct.pack(">HB", item.number, len(places)) + bytes(places))
    associations = full(b"ipma", 0, 0, struct.pack(">I", len(items)), *lists)
    entries = [
        full(b"infe", 2, 1 if item.hidden else 0, struct.pack(">HH4s", item.number, 0, item.kind), b"\0", item.content)
        for item in items
    ]
    references = [
        box(kind, struct.pack(">HH", item.number, len(targets)), *(struct.pack(">H", target) for target in targets))
        for item in items
        for kind, targets in item.references
    ]
    idat = b"".join(item.payload for item in items if item.in_idat)

    def meta(start):
        places, outside, inside = [], start, 0
        for item in items:
            place = inside if item.in_idat else outside
            places.append(struct.pack(">HHHHII", item.number, item.in_idat, 0, 1, place, len(item.payload)))
            if item.in_idat:
                inside += len(item.payload)
            else:
                outside += len(item.payload)
        parts = [
            full(b"hdlr", 0, 0, bytes(4), b"pict", bytes(13)),
            full(b"pitm", 0, 0, struct.pack(">H", primary)),
            full(b"iloc", 1, 0, struct.pack(">HH", 0x4400, len(items)), *places),
            full(b"iinf", 0, 0, struct.pack(">H", len(items)), *entries),
        ]
        if references:
            parts.append(full(b"iref", 0, 0, *references))
        parts.append(box(b"iprp", box(b"ipco", *pool), associations))
        if idat:
            parts.append(box(b"idat", idat))
        if groups:
            parts.append(box(b"grpl", *(altr(100 + number, group) for number, group in enumerate(groups))))
        return full(b"meta", 0, 0, *parts)

    head = box(b"ftyp", brand, bytes(4), b"avif", b"mif1", b"miaf", *brands)
    start = len(head) + len(meta(0)) + 8
    return head + meta(start) + box(b"mdat", *(item.payload for item in items if not item.in_idat))


def with_track(data, kind):
    """A sequence of avifenc's with a second track of the same samples: sound, or depth of the first."""
    movie, end = find(data, b"moov")
    first, last = find(data, b"moov", b"trak")

    def changed(name, start, stop):
        body = data[start + 8 : stop]
        if name in (b"trak", b"mdia", b"minf", b"stbl"):
            parts = [changed(*child) for child in boxes(data, start + 8, stop)]
            if name == b"trak" and kind == b"auxv":
                parts.insert(1, box(b"tref", box(b"auxl", struct.pack(">I", 1))))
            return box(name, *parts)
        if name == b"tkhd":
            # Version 1: the number behind the times, width and height at the end.
            size = bytes(8) if kind == b"soun" else body[-8:]
            return box(name, body[:20], struct.pack(">I", 2), body[24:-8], size)
        if name == b"hdlr":
            return box(name, body[:8], kind, body[12:])
        if name == b"stsd":
            entry = body[8:]
            if kind == b"soun":
                entry = entry[:4] + b"mp4a" + entry[8:]
            else:
                purpose = full(b"auxi", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0")
                entry = struct.pack(">I", len(entry) + len(purpose)) + entry[4:] + purpose
            return box(name, body[:8], entry)
        return data[start:stop]

    extra = changed(b"trak", first, last)
    made = bytearray(data[:movie] + box(b"moov", data[movie + 8 : end], extra) + data[end:])
    for track in [child for child in boxes(made, movie + 8, end + len(extra)) if child[0] == b"trak"]:
        start, stop = track[1:]
        for name in (b"mdia", b"minf", b"stbl", b"stco"):
            start, stop = next(child[1:] for child in boxes(made, start + 8, stop) if child[0] == name)
        count = struct.unpack(">I", made[start + 12 : start + 16])[0]
        for place in range(start + 16, start + 16 + 4 * count, 4):
            made[place : place + 4] = struct.pack(">I", struct.unpack(">I", made[place : place + 4])[0] + len(extra))
    return moved_items(bytes(made), len(extra))


def moved_items(data, shift):
    """The still beside a sequence, moved: libavif writes places of items as version 0 with 4 bytes each."""
    result = bytearray(data)
    place, _ = find(data, b"meta", b"iloc")
    position = place + 16
    for _ in range(struct.unpack(">H", data[place + 14 : place + 16])[0]):
        offset = struct.unpack(">I", data[position + 6 : position + 10])[0]
        result[position + 6 : position + 10] = struct.pack(">I", offset + shift)
        position += 14
    return bytes(result)


def sequence(data, plays=None, delays=None, edits=None):
    """A sequence of avifenc's with other delays, in ticks, and with an edit list: `plays` of 0 is without end.

    Edits are durations, times in the media and rates of 65,536ths, in place of one that shows all.

    ISO/IEC 23008-12, section 9.6.1: an edit list with flag 1 is repeated until the track's duration is over.
    """
    movie, end = find(data, b"moov")
    total = None

    def rebuilt(kind, start, stop, shift):
        nonlocal total
        body = data[start + 8 : stop]
        if kind in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
            parts = []
            for child in boxes(data, start + 8, stop):
                parts.append(rebuilt(*child, shift))
                if kind == b"trak" and child[0] == b"tkhd" and plays is not None:
                    listed = edits or [(total, 0, 0x10000)]
                    entries = [struct.pack(">Qqi", *edit) for edit in listed]
                    flag = 0 if plays == 1 else 1
                    parts.append(box(b"edts", full(b"elst", 1, flag, struct.pack(">I", len(listed)), *entries)))
            return box(kind, *parts)
        if kind == b"stts" and delays:
            return full(b"stts", 0, 0, struct.pack(">I", len(delays)), *(struct.pack(">II", 1, d) for d in delays))
        if kind == b"tkhd" and plays is not None:
            lasts = 0xFFFFFFFFFFFFFFFF if plays == 0 else total * plays
            return box(kind, body[:28], struct.pack(">Q", lasts), body[36:])
        if kind == b"stco":
            count = struct.unpack(">I", body[4:8])[0]
            places = struct.unpack(f">{count}I", body[8:])
            return box(kind, body[:8], struct.pack(f">{count}I", *(place + shift for place in places)))
        return data[start:stop]

    header, _ = find(data, b"moov", b"trak", b"mdia", b"mdhd")
    total = sum(delays) if delays else struct.unpack(">Q", data[header + 32 : header + 40])[0]
    shift = len(rebuilt(b"moov", movie, end, 0)) - (end - movie)
    return moved_items(data[:movie] + rebuilt(b"moov", movie, end, shift) + data[end:], shift)
