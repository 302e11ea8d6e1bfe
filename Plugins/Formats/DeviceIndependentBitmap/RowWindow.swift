// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Rows of a bitmap that are not compressed, seen through a window of the source.
///
/// The window moves with the order of the file, or against it, so that rows that are stored from the bottom up can be
/// had from the top down without holding more than a few.
struct RowWindow {
  private let source: SourceView
  private let offset: Int
  private let stride: Int
  private let rowBytes: Int
  private let height: Int
  private var shown: UnsafeRawBufferPointer
  /// The first stored row that is shown.
  private var first = 0
  private let goesBackwards: Bool

  private static let leastBytes = 4 << 10
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

  /// Shows a stored row and those that come next in the window's direction.
  ///
  /// - Returns: How many rows are shown, valid until this is called again; 0 when the source ends before the first.
  mutating func show(_ index: Int) throws(CoderError) -> Int {
    let possible = max(1, Self.windowBytes / stride)
    let wanted = goesBackwards ? min(index &+ 1, possible) : min(height &- index, possible)
    first = goesBackwards ? index &+ 1 &- wanted : index
    let size = (wanted &- 1) &* stride &+ rowBytes
    shown = try source.view(
      at: offset &+ first &* stride, least: goesBackwards ? size : min(size, max(rowBytes, Self.leastBytes)),
      most: size)
    guard shown.count >= (goesBackwards ? size : rowBytes) else { return 0 }
    return min(wanted, (shown.count &- rowBytes) / stride &+ 1)
  }

  /// The bytes of a stored row that is shown.
  func row(_ index: Int) -> UnsafeRawPointer? { shown.baseAddress.map { $0 + (index &- first) &* stride } }
}
