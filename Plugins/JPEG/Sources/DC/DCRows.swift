// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns a ``DCFile`` into rows of gray or RGB.
struct DCRows {
  private let channels: [DCChannel]
  private let isLuma: Bool
  private let size: Size
  private let format: PixelFormat

  /// - Parameters:
  ///   - size: That of the canvas, divided by 8 and rounded up.
  ///   - format: Of 8 bits per channel.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ file: DCFile, size: Size, format: PixelFormat, host: CoderHost) throws(CoderError) {
    var channels: [DCChannel] = []
    for index in file.frame.channels.indices { channels.append(try DCChannel(index, of: file, host: host)) }
    self.channels = channels
    self.size = size
    self.format = format
    isLuma = file.colors.isLuma(file.frame)
  }

  /// - Throws: ``CoderError/Code/cancelled``; what the sink throws.
  func deliver(into sink: RowSink, host: CoderHost) throws(CoderError) {
    var y = 0
    while y < size.height {
      if host.isCancelled { throw .cancelled }
      let rows = try sink.rows(at: y, count: min(64, size.height - y))
      for line in 0..<rows.count {
        for channel in channels { channel.fill(y + line) }
        write(to: (rows.base + line * rows.stride).assumingMemoryBound(to: UInt8.self))
      }
      try sink.done(at: y, count: rows.count)
      y += rows.count
    }
  }

  private func write(to row: UnsafeMutablePointer<UInt8>) {
    let (first, second, third) = (
      channels[0].line, channels[channels.count / 2].line, channels[channels.count - 1].line
    )
    guard format != .gray8 else {
      row.update(from: first, count: size.width)
      return
    }
    let bytes = format.bytesPerPixel
    let (red, blue) = format == .bgra8 ? (2, 0) : (0, 2)
    for x in 0..<size.width {
      let pixel = row + x &* bytes
      if isLuma {
        // T.871 §7, in the fixed-point numbers of libjpeg.
        let (y, cb, cr) = (Int32(first[x]), Int32(second[x]) &- 128, Int32(third[x]) &- 128)
        pixel[red] = Self.sample(y &+ (91_881 &* cr &+ 32_768) >> 16)
        pixel[1] = Self.sample(y &+ (-22_554 &* cb &- 46_802 &* cr &+ 32_768) >> 16)
        pixel[blue] = Self.sample(y &+ (116_130 &* cb &+ 32_768) >> 16)
      } else {
        pixel[red] = first[x]
        pixel[1] = second[x]
        pixel[blue] = third[x]
      }
      if bytes == 4 { pixel[3] = 255 }
    }
  }

  @inline(__always)
  private static func sample(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value, 0), 255)) }
}
