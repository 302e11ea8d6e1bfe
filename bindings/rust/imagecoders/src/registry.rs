// SPDX-License-Identifier: Apache-2.0

use crate::error::call;
use crate::text::{c_string, Texts};
use crate::{Bytes, Cancel, Encoding, Error, Info, Picture, Pixels, Request, Result, Source, Status};
use imagecoders_sys as sys;
use std::ptr::{null, NonNull};

/// Where a coder's code sees files.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// In the program.
    #[default]
    InProcess = sys::IC_IN_PROCESS as isize,
    /// In a worker if there can be one.
    Preferred = sys::IC_ISOLATION_PREFERRED as isize,
    /// In a worker or not at all.
    Required = sys::IC_ISOLATION_REQUIRED as isize,
    /// In a worker with every layer, or not at all.
    Strict = sys::IC_ISOLATION_STRICT as isize,
}

/// What a registry has. The default is the coders of the library alone: files give the same on each machine.
#[derive(Clone, Debug, Default)]
pub struct RegistryOptions {
    flags: u32,
    isolation: Isolation,
    folders: Vec<String>,
    policy: Option<String>,
    worker: Option<String>,
    library_folder: Option<String>,
}

impl RegistryOptions {
    /// The defaults.
    pub fn new() -> RegistryOptions {
        RegistryOptions::default()
    }

    /// Plugins are looked for where the command looks for them.
    pub fn plugins(mut self) -> RegistryOptions {
        self.flags |= sys::IC_PLUGINS;
        self
    }

    /// The user's priorities and preferred coders count.
    pub fn user(mut self) -> RegistryOptions {
        self.flags |= sys::IC_USER;
        self
    }

    /// A folder that is searched for plugins, before those of [`RegistryOptions::plugins`].
    pub fn plugin_folder(mut self, folder: impl Into<String>) -> RegistryOptions {
        self.folders.push(folder.into());
        self
    }

    /// Where a coder's code sees files.
    pub fn isolation(self, isolation: Isolation) -> RegistryOptions {
        RegistryOptions { isolation, ..self }
    }

    /// The library's command, whose processes are the workers of its coders; of the whole process. Without it, `../bin/coders` beside
    /// the library.
    pub fn worker(self, path: impl Into<String>) -> RegistryOptions {
        RegistryOptions { worker: Some(path.into()), ..self }
    }

    /// The folder of `libheif.so.1`, which writes HEIC; of the whole process. Without it, none is written.
    pub fn library_folder(self, path: impl Into<String>) -> RegistryOptions {
        RegistryOptions { library_folder: Some(path.into()), ..self }
    }

    /// `standard`, `trusted`, `web`, `thumbnailer`, or the path of a file.
    pub fn policy(self, policy: impl Into<String>) -> RegistryOptions {
        RegistryOptions { policy: Some(policy.into()), ..self }
    }
}

/// Coders with what they may do. Made once, and used by all threads.
#[derive(Debug)]
pub struct Registry(NonNull<sys::ic_registry>);

// Safety: the header allows each call from any thread, and many at a time.
unsafe impl Send for Registry {}
unsafe impl Sync for Registry {}

impl Drop for Registry {
    fn drop(&mut self) {
        // Safety: no call uses it, since calls borrow it.
        unsafe { sys::ic_registry_free(self.0.as_ptr()) }
    }
}

impl Registry {
    /// The coders of the library, the policy `standard`, in the program.
    pub fn new() -> Result<Registry> {
        Registry::with(&RegistryOptions::new())
    }

    /// A registry as the options say.
    pub fn with(options: &RegistryOptions) -> Result<Registry> {
        let folders = Texts::new(&options.folders)?;
        let named = |text: &Option<String>| text.as_deref().map(c_string).transpose();
        let texts = [named(&options.policy)?, named(&options.worker)?, named(&options.library_folder)?];
        let [policy, worker, folder] = texts.each_ref().map(|text| text.as_ref().map_or(null(), |text| text.as_ptr()));
        let mut raw = sys::ic_registry_options::new();
        (raw.flags, raw.isolation) = (options.flags, options.isolation as u32);
        (raw.plugin_folders, raw.folder_count) = (folders.pointer(), folders.count());
        (raw.policy, raw.worker, raw.library_folder) = (policy, worker, folder);
        let mut made = std::ptr::null_mut();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_registry_new(&raw, &mut made, error) })?;
        opened(made).map(Registry)
    }

    pub(crate) fn pointer(&self) -> *mut sys::ic_registry {
        self.0.as_ptr()
    }

    /// The formats, as the text of a JSON list: objects with format, name, extension, media_type, reads, writes.
    pub fn formats(&self) -> Result<String> {
        let mut raw = sys::ic_bytes::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_registry_formats(self.pointer(), &mut raw, error) })?;
        Ok(String::from_utf8_lossy(&Bytes::taken(raw, None)).into_owned())
    }

    /// Reads the header of a file: a few kilobytes, unless only the rest of it can tell.
    pub fn probe<'a>(&self, source: impl Into<Source<'a>>) -> Result<Info> {
        let source = source.into().prepare()?;
        let mut raw = sys::ic_info::new();
        // Safety: all pointers live during the call.
        call(|error| unsafe { sys::ic_probe(self.pointer(), &source.raw, null(), &mut raw, error) })?;
        Ok(Info::new(&raw))
    }

    /// Decodes a picture, or the first frame of an animation.
    pub fn decode<'a>(&self, source: impl Into<Source<'a>>, request: &Request) -> Result<Picture> {
        let (source, request) = (source.into().prepare()?, request.prepare()?);
        let mut raw = sys::ic_pixels::new();
        // Safety: all pointers live during the call.
        let problem =
            call(|error| unsafe { sys::ic_decode(self.pointer(), &source.raw, &request.raw, &mut raw, error) })?;
        there(Picture::taken(raw, problem)?)
    }

    /// Makes a small file of a picture: upright, in sRGB, without Exif and XMP. Without a size it is 256×256.
    pub fn thumbnail<'a>(
        &self,
        source: impl Into<Source<'a>>,
        request: &Request,
        encoding: &Encoding,
    ) -> Result<Bytes> {
        let (source, request, encoding) = (source.into().prepare()?, request.prepare()?, encoding.prepare()?);
        let mut raw = sys::ic_bytes::new();
        // Safety: all pointers live during the call.
        let problem = call(|error| unsafe {
            sys::ic_thumbnail(self.pointer(), &source.raw, &request.raw, &encoding.raw, &mut raw, error)
        })?;
        Ok(Bytes::taken(raw, problem))
    }

    /// Encodes a picture, or an animation of frames of one size and pixel format. The pixels are not copied.
    pub fn encode(&self, frames: &[Pixels<'_>], encoding: &Encoding, cancel: Option<&Cancel>) -> Result<Bytes> {
        let encoding = encoding.prepare()?;
        let pointers: Vec<_> = frames.iter().map(|frame| &frame.raw as *const _).collect();
        let mut raw = sys::ic_bytes::new();
        let (count, cancel) = (frames.len() as u32, Cancel::pointer(cancel));
        // Safety: all pointers live during the call.
        call(|error| unsafe {
            sys::ic_encode(self.pointer(), pointers.as_ptr(), count, &encoding.raw, cancel, &mut raw, error)
        })?;
        Ok(Bytes::taken(raw, None))
    }
}

/// What a call has made, which the header promises when it returns IC_OK.
pub(crate) fn opened<T>(pointer: *mut T) -> Result<NonNull<T>> {
    there(NonNull::new(pointer))
}

pub(crate) fn there<T>(made: Option<T>) -> Result<T> {
    made.ok_or_else(|| Error::new(Status::LibraryFailure, "the library gave nothing"))
}
