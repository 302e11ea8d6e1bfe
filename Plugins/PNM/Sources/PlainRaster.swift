// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Samples that are digits (P1, P2, P3), read from the first on through a window of the file.
struct PlainRaster {
  private let page: PNMHeader
  private let host: CoderHost
  private let source: SourceView
  /// The bytes that are looked at, and where they begin in the file.
  private var window = UnsafeRawBufferPointer(start: nil, count: 0)
  private var offset: Int
  /// Samples after the row that is read; each has a byte at least.
  private var samplesBehind = 0

  private static let leastBytes = 4 << 10
  private static let windowBytes = 64 << 10

  /// The part of the window that is not read yet; in registers, while the window stays in memory. Empty at the end of
  /// the file.
  private struct Rest {
    var next: UnsafePointer<UInt8>
    var end: UnsafePointer<UInt8>
    var isEmpty: Bool { next == end }

    init(next: UnsafePointer<UInt8>, count: Int = 0) { (self.next, end) = (next, next + count) }
  }

  init(_ source: SourceView, of page: PNMHeader, host: CoderHost) {
    self.source = source
    self.page = page
    self.host = host
    offset = page.raster
  }

  /// What follows the window.
  @inline(never)
  private mutating func moveOn(_ rest: Rest) throws(CoderError) -> Rest {
    offset += window.count
    window = try source.view(
      at: offset, least: min(Self.leastBytes, max(1, samplesBehind)), most: Self.windowBytes)
    let bytes = window.bindMemory(to: UInt8.self)
    guard let start = bytes.baseAddress else { return rest }
    return Rest(next: start, count: bytes.count)
  }

  /// Where bytes that are not read yet begin in the file.
  private func place(_ rest: Rest) -> Int { offset + window.count - (rest.end - rest.next) }

  mutating func decode(_ rows: RowDecoder, into sink: RowSink) throws(CoderError) {
    let table = try SampleTable(for: page, host: host)
    defer { table?.release(to: host) }
    let count = page.canvas.width * page.depth
    let memory = try host.allocate(bytes: count * 2, for: "a row of samples")
    defer { host.free(memory) }
    let samples = memory.bindMemory(to: UInt16.self, capacity: count)
    var rest = Rest(next: UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)))
    for y in 0..<page.canvas.height {
      samplesBehind = (page.canvas.height - 1 - y) * count
      let granted = try sink.rows(at: y)
      if page.storage == .plainBits {
        // 1 is black.
        for index in 0..<count { samples[index] = try nextBit(&rest) ? 0 : 255 }
      } else {
        for index in 0..<count {
          let value = try nextNumber(&rest)
          // More digits may be after a cut; the picture's last number ends with many a whole file, though.
          guard !rest.isEmpty || (y == page.canvas.height - 1 && index == count - 1) else {
            throw .truncated("the file ends in row \(y) of \(page.canvas.height)", at: place(rest))
          }
          samples[index] = table?[value] ?? UInt16(min(value, page.maximum))
        }
      }
      rows.store(samples, to: granted.base)
      try sink.done(at: y)
    }
  }

  /// pbm(5): "the pixels need not be separated by white space".
  @inline(__always)
  private mutating func nextBit(_ rest: inout Rest) throws(CoderError) -> Bool {
    let byte = try nextByte(&rest)
    guard byte == 0x30 || byte == 0x31 else {
      throw .malformed("byte \(byte) where 0 or 1 is expected", at: place(rest) - 1)
    }
    return byte == 0x31
  }

  /// A number; what follows it has been looked for when this returns.
  @inline(__always)
  private mutating func nextNumber(_ rest: inout Rest) throws(CoderError) -> Int {
    let byte = try nextByte(&rest)
    guard (0x30...0x39).contains(byte) else {
      throw .malformed("byte \(byte) where a digit is expected", at: place(rest) - 1)
    }
    var value = Int(byte - 0x30)
    while let digit = try peek(&rest), (0x30...0x39).contains(digit) {
      value = min(value * 10 + Int(digit - 0x30), 99_999)
      rest.next += 1
    }
    return value
  }

  /// The next byte, which is not taken; nil at the end of the file.
  @inline(__always)
  private mutating func peek(_ rest: inout Rest) throws(CoderError) -> UInt8? {
    if rest.isEmpty {
      rest = try moveOn(rest)
      if rest.isEmpty { return nil }
    }
    return rest.next.pointee
  }

  /// The next byte that is neither white space nor in a comment.
  @inline(__always)
  private mutating func nextByte(_ rest: inout Rest) throws(CoderError) -> UInt8 {
    while let byte = try peek(&rest) {
      rest.next += 1
      if byte == UInt8(ascii: "#") {
        while let byte = try peek(&rest), byte != 0x0A, byte != 0x0D { rest.next += 1 }
      } else if !byte.isPNMSpace {
        return byte
      }
    }
    throw .truncated("the samples end early", at: place(rest))
  }
}
