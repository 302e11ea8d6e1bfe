// SPDX-License-Identifier: Apache-2.0

use crate::text::text;
use crate::{Alpha, PixelFormat};
use imagecoders_sys as sys;

/// A kind of metadata, as a payload of bytes without what the format puts before them.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetadataKind {
    /// An ICC profile.
    Icc = sys::IC_ICC as isize,
    /// Exif, which begins with `II` or `MM`.
    Exif = sys::IC_EXIF as isize,
    /// An XMP packet.
    Xmp = sys::IC_XMP as isize,
    /// IPTC-IIM records.
    Iptc = sys::IC_IPTC as isize,
    /// A C2PA manifest.
    C2pa = sys::IC_C2PA as isize,
    /// GeoTIFF keys.
    GeoTiff = sys::IC_GEOTIFF as isize,
    /// Texts of the format, such as those of PNG.
    Text = sys::IC_TEXT as isize,
    /// What follows the picture in the file.
    Trailer = sys::IC_TRAILER as isize,
    /// Names of what programs have left in the file.
    Other = sys::IC_OTHER as isize,
}

/// What a file says of its picture.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Displayed pixels, turned upright.
    pub width: u32,
    /// The same.
    pub height: u32,
    /// Pixels as they are stored.
    pub stored_width: u32,
    /// The same.
    pub stored_height: u32,
    /// 1 to 8, as Exif numbers them.
    pub orientation: u32,
    /// The smallest that holds the file's pixels.
    pub pixel_format: Option<PixelFormat>,
    /// What alpha samples mean.
    pub alpha: Alpha,
    /// Bits of a sample.
    pub bits_per_channel: u32,
    /// At least 1.
    pub frames: u32,
    /// At least 1.
    pub pages: u32,
    /// From 1.
    pub primary_page: u32,
    /// How often an animation plays; 0: without end, or it says nothing.
    pub loop_count: u32,
    /// Whether it is an animation.
    pub is_animated: bool,
    /// Whether coarse pictures come first.
    pub is_progressive: bool,
    /// Whether no sample was changed by compression.
    pub is_lossless: bool,
    /// Whether the header says that the file ends too early.
    pub is_cut: bool,
    /// Whether the header says that the file is damaged.
    pub is_damaged: bool,
    /// Whether pixels are of a palette.
    pub has_palette: bool,
    /// Whether pages are sizes of one picture, as in an icon.
    pub pages_are_sizes: bool,
    /// The type identifier, such as `public.jpeg`.
    pub format: String,
    /// What people call the format, such as `JPEG`.
    pub name: String,
    /// Such as `jpg`.
    pub extension: String,
    /// Such as `image/jpeg`; empty if there is none.
    pub media_type: String,
    metadata: u32,
}

impl Info {
    pub(crate) fn new(raw: &sys::ic_info) -> Info {
        let has = |flag| raw.flags & flag != 0;
        Info {
            width: raw.width,
            height: raw.height,
            stored_width: raw.stored_width,
            stored_height: raw.stored_height,
            orientation: raw.orientation,
            pixel_format: PixelFormat::new(raw.pixel_format),
            alpha: Alpha::new(raw.alpha),
            bits_per_channel: raw.bits_per_channel,
            frames: raw.frames,
            pages: raw.pages,
            primary_page: raw.primary_page,
            loop_count: raw.loop_count,
            is_animated: has(sys::IC_ANIMATED),
            is_progressive: has(sys::IC_PROGRESSIVE),
            is_lossless: has(sys::IC_LOSSLESS),
            is_cut: has(sys::IC_CUT),
            is_damaged: has(sys::IC_DAMAGED),
            has_palette: has(sys::IC_PALETTE),
            pages_are_sizes: has(sys::IC_PAGES_ARE_SIZES),
            format: text(&raw.format),
            name: text(&raw.name),
            extension: text(&raw.extension),
            media_type: text(&raw.media_type),
            metadata: raw.metadata,
        }
    }

    /// Whether the file has metadata of this kind.
    pub fn has(&self, kind: MetadataKind) -> bool {
        self.metadata >> (kind as u32) & 1 == 1
    }
}
