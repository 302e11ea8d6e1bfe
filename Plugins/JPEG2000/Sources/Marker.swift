// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The codes of markers (ISO/IEC 15444-1 table A.2; 15444-2 A.3; 15444-15 A.3).
enum Marker {
  static let startOfCodestream = 0xFF4F
  static let startOfTilePart = 0xFF90
  static let startOfData = 0xFF93
  static let endOfCodestream = 0xFFD9
  static let imageAndTileSize = 0xFF51
  static let codingStyle = 0xFF52
  static let codingStyleComponent = 0xFF53
  static let packedHeadersMain = 0xFF60
  static let packedHeadersTile = 0xFF61
  static let comment = 0xFF64

  /// Segments of the main header that say how tiles are coded, beside COD and COC: CAP, CPF, QCD, QCC, RGN, POC, and
  /// the component transforms of 15444-2, MCT, MCC, MCO and CBD.
  static let concernsTiles: Set<Int> = [
    0xFF50, 0xFF59, 0xFF5C, 0xFF5D, 0xFF5E, 0xFF5F, 0xFF74, 0xFF75, 0xFF77, 0xFF78,
  ]

  /// Whether a marker stands alone, without a length (A.1.3).
  static func isAlone(_ code: Int) -> Bool { (0xFF30...0xFF3F).contains(code) }
}

/// A marker segment in the source.
struct MarkerSegment: Equatable {
  let code: Int
  let offset: Int
  /// After the marker and the length.
  let payload: Range<Int>

  /// Reads a marker and, where it has one, its length.
  ///
  /// - Returns: nil when the codestream ends before the segment does.
  init?(parsing source: SourceView, at offset: Int, before end: Int) throws(CoderError) {
    guard offset <= end - 2 else { return nil }
    let longest = min(4, end - offset)
    var reader = ByteReader(try source.bytes(at: offset, least: 2, most: longest), at: offset, of: "a marker segment")
    guard reader.count >= 2 else { return nil }
    code = Int(try reader.uint16("the marker"))
    self.offset = offset
    switch code {
    case Marker.startOfData, Marker.endOfCodestream, Marker.startOfCodestream: payload = offset + 2..<offset + 2
    case let code where Marker.isAlone(code): payload = offset + 2..<offset + 2
    default:
      guard code >= 0xFF00 else {
        throw .malformed("0x\(String(code, radix: 16)) where a marker belongs", at: offset)
      }
      if reader.count < longest {
        reader = ByteReader(try source.bytes(at: offset, count: longest), at: offset, of: "a marker segment")
      }
      guard reader.count == 4 else { return nil }
      let length = Int(try reader.uint16(at: 2, "the length"))
      guard length >= 2 else { throw .malformed("a marker segment of \(length) bytes, 2 are needed", at: offset + 2) }
      guard offset + 2 + length <= end else { return nil }
      // An incomplete file may end before its codestream should.
      if source.size == .max, try source.bytes(at: offset, count: 2 + length).byteCount < 2 + length { return nil }
      payload = offset + 4..<offset + 2 + length
    }
  }
}
