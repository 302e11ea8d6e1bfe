// SPDX-License-Identifier: Apache-2.0

import CProcessing
import ImageCoderEngine
import ImageCoderModel

/// A linear map of colors, the same multiplied by alpha or not.
struct ColorMix: Sendable {
  /// What stays of each color.
  fileprivate let scale: Float
  /// What each color gets of the luma.
  fileprivate let share: Float

  /// The weights of luma, ITU-R BT.601 §2.5.1.
  fileprivate static let luma = SIMD4<Float>(0.299, 0.587, 0.114, 0)

  init(saturation: Double = 1, brightness: Double = 1) {
    scale = Float(saturation * brightness)
    share = Float((1 - saturation) * brightness)
  }

  var isIdentity: Bool { scale == 1 && share == 0 }

  /// Maps a row; colors stay between 0 and alpha if `clamps`.
  func apply(_ row: FloatRow, count: Int, clamps: Bool) {
    for x in 0..<count {
      let pixel = row[x]
      let parts = pixel * Self.luma
      var mixed = pixel * scale + (parts.x + parts.y + parts.z) * share
      if clamps { mixed.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: pixel.w)) }
      mixed.w = pixel.w
      row[x] = mixed
    }
  }
}

/// The same for opaque pixels of 8 bits, in whole numbers: a factor is off by 1/32,768 at most.
private struct ByteColorMix: Sendable {
  private let scale: Int32
  private let luma: [Int32]

  /// Fraction bits of a factor. Three factors of up to 200, times 255, stay below 2³¹.
  private static let bits: Int32 = 14

  init(_ mix: ColorMix) {
    func whole(_ factor: Float) -> Int32 { Int32((factor * Float(1 << Self.bits)).rounded()) }
    scale = whole(mix.scale)
    let shares = ColorMix.luma * mix.share
    luma = [whole(shares.x), whole(shares.y), whole(shares.z)]
  }

  /// Maps a row of `rgb8`.
  func apply(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
    processing_mix3(
      source.assumingMemoryBound(to: UInt8.self), destination.assumingMemoryBound(to: UInt8.self), count, scale, luma)
  }
}

extension PixelBuffer {
  func mixed(by mix: ColorMix) throws(CoderError) -> PixelBuffer {
    guard !mix.isIdentity else { return self }
    if format == .rgb8 {
      let (result, bytes) = (try PixelBuffer(size: size, format: format, alpha: alpha), ByteColorMix(mix))
      Bands.run(rows: size.height) { rows in
        for y in rows { bytes.apply(self.row(y), into: result.row(y), count: self.size.width) }
      }
      return result
    }
    let (width, clamps) = (size.width, !format.isFloat)
    return try mappingRows(to: layout) { row, _ in mix.apply(row, count: width, clamps: clamps) }
  }

  func tinted(_ color: PixelColor, _ mode: ImageOperation.BlendMode) throws(CoderError) -> PixelBuffer {
    let (width, source) = (size.width, color.premultiplied)
    let painted = color.isGray ? layout : layout.withColor
    return try mappingRows(to: mode.clearsBackdrop && !color.isOpaque ? painted.withAlpha : painted) { row, _ in
      for x in 0..<width { row[x] = mode.atop(row[x], source) }
    }
  }

  func laidOver(_ color: PixelColor) throws(CoderError) -> PixelBuffer {
    guard alpha != .opaque else { return self }
    let (width, backdrop) = (size.width, color.premultiplied)
    var target = color.isGray ? layout : layout.withColor
    if color.isOpaque {
      target.alpha = .opaque
      if target.format == .rgba8 { target.format = .rgb8 }
      if target.format == .grayAlpha8 { target.format = .gray8 }
      if target.format == .grayAlpha16 { target.format = .gray16 }
    }
    let isBytes =
      format == .rgba8 && target.format == .rgb8 || format == .grayAlpha8 && target.format == .gray8
    if isBytes { return laidOver(color, into: try PixelBuffer(size: size, format: target.format, alpha: .opaque)) }
    return try mappingRows(to: target) { row, _ in
      for x in 0..<width { row[x] += backdrop * (1 - row[x].w) }
    }
  }

  /// Pixels of 8 bits with alpha over an opaque color, in whole numbers.
  private func laidOver(_ color: PixelColor, into result: PixelBuffer) -> PixelBuffer {
    let backdrop = [color.red16, color.green16, color.blue16]
    Bands.run(rows: size.height) { rows in
      for y in rows {
        processing_flatten(
          UnsafeRawPointer(self.row(y)).assumingMemoryBound(to: UInt8.self),
          result.row(y).assumingMemoryBound(to: UInt8.self), self.size.width, UInt32(self.format.channelCount),
          backdrop,
          self.alpha == .premultiplied ? 1 : 0)
      }
    }
    return result
  }

  func framed(width border: Int, _ color: PixelColor) throws(CoderError) -> PixelBuffer {
    let (size, source) = (size, color.premultiplied)
    return try mappingRows(to: color.isGray ? layout : layout.withColor) { row, y in
      func paint(_ columns: Range<Int>) {
        for x in columns { row[x] = ImageOperation.BlendMode.normal.over(row[x], source) }
      }
      if y < border || y >= size.height - border {
        paint(0..<size.width)
      } else {
        let right = max(size.width - border, border)
        paint(0..<min(border, size.width))
        paint(min(right, size.width)..<size.width)
      }
    }
  }
}
