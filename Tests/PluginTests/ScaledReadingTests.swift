// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Thumbnails of files that are read at a part of their size lie where thumbnails of the whole pictures do.
@Suite struct ScaledReadingTests {
  private static let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  /// Waves of six pixels of the thumbnail: a shift by a tenth of such a pixel changes them by 10.
  private static func waves(_ size: Size) throws -> Image {
    let pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<size.width {
        for (channel, place) in [x, y, x + y].enumerated() {
          row[3 * x + channel] = UInt8(128 + 100 * sine(2 * .pi * Double(place) / 94))
        }
      }
    }
    return Image(pixels)
  }

  /// By Taylor's series, so that no library of the system has a part in it.
  private static func sine(_ angle: Double) -> Double {
    let x = angle - (angle / (2 * .pi)).rounded() * 2 * .pi
    var (term, sum) = (x, x)
    for n in 1..<16 {
      term *= -x * x / Double(2 * n * (2 * n + 1))
      sum += term
    }
    return sum
  }

  static let sizes = [Size(width: 1000, height: 752), Size(width: 1001, height: 753), Size(width: 1007, height: 745)]

  @Test(arguments: [ImageFormat.jpeg, .jpeg2000], sizes) func liesWhereTheWholeDoes(
    _ format: ImageFormat, _ size: Size
  ) throws {
    var writing = EncodeOptions()
    writing.quality = 1
    let file = try Self.registry.encode(try Self.waves(size), as: format, options: writing)
    // PNG is read whole, and filtered by the host.
    let whole = try Self.registry.encode(try Self.registry.decode(.bytes(file)), as: .png)
    let sides = [64, 100, 250]
    for (side, quality) in sides.map({ ($0, DecodeOptions.ThumbnailQuality.exact) }) + sides.map({ ($0, .fast) }) {
      var options = DecodeOptions()
      options.size = .fitting(Size(width: side, height: side))
      options.pixelFormat = .rgb8
      options.thumbnailQuality = quality
      let found = try Self.registry.decode(.bytes(file), options: options).pixels
      options.thumbnailQuality = .exact
      let expected = try Self.registry.decode(.bytes(whole), options: options).pixels
      #expect(found.size == expected.size)
      var sum = 0
      for y in 0..<found.size.height {
        found.withRow(y) { one in
          expected.withRow(y) { other in
            for (a, b) in zip(one, other) { sum += abs(Int(a) - Int(b)) }
          }
        }
      }
      let mean = Double(sum) / Double(3 * found.size.pixelCount)
      #expect(mean <= 2, "\(side), \(quality)")
    }
  }

  /// The file's thumbnail has every second pixel of its picture, which no filter gives.
  @Test func takesTheFilesOwnThumbnailInFastModeOnly() throws {
    let path = "\(StagedTree.fixtures("heif"))/valid/thumbnail.heic"
    let whole = try Self.registry.decode(.file(path)).pixels
    var options = DecodeOptions.thumbnail(width: whole.size.width / 2, height: whole.size.height / 2)
    func isTheFilesOwn() throws -> Bool {
      let small = try Self.registry.decode(.file(path), options: options).pixels
      let bytes = small.format.bytesPerPixel
      return (0..<small.size.height).allSatisfy { y in
        whole.withRow(2 * y) { large in
          small.withRow(y) { row in
            row.indices.allSatisfy { row[$0] == large[2 * ($0 - $0 % bytes) + $0 % bytes] }
          }
        }
      }
    }
    #expect(try !isTheFilesOwn())
    options.thumbnailQuality = .fast
    #expect(try isTheFilesOwn())
  }
}
