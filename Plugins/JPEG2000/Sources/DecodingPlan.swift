// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a decode takes: tiles at a time, memory, and which components.
struct DecodingPlan {
  /// Tiles that are decoded at the same time.
  let workers: Int
  let scratchBytesPerWorker: Int
  /// For a row of tiles that the host does not take at once.
  let bandBytes: Int
  /// What the costliest tile of the main header's style takes.
  let tileMemory: Int
  let isProgressive: Bool
  private let reduction: Int
  private let limits: Limits

  /// Threads beyond these gain little, and each takes a tile's memory.
  private static let maxWorkers = 8

  var scratchBytes: Int { scratchBytesPerWorker * workers }
  var memory: Int { tileMemory &* workers &+ scratchBytes &+ bandBytes }

  init(_ codestream: Codestream, map: ChannelMap, reduction: Int, format: PixelFormat, limits: Limits) {
    let grid = codestream.grid
    self.reduction = reduction
    self.limits = limits
    isProgressive = codestream.isProgressive
    // A tile that no edge cuts is the largest.
    var candidates: Set<Int> = []
    for row in [0, min(1, grid.tilesDown - 1)] {
      for column in [0, min(1, grid.tilesAcross - 1)] { candidates.insert(row * grid.tilesAcross + column) }
    }
    var memory = 0
    var width = 1
    var height = 1
    for index in candidates {
      let wanted = Self.wanted(in: index, of: codestream, map: map, reduction: reduction)
      memory = max(memory, DecodingCost(tile: index, of: codestream, reduction: reduction, wanted: wanted).memory)
      let area = grid.pixels(in: grid.tile(index), reduction: reduction)
      width = max(width, area.size.width)
      height = max(height, area.size.height)
    }
    tileMemory = memory
    let budget = limits.maxMemory / 2
    workers = grid.tilesAcross == 1 ? 1 : max(1, min(Self.maxWorkers, grid.tilesAcross, budget / max(1, memory)))
    scratchBytesPerWorker = (width * RowAssembler.scratchRows * 4 + 63) & ~63
    let rowBytes = grid.picture(reduction: reduction).size.width * format.bytesPerPixel
    bandBytes = grid.tilesAcross == 1 ? 0 : rowBytes * height
  }

  /// Refuses a tile that takes more than the limits allow, or announces more than its bytes can hold.
  func check(tile index: Int, of codestream: Codestream, wanted: [Int]?, at offset: Int) throws(CoderError) {
    let cost = DecodingCost(tile: index, of: codestream, reduction: reduction, wanted: wanted)
    try limits.check(memory: cost.memory)
    try cost.checkPlausibility(bytes: codestream.tiles[index]?.byteCount ?? 0, at: offset)
  }

  /// The components that a tile is decoded for, or nil for all of them.
  func wanted(in index: Int, of codestream: Codestream, map: ChannelMap) -> [Int]? {
    Self.wanted(in: index, of: codestream, map: map, reduction: reduction)
  }

  private static func wanted(
    in index: Int, of codestream: Codestream, map: ChannelMap, reduction: Int
  ) -> [Int]? {
    // The component transform needs its three components, and the library leaves it out when some are chosen.
    guard codestream.common(of: index)?.usesComponentTransform == false else { return nil }
    let grid = codestream.grid
    let area = grid.tile(index)
    let used = map.components.filter { !area.samples(of: grid.components[$0], reduction: reduction).isEmpty }
    return used.count == grid.components.count || used.isEmpty ? nil : used
  }
}

extension Codestream {
  /// Whether tiles send a coarse picture before a fine one: all orders do when there are resolutions or layers.
  var isProgressive: Bool {
    (style.common?.layers ?? 1) > 1 || styles.contains { $0.levels > 0 }
  }

  /// Resolutions that can be left out in every tile and component, while each keeps a sample.
  var maxReduction: Int {
    let levels = styles.map(\.levels).min() ?? 0
    return (0...levels).last { reduction in
      grid.components.allSatisfy { !grid.image.samples(of: $0, reduction: reduction).isEmpty }
        && !grid.picture(reduction: reduction).isEmpty
    } ?? 0
  }

  /// Whether every component is coded with the reversible transform.
  var isReversible: Bool { styles.allSatisfy(\.isReversible) }
}
