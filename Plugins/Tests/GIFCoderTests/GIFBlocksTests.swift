// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import GIFCoder

/// The fixed structures of a file: their fields, their bytes, and what is said of a cut.
@Suite struct GIFBlocksTests {
  /// 300×2 pixels, a global palette of 8 colors, background 5, square pixels stated as 49.
  private static let screen: [UInt8] = Array("GIF89a".utf8) + [44, 1, 2, 0, 0xF2, 5, 49]
  /// Disposal 3, a delay of 2.58 s, transparent index 7.
  private static let control: [UInt8] = [0x21, 0xF9, 4, 0x0D, 2, 1, 7, 0]
  /// At 258,3, 4×5 pixels, interlaced, 16 colors of its own.
  private static let image: [UInt8] = [0x2C, 2, 1, 3, 0, 4, 0, 5, 0, 0xC3]

  private func screen(_ bytes: [UInt8]) throws(CoderError) -> LogicalScreen {
    var reader = ByteReader(bytes.span.bytes, order: .littleEndian, of: "the screen")
    return try LogicalScreen(parsing: &reader)
  }

  private func image(_ bytes: [UInt8]) throws(CoderError) -> ImageDescriptor {
    var reader = ByteReader(bytes.span.bytes, order: .littleEndian, of: "an image")
    return try ImageDescriptor(parsing: &reader)
  }

  private func control(_ bytes: [UInt8]) throws(CoderError) -> GraphicControl {
    var reader = ByteReader(bytes.span.bytes, order: .littleEndian, of: "a control")
    return try GraphicControl(parsing: &reader)
  }

  private func written(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter(order: .littleEndian)
    write(&writer)
    return writer.bytes
  }

  @Test func readsTheScreen() throws {
    let screen = try screen(Self.screen)
    #expect(screen.version == "89a")
    #expect(screen.canvas == Size(width: 300, height: 2))
    #expect(screen.globalColorCount == 8)
    #expect(screen.backgroundIndex == 5)
    #expect(screen.aspectRatio == 49)
    #expect(written(screen.write(to:)) == Self.screen)
  }

  @Test func aScreenWithoutAPaletteSaysHowManyColorsThereMayBe() {
    let screen = LogicalScreen(canvas: Size(width: 1, height: 1), globalColorCount: 0)
    #expect(written(screen.write(to:)) == Array("GIF89a".utf8) + [1, 0, 1, 0, 0x77, 0, 0])
  }

  @Test(arguments: 6..<13) func aCutScreenIsTruncated(_ count: Int) {
    #expect(code { () throws(CoderError) in _ = try screen(Array(Self.screen.prefix(count))) } == .truncated)
  }

  @Test(arguments: [
    (Array("GIF8".utf8), CoderError.Code.truncated), (Array("GI".utf8), .truncated), (Array("GIF89".utf8), .truncated),
    ([], .wrongFormat), (Array("GIF88a".utf8), .wrongFormat), (Array("JPG".utf8), .wrongFormat),
  ])
  func aSignatureThatMayBecomeRightIsTruncated(_ bytes: [UInt8], _ expected: CoderError.Code) {
    #expect(code { () throws(CoderError) in _ = try screen(bytes) } == expected)
  }

  @Test func readsAndWritesAControl() throws {
    let control = try control(Array(Self.control[3..<7]))
    #expect(control.disposalMethod == 3)
    #expect(control.delay == 258)
    #expect(control.transparentIndex == 7)
    #expect(!control.isDefault)
    #expect(written(control.write(to:)) == Self.control)
    #expect(try self.control([0x0C, 0, 0, 7]).transparentIndex == nil)
  }

  @Test(arguments: 0..<4) func aCutControlIsTruncated(_ count: Int) {
    #expect(code { () throws(CoderError) in _ = try control(Array(Self.control[3..<3 + count])) } == .truncated)
  }

  @Test func readsAndWritesAnImage() throws {
    var image = try image(Self.image)
    #expect([image.x, image.y, image.width, image.height] == [258, 3, 4, 5])
    #expect(image.isInterlaced)
    #expect(image.localColorCount == 16)
    #expect(written(image.write(to:)) == Self.image)
    image.dropPalette()
    #expect(written(image.write(to:)).last == 0x40)
  }

  @Test(arguments: 0..<10) func aCutImageIsTruncated(_ count: Int) {
    #expect(code { () throws(CoderError) in _ = try image(Array(Self.image.prefix(count))) } == .truncated)
  }

  @Test(arguments: [(0, 1), (1, 3), (255, 257), (256, 259), (510, 513)])
  func dataIsCutIntoSubBlocks(_ count: Int, _ stored: Int) {
    let data = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let bytes = written { $0.putSubBlocks(data) }
    #expect(bytes.count == stored)
    #expect(bytes.first == UInt8(min(count, 255)))
    #expect(bytes.last == 0)
  }

  @Test func writesALoopCountAsNetscapeDid() {
    let bytes = written { ApplicationExtension.write(ApplicationExtension.netscape, [1, 2, 0], to: &$0) }
    #expect(bytes == [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 2, 0, 0])
  }

  /// Wherever a reader of sub-blocks comes from, the trailer leads it to the terminator.
  @Test func theXMPTrailerEndsAtItsTerminator() {
    let trailer = ApplicationExtension.xmpTrailer
    #expect(trailer.count == 258)
    for start in trailer.indices.dropLast() {
      var place = start
      while place < trailer.count - 1 { place += 1 + Int(trailer[place]) }
      #expect(place == trailer.count - 1 || place == trailer.count)
    }
  }

  @Test func aPaletteIsFilledUpWithBlack() {
    #expect([1, 2, 3, 5, 256].map(PaletteBytes.storedCount) == [2, 2, 4, 8, 256])
    #expect([2, 8, 256].map(PaletteBytes.sizeField) == [0, 2, 7])
    #expect(
      written { PaletteBytes.write([0xFF03_0201, 0xFF06_0504, 0], storedCount: 4, to: &$0) }
        == [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0])
  }

  /// The code of what `body` throws.
  private func code(_ body: () throws(CoderError) -> Void) -> CoderError.Code? {
    do throws(CoderError) { try body() } catch { return error.code }
    return nil
  }
}
