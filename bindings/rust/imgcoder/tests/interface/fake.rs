// SPDX-License-Identifier: Apache-2.0

//! The host's side of a session.

mod host;
mod streams;

pub use host::FakeHost;
pub use streams::{FakeOutput, FakeProperties, FakeSink, FakeSource};

use imgcoder::ffi::*;
use imgcoder::{Coder, Operation, OperationKind, OperationSession, Operations, Properties, Result, Text};
use std::cell::RefCell;

type Body = dyn FnOnce(&mut OperationSession) -> Result<()>;

thread_local! {
    static BODY: RefCell<Option<Box<Body>>> = const { RefCell::new(None) };
}

struct Run;

impl Operations for Run {
    const KINDS: &'static [&'static OperationKind] =
        &[&OperationKind::new("com.example.run", "Run a test.", &[FORMAT])];

    fn run(session: &mut OperationSession, _: &Operation<'_>, _: &mut Properties<'_>) -> Result<()> {
        let body = BODY.take().expect("a body");
        body(session)
    }
}

/// The format of every file here.
pub const FORMAT: Text = Text::new("org.example.from");

static RUN: Coder = Coder::new("org.example.run", "1.0.0").operations::<Run>();

/// Runs code in a session of the host, as a plugin would. An assertion that fails becomes the status.
pub fn in_session(
    host: &FakeHost,
    source: &FakeSource,
    body: impl FnOnce(&mut OperationSession) -> Result<()> + 'static,
) -> u32 {
    BODY.set(Some(Box::new(body)));
    let (output, facts) = (FakeOutput::new(), FakeProperties::new());
    let operation = FakeOperation::new("com.example.run", &[], &[]);
    operation.run(&RUN, (host, source), &output, &facts)
}

/// The operations of a coder, through its extension.
pub fn operations(coder: &Coder) -> &'static imgcoder_file_operations_table {
    let table = call!(coder.0, get_extension(&coder.0, text(EXTENSION_FILE_OPERATIONS)));
    // SAFETY: the extension of this id is such a table, or null.
    let table = unsafe { table.cast::<imgcoder_file_operations_table>().as_ref() }.expect("operations");
    assert_eq!(table.struct_size as usize, size_of::<imgcoder_file_operations_table>());
    table
}

/// An operation that a host asks for, from `org.example.from` to `org.example.to`.
pub struct FakeOperation {
    name: imgcoder_string,
    values: Vec<imgcoder_option_value>,
    blocks: Vec<imgcoder_block>,
}

impl FakeOperation {
    /// Values are texts and numbers at once, as those of a choice.
    pub fn new(
        name: &'static str,
        values: &[(&'static str, f64, &'static str)],
        blocks: &[(&'static str, &'static [u8])],
    ) -> Self {
        let value = |(name, number, word): &(&'static str, f64, &'static str)| imgcoder_option_value {
            struct_size: size_of::<imgcoder_option_value>() as u32,
            r#type: OPTION_CHOICE,
            name: text(name),
            number: *number,
            text: text(word),
        };
        let block = |(name, bytes): &(&'static str, &'static [u8])| imgcoder_block {
            struct_size: size_of::<imgcoder_block>() as u32,
            reserved: 0,
            name: text(name),
            bytes: bytes.as_ptr(),
            length: bytes.len() as u64,
        };
        FakeOperation {
            name: text(name),
            values: values.iter().map(value).collect(),
            blocks: blocks.iter().map(block).collect(),
        }
    }

    /// Runs it.
    pub fn run(
        &self,
        coder: &Coder,
        (host, source): (&FakeHost, &FakeSource),
        output: &FakeOutput,
        facts: &FakeProperties,
    ) -> u32 {
        self.call(|raw| {
            call!(operations(coder), run(&coder.0, host.raw(), source.raw(), raw, output.raw(), facts.raw()))
        })
    }

    /// Asks whether it would run.
    pub fn ask(&self, coder: &Coder, (host, source): (&FakeHost, &FakeSource), facts: &FakeProperties) -> u32 {
        self.call(|raw| call!(operations(coder), can(&coder.0, host.raw(), source.raw(), raw, facts.raw())))
    }

    fn call(&self, body: impl FnOnce(*const imgcoder_operation) -> u32) -> u32 {
        let values: Vec<*const imgcoder_option_value> = self.values.iter().map(|value| &raw const *value).collect();
        let blocks: Vec<*const imgcoder_block> = self.blocks.iter().map(|block| &raw const *block).collect();
        body(&imgcoder_operation {
            struct_size: size_of::<imgcoder_operation>() as u32,
            reserved: 0,
            name: self.name,
            from: text("org.example.from"),
            to: text("org.example.to"),
            values: values.as_ptr(),
            value_count: values.len() as u64,
            blocks: blocks.as_ptr(),
            block_count: blocks.len() as u64,
        })
    }
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
