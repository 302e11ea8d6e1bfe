# SPDX-License-Identifier: Apache-2.0
"""JPEG, made by cjpeg and jpegtran, then changed segment by segment (ITU-T T.81)."""

import hashlib
import io
import struct
import tempfile

import imagecodecs
import numpy as np
from PIL import Image

import fixtures
from fixtures import picture, ppm, read_ppm, rgba, run, valid

FORMAT = "jpeg"


def encoded(samples, *options):
    return run("cjpeg", *options, data=ppm(samples))


def pixels_of(data):
    """What libjpeg's own tool makes of it: the exact answer for an 8-bit file."""
    return rgba(read_ppm(run("djpeg", "-dct", "int", "-pnm", data=data)))


def segment(marker, payload):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(payload) + 2) + payload


def with_segments(data, *segments):
    return data[:2] + b"".join(segments) + data[2:]


PROPERTIES = (
    b'<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"'
    b' xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmp:Label="one"%s/>',
    b'<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="two"/>',
)


def packet(properties):
    return (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        + properties
        + b"</rdf:RDF></x:xmpmeta>"
    )


def extended_xmp():
    """XMP part 3, 1.1.3.1: the first packet names the second one, which is cut in two."""
    other = packet(PROPERTIES[1])
    digest = hashlib.md5(other).hexdigest().upper().encode()
    yield segment(
        0xE1, b"http://ns.adobe.com/xap/1.0/\0" + packet(PROPERTIES[0] % (b' xmpNote:HasExtendedXMP="' + digest + b'"'))
    )
    for start, end in ((100, len(other)), (0, 100)):
        place = struct.pack(">II", len(other), start)
        yield segment(0xE1, b"http://ns.adobe.com/xmp/extension/\0" + digest + place + other[start:end])


def exif_directory(orientation):
    """A first directory that only points to Exif's own (Exif 2.32, 4.6.3), which holds the orientation."""
    own = fixtures.exif(orientation)[8:]
    return struct.pack("<2sHIHHHIII", b"II", 42, 8, 1, 0x8769, 4, 1, 26, 0) + own


def make():
    def still(name, shows, data, pixel_format="rgb8", **more):
        valid("jpeg", name, data, shows, pixels_of(data), pixel_format, **more)

    smooth = picture(37, 29, 3).astype(np.uint8)
    gray = picture(37, 29, 1).astype(np.uint8)
    base = ("-quality", "85", "-sample")
    for name, sample in (("444", "1x1"), ("422", "2x1"), ("420", "2x2"), ("440", "1x2"), ("411", "4x1")):
        still(
            f"baseline-{name}.jpg",
            f"baseline, 4:{name[1]}:{name[2]}",
            encoded(smooth, *base, sample),
            subsampling=int(name),
        )
    still("gray.jpg", "one channel", encoded(gray, "-quality", "85", "-grayscale"), "gray8")
    still(
        "progressive-420.jpg",
        "progressive",
        encoded(smooth, *base, "2x2", "-progressive"),
        subsampling=420,
        isProgressive=True,
    )
    still(
        "progressive-444.jpg",
        "progressive",
        encoded(smooth, *base, "1x1", "-progressive"),
        subsampling=444,
        isProgressive=True,
    )
    still(
        "progressive-gray.jpg",
        "progressive",
        encoded(gray, "-quality", "85", "-grayscale", "-progressive"),
        "gray8",
        isProgressive=True,
    )
    still("restart-interval.jpg", "a restart marker after each MCU", encoded(smooth, *base, "2x2", "-restart", "1B"))
    still("optimized.jpg", "Huffman tables of its own", encoded(smooth, *base, "2x2", "-optimize"))
    still("arithmetic.jpg", "arithmetic coding", encoded(smooth, *base, "2x2", "-arithmetic"))
    still("rgb.jpg", "RGB without a color transform", encoded(smooth, "-quality", "90", "-rgb"))
    still("quality-1.jpg", "coarse quantization", encoded(smooth, "-quality", "1"))
    still("quality-100.jpg", "fine quantization", encoded(picture(16, 12, 3).astype(np.uint8), "-quality", "100"))
    for width, height in ((1, 1), (8, 8), (9, 17), (16, 1)):
        still(
            f"pixels-{width}x{height}.jpg",
            "an edge inside a block",
            encoded(picture(width, height, 3).astype(np.uint8)),
        )
    plain = encoded(smooth, *base, "2x2")
    for orientation in range(1, 9):
        tags = fixtures.exif(orientation, big_endian=orientation % 2 == 0)
        still(
            f"orientation-{orientation}.jpg",
            f"Exif orientation {orientation}",
            with_segments(plain, segment(0xE1, b"Exif\0\0" + tags)),
            orientation=orientation,
            metadata={"Exif": tags},
        )
    tags = fixtures.exif(9)
    still(
        "orientation-9.jpg",
        "an orientation that does not exist",
        with_segments(plain, segment(0xE1, b"Exif\0\0" + tags)),
        metadata={"Exif": tags},
    )
    profile = fixtures.icc()
    marked = b"ICC_PROFILE\0"
    still(
        "icc.jpg",
        "an ICC profile in one segment",
        with_segments(plain, segment(0xE2, marked + b"\1\1" + profile)),
        metadata={"ICC": profile},
    )
    parts = [profile[:50], profile[50:99], profile[99:]]
    numbered = [segment(0xE2, marked + bytes([i + 1, 3]) + part) for i, part in enumerate(parts)]
    still(
        "icc-three-segments.jpg",
        "an ICC profile whose parts come in the wrong order",
        with_segments(plain, numbered[2], numbered[0], numbered[1]),
        metadata={"ICC": profile},
    )
    still(
        "xmp.jpg",
        "an XMP packet",
        with_segments(plain, segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + fixtures.XMP)),
        metadata={"XMP": fixtures.XMP},
    )
    still(
        "xmp-extended.jpg",
        "extended XMP, its second part first",
        with_segments(plain, *extended_xmp()),
        metadata={"XMP": packet(PROPERTIES[0] % b"" + PROPERTIES[1])},
    )
    still(
        "comment.jpg",
        "a comment and an unknown application segment",
        with_segments(plain, segment(0xFE, b"made for a test"), segment(0xE9, b"whatever")),
        metadata={"text": b"Comment\0made for a test\0"},
    )
    iptc = b"\x1c\x02\x78\0\x07Caption"
    resource = b"8BIM\x04\x04\0\0" + len(iptc).to_bytes(4, "big") + iptc
    still(
        "iptc.jpg",
        "an IPTC-IIM block in Photoshop's resources, which go on in a second segment",
        with_segments(plain, *[segment(0xED, b"Photoshop 3.0\0" + part) for part in (resource[:14], resource[14:])]),
        metadata={"IPTC": iptc},
    )
    store = fixtures.manifest_store()
    parts = [(1, store[8:70]), (2, store[70:])]
    still(
        "c2pa.jpg",
        "content credentials in two segments",
        with_segments(
            plain,
            *[segment(0xEB, b"JP\0\1" + number.to_bytes(4, "big") + store[:8] + part) for number, part in parts],
        ),
        metadata={"C2PA": store},
    )
    still(
        "comment-empty.jpg",
        "a comment whose length is 0, where 2 is the least (B.2.4.5)",
        with_segments(plain, b"\xff\xfe\0\0"),
    )
    tags = exif_directory(6)
    still(
        "orientation-exif.jpg",
        "the orientation is in Exif's own directory, not in the first",
        with_segments(plain, segment(0xE1, b"Exif\0\0" + tags)),
        orientation=6,
        metadata={"Exif": tags},
    )
    still("jfif-missing.jpg", "no JFIF segment", plain[:2] + plain[20:])
    still("fill-bytes.jpg", "fill bytes before a marker (B.1.1.2)", plain[:2] + b"\xff\xff\xff" + plain[2:])
    valid("jpeg", "end-missing.jpg", plain[:-2], "EOI is missing, and no pixel", pixels_of(plain), "rgb8")
    still("garbage-after-end.jpg", "bytes behind EOI", plain + b"trailing bytes")
    make_deep()
    make_heights()
    make_inks()
    make_invalid(plain, encoded(smooth, *base, "2x2", "-progressive"))


def make_deep():
    """More than 8 bits, and no loss: written by the libjpeg-turbo 3 of imagecodecs, whose pixels are those that went in."""

    def deep(name, shows, samples, bits, **options):
        data = imagecodecs.jpeg8_encode(np.ascontiguousarray(samples.squeeze()), bitspersample=bits, **options)
        decoded = imagecodecs.jpeg8_decode(data).reshape(samples.shape)
        assert (decoded == samples).all()
        color = samples.shape[-1] == 3
        pixel_format = ("rgb16" if color else "gray16") if bits > 8 else ("rgb8" if color else "gray8")
        pixels = rgba(samples, (1 << bits) - 1, 16 if bits > 8 else 8)
        valid("jpeg", name, data, shows, pixels, pixel_format, bits, subsampling=444 if color else 400,
              isLossless="lossless" in options)  # fmt: skip
        return data

    for bits in (8, 10, 12, 16):
        kind = np.uint8 if bits == 8 else np.uint16
        gray, color = picture(37, 29, 1, (1 << bits) - 1).astype(kind), picture(21, 13, 3, (1 << bits) - 1).astype(kind)
        deep(f"lossless-gray-{bits}.jpg", f"the lossless process, {bits} bits", gray, bits, lossless=True, predictor=1)
        deep(f"lossless-rgb-{bits}.jpg", f"the same in color, {bits} bits", color, bits, lossless=True, predictor=7)
    gray = picture(19, 11, 1, 4095).astype(np.uint16)
    for predictor in range(2, 7):
        deep(f"lossless-predictor-{predictor}.jpg", "another neighbor", gray, 12, lossless=True, predictor=predictor)
    # A level for each block, which no transform rounds.
    blocks = np.repeat(np.repeat(picture(5, 4, 1, 4095), 8, axis=0), 8, axis=1).astype(np.uint16)
    deep("deep-12.jpg", "12 bits in an extended file", blocks, 12, level=100)
    many = picture(64, 64, 1, 4095).astype(np.uint16)
    data = imagecodecs.jpeg8_encode(many.squeeze(), bitspersample=12, level=60)
    fixtures.invalid("jpeg", "truncated-deep.jpg", data[: len(data) * 3 // 4], "12 bits, cut in the scan", "truncated",
                     rows="some")  # fmt: skip
    data = imagecodecs.jpeg8_encode(gray.squeeze(), bitspersample=12, lossless=True, predictor=4)
    fixtures.invalid("jpeg", "truncated-lossless.jpg", data[: len(data) * 2 // 3], "lossless, cut in the scan",
                     "truncated", rows="some")  # fmt: skip
    scan = data.index(b"\xff\xda")
    fixtures.invalid("jpeg", "predictor-0.jpg", data[: scan + 7] + b"\0" + data[scan + 8 :],
                     "a lossless scan that predicts nothing", "malformed")  # fmt: skip


def make_heights():
    """A height of 0 in the frame header, which a DNL marker after the first scan gives (T.81, B.2.5)."""

    def later(data):
        frame = next(data.index(bytes([0xFF, code])) for code in (0xC0, 0xC2, 0xC3) if bytes([0xFF, code, 0]) in data)
        scan = data.index(b"\xff\xda")
        end = scan + 2 + int.from_bytes(data[scan + 2 : scan + 4], "big")
        while data[end] != 0xFF or data[end + 1] == 0 or 0xD0 <= data[end + 1] <= 0xD7:
            end += 1
        height = data[frame + 5 : frame + 7]
        return data[: frame + 5] + b"\0\0" + data[frame + 7 : end] + b"\xff\xdc\0\x04" + height + data[end:]

    color = picture(37, 29, 3).astype(np.uint8)
    for name, shows, options in (
        ("height-later", "a height that comes after the first scan", ()),
        ("height-later-restarts", "the same with restarts", ("-restart", "1")),
        ("height-later-progressive", "the same of several scans", ("-progressive",)),
    ):
        data = encoded(color, *options)
        valid("jpeg", f"{name}.jpg", later(data), shows, pixels_of(data), "rgb8", subsampling=420,
              isProgressive="-progressive" in options)  # fmt: skip
    gray = picture(37, 29, 1, 4095).astype(np.uint16)
    data = imagecodecs.jpeg8_encode(gray.squeeze(), bitspersample=12, lossless=True, predictor=5)
    valid("jpeg", "height-later-lossless.jpg", later(data), "the same of the lossless process", rgba(gray, 4095, 16),
          "gray16", 12, subsampling=400, isLossless=True)  # fmt: skip


def make_inks():
    """Four inks, each all or nothing, so that every way of mixing them has the same answer."""
    inks = np.array(
        [[0, 0, 0, 0], [255, 0, 0, 0], [0, 255, 0, 0], [0, 0, 255, 0], [0, 0, 0, 255], [255, 255, 0, 0]], np.uint8
    )
    samples = np.repeat(np.repeat(inks[None], 8, axis=0), 8, axis=1)
    output = io.BytesIO()
    # Pillow writes the inverted samples that Adobe's segment announces.
    Image.fromarray(samples, "CMYK").save(output, "JPEG", quality=100, subsampling=0)
    data = output.getvalue()
    white = 255 - samples[..., 3:].astype(int)
    colors = (255 - samples[..., :3].astype(int)) * white // 255
    assert b"Adobe" in data
    valid("jpeg", "cmyk-adobe.jpg", data, "four inverted inks with Adobe's segment", rgba(colors), "rgb8")
    start = data.index(b"\xff\xee\0\x0eAdobe")
    bare = data[:start] + data[start + 16 :]
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(bare))), np.asarray(Image.open(io.BytesIO(data))))
    valid("jpeg", "cmyk-bare.jpg", bare, "four inverted inks that nothing is said of", rgba(colors), "rgb8")


def make_invalid(plain, progressive):
    def bad(name, shows, data, error, **more):
        fixtures.invalid("jpeg", name, data, shows, error, **more)

    frame = plain.index(b"\xff\xc0")
    scan = plain.index(b"\xff\xda")

    def with_frame(marker=None, precision=8, height=29, width=37):
        fields = struct.pack(">BHH", precision, height, width)
        return plain[: frame + 1] + bytes([marker or 0xC0]) + plain[frame + 2 : frame + 4] + fields + plain[frame + 9 :]

    bad("soi-only.jpg", "nothing but SOI", plain[:2], "truncated")
    bad("wrong-signature.jpg", "the second byte is wrong", b"\xff\xd7" + plain[2:], "wrongFormat")
    bad("truncated-header.jpg", "cut inside the frame header", plain[: frame + 6], "truncated")
    bad("truncated-before-scan.jpg", "cut before the first scan", plain[:scan], "truncated")
    bad(
        "truncated-scan.jpg",
        "cut in the middle of the scan",
        plain[: scan + (len(plain) - scan) * 2 // 3],
        "truncated",
        rows="some",
    )
    bad(
        "truncated-progressive.jpg",
        "cut in a later scan",
        progressive[: len(progressive) * 3 // 4],
        "truncated",
        rows="some",
    )
    # One scan for each channel: the part holds rows of the first, and less than a bit for each block of all three.
    wide = np.repeat(np.repeat(picture(160, 120, 3), 10, axis=0), 10, axis=1).astype(np.uint8)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as scans:
        scans.write("".join(f"{channel}: 0-0, 0, 0;\n{channel}: 1-63, 0, 0;\n" for channel in range(3)))
        scans.flush()
        separate = encoded(wide, "-quality", "10", "-sample", "1x1", "-progressive", "-scans", scans.name)
    bad(
        "truncated-channel.jpg",
        "cut in the first channel's first scan",
        separate[:2_500],
        "truncated",
        rows="some",
    )
    bad("zero-width.jpg", "a width of 0", with_frame(width=0), "malformed")
    bad("zero-height.jpg", "a height of 0 without DNL", with_frame(height=0), "malformed")
    bad("precision-12.jpg", "12 bits in a baseline frame", with_frame(precision=12), "unsupported")
    bad("lossless-arithmetic.jpg", "the lossless process (SOF11)", with_frame(marker=0xCB), "unsupported")
    bad("hierarchical.jpg", "a differential frame (SOF5)", with_frame(marker=0xC5), "unsupported")
    bad("huge-canvas.jpg", "65,500 pixels in each direction", with_frame(height=65_500, width=65_500), "limitExceeded")
    tables = plain.index(b"\xff\xdb")
    length = struct.unpack(">H", plain[tables + 2 : tables + 4])[0]
    bad(
        "quantization-missing.jpg",
        "a quantization table is missing",
        plain[:tables] + plain[tables + 2 + length :],
        "malformed",
    )
    codes = plain.index(b"\xff\xc4")
    bad(
        "huffman-missing.jpg",
        "Huffman tables whose counts are garbage",
        plain[: codes + 5] + b"\xff" * 16 + plain[codes + 21 :],
        "malformed",
    )
    bad("scan-missing.jpg", "EOI comes before any scan", plain[:scan] + b"\xff\xd9", "malformed")
    bad("two-frames.jpg", "a second frame header", plain[:scan] + plain[frame : frame + 19] + plain[scan:], "malformed")
