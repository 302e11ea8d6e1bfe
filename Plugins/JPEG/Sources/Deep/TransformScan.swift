// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decodes a scan of coefficients, sequential or progressive: ITU-T T.81 F.2 and G.2.
struct TransformScan {
  /// A channel of the scan.
  struct Channel {
    let plane: CoefficientPlane
    /// Blocks of an MCU.
    let across: Int
    let down: Int
    /// Blocks that show a pixel, which are all that a scan of this channel alone has.
    let columns: Int
    let rows: Int
    let dc: HuffmanTable?
    let ac: HuffmanTable?
  }

  let channels: [Channel]
  let isProgressive: Bool
  /// The band of coefficients, 0 to 63.
  let band: ClosedRange<Int>
  /// Bits of the coefficients that earlier scans have told, and that this one leaves out.
  let high: Int
  let low: Int
  /// MCUs between restart markers, or 0.
  let restartInterval: Int
  private var predictions: [Int] = []
  /// Blocks that a run of ends leaves out.
  private var skipped = 0

  init(
    _ channels: [Channel], isProgressive: Bool, band: ClosedRange<Int>, high: Int, low: Int, restartInterval: Int
  ) {
    self.channels = channels
    self.isProgressive = isProgressive
    self.band = band
    self.high = high
    self.low = low
    self.restartInterval = restartInterval
    predictions = Array(repeating: 0, count: channels.count)
  }

  /// Decodes rows of MCUs from the top.
  ///
  /// - Parameters:
  ///   - columns: MCUs of a row, when there are several channels.
  ///   - rows: The same, of a column.
  /// - Returns: Rows of MCUs of which all is there.
  mutating func decode(
    _ reader: inout EntropyReader, columns: Int, rows: Int, onRow: () throws(CoderError) -> Void
  ) throws(CoderError) -> Int {
    let isAlone = channels.count == 1
    let (columns, rows) = isAlone ? (channels[0].columns, channels[0].rows) : (columns, rows)
    var untilRestart = restartInterval
    for row in 0..<rows {
      for column in 0..<columns {
        if restartInterval > 0 {
          if untilRestart == 0 {
            guard reader.restart() else { return row }
            untilRestart = restartInterval
            predictions = Array(repeating: 0, count: channels.count)
            skipped = 0
          }
          untilRestart -= 1
        }
        for index in channels.indices {
          let channel = channels[index]
          if isAlone {
            block(channel.plane.block(column, row), index, &reader)
            continue
          }
          for y in 0..<channel.down {
            for x in 0..<channel.across {
              block(channel.plane.block(column * channel.across + x, row * channel.down + y), index, &reader)
            }
          }
        }
      }
      if reader.isOver { return row }
      try onRow()
    }
    return rows
  }

  private mutating func block(_ block: UnsafeMutablePointer<Int16>, _ index: Int, _ reader: inout EntropyReader) {
    var first = band.lowerBound
    if first == 0 {
      first = 1
      if high > 0 {
        if reader.bits(1) == 1 { block[0] |= 1 << Int16(low) }
      } else if let table = channels[index].dc {
        predictions[index] &+= reader.signed(min(reader.value(table), 15))
        block[0] = Int16(truncatingIfNeeded: predictions[index] << low)
      }
    }
    guard first <= band.upperBound, let table = channels[index].ac else { return }
    if high > 0 {
      refine(block, first, table, &reader)
    } else {
      fill(block, first, table, &reader)
    }
  }

  /// Coefficients of a sequential scan, or the first bits of them.
  private mutating func fill(
    _ block: UnsafeMutablePointer<Int16>, _ first: Int, _ table: HuffmanTable, _ reader: inout EntropyReader
  ) {
    guard skipped == 0 else {
      skipped -= 1
      return
    }
    var place = first
    while place <= band.upperBound {
      let word = reader.value(table)
      let (run, length) = (word >> 4, word & 15)
      if length == 0 {
        guard run < 15 else {
          place += 16
          continue
        }
        skipped = (1 << run) - 1
        if isProgressive, run > 0 { skipped += reader.bits(run) } else { skipped = 0 }
        return
      }
      place += run
      let value = reader.signed(length) << low
      guard place <= band.upperBound else { return }
      block[Self.order[place]] = Int16(truncatingIfNeeded: value)
      place += 1
    }
  }

  /// One bit more of coefficients, G.1.2.3.
  private mutating func refine(
    _ block: UnsafeMutablePointer<Int16>, _ first: Int, _ table: HuffmanTable, _ reader: inout EntropyReader
  ) {
    let bit = Int16(truncatingIfNeeded: 1 << low)
    var place = first
    if skipped == 0 {
      while place <= band.upperBound {
        let word = reader.value(table)
        var (run, length) = (word >> 4, word & 15)
        var new: Int16 = 0
        if length == 0, run < 15 {
          skipped = 1 << run
          if run > 0 { skipped += reader.bits(run) }
          break
        }
        if length != 0 {
          new = reader.bits(1) == 1 ? bit : -bit
          length = 0
        }
        while place <= band.upperBound {
          let coefficient = block + Self.order[place]
          if coefficient.pointee != 0 {
            Self.refine(coefficient, bit, &reader)
          } else {
            if run == 0 { break }
            run -= 1
          }
          place += 1
        }
        if new != 0, place <= band.upperBound { block[Self.order[place]] = new }
        place += 1
      }
    }
    guard skipped > 0 else { return }
    while place <= band.upperBound {
      let coefficient = block + Self.order[place]
      if coefficient.pointee != 0 { Self.refine(coefficient, bit, &reader) }
      place += 1
    }
    skipped -= 1
  }

  @inline(__always)
  private static func refine(_ coefficient: UnsafeMutablePointer<Int16>, _ bit: Int16, _ reader: inout EntropyReader) {
    guard reader.bits(1) == 1, coefficient.pointee & bit == 0 else { return }
    coefficient.pointee &+= coefficient.pointee > 0 ? bit : 0 &- bit
  }

  /// Where the coefficients of the zigzag stand in rows, T.81 figure A.6.
  static let order: [Int] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
    55,
    62, 63,
  ]
}
