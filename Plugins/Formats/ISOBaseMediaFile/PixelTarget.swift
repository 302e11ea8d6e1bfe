// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Memory that takes a picture or a part of one.
public struct PixelTarget: @unchecked Sendable {
  /// The address of the pixel at the origin.
  public let base: UnsafeMutableRawPointer
  /// Bytes from one row to the next.
  public let stride: Int
  /// The pixel format, of 8 or 16 bits.
  public let format: PixelFormat

  /// - Parameter stride: Bytes from one row to the next.
  public init(base: UnsafeMutableRawPointer, stride: Int, format: PixelFormat) {
    self.base = base
    self.stride = stride
    self.format = format
  }

  /// Lends memory for a part of a picture, whose bytes may be anything.
  public static func withMemory(
    for size: Size, as format: PixelFormat, host: CoderHost, _ body: (PixelTarget) throws(CoderError) -> Void
  ) throws(CoderError) {
    let stride = size.width * format.bytesPerPixel
    let memory = try host.allocate(bytes: stride * size.height, alignment: 64, for: "a part of the picture")
    defer { host.free(memory) }
    try body(PixelTarget(base: memory, stride: stride, format: format))
  }

  /// The same memory with another origin.
  public func moved(x: Int, y: Int) -> PixelTarget {
    PixelTarget(base: base + y * stride + x * format.bytesPerPixel, stride: stride, format: format)
  }

  /// Where a pixel lies.
  public func pixel(x: Int, y: Int) -> UnsafeMutableRawPointer { base + y * stride + x * format.bytesPerPixel }

  /// Fills a rectangle with a color: red, green, blue and alpha of 16 bits.
  public func fill(_ size: Size, with color: [UInt16]) {
    let wide: [UInt16] =
      switch format.channelCount {
      case 1: [color[0]]
      case 2: [color[0], color[3]]
      case 3: [color[0], color[1], color[2]]
      default: format == .bgra8 ? [color[2], color[1], color[0], color[3]] : color
      }
    let count = format.bytesPerPixel
    let pixel: [UInt8] =
      format.bytesPerChannel == 2
      ? wide.flatMap { sample in withUnsafeBytes(of: sample) { Array($0) } }
      : wide.map { UInt8(truncatingIfNeeded: (Int($0) * 255 + 32_767) / 65_535) }
    for y in 0..<size.height {
      let row = base + y * stride
      for x in 0..<size.width {
        for index in 0..<count { row.storeBytes(of: pixel[index], toByteOffset: x &* count &+ index, as: UInt8.self) }
      }
    }
  }

  /// Copies a rectangle of a stored picture to where it is shown.
  ///
  /// - Parameters:
  ///   - source: The stored picture's rectangle `placement.crop`.
  ///   - rect: Of what is shown.
  public func copy(_ rect: Rect, of source: PixelTarget, placement: Placement) {
    let count = format.bytesPerPixel
    // Where the first pixel lies in the stored rectangle, and how far apart pixels to the right and below lie there.
    let corner = placement.stored(Rect(x: rect.x, y: rect.y, width: 1, height: 1))
    let right = placement.stored(Rect(x: rect.x + 1, y: rect.y, width: 1, height: 1))
    let below = placement.stored(Rect(x: rect.x, y: rect.y + 1, width: 1, height: 1))
    let start = (corner.y - placement.crop.y) * source.stride + (corner.x - placement.crop.x) * count
    let across = (right.y - corner.y) * source.stride + (right.x - corner.x) * count
    let down = (below.y - corner.y) * source.stride + (below.x - corner.x) * count
    for y in 0..<rect.height {
      let row = base + y * stride
      let from = source.base + (start + y * down)
      for x in 0..<rect.width { (row + x * count).copyMemory(from: from + x * across, byteCount: count) }
    }
  }

  /// Lays straight pixels with alpha over those that are there, both of the same format.
  public func blend(_ size: Size, over source: PixelTarget) {
    let channels = format.channelCount
    for y in 0..<size.height {
      let below = base + y * stride
      let above = source.base + y * source.stride
      if format.bytesPerChannel == 2 {
        Self.blend(
          above.assumingMemoryBound(to: UInt16.self), below.assumingMemoryBound(to: UInt16.self), size.width, channels)
      } else {
        Self.blend(
          above.assumingMemoryBound(to: UInt8.self), below.assumingMemoryBound(to: UInt8.self), size.width, channels)
      }
    }
  }

  @inline(__always)
  private static func blend<Sample: FixedWidthInteger>(
    _ above: UnsafeMutablePointer<Sample>, _ below: UnsafeMutablePointer<Sample>, _ width: Int, _ channels: Int
  ) {
    let top = Int(Sample.max)
    for x in 0..<width {
      let first = x &* channels
      let alpha = Int(above[first &+ channels &- 1])
      let under = Int(below[first &+ channels &- 1])
      let upper = alpha &* top
      let lower = under &* (top &- alpha)
      let whole = upper &+ lower
      guard whole > 0 else { continue }
      for channel in 0..<channels &- 1 {
        let sum = Int(above[first &+ channel]) &* upper &+ Int(below[first &+ channel]) &* lower
        below[first &+ channel] = Sample(truncatingIfNeeded: (sum &+ whole / 2) / whole)
      }
      below[first &+ channels &- 1] = Sample(truncatingIfNeeded: (whole &+ top / 2) / top)
    }
  }
}
