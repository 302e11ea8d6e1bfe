// SPDX-License-Identifier: Apache-2.0

//! A panic in any function of a reader becomes a status. One that left through the boundary would end this process.

use crate::fake::{text, FakeHost, FakeProperties, FakeSink, FakeSource};
use imgcoder::ffi::*;
use imgcoder::{
    reader_table, Extension, FrameInfo, Info, Offer, Properties, Reader, ReaderOptions, ReaderSession, Request, Result,
    Sink,
};
use std::ptr::null_mut;

/// A payload that panics when it is dropped.
pub struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped a payload");
    }
}

const OPEN: u32 = 0;
const INFO: u32 = 1;
const FRAME_INFO: u32 = 2;
const NEGOTIATE: u32 = 3;
const DECODE: u32 = 4;
const METADATA: u32 = 5;
const PROPERTIES: u32 = 6;
const EXTENSION: u32 = 7;
const CLOSE: u32 = 8;
const BOMB: u32 = 9;

/// Panics in the function whose number was passed as flags.
struct Panicky(u32);

impl Panicky {
    fn reach(&self, place: u32) {
        assert!(self.0 != place, "function {place}");
    }
}

impl Drop for Panicky {
    fn drop(&mut self) {
        self.reach(CLOSE);
    }
}

impl Reader for Panicky {
    fn open(_: &mut ReaderSession, options: &ReaderOptions<'_>) -> Result<Self> {
        let reader = Panicky(options.flags());
        reader.reach(OPEN);
        Ok(reader)
    }
    fn info(&mut self, _: &mut ReaderSession, _: u32) -> Result<Info> {
        if self.0 == BOMB {
            std::panic::panic_any(Bomb);
        }
        self.reach(INFO);
        Ok(Info::new("org.example.format", 1, 1))
    }
    fn frame_info(&mut self, _: &mut ReaderSession, _: u32, _: u32) -> Result<FrameInfo> {
        self.reach(FRAME_INFO);
        Ok(FrameInfo::new(0, 0, 1, 1))
    }
    fn negotiate(&mut self, _: &mut ReaderSession, request: &Request) -> Result<Offer> {
        self.reach(NEGOTIATE);
        Ok(Offer::new(request, 1, 1, PIXEL_RGBA8, ALPHA_STRAIGHT))
    }
    fn decode(&mut self, _: &mut ReaderSession, _: &Offer, sink: &mut Sink<'_>) -> Result<()> {
        let mut rows = sink.rows(0, 1)?;
        rows.row(0).fill(1);
        self.reach(DECODE);
        sink.done(0, 1, 0)
    }
    fn metadata(&mut self, _: &mut ReaderSession, _: u32, _: u32) -> Result<Option<&[u8]>> {
        self.reach(METADATA);
        Ok(Some(b"payload"))
    }
    fn properties(&mut self, _: &mut ReaderSession, _: u32, _: Option<u32>, all: &mut Properties<'_>) -> Result<()> {
        all.list("a list", |_| self.reach(PROPERTIES));
        Ok(())
    }
    fn extension(&mut self, _: &str) -> Option<Extension> {
        static TABLE: u32 = 1;
        self.reach(EXTENSION);
        Some(Extension::new(&TABLE))
    }
}

static TABLE: imgcoder_reader_table = reader_table::<Panicky>();

/// Makes all calls, and says what each returned: those that ended well, and the status of the first other one.
fn calls(reader: *mut imgcoder_reader) -> (u32, Option<u32>) {
    let (sink, properties) = (FakeSink::new(4, 1), FakeProperties::new());
    let mut info = Info::new("", 0, 0);
    let mut frame = FrameInfo::new(0, 0, 0, 0);
    let request = Request::new(0, 0, PIXEL_ANY, ALPHA_STRAIGHT);
    let mut offer = Offer::new(&request, 1, 1, PIXEL_RGBA8, ALPHA_STRAIGHT);
    let (mut bytes, mut length) = (std::ptr::null(), 0);
    let mut all: Vec<Box<dyn FnMut() -> u32>> = vec![
        Box::new(|| call!(TABLE, info(reader, 0, &mut info))),
        Box::new(|| call!(TABLE, frame_info(reader, 0, 0, &mut frame))),
        Box::new(|| call!(TABLE, negotiate(reader, &request, &mut offer))),
        Box::new(|| {
            let offer = Offer::new(&request, 1, 1, PIXEL_RGBA8, ALPHA_STRAIGHT);
            call!(TABLE, decode(reader, &offer, sink.raw()))
        }),
        Box::new(|| call!(TABLE, metadata(reader, 0, METADATA_XMP, &mut bytes, &mut length))),
        Box::new(|| call!(TABLE, properties(reader, 0, u32::MAX, properties.raw()))),
        Box::new(|| u32::from(call!(TABLE, get_extension(reader, text("org.example.answer/1"))).is_null())),
    ];
    let mut sound = 0;
    for call in &mut all {
        match call() {
            STATUS_OK => sound += 1,
            status => return (sound, Some(status)),
        }
    }
    (sound, None)
}

fn open(host: &FakeHost, source: &FakeSource, place: u32) -> (u32, *mut imgcoder_reader) {
    let options = imgcoder_open_options {
        struct_size: size_of::<imgcoder_open_options>() as u32,
        flags: place,
        values: std::ptr::null(),
        value_count: 0,
    };
    let mut reader = null_mut();
    let status = call!(TABLE, open(std::ptr::null(), host.raw(), source.raw(), &options, &mut reader));
    (status, reader)
}

#[test]
fn a_panic_is_the_status_of_its_call_and_ends_the_session() {
    for place in INFO..=EXTENSION {
        let (host, source) = (FakeHost::new(), FakeSource::new(b""));
        let (status, reader) = open(&host, &source, place);
        assert_eq!(status, STATUS_OK);
        // The extension's function has no status, only null.
        let expected = if place == EXTENSION { 1 } else { STATUS_LIBRARY };
        assert_eq!(calls(reader), (place - 1, Some(expected)));
        assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, format!("the plugin panicked: function {place}"))]);
        assert_eq!(calls(reader), (0, Some(STATUS_LIBRARY)));
        assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked before".into())]);
        call!(TABLE, close(reader));
        assert_eq!(host.blocks(), 0, "function {place}");
    }
}

#[test]
fn a_panic_in_open_makes_no_session() {
    let (host, source) = (FakeHost::new(), FakeSource::new(b""));
    assert_eq!(open(&host, &source, OPEN), (STATUS_LIBRARY, null_mut()));
    assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked: function 0".into())]);
    assert_eq!(host.blocks(), 0);
}

#[test]
fn a_panic_in_a_destructor_ends_in_close() {
    let (host, source) = (FakeHost::new(), FakeSource::new(b""));
    let (_, reader) = open(&host, &source, CLOSE);
    assert_eq!(calls(reader), (7, None));
    call!(TABLE, close(reader));
    assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked: function 8".into())]);
    assert_eq!(host.blocks(), 0);
    // And where `open` has no memory for the session.
    host.exhaust();
    assert_eq!(open(&host, &source, CLOSE), (STATUS_OUT_OF_MEMORY, null_mut()));
    assert_eq!(host.failures().last().unwrap().0, STATUS_OUT_OF_MEMORY);
}

#[test]
fn a_payload_that_panics_is_never_dropped() {
    let (host, source) = (FakeHost::new(), FakeSource::new(b""));
    let (_, reader) = open(&host, &source, BOMB);
    assert_eq!(calls(reader), (0, Some(STATUS_LIBRARY)));
    assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked: no message".into())]);
    call!(TABLE, close(reader));
}
