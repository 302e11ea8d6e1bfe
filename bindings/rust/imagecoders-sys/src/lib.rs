// SPDX-License-Identifier: Apache-2.0

//! The C interface of libimagecoders, as `imagecoders.h` declares it: that header says what each function and field means.
//! The crate `imagecoders` is the safe interface over it.

#![no_std]
#![allow(non_camel_case_types)]

mod functions;
mod numbers;
mod structs;

pub use functions::*;
pub use numbers::*;
pub use structs::*;
