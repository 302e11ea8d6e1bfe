// SPDX-License-Identifier: Apache-2.0

import CLosslessJPEG
import ImageCoderPlugin

/// Decodes a scan of the lossless process, ITU-T T.81 annex H.
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

  /// Rows that are decoded between two looks at the host.
  private static let rowsAtOnce = 32

  /// Decodes rows from the top.
  ///
  /// - Parameters:
  ///   - position: Of the first coded byte; becomes that after the last one that was read.
  ///   - onRows: Called after some rows.
  /// - Returns: Rows of which all is there.
  func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, from position: inout Int, onRows: () throws(CoderError) -> Void
  ) throws(CoderError) -> Int {
    let size = channels[0].plane.size
    let codes = UnsafeMutablePointer<lossless_codes>.allocate(capacity: channels.count)
    defer { codes.deallocate() }
    var scan = lossless_scan()
    scan.channel_count = UInt32(channels.count)
    scan.width = UInt32(size.width)
    scan.height = UInt32(size.height)
    scan.predictor = UInt32(predictor)
    scan.precision = UInt32(precision)
    scan.point_transform = UInt32(pointTransform)
    scan.restart_interval = UInt32(restartInterval)
    scan.bytes = bytes.baseAddress
    scan.length = bytes.count
    scan.position = position
    withUnsafeMutableBytes(of: &scan.channels) { memory in
      let targets = memory.assumingMemoryBound(to: lossless_channel.self)
      for (index, channel) in channels.prefix(targets.count).enumerated() {
        // Whether there are too many codes was looked at when the table was read.
        _ = lossless_codes_make(codes + index, channel.table.counts, channel.table.values)
        targets[index] = lossless_channel(
          codes: codes + index, samples: channel.plane.row(0), row: size.width, step: 1)
      }
    }
    var rows = 0
    while rows < size.height {
      let wanted = min(Self.rowsAtOnce, size.height - rows)
      let count = Int(lossless_rows(&scan, UInt32(wanted)))
      rows += count
      if count < wanted { break }
      try onRows()
    }
    position = scan.position
    return rows
  }
}
