// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Texts of a PNG file (PNG Third Edition §11.3.3.2), read and put in without a library.
package enum PNGText {
  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The tEXt chunks, by keyword.
  ///
  /// - Parameter bytes: A whole file.
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/truncated`` if it does not go on to IEND;
  ///   ``CoderError/Code/checksumMismatch`` for a text that was changed.
  package static func texts(_ bytes: [UInt8]) throws(CoderError) -> [String: String] {
    guard bytes.starts(with: signature) else { throw .wrongFormat("a thumbnail is no PNG file") }
    var texts: [String: String] = [:]
    var place = signature.count
    while true {
      guard bytes.count - place >= 12 else { throw .truncated("a thumbnail ends before IEND", at: place) }
      let length = Int(number(bytes[place..<(place + 4)]))
      guard length <= bytes.count - place - 12 else {
        throw .truncated("a chunk has \(length) bytes, \(bytes.count - place - 12) are left", at: place)
      }
      let body = bytes[(place + 4)..<(place + 8 + length)]
      let name = body.prefix(4)
      if name.elementsEqual("IEND".utf8) { return texts }
      if name.elementsEqual("tEXt".utf8) {
        guard number(bytes[(place + 8 + length)..<(place + 12 + length)]) == CRC32.sum(body) else {
          throw .checksumMismatch("a tEXt chunk of a thumbnail was changed", at: place)
        }
        let parts = body.dropFirst(4).split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { texts[latin1(parts[0])] = latin1(parts[1]) }
      }
      place += 12 + length
    }
  }

  /// A file with more texts, which stand after IHDR.
  ///
  /// - Parameter texts: Keywords of 1 to 79 characters, and texts, of Latin-1 without zeros.
  /// - Throws: ``CoderError/Code/malformed`` if the file does not begin with IHDR.
  package static func adding(_ texts: [(keyword: String, text: String)], to bytes: [UInt8]) throws(CoderError)
    -> [UInt8]
  {
    // Signature, and 13 bytes of IHDR with length, name and sum.
    let end = signature.count + 25
    guard bytes.count > end, bytes.starts(with: signature), bytes[12..<16].elementsEqual("IHDR".utf8) else {
      throw .malformed("a PNG file does not begin with IHDR", at: 0)
    }
    var result = Array(bytes[..<end])
    for (keyword, text) in texts {
      let content =
        Array(keyword.utf8) + [0] + text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
      let body = Array("tEXt".utf8) + content
      result += bigEndian(UInt32(content.count)) + body + bigEndian(CRC32.sum(body[...]))
    }
    return result + bytes[end...]
  }

  private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
  }
}

/// The sum of PNG's chunks (PNG Third Edition §D).
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
  }

  static func sum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }
}
