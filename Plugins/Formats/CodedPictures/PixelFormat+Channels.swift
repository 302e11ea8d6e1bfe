// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

extension PixelFormat {
  /// The narrowest format that holds every pixel. There is none for deep colors without alpha: they are `rgba16`, too.
  ///
  /// - Parameter isDeep: Whether channels have more than 8 bits.
  public init(isGray: Bool, hasAlpha: Bool, isDeep: Bool) {
    self =
      switch (isGray, hasAlpha, isDeep) {
      case (true, false, false): .gray8
      case (true, true, false): .grayAlpha8
      case (true, false, true): .gray16
      case (true, true, true): .grayAlpha16
      case (false, false, false): .rgb8
      case (false, true, false): .rgba8
      case (false, _, true): .rgba16
      }
  }
}

extension AlphaMode {
  /// - Parameter isPremultiplied: Counts only with alpha.
  public init(hasAlpha: Bool, isPremultiplied: Bool) {
    self = !hasAlpha ? .opaque : isPremultiplied ? .premultiplied : .straight
  }
}
