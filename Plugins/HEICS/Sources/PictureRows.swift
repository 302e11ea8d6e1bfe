// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// One plane of a decoded picture, seen through the window.
struct Plane {
  let base: UnsafeRawPointer
  /// Bytes from one row to the next.
  let stride: Int
}

/// Planes of a decoded picture, all of one depth: samples of one byte up to 8 bits, of two above.
struct PlanarPicture {
  /// Luma, and the two of chroma unless the picture has none.
  let planes: [Plane]
  /// Chroma samples are this many bits of x and y apart.
  let shiftX: Int
  let shiftY: Int
  /// Where the window starts in the luma plane.
  let originX: Int
  let originY: Int
  let width: Int
  let isDeep: Bool
}

/// Turns rows of YCbCr planes into pixels: `rgba8`, `bgra8` or `rgba16`.
///
/// A chroma sample counts for all pixels that it covers, as in libheif. What the two chroma planes add to the colours
/// is worked out once for each of their rows.
final class PictureRows {
  private let tables: ColourTables
  private let format: PixelFormat
  /// What chroma adds to red, green and blue: three rows of as many entries.
  private let sums: UnsafeMutablePointer<Int32>
  private let sumCount: Int
  private var chromaRow = -1

  /// - Parameter width: Of the coded picture.
  init(_ tables: ColourTables, format: PixelFormat, width: Int) {
    self.tables = tables
    self.format = format
    sumCount = width + 2
    sums = .allocate(capacity: 3 * sumCount)
    // Half a step rounds to the nearest; pictures without chroma have nothing else here.
    sums.initialize(repeating: 1 << (tables.fraction - 1), count: 3 * sumCount)
  }

  deinit { sums.deallocate() }

  /// Writes row `y` of the window.
  ///
  /// - Parameters:
  ///   - target: Room for the window's width of pixels.
  ///   - alpha: The first sample of the alpha plane's row in the window.
  func write(
    _ y: Int, of picture: PlanarPicture, alpha: UnsafeRawPointer?, alphaIsDeep: Bool, isPremultiplied: Bool,
    to target: UnsafeMutableRawPointer
  ) {
    if picture.isDeep {
      write(y, of: picture, as: UInt16.self, to: target)
    } else {
      write(y, of: picture, as: UInt8.self, to: target)
    }
    guard let alpha else { return }
    if alphaIsDeep {
      addAlpha(alpha.assumingMemoryBound(to: UInt16.self), count: picture.width, to: target)
    } else {
      addAlpha(alpha.assumingMemoryBound(to: UInt8.self), count: picture.width, to: target)
    }
    if isPremultiplied { divide(picture.width, in: target) }
  }

  private func write<Sample: FixedWidthInteger & UnsignedInteger>(
    _ y: Int, of picture: PlanarPicture, as _: Sample.Type, to target: UnsafeMutableRawPointer
  ) {
    let row = y &+ picture.originY
    let luma =
      (picture.planes[0].base + row &* picture.planes[0].stride)
      .assumingMemoryBound(to: Sample.self) + picture.originX
    let firstSum = picture.originX >> picture.shiftX
    if picture.planes.count == 3 {
      let chromaY = row >> picture.shiftY
      let blue = (picture.planes[1].base + chromaY &* picture.planes[1].stride).assumingMemoryBound(to: Sample.self)
      let red = (picture.planes[2].base + chromaY &* picture.planes[2].stride).assumingMemoryBound(to: Sample.self)
      if tables.isIdentity {
        writeIdentity(luma, blue + firstSum, red + firstSum, count: picture.width, to: target)
        return
      }
      if chromaY != chromaRow {
        let last = (picture.originX &+ picture.width &- 1) >> picture.shiftX
        add(blue + firstSum, red + firstSum, count: last &- firstSum &+ 1)
        chromaRow = chromaY
      }
    }
    let phase = picture.originX & ((1 << picture.shiftX) &- 1)
    switch (format, picture.shiftX) {
    case (.rgba16, let shift): writeDeep(luma, count: picture.width, phase: phase, shift: shift, to: target)
    case (_, 0): writeSingles(luma, sums, count: picture.width, to: target)
    default: writePairs(luma, count: picture.width, phase: phase, to: target)
    }
  }

  /// Works out what a row of the chroma planes adds to each colour.
  private func add<Sample: FixedWidthInteger & UnsignedInteger>(
    _ blue: UnsafePointer<Sample>, _ red: UnsafePointer<Sample>, count: Int
  ) {
    let mask = tables.mask
    let entries = mask &+ 1
    let half: Int32 = 1 << (tables.fraction &- 1)
    let byBlue = tables.chroma
    let byRed = tables.chroma + 3 &* entries
    let (r, g, b) = (sums, sums + sumCount, sums + 2 &* sumCount)
    for x in 0..<min(count, sumCount) {
      let u = Int(truncatingIfNeeded: blue[x]) & mask
      let v = Int(truncatingIfNeeded: red[x]) & mask
      r[x] = byBlue[u] &+ byRed[v] &+ half
      g[x] = byBlue[u &+ entries] &+ byRed[v &+ entries] &+ half
      b[x] = byBlue[u &+ 2 &* entries] &+ byRed[v &+ 2 &* entries] &+ half
    }
  }

  /// Pixels of 8 bits whose chroma is as wide as their luma.
  private func writeSingles<Sample: FixedWidthInteger & UnsignedInteger>(
    _ luma: UnsafePointer<Sample>, _ first: UnsafePointer<Int32>, count: Int, to target: UnsafeMutableRawPointer
  ) {
    let (r, g, b) = (first, first + sumCount, first + 2 &* sumCount)
    let (table, mask) = (tables.luma, tables.mask)
    let low: UInt32 = format == .bgra8 ? 16 : 0
    let high: UInt32 = 16 &- low
    for x in 0..<count {
      let y = table[Int(truncatingIfNeeded: luma[x]) & mask]
      let pixel = Self.clamp8(y &+ r[x]) &<< low | Self.clamp8(y &+ g[x]) &<< 8 | Self.clamp8(y &+ b[x]) &<< high
      target.storeBytes(of: (pixel | 0xFF00_0000).littleEndian, toByteOffset: x &* 4, as: UInt32.self)
    }
  }

  /// Pixels of 8 bits of which two share a chroma sample.
  private func writePairs<Sample: FixedWidthInteger & UnsignedInteger>(
    _ luma: UnsafePointer<Sample>, count: Int, phase: Int, to target: UnsafeMutableRawPointer
  ) {
    if phase == 1 { writeSingles(luma, sums, count: 1, to: target) }
    let rest = count &- phase
    let (r, g, b) = (sums + phase, sums + sumCount + phase, sums + 2 &* sumCount + phase)
    let (table, mask) = (tables.luma, tables.mask)
    let low: UInt32 = format == .bgra8 ? 16 : 0
    let high: UInt32 = 16 &- low
    let luma = luma + phase
    let target = target + phase &* 4
    for pair in 0..<(rest / 2) {
      let (red, green, blue) = (r[pair], g[pair], b[pair])
      let y0 = table[Int(truncatingIfNeeded: luma[2 &* pair]) & mask]
      let y1 = table[Int(truncatingIfNeeded: luma[2 &* pair &+ 1]) & mask]
      let first =
        Self.clamp8(y0 &+ red) &<< low | Self.clamp8(y0 &+ green) &<< 8 | Self.clamp8(y0 &+ blue) &<< high
      let second =
        Self.clamp8(y1 &+ red) &<< low | Self.clamp8(y1 &+ green) &<< 8 | Self.clamp8(y1 &+ blue) &<< high
      let both = UInt64(first | 0xFF00_0000) | UInt64(second | 0xFF00_0000) &<< 32
      target.storeBytes(of: both.littleEndian, toByteOffset: pair &* 8, as: UInt64.self)
    }
    if rest & 1 == 1 {
      writeSingles(luma + (rest &- 1), r + rest / 2, count: 1, to: target + (rest &- 1) &* 4)
    }
  }

  @inline(__always)
  private static func clamp8(_ sum: Int32) -> UInt32 { UInt32(truncatingIfNeeded: max(0, min(255, sum &>> 16))) }

  /// Pixels of 16 bits.
  private func writeDeep<Sample: FixedWidthInteger & UnsignedInteger>(
    _ luma: UnsafePointer<Sample>, count: Int, phase: Int, shift: Int, to target: UnsafeMutableRawPointer
  ) {
    let (r, g, b) = (sums, sums + sumCount, sums + 2 &* sumCount)
    let (table, mask) = (tables.luma, tables.mask)
    let (fraction, largest) = (tables.fraction, tables.largest)
    let pixels = target.assumingMemoryBound(to: UInt16.self)
    for x in 0..<count {
      let sum = (x &+ phase) &>> shift
      let y = table[Int(truncatingIfNeeded: luma[x]) & mask]
      let pixel = pixels + x &* 4
      pixel[0] = UInt16(truncatingIfNeeded: max(0, min(largest, (y &+ r[sum]) &>> fraction)))
      pixel[1] = UInt16(truncatingIfNeeded: max(0, min(largest, (y &+ g[sum]) &>> fraction)))
      pixel[2] = UInt16(truncatingIfNeeded: max(0, min(largest, (y &+ b[sum]) &>> fraction)))
      pixel[3] = .max
    }
  }

  /// Planes that are green, blue and red themselves.
  private func writeIdentity<Sample: FixedWidthInteger & UnsignedInteger>(
    _ green: UnsafePointer<Sample>, _ blue: UnsafePointer<Sample>, _ red: UnsafePointer<Sample>, count: Int,
    to target: UnsafeMutableRawPointer
  ) {
    let table = tables.luma
    let (mask, fraction, largest) = (tables.mask, tables.fraction, tables.largest)
    let half: Int32 = 1 << (fraction &- 1)
    func value(_ sample: Sample) -> UInt16 {
      let scaled = (table[Int(truncatingIfNeeded: sample) & mask] &+ half) &>> fraction
      return UInt16(truncatingIfNeeded: max(0, min(largest, scaled)))
    }
    for x in 0..<count {
      let (r, g, b) = (value(red[x]), value(green[x]), value(blue[x]))
      if format == .rgba16 {
        let pixel = target.assumingMemoryBound(to: UInt16.self) + x &* 4
        (pixel[0], pixel[1], pixel[2], pixel[3]) = (r, g, b, .max)
      } else {
        let pixel = target.assumingMemoryBound(to: UInt8.self) + x &* 4
        let (first, last) = format == .bgra8 ? (b, r) : (r, b)
        pixel[0] = UInt8(truncatingIfNeeded: first)
        pixel[1] = UInt8(truncatingIfNeeded: g)
        pixel[2] = UInt8(truncatingIfNeeded: last)
        pixel[3] = .max
      }
    }
  }

  private func addAlpha<Sample: FixedWidthInteger & UnsignedInteger>(
    _ alpha: UnsafePointer<Sample>, count: Int, to target: UnsafeMutableRawPointer
  ) {
    let (table, mask) = (tables.alpha, tables.alphaMask)
    if format == .rgba16 {
      let pixels = target.assumingMemoryBound(to: UInt16.self)
      for x in 0..<count { pixels[x &* 4 &+ 3] = table[Int(truncatingIfNeeded: alpha[x]) & mask] }
    } else {
      let pixels = target.assumingMemoryBound(to: UInt8.self)
      for x in 0..<count {
        pixels[x &* 4 &+ 3] = UInt8(truncatingIfNeeded: table[Int(truncatingIfNeeded: alpha[x]) & mask])
      }
    }
  }

  /// Takes alpha out of colours that were multiplied by it; where it is 0, they are 0.
  private func divide(_ count: Int, in target: UnsafeMutableRawPointer) {
    if format == .rgba16 {
      divide(count, in: target.assumingMemoryBound(to: UInt16.self))
    } else {
      divide(count, in: target.assumingMemoryBound(to: UInt8.self))
    }
  }

  private func divide<Sample: FixedWidthInteger & UnsignedInteger>(
    _ count: Int, in pixels: UnsafeMutablePointer<Sample>
  ) {
    let largest = UInt64(Sample.max)
    for x in 0..<count {
      let pixel = pixels + x &* 4
      let alpha = UInt64(pixel[3])
      if alpha == largest { continue }
      for channel in 0..<3 {
        let colour = alpha == 0 ? 0 : (UInt64(pixel[channel]) &* largest &+ alpha / 2) / alpha
        pixel[channel] = Sample(truncatingIfNeeded: min(colour, largest))
      }
    }
  }
}
