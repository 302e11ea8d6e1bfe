//! A coder of the format flipbook, reader and writer. FORMAT.md describes the bytes.
//!
//! The rules R1 to R16 are in `imgcoder/plugin.h`.

mod format;
mod reader;
mod writer;

use imgcoder::ffi::{imgcoder_reader_table, imgcoder_writer_table};
use imgcoder::{boolean_option, reader_table, writer_table, Coder, Container, CoderOption};

static READER: imgcoder_reader_table = reader_table::<reader::FlipbookReader>();
static WRITER: imgcoder_writer_table = writer_table::<writer::FlipbookWriter>();
static CONTAINER: Container = Container::new("{Flipbook}", 1);
static RUNS: CoderOption = boolean_option("runs", true, "Store equal pixels once.");

// What the manifest says too (R15).
static CODER: Coder = Coder::new("org.example.flipbook", "1.0.0")
    .reader(&READER)
    .reads_incrementally()
    .writer(&WRITER, &[&RUNS])
    .container(&CONTAINER);

imgcoder::export!(CODER);
