// SPDX-License-Identifier: Apache-2.0

//! Extensions of coders and of sessions. `imgcoder/plugin.h` says how they are named.

use crate::ffi::*;
use crate::guard::caught;
use core::ffi::c_void;

/// The table of an extension, as the host gets it: constant data of the plugin.
#[derive(Clone, Copy)]
pub struct Extension(*const c_void);

// SAFETY: it stands for a reference to a table that threads may share.
unsafe impl Send for Extension {}
// SAFETY: as above.
unsafe impl Sync for Extension {}

impl Extension {
    /// A table whose layout is the one that the extension's id stands for.
    pub const fn new<T: Sync>(table: &'static T) -> Self {
        Extension((&raw const *table).cast())
    }

    pub(crate) fn pointer(extension: Option<Self>) -> *const c_void {
        extension.map_or(core::ptr::null(), |extension| extension.0)
    }
}

/// What a coder has beyond a reader and a writer.
pub trait Extensions {
    /// The extension of the coder with this id, or None.
    fn extension(id: &str) -> Option<Extension>;
}

pub(crate) unsafe extern "C" fn coder_extension<E: Extensions>(
    _coder: *const imgcoder_coder,
    id: imgcoder_string,
) -> *const c_void {
    // SAFETY: the id lives during the call.
    let id = unsafe { id.text() };
    // There is no host to tell of a panic.
    Extension::pointer(caught(|| E::extension(id), |_| ()).flatten())
}
