// SPDX-License-Identifier: Apache-2.0

//! The host's side of a session.

mod host;
mod streams;

pub use host::FakeHost;
pub use streams::{FakeOutput, FakeProperties, FakeSink, FakeSource};

use imgcoder::ffi::*;
use imgcoder::{Coder, Result, TranscodeSession, Transcoder};
use std::cell::RefCell;

type Body = dyn FnOnce(&mut TranscodeSession) -> Result<()>;

thread_local! {
    static BODY: RefCell<Option<Box<Body>>> = const { RefCell::new(None) };
}

struct Run;

impl Transcoder for Run {
    fn transcode(session: &mut TranscodeSession, _from: &str, _to: &str) -> Result<()> {
        let body = BODY.take().expect("a body");
        body(session)
    }
}

static RUN: Coder = Coder::new("org.example.run", "1.0.0").transcoder::<Run>();

/// Runs code in a session of the host, as a plugin would. An assertion that fails becomes the status.
pub fn in_session(
    host: &FakeHost,
    source: &FakeSource,
    body: impl FnOnce(&mut TranscodeSession) -> Result<()> + 'static,
) -> u32 {
    BODY.set(Some(Box::new(body)));
    transcode(&RUN, host, source, &FakeOutput::new())
}

/// Calls a coder's transcoder through its extension.
pub fn transcode(coder: &Coder, host: &FakeHost, source: &FakeSource, output: &FakeOutput) -> u32 {
    let table = call!(coder.0, get_extension(&coder.0, text(EXTENSION_TRANSCODE))).cast::<imgcoder_transcode_table>();
    // SAFETY: the extension of this id is such a table, or null.
    let table = unsafe { table.as_ref() }.expect("a transcoder");
    assert_eq!(table.struct_size as usize, size_of::<imgcoder_transcode_table>());
    let (from, to) = (text("org.example.from"), text("org.example.to"));
    call!(table, transcode(&coder.0, host.raw(), source.raw(), from, to, output.raw()))
}

/// A text for a call.
pub fn text(text: &str) -> imgcoder_string {
    imgcoder_string { bytes: text.as_ptr(), length: text.len() as u64 }
}

/// A plugin's text.
///
/// # Safety
/// The text is valid during the call.
unsafe fn owned(text: imgcoder_string) -> String {
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(text.bytes, text.length as usize) };
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}
