// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Where samples lie in a chunk that is not compressed: rows from the top, in each the samples of one channel after the other.
struct ChunkLayout {
  let channels: [Channel]
  private let isSubsampled: Bool
  private let bytesPerColumn: Int

  init(_ channels: [Channel]) {
    self.channels = channels
    isSubsampled = channels.contains(where: \.isSubsampled)
    bytesPerColumn = channels.reduce(0) { $0 + $1.type.bytes }
  }

  /// Bytes of a channel in a row; 0 in a row that it has no samples of.
  func bytes(of channel: Channel, row: Int, width: Int) -> Int {
    row % channel.sampling.height == 0 ? width / channel.sampling.width * channel.type.bytes : 0
  }

  /// Bytes of a row, counted from the top of the picture.
  func bytes(ofRow row: Int, width: Int) -> Int {
    guard isSubsampled else { return width * bytesPerColumn }
    return channels.reduce(0) { $0 + bytes(of: $1, row: row, width: width) }
  }

  /// Bytes of a chunk, or nil if they are more than a number holds.
  func bytes(of size: Size, firstRow: Int) -> Int? {
    let (columns, overflow) = size.width.multipliedReportingOverflow(by: bytesPerColumn)
    let (all, overflows) = columns.multipliedReportingOverflow(by: size.height)
    guard !overflow, !overflows else { return nil }
    guard isSubsampled else { return all }
    return (firstRow..<(firstRow + size.height)).reduce(0) { $0 + bytes(ofRow: $1, width: size.width) }
  }

  /// Where the samples of a channel begin in a row.
  func offset(of index: Int, row: Int, width: Int) -> Int {
    channels[..<index].reduce(0) { $0 + bytes(of: $1, row: row, width: width) }
  }
}
