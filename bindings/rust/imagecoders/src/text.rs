// SPDX-License-Identifier: Apache-2.0

//! Texts of C.

use std::ffi::{c_char, CStr, CString, NulError};

/// A text of the library's, which ends with a null byte inside of its array.
pub(crate) fn text(array: &[c_char]) -> String {
    // Safety: c_char and u8 have one size, and each byte is a value of both.
    let bytes = unsafe { std::slice::from_raw_parts(array.as_ptr().cast::<u8>(), array.len()) };
    CStr::from_bytes_until_nul(bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A text for the library, which may hold no null byte.
pub(crate) fn c_string(text: impl Into<Vec<u8>>) -> Result<CString, NulError> {
    CString::new(text)
}

/// Texts for the library, and pointers to them.
#[derive(Default)]
pub(crate) struct Texts {
    texts: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl Texts {
    pub(crate) fn new(words: &[String]) -> Result<Texts, NulError> {
        let texts = words.iter().map(|word| c_string(word.as_str())).collect::<Result<Vec<_>, _>>()?;
        let pointers = texts.iter().map(|text| text.as_ptr()).collect();
        Ok(Texts { texts, pointers })
    }

    /// Null for none.
    pub(crate) fn pointer(&self) -> *const *const c_char {
        if self.texts.is_empty() {
            std::ptr::null()
        } else {
            self.pointers.as_ptr()
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.texts.len() as u32
    }
}
