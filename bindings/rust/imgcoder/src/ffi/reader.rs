// SPDX-License-Identifier: Apache-2.0

//! Structs of `imgcoder/reader.h`. The table of its functions is with the coder.

use super::types::*;

#[repr(C)]
pub struct imgcoder_reader {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_open_options {
    pub struct_size: u32,
    pub flags: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_info {
    pub struct_size: u32,
    pub flags: u32,
    pub width: u32,
    pub height: u32,
    pub pixel_format: u32,
    pub bits_per_channel: u32,
    pub alpha: u32,
    pub orientation: u32,
    pub frame_count: u32,
    pub page_count: u32,
    pub primary_page: u32,
    pub plays: u32,
    pub cicp: imgcoder_cicp,
    pub subsampling: u32,
    pub gamma: f64,
    pub background: [u16; 4],
    pub format: imgcoder_string,
    pub embedded_offset: u64,
    pub embedded_length: u64,
    pub natural_width: f64,
    pub natural_height: f64,
    pub resolution: f64,
    pub largest_side: u32,
    pub reserved_1: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_frame_info {
    pub struct_size: u32,
    pub flags: u32,
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
    pub delay_numerator: u32,
    pub delay_denominator: u32,
    pub disposal: u32,
    pub blend: u32,
    pub depends_on: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_request {
    pub struct_size: u32,
    pub page: u32,
    pub frame: u32,
    pub width: u32,
    pub height: u32,
    pub pixel_format: u32,
    pub alpha: u32,
    pub reserved: u32,
    pub part_x: u32,
    pub part_y: u32,
    pub part_width: u32,
    pub part_height: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_offer {
    pub struct_size: u32,
    pub page: u32,
    pub frame: u32,
    pub width: u32,
    pub height: u32,
    pub pixel_format: u32,
    pub alpha: u32,
    pub row_order: u32,
    pub unmet: u32,
    pub scale_code: u32,
    pub memory: u64,
    pub covered_width: f64,
    pub covered_height: f64,
    pub part_x: u32,
    pub part_y: u32,
    pub whole_width: u32,
    pub whole_height: u32,
}
