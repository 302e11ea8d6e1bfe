// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CDav1d
import CQuietLibrary
import ISOBaseMediaFile
import ImageCoderPlugin

/// What the wrapped library says of itself and of its failures.
enum LibAVIF {
  /// The library as it was found at run time, `libavif 0.11.1`.
  static var name: String { "libavif \(String(cString: avifVersion()))" }

  /// Whether lines of dav1d are kept from standard error, which is done once: libavif does not tell it where they go.
  static let isQuiet: Bool = {
    let version: @convention(c) () -> UnsafePointer<CChar>? = dav1d_version
    quiet_library(unsafeBitCast(version, to: UnsafeRawPointer.self))
    return true
  }()

  /// What a struct's diagnostics say, or nil when they are empty.
  static func text(of diagnostics: avifDiagnostics) -> String? {
    let text = withUnsafeBytes(of: diagnostics.error) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return text.isEmpty ? nil : text.split(separator: "\n").joined(separator: " ")
  }
}

extension CoderError {
  /// A reading result as an error.
  ///
  /// - Parameters:
  ///   - isCut: Whether the file ends before its last box does.
  ///   - end: Bytes that are there.
  init(
    decoding result: avifResult, _ diagnostics: avifDiagnostics, what: String, isCut: Bool, end: Int, limits: Limits
  ) {
    let text = LibAVIF.text(of: diagnostics) ?? String(cString: avifResultToString(result))
    let detail = text.prefix(1).lowercased() + text.dropFirst()
    if detail.utf8.hasText("dimensions are too large") {
      self = CoderError(
        code: .limitExceeded,
        message: "\(detail), over the limits maxSide of \(limits.maxSide) or maxPixels of \(limits.maxPixels)")
      return
    }
    // Places after the end of the file.
    if detail.utf8.hasText("sizeHint") || detail.utf8.hasText("size hint") {
      self = .truncated("\(what) is not all there: \(detail)", at: end)
      return
    }
    if detail.utf8.hasText("imageCountLimit") {
      self = CoderError(
        code: .limitExceeded, message: "more frames than the limit maxFrames of \(limits.maxFrames)", limit: .maxFrames)
      return
    }
    switch result {
    case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_WAITING_ON_IO, AVIF_RESULT_IO_ERROR:
      self = .truncated("\(what) is not all there: \(detail)", at: end)
    case AVIF_RESULT_INVALID_FTYP: self = .wrongFormat("libavif knows no brand of the file", at: 0)
    case AVIF_RESULT_NO_AV1_ITEMS_FOUND, AVIF_RESULT_NO_CONTENT:
      self = isCut ? .truncated("no picture before the end", at: end) : .malformed("no AV1 picture: \(detail)")
    case AVIF_RESULT_NOT_IMPLEMENTED, AVIF_RESULT_UNSUPPORTED_DEPTH: self = .unsupported("\(what): \(detail)")
    case AVIF_RESULT_NO_CODEC_AVAILABLE: self = .libraryFailure("libavif has no AV1 decoder")
    case AVIF_RESULT_OUT_OF_MEMORY: self = CoderError(code: .outOfMemory, message: "no memory for \(what)")
    default:
      self =
        isCut ? .truncated("\(what) is not all there: \(detail)", at: end) : .malformed("\(what): \(detail)")
    }
  }
}
