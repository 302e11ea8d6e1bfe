// SPDX-License-Identifier: Apache-2.0

//! Structs of `imgcoder/plugin.h` and `imgcoder/transcode.h`.

use super::host::*;
use super::imgcoder_status;
use super::reader::imgcoder_reader_table;
use super::types::*;
use super::writer::{imgcoder_option, imgcoder_writer_table};
use core::ffi::c_void;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_transcode_table {
    pub struct_size: u32,
    pub reserved: u32,
    pub transcode: Option<
        unsafe extern "C" fn(
            coder: *const imgcoder_coder,
            host: *const imgcoder_host,
            source: *const imgcoder_source,
            from: imgcoder_string,
            to: imgcoder_string,
            output: *const imgcoder_output,
        ) -> imgcoder_status,
    >,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_container {
    pub struct_size: u32,
    pub default_plays: u32,
    pub dictionary: imgcoder_string,
    pub unclamped_delay: imgcoder_string,
    pub delay: imgcoder_string,
    pub loop_count: imgcoder_string,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_coder {
    pub struct_size: u32,
    pub flags: u32,
    pub plugin_data: *mut c_void,
    pub id: imgcoder_string,
    pub version: imgcoder_string,
    pub library: imgcoder_string,
    pub container: *const imgcoder_container,
    pub reader: *const imgcoder_reader_table,
    pub writer: *const imgcoder_writer_table,
    pub options: *const *const imgcoder_option,
    pub option_count: u64,
    pub get_extension: Option<unsafe extern "C" fn(coder: *const imgcoder_coder, id: imgcoder_string) -> *const c_void>,
    pub recognize: Option<
        unsafe extern "C" fn(
            coder: *const imgcoder_coder,
            prefix: *const u8,
            length: u64,
            file_size: u64,
        ) -> imgcoder_status,
    >,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_entry {
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub reserved: u32,
    pub magic: [u8; 8],
    pub describe: Option<unsafe extern "C" fn(host: *const imgcoder_host) -> *const imgcoder_coder>,
}
