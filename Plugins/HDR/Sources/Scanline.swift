// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The mantissas and the exponents of a scanline, as far as its bytes are known.
///
/// - Format: Radiance File Formats, "Scanline Records", and `src/common/color.c` of Radiance, which has what that leaves
///   open: runs that are too long for an older scanline are cut off, the first pixel of it is never a run, and a count of
///   0 stands for no byte.
/// - Lifetime: Lives in memory of the host, which ``release(to:)`` gives back.
struct Scanline {
  /// Scanlines of these lengths may have their channels one after the other.
  static let adaptiveWidths = 8...32_767

  private enum Coding {
    /// No byte of the scanline is known.
    case unknown
    /// Four planes of runs and bytes.
    case planes
    /// Pixels of four bytes, some of which are counts; the shift is that of the next count.
    case pixels(shift: Int)
  }

  let width: Int
  /// Red, green, blue (or X, Y, Z) and exponents, each of ``width`` bytes.
  let planes: UnsafeMutablePointer<UInt8>
  private var coding = Coding.unknown
  /// Bytes of ``planes``, or pixels.
  private var filled = 0

  init(width: Int, host: CoderHost) throws(CoderError) {
    self.width = width
    planes = try host.allocate(bytes: Self.memory(width: width), for: "a scanline")
      .bindMemory(to: UInt8.self, capacity: Self.memory(width: width))
  }

  static func memory(width: Int) -> Int { 4 * width }

  func release(to host: CoderHost) { host.free(planes) }

  /// The fewest bytes that a scanline has: a pixel, and one count.
  static func leastBytes(width: Int) -> Int { width == 1 ? 4 : 8 }

  /// Goes to the next scanline.
  mutating func begin() {
    coding = .unknown
    filled = 0
  }

  /// Decodes as much as there is.
  ///
  /// - Parameter reader: Ends up at the first byte that is not decoded.
  /// - Returns: How many bytes are missing at least; 0 for a whole scanline.
  /// - Throws: ``CoderError/Code/malformed``.
  mutating func read(_ reader: inout ByteReader) throws(CoderError) -> Int {
    if case .unknown = coding {
      guard reader.remaining >= 4 else { return 4 - reader.remaining }
      let lead = try reader.uint32(at: reader.position)
      if Self.adaptiveWidths.contains(width), lead >> 16 == 0x0202, lead & 0x8000 == 0 {
        guard Int(lead & 0xFFFF) == width else {
          throw reader.malformed("a scanline of \(lead & 0xFFFF) pixels in a picture with \(width)")
        }
        try reader.skip(4)
        coding = .planes
      } else {
        store(pixel: lead)
        try reader.skip(4)
        coding = .pixels(shift: 0)
      }
    }
    if case .pixels(let shift) = coding { return try readPixels(&reader, shift: shift) }
    return try readPlanes(&reader)
  }

  private mutating func readPlanes(_ reader: inout ByteReader) throws(CoderError) -> Int {
    while filled < 4 * width {
      guard reader.remaining >= 2 else { return 2 - reader.remaining }
      let left = width - filled % width
      let count = Int(try reader.uint8(at: reader.position))
      if count > 128 {
        guard count - 128 <= left else { throw overrun(count - 128, left: left, reader) }
        let value = try reader.uint8(at: reader.position + 1)
        (planes + filled).update(repeating: value, count: count - 128)
        filled += count - 128
        try reader.skip(2)
      } else {
        guard count <= left else { throw overrun(count, left: left, reader) }
        guard reader.remaining > count else { return count + 1 - reader.remaining }
        try reader.skip(1)
        let target = UnsafeMutableRawPointer(planes + filled)
        try reader.bytes(count).withUnsafeBytes { bytes in
          if let base = bytes.baseAddress { target.copyMemory(from: base, byteCount: bytes.count) }
        }
        filled += count
      }
    }
    return 0
  }

  private func overrun(_ count: Int, left: Int, _ reader: ByteReader) -> CoderError {
    reader.malformed("\(count) bytes of a channel of which \(left) are left")
  }

  private mutating func readPixels(_ reader: inout ByteReader, shift: Int) throws(CoderError) -> Int {
    var shift = shift
    defer { coding = .pixels(shift: shift) }
    while filled < width {
      guard reader.remaining >= 4 else { return 4 - reader.remaining }
      let pixel = try reader.uint32(at: reader.position)
      if pixel >> 8 == 0x01_0101 {
        // Counts that follow one another are bytes of one number, the lowest first.
        guard shift <= 24 else { throw reader.malformed("a run whose length has more than four bytes") }
        repeatPixel(min(Int(pixel & 0xFF) << shift, width - filled))
        shift += 8
      } else {
        store(pixel: pixel)
        shift = 0
      }
      try reader.skip(4)
    }
    return 0
  }

  /// - Precondition: Fewer than ``width`` pixels are filled.
  private mutating func store(pixel: UInt32) {
    for channel in 0..<4 {
      planes[channel * width + filled] = UInt8(truncatingIfNeeded: pixel >> (24 - 8 * UInt32(channel)))
    }
    filled += 1
  }

  /// - Precondition: A pixel is filled, and there is room for `count` more.
  private mutating func repeatPixel(_ count: Int) {
    for channel in 0..<4 {
      let plane = planes + channel * width
      (plane + filled).update(repeating: plane[filled - 1], count: count)
    }
    filled += count
  }
}
