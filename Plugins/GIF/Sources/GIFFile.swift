// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A file in the making, whose global palette grows with its frames.
///
/// Images wait until the palette is known: to the end of a small file. In front of a large one stands a palette of 256
/// colours, which gets its last colours at the end.
final class GIFFile {
  /// The longest that images wait, bytes.
  private static let waitingSize = 1 << 20
  /// What one call hands to the host.
  private static let bufferSize = 1 << 16
  /// Behind the header and the Logical Screen Descriptor (GIF89a §17, §18).
  private static let paletteOffset = 13

  private let output: ByteOutput
  private let library: LibGIF
  private let canvas: Size
  /// Writes what stands between the global palette and the first frame.
  private let putPreamble: (LibGIF) throws(CoderError) -> Void
  private var bytes: [UInt8] = []
  private var hasBegun = false
  /// Colours that stand in the file; 256 in front of a file that grows.
  private var writtenColors = 0

  /// Colours of the global palette, at most 256; 0 for the transparent one.
  let palette = ColorTable()
  /// Whether more frames may come, and with them colours.
  let isGrowing: Bool

  init(
    _ output: ByteOutput, canvas: Size, isGrowing: Bool, putPreamble: @escaping (LibGIF) throws(CoderError) -> Void
  ) throws(CoderError) {
    self.output = output
    self.canvas = canvas
    self.isGrowing = isGrowing
    self.putPreamble = putPreamble
    library = try LibGIF()
  }

  /// Appends bytes of a frame.
  func put(_ more: [UInt8]) throws(CoderError) {
    bytes += more
    if !hasBegun {
      guard bytes.count > Self.waitingSize else { return }
      try begin(capacity: palette.colors.isEmpty ? 0 : isGrowing ? 256 : palette.colors.count)
    }
    guard bytes.count >= Self.bufferSize else { return }
    try output.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Whether colours may still be added.
  func hasRoom(for colors: Int, limit: Int) -> Bool {
    palette.colors.count + colors <= limit && (!hasBegun || (isGrowing && writtenColors == 256))
  }

  /// Writes what is left.
  func finish() throws(CoderError) {
    let settled = palette.colors.count
    if !hasBegun { try begin(capacity: settled) }
    try library.finish()
    try output.write(bytes + library.take())
    bytes = []
    if isGrowing, writtenColors == 256 {
      try output.patch(Self.stored(palette.colors, capacity: 256), at: Self.paletteOffset)
    }
  }

  private func begin(capacity: Int) throws(CoderError) {
    hasBegun = true
    writtenColors = capacity == 0 ? 0 : Self.storedCount(capacity)
    try library.putScreen(
      canvas, palette: palette.colors + Array(repeating: 0, count: max(0, writtenColors - palette.colors.count)))
    try putPreamble(library)
    try output.write(library.take())
  }

  /// A palette as it is stored, filled up to a power of two with black.
  static func stored(_ colors: [UInt32], capacity: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(3 * capacity)
    for color in colors {
      bytes.append(UInt8(truncatingIfNeeded: color))
      bytes.append(UInt8(truncatingIfNeeded: color >> 8))
      bytes.append(UInt8(truncatingIfNeeded: color >> 16))
    }
    return bytes + Array(repeating: 0, count: max(0, 3 * capacity - bytes.count))
  }

  /// The power of two that holds so many colours, from 2 on.
  static func storedCount(_ count: Int) -> Int {
    var stored = 2
    while stored < count { stored *= 2 }
    return stored
  }
}
