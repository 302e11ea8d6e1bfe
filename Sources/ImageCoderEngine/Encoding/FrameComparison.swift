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
  ///   - new: Of four channels, straight.
  ///   - old: Of the same size and layout.
  ///   - limit: Counting stops after the first row that reaches so many different pixels.
  init(_ new: PixelBuffer, over old: PixelBuffer, in rect: Rect, limit: Int = .max) {
    switch new.format {
    case .rgbaFloat32: count(new, over: old, in: rect, limit: limit, opaque: UInt128(Float(1).bitPattern) << 96)
    case .rgbaFloat16: count(new, over: old, in: rect, limit: limit, opaque: UInt64(HalfFloat.half(1)) << 48)
    case .rgba16: count(new, over: old, in: rect, limit: limit, opaque: UInt64(UInt16.max) << 48)
    default: count(new, over: old, in: rect, limit: limit, opaque: UInt32(UInt8.max) << 24)
    }
  }

  /// - Parameter opaque: A pixel of full alpha and nothing else.
  private mutating func count<Pixel: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ new: PixelBuffer, over old: PixelBuffer, in rect: Rect, limit: Int, opaque: Pixel
  ) {
    // Alpha is the last channel, which on little-endian machines is the highest bits.
    let alpha = Pixel.max << (Pixel.bitWidth / 4 * 3)
    let step = Pixel.bitWidth / 8
    var (left, right, top, bottom) = (Int.max, -1, Int.max, -1)
    for y in rect.y..<(rect.y + rect.height) where changed < limit {
      let (row, oldRow) = (UnsafeRawPointer(new.row(y)), UnsafeRawPointer(old.row(y)))
      for x in rect.x..<(rect.x + rect.width) {
        let one = row.loadUnaligned(fromByteOffset: x &* step, as: Pixel.self)
        let other = oldRow.loadUnaligned(fromByteOffset: x &* step, as: Pixel.self)
        guard one != other else { continue }
        changed &+= 1
        guard one & alpha != opaque else { continue }
        isOpaqueWhereChanged = false
        guard one & alpha == 0, other & alpha != 0 else { continue }
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
      switch step {
      case 16: Self.clearEqual(row, old, count: rect.width, as: UInt128.self)
      case 8: Self.clearEqual(row, old, count: rect.width, as: UInt64.self)
      default: Self.clearEqual(row, old, count: rect.width, as: UInt32.self)
      }
    }
    return part
  }

  private static func clearEqual<Pixel: FixedWidthInteger & BitwiseCopyable>(
    _ row: UnsafeMutableRawPointer, _ old: UnsafeRawPointer, count: Int, as type: Pixel.Type
  ) {
    for place in Swift.stride(from: 0, to: count &* (Pixel.bitWidth / 8), by: Pixel.bitWidth / 8)
    where row.loadUnaligned(fromByteOffset: place, as: type) == old.loadUnaligned(fromByteOffset: place, as: type) {
      row.storeBytes(of: Pixel.zero, toByteOffset: place, as: type)
    }
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
