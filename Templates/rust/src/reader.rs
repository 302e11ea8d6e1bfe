//! Reads files of the format flipbook.

use crate::format::*;
use imgcoder::ffi::*;
use imgcoder::{FrameInfo, Info, Offer, Properties, Reader, ReaderOptions, ReaderSession, Request, Result, Sink};

/// A frame whose header was read, and where its packets begin in the file.
struct Frame {
    header: FrameHeader,
    data: u64,
}

pub struct FlipbookReader {
    header: Header,
    frames: Vec<Frame>,
    /// Where the header of the next frame begins.
    next: u64,
    /// Why no more frames can be found: TRUNCATED or MALFORMED.
    end: Option<u32>,
    is_incremental: bool,
}

impl FlipbookReader {
    fn is_animated(&self) -> bool {
        self.header.flags & IS_ANIMATED != 0
    }

    /// Reads the header of the next frame. In an incremental session this waits for its bytes, and for no others.
    fn read_frame_header(&mut self, session: &mut ReaderSession) -> Result<()> {
        let index = self.frames.len();
        let bytes = session.source.view(self.next, FRAME_HEADER_SIZE as u64, FRAME_HEADER_SIZE as u64)?;
        let Ok(bytes) = <&[u8; FRAME_HEADER_SIZE]>::try_from(bytes) else {
            let left = bytes.len();
            self.end = Some(STATUS_TRUNCATED);
            return Err(session.host.fail(
                STATUS_TRUNCATED,
                Some(self.next + left as u64),
                format_args!("the header of frame {index} has {FRAME_HEADER_SIZE} bytes, {left} are left"),
            ));
        };
        let frame = FrameHeader::parse(bytes);
        let (x, y, width, height) = (frame.x, frame.y, frame.width, frame.height);
        let (right, bottom) = (u32::from(x) + u32::from(width), u32::from(y) + u32::from(height));
        let (canvas_width, canvas_height) = (self.header.width, self.header.height);
        let is_outside = right > u32::from(canvas_width) || bottom > u32::from(canvas_height);
        let covers = (width, height) == (canvas_width, canvas_height);
        let problem = if width == 0 || height == 0 || is_outside {
            let canvas = format!("{canvas_width}x{canvas_height}");
            Some((0, format!("frame {index} is {width}x{height} at {x},{y} on a canvas of {canvas}")))
        } else if !self.is_animated() && !covers {
            Some((4, format!("a still picture of {width}x{height} on a canvas of {canvas_width}x{canvas_height}")))
        } else if u32::from(frame.disposal) > DISPOSAL_RESTORE_PREVIOUS {
            Some((10, format!("disposal {}, 0 to 2 are allowed", frame.disposal)))
        } else if u32::from(frame.blend) > BLEND_OVER {
            Some((11, format!("blend {}, 0 and 1 are allowed", frame.blend)))
        } else {
            None
        };
        if let Some((place, problem)) = problem {
            self.end = Some(STATUS_MALFORMED);
            return Err(session.host.fail(STATUS_MALFORMED, Some(self.next + place), format_args!("{problem}")));
        }
        let data = self.next + FRAME_HEADER_SIZE as u64;
        self.frames.push(Frame { header: frame, data });
        self.next = data + u64::from(frame.length);
        Ok(())
    }

    /// Finds a frame, so that any can be decoded in any order.
    fn frame(&mut self, session: &mut ReaderSession, page: u32, index: u32) -> Result<&Frame> {
        let count = self.header.frame_count;
        if page != 0 {
            let message = format_args!("page {page} of a file that has 1");
            return Err(session.host.fail(STATUS_INVALID_ARGUMENT, None, message));
        }
        if index >= u32::from(count) {
            let message = format_args!("frame {index} of a file that has {count}");
            return Err(session.host.fail(STATUS_INVALID_ARGUMENT, None, message));
        }
        while self.frames.len() <= index as usize {
            self.read_frame_header(session)?;
        }
        Ok(&self.frames[index as usize])
    }
}

impl Reader for FlipbookReader {
    fn open(session: &mut ReaderSession, options: &ReaderOptions<'_>) -> Result<Self> {
        let host = &session.host;
        let bytes = session.source.view(0, HEADER_SIZE as u64, HEADER_SIZE as u64)?;
        let start = bytes.len().min(SIGNATURE.len());
        if start == 0 || bytes[..start] != SIGNATURE[..start] {
            let message = format_args!("the file does not begin with \"FLIP\"");
            return Err(host.fail(STATUS_WRONG_FORMAT, Some(0), message));
        }
        let Ok(bytes) = <&[u8; HEADER_SIZE]>::try_from(bytes) else {
            let count = bytes.len();
            let message = format_args!("{count} bytes, the header has {HEADER_SIZE}");
            return Err(host.fail(STATUS_TRUNCATED, Some(count as u64), message));
        };
        if bytes[4] != 1 {
            let message = format_args!("version {}, version 1 is supported", bytes[4]);
            return Err(host.fail(STATUS_UNSUPPORTED, Some(4), message));
        }
        let header = Header::parse(bytes);
        let Header { flags: kind, width, height, frame_count, .. } = header;
        if kind > IS_ANIMATED {
            let message = format_args!("flags of 0x{kind:02x}, 0 and 1 are allowed");
            return Err(host.fail(STATUS_MALFORMED, Some(5), message));
        }
        if width == 0 || height == 0 {
            let message = format_args!("a canvas of {width}x{height}, at least 1x1 is needed");
            return Err(host.fail(STATUS_MALFORMED, Some(6), message));
        }
        if frame_count == 0 || (frame_count > 1 && kind & IS_ANIMATED == 0) {
            let message = format_args!("{frame_count} frames; a still has 1, an animation 1 to 65535");
            return Err(host.fail(STATUS_MALFORMED, Some(10), message));
        }
        // R7: limits before memory, each by its name.
        let limits = host.limits();
        let side = u32::from(width.max(height));
        if side > limits.max_side {
            let message = format_args!("a side of {side}, {} is allowed", limits.max_side);
            let values = (u64::from(side), u64::from(limits.max_side));
            return Err(host.fail_limit(LIMIT_SIDE, values, Some(6), message));
        }
        let pixels = u64::from(width) * u64::from(height);
        if pixels > limits.max_pixels {
            let message = format_args!("a canvas of {width}x{height}, {} pixels are allowed", limits.max_pixels);
            return Err(host.fail_limit(LIMIT_PIXELS, (pixels, limits.max_pixels), Some(6), message));
        }
        if u32::from(frame_count) > limits.max_frames {
            let message = format_args!("{frame_count} frames, {} are allowed", limits.max_frames);
            let values = (u64::from(frame_count), u64::from(limits.max_frames));
            return Err(host.fail_limit(LIMIT_FRAMES, values, Some(10), message));
        }
        let mut reader = FlipbookReader {
            header,
            frames: Vec::new(),
            next: HEADER_SIZE as u64,
            end: None,
            is_incremental: options.flags() & OPEN_INCREMENTAL != 0,
        };
        // A file without its first frame shows nothing.
        reader.read_frame_header(session)?;
        Ok(reader)
    }

    fn info(&mut self, session: &mut ReaderSession, page: u32) -> Result<Info> {
        self.frame(session, page, 0)?;
        let mut info = Info::new(UTI, u32::from(self.header.width), u32::from(self.header.height));
        info.flags = INFO_LOSSLESS;
        if self.is_animated() {
            info.flags |= INFO_ANIMATED | INFO_PLAYS_STATED;
        }
        match session.source.size() {
            // frame_count is what is known so far; nothing waits here.
            None if self.is_incremental => info.flags |= INFO_INCOMPLETE,
            size => {
                // Counts the frames that the file really has. A damaged frame ends the count, and is no error here.
                while self.frames.len() < usize::from(self.header.frame_count) && self.end.is_none() {
                    if let Err(error) = self.read_frame_header(session) {
                        if self.end != Some(error.status()) {
                            return Err(error);
                        }
                    }
                }
                if self.end == Some(STATUS_TRUNCATED) || size.is_some_and(|size| self.next > size) {
                    info.flags |= INFO_TRUNCATED;
                }
                if self.end == Some(STATUS_MALFORMED) {
                    info.flags |= INFO_DAMAGED;
                }
            }
        }
        info.frame_count = self.frames.len() as u32;
        info.plays = u32::from(self.header.plays);
        Ok(info)
    }

    fn frame_info(&mut self, session: &mut ReaderSession, page: u32, frame: u32) -> Result<FrameInfo> {
        let header = self.frame(session, page, frame)?.header;
        let mut info = FrameInfo::new(header.x.into(), header.y.into(), header.width.into(), header.height.into());
        info.delay_numerator = header.delay.into();
        info.delay_denominator = 1000;
        info.disposal = header.disposal.into();
        info.blend = header.blend.into();
        Ok(info)
    }

    // Rows are always RGBA with straight alpha and in the frame's own size; the host does the rest.
    fn negotiate(&mut self, session: &mut ReaderSession, request: &Request) -> Result<Offer> {
        let header = self.frame(session, request.page, request.frame)?.header;
        Ok(Offer::new(request, header.width.into(), header.height.into(), PIXEL_RGBA8, ALPHA_STRAIGHT))
    }

    fn decode(&mut self, session: &mut ReaderSession, offer: &Offer, sink: &mut Sink<'_>) -> Result<()> {
        let frame = self.frame(session, offer.page, offer.frame)?;
        let mut packets = Packets { position: frame.data, end: frame.data + u64::from(frame.header.length) };
        for y in 0..u32::from(frame.header.height) {
            packets.decode_row(session, sink.rows(y, 1)?.row(0))?;
            sink.done(y, 1, 0)?; // R9: the rows above are done if the next one fails
        }
        Ok(())
    }

    fn properties(
        &mut self,
        session: &mut ReaderSession,
        page: u32,
        frame: Option<u32>,
        properties: &mut Properties<'_>,
    ) -> Result<()> {
        let delay = self.frame(session, page, frame.unwrap_or(0))?.header.delay;
        if self.is_animated() {
            properties.dictionary("{Flipbook}", |properties| match frame {
                None => properties.put_integer("LoopCount", self.header.plays.into()),
                Some(_) => properties.put_number("UnclampedDelayTime", f64::from(delay) / 1000.0),
            });
        }
        Ok(())
    }
}

/// The packets of a frame, from the next one on.
struct Packets {
    position: u64,
    end: u64,
}

impl Packets {
    /// The next `count` bytes and what is there of those behind them.
    fn view<'s>(&self, session: &'s mut ReaderSession, count: u64) -> Result<&'s [u8]> {
        let rest = self.end - self.position;
        if rest < count {
            let message = format_args!("a packet of {count} bytes, the frame has {rest} left");
            return Err(session.host.fail(STATUS_MALFORMED, Some(self.position), message));
        }
        let bytes = session.source.view(self.position, count, rest.min(65536))?;
        if (bytes.len() as u64) < count {
            let left = bytes.len();
            let message = format_args!("a packet of {count} bytes, {left} are left");
            return Err(session.host.fail(STATUS_TRUNCATED, Some(self.position + left as u64), message));
        }
        Ok(bytes)
    }

    fn decode_row(&mut self, session: &mut ReaderSession, mut row: &mut [u8]) -> Result<()> {
        while !row.is_empty() {
            let first = self.view(session, 1)?[0];
            let (count, is_run) = (usize::from(first & 127) + 1, first & IS_RUN != 0);
            let left = row.len() / PIXEL_SIZE;
            if count > left {
                let message = format_args!("a packet of {count} pixels, the row has {left} left");
                return Err(session.host.fail(STATUS_MALFORMED, Some(self.position), message));
            }
            let size = 1 + PIXEL_SIZE * if is_run { 1 } else { count };
            let pixels = &self.view(session, size as u64)?[1..size];
            let (packet, rest) = row.split_at_mut(count * PIXEL_SIZE);
            if is_run {
                packet.chunks_exact_mut(PIXEL_SIZE).for_each(|pixel| pixel.copy_from_slice(pixels));
            } else {
                packet.copy_from_slice(pixels);
            }
            self.position += size as u64;
            row = rest;
        }
        Ok(())
    }
}
