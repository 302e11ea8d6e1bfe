// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// One change of a picture. The same picture and the same operation always give the same samples.
///
/// Pictures of 8 and 16 bits and of floating point are changed as they are, alpha straight or multiplied in; where
/// neighbors are mixed, color is multiplied by alpha first. Samples are taken as they are, not as light. The layout of a
/// picture stays, except that it gets alpha where an operation makes an opaque picture transparent, and color where paint
/// with color meets gray.
public enum ImageOperation: Sendable, Hashable {
  /// Resamples to a size. See ``ImageOperation/Resize``.
  case resize(Resize)
  /// Keeps a part, whose pixels must be in the picture.
  case crop(Rect)
  /// Keeps a part of a size, placed by an anchor. A side larger than the picture's becomes the picture's.
  case cropAnchored(Size, Anchor)
  /// Turns clockwise. See ``ImageOperation/Rotation``.
  case rotate(Rotation)
  /// Exchanges left and right.
  case flipHorizontal
  /// Exchanges top and bottom.
  case flipVertical
  /// Rounds the corners. See ``ImageOperation/Corners``.
  case round(Corners)
  /// Paints a frame of `width` pixels over the outermost pixels; at least 1, at most half of the shorter side, rounded
  /// up.
  case border(width: Int, PixelColor)
  /// Moves the edges. See ``ImageOperation/Insets``.
  case inset(Insets, PixelColor)
  /// Blends a color over what is there of the picture; alpha stays. `normal` with an opaque color keeps the shape alone, and
  /// ``BlendMode/sourceIn`` with a translucent one gives the shape that color.
  case tint(PixelColor, BlendMode)
  /// Mixes with gray of the same luma (ITU-R BT.601). 0 leaves the picture, 1 is all gray. The layout stays.
  case grayscale(Double)
  /// Multiplies the distance of each color from its gray: 0 is gray, 1 leaves the picture, 2 doubles. At most 100.
  case saturation(Double)
  /// Multiplies color: 0 is black, 1 leaves the picture. At most 100.
  case brightness(Double)
  /// Makes new colors as sums of the old ones: contrast, sepia, the negative, turned hues. Gray gets color where they differ.
  case matrix(ColorMatrix)
  /// Raises each color to the power of 1 / gamma: above 1 shadows get lighter. From 0.01 to 100; 1 leaves the picture.
  case gamma(Double)
  /// Adds `amount` times what a blur by `sigma` takes away, an unsharp mask: 0 leaves the picture. Sigma is at most 10000
  /// pixels, the amount at most 100.
  case sharpen(sigma: Double, amount: Double)
  /// Blurs by a Gaussian of this standard deviation, in pixels, at most 10000. What lies outside repeats the outermost
  /// pixels.
  case blur(sigma: Double)
  /// Lays the picture over a color. The result is opaque if the color is.
  case flatten(PixelColor)
  /// Lays another picture over this one. See ``ImageOperation/Overlay``.
  case overlay(Overlay)

  /// The size of the result for a picture of `size`.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a value outside its range, or a part that is not in the picture;
  ///   ``CoderError/Code/limitExceeded`` for a result that is larger than the limits allow.
  public func size(of size: Size, limits: Limits = .standard) throws(CoderError) -> Size {
    try check(size)
    let result =
      switch self {
      case .resize(let resize): resize.plan(for: size).size
      case .crop(let rect): rect.size
      case .cropAnchored(let part, _): Size(width: min(part.width, size.width), height: min(part.height, size.height))
      case .rotate(let rotation): try rotation.size(of: size)
      case .inset(let insets, _): try insets.size(of: size)
      default: size
      }
    try limits.check(canvas: result)
    return result
  }

  /// The changed picture; it may be the given buffer where nothing changes.
  ///
  /// - Parameters:
  ///   - pixels: Upright. It is not changed.
  ///   - limits: Checked before memory is asked for.
  /// - Throws: As ``size(of:limits:)``; ``CoderError/Code/outOfMemory``.
  public func applied(to pixels: PixelBuffer, limits: Limits = .standard) throws(CoderError) -> PixelBuffer {
    let size = try size(of: pixels.size, limits: limits)
    try limits.check(memory: workingMemory(from: pixels, to: size))
    switch self {
    case .resize(let resize):
      let plan = resize.plan(for: pixels.size)
      return try pixels.resampled(to: plan.size, region: plan.crop)
    case .crop(let rect): return rect == Rect(covering: pixels.size) ? pixels : try pixels.copy(of: rect)
    case .cropAnchored(_, let anchor):
      guard size != pixels.size else { return pixels }
      let origin = anchor.origin(of: size, in: pixels.size)
      return try pixels.copy(of: Rect(x: origin.x, y: origin.y, width: size.width, height: size.height))
    case .rotate(let rotation): return try rotation.applied(to: pixels, size: size)
    case .flipHorizontal: return try pixels.oriented(by: .upMirrored)
    case .flipVertical: return try pixels.oriented(by: .downMirrored)
    case .round(let corners): return try corners.applied(to: pixels)
    case .border(let width, let color): return try pixels.framed(width: width, color)
    case .inset(let insets, let color): return try insets.applied(to: pixels, size: size, color)
    case .tint(let color, let mode): return try pixels.tinted(color, mode)
    case .grayscale(let amount): return try pixels.mixed(by: ColorMix(saturation: 1 - amount))
    case .saturation(let factor): return try pixels.mixed(by: ColorMix(saturation: factor))
    case .brightness(let factor): return try pixels.mixed(by: ColorMix(brightness: factor))
    case .matrix(let matrix): return try pixels.mixed(by: matrix)
    case .gamma(let gamma): return gamma == 1 ? pixels : try pixels.raised(gamma: gamma)
    case .sharpen(let sigma, let amount): return try pixels.sharpened(sigma: sigma, amount: amount)
    case .blur(let sigma): return try GaussianBlur.applied(to: pixels, sigma: sigma)
    case .flatten(let color): return try pixels.laidOver(color)
    case .overlay(let overlay): return try overlay.applied(to: pixels)
    }
  }

  /// Bytes of the result and of what is made on the way.
  private func workingMemory(from pixels: PixelBuffer, to size: Size) -> Int {
    func bytes(_ size: Size, _ perPixel: Int) -> Int {
      let (bytes, overflow) = size.pixelCount.multipliedReportingOverflow(by: perPixel)
      return overflow ? .max / 4 : min(bytes, .max / 4)
    }
    // A layout that gets alpha and color has at most twice the bytes, or four for gray.
    let result = bytes(
      size, pixels.format.isGray ? 4 * pixels.format.bytesPerPixel : max(8, pixels.format.bytesPerPixel))
    switch self {
    case .sharpen: return result + 2 * bytes(pixels.size, pixels.wideLayout.format.bytesPerPixel)
    case .blur(let sigma) where ByteBlur(sigma: sigma, of: pixels.layout) != nil: return result
    case .rotate(let rotation)
    where ByteTurn.takes(pixels.layout, to: pixels.layout.painted(rotation.background)):
      return result
    case .rotate, .blur: return result + bytes(pixels.size, pixels.wideLayout.format.bytesPerPixel)
    default: return result
    }
  }

  private func check(_ size: Size) throws(CoderError) {
    switch self {
    case .resize(let resize): try resize.check()
    case .crop(let rect):
      guard !rect.isEmpty, rect.isInside(size) else {
        throw .invalidArgument("a part of \(rect.size) at \(rect.x),\(rect.y) is not inside the picture of \(size)")
      }
    case .cropAnchored(let part, _):
      guard !part.isEmpty else { throw .invalidArgument("a part of \(part), at least 1×1 is needed") }
    case .rotate(let rotation): try Self.check(rotation.degrees, in: -1e6...1e6, "a rotation in degrees")
    case .round(let corners): try corners.check(size)
    case .border(let width, _):
      let most = (min(size.width, size.height) + 1) / 2
      guard (1...most).contains(width) else {
        throw .invalidArgument("a border of \(width) pixels for a picture of \(size); 1 to \(most) are allowed")
      }
    case .grayscale(let amount): try Self.check(amount, in: 0...1, "an amount of gray")
    case .saturation(let factor): try Self.check(factor, in: 0...100, "a saturation")
    case .brightness(let factor): try Self.check(factor, in: 0...100, "a brightness")
    case .matrix(let matrix):
      for number in matrix.numbers { try Self.check(number, in: -1000...1000, "a number of a color matrix") }
    case .gamma(let gamma): try Self.check(gamma, in: 0.01...100, "a gamma")
    case .sharpen(let sigma, let amount):
      try Self.check(sigma, in: 0...10_000, "the sigma of a sharpening")
      try Self.check(amount, in: 0...100, "the amount of a sharpening")
    case .blur(let sigma): try Self.check(sigma, in: 0...10_000, "the sigma of a blur")
    case .overlay(let overlay): try Self.check(overlay.opacity, in: 0...1, "an opacity")
    case .flipHorizontal, .flipVertical, .inset, .tint, .flatten: break
    }
  }

  static func check(_ value: Double, in range: ClosedRange<Double>, _ what: String) throws(CoderError) {
    guard range.contains(value) else {
      throw .invalidArgument(
        "\(what) of \(value); \(range.lowerBound) to \(range.upperBound) are allowed")
    }
  }
}

extension ImageOperation {
  /// What it does to what a file says of its picture. Parts that are moved are not followed.
  package var changes: PictureChanges {
    switch self {
    case .resize(let resize) where resize.mode != .fill: .scaled
    case .resize, .crop, .cropAnchored: [.scaled, .cropped, .turned]
    case .rotate, .flipHorizontal, .flipVertical, .border, .inset: [.turned, .drawn]
    case .round, .tint, .grayscale, .saturation, .brightness, .matrix, .gamma, .sharpen, .blur, .flatten, .overlay:
      .drawn
    }
  }
}
