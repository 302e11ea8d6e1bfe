# SPDX-License-Identifier: Apache-2.0
"""Pillow reads and writes with these coders: HEIC, JPEG XL and what else it lacks, or every format.

    import imagecoders.pillow
    imagecoders.pillow.register()
    Image.open("photo.heic").thumbnail((256, 256))

Pictures are as Pillow's own: pixels as they are stored, with Exif's orientation for ``ImageOps.exif_transpose``. Formats that turn
pictures themselves (HEIF, AVIF, JPEG XL, TIFF) give upright pixels, and Exif's orientation is 1 then.
"""

from __future__ import annotations

import contextlib
import struct
from typing import Any, Callable, Iterable

from PIL import Image, ImageFile, UnidentifiedImageError, features

from .errors import CoderError, FileError, UnsupportedError
from .files import File
from .orientation import is_readable, orientation_of, upright_exif, upright_xmp
from .picture import Info, Picture
from .registry import Registry, default
from .sources import bytes_of, pieces_of

# What Pillow calls the formats, by their type identifiers.
IDS = {
    "com.adobe.photoshop-image": "PSD", "com.apple.icns": "ICNS", "com.compuserve.gif": "GIF", "com.ilm.openexr-image": "EXR",
    "com.microsoft.bmp": "BMP", "com.microsoft.cur": "CUR", "com.microsoft.ico": "ICO", "net.sourceforge.netpbm": "PPM",
    "org.qoiformat.qoi": "QOI", "org.webmproject.webp": "WEBP", "public.avif": "AVIF", "public.heic": "HEIF", "public.heics": "HEIF",
    "public.heif": "HEIF", "public.jpeg": "JPEG", "public.jpeg-2000": "JPEG2000", "public.jpeg-xl": "JXL", "public.png": "PNG",
    "public.radiance": "HDR", "public.svg-image": "SVG", "public.tiff": "TIFF",
}
EXTENSIONS = {
    "HEIF": (".heic", ".heics", ".heif", ".heifs", ".hif"), "AVIF": (".avif", ".avifs"), "JPEG": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "JPEG2000": (".jp2", ".j2k", ".jpx", ".j2c"), "PPM": (".pnm", ".pbm", ".pgm", ".ppm", ".pam", ".pfm"), "PNG": (".png", ".apng"),
    "SVG": (".svg", ".svgz"), "TIFF": (".tif", ".tiff"),
}
# Formats whose files turn the picture themselves, whatever Exif says.
TURNING = {"AVIF", "HEIF", "JXL"}
# Formats whose pixels stay as they are stored, if Exif says how to turn them.
STORED = {"JPEG", "PNG", "WEBP", "PSD", "JPEG2000"}
# Without these, Pillow has the class of a format, and cannot read it.
FEATURES = {"AVIF": "avif", "JPEG": "jpg", "JPEG2000": "jpg_2000", "WEBP": "webp"}
TIFF_STARTS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
# Of cameras whose raw files are no TIFF.
RAW_STARTS = (b"IIRO", b"MMOR", b"IIRS", b"IIU\0", b"II\x1a\0", b"\0MRM", b"FUJI")
HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1")
SIGNATURES: dict[str, Callable[[bytes], bool]] = {
    "AVIF": lambda prefix: prefix[4:8] == b"ftyp" and prefix[8:12] in (b"avif", b"avis", b"mif1", b"msf1"),
    "BMP": lambda prefix: prefix[:2] == b"BM",
    "CUR": lambda prefix: prefix[:4] == b"\0\0\2\0",
    "EXR": lambda prefix: prefix[:4] == b"\x76\x2f\x31\x01",
    "GIF": lambda prefix: prefix[:6] in (b"GIF87a", b"GIF89a"),
    "HDR": lambda prefix: prefix[:2] == b"#?",
    "HEIF": lambda prefix: prefix[4:8] == b"ftyp" and prefix[8:12] in HEIF_BRANDS,
    "ICNS": lambda prefix: prefix[:4] == b"icns",
    "ICO": lambda prefix: prefix[:4] == b"\0\0\1\0",
    "JPEG": lambda prefix: prefix[:3] == b"\xff\xd8\xff",
    "JPEG2000": lambda prefix: prefix[:4] == b"\xff\x4f\xff\x51" or prefix[4:12] == b"jP  \r\n\x87\n",
    "JXL": lambda prefix: prefix[:2] == b"\xff\x0a" or prefix[:12] == b"\0\0\0\x0cJXL \r\n\x87\n",
    "PNG": lambda prefix: prefix[:8] == b"\x89PNG\r\n\x1a\n",
    "PPM": lambda prefix: prefix[:1] == b"P" and prefix[1:2] in b"1234567Ff",
    "PSD": lambda prefix: prefix[:4] == b"8BPS",
    "QOI": lambda prefix: prefix[:4] == b"qoif",
    "RAW": lambda prefix: prefix[:4] in TIFF_STARTS + RAW_STARTS or prefix[4:12] == b"ftypcrx ",
    "SVG": lambda prefix: prefix[:2] == b"\x1f\x8b" or b"<" in prefix,
    "TIFF": lambda prefix: prefix[:4] in TIFF_STARTS,
    "WEBP": lambda prefix: prefix[:4] == b"RIFF" and prefix[8:12] == b"WEBP",
}


class CoderImageFile(ImageFile.ImageFile):
    """A picture that these coders read for Pillow; ``register`` makes a class of this for each format."""

    registry: Registry
    _close_exclusive_fp_after_loading = True
    # Until the picture of this frame is decoded.
    _is_pending = False
    _frame = 0
    _draft: tuple[int, int] | None = None

    def _open(self) -> None:
        self._source: Any = self._made_source()
        try:
            self._file = self.registry.open(self._source, mode=None, color="stored", limits=pillow_limits())
            info = self._file.info
        except UnsupportedError as error:
            raise SyntaxError(str(error)) from error
        except CoderError as error:
            name = self.filename or self.fp
            raise UnidentifiedImageError(f"cannot identify image file {name!r}: {error}") from error
        if format_id(info.format) != self.format:
            raise SyntaxError(f"not a {self.format} file")
        self._is_animation = info.frames > 1
        self._has_pages = not self._is_animation and info.pages > 1 and not info.pages_are_sizes
        self.n_frames = info.frames if self._is_animation else info.pages if self._has_pages else 1
        self.is_animated = self.n_frames > 1
        self._animation: Any = None
        self._primary = info.primary_page if self._has_pages else 0
        self._begin(self._primary, info)
        if info.is_animated:
            loop = info.loop_count
            # A GIF says how often it is repeated, and nothing if it is not.
            if self.format != "GIF" or loop != 1:
                self.info["loop"] = loop - 1 if self.format == "GIF" and loop > 1 else loop

    def _made_source(self) -> Any:
        file: Any = self.fp
        if hasattr(file, "seek"):
            file.seek(0)
        pieces = pieces_of(file)
        return bytes_of(file) if pieces is file else pieces

    def _begin(self, frame: int, info: Info | None = None) -> None:
        """Tells size, mode and metadata of a frame or page, and leaves its pixels for later."""
        self._frame, self._is_pending, self._draft = frame, True, None
        if info is None and self._is_animation:
            return
        page = self._file.page(frame) if self._has_pages and frame != self._primary else self._file
        info = info or page.info
        payloads = {kind: payload_of(page, kind) if kind in info.metadata else None for kind in ("exif", "icc", "xmp")}
        # Nothing is turned without Exif: XMP is then Pillow's to obey.
        self._is_upright = not (self.format in STORED and info.orientation in (1, orientation_of(payloads["exif"])))
        self._size = (info.width, info.height) if self._is_upright else (info.stored_width, info.stored_height)
        self._mode, self._is_light = mode_of(info)
        self._tell(payloads)

    def _tell(self, payloads: dict[str, bytes | None]) -> None:
        exif, icc, xmp = payloads["exif"], payloads["icc"], payloads["xmp"]
        for name in ("exif", "icc_profile", "xmp", "duration"):
            self.info.pop(name, None)
        if exif:
            self.info["exif"] = b"Exif\0\0" + (upright_exif(exif) if self._is_upright else exif)
        # A profile of inks or of gray is not that of RGB pixels.
        self._is_profiled = bool(icc) and (icc or b"")[16:20] == (b"GRAY" if self._mode in ("L", "LA", "I;16") else b"RGB ")
        if icc and self._is_profiled and not self._is_light:
            self.info["icc_profile"] = icc
        if xmp:
            self.info["xmp"] = upright_xmp(xmp) if self._is_upright else xmp
        self._has_other_colors = self._is_light or bool(icc) and not self._is_profiled
        self._reload_exif()
        if exif and not is_readable(exif):
            # Pillow's own readers meet the damage when they open a file, and go on: the second call gives what there is.
            with contextlib.suppress(SyntaxError, struct.error, TypeError, KeyError, ValueError):
                self.getexif()

    def draft(self, mode: str | None, size: tuple[int, int] | None) -> tuple[str, tuple[int, int, float, float]] | None:
        """Has a still picture decoded at a smaller size, which covers ``size``, or as mode ``L``."""
        if not self._is_pending or self._is_animation or self._draft:
            return None
        if mode == "L" and self._mode == "RGB":
            self._mode = "L"
        if size:
            width, height = self._size
            scale = max(size[0] / width, size[1] / height)
            if scale < 1:
                self._draft = self._size = (max(1, -int(-width * scale // 1)), max(1, -int(-height * scale // 1)))
        return self._mode, (0, 0, *self._size)

    def seek(self, frame: int) -> None:
        if self._seek_check(frame):
            self._begin(frame)

    def tell(self) -> int:
        return self._frame

    def load(self) -> Any:
        if self._is_pending:
            self._take(self._decoded())
            self._is_pending = False
            if self.fp and self._exclusive_fp and self._close_exclusive_fp_after_loading and self.n_frames == 1:
                self.fp.close()
            if self.n_frames == 1:
                self.fp = self._source = None
                self._file.close()
        return super().load()

    def _decoded(self) -> Picture | None:
        """The pixels of this frame, or None if there are none and truncated files are welcome."""
        asked: dict[str, Any] = {
            "mode": "L" if self._mode == "I;16" else self._mode,
            "dtype": "uint16" if self._mode == "I;16" else "uint8", "orientation": self._is_upright,
            "color": "srgb" if self._has_other_colors else "stored", "limits": pillow_limits(),
        }
        try:
            if self._is_animation:
                self._animation = self._animation or self.registry.open(self._source, **asked)
                picture: Picture = self._animation.frame(self._frame)
            else:
                if self._draft:
                    asked.update(size=self._draft, fit="stretch")
                picture = self.registry.decode(self._source, page=self._frame if self._has_pages else None, **asked)
        except CoderError as error:
            if isinstance(error, FileError) and ImageFile.LOAD_TRUNCATED_IMAGES:
                return None
            raise OSError(str(error)) from error
        # Pillow takes what libjpeg makes of damaged bytes.
        is_taken = ImageFile.LOAD_TRUNCATED_IMAGES or self.format == "JPEG" and getattr(picture.problem, "code", "") != "truncated"
        if picture.problem and not is_taken:
            raise OSError(str(picture.problem)) from picture.problem
        return picture

    def _take(self, picture: Picture | None) -> None:
        if picture is None:
            self.im = Image.new(self._mode, self._size).im
            self.readonly = 0
            return
        self._size = (picture.width, picture.height)
        rows: Any = picture.buffer
        # One channel or four become the image's own memory, which is copied when the image is changed; others are copied now.
        made = Image.frombuffer(self._mode, self._size, rows, "raw", self._mode, picture.stride, 1)
        self.im, self.readonly = made.im, made.readonly
        if self._is_animation:
            exact = float(picture.delay * 1000)
            self.info["duration"] = int(exact) if exact.is_integer() else exact

    def _close_fp(self) -> None:
        self._source = None
        super()._close_fp()


def pillow_limits() -> Any:
    """As many pixels as Pillow allows."""
    most = Image.MAX_IMAGE_PIXELS
    return {"max_pixels": 2 * most if most else 2**62}


def payload_of(file: File, kind: str) -> bytes | None:
    """A payload of metadata, or None if it is damaged."""
    try:
        return file.metadata(kind)
    except FileError:
        return None


def mode_of(info: Info) -> tuple[str, bool]:
    """Pillow's mode, and whether samples are of light, which no mode of several channels holds."""
    if info.dtype == "uint16" and info.mode == "L":
        return "I;16", False
    if info.dtype.startswith("float"):
        return ("RGBA" if info.has_alpha else "RGB"), True
    return info.mode if info.has_alpha else info.mode.removesuffix("A"), False


def format_id(identifier: str) -> str:
    """What Pillow calls a format."""
    if identifier.endswith("raw-image"):
        return "RAW"
    return IDS.get(identifier) or "".join(filter(str.isalnum, identifier.rpartition(".")[2])).upper()


def class_of(name: str, registry: Registry) -> type[CoderImageFile]:
    """The class of a format, by Pillow's name of it, which can be pickled."""
    found: Any = globals().get(f"{name}ImageFile")
    if found is None:
        description = f"{name} image of ImageCoders"
        found = type(f"{name}ImageFile", (CoderImageFile,), {
            "format": name, "format_description": description, "registry": registry, "__module__": __name__})
        globals()[f"{name}ImageFile"] = found
    found.registry = registry
    made: type[CoderImageFile] = found
    return made


def __getattr__(name: str) -> Any:
    # A pickled image of another process may come before register is called.
    if name.endswith("ImageFile") and name[:-9].isupper():
        return class_of(name[:-9], default())
    raise AttributeError(name)


def register(formats: Iterable[str] | None = None, override: bool = False, registry: Registry | None = None) -> list[str]:
    """Has Pillow read and write with these coders; returns Pillow's names of the formats.

    formats: names or extensions, ``["HEIF", "jxl"]``; None: all that Pillow lacks, or with override all there are. override: also
    formats that Pillow has itself, which it then reads and writes with these coders. registry: None for the default one.
    """
    from .pillow_save import save, save_all

    Image.init()
    coders = registry or default()
    wanted = None if formats is None else {word.upper().lstrip(".") for word in formats}
    entries: dict[str, list[dict[str, Any]]] = {}
    for entry in coders.formats():
        entries.setdefault(format_id(entry["format"]), []).append(entry)
    known: set[str] = set()
    taken = []
    for name, kinds in entries.items():
        extensions = list(EXTENSIONS.get(name, ["." + kind["extension"] for kind in kinds]))
        names = {name, *(kind["name"].upper() for kind in kinds), *(word[1:].upper() for word in extensions)}
        known |= names
        if wanted is not None and not wanted & names or not override and has(name):
            continue
        if any(kind["reads"] for kind in kinds):
            Image.register_open(name, class_of(name, coders), SIGNATURES.get(name))
            taken.append(name)
            if name == "RAW":
                # Most of them are TIFF files, too, with a small picture for readers of TIFF.
                Image.ID.remove(name)
                Image.ID.insert(0, name)
        if any(kind["writes"] for kind in kinds) and (override or name not in Image.SAVE):
            Image.register_save(name, save(coders, name, kinds[0]["extension"]))
            Image.register_save_all(name, save_all(coders, name, kinds[-1 if name != "HEIF" else 1]["extension"]))
        Image.register_extensions(name, extensions)
        if kinds[0]["media_type"]:
            Image.register_mime(name, kinds[0]["media_type"])
    if wanted is not None and wanted - known:
        raise ValueError(f"no format has the name {', '.join(sorted(wanted - known))}")
    return taken


def has(name: str) -> bool:
    """Whether Pillow reads a format without these coders."""
    if name not in Image.OPEN or name in FEATURES and not features.check(FEATURES[name]):
        return False
    factory = Image.OPEN[name][0]
    return not (isinstance(factory, type) and issubclass(factory, (CoderImageFile, ImageFile.StubImageFile)))
