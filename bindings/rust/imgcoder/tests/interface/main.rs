// SPDX-License-Identifier: Apache-2.0

//! The bindings through the interface of C, with a host that records what it is told.

/// Calls a function of a table.
macro_rules! call {
    ($table:expr, $function:ident ( $($argument:expr),* )) => {
        // SAFETY: the tests pass what the interface asks for, and keep it alive until `close`.
        unsafe { ($table.$function.expect(stringify!($function)))($($argument),*) }
    };
}

mod coder;
mod fake;
mod formats;
mod headers;
mod operations;
mod parallel;
mod reader;
mod reader_options;
mod reader_panics;
mod writer;
mod writer_panics;
