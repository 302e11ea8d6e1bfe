// SPDX-License-Identifier: Apache-2.0

//! Work on whole files without decoding their pixels: a table of operations, and the function that runs them.

use crate::extension::{Extension, Extensions};
use crate::ffi::*;
use crate::guard::guarded;
use crate::host::{Host, Result, Source};
use crate::options::Values;
use crate::properties::Properties;
use crate::writer::Output;
use core::marker::PhantomData;

/// The host's side of an operation.
pub struct OperationSession {
    /// Memory, limits, errors, log.
    pub host: Host,
    /// The bytes of the file.
    pub source: Source,
    /// The bytes of the new file, or of the part that is taken out. They are dropped if the host only asks.
    pub output: Output,
    /// Whether the host only asks if this file would be written: read headers, and write nothing.
    pub asks_only: bool,
}

/// What is asked for. The host has checked names, types, ranges and formats against the description.
pub struct Operation<'a>(&'a imgcoder_operation);

impl Operation<'_> {
    /// The name of one of [`Operations::KINDS`].
    pub fn name(&self) -> &str {
        // SAFETY: the host's text lives during the call.
        unsafe { self.0.name.text() }
    }

    /// The uniform type identifier of the file.
    pub fn from(&self) -> &str {
        // SAFETY: as above.
        unsafe { self.0.from.text() }
    }

    /// The uniform type identifier of the new file.
    pub fn to(&self) -> &str {
        // SAFETY: as above.
        unsafe { self.0.to.text() }
    }

    /// The number of a value that was given: 0 or 1 of a boolean, the index of a choice.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.values().number(name)
    }

    /// The text of a value that was given, or the word of a choice.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values().text(name)
    }

    /// The bytes of a block that was given.
    pub fn block(&self, name: &str) -> Option<&[u8]> {
        let block = (0..self.0.block_count as usize)
            // SAFETY: the host's list has this many blocks, which live during the call.
            .filter_map(|index| unsafe { (*self.0.blocks.add(index)).as_ref() })
            // SAFETY: as above.
            .find(|block| unsafe { block.name.text() } == name)?;
        if block.bytes.is_null() {
            return Some(&[]);
        }
        // SAFETY: as above.
        Some(unsafe { core::slice::from_raw_parts(block.bytes, block.length as usize) })
    }

    fn values(&self) -> Values<'_> {
        // SAFETY: as above.
        unsafe { Values::new(self.0.values, self.0.value_count) }
    }
}

/// Operations on whole files. `imgcoder/file_operations.h` says what the known names mean and which errors `run` may
/// return; the manifest describes the same operations under `operations`.
pub trait Operations {
    /// All operations. Names without a dot belong to the interface; others begin with their author's domain.
    const KINDS: &'static [&'static imgcoder_operation_kind];

    /// Runs an operation, or only says whether it would: see [`OperationSession::asks_only`].
    ///
    /// A file that cannot be written so is UNSUPPORTED, before the first byte is written. `facts` gets what the caller
    /// may want to know: what was done, or what would do instead.
    fn run(session: &mut OperationSession, operation: &Operation<'_>, facts: &mut Properties<'_>) -> Result<()>;
}

// SAFETY: constant data; nobody writes to it.
unsafe impl Sync for imgcoder_operation_kind {}
// SAFETY: as above.
unsafe impl Sync for imgcoder_file_operations_table {}

impl imgcoder_operation_kind {
    /// An operation that keeps the format of its files, which are of one of `formats`, each `Text::new("public.png")`.
    pub const fn new(name: &'static str, text: &'static str, formats: &'static [imgcoder_string]) -> Self {
        imgcoder_operation_kind {
            struct_size: core::mem::size_of::<imgcoder_operation_kind>() as u32,
            flags: 0,
            name: imgcoder_string::new(name),
            text: imgcoder_string::new(text),
            from: formats.as_ptr(),
            to: core::ptr::null(),
            format_count: formats.len() as u64,
            options: core::ptr::null(),
            option_count: 0,
            blocks: core::ptr::null(),
            block_count: 0,
        }
    }

    /// Says that files get another format: the one at the same place in `formats`.
    ///
    /// # Panics
    /// When the constant is compiled, if there are not as many formats as of sources.
    pub const fn to(mut self, formats: &'static [imgcoder_string]) -> Self {
        assert!(formats.len() as u64 == self.format_count, "each format of a source needs one of a new file");
        self.to = formats.as_ptr();
        self
    }

    /// Describes its values.
    pub const fn options(mut self, options: &'static [&'static imgcoder_option]) -> Self {
        self.options = options.as_ptr().cast();
        self.option_count = options.len() as u64;
        self
    }

    /// Names the blocks of bytes that it takes.
    pub const fn blocks(mut self, names: &'static [imgcoder_string]) -> Self {
        self.blocks = names.as_ptr();
        self.block_count = names.len() as u64;
        self
    }

    /// Says that it writes a part of the file, such as a preview, and no new file.
    pub const fn takes_out(mut self) -> Self {
        self.flags |= OPERATION_TAKES_OUT;
        self
    }
}

/// The table of the extension `ffi::EXTENSION_FILE_OPERATIONS`, as [`crate::Coder::operations`] exports it.
pub const fn operations_table<T: Operations>() -> imgcoder_file_operations_table {
    imgcoder_file_operations_table {
        struct_size: core::mem::size_of::<imgcoder_file_operations_table>() as u32,
        reserved: 0,
        kinds: T::KINDS.as_ptr().cast(),
        kind_count: T::KINDS.len() as u64,
        can: Some(can::<T>),
        run: Some(run::<T>),
    }
}

impl Extension {
    /// The extension `ffi::EXTENSION_FILE_OPERATIONS`.
    pub const fn operations<T: Operations>() -> Self {
        Extension::new(const { &operations_table::<T>() })
    }
}

/// The extensions of a coder that has operations, and nothing else.
pub(crate) struct OnlyOperations<T>(PhantomData<T>);

impl<T: Operations> Extensions for OnlyOperations<T> {
    fn extension(id: &str) -> Option<Extension> {
        (id == EXTENSION_FILE_OPERATIONS).then(Extension::operations::<T>)
    }
}

unsafe extern "C" fn can<T: Operations>(
    coder: *const imgcoder_coder,
    host: *const imgcoder_host,
    source: *const imgcoder_source,
    operation: *const imgcoder_operation,
    facts: *const imgcoder_properties,
) -> imgcoder_status {
    // SAFETY: as for `run`; without an output, bytes are dropped.
    unsafe { run::<T>(coder, host, source, operation, core::ptr::null(), facts) }
}

unsafe extern "C" fn run<T: Operations>(
    _coder: *const imgcoder_coder,
    host: *const imgcoder_host,
    source: *const imgcoder_source,
    operation: *const imgcoder_operation,
    output: *const imgcoder_output,
    facts: *const imgcoder_properties,
) -> imgcoder_status {
    // SAFETY: all of them live during the call, and the session made here does not live longer.
    let mut session = unsafe {
        OperationSession {
            host: Host::new(host),
            source: Source::new(source),
            output: Output::new(output),
            asks_only: output.is_null(),
        }
    };
    // SAFETY: as above; operation and facts are never null.
    let (outer, operation, facts) = unsafe { (Host::new(host), &*operation, &*facts) };
    let known = Operation(operation);
    guarded(&outer, || {
        // SAFETY: kinds are constants of the plugin.
        if !T::KINDS.iter().any(|kind| unsafe { kind.name.text() } == known.name()) {
            let name = known.name();
            return Err(session.host.fail(STATUS_UNSUPPORTED, None, format_args!("the coder has no operation {name}")));
        }
        T::run(&mut session, &known, &mut Properties(facts)).map(|()| STATUS_OK)
    })
    .0
}
