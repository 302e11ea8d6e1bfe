// SPDX-License-Identifier: Apache-2.0

use crate::text::c_string;
use crate::{Color, MetadataKind, Result};
use imagecoders_sys as sys;
use std::ffi::CString;

/// What a file should be. The default is a format that can hold the picture, with the format's own quality.
#[derive(Clone, Debug, Default)]
pub struct Encoding {
    format: Option<String>,
    quality: Option<f64>,
    flags: u32,
    loops: Option<u32>,
    pages: u32,
    color: Option<Color>,
    left_out: u32,
    max_bytes: u64,
    options: Vec<(String, String)>,
    icc: Vec<u8>,
    exif: Vec<u8>,
    xmp: Vec<u8>,
}

impl Encoding {
    /// The defaults.
    pub fn new() -> Encoding {
        Encoding::default()
    }

    /// The format, as an extension, a name or a type identifier.
    pub fn format(self, format: impl Into<String>) -> Encoding {
        Encoding { format: Some(format.into()), ..self }
    }

    /// 0 (smallest) to 1 (best).
    pub fn quality(self, quality: f64) -> Encoding {
        Encoding { quality: Some(quality), ..self }
    }

    /// Every sample is kept; an error if the format cannot.
    pub fn lossless(self) -> Encoding {
        self.flag(sys::IC_EXACT)
    }

    /// The colors of the file; without them, those of the picture.
    pub fn color(self, color: Color) -> Encoding {
        Encoding { color: Some(color), ..self }
    }

    /// Each frame is a page, and there are so many.
    pub fn pages(self, count: u32) -> Encoding {
        Encoding { pages: count, ..self }
    }

    /// Of a conversion: one frame of one page.
    pub fn first_frame(self) -> Encoding {
        self.flag(sys::IC_FIRST_FRAME)
    }

    /// Of a conversion: pixels are decoded and encoded also where the file could be kept without.
    pub fn encode_anew(self) -> Encoding {
        self.flag(sys::IC_ENCODE_ANEW)
    }

    /// Of a conversion: metadata of this kind is not kept.
    pub fn leave_out(self, kind: MetadataKind) -> Encoding {
        Encoding { left_out: self.left_out | 1 << kind as u32, ..self }
    }

    fn flag(self, flag: u32) -> Encoding {
        Encoding { flags: self.flags | flag, ..self }
    }

    /// How often an animation plays, 0 without end.
    pub fn loop_count(self, count: u32) -> Encoding {
        Encoding { loops: Some(count), ..self }
    }

    /// The best quality whose file has at most so many bytes is searched.
    pub fn max_bytes(self, bytes: u64) -> Encoding {
        Encoding { max_bytes: bytes, ..self }
    }

    /// An option of the format's writer, as `coders options FORMAT` lists them: `3`, `0.5`, `true`, or a word.
    pub fn option(mut self, name: impl Into<String>, value: impl ToString) -> Encoding {
        self.options.push((name.into(), value.to_string()));
        self
    }

    /// A profile, which says what the pixels' colors are; without one they are sRGB.
    pub fn icc(self, profile: impl Into<Vec<u8>>) -> Encoding {
        Encoding { icc: profile.into(), ..self }
    }

    /// A payload of Exif, which begins with `II` or `MM`.
    pub fn exif(self, payload: impl Into<Vec<u8>>) -> Encoding {
        Encoding { exif: payload.into(), ..self }
    }

    /// An XMP packet.
    pub fn xmp(self, packet: impl Into<Vec<u8>>) -> Encoding {
        Encoding { xmp: packet.into(), ..self }
    }

    pub(crate) fn prepare(&self) -> Result<Prepared<'_>> {
        let mut raw = sys::ic_encoding::new();
        let format = self.format.as_deref().map(c_string).transpose()?;
        raw.format = format.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
        if let Some(quality) = self.quality {
            raw.flags |= sys::IC_QUALITY;
            raw.quality = quality;
        }
        raw.flags |= self.flags;
        if let Some(color) = self.color {
            raw.flags |= sys::IC_CONVERT_COLOR;
            raw.color = color as u32;
        }
        (raw.page_count, raw.left_out) = (self.pages, self.left_out);
        if let Some(count) = self.loops {
            raw.flags |= sys::IC_LOOP;
            raw.loop_count = count;
        }
        raw.max_bytes = self.max_bytes;
        let mut texts = Vec::with_capacity(self.options.len());
        for (name, value) in &self.options {
            texts.push((c_string(name.as_str())?, c_string(value.as_str())?));
        }
        let options: Vec<_> =
            texts.iter().map(|(name, value)| sys::ic_option { name: name.as_ptr(), value: value.as_ptr() }).collect();
        if !options.is_empty() {
            (raw.options, raw.option_count) = (options.as_ptr(), options.len() as u32);
        }
        let payload = |bytes: &[u8]| if bytes.is_empty() { std::ptr::null() } else { bytes.as_ptr().cast() };
        (raw.icc, raw.icc_count) = (payload(&self.icc), self.icc.len() as u64);
        (raw.exif, raw.exif_count) = (payload(&self.exif), self.exif.len() as u64);
        (raw.xmp, raw.xmp_count) = (payload(&self.xmp), self.xmp.len() as u64);
        Ok(Prepared { raw, _format: format, _texts: texts, _options: options, lifetime: std::marker::PhantomData })
    }
}

/// The struct of C, and the texts that it points to. Payloads are the encoding's.
pub(crate) struct Prepared<'a> {
    pub(crate) raw: sys::ic_encoding,
    _format: Option<CString>,
    _texts: Vec<(CString, CString)>,
    _options: Vec<sys::ic_option>,
    lifetime: std::marker::PhantomData<&'a Encoding>,
}
