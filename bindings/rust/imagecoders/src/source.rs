// SPDX-License-Identifier: Apache-2.0

use crate::text::c_string;
use crate::Result;
use imagecoders_sys as sys;
use std::ffi::CString;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    Bytes(&'a [u8]),
    Path(&'a Path),
    Descriptor(BorrowedFd<'a>),
}

/// Where the bytes of a file come from. A text and a path are files by name, a slice is bytes.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    place: Place<'a>,
    extension: Option<&'a str>,
}

impl<'a> Source<'a> {
    /// A file by its name.
    pub fn path(path: &'a (impl AsRef<Path> + ?Sized)) -> Source<'a> {
        Source { place: Place::Path(path.as_ref()), extension: None }
    }

    /// Bytes of a file.
    pub fn bytes(bytes: &'a (impl AsRef<[u8]> + ?Sized)) -> Source<'a> {
        Source { place: Place::Bytes(bytes.as_ref()), extension: None }
    }

    /// A file that is open, read from its start, or a pipe, read to its end. It stays open.
    pub fn descriptor(descriptor: BorrowedFd<'a>) -> Source<'a> {
        Source { place: Place::Descriptor(descriptor), extension: None }
    }

    /// An extension that breaks ties between formats, without a dot. That of a path counts by itself.
    pub fn extension(self, extension: &'a str) -> Source<'a> {
        Source { extension: Some(extension), ..self }
    }

    pub(crate) fn prepare(&self) -> Result<Prepared> {
        let mut raw = sys::ic_source::new();
        let mut texts = [None, None];
        match self.place {
            Place::Bytes(bytes) => {
                raw.kind = sys::IC_SOURCE_BYTES;
                raw.count = bytes.len() as u64;
                raw.bytes = if bytes.is_empty() { std::ptr::null() } else { bytes.as_ptr().cast() };
            }
            Place::Path(path) => {
                raw.kind = sys::IC_SOURCE_PATH;
                let text = c_string(path.as_os_str().as_bytes())?;
                raw.path = texts[0].insert(text).as_ptr();
            }
            Place::Descriptor(descriptor) => {
                raw.kind = sys::IC_SOURCE_DESCRIPTOR;
                raw.descriptor = descriptor.as_raw_fd();
            }
        }
        if let Some(extension) = self.extension {
            raw.extension = texts[1].insert(c_string(extension)?).as_ptr();
        }
        Ok(Prepared { raw, _texts: texts })
    }
}

/// The struct of C, and the texts that it points to. Bytes are the source's.
pub(crate) struct Prepared {
    pub(crate) raw: sys::ic_source,
    _texts: [Option<CString>; 2],
}

impl<'a> From<&'a str> for Source<'a> {
    fn from(path: &'a str) -> Source<'a> {
        Source::path(path)
    }
}

impl<'a> From<&'a Path> for Source<'a> {
    fn from(path: &'a Path) -> Source<'a> {
        Source::path(path)
    }
}

impl<'a> From<&'a std::path::PathBuf> for Source<'a> {
    fn from(path: &'a std::path::PathBuf) -> Source<'a> {
        Source::path(path)
    }
}

impl<'a> From<&'a [u8]> for Source<'a> {
    fn from(bytes: &'a [u8]) -> Source<'a> {
        Source::bytes(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Source<'a> {
    fn from(bytes: &'a Vec<u8>) -> Source<'a> {
        Source::bytes(bytes)
    }
}
