// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Samples that are digits (P1, P2, P3), read from the first on.
struct PlainRaster {
  private let bytes: UnsafeRawBufferPointer
  private let page: PNMHeader
  private let host: CoderHost

  /// - Parameter bytes: From the raster to the end of the file.
  init(_ bytes: UnsafeRawBufferPointer, of page: PNMHeader, host: CoderHost) {
    self.bytes = bytes
    self.page = page
    self.host = host
  }

  func decode(_ rows: RowDecoder, into sink: RowSink) throws(CoderError) {
    let table = try SampleTable(for: page, host: host)
    defer { table?.release(to: host) }
    let count = page.canvas.width * page.depth
    let memory = try host.allocate(bytes: count * 2, for: "a row of samples")
    defer { host.free(memory) }
    let samples = memory.bindMemory(to: UInt16.self, capacity: count)
    var offset = 0
    for y in 0..<page.canvas.height {
      let granted = try sink.rows(at: y)
      for index in 0..<count {
        if page.storage == .plainBits {
          // 1 is black.
          samples[index] = try nextBit(&offset) ? 0 : 255
          continue
        }
        let value = try nextNumber(&offset)
        // More digits may be behind a cut; the picture's last number ends with many a whole file, though.
        guard offset < bytes.count || (y == page.canvas.height - 1 && index == count - 1) else {
          throw .truncated("the file ends in row \(y) of \(page.canvas.height)", at: page.raster + offset)
        }
        samples[index] = table?[value] ?? UInt16(min(value, page.maximum))
      }
      rows.store(samples, to: granted.base)
      try sink.done(at: y)
    }
  }

  /// pbm(5): "the pixels need not be separated by white space".
  private func nextBit(_ offset: inout Int) throws(CoderError) -> Bool {
    let byte = try nextByte(&offset)
    guard byte == 0x30 || byte == 0x31 else {
      throw .malformed("byte \(byte) where 0 or 1 is expected", at: page.raster + offset - 1)
    }
    return byte == 0x31
  }

  private func nextNumber(_ offset: inout Int) throws(CoderError) -> Int {
    let byte = try nextByte(&offset)
    guard (0x30...0x39).contains(byte) else {
      throw .malformed("byte \(byte) where a digit is expected", at: page.raster + offset - 1)
    }
    var value = Int(byte - 0x30)
    while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) {
      value = min(value * 10 + Int(bytes[offset] - 0x30), 99_999)
      offset += 1
    }
    return value
  }

  /// The next byte that is neither white space nor in a comment.
  private func nextByte(_ offset: inout Int) throws(CoderError) -> UInt8 {
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if byte == UInt8(ascii: "#") {
        while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
      } else if !HeaderText.isSpace(byte) {
        return byte
      }
    }
    throw .truncated("the samples end early", at: page.raster + offset)
  }
}
