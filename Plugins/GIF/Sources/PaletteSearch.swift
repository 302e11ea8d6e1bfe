// SPDX-License-Identifier: Apache-2.0

/// Finds the colour of a palette that is nearest to a given one.
///
/// Distances are Euclidean in RGB. Answers are kept for cells of 4×4×4 colours, so that a picture costs a search per
/// cell and not per pixel.
final class PaletteSearch {
  let colors: [UInt32]

  private var reds: [SIMD8<Float>] = []
  private var greens: [SIMD8<Float>] = []
  private var blues: [SIMD8<Float>] = []
  /// The answer for a cell, or 0xFFFF.
  private let cells: UnsafeMutablePointer<UInt16>
  private static let cellCount = 1 << 18

  /// - Parameter colors: At most 256, none of them transparent.
  init(_ colors: [UInt32]) {
    self.colors = colors
    cells = .allocate(capacity: Self.cellCount)
    cells.initialize(repeating: .max, count: Self.cellCount)
    for group in stride(from: 0, to: colors.count, by: 8) {
      // Lanes behind the palette are too far away to be found.
      var (red, green, blue) = (
        SIMD8<Float>(repeating: 1e6), SIMD8<Float>(repeating: 1e6), SIMD8<Float>(repeating: 1e6)
      )
      for lane in 0..<min(8, colors.count - group) {
        let color = colors[group + lane]
        red[lane] = Float(color & 0xFF)
        green[lane] = Float(color >> 8 & 0xFF)
        blue[lane] = Float(color >> 16 & 0xFF)
      }
      reds.append(red)
      greens.append(green)
      blues.append(blue)
    }
    // A colour of the palette finds itself even where another one is nearer to the middle of its cell.
    for (index, color) in colors.enumerated().reversed() { cells[Self.cell(color)] = UInt16(index) }
  }

  deinit { cells.deallocate() }

  /// The number of a colour near to a pixel: the nearest to the middle of the pixel's cell.
  @inline(__always)
  func index(near pixel: UInt32) -> UInt8 {
    let cell = Self.cell(pixel)
    let known = cells[cell]
    if known != .max { return UInt8(truncatingIfNeeded: known) }
    return search(cell)
  }

  /// The number of the nearest colour; of equals the first.
  func nearest(red: Float, green: Float, blue: Float) -> Int {
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

  private func search(_ cell: Int) -> UInt8 {
    let (red, green, blue) = (cell & 0x3F, cell >> 6 & 0x3F, cell >> 12)
    let found = nearest(red: Float(4 * red) + 1.5, green: Float(4 * green) + 1.5, blue: Float(4 * blue) + 1.5)
    cells[cell] = UInt16(truncatingIfNeeded: found)
    return UInt8(truncatingIfNeeded: found)
  }

  private static func cell(_ pixel: UInt32) -> Int {
    let (red, green, blue) = (pixel >> 2 & 0x3F, pixel >> 4 & 0xFC0, pixel >> 6 & 0x3_F000)
    return Int(red | green | blue)
  }
}
