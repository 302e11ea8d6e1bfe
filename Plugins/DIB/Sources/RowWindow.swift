// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Rows of a bitmap that are not compressed, seen through a window of the source.
///
/// The window moves against the order of the file where rows are stored from the bottom up, so that they can be had
/// from the top down without holding more than a few.
struct RowWindow {
  private let source: SourceView
  private let offset: Int
  private let stride: Int
  private let rowBytes: Int
  private let height: Int
  private var shown: UnsafeRawBufferPointer
  /// The stored rows that are shown.
  private var rows = 0..<0
  private let goesBackwards: Bool

  private static let windowBytes = 512 << 10

  init(_ bitmap: Bitmap, in source: SourceView, goesBackwards: Bool) {
    self.source = source
    offset = bitmap.pixelOffset
    stride = bitmap.stride
    rowBytes = bitmap.rowBytes
    height = bitmap.size.height
    shown = UnsafeRawBufferPointer(start: nil, count: 0)
    self.goesBackwards = goesBackwards
  }

  /// The bytes of a stored row; the row lies in the source. Valid until the next row is asked for.
  mutating func row(_ index: Int) throws(CoderError) -> UnsafeRawPointer {
    if !rows.contains(index) {
      let count = max(1, Self.windowBytes / stride)
      rows = goesBackwards ? max(0, index &- count &+ 1)..<index &+ 1 : index..<min(height, index &+ count)
      shown = try source.view(
        at: offset &+ rows.lowerBound &* stride, count: (rows.count &- 1) &* stride &+ rowBytes)
    }
    let start = (index &- rows.lowerBound) &* stride
    guard let base = shown.baseAddress, start &+ rowBytes <= shown.count else {
      throw .truncated("row \(index) of the bitmap ends behind the file's end", at: offset &+ index &* stride)
    }
    return base + start
  }
}
