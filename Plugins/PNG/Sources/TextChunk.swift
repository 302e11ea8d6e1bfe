// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A tEXt, zTXt or iTXt chunk taken apart (PNG Third Edition §11.3.3).
struct TextChunk {
  /// The text's bytes, inflated: Latin-1, or UTF-8 of iTXt.
  let text: [UInt8]
  let isUTF8: Bool
  /// Whether the text was longer than the limit, or its compressed data ends early.
  let isCut: Bool

  /// - Parameters:
  ///   - data: Of the chunk.
  ///   - limit: Bytes of text that are kept at most.
  /// - Returns: nil when the chunk breaks the format's rules.
  init?(_ data: [UInt8], of name: FourCC, limit: Int, host: CoderHost) throws(CoderError) {
    guard let keywordEnd = data.firstIndex(of: 0) else { return nil }
    var rest = data[(keywordEnd + 1)...]
    var isCompressed = false
    switch name {
    case .text: break
    case .ztxt:
      guard rest.popFirst() == 0 else { return nil }
      isCompressed = true
    case .itxt:
      guard let flag = rest.popFirst(), flag <= 1, let method = rest.popFirst(), flag == 0 || method == 0 else {
        return nil
      }
      isCompressed = flag == 1
      // The language and the translated keyword, each ended by 0.
      for _ in 0..<2 {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        rest = rest[(end + 1)...]
      }
    default: return nil
    }
    isUTF8 = name == .itxt
    if isCompressed {
      let inflated = try LibPNG.inflate(rest, limit: limit, host: host)
      text = inflated.bytes
      isCut = inflated.outcome != .whole
    } else {
      text = try ArrayMemory.copy(rest.prefix(limit), for: "metadata")
      isCut = rest.count > limit
    }
  }

  var string: String {
    isUTF8 ? String(decoding: text, as: UTF8.self) : String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
  }
}

/// The payload of a "Raw profile type" text as ImageMagick writes it: a newline, a name, a newline, the number of bytes
/// in decimal, a newline, and the bytes in hexadecimal with newlines among them.
struct RawProfile {
  let payload: [UInt8]

  init?(_ text: [UInt8]) {
    let newline = UInt8(ascii: "\n")
    let lines = text.split(separator: newline, maxSplits: 2, omittingEmptySubsequences: true)
    guard lines.count == 3 else { return nil }
    var count = 0
    for digit in lines[1] where digit != UInt8(ascii: " ") {
      guard digit >= 0x30, digit <= 0x39, count <= text.count else { return nil }
      count = count * 10 + Int(digit - 0x30)
    }
    var payload: [UInt8] = []
    payload.reserveCapacity(min(count, lines[2].count / 2))
    var high: UInt8?
    for letter in lines[2] {
      guard let nibble = Self.nibble(letter) else { continue }
      if let first = high {
        payload.append(first << 4 | nibble)
        high = nil
      } else {
        high = nibble
      }
      if payload.count == count { break }
    }
    guard payload.count == count, count > 0 else { return nil }
    self.payload = payload
  }

  private static func nibble(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
