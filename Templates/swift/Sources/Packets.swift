import ImageCoderPlugin

/// Bytes of a pixel: red, green, blue, alpha.
let pixelSize = 4
/// Pixels of a packet at most.
let longestPacket = 128

/// Decodes the packets of a frame row by row; each byte is asked for when it is needed.
struct PacketDecoder {
  private let source: SourceView
  private var position: Int
  private let end: Int
  /// Bytes of the source from `position` on. They are valid until the source is asked for others.
  private var window = UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ source: SourceView, packets: Range<Int>) {
    (self.source, position, end) = (source, packets.lowerBound, packets.upperBound)
  }

  /// Makes at least `count` bytes available.
  private mutating func need(_ count: Int) throws(CoderError) {
    guard window.count < count else { return }
    let rest = end - position
    guard rest >= count else {
      throw .malformed("a packet of \(count) bytes, the frame has \(rest) left", at: position)
    }
    window = try source.view(at: position, least: count, most: min(rest, 65_536))
    guard window.count >= count else {
      throw .truncated("a packet of \(count) bytes, \(window.count) are left", at: position + window.count)
    }
  }

  /// - Parameter row: Room for `width` pixels.
  mutating func decodeRow(of width: Int, to row: UnsafeMutableRawPointer) throws(CoderError) {
    var x = 0
    while x < width {
      try need(1)
      let count = Int(window[0] & 127) + 1
      let isRun = window[0] & 128 != 0
      guard count <= width - x else {
        throw .malformed("a packet of \(count) pixels, the row has \(width - x) left", at: position)
      }
      let size = 1 + pixelSize * (isRun ? 1 : count)
      try need(size)
      let pixels = UnsafeRawBufferPointer(rebasing: window[1..<size])
      for index in 0..<(isRun ? count : 1) {
        UnsafeMutableRawBufferPointer(start: row + (x + index) * pixelSize, count: pixels.count)
          .copyMemory(from: pixels)
      }
      window = UnsafeRawBufferPointer(rebasing: window[size...])
      position += size
      x += count
    }
  }
}

/// Encodes rows as packets.
struct PacketEncoder {
  let hasRuns: Bool

  /// Bytes that the packets of a row may take.
  static func memory(for width: Int) -> Int { width * (1 + pixelSize) }

  /// Encodes a row, and returns the number of bytes.
  ///
  /// - Parameter packets: Room for ``memory(for:)``.
  func encode(_ row: UnsafeRawPointer, _ width: Int, to packets: UnsafeMutableRawPointer) -> Int {
    var size = 0
    var x = 0
    while x < width {
      var count = hasRuns ? run(in: row, at: x, of: width) : 1
      let isRun = count > 1
      if !isRun {
        while count < min(width - x, longestPacket), !hasRuns || run(in: row, at: x + count, of: width) == 1 {
          count += 1
        }
      }
      packets.storeBytes(of: UInt8(count - 1) | (isRun ? 128 : 0), toByteOffset: size, as: UInt8.self)
      let stored = pixelSize * (isRun ? 1 : count)
      (packets + size + 1).copyMemory(from: row + x * pixelSize, byteCount: stored)
      size += 1 + stored
      x += count
    }
    return size
  }

  /// Pixels from a column on that are equal, as far as a packet reaches.
  private func run(in row: UnsafeRawPointer, at x: Int, of width: Int) -> Int {
    func pixel(_ x: Int) -> UInt32 { row.loadUnaligned(fromByteOffset: x * pixelSize, as: UInt32.self) }
    var count = 1
    while count < longestPacket, x + count < width, pixel(x + count) == pixel(x) { count += 1 }
    return count
  }
}
