// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Names of files as strings.
///
/// A name is any bytes without a null byte; a string is Unicode. Each byte that is not part of UTF-8 becomes one of the
/// last scalars of Unicode, from U+10FF80 to U+10FFFF, which are for private use, and becomes the byte again where the
/// system is called. A name that contains such a scalar itself is treated like bytes that are not UTF-8, so that every
/// name comes back as it was.
package enum SystemName {
  /// The string for a name.
  package static func string(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !isEscaped(text) { return text }
    var text = ""
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      let sequence = rest.prefix(length)
      if let scalar = String(validating: sequence, as: UTF8.self), scalar.unicodeScalars.count == 1,
        !isEscaped(scalar)
      {
        text += scalar
        rest = rest.dropFirst(length)
      } else {
        text.unicodeScalars.append(Unicode.Scalar(base + UInt32(first)) ?? "?")
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The string for a name that ends with a null byte.
  package static func string(pointer: UnsafePointer<CChar>) -> String {
    string(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
  }

  /// The bytes of a name.
  package static func bytes(_ text: String) -> [UInt8] {
    guard isEscaped(text) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      scalar.value >= firstEscape ? [UInt8(scalar.value - base)] : Array(String(scalar).utf8)
    }
  }

  /// The text with the replacement character for what is not UTF-8, for formats that are Unicode.
  package static func unicode(_ text: String) -> String {
    guard isEscaped(text) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value >= firstEscape ? "\u{FFFD}" : $0 }))
  }

  /// Whether a text stands for bytes that are not UTF-8.
  package static func isEscaped(_ text: String) -> Bool {
    // The scalars from U+10FF80 are F4 8F BE 80 to F4 8F BF BF in UTF-8; almost no text has a byte of F4.
    let mayBe = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0xF4, bytes.count) != nil } ?? false
    }
    return mayBe ?? true && text.unicodeScalars.contains { $0.value >= firstEscape }
  }

  /// A byte, 0x80 to 0xFF, is this scalar more.
  private static let base: UInt32 = 0x10FF00
  private static let firstEscape: UInt32 = 0x10FF80
}

extension String {
  /// Calls `body` with the name that the system knows; see ``SystemName``.
  package func withSystemName<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    guard SystemName.isEscaped(self) else { return withCString(body) }
    return (SystemName.bytes(self) + [0]).withUnsafeBytes { bytes in
      // An array of several elements has an address.
      body(bytes.assumingMemoryBound(to: CChar.self).baseAddress.unsafelyUnwrapped)
    }
  }
}
