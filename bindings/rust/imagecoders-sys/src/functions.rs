// SPDX-License-Identifier: Apache-2.0

//! The header's functions, in its order.

#![allow(missing_docs)]

use crate::structs::*;
use core::ffi::{c_char, c_void};

macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        extern "C" { $(pub fn $name($($argument: $type),*) $(-> $result)?;)* }
        /// The functions' names.
        pub const FUNCTIONS: &[&str] = &[$(stringify!($name)),*];
    };
}

functions! {
    fn ic_version() -> u32;
    fn ic_status_name(status: u32) -> *const c_char;
    fn ic_registry_new(
        options: *const ic_registry_options, registry: *mut *mut ic_registry, error: *mut ic_error
    ) -> i32;
    fn ic_registry_free(registry: *mut ic_registry);
    fn ic_registry_formats(registry: *mut ic_registry, formats: *mut ic_bytes, error: *mut ic_error) -> i32;
    fn ic_probe(
        registry: *mut ic_registry, source: *const ic_source, request: *const ic_request, info: *mut ic_info,
        error: *mut ic_error
    ) -> i32;
    fn ic_decode(
        registry: *mut ic_registry, source: *const ic_source, request: *const ic_request, pixels: *mut ic_pixels,
        error: *mut ic_error
    ) -> i32;
    fn ic_thumbnail(
        registry: *mut ic_registry, source: *const ic_source, request: *const ic_request, encoding: *const ic_encoding,
        file: *mut ic_bytes, error: *mut ic_error
    ) -> i32;
    fn ic_encode(
        registry: *mut ic_registry, frames: *const *const ic_pixels, count: u32, encoding: *const ic_encoding,
        cancel: *mut ic_cancel, file: *mut ic_bytes, error: *mut ic_error
    ) -> i32;
    fn ic_convert(
        registry: *mut ic_registry, source: *const ic_source, request: *const ic_request, encoding: *const ic_encoding,
        sink: *const ic_sink, file: *mut ic_bytes, report: *mut ic_bytes, error: *mut ic_error
    ) -> i32;
    fn ic_operate(
        registry: *mut ic_registry, source: *const ic_source, request: *const ic_request, operation: *const c_char,
        sink: *const ic_sink, file: *mut ic_bytes, report: *mut ic_bytes, error: *mut ic_error
    ) -> i32;
    fn ic_batch(registry: *mut ic_registry, jobs: *mut ic_job, count: u32, threads: u32, cancel: *mut ic_cancel);
    fn ic_open(
        registry: *mut ic_registry, source: *const ic_source, request: *const ic_request, file: *mut *mut ic_file,
        error: *mut ic_error
    ) -> i32;
    fn ic_file_info(file: *mut ic_file, info: *mut ic_info, error: *mut ic_error) -> i32;
    fn ic_file_frame(file: *mut ic_file, index: u32, pixels: *mut ic_pixels, error: *mut ic_error) -> i32;
    fn ic_file_page(file: *mut ic_file, page: u32, opened: *mut *mut ic_file, error: *mut ic_error) -> i32;
    fn ic_file_metadata(file: *mut ic_file, kind: u32, payload: *mut ic_bytes, error: *mut ic_error) -> i32;
    fn ic_file_properties(file: *mut ic_file, text: *mut ic_bytes, error: *mut ic_error) -> i32;
    fn ic_file_parts(file: *mut ic_file, list: *mut ic_bytes, error: *mut ic_error) -> i32;
    fn ic_file_part(file: *mut ic_file, part: u32, bytes: *mut ic_bytes, error: *mut ic_error) -> i32;
    fn ic_file_open_part(file: *mut ic_file, part: u32, opened: *mut *mut ic_file, error: *mut ic_error) -> i32;
    fn ic_file_close(file: *mut ic_file);
    fn ic_feed_new(
        registry: *mut ic_registry, request: *const ic_request, feed: *mut *mut ic_feed, error: *mut ic_error
    ) -> i32;
    fn ic_feed_append(feed: *mut ic_feed, bytes: *const c_void, count: u64, error: *mut ic_error) -> i32;
    fn ic_feed_info(feed: *mut ic_feed, info: *mut ic_info, error: *mut ic_error) -> i32;
    fn ic_feed_look(feed: *mut ic_feed, pixels: *mut ic_pixels, error: *mut ic_error) -> i32;
    fn ic_feed_finish(feed: *mut ic_feed, pixels: *mut ic_pixels, error: *mut ic_error) -> i32;
    fn ic_feed_free(feed: *mut ic_feed);
    fn ic_writer_new(
        registry: *mut ic_registry, encoding: *const ic_encoding, sink: *const ic_sink, cancel: *mut ic_cancel,
        writer: *mut *mut ic_writer, error: *mut ic_error
    ) -> i32;
    fn ic_writer_add(writer: *mut ic_writer, pixels: *const ic_pixels, error: *mut ic_error) -> i32;
    fn ic_writer_finish(writer: *mut ic_writer, file: *mut ic_bytes, error: *mut ic_error) -> i32;
    fn ic_writer_free(writer: *mut ic_writer);
    fn ic_cancel_new() -> *mut ic_cancel;
    fn ic_cancel_set(cancel: *mut ic_cancel);
    fn ic_cancel_free(cancel: *mut ic_cancel);
    fn ic_release(owner: *mut c_void);
    fn ic_command(count: i32, arguments: *const *mut c_char) -> i32;
}
