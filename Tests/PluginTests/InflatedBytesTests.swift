// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Bytes that a call inflates are counted, in this process as in a worker, and nothing is inflated behind the last row.
@Suite struct InflatedBytesTests {
  private static let isolated = IsolationWorker.registry()

  private static func decode(
    _ bytes: [UInt8], allowed: Int, _ registry: CoderRegistry = EncodingPictures.registry,
    metadata: Set<MetadataKind> = []
  ) throws(CoderError) -> Image {
    var options = DecodeOptions()
    options.limits.maxInflated = allowed
    options.metadata = metadata
    return try registry.decode(.bytes(bytes), options: options)
  }

  /// What rows of the picture that each format is tried with come to before they are packed.
  static let rows: [(format: ImageFormat, option: String?, bytes: Int)] = [
    // A filter's number, and three samples of eight bits a pixel.
    (.png, nil, 48 * (64 * 3 + 1)),
    (.tiff, "deflate", 48 * (64 * 3 + 1)),
    (.tiff, "lzw", 48 * (64 * 3 + 1)),
    // An index for each pixel.
    (.gif, nil, 48 * 64),
  ]

  private static func file(_ index: Int) throws -> [UInt8] {
    let picture = Image(try EncodingPictures.photo(Size(width: 64, height: 48)))
    var options = EncodeOptions()
    if let option = rows[index].option { options.values["compression"] = .word(option) }
    return try EncodingPictures.registry.encode(picture, as: rows[index].format, options: options)
  }

  @Test(arguments: rows.indices) func pixelsAreCountedBeforeTheyAreInflated(_ index: Int) throws {
    let (bytes, needed) = (try Self.file(index), Self.rows[index].bytes)
    for registry in [EncodingPictures.registry, Self.isolated] {
      #expect(try Self.decode(bytes, allowed: needed, registry).size == Size(width: 64, height: 48))
      let error = try #require(throws: CoderError.self) { try Self.decode(bytes, allowed: needed - 1, registry) }
      #expect(error.limit == .maxInflated)
      #expect(
        error.message
          == "a number of inflated bytes of \(needed) is over the limit maxInflated of \(needed - 1)")
    }
  }

  /// Of an animation, all frames of one call together.
  @Test func theFramesOfACallAreCountedTogether() throws {
    let pictures = try (0..<4).map { try EncodingPictures.walk($0) }
    let image = Image(frames: pictures.map { Frame(pixels: $0, delay: FrameDelay(numerator: 1, denominator: 10)) })
    let bytes = try EncodingPictures.registry.encode(image, as: .gif)
    let decoder = try EncodingPictures.registry.open(.bytes(bytes))
    let count = try (0..<decoder.frameCount).reduce(0) { $0 + (try decoder.frameHeader(at: $1).rect.size.pixelCount) }
    #expect(decoder.frameCount == 4)
    #expect(try Self.decode(bytes, allowed: count).frames.count == 4)
    let error = try #require(throws: CoderError.self) { try Self.decode(bytes, allowed: count - 1) }
    #expect(error.limit == .maxInflated)
    // A call for each frame has a budget of its own.
    var options = DecodeOptions()
    options.limits.maxInflated = count / 2
    let one = try EncodingPictures.registry.open(.bytes(bytes), options: options)
    for index in 0..<4 { _ = try one.frame(at: index) }
  }

  /// Metadata that is inflated counts like pixels, and what is left out of it costs no pixels.
  @Test func metadataIsCounted() throws {
    let folder = "\(StagedTree.fixtures("png"))/valid"
    let names = Command.run("ls '\(folder)'").output.split(separator: "\n").map(String.init)
    var isFound = false
    for name in names where !isFound {
      guard let bytes = try? OpenSource(.file("\(folder)/\(name)"), limits: .standard).contents(),
        let decoder = try? EncodingPictures.registry.open(.bytes(bytes)), decoder.header.metadata.contains(.icc),
        let profile = try decoder.metadata(.icc)
      else { continue }
      isFound = true
      for registry in [EncodingPictures.registry, Self.isolated] {
        var options = DecodeOptions()
        options.limits.maxInflated = profile.count
        #expect(try registry.open(.bytes(bytes), options: options).metadata(.icc) == profile)
        options.limits.maxInflated -= 1
        let error = try #require(throws: CoderError.self) {
          try registry.open(.bytes(bytes), options: options).metadata(.icc)
        }
        #expect(error.limit == .maxInflated)
      }
    }
    #expect(isFound)
  }

  // MARK: Behind the last row

  /// A strip whose stream goes on, and then with a block of a kind that does not exist: nobody gets there.
  @Test func deflateBehindTheLastRowOfTIFFIsNotRead() throws {
    // Stored, not the last block: 2 rows of 4 gray pixels.
    let rows: [UInt8] = [10, 20, 30, 40, 50, 60, 70, 80]
    let stream: [UInt8] = [0x78, 0x01, 0, 8, 0, 0xF7, 0xFF] + rows
    let more: [UInt8] = [0, 0xA0, 0x0F, 0x5F, 0xF0] + [UInt8](repeating: 9, count: 4000)
    for rest: [UInt8] in [more + [0x07], more + more + [0x07, 0xAA, 0xAA]] {
      try Self.expect(rows, Self.tiff(stream + rest, compression: 8), "\(rest.count) bytes behind")
    }
    // A kind that does not exist before the last row is damage.
    let broken = Self.tiff([0x78, 0x01, 0, 4, 0, 0xFB, 0xFF, 10, 20, 30, 40, 0x07], compression: 8)
    var options = DecodeOptions()
    options.isStrict = true
    #expect(throws: CoderError.self) { try EncodingPictures.registry.decode(.bytes(broken), options: options) }
  }

  @Test func codesBehindTheLastRowOfTIFFAreNotRead() throws {
    let rows: [UInt8] = [10, 20, 30, 40, 50, 60, 70, 80]
    // TIFF 6.0 §13: codes of 9 bits from the high bit on, a clear code, the bytes; then a code that nothing has made.
    for rest in [[257], [511, 511, 511, 511], [Int](repeating: 400, count: 500)] {
      var bits = BitPacker()
      for code in [256] + rows.map(Int.init) + rest { bits.put(code, width: 9) }
      try Self.expect(rows, Self.tiff(bits.bytes, compression: 5), "\(rest.count) codes behind")
    }
  }

  @Test func codesBehindTheLastRowOfGIFAreNotRead() throws {
    // 2×1 pixels; codes of three bits from the low bit on: clear, 0, 1; then ones that nothing has made.
    var sizes: [Int] = []
    for rest in [[5], [7, 7, 7, 7], [Int](repeating: 7, count: 500)] {
      var bits = BitPacker(isFromLowBit: true)
      for code in [4, 0, 1] + rest { bits.put(code, width: 3) }
      var bytes = Array("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
      bytes += [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2]
      for start in stride(from: 0, to: bits.bytes.count, by: 255) {
        let block = bits.bytes[start..<min(start + 255, bits.bytes.count)]
        bytes += [UInt8(block.count)] + block
      }
      let image = try EncodingPictures.registry.decode(.bytes(bytes + [0, 0x3B]))
      #expect(image.problem == nil)
      #expect(image.pixels.withRow(0) { [UInt8]($0) } == [0, 0, 0, 255, 255, 255])
      sizes.append(bits.bytes.count)
    }
    #expect(sizes[2] > 180)
  }

  private static func expect(_ rows: [UInt8], _ file: [UInt8], _ comment: Comment) throws {
    let image = try EncodingPictures.registry.decode(.bytes(file))
    #expect(image.problem == nil, comment)
    #expect(image.pixels.size == Size(width: 4, height: 2))
    for y in 0..<2 { #expect(image.pixels.withRow(y) { [UInt8]($0) } == Array(rows[(4 * y)..<(4 * y + 4)]), comment) }
  }

  /// 4×2 gray pixels in one strip.
  private static func tiff(_ strip: [UInt8], compression: UInt16) -> [UInt8] {
    func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    func long(_ value: Int) -> [UInt8] { short(value & 0xFFFF) + short(value >> 16) }
    let tags: [(tag: Int, value: Int)] = [
      (256, 4), (257, 2), (258, 8), (259, Int(compression)), (262, 1), (273, 8), (277, 1), (278, 2), (279, strip.count),
    ]
    let padded = strip + [UInt8](repeating: 0, count: strip.count % 2)
    var file = Array("II".utf8) + short(42) + long(8 + padded.count) + padded + short(tags.count)
    for (tag, value) in tags { file += short(tag) + short(4) + long(1) + long(value) }
    return file + long(0)
  }
}

/// Codes one behind the other.
private struct BitPacker {
  var isFromLowBit = false
  private(set) var bytes: [UInt8] = []
  private var count = 0

  init(isFromLowBit: Bool = false) { self.isFromLowBit = isFromLowBit }

  mutating func put(_ code: Int, width: Int) {
    for index in 0..<width {
      if count % 8 == 0 { bytes.append(0) }
      let bit = UInt8(code >> (isFromLowBit ? index : width - 1 - index) & 1)
      bytes[bytes.count - 1] |= bit << UInt8(isFromLowBit ? count % 8 : 7 - count % 8)
      count += 1
    }
  }
}
