// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Gain maps that conversions keep.
@Suite struct GainMapWritingTests {
  private static func file(_ name: String) throws -> [UInt8] {
    let folder = name.hasSuffix(".avif") ? "avif" : name.hasSuffix(".jxl") ? "jxl" : "heif"
    return [UInt8](
      try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures(folder))/valid/\(name)")))
  }

  private static func converted(
    _ bytes: [UInt8], to format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> (file: [UInt8], warnings: [String]) {
    let told = Told()
    var options = EncodeOptions(quality: 0.9)
    options.log = { severity, message in if severity == .warning { told.add(message) } }
    change(&options)
    let made = try EncodingPictures.registry.convert(.bytes(bytes), to: format, at: .memory, options: options)
    return (made.bytes, told.all)
  }

  private static func map(_ bytes: [UInt8]) throws -> GainMap? {
    try EncodingPictures.registry.open(.bytes(bytes)).gainMap()
  }

  /// A map, and what came of it: with the same meaning and the same samples, apart from what a codec changes.
  private static func expectSame(_ new: GainMap?, _ old: GainMap?, _ comment: Comment) throws {
    let (new, old) = (try #require(new, comment), try #require(old, comment))
    #expect(new.parameters == old.parameters, comment)
    try #require(new.pixels.size == old.pixels.size && new.pixels.format == old.pixels.format, comment)
    var difference = 0
    for (first, second) in zip(EncodingPictures.rows(new.pixels), EncodingPictures.rows(old.pixels)) {
      difference += zip(first, second).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    }
    #expect(difference <= 3 * old.pixels.size.pixelCount * old.pixels.format.channelCount, comment)
  }

  @Test(arguments: ["gain-map.avif", "tone-map.heic", "gain-map.jxl"], [ImageFormat.avif, .heic, .jpegXL, .jpeg])
  func mapIsKeptInEachFormat(_ name: String, _ format: ImageFormat) throws {
    let source = try Self.file(name)
    let (made, warnings) = try Self.converted(source, to: format)
    #expect(warnings == [])
    let (old, new) = (try #require(try Self.map(source)), try #require(try Self.map(made)))
    try Self.expectSame(new, old, "\(name) to \(format)")
    if format != .jpeg {
      #expect(new.alternateColors?.primaries == old.alternateColors?.primaries)
      #expect(new.alternateColors?.transfer == old.alternateColors?.transfer)
    }
    // What is written once more is the same.
    let again = try #require(try Self.map(try Self.converted(made, to: format) { $0.allowsCopy = false }.file))
    try Self.expectSame(again, new, "\(name) to \(format) twice")
    #expect(again.alternateColors == new.alternateColors)
  }

  @Test func goesFromAVIFToJPEGAndBack() throws {
    let source = try Self.file("gain-map.avif")
    let jpeg = try Self.converted(source, to: .jpeg)
    #expect(jpeg.warnings == [])
    let back = try Self.converted(jpeg.file, to: .avif)
    #expect(back.warnings == [])
    let (old, new) = (try #require(try Self.map(source)), try #require(try Self.map(back.file)))
    #expect(new.parameters == old.parameters && new.pixels.size == old.pixels.size)
    let decoder = try EncodingPictures.registry.open(.bytes(back.file))
    // What XMP said of a second picture is gone.
    let packet = try decoder.metadata(.xmp).map { String(decoding: $0, as: UTF8.self) } ?? ""
    #expect(!packet.contains("hdrgm:Version") && !packet.contains("Container:Directory"))
  }

  @Test func isCutTurnedAndScaledWithThePicture() throws {
    let source = try Self.file("gain-map.avif")
    let turned = try Self.converted(source, to: .avif) { $0.edit.turns = [.right] }
    #expect(try Self.map(turned.file)?.pixels.size == Size(width: 8, height: 12))
    #expect(try EncodingPictures.registry.open(.bytes(turned.file)).header.canvas == Size(width: 16, height: 24))
    let cut = try Self.converted(source, to: .avif) { $0.edit.crop = Rect(x: 2, y: 2, width: 12, height: 8) }
    #expect(try Self.map(cut.file)?.pixels.size == Size(width: 6, height: 4))
    let half = try Self.converted(source, to: .avif) { $0.maxSize = Size(width: 12, height: 8) }
    #expect(try Self.map(half.file)?.pixels.size == Size(width: 6, height: 4))
  }

  @Test func isLeftOutWhereColorsChange() throws {
    let told = Told()
    var options = EncodeOptions()
    options.log = { severity, message in if severity == .warning { told.add(message) } }
    var reading = DecodeOptions()
    reading.color = .convert(to: .displayP3)
    let made = try EncodingPictures.registry.convert(
      .bytes(try Self.file("gain-map.avif")), to: .avif, at: .memory, options: options, reading: reading)
    #expect(told.all == ["the gain map is left out: the colors are converted"])
    #expect(try Self.map(made.bytes) == nil)
    let dropped = try Self.converted(try Self.file("gain-map.avif"), to: .avif) { $0.gainMap = .dropped }
    #expect(try Self.map(dropped.file) == nil)
  }

  /// A scene with light above white becomes a base and a map, which give the scene back.
  @Test func isMadeOfAnHDRPicture() throws {
    let size = Size(width: 64, height: 32)
    let pixels = try PixelBuffer(size: size, format: .rgba16, alpha: .opaque)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt16.self)
      for x in 0..<size.width {
        // PQ of up to 1000 nit.
        let code = UInt16(8000 + (x * 41_000) / 63)
        for channel in 0..<3 { row[4 * x + channel] = code }
        row[4 * x + 3] = .max
      }
    }
    var image = Image(pixels)
    image.cicp = CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
    let source = try EncodingPictures.registry.encode(image, as: .png)
    let (made, warnings) = try Self.converted(source, to: .avif) { $0.gainMap = .made }
    #expect(warnings == [])
    let map = try #require(try Self.map(made))
    #expect(map.pixels.size == Size(width: 32, height: 16))
    #expect(map.alternateColors?.transfer == 16)
    var reading = DecodeOptions()
    reading.gainMap = .applied(headroom: 65_536)
    reading.pixelFormat = .rgba16
    let found = try EncodingPictures.registry.open(.bytes(made), options: reading).frame(at: 0).pixels
    for x in stride(from: 1, to: 63, by: 2) {
      let sample = found.row(16).assumingMemoryBound(to: UInt16.self)[4 * x]
      #expect(abs(Int(sample) - (8000 + (x * 41_000) / 63)) < 1500, "column \(x)")
    }
  }
}

/// Warnings of a conversion, which come on any thread.
private final class Told: Sendable {
  private let messages = Mutex<[String]>([])
  var all: [String] { messages.withLock { $0 } }
  func add(_ message: String) { messages.withLock { $0.append(message) } }
}
