# SPDX-License-Identifier: Apache-2.0
"""libjxl's encoder, for what cjxl does not write: layers, names, ticks, extra channels, inks, colors by number."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_double, c_float, c_int, c_size_t, c_uint32, c_uint8, c_void_p

import numpy as np

ALPHA, DEPTH, SPOT, SELECTION, BLACK = 0, 1, 2, 3, 4
REPLACE, ADD, BLEND = 0, 1, 2
RESAMPLING = 2
RGB, GRAY = 0, 1
D65, P3_PRIMARIES, REC2100, SRGB_PRIMARIES = 1, 11, 9, 1
LINEAR, SRGB, PQ, HLG, GAMMA = 8, 13, 16, 18, 65535
_LOSSY_DISTANCE = 1.0


def _fields(text):
    kinds = {"i": c_int, "u": c_uint32, "f": c_float, "d": c_double}
    return [(name, kinds[kind]) for kind, name in (word.split(":") for word in text.split())]


class BasicInfo(Structure):
    _fields_ = _fields(
        "i:have_container u:xsize u:ysize u:bits_per_sample u:exponent_bits_per_sample f:intensity_target "
        "f:min_nits "
        "i:relative_to_max_display f:linear_below i:uses_original_profile i:have_preview i:have_animation "
        "i:orientation "
        "u:num_color_channels u:num_extra_channels u:alpha_bits u:alpha_exponent_bits i:alpha_premultiplied "
        "u:preview_xsize u:preview_ysize u:tps_numerator u:tps_denominator u:num_loops i:have_timecodes "
        "u:intrinsic_xsize u:intrinsic_ysize"
    ) + [("padding", c_uint8 * 100)]


class FrameHeader(Structure):
    _fields_ = _fields(
        "u:duration u:timecode u:name_length i:is_last i:have_crop i:crop_x0 i:crop_y0 u:xsize u:ysize "
        "i:blendmode u:source u:alpha i:clamp u:save_as_reference"
    )


class BlendInfo(Structure):
    _fields_ = _fields("i:blendmode u:source u:alpha i:clamp")


class ExtraChannel(Structure):
    _fields_ = _fields(
        "i:type u:bits_per_sample u:exponent_bits_per_sample u:dim_shift u:name_length i:alpha_premultiplied"
    ) + [("spot_color", c_float * 4), ("cfa_channel", c_uint32)]


class PixelFormat(Structure):
    _fields_ = [("num_channels", c_uint32), ("data_type", c_int), ("endianness", c_int), ("align", c_size_t)]


class ColorEncoding(Structure):
    _fields_ = (
        _fields("i:color_space i:white_point")
        + [("white", c_double * 2), ("primaries", c_int), ("red", c_double * 2), ("green", c_double * 2)]
        + [("blue", c_double * 2), ("transfer", c_int), ("gamma", c_double), ("intent", c_int)]
    )


def library():
    jxl = ctypes.CDLL("libjxl.so.0.7")
    jxl.JxlEncoderCreate.restype = jxl.JxlEncoderFrameSettingsCreate.restype = c_void_p
    return jxl


class Layer:
    """One frame as the encoder gets it: samples, and what its header says."""

    def __init__(self, pixels, extra=(), name=None, **header):
        self.pixels, self.extra, self.name, self.header = np.ascontiguousarray(pixels), extra, name, header


def _format(pixels):
    kinds = {"uint8": 2, "uint16": 3, "float16": 5, "float32": 0}
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    return PixelFormat(channels, kinds[str(pixels.dtype)], 0, 0)


def encode(
    layers,
    bits=None,
    exponent=0,
    alpha_bits=None,
    lossless=True,
    distance=_LOSSY_DISTANCE,
    color=None,
    icc=None,
    boxes=(),
    extra=(),
    container=False,
    options=(),
    level=None,
    **info,
):
    """Encodes layers. `extra` names the channels beside color and alpha as (type, bits, name); `boxes` are (type,
    content, compressed)."""
    jxl = library()
    encoder = c_void_p(jxl.JxlEncoderCreate(None))

    def call(name, *arguments):
        if getattr(jxl, f"JxlEncoder{name}")(*arguments) != 0:
            raise SystemExit(f"libjxl refuses {name}")

    first = layers[0].pixels
    channels = first.shape[2]
    has_alpha = channels in (2, 4)
    basic = BasicInfo()
    jxl.JxlEncoderInitBasicInfo(ctypes.byref(basic))
    basic.ysize, basic.xsize = first.shape[:2]
    basic.bits_per_sample = bits or first.dtype.itemsize * 8
    basic.exponent_bits_per_sample = exponent
    basic.num_color_channels = 1 if channels < 3 else 3
    basic.num_extra_channels = len(extra) + has_alpha
    if has_alpha:
        basic.alpha_bits, basic.alpha_exponent_bits = alpha_bits or basic.bits_per_sample, exponent
    basic.uses_original_profile = int(lossless)
    for name, value in info.items():
        setattr(basic, name, value)
    if container:
        call("UseContainer", encoder, 1)
    if level:
        call("SetCodestreamLevel", encoder, level)
    if boxes:
        call("UseBoxes", encoder)
    call("SetBasicInfo", encoder, ctypes.byref(basic))
    for index, (kind, depth, name) in enumerate(extra, int(has_alpha)):
        channel = ExtraChannel()
        jxl.JxlEncoderInitExtraChannelInfo(kind, ctypes.byref(channel))
        channel.bits_per_sample = depth
        if kind == SPOT:
            channel.spot_color[:] = (1.0, 0.0, 0.25, 0.5)
        call("SetExtraChannelInfo", encoder, c_size_t(index), ctypes.byref(channel))
        if name:
            call("SetExtraChannelName", encoder, c_size_t(index), c_char_p(name.encode()), c_size_t(len(name)))
    if icc:
        call("SetICCProfile", encoder, c_char_p(icc), c_size_t(len(icc)))
    else:
        encoding = color or ColorEncoding(color_space=int(channels < 3), white_point=D65, primaries=1, transfer=SRGB)
        call("SetColorEncoding", encoder, ctypes.byref(encoding))
    for kind, content, compressed in boxes:
        call("AddBox", encoder, c_char_p(kind), c_char_p(content), c_size_t(len(content)), int(compressed))
    if boxes:
        jxl.JxlEncoderCloseBoxes(encoder)
    for layer in layers:
        _add(jxl, call, encoder, layer, lossless, distance, options, int(has_alpha))
    jxl.JxlEncoderCloseInput(encoder)
    output = (c_uint8 * (1 << 20))()
    place, left = POINTER(c_uint8)(output), c_size_t(len(output))
    call("ProcessOutput", encoder, ctypes.byref(place), ctypes.byref(left))
    jxl.JxlEncoderDestroy(encoder)
    return bytes(output[: len(output) - left.value])


def _add(jxl, call, encoder, layer, lossless, distance, options, first_extra):
    settings = c_void_p(jxl.JxlEncoderFrameSettingsCreate(encoder, None))
    for option, value in options:
        call("FrameSettingsSetOption", settings, option, ctypes.c_int64(value))
    if lossless:
        call("SetFrameLossless", settings, 1)
    else:
        call("SetFrameDistance", settings, c_float(distance))
    header = FrameHeader()
    jxl.JxlEncoderInitFrameHeader(ctypes.byref(header))
    for name, value in layer.header.items():
        setattr(header, name, value)
    if header.have_crop:
        header.ysize, header.xsize = layer.pixels.shape[:2]
    call("SetFrameHeader", settings, ctypes.byref(header))
    if first_extra:
        blend = BlendInfo(header.blendmode, header.source, 0, 0)
        call("SetExtraChannelBlendInfo", settings, c_size_t(0), ctypes.byref(blend))
    if layer.name:
        call("SetFrameName", settings, c_char_p(layer.name.encode()))
    data = layer.pixels.tobytes()
    call("AddImageFrame", settings, ctypes.byref(_format(layer.pixels)), c_char_p(data), c_size_t(len(data)))
    for index, plane in enumerate(layer.extra, first_extra):
        data = np.ascontiguousarray(plane).tobytes()
        arguments = ctypes.byref(_format(plane)), c_char_p(data), c_size_t(len(data)), c_uint32(index)
        call("SetExtraChannelBuffer", settings, *arguments)
