// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads the samples of modular channels (ISO/IEC 18181-1 §H.3).
struct ChannelReader {
  let tree: ContextTree
  let settings: WeightedPredictor.Settings
  let stream: Int
  let host: CoderHost
  private var symbols: SymbolReader

  /// - Parameter rowLength: The widest of the channels.
  init(
    _ tree: ContextTree, settings: WeightedPredictor.Settings, stream: Int, rowLength: Int, host: CoderHost,
    _ bits: inout CodeBits
  ) throws(CoderError) {
    self.tree = tree
    self.settings = settings
    self.stream = stream
    self.host = host
    symbols = try SymbolReader(tree.code, &bits, rowLength: rowLength)
  }

  /// - Parameter channels: Of which the one at `index` is read, and those before it may be referred to.
  mutating func read(_ channels: [ModularChannel], at index: Int, _ bits: inout CodeBits) throws(CoderError) {
    let channel = channels[index]
    guard !channel.isEmpty else { return }
    let pruned = try tree.pruned(channel: index, stream: stream)
    guard let table = pruned.table, !symbols.repeatsItself else {
      return try readAny(channels, at: index, pruned: pruned, &bits)
    }
    if table.predictor == 6 {
      try readWeighted(channel, clusters: table.clusters.base, &bits)
    } else {
      try readGradient(channel, clusters: table.clusters.base, &bits)
    }
  }

  func checkEnd() throws(CoderError) { try symbols.checkEnd() }

  private func check(_ bits: CodeBits) throws(CoderError) {
    try bits.check("a channel")
    if host.isCancelled { throw .cancelled }
  }

  private mutating func readWeighted(
    _ channel: ModularChannel, clusters: UnsafeMutablePointer<UInt8>, _ bits: inout CodeBits
  ) throws(CoderError) {
    let width = channel.width
    var predictor = try WeightedPredictor(settings, width: width)
    for y in 0..<channel.height {
      try check(bits)
      predictor.nextRow()
      let row = channel.row(y)
      for x in 0..<width {
        let near = Neighbors(row, x: x, y: y, width: width)
        let (error, prediction) = predictor.predict(
          x: x, west: near.west, north: near.north, northEast: near.northEast, northWest: near.northWest,
          northNorth: near.northNorth)
        let cluster = Int(clusters[ClusterTable.index(error)])
        let sample = prediction &+ symbols.plainNumber(cluster, &bits).signUnpacked
        row[x] = Int32(truncatingIfNeeded: sample)
        predictor.note(Int(row[x]), x: x)
      }
    }
  }

  private mutating func readGradient(
    _ channel: ModularChannel, clusters: UnsafeMutablePointer<UInt8>, _ bits: inout CodeBits
  ) throws(CoderError) {
    let width = channel.width
    for y in 0..<channel.height {
      try check(bits)
      let row = channel.row(y)
      for x in 0..<width {
        let near = Neighbors(row, x: x, y: y, width: width)
        let cluster = Int(clusters[ClusterTable.index(near.north &+ near.west &- near.northWest)])
        let sample = near.clampedGradient &+ symbols.plainNumber(cluster, &bits).signUnpacked
        row[x] = Int32(truncatingIfNeeded: sample)
      }
    }
  }

  /// Reads a channel with any tree.
  private mutating func readAny(
    _ channels: [ModularChannel], at index: Int, pruned: ChannelTree, _ bits: inout CodeBits
  ) throws(CoderError) {
    let channel = channels[index]
    let width = channel.width
    let nodes = pruned.nodes.base
    let references = references(of: channels, at: index, count: pruned.referenceCount)
    let values = try PlainBuffer<Int>(count: 16 + 4 * pruned.referenceCount, for: "properties")
    let properties = values.base
    (properties[0], properties[1]) = (index, stream)
    var predictor = try WeightedPredictor(settings, width: pruned.isWeighted ? width : 0)
    for y in 0..<channel.height {
      try check(bits)
      predictor.nextRow()
      let row = channel.row(y)
      properties[2] = y
      properties[9] = 0
      for x in 0..<width {
        let near = Neighbors(row, x: x, y: y, width: width)
        Self.fill(properties, near, x: x)
        var weighted = 0
        if pruned.isWeighted {
          (properties[15], weighted) = predictor.predict(
            x: x, west: near.west, north: near.north, northEast: near.northEast, northWest: near.northWest,
            northNorth: near.northNorth)
        }
        for (place, reference) in references.enumerated() {
          Self.fill(properties + 16 + 4 * place, from: reference, x: x, y: y)
        }
        var node = nodes
        while node.pointee.property >= 0 {
          let isLarger = properties[Int(node.pointee.property)] > Int(node.pointee.split)
          node = nodes + Int(isLarger ? node.pointee.larger : node.pointee.other)
        }
        let number = symbols.number(cluster: Int(node.pointee.cluster), &bits).signUnpacked
        let sample =
          near.prediction(Int(node.pointee.predictor), weighted: weighted)
          &+ Int(node.pointee.offset) &+ number &* Int(node.pointee.multiplier)
        row[x] = Int32(truncatingIfNeeded: sample)
        if pruned.isWeighted { predictor.note(Int(row[x]), x: x) }
      }
    }
  }

  /// The properties of a sample's own channel (§H.4.1, table H.4).
  @inline(__always)
  private static func fill(_ properties: UnsafeMutablePointer<Int>, _ near: Neighbors, x: Int) {
    properties[3] = x
    properties[4] = Int(bitPattern: near.north.magnitude)
    properties[5] = Int(bitPattern: near.west.magnitude)
    properties[6] = near.north
    properties[7] = near.west
    properties[8] = near.west &- properties[9]
    properties[9] = near.west &+ near.north &- near.northWest
    properties[10] = near.west &- near.northWest
    properties[11] = near.northWest &- near.north
    properties[12] = near.north &- near.northEast
    properties[13] = near.north &- near.northNorth
    properties[14] = near.west &- near.westWest
  }

  /// Earlier channels of the same size, the nearest one first.
  private func references(of channels: [ModularChannel], at index: Int, count: Int) -> [ModularChannel] {
    let own = channels[index]
    return Array(channels[..<index].reversed().filter { $0.shape == own.shape }.prefix(count))
  }

  @inline(__always)
  private static func fill(_ properties: UnsafeMutablePointer<Int>, from channel: ModularChannel, x: Int, y: Int) {
    let row = channel.row(y)
    let value = Int(row[x])
    let west = x > 0 ? Int(row[x &- 1]) : 0
    let north = y > 0 ? Int((row - channel.width)[x]) : west
    let northWest = x > 0 && y > 0 ? Int((row - channel.width)[x &- 1]) : west
    let gradient = Neighbors.clampedGradient(north: north, west: west, northWest: northWest)
    properties[0] = Int(bitPattern: value.magnitude)
    properties[1] = value
    properties[2] = Int(bitPattern: (value &- gradient).magnitude)
    properties[3] = value &- gradient
  }
}
