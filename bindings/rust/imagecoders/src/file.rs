// SPDX-License-Identifier: Apache-2.0

use crate::error::call;
use crate::registry::{opened, there};
use crate::{Bytes, Info, MetadataKind, Picture, Registry, Request, Result, Source};
use imagecoders_sys as sys;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A file that is open for its frames, pages and metadata. Pictures of it outlive it.
pub struct File<'a> {
    pointer: NonNull<sys::ic_file>,
    // A file that is read by a function keeps the place of that function. It is dropped after the file is closed.
    _source: Option<crate::source::Prepared<'a>>,
    lifetime: PhantomData<&'a [u8]>,
}

// Safety: it is for one thread at a time, which need not be the one that made it, and a function of the caller's may be called
// by any. It is not Sync.
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
        Ok(File { pointer: opened(made)?, _source: Some(source), lifetime: PhantomData })
    }
}

impl std::fmt::Debug for File<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("File").finish_non_exhaustive()
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
        Ok(File { pointer: opened(made)?, _source: None, lifetime: PhantomData })
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

    /// What the file carries besides its picture: gain maps, depth, mattes, thumbnails, further pages, the video of a motion photo,
    /// blocks of metadata. A JSON object as `coders parts --json` prints it; its list numbers the parts from 1.
    pub fn parts(&self) -> Result<String> {
        let mut raw = sys::ic_bytes::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_file_parts(self.pointer.as_ptr(), &mut raw, error) })?;
        Ok(String::from_utf8_lossy(&Bytes::taken(raw, None)).into_owned())
    }

    /// The bytes of a part by its number; a picture that is no file of its own is a PNG.
    pub fn part(&self, part: u32) -> Result<Bytes> {
        let mut raw = sys::ic_bytes::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_file_part(self.pointer.as_ptr(), part, &mut raw, error) })?;
        Ok(Bytes::taken(raw, None))
    }

    /// Opens a part that is a picture, in its own size and colors. Until it is closed, this file waits, as for a page.
    pub fn open_part(&mut self, part: u32) -> Result<File<'_>> {
        let mut made = std::ptr::null_mut();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_file_open_part(self.pointer.as_ptr(), part, &mut made, error) })?;
        Ok(File { pointer: opened(made)?, _source: None, lifetime: PhantomData })
    }
}
