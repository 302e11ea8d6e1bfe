// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Red, green and blue of luminance and chroma, which has fewer columns and rows.
///
/// A sample of chroma lies on the first pixel of those that it stands for. Between samples, chroma is interpolated in lines; after
/// the last one it stays.
///
/// - Format: Technical Introduction to OpenEXR, "Luminance/Chroma Images": RY = (R - Y) / Y, BY = (B - Y) / Y.
final class ChromaRows {
  /// A row of luminance and alpha that waits for the chroma after it.
  typealias Write = (_ row: Int, PixelRows.Planes) throws(CoderError) -> Void

  private let host: CoderHost
  private let memory: UnsafeMutablePointer<Float>
  private let width: Int
  private let sampling: Size
  private let weights: SIMD3<Float>
  private let isHalf: Bool
  /// Rows that wait, from the top.
  private var waiting: [Int] = []
  /// Which of two rows of chroma is the newer one.
  private var newest = 0
  private var hasChroma = false

  /// Floats: luminance and alpha of each row that may wait, two rows of red and blue chroma, and the colors of one row.
  private static func floats(width: Int, sampling: Size) -> Int { (2 * sampling.height + 4 + 4) * width }

  static func memory(width: Int, sampling: Size) -> Int { floats(width: width, sampling: sampling) * 4 }

  init(
    width: Int, sampling: Size, primaries: StoredColor.Primaries, isHalf: Bool, host: CoderHost
  ) throws(CoderError) {
    self.host = host
    self.width = width
    self.sampling = sampling
    self.isHalf = isHalf
    weights = SIMD3<Float>(primaries.luminance)
    memory = try host.allocate(bytes: Self.memory(width: width, sampling: sampling), for: "rows of luminance")
      .bindMemory(to: Float.self, capacity: Self.floats(width: width, sampling: sampling))
    // Gray, where the first row of chroma is missing.
    chroma(0, blue: false).update(repeating: 0, count: 4 * width)
  }

  deinit { host.free(memory) }

  private func luminance(_ slot: Int) -> UnsafeMutablePointer<Float> { memory + 2 * slot * width }
  private func alpha(_ slot: Int) -> UnsafeMutablePointer<Float> { memory + (2 * slot + 1) * width }
  private func chroma(_ index: Int, blue: Bool) -> UnsafeMutablePointer<Float> {
    memory + (2 * sampling.height + 2 * index + (blue ? 1 : 0)) * width
  }
  private func color(_ index: Int) -> UnsafeMutablePointer<Float> { memory + (2 * sampling.height + 4 + index) * width }

  /// Takes a row, and writes those that need nothing more.
  ///
  /// - Parameters:
  ///   - row: Counted from the top of the data window; each comes after the one before it.
  ///   - fill: Fills luminance and alpha.
  ///   - fillChroma: Fills the samples of red and blue chroma; called where the file has a row of them.
  func add(
    row: Int, fill: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Void,
    fillChroma: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Void, write: Write
  ) throws(CoderError) {
    let isSampled = row % sampling.height == 0
    if isSampled {
      newest = 1 - newest
      fillChroma(chroma(newest, blue: false), chroma(newest, blue: true))
      widen(chroma(newest, blue: false))
      widen(chroma(newest, blue: true))
      try flush(write)
      hasChroma = true
    }
    let slot = waiting.count
    fill(luminance(slot), alpha(slot))
    waiting.append(row)
    if isSampled { try flush(write) }
  }

  /// Writes the rows that wait for chroma which does not come.
  func finish(write: Write) throws(CoderError) {
    for (slot, row) in waiting.enumerated() { try emit(row, slot: slot, share: 0, write) }
    waiting = []
  }

  /// Forgets what came before: the rows that follow have no neighbors there.
  ///
  /// - Returns: The rows that waited.
  func restart() -> Range<Int> {
    defer { waiting = [] }
    hasChroma = false
    return waiting.first.map { $0..<($0 + waiting.count) } ?? 0..<0
  }

  /// Writes the waiting rows, which lie before the newest chroma or on it.
  private func flush(_ write: Write) throws(CoderError) {
    for (slot, row) in waiting.enumerated() {
      let place = row % sampling.height
      // The row of the newest chroma itself; before the first one there is nothing to go between.
      let share = place == 0 || !hasChroma ? 1 : Float(place) / Float(sampling.height)
      try emit(row, slot: slot, share: share, write)
    }
    waiting = []
  }

  /// Spreads the samples at the beginning of a row over all columns, from the right.
  private func widen(_ row: UnsafeMutablePointer<Float>) {
    let step = sampling.width
    guard step > 1 else { return }
    let count = width / step
    var sample = count - 1
    while sample >= 0 {
      let left = row[sample]
      let right = sample + 1 < count ? row[(sample + 1) * step] : left
      for column in (0..<step).reversed() {
        row[sample * step + column] = left + (right - left) * Float(column) / Float(step)
      }
      sample -= 1
    }
  }

  /// - Parameter share: Of the newest chroma; the rest is of that before it.
  private func emit(_ row: Int, slot: Int, share: Float, _ write: Write) throws(CoderError) {
    let (luminance, alpha) = (luminance(slot), alpha(slot))
    let (newRed, newBlue) = (chroma(newest, blue: false), chroma(newest, blue: true))
    let (oldRed, oldBlue) = (chroma(1 - newest, blue: false), chroma(1 - newest, blue: true))
    // At the end there is no newer chroma than that before.
    let usesOld = share > 0 && share < 1
    let (red, green, blue, last) = (color(0), color(1), color(2), color(3))
    for x in 0..<width {
      var (redChroma, blueChroma) = (newRed[x], newBlue[x])
      if usesOld {
        redChroma = oldRed[x] + (redChroma - oldRed[x]) * share
        blueChroma = oldBlue[x] + (blueChroma - oldBlue[x]) * share
      }
      let light = luminance[x]
      red[x] = (redChroma + 1) * light
      blue[x] = (blueChroma + 1) * light
      green[x] = (light - red[x] * weights.x - blue[x] * weights.z) / weights.y
      last[x] = alpha[x]
    }
    if isHalf {
      for plane in [red, green, blue, last] {
        let target = UnsafeMutableRawPointer(plane)
        for x in 0..<width { target.storeBytes(of: Float16(plane[x]).bitPattern, toByteOffset: 2 * x, as: UInt16.self) }
      }
    }
    try write(row, PixelRows.Planes(red: red, green: green, blue: blue, alpha: last))
  }
}
