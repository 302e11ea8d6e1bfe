// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension Rect {
  /// The smallest rectangle that holds both.
  func union(_ other: Rect) -> Rect {
    let (x, y) = (min(x, other.x), min(y, other.y))
    return Rect(
      x: x, y: y, width: max(self.x + width, other.x + other.width) - x,
      height: max(self.y + height, other.y + other.height) - y)
  }

  /// The smallest rectangle around this one whose offsets are even.
  var evenOffset: Rect { Rect(x: x & ~1, y: y & ~1, width: width + (x & 1), height: height + (y & 1)) }
}
