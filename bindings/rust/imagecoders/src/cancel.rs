// SPDX-License-Identifier: Apache-2.0

use imagecoders_sys as sys;
use std::sync::Arc;

/// A flag that stops work. Clones are the same flag, and one may stop several calls.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug)]
struct Flag(*mut sys::ic_cancel);

// Safety: the header allows each function on it from any thread.
unsafe impl Send for Flag {}
unsafe impl Sync for Flag {}

impl Drop for Flag {
    fn drop(&mut self) {
        // Safety: made by ic_cancel_new, and freed once.
        unsafe { sys::ic_cancel_free(self.0) }
    }
}

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Cancel {
        // Safety: the function has no conditions.
        Cancel(Arc::new(Flag(unsafe { sys::ic_cancel_new() })))
    }

    /// Asks the work with this flag to stop, from any thread. It stays set.
    pub fn cancel(&self) {
        // Safety: the flag lives.
        unsafe { sys::ic_cancel_set(self.0 .0) }
    }

    pub(crate) fn pointer(flag: Option<&Cancel>) -> *mut sys::ic_cancel {
        flag.map_or(std::ptr::null_mut(), |flag| flag.0 .0)
    }
}

impl Default for Cancel {
    fn default() -> Cancel {
        Cancel::new()
    }
}
