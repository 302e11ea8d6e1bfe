# SPDX-License-Identifier: Apache-2.0
"""Drawings of rectangles on whole pixels, whose pixels follow from the text (SVG 2; CSS Images 3 for sizes)."""

import base64
import gzip
import io

import numpy as np
from PIL import Image

from fixtures import invalid, picture, rgba, valid

FORMAT = "svg"

SPACE = 'xmlns="http://www.w3.org/2000/svg"'
COLORS = {"red": (255, 0, 0, 255), "lime": (0, 255, 0, 255), "blue": (0, 0, 255, 255), "gray": (128, 128, 128, 255)}


def pixels(width, height, *boxes):
    """A transparent picture with boxes (x, y, width, height, color)."""
    canvas = np.zeros((height, width, 4), np.uint8)
    for x, y, w, h, color in boxes:
        canvas[y : y + h, x : x + w] = COLORS.get(color, color)
    return canvas


def rect(x, y, width, height, color):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{color}"/>'


def svg(attributes, *content):
    return f"<svg {SPACE} {attributes}>{''.join(content)}</svg>\n"


def drawn(name, text, shows, answer, **more):
    data = text if isinstance(text, bytes) else text.encode()
    valid("svg", name, data, shows, answer, "rgba8", 8, "premultiplied", **more)


def packed(text):
    """A gzip file that says no time and no system."""
    data = bytearray(gzip.compress(text.encode(), 9, mtime=0))
    data[9] = 255
    return bytes(data)


def encoded(image, kind):
    stream = io.BytesIO()
    image.save(stream, kind, **({"quality": 95} if kind == "JPEG" else {}))
    return f"data:image/{kind.lower()};base64,{base64.b64encode(stream.getvalue()).decode()}"


def make():
    sizes()
    documents()
    contents()
    left_out()
    bad()


def sizes():
    whole = rect(0, 0, "100%", "100%", "red")
    quarter = rect(0, 0, 2, 1, "blue")
    full = pixels(24, 12, (0, 0, 24, 12, "red"))
    for unit, width, height in [
        ("px", 24, 12), ("in", 0.25, 0.125), ("pt", 18, 9), ("pc", 1.5, 0.75), ("mm", 6.35, 3.175), ("cm", 0.635, 0.3175),
    ]:
        text = svg(f'width="{width}{unit}" height="{height}{unit}"', whole)
        drawn(f"size-{unit}.svg", text, f"sides in {unit}: 24×12 pixels at 96 per inch", full)
    drawn("size-em.svg", svg('width="2em" height="2ex" font-size="12"', whole), "sides in letters of 12 pixels", full)
    box = 'viewBox="0 0 4 2"'
    half = pixels(20, 10, (0, 0, 10, 5, "blue"))
    drawn("view-box.svg", svg(f'width="20" height="10" {box}', quarter), "a view box of 4×2 in 20×10 pixels", half)
    drawn("width-only.svg", svg(f'width="20" {box}', quarter), "a width, and a height by the ratio", half)
    drawn("height-only.svg", svg(f'height="10" {box}', quarter), "a height, and a width by the ratio", half)
    drawn("ratio-only.svg", svg('viewBox="10 10 20 10"', rect(10, 10, 10, 5, "blue")), "a view box alone", half)
    drawn("percent.svg", svg('width="100%" height="100%" viewBox="0 0 20 10"', rect(0, 0, 10, 5, "blue")),
          "all of a place that nobody states", half)
    drawn("nothing-stated.svg", svg("", whole), "no size and no ratio: 300×150", pixels(300, 150, (0, 0, 300, 150, "red")))
    drawn("width-without-ratio.svg", svg('width="20"', whole), "a width alone: the height is 150",
          pixels(20, 150, (0, 0, 20, 150, "red")))
    drawn("fraction.svg", svg('width="12.5" height="10"', rect(0, 0, 12, 10, "red")),
          "12.5 columns: the canvas has 13, and the drawing is not stretched", pixels(13, 10, (0, 0, 12, 10, "red")))
    drawn("fraction-of-view-box.svg", svg('viewBox="0 0 12.5 10"', rect(0, 0, 12, 10, "red")),
          "a view box that is not of whole pixels", pixels(13, 10, (0, 0, 12, 10, "red")))
    drawn("in-the-middle.svg", svg(f'width="20" height="20" {box}', rect(0, 0, 4, 2, "blue")),
          "another ratio than the view box: the drawing is in the middle", pixels(20, 20, (0, 5, 20, 10, "blue")))
    drawn("stretched.svg", svg(f'width="20" height="20" {box} preserveAspectRatio="none"', rect(0, 0, 4, 1, "blue")),
          "another ratio than the view box, which is stretched", pixels(20, 20, (0, 0, 20, 10, "blue")))


def documents():
    text = svg('width="16" height="8"', rect(0, 0, 8, 8, "red"), rect(8, 0, 8, 4, "lime"))
    answer = pixels(16, 8, (0, 0, 8, 8, "red"), (8, 0, 8, 4, "lime"))
    drawn("plain.svg", text, "two boxes on nothing", answer)
    drawn("declaration.svg", '<?xml version="1.0" encoding="UTF-8"?>\n<!-- a <svg> that is none -->\n' + text,
          "a declaration and a comment", answer)
    subset = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [\n'
    subset += '<!ENTITY color "fill=\'>\'"><!ENTITY box "8">\n<!-- ]> -->\n]>\n'
    drawn("document-type.svg", subset + text.replace('width="8" height="8"', 'width="&box;" height="&box;"'),
          "a document type with entities", answer)
    drawn("byte-order-mark.svg", b"\xef\xbb\xbf" + text.encode(), "the mark of UTF-8", answer)
    drawn("utf-16-little.svg", b"\xff\xfe" + text.encode("utf-16-le"), "UTF-16, the lower byte first", answer)
    drawn("utf-16-big.svg", b"\xfe\xff" + text.encode("utf-16-be"), "UTF-16, the higher byte first", answer)
    prefixed = text.replace("xmlns=", "xmlns:svg=").replace("<", "<svg:").replace("<svg:/", "</svg:")
    drawn("prefix.svg", prefixed, "elements with a prefix", answer)
    drawn("compressed.svgz", packed(text), "a gzip file", answer)
    drawn("compressed-after-comment.svgz", packed("<!--" + "x" * 20000 + "-->" + text), "a gzip file with a long comment", answer)


def contents():
    box = pixels(16, 8, (0, 0, 8, 8, "red"))
    style = "<style><![CDATA[ .box { fill: red } ]]></style>"
    drawn("style-sheet.svg", svg('width="16" height="8"', style, '<rect class="box" width="8" height="8"/>'),
          "a style sheet", box)
    drawn("use.svg", svg('width="16" height="8"', '<defs><rect id="a" width="8" height="8"/></defs><use href="#a" fill="red"/>'),
          "an element that is used by its name", box)
    drawn("clip.svg", svg('width="16" height="8"', '<clipPath id="c"><rect width="8" height="8"/></clipPath>',
                          '<rect width="16" height="8" fill="red" clip-path="url(#c)"/>'), "a clipping path", box)
    half = (255, 0, 0, 128)
    drawn("opacity.svg", svg('width="16" height="8"', '<g opacity="0.5">', rect(0, 0, 8, 8, "blue"), rect(0, 0, 8, 8, "red"),
                             "</g>"), "a group with opacity, whose parts hide each other first",
          pixels(16, 8, (0, 0, 8, 8, half)))
    drawn("mask.svg", svg('width="16" height="8"', '<mask id="m"><rect width="8" height="8" fill="white"/></mask>',
                          '<rect width="16" height="8" fill="red" mask="url(#m)"/>'), "a mask", box)
    shown = rgba(picture(8, 6, 4)).copy()
    shown[..., 3] = 255
    image = encoded(Image.fromarray(shown), "PNG")
    answer = pixels(16, 8)
    answer[1:7, 2:10] = shown
    drawn("picture-png.svg", svg('width="16" height="8"', f'<image x="2" y="1" width="8" height="6" href="{image}"/>'),
          "a PNG picture inside the drawing", answer)
    image = encoded(Image.new("L", (8, 8), 128), "JPEG")
    drawn("picture-jpeg.svg", svg('width="16" height="8"', f'<image width="8" height="8" href="{image}"/>'),
          "a JPEG picture inside the drawing", pixels(16, 8, (0, 0, 8, 8, "gray")))


def left_out():
    box = pixels(16, 8, (0, 0, 8, 8, "red"))
    red = rect(0, 0, 8, 8, "red")
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    for name, href in [("file", "file:///usr/share/pixmaps/debian-logo.png"), ("relative", "plain.svg"),
                       ("site", "http://example.org/a.png")]:
        text = svg(f'width="16" height="8" {link}', f'<image width="16" height="8" xlink:href="{href}"/>', red)
        drawn(f"outside-{name}.svg", text, f"a picture outside of the file: {href}", box)
    drawn("outside-use.svg", svg('width="16" height="8"', '<use href="plain.svg#a"/>', red), "a part of another file", box)
    drawn("outside-include.svg",
          svg('width="16" height="8" xmlns:xi="http://www.w3.org/2001/XInclude"', '<xi:include href="plain.svg"/>', red),
          "an XInclude of another file", box)
    drawn("outside-style.svg", '<?xml-stylesheet href="a.css" type="text/css"?>\n' + svg(
        'width="16" height="8"', "<style>@import url(b.css);</style>", red), "style sheets outside of the file", box)
    entity = '<!DOCTYPE svg [<!ENTITY out SYSTEM "file:///etc/hostname">]>\n'
    drawn("outside-entity.svg", entity + svg('width="16" height="8"', red), "an entity outside of the file", box)
    drawn("script.svg", svg('width="16" height="8"', "<script>document.documentElement.remove()</script>", red), "a script", box)
    moved = '<rect width="8" height="8" fill="red"><animate attributeName="x" from="8" to="8" dur="1s" repeatCount="indefinite"/></rect>'
    drawn("animation.svg", svg('width="16" height="8"', moved), "an animation: its elements without it", box)


def bad():
    text = svg('width="16" height="8"', rect(0, 0, 8, 8, "red"))
    invalid("svg", "zero-width.svg", svg('width="0" height="8"').encode(), "no columns", "malformed")
    invalid("svg", "huge-side.svg", svg('width="1e12" height="8"').encode(), "more columns than a size may have", "unsupported")
    invalid("svg", "large-side.svg", svg('width="40000" height="8"').encode(), "more columns than librsvg draws", "unsupported")
    invalid("svg", "wrong-element.svg", b'<html><svg xmlns="http://www.w3.org/2000/svg"/></html>', "the first element is not svg",
            "wrongFormat")
    invalid("svg", "truncated-declaration.svg", b'<?xml version="1.0"?><!-- <svg', "the document ends before its first element",
            "truncated")
    invalid("svg", "truncated-element.svg", text.encode()[:-8], "an element without its end", "truncated")
    invalid("svg", "wrong-end.svg", text.replace("</svg>", "</g>").encode(), "the end of another element", "malformed")
    invalid("svg", "unknown-entity.svg", text.replace("<rect", "&what;<rect").encode(), "an entity that is not declared", "malformed")
    entity = '<!DOCTYPE svg [<!ENTITY out SYSTEM "file:///etc/hostname">]>'
    invalid("svg", "outside-entity-used.svg", (entity + text.replace("<rect", "&out;<rect")).encode(),
            "an entity outside of the file, which is not there to be used", "malformed")
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    laughs = f'<!DOCTYPE svg [<!ENTITY l0 "lol">{laughs}]>'
    invalid("svg", "many-entities.svg", (laughs + svg('width="16" height="8"', "<desc>&l9;</desc>")).encode(),
            "entities that become thousands of millions of letters", "malformed")
    invalid("svg", "truncated.svgz", packed(text)[:-12], "a gzip file that ends early", "truncated")
    damaged = bytearray(packed(text))
    damaged[-6] ^= 1
    invalid("svg", "damaged.svgz", bytes(damaged), "a gzip file with a wrong checksum", "malformed")
    invalid("svg", "compressed-twice.svgz", bytes(gzip.compress(packed(text), mtime=0)), "a gzip file in a gzip file", "wrongFormat")
