// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Parts of pictures through a source that is asked for ranges: bytes of other tiles are not fetched.
@Suite struct PartSourceTests {
  private static let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())

  /// The pixels of a part, and how many bytes of the file were asked for.
  private static func read(_ file: [UInt8], _ part: Rect) throws -> (pixels: [UInt8], bytes: Int) {
    let count = Mutex(0)
    let source = ByteSource.reading(size: file.count) { range in
      count.withLock { $0 += range.count }
      return Array(file[range])
    }
    let pixels = try registry.decode(source, options: DecodeOptions(part: part)).pixels
    return (bytes(of: pixels, Rect(covering: pixels.size)), count.withLock { $0 })
  }

  private static func bytes(of pixels: PixelBuffer, _ part: Rect) -> [UInt8] {
    let pixel = pixels.format.bytesPerPixel
    return (part.y..<(part.y + part.height)).flatMap { y in
      pixels.withRow(y) { Array($0[(part.x * pixel)..<((part.x + part.width) * pixel)]) }
    }
  }

  private static func check(_ file: [UInt8], _ part: Rect, atMost bytes: Int) throws {
    let whole = try registry.decode(.bytes(file), options: DecodeOptions(firstFrameOnly: true)).pixels
    let found = try read(file, part)
    #expect(found.pixels == Self.bytes(of: whole, part))
    #expect(found.bytes <= bytes, "\(found.bytes) of \(file.count) bytes")
  }

  private static func noise(_ size: Size) throws -> Image {
    let pixels = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    var random = SplitMix(seed: 11)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<(3 * size.width) { row[x] = UInt8(truncatingIfNeeded: random.next()) }
    }
    return Image(pixels)
  }

  /// One tile of 30, what says where it is, and what else comes in 64 KiB: a source is asked for no fewer at a time.
  @Test(arguments: ["none", "deflate"]) func aTileOfATIFF(_ compression: String) throws {
    var writing = EncodeOptions()
    writing.values = ["tile": .number(256), "compression": .word(compression)]
    let file = try Self.registry.encode(try Self.noise(Size(width: 1500, height: 1200)), as: .tiff, options: writing)
    try Self.check(file, Rect(x: 520, y: 530, width: 200, height: 150), atMost: file.count / 7)
    #expect(file.count > 5_000_000)
  }

  /// The heads of all tile-parts are read, and one tile.
  @Test func aTileOfAJPEG2000() throws {
    var writing = EncodeOptions()
    writing.values = ["tile": .number(512)]
    let image = try Self.noise(Size(width: 1536, height: 1536))
    let file = try Self.registry.encode(image, as: .jpeg2000, options: writing)
    try Self.check(file, Rect(x: 600, y: 700, width: 100, height: 90), atMost: file.count / 3)
    #expect(file.count > 3_000_000)
  }

  @Test func aTileOfAnEXR() throws {
    let file = Self.tiledEXR()
    try Self.check(file, Rect(x: 400, y: 700, width: 60, height: 50), atMost: 4 * 65_536)
    #expect(file.count > 2_000_000)
  }

  /// The pictures of a file with 96 KiB of filler after each, in an item location box of 20 bytes for each.
  ///
  /// - Format: ISO/IEC 14496-12 §8.11.3, version 1 with base offsets and one extent; H.265 §7.4.2.2, units of type 38.
  private static func filled(_ file: [UInt8]) throws -> [UInt8] {
    func start(of box: String) throws -> Int {
      try #require(file.indices.first { file[$0...].starts(with: box.utf8) })
    }
    func number(at place: Int, count: Int) -> Int { file[place...].prefix(count).reduce(0) { $0 << 8 | Int($1) } }
    let (table, data) = (try start(of: "iloc") + 4, try start(of: "mdat") - 4)
    try #require(file[table..<(table + 6)] == [1, 0, 0, 0, 0x44, 0x40])
    try #require(data + number(at: data, count: 4) == file.count)
    let filler = [UInt8](repeating: 0xFF, count: 96 << 10)
    let unit = [0, 1, 0x80, 3, 38 << 1, 1] + filler + [0x80]
    var filled = file
    func put(_ number: Int, at place: Int) {
      for index in 0..<4 { filled[place + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index)) }
    }
    for entry in (0..<number(at: table + 6, count: 2)).map({ table + 8 + 20 * $0 }) {
      let (place, length) = (number(at: entry + 6, count: 4), number(at: entry + 16, count: 4))
      // What puts pictures together is shorter.
      guard number(at: entry + 2, count: 2) == 0, length > 64 else { continue }
      put(filled.count, at: entry + 6)
      put(length + unit.count, at: entry + 16)
      filled += file[place..<(place + length)] + unit
    }
    put(filled.count - data, at: data)
    return filled
  }

  /// What says where the pictures are, and of the pictures those that the part touches: at most two of four.
  @Test(arguments: ["grid.heic", "grid-rotated.heic", "overlay.heic"]) func tilesOfAHEIF(_ name: String) throws {
    let path = "\(StagedTree.fixtures("heif"))/valid/\(name)"
    let file = try Self.filled([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    let size = try Self.registry.header(of: .bytes(file)).displayedSize
    let part = Rect(x: size.width * 5 / 8, y: size.height * 5 / 8, width: size.width / 8, height: size.height / 8)
    try Self.check(file, part, atMost: file.count * 2 / 3)
  }

  /// 1,024×1,024 gray pixels of half precision in tiles of 128, without compression.
  private static func tiledEXR() -> [UInt8] {
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0] + Array(type.utf8) + [0] + bytes(Int32(value.count)) + value
    }
    let window = [0, 0, 1023, 1023].flatMap { bytes(Int32($0)) }
    let one = bytes(Int32(1))
    var file: [UInt8] = [0x76, 0x2F, 0x31, 0x01, 2, 2, 0, 0]
    file += attribute("channels", "chlist", [UInt8(ascii: "Y"), 0] + one + [0, 0, 0, 0] + one + one + [0])
    file += attribute("compression", "compression", [0])
    file += attribute("dataWindow", "box2i", window) + attribute("displayWindow", "box2i", window)
    file += attribute("tiles", "tiledesc", bytes(UInt32(128)) + bytes(UInt32(128)) + [0]) + [0]
    var content: [UInt8] = []
    let start = file.count + 64 * 8
    for tile in 0..<64 {
      file += bytes(UInt64(start + content.count))
      for place in [tile % 8, tile / 8, 0, 0, 128 * 128 * 2] { content += bytes(Int32(place)) }
      for sample in 0..<(128 * 128) { content += bytes(Float16(sample % 997 + tile).bitPattern) }
    }
    return file + content
  }
}
