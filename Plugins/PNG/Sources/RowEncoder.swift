// SPDX-License-Identifier: Apache-2.0

import CPNGShim
import ImageCoderPlugin

/// The image data of a picture whose rows come a few at a time, and go on in parts.
final class RowEncoder {
  private let image: UnsafeMutablePointer<cpng_image>
  private let raw: OpaquePointer

  /// Whether a picture can be written so.
  static func takes(_ image: cpng_image) -> Bool {
    withUnsafePointer(to: image) { cpng_takes_rows($0) != 0 }
  }

  /// - Parameters:
  ///   - image: Without pixels.
  ///   - output: Lives as long as the encoder.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ stored: cpng_image, to output: ByteOutput, host: CoderHost) throws(CoderError) {
    let image = UnsafeMutablePointer<cpng_image>.allocate(capacity: 1)
    image.initialize(to: stored)
    image.pointee.host = host.raw
    image.pointee.output = output.raw
    var (rows, failure) = (OpaquePointer?.none, cpng_failure())
    let status = cpng_rows_begin(image, &rows, &failure)
    guard let raw = rows, status == 0 else {
      image.deallocate()
      throw CoderError(failure, status: status)
    }
    self.image = image
    self.raw = raw
  }

  deinit {
    cpng_rows_free(raw)
    image.deallocate()
  }

  /// Takes the next rows, top to bottom.
  func add(_ pixels: PixelView) throws(CoderError) {
    var failure = cpng_failure()
    let status = cpng_rows_add(
      raw, pixels.base.assumingMemoryBound(to: UInt8.self), UInt64(pixels.stride), UInt32(clamping: pixels.size.height),
      &failure)
    guard status == 0 else { throw CoderError(failure, status: status) }
  }

  /// Writes the rest, after the last row.
  ///
  /// - Returns: Bytes that were written in all.
  func finish() throws(CoderError) -> Int {
    var failure = cpng_failure()
    let status = cpng_rows_end(raw, &failure)
    guard status == 0 else { throw CoderError(failure, status: status) }
    return Int(clamping: image.pointee.written)
  }
}
