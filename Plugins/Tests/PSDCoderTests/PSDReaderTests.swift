// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import PSDCoder

@Suite struct PSDReaderTests {
  private static let transparent: [UInt8] = [0xFF, 0xFF]  // a layer count of -1

  @Test func readsChannelsOneAfterTheOther() throws {
    let file = SmallFile(data: [1, 4, 2, 5, 3, 6])
    #expect(try file.pixels() == [1, 2, 3, 4, 5, 6])
    #expect(try file.pixels(as: .rgba8) == [1, 2, 3, 255, 4, 5, 6, 255])
    let header = try file.reader().header(page: 0)
    #expect(header.pixelFormat == .rgb8 && header.alpha == .opaque && header.bitsPerChannel == 8 && header.isLossless)
  }

  @Test(arguments: [UInt16(1), 2]) func findsPackedRowsByTheirLengths(_ version: UInt16) throws {
    // Rows of 2 and 3 bytes: a run of 2, and literals.
    let lengths: [UInt8] = [2, 3, 3, 2]
    let table = lengths.flatMap { version == 1 ? [0, $0] : [0, 0, 0, $0] }
    let file = SmallFile(
      version: version, channels: 2, height: 2, mode: .gray, layers: [0, 0], compression: 1,
      data: table + [0xFF, 9, 1, 7, 8] + [1, 5, 6, 0xFF, 4])
    // Channel 2 is no transparency: the layer count is not negative.
    #expect(try file.pixels() == [9, 9, 7, 8])
  }

  @Test func alphaIsTakenOutOfWhite() throws {
    // (200 - 255) × 255 / 128 + 255 = 145.4; colors without alpha stay, and so do opaque ones.
    let colors: [UInt8] = [200, 200, 200, 255, 9, 9, 0, 9, 9]
    let file = SmallFile(channels: 4, width: 3, layers: Self.transparent, data: colors + [128, 0, 255])
    #expect(try file.pixels() == [145, 255, 0, 128, 200, 9, 9, 0, 200, 9, 9, 255])
    #expect(try file.reader().header(page: 0).alpha == .straight)
  }

  @Test func whiteOfLabHasNoColor() throws {
    // White, L* 255 with a* and b* 128, stays white. Of L* 128 there is (128 - 255) × 255 / 127 + 255 = 0.
    let white = SmallFile(channels: 4, width: 1, mode: .lab, layers: Self.transparent, data: [255, 128, 128, 128])
    #expect(try white.pixels() == [255, 255, 255, 128])
    let black = SmallFile(channels: 4, width: 1, mode: .lab, layers: Self.transparent, data: [128, 128, 128, 127])
    #expect(try black.pixels() == [0, 0, 0, 127])
  }

  @Test func blocksSayTransparencyToo() throws {
    let block: [UInt8] = Array("8BIMMt16".utf8) + [0, 0, 0, 0]
    let file = SmallFile(
      channels: 2, width: 1, depth: 16, mode: .gray, blocks: block, data: [0x12, 0x34, 0xFF, 0xFF])
    #expect(try file.pixels() == [0x34, 0x12, 0xFF, 0xFF])
    #expect(try file.reader().header(page: 0).pixelFormat == .grayAlpha16)
  }

  @Test func inksAreStoredAsLight() throws {
    // 0 is all of an ink. (1 - C)(1 - K): 128 × 128 / 255 = 64.3.
    let file = SmallFile(channels: 4, mode: .cmyk, data: [128, 255, 255, 0, 0, 255, 128, 255])
    #expect(try file.pixels() == [64, 128, 0, 255, 0, 255])
    let reader = try file.reader()
    #expect(try reader.header(page: 0).hasInks)
    #expect(try reader.offer(for: DecodeRequest(rowFormat: .cmyk16)).rowFormat == .cmyk8)
  }

  @Test func indexesHaveColorsAndATransparentOne() throws {
    let palette = (0..<256).map { UInt8($0) } + (0..<256).map { UInt8(255 - $0) } + [UInt8](repeating: 7, count: 256)
    var file = SmallFile(channels: 1, mode: .indexed, palette: palette, data: [1, 250])
    #expect(try file.pixels() == [1, 254, 7, 250, 5, 7])
    file.resources = [(1047, [0, 250])]
    #expect(try file.pixels() == [1, 254, 7, 255, 250, 5, 7, 0])
    file.palette.removeLast()
    #expect(throws: CoderError.malformed("a palette of 767 bytes, 768 are needed", at: 30)) { try file.reader() }
  }

  @Test func aSetBitIsBlack() throws {
    let file = SmallFile(channels: 1, width: 9, depth: 1, mode: .bitmap, data: [0b0100_0001, 0x80])
    #expect(try file.pixels() == [255, 0, 255, 255, 255, 255, 255, 0, 0])
  }

  @Test func floatsStayAsTheyAre() throws {
    // 0.5, and 2 as 32 bits.
    let file = SmallFile(channels: 1, depth: 32, mode: .gray, data: [0x3F, 0, 0, 0, 0x40, 0, 0, 0])
    let floats = try file.pixels().withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    #expect(floats == [0.5, 0.5, 0.5, 1, 2, 2, 2, 1])
  }

  private static let zipped: [(UInt16, UInt16, [UInt8], [UInt8])] = [
    (2, 8, [10, 20, 30], [10, 20, 30]),
    (3, 8, [10, 5, 250], [10, 15, 9]),
    // 0x01FF, then 2 more, then 0xFFFF more.
    (3, 16, [0x01, 0xFF, 0, 2, 0xFF, 0xFF], [0xFF, 0x01, 0x01, 0x02, 0x00, 0x02]),
  ]

  @Test(arguments: zipped.indices) func sumsWhatZlibHas(_ index: Int) throws {
    let (compression, depth, stored, expected) = Self.zipped[index]
    let file = SmallFile(
      channels: 1, width: 3, depth: depth, mode: .gray, compression: compression, data: SmallFile.zlib(stored))
    #expect(try file.pixels() == expected)
  }

  @Test func bytesOfFloatsAreInPlanes() throws {
    // 1 is 3F 80 00 00, and -2 is C0 00 00 00: 3F C0 80 00 00 00 00 00, then differences.
    let stored: [UInt8] = [0x3F, 0x81, 0xC0, 0x80, 0, 0, 0, 0]
    let file = SmallFile(
      channels: 1, depth: 32, mode: .gray, compression: 3, data: SmallFile.zlib(stored))
    let floats = try file.pixels().withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    #expect(floats == [1, 1, 1, 1, -2, -2, -2, 1])
  }

  @Test func rowsBeforeTheEndStay() throws {
    // Three rows of two channels, of which the last byte of alpha is cut off.
    let file = SmallFile(
      channels: 2, width: 1, height: 3, mode: .gray, layers: Self.transparent, data: [1, 2, 3, 255, 255])
    let (pixels, rows, problem) = try file.decoded()
    #expect(rows == 2 && pixels == [1, 255, 2, 255, 0, 0] && problem?.code == .truncated)
    #expect(try file.reader().header(page: 0).isTruncated)
  }

  @Test func aShortRowIsMalformed() throws {
    let file = SmallFile(
      channels: 1, height: 2, mode: .gray, compression: 1, data: [0, 2, 0, 1, 0xFF, 5, 0])
    let (pixels, rows, problem) = try file.decoded()
    #expect(rows == 1 && pixels == [5, 5, 0, 0])
    #expect(problem == .malformed("row 1 of channel 1 has 0 of 2 bytes", at: file.bytes.count - 1))
  }

  @Test func aWrongChecksumCostsNoRow() throws {
    var data = SmallFile.zlib([1, 2])
    data[data.count - 1] ^= 1
    let (pixels, rows, problem) = try SmallFile(channels: 1, mode: .gray, compression: 2, data: data).decoded()
    #expect(pixels == [1, 2] && rows == 1)
    #expect(problem?.code == .checksumMismatch)
  }

  @Test func aFileWithoutItsMergedPictureIsUnsupported() throws {
    var file = SmallFile(resources: [(1057, [0, 0, 0, 1, 0])], layers: [0, 1], data: [0, 0, 0, 0, 0, 0])
    #expect(throws: CoderError.self) { _ = try file.pixels() }
    #expect(try file.reader().header(page: 0).canvas == Size(width: 2, height: 1))
    file.layers = nil
    #expect(try file.pixels() == [0, 0, 0, 0, 0, 0])
  }
}
