// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Files as the library reads them, with the staged plugins.
enum Decoded {
  static let registry = CoderRegistry(
    searchPath: .only([Package.plugins]))

  static func image(_ path: String, upright: Bool = true) throws -> Image {
    var options = DecodeOptions()
    options.appliesOrientation = upright
    return try registry.decode(.file(path), options: options)
  }

  static func bytes(_ pixels: PixelBuffer) -> [UInt8] {
    (0..<pixels.size.height).flatMap { pixels.withRow($0) { Array($0) } }
  }

  /// Red, green and blue of the first pixel.
  static func corner(_ pixels: PixelBuffer) -> [UInt8] { pixels.withRow(0) { Array($0.prefix(3)) } }
}
