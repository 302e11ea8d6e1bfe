// SPDX-License-Identifier: Apache-2.0

//! Plugins of ImageCoders in Rust: the interface as C has it in [`ffi`], and safe wrappers.
//!
//! A plugin implements [`Reader`], [`Writer`] or both, describes its coder in a constant, and exports it:
//!
//! ```ignore
//! static CODER: imgcoder::Coder = imgcoder::Coder::new("org.example.sketch", "1.0.0")
//!     .reader(const { &imgcoder::reader_table::<SketchReader>() });
//! imgcoder::export!(CODER);
//! ```
//!
//! A coder may also work on whole files without decoding them ([`Operations`]), look at files itself ([`Recognizer`]), and have
//! other extensions ([`Extensions`]). Threads are the host's: [`Host::parallel_for`].
//!
//! A panic in a reader or writer is caught and becomes the error of the call; the session is unusable after that.
//! Nothing is printed. Without the feature `std` the crate needs only `core`, and panics are the plugin's affair.

#![cfg_attr(not(feature = "std"), no_std)]

pub mod ffi;

mod coder;
mod constants;
mod extension;
mod guard;
mod host;
mod layout;
mod message;
mod operations;
mod options;
mod parallel;
mod properties;
mod reader;
mod recognizer;
mod rows;
mod writer;

#[doc(hidden)]
pub use coder::describe;
pub use coder::Coder;
pub use extension::{Extension, Extensions};
pub use ffi::{
    imgcoder_container as Container, imgcoder_frame_info as FrameInfo, imgcoder_info as Info,
    imgcoder_limits as Limits, imgcoder_offer as Offer, imgcoder_operation_kind as OperationKind,
    imgcoder_option as CoderOption, imgcoder_request as Request, imgcoder_string as Text,
};
pub use host::{AnyThread, Buffer, Error, Host, Result, Source};
pub use operations::{operations_table, Operation, OperationSession, Operations};
pub use options::{boolean_option, choice_option, integer_option, number_option, secret_option, text_option};
pub use properties::Properties;
pub use reader::{call_reader, reader_table, Reader, ReaderOptions, ReaderSession};
pub use recognizer::{Recognition, Recognizer};
pub use rows::{bytes_per_pixel, Pixels, Rows, Sink};
pub use writer::{call_writer, writer_table, Output, Writer, WriterOptions, WriterSession};
