// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Packet headers of all tile-parts, packed into PPM segments of the main header (ISO/IEC 15444-1 A.7.4).
///
/// They are dealt out to their tile-parts, where PPT segments (A.7.5) hold them as well.
struct PackedHeaders {
  private var segments: [Int: [UInt8]] = [:]
  /// All segments in order, and how far they are dealt out; nil until the first tile-part.
  private var bytes: [UInt8]?
  private var place = 0

  /// Bytes of headers that a PPT segment holds.
  static let maxSegment = 65_532

  /// Notes a PPM segment: its number and its bytes.
  mutating func add(_ segment: MarkerSegment, in source: SourceView) throws(CoderError) {
    let start = segment.payload.lowerBound
    guard segment.payload.count > 1 else { throw .malformed("an empty PPM segment", at: start) }
    let bytes = try source.bytes(at: start, count: segment.payload.count, of: "the packed packet headers")
    guard segments[Int(bytes[0])] == nil else { throw .malformed("two PPM segments \(bytes[0])", at: start) }
    segments[Int(bytes[0])] = Array(bytes[1...])
  }

  /// The headers of the next tile-part, nil when the main header has none for any.
  mutating func next() -> [UInt8]? {
    guard !segments.isEmpty else { return nil }
    if bytes == nil { bytes = segments.sorted { $0.key < $1.key }.flatMap(\.value) }
    guard let bytes, place <= bytes.count - 4 else { return [] }
    let start = place + 4
    let end = min(bytes.count, start + bytes.uint32(at: place))
    place = end
    return Array(bytes[start..<end])
  }

  /// Headers as PPT segments.
  ///
  /// - Parameter number: Of the tile's first segment here; counts on.
  /// - Returns: nil when the tile would have more than 256 of them.
  static func segments(_ headers: [UInt8], from number: inout Int) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = headers[...]
    // A tile that packs its headers packs all of them, so an empty part has an empty segment.
    repeat {
      guard number < 256 else { return nil }
      let piece = rest.prefix(maxSegment)
      result.append(uint16: Marker.packedHeadersTile)
      result.append(uint16: piece.count + 3)
      result.append(UInt8(number))
      result += piece
      rest = rest.dropFirst(maxSegment)
      number += 1
    } while !rest.isEmpty
    return result
  }
}
