// SPDX-License-Identifier: Apache-2.0

use crate::error::call;
use crate::registry::opened;
use crate::sink::Prepared;
use crate::{Bytes, Cancel, Encoding, Pixels, Registry, Result, Sink};
use imagecoders_sys as sys;
use std::ptr::NonNull;

/// A file that is written frame by frame: formats that are written so keep two frames in memory, the others all.
pub struct Writer<'a> {
    pointer: NonNull<sys::ic_writer>,
    // Kept for a function of the caller's, and dropped after the writer is freed.
    _sink: Prepared<'a>,
}

// Safety: it is for one thread at a time, which need not be the one that made it, as the function of the sink. It is not Sync.
unsafe impl Send for Writer<'_> {}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // Safety: made, and freed once.
        unsafe { sys::ic_writer_free(self.pointer.as_ptr()) }
    }
}

impl Registry {
    /// Begins a file that is written frame by frame. The encoding needs a format, unless the sink's path has an extension. Of a file
    /// that is not finished, nothing stays at the path.
    pub fn writer<'a>(&self, encoding: &Encoding, sink: Sink<'a>, cancel: Option<&Cancel>) -> Result<Writer<'a>> {
        let (encoding, sink) = (encoding.prepare()?, sink.prepare()?);
        let cancel = Cancel::pointer(cancel);
        let mut made = std::ptr::null_mut();
        // Safety: all pointers live during the call, and the sink as long as the writer.
        call(|error| unsafe {
            sys::ic_writer_new(self.pointer(), &encoding.raw, &sink.raw, cancel, &mut made, error)
        })?;
        Ok(Writer { pointer: opened(made)?, _sink: sink })
    }
}

impl Writer<'_> {
    /// Adds a frame, or a page with [`Encoding::pages`]; the pixels are copied. After an error, the file cannot be written any more.
    pub fn add(&mut self, pixels: &Pixels<'_>) -> Result<()> {
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_writer_add(self.pointer.as_ptr(), &pixels.raw, error) })?;
        Ok(())
    }

    /// Writes the rest of the file, and puts it in its place. The bytes are empty unless the sink is memory.
    pub fn finish(self) -> Result<Bytes> {
        let mut raw = sys::ic_bytes::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_writer_finish(self.pointer.as_ptr(), &mut raw, error) })?;
        Ok(Bytes::taken(raw, None))
    }
}
