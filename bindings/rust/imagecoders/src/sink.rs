// SPDX-License-Identifier: Apache-2.0

use crate::context::{answer, Context};
use crate::text::c_string;
use crate::Result;
use imagecoders_sys as sys;
use std::ffi::{c_void, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What takes a file that is written, such as an upload.
pub trait WriteAt: Send {
    /// Takes bytes that belong at `offset`. They come in their order, but for those that a writer puts right later: each byte before
    /// `offset` was given before. What came of a file that fails counts for nothing.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> std::io::Result<()>;
}

/// Where the bytes of a written file go.
pub enum Sink<'a> {
    /// They are the result.
    Memory,
    /// To a path, where the file appears when it is whole; until then, and after an error, what was there stays.
    Path(&'a Path),
    /// To a function, on the thread of the call.
    Function(&'a mut dyn WriteAt),
}

impl<'a> Sink<'a> {
    /// A file by its name.
    pub fn path(path: &'a (impl AsRef<Path> + ?Sized)) -> Sink<'a> {
        Sink::Path(path.as_ref())
    }

    pub(crate) fn prepare(self) -> Result<Prepared<'a>> {
        let mut raw = sys::ic_sink::new();
        let mut made = Prepared { raw, _path: None, _function: None };
        match self {
            Sink::Memory => raw.kind = sys::IC_SINK_BYTES,
            Sink::Path(path) => {
                raw.kind = sys::IC_SINK_PATH;
                raw.path = made._path.insert(c_string(path.as_os_str().as_bytes())?).as_ptr();
            }
            Sink::Function(function) => {
                raw.kind = sys::IC_SINK_FUNCTION;
                raw.write = Some(write);
                raw.context = made._function.insert(Context::new(function)).pointer();
            }
        }
        made.raw = raw;
        Ok(made)
    }
}

/// The struct of C, and what it points to.
pub(crate) struct Prepared<'a> {
    pub(crate) raw: sys::ic_sink,
    _path: Option<CString>,
    _function: Option<Context<&'a mut dyn WriteAt>>,
}

/// What the library calls: the context is the place of a reference.
unsafe extern "C" fn write(context: *mut c_void, offset: u64, bytes: *const c_void, count: u64) -> i64 {
    // Safety: the library passes on the context of `prepare`, which nobody else uses now, and so many bytes.
    let (function, bytes) = unsafe {
        (&mut *context.cast::<&mut dyn WriteAt>(), std::slice::from_raw_parts(bytes.cast::<u8>(), count as usize))
    };
    answer(count, || function.write_at(offset, bytes))
}
