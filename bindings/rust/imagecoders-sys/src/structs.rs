// SPDX-License-Identifier: Apache-2.0

//! The header's structs, in its order. `new()` has the size set and all else zero, which is each field's default.

#![allow(missing_docs)]

use core::ffi::{c_char, c_void};
use core::mem::{offset_of, size_of, zeroed};

macro_rules! opaque {
    ($($name:ident),*) => { $(
        #[repr(C)]
        pub struct $name {
            _hidden: [u8; 0],
            _pinned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
        }
    )* };
}

opaque!(ic_registry, ic_file, ic_feed, ic_writer, ic_cancel);

/// Reads bytes of a file at an offset.
pub type ic_read_function =
    unsafe extern "C" fn(context: *mut c_void, offset: u64, target: *mut c_void, count: u64) -> i64;
/// Takes bytes of a file that is written.
pub type ic_write_function =
    unsafe extern "C" fn(context: *mut c_void, offset: u64, bytes: *const c_void, count: u64) -> i64;

macro_rules! structs {
    ($($name:ident { $($field:ident: $type:ty),* $(,)? })*) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name { $(pub $field: $type),* }

            impl $name {
                /// A struct whose size is set; all else is zero.
                pub const fn new() -> Self {
                    // Safety: zero is a value of each field: numbers, arrays of them, pointers that may be null, and functions that may be none.
                    let mut made: Self = unsafe { zeroed() };
                    made.size = size_of::<Self>() as u32;
                    made
                }
            }

            impl Default for $name {
                fn default() -> Self { Self::new() }
            }
        )*
        /// Structs with their sizes, and their fields with their offsets and sizes, in bytes.
        pub const LAYOUT: &[(&str, usize, &[(&str, usize)])] = &[
            $((stringify!($name), size_of::<$name>(), &[$((stringify!($field), offset_of!($name, $field))),*])),*
        ];
    };
}

structs! {
    ic_error {
        size: u32, status: u32, offset: i64, coder: [c_char; 64], limit: [c_char; 32], message: [c_char; 512],
    }
    ic_source {
        size: u32, kind: u32, bytes: *const c_void, count: u64, path: *const c_char, extension: *const c_char,
        descriptor: i32, reserved: i32, read: Option<ic_read_function>, context: *mut c_void,
    }
    ic_sink {
        size: u32, kind: u32, path: *const c_char, write: Option<ic_write_function>, context: *mut c_void,
    }
    ic_request {
        size: u32, flags: u32, box_width: u32, box_height: u32, fit: u32, pixel_format: u32, color: u32, page: u32,
        max_pixels: u64, max_memory: u64, max_milliseconds: u64, max_frames: u32, allowed_count: u32,
        allowed_formats: *const *const c_char, cancel: *mut ic_cancel, target: *mut c_void, target_stride: u64,
        target_width: u32, target_height: u32,
    }
    ic_info {
        size: u32, width: u32, height: u32, stored_width: u32, stored_height: u32, orientation: u32, pixel_format: u32,
        alpha: u32, bits_per_channel: u32, frames: u32, pages: u32, primary_page: u32, loop_count: u32, flags: u32,
        metadata: u32, format: [c_char; 68], name: [c_char; 32], extension: [c_char; 16], media_type: [c_char; 48],
    }
    ic_pixels {
        size: u32, width: u32, height: u32, pixel_format: u32, alpha: u32, problem: u32, delay_numerator: u32,
        delay_denominator: u32, stride: u64, data: *mut c_void, owner: *mut c_void,
    }
    ic_encoding {
        size: u32, flags: u32, format: *const c_char, quality: f64, max_bytes: u64, options: *const ic_option,
        option_count: u32, loop_count: u32, icc: *const c_void, icc_count: u64, exif: *const c_void, exif_count: u64,
        xmp: *const c_void, xmp_count: u64, page_count: u32, color: u32, left_out: u32, reserved: u32,
    }
    ic_bytes { size: u32, problem: u32, count: u64, data: *const u8, owner: *mut c_void }
    ic_registry_options {
        size: u32, flags: u32, isolation: u32, folder_count: u32, plugin_folders: *const *const c_char,
        policy: *const c_char, worker: *const c_char, library_folder: *const c_char,
    }
    ic_job {
        size: u32, operation: u32, status: i32, reserved: u32, source: *const ic_source, request: *const ic_request,
        encoding: *const ic_encoding, info: *mut ic_info, pixels: *mut ic_pixels, bytes: *mut ic_bytes,
        error: *mut ic_error,
    }
}

/// The one struct without a size.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ic_option {
    pub name: *const c_char,
    pub value: *const c_char,
}
