// SPDX-License-Identifier: Apache-2.0

import CJPEGEighths
import ImageCoderPlugin

/// Turns a ``DCFile`` into rows of gray or RGB.
struct DCRows {
  private let channels: [DCChannel]
  private let isLuma: Bool
  private let part: Rect
  private let format: PixelFormat

  /// - Parameters:
  ///   - part: Inside the canvas, whose sides are divided by 8 and rounded up.
  ///   - format: Of 8 bits per channel.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ file: DCFile, part: Rect, format: PixelFormat, host: CoderHost) throws(CoderError) {
    var channels: [DCChannel] = []
    for index in file.frame.channels.indices { channels.append(try DCChannel(index, of: file, host: host)) }
    self.channels = channels
    self.part = part
    self.format = format
    isLuma = file.colors.isLuma(file.frame)
  }

  /// - Throws: ``CoderError/Code/cancelled``; what the sink throws.
  func deliver(into sink: RowSink, host: CoderHost) throws(CoderError) {
    var y = 0
    while y < part.height {
      if host.isCancelled { throw .cancelled }
      let rows = try sink.rows(at: y, count: min(64, part.height - y))
      for line in 0..<rows.count {
        for channel in channels { channel.fill(part.y + y + line) }
        write(to: (rows.base + line * rows.stride).assumingMemoryBound(to: UInt8.self))
      }
      try sink.done(at: y, count: rows.count)
      y += rows.count
    }
  }

  private func write(to row: UnsafeMutablePointer<UInt8>) {
    let lines: (UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?) = (
      UnsafePointer(channels[0].line + part.x), UnsafePointer(channels[channels.count / 2].line + part.x),
      UnsafePointer(channels[channels.count - 1].line + part.x)
    )
    let order: eighths_format =
      switch format {
      case .gray8: EIGHTHS_GRAY
      case .rgba8: EIGHTHS_RGBA
      case .bgra8: EIGHTHS_BGRA
      default: EIGHTHS_RGB
      }
    withUnsafeBytes(of: lines) { lines in
      let lines = lines.assumingMemoryBound(to: UnsafePointer<UInt8>?.self).baseAddress
      eighths_pixels(lines, part.width, isLuma ? 1 : 0, order, row)
    }
  }
}
