// SPDX-License-Identifier: Apache-2.0

//! Structs of `imgcoder/writer.h`.

use super::host::*;
use super::imgcoder_status;
use super::plugin::imgcoder_coder;
use super::reader::{imgcoder_frame_info, imgcoder_info};
use super::types::*;
use core::ffi::c_void;

#[repr(C)]
pub struct imgcoder_writer {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_option {
    pub struct_size: u32,
    pub r#type: u32,
    pub name: imgcoder_string,
    pub text: imgcoder_string,
    pub minimum: f64,
    pub maximum: f64,
    pub default_value: f64,
    pub choices: *const imgcoder_string,
    pub choice_count: u64,
    pub default_text: imgcoder_string,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_option_value {
    pub struct_size: u32,
    pub r#type: u32,
    pub name: imgcoder_string,
    pub number: f64,
    pub text: imgcoder_string,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_write_options {
    pub struct_size: u32,
    pub flags: u32,
    pub format: imgcoder_string,
    pub values: *const *const imgcoder_option_value,
    pub value_count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_pixels {
    pub struct_size: u32,
    pub pixel_format: u32,
    pub alpha: u32,
    pub width: u32,
    pub height: u32,
    pub reserved: u32,
    pub pixels: *const u8,
    pub stride: u64,
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
}
