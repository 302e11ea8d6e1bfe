// SPDX-License-Identifier: Apache-2.0

/// Turns pixels of a row into bytes of a file.
///
/// - Format: Radiance File Formats, "Scanline Records": four channels one after the other, each as runs and bytes, or
///   plain pixels where a scanline is too short or too long for that.
struct ScanlineEncoder {
  private let width: Int

  /// A shorter run takes no fewer bytes among others.
  private static let shortestRun = 4
  private static let longestRun = 127
  private static let mostBytes = 128

  init(width: Int) { self.width = width }

  private var isAdaptive: Bool { Scanline.adaptiveWidths.contains(width) }

  /// The most bytes of a scanline: a count for each 128 bytes of a channel.
  static func memory(width: Int) -> Int { 4 + 4 * (width + width / mostBytes + 1) }

  /// - Parameters:
  ///   - planes: Four, of ``width`` bytes each.
  ///   - target: Room for ``memory(width:)`` bytes.
  /// - Returns: What follows the scanline.
  func encode(_ planes: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    guard isAdaptive else {
      for x in 0..<width {
        for channel in 0..<4 { target[4 * x + channel] = planes[channel * width + x] }
      }
      return target + 4 * width
    }
    (target[0], target[1]) = (2, 2)
    (target[2], target[3]) = (UInt8(width >> 8), UInt8(width & 0xFF))
    return (0..<4).reduce(target + 4) { encode(plane: planes + $1 * width, to: $0) }
  }

  private func encode(
    plane: UnsafePointer<UInt8>, to start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var target = start
    // Bytes from `first` to `next` are in no run.
    var (first, next) = (0, 0)
    func putBytes() {
      while first < next {
        let count = min(next - first, Self.mostBytes)
        target.pointee = UInt8(count)
        (target + 1).update(from: plane + first, count: count)
        target += 1 + count
        first += count
      }
    }
    while next < width {
      var end = next + 1
      while end < width, end - next < Self.longestRun, plane[end] == plane[next] { end += 1 }
      guard end - next >= Self.shortestRun else {
        next = end
        continue
      }
      putBytes()
      target[0] = UInt8(128 + end - next)
      target[1] = plane[next]
      target += 2
      (first, next) = (end, end)
    }
    putBytes()
    return target
  }
}
