# SPDX-License-Identifier: Apache-2.0
"""HEIC image sequences, put together box by box (ISO/IEC 14496-12, ISO/IEC 23008-12) around pictures of x265."""

import struct
import sys

import numpy as np

import fixtures
import heif_unstartable
import hevc
from fixtures import Frame, animated, fnv
from ycbcr import rgb, scaled, straight

FORMAT = "heif"

UP = (1, 0, 0, 1)
ALPHA = b"urn:mpeg:hevc:2015:auxid:1\0"


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def full(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


class Track:
    """A track of a stream. `durations` are those of frames as they are shown, in units of 1/timescale s."""

    def __init__(self, stream, durations, **settings):
        self.stream, self.durations = stream, durations
        self.kind, self.handler, self.timescale, self.matrix = b"hvc1", b"pict", 1000, UP
        self.references, self.entry, self.edits, self.duration = (), b"", b"", None
        self.number, self.compact, self.per_chunk, self.large, self.flags = 1, False, 1000, False, 1
        self.configuration, self.size = stream.configuration, stream.size
        self.samples = [sample.data for sample in stream.samples]
        self.sizes = self.shifts = None
        self.__dict__.update(settings)

    def length(self):
        return sum(self.durations) * 1000 // max(self.timescale, 1) if self.duration is None else self.duration

    def times(self):
        """Decoding deltas and composition offsets: samples are decoded at even distances before they are shown."""
        if self.shifts:
            return list(self.durations), self.shifts
        starts = np.concatenate([[0], np.cumsum(self.durations)]).tolist()
        shown = [starts[sample.shown] for sample in self.stream.samples]
        if all(sample.shown == i for i, sample in enumerate(self.stream.samples)):
            return list(self.durations), None
        decoded = starts[:-1]
        return list(self.durations), [s - d for s, d in zip(shown, decoded)]

    def box(self, offsets):
        a, b, c, d = (value * 65536 for value in self.matrix)
        # Version 1 has 64 bits for times and durations.
        header = struct.pack(">QQIIQ", 0, 0, self.number, 0, self.length())
        header += struct.pack(">Qhhhh", 0, 0, 0, 0, 0)
        header += struct.pack(">iiiiiiiii", a, b, 0, c, d, 0, 0, 0, 1 << 30)
        header += struct.pack(">II", *(side << 16 for side in self.size))
        references = [box(kind, struct.pack(">I", number)) for kind, number in self.references]
        handler = full(b"hdlr", 0, 0, bytes(4), self.handler, bytes(12), b"\0")
        media = box(
            b"mdia",
            full(b"mdhd", 0, 0, struct.pack(">IIIIHH", 0, 0, self.timescale, 0, 0x55C4, 0)),
            handler,
            box(b"minf", full(b"vmhd", 0, 1, bytes(8)), self.table(offsets)),
        )
        return box(
            b"trak",
            full(b"tkhd", 1, self.flags, header),
            box(b"tref", *references) if references else b"",
            box(b"edts", self.edits) if self.edits else b"",
            media,
        )

    def table(self, offsets):
        entry = bytes(6) + struct.pack(">H", 1) + bytes(16) + struct.pack(">HH", *self.size)
        entry += struct.pack(">IIIH", 0x480000, 0x480000, 0, 1) + bytes(32) + struct.pack(">Hh", 24, -1)
        record = box(b"hvcC", self.configuration) if self.configuration else b""
        deltas, shifts = self.times()
        parts = [
            full(b"stsd", 0, 0, struct.pack(">I", 1), box(self.kind, entry, record, self.entry)),
            full(b"stts", 0, 0, struct.pack(">I", len(deltas)), *(struct.pack(">II", 1, d) for d in deltas)),
        ]
        if shifts:
            entries = [struct.pack(">Ii", 1, shift) for shift in shifts]
            parts.append(full(b"ctts", 1, 0, struct.pack(">I", len(shifts)), *entries))
        sync = [i + 1 for i, sample in enumerate(self.stream.samples) if sample.is_sync]
        if len(sync) < len(self.samples):
            parts.append(full(b"stss", 0, 0, struct.pack(f">I{len(sync)}I", len(sync), *sync)))
        sizes = [len(sample) for sample in self.samples]
        if self.compact:
            parts.append(full(b"stz2", 0, 0, struct.pack(f">II{len(sizes)}H", 16, len(sizes), *sizes)))
        else:
            parts.append(self.sizes or full(b"stsz", 0, 0, struct.pack(f">II{len(sizes)}I", 0, len(sizes), *sizes)))
        parts.append(full(b"stsc", 0, 0, struct.pack(">IIII", 1, 1, self.per_chunk, 1)))
        form = "Q" if self.large else "I"
        numbers = struct.pack(f">I{len(offsets)}{form}", len(offsets), *offsets)
        parts.append(full(b"co64" if self.large else b"stco", 0, 0, numbers))
        return box(b"stbl", *parts)

    def chunks(self):
        return [
            b"".join(self.samples[i : i + self.per_chunk]) for i in range(0, len(self.samples), self.per_chunk)
        ]


def brands(major=b"msf1", *others):
    return box(b"ftyp", major, bytes(4), *(others or (b"msf1", b"hevc", b"iso8")))


def movie(tracks, places):
    head = full(b"mvhd", 0, 0, struct.pack(">IIII", 0, 0, 1000, 0), struct.pack(">IH", 65536, 256), bytes(74))
    return box(b"moov", head, *(track.box(offsets) for track, offsets in zip(tracks, places)))


def file(tracks, first=None, movie_last=False, between=b"", large=False):
    """Tracks as a file; places are worked out by writing the movie twice, which does not change its size."""
    first = first or brands()
    chunks = [track.chunks() for track in tracks]
    data = b"".join(b"".join(c) for c in chunks)
    head = struct.pack(">I4sQ", 1, b"mdat", 16 + len(data)) if large else struct.pack(">I4s", 8 + len(data), b"mdat")

    def places(start):
        result = []
        for track in chunks:
            own = []
            for chunk in track:
                own.append(start)
                start += len(chunk)
            result.append(own)
        return result

    if movie_last:
        found = places(len(first) + len(between) + len(head))
        return first + between + head + data + movie(tracks, found)
    size = len(movie(tracks, places(0)))
    return first + between + movie(tracks, places(len(first) + len(between) + size + len(head))) + head + data


def edits(repeats, length):
    return full(b"elst", 0, 1 if repeats else 0, struct.pack(">IIiHH", 1, length, 0, 1, 0))


def edit_list(*entries):
    """Entries of a duration, a time in the media, -1 for a pause, and a rate."""
    return full(b"elst", 0, 0, struct.pack(">I", len(entries)), *(struct.pack(">IiiI", d, t, 0, 0)[:8] +
                struct.pack(">hH", rate, 0) for d, t, rate in entries))


def code_points(primaries, transfer, matrix, is_full):
    return box(b"colr", b"nclx", struct.pack(">HHHB", primaries, transfer, matrix, 128 if is_full else 0))


def pixels(stream, matrix=2, is_full=False, alpha=None, is_premultiplied=False):
    """RGBA of each frame."""
    top = 65535 if stream.bits > 8 else 255
    result = []
    for index, planes in enumerate(stream.planes):
        colors = rgb(planes, stream.bits, matrix, is_full)
        clear = np.full(colors.shape[:2], top)
        if alpha:
            clear = scaled(alpha.planes[index][0], alpha.bits, top)
            if is_premultiplied:
                colors = straight(colors, clear, top)
        result.append(np.concatenate([colors, clear[..., None]], axis=-1).astype(np.uint8 if top == 255 else "<u2"))
    return result


def valid(name, shows, data, stream, durations, shown=None, plays="infinite", timescale=1000, **more):
    shown = shown or pixels(stream)
    frames = [Frame(p, delay=(d, timescale)) for p, d in zip(shown, durations)]
    deep = shown[0].dtype.itemsize == 2
    height, width = shown[0].shape[:2]
    more = {"alpha": "opaque", **more}
    animated(
        FORMAT, name, data, shows, (width, height), frames, plays, "rgba16" if deep else "rgba8", stream.bits, **more)


def make():
    plain = hevc.encode(3)
    make_coding(plain)
    make_colors()
    make_alpha()
    make_timing(plain)
    make_boxes(plain)
    make_invalid(plain)


def make_coding(plain):
    tenths = [100] * 3
    valid("plain.heics", "an intra picture and two that refer to it", file([Track(plain, tenths)]), plain, tenths,
          subsampling=420)
    single = hevc.encode(1)
    valid("one-frame.heics", "a sequence of one picture", file([Track(single, [70])]), single, [70])
    for name, shows, count, options in [
        ("intra.heics", "intra pictures alone, without stss", 4, "keyint=1"),
        ("bidirectional.heics", "pictures that are shown in another order than they are decoded in", 6,
         "bframes=3:b-pyramid=1:b-adapt=0:ref=3:no-open-gop=1"),
        ("closed-groups.heics", "two groups with an IDR picture each", 6, "keyint=3:min-keyint=3:no-open-gop=1"),
        ("open-groups.heics", "a CRA picture whose leading pictures refer to the group before", 9,
         "keyint=4:min-keyint=4:bframes=2:b-adapt=0:open-gop=1"),
        ("slices.heics", "two slices in each picture, with wavefronts", 2, "slices=2:pools=2"),
    ]:
        stream = hevc.encode(count, options=options, size=(64, 64) if "slices" in name else (32, 24))
        durations = [40 + 10 * (i % 3) for i in range(count)]
        valid(name, shows, file([Track(stream, durations)]), stream, durations)


def make_colors():
    for form, name, shows, subsampling in [
        ("yuv422p", "422.heics", "4:2:2", 422), ("yuv444p", "444.heics", "4:4:4", 444),
        ("gray", "gray.heics", "luma alone", 400), ("yuv420p10le", "deep10.heics", "10 bits", 420),
        ("yuv422p10le", "deep10-422.heics", "10 bits, 4:2:2", 422),
        ("yuv444p12le", "deep12.heics", "12 bits, 4:4:4", 444),
        ("gray10le", "gray10.heics", "10 bits of luma alone", 400),
    ]:
        stream = hevc.encode(2, form)
        valid(name, shows, file([Track(stream, [50, 60])]), stream, [50, 60], subsampling=subsampling)
    odd = hevc.encode(2, "yuv444p", (23, 17))
    valid("odd-size.heics", "a conformance window of 23×17", file([Track(odd, [50, 60])]), odd, [50, 60])
    full444 = hevc.encode(2, "yuv444p", options="colorprim=1:transfer=13:colormatrix=0:range=full",
                          decoded_as="gbrp")
    valid("identity.heics", "planes of green, blue and red, which the VUI says", file([Track(full444, [50, 60])]),
          full444, [50, 60], pixels(full444, 0, True), cicp=[1, 13, 0, 1])
    ycgco = hevc.encode(2, "yuv444p", options="colorprim=1:transfer=13:colormatrix=8:range=full")
    valid("ycgco.heics", "YCgCo, which the VUI says", file([Track(ycgco, [50, 60])]), ycgco, [50, 60],
          pixels(ycgco, 8, True), cicp=[1, 13, 8, 1])
    plain = hevc.encode(2, options="colorprim=9:transfer=14:colormatrix=9:range=limited")
    valid("vui-bt2020.heics", "BT.2020, which the VUI says", file([Track(plain, [50, 60])]), plain, [50, 60],
          pixels(plain, 9), cicp=[9, 14, 9, 0])
    entry = code_points(1, 13, 1, True)
    valid("nclx-bt709-full.heics", "code points of the sample entry count before those of the bitstream",
          file([Track(plain, [50, 60], entry=entry)]), plain, [50, 60], pixels(plain, 1, True), cicp=[1, 13, 1, 1])


def with_alpha(stream, alpha, durations, kind=ALPHA, references=(), **settings):
    entry = full(b"auxi", 0, 0, kind)
    auxiliary = Track(alpha, durations, number=2, handler=b"auxv", references=[(b"auxl", 1)], entry=entry, **settings)
    return file([Track(stream, durations, references=references), auxiliary])


def make_alpha():
    colors, planes = hevc.encode(3), hevc.encode(3, "gray", seed=5)
    tenths = [100] * 3
    valid("alpha.heics", "a track of alpha planes", with_alpha(colors, planes, tenths), colors, tenths,
          pixels(colors, alpha=planes), alpha="straight")
    valid("alpha-premultiplied.heics", "colors that are multiplied by alpha",
          with_alpha(colors, planes, tenths, references=[(b"prem", 2)]), colors, tenths,
          pixels(colors, alpha=planes, is_premultiplied=True), alpha="straight")
    valid("depth-track.heics", "an auxiliary track that is not alpha",
          with_alpha(colors, planes, tenths, b"urn:mpeg:hevc:2015:auxid:2\0"), colors, tenths)
    deep, planes = hevc.encode(2, "yuv420p10le"), hevc.encode(2, seed=7)
    valid("alpha-deep.heics", "alpha of 8 bits beside colors of 10", with_alpha(deep, planes, [50, 60]), deep,
          [50, 60], pixels(deep, alpha=planes), alpha="straight")


def make_timing(plain):
    def timed(name, shows, durations, plays="infinite", timescale=1000, **settings):
        track = Track(plain, durations, timescale=timescale, **settings)
        valid(name, shows, file([track]), plain, durations, plays=plays, timescale=timescale)

    timed("delays.heics", "delays of 0, 1/90000 and 100 s", [0, 1, 9_000_000], timescale=90_000)
    timed("delay-ntsc.heics", "delays of 1001/30000 s", [1001] * 3, timescale=30_000)
    timed("plays-once.heics", "an edit list that does not repeat", [100] * 3, 1, edits=edits(False, 300))
    timed("plays-3.heics", "an edit list that repeats for three times its length", [100] * 3, 3,
          edits=edits(True, 300), duration=900)
    timed("plays-cut.heics", "a last round that is cut short counts", [100] * 3, 3, edits=edits(True, 300),
          duration=700)
    timed("plays-on.heics", "an edit list that repeats without end", [100] * 3, edits=edits(True, 300),
          duration=(1 << 64) - 1)
    make_edits(plain)


def make_edits(plain):
    """ISO/IEC 14496-12, 8.6.6: what of the media is shown when; and 8.6.1.3, what is not shown at all."""
    all_pixels = pixels(plain)

    def edited(name, shows, steps, *entries, plays=1, **settings):
        """Steps are pictures and how long each is shown."""
        if entries:
            settings["edits"] = edit_list(*entries)
        frames, durations = zip(*steps)
        data = file([Track(plain, [100] * 3, **settings)])
        valid(name, shows, data, plain, durations, [all_pixels[frame] for frame in frames], plays)

    edited("edits-twice.heics", "the media twice", [(0, 100), (1, 100), (2, 100)] * 2, (300, 0, 1), (300, 0, 1))
    edited("edits-there-and-back.heics", "pictures one by one on the way back",
           [(0, 100), (1, 100), (2, 100), (1, 100), (0, 100)], (300, 0, 1), (100, 100, 1), (100, 0, 1))
    edited("edits-backwards.heics", "a rate of -1", [(2, 100), (1, 100), (0, 100)], (300, 0, -1))
    edited("edits-pause.heics", "a pause before the first picture", [(0, 600), (1, 100), (2, 100)], (500, -1, 1),
           (300, 0, 1))
    edited("edits-dwell.heics", "a rate of 0", [(1, 250), (0, 100), (1, 100), (2, 100)], (250, 100, 0), (300, 0, 1))
    edited("edits-part.heics", "a part of the media", [(1, 100), (2, 50)], (150, 100, 1))
    edited("sample-not-shown.heics", "a first sample that is not shown", [(1, 100), (2, 100)], plays="infinite",
           shifts=[-(1 << 31), 0, 0])


def make_boxes(plain):
    tenths = [100] * 3

    def boxed(name, shows, data, **more):
        valid(name, shows, data, plain, tenths, **more)

    for name, orientation, matrix in [
        ("mirror.heics", 2, (-1, 0, 0, 1)), ("turn-180.heics", 3, (-1, 0, 0, -1)), ("turn-90.heics", 6, (0, 1, -1, 0)),
        ("turn-270.heics", 8, (0, -1, 1, 0)), ("transpose.heics", 5, (0, 1, 1, 0)),
    ]:
        upright = fnv(fixtures.upright(pixels(plain)[0], orientation).tobytes())
        boxed(name, "the track's matrix turns or mirrors", file([Track(plain, tenths, matrix=matrix)]),
              orientation=orientation, uprightHash=upright)
    clap = box(b"clap", struct.pack(">IIIIiIiI", 15, 1, 11, 1, -3, 2, 7, 2))
    valid("clean-aperture.heics", "15×11 pixels from 7,10 of the picture", file([Track(plain, tenths, entry=clap)]),
          plain, tenths, [np.ascontiguousarray(p[10:21, 7:22]) for p in pixels(plain)])
    boxed("tables.heics", "chunks of two samples, 64-bit places, 16-bit sizes, a movie behind the data",
          file([Track(plain, tenths, per_chunk=2, large=True, compact=True)], movie_last=True, large=True))
    boxed("video-track.heics", "a track with the handler vide", file([Track(plain, tenths, handler=b"vide")]))
    profile = fixtures.icc()
    light = box(b"mdcv", struct.pack(">8HII", *[15000] * 8, 40_000_000, 50)) + box(b"clli", struct.pack(">HH", 900, 200))
    boxed("light.heics", "light levels and a display", file([Track(plain, tenths, entry=light)]))
    boxed("icc.heics", "an ICC profile", file([Track(plain, tenths, entry=box(b"colr", b"prof", profile))]),
          metadata={"ICC": {"bytes": len(profile), "hash": fnv(profile)}})
    thumbnail = Track(hevc.encode(3, size=(16, 16)), tenths, number=2, references=[(b"thmb", 1)])
    boxed("thumbnail-track.heics", "a track of thumbnails before the pictures", file([thumbnail, Track(plain, tenths)]))
    items = full(b"meta", 0, 0, full(b"hdlr", 0, 0, bytes(4), b"pict", bytes(13)))
    boxed("items.heics", "items beside the sequence", file([Track(plain, tenths)], between=items))
    heif_unstartable.make(sys.modules[__name__], plain)
    boxed("brand-hevc.heics", "the brand hevc before others",
          file([Track(plain, tenths)], first=brands(b"hevc", b"mif1", b"msf1", b"hevc")))
    inside = b"".join(len(unit).to_bytes(4, "big") + unit for unit in hevc.units(plain.configuration))
    samples = [inside + plain.samples[0].data] + [sample.data for sample in plain.samples[1:]]
    wrong = hevc.encode(4)
    wrong.samples[2].is_sync = True
    valid("sync-sample-wrong.heics", "a picture that refers to others is listed as a sync sample",
          file([Track(wrong, [40] * 4)]), wrong, [40] * 4)
    empty = hevc.configuration_of(plain.configuration, [])
    boxed("hev1.heics", "parameter sets inside the first sample",
          file([Track(plain, tenths, kind=b"hev1", configuration=empty, samples=samples)]))


def make_invalid(plain):
    tenths = [100] * 3

    def bad(name, shows, data, error, **more):
        fixtures.invalid(FORMAT, name, data, shows, error, **more)

    whole = file([Track(plain, tenths)])
    bad("truncated-movie.heics", "cut inside the movie", whole[:400], "truncated")
    bad("truncated-first.heics", "cut inside the first picture", whole[: whole.index(b"mdat") + 40], "truncated")
    last = len(plain.samples[-1].data)
    bad("truncated-last.heics", "cut inside the last picture", whole[: len(whole) - last // 2], "truncated",
        rows="some")
    bad("av1.heics", "a sequence in AV1 of the same brand", file([Track(plain, tenths, kind=b"av01")]), "wrongFormat")
    bad("sound.heics", "a track of sound alone", file([Track(plain, tenths, handler=b"soun")]), "wrongFormat")
    items = full(b"meta", 0, 0, full(b"hdlr", 0, 0, bytes(4), b"pict", bytes(13)))
    bad("items-alone.heics", "items without a movie, none of them the primary one",
        brands(b"heic", b"mif1", b"heic", b"hevc") + items, "malformed")
    bad("brands.heics", "none of the brands", file([Track(plain, tenths)], first=brands(b"isom", b"mp42")),
        "wrongFormat")
    bad("timescale-0.heics", "a timescale of 0", file([Track(plain, tenths, timescale=0)]), "malformed")
    bad("no-configuration.heics", "no hvcC", file([Track(plain, tenths, configuration=b"")]), "malformed")
    bad("size-differs.heics", "the track and the bitstream differ", file([Track(plain, tenths, size=(40, 24))]),
        "malformed")
    sizes = full(b"stsz", 0, 0, struct.pack(">II", 0, 0xFFFFFFFF))
    bad("sizes-missing.heics", "2^32 - 1 sizes that are not there", file([Track(plain, tenths, sizes=sizes)]),
        "malformed")
    sizes = full(b"stsz", 0, 0, struct.pack(">II", 0, 100))
    bad("sizes-short.heics", "100 sizes that are not there", file([Track(plain, tenths, sizes=sizes)]), "malformed")
    sizes = full(b"stsz", 0, 0, struct.pack(">II", 64, 0xFFFFFFFF))
    bad("many-samples.heics", "2^32 - 1 samples of 64 bytes", file([Track(plain, tenths, sizes=sizes)]),
        "limitExceeded")
    sets = hevc.units(plain.configuration)
    for name, width, height, error in [
        ("huge-canvas.heics", 65_528, 65_528, "limitExceeded"), ("size-odd.heics", 33, 24, "malformed")]:
        changed = [hevc.with_size(unit, width, height) if unit[0] >> 1 == 33 else unit for unit in sets]
        record = hevc.configuration_of(plain.configuration, changed)
        track = Track(plain, tenths, configuration=record, size=(width, height))
        bad(name, f"an SPS of {width}×{height}", file([track]), error)
    record = hevc.configuration_of(plain.configuration, sets[:2])
    bad("no-pps.heics", "no picture parameter set", file([Track(plain, tenths, configuration=record)]), "malformed")
    samples = [sample.data for sample in plain.samples]
    samples[1] = struct.pack(">I", 100_000) + samples[1][4:]
    bad("length-past-sample.heics", "a NAL unit longer than its sample", file([Track(plain, tenths, samples=samples)]),
        "malformed", rows="some")
    four = hevc.encode(4)
    lost = Track(four, [40] * 4, samples=[sample.data for sample in four.samples])
    lost.samples[1] = lost.samples[0]
    lost.samples[2] = struct.pack(">I", 3) + b"\x46\x01\x10"
    bad("picture-missing.heics", "a sample without a picture; what refers to it is not shown", file([lost]),
        "malformed", rows="some")
    alpha = hevc.encode(2, "gray")
    entry = full(b"auxi", 0, 0, ALPHA)
    auxiliary = Track(alpha, [100] * 2, number=2, handler=b"auxv", references=[(b"auxl", 1)], entry=entry)
    bad("alpha-count.heics", "two alpha planes for three pictures", file([Track(plain, tenths), auxiliary]),
        "malformed")
