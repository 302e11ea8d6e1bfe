# SPDX-License-Identifier: Apache-2.0
"""YCbCr planes as pixels (ITU-T H.273, section 8.3) in the fixed-point arithmetic of docs/formats/heics.md."""

import numpy as np

# Kr and Kb of matrix code points.
WEIGHTS = {1: (0.2126, 0.0722), 2: (0.299, 0.114), 5: (0.299, 0.114), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}


def rounded(values):
    return np.floor(values + 0.5).astype(np.int64)


def rgb(planes, bits, matrix=2, full=False):
    """Planes of luma alone or of luma, Cb and Cr, each of its own size, as RGB of 8 bits, or of 16 above 8 bits.

    A chroma sample counts for all pixels that it covers.
    """
    top = 65535 if bits > 8 else 255
    fraction = 12 if bits > 8 else 16
    one = top * (1 << fraction)
    unit, last = 1 << (bits - 8), (1 << bits) - 1
    offset, luma_span, chroma_span = (0, last, last) if full else (16 * unit, 219 * unit, 224 * unit)
    height, width = planes[0].shape
    grown = [
        plane.astype(np.int64).repeat(height // plane.shape[0], 0).repeat(width // plane.shape[1], 1)
        for plane in planes
    ]

    def luma(plane):
        return rounded((plane - offset) / luma_span * one)

    def chroma(plane, weight):
        return rounded((plane - (1 << (bits - 1))) / chroma_span * weight * one)

    if len(planes) == 1:
        sums = [luma(grown[0])] * 3
    elif matrix == 0:
        sums = [luma(grown[2]), luma(grown[0]), luma(grown[1])]
    elif matrix == 8:
        y, cg, co = grown
        sums = [
            luma(y) + chroma(cg, -1) + chroma(co, 1),
            luma(y) + chroma(cg, 1),
            luma(y) + chroma(cg, -1) + chroma(co, -1),
        ]
    else:
        (red, blue), (y, cb, cr) = WEIGHTS[matrix], grown
        green = 1 - red - blue
        sums = [
            luma(y) + chroma(cr, 2 * (1 - red)),
            luma(y) + chroma(cb, -2 * blue * (1 - blue) / green) + chroma(cr, -2 * red * (1 - red) / green),
            luma(y) + chroma(cb, 2 * (1 - blue)),
        ]
    return np.stack([np.clip((s + (1 << (fraction - 1))) >> fraction, 0, top) for s in sums], axis=-1)


def scaled(plane, bits, top):
    """Samples of the full range at another depth, to the nearest."""
    last = (1 << bits) - 1
    return (plane.astype(np.int64) * top * 2 + last) // (2 * last)


def straight(colours, alpha, top):
    """Colours that were multiplied by alpha; where it is 0, they are 0."""
    divisor = np.maximum(alpha, 1)[..., None]
    return np.where(alpha[..., None] == 0, 0, np.minimum((colours * top + alpha[..., None] // 2) // divisor, top))
