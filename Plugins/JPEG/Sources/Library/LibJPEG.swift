// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CJPEGShim
import ImageCoderPlugin

/// libjpeg-turbo through the shim: one call decodes, one changes the geometry, and ``JPEGEncoder`` encodes.
enum LibJPEG {
  /// `libjpeg-turbo 2.1.5`
  static var version: String { String(cString: cjpeg_library()) }

  /// JPEG_MAX_DIMENSION of jmorecfg.h; T.81 B.2.2 allows 65,535.
  static let maximumSide = 65_500

  /// Decodes a file from the top into a sink.
  ///
  /// - Parameter heightPlace: ``FileHeader/heightPlace``.
  /// - Throws: ``CoderError/Code/truncated`` or ``CoderError/Code/malformed`` after the rows that could be decoded.
  static func decode(
    _ source: SourceView, canvas: Size, heightPlace: Int = 0, offer: DecodeOffer, isInks: Bool, into sink: RowSink,
    host: CoderHost, isIncremental: Bool
  ) throws(CoderError) {
    var options = cjpeg_decode_options(
      width: UInt32(clamping: canvas.width), height: UInt32(clamping: canvas.height),
      pixel_format: offer.pixelFormat.rawValue, eighths: offer.scaleCode,
      output_width: UInt32(clamping: offer.whole.width), output_height: UInt32(clamping: offer.whole.height),
      part_x: UInt32(clamping: offer.part.x), part_y: UInt32(clamping: offer.part.y),
      part_width: UInt32(clamping: offer.size.width), part_height: UInt32(clamping: offer.size.height),
      is_incremental: isIncremental ? 1 : 0, height_place: UInt64(heightPlace), is_inks: isInks ? 1 : 0)
    var report = cjpeg_report()
    guard cjpeg_decode(host.raw, source.raw, sink.raw, &options, &report) != 0 else { return }
    if report.status == CoderError.Code.truncated.rawValue, report.message.0 == 0 {
      throw .truncated(
        "the entropy-coded data ends early, \(report.rows) of \(offer.size.height) rows have data",
        at: Int(clamping: report.offset))
    }
    throw CoderError(report, host: host, memory: offer.memory, refusal: "the host takes no more rows")
  }

  /// Encodes a whole picture.
  ///
  /// - Parameter segments: Whole marker segments that follow SOI and APP0.
  static func encode(
    _ pixels: PixelView, options: cjpeg_encode_options, segments: [UInt8], to output: ByteOutput, host: CoderHost
  ) throws(CoderError) {
    let encoder = try JPEGEncoder(options: options, segments: segments, to: output, host: host)
    try encoder.add(pixels)
    try encoder.finish()
  }

  /// Writes a file whose picture has the same coefficients in other places.
  ///
  /// - Parameters:
  ///   - segments: Whole marker segments that follow SOI.
  ///   - memory: Bytes that libjpeg is expected to take.
  /// - Throws: ``CoderError/Code/truncated`` or ``CoderError/Code/malformed`` if some of them are missing.
  static func changeGeometry(
    of source: SourceView, _ geometry: cjpeg_geometry, segments: [UInt8], to output: ByteOutput, host: CoderHost,
    memory: Int
  ) throws(CoderError) {
    var geometry = geometry
    var report = cjpeg_report()
    let status = segments.withUnsafeBufferPointer { segments in
      geometry.segments = segments.baseAddress
      geometry.segments_length = UInt64(segments.count)
      return cjpeg_change_geometry(host.raw, source.raw, output.raw, &geometry, &report)
    }
    guard status != 0 else { return }
    if report.status == CoderError.Code.truncated.rawValue {
      throw .truncated("the entropy-coded data ends early", at: Int(clamping: report.offset))
    }
    throw CoderError(report, host: host, memory: memory, refusal: "the output takes no more bytes")
  }
}

extension CoderError {
  /// What the shim reports; the statuses of libjpeg's own error codes are in `failure.c`.
  init(_ report: cjpeg_report, host: CoderHost, memory: Int, refusal: String) {
    let code = Code(rawValue: report.status)
    switch code {
    case .cancelled:
      self = .cancelled
    case .outOfMemory:
      self = .outOfMemory(bytes: memory, for: "libjpeg")
    case .limitExceeded where report.scans > 0:
      self = .limitExceeded(
        .maxScans, found: report.scans, allowed: host.limits.maxScans, what: "a scan count of at least")
    case .limitExceeded where report.message.0 != 0:
      self = .limitExceeded(
        .maxMemory, found: memory, allowed: host.limits.maxMemory, what: "coefficients with bytes of about")
    default:
      let said = withUnsafeBytes(of: report.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let message = said.isEmpty ? refusal : "libjpeg: \(said.lowercasedStart)"
      self.init(code: code, message: message, offset: report.offset < 0 ? nil : Int(clamping: report.offset))
    }
  }
}

extension String {
  /// With a small first letter, unless it begins an abbreviation.
  fileprivate var lowercasedStart: String {
    guard let first, dropFirst().first?.isUppercase == false else { return self }
    return first.lowercased() + dropFirst()
  }
}
