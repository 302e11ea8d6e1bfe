// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What an animation shows after its frames so far, as indexes of a palette, all of them of opaque colors.
///
/// - Lifetime: Takes memory of the host, and gives it back at the end of its life.
final class IndexedCanvas {
  private let width: Int
  private let indexes: UnsafeMutablePointer<UInt8>
  private let host: CoderHost

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ size: Size, host: CoderHost) throws(CoderError) {
    self.host = host
    width = size.width
    let count = size.pixelCount
    indexes = try host.allocate(bytes: count, for: "the canvas").bindMemory(to: UInt8.self, capacity: count)
  }

  deinit { host.free(indexes) }

  /// Whether nothing in a frame, and nothing that it leaves, is transparent once its holes show what is behind them.
  ///
  /// - Parameter hole: The index that is transparent, or nil if there is none yet.
  static func takes(_ frame: IndexedFrames.Frame, hole: UInt8?, isFirst: Bool) -> Bool {
    // Before the first frame there is nothing that could come back.
    let keeps = frame.header.disposal == .keep || frame.header.disposal == .restorePrevious && !isFirst
    guard keeps else { return false }
    guard let hole, frame.header.blend == .source || isFirst else { return true }
    return !UnsafeBufferPointer(start: frame.indexes, count: frame.header.rect.size.pixelCount).contains(hole)
  }

  /// Gives the holes of a frame the indexes that are behind them.
  func fill(_ frame: IndexedFrames.Frame, hole: UInt8) {
    forEachRow(of: frame) { behind, row, count in
      for x in 0..<count where row[x] == hole { row[x] = behind[x] }
    }
  }

  /// Draws a frame without holes as far as it stays.
  func draw(_ frame: IndexedFrames.Frame) {
    guard frame.header.disposal == .keep else { return }
    forEachRow(of: frame) { behind, row, count in behind.update(from: row, count: count) }
  }

  /// The index at a place of a frame.
  func index(behind frame: IndexedFrames.Frame, x: Int, y: Int) -> UInt8 {
    indexes[(frame.header.rect.y + y) * width + frame.header.rect.x + x]
  }

  private func forEachRow(
    of frame: IndexedFrames.Frame,
    _ body: (_ behind: UnsafeMutablePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int) -> Void
  ) {
    let rect = frame.header.rect
    for y in 0..<rect.height {
      body(indexes + (rect.y + y) * width + rect.x, frame.indexes + y * rect.width, rect.width)
    }
  }
}
