// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Pixel formats of version 1.1 from a plugin in C, in this process and in a worker.
@Suite struct PixelFormatTests {
  private static let folder = ForeignPlugin.folder("PixelsPlugin", "pixels")
  private static let inProcess = CoderRegistry(searchPath: .only([folder.path]), preferences: CoderPreferences())
  private static let isolated = IsolationWorker.registry(of: [folder.path])

  private static func registry(_ isIsolated: Bool) -> CoderRegistry { isIsolated ? isolated : inProcess }

  private static func file(_ format: UInt8, order: RowOrder = .topDown, lies: Bool = false) -> ByteSource {
    .bytes(Array("PIXELS".utf8) + [format, UInt8(order.rawValue), lies ? 1 : 0])
  }

  /// What the plugin makes of a row: numbers from 100 y + 1 on, and the largest sample where there is alpha.
  private static func row<Sample>(
    _ y: Int, channels: Int, opaque: Sample?, _ sample: (Int) -> Sample
  ) -> [Sample] {
    (0..<3).flatMap { x in
      let own = (0..<channels).map { sample(100 * y + x * channels + $0 + 1) }
      guard let opaque else { return own }
      return (channels == 1 ? [own[0], own[0], own[0]] : own) + [opaque]
    }
  }

  private static func row<Sample: BitwiseCopyable>(_ y: Int, of image: Image, as type: Sample.Type) -> [Sample] {
    let size = MemoryLayout<Sample>.size
    return image.pixels.withRow(y) { bytes in
      (0..<(bytes.count / size)).map { bytes.loadUnaligned(fromByteOffset: $0 * size, as: type) }
    }
  }

  @Test(arguments: [false, true], [RowOrder.topDown, .any])
  func sixteenBitsWithoutAlphaStayAsTheyAre(_ isIsolated: Bool, _ order: RowOrder) throws {
    let image = try Self.registry(isIsolated).decode(Self.file(11, order: order))
    #expect(image.pixels.layout == PixelLayout(.rgb16, .opaque))
    for y in 0..<4 {
      let expected = Self.row(y, channels: 3, opaque: nil) { UInt16($0) }
      #expect(Self.row(y, of: image, as: UInt16.self) == expected)
    }
  }

  @Test(arguments: [false, true], [RowOrder.topDown, .any])
  func floatingPointGetsAlpha(_ isIsolated: Bool, _ order: RowOrder) throws {
    let registry = Self.registry(isIsolated)
    let half = try registry.decode(Self.file(12, order: order))
    #expect(half.pixels.layout == PixelLayout(.rgbaFloat16, .opaque))
    let single = try registry.decode(Self.file(13, order: order))
    #expect(single.pixels.layout == PixelLayout(.rgbaFloat32, .opaque))
    let gray = try registry.decode(Self.file(14, order: order))
    #expect(gray.pixels.layout == PixelLayout(.rgbaFloat32, .opaque))
    for y in 0..<4 {
      // 0x3C00 is 1 in half precision.
      let halves = Self.row(y, channels: 3, opaque: 0x3C00) { UInt16($0) }
      #expect(Self.row(y, of: half, as: UInt16.self) == halves)
      let singles = Self.row(y, channels: 3, opaque: 1) { Float($0) / 2 }
      #expect(Self.row(y, of: single, as: Float.self) == singles)
      let grays = Self.row(y, channels: 1, opaque: 1) { Float($0) / 2 }
      #expect(Self.row(y, of: gray, as: Float.self) == grays)
    }
  }

  @Test(arguments: [UInt8(15), 16]) func inksComeWhereTheyAreAskedFor(_ format: UInt8) throws {
    var asked = DecodeOptions()
    asked.color = .convert(to: .sRGB)
    var pictures: [[UInt8]] = []
    for isIsolated in [false, true] {
      let registry = Self.registry(isIsolated)
      #expect(try registry.open(Self.file(format)).header.hasInks)
      let stored = try registry.decode(Self.file(format))
      #expect(stored.pixels.layout == PixelLayout(.rgb8, .opaque))
      #expect(Self.row(1, of: stored, as: UInt8.self) == Self.row(1, channels: 3, opaque: nil) { UInt8($0) })
      let converted = try registry.decode(Self.file(format), options: asked)
      #expect(converted.pixels.layout == PixelLayout(.rgb8, .opaque))
      pictures.append((0..<4).flatMap { Self.row($0, of: converted, as: UInt8.self) })
    }
    #expect(pictures[0] == pictures[1])
    // Little ink is nearly paper in 16 bits, and not in 8.
    #expect(pictures[0].allSatisfy { $0 > 240 } == (format == 16))
  }

  @Test(arguments: [false, true]) func readersThatMixInksAndColorsUpAreRefused(_ isIsolated: Bool) throws {
    let registry = Self.registry(isIsolated)
    let colors = #expect(throws: CoderError.self) { try registry.decode(Self.file(15, lies: true)) }
    #expect(colors?.code == .libraryFailure)
    #expect(colors?.message == "the reader offers cmyk8 where colors were asked for")
    var asked = DecodeOptions()
    asked.color = .convert(to: .sRGB)
    let inks = #expect(throws: CoderError.self) { try registry.decode(Self.file(15, lies: true), options: asked) }
    #expect(inks?.code == .libraryFailure)
    #expect(inks?.message == "the reader offers rgb8 where inks were asked for")
  }

  @Test(arguments: [false, true]) func theFileSaysMoreOfItsPixels(_ isIsolated: Bool) throws {
    let decoder = try Self.registry(isIsolated).open(Self.file(11))
    #expect(decoder.header.pixelAspect == 1.5)
    #expect(decoder.storedColor.curves == [[0, 1000, 65535], [0, 1000, 65535], [0, 1000, 65535]])
    #expect(decoder.storedColor.light.contentPeak == 400)
    var options = DecodeOptions()
    options.squaresPixels = true
    // 3 × 1.5, rounded.
    let square = try Self.registry(isIsolated).decode(Self.file(11), options: options)
    #expect(square.size == Size(width: 5, height: 4))
  }
}
