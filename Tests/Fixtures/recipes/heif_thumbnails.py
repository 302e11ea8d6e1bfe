# SPDX-License-Identifier: Apache-2.0
"""Smaller versions of pictures in HEIF; Tests/PluginTests/ThumbnailItemTests says what they have to be listed as."""

import io

import numpy as np
from PIL import Image

import fixtures
from fixtures import rgba, valid
from heif_boxes import Item, exact, grid, heif, heif_convert, heif_enc, irot, ispe, nclx, prof, smooth

def put(name, shows, data, pixels, pixel_format="rgb8", **more):
    valid("heif", name, data, shows, pixels, pixel_format, **more)


def make():
    blocks = lambda rows, columns, step: np.kron(
        np.arange(rows * columns).reshape(rows, columns) * step, np.ones((16, 16), np.int64))[..., None].astype(np.uint8)
    plain = lambda samples, *more: exact(samples).item(
        samples.shape[1], samples.shape[0], *more, hidden=True, bits=(8,))
    gray = blocks(2, 4, 30)
    upright = np.ascontiguousarray(gray[::2, ::2].transpose(1, 0, 2)[:, ::-1])
    turned = [plain(gray, irot(3)), plain(gray[::2, ::2], irot(3)), plain(gray[::2, ::2]), plain(upright)]
    turned[0].hidden = False
    links = [(b"thmb", number, [1]) for number in (2, 3, 4)]
    put("thumbnails-turned.heic", "a picture that is turned, and thumbnails: turned, as it is stored, and upright",
        heif(turned, 1, links), rgba(gray), "gray8", orientation=6)
    strange = [
        *turned[:2], plain(np.concatenate([gray] * 3)), Item(b"mime", b"-", hidden=True, content_type="text/plain"),
        plain(upright),
    ]
    links = [(b"thmb", 1, [1]), (b"thmb", 2, [1, 1]), (b"thmb", 3, [1]), (b"thmb", 4, [1]), (b"thmb", 9, [1]),
             (b"thmb", 5, [2]), (b"thmb", 2, [1]), (b"thmb", 5, [5])]
    put("thumbnails-strange.heic", "thumbnails of themselves, of thumbnails, larger than the picture, twice, without a picture "
        "and not there", heif(strange, 1, links), rgba(gray), "gray8", orientation=6)

    wide = blocks(4, 8, 8)
    half, quarter = wide[::2, ::2], wide[::4, ::4]
    tiles = [plain(wide[:, x : x + 64]) for x in (0, 64)]
    parts = [plain(half[:, x : x + 32]) for x in (0, 32)]
    put("thumbnails-grid.heic", "tiles, with thumbnails of one item and of tiles",
        heif([*tiles, Item(b"grid", grid(1, 2, 128, 64), [ispe(128, 64)]), plain(quarter), *parts,
              Item(b"grid", grid(1, 2, 64, 32), [ispe(64, 32)], hidden=True)], 3,
             [(b"dimg", 3, [1, 2]), (b"dimg", 7, [5, 6]), (b"thmb", 7, [3]), (b"thmb", 4, [3])]), rgba(wide), "gray8")

    profile = fixtures.icc(b"GRAY")
    put("thumbnails-colors.heic", "a picture with a profile, and thumbnails that say nothing of colors, and others",
        heif([exact(gray).item(64, 32, prof(profile), bits=(8,)), plain(gray[::2, ::2]),
              plain(gray[::2, ::2], nclx(9, 16, 0))], 1, [(b"thmb", 2, [1]), (b"thmb", 3, [1])]), rgba(gray), "gray8",
        metadata={"ICC": profile})

    made = heif_enc(smooth(64, 48, 3).astype(np.uint8), "-q", "50", "--thumb", "32")
    shown = np.asarray(Image.open(io.BytesIO(heif_convert(made))).convert("RGB"))
    put("thumbnail-libheif.heic", "a thumbnail as libheif writes it", made, rgba(shown))
