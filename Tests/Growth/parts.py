# SPDX-License-Identifier: Apache-2.0
"""Files with any number of chunks, segments, tags, pages, tiles, lines or elements. Each function takes the number."""
import hashlib
import os
import struct
import subprocess
import tempfile
import zlib

from animations import fixture


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(before=lambda count: b"", pixels=lambda data, count: chunk(b"IDAT", data)):
    """A picture of 8×8 with chunks before its pixels, whose rows are in one chunk or in more."""

    def make(count):
        data = zlib.compress(b"\0".join([bytes(8)] * 9)[:72], 0)
        header = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0))
        return b"\x89PNG\r\n\x1a\n" + header + before(count) + pixels(data, count) + chunk(b"IEND", b"")

    return make


png_unknown = png(lambda count: chunk(b"abCd", b"x") * count)
png_texts = png(lambda count: b"".join(chunk(b"tEXt", b"k%d\0v" % index) for index in range(count)))
png_long_texts = png(lambda count: b"".join(chunk(b"iTXt", b"k%d\0\0\0\0\0v" % index) for index in range(count)))
png_palettes = png(lambda count: b"".join(chunk(b"sPLT", b"p%d\0\x08" % index + bytes(6)) for index in range(count)))
png_pieces = png(pixels=lambda data, count: chunk(b"IDAT", data) + chunk(b"IDAT", b"") * count)


def gif_header(width=1, height=1):
    return struct.pack("<6sHHBBB", b"GIF89a", width, height, 0x80, 0, 0) + bytes([0, 0, 0, 255, 255, 255])


GIF_IMAGE = struct.pack("<BHHHHB", 0x2C, 0, 0, 1, 1, 0) + bytes([2, 2, 0x44, 1, 0])


def gif_comments(count):
    return gif_header() + b"\x21\xfe\1a\0" * count + GIF_IMAGE + b";"


def gif_applications(count):
    return gif_header() + b"\x21\xff\x0bABCDEFGH123\1a\0" * count + GIF_IMAGE + b";"


def gif_pieces(count):
    """Pixels in blocks of one byte each: codes of 8 bits, and a clear code before they would grow."""
    rows = (b"\x80" + bytes(100)) * (count // 100) + b"\x81"
    image = struct.pack("<BHHHHB", 0x2C, 0, 0, 100, count // 100, 0) + b"\7"
    return gif_header(100, count // 100) + image + b"".join(bytes([1, code]) for code in rows) + b"\0;"


def webp_chunks(count):
    data = fixture("webp/valid/unknown-chunk.webp")
    body = data[8:] + b"abcd\0\0\0\0" * count
    return b"RIFF" + struct.pack("<I", len(body)) + body


def segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", 2 + len(data)) + data


def jpeg(make):
    """The first bytes of a file, and segments after them."""
    return lambda count: fixture("jpeg/valid/baseline-444.jpg")[:2] + make(count) + fixture("jpeg/valid/baseline-444.jpg")[2:]


jpeg_comments = jpeg(lambda count: segment(0xFE, b"a") * count)
jpeg_unknown = jpeg(lambda count: segment(0xED, b"a") * count)
jpeg_resources = jpeg(lambda count: segment(0xED, b"Photoshop 3.0\0" + resource(0x0FA0)) * count)
jpeg_tables = jpeg(lambda count: segment(0xDB, b"\3" + b"\1" * 64) * count)


def jpeg_extended_xmp(count):
    """XMP of which each byte is in a segment of its own."""
    rest = XMP % (b"", b"<a:k>" + b"v" * count + b"</a:k>")
    name = hashlib.md5(rest).hexdigest().upper().encode()
    first = (b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
             b"xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
             b"xmlns:xmpNote='http://ns.adobe.com/xmp/note/' xmpNote:HasExtendedXMP='" + name + b"'/></rdf:RDF></x:xmpmeta>")
    start = b"http://ns.adobe.com/xmp/extension/\0" + name
    pieces = b"".join(
        segment(0xE1, start + struct.pack(">II", len(rest), index) + rest[index : index + 1]) for index in range(len(rest)))
    return jpeg(lambda _: segment(0xE1, first) + pieces)(0)


def jpeg_credentials(count):
    """A box of which each byte is in a segment of its own (ISO/IEC 19566-5, D.2)."""
    head = struct.pack(">I4s", 8 + count, b"jumb")
    return jpeg(lambda _: b"".join(segment(0xEB, b"JP\0\1" + struct.pack(">I", index + 1) + head + b"a") for index in range(count)))(0)


def jpeg_restarts(count):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/a.pgm", "wb") as file:
            file.write(b"P5 8 %d 255\n" % (8 * count) + bytes(64 * count))
        coders = [os.environ["CODERS"], "convert", "--quiet", "--option", "restart=1"]
        subprocess.run([*coders, f"{folder}/a.pgm", f"{folder}/a.jpg"], check=True)
        with open(f"{folder}/a.jpg", "rb") as file:
            return file.read()


def jpeg_scans(count):
    """A gray block of zeros: a scan for each bit of each coefficient, of one code that ends the block."""
    code = bytes([1] + [0] * 15 + [0])
    start = [b"\xff\xd8", segment(0xDB, b"\0" + b"\1" * 64), segment(0xC2, b"\x08\0\x08\0\x08\1\1\x11\0"),
             segment(0xC4, b"\0" + code), segment(0xC4, b"\x10" + code), segment(0xDA, b"\1\1\0\0\0\0") + b"\x7f"]
    steps = [(place, bit) for place in range(1, 64) for bit in range(13, -1, -1)][:count]
    scans = [
        segment(0xDA, bytes([1, 1, 0, place, place, (bit + 1 if bit < 13 else 0) << 4 | bit])) + b"\x7f" for place, bit in steps]
    return b"".join(start + scans) + b"\xff\xd9"


def resource(number, data=b""):
    return b"8BIM" + struct.pack(">H", number) + b"\0\0" + struct.pack(">I", len(data)) + data + bytes(len(data) % 2)


def tiff(entries, data=b"", width=1, height=1, following=0):
    """A picture of gray samples. Entries: {tag: (type, count, value)}, a value of bytes lies elsewhere."""
    place = 8 + len(data)
    known = {256: (4, 1, width), 257: (4, 1, height), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1), 277: (3, 1, 1)}
    entries = sorted({**known, **entries}.items())
    values, parts = b"", []
    begin = place + 2 + 12 * len(entries) + 4
    for tag, (kind, count, value) in entries:
        if isinstance(value, bytes):
            value, values = (begin + len(values), values + value + bytes(len(value) % 2))
        parts.append(struct.pack("<HHII", tag, kind, count, value))
    head = b"II*\0" + struct.pack("<I", place) + data
    return head + struct.pack("<H", len(parts)) + b"".join(parts) + struct.pack("<I", following) + values


ONE_ROW = {273: (4, 1, 8), 278: (4, 1, 1), 279: (4, 1, 1)}


def tiff_tags(count):
    return tiff({**ONE_ROW, **{40000 + index: (4, 1, index) for index in range(count)}}, b"\x80\0")


def tiff_pages(count):
    """Each page of a directory of its own, after the pixel that all of them have."""
    entries = {256: (4, 1, 1), 257: (4, 1, 1), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1), **ONE_ROW, 277: (3, 1, 1)}
    length = 2 + 12 * len(entries) + 4
    body = b"".join(struct.pack("<HHII", tag, *values) for tag, values in sorted(entries.items()))
    pages = [
        struct.pack("<H", len(entries)) + body + struct.pack("<I", 10 + length * (index + 1) if index < count - 1 else 0)
        for index in range(count)]
    return b"II*\0" + struct.pack("<I", 10) + b"\x80\0" + b"".join(pages)


def tiff_strips(count):
    places, lengths = struct.pack(f"<{count}I", *[8] * count), struct.pack(f"<{count}I", *[1] * count)
    return tiff({273: (4, count, places), 278: (4, 1, 1), 279: (4, count, lengths)}, b"\x80\0", height=count)


def tiff_tiles(count):
    places, lengths = struct.pack(f"<{count}I", *[8] * count), struct.pack(f"<{count}I", *[256] * count)
    shape = {322: (4, 1, 16), 323: (4, 1, 16), 324: (4, count, places), 325: (4, count, lengths)}
    return tiff(shape, bytes(256), width=16, height=16 * count)


def tiff_exif(count):
    directory = struct.pack("<H", count) + b"".join(struct.pack("<HHII", 40000 + i, 4, 1, i) for i in range(count)) + bytes(4)
    return tiff({**ONE_ROW, 34665: (4, 1, 10)}, b"\x80\0" + directory)


def tiff_block(tag, kind, make):
    def made(count):
        data = make(count)
        return tiff({**ONE_ROW, tag: (kind, len(data), data)}, b"\x80\0")

    return made


tiff_resources = tiff_block(34377, 1, lambda count: resource(0x0FA0) * count)
tiff_iptc = tiff_block(33723, 7, lambda count: b"\x1c\2\x19\0\1k" * count)
XMP = (b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
       b"<rdf:Description rdf:about='' xmlns:a='http://a/'%s>%s</rdf:Description></rdf:RDF></x:xmpmeta>")
tiff_xmp = tiff_block(700, 1, lambda count: XMP % (b"", b"".join(b"<a:k%d>v</a:k%d>" % (i, i) for i in range(count))))
tiff_xmp_list = tiff_block(700, 1, lambda count: XMP % (
    b"", b"<a:k><rdf:Bag>" + b"<rdf:li>v</rdf:li>" * count + b"</rdf:Bag></a:k>"))
tiff_xmp_namespaces = tiff_block(700, 1, lambda count: XMP % (
    b"", b"".join(b"<b:k xmlns:b='http://b/%d'>v</b:k>" % i for i in range(count))))
tiff_xmp_attributes = tiff_block(700, 1, lambda count: XMP % (b"".join(b" a:k%d='v'" % i for i in range(count)), b""))


def tiff_profile(count):
    """Of a picture in RGB, as the profile is."""
    data = profile(count)
    bits = struct.pack("<3H", 8, 8, 8)
    return tiff({**ONE_ROW, 258: (3, 3, bits), 262: (3, 1, 2), 277: (3, 1, 3), 279: (4, 1, 3), 34675: (7, len(data), data)}, b"\x80\x40\0\0")


def profile(count):
    """A profile of matrix and curves (ICC.1 §8.3.3) after so many further tags, all of them one text."""
    def place(*values):
        return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(65536 * value) for value in values))

    curve, text = b"curv\0\0\0\0" + struct.pack(">IHH", 1, 0x0233, 0), b"text\0\0\0\0abc\0"
    colors = {b"rXYZ": place(0.4361, 0.2225, 0.0139), b"gXYZ": place(0.3851, 0.7169, 0.0971), b"bXYZ": place(0.1431, 0.0606, 0.7141),
              b"wtpt": place(0.9642, 1, 0.8249), b"rTRC": curve, b"gTRC": curve, b"bTRC": curve}
    end = 132 + 12 * (count + len(colors))
    table, data = b"".join(struct.pack(">III", 0x61000000 + i, end, len(text)) for i in range(count)), text
    for name, value in colors.items():
        table += struct.pack(">4sII", name, end + len(data), len(value))
        data += value
    header = struct.pack(">I4sI4s4s4s12x4s28x3i", end + len(data), b"\0" * 4, 0x02100000, b"mntr", b"RGB ", b"XYZ ", b"acsp", 63190, 65536, 54061)
    return header.ljust(128, b"\0") + struct.pack(">I", count + len(colors)) + table + data


def dng_tags(count):
    """The first directory, with more tags, after what the file had."""
    data = fixture("raw/valid/rggb.dng")
    place, = struct.unpack_from("<I", data, 4)
    known, = struct.unpack_from("<H", data, place)
    parts = [data[place + 2 + 12 * i :][:12] for i in range(known)] + [struct.pack("<HHII", 55000 + i, 4, 1, i) for i in range(count)]
    parts.sort(key=lambda part: struct.unpack_from("<H", part)[0])
    data += bytes(len(data) % 2)
    return (b"II*\0" + struct.pack("<I", len(data)) + data[8:] + struct.pack("<H", len(parts)) + b"".join(parts) + bytes(4))


def ico_pages(count):
    data = fixture("ico/valid/rgb24.ico")
    size, place = struct.unpack_from("<II", data, 14)
    entry = data[6:14] + struct.pack("<II", size, 6 + 16 * count)
    return struct.pack("<HHH", 0, 1, count) + entry * count + data[place : place + size]


def icns_elements(count):
    data = fixture("icns/valid/masked-16.icns")
    body = data[8:] + b"abcd\0\0\0\x08" * count
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def psd_sections(resources=b"", layers=b""):
    """A picture of 1×1, gray."""
    start = b"8BPS\0\1" + bytes(6) + struct.pack(">HIIHH", 1, 1, 1, 8, 1) + bytes(4)
    return start + struct.pack(">I", len(resources)) + resources + struct.pack(">I", len(layers)) + layers + b"\0\0\x80"


def psd_resources(count):
    return psd_sections(resource(0x0FA0) * count)


def psd_layers(count):
    layer = bytes(18) + b"8BIMnorm" + bytes([255, 0, 0, 0]) + struct.pack(">I", 12) + bytes(12)
    info = struct.pack(">h", count) + layer * count
    info += bytes(-len(info) % 4)
    return psd_sections(layers=struct.pack(">I", len(info)) + info + bytes(4))


def attribute(name, kind, data):
    return name + b"\0" + kind + b"\0" + struct.pack("<I", len(data)) + data


def exr_header(width, height, more=b""):
    window = struct.pack("<iiii", 0, 0, width - 1, height - 1)
    return b"".join([
        attribute(b"channels", b"chlist", b"Y\0" + struct.pack("<IBBBBII", 1, 0, 0, 0, 0, 1, 1) + b"\0"),
        attribute(b"compression", b"compression", b"\0"), attribute(b"dataWindow", b"box2i", window),
        attribute(b"displayWindow", b"box2i", window), attribute(b"lineOrder", b"lineOrder", b"\0"),
        attribute(b"pixelAspectRatio", b"float", struct.pack("<f", 1)),
        attribute(b"screenWindowCenter", b"v2f", bytes(8)), attribute(b"screenWindowWidth", b"float", struct.pack("<f", 1)), more]) + b"\0"


def exr_lines(height, more=b""):
    head = b"\x76\x2f\x31\1\2\0\0\0" + exr_header(1, height, more)
    places = b"".join(struct.pack("<Q", len(head) + 8 * height + 10 * row) for row in range(height))
    return head + places + b"".join(struct.pack("<iIH", row, 2, 0x3C00) for row in range(height))


def exr_attributes(count):
    return exr_lines(1, b"".join(attribute(b"a%d" % index, b"int", bytes(4)) for index in range(count)))


def exr_parts(count):
    headers = b"".join(
        exr_header(1, 1, attribute(b"name", b"string", b"p%d" % part) + attribute(b"type", b"string", b"scanlineimage")
                   + attribute(b"chunkCount", b"int", struct.pack("<i", 1))) for part in range(count))
    head = b"\x76\x2f\x31\1\2\x10\0\0" + headers + b"\0"
    places = b"".join(struct.pack("<Q", len(head) + 8 * count + 14 * part) for part in range(count))
    return head + places + b"".join(struct.pack("<IiIH", part, 0, 2, 0x3C00) for part in range(count))


def hdr_lines(count):
    return b"#?RADIANCE\n" + b"A=1\n" * count + b"FORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x80\x80\x80"


def pnm_comments(count):
    return b"P5\n" + b"# a\n" * count + b"1 1\n255\n\x80"


def pnm_pages(count):
    return b"P5 1 1 255\n\x80" * count


def bmp_runs(count):
    """Rows of one pixel, in runs."""
    pixels = b"\1\0\0\0" * count + b"\0\1"
    head = struct.pack("<IiiHHIIiiII", 40, 1, count, 1, 8, 1, len(pixels), 0, 0, 1, 1) + bytes(4)
    return b"BM" + struct.pack("<IHHI", 14 + len(head) + len(pixels), 0, 0, 14 + len(head)) + head + pixels


def qoi_codes(count):
    return b"qoif" + struct.pack(">IIBB", 1, count, 3, 0) + b"\xfe\1\2\3" * count + bytes(7) + b"\1"


def svg(make):
    def made(count):
        return b"<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'>" + make(count) + b"</svg>"

    return made


svg_elements = svg(lambda count: b"<rect width='1' height='1'/>" * count)
svg_styles = svg(lambda count: b"<style>" + b"".join(b".c%d{fill:red}" % i for i in range(count)) + b"</style><rect width='1' height='1'/>")
svg_uses = svg(lambda count: b"<rect id='a' width='1' height='1'/>" + b"<use href='#a'/>" * count)
svg_gradients = svg(lambda count: b"".join(
    b"<linearGradient id='g%d'><stop offset='0'/><stop offset='1'/></linearGradient><rect width='8' height='8' fill='url(#g%d)'/>" % (i, i)
    for i in range(count)))
svg_ids = svg(lambda count: b"".join(b"<rect id='r%d' width='1' height='1'/><use href='#r%d'/>" % (i, i) for i in range(count)))
