# SPDX-License-Identifier: Apache-2.0
"""HEIF: bitstreams of x265, boxes from `heif_boxes`.

Most bitstreams are green, blue and red without loss, so that their pixels come from the recipe. Files that lose are
whole ones of heif-enc, and their pixels are heif-convert's.
"""

import io
import struct

import numpy as np
from PIL import Image

import fixtures
from fixtures import fnv, rgba, run, upright, valid
from heif_boxes import (
    Coded, Item, auxc, box, clap, coded, exact, gain_map, grid, heif, heif_convert, heif_enc, imir, irot, ispe, nclx, overlay, prof,
    smooth,
)

FORMAT = "heif"

ALPHA = "urn:mpeg:hevc:2015:auxid:1"
MIAF_ALPHA = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
DEPTH = "urn:mpeg:hevc:2015:auxid:2"
GAIN_MAP = "urn:com:apple:photo:2020:aux:hdrgainmap"
SAMSUNG_GAIN_MAP = "urn:com:samsung:photo:2024:aux:hdrgainmap"
GBR = nclx(1, 13, 0)
SIDE = 64


class Sources:
    """Bitstreams that several files use."""

    def __init__(self):
        self.rgb = smooth(SIDE, SIDE, 3, step=8)
        self.gray = smooth(SIDE, SIDE, 3, step=16)[..., 2:3]
        self.color = exact(self.rgb)
        self.mask = exact(self.gray)
        tile = smooth(SIDE, SIDE, 3, step=16)
        self.tiles = [tile, tile[:, ::-1], tile[::-1], 255 - tile]
        self.coded_tiles = [exact(samples) for samples in self.tiles]

    def picture(self, *properties, **more):
        return self.color.item(SIDE, SIDE, GBR, *properties, **more)

    def aux(self, kind, *properties):
        return self.mask.item(SIDE, SIDE, auxc(kind), *properties, hidden=True, bits=(8,))


def make():
    sources = Sources()
    make_plain(sources)
    make_transformed(sources)
    make_derived(sources)
    make_parts(sources)
    make_auxiliaries(sources)
    make_light(sources)
    make_lossy()
    import heif_invalid
    import heif_thumbnails
    import heif_uncompressed

    heif_thumbnails.make()
    heif_uncompressed.make()

    heif_invalid.make(sources)


def put(name, shows, data, pixels, pixel_format="rgb8", **more):
    valid("heif", name, data, shows, pixels, pixel_format, **more)


def make_plain(s):
    pixels = rgba(s.rgb)
    put("rgb-lossless.heic", "one picture without loss", heif([s.picture()]), pixels, subsampling=444, isLossless=True,
        cicp=[1, 13, 0, 1])
    put("mif1.heif", "the brand mif1, with heic among the compatible ones", heif([s.picture()], brand=b"mif1"), pixels)
    put("wide-numbers.heic", "32-bit item numbers and long property indexes",
        heif([s.picture()], wide=True, long_indexes=True), pixels)
    put("extents.heic", "a picture in three extents", heif([s.picture(extents=3)]), pixels)
    put("idat.heic", "a picture in the idat box", heif([s.picture(in_idat=True)]), pixels)
    put("hidden-primary.heic", "a primary item that is hidden", heif([s.picture(hidden=True)]), pixels)
    put("gray-lossless.heic", "one channel", heif([s.mask.item(SIDE, SIDE, bits=(8,))]), rgba(s.gray), "gray8",
        subsampling=400, isLossless=True)
    for name, kind in (("alpha", ALPHA), ("alpha-miaf", MIAF_ALPHA)):
        samples = np.concatenate([s.rgb, s.gray], axis=-1)
        put(f"{name}.heic", f"alpha of the kind {kind}", heif([s.picture(), s.aux(kind)], 1, [(b"auxl", 2, [1])]),
            rgba(samples), "rgba8", alpha="straight")
    samples = np.concatenate([s.gray, s.gray], axis=-1)
    put("gray-alpha.heic", "one channel and alpha",
        heif([s.mask.item(SIDE, SIDE, bits=(8,)), s.aux(ALPHA)], 1, [(b"auxl", 2, [1])]), rgba(samples), "gray-alpha8",
        alpha="straight")
    tags, profile = fixtures.exif(6), fixtures.icc()
    # The orientation of an Exif payload has no say (ISO/IEC 23008-12, Annex A.2.1); the number counts bytes to skip.
    for name, prefix in (("exif", bytes(4)), ("exif-prefix", b"\0\0\0\6Exif\0\0")):
        put(f"{name}.heic", f"Exif with {len(prefix) - 4} bytes before it",
            heif([s.picture(), Item(b"Exif", prefix + tags, hidden=True)], 1, [(b"cdsc", 2, [1])]), pixels,
            metadata={"Exif": tags})
    put("xmp.heic", "an XMP packet",
        heif([s.picture(), Item(b"mime", fixtures.XMP, hidden=True, content_type="application/rdf+xml")], 1,
             [(b"cdsc", 2, [1])]), pixels, metadata={"XMP": fixtures.XMP})
    put("icc.heic", "an ICC profile beside code points", heif([s.picture(prof(profile))]), pixels,
        metadata={"ICC": profile})


def make_transformed(s):
    pixels = rgba(s.rgb)[:40, :50]
    # The way of the center: half of what is cut off, to the left and up.
    crop = clap(50, 40, (50 - SIDE, 2), (40 - SIDE, 2))
    put("clap.heic", "a crop", heif([s.picture(crop)]), pixels)
    put("clap-middle.heic", "a crop around another place", heif([s.picture(clap(20, 10, (5, 1), (-7, 1)))]),
        rgba(s.rgb)[20:30, 27:47])
    ways = {2: [imir(1)], 3: [irot(2)], 4: [imir(0)], 5: [irot(1), imir(0)], 6: [irot(3)], 7: [irot(1), imir(1)],
            8: [irot(1)]}
    for orientation, boxes in ways.items():
        put(f"orientation-{orientation}.heic", f"a crop, then what comes to orientation {orientation}",
            heif([s.picture(crop, *boxes)]), pixels, orientation=orientation)
    # A crop of what is shown: turned clockwise, the picture's left lower corner comes to the top.
    corner = clap(30, 20, (30 - SIDE, 2), (20 - SIDE, 2))
    put("rotated-clap.heic", "a rotation, then a crop", heif([s.picture(irot(3), corner)]),
        rgba(s.rgb)[SIDE - 30:, :20], orientation=6)
    put("exif-and-irot.heic", "a rotation, and Exif that states another",
        heif([s.picture(irot(2)), Item(b"Exif", bytes(4) + fixtures.exif(6), hidden=True)], 1, [(b"cdsc", 2, [1])]),
        rgba(s.rgb), orientation=3, metadata={"Exif": fixtures.exif(6)})
    turned = [crop, irot(1)]
    samples = np.concatenate([s.rgb, s.gray], axis=-1)[:40, :50]
    put("alpha-rotated.heic", "alpha that is cropped and turned like its picture",
        heif([s.picture(*turned), s.aux(ALPHA, *turned)], 1, [(b"auxl", 2, [1])]), rgba(samples), "rgba8",
        alpha="straight", orientation=8)


def make_derived(s):
    whole = np.concatenate([np.concatenate(s.tiles[:2], axis=1), np.concatenate(s.tiles[2:], axis=1)])
    tiles = [coded.item(SIDE, SIDE, GBR, hidden=True) for coded in s.coded_tiles]
    links = [(b"dimg", 5, [1, 2, 3, 4])]
    put("grid.heic", "four tiles", heif([*tiles, Item(b"grid", grid(2, 2, 128, 128))], 5, links), rgba(whole))
    put("grid-trimmed.heic", "four tiles on a smaller canvas, in the idat box, with 32-bit sides",
        heif([*tiles, Item(b"grid", grid(2, 2, 100, 70, wide=True), in_idat=True)], 5, links), rgba(whole)[:70, :100])
    put("grid-rotated.heic", "four tiles, turned together",
        heif([*tiles, Item(b"grid", grid(2, 2, 100, 70), [irot(3)])], 5, links), rgba(whole)[:70, :100], orientation=6)
    turned = [coded.item(SIDE, SIDE, GBR, irot(2), hidden=True) for coded in s.coded_tiles[:2]]
    halves = np.concatenate([tile[::-1, ::-1] for tile in s.tiles[:2]], axis=1)
    put("grid-of-rotated.heic", "two tiles, each turned",
        heif([*turned, Item(b"grid", grid(1, 2, 128, 64))], 3, [(b"dimg", 3, [1, 2])]), rgba(halves))
    inner = s.picture(clap(50, 40, (50 - SIDE, 2), (40 - SIDE, 2)), irot(3), hidden=True)
    put("identity.heic", "a picture that is another one, turned once more",
        heif([inner, Item(b"iden", b"", [irot(3)])], 2, [(b"dimg", 2, [1])]),
        upright(rgba(s.rgb)[:40, :50], 6), orientation=6)
    canvas = np.zeros((80, 90, 3), np.int64)
    canvas[...] = (255, 128, 0)
    canvas[10:74, -10 + 10:54] = s.rgb[:, 10:]
    canvas[60:80, 40:90] = s.tiles[3][:20, :50]
    background = (255 * 257, 128 * 257, 0, 65535)
    layers = [s.picture(hidden=True), s.coded_tiles[3].item(SIDE, SIDE, GBR, hidden=True)]
    put("overlay.heic", "two pictures on a canvas that both leave",
        heif([*layers, Item(b"iovl", overlay(background, 90, 80, [(-10, 10), (40, 60)]))], 3, [(b"dimg", 3, [1, 2])]),
        rgba(canvas))


def make_parts(s):
    pixels, second = rgba(s.rgb), rgba(s.tiles[3])
    pages = [
        {"canvas": [SIDE, SIDE], "hash": fnv(second.tobytes())},
        {"canvas": [SIDE, SIDE], "hash": fnv(pixels.tobytes())},
    ]
    put("pages.heic", "two pictures, the second of which is primary",
        heif([s.coded_tiles[3].item(SIDE, SIDE, GBR), s.picture()], 2), pixels, pageCount=2, primaryPage=1, pages=pages)
    small = exact(s.tiles[0][::2, ::2]).item(32, 32, GBR, hidden=True)
    put("thumbnail.heic", "a picture with a thumbnail",
        heif([s.coded_tiles[0].item(SIDE, SIDE, GBR), small], 1, [(b"thmb", 2, [1])]), rgba(s.tiles[0]))
    put("auxiliary.heic", "a depth map and a gain map",
        heif([s.picture(), s.aux(DEPTH), s.aux(GAIN_MAP)], 1, [(b"auxl", 2, [1]), (b"auxl", 3, [1])]), pixels)


def make_auxiliaries(s):
    """Pictures beside a picture; Tests/PluginTests/AuxiliaryItemTests says what they have to be listed as."""
    pixels = rgba(s.rgb)
    packet = (b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
              b'<rdf:Description xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" apdi:NativeFormat="hdis"/>'
              b"</rdf:RDF></x:xmpmeta>")
    words = Item(b"mime", packet, hidden=True, content_type="application/rdf+xml")
    gray = np.kron(np.arange(16).reshape(4, 4) * 16, np.ones((8, 8), np.int64))[..., None].astype(s.gray.dtype)
    tiny = exact(gray)
    names = [DEPTH, DEPTH, "urn:com:apple:photo:2020:aux:semanticskymatte", "tag:apple.com,2023:photo:aux:styledeltamap"]
    beside = [tiny.item(32, 32, auxc(name), hidden=True, bits=(8,)) for name in names]
    items = [tiny.item(32, 32, bits=(8,)), *beside, words]
    links = [(b"auxl", number, [1]) for number in range(2, 6)] + [(b"cdsc", 6, [3])]
    put("auxiliary-kinds.heic", "depth, disparity, a matte and a style map", heif(items, 1, links), rgba(gray), "gray8")
    base, applied = s.picture(), [ispe(SIDE, SIDE), nclx(9, 16, 9)]
    mapped = s.aux(GAIN_MAP)
    def tone_mapped(name, shows, groups=((3, 1),), brands=(b"mif1", b"heic", b"tmap"), primary=1, **more):
        items = [base, mapped, Item(b"tmap", gain_map(**more), applied)]
        put(name, shows, heif(items, primary, [(b"dimg", 3, [1, 2]), (b"auxl", 2, [1])], brands=brands, groups=groups),
            pixels)
    tone_mapped("tone-map.heic", "a tone map of the picture and a gain map, which is Apple's too")
    tone_mapped("tone-map-primary.heic", "the tone map is the primary item", primary=3)
    tone_mapped("tone-map-no-brand.heic", "a tone map without the brand", brands=(b"mif1", b"heic"))
    tone_mapped("tone-map-order.heic", "a tone map behind its base", groups=((1, 3),))
    tone_mapped("tone-map-version.heic", "a tone map for readers of later versions", minimum_version=1)
    items = [base, mapped, Item(b"tmap", gain_map(), applied + [irot(1)])]
    turned = np.kron(np.arange(24).reshape(4, 6) * 10, np.ones((16, 16), np.int64))[..., None].astype(s.gray.dtype)
    mapped_turned = np.kron(np.arange(6).reshape(2, 3) * 50, np.ones((16, 16), np.int64))[..., None].astype(s.gray.dtype)
    gains = Item(b"mime", packet.replace(b"apdi:NativeFormat=\"hdis\"", b"hdrgm:Version=\"1.0\" hdrgm:GainMapMax=\"2\" "
                                         b"hdrgm:HDRCapacityMax=\"2\"")
                 .replace(b"apdi=\"http://ns.apple.com/pixeldatainfo/1.0/\"", b"hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\""),
                 hidden=True, content_type="application/rdf+xml")
    put("gain-map-lies-as-stored.heic", "a picture that is turned, and its gain map, which no property turns, as of Samsung's phones",
        heif([exact(turned).item(96, 64, irot(3), bits=(8,)),
              exact(mapped_turned).item(48, 32, auxc(SAMSUNG_GAIN_MAP), hidden=True, bits=(8,)), gains],
             1, [(b"auxl", 2, [1]), (b"cdsc", 3, [2])]), rgba(turned), "gray8", orientation=6)
    put("tone-map-turned.heic", "a tone map that is turned",
        heif(items, 1, [(b"dimg", 3, [1, 2]), (b"auxl", 2, [1])], brands=(b"mif1", b"heic", b"tmap"), groups=((3, 1),)),
        pixels)


def make_light(s):
    """How bright light is; Tests/PluginTests/StatedLightTests says what it has to be."""
    points = struct.pack(">8H", *[15000] * 8)
    display, levels = points + struct.pack(">II", 40_000_000, 50), struct.pack(">HH", 900, 200)
    pq = nclx(9, 16, 0)
    pixels = rgba(s.rgb)
    shown = {"cicp": [9, 16, 0, 1]}
    base = s.color.item(SIDE, SIDE, pq, box(b"mdcv", display), box(b"clli", levels))
    put("light-boxes.heic", "light levels and a display", heif([base]), pixels, **shown)
    # ITU-T H.265 §7.3.5, D.2.28, D.2.35; two zeros and less than 4 have a 3 between them.
    message = lambda kind, content: bytes([kind, len(content)]) + content
    unit = b"\x4e\1" + message(137, display) + message(144, levels) + b"\x80"
    place = 2
    while place < len(unit):
        if unit[place] < 4 and unit[place - 2 : place] == bytes(2):
            unit = unit[:place] + b"\3" + unit[place:]
        place += 1
    coded_ = Coded(s.color.configuration, struct.pack(">I", len(unit)) + unit + s.color.payload)
    put("light-messages.heic", "the same as messages before the picture", heif([coded_.item(SIDE, SIDE, pq)]), pixels,
        **shown)
    record = s.color.configuration
    record = record[:30] + bytes([record[30] + 1]) + record[31:] + struct.pack(">BHH", 0x80 | 39, 1, len(unit)) + unit
    record = struct.pack(">I", len(record)) + record[4:]
    coded_ = Coded(record, s.color.payload)
    put("light-configuration.heic", "the same in the configuration", heif([coded_.item(SIDE, SIDE, pq)]), pixels, **shown)
    tile = lambda n: s.coded_tiles[n].item(SIDE, SIDE, pq, box(b"clli", levels), hidden=True)
    joined = Item(b"grid", grid(1, 2, 2 * SIDE, SIDE), [ispe(2 * SIDE, SIDE)], in_idat=True)
    whole = np.concatenate([s.tiles[0], s.tiles[1]], axis=1)
    put("light-tiles.heic", "light levels of the tiles alone", heif([joined, tile(0), tile(1)], 1, [(b"dimg", 1, [2, 3])]),
        rgba(whole), **shown)


def make_lossy():
    rgb = smooth(SIDE, 48, 3).astype(np.uint8)

    def still(name, shows, data, pixel_format="rgb8", bits=8, **more):
        put(name, shows, data, converted(data, bits), pixel_format, bits=bits, **more)

    for chroma in (420, 422, 444):
        still(f"lossy-{chroma}.heic", f"subsampling {chroma}", heif_enc(rgb, "-q", "50", "-p", f"chroma={chroma}"),
              subsampling=chroma, isLossless=False)
    square = coded(heif_enc(smooth(SIDE, SIDE, 3).astype(np.uint8), "-q", "50"))
    for matrix, name in ((1, "bt709"), (9, "bt2020")):
        still(f"matrix-{name}.heic", f"the matrix {matrix} for luma and chroma",
              heif([square.item(SIDE, SIDE, nclx(1, 13, matrix))]), cicp=[1, 13, matrix, 1])
    wide = smooth(SIDE, SIDE, 3, 65535)
    deep = run("pnmtopng", data=b"P6 %d %d 65535\n" % (SIDE, SIDE) + wide.astype(">u2").tobytes())
    for bits in (10, 12):
        still(f"rgb-{bits}.heic", f"{bits} bits", heif_enc(deep, "-q", "60", "-b", str(bits)), "rgba16", bits)


def converted(data, bits):
    """What heif-convert makes of a file as RGBA; of more than 8 bits spread over 16."""
    if bits == 8:
        with Image.open(io.BytesIO(heif_convert(data))) as image:
            return np.asarray(image.convert("RGBA"))
    header, data = run("pngtopnm", data=heif_convert(data)).split(b"\n65535\n", 1)
    width, height = map(int, header.split(b"\n")[1].split())
    samples = np.frombuffer(data, ">u2").astype(np.int64).reshape(height, width, 3)
    # heif-convert shifts samples up.
    return rgba(samples >> (16 - bits), (1 << bits) - 1, 16)
