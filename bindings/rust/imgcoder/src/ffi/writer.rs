// SPDX-License-Identifier: Apache-2.0

//! Structs of `imgcoder/writer.h`. The table of its functions is with the coder.

use super::types::*;

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
