// SPDX-License-Identifier: Apache-2.0

use crate::error::call;
use crate::text::c_string;
use crate::{Bytes, Encoding, Registry, Request, Result, Sink, Source};
use imagecoders_sys as sys;

/// A file that was made of another one.
#[non_exhaustive]
#[derive(Debug)]
pub struct Converted {
    /// The file; empty unless the sink is memory. What is missing of its picture is said here.
    pub file: Bytes,
    /// A JSON object: what was kept, changed and left out, and why.
    pub report: String,
}

impl Registry {
    /// Makes a file of another format of a file, and keeps what it states and carries: frames, pages, metadata, colors, gain maps,
    /// depth. Where the bytes can stay as they are, they do. With [`Request::strict`], it is an error, too, if something that a person
    /// would miss had to be left out.
    pub fn convert<'a>(
        &self,
        source: impl Into<Source<'a>>,
        request: &Request,
        encoding: &Encoding,
        sink: Sink<'_>,
    ) -> Result<Converted> {
        let (source, request, encoding) = (source.into().prepare()?, request.prepare()?, encoding.prepare()?);
        let sink = sink.prepare()?;
        converted(|file, report, error| {
            let (source, request, encoding) = (&source.raw, &request.raw, &encoding.raw);
            // Safety: all pointers live during the call.
            unsafe { sys::ic_convert(self.pointer(), source, request, encoding, &sink.raw, file, report, error) }
        })
    }

    /// Works on a whole file without decoding its pixels. The operation is a JSON object, with the words of the command:
    /// `{"strip": ["gps"], "set": {"Copyright": "A. Author"}}` as for `coders metadata`, or
    /// `{"operation": "turn", "values": {"orientation": 6}}` as for `coders apply`.
    pub fn operate<'a>(
        &self,
        source: impl Into<Source<'a>>,
        request: &Request,
        operation: &str,
        sink: Sink<'_>,
    ) -> Result<Converted> {
        let (source, request, sink) = (source.into().prepare()?, request.prepare()?, sink.prepare()?);
        let operation = c_string(operation)?;
        converted(|file, report, error| {
            let (source, request, words) = (&source.raw, &request.raw, operation.as_ptr());
            // Safety: all pointers live during the call.
            unsafe { sys::ic_operate(self.pointer(), source, request, words, &sink.raw, file, report, error) }
        })
    }
}

fn converted(
    function: impl FnOnce(*mut sys::ic_bytes, *mut sys::ic_bytes, *mut sys::ic_error) -> i32,
) -> Result<Converted> {
    let (mut file, mut report) = (sys::ic_bytes::new(), sys::ic_bytes::new());
    let answer = call(|error| function(&mut file, &mut report, error));
    // Whatever is there is released.
    let report = Bytes::taken(report, None);
    let file = Bytes::taken(file, answer?);
    Ok(Converted { file, report: String::from_utf8_lossy(&report).into_owned() })
}
