// SPDX-License-Identifier: Apache-2.0

use crate::error::call;
use crate::registry::{opened, there};
use crate::{Bytes, Info, MetadataKind, Picture, Registry, Request, Result, Source};
use imagecoders_sys as sys;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A file that is open for its frames, pages and metadata. Pictures of it outlive it.
#[derive(Debug)]
pub struct File<'a> {
    pointer: NonNull<sys::ic_file>,
    lifetime: PhantomData<&'a [u8]>,
}

// Safety: it is for one thread at a time, which need not be the one that made it. It is not Sync.
unsafe impl Send for File<'_> {}

impl Drop for File<'_> {
    fn drop(&mut self) {
        // Safety: opened, and closed once.
        unsafe { sys::ic_file_close(self.pointer.as_ptr()) }
    }
}

impl Registry {
    /// Opens a file, whose bytes are borrowed until it is closed. The request holds for its frames.
    pub fn open<'a>(&self, source: impl Into<Source<'a>>, request: &Request) -> Result<File<'a>> {
        let (source, request) = (source.into().prepare()?, request.prepare()?);
        let mut made = std::ptr::null_mut();
        // Safety: all pointers live during the call, and the source's bytes as long as the file.
        call(|error| unsafe { sys::ic_open(self.pointer(), &source.raw, &request.raw, &mut made, error) })?;
        Ok(File { pointer: opened(made)?, lifetime: PhantomData })
    }
}

impl File<'_> {
    /// What the file says of its picture.
    pub fn info(&self) -> Result<Info> {
        let mut raw = sys::ic_info::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_file_info(self.pointer.as_ptr(), &mut raw, error) })?;
        Ok(Info::new(&raw))
    }

    /// Decodes a frame, whole as it is shown: from 0, below [`Info::frames`].
    pub fn frame(&self, index: u32) -> Result<Picture> {
        let mut raw = sys::ic_pixels::new();
        // Safety: all pointers live during the call.
        let problem = call(|error| unsafe { sys::ic_file_frame(self.pointer.as_ptr(), index, &mut raw, error) })?;
        there(Picture::taken(raw, problem)?)
    }

    /// Opens another page, from 1. Until it is closed, this file waits: both are for the same thread.
    pub fn page(&mut self, page: u32) -> Result<File<'_>> {
        let mut made = std::ptr::null_mut();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_file_page(self.pointer.as_ptr(), page, &mut made, error) })?;
        Ok(File { pointer: opened(made)?, lifetime: PhantomData })
    }

    /// A payload of metadata; empty if there is none.
    pub fn metadata(&self, kind: MetadataKind) -> Result<Bytes> {
        let mut raw = sys::ic_bytes::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_file_metadata(self.pointer.as_ptr(), kind as u32, &mut raw, error) })?;
        Ok(Bytes::taken(raw, None))
    }

    /// What the file's metadata says, as the text of a JSON object, with the names that ImageIO gives properties.
    pub fn properties(&self) -> Result<String> {
        let mut raw = sys::ic_bytes::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_file_properties(self.pointer.as_ptr(), &mut raw, error) })?;
        Ok(String::from_utf8_lossy(&Bytes::taken(raw, None)).into_owned())
    }
}
