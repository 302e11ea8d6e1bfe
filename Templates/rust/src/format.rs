//! The fields of the format.

pub const UTI: &str = "org.example.flipbook";
pub const SIGNATURE: &[u8; 4] = b"FLIP";
pub const HEADER_SIZE: usize = 14;
pub const FRAME_HEADER_SIZE: usize = 16;
pub const PIXEL_SIZE: usize = 4;
pub const LONGEST_PACKET: usize = 128;
pub const IS_ANIMATED: u8 = 1;
pub const IS_RUN: u8 = 128;

/// The file's header, which begins with the signature and the version 1.
pub struct Header {
    pub flags: u8,
    pub width: u16,
    pub height: u16,
    pub frame_count: u16,
    pub plays: u16,
}

impl Header {
    pub fn parse(bytes: &[u8; HEADER_SIZE]) -> Self {
        Header {
            flags: bytes[5],
            width: get16(bytes, 6),
            height: get16(bytes, 8),
            frame_count: get16(bytes, 10),
            plays: get16(bytes, 12),
        }
    }

    pub fn bytes(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        bytes[..4].copy_from_slice(SIGNATURE);
        bytes[4] = 1;
        bytes[5] = self.flags;
        for (index, value) in [self.width, self.height, self.frame_count, self.plays].into_iter().enumerate() {
            bytes[6 + 2 * index..8 + 2 * index].copy_from_slice(&value.to_be_bytes());
        }
        bytes
    }
}

/// A frame's header.
#[derive(Clone, Copy)]
pub struct FrameHeader {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
    pub delay: u16,
    pub disposal: u8,
    pub blend: u8,
    pub length: u32,
}

impl FrameHeader {
    pub fn parse(bytes: &[u8; FRAME_HEADER_SIZE]) -> Self {
        FrameHeader {
            x: get16(bytes, 0),
            y: get16(bytes, 2),
            width: get16(bytes, 4),
            height: get16(bytes, 6),
            delay: get16(bytes, 8),
            disposal: bytes[10],
            blend: bytes[11],
            length: u32::from(get16(bytes, 12)) << 16 | u32::from(get16(bytes, 14)),
        }
    }

    pub fn bytes(&self) -> [u8; FRAME_HEADER_SIZE] {
        let mut bytes = [0; FRAME_HEADER_SIZE];
        for (index, value) in [self.x, self.y, self.width, self.height, self.delay].into_iter().enumerate() {
            bytes[2 * index..2 * index + 2].copy_from_slice(&value.to_be_bytes());
        }
        bytes[10] = self.disposal;
        bytes[11] = self.blend;
        bytes[12..].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }
}

fn get16(bytes: &[u8], offset: usize) -> u16 {
    u16::from_be_bytes([bytes[offset], bytes[offset + 1]])
}
