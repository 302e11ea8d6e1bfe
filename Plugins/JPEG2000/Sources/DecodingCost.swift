// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a tile costs OpenJPEG: an estimate from above, made before the library sees the tile.
///
/// A few bytes can announce a billion precincts or packets, for each of which the library takes memory or time.
struct DecodingCost {
  /// Bytes.
  private(set) var memory = 0
  /// Packets of the tile, each of which takes a byte or more when it is there (ISO/IEC 15444-1 B.10).
  private(set) var packets = 0

  /// Sizes of the library's structures on 64-bit machines, with what the allocator adds.
  private static let bytesPerPrecinct = 320
  private static let bytesPerBlock = 700
  private static let bytesPerComponent = 16_384
  /// Nothing that fits is larger; sums of products of two stay inside an Int.
  private static let ceiling = 1 << 40

  /// - Parameters:
  ///   - index: The tile's.
  ///   - wanted: Components whose samples are made, or nil for all.
  init(tile index: Int, of codestream: Codestream, reduction: Int, wanted: [Int]?) {
    let grid = codestream.grid
    let area = grid.tile(index)
    let layers = codestream.common(of: index)?.layers ?? 1
    let decoded = Set(wanted ?? Array(grid.components.indices))
    var mostPrecincts = 1
    var resolutions = 1
    for (number, component) in grid.components.enumerated() {
      guard let style = codestream.style(of: number, in: index) else { continue }
      memory += Self.bytesPerComponent
      resolutions = max(resolutions, style.levels + 1)
      for resolution in 0...style.levels {
        let samples = area.samples(of: component, reduction: style.levels - resolution)
        let precincts = addStructures(samples, style: style, resolution: resolution)
        mostPrecincts = max(mostPrecincts, precincts)
        packets = min(Self.ceiling, packets + min(Self.ceiling, precincts) * min(layers, 65_535))
      }
      if decoded.contains(number) {
        // Samples are made in 32 bits; scratch rows of the transform are small.
        let samples = area.samples(of: component, reduction: min(reduction, style.levels))
        memory += min(Self.ceiling, samples.isEmpty ? 0 : samples.size.pixelCount * 4 + samples.size.width * 128)
      }
      memory = min(Self.ceiling, memory)
    }
    // The library marks which packets it has seen, for the largest number of precincts everywhere.
    let marks = min(Self.ceiling, mostPrecincts) * min(Self.ceiling, resolutions * grid.components.count)
    let (included, overflow) = marks.multipliedReportingOverflow(by: 2 * (layers + 1))
    memory = min(Self.ceiling, memory + (overflow ? Self.ceiling : min(Self.ceiling, included)))
  }

  /// Counts the precincts and code-blocks of a resolution (B.6, B.7).
  ///
  /// - Returns: Precincts.
  private mutating func addStructures(_ samples: ReferenceGrid.Area, style: ComponentStyle, resolution: Int) -> Int {
    guard !samples.isEmpty else { return 0 }
    let (width, height) = style.precinct(at: resolution)
    let across = samples.x1.halvedRoundingUp(times: width) - samples.x0 >> width
    let down = samples.y1.halvedRoundingUp(times: height) - samples.y0 >> height
    let precincts = min(Self.ceiling, across * down)
    // Above the lowest resolution, three bands of half the size share the precincts.
    let bands = resolution == 0 ? 1 : 3
    let half = resolution == 0 ? 0 : 1
    let blockWidth = min(style.blockWidth, max(0, width - half))
    let blockHeight = min(style.blockHeight, max(0, height - half))
    // Each precinct cuts blocks at its edges, so there is one more in each direction.
    let columns = samples.size.width.halvedRoundingUp(times: blockWidth + half) + across
    let rows = samples.size.height.halvedRoundingUp(times: blockHeight + half) + down
    let blocks = min(Self.ceiling, columns * rows)
    memory = min(Self.ceiling, memory + bands * (precincts * Self.bytesPerPrecinct + blocks * Self.bytesPerBlock))
    return precincts
  }

  /// Refuses a tile whose packets its bytes cannot hold.
  ///
  /// A cut tile has a share of them; hence the margin.
  func checkPlausibility(bytes: Int, at offset: Int) throws(CoderError) {
    guard packets <= bytes * 64 + 1 << 20 else {
      throw .truncated("a tile of \(packets) packets, each of 1 byte at least, in \(bytes) bytes", at: offset)
    }
  }
}
