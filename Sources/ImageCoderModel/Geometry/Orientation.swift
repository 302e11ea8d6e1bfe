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

  /// Whether showing the picture exchanges width and height: rows become columns, before anything is mirrored.
  public var swapsSides: Bool { rawValue >= 5 }

  /// Whether left and right are exchanged, after ``swapsSides``.
  public var mirrorsColumns: Bool { [.upMirrored, .down, .right, .rightMirrored].contains(self) }

  /// Whether top and bottom are exchanged, after ``swapsSides``.
  public var mirrorsRows: Bool { [.down, .downMirrored, .rightMirrored, .left].contains(self) }

  /// One turn for two: a picture that is shown by this orientation, and then turned as if it were stored by the other.
  package func followed(by other: Orientation) -> Orientation {
    let (columns, rows) = other.swapsSides ? (mirrorsRows, mirrorsColumns) : (mirrorsColumns, mirrorsRows)
    return Self.allCases.first {
      $0.swapsSides == (swapsSides != other.swapsSides) && $0.mirrorsColumns == (columns != other.mirrorsColumns)
        && $0.mirrorsRows == (rows != other.mirrorsRows)
    } ?? .up
  }

  /// Where a part of the shown picture is stored.
  ///
  /// - Parameter picture: The size of the stored picture.
  package func stored(_ part: Rect, in picture: Size) -> Rect {
    let shown = displayed(picture)
    let x = mirrorsColumns ? shown.width - part.x - part.width : part.x
    let y = mirrorsRows ? shown.height - part.y - part.height : part.y
    return swapsSides
      ? Rect(x: y, y: x, width: part.height, height: part.width)
      : Rect(x: x, y: y, width: part.width, height: part.height)
  }

  /// The size at which a picture that is stored with `size` is shown.
  public func displayed(_ size: Size) -> Size { swapsSides ? size.transposed : size }
}
