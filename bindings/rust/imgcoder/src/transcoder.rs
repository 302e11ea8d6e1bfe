// SPDX-License-Identifier: Apache-2.0

//! Conversion from one format to another without decoding pixels: a trait, and its function as C calls it.

use crate::extension::{Extension, Extensions};
use crate::ffi::*;
use crate::guard::guarded;
use crate::host::{Host, Result, Source};
use crate::writer::Output;
use core::marker::PhantomData;

/// The host's side of a conversion.
pub struct TranscodeSession {
    /// Memory, limits, errors, log.
    pub host: Host,
    /// The bytes of the file.
    pub source: Source,
    /// The bytes of the new file.
    pub output: Output,
}

/// Converts files to another format with exactly the same content. `imgcoder/transcode.h` says which errors it may
/// return, and the manifest lists the pairs of formats under `transcodes`.
pub trait Transcoder {
    /// Converts a whole file. `from` and `to` are uniform type identifiers.
    ///
    /// A file that cannot be converted without loss is UNSUPPORTED, before the first byte is written.
    fn transcode(session: &mut TranscodeSession, from: &str, to: &str) -> Result<()>;
}

/// The table of the extension `ffi::EXTENSION_TRANSCODE`, as [`crate::Coder::transcoder`] exports it.
pub const fn transcode_table<T: Transcoder>() -> imgcoder_transcode_table {
    imgcoder_transcode_table {
        struct_size: core::mem::size_of::<imgcoder_transcode_table>() as u32,
        reserved: 0,
        transcode: Some(transcode::<T>),
    }
}

impl Extension {
    /// The extension `ffi::EXTENSION_TRANSCODE`.
    pub const fn transcoder<T: Transcoder>() -> Self {
        Extension::new(const { &transcode_table::<T>() })
    }
}

/// The extensions of a coder that has a transcoder, and nothing else.
pub(crate) struct OnlyTranscoder<T>(PhantomData<T>);

impl<T: Transcoder> Extensions for OnlyTranscoder<T> {
    fn extension(id: &str) -> Option<Extension> {
        (id == EXTENSION_TRANSCODE).then(Extension::transcoder::<T>)
    }
}

unsafe extern "C" fn transcode<T: Transcoder>(
    _coder: *const imgcoder_coder,
    host: *const imgcoder_host,
    source: *const imgcoder_source,
    from: imgcoder_string,
    to: imgcoder_string,
    output: *const imgcoder_output,
) -> imgcoder_status {
    // SAFETY: all of them live during the call, and the session made here does not live longer.
    let mut session =
        unsafe { TranscodeSession { host: Host::new(host), source: Source::new(source), output: Output::new(output) } };
    // SAFETY: as above.
    let (outer, from, to) = unsafe { (Host::new(host), from.text(), to.text()) };
    guarded(&outer, || T::transcode(&mut session, from, to).map(|()| STATUS_OK)).0
}
