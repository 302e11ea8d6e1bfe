// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What is looked at in an ICC profile (ICC.1:2022 §7.2).
package enum ICCProfile {
  /// Tags that are looked at, at most.
  private static let maxTags = 1024
  /// Bytes of a name that are looked at, at most.
  private static let maxName = 4096

  /// Whether a profile's color space is that of pixels of a format.
  static func describes(_ format: PixelFormat, profile: [UInt8]) -> Bool {
    // §7.2.6: bytes 16 to 19 are the data color space's signature.
    guard profile.count >= 128 else { return false }
    return Array(profile[16..<20]) == Array((format.isGray ? "GRAY" : "RGB ").utf8)
  }

  /// The color space that a profile's samples are in, as it says it: "RGB", "GRAY", "CMYK"; nil for what is no profile.
  static func model(of profile: [UInt8]) -> String? {
    guard profile.count >= 132, Array(profile[36..<40]) == Array("acsp".utf8) else { return nil }
    return String(decoding: profile[16..<20].filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
  }

  /// The profile's description, "Display P3", or nil if it has none that can be read.
  package static func name(of profile: RawSpan) -> String? {
    let reader = ByteReader(profile, of: "the ICC profile")
    return text(tags(reader)[FourCC("desc")], reader)
  }

  /// The tags by their signatures, with their places. §7.3: the tag table follows the header of 128 bytes.
  static func tags(_ reader: borrowing ByteReader) -> [FourCC: Range<Int>] {
    var tags: [FourCC: Range<Int>] = [:]
    guard let count = try? reader.uint32(at: 128) else { return [:] }
    for index in 0..<min(Int(count), maxTags) {
      let entry = 132 + index * 12
      guard let name = try? reader.uint32(at: entry), let place = try? Int(reader.uint32(at: entry + 4)),
        let size = try? Int(reader.uint32(at: entry + 8))
      else { break }
      if tags[FourCC(rawValue: name)] == nil { tags[FourCC(rawValue: name)] = place..<(place + size) }
    }
    return tags
  }

  /// The text of a description, or nil without one that can be read.
  static func text(_ tag: Range<Int>?, _ reader: borrowing ByteReader) -> String? {
    guard let tag, tag.count >= 12, let part = try? reader.bytes(at: tag.lowerBound, count: tag.count) else {
      return nil
    }
    let value = ByteReader(part, of: "the profile's description")
    if value.has("mluc", at: 0) {
      // §10.15: records of language, country, length and place; the first is the default.
      guard let records = try? value.uint32(at: 8), records > 0, let length = try? Int(value.uint32(at: 20)),
        let start = try? Int(value.uint32(at: 24)), length <= maxName,
        let bytes = try? value.bytes(at: start, count: length)
      else { return nil }
      let units = [UInt8](copying: bytes)
      let text = stride(from: 0, to: units.count - 1, by: 2).map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }
      return String(decoding: text.prefix { $0 != 0 }, as: UTF16.self)
    }
    // ICC.1:2001 §6.5.17, of version 2 profiles: the length of a text in ASCII, and the text with a zero at its end.
    guard value.has("desc", at: 0), let length = try? Int(value.uint32(at: 8)), length <= maxName,
      let bytes = try? value.bytes(at: 12, count: length)
    else { return nil }
    return String(decoding: [UInt8](copying: bytes).prefix { $0 != 0 }, as: UTF8.self)
  }
}
