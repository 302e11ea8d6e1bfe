// SPDX-License-Identifier: Apache-2.0

use crate::error::call;
use crate::registry::{opened, there};
use crate::{Info, Picture, Registry, Request, Result};
use imagecoders_sys as sys;
use std::ptr::NonNull;

/// A file that arrives piece by piece.
#[derive(Debug)]
pub struct Feed(NonNull<sys::ic_feed>);

// Safety: it is for one thread at a time, which need not be the one that made it. It is not Sync.
unsafe impl Send for Feed {}

impl Drop for Feed {
    fn drop(&mut self) {
        // Safety: made, and freed once.
        unsafe { sys::ic_feed_free(self.0.as_ptr()) }
    }
}

impl Registry {
    /// Begins a file that arrives piece by piece.
    pub fn feed(&self, request: &Request) -> Result<Feed> {
        let request = request.prepare()?;
        let mut made = std::ptr::null_mut();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_feed_new(self.pointer(), &request.raw, &mut made, error) })?;
        opened(made).map(Feed)
    }
}

impl Feed {
    /// Appends the next bytes. What is wrong with the file may be said by a later call.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        // Safety: the bytes are copied during the call.
        call(|error| unsafe {
            sys::ic_feed_append(self.0.as_ptr(), bytes.as_ptr().cast(), bytes.len() as u64, error)
        })?;
        Ok(())
    }

    /// What the file says of its picture, as soon as that has arrived.
    pub fn info(&mut self) -> Result<Option<Info>> {
        let mut raw = sys::ic_info::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_feed_info(self.0.as_ptr(), &mut raw, error) })?;
        Ok((raw.width > 0).then(|| Info::new(&raw)))
    }

    /// The picture so far, or None before its first row. Rows that are missing are transparent, or black.
    pub fn look(&mut self) -> Result<Option<Picture>> {
        let mut raw = sys::ic_pixels::new();
        // Safety: all pointers live during the call.
        let problem = call(|error| unsafe { sys::ic_feed_look(self.0.as_ptr(), &mut raw, error) })?;
        Picture::taken(raw, problem)
    }

    /// Ends the file. Of one that ends too early, what is there is the result.
    pub fn finish(self) -> Result<Picture> {
        let mut raw = sys::ic_pixels::new();
        // Safety: all pointers live during the call.
        let problem = call(|error| unsafe { sys::ic_feed_finish(self.0.as_ptr(), &mut raw, error) })?;
        there(Picture::taken(raw, problem)?)
    }
}
