// SPDX-License-Identifier: Apache-2.0

//! Pixel formats of version 1.1, and colors, for hosts of 1.0 and of today.

use crate::fake::{FakeHost, FakeSource};
use imgcoder::ffi::*;
use imgcoder::{reader_table, FrameInfo, Info, Offer, Reader, ReaderOptions, ReaderSession, Request, Result, Sink};
use std::ptr::{null, null_mut};

/// Offers the format whose number is its file, unless the one with alpha is asked for.
struct Narrow(u32);

impl Reader for Narrow {
    fn open(session: &mut ReaderSession, _options: &ReaderOptions<'_>) -> Result<Self> {
        Ok(Narrow(session.source.whole()?[0].into()))
    }
    fn info(&mut self, _: &mut ReaderSession, _: u32) -> Result<Info> {
        Ok(Info { pixel_format: self.0, ..Info::new("org.example.narrow", 1, 1) })
    }
    fn frame_info(&mut self, _: &mut ReaderSession, _: u32, _: u32) -> Result<FrameInfo> {
        Ok(FrameInfo::new(0, 0, 1, 1))
    }
    fn negotiate(&mut self, _: &mut ReaderSession, request: &Request) -> Result<Offer> {
        let is_wide = request.pixel_format >= PIXEL_RGBA16 && request.pixel_format <= PIXEL_RGBA_F32;
        let format = if is_wide { request.pixel_format } else { self.0 };
        Ok(Offer::new(request, 1, 1, format, ALPHA_OPAQUE))
    }
    fn decode(&mut self, _: &mut ReaderSession, offer: &Offer, sink: &mut Sink<'_>) -> Result<()> {
        sink.rows(0, offer.height)?.row(0).fill(1);
        sink.done(0, offer.height, 0)
    }
    fn color(&mut self, _: &mut ReaderSession, page: u32) -> Result<imgcoder_color> {
        // SAFETY: zeros state nothing.
        let nothing: imgcoder_color = unsafe { std::mem::zeroed() };
        Ok(imgcoder_color { flags: COLOR_LIGHT_LEVELS, content_peak: f64::from(page) + 400.0, ..nothing })
    }
}

static TABLE: imgcoder_reader_table = reader_table::<Narrow>();

/// The format that `info` names, the status of `negotiate`, the format of the offer, and what is unmet.
fn answers(host: &FakeHost, format: u32, wanted: u32) -> (u32, u32, u32, u32) {
    let source = FakeSource::new(&[format as u8]);
    let mut reader = null_mut();
    assert_eq!(call!(TABLE, open(null(), host.raw(), source.raw(), null(), &mut reader)), STATUS_OK);
    let mut info = Info::new("", 0, 0);
    info.struct_size = size_of::<Info>() as u32;
    assert_eq!(call!(TABLE, info(reader, 0, &mut info)), STATUS_OK);
    let request = Request::new(0, 0, wanted, ALPHA_STRAIGHT);
    let mut offer = Offer::new(&request, 0, 0, 0, 0);
    offer.struct_size = size_of::<Offer>() as u32;
    let status = call!(TABLE, negotiate(reader, &request, &mut offer));
    call!(TABLE, close(reader));
    (info.pixel_format, status, offer.pixel_format, offer.unmet & UNMET_PIXEL_FORMAT)
}

#[test]
fn a_host_of_today_gets_what_is_offered() {
    for format in PIXEL_RGB16..=PIXEL_CMYK16 {
        assert_eq!(answers(&FakeHost::new(), format, format), (format, STATUS_OK, format, 0));
    }
}

#[test]
fn a_host_of_the_first_version_gets_the_format_with_alpha() {
    for (format, wide) in [
        (PIXEL_RGB16, PIXEL_RGBA16),
        (PIXEL_RGB_F16, PIXEL_RGBA_F16),
        (PIXEL_RGB_F32, PIXEL_RGBA_F32),
        (PIXEL_GRAY_F32, PIXEL_RGBA_F32),
    ] {
        let host = FakeHost::first();
        assert_eq!(answers(&host, format, PIXEL_ANY), (wide, STATUS_OK, wide, 0));
        assert_eq!(answers(&host, format, wide), (wide, STATUS_OK, wide, 0));
        assert_eq!(answers(&host, format, PIXEL_RGBA8), (wide, STATUS_OK, wide, UNMET_PIXEL_FORMAT));
    }
}

#[test]
fn inks_are_never_offered_to_a_host_of_the_first_version() {
    let host = FakeHost::first();
    assert_eq!(answers(&host, PIXEL_CMYK8, PIXEL_RGBA8).1, STATUS_UNSUPPORTED);
    let text = "pixel format 15, and the host has version 1.0, which knows 1 to 10";
    assert_eq!(host.failures(), [(STATUS_UNSUPPORTED, -1, text.into())]);
}

#[test]
fn colors_of_a_page_reach_the_host() {
    let (host, source) = (FakeHost::new(), FakeSource::new(&[6]));
    let mut reader = null_mut();
    assert_eq!(call!(TABLE, open(null(), host.raw(), source.raw(), null(), &mut reader)), STATUS_OK);
    // SAFETY: zeros state nothing.
    let mut color: imgcoder_color = unsafe { std::mem::zeroed() };
    color.struct_size = size_of::<imgcoder_color>() as u32;
    assert_eq!(call!(TABLE, color(reader, 7, &mut color)), STATUS_OK);
    assert_eq!((color.struct_size, color.flags, color.content_peak), (224, COLOR_LIGHT_LEVELS, 407.0));
    call!(TABLE, close(reader));
}
