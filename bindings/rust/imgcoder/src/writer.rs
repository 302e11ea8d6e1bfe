// SPDX-License-Identifier: Apache-2.0

//! Writing: a trait, and its functions as C calls them.

use crate::extension::Extension;
use crate::ffi::*;
use crate::guard::{dropped, guarded};
use crate::host::{Error, Host, Result};
use crate::options::Values;
use crate::reader::known;
use crate::rows::Pixels;
use core::ffi::c_void;

/// Takes the bytes of a file that is being written.
pub struct Output {
    raw: *const imgcoder_output,
    count: u64,
}

impl Output {
    /// # Safety
    /// `raw` is the host's struct, and lives as long as this value; or null for an output that drops bytes.
    pub(crate) unsafe fn new(raw: *const imgcoder_output) -> Self {
        Output { raw, count: 0 }
    }

    /// Bytes written so far: where the next one goes.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        // SAFETY: the host's struct lives until `close`.
        if let Some(raw) = unsafe { self.raw.as_ref() } {
            // SAFETY: the host copies the bytes before it returns.
            let call = |call: unsafe extern "C" fn(_, _, _) -> _| unsafe {
                call(self.raw, bytes.as_ptr(), bytes.len() as u64)
            };
            Error::check(raw.write.map_or(STATUS_IO, call))?;
        }
        self.count += bytes.len() as u64;
        Ok(())
    }

    /// Replaces bytes that were written before.
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        // SAFETY: as for `write`.
        let Some(raw) = (unsafe { self.raw.as_ref() }) else { return Ok(()) };
        // SAFETY: as for `write`.
        let call = |call: unsafe extern "C" fn(_, _, _, _) -> _| unsafe {
            call(self.raw, offset, bytes.as_ptr(), bytes.len() as u64)
        };
        Error::check(raw.patch.map_or(STATUS_IO, call))
    }
}

/// The host's side of a file that is being written.
pub struct WriterSession {
    /// Memory, limits, errors, log.
    pub host: Host,
    /// The bytes of the file.
    pub output: Output,
}

/// How a file has to be written. Only values that were given are here, checked against their descriptions.
pub struct WriterOptions<'a>(&'a imgcoder_write_options);

impl WriterOptions<'_> {
    /// Which of the coder's formats.
    pub fn format(&self) -> &str {
        // SAFETY: the host's text lives during the call.
        unsafe { self.0.format.text() }
    }

    /// Whether every sample has to be kept exactly.
    pub fn is_lossless(&self) -> bool {
        self.0.flags & WRITE_LOSSLESS != 0
    }

    /// The number of an option that was given: 0 or 1 of a boolean, the index of a choice.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.values().number(name)
    }

    /// The text of an option that was given, or the word of a choice.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values().text(name)
    }

    fn values(&self) -> Values<'_> {
        // SAFETY: the host's list has this many values, which live during the call.
        unsafe { Values::new(self.0.values, self.0.value_count) }
    }
}

/// One file that is being written. `imgcoder/writer.h` says what each call has to do.
///
/// The host may make each call on another thread, one at a time.
pub trait Writer: Sized + Send {
    /// What the writer keeps, and which frames it takes: `ffi::WRITER_*`.
    const FEATURES: u32;

    /// Whether the format has a place for a thumbnail. Only then the host calls `add_thumbnail`, and the manifest has
    /// the capability `thumbnail`.
    const TAKES_THUMBNAILS: bool = false;

    /// Opens a session. Nothing is written yet.
    fn open(session: &mut WriterSession, options: &WriterOptions<'_>) -> Result<Self>;

    /// Says in which pixel format and alpha mode the writer takes frames, for those that the host has.
    fn negotiate(&mut self, session: &mut WriterSession, pixel_format: u32, alpha: u32) -> Result<(u32, u32)>;

    /// Describes what is going to be written.
    fn set_info(&mut self, session: &mut WriterSession, info: &imgcoder_info) -> Result<()>;

    /// Adds a raw metadata payload.
    fn add_metadata(&mut self, session: &mut WriterSession, _kind: u32, _bytes: &[u8]) -> Result<()> {
        Err(session.host.fail(STATUS_UNSUPPORTED, None, format_args!("the format has no place for metadata")))
    }

    /// Says how bright the light of the page is.
    fn set_color(&mut self, session: &mut WriterSession, _color: &imgcoder_color) -> Result<()> {
        Err(session.host.fail(STATUS_UNSUPPORTED, None, format_args!("the format has no place for light levels")))
    }

    /// Adds a thumbnail to store inside the file, in the pixel format that was accepted.
    fn add_thumbnail(&mut self, session: &mut WriterSession, _pixels: &Pixels<'_>) -> Result<()> {
        Err(session.host.fail(STATUS_UNSUPPORTED, None, format_args!("the format has no place for a thumbnail")))
    }

    /// Encodes a frame.
    fn add_frame(
        &mut self,
        session: &mut WriterSession,
        frame: &imgcoder_frame_info,
        pixels: &Pixels<'_>,
    ) -> Result<()>;

    /// Writes the rest of the file.
    fn finish(&mut self, session: &mut WriterSession) -> Result<()>;

    /// The extension of this session with this id, or None. Its functions use [`call_writer`].
    fn extension(&mut self, _id: &str) -> Option<Extension> {
        None
    }
}

/// What a pointer to `imgcoder_writer` points at.
struct Session<W> {
    io: WriterSession,
    writer: Option<W>,
}

/// The functions of a writer, for [`crate::Coder::writer`].
pub const fn writer_table<W: Writer>() -> imgcoder_writer_table {
    imgcoder_writer_table {
        struct_size: core::mem::size_of::<imgcoder_writer_table>() as u32,
        features: W::FEATURES,
        open: Some(open::<W>),
        negotiate: Some(negotiate::<W>),
        set_info: Some(set_info::<W>),
        add_metadata: Some(add_metadata::<W>),
        add_frame: Some(add_frame::<W>),
        finish: Some(finish::<W>),
        close: Some(close::<W>),
        // Null says that there is no place for one.
        add_thumbnail: if W::TAKES_THUMBNAILS { Some(add_thumbnail::<W>) } else { None },
        get_extension: Some(extension::<W>),
        set_color: Some(set_color::<W>),
    }
}

unsafe extern "C" fn open<W: Writer>(
    _coder: *const imgcoder_coder,
    host: *const imgcoder_host,
    output: *const imgcoder_output,
    options: *const imgcoder_write_options,
    result: *mut *mut imgcoder_writer,
) -> imgcoder_status {
    // SAFETY: host and output live until `close`, and the session made here does not live longer.
    let (services, bytes) = unsafe { (Host::new(host), Output::new(output)) };
    let mut io = WriterSession { host: services, output: bytes };
    let mut opened = None;
    // SAFETY: as above; the options are never null and live during the call.
    let (outer, options) = unsafe { (Host::new(host), &*options) };
    let (status, _) = guarded(&outer, || {
        opened = Some(W::open(&mut io, &WriterOptions(options))?);
        Ok(STATUS_OK)
    });
    if status != STATUS_OK {
        return status;
    }
    let (size, alignment) = (core::mem::size_of::<Session<W>>(), core::mem::align_of::<Session<W>>());
    let memory = io.host.allocate(size, alignment.max(16)).cast::<Session<W>>();
    if memory.is_null() {
        dropped(&outer, || drop(opened));
        return outer.fail(STATUS_OUT_OF_MEMORY, None, format_args!("no memory for a writer")).0;
    }
    // SAFETY: memory of the right size and alignment; the host gives the pointer back until `close`.
    unsafe {
        memory.write(Session { io, writer: opened });
        *result = memory.cast();
    }
    status
}

/// Calls the writer of a session. The functions of the interface do it so, and those of an extension have to: a panic
/// becomes a status, and ends the session.
///
/// # Safety
/// `raw` is a session of `W` that is open, which the host passed to the function that is running.
pub unsafe fn call_writer<W: Writer>(
    raw: *mut imgcoder_writer,
    body: impl FnOnce(&mut W, &mut WriterSession) -> Result<imgcoder_status>,
) -> imgcoder_status {
    // SAFETY: the caller's promise: `open` made it, and one thread at a time uses it.
    let Session { io, writer } = unsafe { &mut *raw.cast::<Session<W>>() };
    let Some(value) = writer.as_mut() else {
        return io.host.fail(STATUS_LIBRARY, None, format_args!("the plugin panicked before")).0;
    };
    // SAFETY: a second value for the same host, during this call.
    let host = unsafe { Host::new(&raw const *io.host.raw()) };
    let (status, is_sound) = guarded(&host, || body(value, io));
    if !is_sound {
        core::mem::forget(writer.take());
    }
    status
}

/// As `call_writer`, for the functions that only succeed or fail.
unsafe fn run<W: Writer>(
    raw: *mut imgcoder_writer,
    body: impl FnOnce(&mut W, &mut WriterSession) -> Result<()>,
) -> imgcoder_status {
    // SAFETY: as for `call_writer`.
    unsafe { call_writer::<W>(raw, |writer, io| body(writer, io).map(|()| STATUS_OK)) }
}

unsafe extern "C" fn negotiate<W: Writer>(
    raw: *mut imgcoder_writer,
    wanted: u32,
    wanted_alpha: u32,
    accepted: *mut u32,
    accepted_alpha: *mut u32,
) -> imgcoder_status {
    // SAFETY: the results are never null.
    unsafe {
        run::<W>(raw, |writer, io| {
            (*accepted, *accepted_alpha) = writer.negotiate(io, wanted, wanted_alpha)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn set_info<W: Writer>(raw: *mut imgcoder_writer, info: *const imgcoder_info) -> imgcoder_status {
    // SAFETY: never null, lives during the call.
    unsafe { run::<W>(raw, |writer, io| writer.set_info(io, &known(info))) }
}

unsafe extern "C" fn add_metadata<W: Writer>(
    raw: *mut imgcoder_writer,
    kind: u32,
    bytes: *const u8,
    length: u64,
) -> imgcoder_status {
    // SAFETY: the bytes live during the call; none may be null.
    unsafe {
        run::<W>(raw, |writer, io| {
            let bytes = if length == 0 { &[] } else { core::slice::from_raw_parts(bytes, length as usize) };
            writer.add_metadata(io, kind, bytes)
        })
    }
}

unsafe extern "C" fn set_color<W: Writer>(raw: *mut imgcoder_writer, color: *const imgcoder_color) -> imgcoder_status {
    // SAFETY: never null, lives during the call.
    unsafe { run::<W>(raw, |writer, io| writer.set_color(io, &known(color))) }
}

unsafe extern "C" fn add_frame<W: Writer>(
    raw: *mut imgcoder_writer,
    frame: *const imgcoder_frame_info,
    pixels: *const imgcoder_pixels,
) -> imgcoder_status {
    // SAFETY: never null, live during the call.
    unsafe { run::<W>(raw, |writer, io| writer.add_frame(io, &known(frame), &Pixels(&*pixels))) }
}

unsafe extern "C" fn add_thumbnail<W: Writer>(
    raw: *mut imgcoder_writer,
    pixels: *const imgcoder_pixels,
) -> imgcoder_status {
    // SAFETY: never null, lives during the call.
    unsafe { run::<W>(raw, |writer, io| writer.add_thumbnail(io, &Pixels(&*pixels))) }
}

unsafe extern "C" fn finish<W: Writer>(raw: *mut imgcoder_writer) -> imgcoder_status {
    // SAFETY: `open` made it.
    unsafe { run::<W>(raw, |writer, io| writer.finish(io)) }
}

unsafe extern "C" fn extension<W: Writer>(raw: *mut imgcoder_writer, id: imgcoder_string) -> *const c_void {
    let mut found = None;
    // SAFETY: the id lives during the call.
    unsafe {
        run::<W>(raw, |writer, _| {
            found = writer.extension(id.text());
            Ok(())
        })
    };
    Extension::pointer(found)
}

unsafe extern "C" fn close<W: Writer>(raw: *mut imgcoder_writer) {
    // SAFETY: `open` made it, and the host does not use it again.
    unsafe {
        let Session { io, writer } = raw.cast::<Session<W>>().read();
        dropped(&io.host, || drop(writer));
        io.host.free(raw.cast());
    }
}
