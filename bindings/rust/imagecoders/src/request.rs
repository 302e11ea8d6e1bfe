// SPDX-License-Identifier: Apache-2.0

use crate::text::Texts;
use crate::{Cancel, PixelFormat, Result};
use imagecoders_sys as sys;
use std::time::Duration;

/// How a picture fits a size. None is enlarged.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// Whole, and at most as large.
    #[default]
    Fit = sys::IC_FIT as isize,
    /// Filling it; what is over is cut evenly.
    Fill = sys::IC_FILL as isize,
    /// Stretched to it.
    Stretch = sys::IC_STRETCH as isize,
}

/// Which colors the pixels have.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// sRGB.
    #[default]
    Srgb = sys::IC_COLOR_SRGB as isize,
    /// Those of the file, unchanged.
    AsStored = sys::IC_COLOR_AS_STORED as isize,
    /// Display P3.
    DisplayP3 = sys::IC_COLOR_DISPLAY_P3 as isize,
    /// ITU-R BT.2020.
    Rec2020 = sys::IC_COLOR_REC2020 as isize,
    /// The primaries of sRGB, in linear light.
    LinearSrgb = sys::IC_COLOR_LINEAR_SRGB as isize,
    /// ITU-R BT.2100 with PQ.
    Rec2100Pq = sys::IC_COLOR_REC2100_PQ as isize,
    /// ITU-R BT.2100 with HLG.
    Rec2100Hlg = sys::IC_COLOR_REC2100_HLG as isize,
}

/// What a picture should be, and what making it may use. The default is the whole picture in pixels that hold what the file has.
#[derive(Clone, Debug)]
pub struct Request {
    raw: sys::ic_request,
    formats: Vec<String>,
    cancel: Option<Cancel>,
}

// Safety: the pointers of `raw` are null until `prepare` fills those of its copy.
unsafe impl Send for Request {}
unsafe impl Sync for Request {}

impl Default for Request {
    fn default() -> Request {
        Request::new()
    }
}

impl Request {
    /// The defaults.
    pub fn new() -> Request {
        Request { raw: sys::ic_request::new(), formats: Vec::new(), cancel: None }
    }

    /// The box that the picture has to fit, in displayed pixels; a side of 0 is free.
    pub fn size(mut self, width: u32, height: u32) -> Request {
        (self.raw.box_width, self.raw.box_height) = (width, height);
        self
    }

    /// How it fits that box.
    pub fn fit(mut self, fit: Fit) -> Request {
        self.raw.fit = fit as u32;
        self
    }

    /// Channels and samples of a pixel.
    pub fn pixel_format(mut self, format: PixelFormat) -> Request {
        self.raw.pixel_format = format as u32;
        self
    }

    /// Which colors the pixels have.
    pub fn color(mut self, color: Color) -> Request {
        self.raw.color = color as u32;
        self
    }

    /// The page, from 1; 0 is the one that the file says, or the size that fits best.
    pub fn page(mut self, page: u32) -> Request {
        self.raw.page = page;
        self
    }

    /// What is damaged or cut is an error.
    pub fn strict(self) -> Request {
        self.flag(sys::IC_STRICT)
    }

    /// A smaller picture may come from a thumbnail in the file, or be a little softer.
    pub fn fast(self) -> Request {
        self.flag(sys::IC_FAST)
    }

    /// Pixels as they are stored, not turned upright; sizes are in stored pixels.
    pub fn keep_orientation(self) -> Request {
        self.flag(sys::IC_KEEP_ORIENTATION)
    }

    /// Alpha is premultiplied; otherwise straight.
    pub fn premultiply(self) -> Request {
        self.flag(sys::IC_PREMULTIPLY)
    }

    /// A picture whose pixels are not square becomes wider or taller.
    pub fn square_pixels(self) -> Request {
        self.flag(sys::IC_SQUARE_PIXELS)
    }

    /// The pixels that a picture may have; 0 is 2^28.
    pub fn max_pixels(mut self, pixels: u64) -> Request {
        self.raw.max_pixels = pixels;
        self
    }

    /// The bytes of memory that the call may take; 0 is 2^30.
    pub fn max_memory(mut self, bytes: u64) -> Request {
        self.raw.max_memory = bytes;
        self
    }

    /// The processor time that the call may take, in whole milliseconds; none is ten minutes.
    pub fn max_time(mut self, time: Duration) -> Request {
        self.raw.max_milliseconds = time.as_millis() as u64;
        self
    }

    /// The frames that a file may have; 0 is 65,536.
    pub fn max_frames(mut self, frames: u32) -> Request {
        self.raw.max_frames = frames;
        self
    }

    /// The only formats that are read, as extensions, names or type identifiers.
    pub fn formats<T: Into<String>>(mut self, formats: impl IntoIterator<Item = T>) -> Request {
        self.formats = formats.into_iter().map(Into::into).collect();
        self
    }

    /// The flag that stops the call.
    pub fn cancel(mut self, cancel: &Cancel) -> Request {
        self.cancel = Some(cancel.clone());
        self
    }

    fn flag(mut self, flag: u32) -> Request {
        self.raw.flags |= flag;
        self
    }

    pub(crate) fn prepare(&self) -> Result<Prepared> {
        let formats = Texts::new(&self.formats)?;
        let mut raw = self.raw;
        raw.allowed_formats = formats.pointer();
        raw.allowed_count = formats.count();
        raw.cancel = Cancel::pointer(self.cancel.as_ref());
        Ok(Prepared { raw, _formats: formats })
    }
}

/// The struct of C, and the texts that it points to. The flag is the request's.
pub(crate) struct Prepared {
    pub(crate) raw: sys::ic_request,
    _formats: Texts,
}
