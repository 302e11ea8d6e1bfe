// SPDX-License-Identifier: Apache-2.0

/// A whole picture in the host's memory.
public struct PixelView {
  /// Pixel format and alpha mode of every pixel.
  public let layout: PixelLayout
  /// Columns and rows.
  public let size: Size
  /// Rows top to bottom.
  public let base: UnsafeRawPointer
  /// Bytes from one row to the next.
  public let stride: Int

  /// Makes a view of memory that the caller owns and keeps as long as the view is used.
  public init(layout: PixelLayout, size: Size, base: UnsafeRawPointer, stride: Int) {
    self.layout = layout
    self.size = size
    self.base = base
    self.stride = stride
  }
}
