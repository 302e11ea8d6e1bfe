// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Finds the color of a palette that is nearest to a given one.
///
/// Distances are Euclidean in RGB. For cells of 4×4×4 colors, those of the palette are kept that are nearest to some
/// color of the cell, so that a pixel is compared with a few of them.
public final class PaletteSearch {
  /// What is searched: red in the low byte, then green and blue.
  public let colors: [UInt32]

  private var reds: [SIMD8<Float>] = []
  private var greens: [SIMD8<Float>] = []
  private var blues: [SIMD8<Float>] = []
  /// Where a cell's candidates start, and in the low byte their number, less 1; all ones when not known.
  @usableFromInline let cells: UnsafeMutablePointer<UInt32>
  private static let cellCount = 1 << 18
  @usableFromInline private(set) var candidates: [UInt8] = []
  @usableFromInline let channels: [SIMD4<Int16>]

  private static let fewestCandidates = 1 << 15

  /// - Parameter colors: At most 256; one of 0, the transparent one, is never found.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  public init(_ colors: [UInt32]) throws(CoderError) {
    self.colors = colors
    candidates.reserveCapacity(Self.fewestCandidates)
    try ArrayMemory.check(bytes: Self.cellCount * MemoryLayout<UInt32>.stride, for: "a palette's colors")
    cells = .allocate(capacity: Self.cellCount)
    cells.initialize(repeating: .max, count: Self.cellCount)
    channels = colors.map(Self.channels)
    for group in stride(from: 0, to: colors.count, by: 8) {
      // Lanes after the palette's end are too far away to be found.
      var (red, green, blue) = (
        SIMD8<Float>(repeating: 1e6), SIMD8<Float>(repeating: 1e6), SIMD8<Float>(repeating: 1e6)
      )
      for lane in 0..<min(8, colors.count - group) {
        let color = colors[group + lane]
        guard color != 0 else { continue }
        red[lane] = Float(color & 0xFF)
        green[lane] = Float(color >> 8 & 0xFF)
        blue[lane] = Float(color >> 16 & 0xFF)
      }
      reds.append(red)
      greens.append(green)
      blues.append(blue)
    }
  }

  deinit { cells.deallocate() }

  /// The number of the color that is nearest to a pixel; of equals the first.
  @inlinable @inline(__always)
  public func index(near pixel: UInt32) -> UInt8 {
    var cell = cells[Self.cell(pixel)]
    if cell == .max { cell = collect(Self.cell(pixel)) }
    let start = Int(cell >> 8)
    return candidates.withUnsafeBufferPointer { candidates in
      if cell & 0xFF == 0 { return candidates[start] }
      return channels.withUnsafeBufferPointer { channels in
        let wanted = Self.channels(pixel)
        var (found, least) = (candidates[start], Int32.max)
        for position in start...start &+ Int(cell & 0xFF) {
          let difference = SIMD4<Int32>(truncatingIfNeeded: channels[Int(candidates[position])] &- wanted)
          let distance = (difference &* difference).wrappedSum()
          if distance < least { (found, least) = (candidates[position], distance) }
        }
        return found
      }
    }
  }

  /// The number of the nearest color; of equals the first. Levels are from 0 to 255.
  public func nearest(red: Float, green: Float, blue: Float) -> Int {
    var best = SIMD8<Float>(repeating: .infinity)
    var bestGroup = SIMD8<Int32>(repeating: 0)
    reds.withUnsafeBufferPointer { reds in
      greens.withUnsafeBufferPointer { greens in
        blues.withUnsafeBufferPointer { blues in
          for group in 0..<reds.count {
            let (x, y, z) = (reds[group] - red, greens[group] - green, blues[group] - blue)
            let distance = x * x + y * y + z * z
            let isNearer = distance .< best
            best.replace(with: distance, where: isNearer)
            bestGroup.replace(with: Int32(truncatingIfNeeded: group), where: isNearer)
          }
        }
      }
    }
    let least = best.min()
    var found = Int.max
    for lane in 0..<8 where best[lane] == least { found = min(found, Int(bestGroup[lane]) * 8 + lane) }
    return min(found, colors.count - 1)
  }

  /// The sum of squared distances of pixels from the colors that are nearest to them.
  public func error(of bins: [ColorHistogram.Bin]) -> Float {
    var sum: Float = 0
    for bin in bins {
      let pixel = colors[nearest(red: bin.color.x, green: bin.color.y, blue: bin.color.z)]
      let color = SIMD4(Float(pixel & 0xFF), Float(pixel >> 8 & 0xFF), Float(pixel >> 16 & 0xFF), 0)
      let distance = bin.color - color
      sum += (distance * distance).sum() * bin.weight
    }
    return sum
  }

  /// Keeps the colors that are nearest to some color of a cell: no farther than the farthest corner of the cell is
  /// from that color for which it is nearest.
  @usableFromInline
  func collect(_ cell: Int) -> UInt32 {
    let (red, green, blue) = (Float(4 * (cell & 0x3F)), Float(4 * (cell >> 6 & 0x3F)), Float(4 * (cell >> 12)))
    var least = SIMD8<Float>(repeating: .infinity)
    for group in reds.indices {
      let (x, y, z) = (Self.far(reds[group], red), Self.far(greens[group], green), Self.far(blues[group], blue))
      let distance = x * x + y * y + z * z
      least.replace(with: distance, where: distance .< least)
    }
    let bound = least.min()
    // Starts have 24 bits: of palettes whose colors are all alike, cells far away have many candidates. Without memory for
    // more, those of other cells are forgotten.
    if candidates.count >= (1 << 24) - 256 || !hasRoom() {
      candidates.removeAll(keepingCapacity: true)
      cells.update(repeating: .max, count: Self.cellCount)
    }
    let start = candidates.count
    for group in reds.indices {
      let (x, y, z) = (Self.near(reds[group], red), Self.near(greens[group], green), Self.near(blues[group], blue))
      let distance = x * x + y * y + z * z
      let isCandidate = distance .<= bound
      guard any(isCandidate) else { continue }
      for lane in 0..<8 where isCandidate[lane] && 8 * group + lane < colors.count {
        candidates.append(UInt8(truncatingIfNeeded: 8 * group + lane))
      }
    }
    let found = UInt32(truncatingIfNeeded: start << 8 | max(0, candidates.count - start - 1))
    cells[cell] = found
    return found
  }

  /// Whether there is room for all colors as candidates of one more cell.
  private func hasRoom() -> Bool {
    do throws(CoderError) {
      try ArrayMemory.grow(&candidates, by: colors.count, for: "a palette's colors")
      return true
    } catch {
      return false
    }
  }

  /// Distances of levels from the farther end of a cell.
  @inline(__always)
  private static func far(_ levels: SIMD8<Float>, _ edge: Float) -> SIMD8<Float> {
    let (below, above) = (levels - edge, edge + 3 - levels)
    return above.replacing(with: below, where: below .> above)
  }

  /// Distances of levels from a cell, 0 inside.
  @inline(__always)
  private static func near(_ levels: SIMD8<Float>, _ edge: Float) -> SIMD8<Float> {
    let (below, above) = (edge - levels, levels - (edge + 3))
    let outside = above.replacing(with: below, where: below .> above)
    return outside.replacing(with: 0, where: outside .< 0)
  }

  @inlinable @inline(__always)
  static func channels(_ pixel: UInt32) -> SIMD4<Int16> {
    SIMD4(
      Int16(truncatingIfNeeded: pixel & 0xFF), Int16(truncatingIfNeeded: pixel >> 8 & 0xFF),
      Int16(truncatingIfNeeded: pixel >> 16 & 0xFF), 0)
  }

  @inlinable @inline(__always)
  static func cell(_ pixel: UInt32) -> Int {
    let (red, green, blue) = (pixel >> 2 & 0x3F, pixel >> 4 & 0xFC0, pixel >> 6 & 0x3_F000)
    return Int(red | green | blue)
  }
}
