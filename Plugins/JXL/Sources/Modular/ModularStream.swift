// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Modular channels as one section has them: a header, transforms, and samples (ISO/IEC 18181-1 §H.2).
struct ModularStream {
  /// As they are stored, and after ``undoTransforms()`` as they were given.
  private(set) var channels: [ModularChannel] = []
  private var transforms: [ModularTransform] = []
  private let settings: WeightedPredictor.Settings
  private let usesGlobalTree: Bool
  private let stream: Int
  private let host: CoderHost

  /// Reads the header.
  ///
  /// - Parameter shapes: As they are after all transforms are undone.
  init(
    parsing bits: inout CodeBits, _ shapes: [ModularShape], stream: Int, host: CoderHost
  ) throws(CoderError) {
    self.stream = stream
    self.host = host
    usesGlobalTree = bits.flag()
    settings = WeightedPredictor.Settings(parsing: &bits)
    var shapes = shapes
    for _ in 0..<bits.u32([(0, 0), (0, 1), (4, 2), (8, 18)]) {
      let transform = try ModularTransform(parsing: &bits, shapes)
      try transform.apply(to: &shapes)
      transforms.append(transform)
      try bits.check("transforms")
    }
    for shape in shapes { channels.append(try ModularChannel(shape)) }
  }

  /// Reads channels up to the first one that is larger than a group.
  ///
  /// - Parameters:
  ///   - tree: The frame's own, which a section may use.
  ///   - largest: The side of a group, where other sections have the rest.
  /// - Returns: The number of channels that were read.
  func read(_ bits: inout CodeBits, tree: ContextTree?, largest: Int = .max) throws(CoderError) -> Int {
    let last = channels.firstIndex { !$0.isEmpty && max($0.width, $0.height) > largest } ?? channels.count
    let own = channels[..<last]
    guard own.contains(where: { !$0.isEmpty }) else { return last }
    let used: ContextTree
    if usesGlobalTree {
      guard let tree else { throw .malformed("a section without a tree") }
      used = tree
    } else {
      used = try ContextTree(parsing: &bits, most: 1024 + own.reduce(0) { $0 + $1.samples.count })
    }
    let rowLength = own.reduce(0) { max($0, $1.isEmpty ? 0 : $1.width) }
    var reader = try ChannelReader(
      used, settings: settings, stream: stream, rowLength: rowLength, host: host, &bits)
    for index in 0..<last { try reader.read(channels, at: index, &bits) }
    try reader.checkEnd()
    try bits.check("modular channels")
    return last
  }

  mutating func undoTransforms() throws(CoderError) {
    for transform in transforms.reversed() { try transform.undo(&channels) }
    transforms = []
  }
}
