// SPDX-License-Identifier: Apache-2.0

/// A pixel format and its alpha mode.
public struct PixelLayout: Sendable, Hashable {
  /// Channels and samples of one pixel.
  public var format: PixelFormat
  /// What alpha samples mean; ``AlphaMode/opaque`` if ``format`` has no alpha.
  public var alpha: AlphaMode

  /// Makes a layout; for a format without alpha, the alpha mode is replaced by ``AlphaMode/opaque``.
  public init(_ format: PixelFormat, _ alpha: AlphaMode) {
    self.format = format
    self.alpha = format.hasAlpha ? alpha : .opaque
  }

  /// Whether pixels of another layout keep every sample when they are converted to this one.
  ///
  /// Alpha that is multiplied in or out is rounded, so it does not.
  package func holds(_ other: PixelLayout) -> Bool {
    let (mine, theirs) = (format, other.format)
    if theirs.isFloat != mine.isFloat || theirs.bytesPerChannel > mine.bytesPerChannel { return false }
    if mine.isGray && !theirs.isGray { return false }
    return other.alpha == .opaque || (mine.hasAlpha && alpha == other.alpha)
  }

  /// A layout that pixels of this and of another one fit into.
  package func union(_ other: PixelLayout) -> PixelLayout {
    if holds(other) { return self }
    if other.holds(self) { return other }
    let mode = alpha == .opaque ? other.alpha : other.alpha == .opaque || alpha == other.alpha ? alpha : .straight
    if format.isFloat || other.format.isFloat { return PixelLayout(.rgbaFloat32, mode) }
    return PixelLayout(max(format.bytesPerChannel, other.format.bytesPerChannel) == 1 ? .rgba8 : .rgba16, mode)
  }
}

extension PixelLayout: CustomStringConvertible {
  /// The alpha mode, if the format has alpha, and the format: `straight rgba8`, `rgb8`.
  public var description: String { format.hasAlpha ? "\(alpha) \(format)" : "\(format)" }
}
