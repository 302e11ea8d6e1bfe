// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// The area on which the frames of an animation are drawn, with the rules of disposal and blending.
///
/// Frame *n* is drawn on what is left of frame *n − 1* after its disposal. The background is transparent, as browsers
/// have it, whatever color a container states.
///
/// Its pixels may be handed out, and shared with another canvas: what comes next is then drawn on a copy of them.
///
/// - Threads: One at a time. The owner of its pixels may release them on any thread.
package final class Canvas {
  /// The canvas as it is shown after the last draw. Nobody else may write to them.
  package private(set) var pixels: PixelBuffer

  private let pool: PixelPool?

  /// The frame whose disposal is still to come.
  private var pending: Pending?
  /// Whether every pixel is known to be transparent.
  private var isBlank = true

  private struct Pending {
    let frame: FrameHeader
    /// Whether the canvas was blank before the frame was drawn.
    let wasBlank: Bool
    /// What the frame's rectangle held before, when that is to come back and was not blank.
    let before: PixelBuffer?
  }

  /// Makes a transparent canvas.
  ///
  /// - Parameters:
  ///   - layout: A format in which frames are composed, with straight alpha, or opaque if frames cover
  ///     whatever is transparent before it is shown.
  ///   - pool: Where memory comes from when the pixels before are still in use, or nil for the system.
  package init(size: Size, layout: PixelLayout, pool: PixelPool? = nil) throws(CoderError) {
    self.pool = pool
    pixels = try PixelBuffer(size: size, format: layout.format, alpha: layout.alpha, pool: pool)
    pixels.clear(rows: 0..<size.height)
  }

  /// The same canvas once more, with what it still has to do. Memory is taken when one of the two is drawn on.
  package init(sharing other: Canvas) {
    pool = other.pool
    pixels = other.pixels
    pending = other.pending
    isBlank = other.isBlank
  }

  /// Makes the canvas transparent and forgets what is pending.
  package func reset() throws(CoderError) {
    pending = nil
    if !isBlank {
      try replacePixels()
      clear()
    }
    isBlank = true
  }

  /// Forgets what is pending, for a frame that replaces every pixel; what the canvas shows until then is undefined.
  package func resetForReplacement() throws(CoderError) {
    pending = nil
    try replacePixels()
  }

  /// Makes every pixel transparent; what is pending stays so. For pixels that ``begin(_:)`` has made the canvas's own.
  package func clear() { pixels.clear(rows: 0..<pixels.size.height) }

  /// Makes sure that nobody else has the pixels.
  private func ownPixels() throws(CoderError) {
    if !isKnownUniquelyReferenced(&pixels) { pixels = try pixels.copy(pool: pool) }
  }

  /// Makes sure that nobody else has the pixels, whose content is not needed any more.
  private func replacePixels() throws(CoderError) {
    guard !isKnownUniquelyReferenced(&pixels) else { return }
    pixels = try PixelBuffer(size: pixels.size, format: pixels.format, alpha: pixels.alpha, pool: pool)
  }

  /// Disposes of the last frame and prepares for `frame`, so that its pixels can be drawn.
  ///
  /// What comes before the first frame is transparent, so "as it was before" and "to the background" are the same for
  /// it, as APNG wants (PNG Third Edition §11.3.6.2).
  package func begin(_ frame: FrameHeader) throws(CoderError) {
    try ownPixels()
    dispose()
    let before = frame.disposal == .restorePrevious && !isBlank ? try pixels.copy(of: frame.rect) : nil
    pending = Pending(frame: frame, wasBlank: isBlank, before: before)
    isBlank = false
  }

  /// Memory of a rectangle on the canvas, for a frame whose pixels replace what is there.
  package func region(_ rect: Rect) throws(CoderError) -> PixelBuffer { try pixels.region(rect) }

  /// Composites a frame's pixels over the canvas.
  ///
  /// - Parameter source: The frame's own pixels, of the canvas's layout, as large as `rect`.
  package func blendOver(_ source: PixelBuffer, at rect: Rect) {
    for y in 0..<rect.height { Self.blend(source.row(y), over: pixels, at: rect, row: y) }
  }

  /// What a canvas would look like with the rows of a frame that are there; it stays as it is.
  ///
  /// - Parameters:
  ///   - pixels: The canvas.
  ///   - rows: The frame's own pixels, of the canvas's layout, as large as its rectangle.
  ///   - missing: Rows of them that are not there.
  package static func showing(
    _ rows: PixelBuffer, without missing: [Range<Int>], of frame: FrameHeader, on pixels: PixelBuffer
  ) throws(CoderError) -> PixelBuffer {
    let shown = try pixels.copy()
    let bytesPerPixel = pixels.format.bytesPerPixel
    let rect = frame.rect
    var gaps = missing[...]
    for y in 0..<rect.height {
      while let gap = gaps.first, gap.upperBound <= y { gaps = gaps.dropFirst() }
      if let gap = gaps.first, gap.contains(y) { continue }
      if frame.replacesCanvas {
        (shown.row(rect.y + y) + rect.x * bytesPerPixel).copyMemory(
          from: rows.row(y), byteCount: rect.width * bytesPerPixel)
      } else {
        blend(rows.row(y), over: shown, at: rect, row: y)
      }
    }
    return shown
  }

  /// Sets the state that the canvas has after a frame that covers it and was drawn elsewhere.
  package func assign(_ drawn: PixelBuffer, of frame: FrameHeader) throws(CoderError) {
    try replacePixels()
    pixels.assign(from: drawn)
    pending = Pending(frame: frame, wasBlank: false, before: nil)
    isBlank = false
  }

  /// Composites row `row` of a frame over the pixels of a canvas.
  private static func blend(_ source: UnsafeRawPointer, over pixels: PixelBuffer, at rect: Rect, row: Int) {
    let target = pixels.row(rect.y + row) + rect.x * pixels.format.bytesPerPixel
    switch pixels.format {
    case .rgba8: AlphaBlend.over8(source, onto: target, count: rect.width)
    case .rgbaFloat16: AlphaBlend.overFloats(SampleFloat16.self, source, onto: target, count: rect.width)
    case .rgbaFloat32: AlphaBlend.overFloats(SampleFloat32.self, source, onto: target, count: rect.width)
    default: AlphaBlend.over16(source, onto: target, count: rect.width)
    }
  }

  private func dispose() {
    guard let pending else { return }
    self.pending = nil
    let bytesPerPixel = pixels.format.bytesPerPixel
    let rect = pending.frame.rect
    guard pending.frame.disposal != .keep else { return }
    if let before = pending.before {
      for y in 0..<rect.height {
        (pixels.row(rect.y + y) + rect.x * bytesPerPixel).copyMemory(
          from: before.row(y), byteCount: rect.width * bytesPerPixel)
      }
    } else {
      for y in rect.y..<(rect.y + rect.height) {
        (pixels.row(y) + rect.x * bytesPerPixel).initializeMemory(
          as: UInt8.self, repeating: 0, count: rect.width * bytesPerPixel)
      }
      isBlank = pending.wasBlank || rect == Rect(covering: pixels.size)
    }
  }
}

extension FrameHeader {
  /// Whether the frame's pixels take the place of what is there, with nothing of it to be seen through them.
  var replacesCanvas: Bool { blend == .source || !hasAlpha }
}

extension PixelFormat {
  /// The format in which frames of an animation are composed: red, green, blue and alpha, as deep as the file.
  package var composed: PixelFormat { isFloat ? self : bytesPerChannel == 2 ? .rgba16 : .rgba8 }
}

/// Source over destination for straight alpha, exact to the nearest sample in whole numbers.
enum AlphaBlend {
  /// Composites `count` RGBA pixels of 8 bits.
  static func over8(_ source: UnsafeRawPointer, onto target: UnsafeMutableRawPointer, count: Int) {
    let source = source.assumingMemoryBound(to: UInt32.self)
    let target = target.assumingMemoryBound(to: UInt32.self)
    for index in 0..<count {
      let above = source[index]
      let alpha = UInt32(littleEndian: above) >> 24
      if alpha == 255 {
        target[index] = above
      } else if alpha != 0 {
        let below = target[index]
        let under = UInt32(littleEndian: below) >> 24
        target[index] =
          under == 0
          ? above
          : blend8(
            UInt32(littleEndian: above), alpha: alpha, over: UInt32(littleEndian: below), alpha: under)
      }
    }
  }

  /// PNG Third Edition, §13.16: with alphas a and b, the result has alpha a + b(1 − a), and its colors are the mean of
  /// both by those weights.
  private static func blend8(_ above: UInt32, alpha: UInt32, over below: UInt32, alpha under: UInt32) -> UInt32 {
    let weightAbove = alpha &* 255
    let weightBelow = under &* (255 &- alpha)
    let total = weightAbove &+ weightBelow
    var result = ((total &+ 127) / 255) << 24
    var shift: UInt32 = 0
    while shift < 24 {
      let color = ((above >> shift) & 255) &* weightAbove &+ ((below >> shift) & 255) &* weightBelow
      result |= ((color &+ total / 2) / total) << shift
      shift &+= 8
    }
    return UInt32(littleEndian: result)
  }

  /// Composites `count` RGBA pixels of 16 bits.
  static func over16(_ source: UnsafeRawPointer, onto target: UnsafeMutableRawPointer, count: Int) {
    let source = source.assumingMemoryBound(to: UInt16.self)
    let target = target.assumingMemoryBound(to: UInt16.self)
    for index in stride(from: 0, to: count &* 4, by: 4) {
      let alpha = UInt64(source[index + 3])
      let under = UInt64(target[index + 3])
      if alpha == 0 { continue }
      let weightAbove = alpha &* 65_535
      let weightBelow = under &* (65_535 &- alpha)
      let total = weightAbove &+ weightBelow
      for channel in index..<(index + 3) {
        let color = UInt64(source[channel]) &* weightAbove &+ UInt64(target[channel]) &* weightBelow
        target[channel] = UInt16(truncatingIfNeeded: (color &+ total / 2) / total)
      }
      target[index + 3] = UInt16(truncatingIfNeeded: (total &+ 32_767) / 65_535)
    }
  }

  /// Composites `count` RGBA pixels of floating point. Colors may be beyond 0 … 1; alpha that is not a number is 0.
  static func overFloats<Sample: PixelSample>(
    _: Sample.Type, _ source: UnsafeRawPointer, onto target: UnsafeMutableRawPointer, count: Int
  ) {
    let bytesPerPixel = 4 &* Sample.bytes
    for index in stride(from: 0, to: count &* 4, by: 4) {
      let alpha = Sample.read(source, index &+ 3)
      guard alpha > 0 else { continue }
      let under = Sample.read(target, index &+ 3)
      let weightBelow = alpha < 1 && under > 0 ? min(under, 1) * (1 - alpha) : 0
      guard weightBelow > 0 else {
        let place = index / 4 &* bytesPerPixel
        (target + place).copyMemory(from: source + place, byteCount: bytesPerPixel)
        continue
      }
      let total = alpha + weightBelow
      for channel in index..<(index &+ 3) {
        let color = Sample.read(source, channel) * alpha + Sample.read(target, channel) * weightBelow
        Sample.write(color / total, target, channel)
      }
      Sample.write(total, target, index &+ 3)
    }
  }
}
