# SPDX-License-Identifier: Apache-2.0
"""What all recipes share: test pictures, hashes, compositing by the letter of the specifications, and the answers."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from answers import text_of_answers

ROOT = Path(__file__).parent.parent
LARGEST = 4096

# What the recipes of each format have made so far: {"png": {"valid/rgb8.png": (bytes, answer)}}.
made = {}


def fnv(data):
    """64-bit FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def manifest_store():
    """A box of JUMBF that is described as a manifest store of C2PA, and has bytes of no meaning in it."""
    kind = bytes.fromhex("6332706100110010800000aa00389b71")
    description = b"jumd" + kind + b"\3c2pa\0"
    content = (len(description) + 4).to_bytes(4, "big") + description + bytes(range(100))
    return (len(content) + 8).to_bytes(4, "big") + b"jumb" + content


def picture(width, height, channels, largest=255):
    """A picture that is different in every channel, with smooth and rough parts. Samples from 0 to `largest`."""
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    planes = [
        x * largest // max(width - 1, 1),
        y * largest // max(height - 1, 1),
        ((x ^ y) * 37) % (largest + 1),
        (x + y) * largest // max(width + height - 2, 1),
    ]
    if channels == 1:
        return planes[0][..., None] * 0 + ((planes[0] + planes[1]) // 2)[..., None]
    if channels == 2:
        return np.stack([(planes[0] + planes[1]) // 2, planes[3]], axis=-1)
    return np.stack(planes[:channels], axis=-1)


def rgba(samples, largest=255, depth=8):
    """Samples of 1 to 4 channels as RGBA of 8 or 16 bits."""
    top = (1 << depth) - 1
    scaled = (samples.astype(np.int64) * top * 2 + largest) // (2 * largest)
    count = scaled.shape[-1]
    gray = scaled[..., :1]
    color = np.concatenate([gray] * 3, axis=-1) if count <= 2 else scaled[..., :3]
    alpha = scaled[..., -1:] if count in (2, 4) else np.full_like(gray, top)
    return np.concatenate([color, alpha], axis=-1).astype("<u2" if depth == 16 else np.uint8)


def upright(pixels, orientation):
    """A stored picture as it is shown, by the table of Exif 2.32, section 4.6.4 A."""
    turned = {
        1: lambda a: a,
        2: lambda a: a[:, ::-1],
        3: lambda a: a[::-1, ::-1],
        4: lambda a: a[::-1],
        5: lambda a: a.transpose(1, 0, 2),
        6: lambda a: a[::-1].transpose(1, 0, 2),
        7: lambda a: a[::-1, ::-1].transpose(1, 0, 2),
        8: lambda a: a.transpose(1, 0, 2)[::-1],
    }
    return np.ascontiguousarray(turned[orientation](pixels))


class Frame:
    """A frame of an animation before compositing: RGBA pixels and what the file says of them."""

    def __init__(self, pixels, x=0, y=0, delay=(1, 10), disposal="keep", blend="source"):
        self.pixels, self.x, self.y, self.delay = pixels, x, y, delay
        self.disposal, self.blend = disposal, blend

    @property
    def rect(self):
        return [self.x, self.y, self.pixels.shape[1], self.pixels.shape[0]]


def over(above, below):
    """Source over destination for straight alpha, to the nearest sample (PNG Third Edition, section 13.16)."""
    top = 65535 if above.dtype.itemsize == 2 else 255
    a, b = above.astype(object), below.astype(object)
    result = below.copy()
    for y in range(a.shape[0]):
        for x in range(a.shape[1]):
            alpha, under = int(a[y, x, 3]), int(b[y, x, 3])
            if alpha == 0:
                continue
            wa, wb = alpha * top, under * (top - alpha)
            total = wa + wb
            for c in range(3):
                result[y, x, c] = (int(a[y, x, c]) * wa + int(b[y, x, c]) * wb + total // 2) // total
            result[y, x, 3] = (total + top // 2) // top
    return result


def composite(width, height, frames):
    """The canvas as it is while each frame is shown; the background is transparent."""
    canvas = np.zeros((height, width, 4), frames[0].pixels.dtype)
    shown = []
    for frame in frames:
        x, y, w, h = frame.rect
        region = np.s_[y : y + h, x : x + w]
        before = canvas.copy()
        canvas[region] = frame.pixels if frame.blend == "source" else over(frame.pixels, canvas[region])
        shown.append(canvas.copy())
        if frame.disposal == "restoreBackground":
            canvas[region] = 0
        elif frame.disposal == "restorePrevious":
            canvas = before
    return shown


def add(fmt, name, data, answer):
    """Keeps a fixture until `write` is called. `name` is its path in the format's folder: `valid/rgb8.png`."""
    if len(data) > LARGEST:
        raise SystemExit(f"{fmt}/{name} has {len(data)} bytes, {LARGEST} are allowed")
    fixtures = made.setdefault(fmt, {})
    if name in fixtures:
        raise SystemExit(f"{fmt}/{name} is made twice")
    fixtures[name] = (data, answer)


def write(fmt):
    """Replaces a format's folder by the fixtures that were added for it. Returns how many there are."""
    folder = ROOT / fmt
    shutil.rmtree(folder, ignore_errors=True)
    for name, (data, _) in made[fmt].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    answers = {name: answer for name, (_, answer) in made[fmt].items() if answer}
    (folder / "answers.json").write_text(text_of_answers(answers))
    return len(answers)


def valid(fmt, name, data, shows, pixels, pixel_format, bits=8, alpha="opaque", orientation=1, metadata=None, **more):
    """A still picture. `pixels` is RGBA as stored."""
    height, width = pixels.shape[:2]
    answer = {
        "shows": shows,
        "canvas": [width, height],
        "pixelFormat": pixel_format,
        "bitsPerChannel": bits,
        "alpha": alpha,
    }
    answer["hashFormat"] = "rgba16" if pixels.dtype.itemsize == 2 else "rgba8"
    if orientation != 1:
        answer["orientation"] = orientation
        answer["uprightHash"] = fnv(upright(pixels, orientation).tobytes())
    if metadata:
        answer["metadata"] = {kind: {"bytes": len(load), "hash": fnv(load)} for kind, load in metadata.items()}
    answer.update(more)
    answer["frames"] = [{"hash": fnv(pixels.tobytes())}]
    add(fmt, f"valid/{name}", data, answer)


def animated(fmt, name, data, shows, size, frames, loop_count, pixel_format="rgba8", bits=8, alpha="straight", **more):
    """An animation; `loop_count` is the number of plays in all, or "infinite"."""
    answer = {"shows": shows, "canvas": list(size), "pixelFormat": pixel_format, "bitsPerChannel": bits, "alpha": alpha}
    answer["hashFormat"] = "rgba16" if frames[0].pixels.dtype.itemsize == 2 else "rgba8"
    answer["loopCount"] = loop_count
    answer.update(more)
    answer["frames"] = [
        {"rect": f.rect, "delay": list(f.delay), "disposal": f.disposal, "blend": f.blend, "hash": fnv(shown.tobytes())}
        for f, shown in zip(frames, composite(*size, frames))
    ]
    add(fmt, f"valid/{name}", data, answer)


def invalid(fmt, name, data, shows, error, **more):
    """A bad file. `error` is the code; `rows`: "none", "some" or "any" rows come before the error."""
    add(fmt, f"invalid/{name}", data, {"shows": shows, "error": error, **more})


def other(fmt, name, data):
    """A file for a test of its own, since its answer depends on how it is read."""
    add(fmt, f"other/{name}", data, None)


def run(*command, data=None):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def read_ppm(data):
    """A binary PPM or PGM of 8 bits as samples."""
    fields, position = [], 0
    while len(fields) < 4:
        while data[position : position + 1].isspace():
            position += 1
        end = position
        while not data[end : end + 1].isspace():
            end += 1
        fields.append(data[position:end])
        position = end
    channels = 3 if fields[0] == b"P6" else 1
    width, height = int(fields[1]), int(fields[2])
    return np.frombuffer(data, np.uint8, width * height * channels, position + 1).reshape(height, width, channels)


def ppm(samples):
    height, width, channels = samples.shape
    return b"P%d\n%d %d\n255\n" % (6 if channels == 3 else 5, width, height) + samples.astype(np.uint8).tobytes()


def in_folder(body):
    with tempfile.TemporaryDirectory() as folder:
        return body(Path(folder))


def exif(orientation, big_endian=False):
    """A TIFF header with one directory that holds the Orientation tag (TIFF 6.0, section 2)."""
    order = "big" if big_endian else "little"

    def number(value, size):
        return value.to_bytes(size, order)

    entry = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + b"\0\0"
    return (b"MM" if big_endian else b"II") + number(42, 2) + number(8, 4) + number(1, 2) + entry + number(0, 4)


XMP = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>'
)


def icc(space=b"RGB "):
    """The smallest profile that has a header and a tag table (ICC.1:2022, section 7.2)."""
    body = b"desc" + bytes(4) + b"test" + bytes(4)
    tags = (1).to_bytes(4, "big") + b"desc" + (144).to_bytes(4, "big") + len(body).to_bytes(4, "big")
    size = 128 + len(tags) + len(body)
    header = bytearray(128)
    header[0:4] = size.to_bytes(4, "big")
    header[8:12] = b"\x04\x30\x00\x00"
    header[12:16] = b"mntr"
    header[16:20] = space
    header[20:24] = b"XYZ "
    header[36:40] = b"acsp"
    header[68:80] = bytes.fromhex("0000f6d6000100000000d32d")
    return bytes(header) + tags + body
