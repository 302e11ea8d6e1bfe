// SPDX-License-Identifier: Apache-2.0

//! What the host provides: errors, memory, limits, and the bytes of a file.

use crate::ffi::*;
use crate::message::Message;
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// The result of a call.
pub type Result<T> = core::result::Result<T, Error>;

/// Why a call fails. The host has the reason already: an error is made by [`Host::fail`], or passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) imgcoder_status);

impl Error {
    /// The status, one of `ffi::STATUS_*`.
    pub fn status(self) -> u32 {
        self.0
    }

    pub(crate) fn check(status: imgcoder_status) -> Result<()> {
        if status == STATUS_OK {
            Ok(())
        } else {
            Err(Error(status))
        }
    }
}

impl imgcoder_string {
    /// A text that lives as long as the plugin.
    pub const fn new(text: &'static str) -> Self {
        imgcoder_string { bytes: text.as_ptr(), length: text.len() as u64 }
    }

    /// A text that the caller keeps as long as the host may read it: the name of a page, until the reader is gone.
    pub fn borrowed(text: &str) -> Self {
        imgcoder_string { bytes: text.as_ptr(), length: text.len() as u64 }
    }

    /// The text, or an empty one if it is not UTF-8 or too long to be valid.
    ///
    /// # Safety
    /// `bytes` is null, or valid for `length` bytes during the life that is asked for.
    pub(crate) unsafe fn text<'a>(&self) -> &'a str {
        if self.bytes.is_null() || self.length > 1 << 20 {
            return "";
        }
        // SAFETY: the caller's promise; the length was checked.
        let bytes = unsafe { core::slice::from_raw_parts(self.bytes, self.length as usize) };
        core::str::from_utf8(bytes).unwrap_or("")
    }
}

/// The services of the host for one session.
pub struct Host(*const imgcoder_host);

impl Host {
    /// # Safety
    /// `raw` is the host's struct, and lives as long as this value.
    pub(crate) unsafe fn new(raw: *const imgcoder_host) -> Self {
        Host(raw)
    }

    pub(crate) fn raw(&self) -> &imgcoder_host {
        // SAFETY: the promise of `new`.
        unsafe { &*self.0 }
    }

    /// The resources that the session may use. Check them before memory is allocated (rule R7).
    pub fn limits(&self) -> &imgcoder_limits {
        // SAFETY: never null, and as long-lived as the host's struct.
        unsafe { &*self.raw().limits }
    }

    /// The bytes of a file beside the one that is read, in the same folder, until the session is closed.
    ///
    /// `name` is one that the manifest has under `siblings`: `{stem}.xmp` and `{name}.xmp` are `photo.xmp` and
    /// `photo.nef.xmp` for `photo.nef`. None if there is no such file, if it may not be opened, if the bytes that are
    /// read have no folder, and from a host that opens none.
    pub fn sibling(&self, name: &str) -> Result<Option<Source>> {
        let Some(find) = self.raw().get_extension else { return Ok(None) };
        // SAFETY: the host keeps no text, and what it answers is null or the table that the id stands for.
        let open = unsafe {
            find(self.0, imgcoder_string::borrowed(EXTENSION_SIBLINGS))
                .cast::<imgcoder_siblings_table>()
                .as_ref()
                .and_then(|table| table.open)
        };
        let Some(open) = open else { return Ok(None) };
        let mut source = core::ptr::null();
        // SAFETY: the host keeps no text.
        let status = unsafe { open(self.0, imgcoder_string::borrowed(name), &mut source) };
        if status == STATUS_NOT_PRESENT {
            return Ok(None);
        }
        Error::check(status)?;
        // SAFETY: the host's struct lives until the session is closed, as that of the file does.
        Ok((!source.is_null()).then(|| unsafe { Source::new(source) }))
    }

    /// Records why the current call fails: one sentence, lower case, what was found and what was allowed.
    ///
    /// `offset` is the place in the file, if there is one. Messages are cut after 240 bytes.
    pub fn fail(&self, status: u32, offset: Option<u64>, message: fmt::Arguments<'_>) -> Error {
        let text = Message::new(message);
        let offset = offset.and_then(|offset| i64::try_from(offset).ok()).unwrap_or(-1);
        if let Some(fail) = self.raw().fail {
            // SAFETY: the host copies the message before it returns.
            unsafe { fail(self.0, status, offset, text.text()) };
        }
        Error(status)
    }

    /// Records that the file needs `found` of a limit, one of `ffi::LIMIT_*`, that allows `allowed`.
    ///
    /// A host without `fail_with` gets the message alone, so it says the same. A maximum of the format is
    /// UNSUPPORTED instead: see [`Host::fail`].
    pub fn fail_limit(
        &self,
        limit: u32,
        (found, allowed): (u64, u64),
        offset: Option<u64>,
        message: fmt::Arguments<'_>,
    ) -> Error {
        // SAFETY: the struct's size says whether the host has the field; the promise of `new` holds for the rest.
        let fail_with = unsafe {
            let size = (&raw const (*self.0).struct_size).read() as usize;
            let end = core::mem::offset_of!(imgcoder_host, fail_with) + core::mem::size_of::<usize>();
            if size < end { None } else { (&raw const (*self.0).fail_with).read() }
        };
        let Some(fail_with) = fail_with else {
            return self.fail(STATUS_LIMIT_EXCEEDED, offset, message);
        };
        let text = Message::new(message);
        let failure = imgcoder_failure {
            struct_size: core::mem::size_of::<imgcoder_failure>() as u32,
            status: STATUS_LIMIT_EXCEEDED,
            offset: offset.and_then(|offset| i64::try_from(offset).ok()).unwrap_or(-1),
            message: text.text(),
            limit,
            reserved: 0,
            found,
            allowed,
        };
        // SAFETY: the host copies the struct and the message before it returns.
        unsafe { fail_with(self.0, &raw const failure) };
        Error(STATUS_LIMIT_EXCEEDED)
    }

    /// The minor version of the interface that the host was built with.
    pub fn abi_minor(&self) -> u32 {
        self.raw().abi_minor
    }

    /// What may be called on any thread, for the tasks of [`Host::parallel_for`].
    pub fn any_thread(&self) -> AnyThread<'_> {
        AnyThread { raw: self.0, host: PhantomData }
    }

    /// Whether the work should stop. Cheap enough for every row.
    pub fn is_cancelled(&self) -> bool {
        self.any_thread().is_cancelled()
    }

    /// Fails with CANCELLED if the work should stop.
    pub fn check_cancelled(&self) -> Result<()> {
        self.any_thread().check_cancelled()
    }

    /// Writes a line to the log: hosts show warnings to the people who opened the file, other lines are for developers. `severity` is one of
    /// `ffi::LOG_*`.
    pub fn log(&self, severity: u32, message: &str) {
        self.any_thread().log(severity, message);
    }

    /// The table of an extension that the host has, for example one of a later version. What it points at is said
    /// where the extension is described; it lives as long as the process.
    pub fn extension(&self, id: &str) -> Option<NonNull<c_void>> {
        self.any_thread().extension(id)
    }

    /// Reports how much of the current call is done, from 0 to 1. Rows are counted by themselves.
    pub fn progress(&self, fraction: f64) {
        if let Some(progress) = self.raw().progress {
            // SAFETY: as for every call of the host.
            unsafe { progress(self.0, fraction) };
        }
    }

    /// Bytes of the session's budget, all 0.
    pub fn buffer(&self, length: usize, purpose: &str) -> Result<Buffer<'_>> {
        self.aligned_buffer(length, 16, purpose)
    }

    /// As [`Host::buffer`], at a multiple of `alignment`.
    ///
    /// # Panics
    /// If the alignment is not a power of two, or greater than 4096.
    pub fn aligned_buffer(&self, length: usize, alignment: usize, purpose: &str) -> Result<Buffer<'_>> {
        assert!(alignment.is_power_of_two() && alignment <= 4096, "an alignment of {alignment}");
        let memory = self.allocate(length, alignment);
        if memory.is_null() {
            return Err(self.fail(
                STATUS_OUT_OF_MEMORY,
                None,
                format_args!("no memory for {length} bytes of {purpose}"),
            ));
        }
        // SAFETY: the memory has `length` bytes.
        unsafe { memory.write_bytes(0, length) };
        Ok(Buffer { host: self, memory, length })
    }

    /// Memory at a multiple of `alignment`, or null.
    pub(crate) fn allocate(&self, length: usize, alignment: usize) -> *mut u8 {
        // The interface allows no greater one, and a host need not check it.
        if alignment > 4096 {
            return core::ptr::null_mut();
        }
        let (length, alignment) = (length as u64, alignment as u64);
        // SAFETY: as for every call of the host.
        self.raw().allocate.map_or(core::ptr::null_mut(), |call| unsafe { call(self.0, length, alignment) }.cast())
    }

    pub(crate) fn free(&self, memory: *mut u8) {
        if let Some(free) = self.raw().free {
            // SAFETY: the memory came from `allocate` of the same host, and nothing uses it any more.
            unsafe { free(self.0, memory.cast()) };
        }
    }
}

/// The services of the host that may be used on any thread, at any time during a call.
#[derive(Clone, Copy)]
pub struct AnyThread<'h> {
    raw: *const imgcoder_host,
    host: PhantomData<&'h Host>,
}

// SAFETY: it calls only functions that the interface marks [any], and they do not change the struct.
unsafe impl Send for AnyThread<'_> {}
// SAFETY: as above.
unsafe impl Sync for AnyThread<'_> {}

impl AnyThread<'_> {
    /// As [`Host::is_cancelled`].
    pub fn is_cancelled(&self) -> bool {
        // SAFETY: the host's struct lives as long as the `Host` that this was made from.
        unsafe { (*self.raw).is_cancelled.is_some_and(|call| call(self.raw) != 0) }
    }

    /// As [`Host::check_cancelled`].
    pub fn check_cancelled(&self) -> Result<()> {
        Error::check(if self.is_cancelled() { STATUS_CANCELLED } else { STATUS_OK })
    }

    /// As [`Host::log`].
    pub fn log(&self, severity: u32, message: &str) {
        // SAFETY: as above; the host copies the message before it returns.
        unsafe {
            if let Some(log) = (*self.raw).log {
                log(self.raw, severity, imgcoder_string::borrowed(message));
            }
        }
    }

    /// As [`Host::extension`].
    pub fn extension(&self, id: &str) -> Option<NonNull<c_void>> {
        // SAFETY: as above; the host keeps no pointer to the text.
        let table = unsafe { (*self.raw).get_extension.map(|call| call(self.raw, imgcoder_string::borrowed(id))) };
        NonNull::new(table?.cast_mut())
    }
}

/// Bytes that the host allocated. They are freed with this value.
pub struct Buffer<'h> {
    host: &'h Host,
    memory: *mut u8,
    length: usize,
}

impl Deref for Buffer<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: `length` initialized bytes that this value owns.
        unsafe { core::slice::from_raw_parts(self.memory, self.length) }
    }
}

impl DerefMut for Buffer<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`.
        unsafe { core::slice::from_raw_parts_mut(self.memory, self.length) }
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        self.host.free(self.memory);
    }
}

/// The bytes of a file.
pub struct Source(*const imgcoder_source);

impl Source {
    /// # Safety
    /// `raw` is the host's struct, and lives as long as this value.
    pub(crate) unsafe fn new(raw: *const imgcoder_source) -> Self {
        Source(raw)
    }

    /// Bytes in total, or None while bytes are still arriving and the end is not known.
    pub fn size(&self) -> Option<u64> {
        // SAFETY: the promise of `new`. The host may change the value between two calls.
        let size = unsafe { core::ptr::read_volatile(&raw const (*self.0).size) };
        (size != u64::MAX).then_some(size)
    }

    /// The bytes from an offset on: at least `least`, at most `most`; fewer only at the end of the file. While bytes
    /// are still arriving, it waits for `least` of them. They can be used until the next call.
    pub fn view(&mut self, offset: u64, least: u64, most: u64) -> Result<&[u8]> {
        let (mut bytes, mut length) = (core::ptr::null(), 0);
        // SAFETY: every source has `view`; one that has `view_available` says so by its size.
        let status = unsafe {
            let raw = &*self.0;
            let has_available = raw.struct_size as usize >= core::mem::size_of::<imgcoder_source>();
            match (raw.view_available, raw.view) {
                (Some(call), _) if has_available => call(self.0, offset, least, most, &mut bytes, &mut length),
                (_, Some(call)) => call(self.0, offset, most, &mut bytes, &mut length),
                _ => STATUS_IO,
            }
        };
        Error::check(status)?;
        if length == 0 || bytes.is_null() {
            return Ok(&[]);
        }
        // SAFETY: the host's view lives until the next one, for which this value has to be borrowed again.
        Ok(unsafe { core::slice::from_raw_parts(bytes, length as usize) })
    }

    /// All bytes of the file, for libraries that want them in one piece. While bytes are still arriving, it waits for
    /// the last one. They can be used until the next call of `view`.
    pub fn whole(&self) -> Result<&[u8]> {
        let (mut bytes, mut length) = (core::ptr::null(), 0);
        // SAFETY: the promise of `new`; every source has `view`.
        let status =
            unsafe { (*self.0).view.map_or(STATUS_IO, |view| view(self.0, 0, u64::MAX, &mut bytes, &mut length)) };
        Error::check(status)?;
        if length == 0 || bytes.is_null() {
            return Ok(&[]);
        }
        // SAFETY: a view of the whole source lives until the session is closed.
        Ok(unsafe { core::slice::from_raw_parts(bytes, length as usize) })
    }
}
