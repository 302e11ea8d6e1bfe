// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The size of a modular channel, and how it lies in the picture.
struct ModularShape: Equatable {
  var width: Int
  var height: Int
  /// By how many powers of two the channel is narrower and lower than the picture.
  var xShift = 0
  var yShift = 0
}

/// The samples of one channel of a modular picture.
struct ModularChannel {
  let shape: ModularShape
  let samples: PlainBuffer<Int32>

  init(_ shape: ModularShape) throws(CoderError) {
    self.shape = shape
    let (count, overflow) = shape.width.multipliedReportingOverflow(by: shape.height)
    guard !overflow else { throw .malformed("a channel of \(shape.width) × \(shape.height)") }
    samples = try PlainBuffer(count: count, for: "a channel")
  }

  var width: Int { shape.width }
  var height: Int { shape.height }
  var isEmpty: Bool { width == 0 || height == 0 }

  @inline(__always)
  func row(_ y: Int) -> UnsafeMutablePointer<Int32> { samples.base + y &* shape.width }
}

/// Samples next to one that is predicted. Where there are none, others stand for them (ISO/IEC 18181-1 §H.3).
struct Neighbors {
  let west: Int
  let north: Int
  let northWest: Int
  let northEast: Int
  let northNorth: Int
  let westWest: Int
  let northEastEast: Int

  /// - Parameter row: The row of `y` in a channel that is `width` wide.
  @inline(__always)
  init(_ row: UnsafeMutablePointer<Int32>, x: Int, y: Int, width: Int) {
    let above = row - width
    if x > 1, y > 1, x &+ 2 < width {
      west = Int(row[x &- 1])
      north = Int(above[x])
      northWest = Int(above[x &- 1])
      northEast = Int(above[x &+ 1])
      northNorth = Int((above - width)[x])
      westWest = Int(row[x &- 2])
      northEastEast = Int(above[x &+ 2])
      return
    }
    west = x > 0 ? Int(row[x &- 1]) : y > 0 ? Int(above[0]) : 0
    north = y > 0 ? Int(above[x]) : west
    northWest = x > 0 && y > 0 ? Int(above[x &- 1]) : west
    northEast = x &+ 1 < width && y > 0 ? Int(above[x &+ 1]) : north
    northNorth = y > 1 ? Int((above - width)[x]) : north
    westWest = x > 1 ? Int(row[x &- 2]) : west
    northEastEast = x &+ 2 < width && y > 0 ? Int(above[x &+ 2]) : northEast
  }

  /// The plane through three samples, held between those beside.
  @inline(__always)
  var clampedGradient: Int { Self.clampedGradient(north: north, west: west, northWest: northWest) }

  @inline(__always)
  static func clampedGradient(north: Int, west: Int, northWest: Int) -> Int {
    let (low, high) = (min(north, west), max(north, west))
    return min(max(north &+ west &- northWest, low), high)
  }

  /// - Parameter weighted: What the weighted predictor says.
  @inline(__always)
  func prediction(_ predictor: Int, weighted: Int) -> Int {
    switch predictor {
    case 1: return west
    case 2: return north
    case 3: return (west &+ north) / 2
    case 4:
      let gradient = west &+ north &- northWest
      return (gradient &- west).magnitude < (gradient &- north).magnitude ? west : north
    case 5: return clampedGradient
    case 6: return weighted
    case 7: return northEast
    case 8: return northWest
    case 9: return westWest
    case 10: return (west &+ northWest) / 2
    case 11: return (northWest &+ north) / 2
    case 12: return (north &+ northEast) / 2
    case 13:
      return (6 &* north &- 2 &* northNorth &+ 7 &* west &+ westWest &+ northEastEast &+ 3 &* northEast &+ 8) / 16
    default: return 0
    }
  }
}
