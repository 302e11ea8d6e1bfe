// SPDX-License-Identifier: Apache-2.0

//! Structs of `imgcoder/reader.h`. The table of its functions is with the coder.

use super::types::*;
use crate::constants::*;

#[repr(C)]
pub struct imgcoder_reader {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_open_options {
    pub struct_size: u32,
    pub flags: u32,
    pub values: *const *const imgcoder_option_value,
    pub value_count: u64,
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
    pub page_kind: u32,
    pub page_name: imgcoder_string,
    pub owner_page: u32,
    pub hidden_page_count: u32,
    pub page_x: i32,
    pub page_y: i32,
    pub pixel_aspect: f64,
    pub duration: f64,
    pub poster_frame: u32,
    pub access: u32,
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
    pub flags: u32,
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

impl imgcoder_info {
    /// A still picture of one frame and one page, in 8 bits per channel and RGBA with straight alpha.
    pub const fn new(format: &'static str, width: u32, height: u32) -> Self {
        imgcoder_info {
            struct_size: 0,
            flags: 0,
            width,
            height,
            pixel_format: PIXEL_RGBA8,
            bits_per_channel: 8,
            alpha: ALPHA_STRAIGHT,
            orientation: 1,
            frame_count: 1,
            page_count: 1,
            primary_page: 0,
            plays: 0,
            cicp: imgcoder_cicp { primaries: 0, transfer: 0, matrix: 0, full_range: 0 },
            subsampling: SUBSAMPLING_UNSTATED,
            gamma: 0.0,
            background: [0; 4],
            format: imgcoder_string::new(format),
            embedded_offset: 0,
            embedded_length: 0,
            natural_width: 0.0,
            natural_height: 0.0,
            resolution: 0.0,
            largest_side: 0,
            page_kind: PAGE_PICTURE,
            page_name: imgcoder_string::new(""),
            owner_page: 0,
            hidden_page_count: 0,
            page_x: 0,
            page_y: 0,
            pixel_aspect: 0.0,
            duration: 0.0,
            poster_frame: 0,
            access: ACCESS_ANY,
        }
    }
}

impl imgcoder_frame_info {
    /// A frame that replaces what is on the canvas; which frames it depends on is for the host to find.
    pub const fn new(x: u32, y: u32, width: u32, height: u32) -> Self {
        imgcoder_frame_info {
            struct_size: 0,
            flags: FRAME_HAS_ALPHA,
            x,
            y,
            width,
            height,
            delay_numerator: 0,
            delay_denominator: 0,
            disposal: DISPOSAL_KEEP,
            blend: BLEND_SOURCE,
            depends_on: u32::MAX,
            reserved: 0,
        }
    }
}

impl imgcoder_request {
    /// A request for all of a frame in its own size, for tests of readers.
    pub const fn new(page: u32, frame: u32, pixel_format: u32, alpha: u32) -> Self {
        imgcoder_request {
            struct_size: core::mem::size_of::<Self>() as u32,
            page,
            frame,
            width: 0,
            height: 0,
            pixel_format,
            alpha,
            reserved: 0,
            part_x: 0,
            part_y: 0,
            part_width: 0,
            part_height: 0,
            flags: 0,
        }
    }
}

impl imgcoder_offer {
    /// An offer of rows from the top down; what it leaves to the host follows from the request.
    pub fn new(request: &imgcoder_request, width: u32, height: u32, pixel_format: u32, alpha: u32) -> Self {
        let mut unmet = 0;
        if request.width != 0 && request.width < width {
            unmet |= UNMET_SIZE;
        }
        if request.pixel_format != pixel_format {
            unmet |= UNMET_PIXEL_FORMAT;
        }
        if request.alpha != alpha {
            unmet |= UNMET_ALPHA;
        }
        if request.part_width != 0 {
            unmet |= UNMET_PART;
        }
        imgcoder_offer {
            struct_size: 0,
            page: request.page,
            frame: request.frame,
            width,
            height,
            pixel_format,
            alpha,
            row_order: ROWS_TOP_DOWN,
            unmet,
            scale_code: 0,
            memory: 0,
            covered_width: 0.0,
            covered_height: 0.0,
            part_x: 0,
            part_y: 0,
            whole_width: 0,
            whole_height: 0,
        }
    }
}
