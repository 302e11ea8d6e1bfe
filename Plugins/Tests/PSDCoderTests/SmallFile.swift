// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin

@testable import PSDCoder

/// A file of a few pixels.
struct SmallFile {
  var version: UInt16 = 1
  var channels: UInt16 = 3
  var width: UInt32 = 2
  var height: UInt32 = 1
  var depth: UInt16 = 8
  var mode = PSDHeader.Mode.rgb
  var palette: [UInt8] = []
  /// Identifiers and data.
  var resources: [(UInt16, [UInt8])] = []
  /// The layer info: a count and records. Nil for no section.
  var layers: [UInt8]?
  /// Blocks after the layer info and the mask info.
  var blocks: [UInt8] = []
  var compression: UInt16 = 0
  var data: [UInt8] = []

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.put("8BPS")
    writer.put(version)
    writer.putZeros(6)
    writer.put(channels)
    writer.put(height)
    writer.put(width)
    writer.put(depth)
    writer.put(mode.rawValue)
    writer.put(UInt32(palette.count))
    writer.put(palette)
    let blocks = resources.flatMap { id, data in Self.resource(id, data) }
    writer.put(UInt32(blocks.count))
    writer.put(blocks)
    let section = layerSection
    writer.put(UInt64(section.count), bytes: version == 2 ? 8 : 4)
    writer.put(section)
    writer.put(compression)
    writer.put(data)
    return writer.bytes
  }

  private var layerSection: [UInt8] {
    guard layers != nil || !blocks.isEmpty else { return [] }
    var writer = ByteWriter()
    writer.put(UInt64(layers?.count ?? 0), bytes: version == 2 ? 8 : 4)
    writer.put(layers ?? [])
    writer.put(UInt32(0))
    writer.put(blocks)
    return writer.bytes
  }

  static func resource(_ id: UInt16, _ data: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.put("8BIM")
    writer.put(id)
    writer.put(UInt16(0))
    writer.put(UInt32(data.count))
    writer.put(data)
    writer.putZeros(data.count % 2)
    return writer.bytes
  }

  /// A zlib stream (RFC 1950) of one stored block.
  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    let count = UInt16(bytes.count)
    let lengths = [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
    var writer = ByteWriter()
    writer.put([0x78, 0x01, 0x01] + lengths + bytes)
    writer.put(b << 16 | a)
    return writer.bytes
  }

  func reader() throws(CoderError) -> PSDReader {
    try PSDReader(MemorySource(bytes).view, host: MemoryHost().host, options: [])
  }

  /// Rows that come, and the error after them.
  func decoded(as format: PixelFormat? = nil) throws -> (pixels: [UInt8], rows: Int, problem: CoderError?) {
    let reader = try reader()
    let offer = try reader.offer(for: DecodeRequest(pixelFormat: format))
    let sink = MemorySink(offer, most: 1)
    do throws(CoderError) {
      try reader.decode(offer, into: sink.sink)
      return (sink.pixels, sink.rowsDone, nil)
    } catch {
      return (sink.pixels, sink.rowsDone, error)
    }
  }

  func pixels(as format: PixelFormat? = nil) throws -> [UInt8] {
    let (pixels, _, problem) = try decoded(as: format)
    if let problem { throw problem }
    return pixels
  }
}
