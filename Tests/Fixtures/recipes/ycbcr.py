# SPDX-License-Identifier: Apache-2.0
"""YCbCr planes as pixels (ITU-T H.273, section 8.3), by the arithmetic of docs/formats/heif.md."""

import numpy as np

# Kr and Kb of matrix code points.
WEIGHTS = {1: (0.2126, 0.0722), 2: (0.299, 0.114), 5: (0.299, 0.114), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}


def rgb(planes, bits, matrix=2, full=False):
    """Planes of luma alone or of luma, Cb and Cr, each of its own size, as RGB of 8 bits, or of 16 above 8 bits.

    A chroma sample counts for all pixels that it covers. 8 bits are exact; more are computed in 32-bit floating point.
    """
    number = np.float32 if bits > 8 else np.float64
    top = number(65535 if bits > 8 else 255)
    unit, last = 1 << (bits - 8), (1 << bits) - 1
    offset, luma_span, chroma_span = (0, last, last) if full else (16 * unit, 219 * unit, 224 * unit)
    height, width = planes[0].shape
    grown = [plane.repeat(height // plane.shape[0], 0).repeat(width // plane.shape[1], 1) for plane in planes]

    def luma(plane):
        return (plane.astype(number) - number(offset)) / number(luma_span)

    def chroma(plane):
        return (plane.astype(number) - number(1 << (bits - 1))) / number(chroma_span)

    if len(planes) == 1:
        return np.stack([exact(grown[0], offset, luma_span, int(top))] * 3, axis=-1)
    if matrix == 0:
        return np.stack([exact(grown[i], offset, luma_span, int(top)) for i in (2, 0, 1)], axis=-1)
    if matrix == 8:
        y, cg, co = luma(grown[0]), chroma(grown[1]), chroma(grown[2])
        rest = y - cg
        colors = [rest + co, y + cg, rest - co]
    else:
        one, two = number(1), number(2)
        kr, kb = (number(weight) for weight in WEIGHTS[matrix])
        y, cb, cr = luma(grown[0]), chroma(grown[1]), chroma(grown[2])
        green = y - two * (kr * (one - kr) * cr + kb * (one - kb) * cb) / (one - kr - kb)
        colors = [y + two * (one - kr) * cr, green, y + two * (one - kb) * cb]
    return np.stack([(np.clip(c, 0, 1) * top + number(0.5)).astype(np.int64) for c in colors], axis=-1)


def exact(plane, offset, span, top):
    """Samples that only change their range, to the nearest."""
    return (np.clip(plane.astype(np.int64) - offset, 0, span) * top * 2 + span) // (2 * span)


def scaled(plane, bits, top):
    """Samples of the full range at another depth, to the nearest."""
    last = (1 << bits) - 1
    return (plane.astype(np.int64) * top * 2 + last) // (2 * last)


def straight(colors, alpha, top):
    """Colors that were multiplied by alpha; where it is 0, they are 0."""
    divisor = np.maximum(alpha, 1)[..., None]
    return np.where(alpha[..., None] == 0, 0, np.minimum((colors * top + alpha[..., None] // 2) // divisor, top))
