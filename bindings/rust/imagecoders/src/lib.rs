// SPDX-License-Identifier: Apache-2.0

#![doc = include_str!("../README.md")]
//!
//! Of a picture that is damaged or cut, what is there is the result, and [`Picture::problem`] says what is missing;
//! [`Request::strict`] makes that an error. Nothing of the machine's settings counts unless [`RegistryOptions`] asks for it.
//! A [`Registry`] may be used by all threads; after `fork`, the child may go on with what it has.

mod batch;
mod cancel;
mod context;
mod conversion;
mod encoding;
mod error;
mod feed;
mod file;
mod info;
mod picture;

mod registry;
mod request;
mod sink;
mod source;
mod text;
mod writer;

pub use cancel::Cancel;
pub use conversion::Converted;
pub use encoding::Encoding;
pub use error::{Error, Result, Status};
pub use feed::Feed;
pub use file::File;
pub use info::{Info, MetadataKind};
pub use picture::{Alpha, Bytes, Picture, PixelFormat, Pixels};
pub use registry::{Isolation, Registry, RegistryOptions};
pub use request::{Color, Fit, Request};
pub use sink::{Sink, WriteAt};
pub use source::{ReadAt, Source};
pub use writer::Writer;
