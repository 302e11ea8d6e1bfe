// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Rows of pixels from libheif's planes of samples.
struct PictureRows {
  /// Keeps the planes.
  private let picture: LibHEIF.DecodedPicture
  private let width: Int
  private let format: PixelFormat
  /// One for each channel of a pixel; nil where pixels are opaque.
  private let channels: [Channel?]

  private struct Channel {
    let plane: LibHEIF.DecodedPicture.Plane
    /// Samples as they are stored in pixels, by those of the plane.
    let scaled: [UInt16]
  }

  /// - Throws: ``CoderError/Code/malformed`` when the planes are not those of the format.
  init(_ picture: LibHEIF.DecodedPicture, size: Size, as format: PixelFormat) throws(CoderError) {
    self.picture = picture
    self.format = format
    width = size.width
    let top = format.bytesPerChannel == 1 ? 255 : 65_535
    func channel(_ plane: LibHEIF.DecodedPicture.Plane) -> Channel {
      Channel(plane: plane, scaled: Self.scale(ofBits: plane.bits, to: top))
    }
    var channels: [Channel?] = try picture.colors(isGray: format.isGray, size).map(channel)
    if format.hasAlpha { channels.append(try picture.alpha(size).map(channel)) }
    self.channels = channels
  }

  /// Samples of fewer or more bits, spread over 0 to `top` to the nearest.
  static func scale(ofBits bits: Int, to top: Int) -> [UInt16] {
    let last = 1 << bits - 1
    return (0...last).map { UInt16(($0 * 2 * top + last) / (2 * last)) }
  }

  func write(_ y: Int, to row: UnsafeMutableRawPointer) {
    for (index, channel) in channels.enumerated() {
      if format.bytesPerChannel == 1 {
        write(channel, y, to: row.assumingMemoryBound(to: UInt8.self) + index)
      } else {
        write(channel, y, to: row.assumingMemoryBound(to: UInt16.self) + index)
      }
    }
  }

  private func write<Sample: FixedWidthInteger>(_ channel: Channel?, _ y: Int, to row: UnsafeMutablePointer<Sample>) {
    let step = channels.count
    guard let channel else {
      for x in 0..<width { row[x &* step] = .max }
      return
    }
    let samples = channel.plane.base + y * channel.plane.stride
    // Bits above those of the plane would be a fault of the decoder's.
    let mask = channel.scaled.count - 1
    if channel.plane.bits > 8 {
      let samples = samples.assumingMemoryBound(to: UInt16.self)
      for x in 0..<width { row[x &* step] = Sample(truncatingIfNeeded: channel.scaled[Int(samples[x]) & mask]) }
    } else {
      let samples = samples.assumingMemoryBound(to: UInt8.self)
      for x in 0..<width { row[x &* step] = Sample(truncatingIfNeeded: channel.scaled[Int(samples[x]) & mask]) }
    }
  }
}
