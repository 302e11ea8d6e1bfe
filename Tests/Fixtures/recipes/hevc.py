# SPDX-License-Identifier: Apache-2.0
"""Coded pictures by x265 through ffmpeg, and the planes that ffmpeg's own decoder makes of them."""

import json
from pathlib import Path

import numpy as np

from fixtures import in_folder, picture, run

# bits, and the width and height that one chroma sample covers; None without chroma
FORMATS = {
    "yuv420p": (8, (2, 2)), "yuv422p": (8, (2, 1)), "yuv444p": (8, (1, 1)), "gray": (8, None),
    "yuv420p10le": (10, (2, 2)), "yuv422p10le": (10, (2, 1)), "yuv444p12le": (12, (1, 1)), "gray10le": (10, None),
}


class Stream:
    """Samples in decoding order with the frame that each shows, and planes in the order in which they are shown."""

    def __init__(self, samples, configuration, planes, bits):
        self.samples, self.configuration, self.planes, self.bits = samples, configuration, planes, bits

    @property
    def size(self):
        return self.planes[0][0].shape[1], self.planes[0][0].shape[0]


class CodedPicture:
    def __init__(self, data, shown, is_sync):
        self.data, self.shown, self.is_sync = data, shown, is_sync


def planes_of(raw, form, width, height):
    bits, ratio = FORMATS[form]
    kind = np.uint8 if bits == 8 else np.dtype("<u2")
    sizes = [(height, width)]
    if ratio:
        sizes += [(height // ratio[1], width // ratio[0])] * 2
    samples = np.frombuffer(raw, kind)
    frames, place = [], 0
    while place < samples.size:
        frame = []
        for h, w in sizes:
            frame.append(samples[place : place + h * w].reshape(h, w))
            place += h * w
        frames.append(frame)
    return frames


def moving(width, height, count, form, seed=0):
    """Planes of a picture that moves, as raw bytes."""
    bits, ratio = FORMATS[form]
    raw = b""
    for index in range(count):
        whole = picture(width, height, 3, (1 << bits) - 1)
        whole = np.roll(whole, index * 3 + seed, axis=1)
        parts = [whole[..., 0]]
        if ratio:
            parts += [whole[:: ratio[1], :: ratio[0], 1 + c][: height // ratio[1], : width // ratio[0]] for c in (0, 1)]
        for part in parts:
            raw += np.ascontiguousarray(part).astype(np.uint8 if bits == 8 else "<u2").tobytes()
    return raw


def encode(count, form="yuv420p", size=(32, 24), options="", seed=0, decoded_as=None):
    """Encodes moving pictures with options of x265.

    ffmpeg names planes of green, blue and red `gbrp`, and would convert them to anything else.
    """
    width, height = size
    raw = moving(width, height, count, form, seed)
    settings = "info=0:ctu=16:min-cu-size=8:qp=26:no-scenecut=1:frame-threads=1:log-level=none"
    # Slices come out right with wavefronts only, which need a thread.
    settings += "" if "slices" in options else ":pools=none"

    def body(folder):
        path = folder / "coded.mp4"
        run(
            "ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", form, "-s", f"{width}x{height}", "-r", "10",
            "-i", "-", "-c:v", "libx265", "-pix_fmt", form, "-bf", "0", "-x265-params", f"{settings}:{options}",
            "-bitexact", "-tag:v", "hvc1", str(path), data=raw)
        said = run(
            "ffprobe", "-v", "error", "-ignore_editlist", "1", "-show_packets", "-show_entries",
            "packet=pts,pos,size,flags", "-of", "json", str(path))
        decoded = run(
            "ffmpeg", "-v", "error", "-threads", "1", "-ignore_editlist", "1", "-i", str(path), "-vsync",
            "passthrough", "-f", "rawvideo", "-pix_fmt", decoded_as or form, "-")
        return read(path, json.loads(said)["packets"], decoded)

    def read(path, packets, decoded):
        data = Path(path).read_bytes()
        order = sorted(int(p["pts"]) for p in packets)
        samples = [
            CodedPicture(
                data[int(p["pos"]) : int(p["pos"]) + int(p["size"])], order.index(int(p["pts"])), "K" in p["flags"])
            for p in packets
        ]
        start = data.index(b"hvcC")
        length = int.from_bytes(data[start - 4 : start], "big")
        planes = planes_of(decoded, form, width, height)
        assert len(planes) == len(samples) == count, (len(planes), len(samples))
        return Stream(samples, data[start + 4 : start - 4 + length], planes, FORMATS[form][0])

    return in_folder(body)


def units(configuration):
    """The parameter sets of a configuration record (ISO/IEC 14496-15, section 8.3.3.1)."""
    found, place = [], 23
    for _ in range(configuration[22]):
        count = int.from_bytes(configuration[place + 1 : place + 3], "big")
        place += 3
        for _ in range(count):
            length = int.from_bytes(configuration[place : place + 2], "big")
            found.append(configuration[place + 2 : place + 2 + length])
            place += 2 + length
    return found


def configuration_of(record, found):
    """The record with other parameter sets."""
    arrays = b"".join(
        bytes([0x80 | unit[0] >> 1]) + (1).to_bytes(2, "big") + len(unit).to_bytes(2, "big") + unit for unit in found)
    return record[:22] + bytes([len(found)]) + arrays


def with_size(unit, width, height):
    """An SPS of one sub-layer with other sizes (ITU-T H.265, section 7.3.2.2.1), without a conformance window."""
    payload = unit[2:].replace(b"\0\0\3", b"\0\0")
    bits = "".join(f"{byte:08b}" for byte in payload)
    place = 8 + 96

    def golomb():
        nonlocal place
        zeros = bits.index("1", place) - place
        value = int(bits[place + zeros : place + 2 * zeros + 1], 2) - 1
        place += 2 * zeros + 1
        return value

    def code(value):
        text = f"{value + 1:b}"
        return "0" * (len(text) - 1) + text

    golomb(), golomb()
    start = place
    golomb(), golomb()
    if bits[place] == "1":
        place += 1
        golomb(), golomb(), golomb(), golomb()
    else:
        place += 1
    changed = bits[:start] + code(width) + code(height) + "0" + bits[place:]
    changed += "0" * (-len(changed) % 8)
    raw = bytes(int(changed[i : i + 8], 2) for i in range(0, len(changed), 8))
    escaped, zeros = b"", 0
    for byte in raw:
        if zeros >= 2 and byte <= 3:
            escaped, zeros = escaped + b"\3", 0
        escaped += bytes([byte])
        zeros = zeros + 1 if byte == 0 else 0
    return unit[:2] + escaped
