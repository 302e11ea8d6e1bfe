// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The bytes of a source as a sequence of markers and segments, T.81 B.1.1.
struct MarkerInput {
  let source: SourceView
  /// The offset of the byte that is looked at next.
  var offset: Int
  /// A view of the source's first bytes, until another one is needed.
  private var head: UnsafeRawBufferPointer

  /// Bytes that are looked at in a search for a marker that is not where it belongs.
  private static let windowBytes = 4_096
  /// Bytes that are looked at first: a marker is 2, and a host that reads a file in parts has these.
  private static let firstBytes = 16
  /// What a host that reads a file in parts reads of its start.
  static let headBytes = 4_096

  /// - Parameters:
  ///   - offset: Where the first marker begins.
  ///   - head: A view of the source's first bytes. Who gives it takes no view of the source but through here.
  init(_ source: SourceView, offset: Int, head: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) {
    self.source = source
    self.offset = offset
    self.head = head
  }

  /// Shows `least` bytes at an offset, or more, or the rest of the source.
  ///
  /// - Returns: Bytes that are valid until the next view.
  private mutating func view(at place: Int, least: Int, most: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    if place <= head.count - least { return UnsafeRawBufferPointer(rebasing: head[place...]) }
    head = UnsafeRawBufferPointer(start: nil, count: 0)
    return try source.view(at: place, least: least, most: most)
  }

  /// Shows exactly `count` bytes at an offset, or the rest of the source.
  ///
  /// - Returns: Bytes that are valid until the next view.
  mutating func view(at place: Int, count: Int) throws(CoderError) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: try view(at: place, least: count, most: count).prefix(count))
  }

  /// Moves to the next marker, and past it.
  ///
  /// Bytes that belong to no marker are passed over, as libjpeg does; so are stuffed zeros and fill bytes.
  ///
  /// - Throws: ``CoderError/Code/truncated`` at the end of the source.
  mutating func marker() throws(CoderError) -> UInt8 {
    var isAfterFill = false
    var most = Self.firstBytes
    while true {
      let bytes = try view(at: offset, least: 1, most: most)
      var reader = ByteReader(bytes.bytes, at: offset)
      most = Self.windowBytes
      guard !reader.isAtEnd else { throw Self.end(at: offset) }
      while !reader.isAtEnd {
        let byte = try reader.uint8()
        if isAfterFill, byte != 0, byte != 0xFF {
          offset = reader.offset
          return byte
        }
        isAfterFill = byte == 0xFF
      }
      offset = reader.offset
    }
  }

  /// Reads a segment's length and returns where its payload lies; the input moves past the payload.
  ///
  /// - Throws: ``CoderError/Code/truncated`` when the source ends before it does; ``CoderError/Code/malformed``.
  mutating func segment(_ marker: UInt8) throws(CoderError) -> Range<Int> {
    let place = offset
    let bytes = try view(at: place, count: 2)
    let reader = ByteReader(bytes.bytes, at: place, of: "a segment")
    guard reader.count == 2 else { throw Self.end(at: place + reader.count) }
    let stated = Int(try reader.uint16(at: 0))
    // Nothing of a picture depends on comments and application data; libjpeg reads on after one without a length.
    let length = Self.isSkipped(marker) ? max(2, stated) : stated
    guard length >= 2 else {
      throw .malformed("segment of marker \(marker.hex) has a length of \(length), at least 2 is needed", at: place)
    }
    let payload = (place + 2)..<(place + length)
    if source.size == .max, !payload.isEmpty {
      // Whether an incremental source has the segment is known when its last byte is there, or the end.
      _ = try view(at: payload.upperBound - 1, count: 1)
    }
    guard payload.upperBound <= source.size else {
      throw .truncated(
        "segment of marker \(marker.hex) needs \(length) bytes, \(source.size - place) are left", at: source.size)
    }
    offset = payload.upperBound
    return payload
  }

  private static func isSkipped(_ marker: UInt8) -> Bool { marker == 0xFE || (0xE0...0xEF).contains(marker) }

  private static func end(at offset: Int) -> CoderError {
    .truncated("the source ends before the first scan, which the header needs", at: offset)
  }
}

extension UInt8 {
  /// As markers are written, `0xC0`.
  var hex: String {
    let digits = String(self, radix: 16, uppercase: true)
    return digits.count < 2 ? "0x0" + digits : "0x" + digits
  }
}
