# SPDX-License-Identifier: Apache-2.0
"""Bad HEIF files."""

import struct

from fixtures import invalid
import hevc
from heif_boxes import Coded, Item, box, clap, full, grid, heif, ispe, overlay


def make(s):
    def bad(name, shows, data, error="malformed", **more):
        invalid("heif", name, data, shows, error, **more)

    whole = heif([s.picture()])
    bad("cut-in-ftyp.heic", "a file that ends in its first box", whole[:14], "truncated")
    bad("cut-in-meta.heic", "a file that ends in its meta box", whole[:120], "truncated")
    bad("cut-before-data.heic", "a file that ends before its picture", whole[: whole.index(b"mdat") + 4], "truncated",
        rows="any")
    bad("cut-in-data.heic", "a file that ends inside its picture", whole[:-100], "truncated", rows="any")
    bad("no-meta.heic", "a file type and nothing else", box(b"ftyp", b"heic", bytes(4), b"mif1heic"), "truncated")
    bad("av1.heif", "a primary item of AV1", heif([Item(b"av01", b"1234", [ispe(8, 8)])], brand=b"mif1"), "wrongFormat")
    bad("unknown-type.heic", "a primary item of a type that nobody knows", heif([Item(b"zzzz", b"1234", [ispe(8, 8)])]),
        "unsupported")
    bad("no-primary.heic", "a primary item that is not there", heif([s.picture()], 7))
    bad("no-configuration.heic", "a picture without hvcC", heif([Item(b"hvc1", s.color.payload, [ispe(64, 64)])]))
    bad("empty-item.heic", "a picture without bytes",
        heif([Item(b"hvc1", b"\0", s.picture().properties), Item(b"hvc1", s.color.payload)]))
    item = s.picture()
    item.data = struct.pack(">I", len(item.data)) + item.data[4:]
    bad("long-unit.heic", "a NAL unit longer than its item", heif([item]))
    bad("clap-outside.heic", "a crop that leaves the picture", heif([s.picture(clap(8, 8, 500, 0))]))
    bad("clap-zero.heic", "a crop with a denominator of 0", heif([s.picture(clap(8, (8, 0), 0, 0))]))
    link = [(b"dimg", 1, [2]), (b"dimg", 2, [1])]
    record = s.mask.configuration[8:]
    sets = [hevc.with_size(unit, 16384, 16384) if unit[0] >> 1 == 33 else unit for unit in hevc.units(record)]
    large = Coded(box(b"hvcC", hevc.configuration_of(record, sets)), s.mask.payload)
    bad("large-parameters.heic", "a picture of 64×64 whose parameter set has 16384×16384",
        heif([large.item(64, 64, bits=(8,))]))
    bad("predicted.heic", "a picture that is predicted from another one",
        heif([s.picture(), s.picture()], 2, [(b"pred", 2, [1])], brands=(b"mif2", b"heic")), "unsupported")
    same, itself = Item(b"iden", b"", [ispe(64, 64)]), [(b"dimg", 1, [1])]
    bad("identity-cycle.heic", "two pictures that are each other", heif([same, same], 1, link))
    bad("identity-of-itself.heic", "a picture that is itself", heif([same], 1, itself))
    tiled = Item(b"grid", grid(1, 1, 64, 64), [ispe(64, 64)])
    bad("grid-of-itself.heic", "a grid of itself", heif([tiled], 1, itself))
    tiles = [s.picture(hidden=True), s.picture(hidden=True)]

    def gridded(data, tiles=tiles, inputs=(1, 2)):
        number = len(tiles) + 1
        return heif([*tiles, Item(b"grid", data)], number, [(b"dimg", number, list(inputs))])

    bad("grid-missing-tile.heic", "a grid of four tiles with two", gridded(grid(2, 2, 128, 128)))
    bad("grid-tile-not-there.heic", "a grid with a tile that the file does not have",
        gridded(grid(1, 2, 128, 64), inputs=(1, 9)))
    bad("grid-too-large.heic", "a grid that its tiles do not cover", gridded(grid(1, 2, 200, 64)))
    bad("grid-too-small.heic", "a grid with a tile outside its canvas", gridded(grid(1, 2, 40, 64)))
    bad("grid-short.heic", "a grid of three bytes", gridded(b"\0\0\0"))
    bad("grid-huge.heic", "a grid of 4,294,967,295 pixels on a side",
        gridded(grid(1, 2, 0xFFFFFFFF, 0xFFFFFFFF, wide=True)), "limitExceeded")
    empty = Item(b"iovl", overlay((0, 0, 0, 65535), 0, 8, [(0, 0)]))
    bad("overlay-empty.heic", "an overlay without width",
        heif([s.picture(hidden=True), empty], 2, [(b"dimg", 2, [1])]))
    bad("meta-size.heic", "a box that is larger than the one around it",
        whole.replace(struct.pack(">I", 14) + b"pitm", struct.pack(">I", 1 << 30) + b"pitm"))
    bad("iloc-far.heic", "a picture that lies behind the end", far(whole), "truncated", rows="any")
    bad("iinf-twice.heic", "two items of one number", twice(whole))


def far(data):
    """The only item's base offset set to the largest number."""
    place = data.index(b"iloc") + 4 + 4 + 2 + 2 + 2 + 2 + 2
    return data[:place] + b"\xff\xff\xff\xff" + data[place + 4 :]


def twice(data):
    """The item's entry a second time, where a free box could stand."""
    entry = data[data.index(b"infe") - 4 :][: struct.unpack(">I", data[data.index(b"infe") - 4 :][:4])[0]]
    table = full(b"iinf", struct.pack(">H", 2), entry, entry)
    old = full(b"iinf", struct.pack(">H", 1), entry)
    grown = data.replace(old, table)
    start = grown.index(b"meta") - 4
    size = struct.unpack(">I", grown[start : start + 4])[0] + len(entry)
    return grown[:start] + struct.pack(">I", size) + grown[start + 4 :]
