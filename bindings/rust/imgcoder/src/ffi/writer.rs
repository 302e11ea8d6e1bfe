// SPDX-License-Identifier: Apache-2.0

//! Structs of `imgcoder/writer.h`. The table of its functions is with the coder.

use super::types::*;

#[repr(C)]
pub struct imgcoder_writer {
    _private: [u8; 0],
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
