// SPDX-License-Identifier: Apache-2.0

use crate::fake::{in_session, text, transcode, FakeHost, FakeOutput, FakeSource};
use imgcoder::ffi::*;
use imgcoder::{Coder, Result, TranscodeSession, Transcoder};

/// Writes the bytes in reverse, after their count.
struct Reverser;

impl Transcoder for Reverser {
    fn transcode(session: &mut TranscodeSession, from: &str, to: &str) -> Result<()> {
        assert_eq!((from, to), ("org.example.from", "org.example.to"));
        let mut bytes = session.source.whole()?.to_vec();
        match bytes.first() {
            Some(b'u') => return Err(session.host.fail(STATUS_UNSUPPORTED, Some(0), format_args!("a file with loss"))),
            Some(b'p') => panic!("a file that begins with p"),
            _ => bytes.reverse(),
        }
        session.output.write(&[0])?;
        session.output.write(&bytes)?;
        assert_eq!(session.output.count(), bytes.len() as u64 + 1);
        session.output.patch(0, &[bytes.len() as u8])
    }
}

static CODER: Coder = Coder::new("org.example.reverser", "1.0.0").transcoder::<Reverser>();

fn convert(bytes: &[u8]) -> (u32, Vec<u8>, Vec<(u32, i64, String)>) {
    let (host, output) = (FakeHost::new(), FakeOutput::new());
    let status = transcode(&CODER, &host, &FakeSource::new(bytes), &output);
    assert_eq!(host.blocks(), 0);
    (status, output.bytes(), host.failures())
}

#[test]
fn converts_a_file() {
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
fn other_extensions_are_null() {
    for id in ["", "org.imagecoders.transcode/2", "org.example.answer/1"] {
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
