// SPDX-License-Identifier: Apache-2.0

//! The properties of a page or a frame.

use crate::ffi::*;

/// Takes a property dictionary. Dictionaries and lists are at most 8 levels deep.
pub struct Properties<'a>(pub(crate) &'a imgcoder_properties);

impl Properties<'_> {
    /// Puts values into the dictionary of this name, inside the current one.
    pub fn dictionary(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        if let (Some(begin), Some(end)) = (self.0.begin, self.0.end) {
            // SAFETY: the host copies the name before it returns.
            unsafe { begin(self.0, imgcoder_string::borrowed(name)) };
            fill(self);
            // SAFETY: closes what `begin` opened.
            unsafe { end(self.0) };
        }
    }

    /// Puts values into the list of this name, inside the current dictionary or list. They keep their order, and their
    /// names do not count.
    pub fn list(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        if let (Some(begin), Some(end)) = (self.0.begin_list, self.0.end) {
            // SAFETY: the host copies the name before it returns.
            unsafe { begin(self.0, imgcoder_string::borrowed(name)) };
            fill(self);
            // SAFETY: closes what `begin_list` opened.
            unsafe { end(self.0) };
        }
    }

    /// Puts a whole number.
    pub fn put_integer(&mut self, name: &str, value: i64) {
        if let Some(put) = self.0.put_integer {
            // SAFETY: the host copies the name before it returns.
            unsafe { put(self.0, imgcoder_string::borrowed(name), value) };
        }
    }

    /// Puts a number.
    pub fn put_number(&mut self, name: &str, value: f64) {
        if let Some(put) = self.0.put_number {
            // SAFETY: the host copies the name before it returns.
            unsafe { put(self.0, imgcoder_string::borrowed(name), value) };
        }
    }

    /// Puts a text.
    pub fn put_text(&mut self, name: &str, value: &str) {
        if let Some(put) = self.0.put_text {
            // SAFETY: the host copies both before it returns.
            unsafe { put(self.0, imgcoder_string::borrowed(name), imgcoder_string::borrowed(value)) };
        }
    }
}
