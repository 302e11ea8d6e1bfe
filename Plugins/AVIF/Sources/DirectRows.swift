// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ImageCoderPlugin

/// Copies pictures that need no conversion of colours: gray ones, and deep ones by the identity matrix, whose planes are
/// green, blue and red (ITU-T H.273 §8.3). Samples are brought to full range and to all bits of the host's.
struct DirectRows {
  private let image: avifImage
  private let format: PixelFormat
  /// What a stored sample becomes; for 8-bit pictures the lower 8 bits count.
  private let luma: [UInt16]
  private let alpha: [UInt16]
  private let isCopied: Bool

  /// - Throws: ``CoderError/Code/malformed`` when the decoded picture has another depth than its container says.
  init(_ image: avifImage, format: PixelFormat) throws(CoderError) {
    guard (image.depth > 8) == (format.bytesPerChannel == 2), image.depth <= 12 else {
      throw .malformed("AV1 data of \(image.depth) bits, the container says \(format)")
    }
    self.image = image
    self.format = format
    let depth = Int(image.depth)
    let isFull = image.yuvRange == AVIF_RANGE_FULL
    let top = depth > 8 ? 65_535 : 255
    luma = Self.table(depth: depth, isFull: isFull, top: top)
    // ISO/IEC 23000-22 §7.3.5.2: alpha has full range; libavif has made it so.
    alpha = Self.table(depth: depth, isFull: true, top: top)
    isCopied = depth == 8 && isFull && format == .gray8
  }

  /// What each stored sample becomes. ITU-T H.273 §8.3: limited range has black at 16 and white at 235, times a power of
  /// two.
  static func table(depth: Int, isFull: Bool, top: Int) -> [UInt16] {
    let black = isFull ? 0 : 16 << (depth - 8)
    let span = isFull ? (1 << depth) - 1 : 219 << (depth - 8)
    return (0..<1 << depth).map { UInt16((min(max($0 - black, 0), span) * top * 2 + span) / (2 * span)) }
  }

  func write(row: Int, from x: Int, count: Int, to target: UnsafeMutableRawPointer) {
    func samples(_ plane: UnsafeMutablePointer<UInt8>?, _ rowBytes: UInt32) -> UnsafeRawPointer? {
      plane.map { UnsafeRawPointer($0) + row * Int(rowBytes) + x * (image.depth > 8 ? 2 : 1) }
    }
    let first = samples(image.yuvPlanes.0, image.yuvRowBytes.0)
    if isCopied {
      if let first { target.copyMemory(from: first, byteCount: count) }
      return
    }
    var planes: [(channel: Int, samples: UnsafeRawPointer?, table: [UInt16])] = [(0, first, luma)]
    if !format.isGray {
      planes = [
        (1, first, luma), (2, samples(image.yuvPlanes.1, image.yuvRowBytes.1), luma),
        (0, samples(image.yuvPlanes.2, image.yuvRowBytes.2), luma),
      ]
    }
    if format.hasAlpha {
      planes.append((format.channelCount - 1, samples(image.alphaPlane, image.alphaRowBytes), alpha))
    }
    for plane in planes {
      if image.depth > 8 {
        write(plane.samples?.assumingMemoryBound(to: UInt16.self), plane.table, plane.channel, count, to: target)
      } else {
        write(plane.samples?.assumingMemoryBound(to: UInt8.self), plane.table, plane.channel, count, to: target)
      }
    }
  }

  /// Writes one channel of a row; without a plane, which only alpha can be, it is opaque.
  private func write<Sample: FixedWidthInteger>(
    _ samples: UnsafePointer<Sample>?, _ table: [UInt16], _ channel: Int, _ count: Int,
    to target: UnsafeMutableRawPointer
  ) {
    let step = format.channelCount
    let target = target.assumingMemoryBound(to: Sample.self) + channel
    guard let samples else {
      for x in 0..<count { target[x &* step] = Sample.max }
      return
    }
    // A table has a place for each value that a sample of the depth has; the mask keeps damaged ones inside.
    let mask = table.count &- 1
    table.withUnsafeBufferPointer { table in
      guard let base = table.baseAddress else { return }
      for x in 0..<count { target[x &* step] = Sample(truncatingIfNeeded: base[Int(samples[x]) & mask]) }
    }
  }
}
