// SPDX-License-Identifier: Apache-2.0

use crate::fake::{text, FakeHost, FakeProperties, FakeSink, FakeSource};
use imgcoder::ffi::*;
use imgcoder::{
    call_reader, reader_table, Extension, FrameInfo, Info, Offer, Properties, Reader, ReaderOptions, ReaderSession,
    Request, Result, Sink,
};
use std::ptr::{null, null_mut};

/// A picture of 8 columns and 16 rows, each row full of its number.
struct Rows {
    payload: Vec<u8>,
}

impl Reader for Rows {
    fn open(session: &mut ReaderSession, options: &ReaderOptions<'_>) -> Result<Self> {
        assert_eq!((options.number("seed"), options.text("word")), (None, None));
        Ok(Rows { payload: session.source.whole()?.to_vec() })
    }
    fn info(&mut self, session: &mut ReaderSession, page: u32) -> Result<Info> {
        let most = session.host.limits().max_pages;
        if page >= most {
            let values = (u64::from(page) + 1, u64::from(most));
            return Err(session.host.fail_limit(LIMIT_PAGES, values, Some(4), format_args!("page {page} of {most}")));
        }
        Ok(Info::new("org.example.rows", 8, 16))
    }
    fn frame_info(&mut self, _: &mut ReaderSession, _: u32, _: u32) -> Result<FrameInfo> {
        Ok(FrameInfo::new(0, 0, 8, 16))
    }
    fn negotiate(&mut self, _: &mut ReaderSession, request: &Request) -> Result<Offer> {
        Ok(Offer::new(request, 8, 16, PIXEL_RGBA8, ALPHA_STRAIGHT))
    }
    fn decode(&mut self, session: &mut ReaderSession, offer: &Offer, sink: &mut Sink<'_>) -> Result<()> {
        sink.rows(0, offer.height)?.parallel_each(&session.host, |y, row| row.fill(y as u8))?;
        sink.done(0, offer.height, 0)
    }
    fn metadata(&mut self, _: &mut ReaderSession, _: u32, kind: u32) -> Result<Option<&[u8]>> {
        Ok((kind == METADATA_XMP).then_some(&self.payload))
    }
    fn properties(
        &mut self,
        _: &mut ReaderSession,
        _: u32,
        frame: Option<u32>,
        all: &mut Properties<'_>,
    ) -> Result<()> {
        all.dictionary("{Rows}", |all| {
            all.put_integer("Frame", frame.map_or(-1, i64::from));
            all.list("Sizes", |list| {
                list.put_number("", 0.5);
                list.list("", |list| list.put_text("", "inside"));
            });
        });
        Ok(())
    }
    fn extension(&mut self, id: &str) -> Option<Extension> {
        (id == "org.example.length/1").then_some(Extension::new(&LENGTH))
    }
}

/// The table of an extension that an author could think of.
#[repr(C)]
struct LengthTable {
    struct_size: u32,
    reserved: u32,
    length: Option<unsafe extern "C" fn(*mut imgcoder_reader, *mut u64) -> u32>,
}

static LENGTH: LengthTable =
    LengthTable { struct_size: size_of::<LengthTable>() as u32, reserved: 0, length: Some(length) };

unsafe extern "C" fn length(reader: *mut imgcoder_reader, result: *mut u64) -> u32 {
    // SAFETY: the host passes a session of this reader, and a place for the result.
    unsafe {
        call_reader::<Rows>(reader, |reader, session| {
            if reader.payload.is_empty() {
                return Err(session.host.fail(STATUS_NOT_PRESENT, None, format_args!("no bytes")));
            }
            assert!(reader.payload.len() < 10, "many bytes");
            *result = reader.payload.len() as u64;
            Ok(STATUS_OK)
        })
    }
}

static TABLE: imgcoder_reader_table = reader_table::<Rows>();

fn open(host: &FakeHost, source: &FakeSource) -> *mut imgcoder_reader {
    let mut reader = null_mut();
    assert_eq!(call!(TABLE, open(null(), host.raw(), source.raw(), null(), &mut reader)), STATUS_OK);
    reader
}

/// Decodes the picture into a sink.
pub fn decode(host: &FakeHost, source: &FakeSource, sink: &FakeSink) -> u32 {
    let reader = open(host, source);
    let request = Request::new(0, 0, PIXEL_RGBA8, ALPHA_STRAIGHT);
    let mut offer = Offer::new(&request, 0, 0, 0, 0);
    offer.struct_size = size_of::<Offer>() as u32;
    assert_eq!(call!(TABLE, negotiate(reader, &request, &mut offer)), STATUS_OK);
    assert_eq!((offer.width, offer.height, offer.unmet), (8, 16, 0));
    let status = call!(TABLE, decode(reader, &offer, sink.raw()));
    call!(TABLE, close(reader));
    assert_eq!(host.blocks(), 0);
    status
}

/// Of an older host: what is after its struct belongs to somebody else.
#[test]
fn nothing_is_written_after_the_struct_of_an_older_host() {
    let (host, source) = (FakeHost::new(), FakeSource::new(b""));
    let reader = open(&host, &source);
    let request = Request::new(0, 0, PIXEL_RGBA8, ALPHA_STRAIGHT);
    let mut offer = Offer::new(&request, 0, 0, 0, 0);
    offer.struct_size = 48;
    (offer.covered_width, offer.covered_height) = (7.0, 7.0);
    assert_eq!(call!(TABLE, negotiate(reader, &request, &mut offer)), STATUS_OK);
    assert_eq!((offer.width, offer.height, offer.memory), (8, 16, 0));
    assert_eq!((offer.covered_width, offer.covered_height), (7.0, 7.0));
    call!(TABLE, close(reader));
}

#[test]
fn results_keep_the_size_that_the_host_set() {
    let (host, source) = (FakeHost::new(), FakeSource::new(b""));
    let reader = open(&host, &source);
    let mut info = Info::new("", 0, 0);
    info.struct_size = 123;
    assert_eq!(call!(TABLE, info(reader, 0, &mut info)), STATUS_OK);
    assert_eq!((info.struct_size, info.width, info.height), (123, 8, 16));
    call!(TABLE, close(reader));
}

#[test]
fn a_limit_is_data_or_a_sentence_for_older_hosts() {
    for (host, expected) in [(FakeHost::new(), vec![(LIMIT_PAGES, 100, 10)]), (FakeHost::without_data(), vec![])] {
        let source = FakeSource::new(b"");
        let reader = open(&host, &source);
        let mut info = Info::new("", 0, 0);
        assert_eq!(call!(TABLE, info(reader, 99, &mut info)), STATUS_LIMIT_EXCEEDED);
        assert_eq!(host.failures(), [(STATUS_LIMIT_EXCEEDED, 4, "page 99 of 10".into())]);
        assert_eq!(host.exceeded(), expected);
        call!(TABLE, close(reader));
    }
}

#[test]
fn payloads_live_until_close() {
    let (host, source) = (FakeHost::new(), FakeSource::new(b"payload"));
    let reader = open(&host, &source);
    let (mut bytes, mut length) = (null(), 0);
    assert_eq!(call!(TABLE, metadata(reader, 0, METADATA_ICC, &mut bytes, &mut length)), STATUS_NOT_PRESENT);
    assert_eq!(call!(TABLE, metadata(reader, 0, METADATA_XMP, &mut bytes, &mut length)), STATUS_OK);
    let (mut again, mut count) = (null(), 0);
    assert_eq!(call!(TABLE, metadata(reader, 0, METADATA_XMP, &mut again, &mut count)), STATUS_OK);
    // SAFETY: both live until `close`.
    let (first, second) = unsafe {
        (std::slice::from_raw_parts(bytes, length as usize), std::slice::from_raw_parts(again, count as usize))
    };
    assert_eq!((first, second), (&b"payload"[..], &b"payload"[..]));
    call!(TABLE, close(reader));
    assert_eq!(host.blocks(), 0);
}

#[test]
fn properties_have_dictionaries_and_lists() {
    let (host, source, properties) = (FakeHost::new(), FakeSource::new(b""), FakeProperties::new());
    let reader = open(&host, &source);
    assert_eq!(call!(TABLE, properties(reader, 0, u32::MAX, properties.raw())), STATUS_OK);
    assert_eq!(properties.lines(), ["{Rows} {", "Frame -1", "Sizes [", " 0.50", " [", " inside", "end", "end", "end"]);
    call!(TABLE, close(reader));
}

#[test]
fn a_session_has_extensions() {
    for (bytes, expected, message) in [
        (&b"seven.."[..], STATUS_OK, None),
        (b"", STATUS_NOT_PRESENT, Some("no bytes")),
        (b"more than nine", STATUS_LIBRARY, Some("the plugin panicked: many bytes")),
    ] {
        let (host, source) = (FakeHost::new(), FakeSource::new(bytes));
        let reader = open(&host, &source);
        assert!(call!(TABLE, get_extension(reader, text("org.example.length/2"))).is_null());
        let table = call!(TABLE, get_extension(reader, text("org.example.length/1"))).cast::<LengthTable>();
        // SAFETY: the table of that extension.
        let table = unsafe { table.as_ref() }.expect("an extension");
        let mut result = 0;
        assert_eq!(call!(table, length(reader, &mut result)), expected);
        assert_eq!(result, if expected == STATUS_OK { 7 } else { 0 });
        assert_eq!(host.failures().first().map(|failure| failure.2.as_str()), message);
        call!(TABLE, close(reader));
        assert_eq!(host.blocks(), 0);
    }
}
