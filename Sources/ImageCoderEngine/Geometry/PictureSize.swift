// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// How large a decoded picture is. Pictures of pixels are never enlarged; a drawing, such as SVG, is drawn at any size.
public enum PictureSize: Sendable, Hashable {
  /// The size that the file states.
  case own
  /// As large as a box allows, in displayed pixels. A side of 0 is free: 300×0 limits only the width. A negative side is
  /// ``CoderError/Code/invalidArgument``.
  case fitting(Size, ThumbnailMode = .fit)
  /// The file's own size times a factor of more than 0, each side rounded up. Of more than 1, it is
  /// ``CoderError/Code/invalidArgument`` for a picture of pixels.
  case scaled(Double)
  /// A drawing at so many pixels per inch, more than 0. For a picture of pixels, and for a drawing that states no inches,
  /// it is ``CoderError/Code/invalidArgument``.
  case resolution(Double)

  /// The box that has to be fitted, if there is one.
  package var box: Size? {
    guard case .fitting(let box, _) = self else { return nil }
    return box
  }

  /// How a box is fitted.
  package var mode: ThumbnailMode {
    guard case .fitting(_, let mode) = self else { return .fit }
    return mode
  }
}
