// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SharedPlanes

/// Turns a row of each channel into a row of pixels.
struct PixelRows {
  /// What pixels are.
  enum Output {
    case colors
    /// The four inks, from none to all of each.
    case inks
  }

  typealias Rows8 = [UnsafeMutablePointer<UInt8>]

  private let header: PSDHeader
  private let format: PixelFormat
  private let output: Output
  private let hasAlpha: Bool
  /// Whether what is not opaque was composited over white.
  private let isOnWhite: Bool
  private let palette: IndexedColors?
  private let lab: LabConverter?

  /// - Parameter palette: Of an indexed file.
  init(_ file: PSDFile, format: PixelFormat, output: Output, palette: IndexedColors?) {
    header = file.header
    self.format = format
    self.output = output
    self.palette = palette
    hasAlpha = file.alpha != nil
    isOnWhite = hasAlpha
    lab = file.header.model == .lab ? Self.labConverter(depth: file.header.depth) : nil
  }

  /// Rows of a layer, whose colors are as they are.
  init(layer header: PSDHeader, format: PixelFormat, hasAlpha: Bool) {
    self.header = header
    self.format = format
    output = .colors
    palette = nil
    self.hasAlpha = hasAlpha
    isOnWhite = false
    lab = header.model == .lab ? Self.labConverter(depth: header.depth) : nil
  }

  /// L* of 0 to 100 takes all values; a* and b* have their zero in the middle, at 128 or 32,768.
  private static func labConverter(depth: Int) -> LabConverter {
    let top = depth == 8 ? 255 : 65_535
    let step = depth == 8 ? 1.0 : 1.0 / 256
    let color = LabConverter.Encoding(start: -128, scale: step)
    return LabConverter(
      lightness: LabConverter.Encoding(start: 0, scale: 100 / Double(top)), a: color, b: color, top: top)
  }

  /// Converts a row.
  ///
  /// - Parameter rows: A stored row of each channel, which is changed.
  func convert(_ rows: Rows8, to target: UnsafeMutableRawPointer) {
    switch (header.mode, header.depth) {
    case (.bitmap, _): convertBits(rows[0], to: target)
    case (.indexed, _): palette?.convert(rows[0], count: header.canvas.width, to: target, format: format)
    case (_, 8): convert(rows, top: 255, to: target.assumingMemoryBound(to: UInt8.self))
    case (_, 16):
      let words = rows.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt16.self) }
      for row in words { for x in 0..<header.canvas.width { row[x] = UInt16(bigEndian: row[x]) } }
      convert(words, top: 65_535, to: target.assumingMemoryBound(to: UInt16.self))
    default: convertFloats(rows, to: target.assumingMemoryBound(to: Float.self))
    }
  }

  /// 1 is black.
  private func convertBits(_ row: UnsafePointer<UInt8>, to target: UnsafeMutableRawPointer) {
    let pixels = target.assumingMemoryBound(to: UInt8.self)
    let channels = format == .rgba8 ? 4 : 1
    for x in 0..<header.canvas.width {
      let sample: UInt8 = row[x >> 3] << UInt8(truncatingIfNeeded: x & 7) & 0x80 == 0 ? 0xFF : 0
      if channels == 1 {
        pixels[x] = sample
      } else {
        for channel in 0..<3 { pixels[4 &* x &+ channel] = sample }
        pixels[4 &* x &+ 3] = 0xFF
      }
    }
  }

  @inline(__always)
  private func convert<Sample: FixedWidthInteger & UnsignedInteger>(
    _ rows: [UnsafeMutablePointer<Sample>], top: UInt32, to pixels: UnsafeMutablePointer<Sample>
  ) {
    let width = header.canvas.width
    let colors = header.model.channels
    if isOnWhite {
      for channel in 0..<colors {
        let isChroma = header.model == .lab && channel > 0
        takeOutWhite(of: rows[channel], alpha: rows[colors], white: isChroma ? top / 2 + 1 : top, top: top)
      }
    }
    if header.model == .cmyk, output == .inks {
      // All of an ink is stored as 0.
      for x in 0..<width {
        for ink in 0..<4 { pixels[4 &* x &+ ink] = Sample(truncatingIfNeeded: top) &- rows[ink][x] }
      }
      return
    }
    if header.model == .cmyk {
      for channel in 0..<3 {
        for x in 0..<width {
          let light = UInt32(truncatingIfNeeded: rows[channel][x]) &* UInt32(truncatingIfNeeded: rows[3][x])
          rows[channel][x] = Sample(truncatingIfNeeded: (light &+ top / 2) / top)
        }
      }
    }
    if let lab { convertLab(rows, lab) }
    store(rows, isGray: colors == 1, alpha: hasAlpha ? rows[colors] : nil, opaque: .max, to: pixels)
  }

  /// The merged picture of a file with transparency is composited over white: that is undone where alpha is not 0.
  @inline(__always)
  private func takeOutWhite<Sample: FixedWidthInteger & UnsignedInteger>(
    of row: UnsafeMutablePointer<Sample>, alpha: UnsafePointer<Sample>, white: UInt32, top: UInt32
  ) {
    for x in 0..<header.canvas.width {
      let share = Int(truncatingIfNeeded: alpha[x])
      guard share != 0, share != Int(top) else { continue }
      let (white, top) = (Int(white), Int(top))
      let color = (Int(truncatingIfNeeded: row[x]) &- white) &* top
      let rounded = (2 &* color &+ (color < 0 ? 0 &- share : share)) / (2 &* share) &+ white
      row[x] = Sample(truncatingIfNeeded: min(max(rounded, 0), top))
    }
  }

  private func convertLab<Sample: FixedWidthInteger & UnsignedInteger>(
    _ rows: [UnsafeMutablePointer<Sample>], _ lab: LabConverter
  ) {
    let width = header.canvas.width
    let step = 256
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * step) { memory in
      guard let base = memory.baseAddress else { return }
      let parts = (base, base + step, base + 2 * step)
      var first = 0
      while first < width {
        let count = min(step, width - first)
        for channel in 0..<3 {
          for x in 0..<count { base[channel * step + x] = Int32(truncatingIfNeeded: rows[channel][first + x]) }
        }
        lab.convert(
          (UnsafePointer(parts.0), UnsafePointer(parts.1), UnsafePointer(parts.2)), to: parts, count: count)
        for channel in 0..<3 {
          for x in 0..<count { rows[channel][first + x] = Sample(truncatingIfNeeded: base[channel * step + x]) }
        }
        first += count
      }
    }
  }

  private func convertFloats(_ rows: Rows8, to pixels: UnsafeMutablePointer<Float>) {
    let width = header.canvas.width
    let floats = rows.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Float.self) }
    let words = rows.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt32.self) }
    for row in words { for x in 0..<width { row[x] = UInt32(bigEndian: row[x]) } }
    let colors = header.model.channels
    if isOnWhite {
      for channel in 0..<colors {
        for x in 0..<width where floats[colors][x] > 0 && floats[colors][x] < 1 {
          floats[channel][x] = (floats[channel][x] - 1) / floats[colors][x] + 1
        }
      }
    }
    store(floats, isGray: colors == 1, alpha: hasAlpha ? floats[colors] : nil, opaque: 1, to: pixels)
  }

  /// Puts samples side by side, in the format of the rows.
  @inline(__always)
  private func store<Sample>(
    _ rows: [UnsafeMutablePointer<Sample>], isGray: Bool, alpha: UnsafeMutablePointer<Sample>?, opaque: Sample,
    to pixels: UnsafeMutablePointer<Sample>
  ) {
    let width = header.canvas.width
    let (red, green, blue) = (rows[0], rows[isGray ? 0 : 1], rows[isGray ? 0 : 2])
    switch format {
    case .gray8, .gray16: pixels.update(from: red, count: width)
    case .grayAlpha8, .grayAlpha16:
      for x in 0..<width {
        pixels[2 &* x] = red[x]
        pixels[2 &* x &+ 1] = alpha?[x] ?? opaque
      }
    case .rgb8, .rgb16:
      for x in 0..<width {
        pixels[3 &* x] = red[x]
        pixels[3 &* x &+ 1] = green[x]
        pixels[3 &* x &+ 2] = blue[x]
      }
    default:
      for x in 0..<width {
        pixels[4 &* x] = red[x]
        pixels[4 &* x &+ 1] = green[x]
        pixels[4 &* x &+ 2] = blue[x]
      }
      if let alpha {
        for x in 0..<width { pixels[4 &* x &+ 3] = alpha[x] }
      } else {
        for x in 0..<width { pixels[4 &* x &+ 3] = opaque }
      }
    }
  }
}

/// The colors of an indexed file.
struct IndexedColors {
  /// All red samples, then all green ones, then all blue ones ("Color Mode Data Section").
  private let samples: [UInt8]
  /// The index of the color that is not there, or nil ("Image Resource IDs", 1047).
  private let transparent: Int?

  /// - Parameter samples: 768 of them.
  init(_ samples: [UInt8], transparent: Int?) {
    self.samples = samples
    self.transparent = transparent
  }

  func convert(
    _ row: UnsafePointer<UInt8>, count: Int, to target: UnsafeMutableRawPointer, format: PixelFormat
  ) {
    let pixels = target.assumingMemoryBound(to: UInt8.self)
    let channels = format.channelCount
    samples.withUnsafeBufferPointer { samples in
      guard samples.count >= 768, channels >= 3 else { return }
      for x in 0..<count {
        let index = Int(row[x])
        for channel in 0..<3 { pixels[channels &* x &+ channel] = samples[256 &* channel &+ index] }
        if channels == 4 { pixels[4 &* x &+ 3] = index == transparent ? 0 : 0xFF }
      }
    }
  }
}
