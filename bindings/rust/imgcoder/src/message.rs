// SPDX-License-Identifier: Apache-2.0

//! Texts of bounded length.

use crate::ffi::*;
use core::fmt::{self, Write as _};

/// A message without an allocation.
pub(crate) struct Message {
    bytes: [u8; 240],
    length: usize,
}

impl Message {
    /// What does not fit is cut.
    pub(crate) fn new(text: fmt::Arguments<'_>) -> Self {
        let mut message = Message { bytes: [0; 240], length: 0 };
        let _ = message.write_fmt(text);
        message
    }

    pub(crate) fn text(&self) -> imgcoder_string {
        imgcoder_string { bytes: self.bytes.as_ptr(), length: self.length as u64 }
    }
}

#[cfg(feature = "std")]
impl fmt::Display for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(core::str::from_utf8(&self.bytes[..self.length]).unwrap_or(""))
    }
}

impl fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut count = text.len().min(self.bytes.len() - self.length);
        while !text.is_char_boundary(count) {
            count -= 1;
        }
        self.bytes[self.length..self.length + count].copy_from_slice(&text.as_bytes()[..count]);
        self.length += count;
        if count == text.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}
