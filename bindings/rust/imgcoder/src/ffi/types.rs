// SPDX-License-Identifier: Apache-2.0

//! Types of `imgcoder/types.h`.

pub type imgcoder_status = u32;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_string {
    pub bytes: *const u8,
    pub length: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_limits {
    pub struct_size: u32,
    pub max_side: u32,
    pub max_pixels: u64,
    pub max_memory: u64,
    pub max_metadata: u64,
    pub max_frames: u32,
    pub max_pages: u32,
    pub max_scans: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_failure {
    pub struct_size: u32,
    pub status: super::imgcoder_status,
    pub offset: i64,
    pub message: imgcoder_string,
    pub limit: u32,
    pub reserved: u32,
    pub found: u64,
    pub allowed: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_cicp {
    pub primaries: u8,
    pub transfer: u8,
    pub matrix: u8,
    pub full_range: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_primaries {
    pub red: [f64; 2],
    pub green: [f64; 2],
    pub blue: [f64; 2],
    pub white: [f64; 2],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct imgcoder_color {
    pub struct_size: u32,
    pub flags: u32,
    pub primaries: imgcoder_primaries,
    pub gamma: [f64; 3],
    pub curves: [*const u16; 3],
    pub curve_length: u32,
    pub reserved: u32,
    pub mastering_peak: f64,
    pub mastering_black: f64,
    pub content_peak: f64,
    pub frame_average_peak: f64,
    pub mastering_primaries: imgcoder_primaries,
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
    pub flags: u32,
    pub reserved: u32,
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
