# SPDX-License-Identifier: Apache-2.0
"""Smaller versions of pictures in AVIF; Tests/PluginTests/ThumbnailItemTests says what they have to be listed as."""

import numpy as np
from PIL import Image

import isobmff
from avif import avifdec, avifenc, items, picked, still
from fixtures import in_folder, picture, run
from isobmff import Item, box

FORMAT = "avif"


def make():
    usual = (b"ispe", b"pixi", b"av1C", b"colr")
    irot = (box(b"irot", b"\3"), True)

    def item(number, samples, *properties, references=(), named=usual, hidden=True):
        pieces, found = items(avifenc(np.ascontiguousarray(samples), "-y", "420"))
        return Item(number, b"av01", pieces[1], picked(found, *named) + list(properties), references, hidden=hidden)

    whole = picture(64, 32, 3).astype(np.uint8)
    half, upright = whole[::2, ::2], whole[::2, ::2].transpose(1, 0, 2)[:, ::-1]
    of_main = [(b"thmb", [1])]
    main = item(1, whole, irot, hidden=False)
    pixels = avifdec(isobmff.file(1, [item(1, whole, hidden=False)]))
    thumbs = [item(2, half, irot, references=of_main), item(3, half, references=of_main), item(4, upright, references=of_main)]
    still("thumbnails-turned.avif", "a picture that is turned, and thumbnails: turned, as it is stored, and upright",
          isobmff.file(1, [main, *thumbs]), pixels=pixels, orientation=6)  # fmt: skip
    strange = [
        item(1, whole, irot, references=of_main, hidden=False),
        item(2, half, irot, references=[(b"thmb", [1, 1]), (b"thmb", [1])]),
        item(3, upright, references=[(b"thmb", [2])]),
        Item(4, b"mime", b"-", [], of_main, content=b"text/plain\0", hidden=True),
    ]
    still("thumbnails-strange.avif", "thumbnails of themselves, of thumbnails, twice, and without a picture",
          isobmff.file(1, strange), pixels=pixels, orientation=6)  # fmt: skip

    def body(folder):
        Image.fromarray(picture(64, 48, 3).astype(np.uint8)).save(folder / "in.png")
        run("heif-enc", "-A", "-q", "50", "--thumb", "32", str(folder / "in.png"), "-o", str(folder / "out.avif"))
        return (folder / "out.avif").read_bytes()

    made = in_folder(body)
    still("thumbnail-libheif.avif", "a thumbnail as libheif writes it", made)
