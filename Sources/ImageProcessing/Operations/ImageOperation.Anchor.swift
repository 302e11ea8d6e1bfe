// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension ImageOperation {
  /// The point of a picture that stays in place when room is larger or smaller than it.
  public enum Anchor: String, Sendable, Hashable, CaseIterable {
    /// In the middle.
    case center
    /// In the middle of the top edge.
    case top
    /// In the middle of the bottom edge.
    case bottom
    /// In the middle of the left edge.
    case left
    /// In the middle of the right edge.
    case right
    /// The corner at the top left.
    case topLeft = "top-left"
    /// The corner at the top right.
    case topRight = "top-right"
    /// The corner at the bottom left.
    case bottomLeft = "bottom-left"
    /// The corner at the bottom right.
    case bottomRight = "bottom-right"

    /// The share of the free columns that is left of what is placed: 0, ½ or 1.
    package var horizontal: Double {
      switch self {
      case .left, .topLeft, .bottomLeft: 0
      case .center, .top, .bottom: 0.5
      case .right, .topRight, .bottomRight: 1
      }
    }

    /// The share of the free rows that is above what is placed: 0, ½ or 1.
    package var vertical: Double {
      switch self {
      case .top, .topLeft, .topRight: 0
      case .center, .left, .right: 0.5
      case .bottom, .bottomLeft, .bottomRight: 1
      }
    }

    /// Where a part of `size` begins in `room`; half a pixel is rounded down. Negative where it is larger.
    package func origin(of size: Size, in room: Size) -> (x: Int, y: Int) {
      let x = (Double(room.width - size.width) * horizontal).rounded(.down)
      let y = (Double(room.height - size.height) * vertical).rounded(.down)
      return (Int(x), Int(y))
    }
  }
}
