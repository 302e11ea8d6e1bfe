# SPDX-License-Identifier: Apache-2.0
"""JPEG XL stills with channels beside color, with alpha of several kinds, and of layers."""

import numpy as np

import fixtures
import jxl_library as library
from fixtures import picture
from jxl import SIZE, djxl, rgba, still
from jxl_library import Layer, encode

FORMAT = "jxl"


def make():
    pixels = picture(*SIZE, 4).astype(np.uint8)
    plane = np.full((SIZE[1], SIZE[0]), 255, np.uint8)
    plane[4:9, 3:15] = 100
    shown = rgba(pixels[..., :3], 255)
    still(
        "extra-depth.jxl",
        "a channel of depth, which is not alpha",
        encode([Layer(pixels[..., :3], (plane,))], extra=[(library.DEPTH, 8, "far")]),
        shown,
        "rgb8",
    )
    still(
        "extra-beside-alpha.jxl",
        "alpha and a selection",
        encode([Layer(pixels, (plane,))], extra=[(library.SELECTION, 8, "")]),
        pixels,
        "rgba8",
        8,
        "straight",
    )
    data = encode([Layer(pixels[..., :3], (plane,))], extra=[(library.SPOT, 8, "gold")])
    still("extra-spot.jxl", "a spot color, mixed in", data, opaque(djxl(data)[0]), "rgb8")
    inks = bytearray(fixtures.icc(b"CMYK"))
    inks[12:16] = b"prtr"
    data = encode([Layer(pixels[..., :3], (plane,))], extra=[(library.BLACK, 8, "")], icc=bytes(inks), level=10)
    light = (pixels[..., :3].astype(np.int64) * plane[..., None] + 127) // 255
    still(
        "ink-cmyk.jxl",
        "cyan, magenta, yellow and black",
        data,
        rgba(light.astype(np.uint8), 255),
        "rgb8",
        metadata={"ICC": bytes(inks)},
    )
    color = pixels.astype(np.int64) * 257
    color[..., :3] = (color[..., :3] * color[..., 3:] + 32767) // 65535
    color[..., :3] = (color[..., :3] + 128) // 257 * 257  # libjxl holds 8 bits of color here
    # A straight color is the premultiplied one divided by alpha, rounded; of alpha 0 it is 0.
    alpha = np.maximum(color[..., 3:], 1)
    straight = np.minimum((color[..., :3] * 65535 + alpha // 2) // alpha, 65535)
    straight = np.concatenate([np.where(color[..., 3:] == 0, 0, straight), color[..., 3:]], axis=2).astype(np.uint16)
    # libjxl 0.7 does not encode premultiplied alpha; in this header, which it has written, bit 66 is alpha_associated.
    data = encode([Layer(color.astype(np.uint16))], bits=8, alpha_bits=16)
    stream = bytearray(data[data.index(b"jxlc") + 4 :])
    stream[66 // 8] ^= 1 << 66 % 8
    still("premultiplied.jxl", "alpha multiplied in", bytes(stream), straight, "rgba16", 8, "premultiplied")
    deep = encode([Layer(pixels.astype(np.uint16) * 257)], bits=8, alpha_bits=16)
    still(
        "alpha-deeper.jxl",
        "8 bits of color, 16 of alpha",
        deep,
        pixels.astype(np.uint16) * 257,
        "rgba16",
        8,
        "straight",
    )
    half = pixels[4:12, 6:20]
    layers = [
        Layer(pixels, name="below", save_as_reference=1),
        Layer(half, name="above", have_crop=1, crop_x0=2, crop_y0=5, source=1, blendmode=library.REPLACE),
    ]
    merged = pixels.copy()
    merged[5:13, 2:16] = half
    still("layers.jxl", "two layers of a still", encode(layers), merged, "rgba8", 8, "straight")


def opaque(pixels):
    pixels[..., 3] = 255
    return pixels
