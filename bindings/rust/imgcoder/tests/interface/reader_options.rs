// SPDX-License-Identifier: Apache-2.0

use crate::fake::{text, FakeHost, FakeSource};
use imgcoder::ffi::*;
use imgcoder::{
    number_option, reader_table, secret_option, Coder, CoderOption, FrameInfo, Info, Offer, Reader, ReaderOptions,
    ReaderSession, Request, Result, Sink,
};
use std::ptr::null_mut;

static EXPOSURE: CoderOption = number_option("exposure", -5.0, 5.0, 0.0, "How many stops brighter.");
static PASSWORD: CoderOption = secret_option("password", 32, "Opens the file.");

static CODER: Coder = Coder::new("org.example.told", "1.0.0")
    .reader(const { &reader_table::<Told>() })
    .read_options(&[&EXPOSURE, &PASSWORD]);

/// Says what it was opened with: stops as its columns, letters of the password as its rows.
struct Told {
    columns: u32,
    rows: u32,
}

impl Reader for Told {
    fn open(_: &mut ReaderSession, options: &ReaderOptions<'_>) -> Result<Self> {
        assert_eq!(options.flags(), OPEN_HEADER_ONLY);
        Ok(Told {
            columns: options.number("exposure").map_or(1, |stops| stops as u32),
            rows: options.text("password").map_or(1, |word| word.len() as u32),
        })
    }
    fn info(&mut self, _: &mut ReaderSession, _: u32) -> Result<Info> {
        Ok(Info::new("org.example.told", self.columns, self.rows))
    }
    fn frame_info(&mut self, _: &mut ReaderSession, _: u32, _: u32) -> Result<FrameInfo> {
        Ok(FrameInfo::new(0, 0, self.columns, self.rows))
    }
    fn negotiate(&mut self, _: &mut ReaderSession, request: &Request) -> Result<Offer> {
        Ok(Offer::new(request, self.columns, self.rows, PIXEL_RGBA8, ALPHA_STRAIGHT))
    }
    fn decode(&mut self, _: &mut ReaderSession, _: &Offer, _: &mut Sink<'_>) -> Result<()> {
        Ok(())
    }
}

/// The size that the reader says when a host of some version opens it with a list of values.
fn size(values: &[*const imgcoder_option_value], struct_size: u32) -> (u32, u32) {
    let (host, source) = (FakeHost::new(), FakeSource::new(b""));
    let options = imgcoder_open_options {
        struct_size,
        flags: OPEN_HEADER_ONLY,
        values: values.as_ptr(),
        value_count: values.len() as u64,
    };
    let (mut reader, mut info) = (null_mut(), Info::new("", 0, 0));
    // SAFETY: the coder is a constant with a reader.
    let table = unsafe { &*CODER.0.reader };
    assert_eq!(call!(table, open(&CODER.0, host.raw(), source.raw(), &options, &mut reader)), STATUS_OK);
    info.struct_size = size_of::<Info>() as u32;
    assert_eq!(call!(table, info(reader, 0, &mut info)), STATUS_OK);
    call!(table, close(reader));
    (info.width, info.height)
}

#[test]
fn values_of_a_reader_arrive_and_are_absent_of_an_older_host() {
    let value = |r#type, name, number, word| imgcoder_option_value {
        struct_size: size_of::<imgcoder_option_value>() as u32,
        r#type,
        name: text(name),
        number,
        text: text(word),
    };
    let exposure = value(OPTION_NUMBER, "exposure", 3.0, "");
    let password = value(OPTION_TEXT, "password", 0.0, "sesame");
    let whole = size_of::<imgcoder_open_options>() as u32;
    assert_eq!(size(&[&exposure, &password], whole), (3, 6));
    assert_eq!(size(&[&password], whole), (1, 6));
    assert_eq!(size(&[], whole), (1, 1));
    assert_eq!(size(&[&exposure, &password], 8), (1, 1));
}

#[test]
fn a_coder_describes_options_of_its_reader() {
    assert_eq!(CODER.0.read_option_count, 2);
    // SAFETY: as many pointers to constants.
    let options = unsafe { core::slice::from_raw_parts(CODER.0.read_options, 2) };
    // SAFETY: as above.
    let flags = options.iter().map(|option| unsafe { (**option).flags });
    assert_eq!(flags.collect::<Vec<_>>(), [0, OPTION_SECRET]);
    assert_eq!((CODER.0.options.is_null(), CODER.0.option_count), (true, 0));
}
