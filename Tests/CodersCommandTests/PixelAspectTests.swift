// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoders
import TestSupport
import Testing

/// Pictures whose pixels are no squares: they are told, and thumbnails have the right shape.
@Suite struct PixelAspectTests {
  private static func fixture(_ name: String, of format: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures(format))/valid/\(name)")))
  }

  /// GIF89a §18: 64 × width ÷ height of a pixel, less 15. 0 states nothing.
  private static func gif(stored: UInt8) throws -> [UInt8] {
    var bytes = try fixture("disposal-keep.gif", of: "gif")
    bytes[12] = stored
    return bytes
  }

  private static func exr(_ aspect: Float) throws -> [UInt8] {
    var bytes = try fixture("half-none.exr", of: "exr")
    let name = Array("pixelAspectRatio\0float\0".utf8)
    let place = try #require(
      (0..<(bytes.count - name.count)).first { bytes[$0..<($0 + name.count)].elementsEqual(name) })
    // The length of the value, and the value, little-endian.
    let value = place + name.count + 4
    withUnsafeBytes(of: aspect.bitPattern.littleEndian) { bytes.replaceSubrange(value..<(value + 4), with: $0) }
    return bytes
  }

  @Test(arguments: [(UInt8(0), Double?.none), (49, nil), (113, 2), (17, 0.5), (255, 270.0 / 64), (1, 0.25)])
  func gifStatesIt(_ stored: UInt8, _ expected: Double?) throws {
    #expect(try Decoded.registry.open(.bytes(Self.gif(stored: stored))).header.pixelAspect == expected)
  }

  @Test(arguments: [
    (Float(1), Double?.none), (2, 2), (0.5, 0.5), (64, 64), (65, nil), (0, nil), (-1, nil), (.nan, nil),
  ])
  func exrStatesIt(_ stated: Float, _ expected: Double?) throws {
    #expect(try Decoded.registry.open(.bytes(Self.exr(stated))).header.pixelAspect == expected)
  }

  /// The picture becomes wider or taller, and never smaller.
  @Test func pixelsBecomeSquares() throws {
    var options = DecodeOptions()
    options.squaresPixels = true
    let own = try Decoded.registry.open(.bytes(Self.exr(1))).header.canvas
    for (aspect, expected) in [
      (Float(1), own), (2, Size(width: 2 * own.width, height: own.height)),
      (0.5, Size(width: own.width, height: 2 * own.height)),
    ] {
      #expect(try Decoded.registry.decode(.bytes(Self.exr(aspect)), options: options).size == expected)
      #expect(try Decoded.registry.decode(.bytes(Self.exr(aspect))).size == own)
    }
    options.limits.maxSide = 2 * own.width - 1
    let error = #expect(throws: CoderError.self) {
      try Decoded.registry.decode(.bytes(Self.exr(2)), options: options)
    }
    #expect(error?.code == .limitExceeded && error?.limit == .maxSide)
  }

  @Test func thumbnailsOfTheLibraryAreOfSquarePixels() throws {
    let own = try Decoded.registry.open(.bytes(Self.exr(1))).header.canvas
    var preset = ThumbnailPreset.web.sized(width: 10_000, height: 10_000)
    preset.format = .png
    let made = try Decoded.registry.makeThumbnail(of: .bytes(Self.exr(2)), preset)
    let size = try Decoded.registry.open(.bytes(made.bytes)).header.canvas
    #expect(size == Size(width: 2 * own.width, height: own.height))
  }

  @Test func theCommandTellsAndApplies() throws {
    let folder = Folder()
    let wide = folder.write("wide.gif", try Self.gif(stored: 113))
    let square = folder.write("square.gif", try Self.gif(stored: 49))
    let out = "\(folder.path)/out.png"
    func written() throws -> Size { try Decoded.registry.open(.file(out)).header.canvas }
    #expect(Run.inProcess("probe", wide).output.contains("  size         16×12, pixels 2 times as wide as high\n"))
    #expect(Run.inProcess("probe", square).output.contains("  size         16×12\n"))
    #expect(Run.inProcess("probe", "--json", wide).output.contains("\"pixel_aspect\": 2.0,"))
    #expect(Run.inProcess("thumbnail", "--size", "16", wide, "-o", out).status == 0)
    #expect(try written() == Size(width: 16, height: 6))
    #expect(Run.inProcess("convert", wide, out).status == 0)
    #expect(try written() == Size(width: 16, height: 12))
    #expect(Run.inProcess("convert", "--square-pixels", wide, out).status == 0)
    #expect(try written() == Size(width: 32, height: 12))
    // What is square is copied as it is.
    let copy = "\(folder.path)/copy.gif"
    #expect(Run.inProcess("convert", "--square-pixels", square, copy).status == 0)
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: copy))) == (try Self.gif(stored: 49)))
  }
}
