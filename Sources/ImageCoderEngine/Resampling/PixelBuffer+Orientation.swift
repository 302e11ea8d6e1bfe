// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension PixelBuffer {
  /// Turns and mirrors the picture so that it is upright.
  ///
  /// - Parameter orientation: How the picture is stored; Exif 2.32 §4.6.4 A, Orientation.
  /// - Returns: A picture of the same layout, with width and height exchanged for orientations 5 to 8; this buffer for
  ///   `up`.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public func oriented(by orientation: Orientation, pool: PixelPool? = nil) throws(CoderError) -> PixelBuffer {
    guard orientation != .up else { return self }
    let result = try PixelBuffer(size: orientation.displayed(size), format: format, alpha: alpha, pool: pool)
    if orientation == .downMirrored {
      for y in 0..<size.height { result.row(size.height - 1 - y).copyMemory(from: row(y), byteCount: rowBytes) }
      return result
    }
    switch format.bytesPerPixel {
    case 1: orient(UInt8.self, into: result, orientation)
    case 2: orient(UInt16.self, into: result, orientation)
    case 3: orient(ThreeBytes.self, into: result, orientation)
    case 4: orient(UInt32.self, into: result, orientation)
    case 6: orient(ThreeWords.self, into: result, orientation)
    case 8: orient(UInt64.self, into: result, orientation)
    default: orient(SixteenBytes.self, into: result, orientation)
    }
    return result
  }

  private struct ThreeBytes: BitwiseCopyable {
    var a: UInt8
    var b: UInt8
    var c: UInt8
  }

  private struct ThreeWords: BitwiseCopyable {
    var a: UInt16
    var b: UInt16
    var c: UInt16
  }

  private struct SixteenBytes: BitwiseCopyable {
    var a: UInt64
    var b: UInt64
  }

  @inline(__always)
  private func orient<Pixel: BitwiseCopyable>(
    _: Pixel.Type, into result: PixelBuffer, _ orientation: Orientation
  ) {
    let step = MemoryLayout<Pixel>.size
    switch orientation {
    case .up, .downMirrored: break
    case .upMirrored, .down:
      for y in 0..<size.height {
        let source = UnsafeRawPointer(row(y))
        let target = result.row(orientation == .down ? size.height - 1 - y : y)
        Self.reverse(Pixel.self, source, target, count: size.width)
      }
    case .leftMirrored: transpose(Pixel.self, to: result.base, columnStep: step, rowStep: result.stride)
    case .right:
      transpose(Pixel.self, to: result.base + (size.height - 1) * step, columnStep: -step, rowStep: result.stride)
    case .rightMirrored:
      transpose(
        Pixel.self, to: result.base + (size.height - 1) * step + (size.width - 1) * result.stride, columnStep: -step,
        rowStep: -result.stride)
    case .left:
      transpose(
        Pixel.self, to: result.base + (size.width - 1) * result.stride, columnStep: step, rowStep: -result.stride)
    }
  }

  @inline(__always)
  private static func reverse<Pixel: BitwiseCopyable>(
    _: Pixel.Type, _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, count: Int
  ) {
    let step = MemoryLayout<Pixel>.size
    for x in 0..<count {
      let pixel = source.loadUnaligned(fromByteOffset: x &* step, as: Pixel.self)
      target.storeBytes(of: pixel, toByteOffset: (count &- 1 &- x) &* step, as: Pixel.self)
    }
  }

  /// Writes rows as columns: row `y` goes to `target + y × columnStep`, each pixel `rowStep` bytes after the last.
  @inline(__always)
  private func transpose<Pixel: BitwiseCopyable>(
    _: Pixel.Type, to target: UnsafeMutableRawPointer, columnStep: Int, rowStep: Int
  ) {
    let step = MemoryLayout<Pixel>.size
    // A block's rows of source and target stay in the first-level cache, and within few pages.
    let block = 32
    let source = UnsafeRawPointer(base)
    var top = 0
    while top < size.height {
      let bottom = min(top + block, size.height)
      var left = 0
      while left < size.width {
        let right = min(left + block, size.width)
        for x in left..<right {
          let column = target + x &* rowStep
          for y in top..<bottom {
            let pixel = source.loadUnaligned(fromByteOffset: y &* stride &+ x &* step, as: Pixel.self)
            column.storeBytes(of: pixel, toByteOffset: y &* columnStep, as: Pixel.self)
          }
        }
        left = right
      }
      top = bottom
    }
  }
}
