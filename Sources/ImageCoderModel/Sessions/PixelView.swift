// SPDX-License-Identifier: Apache-2.0

/// A whole picture in the host's memory.
public struct PixelView {
  public let layout: PixelLayout
  public let size: Size
  /// Rows top to bottom.
  public let base: UnsafeRawPointer
  /// Bytes from one row to the next.
  public let stride: Int

  public init(layout: PixelLayout, size: Size, base: UnsafeRawPointer, stride: Int) {
    self.layout = layout
    self.size = size
    self.base = base
    self.stride = stride
  }
}
