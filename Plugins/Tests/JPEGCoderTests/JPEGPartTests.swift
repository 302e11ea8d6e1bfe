// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import JPEGCoder

/// Parts of pictures, of which libjpeg makes no other pixels, held against the same parts of the whole.
@Suite struct JPEGPartTests {
  private typealias Coding = DeepFileTests.Coding

  static let codings: [DeepFileTests.Coding] = [
    .init(isGray: true, size: Size(width: 337, height: 141)),
    .init(isGray: true, isProgressive: true, size: Size(width: 337, height: 141)),
    .init(size: Size(width: 257, height: 200)), .init(isProgressive: true, size: Size(width: 257, height: 200)),
    .init(horizontal: 2, vertical: 2, size: Size(width: 401, height: 259)),
    .init(horizontal: 2, vertical: 2, isProgressive: true, size: Size(width: 401, height: 259)),
    .init(horizontal: 2, vertical: 2, restartRows: 1, size: Size(width: 98, height: 150)),
    .init(horizontal: 2, size: Size(width: 241, height: 131)), .init(vertical: 2, size: Size(width: 131, height: 241)),
    .init(horizontal: 4, size: Size(width: 161, height: 90)),
  ]

  /// Noise over slopes: chroma between two pixels is that of neither.
  private static func file(_ coding: Coding) throws -> [UInt8] {
    try DeepFileTests.file(coding) { x, y, channel in
      (x * (channel + 2) + y * 3) % 200 + (x &* 37 ^ y &* 101 ^ channel &* 59) % 50
    }
  }

  /// What a reader delivers, and what the error after it was.
  private static func read(
    _ bytes: [UInt8], eighths: Int, part: Rect?, format: PixelFormat? = nil, _ hints: OpenOptions.Hints = []
  ) throws -> (offer: DecodeOffer, pixels: [UInt8], rows: Int, problem: CoderError?) {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    let reader = try JPEGReader(source.view, host: MemoryHost().host, options: OpenOptions(hints))
    let canvas = try reader.header(page: 0).canvas
    var request = DecodeRequest()
    request.size = Size(width: (canvas.width * eighths + 7) / 8, height: (canvas.height * eighths + 7) / 8)
    request.part = part
    request.pixelFormat = format
    return try reader.delivered(for: request)
  }

  /// Parts at every corner, of one pixel, and some hundred anywhere.
  private static func parts(of size: Size) -> [Rect] {
    var random: UInt64 = 7
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    var parts = [
      Rect(x: 0, y: 0, width: 1, height: 1), Rect(x: size.width - 1, y: size.height - 1, width: 1, height: 1),
      Rect(x: 0, y: size.height - 1, width: size.width, height: 1),
      Rect(x: size.width - 1, y: 0, width: 1, height: size.height),
    ]
    for _ in 0..<100 {
      let (x, y) = (next(size.width), next(size.height))
      parts.append(Rect(x: x, y: y, width: 1 + next(size.width - x), height: 1 + next(size.height - y)))
    }
    return parts
  }

  @Test(arguments: codings, [8, 4, 2, 1])
  func aPartIsThatOfTheWhole(_ coding: DeepFileTests.Coding, _ eighths: Int) throws {
    let bytes = try Self.file(coding)
    let whole = try Self.read(bytes, eighths: eighths, part: nil)
    #expect(whole.offer.size.width == (coding.size.width * eighths + 7) / 8)
    for part in Self.parts(of: whole.offer.size) {
      let found = try Self.read(bytes, eighths: eighths, part: part)
      try #require(found.offer.part == part && found.offer.whole == whole.offer.size && found.problem == nil)
      try #require(found.rows == part.height)
      try #require(found.pixels == whole.offer.pixels(in: part, of: whole.pixels), "\(part)")
    }
  }

  @Test(arguments: [PixelFormat.rgba8, .bgra8]) func otherFormatsAreCutAsWell(_ format: PixelFormat) throws {
    let bytes = try Self.file(Self.codings[4])
    let part = Rect(x: 31, y: 17, width: 50, height: 40)
    let whole = try Self.read(bytes, eighths: 8, part: nil, format: format)
    let found = try Self.read(bytes, eighths: 8, part: part, format: format)
    #expect(found.offer.part == part && found.pixels == whole.offer.pixels(in: part, of: whole.pixels))
  }

  /// While bytes arrive, the picture is drawn more than once, and the host cuts.
  @Test func aFileThatArrivesIsOfferedWhole() throws {
    let bytes = try Self.file(Self.codings[5])
    let found = try Self.read(bytes, eighths: 8, part: Rect(x: 9, y: 9, width: 9, height: 9), .incremental)
    #expect(found.offer.part == Rect(covering: Self.codings[5].size))
  }

  /// A part above the place where the file is cut is whole; of one across it the rows that the whole has come, and of one
  /// below it nothing, but the error.
  @Test(arguments: [4, 6]) func aFileThatIsCutHasItsRows(_ coding: Int) throws {
    let bytes = try Self.file(Self.codings[coding])
    let there = Array(bytes.prefix(bytes.count / 2))
    let whole = try Self.read(there, eighths: 8, part: nil)
    #expect(whole.problem?.code == .truncated && whole.rows > 40)
    let width = whole.offer.size.width
    for (part, rows) in [
      (Rect(x: 20, y: 8, width: 33, height: 20), 20), (Rect(x: 20, y: whole.rows - 10, width: 33, height: 20), 10),
      (Rect(x: 0, y: whole.rows, width: width, height: 5), 0),
    ] {
      let found = try Self.read(there, eighths: 8, part: part)
      #expect(found.rows == rows)
      #expect(found.problem?.code == (rows == part.height ? nil : .truncated))
      let bytes = rows * part.width * 3
      #expect(found.pixels.prefix(bytes) == whole.offer.pixels(in: part, of: whole.pixels).prefix(bytes))
    }
  }

  /// Of a progressive file without its last scans, libjpeg guesses at coefficients by the blocks beside them.
  @Test func aCutProgressiveFileIsSmoothedAsTheWhole() throws {
    let bytes = try Self.file(Self.codings[5])
    for share in [3, 5, 8] {
      let there = Array(bytes.prefix(bytes.count * share / 10))
      let whole = try Self.read(there, eighths: 8, part: nil)
      for part in Self.parts(of: whole.offer.size).prefix(30) {
        let found = try Self.read(there, eighths: 8, part: part)
        try #require(found.rows == part.height && found.problem?.code == whole.problem?.code)
        try #require(found.pixels == whole.offer.pixels(in: part, of: whole.pixels), "\(share), \(part)")
      }
    }
  }
}
