// SPDX-License-Identifier: Apache-2.0

use std::ffi::c_void;

/// A place in memory for a reference that a function of the caller's gets as its context: it stays when its owner is moved.
pub(crate) struct Context<T>(*mut T);

impl<T> Context<T> {
    pub(crate) fn new(value: T) -> Context<T> {
        Context(Box::into_raw(Box::new(value)))
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.0.cast()
    }
}

impl<T> Drop for Context<T> {
    fn drop(&mut self) {
        // Safety: made by Box::into_raw, and dropped once.
        drop(unsafe { Box::from_raw(self.0) })
    }
}

/// The number that a function of the caller's returns to the library; a panic ends here, as a failure.
pub(crate) fn answer(count: u64, work: impl FnOnce() -> std::io::Result<()>) -> i64 {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(Ok(())) => count as i64,
        Ok(Err(failure)) => -i64::from(failure.raw_os_error().unwrap_or(EIO)),
        Err(_) => -i64::from(EIO),
    }
}

const EIO: i32 = 5;
