# SPDX-License-Identifier: Apache-2.0
"""JPEG 2000: what codestreams can be (ISO/IEC 15444-1 annexes A and B)."""

import struct

from fixtures import picture, rgba
from jpeg2000 import compress, decompress, split, still

SIZE = (23, 17)


def make():
    rgb = picture(*SIZE, 3)
    pixels = rgba(rgb)
    planes = split(rgb)

    def exact(name, shows, *options, **more):
        still(name, compress(planes, *options), shows, pixels, "rgb8", **more)

    exact("codestream.j2k", "a bare codestream")
    exact("component-transform.j2k", "three components transformed together", "-mct", "1")
    exact("one-resolution.j2k", "no halving", "-n", "1", isProgressive=False)
    exact("layers.j2k", "three layers", "-r", "20,4,1")
    for order in ("LRCP", "RLCP", "RPCL", "PCRL", "CPRL"):
        exact(f"order-{order.lower()}.j2k", f"packets in the order {order}", "-p", order, "-c", "[8,8],[4,4]")
    exact("order-changes.j2k", "orders that change", "-POC", "T1=0,0,1,2,3,CPRL/T1=2,0,1,3,3,LRCP")
    exact("precincts.j2k", "small precincts and code-blocks", "-c", "[8,8],[8,8],[4,4]", "-b", "4,4")
    exact("modes.j2k", "all modes of code-blocks", "-M", "63")
    exact("markers.j2k", "a marker before and behind each packet header", "-SOP", "-EPH")
    exact("tiles.j2k", "six tiles", "-t", "10,9", "-n", "2")
    exact("tiles-across.j2k", "tiles as wide as the picture", "-t", "23,5", "-n", "2")
    exact("tile-parts.j2k", "tiles in parts that take turns", "-t", "12,9", "-n", "2", "-TP", "R", "-p", "RPCL")
    exact("offset.j2k", "a picture away from the grid's origin", "-d", "5,3")
    exact("offset-tiles.j2k", "tiles that begin before the picture", "-d", "5,3", "-t", "9,8", "-T", "2,1", "-n", "2")
    exact("tile-lengths.j2k", "lengths of tiles and packets", "-t", "12,9", "-n", "2", "-TLM", "-PLT")
    still(
        "region-of-interest.j2k",
        compress(planes[:1], "-ROI", "c=0,U=5"),
        "a component that is scaled up",
        rgba(rgb[..., :1]),
        "gray8",
    )
    sparse = compress(planes, "-s", "2,2")
    still("all-skip.j2k", sparse, "components on every second step of the grid", decompress(sparse), "rgb8")
    lossy = compress(planes, "-I", "-r", "3")
    still("irreversible.j2k", lossy, "the 9-7 transform", decompress(lossy), "rgb8", lossless=False)
    lossy = compress(planes, "-I", "-r", "2", "-mct", "1", "-t", "12,9", "-n", "2")
    still("irreversible-tiles.j2k", lossy, "the 9-7 transform in tiles", decompress(lossy), "rgb8", lossless=False)
    for width, height in ((1, 1), (1, 9), (40, 1)):
        small = picture(width, height, 1)
        data = compress(split(small), "-n", "1")
        still(
            f"gray8-{width}x{height}.j2k", data, "a side of one pixel", rgba(small), "gray8", isProgressive=False
        )

    marked = compress(planes, "-SOP", "-EPH", "-t", "12,9", "-n", "2")
    still("packed-main.j2k", packed(marked, True), "packet headers in the main header", pixels, "rgb8")
    still("packed-tile.j2k", packed(marked, False), "packet headers in tile-part headers", pixels, "rgb8")
    plain = compress(planes)
    still("without-end.j2k", plain[:-2], "no EOC behind a whole tile", pixels, "rgb8")
    start = plain.index(b"\xff\x90")
    last = plain[: start + 6] + bytes(4) + plain[start + 10 :]
    still("last-part.j2k", last, "a tile-part without its length", pixels, "rgb8")

    gray = picture(40, 24, 1)
    for name, across, down in (("across", True, False), ("down", False, True), ("both", True, True)):
        data = beside_origin(compress(split(gray), "-n", "1", "-b", "64,64"), 40, 24, across, down)
        still(
            f"tiles-without-samples-{name}.j2k",
            data,
            "tiles before the first sample, of which nothing is written",
            rgba(gray),
            "gray8",
            isProgressive=False,
        )


def beside_origin(data, width, height, across, down):
    """A sample on every second step of the grid, and an origin one step before the first of them, in a tile of its own.

    The samples begin at 64, as code-blocks do, so the one tile that has any keeps its bytes.
    """
    size, tile = data.index(b"\xff\x51"), data.index(b"\xff\x90")
    segment = bytearray(data[size:tile])
    (left, first_column), (top, first_row) = ((127, 0) if before else (128, 128) for before in (across, down))
    grid = (128 + 2 * width, 128 + 2 * height, left, top, 128, 128, first_column, first_row)
    segment[6:38] = struct.pack(">8I", *grid)
    segment[41:43] = b"\2\2"
    number = (2 if across else 1) * (2 if down else 1) - 1
    part = bytearray(data[tile:])
    part[4:6] = struct.pack(">H", number)
    return data[:size] + segment + part


def packed(data, into_main):
    """Moves packet headers into PPM (A.7.4) or PPT (A.7.5) segments. Each packet begins with SOP and its header ends
    with EPH."""
    start = data.index(b"\xff\x90")
    main, parts, collected = data[:start], [], []
    while data[start : start + 2] == b"\xff\x90":
        length = struct.unpack(">I", data[start + 6 : start + 10])[0]
        body = data.index(b"\xff\x93", start, start + length) + 2
        headers, rest = b"", b""
        for packet in data[body : start + length].split(b"\xff\x91\0\4")[1:]:
            end = packet.index(b"\xff\x92") + 2
            headers += packet[2:end]
            rest += b"\xff\x91\0\4" + packet[:2] + packet[end:]
        segment = b"" if into_main else b"\xff\x61" + struct.pack(">HB", len(headers) + 3, 0) + headers
        head = data[start + 10 : body - 2] + segment + b"\xff\x93"
        parts.append(data[start : start + 6] + struct.pack(">I", 10 + len(head) + len(rest)) + head + rest)
        collected.append(struct.pack(">I", len(headers)) + headers)
        start += length
    if into_main:
        # In two segments, of which the first ends anywhere.
        joined = b"".join(collected)
        for number, piece in enumerate((joined[:31], joined[31:])):
            main += b"\xff\x60" + struct.pack(">HB", len(piece) + 3, number) + piece
    return main + b"".join(parts) + data[start:]
