// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a player shows while frames are written, so that a frame can be drawn in more ways than the one that was given.
///
/// Pixels are 32 bits, alpha the highest byte, colors as they come.
final class ShownCanvas {
  private let host: CoderHost
  private let shown: FramePixels
  /// Whether what is shown is known: not after a pixel that was mixed.
  private var isKnown = true

  init(_ size: Size, host: CoderHost) throws(CoderError) {
    self.host = host
    shown = try FramePixels(size, host: host)
    for y in 0..<size.height { shown.row(y).update(repeating: 0, count: size.width) }
  }

  /// What a frame's rectangle shows once it is drawn, or nil when that is not known.
  func drawn(_ pixels: PixelView, _ frame: FrameHeader) throws(CoderError) -> FramePixels? {
    guard isKnown, pixels.layout.format == .rgba8 || pixels.layout.format == .bgra8 else {
      isKnown = false
      return nil
    }
    let result = try FramePixels(pixels.size, host: host)
    let isOver = frame.blend == .over && pixels.layout.alpha != .opaque
    for y in 0..<pixels.size.height {
      let (before, out) = (row(y, of: frame.rect), result.row(y))
      let given = pixels.base + y * pixels.stride
      for x in 0..<pixels.size.width {
        let pixel = given.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self)
        let alpha = isOver ? pixel >> 24 : 255
        if alpha != 0, alpha != 255 { isKnown = false }
        out[x] = alpha == 0 ? before[x] : pixel
      }
    }
    return isKnown ? result : nil
  }

  /// Takes what a frame drew, and does what it says of its rectangle.
  func add(_ drawn: FramePixels, _ frame: FrameHeader) {
    for y in 0..<drawn.size.height {
      let row = row(y, of: frame.rect)
      if frame.disposal == .restoreBackground {
        row.update(repeating: 0, count: drawn.size.width)
      } else {
        row.update(from: drawn.row(y), count: drawn.size.width)
      }
    }
  }

  /// A frame to be drawn over what is shown, with the pixels that stay as they are transparent.
  ///
  /// - Returns: Nil when a pixel that changes is not opaque.
  func holed(_ drawn: FramePixels, in rect: Rect) throws(CoderError) -> FramePixels? {
    let result = try FramePixels(drawn.size, host: host)
    for y in 0..<drawn.size.height {
      let (before, pixels, out) = (row(y, of: rect), drawn.row(y), result.row(y))
      for x in 0..<drawn.size.width {
        let isSame = pixels[x] == before[x]
        if !isSame, pixels[x] >> 24 != 255 { return nil }
        out[x] = isSame ? 0 : pixels[x]
      }
    }
    return result
  }

  /// As ``holed(_:in:)``, with holes that are whole blocks: scattered ones cost lossy pictures an alpha plane that is
  /// larger than what they save.
  ///
  /// - Returns: Nil when hardly a block stays as it is.
  func blockHoled(_ drawn: FramePixels, in rect: Rect) throws(CoderError) -> FramePixels? {
    let result = try FramePixels(drawn.size, host: host)
    let (width, height) = (drawn.size.width, drawn.size.height)
    let side = 8
    var (blocks, holes) = (0, 0)
    for top in stride(from: 0, to: height, by: side) {
      for left in stride(from: 0, to: width, by: side) {
        let (bottom, right) = (min(top + side, height), min(left + side, width))
        var isHole = true
        for y in top..<bottom {
          let (before, pixels, out) = (row(y, of: rect), drawn.row(y), result.row(y))
          for x in left..<right {
            if pixels[x] != before[x] {
              isHole = false
              out[x] = pixels[x]
            } else {
              // Drawn over itself, a pixel that is not opaque would change.
              out[x] = pixels[x] >> 24 == 255 ? pixels[x] : 0
            }
          }
        }
        blocks += 1
        guard isHole else { continue }
        holes += 1
        for y in top..<bottom { (result.row(y) + left).update(repeating: 0, count: right - left) }
      }
    }
    return holes * Self.holeShare >= blocks ? result : nil
  }

  /// The share of blocks, as a divisor, that has to be holes for an alpha plane to be worth it.
  private static let holeShare = 8

  private func row(_ y: Int, of rect: Rect) -> UnsafeMutablePointer<UInt32> { shown.row(rect.y + y) + rect.x }
}

/// Pixels of 32 bits, in memory of the session.
final class FramePixels {
  let size: Size
  private let host: CoderHost
  private let base: UnsafeMutablePointer<UInt32>

  /// Pixels are not cleared.
  init(_ size: Size, host: CoderHost) throws(CoderError) {
    self.size = size
    self.host = host
    base = try host.allocate(bytes: size.pixelCount * 4, for: "a frame's pixels")
      .bindMemory(to: UInt32.self, capacity: size.pixelCount)
  }

  deinit { host.free(base) }

  func row(_ y: Int) -> UnsafeMutablePointer<UInt32> { base + y * size.width }

  /// As long as this object.
  func view(_ format: PixelFormat) -> PixelView {
    PixelView(layout: PixelLayout(format, .straight), size: size, base: base, stride: size.width * 4)
  }
}
