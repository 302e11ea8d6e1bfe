// SPDX-License-Identifier: Apache-2.0

//! The structs and constants of `imgcoder/*.h`, field by field. What they mean is said there.

#![allow(non_camel_case_types, missing_docs)]

mod extensions;
mod host;
mod plugin;
mod reader;
mod types;
mod writer;

pub const ABI_MAJOR: u32 = 1;
pub const ABI_MINOR: u32 = 1;
pub const EXTENSION_TRANSCODE: &str = "org.imagecoders.transcode/1";

pub use crate::constants::*;
pub use extensions::*;
pub use host::*;
pub use plugin::*;
pub use reader::*;
pub use types::*;
pub use writer::*;
