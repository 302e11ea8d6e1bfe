// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Pictures in the folder of a drawing, which librsvg would open itself.
///
/// It has no way to be handed their bytes but in the document (RFC 2397), and so they are put there.
///
/// - Format: SVG 2 §12.3, URLs of RFC 3986 without a folder.
enum PicturesBeside {
  /// The text with each picture that the host opens in the place of its name; nil if there is none.
  ///
  /// - Parameters:
  ///   - places: Values of attributes in the text, in their order.
  ///   - check: Throws if a text may not have so many bytes.
  static func filled(
    _ text: UnsafeRawBufferPointer, at places: [Range<Int>], host: CoderHost,
    check: (_ bytes: Int) throws(CoderError) -> Void
  ) throws(CoderError) -> [UInt8]? {
    var known: [[UInt8]: SourceView?] = [:]
    var found: [(place: Range<Int>, picture: SourceView)] = []
    var count = text.count
    for place in places {
      guard let name = fileName(UnsafeRawBufferPointer(rebasing: text[place])) else { continue }
      if known[name] == nil { known[name] = .some(try picture(String(decoding: name, as: UTF8.self), host)) }
      guard case .some(.some(let picture)) = known[name] else { continue }
      found.append((place, picture))
      // Base64 has four characters for three bytes; what stands before them is shorter than 32.
      count += picture.size / 3 * 4 + 32
      try check(count)
    }
    guard !found.isEmpty else { return nil }
    var filled: [UInt8] = []
    try ArrayMemory.grow(&filled, by: count, for: "the document with its pictures")
    var end = 0
    for (place, picture) in found {
      filled += text[end..<place.lowerBound]
      let bytes = try picture.contents()
      filled += "data:image/\(bytes.first == 0x89 ? "png" : "jpeg");base64,".utf8
      append(bytes, to: &filled)
      end = place.upperBound
    }
    filled += text[end...]
    return filled
  }

  /// A picture of a format that librsvg reads in a worker, too.
  private static func picture(_ name: String, _ host: CoderHost) throws(CoderError) -> SourceView? {
    guard let file = try host.sibling(named: name) else { return nil }
    let start = [UInt8](try file.view(at: 0, count: 8))
    if start.starts(with: [0xFF, 0xD8, 0xFF]) || start == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] {
      return file
    }
    host.log("\(name), beside the file, is neither PNG nor JPEG and is left out", severity: .warning)
    return nil
  }

  /// The name of a file in the drawing's folder that a reference is; nil for one that leads elsewhere.
  static func fileName(_ reference: UnsafeRawBufferPointer) -> [UInt8]? {
    var rest = reference[...]
    while let first = rest.first, MarkupText.isSpace(first) { rest = rest.dropFirst() }
    while let last = rest.last, MarkupText.isSpace(last) { rest = rest.dropLast() }
    if rest.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
    var name: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        name.append(high << 4 | low)
      // Another folder, a scheme, a query, a part of a document, an entity; braces would mean the drawing's own name.
      case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: ":"), UInt8(ascii: "?"), UInt8(ascii: "#"),
        UInt8(ascii: "&"), UInt8(ascii: "{"):
        return nil
      default: name.append(byte)
      }
    }
    return name.isEmpty ? nil : name
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    Character(UnicodeScalar(character)).hexDigitValue.map { UInt8($0) }
  }

  /// RFC 4648 §4.
  static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let some = bytes[start..<min(start + 3, bytes.count)]
      let bits = some.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - some.count))
      for index in 0..<4 {
        text.append(index > some.count ? UInt8(ascii: "=") : letters[bits >> (18 - 6 * index) & 63])
      }
    }
  }
}
