// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decodes a scan of the lossless process, ITU-T T.81 annex H: each sample is told by its difference from its neighbors.
struct LosslessScan {
  /// Channels of the scan, and their tables.
  let channels: [(plane: SamplePlane, table: HuffmanTable)]
  /// Selection value 1 to 7, table H.1.
  let predictor: Int
  let precision: Int
  /// Bits that are left out of each sample.
  let pointTransform: Int
  /// MCUs between restart markers, or 0.
  let restartInterval: Int

  /// Decodes rows from the top.
  ///
  /// - Parameter onRow: Called after each row.
  /// - Returns: Rows of which all is there.
  func decode(_ reader: inout EntropyReader, onRow: () throws(CoderError) -> Void) throws(CoderError) -> Int {
    let size = channels[0].plane.size
    var untilRestart = restartInterval
    // The first row after the start or a restart has none above it.
    var isFirst = true
    for y in 0..<size.height {
      if restartInterval > 0, untilRestart == 0, y > 0 {
        guard reader.restart() else { return y }
        untilRestart = restartInterval
        isFirst = true
      }
      if channels.count == 1 {
        let (plane, table) = channels[0]
        row(y, of: plane, table, isFirst: isFirst, &reader)
      } else {
        interleavedRow(y, isFirst: isFirst, &reader)
      }
      if reader.isOver { return y }
      isFirst = false
      // H.1.2.1: an interval is whole rows.
      if restartInterval > 0 { untilRestart = max(0, untilRestart - size.width) }
      try onRow()
    }
    return size.height
  }

  private func row(_ y: Int, of plane: SamplePlane, _ table: HuffmanTable, isFirst: Bool, _ reader: inout EntropyReader)
  {
    let row = plane.row(y)
    let above = plane.row(max(0, y - 1))
    for x in 0..<plane.size.width { sample(x, row, above, table, isFirst: isFirst, &reader) }
  }

  private func interleavedRow(_ y: Int, isFirst: Bool, _ reader: inout EntropyReader) {
    for x in 0..<channels[0].plane.size.width {
      for (plane, table) in channels {
        sample(x, plane.row(y), plane.row(max(0, y - 1)), table, isFirst: isFirst, &reader)
      }
    }
  }

  /// The pointers are to rows of a plane, which has `x`.
  @inline(__always)
  private func sample(
    _ x: Int, _ row: UnsafeMutablePointer<UInt16>, _ above: UnsafeMutablePointer<UInt16>, _ table: HuffmanTable,
    isFirst: Bool, _ reader: inout EntropyReader
  ) {
    let prediction: Int
    if isFirst {
      prediction = x == 0 ? 1 << (precision &- pointTransform &- 1) : Int(row[x &- 1])
    } else if x == 0 {
      prediction = Int(above[0])
    } else {
      let (left, up, corner) = (Int(row[x &- 1]), Int(above[x]), Int(above[x &- 1]))
      prediction =
        switch predictor {
        case 1: left
        case 2: up
        case 3: corner
        case 4: left &+ up &- corner
        case 5: left &+ ((up &- corner) >> 1)
        case 6: up &+ ((left &- corner) >> 1)
        default: (left &+ up) >> 1
        }
    }
    let category = reader.value(table)
    // H.1.2.2: 16 stands for one number alone, and has no bits after it.
    let difference = category >= 16 ? 1 << 15 : reader.signed(category)
    row[x] = UInt16(truncatingIfNeeded: prediction &+ difference)
  }
}
