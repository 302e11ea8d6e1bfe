// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a source as a sequence of markers and segments, T.81 B.1.1.
///
/// Bytes are seen through one window, so that a walk does not ask the host for each of them.
struct MarkerInput {
  /// Of the next byte.
  private(set) var offset = 0

  private let source: SourceView
  private var window = UnsafeRawBufferPointer(start: nil, count: 0)
  private var windowStart = 0

  init(_ source: SourceView) { self.source = source }

  /// The next byte.
  ///
  /// - Throws: ``CoderError/Code/truncated`` at the end of the source.
  mutating func byte() throws(CoderError) -> UInt8 {
    var index = offset - windowStart
    if index < 0 || index >= window.count {
      window = try source.view(at: offset, least: 1, most: 4_096)
      windowStart = offset
      index = 0
      guard !window.isEmpty else {
        throw .truncated("the source ends before the first scan, which the header needs", at: offset)
      }
    }
    offset += 1
    return window[index]
  }

  /// Two bytes, the high one first.
  mutating func uint16() throws(CoderError) -> Int {
    let high = Int(try byte())
    return high << 8 | Int(try byte())
  }

  /// Moves to the next marker and behind it.
  ///
  /// Bytes that belong to no marker are passed over, as libjpeg does; so are stuffed zeros and fill bytes.
  mutating func marker() throws(CoderError) -> UInt8 {
    while true {
      while try byte() != 0xFF {}
      var code = try byte()
      while code == 0xFF { code = try byte() }
      if code != 0 { return code }
    }
  }

  /// Reads a segment's length and returns where its payload lies; the input stays at the payload.
  mutating func segment(_ marker: UInt8) throws(CoderError) -> Range<Int> {
    let place = offset
    let length = try uint16()
    guard length >= 2 else {
      throw .malformed("segment of marker \(marker.hex) has a length of \(length), at least 2 is needed", at: place)
    }
    let payload = offset..<(place + length)
    if source.size == .max, !payload.isEmpty {
      // Bytes arrive: whether the segment is there is known when its last one is, or the end.
      _ = try source.view(at: payload.upperBound - 1, least: 1, most: 1)
      window = UnsafeRawBufferPointer(start: nil, count: 0)
    }
    guard payload.upperBound <= source.size else {
      throw .truncated(
        "segment of marker \(marker.hex) needs \(length) bytes, \(source.size - place) are left", at: source.size)
    }
    return payload
  }

  mutating func move(to offset: Int) { self.offset = offset }

  /// Moves behind a prefix when a payload begins with it, and stays where it is when not.
  mutating func skip(_ prefix: [UInt8], in payload: Range<Int>) throws(CoderError) -> Bool {
    guard payload.count >= prefix.count else { return false }
    let place = offset
    for expected in prefix where try byte() != expected {
      offset = place
      return false
    }
    return true
  }
}

extension UInt8 {
  /// As markers are written, `0xC0`.
  var hex: String {
    let digits = String(self, radix: 16, uppercase: true)
    return digits.count < 2 ? "0x0" + digits : "0x" + digits
  }
}
