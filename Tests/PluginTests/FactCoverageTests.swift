// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import TestSupport
import Testing

/// Each fact in each format that has a place for it: a conversion to each format keeps it, or its report names it.
@Suite(
  .needs(
    "JPEG", "PNG", "WebP", "TIFF", "HEIF", "AVIF", "JXL", "JPEG2000", "GIF", "BMP", "ICO", "PSD", "EXR", "HDR", "PNM",
    "SVG"))
struct FactCoverageTests {
  private static let registry = EncodingPictures.registry

  /// Facts that are a part of another one: if all of that goes, it alone is named.
  private static let wholes: [Fact: Fact] = [
    .light: .colors, .dimensions: .exif, .thumbnail: .exif, .regions: .xmp, .panorama: .xmp,
  ]

  private static func isNamed(_ fact: Fact, in changes: [FactChange]) -> Bool {
    changes.contains { $0.fact == fact || $0.fact == wholes[fact] }
  }

  @Test(arguments: Fact.allCases) func everyHolderHasAFile(_ fact: Fact) throws {
    for format in FactSources.holders(fact) {
      let file = try FactSources.file(fact, format)
      let decoder = try Self.registry.open(.bytes(file))
      #expect(decoder.header.format == format)
      #expect(try FactSources.states(fact, file), "\(fact) in \(format)")
    }
  }

  @Test(arguments: Fact.allCases, [nil, Rect(x: 0, y: 16, width: 16, height: 12)])
  func conversionsKeepOrNameIt(_ fact: Fact, _ crop: Rect?) throws {
    for source in FactSources.holders(fact) {
      let file = try FactSources.file(fact, source)
      for target in FactSources.formats {
        var options = EncodeOptions(allowsCopy: false)
        let whole = try Self.registry.open(.bytes(file)).header.displayedSize
        if let crop, whole.width >= 16, whole.height >= 28 { options.edit.crop = crop }
        let made = try Self.registry.convert(.bytes(file), to: target, at: .memory, options: options)
        let isThere = try FactSources.states(fact, made.bytes)
        let format = try Self.registry.open(.bytes(made.bytes)).header.format
        let what: Comment = "\(fact), \(source) to \(target), \(made.changes.map(\.message))"
        #expect(isThere || Self.isNamed(fact, in: made.changes), what)
        #expect(!isThere || FactSources.holders(fact).contains(format) || fact == .rights, what)
      }
    }
  }
}
