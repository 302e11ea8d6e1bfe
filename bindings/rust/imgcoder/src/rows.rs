// SPDX-License-Identifier: Apache-2.0

//! Pixels in the host's memory: rows to write, and pictures to read.

use crate::ffi::*;
use crate::host::{Error, Result};
use core::marker::PhantomData;

/// The format of version 1.0 that holds the samples of a later one and an alpha, or None.
pub(crate) const fn with_alpha(pixel_format: u32) -> Option<u32> {
    match pixel_format {
        PIXEL_RGB16 => Some(PIXEL_RGBA16),
        PIXEL_RGB_F16 => Some(PIXEL_RGBA_F16),
        PIXEL_RGB_F32 | PIXEL_GRAY_F32 => Some(PIXEL_RGBA_F32),
        _ => None,
    }
}

/// Bytes of one pixel, or 0 for a pixel format that version 1.1 does not have.
pub const fn bytes_per_pixel(pixel_format: u32) -> usize {
    match pixel_format {
        PIXEL_GRAY8 => 1,
        PIXEL_GRAY_ALPHA8 | PIXEL_GRAY16 => 2,
        PIXEL_RGB8 => 3,
        PIXEL_GRAY_ALPHA16 | PIXEL_RGBA8 | PIXEL_BGRA8 | PIXEL_GRAY_F32 | PIXEL_CMYK8 => 4,
        PIXEL_RGB16 | PIXEL_RGB_F16 => 6,
        PIXEL_RGBA16 | PIXEL_RGBA_F16 | PIXEL_CMYK16 => 8,
        PIXEL_RGB_F32 => 12,
        PIXEL_RGBA_F32 => 16,
        _ => 0,
    }
}

/// Takes the rows of one picture, in memory that belongs to the host.
pub struct Sink<'a> {
    pub(crate) raw: &'a imgcoder_sink,
    pub(crate) row_bytes: usize,
}

impl Sink<'_> {
    /// Asks for the memory of `count` rows from `y` on. Top down, the host may grant fewer.
    pub fn rows(&mut self, y: u32, count: u32) -> Result<Rows<'_>> {
        let mut granted = imgcoder_rows { pixels: core::ptr::null_mut(), stride: 0, count: 0, reserved: 0 };
        // SAFETY: the host's struct lives during the decode.
        let status =
            self.raw.rows.map_or(STATUS_INVALID_ARGUMENT, |rows| unsafe { rows(self.raw, y, count, &mut granted) });
        Error::check(status)?;
        if granted.pixels.is_null() || (granted.stride as usize) < self.row_bytes {
            return Err(Error(STATUS_INVALID_ARGUMENT));
        }
        Ok(Rows { raw: granted, row_bytes: self.row_bytes, sink: PhantomData })
    }

    /// Reports that rows are written. `pass` counts from 0 for pictures that are sent more than once.
    pub fn done(&mut self, y: u32, count: u32, pass: u32) -> Result<()> {
        // SAFETY: the host's struct lives during the decode.
        Error::check(self.raw.done.map_or(STATUS_INVALID_ARGUMENT, |done| unsafe { done(self.raw, y, count, pass) }))
    }
}

/// Memory for rows that the host granted. They can be written until they are reported done.
pub struct Rows<'s> {
    raw: imgcoder_rows,
    row_bytes: usize,
    sink: PhantomData<&'s mut ()>,
}

impl Rows<'_> {
    /// Rows granted, at least 1.
    pub fn count(&self) -> u32 {
        self.raw.count
    }

    /// The bytes of a granted row, counted from the first one.
    ///
    /// # Panics
    /// If the row was not granted.
    pub fn row(&mut self, index: u32) -> &mut [u8] {
        // SAFETY: the host granted these rows; it lets nobody else use them until they are done.
        unsafe { &mut *self.row_pointer(index) }
    }

    pub(crate) fn row_pointer(&self, index: u32) -> *mut [u8] {
        assert!(index < self.raw.count, "row {index} of {} rows", self.raw.count);
        // SAFETY: the row is one of those that were granted.
        let start = unsafe { self.raw.pixels.add(index as usize * self.raw.stride as usize) };
        core::ptr::slice_from_raw_parts_mut(start, self.row_bytes)
    }
}

/// A whole picture in the host's memory.
pub struct Pixels<'a>(pub(crate) &'a imgcoder_pixels);

// SAFETY: it only reads, and the host does not change a picture that it passed.
unsafe impl Send for Pixels<'_> {}
// SAFETY: as above.
unsafe impl Sync for Pixels<'_> {}

impl Pixels<'_> {
    /// Columns.
    pub fn width(&self) -> u32 {
        self.0.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.0.height
    }

    /// One of `ffi::PIXEL_*`: the one that the writer accepted.
    pub fn pixel_format(&self) -> u32 {
        self.0.pixel_format
    }

    /// One of `ffi::ALPHA_*`: the one that the writer accepted.
    pub fn alpha(&self) -> u32 {
        self.0.alpha
    }

    /// The bytes of a row.
    ///
    /// # Panics
    /// If the picture does not have the row.
    pub fn row(&self, y: u32) -> &[u8] {
        assert!(y < self.0.height, "row {y} of {} rows", self.0.height);
        let length = self.0.width as usize * bytes_per_pixel(self.0.pixel_format);
        // SAFETY: the host's picture has this row.
        unsafe { core::slice::from_raw_parts(self.0.pixels.add(y as usize * self.0.stride as usize), length) }
    }
}
