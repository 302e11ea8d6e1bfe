# SPDX-License-Identifier: Apache-2.0
"""What the benchmark's pictures show: photographs, screens and what moves, the same pixels each time."""

import os

import numpy
from PIL import Image, ImageDraw, ImageFont

SCREEN = (480, 270)


def photo(width, height, seed):
    """Structure at every scale, hard edges, and the noise of a sensor: costs what a photograph costs."""
    random = numpy.random.default_rng(seed)
    total = numpy.zeros((height, width, 3), dtype=numpy.float32)
    for scale, strength in ((4, 70), (16, 35), (64, 18), (256, 9), (1024, 4)):
        grid = random.integers(0, 256, (max(2, height * scale // width), scale, 3), dtype=numpy.uint8)
        layer = Image.fromarray(grid).resize((width, height), Image.Resampling.BICUBIC)
        total += (numpy.asarray(layer, dtype=numpy.float32) - 128) * (strength / 128)
    picture = Image.fromarray(numpy.clip(total + 128, 0, 255).astype(numpy.uint8))
    draw = ImageDraw.Draw(picture)
    for _ in range(60):
        x, y = int(random.integers(0, width)), int(random.integers(0, height))
        side = int(random.integers(width // 100, width // 12))
        color = tuple(int(value) for value in random.integers(0, 256, 3))
        if random.random() < 0.5:
            draw.ellipse((x, y, x + side, y + side), fill=color)
        else:
            draw.line((x, y, x + side, y + side // 3), fill=color, width=6)
    pixels = numpy.asarray(picture, dtype=numpy.int16)
    noise = random.normal(0, 5, (height, width)).astype(numpy.int16)
    return Image.fromarray(numpy.clip(pixels + noise[:, :, None], 0, 255).astype(numpy.uint8))


def real(width, height, seed):
    """Photographs that scikit-image comes with, side by side, with a little noise: filters choose Paeth for most rows,
    as they do for photographs, which they do not for the pictures of `photo`."""
    import skimage
    names = ("astronaut.png", "coffee.png", "chelsea.png", "rocket.jpg", "motorcycle_left.png", "hubble_deep_field.jpg")
    side, down = width // 3, height // 2
    result = Image.new("RGB", (width, height))
    for number, name in enumerate(names):
        picture = Image.open(os.path.join(os.path.dirname(skimage.__file__), "data", name)).convert("RGB")
        scale = max(side / picture.width, down / picture.height)
        picture = picture.resize((round(picture.width * scale) + 1, round(picture.height * scale) + 1), Image.Resampling.LANCZOS)
        result.paste(picture.crop((0, 0, side, down)), (number % 3 * side, number // 3 * down))
    random = numpy.random.default_rng(seed)
    pixels = numpy.asarray(result, dtype=numpy.float32)
    noise = random.normal(0, 2.5, (height, width, 1)) + random.normal(0, 1, (height, width, 3))
    return Image.fromarray(numpy.clip(pixels + noise + 0.5, 0, 255).astype(numpy.uint8))


def screen(width, height, seed):
    """A screen: flat areas, smooth letters, and a photograph in a corner."""
    random = numpy.random.default_rng(seed)
    picture = Image.new("RGB", (width, height), (250, 250, 252))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, width, 40), fill=(45, 50, 60))
    draw.rectangle((0, 40, width // 8, height), fill=(230, 234, 240))
    words = "a picture has rows of pixels and each of them is read written filtered or shown by some program".split()
    colors = ((30, 30, 34), (160, 30, 60), (20, 90, 160), (30, 110, 60))
    letters, heads = ImageFont.load_default(15), ImageFont.load_default(22)
    for y in range(60, height - 30, 23):
        x = width // 8 + 30 + 24 * int(random.integers(0, 4))
        while x < width - 400 and random.random() > 0.05:
            word = words[int(random.integers(len(words)))]
            draw.text((x, y), word, fill=colors[int(random.integers(len(colors)))], font=letters)
            x += int(draw.textlength(word, font=letters)) + 7
    for y in range(70, height - 40, 44):
        draw.text((20, y), words[int(random.integers(len(words)))], fill=(45, 50, 60), font=heads)
    picture.paste(real(360, 240, seed), (width - 380, 60))
    return picture


def with_alpha(picture):
    """A soft edge all around: opaque in the middle, clear at the border."""
    width, height = picture.size
    x = numpy.minimum(numpy.arange(width), numpy.arange(width)[::-1]).astype(numpy.float32)
    y = numpy.minimum(numpy.arange(height), numpy.arange(height)[::-1]).astype(numpy.float32)
    edge = numpy.minimum(x[None, :], y[:, None]) * (255 / (height / 8))
    result = picture.convert("RGBA")
    result.putalpha(Image.fromarray(numpy.clip(edge, 0, 255).astype(numpy.uint8)))
    return result


def screencast(count):
    """Frames of a window in which text is typed and a pointer moves: small changes, flat colors."""
    random = numpy.random.default_rng(7)
    palette = [0, 0, 0, 255, 255, 255, 240, 240, 245, 40, 44, 52, 97, 175, 239, 152, 195, 121, 224, 108, 117]
    page = Image.new("P", SCREEN, 2)
    page.putpalette(palette + [0] * (768 - len(palette)))
    draw = ImageDraw.Draw(page)
    draw.rectangle((0, 0, SCREEN[0], 18), fill=3)
    draw.rectangle((0, 19, 90, SCREEN[1]), fill=1)
    x, y = 100, 30
    for number in range(count):
        if number % 60 == 59:
            draw.rectangle((91, 19, *SCREEN), fill=2)
            x, y = 100, 30
        for _ in range(12):
            width = int(random.integers(3, 9))
            draw.rectangle((x, y, x + width, y + 7), fill=int(random.integers(3, 7)))
            draw.line((x, y + int(random.integers(1, 7)), x + width, y + 3), fill=2)
            x += width + 2
            if x > 460:
                x, y = 100, y + 12 if y < 250 else 30
        frame = page.copy()
        left, top = int(240 + 200 * numpy.sin(number / 25)), int(135 + 100 * numpy.cos(number / 40))
        ImageDraw.Draw(frame).polygon((left, top, left + 9, top + 9, left, top + 12), fill=0)
        yield frame


def moving(count):
    """A photograph that pans: every pixel changes."""
    wide = photo(SCREEN[0] + 2 * count, SCREEN[1], 11)
    for number in range(count):
        yield wide.crop((2 * number, 0, 2 * number + SCREEN[0], SCREEN[1]))


def repeated(picture, pixels):
    """A picture of about so many pixels, made of copies of another one: its bytes per pixel are the other one's."""
    width = min(picture.width, round((pixels * 4 / 3) ** 0.5))
    height = round(pixels / width)
    rows = numpy.asarray(picture)[:, :width]
    result = Image.fromarray(numpy.concatenate([rows] * (height // picture.height + 1))[:height])
    if picture.mode == "P":
        result.putpalette(picture.getpalette())
    return result
