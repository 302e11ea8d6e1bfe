// SPDX-License-Identifier: Apache-2.0

use crate::fake::{text, FakeHost, FakeOutput};
use imgcoder::ffi::*;
use imgcoder::{
    call_writer, writer_table, Extension, FrameInfo, Info, Pixels, Result, Writer, WriterOptions, WriterSession,
};
use std::ptr::{null, null_mut};

/// Writes a letter for each call, and the first byte of each row.
struct Letters {
    has_thumbnail: bool,
}

impl Letters {
    fn add(session: &mut WriterSession, letter: u8, pixels: &Pixels<'_>) -> Result<()> {
        session.output.write(&[letter])?;
        assert_eq!((pixels.pixel_format(), pixels.alpha()), (PIXEL_GRAY8, ALPHA_OPAQUE));
        // An encoder may look at the picture from several threads.
        let mut sums = vec![0; pixels.height() as usize];
        session.host.parallel_each(&mut sums, |y, sum| *sum = pixels.row(y as u32).iter().sum())?;
        session.output.write(&sums)
    }
}

impl Writer for Letters {
    const FEATURES: u32 = WRITER_FRAMES;
    const TAKES_THUMBNAILS: bool = true;

    fn open(session: &mut WriterSession, options: &WriterOptions<'_>) -> Result<Self> {
        assert_eq!((options.format(), options.is_lossless()), ("org.example.letters", true));
        assert_eq!((options.number("level"), options.text("level")), (Some(3.0), Some("")));
        assert_eq!((options.text("comment"), options.number("runs")), (Some("hello"), None));
        session.host.log(LOG_INFO, "opened");
        Ok(Letters { has_thumbnail: false })
    }
    fn negotiate(&mut self, _: &mut WriterSession, _: u32, _: u32) -> Result<(u32, u32)> {
        Ok((PIXEL_GRAY8, ALPHA_OPAQUE))
    }
    fn set_info(&mut self, session: &mut WriterSession, _: &Info) -> Result<()> {
        session.output.write(b"i")
    }
    fn add_thumbnail(&mut self, session: &mut WriterSession, pixels: &Pixels<'_>) -> Result<()> {
        if self.has_thumbnail {
            return Err(session.host.fail(STATUS_OUT_OF_ORDER, None, format_args!("a second thumbnail")));
        }
        self.has_thumbnail = true;
        Letters::add(session, b't', pixels)
    }
    fn add_frame(&mut self, session: &mut WriterSession, _: &FrameInfo, pixels: &Pixels<'_>) -> Result<()> {
        Letters::add(session, b'f', pixels)
    }
    fn finish(&mut self, session: &mut WriterSession) -> Result<()> {
        session.output.write(b".")
    }
    fn extension(&mut self, id: &str) -> Option<Extension> {
        (id == "org.example.mark/1").then_some(Extension::new(&MARK))
    }
}

/// A writer of a format without thumbnails and metadata.
pub struct Plain;

impl Writer for Plain {
    const FEATURES: u32 = 0;

    fn open(_: &mut WriterSession, _: &WriterOptions<'_>) -> Result<Self> {
        Ok(Plain)
    }
    fn negotiate(&mut self, _: &mut WriterSession, format: u32, alpha: u32) -> Result<(u32, u32)> {
        Ok((format, alpha))
    }
    fn set_info(&mut self, _: &mut WriterSession, _: &Info) -> Result<()> {
        Ok(())
    }
    fn add_frame(&mut self, _: &mut WriterSession, _: &FrameInfo, _: &Pixels<'_>) -> Result<()> {
        Ok(())
    }
    fn finish(&mut self, _: &mut WriterSession) -> Result<()> {
        Ok(())
    }
}

/// The table of an extension that an author could think of.
struct MarkTable {
    mark: Option<unsafe extern "C" fn(*mut imgcoder_writer) -> u32>,
}

static MARK: MarkTable = MarkTable { mark: Some(mark) };

unsafe extern "C" fn mark(writer: *mut imgcoder_writer) -> u32 {
    // SAFETY: the host passes a session of this writer.
    unsafe { call_writer::<Letters>(writer, |_, session| session.output.write(b"m").map(|()| STATUS_OK)) }
}

static LETTERS: imgcoder_writer_table = writer_table::<Letters>();
static PLAIN: imgcoder_writer_table = writer_table::<Plain>();

/// Opens a session with the options `level` and `comment`.
pub fn open(
    table: &imgcoder_writer_table,
    host: &FakeHost,
    output: &FakeOutput,
    format: &str,
) -> (u32, *mut imgcoder_writer) {
    let value = |kind, name, number, text_value| imgcoder_option_value {
        struct_size: size_of::<imgcoder_option_value>() as u32,
        r#type: kind,
        name: text(name),
        number,
        text: text(text_value),
    };
    let values = [value(OPTION_INTEGER, "level", 3.0, ""), value(OPTION_TEXT, "comment", 0.0, "hello")];
    let values = [&raw const values[0], &raw const values[1]];
    let options = imgcoder_write_options {
        struct_size: size_of::<imgcoder_write_options>() as u32,
        flags: WRITE_LOSSLESS,
        format: text(format),
        values: values.as_ptr(),
        value_count: values.len() as u64,
    };
    let mut writer = null_mut();
    let status = call!(table, open(null(), host.raw(), output.raw(), &options, &mut writer));
    (status, writer)
}

/// A gray picture of 2 columns and some rows, each full of its number.
pub fn picture(bytes: &[u8]) -> imgcoder_pixels {
    imgcoder_pixels {
        struct_size: size_of::<imgcoder_pixels>() as u32,
        pixel_format: PIXEL_GRAY8,
        alpha: ALPHA_OPAQUE,
        width: 2,
        height: bytes.len() as u32 / 3,
        reserved: 0,
        pixels: bytes.as_ptr(),
        // The third byte of a row is no pixel.
        stride: 3,
    }
}

#[test]
fn a_thumbnail_reaches_the_writer() {
    let (host, output) = (FakeHost::new(), FakeOutput::new());
    let (status, writer) = open(&LETTERS, &host, &output, "org.example.letters");
    assert_eq!(status, STATUS_OK, "{:?}", host.failures());
    let (mut format, mut alpha) = (PIXEL_ANY, ALPHA_OPAQUE);
    assert_eq!(call!(LETTERS, negotiate(writer, PIXEL_RGBA8, ALPHA_STRAIGHT, &mut format, &mut alpha)), STATUS_OK);
    assert_eq!(format, PIXEL_GRAY8);
    assert_eq!(call!(LETTERS, set_info(writer, &Info::new("", 2, 3))), STATUS_OK);
    let (small, large) = (picture(&[1, 1, 99]), picture(&[1, 1, 99, 2, 2, 99, 3, 3, 99]));
    assert_eq!(call!(LETTERS, add_thumbnail(writer, &small)), STATUS_OK, "{:?}", host.failures());
    assert_eq!(call!(LETTERS, add_frame(writer, &FrameInfo::new(0, 0, 2, 3), &large)), STATUS_OK);
    assert_eq!(call!(LETTERS, finish(writer)), STATUS_OK);
    assert_eq!(call!(LETTERS, add_thumbnail(writer, &small)), STATUS_OUT_OF_ORDER);
    assert_eq!(host.failures(), [(STATUS_OUT_OF_ORDER, -1, "a second thumbnail".into())]);
    call!(LETTERS, close(writer));
    assert_eq!(output.bytes(), b"it\x02f\x02\x04\x06.");
    assert_eq!(host.blocks(), 0);
}

#[test]
fn a_writer_without_thumbnails_has_no_function_for_them() {
    assert!(PLAIN.add_thumbnail.is_none());
    assert!(LETTERS.add_thumbnail.is_some());
    assert_eq!((PLAIN.features, LETTERS.features), (0, WRITER_FRAMES));
}

#[test]
fn metadata_without_a_place_is_unsupported() {
    let (host, output) = (FakeHost::new(), FakeOutput::new());
    let (_, writer) = open(&PLAIN, &host, &output, "org.example.plain");
    assert_eq!(call!(PLAIN, add_metadata(writer, METADATA_ICC, null(), 0)), STATUS_UNSUPPORTED);
    assert_eq!(host.failures(), [(STATUS_UNSUPPORTED, -1, "the format has no place for metadata".into())]);
    call!(PLAIN, close(writer));
}

#[test]
fn a_session_has_extensions() {
    let (host, output) = (FakeHost::new(), FakeOutput::new());
    let (_, writer) = open(&LETTERS, &host, &output, "org.example.letters");
    assert!(call!(LETTERS, get_extension(writer, text("org.example.mark/2"))).is_null());
    let table = call!(LETTERS, get_extension(writer, text("org.example.mark/1"))).cast::<MarkTable>();
    // SAFETY: the table of that extension.
    let table = unsafe { table.as_ref() }.expect("an extension");
    assert_eq!(call!(table, mark(writer)), STATUS_OK);
    call!(LETTERS, close(writer));
    assert_eq!(output.bytes(), b"m");
    assert_eq!(host.notes(), ["1 opened"]);
}
