// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import ImageProcessing
import Synchronization
import TestSupport
import Testing

/// Files that look as they are asked to.
@Suite(.needs("JPEG")) struct LookEncodingTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  /// Waves of several lengths, edges, and a little noise.
  static func photo(_ width: Int, _ height: Int) throws -> PixelBuffer {
    var random = SplitMix(seed: 5)
    let buffer = try PixelBuffer(size: Size(width: width, height: height), format: .rgb8, alpha: .opaque)
    for y in 0..<height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width {
        let wave = abs((x * 3 + y) % 256 - 128) + abs((x * x / 97 + y * 2) % 128 - 64) / 2
        let edge = (x / 37 + y / 29) % 3 == 0 ? 40 : 0
        for channel in 0..<3 {
          row[3 * x + channel] = UInt8(clamping: wave * (4 + channel) / 5 + edge * (channel % 2) + random.below(6))
        }
      }
    }
    return buffer
  }

  private static func made(
    _ image: Image, _ format: ImageFormat, _ change: (inout EncodeOptions) -> Void
  ) throws -> EncodedFile {
    var options = EncodeOptions()
    change(&options)
    let encoder = try registry.makeEncoder(as: format, options: options)
    try encoder.add(image)
    return try encoder.finish()
  }

  @Test(arguments: [55.0, 65, 75]) func aJPEGLooksAsItIsAskedTo(_ target: Double) throws {
    let image = Image(try Self.photo(320, 240))
    let file = try Self.made(image, .jpeg) { $0.look = target }
    let look = try #require(file.look)
    let score = try ImageComparison.ssimulacra2(image, Self.registry.decode(.bytes(file.bytes)))
    #expect(abs(score - target) <= 0.5 && score == look.score)
    #expect(look.tries >= 1 && look.tries <= 4 && look.partTries == 0)
    // With the tables of the standard, the same look takes more bytes.
    let plain = try Self.made(image, .jpeg) {
      $0.look = target
      $0.values["effort"] = "fast"
    }
    #expect(abs(try #require(plain.look).score - target) <= 0.5 && file.byteCount < plain.byteCount)
  }

  @Test func aLargePictureIsSearchedOnAPart() throws {
    let image = Image(try Self.photo(2400, 2000))
    let file = try Self.made(image, .jpeg) { $0.look = 70 }
    let look = try #require(file.look)
    #expect(abs(look.score - 70) <= 0.5)
    #expect((1...2).contains(look.partTries) && (1...3).contains(look.tries))
    #expect(try ImageComparison.ssimulacra2(image, Self.registry.decode(.bytes(file.bytes))) == look.score)
  }

  @Test(.needs("WebP")) func aScreenIsWrittenWithoutLossWhereThatIsSmaller() throws {
    let buffer = try PixelBuffer(size: Size(width: 256, height: 256), format: .rgb8, alpha: .opaque)
    for y in 0..<256 {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<256 * 3 { row[x] = (x / 21 * 7 + y / 5 * 3) % 11 < 4 ? 20 : 240 }
    }
    let file = try Self.made(Image(buffer), .webP) { $0.look = 80 }
    #expect(file.look?.score == 100)
    let lossy = try Self.made(Image(buffer), .webP) { $0.quality = 0.5 }
    #expect(file.byteCount < lossy.byteCount)
  }

  @Test func whatIsOutOfReachNamesTheBestScore() throws {
    let image = Image(try Self.photo(64, 64))
    let error = #expect(throws: CoderError.self) { try Self.made(image, .jpeg) { $0.look = 100 } }
    #expect(error?.code == .unsupported && error?.message.contains("the best score is 9") == true)
    let wide = #expect(throws: CoderError.self) {
      var wide = image
      wide.cicp = CodingIndependentCodePoints(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
      return try Self.made(wide, .png) { $0.look = 70 }
    }
    #expect(wide?.code == .unsupported)
    #expect(wide?.message.hasSuffix("these are Display P3: convert them first, with --color srgb") == true)
    for look in [0, 100.5, .nan] {
      let error = #expect(throws: CoderError.self) { try Self.made(image, .jpeg) { $0.look = look } }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func aLargestSizeLimitsTheLook() throws {
    let image = Image(try Self.photo(320, 240))
    let free = try Self.made(image, .jpeg) { $0.look = 75 }
    let limited = try Self.made(image, .jpeg) {
      $0.look = 75
      $0.maxFileSize = free.byteCount * 2 / 3
    }
    #expect(limited.byteCount <= free.byteCount * 2 / 3)
    #expect(try #require(limited.look).score < 74.5)
    let roomy = try Self.made(image, .jpeg) {
      $0.look = 75
      $0.maxFileSize = free.byteCount
    }
    #expect(roomy.bytes == free.bytes)
  }

  @Test func aLosslessFormatLooksLikeThePicture() throws {
    let file = try Self.made(Image(try Self.photo(40, 30)), .png) { $0.look = 90 }
    #expect(file.look?.score == 100 && file.look?.tries == 1)
  }

  /// Three of four pages are looked at, of which the last is the worst.
  @Test(.needs("TIFF")) func theWorstOfThreePagesCounts() throws {
    let pages = try [
      Image(Self.photo(96, 80)), Image(Self.photo(80, 96)), Image(Self.photo(100, 100)), Image(Self.noise(96, 80)),
    ]
    var options = EncodeOptions()
    options.values["compression"] = "jpeg"
    options.look = 70
    let encoder = try Self.registry.makeEncoder(as: .tiff, options: options, pageCount: pages.count)
    for page in pages {
      try encoder.add(page)
      try encoder.endPage()
    }
    let file = try encoder.finish()
    let decoder = try Self.registry.open(.bytes(file.bytes))
    #expect(decoder.header.pageCount == 4)
    var scores: [Double] = []
    for (index, page) in pages.enumerated() {
      scores.append(try ImageComparison.ssimulacra2(page, decoder.page(index).image()))
    }
    let look = try #require(file.look)
    #expect(look.score == min(scores[0], scores[1], scores[3]) && look.score < scores[0])
    #expect(look.score >= 69.5 && look.score < 75)
  }

  /// The first, the second and the last of four frames are looked at, each as it is among the others.
  @Test(.needs("JXL"), arguments: [60.0, 70]) func theWorstOfThreeFramesCounts(_ target: Double) throws {
    var image = Image(try Self.photo(96, 80))
    for shift in 1..<4 {
      let part = Rect(x: 40 * shift, y: 0, width: 96, height: 80)
      image.frames.append(Frame(pixels: try Self.photo(96 + 40 * shift, 80).copy(of: part), delay: .milliseconds(40)))
    }
    let file = try Self.made(image, .jpegXL) { $0.look = target }
    let decoder = try Self.registry.open(.bytes(file.bytes))
    #expect(decoder.frameCount == 4)
    let scores = try [0, 1, 3].map { index in
      try ImageComparison.ssimulacra2(Image(image.frames[index].pixels), Image(decoder.frame(at: index).pixels))
    }
    let look = try #require(file.look)
    #expect(look.score == scores.min() && look.score >= target - 0.5)
  }

  /// Gray in which nothing is like its neighbor.
  private static func noise(_ width: Int, _ height: Int) throws -> PixelBuffer {
    var random = SplitMix(seed: 9)
    let buffer = try PixelBuffer(size: Size(width: width, height: height), format: .rgb8, alpha: .opaque)
    for y in 0..<height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width * 3 { row[x] = UInt8(128 + random.below(60)) }
    }
    return buffer
  }

  /// One progress for all files, those of a part of the picture included.
  @Test(arguments: [(320, 240), (2400, 2000)]) func progressGrowsOverAllFiles(_ width: Int, _ height: Int) throws {
    let told = Mutex<[Double]>([])
    let file = try Self.made(Image(try Self.photo(width, height)), .jpeg) {
      $0.look = 70
      $0.progress = { done in told.withLock { $0.append(done) } }
    }
    let look = try #require(file.look)
    let tries = look.tries + look.partTries
    let found = told.withLock { $0 }
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 } && found.last == 1 && tries >= 2)
    // Each file takes three tenths of what is left.
    var left = 1.0
    for _ in 0..<tries {
      #expect(found.contains { $0 > 1 - left && $0 <= 1 - left * 0.7 + 1e-9 })
      left *= 0.7
    }
  }

  @Test func cancellingEndsTheSearch() throws {
    let cancellation = Cancellation()
    cancellation.cancel()
    let image = Image(try Self.photo(320, 240))
    let error = #expect(throws: CoderError.self) {
      try Self.made(image, .jpeg) {
        $0.look = 70
        $0.cancellation = cancellation
      }
    }
    #expect(error?.code == .cancelled)
  }
}
