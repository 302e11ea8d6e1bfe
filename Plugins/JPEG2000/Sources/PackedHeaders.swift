// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Packet headers of all tile-parts, packed into PPM segments of the main header (ISO/IEC 15444-1 A.7.4).
///
/// Each tile-part gets its own, as PPT segments (A.7.5).
struct PackedHeaders {
  private var segments: [Int: [UInt8]] = [:]
  /// All segments in order, and up to where tile-parts have got theirs; nil until the first tile-part.
  private var bytes: [UInt8]?
  private var place = 0

  /// Bytes of headers that a PPT segment holds.
  static let maxSegment = 65_532

  /// Notes a PPM segment: its number and its bytes.
  mutating func add(_ segment: MarkerSegment, in source: SourceView) throws(CoderError) {
    let start = segment.payload.lowerBound
    guard segment.payload.count > 1 else { throw .malformed("an empty PPM segment", at: start) }
    var reader = try source.reader(in: segment.payload, of: "the packed packet headers")
    let number = Int(try reader.uint8("the number"))
    guard segments[number] == nil else { throw .malformed("two PPM segments \(number)", at: start) }
    segments[number] = try reader.array(reader.remaining, "the headers")
  }

  /// The headers of the next tile-part, nil when the main header has none for any.
  mutating func next() -> [UInt8]? {
    guard !segments.isEmpty else { return nil }
    if bytes == nil { bytes = segments.sorted { $0.key < $1.key }.flatMap(\.value) }
    guard let bytes else { return [] }
    var reader = ByteReader(bytes.span.bytes, of: "the packed packet headers")
    do throws(CoderError) {
      try reader.seek(to: place)
      let length = Int(try reader.uint32("the length of a tile-part's headers"))
      let headers = try reader.array(min(length, reader.remaining))
      place = reader.position
      return headers
    } catch {
      // Of a tile-part for which nothing is left, the library tells what is wrong.
      return []
    }
  }

  /// Headers as PPT segments.
  ///
  /// - Parameter number: Of the tile's first segment here; counts on.
  /// - Returns: nil when the tile would have more than 256 of them.
  static func segments(_ headers: [UInt8], from number: inout Int) -> [UInt8]? {
    var writer = ByteWriter()
    var rest = headers[...]
    // A tile that packs its headers packs all of them, so an empty part has an empty segment.
    repeat {
      guard number < 256 else { return nil }
      let piece = rest.prefix(maxSegment)
      writer.put(UInt16(Marker.packedHeadersTile))
      writer.put(UInt16(clamping: piece.count + 3))
      writer.put(UInt8(truncatingIfNeeded: number))
      writer.put(Array(piece))
      rest = rest.dropFirst(maxSegment)
      number += 1
    } while !rest.isEmpty
    return writer.bytes
  }
}
