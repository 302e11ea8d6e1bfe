//! Writes files of the format flipbook.

use crate::format::*;
use imgcoder::ffi::*;
use imgcoder::{FrameInfo, Info, Pixels, Result, Writer, WriterOptions, WriterSession};

pub struct FlipbookWriter {
    has_runs: bool,
    is_lossless: bool,
    is_animated: bool,
    frames: u16,
}

impl Writer for FlipbookWriter {
    const FEATURES: u32 =
        WRITER_FRAMES | WRITER_PARTS | WRITER_REPLACES | WRITER_BLENDS | WRITER_CLEARS | WRITER_RESTORES;

    fn open(session: &mut WriterSession, options: &WriterOptions<'_>) -> Result<Self> {
        if options.format() != UTI {
            let message = format_args!("the format {}, {UTI} is written", options.format());
            return Err(session.host.fail(STATUS_UNSUPPORTED, None, message));
        }
        Ok(FlipbookWriter {
            has_runs: options.number("runs") != Some(0.0),
            is_lossless: options.is_lossless(),
            is_animated: false,
            frames: 0,
        })
    }

    fn negotiate(&mut self, session: &mut WriterSession, pixel_format: u32, _alpha: u32) -> Result<(u32, u32)> {
        let is_8_bits = [PIXEL_GRAY8, PIXEL_GRAY_ALPHA8, PIXEL_RGB8, PIXEL_RGBA8, PIXEL_BGRA8].contains(&pixel_format);
        if !is_8_bits && self.is_lossless {
            let message = format_args!("pixel format {pixel_format} without loss; samples have 8 bits");
            return Err(session.host.fail(STATUS_UNSUPPORTED, None, message));
        }
        Ok((PIXEL_RGBA8, ALPHA_STRAIGHT))
    }

    fn set_info(&mut self, session: &mut WriterSession, info: &Info) -> Result<()> {
        self.is_animated = info.flags & INFO_ANIMATED != 0;
        let plays = if self.is_animated { info.plays } else { 0 };
        let (Ok(width), Ok(height), Ok(plays)) =
            (u16::try_from(info.width), u16::try_from(info.height), u16::try_from(plays))
        else {
            let message = format_args!(
                "a canvas of {}x{} and {plays} plays, the format holds 65535 of each",
                info.width, info.height
            );
            return Err(session.host.fail(STATUS_UNSUPPORTED, None, message));
        };
        // finish writes how many frames there were.
        let header = Header { flags: u8::from(self.is_animated), width, height, frame_count: 1, plays };
        session.output.write(&header.bytes())
    }

    fn add_frame(&mut self, session: &mut WriterSession, frame: &FrameInfo, pixels: &Pixels<'_>) -> Result<()> {
        let host = &session.host;
        let most = if self.is_animated { u16::MAX } else { 1 };
        if self.frames == most {
            return Err(host.fail(STATUS_UNSUPPORTED, None, format_args!("more than {most} frames in a file")));
        }
        let denominator = u64::from(frame.delay_denominator.max(1));
        let delay = (u64::from(frame.delay_numerator) * 1000 + denominator / 2) / denominator;
        let Ok(delay) = u16::try_from(delay) else {
            let message = format_args!("a delay of {delay} ms, the format holds 65535");
            return Err(host.fail(STATUS_UNSUPPORTED, None, message));
        };
        // The canvas has at most 65535 columns and rows, and the frame lies on it.
        let mut header = FrameHeader {
            x: frame.x as u16,
            y: frame.y as u16,
            width: pixels.width() as u16,
            height: pixels.height() as u16,
            delay,
            disposal: frame.disposal as u8,
            blend: frame.blend as u8,
            length: 0,
        };
        let place = session.output.count();
        session.output.write(&header.bytes())?;
        let start = session.output.count();
        let mut row = host.buffer(pixels.width() as usize * (1 + PIXEL_SIZE), "a row")?;
        for y in 0..pixels.height() {
            host.check_cancelled()?;
            let size = encode_row(&mut row, pixels.row(y), self.has_runs);
            session.output.write(&row[..size])?;
        }
        let size = session.output.count() - start;
        let Ok(length) = u32::try_from(size) else {
            let message = format_args!("a frame of {size} bytes, the format holds 4294967295");
            return Err(host.fail(STATUS_UNSUPPORTED, None, message));
        };
        self.frames += 1;
        header.length = length;
        session.output.patch(place, &header.bytes())
    }

    fn finish(&mut self, session: &mut WriterSession) -> Result<()> {
        if self.frames == 0 {
            return Err(session.host.fail(STATUS_OUT_OF_ORDER, None, format_args!("finish without a frame")));
        }
        session.output.patch(10, &self.frames.to_be_bytes())
    }
}

/// Pixels at the start that are equal, as far as a packet reaches.
fn run_length(pixels: &[u8]) -> usize {
    let mut rest = pixels.chunks_exact(PIXEL_SIZE);
    let first = rest.next();
    1 + rest.take(LONGEST_PACKET - 1).take_while(|pixel| Some(*pixel) == first).count()
}

/// Writes the packets of a row, at most 5 bytes for each pixel, and returns their size.
fn encode_row(out: &mut [u8], mut pixels: &[u8], has_runs: bool) -> usize {
    let mut size = 0;
    while !pixels.is_empty() {
        let left = pixels.len() / PIXEL_SIZE;
        let mut count = if has_runs { run_length(pixels) } else { 1 };
        let mut stored = 1;
        if count > 1 {
            out[size] = IS_RUN | (count - 1) as u8;
        } else {
            while count < left.min(LONGEST_PACKET) && !(has_runs && run_length(&pixels[count * PIXEL_SIZE..]) > 1) {
                count += 1;
            }
            out[size] = (count - 1) as u8;
            stored = count;
        }
        size += 1;
        out[size..size + stored * PIXEL_SIZE].copy_from_slice(&pixels[..stored * PIXEL_SIZE]);
        size += stored * PIXEL_SIZE;
        pixels = &pixels[count * PIXEL_SIZE..];
    }
    size
}
