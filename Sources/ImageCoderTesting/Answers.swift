// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What a coder must answer for a picture. A value that is missing is not checked.
public struct ValidAnswer: FixtureAnswer {
  /// What the picture is for; read by people alone.
  var shows: String?
  /// Width and height as stored.
  var canvas: [Int]
  var pixelFormat: String
  var bitsPerChannel: Int
  var alpha: String
  /// The layout in which hashes are taken: `rgba8` or `rgba16`.
  var hashFormat: String
  var orientation: Int?
  /// The hash of the first frame, turned upright.
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
  /// The number of pages of a file with several; the other values are the primary page's.
  var pageCount: Int?
  var primaryPage: Int?
  var pages: [PageAnswer]?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case shows, canvas, pixelFormat, bitsPerChannel, alpha, hashFormat, orientation, uprightHash, loopCount, metadata
    case cicp, subsampling, isProgressive, isLossless, frames, pageCount, primaryPage, pages
  }

  static let memberNames = CodingKeys.allCases.map(\.rawValue)

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
    /// The hash of the canvas as it is shown, before orientation.
    var hash: String
  }

  struct Plays: Decodable, Sendable {
    var count: LoopCount

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let word = try? value.decode(String.self) {
        guard word == "infinite" else { throw AnswerMistake("loopCount is a number or \"infinite\", not \"\(word)\"") }
        count = .infinite
      } else {
        count = .plays(try value.decode(UInt32.self))
      }
    }
  }

  /// The checks index these lists without looking at their lengths again.
  func validate() throws(AnswerMistake) {
    try expect(canvas.count == 2, "canvas has \(canvas.count) numbers, not width and height")
    try expect(["rgba8", "rgba16"].contains(hashFormat), "hashFormat is \(hashFormat), not rgba8 or rgba16")
    try expect(!frames.isEmpty, "frames is empty; a still picture has one")
    for (index, frame) in frames.enumerated() {
      try expect(frame.rect.map { $0.count == 4 } ?? true, "the rect of frame \(index) is x, y, width, height")
      let isFraction = frame.delay.map { $0.count == 2 && $0[1] > 0 } ?? true
      try expect(isFraction, "the delay of frame \(index) is a numerator and a denominator")
    }
    for (index, page) in (pages ?? []).enumerated() {
      try expect(page.canvas.count == 2, "the canvas of page \(index) is width and height")
      if let error = page.error { try expectCode(error) }
    }
    try expect(cicp.map { $0.count == 4 } ?? true, "cicp is primaries, transfer, matrix, full range")
  }

  var size: Size { Size(width: canvas[0], height: canvas[1]) }
  var isAnimated: Bool { loopCount != nil }
  var hashLayout: PixelFormat { hashFormat == "rgba16" ? .rgba16 : .rgba8 }
}

/// What a coder must answer for a file that is not right.
public struct InvalidAnswer: FixtureAnswer {
  /// What is wrong with the file; read by people alone.
  var shows: String?
  /// The error's code by its name: `truncated`.
  var error: String
  /// Whether rows come before the error: "none", the error is thrown; "some", it is the image's problem; "any".
  var rows: String?

  enum CodingKeys: String, CodingKey, CaseIterable { case shows, error, rows }

  static let memberNames = CodingKeys.allCases.map(\.rawValue)

  func validate() throws(AnswerMistake) {
    try expectCode(error)
    if let rows { try expect(["none", "some", "any"].contains(rows), "rows is \(rows), not none, some or any") }
  }
}

/// An answer that can be checked for mistakes of its author.
protocol FixtureAnswer: Decodable, Sendable {
  /// The names that an answer may have; another one is a mistake and would check nothing.
  static var memberNames: [String] { get }

  func validate() throws(AnswerMistake)
}

extension FixtureAnswer {
  fileprivate func expect(_ condition: Bool, _ mistake: @autoclosure () -> String) throws(AnswerMistake) {
    guard condition else { throw AnswerMistake(mistake()) }
  }

  fileprivate func expectCode(_ name: String) throws(AnswerMistake) {
    let codes: [CoderError.Code] = [
      .wrongFormat, .truncated, .malformed, .checksumMismatch, .unsupported, .limitExceeded, .libraryFailure,
    ]
    let names = codes.map(\.description)
    try expect(names.contains(name), "the error is \(name), not one of \(names.joined(separator: ", "))")
  }
}

/// Why an answer cannot be used, in one sentence.
struct AnswerMistake: Error, Sendable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
