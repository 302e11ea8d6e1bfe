# SPDX-License-Identifier: Apache-2.0
"""What the samples of a TIFF page look like: TIFF 6.0, sections 4 to 8, 16, 18, 23, as docs/formats/tiff.md says."""

import io

import numpy
from PIL import Image, ImageCms

CHANNELS = {0: 1, 1: 1, 2: 3, 3: 1, 4: 1, 5: 4, 6: 3, 8: 3, 9: 3, 10: 3}


def colors(page):
    """RGBA of 8 or 16 bits, or of floats; None for what is not known here."""
    kind = int(tag(page, 262, 0 if page.compression in (2, 3, 4) else 2 if page.samplesperpixel > 2 else 1))
    if kind not in CHANNELS:
        return None
    samples = chunky(page)
    if samples is None:
        return None
    if kind == 6 and page.compression != 7:
        return None  # tifffile leaves YCbCr as it is
    bits = page.bitspersample
    if samples.dtype.kind == "f":
        return floats(samples, kind, page)
    if samples.dtype.kind == "b":
        samples = samples.astype(numpy.uint8)
        bits = 1
    if samples.dtype.kind == "i":
        samples = samples.astype(numpy.int64) + (1 << (bits - 1))
    samples = samples.astype(numpy.int64)
    if kind == 3:
        return palette(samples, page)
    if kind in (8, 9, 10):
        return lab(samples, kind, bits, page)
    if bits > 32 or (kind == 5 and tag(page, 332, 1) != 1):
        return None
    depth = 8 if bits <= 8 else 16
    top, full = (1 << bits) - 1, (1 << depth) - 1
    samples = (samples * full + top // 2) // top
    count = CHANNELS[kind]
    alpha, multiplied = alpha_of(page, samples, count, full)
    color = samples[:, :, :count]
    if kind == 0:
        color = full - color
    if kind == 5:
        color = ((full - color[:, :, :3]) * (full - color[:, :, 3:4]) + full // 2) // full
    if count == 1:
        color = numpy.repeat(color, 3, axis=2)
    if multiplied:
        shown = numpy.maximum(alpha, 1)
        color = numpy.where(alpha == 0, 0, numpy.minimum(full, (color * full + shown // 2) // shown))
    return numpy.concatenate([color, alpha], axis=2).astype(numpy.uint8 if depth == 8 else numpy.uint16)


def tag(page, code, default):
    found = page.tags.get(code)
    value = found.value if found is not None else default
    return value[0] if isinstance(value, tuple) and not isinstance(default, tuple) else value


def chunky(page):
    """Height × width × samples."""
    samples = page.asarray(maxworkers=1)
    if page.planarconfig == 2 and page.samplesperpixel > 1:
        samples = numpy.moveaxis(samples.reshape(page.samplesperpixel, page.imagelength, page.imagewidth), 0, -1)
    return samples.reshape(page.imagelength, page.imagewidth, -1)


def alpha_of(page, samples, count, full):
    """Alpha, and whether colors are multiplied by it."""
    opaque = numpy.full(samples.shape[:2] + (1,), full)
    extra = page.tags.get(338)
    if samples.shape[2] <= count:
        return opaque, False
    if extra is None:
        one_more = samples.shape[2] == count + 1 and count > 1
        return (samples[:, :, count:count + 1], False) if one_more else (opaque, False)
    meanings = extra.value if isinstance(extra.value, tuple) else (extra.value,)
    for index, meaning in enumerate(meanings):
        if int(meaning) in (1, 2) and count + index < samples.shape[2]:
            return samples[:, :, count + index:count + index + 1], int(meaning) == 1
    return opaque, False


def floats(samples, kind, page):
    if kind not in (0, 1, 2):
        return None
    samples = samples.astype(numpy.float32)
    count = CHANNELS[kind]
    alpha, multiplied = alpha_of(page, samples, count, numpy.float32(1))
    color = samples[:, :, :count]
    if kind == 0:
        color = 1 - color
    if count == 1:
        color = numpy.repeat(color, 3, axis=2)
    if multiplied:
        return None
    return numpy.concatenate([color, alpha.astype(numpy.float32)], axis=2)


def palette(samples, page):
    table = numpy.array(page.colormap, dtype=numpy.int64)
    table = table if table.max(initial=0) < 256 else table >> 8
    color = table[:, samples[:, :, 0]].transpose(1, 2, 0)
    top = (1 << page.bitspersample) - 1
    alpha, _ = alpha_of(page, (samples * 255 + top // 2) // top, 1, 255)
    return numpy.concatenate([color, alpha], axis=2).astype(numpy.uint8)


def lab(samples, kind, bits, page):
    """Through LittleCMS, which knows 8 bits."""
    if kind == 10 or bits not in (8, 16):
        return None
    if bits == 16:
        whole = 65280 if kind == 9 else 65535
        samples = numpy.stack([
            numpy.minimum(255, (samples[:, :, 0] * 255 + whole // 2) // whole),
            *(((samples[:, :, i] + (32768 if kind == 8 else 0)) % 65536) >> 8 for i in (1, 2))], axis=2)
    elif kind == 8:
        samples = numpy.concatenate([samples[:, :, :1], (samples[:, :, 1:3] + 128) % 256], axis=2)
    image = Image.frombytes("LAB", samples.shape[1::-1], pillow_lab(samples[:, :, :3]))
    change = ImageCms.buildTransform(
        ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB"), "LAB", "RGB", 1, ImageCms.Flags.NOOPTIMIZE)
    color = numpy.asarray(ImageCms.applyTransform(image, change))
    alpha = numpy.full(color.shape[:2] + (1,), 255, numpy.uint8)
    return numpy.concatenate([color, alpha], axis=2)


def pillow_lab(samples):
    """Pillow's LAB has signed bytes for a and b."""
    stored = samples.astype(numpy.int64)
    stored[:, :, 1:] = (stored[:, :, 1:] - 128) % 256
    return io.BytesIO(stored.astype(numpy.uint8).tobytes()).getvalue()
