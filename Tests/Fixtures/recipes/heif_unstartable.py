# SPDX-License-Identifier: Apache-2.0
"""An image sequence that cannot be started, beside a still."""

import numpy as np

import fixtures
import hevc
from heif_boxes import heif
from heif_uncompressed import MONO, item


def make(sequences, plain):
    """Pictures that refer to one that is not in the track, beside a still that is stored as it is."""
    later = [hevc.CodedPicture(sample.data, sample.shown - 1, False) for sample in plain.samples[1:]]
    stream = hevc.Stream(later, plain.configuration, plain.planes[1:], plain.bits)
    gray = fixtures.picture(12, 8, 1)
    still = item((12, 8), [MONO], gray.astype(np.uint8).tobytes())
    still.in_idat = True
    alone = heif([still], brand=b"mif1", brands=(b"mif1",))
    meta = alone[8 + 8 + 4 : -8]
    data = sequences.file([sequences.Track(stream, [100] * 2)], first=sequences.brands(b"msf1", b"msf1", b"hevc", b"mif1"), between=meta)
    fixtures.other("heif", "not-startable.heics", data)
