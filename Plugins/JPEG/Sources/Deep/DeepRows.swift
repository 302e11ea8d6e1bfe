// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns the channels of a ``DeepFile`` into rows of gray or RGB: chroma is interpolated and converted as libjpeg does it.
struct DeepRows {
  private let file: DeepFile
  private let frame: FrameParameters
  private let format: PixelFormat
  /// What each sample becomes, scaled to all bits of the format.
  private let scaled: [UInt16]
  private let isLuma: Bool

  init(_ file: DeepFile, frame: FrameParameters, format: PixelFormat) {
    self.file = file
    self.frame = frame
    self.format = format
    let top = 1 << frame.precision - 1
    let full = format.bytesPerChannel == 1 ? 255 : 65_535
    scaled = (0...top).map { UInt16(($0 * full + top / 2) / top) }
    isLuma = file.colors.isLuma(frame)
  }

  func deliver(into sink: RowSink, host: CoderHost) throws(CoderError) {
    let width = frame.size.width
    let lines = [[UInt16]](repeating: [UInt16](repeating: 0, count: width), count: frame.channels.count)
    var channels = lines
    var y = 0
    while y < file.usableRows {
      if host.isCancelled { throw .cancelled }
      let rows = try sink.rows(at: y, count: min(64, file.usableRows - y))
      for line in 0..<rows.count {
        for index in channels.indices { fill(&channels[index], y: y + line, channel: index) }
        write(&channels, to: rows.base + line * rows.stride)
      }
      try sink.done(at: y, count: rows.count)
      y += rows.count
    }
  }

  /// A row of a channel with a sample for each pixel.
  private func fill(_ line: inout [UInt16], y: Int, channel index: Int) {
    let plane = file.plane(index)
    let factors = frame.channels[index]
    let (across, down) = (frame.units.widest / factors.horizontal, frame.units.tallest / factors.vertical)
    let isWhole = frame.units.widest % factors.horizontal == 0 && frame.units.tallest % factors.vertical == 0
    guard isWhole, across <= 2, down <= 2, plane.size.width > 2 else {
      // Other samplings are repeated.
      let row = plane.row(min(plane.size.height - 1, y * factors.vertical / frame.units.tallest))
      for x in line.indices {
        line[x] = row[min(plane.size.width - 1, x * factors.horizontal / frame.units.widest)]
      }
      return
    }
    let near = plane.row(min(plane.size.height - 1, y / down))
    guard across == 2 || down == 2 else {
      for x in line.indices { line[x] = near[x] }
      return
    }
    // The next nearest row of chroma, three times as far away.
    let other = y % 2 == 0 ? max(0, y / 2 - 1) : min(plane.size.height - 1, y / 2 + 1)
    let far = down == 2 ? plane.row(other) : near
    guard across == 2 else {
      let bias = y % 2 == 0 ? 1 : 2
      for x in line.indices { line[x] = UInt16((3 * Int(near[x]) + Int(far[x]) + bias) >> 2) }
      return
    }
    let last = plane.size.width - 1
    for x in line.indices {
      let (here, beside) = (x / 2, x % 2 == 0 ? max(0, x / 2 - 1) : min(last, x / 2 + 1))
      if down == 1 {
        let isEdge = here == beside
        line[x] =
          isEdge ? near[here] : UInt16((3 * Int(near[here]) + Int(near[beside]) + (x % 2 == 0 ? 1 : 2)) >> 2)
      } else {
        let sum = 3 * Int(near[here]) + Int(far[here])
        let side = 3 * Int(near[beside]) + Int(far[beside])
        line[x] = UInt16((3 * sum + side + (x % 2 == 0 ? 8 : 7)) >> 4)
      }
    }
  }

  private func write(_ channels: inout [[UInt16]], to row: UnsafeMutableRawPointer) {
    let width = frame.size.width
    if isLuma {
      for x in 0..<width {
        (channels[0][x], channels[1][x], channels[2][x]) = colors(channels[0][x], channels[1][x], channels[2][x])
      }
    }
    switch format {
    case .gray8:
      let row = row.assumingMemoryBound(to: UInt8.self)
      for x in 0..<width { row[x] = UInt8(truncatingIfNeeded: scaled(channels[0][x])) }
    case .rgb8:
      let row = row.assumingMemoryBound(to: UInt8.self)
      for x in 0..<width {
        for channel in 0..<3 { row[3 * x + channel] = UInt8(truncatingIfNeeded: scaled(channels[channel][x])) }
      }
    case .gray16:
      let row = row.assumingMemoryBound(to: UInt16.self)
      for x in 0..<width { row[x] = scaled(channels[0][x]) }
    default:
      let row = row.assumingMemoryBound(to: UInt16.self)
      for x in 0..<width {
        for channel in 0..<3 { row[3 * x + channel] = scaled(channels[channel][x]) }
      }
    }
  }

  /// Bits beyond the precision, which damaged files have, are the most that there is.
  private func scaled(_ sample: UInt16) -> UInt16 { scaled[min(Int(sample), scaled.count - 1)] }

  /// T.871 §7, in the fixed-point numbers of libjpeg.
  private func colors(_ luma: UInt16, _ blue: UInt16, _ red: UInt16) -> (UInt16, UInt16, UInt16) {
    let top = scaled.count - 1
    let middle = (top + 1) / 2
    let (y, cb, cr) = (Int(luma), Int(blue) - middle, Int(red) - middle)
    func sample(_ value: Int) -> UInt16 { UInt16(min(max(value, 0), top)) }
    return (
      sample(y + (91_881 * cr + 32_768) >> 16), sample(y + (-22_554 * cb - 46_802 * cr + 32_768) >> 16),
      sample(y + (116_130 * cb + 32_768) >> 16)
    )
  }
}
