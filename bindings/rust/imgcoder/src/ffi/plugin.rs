// SPDX-License-Identifier: Apache-2.0

//! Structs of `imgcoder/plugin.h` and `imgcoder/transcode.h`, and the tables of functions of readers and writers: those
//! take the coder, which has them.

use super::host::*;
use super::reader::*;
use super::types::*;
use super::writer::*;
use core::ffi::c_void;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_reader_table {
    pub struct_size: u32,
    pub reserved: u32,
    pub open: Option<
        unsafe extern "C" fn(
            coder: *const imgcoder_coder,
            host: *const imgcoder_host,
            source: *const imgcoder_source,
            options: *const imgcoder_open_options,
            reader: *mut *mut imgcoder_reader,
        ) -> imgcoder_status,
    >,
    pub info: Option<
        unsafe extern "C" fn(reader: *mut imgcoder_reader, page: u32, info: *mut imgcoder_info) -> imgcoder_status,
    >,
    pub frame_info: Option<
        unsafe extern "C" fn(
            reader: *mut imgcoder_reader,
            page: u32,
            frame: u32,
            frame_info: *mut imgcoder_frame_info,
        ) -> imgcoder_status,
    >,
    pub negotiate: Option<
        unsafe extern "C" fn(
            reader: *mut imgcoder_reader,
            request: *const imgcoder_request,
            offer: *mut imgcoder_offer,
        ) -> imgcoder_status,
    >,
    pub decode: Option<
        unsafe extern "C" fn(
            reader: *mut imgcoder_reader,
            offer: *const imgcoder_offer,
            sink: *const imgcoder_sink,
        ) -> imgcoder_status,
    >,
    pub metadata: Option<
        unsafe extern "C" fn(
            reader: *mut imgcoder_reader,
            page: u32,
            kind: u32,
            bytes: *mut *const u8,
            length: *mut u64,
        ) -> imgcoder_status,
    >,
    pub properties: Option<
        unsafe extern "C" fn(
            reader: *mut imgcoder_reader,
            page: u32,
            frame: u32,
            properties: *const imgcoder_properties,
        ) -> imgcoder_status,
    >,
    pub close: Option<unsafe extern "C" fn(reader: *mut imgcoder_reader)>,
    pub get_extension: Option<unsafe extern "C" fn(reader: *mut imgcoder_reader, id: imgcoder_string) -> *const c_void>,
    pub color: Option<
        unsafe extern "C" fn(reader: *mut imgcoder_reader, page: u32, color: *mut imgcoder_color) -> imgcoder_status,
    >,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_writer_table {
    pub struct_size: u32,
    pub features: u32,
    pub open: Option<
        unsafe extern "C" fn(
            coder: *const imgcoder_coder,
            host: *const imgcoder_host,
            output: *const imgcoder_output,
            options: *const imgcoder_write_options,
            writer: *mut *mut imgcoder_writer,
        ) -> imgcoder_status,
    >,
    pub negotiate: Option<
        unsafe extern "C" fn(
            writer: *mut imgcoder_writer,
            wanted: u32,
            wanted_alpha: u32,
            accepted: *mut u32,
            accepted_alpha: *mut u32,
        ) -> imgcoder_status,
    >,
    pub set_info:
        Option<unsafe extern "C" fn(writer: *mut imgcoder_writer, info: *const imgcoder_info) -> imgcoder_status>,
    pub add_metadata: Option<
        unsafe extern "C" fn(writer: *mut imgcoder_writer, kind: u32, bytes: *const u8, length: u64) -> imgcoder_status,
    >,
    pub add_frame: Option<
        unsafe extern "C" fn(
            writer: *mut imgcoder_writer,
            frame: *const imgcoder_frame_info,
            pixels: *const imgcoder_pixels,
        ) -> imgcoder_status,
    >,
    pub finish: Option<unsafe extern "C" fn(writer: *mut imgcoder_writer) -> imgcoder_status>,
    pub close: Option<unsafe extern "C" fn(writer: *mut imgcoder_writer)>,
    pub add_thumbnail:
        Option<unsafe extern "C" fn(writer: *mut imgcoder_writer, pixels: *const imgcoder_pixels) -> imgcoder_status>,
    pub get_extension: Option<unsafe extern "C" fn(writer: *mut imgcoder_writer, id: imgcoder_string) -> *const c_void>,
    pub set_color:
        Option<unsafe extern "C" fn(writer: *mut imgcoder_writer, color: *const imgcoder_color) -> imgcoder_status>,
}

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
    pub read_options: *const *const imgcoder_option,
    pub read_option_count: u64,
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
