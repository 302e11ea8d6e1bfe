// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A frame that has the low frequencies of the one after it, as three modular channels of XYB (ISO/IEC 18181-1 §F.2, `LFFrame`).
struct ModularFrame {
  private let sections: FrameSections
  private let parts: CodestreamParts
  private let host: CoderHost

  /// - Parameter sections: Of a frame of one pass that has nothing but its samples.
  init(_ sections: FrameSections, parts: CodestreamParts, host: CoderHost) {
    self.sections = sections
    self.parts = parts
    self.host = host
  }

  func read() throws(CoderError) -> LowFrequencyPlanes {
    let (layout, size) = (sections.layout, sections.layout.size)
    var bits = try CodeBits(parts.slices(sections.ranges[0]))
    let weights = try LowFrequencyGlobal.weights(&bits)
    let tree = try bits.flag() ? ContextTree(parsing: &bits, most: 1024 + 3 * size.pixelCount / 16) : nil
    let shape = ModularShape(width: size.width, height: size.height)
    var picture = try ModularStream(parsing: &bits, [shape, shape, shape], stream: 0, host: host)
    let first = try picture.read(&bits, tree: tree, largest: layout.groupSide)
    if sections.ranges.count > 1 { try readGroups(picture, from: first, tree) }
    try picture.undoTransforms()
    let planes = try LowFrequencyPlanes(size: size)
    let (luma, x, blue) = (picture.channels[0].samples, picture.channels[1].samples, picture.channels[2].samples)
    for index in 0..<luma.count {
      planes.planes[0].base[index] = Float(x.base[index]) / weights[0]
      planes.planes[1].base[index] = Float(luma.base[index]) / weights[1]
      planes.planes[2].base[index] = Float(blue.base[index] &+ luma.base[index]) / weights[2]
    }
    return planes
  }

  /// Reads channels that are larger than a group, each in the groups of its scale.
  private func readGroups(_ picture: ModularStream, from first: Int, _ tree: ContextTree?) throws(CoderError) {
    let layout = sections.layout
    let (side, groups, lowGroups) = (layout.groupSide, layout.groups, layout.lowGroups)
    let lowCount = lowGroups.width * lowGroups.height
    for index in 0..<lowCount {
      let place = Rect(
        x: index % lowGroups.width * side * 8, y: index / lowGroups.width * side * 8, width: side * 8, height: side * 8)
      try read(
        1 + index, place, of: picture, from: first, shifts: 3...Int.max, stream: 1 + lowCount + index,
        tree: tree)
    }
    // Streams of 17 quantization tables come before those of groups.
    let firstStream = 1 + 3 * lowCount + 17
    for index in 0..<groups.width * groups.height {
      let place = Rect(x: index % groups.width * side, y: index / groups.width * side, width: side, height: side)
      try read(
        2 + lowCount + index, place, of: picture, from: first, shifts: 0...2, stream: firstStream + index,
        tree: tree)
    }
  }

  private func read(
    _ section: Int, _ place: Rect, of picture: ModularStream, from first: Int, shifts: ClosedRange<Int>, stream: Int,
    tree: ContextTree?
  ) throws(CoderError) {
    var shapes: [ModularShape] = []
    var targets: [(channel: ModularChannel, x: Int, y: Int)] = []
    for channel in picture.channels[first...] {
      var shape = channel.shape
      guard shifts.contains(min(shape.xShift, shape.yShift)) else { continue }
      let (x, y) = (place.x >> shape.xShift, place.y >> shape.yShift)
      shape.width = min(place.width >> shape.xShift, channel.width - x)
      shape.height = min(place.height >> shape.yShift, channel.height - y)
      guard shape.width > 0, shape.height > 0 else { continue }
      shapes.append(shape)
      targets.append((channel, x, y))
    }
    guard !shapes.isEmpty else { return }
    var bits = try CodeBits(parts.slices(sections.ranges[section]))
    var group = try ModularStream(parsing: &bits, shapes, stream: stream, host: host)
    _ = try group.read(&bits, tree: tree)
    try group.undoTransforms()
    for (source, target) in zip(group.channels, targets) {
      for row in 0..<source.height {
        (target.channel.row(target.y + row) + target.x).update(from: source.row(row), count: source.width)
      }
    }
  }
}
