// SPDX-License-Identifier: Apache-2.0

import CRAWShim
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import RAWCoder

/// Each file has the samples of ``SmallFile``, kept in another way: the picture is the same, to the bit.
@Suite struct PackedPictureTests {
  private typealias Field = SmallFile.Field

  private static let plain = Result { try SmallFile().decoded().samples }

  /// Tiles of 32 by 16, which reach over the last column and row.
  private static func tiles(_ numbers: [[UInt16]]) -> [[[UInt16]]] {
    let wide = (numbers + [[UInt16]](repeating: numbers[0].map { _ in 0 }, count: 2)).map { row -> [UInt16] in
      row + [UInt16](repeating: 0, count: 64 - row.count)
    }
    var tiles: [[[UInt16]]] = []
    for top in [0, 16] {
      for left in [0, 32] { tiles.append(wide[top..<top + 16].map { Array($0[left..<left + 32]) }) }
    }
    return tiles
  }

  private static func file(compression: UInt16, _ striles: [[UInt8]], _ more: [UInt16: Field] = [:]) -> SmallFile {
    var file = SmallFile()
    file.striles = striles
    file.fields = [259: .short(compression), 322: .short(32), 323: .short(16)].merging(more) { $1 }
    return file
  }

  private static func bytes(_ tile: [[UInt16]]) -> [UInt8] { tile.flatMap { $0.flatMap(SmallFile.bytes) } }

  /// A zlib stream (RFC 1950) of one stored block.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var (low, high) = (UInt32(1), UInt32(0))
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    let count = UInt16(bytes.count)
    let sum = high << 16 | low
    return [0x78, 0x01, 1] + SmallFile.bytes(count) + SmallFile.bytes(~count) + bytes + SmallFile.bytes(sum.byteSwapped)
  }

  /// Each row as differences from so many samples before.
  private static func differences(_ tile: [[UInt16]], from step: Int) -> [[UInt16]] {
    tile.map { row in row.indices.map { $0 < step ? row[$0] : row[$0] &- row[$0 - step] } }
  }

  private static func expectPlain(_ file: SmallFile, _ location: SourceLocation = #_sourceLocation) throws {
    let (samples, rows, problem) = try file.decoded()
    #expect(rows == 30 && problem == nil, sourceLocation: location)
    #expect(try samples == plain.get(), sourceLocation: location)
  }

  @Test func tilesWithoutCompression() throws {
    try Self.expectPlain(Self.file(compression: 1, Self.tiles(SmallFile().numbers).map(Self.bytes)))
  }

  /// The last ten rows, then the first twenty.
  @Test func stripsThatDoNotFollowEachOther() throws {
    let rows = SmallFile().numbers
    var file = SmallFile()
    file.isTiled = false
    file.striles = [Self.bytes(Array(rows[20...])), Self.bytes(Array(rows[..<20]))]
    file.fields = [278: .long(20), 273: .long(0, 0), 279: .long(1600, 800)]
    let start = file.bytes.count - 2400
    file.fields[273] = .long(start + 800, start)
    try Self.expectPlain(file)
  }

  @Test(arguments: [(1, 0), (2, 1), (34_892, 2), (34_893, 4)] as [(UInt16, Int)])
  func deflateWithPredictors(_ predictor: UInt16, _ step: Int) throws {
    let tiles = Self.tiles(SmallFile().numbers).map { step == 0 ? $0 : Self.differences($0, from: step) }
    try Self.expectPlain(
      Self.file(compression: 8, tiles.map { Self.stored(Self.bytes($0)) }, [317: .short(predictor)]))
  }

  /// Twelve bits of each sample: the upper ones of the same light, whose white is 4095.
  @Test func samplesOfTwelveBits() throws {
    let striles = Self.tiles(SmallFile().numbers).map { tile -> [UInt8] in
      tile.flatMap { row in
        stride(from: 0, to: row.count, by: 2).flatMap { x -> [UInt8] in
          let (a, b) = (row[x] >> 4, row[x + 1] >> 4)
          return [UInt8(a >> 4), UInt8((a & 15) << 4 | b >> 8), UInt8(b & 255)]
        }
      }
    }
    let (samples, _, problem) = try Self.file(compression: 1, striles, [258: .short(12)]).decoded()
    #expect(problem == nil)
    let plain = try Self.plain.get()
    // A quarter of 65,535 is 16,384 of 16 bits and 1024 of 12: 0.250004 and 0.250061 of white.
    #expect(zip(samples, plain).allSatisfy { abs($0 - $1) <= 8 })
  }

  /// Bytes of floating-point numbers, the first ones first, as differences (TIFF Technical Note 3).
  @Test(arguments: [(3, 1), (34_894, 2)] as [(UInt16, Int)])
  func floatingPointWithPredictors(_ predictor: UInt16, _ step: Int) throws {
    let striles = Self.tiles(SmallFile().numbers).map { tile -> [UInt8] in
      tile.flatMap { row -> [UInt8] in
        let numbers = row.map { (Float($0) / 65_535).bitPattern }
        let planes = [24, 16, 8, 0].flatMap { shift in numbers.map { UInt8($0 >> shift & 255) } }
        return planes.indices.map { $0 < step ? planes[$0] : planes[$0] &- planes[$0 - step] }
      }
    }
    try Self.expectPlain(
      Self.file(compression: 8, striles.map(Self.stored), [258: .short(32), 339: .short(3), 317: .short(predictor)]))
  }

  /// In a quarter, 0.25 and 1 of a white of 1, or 1.5 and more of one of 6: as 16 and 24 bits, the last ones infinite.
  @Test(
    arguments: [
      (16, [0x00, 0x34], [0x00, 0x3C], 1), (16, [0x00, 0x3E], [0x00, 0x7C], 6),
      (24, [0x00, 0x00, 0x3D], [0x00, 0x00, 0x3F], 1), (24, [0x00, 0x80, 0x3F], [0x00, 0x00, 0x7F], 6),
    ] as [(UInt16, [UInt8], [UInt8], Int)])
  func floatingPointOfOtherSizes(_ bits: UInt16, _ quarter: [UInt8], _ white: [UInt8], _ level: Int) throws {
    let striles = Self.tiles(SmallFile().numbers).map { tile -> [UInt8] in
      tile.flatMap { row in row.flatMap { sample -> [UInt8] in sample == 16_384 ? quarter : white } }
    }
    try Self.expectPlain(
      Self.file(compression: 1, striles, [258: .short(bits), 339: .short(3), 50_717: .long(level)]))
  }

  /// Even columns before odd ones, and rows likewise: each color is a picture of its own in a quarter.
  @Test func columnsAndRowsByTurns() throws {
    let numbers = SmallFile().numbers
    let order = { (count: Int) in Array(stride(from: 0, to: count, by: 2)) + Array(stride(from: 1, to: count, by: 2)) }
    let turned = order(30).map { y in order(40).map { numbers[y][$0] } }
    #expect(turned[0][..<20].allSatisfy { $0 == 16_384 || $0 == 65_535 })
    try Self.expectPlain(
      Self.file(
        compression: 1, Self.tiles(turned).map(Self.bytes), [52_547: .short(2), 50_975: .short(2)]))
  }

  /// The four tiles as cjxl makes them, without loss.
  private static let jxl = [
    "ff0ac3f103142d020804010070004b188b1500dc33668cc13af302200008602f0010e20100fcff70e300",
    "ff0ac3f103142d020804010064004b188b1500dc3333c6e0212f0002408ff2024041bcff3f0442",
    "ff0ac3f103142d02080401007c004b188b1500dcc98b3158675e0006806314e41a00c04090ff9f203f1ac090d0",
    "ff0ac3f103142d020804010064004b188b1500dcef32c6e0212f00028089b31884ff7f7111f405",
  ].map { text in
    stride(from: 0, to: text.utf8.count, by: 2).map { place in
      UInt8(text.dropFirst(place).prefix(2), radix: 16) ?? 0
    }
  }

  private static let hasJXL = craw_has_jxl() != 0

  @Test(.enabled(if: hasJXL, "libjxl is not here")) func tilesOfJXL() throws {
    try Self.expectPlain(Self.file(compression: 52_546, Self.jxl))
  }

  @Test(.enabled(if: hasJXL, "libjxl is not here")) func damagedTilesOfJXLAreReportedAfterTheRows() throws {
    var tiles = Self.jxl
    tiles[2] = Array(tiles[2].prefix(20))
    let (samples, rows, problem) = try Self.file(compression: 52_546, tiles).decoded()
    #expect(rows == 30 && problem?.code == .malformed && problem?.message == "a JPEG XL tile ends early")
    // The tenth row is in the tiles above.
    #expect(try samples[1200..<1320] == Self.plain.get()[1200..<1320])
  }

  /// Each tile has one sample of a pixel, and the directory says three.
  @Test(.enabled(if: hasJXL, "libjxl is not here")) func tilesOfJXLWithOtherChannelsAreRefused() throws {
    let file = Self.file(
      compression: 52_546, Self.jxl, [277: .short(3), 258: .short(16, 16, 16), 262: .short(34_892)])
    #expect(try file.decoded().problem?.message == "a JPEG XL tile has other channels than the directory says")
  }

  /// The directory of the preview comes first, and stays where it is.
  @Test func previewsStayWhereTheyAre() throws {
    var file = Self.file(compression: 1, Self.tiles(SmallFile().numbers).map(Self.bytes))
    file.preview = EmbeddedPreviewTests.jpeg
    try Self.expectPlain(file)
    let header = try file.reader().header(page: 1)
    #expect(header.role == PageRole(.preview, name: "camera preview", showsOwner: true))
    #expect(header.embedded == SmallFile.previewPlace..<SmallFile.previewPlace + EmbeddedPreviewTests.jpeg.count)
  }

  @Test func missingTilesAreReportedAfterTheRows() throws {
    var file = Self.file(compression: 1, Self.tiles(SmallFile().numbers).map(Self.bytes))
    file.cut = 1024
    let (samples, rows, problem) = try file.decoded()
    #expect(rows == 30 && problem?.code == .truncated && problem?.offset == file.bytes.count)
    #expect(try samples[1200..<1260] == Self.plain.get()[1200..<1260])
  }

  /// The last of the lengths of tiles; after them are two values of 96 bytes, and the samples.
  @Test func aDirectoryThatEndsEarlyIsTruncated() {
    let streams = Self.tiles(SmallFile().numbers).map { Self.stored(Self.bytes($0)) }
    var file = Self.file(compression: 8, streams)
    file.cut = streams.reduce(0) { $0 + $1.count } + 96 + 2
    let error = #expect(throws: CoderError.self) { try file.reader() }
    #expect(error?.code == .truncated && error?.offset == file.bytes.count - 2)
  }

  /// As many bytes of the directory as there are up to the places of tiles: the compression is known, they are not.
  @Test func aDirectoryWithoutItsLastEntriesIsTruncated() throws {
    let streams = Self.tiles(SmallFile().numbers).map { Self.stored(Self.bytes($0)) }
    var file = Self.file(compression: 8, streams)
    let bytes = file.bytes
    let entry = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x44, 0x01, 4, 0, 4, 0, 0, 0]) })
    file.cut = bytes.count - entry
    let error = #expect(throws: CoderError.self) { try file.reader() }
    #expect(error?.code == .truncated && error?.offset == entry)
  }

  @Test func cancellingEndsUnpacking() throws {
    let host = MemoryHost()
    let reader = try Self.file(compression: 1, Self.tiles(SmallFile().numbers).map(Self.bytes)).reader(host)
    let offer = try reader.offer(for: DecodeRequest())
    host.isCancelled = true
    let error = #expect(throws: CoderError.self) { try reader.decode(offer, into: MemorySink(offer).sink) }
    #expect(error?.code == .cancelled)
  }

  @Test func damagedStreamsAreReportedAfterTheRows() throws {
    var streams = Self.tiles(SmallFile().numbers).map { Self.stored(Self.bytes($0)) }
    streams[3][0] = 0
    let (_, rows, problem) = try Self.file(compression: 8, streams).decoded()
    #expect(rows == 30 && problem?.code == .malformed && problem?.message == "a deflate stream is damaged")
  }

  @Test func predictorsOfOtherSamplesAreLeftToTIFF() {
    let error = #expect(throws: CoderError.self) {
      try Self.file(compression: 8, [[], [], [], []], [317: .short(3)]).reader()
    }
    #expect(error?.code == .wrongFormat && error?.message == "predictor 3 of samples of 16 bits")
  }

  @Test func floatingPointWithALevelOfBlackIsLeftToTIFF() {
    let fields: [UInt16: Field] = [258: .short(32), 339: .short(3), 50_714: .rationals([3])]
    let error = #expect(throws: CoderError.self) { try Self.file(compression: 1, [[], [], [], []], fields).reader() }
    #expect(error?.code == .wrongFormat)
  }

  @Test func planesOneAfterTheOtherAreLeftToTIFF() {
    var file = SmallFile()
    file.fields = [277: .short(3), 284: .short(2)]
    let error = #expect(throws: CoderError.self) { try file.reader() }
    #expect(error?.code == .wrongFormat && error?.message == "planes of samples one after the other")
  }

  /// What a mosaic of that size needs, and the copy of the file with its samples, and a tile.
  @Test func memoryOfTheCopyCounts() throws {
    let file = Self.file(compression: 1, Self.tiles(SmallFile().numbers).map(Self.bytes))
    var limits = Limits.standard
    limits.maxMemory = 40 * 38 * 4 + 1200 * 14 + (32 << 20) + file.bytes.count + 2400 + 32 * 16 * 12
    #expect(try file.reader(limits).offer(for: DecodeRequest()).size == file.size)
    limits.maxMemory -= 1
    let error = #expect(throws: CoderError.self) { try file.reader(limits).offer(for: DecodeRequest()) }
    #expect(error?.limit == .maxMemory && error?.found == limits.maxMemory + 1)
  }
}
