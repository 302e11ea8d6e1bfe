// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SharedPlanes

/// Turns rows of decoded pictures, and of their alpha planes, into pixels: `rgba8`, `bgra8` or `rgba16`.
struct PictureRows {
  /// The part of the coded picture that is shown.
  let window: Rect
  let format: PixelFormat
  let colors: PlaneConverter
  let alpha: AlphaConverter?
  /// Whether colors are multiplied by alpha.
  let isPremultiplied: Bool

  /// Writes some rows of the window.
  func write(
    _ rows: Range<Int>, of picture: PlanarPicture, alpha plane: PlanarPicture?, to target: UnsafeMutableRawPointer,
    stride: Int
  ) throws(CoderError) {
    let rect = Rect(x: window.x, y: window.y + rows.lowerBound, width: window.width, height: rows.count)
    try colors.convert(picture, rect, to: target, stride: stride)
    guard let alpha, let plane else { return }
    try alpha.convert(plane, rect, to: target, stride: stride)
    guard isPremultiplied else { return }
    for row in 0..<rows.count { divide(window.width, in: target + row * stride) }
  }

  /// Takes alpha out of colors that were multiplied by it; where it is 0, they are 0.
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
        let color = alpha == 0 ? 0 : (UInt64(pixel[channel]) &* largest &+ alpha / 2) / alpha
        pixel[channel] = Sample(truncatingIfNeeded: min(color, largest))
      }
    }
  }
}
