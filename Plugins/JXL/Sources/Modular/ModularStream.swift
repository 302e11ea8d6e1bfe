// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Modular channels as one section has them: a header, transforms, and samples (ISO/IEC 18181-1 §H.2).
struct ModularStream {
  private(set) var channels: [ModularChannel]
  private let stream: Int
  private let tree: ContextTree?
  private let host: CoderHost

  /// - Parameters:
  ///   - channels: As they are after all transforms are undone.
  ///   - tree: The frame's own, which a section may use.
  init(_ channels: [ModularChannel], stream: Int, tree: ContextTree?, host: CoderHost) {
    self.channels = channels
    self.stream = stream
    self.tree = tree
    self.host = host
  }

  /// Reads all channels.
  mutating func read(_ bits: inout CodeBits) throws(CoderError) {
    let usesGlobalTree = bits.flag()
    let settings = WeightedPredictor.Settings(parsing: &bits)
    let transformCount = bits.u32([(0, 0), (0, 1), (4, 2), (8, 18)])
    guard transformCount == 0 else { throw .unsupported("transforms of low-frequency samples") }
    let own: ContextTree
    if usesGlobalTree {
      guard let tree else { throw .malformed("a section without a tree") }
      own = tree
    } else {
      let count = channels.reduce(0) { $0 + $1.width * $1.height }
      own = try ContextTree(parsing: &bits, most: 1024 + count)
    }
    let rowLength = channels.reduce(0) { max($0, $1.height > 0 ? $1.width : 0) }
    var reader = try ChannelReader(
      own, settings: settings, stream: stream, rowLength: rowLength, host: host, &bits)
    for index in channels.indices { try reader.read(channels, at: index, &bits) }
    try reader.checkEnd()
    try bits.check("modular channels")
  }
}
