// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderModel

/// Rows that are the result.
final class DirectTarget: SinkTarget {
  private let buffer: PixelBuffer

  init(_ buffer: PixelBuffer) { self.buffer = buffer }

  func rows(at y: Int, count: Int) -> imgcoder_rows {
    imgcoder_rows(
      pixels: buffer.row(y).assumingMemoryBound(to: UInt8.self), stride: UInt64(buffer.stride), count: UInt32(count),
      reserved: 0)
  }

  func done(at y: Int, count: Int, pass: Int) {}
}

/// Rows that pass through a few rows of memory on their way: to another layout, or to a smaller size.
final class PassingTarget: SinkTarget {
  private let band: PixelBuffer
  private let consume: (_ y: Int, _ rows: UnsafeRawPointer, _ stride: Int, _ count: Int) -> Void

  /// The picture's row that the band begins with.
  private var firstRow = 0

  /// Rows that are granted at a time: as many as JPEG has in a row of its largest blocks.
  static let bandHeight = 16

  /// - Parameter consume: Called for rows in order from the top.
  init(
    width: Int, height: Int, layout: PixelLayout,
    consume: @escaping (_ y: Int, _ rows: UnsafeRawPointer, _ stride: Int, _ count: Int) -> Void
  ) throws(CoderError) {
    band = try PixelBuffer(
      size: Size(width: width, height: min(height, Self.bandHeight)), format: layout.format, alpha: layout.alpha)
    self.consume = consume
  }

  func rows(at y: Int, count: Int) -> imgcoder_rows {
    firstRow = y
    return imgcoder_rows(
      pixels: band.base.assumingMemoryBound(to: UInt8.self), stride: UInt64(band.stride),
      count: UInt32(min(count, band.size.height)), reserved: 0)
  }

  func done(at y: Int, count: Int, pass: Int) {
    // Rows that were granted together may be done one after another. The sink lets no others pass.
    consume(y, UnsafeRawPointer(band.row(y - firstRow)), band.stride, count)
  }
}
