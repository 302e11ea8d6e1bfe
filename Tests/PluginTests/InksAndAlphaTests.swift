// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// TIFF files of four inks and alpha.
@Suite struct InksAndAlphaTests {
  /// A TIFF of 2×2 pixels: five samples of 8 bits, in one plane or in five.
  ///
  /// - Parameter kind: Of the extra sample: 1 for alpha that the inks are multiplied by, 2 for alpha apart.
  private static func file(_ kind: UInt16, isPlanar: Bool = false) -> [UInt8] {
    let pixels: [[UInt8]] = [[255, 0, 0, 0, 255], [0, 255, 0, 0, 128], [0, 255, 255, 0, 0], [0, 0, 0, 255, 77]]
    let data = isPlanar ? (0..<5).flatMap { sample in pixels.map { $0[sample] } } : pixels.flatMap { $0 }
    func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    func long(_ value: Int) -> [UInt8] { word(value & 0xFFFF) + word(value >> 16) }
    // TIFF 6.0 §2: the picture, the values that an entry has no room for, and the directory.
    let (start, bits) = (8, 8 + data.count)
    let offsets = bits + 10
    let counts = offsets + (isPlanar ? 20 : 0)
    let directory = counts + (isPlanar ? 20 : 0)
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      word(tag) + word(type) + long(count) + value + [UInt8](repeating: 0, count: 4 - value.count)
    }
    let entries = [
      entry(256, 3, 1, word(2)), entry(257, 3, 1, word(2)), entry(258, 3, 5, long(bits)), entry(259, 3, 1, word(1)),
      entry(262, 3, 1, word(5)), entry(273, 4, isPlanar ? 5 : 1, long(isPlanar ? offsets : start)),
      entry(277, 3, 1, word(5)), entry(278, 3, 1, word(2)),
      entry(279, 4, isPlanar ? 5 : 1, long(isPlanar ? counts : data.count)),
      entry(284, 3, 1, word(isPlanar ? 2 : 1)), entry(338, 3, 1, word(Int(kind))),
    ]
    var bytes = Array("II*\0".utf8) + long(directory) + data + (0..<5).flatMap { _ in word(8) }
    if isPlanar { bytes += (0..<5).flatMap { long(start + 4 * $0) } + (0..<5).flatMap { _ in long(4) } }
    return bytes + word(entries.count) + entries.flatMap { $0 } + long(0)
  }

  private static func pixels(_ file: [UInt8], _ options: DecodeOptions) throws -> [[UInt8]] {
    let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]))
    let pixels = try registry.decode(.bytes(file), options: options).pixels
    return (0..<pixels.size.height).flatMap { y in
      pixels.withRow(y) { row in (0..<pixels.size.width).map { Array(row[($0 * 4)..<($0 * 4 + 4)]) } }
    }
  }

  @Test(arguments: [false, true]) func inksAreConvertedAndAlphaStays(_ isPlanar: Bool) throws {
    var options = DecodeOptions(pixelFormat: .rgba8, color: .convert(to: .sRGB))
    // The colors of solid inks are those of docs/color.md.
    #expect(
      try Self.pixels(Self.file(2, isPlanar: isPlanar), options)
        == [[0, 160, 228, 255], [230, 0, 127, 128], [227, 22, 30, 0], [37, 37, 36, 77]])
    options.alpha = .premultiplied
    #expect(
      try Self.pixels(Self.file(2, isPlanar: isPlanar), options)
        == [[0, 160, 228, 255], [115, 0, 64, 128], [0, 0, 0, 0], [11, 11, 11, 77]])
  }

  @Test func aSmallerPictureHasBoth() throws {
    let options = DecodeOptions(
      size: .fitting(Size(width: 1, height: 1)), pixelFormat: .rgba8, color: .convert(to: .sRGB))
    // (255 + 128 + 0 + 77) / 4
    #expect(try Self.pixels(Self.file(2), options)[0][3] == 115)
  }

  @Test func asStoredColorsAreThoseOfThePlainFormula() throws {
    let options = DecodeOptions(pixelFormat: .rgba8)
    #expect(
      try Self.pixels(Self.file(2), options)
        == [[0, 255, 255, 255], [255, 0, 255, 128], [255, 0, 0, 0], [0, 0, 0, 77]])
  }
}
