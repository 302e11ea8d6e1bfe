// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A rectangle of pixels in the coordinates of a file: `box2i`, whose last column and row belong to it.
struct Window: Hashable {
  let x: ClosedRange<Int>
  let y: ClosedRange<Int>

  var size: Size { Size(width: x.count, height: y.count) }

  /// Coordinates are less than half of what a number of 32 bits holds, so that sums of two are one.
  private static let coordinates = -(Int(Int32.max) / 2)...(Int(Int32.max) / 2)

  init(x: ClosedRange<Int>, y: ClosedRange<Int>) {
    self.x = x
    self.y = y
  }

  init(parsing reader: inout ByteReader, of what: StaticString) throws(CoderError) {
    let place = reader.offset
    let (left, top) = (try reader.int32("xMin"), try reader.int32("yMin"))
    let (right, bottom) = (try reader.int32("xMax"), try reader.int32("yMax"))
    guard [left, top, right, bottom].allSatisfy({ Self.coordinates.contains($0) }) else {
      throw .malformed(
        "\(what) of \(left), \(top) to \(right), \(bottom), at most \(Self.coordinates.upperBound) is allowed",
        at: place)
    }
    guard left <= right, top <= bottom else {
      throw .malformed("\(what) of \(left), \(top) to \(right), \(bottom), which is empty", at: place)
    }
    self.init(x: left...right, y: top...bottom)
  }

  /// What both windows cover, or nil.
  func intersection(_ other: Window) -> Window? {
    guard x.overlaps(other.x), y.overlaps(other.y) else { return nil }
    return Window(x: x.clamped(to: other.x), y: y.clamped(to: other.y))
  }

  var property: PropertyValue {
    .list([x.lowerBound, y.lowerBound, x.upperBound, y.upperBound].map { .integer(Int64($0)) })
  }
}
