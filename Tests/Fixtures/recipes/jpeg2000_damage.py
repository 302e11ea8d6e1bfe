# SPDX-License-Identifier: Apache-2.0
"""JPEG 2000: files that are not right."""

import struct

import fixtures
from fixtures import picture
from jpeg2000 import SIGNATURE, SRGB, box, color, compress, jp2, split
from jpeg2000_streams import SIZE


def make():
    planes = split(picture(*SIZE, 3))
    codestream = compress(planes)
    tiles = compress(planes, "-t", "23,5", "-n", "2")
    file = jp2(codestream, color(SRGB))

    def bad(name, shows, data, error, **more):
        fixtures.invalid("jpeg2000", name, data, shows, error, **more)

    def siz(place, form, value, data=codestream):
        """A field of SIZ changed; `place` counts from Rsiz (A.5.1)."""
        return data[: 6 + place] + struct.pack(form, value) + data[6 + place + struct.calcsize(form) :]

    first = codestream.index(b"\xff\x90")
    bad("wrong-signature.jp2", "another first box", b"\0\0\0\x0cjP  \n\r\x87\n" + file[12:], "wrongFormat")
    bad("truncated-signature.jp2", "half of the signature", file[:9], "truncated")
    bad("truncated-header.jp2", "the header box is cut", file[:60], "truncated")
    bad("truncated-codestream.jp2", "the main header is cut", file[: file.index(b"\xff\x4f") + 60], "truncated")
    bad("truncated-tile.j2k", "the tile is cut in the middle", codestream[: (first + len(codestream)) // 2],
        "truncated", rows="some")
    bad("truncated-tiles.j2k", "the last tiles are cut off", tiles[: len(tiles) * 2 // 3], "truncated", rows="some")
    bad("truncated-before-tiles.j2k", "no tile at all", codestream[:first], "truncated")
    bad("no-codestream.jp2", "boxes alone", SIGNATURE + box(b"ftyp", b"jp2 \0\0\0\0jp2 "), "truncated")
    bad("no-box.jp2", "zeros where a box belongs", SIGNATURE + b"\0\0\0\5" + bytes(40), "malformed")
    bad("zero-width.j2k", "a right edge at the left one", siz(2, ">I", 0), "malformed")
    bad("zero-tile.j2k", "tiles without width", siz(18, ">I", 0), "malformed")
    bad("tile-behind.j2k", "tiles that begin behind the picture", siz(26, ">I", 9), "malformed")
    bad("too-many-tiles.j2k", "tiles of one pixel in 400 × 400",
        siz2(codestream, 400, 400, 1, 1), "malformed")
    bad("zero-components.j2k", "no component", siz(34, ">H", 0), "malformed")
    bad("zero-step.j2k", "a component every 0 steps", siz(37, ">B", 0), "malformed")
    bad("bits-39.j2k", "39 bits", siz(36, ">B", 38), "malformed")
    bad("bits-38.j2k", "38 bits, more than OpenJPEG holds", siz(36, ">B", 37), "unsupported")
    bad("huge-canvas.j2k", "65,000 pixels in each direction", siz2(codestream, 65_000, 65_000, 65_000, 65_000),
        "limitExceeded")
    style = codestream.index(b"\xff\x52")
    bad("no-style.j2k", "no COD", codestream[:style] + codestream[style + 14 :], "malformed")
    bad("levels-33.j2k", "33 halvings", codestream[: style + 9] + b"\x21" + codestream[style + 10 :], "malformed")
    bad("order-5.j2k", "an order that nobody knows", codestream[: style + 5] + b"\5" + codestream[style + 6 :],
        "malformed")
    bad("tile-number.j2k", "a part of a tile that is not there",
        codestream[: first + 4] + b"\0\7" + codestream[first + 6 :], "malformed")
    missing = tiles.index(b"\xff\x90\0\x0a\0\1")
    behind = tiles.index(b"\xff\x90\0\x0a\0\2")
    bad("missing-tile.j2k", "a tile is not there", tiles[:missing] + tiles[behind:], "malformed", rows="some")
    mapping = box(b"cmap", struct.pack(">HBB", 9, 1, 0))
    table = box(b"pclr", struct.pack(">HB", 1, 1), b"\7\0")
    bad("palette-component.jp2", "a channel of a component that is not there",
        jp2(codestream, color(SRGB), table, mapping), "malformed")
    bad("palette-cut.jp2", "a palette that says more entries than it has",
        jp2(codestream, color(SRGB), box(b"pclr", struct.pack(">HB", 900, 1), b"\7\0")), "malformed")
    layers = codestream[: style + 6] + b"\xff\xff" + codestream[style + 8 :]
    precincts = style + 2 + 2
    small = layers[: style + 2] + b"\0\x0f" + b"\1" + layers[precincts + 1 : style + 14] + b"\x11" * 3
    bad("packets.j2k", "65,535 layers of the smallest precincts in some bytes",
        siz2(small + layers[style + 14 :], 4000, 4000, 4000, 4000), "limitExceeded")


def siz2(codestream, width, height, tile_width, tile_height):
    """Another picture and other tiles, at the grid's origin."""
    fields = struct.pack(">IIIIIIII", width, height, 0, 0, tile_width, tile_height, 0, 0)
    return codestream[:8] + fields + codestream[40:]
