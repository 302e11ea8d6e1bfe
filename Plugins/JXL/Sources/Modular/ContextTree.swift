// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The tree that gives each sample of a modular channel its predictor and context (ISO/IEC 18181-1 §H.4.2).
struct ContextTree {
  struct Node: BitwiseCopyable {
    /// The property that is compared, or -1 for a leaf.
    var property: Int32 = -1
    var split: Int32 = 0
    /// Where to go on when the property is larger, and when it is not.
    var larger: Int32 = 0
    var other: Int32 = 0
    /// For a leaf: the code's cluster, and what becomes of a number.
    var cluster: Int32 = 0
    var predictor: Int32 = 0
    var multiplier: Int32 = 1
    var offset: Int64 = 0
  }

  private(set) var nodes: [Node] = []
  let code: EntropyCode

  /// More than any encoder makes; a larger tree is an error.
  private static let mostNodes = 1 << 18
  private static let mostProperties = 256
  private static let deepest = 2048
  private static let predictorCount = 14

  private enum Context {
    static let split = 0
    static let property = 1
    static let predictor = 2
    static let offset = 3
    static let multiplierLog = 4
    static let multiplierBits = 5
    static let count = 6
  }

  /// Reads a tree and the code of the samples.
  ///
  /// - Parameter most: Nodes that the format allows.
  init(parsing bits: inout CodeBits, most: Int) throws(CoderError) {
    let treeCode = try EntropyCode(parsing: &bits, contextCount: Context.count)
    var reader = try SymbolReader(treeCode, &bits)
    let limit = min(most, Self.mostNodes)
    var left = 1
    var leaves = 0
    while left > 0 {
      guard nodes.count < limit else { throw .malformed("a tree of more than \(limit) nodes") }
      try bits.check("a tree")
      left -= 1
      let property = reader.number(context: Context.property, &bits) - 1
      guard property < Self.mostProperties else { throw .malformed("property \(property) in a tree") }
      var node = Node()
      if property >= 0 {
        let split = reader.number(context: Context.split, &bits)
        node.property = Int32(property)
        node.split = Int32(truncatingIfNeeded: split.signUnpacked)
        node.larger = Int32(nodes.count + left + 1)
        node.other = node.larger + 1
        left += 2
      } else {
        let predictor = reader.number(context: Context.predictor, &bits)
        guard predictor < Self.predictorCount else { throw .malformed("predictor \(predictor) in a tree") }
        node.predictor = Int32(predictor)
        node.offset = Int64(reader.number(context: Context.offset, &bits).signUnpacked)
        let log = reader.number(context: Context.multiplierLog, &bits)
        let factor = reader.number(context: Context.multiplierBits, &bits)
        guard log < 31, factor < 1 << (31 - log) - 1 else {
          throw .malformed("a multiplier of 2^31 and more in a tree")
        }
        node.multiplier = Int32((factor + 1) << log)
        node.cluster = Int32(leaves)
        leaves += 1
      }
      nodes.append(node)
    }
    try reader.checkEnd()
    try bits.check("a tree")
    code = try EntropyCode(parsing: &bits, contextCount: leaves)
    for index in nodes.indices where nodes[index].property < 0 {
      nodes[index].cluster = Int32(code.clusters.base[Int(nodes[index].cluster)])
    }
    try bits.check("codes of samples")
  }

  /// The tree of one channel: without what is decided by the channel and the stream alone.
  func pruned(channel: Int, stream: Int) throws(CoderError) -> ChannelTree {
    var kept: [Node] = []
    // Nodes to visit with the place that points to each.
    var pending: [(node: Int, parent: Int, isLarger: Bool, depth: Int)] = [(0, -1, false, 0)]
    while let (start, parent, isLarger, depth) = pending.popLast() {
      guard depth <= Self.deepest else { throw .malformed("a tree that is deeper than \(Self.deepest)") }
      var index = start
      while (0...1).contains(nodes[index].property) {
        let value = nodes[index].property == 0 ? channel : stream
        index = Int(value > Int(nodes[index].split) ? nodes[index].larger : nodes[index].other)
      }
      let place = kept.count
      kept.append(nodes[index])
      if parent >= 0 {
        if isLarger { kept[parent].larger = Int32(place) } else { kept[parent].other = Int32(place) }
      }
      guard nodes[index].property >= 0 else { continue }
      pending.append((Int(nodes[index].other), place, false, depth + 1))
      pending.append((Int(nodes[index].larger), place, true, depth + 1))
    }
    return try ChannelTree(kept)
  }
}

/// The part of a ``ContextTree`` that one channel uses.
struct ChannelTree {
  let nodes: PlainBuffer<ContextTree.Node>
  /// Whether the weighted predictor is needed, for its value or its error.
  let isWeighted: Bool
  /// Properties of earlier channels that are compared.
  let referenceCount: Int
  /// One predictor for all, and one property that alone chooses the cluster; nil in other trees.
  let table: ClusterTable?

  fileprivate init(_ kept: [ContextTree.Node]) throws(CoderError) {
    nodes = try PlainBuffer(count: kept.count, for: "a tree")
    for (index, node) in kept.enumerated() { nodes.base[index] = node }
    isWeighted = kept.contains { $0.property < 0 ? $0.predictor == 6 : $0.property == 15 }
    let last = kept.reduce(15) { max($0, Int($1.property)) }
    referenceCount = (last - 15 + 3) / 4
    table = try ClusterTable(kept)
  }
}

/// Clusters by one property, for trees that ask for nothing else.
struct ClusterTable {
  static let radius = 1024
  /// Nodes of trees for which a table is worth its making.
  private static let most = 1024

  let predictor: Int
  let property: Int
  let clusters: PlainBuffer<UInt8>

  fileprivate init?(_ nodes: [ContextTree.Node]) throws(CoderError) {
    guard let leaf = nodes.first(where: { $0.property < 0 }) else { return nil }
    let property = nodes[0].property < 0 ? (leaf.predictor == 6 ? 15 : 9) : nodes[0].property
    let fits = nodes.allSatisfy {
      $0.property < 0
        ? $0.predictor == leaf.predictor && $0.offset == 0 && $0.multiplier == 1
        : $0.property == property && abs(Int($0.split)) < Self.radius
    }
    let isWeighted = property == 15 && leaf.predictor == 6
    let isGradient = property == 9 && leaf.predictor == 5
    guard fits, nodes.count <= Self.most, isWeighted || isGradient else { return nil }
    predictor = Int(leaf.predictor)
    self.property = Int(property)
    clusters = try PlainBuffer(count: 2 * Self.radius + 1, for: "a tree")
    for value in -Self.radius...Self.radius {
      var node = nodes[0]
      while node.property >= 0 { node = nodes[Int(value > Int(node.split) ? node.larger : node.other)] }
      clusters.base[value + Self.radius] = UInt8(truncatingIfNeeded: node.cluster)
    }
  }

  /// The cluster of a value of the property.
  @inline(__always)
  static func index(_ value: Int) -> Int { min(max(value, -radius), radius) &+ radius }
}

extension Int {
  /// A signed number of an unsigned one: 0, -1, 1, -2, 2 (ISO/IEC 18181-1 §C.4.4).
  @inline(__always)
  var signUnpacked: Int { self &>> 1 ^ (0 &- (self & 1)) }
}
