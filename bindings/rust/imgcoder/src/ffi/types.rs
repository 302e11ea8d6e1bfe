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
