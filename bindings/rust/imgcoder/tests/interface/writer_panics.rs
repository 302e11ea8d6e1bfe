// SPDX-License-Identifier: Apache-2.0

//! A panic in any function of a writer becomes a status.

use crate::fake::{text, FakeHost, FakeOutput};
use crate::writer::{open, picture};
use imgcoder::ffi::*;
use imgcoder::{writer_table, Extension, FrameInfo, Info, Pixels, Result, Writer, WriterOptions, WriterSession};
use std::ptr::null_mut;

/// Panics in the function that was named as the format.
struct Panicky(String);

impl Panicky {
    fn reach(&self, place: &str) {
        assert!(self.0 != place, "in {place}");
    }
}

impl Drop for Panicky {
    fn drop(&mut self) {
        self.reach("close");
    }
}

impl Writer for Panicky {
    const FEATURES: u32 = 0;
    const TAKES_THUMBNAILS: bool = true;

    fn open(_: &mut WriterSession, options: &WriterOptions<'_>) -> Result<Self> {
        let writer = Panicky(options.format().into());
        writer.reach("open");
        Ok(writer)
    }
    fn negotiate(&mut self, _: &mut WriterSession, format: u32, alpha: u32) -> Result<(u32, u32)> {
        self.reach("negotiate");
        Ok((format, alpha))
    }
    fn set_info(&mut self, _: &mut WriterSession, _: &Info) -> Result<()> {
        self.reach("set_info");
        Ok(())
    }
    fn add_metadata(&mut self, _: &mut WriterSession, _: u32, _: &[u8]) -> Result<()> {
        self.reach("add_metadata");
        Ok(())
    }
    fn add_thumbnail(&mut self, _: &mut WriterSession, _: &Pixels<'_>) -> Result<()> {
        self.reach("add_thumbnail");
        Ok(())
    }
    fn add_frame(&mut self, session: &mut WriterSession, _: &FrameInfo, pixels: &Pixels<'_>) -> Result<()> {
        // What the host allocated is freed on the way out.
        let _buffer = session.host.buffer(100, "a row")?;
        self.reach("add_frame");
        if self.0 == "row" {
            pixels.row(pixels.height());
        }
        Ok(())
    }
    fn finish(&mut self, _: &mut WriterSession) -> Result<()> {
        self.reach("finish");
        Ok(())
    }
    fn extension(&mut self, _: &str) -> Option<Extension> {
        self.reach("extension");
        None
    }
}

static TABLE: imgcoder_writer_table = writer_table::<Panicky>();

type Call<'a> = (&'static str, Box<dyn FnMut() -> u32 + 'a>);

/// Makes all calls until one fails, and returns its name and its status.
fn calls(writer: *mut imgcoder_writer) -> Option<(&'static str, u32)> {
    let (mut format, mut alpha) = (0, 0);
    let (info, frame, pixels) = (Info::new("", 2, 1), FrameInfo::new(0, 0, 2, 1), picture(&[0, 0, 0]));
    let mut all: [Call; 7] = [
        ("negotiate", Box::new(|| call!(TABLE, negotiate(writer, PIXEL_GRAY8, 0, &mut format, &mut alpha)))),
        ("set_info", Box::new(|| call!(TABLE, set_info(writer, &info)))),
        ("add_metadata", Box::new(|| call!(TABLE, add_metadata(writer, METADATA_XMP, b"x".as_ptr(), 1)))),
        ("add_thumbnail", Box::new(|| call!(TABLE, add_thumbnail(writer, &pixels)))),
        // It has no status; the next call has one if this one ended the session.
        ("extension", Box::new(|| u32::from(!call!(TABLE, get_extension(writer, text("x"))).is_null()))),
        ("add_frame", Box::new(|| call!(TABLE, add_frame(writer, &frame, &pixels)))),
        ("finish", Box::new(|| call!(TABLE, finish(writer)))),
    ];
    all.iter_mut().map(|(name, call)| (*name, call())).find(|(_, status)| *status != STATUS_OK)
}

#[test]
fn a_panic_is_the_status_of_its_call_and_ends_the_session() {
    for place in ["negotiate", "set_info", "add_metadata", "add_thumbnail", "extension", "add_frame", "finish", "row"] {
        let (host, output) = (FakeHost::new(), FakeOutput::new());
        let (status, writer) = open(&TABLE, &host, &output, place);
        assert_eq!(status, STATUS_OK);
        let expected = match place {
            "extension" | "row" => "add_frame",
            place => place,
        };
        assert_eq!(calls(writer), Some((expected, STATUS_LIBRARY)));
        let message = if place == "row" { "row 1 of 1 rows".into() } else { format!("in {place}") };
        assert_eq!(host.failures()[0], (STATUS_LIBRARY, -1, format!("the plugin panicked: {message}")));
        assert_eq!(calls(writer), Some(("negotiate", STATUS_LIBRARY)));
        assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked before".into())]);
        call!(TABLE, close(writer));
        assert_eq!(host.blocks(), 0, "{place}");
    }
}

#[test]
fn a_panic_in_open_makes_no_session() {
    let (host, output) = (FakeHost::new(), FakeOutput::new());
    assert_eq!(open(&TABLE, &host, &output, "open"), (STATUS_LIBRARY, null_mut()));
    assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked: in open".into())]);
    assert_eq!(host.blocks(), 0);
}

#[test]
fn a_panic_in_a_destructor_ends_in_close() {
    let (host, output) = (FakeHost::new(), FakeOutput::new());
    let (_, writer) = open(&TABLE, &host, &output, "close");
    assert_eq!(calls(writer), None);
    call!(TABLE, close(writer));
    assert_eq!(host.failures(), [(STATUS_LIBRARY, -1, "the plugin panicked: in close".into())]);
    assert_eq!(host.blocks(), 0);
    // And where `open` has no memory for the session.
    host.exhaust();
    assert_eq!(open(&TABLE, &host, &output, "close"), (STATUS_OUT_OF_MEMORY, null_mut()));
    assert_eq!(host.failures().last().unwrap().0, STATUS_OUT_OF_MEMORY);
}
