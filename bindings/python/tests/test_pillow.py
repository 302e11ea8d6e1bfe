# SPDX-License-Identifier: Apache-2.0
import io
import pickle
import zlib

import numpy
import pytest
from conftest import FIXTURES

Image = pytest.importorskip("PIL.Image")
from PIL import ImageFile, ImageOps, ImageSequence, UnidentifiedImageError  # noqa: E402

import imagecoders as ic  # noqa: E402

ORIENTATION = 0x0112
# What turns an upright picture into the stored one, by orientation.
STORED = [
    None, Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.ROTATE_180, Image.Transpose.FLIP_TOP_BOTTOM, Image.Transpose.TRANSPOSE,
    Image.Transpose.ROTATE_90, Image.Transpose.TRANSVERSE, Image.Transpose.ROTATE_270,
]


def quarters():
    """A picture of 96×64 whose quarters differ, so that each turn of it is another picture."""
    picture = Image.new("RGB", (96, 64), (220, 30, 30))
    for box, color in (((48, 0, 96, 32), (30, 200, 30)), ((0, 32, 48, 64), (30, 30, 220)), ((48, 32, 96, 64), (240, 240, 60))):
        picture.paste(color, box)
    return picture


def stored(orientation):
    turn = STORED[orientation - 1]
    return quarters() if turn is None else quarters().transpose(turn)


def exif_of(orientation):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    exif[0x010F] = "Maker"
    return exif


def written(name, orientation):
    """A file by Pillow's or pillow-heif's writer; of JPEG XL by ours, whose pixels are upright then."""
    file = io.BytesIO()
    if name == "HEIF":
        heif = pytest.importorskip("pillow_heif").from_pillow(stored(orientation))
        heif.save(file, quality=90, exif=exif_of(orientation).tobytes())
    else:
        options = {"subsampling": "4:4:4"} if name in ("JPEG", "AVIF") else {}
        stored(orientation).save(file, name, quality=95, exif=exif_of(orientation), **options)
    return file.getvalue()


def difference(one, other):
    assert one.size == other.size
    return numpy.abs(numpy.asarray(one.convert("RGB")).astype(int) - numpy.asarray(other.convert("RGB"))).mean()


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIF", "JXL"])
def test_exif_transpose_turns_a_picture_once(pillow, name, orientation):
    if name == "JXL":
        pillow.register(["JXL"])
    data = written(name, orientation)
    pillow.register([name], override=True)
    opened = Image.open(io.BytesIO(data))
    assert isinstance(opened, pillow.CoderImageFile) and opened.format == name
    assert opened.getexif()[0x010F] == "Maker"
    if name in ("JPEG", "PNG", "WEBP"):
        assert opened.size == stored(orientation).size and opened.getexif()[ORIENTATION] == orientation
        assert difference(opened, stored(orientation)) < 6
    else:
        assert opened.size == (96, 64) and opened.getexif().get(ORIENTATION, 1) == 1
    assert difference(ImageOps.exif_transpose(opened), quarters()) < 6
    assert difference(ImageOps.exif_transpose(ImageOps.exif_transpose(opened)), quarters()) < 6


@pytest.mark.parametrize("name", ["HEIF", "JXL", "AVIF"])
def test_written_files_are_upright(pillow, name):
    if name == "HEIF" and not can_write("heic"):
        pytest.skip("no libheif to write HEIC")
    pillow.register([name], override=True)
    file = io.BytesIO()
    stored(6).save(file, name, quality=95, exif=exif_of(6))
    with Image.open(file) as opened:
        assert difference(ImageOps.exif_transpose(opened), quarters()) < 6


def can_write(format):
    try:
        return bool(ic.encode(numpy.zeros((64, 64, 3), "uint8"), format))
    except ic.CoderError:
        return False


def test_register_takes_what_pillow_lacks(pillow):
    before = dict(Image.OPEN)
    taken = pillow.register()
    assert {"HEIF", "JXL", "HDR"} <= set(taken)
    assert not {"JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP"} & set(taken)
    assert all(Image.OPEN[name] is before[name] for name in before)
    assert Image.EXTENSION[".heic"] == "HEIF" and Image.MIME["JXL"] == "image/jxl"
    with pytest.raises(ValueError, match="NONSENSE"):
        pillow.register(["nonsense"])


@pytest.mark.parametrize("name,mode", [
    ("png/valid/rgb8.png", "RGB"), ("png/valid/gray8.png", "L"), ("png/valid/rgba8.png", "RGBA"), ("png/valid/gray16.png", "I;16"),
    ("bmp/valid/rgb24.bmp", "RGB"), ("jpeg/valid/gray.jpg", "L"), ("tiff/valid/rgb8.tif", "RGB"), ("webp/valid/lossless.webp", "RGB"),
])
def test_pixels_are_those_of_pillow(pillow, name, mode):
    path = FIXTURES / name
    with Image.open(path) as theirs:
        theirs.load()
    pillow.register(override=True)
    with Image.open(path) as ours:
        ours.load()
    assert isinstance(ours, pillow.CoderImageFile)
    assert (ours.format, ours.size, ours.mode) == (theirs.format, theirs.size, mode)
    assert theirs.mode == mode and (numpy.asarray(ours) == numpy.asarray(theirs)).all()


def test_metadata_is_that_of_pillow(pillow):
    profile = srgb_profile()
    file = io.BytesIO()
    quarters().save(file, "JPEG", exif=exif_of(3), icc_profile=profile, xmp=b"<x:xmpmeta/>")
    theirs = Image.open(io.BytesIO(file.getvalue()))
    pillow.register(["jpg"], override=True)
    ours = Image.open(io.BytesIO(file.getvalue()))
    for key in ("exif", "icc_profile", "xmp"):
        assert ours.info[key] == theirs.info[key]


def srgb_profile():
    from PIL import ImageCms

    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@pytest.mark.parametrize("name", ["GIF", "PNG", "WEBP"])
def test_frames_are_those_of_pillow(pillow, name):
    shades = [Image.new("RGB", (20, 10), (shade, 255 - shade, 90)) for shade in (0, 100, 200)]
    for index, shade in enumerate(shades):
        shade.paste((255, 255, 255), (index * 4, 2, index * 4 + 3, 6))
    file = io.BytesIO()
    options = {"lossless": True} if name == "WEBP" else {}
    shades[0].save(file, name, save_all=True, append_images=shades[1:], duration=[40, 100, 250], loop=3, **options)
    theirs = Image.open(io.BytesIO(file.getvalue()))
    pillow.register([name], override=True)
    ours = Image.open(io.BytesIO(file.getvalue()))
    assert (ours.n_frames, ours.is_animated, ours.info["loop"], ours.tell()) == (3, True, theirs.info["loop"], 0)
    for index, (our, their) in enumerate(zip(ImageSequence.Iterator(ours), ImageSequence.Iterator(theirs))):
        assert difference(our, their) < 2 and our.tell() == index
        our.load(), their.load()
        assert our.info["duration"] == their.info["duration"]
    with pytest.raises(EOFError):
        ours.seek(3)
    ours.seek(0)
    assert difference(ours, shades[0]) < 2


@pytest.mark.parametrize("name", ["WEBP", "PNG", "JXL", "GIF"])
def test_animations_are_written_with_pillows_names(pillow, name):
    pillow.register([name], override=True)
    shades = [Image.new("RGB", (20, 10), (shade, 255 - shade, 90)) for shade in (0, 100, 200)]
    file = io.BytesIO()
    shades[0].save(file, name, save_all=True, append_images=shades[1:], duration=[40, 100, 250], loop=2)
    with Image.open(file) as opened:
        assert opened.n_frames == 3
        found = []
        for frame in ImageSequence.Iterator(opened):
            frame.load()
            found.append(frame.info["duration"])
        assert found == [40, 100, 250]


def test_pages_are_frames(pillow):
    file = io.BytesIO()
    pages = [Image.new("RGB", (8, 6), (9, 9, 9)), Image.new("L", (5, 4), 77)]
    pages[0].save(file, "TIFF", save_all=True, append_images=pages[1:])
    pillow.register(["tif"], override=True)
    opened = Image.open(file)
    assert opened.n_frames == 2 and opened.size == (8, 6)
    opened.seek(1)
    assert (opened.size, opened.mode, opened.getpixel((0, 0))) == ((5, 4), "L", 77)
    opened.seek(0)
    assert (opened.size, opened.mode, opened.getpixel((0, 0))) == ((8, 6), "RGB", (9, 9, 9))


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "HEIF"])
def test_truncated_files_follow_pillows_switch(pillow, name, monkeypatch):
    noise = Image.fromarray(numpy.random.default_rng(3).integers(0, 255, (128, 128, 3), "uint8"))
    file = io.BytesIO()
    if name == "HEIF":
        pytest.importorskip("pillow_heif").from_pillow(noise).save(file)
    else:
        noise.save(file, name)
    pillow.register([name], override=True)
    cut = file.getvalue()[: len(file.getvalue()) * 2 // 3]
    opened = Image.open(io.BytesIO(cut))
    assert opened.size == (128, 128)
    with pytest.raises(OSError, match="truncated"):
        opened.load()
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    opened = Image.open(io.BytesIO(cut))
    opened.load()
    assert opened.size == (128, 128)
    if name in ("JPEG", "PNG"):
        # The rows that are there are those of the whole file.
        whole = Image.open(io.BytesIO(file.getvalue()))
        assert (numpy.asarray(opened)[:40] == numpy.asarray(whole)[:40]).all()


def test_errors_are_pillows_with_our_text(pillow):
    pillow.register(override=True)
    with pytest.raises(UnidentifiedImageError):
        Image.open(io.BytesIO(b"no picture at all"))
    with pytest.raises(UnidentifiedImageError, match="truncated"):
        Image.open(io.BytesIO((FIXTURES / "png/valid/rgb8.png").read_bytes()[:20]))
    with pytest.raises(ValueError):
        quarters().save(io.BytesIO(), "JXL", quality=1000)


def test_draft_decodes_smaller(pillow):
    large = Image.fromarray(numpy.random.default_rng(4).integers(0, 255, (40, 60, 3), "uint8")).resize((1200, 800))
    file = io.BytesIO()
    large.save(file, "JPEG", quality=95)
    pillow.register(["JPEG"], override=True)
    opened = Image.open(io.BytesIO(file.getvalue()))
    assert opened.draft("RGB", (150, 100)) == ("RGB", (0, 0, 150, 100)) and opened.size == (150, 100)
    assert numpy.asarray(opened).shape == (100, 150, 3)
    opened = Image.open(io.BytesIO(file.getvalue()))
    opened.thumbnail((150, 150))
    assert opened.size == (150, 100) and difference(opened, large.resize((150, 100), Image.Resampling.BICUBIC)) < 3
    gray = Image.open(io.BytesIO(file.getvalue()))
    gray.draft("L", (1200, 800))
    assert gray.mode == "L" and numpy.asarray(gray).shape == (800, 1200)


def test_pictures_pickle_and_copy(pillow):
    pillow.register(override=True)
    opened = Image.open(FIXTURES / "png/valid/rgb8.png")
    again = pickle.loads(pickle.dumps(opened))
    assert type(again) is type(opened) and (numpy.asarray(again) == numpy.asarray(opened)).all()
    copy = opened.copy()
    copy.putpixel((0, 0), (1, 2, 3))
    assert copy.getpixel((0, 0)) == (1, 2, 3) and opened.getpixel((0, 0)) != (1, 2, 3)


def test_shared_memory_is_copied_when_written_to(pillow):
    pillow.register(override=True)
    opened = Image.open(FIXTURES / "png/valid/gray8.png")
    before = opened.getpixel((0, 0))
    opened.putpixel((0, 0), 255 - before)
    assert opened.getpixel((0, 0)) == 255 - before


def test_files_are_closed_as_pillow_closes_them(pillow, tmp_path):
    pillow.register(override=True)
    path = tmp_path / "a.png"
    quarters().save(path)
    opened = Image.open(path)
    file = opened.fp
    # The open file counts, not the name.
    path.unlink()
    opened.load()
    assert file.closed and opened.fp is None
    with Image.open(FIXTURES / "png/valid/rgb8.png") as opened:
        file = opened.fp
    assert file.closed


def test_parser_feeds(pillow):
    pillow.register(override=True)
    parser = ImageFile.Parser()
    for byte in (FIXTURES / "png/valid/rgb8.png").read_bytes():
        parser.feed(bytes([byte]))
    assert parser.close().size == (21, 13)


def test_orientation_of_xmp_is_left_to_pillow(pillow):
    from PIL import PngImagePlugin

    texts, file = PngImagePlugin.PngInfo(), io.BytesIO()
    texts.add_itxt("XML:com.adobe.xmp", '<x:xmpmeta xmlns:tiff="t"><a tiff:Orientation="6"/></x:xmpmeta>')
    stored(6).save(file, "PNG", pnginfo=texts)
    pillow.register(["PNG"], override=True)
    opened = Image.open(file)
    assert opened.size == (64, 96) and difference(ImageOps.exif_transpose(opened), quarters()) == 0


def test_damaged_metadata_is_no_reason_not_to_open(pillow):
    file = io.BytesIO()
    quarters().save(file, "JPEG", exif=b"Exif\0\0\xff\xff\xff\xff\0\0\0\x08", quality=95, subsampling=0)
    quarters().save(png := io.BytesIO(), "PNG", icc_profile=srgb_profile())
    broken = bytearray(png.getvalue())
    place = broken.index(b"iCCP")
    length = int.from_bytes(broken[place - 4 : place], "big")
    # After the name and the method, where the deflated profile begins.
    broken[place + 17 : place + 25] = bytes(8)
    broken[place + 4 + length : place + 8 + length] = zlib.crc32(broken[place : place + 4 + length]).to_bytes(4, "big")
    pillow.register(override=True)
    opened = Image.open(file)
    assert dict(opened.getexif()) == {} and difference(ImageOps.exif_transpose(opened), quarters()) < 6
    opened = Image.open(io.BytesIO(broken))
    assert "icc_profile" not in opened.info and opened.size == (96, 64)
