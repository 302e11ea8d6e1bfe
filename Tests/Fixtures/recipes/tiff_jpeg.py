# SPDX-License-Identifier: Apache-2.0
"""TIFF with JPEG in it that libtiff does not read, or reads only after it has corrected the directory."""

import io

import imagecodecs
import numpy as np
from PIL import Image

from fixtures import picture, rgba, valid
from tiff_file import *
from tiff_file import Page, page, tiff

FORMAT = "tiff"

JPEG_INTERCHANGE, JPEG_INTERCHANGE_LENGTH = 513, 514


def still(name, shows, data, pixels, pixel_format, bits=8, alpha="opaque", **more):
    valid(FORMAT, name, data, shows, pixels, pixel_format, bits, alpha, **more)


def lossless(samples, bits, rows=7, split=1, predictor=1):
    """Strips of the lossless process (T.81, annex H), by the libjpeg-turbo 3 of imagecodecs.

    With `split`, each has rows of so many channels where TIFF has one, as cameras write them.
    """
    coded = []
    for y in range(0, samples.shape[0], rows):
        part = np.ascontiguousarray(samples[y : y + rows])
        shaped = part.reshape(part.shape[0], -1, split) if split > 1 else part.squeeze(-1) if part.shape[-1] == 1 else part
        made = imagecodecs.ljpeg_encode(shaped, bitspersample=bits) if split > 1 else imagecodecs.jpeg8_encode(
            np.ascontiguousarray(shaped), bitspersample=bits, lossless=True, predictor=predictor)
        coded.append(made)
    return coded


def make_lossless():
    def put(name, shows, samples, bits, photometric, pixels, pixel_format, coded=None, **more):
        coded = coded or lossless(samples, bits)
        made = page(samples, bits, photometric, rows=7, compression=7, striles=coded, **more)
        for order, suffix in (("<", ""), (">", "-big-endian")):
            if suffix and bits != 16:
                continue
            data = tiff(made, order=order)
            still(f"lossless-jpeg-{name}{suffix}.tif", shows, data, pixels, pixel_format, bits, isLossless=True)

    for bits in (8, 12, 16):
        gray = picture(23, 17, 1, (1 << bits) - 1).astype(np.uint8 if bits == 8 else np.uint16)
        wide = bits > 8
        put(f"gray{bits}", f"JPEG of the lossless process, {bits} bits", gray, bits, 1,
            rgba(gray, (1 << bits) - 1, 16 if wide else 8), "gray16" if wide else "gray8")
        color = picture(21, 13, 3, (1 << bits) - 1).astype(gray.dtype)
        put(f"rgb{bits}", "the same in color", color, bits, 2, rgba(color, (1 << bits) - 1, 16 if wide else 8),
            "rgb16" if wide else "rgb8", coded=lossless(color, bits, predictor=6))
    gray = picture(22, 17, 1, 65535).astype(np.uint16)
    inverted = rgba(65535 - gray.astype(np.int64), 65535, 16)
    put("min-is-white", "0 is white", gray, 16, 0, inverted, "gray16")
    # 14 bits of samples in 16 bits: what JPEG has are the lower ones.
    deep = picture(23, 17, 1, 16383).astype(np.uint16)
    put("14-of-16", "samples that need fewer bits than the directory says", deep, 16, 1, rgba(deep, 65535, 16), "gray16",
        coded=lossless(deep, 14))
    planes = picture(23, 17, 3, 255).astype(np.uint8)
    coded = [one for i in range(3) for one in lossless(np.ascontiguousarray(planes[:, :, i : i + 1]), 8)]
    put("planes", "each channel by itself", planes, 8, 2, rgba(planes), "rgb8", coded=coded, planar=True)


def make_old():
    """Pixels are those of libtiff, which Pillow uses: it takes what a directory calls RGB for YCbCr."""
    samples = np.zeros((16, 24, 3), np.uint8)
    samples[:] = (200, 40, 40)
    samples[8:, :8] = (30, 90, 200)
    samples[:, 16:] = (20, 160, 60)

    def put(name, shows, photometric, subsampling, stated=None, shown=None, said=420, **options):
        output = io.BytesIO()
        if not options:
            options["subsampling"] = subsampling
        Image.fromarray(samples).save(output, "JPEG", quality=95, **options)
        jpeg = output.getvalue()
        tags = {WIDTH: (SHORT, 24), LENGTH: (SHORT, 16), BITS: (SHORT, [8, 8, 8]), COMPRESSION: (SHORT, 6),
                SAMPLES: (SHORT, 3), ROWS_PER_STRIP: (SHORT, 16)}
        if photometric is not None:
            tags[PHOTOMETRIC] = (SHORT, photometric)
        if stated:
            tags[SUBSAMPLING] = (SHORT, stated)
        file = File()
        place = file.append(jpeg)
        tags |= {STRIP_OFFSETS: (LONG, place), STRIP_BYTE_COUNTS: (LONG, len(jpeg)), JPEG_INTERCHANGE: (LONG, place),
                 JPEG_INTERCHANGE_LENGTH: (LONG, len(jpeg))}
        file.chain(Page(tags, None))
        data = bytes(file.data)
        if shown is None:
            with Image.open(io.BytesIO(data)) as image:
                shown = np.asarray(image.convert("RGB"))
        still(f"old-jpeg-{name}.tif", shows, data, rgba(shown), "rgb8", **({"subsampling": said} if said else {}))

    put("rgb-444", "old-style JPEG that calls itself RGB, and is YCbCr", 2, 0, said=444)
    put("rgb-420", "the same with smaller chroma", 2, 2)
    put("no-photometric", "old-style JPEG that does not say what its samples are", None, 0, said=444)
    put("444", "subsampling that is not stated, and not 2×2", 6, 0, said=444)
    put("422", "the same, 2×1", 6, 1, said=422)
    put("420", "subsampling that is stated", 6, 2, stated=[2, 2])
    put("444-stated-420", "subsampling that is stated wrong", 6, 0, stated=[2, 2], said=444)
    with io.BytesIO() as output:
        Image.fromarray(samples).save(output, "JPEG", quality=95, keep_rgb=True)
        pixels = np.asarray(Image.open(io.BytesIO(output.getvalue())).convert("RGB"))
    put("rgb", "old-style JPEG that is RGB, by its own word too", 2, 0, shown=pixels, said=None, keep_rgb=True)


def make():
    make_lossless()
    make_old()
