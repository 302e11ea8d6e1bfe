// SPDX-License-Identifier: Apache-2.0

//! Structs of the headers of extensions: `imgcoder/file_operations.h`, `frame_rows.h`, `look.h`, `siblings.h`.

use super::host::*;
use super::plugin::*;
use super::reader::*;
use super::types::*;
use super::writer::*;
use core::ffi::c_void;

pub const EXTENSION_FILE_OPERATIONS: &str = "org.imagecoders.file-operations/1";
pub const EXTENSION_FRAME_ROWS: &str = "org.imagecoders.frame-rows/1";
pub const EXTENSION_LOOK: &str = "org.imagecoders.look/1";
pub const EXTENSION_SIBLINGS: &str = "org.imagecoders.siblings/1";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_block {
    pub struct_size: u32,
    pub reserved: u32,
    pub name: imgcoder_string,
    pub bytes: *const u8,
    pub length: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_operation {
    pub struct_size: u32,
    pub reserved: u32,
    pub name: imgcoder_string,
    pub from: imgcoder_string,
    pub to: imgcoder_string,
    pub values: *const *const imgcoder_option_value,
    pub value_count: u64,
    pub blocks: *const *const imgcoder_block,
    pub block_count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_operation_kind {
    pub struct_size: u32,
    pub flags: u32,
    pub name: imgcoder_string,
    pub text: imgcoder_string,
    pub from: *const imgcoder_string,
    pub to: *const imgcoder_string,
    pub format_count: u64,
    pub options: *const *const imgcoder_option,
    pub option_count: u64,
    pub blocks: *const imgcoder_string,
    pub block_count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_file_operations_table {
    pub struct_size: u32,
    pub reserved: u32,
    pub kinds: *const *const imgcoder_operation_kind,
    pub kind_count: u64,
    pub can: Option<
        unsafe extern "C" fn(
            coder: *const imgcoder_coder,
            host: *const imgcoder_host,
            source: *const imgcoder_source,
            operation: *const imgcoder_operation,
            facts: *const imgcoder_properties,
        ) -> imgcoder_status,
    >,
    pub run: Option<
        unsafe extern "C" fn(
            coder: *const imgcoder_coder,
            host: *const imgcoder_host,
            source: *const imgcoder_source,
            operation: *const imgcoder_operation,
            output: *const imgcoder_output,
            facts: *const imgcoder_properties,
        ) -> imgcoder_status,
    >,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_frame_rows_table {
    pub struct_size: u32,
    pub reserved: u32,
    pub begin: Option<
        unsafe extern "C" fn(
            writer: *mut imgcoder_writer,
            frame: *const imgcoder_frame_info,
            shape: *const imgcoder_pixels,
        ) -> imgcoder_status,
    >,
    pub add:
        Option<unsafe extern "C" fn(writer: *mut imgcoder_writer, rows: *const imgcoder_pixels) -> imgcoder_status>,
    pub end: Option<unsafe extern "C" fn(writer: *mut imgcoder_writer) -> imgcoder_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_look_table {
    pub struct_size: u32,
    pub reserved: u32,
    pub set_draw: Option<
        unsafe extern "C" fn(
            host: *const imgcoder_host,
            draw: Option<unsafe extern "C" fn(context: *mut c_void)>,
            context: *mut c_void,
        ) -> imgcoder_status,
    >,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_siblings_table {
    pub struct_size: u32,
    pub reserved: u32,
    pub open: Option<
        unsafe extern "C" fn(
            host: *const imgcoder_host,
            name: imgcoder_string,
            source: *mut *const imgcoder_source,
        ) -> imgcoder_status,
    >,
}
