// SPDX-License-Identifier: Apache-2.0

use crate::context::{answer, Context};
use crate::text::c_string;
use crate::Result;
use imagecoders_sys as sys;
use std::ffi::{c_void, CString};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[derive(Clone, Copy)]
enum Place<'a> {
    Bytes(&'a [u8]),
    Path(&'a Path),
    Descriptor(BorrowedFd<'a>),
    Function(&'a dyn ReadAt),
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Bytes(bytes) => write!(formatter, "{} bytes", bytes.len()),
            Place::Path(path) => write!(formatter, "{path:?}"),
            Place::Descriptor(descriptor) => write!(formatter, "{descriptor:?}"),
            Place::Function(file) => write!(formatter, "a file of {} bytes that is read by a function", file.size()),
        }
    }
}

/// A file that is read piece by piece, such as one in a store of objects.
pub trait ReadAt: Sync {
    /// The bytes of the file.
    fn size(&self) -> u64;

    /// Fills `target` with the bytes from `offset` on, which lie within the file. It is called on the thread of the call that needs
    /// them, and may be called twice for a byte.
    fn read_at(&self, offset: u64, target: &mut [u8]) -> std::io::Result<()>;
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

    /// A file that is read piece by piece. [`Registry::decode_all`](crate::Registry::decode_all) and its like take none.
    pub fn function(file: &'a dyn ReadAt) -> Source<'a> {
        Source { place: Place::Function(file), extension: None }
    }

    /// An extension that breaks ties between formats, without a dot. That of a path counts by itself.
    pub fn extension(self, extension: &'a str) -> Source<'a> {
        Source { extension: Some(extension), ..self }
    }

    pub(crate) fn prepare(&self) -> Result<Prepared<'a>> {
        let mut raw = sys::ic_source::new();
        let mut texts = [None, None];
        let mut function = None;
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
            Place::Function(file) => {
                raw.kind = sys::IC_SOURCE_FUNCTION;
                raw.count = file.size();
                raw.read = Some(read);
                raw.context = function.insert(Context::new(file)).pointer();
            }
        }
        if let Some(extension) = self.extension {
            raw.extension = texts[1].insert(c_string(extension)?).as_ptr();
        }
        Ok(Prepared { raw, _texts: texts, _function: function })
    }
}

/// The struct of C, and what it points to. Bytes are the source's.
pub(crate) struct Prepared<'a> {
    pub(crate) raw: sys::ic_source,
    _texts: [Option<CString>; 2],
    _function: Option<Context<&'a dyn ReadAt>>,
}

/// What the library calls: the context is the place of a reference.
unsafe extern "C" fn read(context: *mut c_void, offset: u64, target: *mut c_void, count: u64) -> i64 {
    // Safety: the library passes on the context of `prepare`, and room for so many bytes. They are none yet.
    let (file, target) = unsafe {
        target.cast::<u8>().write_bytes(0, count as usize);
        (*context.cast::<&dyn ReadAt>(), std::slice::from_raw_parts_mut(target.cast::<u8>(), count as usize))
    };
    answer(count, || file.read_at(offset, target))
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
