// SPDX-License-Identifier: Apache-2.0

use crate::{Error, Result, Status};
use imagecoders_sys as sys;
use std::ops::Deref;

macro_rules! pixel_formats {
    ($($(#[$comment:meta])* $name:ident = $number:ident, $bytes:literal;)*) => {
        /// Channels and samples of a pixel, in the order of memory; 16 bits and floats in the byte order of the machine.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PixelFormat { $($(#[$comment])* $name = sys::$number as isize),* }

        impl PixelFormat {
            pub(crate) fn new(number: u32) -> Option<PixelFormat> {
                match number { $(sys::$number => Some(PixelFormat::$name),)* _ => None }
            }

            /// The bytes of a pixel.
            pub fn bytes_per_pixel(self) -> usize {
                match self { $(PixelFormat::$name => $bytes),* }
            }
        }
    };
}

pixel_formats! {
    /// One channel of 8 bits.
    Gray8 = IC_GRAY8, 1;
    /// Gray and alpha, 8 bits each.
    GrayAlpha8 = IC_GRAY_ALPHA8, 2;
    /// One channel of 16 bits.
    Gray16 = IC_GRAY16, 2;
    /// Gray and alpha, 16 bits each.
    GrayAlpha16 = IC_GRAY_ALPHA16, 4;
    /// Red, green, blue, 8 bits each.
    Rgb8 = IC_RGB8, 3;
    /// Red, green, blue, alpha, 8 bits each.
    Rgba8 = IC_RGBA8, 4;
    /// Blue, green, red, alpha, 8 bits each.
    Bgra8 = IC_BGRA8, 4;
    /// Red, green, blue, alpha, 16 bits each.
    Rgba16 = IC_RGBA16, 8;
    /// Red, green, blue, alpha, half floats.
    RgbaFloat16 = IC_RGBA_FLOAT16, 8;
    /// Red, green, blue, alpha, floats.
    RgbaFloat32 = IC_RGBA_FLOAT32, 16;
    /// Red, green, blue, 16 bits each.
    Rgb16 = IC_RGB16, 6;
}

/// What alpha samples mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alpha {
    /// There is no alpha, or each pixel is opaque.
    Opaque,
    /// Colors are independent of alpha.
    Straight,
    /// Colors are multiplied by alpha.
    Premultiplied,
}

impl Alpha {
    pub(crate) fn new(number: u32) -> Alpha {
        match number {
            sys::IC_STRAIGHT => Alpha::Straight,
            sys::IC_PREMULTIPLIED => Alpha::Premultiplied,
            _ => Alpha::Opaque,
        }
    }
}

/// Pixels in the library's memory, in rows from top to bottom.
#[derive(Debug)]
pub struct Picture {
    raw: sys::ic_pixels,
    format: PixelFormat,
    problem: Option<Error>,
}

// Safety: the memory is the picture's alone until ic_release, which any thread may call.
unsafe impl Send for Picture {}
unsafe impl Sync for Picture {}

impl Drop for Picture {
    fn drop(&mut self) {
        // Safety: the owner is the library's, and is released once.
        unsafe { sys::ic_release(self.raw.owner) }
    }
}

impl Picture {
    /// The picture that a call has filled; None if it has filled nothing.
    pub(crate) fn taken(raw: sys::ic_pixels, problem: Option<Error>) -> Result<Option<Picture>> {
        if raw.data.is_null() {
            return Ok(None);
        }
        let Some(format) = PixelFormat::new(raw.pixel_format) else {
            // Safety: as in drop.
            unsafe { sys::ic_release(raw.owner) };
            return Err(Error::new(Status::LibraryFailure, format!("the pixel format is {}", raw.pixel_format)));
        };
        Ok(Some(Picture { raw, format, problem }))
    }

    /// Pixels of a row.
    pub fn width(&self) -> usize {
        self.raw.width as usize
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.raw.height as usize
    }

    /// Bytes from the start of one row to that of the next.
    pub fn stride(&self) -> usize {
        self.raw.stride as usize
    }

    /// Channels and samples of a pixel.
    pub fn pixel_format(&self) -> PixelFormat {
        self.format
    }

    /// What alpha samples mean.
    pub fn alpha(&self) -> Alpha {
        Alpha::new(self.raw.alpha)
    }

    /// How long a frame is shown, in seconds, as numerator and denominator; 0 / 1 of a picture that is no frame.
    pub fn delay(&self) -> (u32, u32) {
        (self.raw.delay_numerator, self.raw.delay_denominator.max(1))
    }

    /// What is missing of the picture, or None.
    pub fn problem(&self) -> Option<&Error> {
        self.problem.as_ref()
    }

    /// The bytes of all rows, `stride` apart; the last one ends with its last pixel.
    pub fn data(&self) -> &[u8] {
        let count = self.stride() * (self.height().saturating_sub(1)) + self.width() * self.format.bytes_per_pixel();
        // Safety: the library fills that many bytes, which live as long as the picture.
        unsafe { std::slice::from_raw_parts(self.raw.data.cast(), count) }
    }

    /// The bytes of each row, without what lies between rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let count = self.width() * self.format.bytes_per_pixel();
        self.data().chunks(self.stride()).map(move |row| &row[..count])
    }

    /// The same pixels, to be encoded.
    pub fn pixels(&self) -> Pixels<'_> {
        Pixels { raw: self.raw, lifetime: std::marker::PhantomData }
    }
}

/// Pixels to be encoded, which stay the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Pixels<'a> {
    pub(crate) raw: sys::ic_pixels,
    lifetime: std::marker::PhantomData<&'a [u8]>,
}

impl<'a> Pixels<'a> {
    /// Rows of `width` pixels, `stride` bytes apart; the last row may end with its last pixel. Of 16 bits and floats, each row begins
    /// at an address that the size of a sample divides.
    pub fn new(data: &'a [u8], width: usize, height: usize, stride: usize, format: PixelFormat) -> Result<Pixels<'a>> {
        let row = width.checked_mul(format.bytes_per_pixel());
        let needed = height.checked_sub(1).and_then(|rows| rows.checked_mul(stride)?.checked_add(row?));
        match (row, needed, u32::try_from(width), u32::try_from(height)) {
            (Some(row), Some(needed), Ok(width), Ok(height))
                if width > 0 && needed <= data.len() && (stride >= row || height == 1) =>
            {
                let mut raw = sys::ic_pixels::new();
                (raw.width, raw.height, raw.stride) = (width, height, stride.max(row) as u64);
                raw.pixel_format = format as u32;
                raw.data = data.as_ptr().cast_mut().cast();
                Ok(Pixels { raw, lifetime: std::marker::PhantomData })
            }
            _ => Err(Error::new(
                Status::InvalidArgument,
                format!("{} bytes are no {width}×{height} of {format:?} in rows of {stride} bytes", data.len()),
            )),
        }
    }

    /// What alpha samples mean; straight by default.
    pub fn alpha(mut self, alpha: Alpha) -> Pixels<'a> {
        self.raw.alpha = if alpha == Alpha::Premultiplied { sys::IC_PREMULTIPLIED } else { sys::IC_STRAIGHT };
        self
    }

    /// How long the frame of an animation is shown, in seconds, as a fraction.
    pub fn delay(mut self, numerator: u32, denominator: u32) -> Pixels<'a> {
        (self.raw.delay_numerator, self.raw.delay_denominator) = (numerator, denominator);
        self
    }
}

/// Bytes in the library's memory, such as those of a file.
#[derive(Debug)]
pub struct Bytes {
    raw: sys::ic_bytes,
    problem: Option<Error>,
}

// Safety: as those of Picture.
unsafe impl Send for Bytes {}
unsafe impl Sync for Bytes {}

impl Drop for Bytes {
    fn drop(&mut self) {
        // Safety: as that of Picture.
        unsafe { sys::ic_release(self.raw.owner) }
    }
}

impl Bytes {
    pub(crate) fn taken(raw: sys::ic_bytes, problem: Option<Error>) -> Bytes {
        Bytes { raw, problem }
    }

    /// Of a thumbnail: what is missing of the picture, or None.
    pub fn problem(&self) -> Option<&Error> {
        self.problem.as_ref()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if self.raw.data.is_null() {
            return &[];
        }
        // Safety: the library fills that many bytes, which live as long as their owner.
        unsafe { std::slice::from_raw_parts(self.raw.data, self.raw.count as usize) }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
