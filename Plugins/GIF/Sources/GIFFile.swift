// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Palettes

/// A file while it is written; its global palette gains the colors of later frames.
///
/// Images are kept in memory until the palette is complete: in a small file, until the end. A large file begins with a
/// palette of 256 colors, whose last colors are put in at the end.
final class GIFFile {
  /// The most bytes of images that are kept in memory.
  private static let maxKeptBytes = 1 << 20
  /// What one call hands to the host.
  private static let bufferSize = 1 << 16

  private let output: ByteOutput
  private let canvas: Size
  /// What stands between the global palette and the first frame.
  private let extensions: [UInt8]
  private var bytes: [UInt8] = []
  private var hasBegun = false
  /// Entries of the global palette that were written.
  private var writtenColorCount = 0

  /// Colors of the global palette, at most 256; 0 for the transparent one.
  let palette = ColorTable()
  /// Whether more frames may come, and with them colors.
  let isAnimation: Bool

  init(_ output: ByteOutput, canvas: Size, isAnimation: Bool, extensions: [UInt8]) {
    self.output = output
    self.canvas = canvas
    self.isAnimation = isAnimation
    self.extensions = extensions
  }

  /// Appends bytes of a frame.
  func put(_ more: [UInt8]) throws(CoderError) {
    try ArrayMemory.grow(&bytes, by: more.count, for: "frames")
    bytes += more
    if !hasBegun {
      guard bytes.count > Self.maxKeptBytes else { return }
      try begin(capacity: palette.colors.isEmpty ? 0 : isAnimation ? 256 : palette.colors.count)
    }
    guard bytes.count >= Self.bufferSize else { return }
    try output.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Whether colors may still be added.
  func hasRoom(for colors: Int, limit: Int) -> Bool {
    palette.colors.count + colors <= limit && (!hasBegun || (isAnimation && writtenColorCount == 256))
  }

  /// Writes what is left.
  func finish() throws(CoderError) {
    if !hasBegun { try begin(capacity: palette.colors.count) }
    bytes.append(BlockIntroducer.trailer)
    try output.write(bytes)
    bytes = []
    if isAnimation, writtenColorCount == 256 {
      var complete = ByteWriter()
      PaletteBytes.write(palette.colors, storedCount: 256, to: &complete)
      try output.patch(complete.bytes, at: LogicalScreen.size)
    }
  }

  private func begin(capacity: Int) throws(CoderError) {
    hasBegun = true
    writtenColorCount = capacity == 0 ? 0 : PaletteBytes.storedCount(capacity)
    var writer = ByteWriter(order: .littleEndian)
    LogicalScreen(canvas: canvas, globalColorCount: writtenColorCount).write(to: &writer)
    if writtenColorCount > 0 { PaletteBytes.write(palette.colors, storedCount: writtenColorCount, to: &writer) }
    try writer.reserve(extensions.count, for: "metadata")
    writer.put(extensions)
    try output.write(writer.bytes)
  }
}
