// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// The movie of an image sequence that is written: a track of pictures, and one of alpha planes where they have alpha.
///
/// Each sample is an intra picture that depends on no other one.
///
/// - Format: ISO/IEC 14496-12 §8, ISO/IEC 23008-12 §7.
struct MovieLayout {
  /// A track of the movie.
  struct Track {
    /// Where the first sample lies in the file; the others follow it.
    let start: Int
    /// Bytes of each sample.
    let sizes: [Int]
    let codedSize: Size
    /// Boxes of the sample entry.
    let entry: [[UInt8]]
    let isAlpha: Bool
  }

  let timing: FrameTicks
  let loopCount: LoopCount?
  /// The size of the pictures as they are stored, after the crop.
  let size: Size
  let orientation: Orientation
  let isPremultiplied: Bool

  /// Writes the movie.
  ///
  /// - Parameter tracks: The pictures, and their alpha.
  func write(_ tracks: [Track], to writer: inout ByteWriter) {
    let duration = timing.duration(of: loopCount)
    writer.box(.movie) { movie in
      movie.fullBox(.movieHeader, version: 1) { box in
        // Without times of creation and change the same pictures give the same file.
        box.putZeros(16)
        box.put(timing.timescale)
        box.put(duration)
        box.put(UInt32(0x10000))
        box.put(UInt16(0x100))
        box.putZeros(10)
        Self.identity(to: &box)
        box.putZeros(24)
        box.put(UInt32(clamping: tracks.count + 1))
      }
      for (index, track) in tracks.enumerated() { write(track, number: index + 1, of: tracks.count, to: &movie) }
    }
  }

  private func write(_ track: Track, number: Int, of count: Int, to writer: inout ByteWriter) {
    writer.box(.track) { box in
      // Enabled, and part of the presentation.
      box.fullBox(.trackHeader, version: 1, flags: 3) { header in
        header.putZeros(16)
        header.put(UInt32(clamping: number))
        header.put(UInt32(0))
        header.put(timing.duration(of: loopCount))
        header.putZeros(16)
        matrix(to: &header)
        header.put(UInt32(clamping: size.width << 16))
        header.put(UInt32(clamping: size.height << 16))
      }
      references(of: track, count: count, to: &box)
      timing.writeEdits(playing: loopCount, to: &box)
      box.box(.media) { media in writeMedia(of: track, to: &media) }
    }
  }

  /// ISO/IEC 23008-12 §7.5.3: alpha is auxiliary to the pictures, which may be multiplied by it.
  private func references(of track: Track, count: Int, to writer: inout ByteWriter) {
    guard track.isAlpha || isPremultiplied && count > 1 else { return }
    writer.box(.trackReference) { box in
      box.box(track.isAlpha ? .auxiliary : .premultiplied) { $0.put(UInt32(track.isAlpha ? 1 : 2)) }
    }
  }

  private func writeMedia(of track: Track, to writer: inout ByteWriter) {
    writer.fullBox(.mediaHeader, version: 1) { box in
      box.putZeros(16)
      box.put(timing.timescale)
      box.put(timing.total)
      // No language: "und" in three times 5 bits.
      box.put(UInt16(0x55C4))
      box.put(UInt16(0))
    }
    writer.fullBox(.handler) { box in
      box.put(UInt32(0))
      box.put(track.isAlpha ? FourCC("auxv") : .picture)
      box.putZeros(13)
    }
    writer.box(.mediaInformation) { information in
      information.fullBox(FourCC("vmhd"), flags: 1) { $0.putZeros(8) }
      information.box(FourCC("dinf")) { box in
        box.fullBox(FourCC("dref")) { references in
          references.put(UInt32(1))
          // In this file.
          references.fullBox(FourCC("url "), flags: 1) { _ in }
        }
      }
      information.box(.sampleTable) { box in writeSamples(of: track, to: &box) }
    }
  }

  private func writeSamples(of track: Track, to writer: inout ByteWriter) {
    writer.fullBox(.sampleDescription) { box in
      box.put(UInt32(1))
      box.box(.hvc1) { entry in
        entry.putZeros(6)
        entry.put(UInt16(1))
        entry.putZeros(16)
        entry.put(UInt16(clamping: track.codedSize.width))
        entry.put(UInt16(clamping: track.codedSize.height))
        // 72 dots an inch, one picture a sample, no name, and the depth that says "in color".
        entry.put(UInt32(0x480000))
        entry.put(UInt32(0x480000))
        entry.putZeros(4)
        entry.put(UInt16(1))
        entry.putZeros(32)
        entry.put(UInt16(0x18))
        entry.put(UInt16.max)
        for box in track.entry { entry.put(box) }
        // ISO/IEC 23008-12 §7.2.3: intra pictures, which refer to none.
        entry.fullBox(FourCC("ccst")) { $0.put(UInt32(0xC000_0000)) }
      }
    }
    timing.writeDelays(to: &writer)
    writer.fullBox(.sampleToChunk) { box in
      for number in [1, 1, track.sizes.count, 1] { box.put(UInt32(clamping: number)) }
    }
    writer.fullBox(.sampleSize) { box in
      box.put(UInt32(0))
      box.put(UInt32(clamping: track.sizes.count))
      for size in track.sizes { box.put(UInt32(clamping: size)) }
    }
    writer.fullBox(.chunkOffset) { box in
      box.put(UInt32(1))
      box.put(UInt32(clamping: track.start))
    }
  }

  /// How the picture is turned (ISO/IEC 14496-12 §8.3.2), moved back to where it was.
  private func matrix(to writer: inout ByteWriter) {
    let (a, b, c, d) =
      switch orientation {
      case .up: (1, 0, 0, 1)
      case .upMirrored: (-1, 0, 0, 1)
      case .down: (-1, 0, 0, -1)
      case .downMirrored: (1, 0, 0, -1)
      case .leftMirrored: (0, 1, 1, 0)
      case .right: (0, 1, -1, 0)
      case .rightMirrored: (0, -1, -1, 0)
      case .left: (0, -1, 1, 0)
      }
    let x = (a < 0 ? size.width : 0) + (c < 0 ? size.height : 0)
    let y = (b < 0 ? size.width : 0) + (d < 0 ? size.height : 0)
    for number in [a, b] { writer.put(Int32(number << 16)) }
    writer.put(Int32(0))
    for number in [c, d] { writer.put(Int32(number << 16)) }
    writer.put(Int32(0))
    for number in [x, y] { writer.put(Int32(clamping: number << 16)) }
    writer.put(Int32(1 << 30))
  }

  private static func identity(to writer: inout ByteWriter) {
    for number in [1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30] { writer.put(Int32(number)) }
  }
}
