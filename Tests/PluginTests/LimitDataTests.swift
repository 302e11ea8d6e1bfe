// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// A limit that a plugin finds exceeded is data: which one, what was found and what is allowed.
@Suite struct LimitDataTests {
  private static let isolated = IsolationWorker.registry()

  private static func error(
    _ bytes: [UInt8], _ registry: CoderRegistry, _ limit: WritableKeyPath<Limits, Int>, _ allowed: Int
  ) throws -> CoderError {
    var options = DecodeOptions()
    options.limits[keyPath: limit] = allowed
    return try #require(throws: CoderError.self) { try registry.decode(.bytes(bytes), options: options) }
  }

  @Test(arguments: [ImageFormat.png, .gif, .jpeg, .webP, .tiff])
  func limitsAreTheSameDataInAWorker(_ format: ImageFormat) throws {
    let picture = Image(try EncodingPictures.photo(Size(width: 40, height: 30)))
    let bytes = try EncodingPictures.registry.encode(picture, as: format)
    for registry in [EncodingPictures.registry, Self.isolated] {
      let side = try Self.error(bytes, registry, \.maxSide, 39)
      #expect((side.code, side.limit) == (.limitExceeded, .maxSide))
      #expect((side.found, side.allowed) == (40, 39))
      let pixels = try Self.error(bytes, registry, \.maxPixels, 1_199)
      #expect((pixels.code, pixels.limit) == (.limitExceeded, .maxPixels))
      #expect((pixels.found, pixels.allowed) == (1_200, 1_199))
    }
  }
}
