// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel

/// Compares pictures of one size and layout, pixel by pixel, as bytes.
enum FrameComparison {
  /// The smallest rectangle outside of which two pictures are the same, or nil when they are the same.
  ///
  /// - Parameter area: Where they may differ; outside of it they are known to be the same.
  static func changed(_ new: PixelBuffer, _ old: PixelBuffer, in area: Rect) -> Rect? {
    let step = new.format.bytesPerPixel
    let (start, rowBytes) = (area.x * step, area.width * step)
    func differs(_ y: Int) -> Bool { memcmp(new.row(y) + start, old.row(y) + start, rowBytes) != 0 }
    let rows = area.y..<(area.y + area.height)
    guard let top = rows.first(where: differs), let bottom = (top..<rows.upperBound).last(where: differs) else {
      return nil
    }
    // Bytes from either end that are the same in every row.
    var (left, right) = (rowBytes, rowBytes)
    for y in top...bottom {
      let (one, other) = (new.row(y) + start, old.row(y) + start)
      left = sameBytes(one, other, limit: left)
      right = sameBytesBackwards(one, other, count: rowBytes, limit: right)
    }
    let (x, end) = (left / step, area.width - right / step)
    return Rect(x: area.x + x, y: top, width: end - x, height: bottom - top + 1)
  }

  private static func sameBytes(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, limit: Int) -> Int {
    var index = 0
    while index &+ 8 <= limit,
      one.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        == other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    {
      index &+= 8
    }
    while index < limit,
      one.load(fromByteOffset: index, as: UInt8.self) == other.load(fromByteOffset: index, as: UInt8.self)
    {
      index &+= 1
    }
    return index
  }

  private static func sameBytesBackwards(
    _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, count: Int, limit: Int
  ) -> Int {
    var index = 0
    while index &+ 8 <= limit,
      one.loadUnaligned(fromByteOffset: count &- index &- 8, as: UInt64.self)
        == other.loadUnaligned(fromByteOffset: count &- index &- 8, as: UInt64.self)
    {
      index &+= 8
    }
    while index < limit,
      one.load(fromByteOffset: count &- index &- 1, as: UInt8.self)
        == other.load(fromByteOffset: count &- index &- 1, as: UInt8.self)
    {
      index &+= 1
    }
    return index
  }
}

/// How the pixels of a picture with alpha come about from those of a canvas.
struct PixelCensus {
  /// Pixels that differ.
  private(set) var changed = 0
  /// Whether all that differ are opaque, so that they can be drawn over the canvas.
  private(set) var isOpaqueWhereChanged = true
  /// The smallest rectangle around pixels that are transparent now and were not, which only a clear or a replacement
  /// can do.
  private(set) var erased: Rect?

  /// Looks at the pixels of a rectangle.
  ///
  /// - Parameters:
  ///   - new: `rgba8`, `bgra8` or `rgba16`, straight.
  ///   - old: Of the same size and layout.
  ///   - limit: Counting stops after the first row that reaches so many different pixels.
  init(_ new: PixelBuffer, over old: PixelBuffer, in rect: Rect, limit: Int = .max) {
    if new.format.bytesPerPixel == 8 {
      count(new, over: old, in: rect, limit: limit, as: UInt64.self)
    } else {
      count(new, over: old, in: rect, limit: limit, as: UInt32.self)
    }
  }

  private mutating func count<Pixel: FixedWidthInteger & UnsignedInteger>(
    _ new: PixelBuffer, over old: PixelBuffer, in rect: Rect, limit: Int, as type: Pixel.Type
  ) {
    // Alpha is the last channel, which on little-endian machines is the highest bits.
    let alpha = Pixel.max << (Pixel.bitWidth / 4 * 3)
    var (left, right, top, bottom) = (Int.max, -1, Int.max, -1)
    for y in rect.y..<(rect.y + rect.height) where changed < limit {
      let one = new.row(y).assumingMemoryBound(to: type)
      let other = old.row(y).assumingMemoryBound(to: type)
      for x in rect.x..<(rect.x + rect.width) where one[x] != other[x] {
        changed &+= 1
        let opacity = one[x] & alpha
        guard opacity != alpha else { continue }
        isOpaqueWhereChanged = false
        guard opacity == 0, other[x] & alpha != 0 else { continue }
        (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), y)
      }
    }
    if right >= 0 { erased = Rect(x: left, y: top, width: right - left + 1, height: bottom - top + 1) }
  }
}

extension PixelBuffer {
  /// A copy of a rectangle in which pixels that a canvas holds already are transparent black.
  func transparentWhereEqual(_ canvas: PixelBuffer, in rect: Rect) throws(CoderError) -> PixelBuffer {
    let part = try copy(of: rect)
    let step = format.bytesPerPixel
    for y in 0..<rect.height {
      let (row, old) = (part.row(y), UnsafeRawPointer(canvas.row(rect.y + y) + rect.x * step))
      if step == 8 {
        Self.clearEqual(row, old, count: rect.width, as: UInt64.self)
      } else {
        Self.clearEqual(row, old, count: rect.width, as: UInt32.self)
      }
    }
    return part
  }

  private static func clearEqual<Pixel: FixedWidthInteger>(
    _ row: UnsafeMutableRawPointer, _ old: UnsafeRawPointer, count: Int, as type: Pixel.Type
  ) {
    let (row, old) = (row.assumingMemoryBound(to: type), old.assumingMemoryBound(to: type))
    for x in 0..<count where row[x] == old[x] { row[x] = 0 }
  }

  /// Makes every pixel opaque or transparent black.
  ///
  /// - Returns: Whether some pixel was neither.
  func hardenAlpha() -> Bool {
    var hadPartial = false
    for y in 0..<size.height {
      let row = row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<size.width {
        let alpha = UInt32(littleEndian: row[x]) >> 24
        guard alpha != 255 else { continue }
        if alpha != 0 { hadPartial = true }
        row[x] = alpha < 128 ? 0 : row[x] | UInt32(littleEndian: 0xFF00_0000)
      }
    }
    return hadPartial
  }
}
