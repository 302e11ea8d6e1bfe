// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension PixelBuffer {
  /// A copy in new memory.
  public func copy(pool: PixelPool? = nil) throws(CoderError) -> PixelBuffer {
    let copy = try PixelBuffer(size: size, format: format, alpha: alpha, pool: pool)
    copy.assign(from: self)
    return copy
  }

  /// A copy in which some rows are transparent black.
  func copy(without rows: [Range<Int>]) throws(CoderError) -> PixelBuffer {
    let copy = try copy()
    for range in rows where !range.isEmpty { copy.clear(rows: range) }
    return copy
  }

  /// Copies every row of a buffer of the same size and format.
  package func assign(from other: PixelBuffer) {
    precondition(other.size == size && other.format == format, "\(other.size) \(other.format) into \(size) \(format)")
    if stride == other.stride, stride == rowBytes {
      base.copyMemory(from: other.base, byteCount: byteCount)
    } else {
      for y in 0..<size.height { row(y).copyMemory(from: other.row(y), byteCount: rowBytes) }
    }
  }

  /// A copy of a rectangle.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a rectangle that is empty or not inside.
  package func copy(of rect: Rect) throws(CoderError) -> PixelBuffer { try region(rect).copy() }

  /// A rectangle of this buffer as a buffer that shares its memory.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a rectangle that is empty or not inside.
  public func region(_ rect: Rect) throws(CoderError) -> PixelBuffer {
    guard !rect.isEmpty, rect.isInside(size) else {
      throw .invalidArgument("rectangle \(rect.x),\(rect.y) of \(rect.size) is not inside \(size)")
    }
    let start = rect.y * stride + rect.x * format.bytesPerPixel
    let bytes = (rect.height - 1) * stride + rect.width * format.bytesPerPixel
    return try PixelBuffer(
      wrapping: UnsafeMutableRawBufferPointer(start: base + start, count: bytes), size: rect.size, format: format,
      alpha: alpha, stride: stride, owner: self)
  }
}
