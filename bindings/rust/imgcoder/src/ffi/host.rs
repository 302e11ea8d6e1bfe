// SPDX-License-Identifier: Apache-2.0

//! Structs of `imgcoder/host.h`.

use super::types::*;
use core::ffi::c_void;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_host {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub context: *mut c_void,
    pub limits: *const imgcoder_limits,
    pub fail: Option<
        unsafe extern "C" fn(
            host: *const imgcoder_host,
            status: u32,
            offset: i64,
            message: imgcoder_string,
        ) -> imgcoder_status,
    >,
    pub allocate: Option<unsafe extern "C" fn(host: *const imgcoder_host, size: u64, alignment: u64) -> *mut c_void>,
    pub free: Option<unsafe extern "C" fn(host: *const imgcoder_host, memory: *mut c_void)>,
    pub log: Option<unsafe extern "C" fn(host: *const imgcoder_host, severity: u32, message: imgcoder_string)>,
    pub is_cancelled: Option<unsafe extern "C" fn(host: *const imgcoder_host) -> u32>,
    pub progress: Option<unsafe extern "C" fn(host: *const imgcoder_host, fraction: f64)>,
    pub parallel_for: Option<
        unsafe extern "C" fn(
            host: *const imgcoder_host,
            count: u32,
            body: unsafe extern "C" fn(argument: *mut c_void, index: u32),
            argument: *mut c_void,
        ),
    >,
    pub get_extension: Option<unsafe extern "C" fn(host: *const imgcoder_host, id: imgcoder_string) -> *const c_void>,
    pub fail_with:
        Option<unsafe extern "C" fn(host: *const imgcoder_host, failure: *const imgcoder_failure) -> imgcoder_status>,
    pub spend: Option<unsafe extern "C" fn(host: *const imgcoder_host, kind: u32, amount: u64) -> imgcoder_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_source {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub size: u64,
    pub view: Option<
        unsafe extern "C" fn(
            source: *const imgcoder_source,
            offset: u64,
            wanted: u64,
            bytes: *mut *const u8,
            length: *mut u64,
        ) -> imgcoder_status,
    >,
    pub view_available: Option<
        unsafe extern "C" fn(
            source: *const imgcoder_source,
            offset: u64,
            least: u64,
            wanted: u64,
            bytes: *mut *const u8,
            length: *mut u64,
        ) -> imgcoder_status,
    >,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_rows {
    pub pixels: *mut u8,
    pub stride: u64,
    pub count: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_sink {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub rows: Option<
        unsafe extern "C" fn(
            sink: *const imgcoder_sink,
            y: u32,
            count: u32,
            granted: *mut imgcoder_rows,
        ) -> imgcoder_status,
    >,
    pub done:
        Option<unsafe extern "C" fn(sink: *const imgcoder_sink, y: u32, count: u32, pass: u32) -> imgcoder_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_output {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub write:
        Option<unsafe extern "C" fn(output: *const imgcoder_output, bytes: *const u8, length: u64) -> imgcoder_status>,
    pub patch: Option<
        unsafe extern "C" fn(
            output: *const imgcoder_output,
            offset: u64,
            bytes: *const u8,
            length: u64,
        ) -> imgcoder_status,
    >,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_properties {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub begin: Option<unsafe extern "C" fn(properties: *const imgcoder_properties, name: imgcoder_string)>,
    pub end: Option<unsafe extern "C" fn(properties: *const imgcoder_properties)>,
    pub put_integer:
        Option<unsafe extern "C" fn(properties: *const imgcoder_properties, name: imgcoder_string, value: i64)>,
    pub put_number:
        Option<unsafe extern "C" fn(properties: *const imgcoder_properties, name: imgcoder_string, value: f64)>,
    pub put_text: Option<
        unsafe extern "C" fn(properties: *const imgcoder_properties, name: imgcoder_string, value: imgcoder_string),
    >,
    pub begin_list: Option<unsafe extern "C" fn(properties: *const imgcoder_properties, name: imgcoder_string)>,
}
