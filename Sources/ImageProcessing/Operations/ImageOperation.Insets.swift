// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension ImageOperation {
  /// How far each edge of a picture moves inwards, in pixels. An edge that moves outwards, by a negative number, leaves room
  /// that is painted.
  public struct Insets: Sendable, Hashable {
    /// Rows cut off at the top, or minus the rows that are added.
    public var top: Int
    /// Columns on the right, likewise.
    public var right: Int
    /// Rows at the bottom, likewise.
    public var bottom: Int
    /// Columns on the left, likewise.
    public var left: Int

    /// Each edge by itself, clockwise from the top.
    public init(top: Int, right: Int, bottom: Int, left: Int) {
      self.top = top
      self.right = right
      self.bottom = bottom
      self.left = left
    }

    /// All edges by the same.
    public init(_ all: Int) { self.init(top: all, right: all, bottom: all, left: all) }

    func size(of size: Size) throws(CoderError) -> Size {
      func side(_ length: Int, _ a: Int, _ b: Int) -> Int? {
        let (first, firstOverflow) = length.subtractingReportingOverflow(a)
        let (second, secondOverflow) = first.subtractingReportingOverflow(b)
        return firstOverflow || secondOverflow || second < 1 ? nil : second
      }
      guard let width = side(size.width, left, right), let height = side(size.height, top, bottom) else {
        throw .invalidArgument("insets of \(top),\(right),\(bottom),\(left) leave nothing of a picture of \(size)")
      }
      return Size(width: width, height: height)
    }

    func applied(to pixels: PixelBuffer, size: Size, _ color: PixelColor) throws(CoderError) -> PixelBuffer {
      let shown = Rect(
        x: max(left, 0), y: max(top, 0), width: pixels.size.width - max(left, 0) - max(right, 0),
        height: pixels.size.height - max(top, 0) - max(bottom, 0))
      guard !shown.isEmpty else {
        throw .invalidArgument(
          "insets of \(top),\(right),\(bottom),\(left) leave nothing of a picture of \(pixels.size)")
      }
      guard left < 0 || top < 0 || right < 0 || bottom < 0 else {
        return size == pixels.size ? pixels : try pixels.copy(of: shown)
      }
      let layout = pixels.layout.painted(color)
      let result = try PixelBuffer(size: size, format: layout.format, alpha: layout.alpha)
      let part = try pixels.region(shown)
      let (x, y) = (max(-left, 0), max(-top, 0))
      let paint = try PixelBuffer(size: Size(width: size.width, height: 1), format: layout.format, alpha: layout.alpha)
      paint.fillRow(0, with: color)
      let converter = RowConverter(from: part.layout, to: layout)
      for row in 0..<size.height {
        result.row(row).copyMemory(from: paint.row(0), byteCount: result.rowBytes)
        guard row >= y, row < y + shown.height else { continue }
        converter.convert(
          part.row(row - y), into: result.row(row) + x * layout.format.bytesPerPixel, count: shown.width)
      }
      return result
    }
  }
}
