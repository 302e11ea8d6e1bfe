// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Palettes

/// Frames that wait for the palette which all of them share.
///
/// What of an animation does not fit is written with the palette of the frames that did.
final class HeldFrames {
  /// The most pixels that wait, at 4 bytes each.
  private static let maxPixels = 16 << 20

  private struct Frame {
    let pixels: UnsafeMutablePointer<UInt32>
    let size: Size
    let control: FrameEncoder.Control
  }

  private let host: CoderHost
  private let colorLimit: Int
  private var frames: [Frame] = []
  private var pixelCount = 0
  /// All colors, as long as one palette has room for them.
  private let colors = ColorTable()
  private var hasManyColors = false
  private var histogram: ColorHistogram

  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(host: CoderHost, colorLimit: Int) throws(CoderError) {
    self.host = host
    self.colorLimit = colorLimit
    histogram = try ColorHistogram()
  }

  deinit { removeAll() }

  /// Keeps a frame, if there is room for it.
  ///
  /// - Throws: ``CoderError/Code/cancelled``.
  func keep(_ rows: FrameRows, _ control: FrameEncoder.Control) throws(CoderError) -> Bool {
    let count = rows.size.pixelCount
    guard count <= Self.maxPixels - pixelCount, let memory = allocate(4 * count) else { return false }
    let pixels = memory.bindMemory(to: UInt32.self, capacity: count)
    frames.append(Frame(pixels: pixels, size: rows.size, control: control))
    pixelCount += count
    for y in 0..<rows.size.height {
      guard !host.isCancelled else { throw .cancelled }
      let row = pixels + y * rows.size.width
      rows.load(y, into: row)
      look(at: row, width: rows.size.width)
    }
    return true
  }

  /// Memory that the host does not give is no reason to fail, as long as the rest is enough for writing what waits.
  private func allocate(_ bytes: Int) -> UnsafeMutableRawPointer? {
    guard let memory = try? host.allocate(bytes: bytes, for: "frames that wait for their palette") else { return nil }
    guard let spare = try? host.allocate(bytes: bytes, for: "the indexes of a frame") else {
      host.free(memory)
      return nil
    }
    host.free(spare)
    return memory
  }

  private func look(at row: UnsafePointer<UInt32>, width: Int) {
    histogram.add(row, count: width)
    guard !hasManyColors else { return }
    var last = UInt32.max ^ row[0]
    for x in 0..<width where row[x] != last {
      last = row[x]
      hasManyColors = hasManyColors || !colors.insert(last, limit: colorLimit)
    }
  }

  /// Writes what was kept, with a palette for all of it when they have more colors than fit one.
  func write(with encoder: FrameEncoder) throws(CoderError) {
    if hasManyColors { try encoder.usePalette(for: histogram) }
    for frame in frames {
      try encoder.encode(FrameRows(loaded: frame.pixels, size: frame.size), frame.control)
    }
    removeAll()
  }

  private func removeAll() {
    for frame in frames { host.free(frame.pixels) }
    frames = []
  }
}
