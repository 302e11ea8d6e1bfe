// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What a coder must answer for a picture. A value that is missing is not checked.
public struct ValidAnswer: Decodable, Sendable {
  /// Width and height as stored.
  var canvas: [Int]
  var pixelFormat: String
  var bitsPerChannel: Int
  var alpha: String
  /// The layout in which hashes are taken: `rgba8` or `rgba16`.
  var hashFormat: String
  var orientation: Int?
  /// Of the first frame, turned upright.
  var uprightHash: String?
  /// Plays in all or "infinite"; missing for stills.
  var loopCount: Plays?
  /// Payloads by kind: `ICC`, `Exif`, `XMP`. No others are there.
  var metadata: [String: Payload]?
  /// Primaries, transfer, matrix, full range.
  var cicp: [UInt8]?
  var subsampling: UInt32?
  var isProgressive: Bool?
  var isLossless: Bool?
  var frames: [FrameAnswer]
  /// Of a file with several pages; the other values are the primary page's.
  var pageCount: Int?
  var primaryPage: Int?
  var pages: [PageAnswer]?

  /// One page, as stored.
  struct PageAnswer: Decodable, Sendable {
    var canvas: [Int]
    /// Or nil when it is not checked.
    var hash: String?
    /// Whether the page is a file of another format.
    var embedded: Bool?
    /// The code of the error that the page ends with, by its name.
    var error: String?
  }

  struct Payload: Decodable, Sendable {
    var bytes: Int
    var hash: String
  }

  /// One frame; a still picture's has a hash alone.
  struct FrameAnswer: Decodable, Sendable {
    var rect: [Int]?
    /// Seconds as a fraction.
    var delay: [UInt32]?
    var disposal: String?
    var blend: String?
    /// Of the canvas as it is shown, before orientation.
    var hash: String
  }

  struct Plays: Decodable, Sendable {
    var count: LoopCount

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      count = (try? value.decode(UInt32.self)).map { .plays($0) } ?? .infinite
    }
  }

  var size: Size { Size(width: canvas[0], height: canvas[1]) }
  var isAnimated: Bool { loopCount != nil }
  var hashLayout: PixelFormat { hashFormat == "rgba16" ? .rgba16 : .rgba8 }
}

/// What a coder must answer for a file that is not right.
public struct InvalidAnswer: Decodable, Sendable {
  /// The error's code by its name: `truncated`.
  var error: String
  /// Whether rows come before the error: "none", the error is thrown; "some", it is the image's problem; "any".
  var rows: String?
}
