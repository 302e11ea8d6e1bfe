// SPDX-License-Identifier: Apache-2.0

import CJPEGShim
import ImageCoderPlugin

/// One JPEG file that is encoded row by row.
final class JPEGEncoder {
  private let host: CoderHost
  private let raw: OpaquePointer
  private let pixelCount: Int

  /// Begins a file: everything before the first scan is written.
  ///
  /// - Parameters:
  ///   - segments: Whole marker segments that follow SOI and APP0.
  ///   - output: Lives as long as the encoder.
  init(
    options: cjpeg_encode_options, segments: [UInt8], to output: ByteOutput, host: CoderHost
  ) throws(CoderError) {
    var (options, report, encoder) = (options, cjpeg_report(), OpaquePointer?.none)
    let status = segments.withUnsafeBufferPointer { segments in
      options.segments = segments.baseAddress
      options.segments_length = UInt64(segments.count)
      return cjpeg_encode_begin(host.raw, output.raw, &options, &encoder, &report)
    }
    let pixelCount = Int(clamping: UInt64(options.width) * UInt64(options.height))
    guard let raw = encoder, status == 0 else {
      cjpeg_encode_free(encoder)
      throw Self.error(report, pixelCount, host)
    }
    self.host = host
    self.raw = raw
    self.pixelCount = pixelCount
  }

  deinit { cjpeg_encode_free(raw) }

  /// Encodes the next rows, top to bottom.
  func add(_ rows: PixelView) throws(CoderError) {
    var report = cjpeg_report()
    let status = cjpeg_encode_add(
      raw, rows.base.assumingMemoryBound(to: UInt8.self), UInt64(rows.stride), UInt32(clamping: rows.size.height),
      &report)
    guard status == 0 else { throw Self.error(report, pixelCount, host) }
  }

  /// Writes the rest of the file, after the last row.
  func finish() throws(CoderError) {
    var report = cjpeg_report()
    guard cjpeg_encode_end(raw, &report) != 0 else { return }
    throw Self.error(report, pixelCount, host)
  }

  private static func error(_ report: cjpeg_report, _ pixelCount: Int, _ host: CoderHost) -> CoderError {
    CoderError(report, host: host, memory: pixelCount, refusal: "the output takes no more bytes")
  }
}
