# SPDX-License-Identifier: Apache-2.0
"""Which targets read the files of the same format."""

# Names of formats as the targets that write and edit have them, for those of the readers.
READ_AS = {"jpg": "jpeg", "tif": "tiff", "jp2": "jpeg2000", "heic": "heif", "heics": "heif", "libheif": "heif",
           "giflib": "gif", "cur": "ico"}
EXTENSIONS = {
    "jpeg": "jpg jpeg jpe mpo jfif", "tiff": "tif tiff dng",
    "raw": "dng cr2 cr3 crw nef arw pef srw iiq orf rw2 raf mrw",
    "jpeg2000": "jp2 j2k jpf jpx j2c jpc", "heif": "heic heif hif heics",
    "avif": "avif avifs", "pnm": "pbm pgm ppm pnm pam pfm", "bmp": "bmp dib", "png": "png apng", "ico": "ico cur", "svg": "svg svgz",
    "convert": "jpg jpeg png webp gif tif tiff"}
WAYS = {"decode", "arriving", "frames", "thumbnail", "pages", "layouts", "edit", "deep"}


def read_by(target):
    """The format whose files a target reads, or the kind of its inputs; None if nothing else has such inputs."""
    first, last = target.split("-", 1)
    if first in ("write", "convert"):
        return first
    (way, name) = (first, last) if first == "edit" else (last, first)
    return READ_AS.get(name, name) if way in WAYS else None
