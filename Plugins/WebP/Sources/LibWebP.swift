// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

/// What the wrapped library says of itself and of its failures.
enum LibWebP {
  /// The library as it was found at run time, `libwebp 1.2.4`.
  static var name: String {
    let version = UInt32(bitPattern: WebPGetDecoderVersion())
    return "libwebp \(version >> 16 & 0xff).\(version >> 8 & 0xff).\(version & 0xff)"
  }

  /// The longest side that VP8 and VP8L hold: 14 bits (RFC 6386 §9.1, RFC 9649 §3.4). libwebp's encoder stops one
  /// short of what VP8L can say.
  static let maxEncodedSide = Int(WEBP_MAX_DIMENSION)
}

extension CoderError {
  /// A decoder's status as an error.
  ///
  /// - Parameters:
  ///   - rows: Rows that were decoded before.
  ///   - isWhole: Whether the file holds all bytes that its chunks announce.
  init(decoding status: VP8StatusCode, rows: Int, of height: Int, isWhole: Bool, at offset: Int) {
    let place = "after row \(rows) of \(height)"
    switch status {
    case VP8_STATUS_OUT_OF_MEMORY:
      self = CoderError(code: .outOfMemory, message: "no memory for the decoder's picture of \(height) rows")
    case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA:
      self =
        isWhole
        ? .malformed("the bitstream ends \(place), and its chunk is complete", at: offset)
        : .truncated("the bitstream is cut \(place)", at: offset)
    case VP8_STATUS_BITSTREAM_ERROR:
      self = .malformed("libwebp finds an error in the bitstream \(place)", at: offset)
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      self = .unsupported("libwebp does not decode a feature of the bitstream \(place)", at: offset)
    // libwebp's own output function fails in this way when the alpha plane is broken.
    case VP8_STATUS_USER_ABORT: self = .malformed("libwebp finds an error in the alpha plane \(place)", at: offset)
    case VP8_STATUS_INVALID_PARAM: self = .libraryFailure("libwebp refuses its parameters")
    default: self = .libraryFailure("libwebp reports status \(status.rawValue)")
    }
  }

  /// An encoder's error.
  init(encoding code: WebPEncodingError, size: Size) {
    switch code {
    case VP8_ENC_ERROR_OUT_OF_MEMORY, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
      self = CoderError(code: .outOfMemory, message: "no memory to encode a picture of \(size)")
    case VP8_ENC_ERROR_NULL_PARAMETER, VP8_ENC_ERROR_INVALID_CONFIGURATION:
      self = .libraryFailure("libwebp refuses its parameters with error \(code.rawValue)")
    case VP8_ENC_ERROR_BAD_DIMENSION:
      self = .unsupported("a picture of \(size), and WebP holds \(LibWebP.maxEncodedSide) pixels on a side")
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
      self = .unsupported("the prediction modes of a picture of \(size) need more than 512 KiB at this quality")
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
      self = .unsupported("a partition of a picture of \(size) needs more than 16 MiB at this quality")
    case VP8_ENC_ERROR_FILE_TOO_BIG: self = .unsupported("a picture of \(size) needs more than 4 GiB at this quality")
    case VP8_ENC_ERROR_BAD_WRITE: self = .io("libwebp could not hand on encoded bytes")
    case VP8_ENC_ERROR_USER_ABORT: self = .cancelled
    default: self = .libraryFailure("libwebp reports encoding error \(code.rawValue)")
    }
  }
}
