// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin

@testable import EXRCoder

/// A file of one part of scan lines or tiles, without compression, whose channels are all of half precision.
struct SmallFile {
  var channels = ["Y"]
  var data: [Int32] = [0, 0, 1, 2]
  var display: [Int32]?
  /// Tiles of this side, and the mode of levels.
  var tile: (side: UInt32, mode: UInt8)?
  var compression: UInt8 = 0
  var attributes: [UInt8] = []
  /// The coordinates and samples of each chunk.
  var chunks: [(place: [Int32], samples: [UInt16])] = []
  /// Chunks that the table leaves out: its entries are beyond the file.
  var missing: Set<Int> = []

  static func attribute(_ name: String, _ type: String, _ value: [UInt8]) -> [UInt8] {
    Array(name.utf8) + [0] + Array(type.utf8) + [0] + bytes(Int32(value.count)) + value
  }

  static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  var header: [UInt8] {
    var bytes: [UInt8] = [0x76, 0x2F, 0x31, 0x01, 2, tile == nil ? 0 : 2, 0, 0]
    let one = Self.bytes(Int32(1))
    var list: [UInt8] = []
    for name in channels { list += Array(name.utf8) + [0] + one + [0, 0, 0, 0] + one + one }
    bytes += Self.attribute("channels", "chlist", list + [0])
    bytes += Self.attribute("compression", "compression", [compression])
    bytes += Self.attribute("dataWindow", "box2i", data.flatMap { Self.bytes($0) })
    bytes += Self.attribute("displayWindow", "box2i", (display ?? data).flatMap { Self.bytes($0) })
    if let tile {
      bytes += Self.attribute("tiles", "tiledesc", Self.bytes(tile.side) + Self.bytes(tile.side) + [tile.mode])
    }
    return bytes + attributes + [0]
  }

  var bytes: [UInt8] {
    let header = header
    var (table, content): ([UInt8], [UInt8]) = ([], [])
    let start = header.count + 8 * chunks.count
    for (index, chunk) in chunks.enumerated() {
      table += Self.bytes(missing.contains(index) ? UInt64(1) << 40 : UInt64(start + content.count))
      content += chunk.place.flatMap { Self.bytes($0) }
      content += Self.bytes(Int32(2 * chunk.samples.count)) + chunk.samples.flatMap { Self.bytes($0) }
    }
    return header + table + content
  }

  func reader(_ limits: Limits = .standard) throws(CoderError) -> EXRReader {
    try EXRReader(MemorySource(bytes).view, host: MemoryHost(limits).host, options: [])
  }

  /// The first sample of each pixel, the rows that came, and the error after them.
  func decoded(
    page: Int = 0, size: Size? = nil, part: Rect? = nil, limits: Limits = .standard
  ) throws -> (samples: [Float16], rows: Int, problem: CoderError?) {
    let reader = try reader(limits)
    let offer = try reader.offer(for: DecodeRequest(page: page, size: size, part: part))
    let sink = MemorySink(offer, most: 1)
    var problem: CoderError?
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch { problem = error }
    let pixels = sink.pixels
    let samples = stride(from: 0, to: pixels.count, by: 8).map {
      Float16(bitPattern: UInt16(pixels[$0]) | UInt16(pixels[$0 + 1]) << 8)
    }
    return (samples, sink.rowsDone, problem)
  }

  /// 4×4, 2×2 and 1×1, one tile each.
  static let levels = SmallFile(
    data: [0, 0, 3, 3], tile: (4, 1),
    chunks: [
      ([0, 0, 0, 0], [UInt16](repeating: 0x3C00, count: 16)), ([0, 0, 1, 1], [UInt16](repeating: 0x4000, count: 4)),
      ([0, 0, 2, 2], [0x4200]),
    ])

  /// Gray of two columns: each row has a sample twice.
  static func rows(_ values: [Float16]) -> [(place: [Int32], samples: [UInt16])] {
    values.enumerated().map { (place: [Int32($0.offset)], samples: [$0.element.bitPattern, $0.element.bitPattern]) }
  }
}
