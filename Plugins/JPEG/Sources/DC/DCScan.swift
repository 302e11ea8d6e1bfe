// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decodes a scan of DC coefficients of a progressive file: ITU-T T.81 G.1.2.1.
struct DCScan {
  /// A channel of the scan.
  struct Channel {
    let plane: DCPlane
    /// Blocks of an MCU.
    let across: Int
    let down: Int
    /// Blocks that show a pixel, which are all that a scan of this channel alone has.
    let columns: Int
    let rows: Int
    /// Nil in a scan that refines.
    let table: HuffmanTable?
  }

  /// A channel without references, which cost time to copy.
  private struct Blocks {
    let first: UnsafeMutablePointer<Int16>
    let stride: Int
    let across: Int
    let down: Int
    /// ``HuffmanTable/short``.
    let short: UnsafeMutablePointer<UInt16>
  }

  /// 1 to 4.
  let channels: [Channel]
  /// MCUs of a scan of several channels.
  let units: (columns: Int, rows: Int)
  /// Whether earlier scans have told the upper bits.
  let isRefinement: Bool
  /// The lowest bit that this scan tells.
  let low: Int
  /// MCUs between restart markers, or 0.
  let restartInterval: Int

  /// - Returns: Whether all blocks are there.
  /// - Throws: ``CoderError/Code/cancelled``; ``CoderError/Code/outOfMemory``.
  func decode(_ reader: inout EntropyReader, host: CoderHost) throws(CoderError) -> Bool {
    let looks = 1 << HuffmanTable.lookBits
    let memory = try host.allocate(bytes: channels.count * looks * 2, for: "tables of codes")
    defer { host.free(memory) }
    let short = memory.bindMemory(to: UInt16.self, capacity: channels.count * looks)
    let isAlone = channels.count == 1
    let blocks = channels.enumerated().map { index, channel in
      let table = short + index * looks
      table.initialize(repeating: 0, count: looks)
      for (look, value) in (channel.table?.short ?? []).enumerated() { table[look] = value }
      return Blocks(
        first: channel.plane.coefficients, stride: channel.plane.columns, across: isAlone ? 1 : channel.across,
        down: isAlone ? 1 : channel.down, short: table)
    }
    let (columns, rows) = isAlone ? (channels[0].columns, channels[0].rows) : units
    var predictions = SIMD4<Int>()
    var untilRestart = restartInterval
    for row in 0..<rows {
      if host.isCancelled { throw .cancelled }
      for column in 0..<columns {
        if restartInterval > 0 {
          if untilRestart == 0 {
            guard !reader.isOver, reader.restart() else { return false }
            untilRestart = restartInterval
            predictions = SIMD4()
          }
          untilRestart &-= 1
        }
        for index in blocks.indices {
          let channel = blocks[index]
          for line in 0..<channel.down {
            let start = (row &* channel.down &+ line) &* channel.stride &+ column &* channel.across
            for place in start..<(start &+ channel.across) {
              if isRefinement {
                if reader.bits(1) == 1 { channel.first[place] |= 1 << Int16(truncatingIfNeeded: low) }
              } else {
                predictions[index] &+= difference(channel.short, index, &reader)
                channel.first[place] = Int16(truncatingIfNeeded: predictions[index] << low)
              }
            }
          }
        }
      }
      // Damage shows in one of these; coefficients of 8 bits have 11 bits, and differences have 12.
      guard !reader.isOver, !reader.hasUnknownCode else { return false }
    }
    return true
  }

  @inline(__always)
  private func difference(_ short: UnsafePointer<UInt16>, _ index: Int, _ reader: inout EntropyReader) -> Int {
    if let length = reader.shortValue(short) { return reader.signed(min(length, 15)) }
    guard let table = channels[index].table else { return 0 }
    return reader.signed(min(reader.longValue(table), 15))
  }
}
