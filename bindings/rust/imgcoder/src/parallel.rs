// SPDX-License-Identifier: Apache-2.0

//! Work on several threads. The host has the threads; a plugin starts none (rule R4).

use crate::ffi::*;
use crate::guard::FirstPanic;
use crate::host::{Host, Result};
use crate::rows::Rows;
use core::ffi::c_void;

/// What the argument of `run` points at.
struct Tasks<F> {
    body: F,
    panic: FirstPanic,
}

unsafe extern "C" fn run<F: Fn(usize) + Sync>(argument: *mut c_void, index: u32) {
    // SAFETY: `parallel_for` passes its tasks, and waits until all have run.
    let tasks = unsafe { &*argument.cast::<Tasks<F>>() };
    tasks.panic.run(|| (tasks.body)(index as usize));
}

impl Host {
    /// Runs `body` once for each number below `count`, on as many threads as the host chooses, and returns when all are
    /// done. Memory, bytes and rows are fetched before; a body asks the host only through [`Host::any_thread`].
    ///
    /// # Errors
    /// LIBRARY if a body panicked: those that had not begun were left out. INVALID_ARGUMENT for more than 4294967295
    /// tasks.
    pub fn parallel_for<F: Fn(usize) + Sync>(&self, count: usize, body: F) -> Result<()> {
        let Ok(count) = u32::try_from(count) else {
            return Err(self.fail(
                STATUS_INVALID_ARGUMENT,
                None,
                format_args!("{count} tasks, parallel_for takes {}", u32::MAX),
            ));
        };
        let tasks = Tasks { body, panic: FirstPanic::default() };
        let argument = (&raw const tasks).cast_mut().cast();
        match self.raw().parallel_for {
            // SAFETY: the host uses the argument only until it returns. Threads share it, which `F: Sync` allows.
            Some(parallel_for) => unsafe { parallel_for(self.raw(), count, run::<F>, argument) },
            // SAFETY: as above, on this thread alone.
            None => (0..count).for_each(|index| unsafe { run::<F>(argument, index) }),
        }
        tasks.panic.check(self)
    }

    /// Runs `body` once for each item, as [`Host::parallel_for`] does: each has an item of its own.
    pub fn parallel_each<T: Send>(&self, items: &mut [T], body: impl Fn(usize, &mut T) + Sync) -> Result<()> {
        let first = Shared(items.as_mut_ptr());
        self.parallel_for(items.len(), |index| {
            // SAFETY: an item of the slice, which no other task has: each index is run once.
            body(index, unsafe { &mut *first.pointer().add(index) });
        })
    }
}

impl Rows<'_> {
    /// Runs `body` once for each granted row, as [`Host::parallel_for`] does: each has a row of its own.
    pub fn parallel_each(&mut self, host: &Host, body: impl Fn(u32, &mut [u8]) + Sync) -> Result<()> {
        let count = self.count();
        let rows = Shared(self);
        host.parallel_for(count as usize, |index| {
            // SAFETY: a granted row, which no other task has: each index is run once, and rows do not overlap.
            body(index as u32, unsafe { &mut *(*rows.pointer()).row_pointer(index as u32) });
        })
    }
}

/// A pointer that several threads have; each uses a part of its own.
struct Shared<T>(*mut T);

// SAFETY: who reads the pointer says why the parts do not overlap.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// A function, because a closure that named the field would hold the pointer alone, which threads cannot share.
    fn pointer(&self) -> *mut T {
        self.0
    }
}
