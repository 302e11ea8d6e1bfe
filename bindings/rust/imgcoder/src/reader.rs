// SPDX-License-Identifier: Apache-2.0

//! Reading: a trait, and its functions as C calls them.

use crate::extension::Extension;
use crate::ffi::*;
use crate::guard::{dropped, guarded};
use crate::host::{Host, Result, Source};
use crate::options::Values;
use crate::properties::Properties;
use crate::rows::{bytes_per_pixel, with_alpha, Sink};
use core::ffi::c_void;

/// The host's side of an open file.
pub struct ReaderSession {
    /// Memory, limits, errors, log.
    pub host: Host,
    /// The bytes of the file.
    pub source: Source,
}

/// How a file is opened. Only values that were given are here, checked against their descriptions.
pub struct ReaderOptions<'a> {
    raw: imgcoder_open_options,
    values: Values<'a>,
}

impl ReaderOptions<'_> {
    /// What the host is going to do: `ffi::OPEN_*`.
    pub fn flags(&self) -> u32 {
        self.raw.flags
    }

    /// The number of an option that was given: 0 or 1 of a boolean, the index of a choice.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.values.number(name)
    }

    /// The text of an option that was given, or the word of a choice.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.text(name)
    }
}

/// One open file. `imgcoder/reader.h` says what each call has to do, and which errors it may return.
///
/// The host may make each call on another thread, one at a time.
pub trait Reader: Sized + Send {
    /// Opens a file: reads and checks its header, checks the limits, and allocates no pixels.
    fn open(session: &mut ReaderSession, options: &ReaderOptions<'_>) -> Result<Self>;

    /// Describes a page, visible or hidden. `struct_size` of the result is not used; names live until the reader is gone.
    fn info(&mut self, session: &mut ReaderSession, page: u32) -> Result<imgcoder_info>;

    /// Describes a frame.
    fn frame_info(&mut self, session: &mut ReaderSession, page: u32, frame: u32) -> Result<imgcoder_frame_info>;

    /// Says what `decode` would deliver. Page and frame of the result are not used.
    ///
    /// A host of version 1.0 knows no pixel format after `PIXEL_RGBA_F32`: where one is offered, this is called once more,
    /// and asked for the format with alpha (`PIXEL_RGBA16` for `PIXEL_RGB16`), which has to be offered then.
    fn negotiate(&mut self, session: &mut ReaderSession, request: &imgcoder_request) -> Result<imgcoder_offer>;

    /// Decodes a frame's own pixels into the sink.
    fn decode(&mut self, session: &mut ReaderSession, offer: &imgcoder_offer, sink: &mut Sink<'_>) -> Result<()>;

    /// A raw metadata payload, or None.
    fn metadata(&mut self, _session: &mut ReaderSession, _page: u32, _kind: u32) -> Result<Option<&[u8]>> {
        Ok(None)
    }

    /// The container's properties of a page, or of one frame.
    fn properties(
        &mut self,
        _session: &mut ReaderSession,
        _page: u32,
        _frame: Option<u32>,
        _properties: &mut Properties<'_>,
    ) -> Result<()> {
        Ok(())
    }

    /// What a page says of its colors beside its description and its profile. Curves live as long as the reader.
    /// `struct_size` of the result is not used.
    fn color(&mut self, _session: &mut ReaderSession, _page: u32) -> Result<imgcoder_color> {
        // SAFETY: zeros state nothing.
        Ok(unsafe { core::mem::zeroed() })
    }

    /// The extension of this session with this id, or None. Its functions use [`call_reader`].
    fn extension(&mut self, _id: &str) -> Option<Extension> {
        None
    }
}

/// What a pointer to `imgcoder_reader` points at.
struct Session<R> {
    io: ReaderSession,
    reader: Option<R>,
    /// Payloads that the host may look at until close, the latest first.
    payloads: *mut Payload,
}

/// The header of a copied payload; its bytes follow.
struct Payload {
    next: *mut Payload,
}

/// The functions of a reader, for [`crate::Coder::reader`].
pub const fn reader_table<R: Reader>() -> imgcoder_reader_table {
    imgcoder_reader_table {
        struct_size: core::mem::size_of::<imgcoder_reader_table>() as u32,
        reserved: 0,
        open: Some(open::<R>),
        info: Some(info::<R>),
        frame_info: Some(frame_info::<R>),
        negotiate: Some(negotiate::<R>),
        decode: Some(decode::<R>),
        metadata: Some(metadata::<R>),
        properties: Some(properties::<R>),
        close: Some(close::<R>),
        get_extension: Some(extension::<R>),
        color: Some(color::<R>),
    }
}

unsafe extern "C" fn open<R: Reader>(
    _coder: *const imgcoder_coder,
    host: *const imgcoder_host,
    source: *const imgcoder_source,
    options: *const imgcoder_open_options,
    result: *mut *mut imgcoder_reader,
) -> imgcoder_status {
    // SAFETY: both live until `close`, and the sessions made here do not live longer.
    let (services, bytes) = unsafe { (Host::new(host), Source::new(source)) };
    let mut io = ReaderSession { host: services, source: bytes };
    // SAFETY: null, or valid during the call, with as many values as it says; all zero is a struct of the interface.
    let options = unsafe {
        let raw = if options.is_null() { core::mem::zeroed() } else { known(options) };
        ReaderOptions { raw, values: Values::new(raw.values, raw.value_count) }
    };
    let mut opened = None;
    let (status, _) = guarded(
        // SAFETY: as above.
        &unsafe { Host::new(host) },
        || {
            opened = Some(R::open(&mut io, &options)?);
            Ok(STATUS_OK)
        },
    );
    if status != STATUS_OK {
        return status;
    }
    let (size, alignment) = (core::mem::size_of::<Session<R>>(), core::mem::align_of::<Session<R>>());
    let memory = io.host.allocate(size, alignment.max(16)).cast::<Session<R>>();
    if memory.is_null() {
        // SAFETY: as above.
        dropped(&unsafe { Host::new(host) }, || drop(opened));
        return io.host.fail(STATUS_OUT_OF_MEMORY, None, format_args!("no memory for a reader")).0;
    }
    // SAFETY: memory of the right size and alignment; the host gives the pointer back until `close`.
    unsafe {
        memory.write(Session { io, reader: opened, payloads: core::ptr::null_mut() });
        *result = memory.cast();
    }
    status
}

/// Calls the reader of a session. After a panic its state cannot be trusted, and it is not called again.
unsafe fn call<R: Reader>(
    raw: *mut imgcoder_reader,
    body: impl FnOnce(&mut R, &mut ReaderSession, &mut *mut Payload) -> Result<imgcoder_status>,
) -> imgcoder_status {
    // SAFETY: `open` made it, and one thread at a time uses it.
    let session = unsafe { &mut *raw.cast::<Session<R>>() };
    let Session { io, reader, payloads } = session;
    let Some(value) = reader.as_mut() else {
        return io.host.fail(STATUS_LIBRARY, None, format_args!("the plugin panicked before")).0;
    };
    // SAFETY: a second value for the same host, during this call.
    let host = unsafe { Host::new(&raw const *host_of(io)) };
    let (status, is_sound) = guarded(&host, || body(value, io, payloads));
    if !is_sound {
        core::mem::forget(reader.take());
    }
    status
}

/// Calls the reader of a session from a function of an extension, as the functions of the interface do: a panic becomes
/// a status, and ends the session.
///
/// # Safety
/// `raw` is a session of `R` that is open, which the host passed to the function that is running.
pub unsafe fn call_reader<R: Reader>(
    raw: *mut imgcoder_reader,
    body: impl FnOnce(&mut R, &mut ReaderSession) -> Result<imgcoder_status>,
) -> imgcoder_status {
    // SAFETY: the caller's promise.
    unsafe { call::<R>(raw, |reader, io, _| body(reader, io)) }
}

fn host_of(io: &ReaderSession) -> &imgcoder_host {
    io.host.raw()
}

unsafe extern "C" fn info<R: Reader>(
    raw: *mut imgcoder_reader,
    page: u32,
    result: *mut imgcoder_info,
) -> imgcoder_status {
    // SAFETY: `fill` keeps the host's struct_size and writes the fields of version 1.0, which every host has.
    unsafe {
        call::<R>(raw, |reader, io, _| {
            let mut info = reader.info(io, page)?;
            if io.host.abi_minor() < 1 {
                info.pixel_format = with_alpha(info.pixel_format).unwrap_or(info.pixel_format);
            }
            fill(result, &info);
            Ok(STATUS_OK)
        })
    }
}

unsafe extern "C" fn frame_info<R: Reader>(
    raw: *mut imgcoder_reader,
    page: u32,
    frame: u32,
    result: *mut imgcoder_frame_info,
) -> imgcoder_status {
    // SAFETY: as for `info`.
    unsafe {
        call::<R>(raw, |reader, io, _| {
            let info = reader.frame_info(io, page, frame)?;
            fill(result, &info);
            Ok(STATUS_OK)
        })
    }
}

unsafe extern "C" fn negotiate<R: Reader>(
    raw: *mut imgcoder_reader,
    request: *const imgcoder_request,
    result: *mut imgcoder_offer,
) -> imgcoder_status {
    // SAFETY: as for `info`; the request is never null.
    unsafe {
        call::<R>(raw, |reader, io, _| {
            let request = known(request);
            let mut offer = reader.negotiate(io, &request)?;
            if io.host.abi_minor() < 1 {
                if let Some(wide) = with_alpha(offer.pixel_format) {
                    offer = reader.negotiate(io, &imgcoder_request { pixel_format: wide, ..request })?;
                    if request.pixel_format != PIXEL_ANY && request.pixel_format != wide {
                        offer.unmet |= UNMET_PIXEL_FORMAT;
                    }
                }
                if offer.pixel_format > PIXEL_RGBA_F32 {
                    let found = offer.pixel_format;
                    let text = format_args!("pixel format {found}, and the host has version 1.0, which knows 1 to 10");
                    return Err(io.host.fail(STATUS_UNSUPPORTED, None, text));
                }
            }
            fill(result, &offer);
            Ok(STATUS_OK)
        })
    }
}

unsafe extern "C" fn color<R: Reader>(
    raw: *mut imgcoder_reader,
    page: u32,
    result: *mut imgcoder_color,
) -> imgcoder_status {
    // SAFETY: as for `info`.
    unsafe {
        call::<R>(raw, |reader, io, _| {
            let color = reader.color(io, page)?;
            fill(result, &color);
            Ok(STATUS_OK)
        })
    }
}

unsafe extern "C" fn decode<R: Reader>(
    raw: *mut imgcoder_reader,
    offer: *const imgcoder_offer,
    sink: *const imgcoder_sink,
) -> imgcoder_status {
    // SAFETY: offer and sink are never null and live during the call.
    unsafe {
        call::<R>(raw, |reader, io, _| {
            let offer = known(offer);
            let row_bytes = offer.width as usize * bytes_per_pixel(offer.pixel_format);
            reader.decode(io, &offer, &mut Sink { raw: &*sink, row_bytes })?;
            Ok(STATUS_OK)
        })
    }
}

unsafe extern "C" fn metadata<R: Reader>(
    raw: *mut imgcoder_reader,
    page: u32,
    kind: u32,
    bytes: *mut *const u8,
    length: *mut u64,
) -> imgcoder_status {
    // SAFETY: the results are never null. A payload is copied to where it stays until `close`.
    unsafe {
        call::<R>(raw, |reader, io, payloads| {
            let host = Host::new(host_of(io));
            let Some(payload) = reader.metadata(io, page, kind)? else { return Ok(STATUS_NOT_PRESENT) };
            let header = core::mem::size_of::<Payload>();
            let memory =
                payload.len().checked_add(header).map_or(core::ptr::null_mut(), |size| host.allocate(size, 16));
            if memory.is_null() {
                return Err(host.fail(STATUS_OUT_OF_MEMORY, None, format_args!("no memory for metadata")));
            }
            memory.cast::<Payload>().write(Payload { next: *payloads });
            *payloads = memory.cast();
            memory.add(header).copy_from_nonoverlapping(payload.as_ptr(), payload.len());
            *bytes = memory.add(header);
            *length = payload.len() as u64;
            Ok(STATUS_OK)
        })
    }
}

unsafe extern "C" fn properties<R: Reader>(
    raw: *mut imgcoder_reader,
    page: u32,
    frame: u32,
    result: *const imgcoder_properties,
) -> imgcoder_status {
    // SAFETY: the dictionary is never null and lives during the call.
    unsafe {
        call::<R>(raw, |reader, io, _| {
            let frame = (frame != u32::MAX).then_some(frame);
            reader.properties(io, page, frame, &mut Properties(&*result))?;
            Ok(STATUS_OK)
        })
    }
}

unsafe extern "C" fn extension<R: Reader>(raw: *mut imgcoder_reader, id: imgcoder_string) -> *const c_void {
    let mut found = None;
    // SAFETY: the id lives during the call.
    unsafe {
        call::<R>(raw, |reader, _, _| {
            found = reader.extension(id.text());
            Ok(STATUS_OK)
        })
    };
    Extension::pointer(found)
}

unsafe extern "C" fn close<R: Reader>(raw: *mut imgcoder_reader) {
    // SAFETY: `open` made it, and the host does not use it again.
    unsafe {
        let Session { io, reader, mut payloads } = raw.cast::<Session<R>>().read();
        dropped(&io.host, || drop(reader));
        while !payloads.is_null() {
            let next = (*payloads).next;
            io.host.free(payloads.cast());
            payloads = next;
        }
        io.host.free(raw.cast());
    }
}

/// Bytes that both sides know of a struct, which begins with its size.
unsafe fn common_size<T>(other: *const T) -> usize {
    (unsafe { other.cast::<u32>().read() } as usize).min(core::mem::size_of::<T>())
}

/// Writes what both sides know of a struct, but for its first field, `struct_size`, which stays as the host set it.
unsafe fn fill<T>(result: *mut T, value: &T) {
    // SAFETY: the caller's struct has the size that it states.
    unsafe {
        let size = common_size(result).saturating_sub(4);
        result.cast::<u8>().add(4).copy_from_nonoverlapping((&raw const *value).cast::<u8>().add(4), size);
    }
}

/// What both sides know of a struct of the host; the rest is zero.
pub(crate) unsafe fn known<T: Copy>(other: *const T) -> T {
    // SAFETY: the host's struct has the size that it states; structs of the interface may be all zero.
    let mut own: T = unsafe { core::mem::zeroed() };
    unsafe { (&raw mut own).cast::<u8>().copy_from_nonoverlapping(other.cast::<u8>(), common_size(other)) };
    own
}
