// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine

/// The URI of a local file, spelled as GLib spells it: thumbnails are found by its digest.
enum FileURI {
  /// - Parameter path: An absolute path, as ``SystemName`` has it. `.`, `..` and empty names are taken out by the letter.
  /// - Returns: Nil for a path that is not absolute.
  static func text(_ path: String) -> String? {
    let bytes = SystemName.bytes(path)
    guard bytes.first == UInt8(ascii: "/") else { return nil }
    var names: [ArraySlice<UInt8>] = []
    for name in bytes.split(separator: UInt8(ascii: "/")) where !name.elementsEqual(".".utf8) {
      if name.elementsEqual("..".utf8) { _ = names.popLast() } else { names.append(name) }
    }
    return "file:///" + names.map { $0.map(escaped).joined() }.joined(separator: "/")
  }

  /// What stands for itself in a path besides letters and digits.
  private static let plain = Set("-_.!~*'()&=:@+$,".utf8)

  private static func escaped(_ byte: UInt8) -> String {
    let scalar = Unicode.Scalar(byte)
    let isPlain =
      ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
      || plain.contains(byte)
    if isPlain { return String(scalar) }
    return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
  }
}
