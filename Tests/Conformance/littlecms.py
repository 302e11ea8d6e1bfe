# SPDX-License-Identifier: Apache-2.0
"""Little CMS through ctypes: profiles that it makes, and its conversion in floating point without optimizations."""

import ctypes
import struct
import zlib

import numpy

D50 = (0.3457, 0.3585)
D65 = (0.3127, 0.3290)
PRIMARIES = {
    "sRGB": (D65, (0.64, 0.33), (0.30, 0.60), (0.15, 0.06)),
    "Display P3": (D65, (0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
    "Adobe RGB": (D65, (0.64, 0.33), (0.21, 0.71), (0.15, 0.06)),
    "ProPhoto": (D50, (0.734699, 0.265301), (0.159597, 0.840403), (0.036598, 0.000105)),
    "BT.2020": (D65, (0.708, 0.292), (0.170, 0.797), (0.131, 0.046))}
NO_OPTIMIZATION = 0x0100
FLOAT = 1 << 22
RGB_FLOAT = FLOAT | 4 << 16 | 3 << 3 | 4
CMYK_FLOAT = FLOAT | 6 << 16 | 4 << 3 | 4
GRAY_FLOAT = FLOAT | 3 << 16 | 1 << 3 | 4
RGB8 = 4 << 16 | 3 << 3 | 1
RGBA8 = 4 << 16 | 1 << 7 | 3 << 3 | 1
RGB16 = 4 << 16 | 3 << 3 | 2
COPY_ALPHA = 0x04000000
RELATIVE = 1


class Point(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("x", "y", "Y")]


class Triple(ctypes.Structure):
    _fields_ = [(name, Point) for name in ("red", "green", "blue")]


POINTER = ctypes.c_void_p
LIBRARY = ctypes.CDLL("liblcms2.so.2")
for function in ("cmsCreateRGBProfile", "cmsBuildGamma", "cmsBuildParametricToneCurve", "cmsOpenProfileFromMem",
                 "cmsCreateTransform", "cmsCreateGrayProfile", "cmsCreateLab4Profile", "cmsStageAllocCLutFloat",
                 "cmsPipelineAlloc", "cmsCreateProfilePlaceholder", "cmsBuildTabulatedToneCurve16",
                 "cmsTransform2DeviceLink"):
    getattr(LIBRARY, function).restype = POINTER


def gamma(exponent):
    return POINTER(LIBRARY.cmsBuildGamma(None, ctypes.c_double(exponent)))


def curve_of_srgb():
    values = (ctypes.c_double * 5)(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    return POINTER(LIBRARY.cmsBuildParametricToneCurve(None, 4, values))


def table(values):
    words = (ctypes.c_uint16 * len(values))(*[round(value * 65535) for value in values])
    return POINTER(LIBRARY.cmsBuildTabulatedToneCurve16(None, len(values), words))


def saved(profile):
    size = ctypes.c_uint32(0)
    LIBRARY.cmsSaveProfileToMem(profile, None, ctypes.byref(size))
    memory = ctypes.create_string_buffer(size.value)
    LIBRARY.cmsSaveProfileToMem(profile, memory, ctypes.byref(size))
    return memory.raw


def matrix_profile(primaries, curve):
    white, *colors = [Point(*point, 1) for point in PRIMARIES[primaries]]
    curves = (POINTER * 3)(curve, curve, curve)
    return saved(POINTER(LIBRARY.cmsCreateRGBProfile(ctypes.byref(white), ctypes.byref(Triple(*colors)), curves)))


def gray_profile(curve):
    return saved(POINTER(LIBRARY.cmsCreateGrayProfile(ctypes.byref(Point(*D50, 1)), curve)))


def opened(profile):
    return POINTER(LIBRARY.cmsOpenProfileFromMem(profile, len(profile)))


def transform(source, target, input_format, output_format, flags=0, intent=RELATIVE):
    return POINTER(
        LIBRARY.cmsCreateTransform(opened(source), input_format, opened(target), output_format, intent, flags))


def run(conversion, source, target, count):
    LIBRARY.cmsDoTransform(
        conversion, source.ctypes.data_as(POINTER), target.ctypes.data_as(POINTER), ctypes.c_uint32(count))


def exact(source, target, samples, black_point=False, intent=RELATIVE):
    """Samples from 0 to 1, height × width × channels, as those of the target: the last axis has 3 values."""
    flags = NO_OPTIMIZATION | (0x2000 if black_point else 0)
    channels = samples.shape[2]
    conversion = transform(
        source, target, {1: GRAY_FLOAT, 3: RGB_FLOAT, 4: CMYK_FLOAT}[channels], RGB_FLOAT, flags, intent)
    given = numpy.ascontiguousarray(samples * (100 if channels == 4 else 1), dtype=numpy.float32)
    found = numpy.zeros((*samples.shape[:2], 3), dtype=numpy.float32)
    run(conversion, given, found, samples.shape[0] * samples.shape[1])
    LIBRARY.cmsDeleteTransform(conversion)
    return numpy.clip(found.astype(numpy.float64), 0, 1)


def table_profile(grid=9):
    """A profile of RGB whose colors are tables alone, as scanners' and the ICC's own of sRGB are."""
    values = numpy.linspace(0, 1, grid)
    red, green, blue = numpy.meshgrid(values, values, values, indexing="ij")
    # Lab, encoded in 16 bits of version 2: some curved space that no matrix has.
    luma = (0.25 * red ** 1.9 + 0.65 * green ** 2.1 + 0.1 * blue ** 2) ** (1 / 2.6)
    a = 0.5 + 0.28 * (red ** 1.3 - green ** 1.2)
    b = 0.5 + 0.25 * (0.5 * (red + green) - blue ** 1.1)
    return lut_profile(b"scnrRGB Lab ", numpy.stack([luma, a, b], axis=3), (63190, 65536, 54061))


def ink_profile(grid=9):
    """A profile of four inks on yellowish paper, with a black that is not quite black."""
    values = numpy.linspace(0, 1, grid)
    cyan, magenta, yellow, black = numpy.meshgrid(values, values, values, values, indexing="ij")
    left = [(1 - 0.92 * ink ** 0.9) * (1 - 0.9 * black ** 0.95) for ink in (cyan, magenta, yellow)]
    luma = 0.08 + 0.87 * (0.22 * left[0] + 0.62 * left[1] + 0.16 * left[2]) ** 0.6
    a = 0.5 + 0.26 * (left[0] - left[1])
    b = 0.52 + 0.25 * (0.5 * (left[0] + left[1]) - left[2])
    return lut_profile(b"prtrCMYKLab ", numpy.stack([luma, a, b], axis=4), (60000, 62500, 48000))


def lut_profile(kind, colors, white):
    """A profile of version 2 whose table has colors, 0 to 1, of all points of a grid."""
    channels, grid = colors.ndim - 1, colors.shape[0]
    entries = (colors * 65280).round().clip(0, 65535).astype(">u2").tobytes()
    ramp = struct.pack(">HH", 0, 65535)
    lut = b"mft2" + bytes(4) + bytes([channels, 3, grid, 0])
    lut += b"".join(struct.pack(">i", 65536 if index % 4 == 0 else 0) for index in range(9))
    lut += struct.pack(">HH", 2, 2) + ramp * channels + entries + ramp * 3
    text = b"desc" + bytes(4) + struct.pack(">I", 7) + b"Tables\0"
    text += bytes(-len(text) % 4) + bytes(80)
    return assembled(kind, [(b"desc", text), (b"wtpt", xyz(*white)), (b"A2B0", lut)])


def xyz(*numbers):
    return b"XYZ " + bytes(4) + struct.pack(">iii", *numbers)


def lifted_profile(black, white=(63190, 65536, 54061)):
    """A profile of a scanner: primaries of sRGB, a curve that does not begin at no light, and a white of its own."""
    steps = black + (1 - black) * numpy.linspace(0, 1, 256) ** 2.2
    curve = b"curv" + bytes(4) + struct.pack(">I", 256) + (steps * 65535).round().astype(">u2").tobytes()
    colors = [(28578, 14581, 912), (25241, 46981, 6362), (9376, 3972, 46799)]
    tags = [(b"wtpt", xyz(*white))]
    tags += [(name, xyz(*color)) for name, color in zip((b"rXYZ", b"gXYZ", b"bXYZ"), colors)]
    tags += [(name, curve) for name in (b"rTRC", b"gTRC", b"bTRC")]
    return assembled(b"scnrRGB XYZ ", tags)


def assembled(kind, tags):
    """A profile of version 2 with tags."""
    place = 132 + 12 * len(tags)
    entries, data = b"", b""
    for name, content in tags:
        entries += name + struct.pack(">II", place + len(data), len(content))
        data += content + bytes(-len(content) % 4)
    body = struct.pack(">I", len(tags)) + entries + data
    header = bytearray(128)
    header[0:4] = struct.pack(">I", 128 + len(body))
    header[8:12] = bytes([2, 0x40, 0, 0])
    header[12:24] = kind
    header[36:40] = b"acsp"
    header[68:80] = struct.pack(">iii", 63190, 65536, 54061)
    return bytes(header) + body


def png_bytes(pixels, bits, profile=None, chunks=()):
    """A PNG of an array, height × width × channels."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    height, width, channels = pixels.shape
    rows = pixels.astype(">u2" if bits == 16 else "u1").reshape(height, -1)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    result = b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, bits, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0))
    for name, content in chunks:
        result += chunk(name, content)
    if profile:
        result += chunk(b"iCCP", b"profile\0\0" + zlib.compress(profile))
    return result + chunk(b"IDAT", zlib.compress(lines, 1)) + chunk(b"IEND", b"")
