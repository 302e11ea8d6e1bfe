# SPDX-License-Identifier: Apache-2.0
"""Photoshop's files, section by section (Adobe Photoshop File Formats Specification). What psd-tools and ImageMagick read of
them is compared with the recipe by Tests/Conformance/suite_psd.py; Pillow reads those of RGB, gray and CMYK here."""

import io
import struct
import zlib

import numpy as np
from PIL import Image

import fixtures
from fixtures import XMP, exif, icc, picture, rgba, valid

FORMAT = "psd"

BITMAP, GRAY, INDEXED, RGB, CMYK, MULTICHANNEL, DUOTONE, LAB = 0, 1, 2, 3, 4, 7, 8, 9
RAW, PACKED, ZIP, PREDICTED = range(4)


def resource(number, data, name=b""):
    """Name and data are each padded to an even length."""
    name = bytes([len(name)]) + name
    return b"8BIM" + struct.pack(">H", number) + name + bytes(len(name) % 2) + struct.pack(">I", len(data)) + data + bytes(
        len(data) % 2
    )


def packed(row):
    """PackBits: runs of three and more, and literals between them."""
    out, place = b"", 0
    while place < len(row):
        run = 1
        while place + run < len(row) and run < 128 and row[place + run] == row[place]:
            run += 1
        if run > 2:
            out += bytes([257 - run, row[place]])
            place += run
            continue
        end = place
        while end < len(row) and end - place < 128 and not (end + 2 < len(row) and row[end] == row[end + 1] == row[end + 2]):
            end += 1
        out += bytes([end - place - 1]) + row[place:end]
        place = end
    return out


def differences(plane):
    """What zlib with prediction compresses: of 32 bits, differences of bytes, whose planes come one after the other."""
    if plane.dtype.itemsize < 4:
        before = np.concatenate([np.zeros_like(plane[:, :1]), plane[:, :-1]], axis=1)
        return (plane.astype(np.int64) - before).astype(plane.dtype)
    height, width = plane.shape
    split = np.frombuffer(plane.tobytes(), np.uint8).reshape(height, width, 4).transpose(0, 2, 1).reshape(height, -1)
    return differences(split)


def image_data(planes, compression, large):
    """Planes are arrays of rows, in the byte order of the file."""
    if compression == RAW:
        body = b"".join(plane.tobytes() for plane in planes)
    elif compression == PACKED:
        rows = [packed(row.tobytes()) for plane in planes for row in plane]
        body = b"".join(struct.pack(">I" if large else ">H", len(row)) for row in rows) + b"".join(rows)
    elif compression == ZIP:
        body = zlib.compress(b"".join(plane.tobytes() for plane in planes), 9)
    else:
        body = zlib.compress(b"".join(differences(plane).tobytes() for plane in planes), 9)
    return struct.pack(">H", compression) + body


def block(key, data, large=False):
    wide = large and key in (b"Lr16", b"Lr32", b"Mt16", b"Mt32", b"Mtrn", b"Layr")
    return b"8BIM" + key + struct.pack(">Q" if wide else ">I", len(data)) + data


def layer(name, large=False):
    """A layer without pixels, but with a name."""
    units = (name + "\0").encode("utf-16-be")
    short = name.encode("ascii", "replace")
    extra = bytes(8) + bytes([len(short)]) + short + bytes(3 - len(short) % 4)
    data = struct.pack(">I", len(name) + 1) + units
    extra += block(b"luni", data + bytes(-len(data) % 4))
    return bytes(16) + struct.pack(">H", 0) + b"8BIMnorm" + b"\xff\0\0\0" + struct.pack(">I", len(extra)) + extra


def layer_section(count, names=(), large=False, blocks=b"", deep=None):
    """`deep` is the key of the block that has the layers of files of 16 and 32 bits."""
    length = ">Q" if large else ">I"
    info = struct.pack(">h", count) + b"".join(layer(name, large) for name in names)
    info += bytes(-len(info) % 4)
    if deep:
        blocks += block(deep, info, large)
        info = b""
    section = struct.pack(length, len(info)) + info + bytes(4) + blocks
    return section


def file(planes, mode, depth, size, compression=PACKED, large=False, palette=b"", resources=b"", layers=b""):
    width, height = size
    header = b"8BPS" + struct.pack(">H6xHIIHH", 2 if large else 1, len(planes), height, width, depth, mode)
    data = header + struct.pack(">I", len(palette)) + palette + struct.pack(">I", len(resources)) + resources
    data += struct.pack(">Q" if large else ">I", len(layers)) + layers
    return data + image_data(planes, compression, large)


def planes_of(samples, depth=8):
    kind = {8: np.uint8, 16: ">u2", 32: ">f4"}[depth]
    return [np.ascontiguousarray(samples[..., channel]).astype(kind) for channel in range(samples.shape[-1])]


def over_white(samples, top, white=None):
    """The merged picture of straight samples, whose last channel is alpha."""
    alpha = samples[..., -1:].astype(np.int64)
    white = np.array([top] * (samples.shape[-1] - 1) if white is None else white)
    color = (samples[..., :-1] * alpha + white * (top - alpha) + top // 2) // top
    return np.concatenate([color, alpha], axis=-1)


def taken_out(merged, top, white=None):
    """The straight samples that a reader makes of it, to the nearest."""
    alpha = merged[..., -1:].astype(np.int64)
    white = np.array([top] * (merged.shape[-1] - 1) if white is None else white)
    exact = (merged[..., :-1] - white) * top / np.maximum(alpha, 1) + white
    color = np.where(alpha == 0, merged[..., :-1], np.clip(np.trunc(exact + np.sign(exact) * 0.5), 0, top))
    return np.concatenate([color.astype(np.int64), alpha], axis=-1)


def light_of_inks(samples, top):
    """(1 - C)(1 - K), of samples that are light already."""
    return (samples[..., :3] * samples[..., 3:4] + top // 2) // top


def checked(data, samples):
    """Pillow reads the file so, without its alpha."""
    shown = np.asarray(Image.open(io.BytesIO(data)))
    assert np.array_equal(shown.reshape(samples.shape), samples)
    return data


def make():
    size = (21, 13)
    color = picture(*size, 3)
    gray = picture(*size, 1)
    clear = picture(*size, 4)
    clear[0, :4, 3] = 0
    clear[1, :4, 3] = 255

    def still(name, shows, data, pixels, pixel_format, bits=8, alpha="opaque", **more):
        valid("psd", name, data, shows, pixels, pixel_format, bits, alpha, isLossless=True, **more)

    for compression, word in ((RAW, "raw"), (PACKED, "packed")):
        data = checked(file(planes_of(color), RGB, 8, size, compression), color)
        still(f"rgb8-{word}.psd", f"red, green and blue of 8 bits, {word}", data, rgba(color), "rgb8")
    for compression, word in ((ZIP, "zip"), (PREDICTED, "zip-predicted")):
        still(f"rgb8-{word}.psd", f"8 bits, {word}", file(planes_of(color), RGB, 8, size, compression), rgba(color),
              "rgb8")
    data = checked(file(planes_of(gray), GRAY, 8, size), gray)
    still("gray8.psd", "gray of 8 bits", data, rgba(gray), "gray8")
    still("duotone.psd", "a duotone, shown as gray", file(planes_of(gray), DUOTONE, 8, size, palette=b"inks"),
          rgba(gray), "gray8")
    deep = picture(*size, 3, 65535)
    for compression, word in ((RAW, "raw"), (PACKED, "packed"), (PREDICTED, "zip-predicted")):
        still(f"rgb16-{word}.psd", f"16 bits, {word}", file(planes_of(deep, 16), RGB, 16, size, compression),
              rgba(deep, 65535, 16), "rgb16", 16)
    deep_gray = picture(*size, 1, 65535)
    still("gray16.psd", "gray of 16 bits", file(planes_of(deep_gray, 16), GRAY, 16, size),
          rgba(deep_gray, 65535, 16), "gray16", 16)
    still("rgb8.psb", "a PSB, whose lengths are wider", file(planes_of(color), RGB, 8, size, large=True,
          layers=layer_section(1, ["one"], large=True)), rgba(color), "rgb8")

    # Transparency, which is taken out of white.
    merged = over_white(clear, 255)
    data = file(planes_of(merged), RGB, 8, size, layers=layer_section(-1, ["Ebene"]))
    still("rgba8.psd", "transparency over white", data, taken_out(merged, 255).astype(np.uint8), "rgba8", 8, "straight")
    half = clear[..., [0, 3]]
    merged = over_white(half, 255)
    still("gray-alpha8.psd", "gray with transparency", file(planes_of(merged), GRAY, 8, size,
          layers=layer_section(-1)), rgba(taken_out(merged, 255)), "gray-alpha8", 8, "straight")
    deep_clear = clear * 257
    merged = over_white(deep_clear, 65535)
    still("rgba16.psd", "the block Mt16 says that there is transparency", file(planes_of(merged, 16), RGB, 16, size,
          layers=layer_section(1, ["deep"], deep=b"Lr16", blocks=block(b"Mt16", b""))),
          taken_out(merged, 65535).astype("<u2"), "rgba16", 16, "straight")
    still("alpha-channel.psd", "a fourth channel that is no transparency", file(planes_of(clear), RGB, 8, size,
          layers=layer_section(1, ["one"])), rgba(color), "rgb8")

    # Other colors.
    inks = picture(*size, 4)
    data = file(planes_of(inks), CMYK, 8, size)
    assert np.array_equal(255 - np.asarray(Image.open(io.BytesIO(data))), inks)
    still("cmyk8.psd", "four inks of 8 bits", data, rgba(light_of_inks(inks, 255)), "rgb8")
    deep_inks = picture(*size, 4, 65535)
    still("cmyk16.psd", "four inks of 16 bits", file(planes_of(deep_inks, 16), CMYK, 16, size, RAW),
          rgba(light_of_inks(deep_inks, 65535), 65535, 16), "rgb16", 16)
    still("multichannel-4.psd", "four channels as inks", file(planes_of(inks), MULTICHANNEL, 8, size),
          rgba(light_of_inks(inks, 255)), "rgb8")
    still("multichannel-3.psd", "three channels as inks", file(planes_of(color), MULTICHANNEL, 8, size), rgba(color),
          "rgb8")
    lightness = np.concatenate([gray, gray * 0 + 128, gray * 0 + 128], axis=-1)
    still("lab8.psd", "gray of Lab", file(planes_of(lightness), LAB, 8, size), lab_gray(gray), "rgb8")
    indexes = picture(*size, 1, 40)
    table = np.zeros((256, 3), np.uint8)
    table[:41] = picture(41, 1, 3)[0]
    for name, more in (("indexed8.psd", b""), ("indexed8-transparent.psd", resource(1047, struct.pack(">H", 20)))):
        pixels = rgba(table[indexes[..., 0]].astype(np.int64))
        if more:
            pixels[indexes[..., 0] == 20, 3] = 0
        still(name, "indexes" + (", one of them transparent" if more else ""), file(planes_of(indexes), INDEXED, 8, size,
              palette=table.T.tobytes(), resources=more), pixels, "rgba8" if more else "rgb8", 8,
              "straight" if more else "opaque")
    black = (picture(*size, 1)[..., 0] % 3 == 0).astype(np.uint8)
    still("bitmap.psd", "one bit, 1 is black", file([np.packbits(black, axis=1)], BITMAP, 1, size),
          rgba((1 - black)[..., None], 1), "gray8", 1)

    load = {"ICC": icc(), "Exif": exif(1), "XMP": XMP}
    resources = resource(1039, load["ICC"], b"named") + resource(1058, load["Exif"]) + resource(1060, load["XMP"])
    resources += resource(1005, struct.pack(">IHHIHH", 300 << 16, 1, 2, 300 << 16, 1, 2))
    still("metadata.psd", "ICC, Exif, XMP and the resolution", file(planes_of(color), RGB, 8, size, resources=resources),
          rgba(color), "rgb8", metadata=load)
    bad_files(color, size)


def lab_gray(gray):
    """L* of a neutral color under D50 in sRGB (CIE 15:2018, section 8.2.1.1, and IEC 61966-2-1)."""
    lightness = gray.astype(float) * 100 / 255
    light = np.where(lightness > 8, ((lightness + 16) / 116) ** 3, lightness * 27 / 24389)
    samples = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return rgba(np.rint(samples * 255).astype(np.int64))


def bad_files(color, size):
    raw = file(planes_of(color), RGB, 8, size, RAW)
    good = file(planes_of(color), RGB, 8, size)
    zipped = file(planes_of(color), RGB, 8, size, ZIP)

    def bad(name, shows, data, error, **more):
        fixtures.invalid("psd", name, data, shows, error, **more)

    def changed(data, place, new):
        return data[:place] + new + data[place + len(new) :]

    bad("wrong-signature.psd", "8BPT", b"8BPT" + good[4:], "wrongFormat")
    bad("version-3.psd", "version 3", changed(good, 5, b"\3"), "wrongFormat")
    bad("truncated-header.psd", "the header is cut", good[:20], "truncated")
    bad("truncated-table.psd", "the lengths of rows are cut", good[:60], "truncated")
    bad("truncated-raw.psd", "the last channel is cut", raw[:-50], "truncated", rows="some")
    bad("truncated-packed.psd", "the last channel is cut", good[:-50], "truncated", rows="some")
    bad("truncated-zip.psd", "the last channel is cut", zipped[:-50], "truncated", rows="some")
    bad("truncated-first.psd", "the first channel is cut", raw[:100], "truncated")
    bad("zero-width.psd", "a width of 0", changed(good, 18, bytes(4)), "malformed")
    bad("wide.psd", "a PSD that is wider than one may be", changed(good, 18, struct.pack(">I", 30_001)), "malformed")
    bad("two-channels.psd", "two channels in an RGB file", changed(good, 13, b"\2"), "malformed")
    bad("mode-5.psd", "a color mode that nobody knows", changed(good, 25, b"\5"), "unsupported")
    bad("depth-4.psd", "a depth of 4", changed(good, 23, b"\4"), "unsupported")
    bad("compression-4.psd", "a compression of 4", changed(good, 39, b"\4"), "unsupported")
    bad("short-row.psd", "a row of no bytes in the last channel", changed(good, 40 + 2 * 13 * 2 + 2 * 5, bytes(2)),
        "malformed", rows="some")
    bad("damaged-zip.psd", "no zlib stream", changed(zipped, 40, b"\0\0"), "malformed")
    bad("long-resources.psd", "image resources that are longer than the file", changed(good, 30, b"\x7f\xff\xff\xff"),
        "truncated")
    bad("huge-canvas.psd", "30,000 pixels in each direction", changed(good, 14, struct.pack(">II", 30_000, 30_000)),
        "limitExceeded")
    version = resource(1057, struct.pack(">IB", 1, 0) + bytes(8))
    bad("no-merged-picture.psd", "saved without the merged picture", file(planes_of(color * 0 + 255), RGB, 8, size,
        resources=version, layers=layer_section(1, ["one"])), "unsupported")
