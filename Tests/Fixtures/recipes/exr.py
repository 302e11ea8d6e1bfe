# SPDX-License-Identifier: Apache-2.0
"""Pictures of OpenEXR, byte by byte (OpenEXR File Layout), and some that its own Python module compresses.

That module reads each file as well; what it makes of it is compared with the recipe.
"""

import struct
import tempfile
from pathlib import Path

import numpy as np
import OpenEXR

import fixtures
from exr_file import Part, attribute, box, file
from fixtures import picture

FORMAT = "exr"

LINEAR = [1, 8, 0, 1]
def scene(width, height, kind="<f2", channels=3):
    """Light in steps that half precision holds: up to 1, and some above it. Colors are multiplied by alpha."""
    light = picture(width, height, channels, 256) / 256.0
    light[1::4, 2::7, :3] = 2
    if channels == 4:
        alpha = np.array([0, 0.25, 0.5, 1])[np.arange(width) * 4 // width][None, :, None]
        light = np.concatenate([light[..., :3] * alpha, np.broadcast_to(alpha, light[..., :1].shape)], axis=-1)
    return light.astype(kind)


def planes(light, names="RGBA"):
    return {name: light[..., index] for index, name in enumerate(names[: light.shape[-1]])}


def samples(light):
    """Light as the samples that hashes are taken of: not multiplied by alpha, up to 1, to the nearest."""
    light = light.astype(np.float64)
    alpha = light[..., 3:] if light.shape[-1] == 4 else np.ones_like(light[..., :1])
    color = np.where(alpha > 0, light[..., :3] / np.where(alpha > 0, alpha, 1), 0)
    return np.rint(np.clip(np.concatenate([color, alpha], axis=-1), 0, 1) * 65535).astype("<u2")


def canvas(light, data, display):
    """Light of a data window on a canvas, transparent around it."""
    out = np.zeros((display[3] - display[1] + 1, display[2] - display[0] + 1, 4))
    if light.shape[-1] == 3:
        light = np.concatenate([light, np.ones_like(light[..., :1])], axis=-1)
    for y in range(light.shape[0]):
        for x in range(light.shape[1]):
            at = (data[1] + y - display[1], data[0] + x - display[0])
            if 0 <= at[0] < out.shape[0] and 0 <= at[1] < out.shape[1]:
                out[at] = light[y, x]
    return out


def known(name, data, channels, part=0):
    """Compares channels with what OpenEXR's own module reads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.exr"
        path.write_bytes(data)
        found = OpenEXR.File(str(path), separate_channels=True).channels(part)
        for key, plane in channels.items():
            if not np.array_equal(found[key].pixels, plane, equal_nan=True):
                raise SystemExit(f"exr/{name}: OpenEXR reads another channel {key}")


def still(name, shows, data, light, pixel_format="rgba-float16", channels=None, alpha=None, cicp=LINEAR, lossless=True,
          **more):  # fmt: skip
    if channels:
        known(name, data, channels)
    if cicp:
        more["cicp"] = cicp
    alpha = alpha or ("premultiplied" if light.shape[-1] == 4 else "opaque")
    fixtures.valid("exr", name, data, shows, samples(light), pixel_format, 16 if pixel_format == "rgba-float16" else 32,
                   alpha=alpha, isLossless=lossless, **more)  # fmt: skip


def simple(name, shows, light, pixel_format="rgba-float16", **options):
    channels = planes(light)
    still(name, shows, file(Part(channels, **options)), light, pixel_format, channels)


def make():
    light = scene(23, 19)
    for kind, shows in (("none", "no compression"), ("rle", "runs"), ("zips", "Deflate, row by row"), ("zip", "Deflate")):
        simple(f"half-{kind}.exr", f"half precision, {shows}", light, kind=kind)
    simple("half-alpha.exr", "colors multiplied by alpha", scene(23, 19, channels=4))
    simple("float.exr", "single precision", scene(13, 17, "<f4"), "rgba-float32")
    simple("rows-from-the-bottom.exr", "chunks from the bottom", light, order=1)
    simple("pixels-1x1.exr", "one pixel", scene(1, 1))
    single(), windows(), tiles(), chroma(), parts(), colors(), packed(), invalids()


def single():
    light = scene(13, 17)
    whole = (scene(13, 17, "<f4") * 4).astype("<u4")
    still("uint.exr", "whole numbers", file(Part(planes(whole))), whole, "rgba-float32", planes(whole))
    gray = np.repeat(light[..., 1:2], 3, axis=-1)
    still("luminance.exr", "luminance alone", file(Part({"Y": light[..., 1]})), gray, channels={"Y": light[..., 1]})
    depth = light[..., 0].astype("<f4")
    still("depth.exr", "one channel of another name", file(Part({"Z": depth})), np.repeat(depth[..., None], 3, axis=-1),
          "rgba-float32", {"Z": depth})  # fmt: skip
    red = np.concatenate([light[..., :1], np.zeros_like(light[..., :2])], axis=-1)
    still("red.exr", "red without green and blue", file(Part({"R": light[..., 0]})), red)
    mixed = {"R": light[..., 0], "G": light[..., 1].astype("<f4"), "B": whole[..., 2], "Z": depth}
    both = np.stack([light[..., 0], light[..., 1], whole[..., 2]], axis=-1).astype("<f4")
    still("mixed-types.exr", "channels of three types, and one more", file(Part(mixed)), both, "rgba-float32", mixed)
    layers = {f"{layer}.{key}": plane for layer in ("a", "b") for key, plane in planes(light).items()}
    layers["b.R"] = layers["b.G"]
    still("layers.exr", "two layers, of which the first is shown", file(Part(layers)), light, channels=layers)
    with_base = layers | {"R": light[..., 2], "G": light[..., 1], "B": light[..., 0]}
    still("layer-and-colors.exr", "a layer, and colors without one", file(Part(with_base)), light[..., ::-1])
    odd = light.copy()
    odd[0, :3, 0] = [np.nan, np.inf, -np.inf]
    data = file(Part(planes(odd)))
    known("infinite.exr", data, planes(odd))
    shown = odd.copy()
    shown[0, :3, 0] = [0, 1, 0]
    still("infinite.exr", "no numbers and infinite ones", data, shown)


def windows():
    light = scene(13, 17)
    for name, shows, display in (
        ("smaller", "data in the middle of a larger canvas", (-4, -3, 20, 22)),
        ("overscan", "data that reach beyond the canvas", (3, 2, 9, 11)),
        ("corner", "data that cover a corner of the canvas", (5, 6, 25, 19)),
        ("apart", "data outside of the canvas", (40, 40, 49, 47)),
    ):
        for kind in ("zip", "none"):
            data, own = (0, 0, 12, 16), file(Part(planes(light), kind=kind, display=display))
            inside = display[0] >= 0 and display[1] >= 0 and display[2] <= 12 and display[3] <= 16
            shown = canvas(light, data, display)
            still(f"window-{name}-{kind}.exr", shows, own, shown[..., :3] if inside else shown, channels=planes(light))
    data = (-7, -9, 5, 7)
    still("window-negative.exr", "a window with coordinates below 0", file(Part(planes(light), data=data, display=data)),
          light, channels=planes(light))  # fmt: skip
    display = (2, 3, 30, 12)
    own = file(Part(planes(light), display=display, tile=(5, 4)))
    still("window-tiles.exr", "tiles of which some lie beyond the canvas", own, canvas(light, (0, 0, 12, 16), display),
          channels=planes(light))  # fmt: skip


def halved(light, up):
    size = [max(1, (side + up) // 2) for side in light.shape[:2]]
    return np.full((*size, light.shape[2]), 0.25 + light.shape[0] / 1024, light.dtype)


def tiles():
    light = scene(23, 19)
    simple("tiles.exr", "tiles that do not fit", light, tile=(8, 5))
    simple("tile-larger.exr", "one tile, larger than the picture", light, tile=(64, 64))
    still("tiles-any-order.exr", "tiles from the last to the first", file(Part(planes(light), tile=(8, 8), order=2), reverse=True),
          light, channels=planes(light))  # fmt: skip
    for up in (0, 1):
        levels = [light]
        while max(levels[-1].shape[:2]) > 1:
            levels.append(halved(levels[-1], up))
        own = file(Part(planes(light), tile=(8, 8), levels=[planes(level) for level in levels], mode=1 | up << 4))
        name = "mipmap-up.exr" if up else "mipmap.exr"
        still(name, "smaller pictures, sides rounded " + ("up" if up else "down"), own, light, channels=planes(light))


def chroma():
    """Luminance and chroma; in the middle between two samples chroma is their mean."""
    height, width = 6, 8
    y = (np.arange(height * width).reshape(height, width) / 64 + 0.25).astype("<f2")
    ry = (np.array([[0, 1, 0.5, 0], [0.5, 0, 0, 1], [1, 0.5, 0, 0]])).astype("<f2")
    by = (np.array([[0, -0.5, 0, 0.5], [0.5, 0.5, 0, 0], [0, 0, -0.5, 0]])).astype("<f2")

    def wide(plane):
        plane = plane.astype(np.float64)
        right = np.concatenate([plane[:, 1:], plane[:, -1:]], axis=1)
        plane = np.stack([plane, (plane + right) / 2], axis=-1).reshape(plane.shape[0], -1)
        below = np.concatenate([plane[1:], plane[-1:]], axis=0)
        return np.stack([plane, (plane + below) / 2], axis=1).reshape(-1, plane.shape[1])

    red, blue = (wide(ry) + 1) * y.astype(np.float64), (wide(by) + 1) * y.astype(np.float64)
    # The luminance of the primaries of BT.709 (SMPTE RP 177).
    green = (y - red * 0.21263901 - blue * 0.07219232) / 0.71516868
    light = np.stack([red, green, blue], axis=-1).astype("<f2")
    for kind in ("none", "zip"):
        part = Part({"Y": y, "RY": ry, "BY": by}, kind=kind, samplings={"RY": (2, 2), "BY": (2, 2)})
        fixtures.valid("exr", f"chroma-{kind}.exr", file(part), "luminance and half as much chroma", samples(light),
                       "rgba-float16", 16, isLossless=True, cicp=LINEAR, subsampling=420)  # fmt: skip


def parts():
    first, second = scene(13, 17), scene(9, 7, channels=4)
    text = attribute("view", "string", b"left")
    display = (0, 0, 12, 16)
    other = Part(planes(second), kind="none", name="other", tile=(4, 4), data=(2, 3, 10, 9), display=display)
    own = [Part(planes(first), name="color", extra=text), other]
    deep = Part({"Z": first[..., 0].astype("<f4")}, kind="zips", display=display, name="deep", deep=True)
    pages = [{"canvas": [13, 17], "hash": fixtures.fnv(samples(first).tobytes())},
             {"canvas": [13, 17], "hash": fixtures.fnv(samples(canvas(second, other.data, display)).tobytes())}]  # fmt: skip
    data = file(*own, multi=True)
    known("parts.exr", data, planes(first)), known("parts.exr", data, planes(second), 1)
    still("parts.exr", "two parts", data, first, pageCount=2, pages=pages)
    still("parts-deep.exr", "a part with deep samples between two pictures", file(own[0], deep, own[1], multi=True), first,
          pageCount=2, pages=pages)  # fmt: skip
    still("parts-unfinished.exr", "no table of chunks", file(*own, multi=True, table=False), first, pageCount=2, pages=pages)
    still("unfinished.exr", "no table of chunks", file(Part(planes(first)), table=False), first)


def colors():
    light = scene(13, 7)
    for name, cicp, numbers in (
        ("bt2020", [9, 8, 0, 1], (0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329)),
        ("aces", None, (0.7347, 0.2653, 0, 1, 0.0001, -0.077, 0.32168, 0.33767)),
    ):
        more = attribute("chromaticities", "chromaticities", struct.pack("<8f", *numbers))
        still(f"colors-{name}.exr", "primaries of " + name, file(Part(planes(light), extra=more)), light, cicp=cicp)
    more = attribute("owner", "string", b"someone") + attribute("comments", "string", b"some text")
    more += attribute("framesPerSecond", "rational", struct.pack("<iI", 24000, 1001))
    more += attribute("whiteLuminance", "float", struct.pack("<f", 120)) + attribute("isoSpeed", "float", struct.pack("<f", 50))
    more += attribute("other", "unknown", bytes(9)) + attribute("preview", "preview", struct.pack("<II4B", 1, 1, 1, 2, 3, 4))
    simple("attributes.exr", "attributes", light, extra=more)


def packed():
    """What OpenEXR's module compresses; it reads it again, too."""
    light = scene(23, 19)
    for kind in ("PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB"):
        for alpha in (False, True):
            colors = scene(16, 12, channels=4 if alpha else 3)
            with tempfile.TemporaryDirectory() as folder:
                path = str(Path(folder) / "a.exr")
                header = {"compression": getattr(OpenEXR, f"{kind}_COMPRESSION"), "type": OpenEXR.scanlineimage}
                if alpha:
                    tile = OpenEXR.TileDescription()
                    tile.xSize, tile.ySize = 16, 8
                    header |= {"type": OpenEXR.tiledimage, "tiles": tile}
                OpenEXR.File(header, {"RGBA" if alpha else "RGB": colors}).write(path)
                data = Path(path).read_bytes()
                found = OpenEXR.File(path, separate_channels=True).channels()
                names = "RGBA"[: colors.shape[-1]]
                colors = np.stack([found[name].pixels for name in names], axis=-1)
            name = f"{kind.lower()}{'-tiles' if alpha else ''}.exr"
            still(name, f"{kind}{' in tiles, with alpha' if alpha else ''}", data, colors, lossless=kind in ("PIZ", "PXR24"))


def invalids():
    def bad(name, shows, data, error, **more):
        fixtures.invalid("exr", name, data, shows, error, **more)

    light = scene(23, 37)
    good, rows = file(Part(planes(light))), file(Part(planes(light[:9]), kind="none"))
    bad("wrong-signature.exr", "another first byte", b"w" + good[1:], "wrongFormat")
    bad("truncated-header.exr", "the header is cut", good[:100], "truncated")
    bad("truncated-table.exr", "the table of chunks is cut", good[: good.index(b"screenWindowWidth") + 45], "truncated")
    bad("truncated.exr", "the last chunk is cut", good[:-9], "truncated", rows="some")
    bad("truncated-rows.exr", "rows are missing", rows[:-400], "truncated", rows="some")
    bad("unfinished-cut.exr", "neither a table nor all rows", file(Part(planes(light[:9]), kind="none"), table=False)[:-400],
        "truncated", rows="some")  # fmt: skip
    damaged = bytearray(good)
    damaged[-40:-20] = bytes(20)
    bad("damaged-zip.exr", "a chunk that Deflate does not read", bytes(damaged), "malformed", rows="some")
    version = good[:4] + bytes([3]) + good[5:]
    bad("version-3.exr", "version 3", version, "unsupported")
    bad("flags.exr", "a flag that is not known", good[:5] + b"\x20" + good[6:], "unsupported")
    at = good.index(b"compression\0compression\0") + 28
    bad("compression-12.exr", "a compression that is not known", good[:at] + bytes([12]) + good[at + 1 :], "unsupported")
    deep = Part({"Z": light[..., 0].astype("<f4")}, kind="zips", name="deep", deep=True)
    bad("deep.exr", "deep samples alone", file(deep, multi=True), "unsupported")
    bad("huge-canvas.exr", "70,000 pixels in each direction",
        file(Part(planes(light), display=(0, 0, 69999, 69999))), "limitExceeded")  # fmt: skip
    bad("huge-data.exr", "data of 1,000,000,000 columns", good.replace(box((0, 0, 22, 36)), box((0, 0, 999999999, 36)), 1)
        .replace(box((0, 0, 22, 36)), box((0, 0, 22, 36))), "limitExceeded")  # fmt: skip
    at = good.index(b"displayWindow\0box2i\0") + 24
    bad("empty-canvas.exr", "a display window that ends before it begins", good[:at] + box((0, 0, -1, 36)) + good[at + 16 :],
        "malformed")  # fmt: skip
    bad("no-channels.exr", "a header without channels", good.replace(b"channels\0chlist", b"channelz\0chlist"), "malformed")
    bad("channel-type-3.exr", "a channel of an unknown type", good.replace(b"B\0\1\0\0\0", b"B\0\3\0\0\0"), "malformed")
    bad("two-channels-of-one-name.exr", "two channels G", good.replace(b"B\0\1\0\0\0", b"G\0\1\0\0\0"), "malformed")
    tiled = file(Part(planes(light), tile=(16, 16)))
    bad("truncated-tiles.exr", "the last tiles are missing", tiled[:-700], "truncated", rows="some")
    at = tiled.index(struct.pack("<4i", 1, 1, 0, 0))
    bad("other-tile.exr", "a tile that says it is another one", tiled[:at] + struct.pack("<4i", 5, 1, 0, 0) + tiled[at + 16 :],
        "malformed", rows="some")  # fmt: skip
    at = tiled.index(b"tiledesc\0") + 13
    bad("tiles-of-no-columns.exr", "tiles of no columns", tiled[:at] + bytes(4) + tiled[at + 4 :], "malformed")
