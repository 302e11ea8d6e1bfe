# SPDX-License-Identifier: Apache-2.0
"""AVIF put together item by item of what avifenc made: grids, overlays, thumbnails, gain maps."""

import struct

import imagecodecs
import numpy as np

import fixtures
import isobmff
from avif import avifdec, avifenc, items, picked, still
from fixtures import picture, run, valid
from isobmff import Item, box, full

FORMAT = "avif"


def extents(width, height):
    return full(b"ispe", 0, 0, struct.pack(">II", width, height))


def make_items():
    usual = (b"ispe", b"pixi", b"av1C", b"colr")
    whole = picture(128, 64, 3).astype(np.uint8)
    tiles = [items(avifenc(np.ascontiguousarray(whole[:, x : x + 64]), "-y", "420")) for x in (0, 64)]
    properties = picked(tiles[0][1], *usual)
    parts = [Item(2 + n, b"av01", each[0][1], properties, hidden=True) for n, each in enumerate(tiles)]
    joined = [(extents(100, 60), False)] + properties[1:2] + properties[3:]
    grid = Item(1, b"grid", struct.pack(">BBBBHH", 0, 0, 0, 1, 100, 60), joined, [(b"dimg", [2, 3])], in_idat=True)
    still("grid.avif", "a grid of two tiles, cut to size", isobmff.file(1, [grid, *parts]))

    data = isobmff.file(1, [grid, *parts])
    joined_pixels = avifdec(data)
    turned = Item(1, b"grid", grid.payload, joined, [(b"dimg", [3, 2])], in_idat=True)
    right_first = [Item(2 + n, b"av01", each[0][1], properties, hidden=True) for n, each in enumerate(tiles[::-1])]
    still(
        "grid-order.avif",
        "tiles whose order in the file is not that of the grid",
        isobmff.file(1, [turned, *right_first]),
        pixels=joined_pixels,
    )
    start, _ = isobmff.find(data, b"meta", b"idat")
    still("open-idat.avif", "an idat box up to the end of meta", data[:start] + bytes(4) + data[start + 4 :],
          pixels=joined_pixels)  # fmt: skip
    start, _ = isobmff.find(data, b"mdat")
    still("open-mdat.avif", "an mdat box up to the end", data[:start] + bytes(4) + data[start + 4 :],
          pixels=joined_pixels)  # fmt: skip
    make_tile_alpha(grid, parts, joined_pixels)

    rgba = picture(32, 24, 4).astype(np.uint8)
    data = avifenc(rgba, "-y", "420", "-p")
    answer = fixtures.in_folder(lambda folder: premultiplied(folder, data))
    shows = "colors that are multiplied by alpha"
    valid("avif", "alpha-premultiplied.avif", data, shows, answer, "rgba8", 8, "premultiplied")

    pieces, found = items(avifenc(whole, "-y", "420"))
    small = items(avifenc(np.ascontiguousarray(whole[::4, ::4]), "-y", "420"))
    main = Item(1, b"av01", pieces[1], picked(found, *usual))
    thumb = Item(2, b"av01", small[0][1], picked(small[1], *usual), [(b"thmb", [1])])
    still("thumbnail.avif", "a picture with a thumbnail", isobmff.file(1, [main, thumb]))
    gain = Item(3, b"av01", small[0][1], picked(small[1], *usual) + [
        (full(b"auxC", 0, 0, b"urn:com:example:auxiliary\0"), False)], [(b"auxl", [1])])
    still("auxiliary.avif", "an auxiliary picture that is not alpha", isobmff.file(1, [main, gain]))
    tones = Item(4, b"tmap", bytes(62), main.properties[:2] + main.properties[3:], [(b"dimg", [1, 3])], in_idat=True)
    plain = avifdec(isobmff.file(1, [main]))
    still("tone-map.avif", "a picture with a gain map as the primary item", isobmff.file(4, [main, gain, tones]),
          pixels=plain)  # fmt: skip
    same = Item(2, b"iden", b"", main.properties[:2], [(b"dimg", [1])])
    still("identity.avif", "a primary item that repeats another one", isobmff.file(2, [main, same]), pixels=plain)
    still("brand-miaf.avif", "the profile's brand first", isobmff.file(1, [main], b"miaf"))


def make_derived():
    """Pictures that libavif does not put together: the answers are made of what avifdec says of the parts."""
    usual = (b"ispe", b"pixi", b"av1C", b"colr")
    sources = [picture(24, 16, 3).astype(np.uint8), 255 - picture(24, 16, 3).astype(np.uint8)]
    made = [items(avifenc(each, "-y", "444")) for each in sources]
    properties = picked(made[0][1], *usual)
    rest = properties[1:2] + properties[3:]
    parts = [Item(2 + n, b"av01", each[0][1], properties, hidden=True) for n, each in enumerate(made)]
    first, second = [avifdec(isobmff.file(part.number, [part])) for part in parts]
    irot = lambda turns: (box(b"irot", bytes([turns])), True)
    turned_parts = [Item(p.number, b"av01", p.payload, properties + [irot(2)], hidden=True) for p in parts]

    canvas = np.zeros((30, 40, 4), np.uint8)
    canvas[...] = (255, 128, 0, 255)
    canvas[3:19, :20] = first[:, 4:]
    canvas[20:30, 30:40] = second[:10, :10]
    layout = bytes(2) + struct.pack(">4HHH", 65535, 128 * 257, 0, 65535, 40, 30) + struct.pack(">4h", -4, 3, 30, 20)
    over = Item(1, b"iovl", layout, [(extents(40, 30), False)] + rest, [(b"dimg", [2, 3])], in_idat=True)
    still("overlay.avif", "two pictures on a canvas that both leave", isobmff.file(1, [over, *parts]), pixels=canvas)
    clear = Item(1, b"iovl", layout[:8] + bytes(2) + layout[10:], over.properties, over.references, in_idat=True)
    holes = canvas.copy()
    holes[(canvas == (255, 128, 0, 255)).all(axis=-1)] = (255, 128, 0, 0)
    still("overlay-clear.avif", "a canvas of no color", isobmff.file(1, [clear, *parts]), "rgba8", 8, "straight", holes)
    again = Item(1, b"iden", b"", [(extents(24, 16), False)] + rest + [irot(3)], [(b"dimg", [2])])
    still("identity-turned.avif", "a picture that is another one, which is turned, turned once more",
          isobmff.file(1, [again, turned_parts[0]]), pixels=np.ascontiguousarray(first[::-1, ::-1]),
          orientation=6)  # fmt: skip
    whole = np.concatenate([each[::-1, ::-1] for each in (first, second)], axis=1)[:, :40]
    body = struct.pack(">BBBBHH", 0, 0, 0, 1, 40, 16)
    joined = Item(1, b"grid", body, [(extents(40, 16), False)] + rest, [(b"dimg", [2, 3])], in_idat=True)
    still("grid-of-turned.avif", "two tiles, each turned", isobmff.file(1, [joined, *turned_parts]),
          pixels=np.ascontiguousarray(whole))  # fmt: skip

    main = Item(1, b"av01", made[0][0][1], properties)
    small = items(avifenc(np.ascontiguousarray(sources[1][::2, ::2]), "-y", "400"))
    gray = Item(2, b"av01", small[0][1], picked(small[1], *usual), hidden=True)
    applied = [(extents(24, 16), False), (box(b"colr", b"nclx", struct.pack(">HHHB", 9, 16, 9, 128)), False)]
    def tone_mapped(name, shows, groups=((3, 1),), brands=(b"tmap",), extra=(), **more):
        tones = Item(3, b"tmap", isobmff.gain_map(**more), applied + list(extra), [(b"dimg", [1, 2])], in_idat=True)
        still(name, shows, isobmff.file(1, [main, gray, tones], brands=brands, groups=groups), pixels=first)
    tone_mapped("gain-map.avif", "a tone map of the picture and a gain map")
    tone_mapped("gain-map-no-brand.avif", "a tone map without the brand", brands=())
    tone_mapped("gain-map-order.avif", "a tone map behind its base", groups=((1, 3),))
    tone_mapped("gain-map-version.avif", "a tone map for readers of later versions", minimum_version=1)
    tone_mapped("gain-map-turned.avif", "a tone map that is turned", extra=[irot(1)])
    depth = (full(b"auxC", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0"), False)
    far = Item(2, b"av01", gray.payload, gray.properties + [depth], [(b"auxl", [1])], hidden=True)
    still("depth.avif", "a picture with its depth", isobmff.file(1, [main, far]), pixels=first)

    for name, wide in (("large-extents", 16384), ("larger-extents", 25)):
        stated = [(extents(wide, wide), False)] + properties[1:]
        data = isobmff.file(2, [Item(2, b"av01", made[0][0][1], stated)])
        fixtures.invalid("avif", f"{name}.avif", data, f"a picture of 24×16 that is said to be {wide}×{wide}", "malformed")
    # AV1 §5.5.1 of a still picture in 4:4:4: sides of 14 bits, no tool, full range.
    fields = [(1, 3), (1, 1), (1, 1), (8, 5), (13, 4), (13, 4), (16383, 14), (16383, 14), (0, 6), (0, 2), (1, 1), (0, 2)]
    bits = "".join(format(value, f"0{count}b") for value, count in fields) + "1"
    header = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    payload = made[0][0][1]
    start = 2 if payload[0] >> 3 & 15 == 2 else 0
    frame = payload[start + 2 + payload[start + 1] :]
    data = isobmff.file(2, [Item(2, b"av01", bytes([0x0A, len(header)]) + header + frame, properties)])
    fixtures.invalid("avif", "large-sequence-header.avif", data, "24×16 under a sequence header of 16384×16384", "malformed")
    wrong = [Item(part.number, b"av01", part.payload, stated, hidden=True) for part in parts]
    body = struct.pack(">BBBBHH", 0, 0, 0, 1, 50, 25)
    joined = Item(1, b"grid", body, [(extents(50, 25), False)] + rest, [(b"dimg", [2, 3])], in_idat=True)
    fixtures.invalid("avif", "grid-larger-tiles.avif", isobmff.file(1, [joined, *wrong]),
                     "tiles of 24×16 that are said to be 25×25", "malformed")  # fmt: skip


def make_tile_alpha(grid, parts, colors):
    """Alpha beside each tile, and none of the whole."""
    alpha = picture(128, 64, 1).astype(np.uint8)
    usual = (b"ispe", b"pixi", b"av1C")
    beside = []
    for part, x in zip(parts, (0, 64)):
        gray = np.repeat(np.ascontiguousarray(alpha[:, x : x + 64]), 3, axis=-1)
        pieces, found = items(avifenc(gray, "-y", "400", "--min", "0", "--max", "0"))
        kind = full(b"auxC", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
        of = picked(found, *usual) + [(kind, True)]
        beside.append(Item(part.number + 2, b"av01", pieces[1], of, [(b"auxl", [part.number])], hidden=True))
    pixels = np.concatenate([colors[..., :3], alpha[:60, :100]], axis=-1)
    data = isobmff.file(1, [grid, *parts, *beside])
    pieces, found = items(avifenc(np.repeat(np.ascontiguousarray(alpha[:60, :100]), 3, axis=-1), "-y", "400", "--min", "0",
                                  "--max", "0"))  # fmt: skip
    plain = Item(6, b"av01", pieces[1], picked(found, *usual) + [(kind, True)], [(b"auxl", [1])], hidden=True)
    still("grid-plain-alpha.avif", "a grid whose alpha is no grid", isobmff.file(1, [grid, *parts, plain]), "rgba8", 8,
          "straight", pixels)  # fmt: skip
    still("grid-tile-alpha.avif", "alpha beside each tile of a grid", data, "rgba8", 8, "straight", pixels)


def premultiplied(folder, data):
    """The stored samples divided by alpha to the nearest, as the kit asks for straight ones."""
    # Without the reference to alpha as prem, avifdec leaves the samples as they are.
    (folder / "in.avif").write_bytes(data.replace(b"prem", b"free"))
    run("avifdec", "--no-strict", str(folder / "in.avif"), str(folder / "out.png"))
    stored = imagecodecs.png_decode((folder / "out.png").read_bytes()).astype(np.int64)
    alpha = stored[..., 3:]
    divided = np.where(alpha > 0, np.minimum((stored[..., :3] * 255 + alpha // 2) // np.maximum(alpha, 1), 255), 0)
    return np.concatenate([divided, alpha], axis=-1).astype(np.uint8)


def make_invalid():
    data = avifenc(picture(23, 17, 3).astype(np.uint8), "-y", "420")
    invalid = lambda *args, **more: fixtures.invalid("avif", *args, **more)
    usual = picked(items(data)[1], b"ispe", b"pixi", b"av1C", b"colr")
    overlay = Item(1, b"iovl", bytes(20), usual[:2], [(b"dimg", [2])], in_idat=True)
    base = Item(2, b"av01", items(data)[0][1], usual, hidden=True)
    invalid("overlay-empty.avif", isobmff.file(1, [overlay, base]), "an overlay on a canvas of no pixels", "malformed")
    loop = Item(1, b"iden", b"", usual[:2] + [(box(b"irot", bytes([1])), True)], [(b"dimg", [1])])
    invalid("identity-loop.avif", isobmff.file(1, [loop, base]), "a picture that is itself", "malformed")


def make_cut_grid():
    whole = picture(64, 128, 3).astype(np.uint8)
    tiles = [items(avifenc(np.ascontiguousarray(whole[y : y + 64]), "-y", "420")) for y in (0, 64)]
    properties = picked(tiles[0][1], b"ispe", b"pixi", b"av1C", b"colr")
    parts = [Item(2 + n, b"av01", each[0][1], properties, hidden=True) for n, each in enumerate(tiles)]
    joined = [(extents(64, 120), False)] + properties[1:2] + properties[3:]
    grid = Item(1, b"grid", struct.pack(">BBBBHH", 0, 0, 1, 0, 64, 120), joined, [(b"dimg", [2, 3])], in_idat=True)
    data = isobmff.file(1, [grid, *parts])[:-100]
    fixtures.invalid("avif", "cut-grid.avif", data, "a grid whose second row of tiles is cut", "truncated", rows="some")


def make():
    make_items()
    make_derived()
    make_invalid()
    make_cut_grid()
