// SPDX-License-Identifier: Apache-2.0

use super::owned;
use imgcoder::ffi::*;
use std::cell::RefCell;
use std::ffi::c_void;

/// A file in memory.
pub struct FakeSource {
    raw: Box<imgcoder_source>,
    _bytes: Vec<u8>,
}

impl FakeSource {
    pub fn new(bytes: &[u8]) -> Self {
        let bytes = bytes.to_vec();
        let raw = Box::new(imgcoder_source {
            struct_size: size_of::<imgcoder_source>() as u32,
            reserved: 0,
            context: bytes.as_ptr().cast_mut().cast(),
            size: bytes.len() as u64,
            view: Some(view),
            view_available: Some(view_available),
        });
        FakeSource { raw, _bytes: bytes }
    }

    pub fn raw(&self) -> *const imgcoder_source {
        &raw const *self.raw
    }
}

unsafe extern "C" fn view(
    source: *const imgcoder_source,
    offset: u64,
    wanted: u64,
    bytes: *mut *const u8,
    length: *mut u64,
) -> u32 {
    // SAFETY: `FakeSource::new` put the bytes there; the plugin's results are places to write to.
    unsafe {
        let all = std::slice::from_raw_parts((*source).context.cast::<u8>(), (*source).size as usize);
        let rest = all.get(offset as usize..).unwrap_or(&[]);
        *bytes = rest.as_ptr();
        *length = wanted.min(rest.len() as u64);
    }
    STATUS_OK
}

/// One byte at a time is available, as in a slow download.
unsafe extern "C" fn view_available(
    source: *const imgcoder_source,
    offset: u64,
    least: u64,
    _wanted: u64,
    bytes: *mut *const u8,
    length: *mut u64,
) -> u32 {
    // SAFETY: as for `view`.
    unsafe { view(source, offset, least.max(1), bytes, length) }
}

/// A new file in memory.
pub struct FakeOutput {
    raw: Box<imgcoder_output>,
    bytes: Box<RefCell<Vec<u8>>>,
}

impl FakeOutput {
    pub fn new() -> Self {
        let bytes = Box::<RefCell<Vec<u8>>>::default();
        let raw = Box::new(imgcoder_output {
            struct_size: size_of::<imgcoder_output>() as u32,
            reserved: 0,
            context: (&raw const *bytes).cast_mut().cast(),
            write: Some(write),
            patch: Some(patch),
        });
        FakeOutput { raw, bytes }
    }

    pub fn raw(&self) -> *const imgcoder_output {
        &raw const *self.raw
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.borrow().clone()
    }
}

unsafe extern "C" fn write(output: *const imgcoder_output, bytes: *const u8, length: u64) -> u32 {
    // SAFETY: `FakeOutput::new` put the file there; the plugin's bytes live during the call.
    let (file, bytes) =
        unsafe { (&*(*output).context.cast::<RefCell<Vec<u8>>>(), std::slice::from_raw_parts(bytes, length as usize)) };
    file.borrow_mut().extend_from_slice(bytes);
    STATUS_OK
}

unsafe extern "C" fn patch(output: *const imgcoder_output, offset: u64, bytes: *const u8, length: u64) -> u32 {
    // SAFETY: as for `write`.
    let (file, bytes) =
        unsafe { (&*(*output).context.cast::<RefCell<Vec<u8>>>(), std::slice::from_raw_parts(bytes, length as usize)) };
    file.borrow_mut()[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    STATUS_OK
}

/// A picture whose rows are `stride` bytes apart, all 0xEE until they are written.
pub struct FakeSink {
    raw: Box<imgcoder_sink>,
    picture: Box<RefCell<Picture>>,
}

struct Picture {
    stride: usize,
    memory: Vec<u8>,
    done: u32,
}

impl FakeSink {
    pub fn new(stride: usize, height: usize) -> Self {
        let picture = Box::new(RefCell::new(Picture { stride, memory: vec![0xEE; stride * height], done: 0 }));
        let raw = Box::new(imgcoder_sink {
            struct_size: size_of::<imgcoder_sink>() as u32,
            reserved: 0,
            context: (&raw const *picture).cast_mut().cast(),
            rows: Some(rows),
            done: Some(done),
        });
        FakeSink { raw, picture }
    }

    pub fn raw(&self) -> *const imgcoder_sink {
        &raw const *self.raw
    }

    pub fn memory(&self) -> Vec<u8> {
        self.picture.borrow().memory.clone()
    }

    /// Rows that were reported done.
    pub fn done(&self) -> u32 {
        self.picture.borrow().done
    }
}

unsafe extern "C" fn rows(sink: *const imgcoder_sink, y: u32, count: u32, granted: *mut imgcoder_rows) -> u32 {
    // SAFETY: `FakeSink::new` put the picture there; the plugin's result is a place to write to.
    unsafe {
        let mut picture = (*(*sink).context.cast::<RefCell<Picture>>()).borrow_mut();
        let stride = picture.stride;
        let pixels = picture.memory[y as usize * stride..][..count as usize * stride].as_mut_ptr();
        *granted = imgcoder_rows { pixels, stride: stride as u64, count, reserved: 0 };
    }
    STATUS_OK
}

unsafe extern "C" fn done(sink: *const imgcoder_sink, _y: u32, count: u32, _pass: u32) -> u32 {
    // SAFETY: as for `rows`.
    unsafe { (*(*sink).context.cast::<RefCell<Picture>>()).borrow_mut().done += count };
    STATUS_OK
}

/// A dictionary that keeps each call as a line.
pub struct FakeProperties {
    raw: Box<imgcoder_properties>,
    lines: Box<RefCell<Vec<String>>>,
}

impl FakeProperties {
    pub fn new() -> Self {
        let lines = Box::<RefCell<Vec<String>>>::default();
        let raw = Box::new(imgcoder_properties {
            struct_size: size_of::<imgcoder_properties>() as u32,
            reserved: 0,
            context: (&raw const *lines).cast_mut().cast(),
            begin: Some(begin),
            end: Some(end),
            put_integer: Some(put_integer),
            put_number: Some(put_number),
            put_text: Some(put_text),
            begin_list: Some(begin_list),
        });
        FakeProperties { raw, lines }
    }

    pub fn raw(&self) -> *const imgcoder_properties {
        &raw const *self.raw
    }

    pub fn lines(&self) -> Vec<String> {
        self.lines.borrow().clone()
    }
}

fn note(properties: *const imgcoder_properties, name: imgcoder_string, rest: &str) {
    // SAFETY: `FakeProperties::new` put the list there; the plugin's text lives during the call.
    unsafe {
        let list: *mut c_void = (*properties).context;
        (*list.cast::<RefCell<Vec<String>>>()).borrow_mut().push(format!("{}{rest}", owned(name)));
    }
}

unsafe extern "C" fn begin(properties: *const imgcoder_properties, name: imgcoder_string) {
    note(properties, name, " {");
}

unsafe extern "C" fn begin_list(properties: *const imgcoder_properties, name: imgcoder_string) {
    note(properties, name, " [");
}

unsafe extern "C" fn end(properties: *const imgcoder_properties) {
    note(properties, super::text(""), "end");
}

unsafe extern "C" fn put_integer(properties: *const imgcoder_properties, name: imgcoder_string, value: i64) {
    note(properties, name, &format!(" {value}"));
}

unsafe extern "C" fn put_number(properties: *const imgcoder_properties, name: imgcoder_string, value: f64) {
    note(properties, name, &format!(" {value:.2}"));
}

unsafe extern "C" fn put_text(properties: *const imgcoder_properties, name: imgcoder_string, value: imgcoder_string) {
    // SAFETY: the plugin's text lives during the call.
    note(properties, name, &format!(" {}", unsafe { owned(value) }));
}
