// SPDX-License-Identifier: Apache-2.0

use crate::fake::{
    in_session, operations, text, FakeHost, FakeOperation, FakeOutput, FakeProperties, FakeSource, FORMAT,
};
use imgcoder::ffi::*;
use imgcoder::{
    integer_option, Coder, CoderOption, Operation, OperationKind, OperationSession, Operations, Properties, Result,
    Text,
};

/// Writes the bytes in reverse, after their count; or a block and values.
struct Reverser;

static TIMES: CoderOption = integer_option("times", 1, 9, 1, "How often the block is written.");
static REVERSE: OperationKind =
    OperationKind::new("transcode", "The bytes in reverse.", &[FORMAT]).to(&[Text::new("org.example.to")]);
static STAMP: OperationKind = OperationKind::new("com.example.stamp", "A block before the bytes.", &[FORMAT])
    .options(&[&TIMES])
    .blocks(&[Text::new("mark")])
    .takes_out();

impl Operations for Reverser {
    const KINDS: &'static [&'static OperationKind] = &[&REVERSE, &STAMP];

    fn run(session: &mut OperationSession, operation: &Operation<'_>, facts: &mut Properties<'_>) -> Result<()> {
        assert_eq!((operation.from(), operation.to()), ("org.example.from", "org.example.to"));
        let mut bytes = session.source.whole()?.to_vec();
        if operation.name() == "com.example.stamp" {
            assert_eq!(operation.block("other"), None);
            for _ in 0..operation.number("times").unwrap_or(1.0) as usize {
                session.output.write(operation.block("mark").unwrap_or(b"?"))?;
            }
            facts.put_text("Word", operation.text("times").unwrap_or("none"));
            return session.output.write(&bytes);
        }
        match bytes.first() {
            Some(b'u') => return Err(session.host.fail(STATUS_UNSUPPORTED, Some(0), format_args!("a file with loss"))),
            Some(b'p') => panic!("a file that begins with p"),
            _ => bytes.reverse(),
        }
        session.output.write(&[0])?;
        session.output.write(&bytes)?;
        assert_eq!(session.output.count(), bytes.len() as u64 + 1);
        facts.put_integer(if session.asks_only { "Asked" } else { "Bytes" }, bytes.len() as i64);
        session.output.patch(0, &[bytes.len() as u8])
    }
}

static CODER: Coder = Coder::new("org.example.reverser", "1.0.0").operations::<Reverser>();

fn convert(bytes: &[u8]) -> (u32, Vec<u8>, Vec<(u32, i64, String)>) {
    let (host, output, facts) = (FakeHost::new(), FakeOutput::new(), FakeProperties::new());
    let operation = FakeOperation::new("transcode", &[], &[]);
    let status = operation.run(&CODER, (&host, &FakeSource::new(bytes)), &output, &facts);
    assert_eq!(host.blocks(), 0);
    (status, output.bytes(), host.failures())
}

#[test]
fn a_file_is_converted() {
    assert_eq!(convert(b"abc"), (STATUS_OK, b"\x03cba".to_vec(), vec![]));
    assert_eq!(convert(b""), (STATUS_OK, vec![0], vec![]));
}

#[test]
fn an_error_is_passed_on() {
    let failure = (STATUS_UNSUPPORTED, 0, "a file with loss".into());
    assert_eq!(convert(b"u"), (STATUS_UNSUPPORTED, vec![], vec![failure]));
}

#[test]
fn a_panic_is_an_error() {
    let failure = (STATUS_LIBRARY, -1, "the plugin panicked: a file that begins with p".into());
    assert_eq!(convert(b"p"), (STATUS_LIBRARY, vec![], vec![failure]));
}

#[test]
fn values_and_blocks_arrive() {
    let stamped = |operation: FakeOperation| {
        let (host, output, facts) = (FakeHost::new(), FakeOutput::new(), FakeProperties::new());
        assert_eq!(operation.run(&CODER, (&host, &FakeSource::new(b".")), &output, &facts), STATUS_OK);
        (output.bytes(), facts.lines())
    };
    let twice = FakeOperation::new("com.example.stamp", &[("times", 2.0, "two")], &[("mark", b"ab")]);
    assert_eq!(stamped(twice), (b"abab.".to_vec(), vec!["Word two".into()]));
    let empty = FakeOperation::new("com.example.stamp", &[], &[("mark", b"")]);
    assert_eq!(stamped(empty), (b".".to_vec(), vec!["Word none".into()]));
    assert_eq!(stamped(FakeOperation::new("com.example.stamp", &[], &[])).0, b"?.");
}

#[test]
fn asking_writes_nothing() {
    let (host, facts) = (FakeHost::new(), FakeProperties::new());
    let operation = FakeOperation::new("transcode", &[], &[]);
    assert_eq!(operation.ask(&CODER, (&host, &FakeSource::new(b"abc")), &facts), STATUS_OK);
    assert_eq!(facts.lines(), ["Asked 3"]);
    assert_eq!(operation.ask(&CODER, (&host, &FakeSource::new(b"u")), &facts), STATUS_UNSUPPORTED);
}

#[test]
fn an_unknown_operation_is_unsupported() {
    let (host, output, facts) = (FakeHost::new(), FakeOutput::new(), FakeProperties::new());
    let operation = FakeOperation::new("turn", &[], &[]);
    let status = operation.run(&CODER, (&host, &FakeSource::new(b"abc")), &output, &facts);
    assert_eq!((status, output.bytes()), (STATUS_UNSUPPORTED, vec![]));
    assert_eq!(host.failures(), [(STATUS_UNSUPPORTED, -1, "the coder has no operation turn".into())]);
}

#[test]
fn operations_are_described() {
    let table = operations(&CODER);
    assert_eq!(table.kind_count, 2);
    // SAFETY: the table has two kinds, which are constants of this test.
    let (reverse, stamp) = unsafe { (&**table.kinds, &**table.kinds.add(1)) };
    assert_eq!((reverse.format_count, reverse.option_count, reverse.block_count, reverse.flags), (1, 0, 0, 0));
    assert_eq!((stamp.format_count, stamp.option_count, stamp.block_count), (1, 1, 1));
    assert_eq!(stamp.flags, OPERATION_TAKES_OUT);
    assert!(!reverse.to.is_null() && stamp.to.is_null());
    assert_eq!(stamp.struct_size as usize, size_of::<imgcoder_operation_kind>());
}

#[test]
fn other_extensions_are_null() {
    for id in ["", "org.imagecoders.file-operations/2", EXTENSION_TRANSCODE, "org.example.answer/1"] {
        assert!(call!(CODER.0, get_extension(&CODER.0, text(id))).is_null(), "{id}");
    }
}

#[test]
fn the_host_offers_its_services() {
    let host = FakeHost::new();
    let status = in_session(&host, &FakeSource::new(b"0123456789"), |session| {
        assert_eq!(session.host.abi_minor(), ABI_MINOR);
        assert_eq!(session.host.limits().max_frames, 10);
        session.host.progress(0.5);
        session.host.log(LOG_DEBUG, "half");
        let answer = session.host.extension("org.example.answer/1").expect("an answer");
        // SAFETY: the table of that extension is a number.
        assert_eq!(unsafe { *answer.cast::<u32>().as_ptr() }, 42);
        assert!(session.host.extension("org.example.answer/2").is_none());
        let mut buffer = session.host.aligned_buffer(100, 64, "a test")?;
        assert!(buffer.as_ptr() as usize % 64 == 0 && buffer.iter().all(|byte| *byte == 0));
        buffer[99] = 1;
        drop(buffer);
        assert_eq!(session.source.size(), Some(10));
        assert_eq!(session.source.view(4, 2, 6)?, b"45");
        assert_eq!(session.source.view(9, 2, 6)?, b"9");
        assert_eq!(session.source.whole()?, b"0123456789");
        Ok(())
    });
    assert_eq!(status, STATUS_OK, "{:?}", host.failures());
    assert_eq!(host.notes(), ["0.5", "0 half"]);
    assert_eq!(host.blocks(), 0);
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let host = FakeHost::new();
    host.exhaust();
    let status = in_session(&host, &FakeSource::new(b""), |session| session.host.buffer(8, "a test").map(|_| ()));
    assert_eq!(status, STATUS_OUT_OF_MEMORY);
    assert_eq!(host.failures(), [(STATUS_OUT_OF_MEMORY, -1, "no memory for 8 bytes of a test".into())]);
}
