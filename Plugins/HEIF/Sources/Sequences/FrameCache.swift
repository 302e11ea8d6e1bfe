// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Frames before one that was asked for, kept as pixels for callers that go backwards.
///
/// A frame is decoded by way of all frames from its sync sample on. Without these, playing backwards would take that way
/// again for each frame.
final class FrameCache {
  /// Bytes that the frames may have in all.
  private static let budget = 64 << 20

  private let host: CoderHost
  let rowBytes: Int
  private let height: Int
  private let format: PixelFormat
  private var frames: [Int: UnsafeMutableRawPointer] = [:]

  /// How many frames fit.
  let capacity: Int

  init(size: Size, format: PixelFormat, host: CoderHost) {
    self.host = host
    self.format = format
    height = size.height
    rowBytes = size.width * format.bytesPerPixel
    capacity = min(Self.budget, host.limits.maxMemory / 8) / max(1, rowBytes * size.height)
  }

  deinit { forget() }

  /// Lets all frames go.
  func forget() {
    for memory in frames.values { host.free(memory) }
    frames = [:]
  }

  /// A frame's rows, one after the other, or nil when it is not here.
  func rows(of frame: Int, as format: PixelFormat) -> UnsafeRawPointer? {
    format == self.format ? frames[frame].map { UnsafeRawPointer($0) } : nil
  }

  /// Memory for a frame's rows, or nil when there is none to spare.
  func add(_ frame: Int) -> UnsafeMutableRawPointer? {
    guard frames[frame] == nil, frames.count < capacity,
      let memory = try? host.allocate(bytes: rowBytes * height, for: "a frame that was passed")
    else { return nil }
    frames[frame] = memory
    return memory
  }

  /// Lets a frame go that turned out to be damaged.
  func remove(_ frame: Int) { host.free(frames.removeValue(forKey: frame)) }
}
