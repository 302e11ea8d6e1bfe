// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin

@testable import PSDCoder

/// A record and its channels.
struct SmallLayer {
  var name = ""
  /// Top, left, bottom, right.
  var edges: [Int32] = [0, 0, 0, 0]
  var mode = "norm"
  var opacity: UInt8 = 255
  var flags: UInt8 = 0
  /// The type of a group's marker, or nil.
  var marker: UInt8?
  /// Numbers, and what is stored with the compression.
  var channels: [(Int16, [UInt8])] = []

  func record(_ isLarge: Bool) -> [UInt8] {
    var writer = ByteWriter()
    for edge in edges { writer.put(UInt32(bitPattern: edge)) }
    writer.put(UInt16(channels.count))
    for (id, data) in channels {
      writer.put(UInt16(bitPattern: id))
      writer.put(UInt64(data.count), bytes: isLarge ? 8 : 4)
    }
    writer.put("8BIM")
    writer.put(Array(mode.utf8))
    writer.put([opacity, 0, flags, 0])
    let text = [UInt8(name.utf8.count)] + Array(name.utf8)
    let padded = text + [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
    var block: [UInt8] = []
    if let marker { block = Array("8BIMlsct".utf8) + [0, 0, 0, 4, 0, 0, 0, marker] }
    writer.put(UInt32(8 + padded.count + block.count))
    writer.put([UInt8](repeating: 0, count: 8) + padded + block)
    return writer.bytes
  }

  static func file(_ layers: [SmallLayer], version: UInt16 = 1, mode: PSDHeader.Mode = .rgb) -> SmallFile {
    let records = layers.flatMap { $0.record(version == 2) }
    let pixels = layers.flatMap { $0.channels.flatMap(\.1) }
    return SmallFile(
      version: version, mode: mode, layers: [0, UInt8(layers.count)] + records + pixels, data: [1, 4, 2, 5, 3, 6])
  }

  static func pixels(
    _ reader: PSDReader, page: Int
  ) throws(CoderError) -> (pixels: [UInt8], problem: CoderError?) {
    let offer = try reader.offer(for: DecodeRequest(page: page))
    let sink = MemorySink(offer, most: 1)
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch { return (sink.pixels, error) }
    return (sink.pixels, nil)
  }
}
