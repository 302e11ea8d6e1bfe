// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What was done to modular channels before they were stored (ISO/IEC 18181-1 §H.6), without palettes.
enum ModularTransform {
  /// Colors of three channels.
  case colors(first: Int, kind: Int)
  case squeeze([Squeeze])

  /// A step in which channels are halved, and differences become channels of their own (§H.6.2).
  struct Squeeze {
    var isHorizontal: Bool
    /// Whether differences come right after the channels, not after all others.
    var isInPlace: Bool
    var first: Int
    var count: Int
  }

  private static let colorKinds = 42
  private static let mostChannels = 1 << 12
  private static let deepestShift = 30

  /// - Parameter shapes: Of the channels that the transform is applied to.
  init(parsing bits: inout CodeBits, _ shapes: [ModularShape]) throws(CoderError) {
    func first() -> Int { bits.u32([(3, 0), (6, 8), (10, 72), (13, 1096)]) }
    switch bits.bits(2) {
    case 0:
      let first = first()
      let kind = bits.u32([(0, 6), (2, 0), (4, 2), (6, 10)])
      guard kind < Self.colorKinds, first + 3 <= shapes.count, shapes[first] == shapes[first + 1],
        shapes[first] == shapes[first + 2]
      else { throw .malformed("colors of kind \(kind) in channels from \(first) on of \(shapes.count)") }
      self = .colors(first: first, kind: kind)
    case 2:
      var steps: [Squeeze] = []
      let count = bits.u32([(0, 0), (4, 1), (6, 9), (8, 41)])
      for _ in 0..<count {
        let (isHorizontal, isInPlace) = (bits.flag(), bits.flag())
        let start = first()
        let channels = bits.u32([(0, 1), (0, 2), (0, 3), (4, 4)])
        steps.append(Squeeze(isHorizontal: isHorizontal, isInPlace: isInPlace, first: start, count: channels))
      }
      self = .squeeze(count > 0 ? steps : Self.usualSteps(shapes))
    default: throw .unsupported("a palette of low-frequency samples")
    }
  }

  /// The steps where none are stated: chroma first, then all by turns until both sides are at most 8.
  private static func usualSteps(_ shapes: [ModularShape]) -> [Squeeze] {
    guard var (width, height) = shapes.first.map({ ($0.width, $0.height) }) else { return [] }
    var steps: [Squeeze] = []
    if shapes.count > 2, shapes[1].width == width, shapes[1].height == height {
      steps.append(Squeeze(isHorizontal: true, isInPlace: false, first: 1, count: 2))
      steps.append(Squeeze(isHorizontal: false, isInPlace: false, first: 1, count: 2))
    }
    func halve(_ side: inout Int, isHorizontal: Bool) {
      guard side > 8 else { return }
      steps.append(Squeeze(isHorizontal: isHorizontal, isInPlace: true, first: 0, count: shapes.count))
      side = (side + 1) / 2
    }
    if width <= height { halve(&height, isHorizontal: false) }
    while width > 8 || height > 8 {
      halve(&width, isHorizontal: true)
      halve(&height, isHorizontal: false)
    }
    return steps
  }

  /// Changes channels to what they are stored as.
  func apply(to shapes: inout [ModularShape]) throws(CoderError) {
    guard case .squeeze(let steps) = self else { return }
    for step in steps {
      guard step.first + step.count <= shapes.count, shapes.count + step.count <= Self.mostChannels else {
        throw .malformed("\(step.count) channels from \(step.first) on are halved, there are \(shapes.count)")
      }
      var differences: [ModularShape] = []
      for index in step.first..<step.first + step.count {
        var shape = shapes[index]
        guard shape.width > 0, shape.height > 0, max(shape.xShift, shape.yShift) < Self.deepestShift else {
          throw .malformed("a channel of \(shape.width) × \(shape.height) is halved")
        }
        if step.isHorizontal {
          (shapes[index].width, shape.width) = ((shape.width + 1) / 2, shape.width / 2)
          shape.xShift += 1
        } else {
          (shapes[index].height, shape.height) = ((shape.height + 1) / 2, shape.height / 2)
          shape.yShift += 1
        }
        (shapes[index].xShift, shapes[index].yShift) = (shape.xShift, shape.yShift)
        differences.append(shape)
      }
      shapes.insert(contentsOf: differences, at: step.isInPlace ? step.first + step.count : shapes.count)
    }
  }

  /// Changes stored channels back.
  func undo(_ channels: inout [ModularChannel]) throws(CoderError) {
    switch self {
    case .colors(let first, let kind):
      Self.undoColors(Array(channels[first..<first + 3]), kind: kind, in: &channels, first: first)
    case .squeeze(let steps):
      for step in steps.reversed() {
        let start = step.isInPlace ? step.first + step.count : channels.count - step.count
        for index in 0..<step.count {
          let (average, difference) = (channels[step.first + index], channels[start + index])
          channels[step.first + index] =
            try step.isHorizontal ? average.widened(by: difference) : average.heightened(by: difference)
        }
        channels.removeSubrange(start..<start + step.count)
      }
    }
  }

  /// §H.6.3.
  private static func undoColors(
    _ source: [ModularChannel], kind: Int, in channels: inout [ModularChannel], first: Int
  ) {
    let (order, change) = (kind / 7, kind % 7)
    let (a, b, c) = (source[0].samples.base, source[1].samples.base, source[2].samples.base)
    for index in 0..<source[0].samples.count {
      var (x, y, z) = (a[index], b[index], c[index])
      if change == 6 {
        let rest = x &- z &>> 1
        let green = z &+ rest
        let blue = rest &- y &>> 1
        (x, y, z) = (blue &+ y, green, blue)
      } else {
        if change & 1 == 1 { z &+= x }
        if change >> 1 == 1 { y &+= x } else if change >> 1 == 2 { y &+= (x &+ z) &>> 1 }
      }
      (a[index], b[index], c[index]) = (x, y, z)
    }
    channels[first + order % 3] = source[0]
    channels[first + (order + 1 + order / 3) % 3] = source[1]
    channels[first + (order + 2 - order / 3) % 3] = source[2]
  }
}

extension ModularChannel {
  /// The channel of twice the width that this one has the averages of.
  fileprivate func widened(by differences: ModularChannel) throws(CoderError) -> ModularChannel {
    var wide = shape
    wide.width += differences.width
    wide.xShift -= 1
    let result = try ModularChannel(wide)
    for y in 0..<height {
      let (average, difference, target) = (row(y), differences.row(y), result.row(y))
      for x in 0..<differences.width {
        let own = Int(average[x])
        let next = x + 1 < width ? Int(average[x + 1]) : own
        let left = x > 0 ? Int(target[2 * x - 1]) : own
        Self.split(
          own, left: left, next: next, rest: Int(difference[x]), first: &target[2 * x], second: &target[2 * x + 1])
      }
      if wide.width & 1 == 1 { target[wide.width - 1] = average[width - 1] }
    }
    return result
  }

  /// The channel of twice the height that this one has the averages of.
  fileprivate func heightened(by differences: ModularChannel) throws(CoderError) -> ModularChannel {
    var high = shape
    high.height += differences.height
    high.yShift -= 1
    let result = try ModularChannel(high)
    for y in 0..<differences.height {
      let (average, difference) = (row(y), differences.row(y))
      let below = y + 1 < height ? row(y + 1) : average
      let above = y > 0 ? result.row(2 * y - 1) : average
      let (first, second) = (result.row(2 * y), result.row(2 * y + 1))
      for x in 0..<width {
        Self.split(
          Int(average[x]), left: Int(above[x]), next: Int(below[x]), rest: Int(difference[x]),
          first: &first[x], second: &second[x])
      }
    }
    if high.height & 1 == 1 { result.row(high.height - 1).update(from: row(height - 1), count: width) }
    return result
  }

  /// Two samples of their average and of what their difference is more than its neighbors let expect.
  @inline(__always)
  private static func split(
    _ average: Int, left: Int, next: Int, rest: Int, first: inout Int32, second: inout Int32
  ) {
    let difference = rest &+ tendency(left: left, own: average, next: next)
    let value = average &+ difference / 2
    first = Int32(truncatingIfNeeded: value)
    second = Int32(truncatingIfNeeded: value &- difference)
  }

  /// The difference that is expected where samples rise or fall steadily (§H.6.2.2).
  @inline(__always)
  private static func tendency(left: Int, own: Int, next: Int) -> Int {
    var value = 0
    if left >= own, own >= next {
      value = (4 &* left &- 3 &* next &- own &+ 6) / 12
      if value &- (value & 1) > 2 &* (left &- own) { value = 2 &* (left &- own) &+ 1 }
      if value &+ (value & 1) > 2 &* (own &- next) { value = 2 &* (own &- next) }
    } else if left <= own, own <= next {
      value = (4 &* left &- 3 &* next &- own &- 6) / 12
      if value &+ (value & 1) < 2 &* (left &- own) { value = 2 &* (left &- own) &- 1 }
      if value &- (value & 1) < 2 &* (own &- next) { value = 2 &* (own &- next) }
    }
    return value
  }
}
