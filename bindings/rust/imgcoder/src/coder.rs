// SPDX-License-Identifier: Apache-2.0

//! The coder as constant data, and the symbol that a plugin exports.

use crate::extension::{coder_extension, Extensions};
use crate::ffi::*;
use crate::guard::{guarded, quiet_panics};
use crate::host::{Host, Result};
use crate::operations::{OnlyOperations, Operations};
use crate::recognizer::{recognize, Recognizer};
use core::mem::size_of;

// SAFETY: constant data; nobody writes to it.
unsafe impl Sync for imgcoder_coder {}
// SAFETY: as above.
unsafe impl Sync for imgcoder_option {}
// SAFETY: as above.
unsafe impl Sync for imgcoder_container {}
// SAFETY: as above.
unsafe impl Sync for imgcoder_string {}
// SAFETY: as above; only unsafe code follows the pointer.
unsafe impl Send for imgcoder_string {}

/// One coder. It is a constant of the plugin, which [`crate::export!`] exports.
#[repr(transparent)]
pub struct Coder(pub imgcoder_coder);

impl Coder {
    /// A coder that neither reads nor writes yet. `id` and `version` are those of the manifest.
    pub const fn new(id: &'static str, version: &'static str) -> Self {
        Coder(imgcoder_coder {
            struct_size: size_of::<imgcoder_coder>() as u32,
            flags: 0,
            plugin_data: core::ptr::null_mut(),
            id: imgcoder_string::new(id),
            version: imgcoder_string::new(version),
            library: imgcoder_string::new(""),
            container: core::ptr::null(),
            reader: core::ptr::null(),
            writer: core::ptr::null(),
            options: core::ptr::null(),
            option_count: 0,
            get_extension: None,
            recognize: None,
            read_options: core::ptr::null(),
            read_option_count: 0,
        })
    }

    /// Adds a reader: a constant `reader_table::<…>()`.
    pub const fn reader(mut self, table: &'static imgcoder_reader_table) -> Self {
        self.0.reader = table;
        self
    }

    /// Describes all options that the reader has, whose values are given to [`crate::Reader::open`].
    pub const fn read_options(mut self, options: &'static [&'static imgcoder_option]) -> Self {
        self.0.read_options = options.as_ptr().cast();
        self.0.read_option_count = options.len() as u64;
        self
    }

    /// Adds a writer: a constant `writer_table::<…>()`, and all options that it has.
    pub const fn writer(
        mut self,
        table: &'static imgcoder_writer_table,
        options: &'static [&'static imgcoder_option],
    ) -> Self {
        self.0.writer = table;
        self.0.options = options.as_ptr().cast();
        self.0.option_count = options.len() as u64;
        self
    }

    /// Says that the container can hold animations, and how its properties are called.
    pub const fn container(mut self, container: &'static imgcoder_container) -> Self {
        self.0.container = container;
        self
    }

    /// Names the wrapped library: `libpng 1.6.39`.
    pub const fn library(mut self, library: &'static str) -> Self {
        self.0.library = imgcoder_string::new(library);
        self
    }

    /// Adds operations on whole files, which the host finds as the extension `ffi::EXTENSION_FILE_OPERATIONS`.
    pub const fn operations<T: Operations>(self) -> Self {
        self.extensions::<OnlyOperations<T>>()
    }

    /// Adds extensions. They take the place of `operations`: name it among them with `Extension::operations`.
    pub const fn extensions<E: Extensions>(mut self) -> Self {
        self.0.get_extension = Some(coder_extension::<E>);
        self
    }

    /// Says that the library itself looks at files that no signature knows.
    pub const fn recognizer<R: Recognizer>(mut self) -> Self {
        self.0.recognize = Some(recognize::<R>);
        self
    }

    /// Says that the writer takes more than one page.
    pub const fn writes_pages(mut self) -> Self {
        self.0.flags |= CODER_WRITES_PAGES;
        self
    }

    /// Says that the reader supports `OPEN_INCREMENTAL`.
    pub const fn reads_incrementally(mut self) -> Self {
        self.0.flags |= CODER_READS_INCREMENTALLY;
        self
    }
}

impl imgcoder_container {
    /// The names of an animated container, with those of ImageIO for delays and loop count.
    pub const fn new(dictionary: &'static str, default_plays: u32) -> Self {
        imgcoder_container {
            struct_size: size_of::<imgcoder_container>() as u32,
            default_plays,
            dictionary: imgcoder_string::new(dictionary),
            unclamped_delay: imgcoder_string::new("UnclampedDelayTime"),
            delay: imgcoder_string::new("DelayTime"),
            loop_count: imgcoder_string::new("LoopCount"),
        }
    }
}

/// What `describe` returns to the host. For [`crate::export!`].
///
/// # Safety
/// `host` is the host's struct, and lives during the call.
#[doc(hidden)]
pub unsafe fn describe(
    host: *const imgcoder_host,
    body: impl FnOnce(&Host) -> Result<&'static Coder>,
) -> *const imgcoder_coder {
    quiet_panics();
    // SAFETY: the caller's promise.
    let host = unsafe { Host::new(host) };
    let mut coder = core::ptr::null();
    guarded(&host, || {
        coder = &raw const body(&host)?.0;
        Ok(STATUS_OK)
    });
    coder
}

/// Exports a static [`Coder`] as the plugin's one symbol.
///
/// `export!(describe: function)` exports what the function returns when the library is loaded, for a coder that asks its
/// library for the version first, or cannot work everywhere: an error, made by [`Host::fail`], says why not.
/// The function is a `fn(&Host) -> Result<&'static Coder>`, and is called once.
#[macro_export]
macro_rules! export {
    ($coder:ident) => {
        $crate::export!(describe: |_| ::core::result::Result::Ok(&$coder));
    };
    (describe: $function:expr) => {
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static imgcoder_entry_v1: $crate::ffi::imgcoder_entry = {
            // No name that the plugin's own function could have: it would hide that one here.
            unsafe extern "C" fn __imgcoder_describe(
                host: *const $crate::ffi::imgcoder_host,
            ) -> *const $crate::ffi::imgcoder_coder {
                // SAFETY: the host's struct lives during the call.
                unsafe { $crate::describe(host, $function) }
            }
            $crate::ffi::imgcoder_entry {
                struct_size: ::core::mem::size_of::<$crate::ffi::imgcoder_entry>() as u32,
                abi_major: $crate::ffi::ABI_MAJOR,
                abi_minor: $crate::ffi::ABI_MINOR,
                reserved: 0,
                magic: *b"IMGCODER",
                describe: Some(__imgcoder_describe),
            }
        };
    };
}
