// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Each option of each writer at both ends of its range, with and without alpha and more frames, at sizes that codecs
/// find hard: a file that reads well, or an error that says what is not possible. A library that gives up ends the test.
@Suite struct OptionEndsTests {
  private static let registry = EncodingPictures.registry

  /// One value of an option of a writer.
  struct End: CustomStringConvertible, Sendable {
    let format: ImageFormat
    let name: String
    let value: OptionValue
    var description: String { "\(format) \(name)=\(value)" }
  }

  static let ends: [End] = registry.writers.flatMap { manifest in
    manifest.writtenFormats.flatMap { format in
      manifest.options.filter { CommonOption(rawValue: $0.name) == nil }.flatMap { option in
        values(of: option.kind).map { End(format: format.format, name: option.name, value: $0) }
      }
    }
  }

  private static func values(of kind: OptionDescription.Kind) -> [OptionValue] {
    switch kind {
    case .boolean: [.number(0), .number(1)]
    case .integer(let range, _): [.number(Double(range.lowerBound)), .number(Double(range.upperBound))]
    case .number(let range, _): [.number(range.lowerBound), .number(range.upperBound)]
    case .choice(let words, _): words.indices.map { .number(Double($0)) }
    case .text(let maximumBytes, _): [.word(""), .word(String(repeating: "a", count: min(maximumBytes, 300)))]
    }
  }

  private static let images: [Image] = [(1, 1), (3, 5), (16, 16), (33, 17)].flatMap { (width, height) in
    [AlphaMode.opaque, .straight].flatMap { alpha in
      [1, 3].compactMap { try? image(Size(width: width, height: height), alpha, frames: $0) }
    }
  }

  private static func image(_ size: Size, _ alpha: AlphaMode, frames: Int) throws -> Image {
    var random = SplitMix(seed: UInt64(size.pixelCount + frames))
    let pictures = try (0..<frames).map { _ in
      let pixels = try PixelBuffer(size: size, format: .rgba8, alpha: alpha)
      for y in 0..<size.height {
        let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
        for x in 0..<pixels.rowBytes { row[x] = alpha == .opaque && x % 4 == 3 ? 255 : UInt8(random.below(256)) }
      }
      return pixels
    }
    guard frames > 1 else { return Image(pictures[0]) }
    return Image(
      frames: pictures.map { Frame(pixels: $0, delay: FrameDelay(numerator: 1, denominator: 10)) },
      loopCount: .infinite)
  }

  @Test func allArePictured() { #expect(Self.images.count == 16) }

  @Test(arguments: ends) func anEndIsAFileOrAnError(_ end: End) throws {
    var written = 0
    for image in Self.images {
      for (isLossless, quality) in [(false, 0.0), (false, 1), (true, 1)] {
        var options = EncodeOptions()
        options.isLossless = isLossless
        options.quality = isLossless ? nil : quality
        options.values[end.name] = end.value
        do throws(CoderError) {
          let bytes = try Self.registry.encode(image, as: end.format, options: options)
          let read = try Self.registry.decode(.bytes(bytes))
          #expect(read.pixels.size == image.pixels.size)
          written += 1
        } catch {
          #expect([.unsupported, .invalidArgument].contains(error.code), "\(image.pixels.size): \(error)")
        }
      }
    }
    // A text is a word of some list, or a file's name, which not every text is.
    if case .number = end.value { #expect(written > 0) }
  }
}
