// SPDX-License-Identifier: Apache-2.0

import CTIFFShim
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import TIFFCoder

/// Strips and tiles of JPEG that are decoded at a part of their size.
///
/// Each block of 8×8 pixels has one value. At quality 100 a block's DC coefficient is exact, so that a smaller block has
/// the same value in every pixel, whichever library makes it.
@Suite struct ReducedJPEGTests {
  struct Coding: Sendable, CustomTestStringConvertible {
    var isGray = false
    /// The side of tiles, or 0 for strips of 16 rows.
    var tile = 0
    var subsampling: UInt32 = 0x11
    var size = Size(width: 56, height: 40)
    /// Of the strip or tile that the directory states, when it is not that of the file.
    var statedTile: Int?

    var testDescription: String {
      "\(size) \(isGray ? "gray" : "YCbCr \(subsampling)"), \(tile == 0 ? "strips" : "tiles of \(tile)")"
    }
  }

  static let codings = [
    Coding(isGray: true), Coding(), Coding(subsampling: 0x22), Coding(subsampling: 0x21),
    Coding(isGray: true, tile: 16), Coding(tile: 32), Coding(tile: 16, subsampling: 0x22),
    Coding(tile: 64, size: Size(width: 8, height: 8)),
    Coding(tile: 32, size: Size(width: 50, height: 35)), Coding(size: Size(width: 61, height: 9)),
  ]

  private static func value(_ column: Int, _ row: Int) -> UInt8 { UInt8(20 + 23 * column + 9 * row) }

  /// - Parameter kept: Of the last strip's or tile's bytes, how many are there, of 8.
  private static func file(_ coding: Coding, kept: Int = 8) throws -> [UInt8] {
    let (width, height) = (coding.size.width, coding.size.height)
    let samples = coding.isGray ? 1 : 3
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { pixels += [UInt8](repeating: value(x / 8, y / 8), count: samples) }
    }
    var page = ctiff_page()
    (page.width, page.height) = (UInt32(width), UInt32(height))
    page.is_tiled = coding.tile > 0 ? 1 : 0
    page.strile_width = UInt32(coding.tile > 0 ? coding.tile : width)
    page.strile_height = UInt32(coding.tile > 0 ? coding.tile : min(16, height))
    page.across = (page.width + page.strile_width - 1) / page.strile_width
    page.down = (page.height + page.strile_height - 1) / page.strile_height
    (page.samples, page.pixel_bytes) = (UInt32(samples), UInt32(samples))
    (page.bits, page.sample_format) = (8, UInt32(CTIFF_UNSIGNED))
    page.photometric = UInt32((coding.isGray ? Photometric.minIsBlack : .yCbCr).rawValue)
    page.compression = UInt32(Compression.jpeg.code)
    (page.level, page.quality, page.predictor) = (-1, 100, 1)
    page.subsampling = coding.subsampling
    page.stride = UInt64(width * samples)
    let host = MemoryHost().host
    var striles: [[UInt8]] = []
    try pixels.withUnsafeBufferPointer { pixels throws(CoderError) in
      page.pixels = pixels.baseAddress
      let count = Int(page.across * page.down)
      try LibTIFF.encode(&page, first: 0, count: count, host: host) { (bytes) throws(CoderError) in
        striles.append(Array(bytes))
      }
    }
    let last = striles.removeLast()
    striles.append(Array(last.prefix(last.count * kept / 8)))
    return assemble(coding, striles, tables: try LibTIFF.jpegTables(&page, host: host), page)
  }

  private static func assemble(
    _ coding: Coding, _ striles: [[UInt8]], tables: [UInt8], _ page: ctiff_page
  ) -> [UInt8] {
    var file = SmallFile(width: page.width, height: page.height)
    file.set(258, [UInt32](repeating: 8, count: Int(page.samples)), type: 3)
    file.set(259, [7], type: 3)
    file.set(262, [page.photometric], type: 3)
    file.set(277, [page.samples], type: 3)
    file.set(347, tables.map { UInt32($0) }, type: 7)
    let side = UInt32(coding.statedTile ?? coding.tile)
    let (places, lengths): (UInt16, UInt16) = coding.tile > 0 ? (324, 325) : (273, 279)
    if coding.tile > 0 {
      for tag: UInt16 in [273, 278, 279] { file.remove(tag) }
      file.set(322, [side])
      file.set(323, [side])
    } else {
      file.set(278, [page.strile_height])
    }
    file.set(lengths, striles.map { UInt32($0.count) })
    file.set(places, [UInt32](repeating: 0, count: striles.count))
    let start = UInt32(file.bytes().count)
    file.set(places, striles.indices.map { start + UInt32(striles[..<$0].joined().count) })
    return file.bytes() + striles.joined()
  }

  private struct Result {
    var size: Size
    var pixels: [UInt8]
    var rows: Int
    var error: CoderError?
  }

  private static func decode(_ bytes: [UInt8], wanted: Size) throws -> Result {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    let reader = try TIFFReader(source.view, host: MemoryHost().host, options: [])
    let offer = try reader.offer(for: DecodeRequest(size: wanted))
    let sink = MemorySink(offer)
    var result = Result(size: offer.size, pixels: [], rows: 0)
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch { result.error = error }
    (result.pixels, result.rows) = (sink.pixels, sink.rowsDone)
    return result
  }

  private static func reduced(_ size: Size, by factor: Int) -> Size {
    Size(width: (size.width + factor - 1) / factor, height: (size.height + factor - 1) / factor)
  }

  @Test(arguments: codings, [1, 2, 4, 8]) func blocksKeepTheirValues(_ coding: Coding, _ factor: Int) throws {
    let smaller = Self.reduced(coding.size, by: factor)
    let result = try Self.decode(try Self.file(coding), wanted: smaller)
    #expect(result.error == nil)
    #expect(result.size == smaller)
    let samples = coding.isGray ? 1 : 3
    var expected: [UInt8] = []
    for y in 0..<smaller.height {
      for x in 0..<smaller.width {
        expected += [UInt8](repeating: Self.value(x * factor / 8, y * factor / 8), count: samples)
      }
    }
    #expect(result.pixels == expected)
  }

  /// One pixel more than an eighth, a quarter and a half.
  @Test func neverIsSmallerThanWanted() throws {
    let bytes = try Self.file(Coding(tile: 16))
    for (wanted, factor) in [((8, 5), 4), ((7, 6), 4), ((14, 11), 2), ((29, 1), 1), ((1, 1), 8)] {
      let size = try Self.decode(bytes, wanted: Size(width: wanted.0, height: wanted.1)).size
      #expect(size == Size(width: 56 / factor, height: 40 / factor))
    }
  }

  /// A pixel may not come from two strips: of strips of 9 rows none is smaller, in spite of what is wanted.
  @Test func stripsThatAreNoMultipleStayWhole() throws {
    var file = SmallFile(width: 16, height: 18)
    file.set(259, [7], type: 3)
    file.set(278, [9])
    file.set(273, [8, 8])
    file.set(279, [8, 8])
    let source = MemorySource(file.bytes())
    defer { withExtendedLifetime(source) {} }
    let reader = try TIFFReader(source.view, host: MemoryHost().host, options: [])
    #expect(try reader.offer(for: DecodeRequest(size: Size(width: 2, height: 2))).size == Size(width: 16, height: 18))
  }

  @Test func bytesThatEndEarlyAreTold() throws {
    let coding = Coding(isGray: true, size: Size(width: 56, height: 64))
    let result = try Self.decode(try Self.file(coding, kept: 4), wanted: Size(width: 14, height: 16))
    #expect(result.error == .malformed("strip or tile 3: Premature end of JPEG data", at: result.error?.offset))
    // The first three strips of four rows.
    #expect(result.rows >= 12)
    for y in 0..<12 {
      #expect(result.pixels[y * 14..<(y + 1) * 14].elementsEqual((0..<14).map { Self.value($0 / 2, y / 2) }))
    }
  }

  @Test func jpegLargerThanItsTileIsMalformed() throws {
    var coding = Coding(isGray: true, tile: 32, size: Size(width: 32, height: 32))
    coding.statedTile = 16
    let file = try Self.file(coding)
    let result = try Self.decode(file, wanted: Size(width: 8, height: 8))
    #expect(result.error?.code == .malformed)
  }
}
