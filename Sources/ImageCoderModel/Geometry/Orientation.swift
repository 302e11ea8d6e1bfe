// SPDX-License-Identifier: Apache-2.0

/// How a stored picture has to be turned or mirrored to be upright.
///
/// The raw values are those of the Orientation tag, Exif 2.32 §4.6.4 A. Each case says where the stored picture's first
/// row and first column are shown.
public enum Orientation: Int, Sendable, CaseIterable {
  /// First row at the top, first column on the left: nothing to do.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Turned by 180°.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Transposed: first row on the left, first column at the top.
  case leftMirrored = 5
  /// First row on the right, first column at the top: turn by 90° clockwise.
  case right = 6
  /// Transposed along the other diagonal: first row on the right, first column at the bottom.
  case rightMirrored = 7
  /// First row on the left, first column at the bottom: turn by 90° counterclockwise.
  case left = 8

  /// Whether showing the picture exchanges width and height.
  package var swapsSides: Bool { rawValue >= 5 }

  /// The size at which a picture that is stored with `size` is shown.
  public func displayed(_ size: Size) -> Size { swapsSides ? size.transposed : size }
}
