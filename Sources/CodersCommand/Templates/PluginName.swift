// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// The names of a new plugin: what replaces the names in the templates, which are whole plugins of the format
/// `flipbook`.
package struct PluginName: Equatable {
  /// The plugin's name and the extension of its files: `my-format`.
  let name: String
  /// The coder's identifier, and the type identifier of its format: `org.example.my-format`.
  let id: String

  /// Checks the names.
  ///
  /// - Parameter id: Nil for `org.example.` and the name.
  /// - Throws: ``CoderError/Code/invalidArgument``.
  package init(_ name: String, id: String?) throws(CoderError) {
    let allowed = name.utf8.allSatisfy { Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "-") }
    guard allowed, let first = name.utf8.first, Self.isLetter(first), name.utf8.last != UInt8(ascii: "-"),
      !name.contains("--"), name.utf8.count <= Self.maximumLength
    else {
      throw .invalidArgument(
        "\"\(name)\" is not a plugin's name: a lower case letter, then lower case letters, digits and single hyphens, "
          + "\(Self.maximumLength) characters at most")
    }
    self.name = name
    self.id = id ?? "org.example.\(name)"
    let parts = self.id.split(separator: ".", omittingEmptySubsequences: false)
    let areNames = parts.allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy {
          Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
    }
    guard parts.count > 1, areNames else {
      throw .invalidArgument(
        "\"\(self.id)\" is not an identifier in reverse-DNS form, such as org.example.\(name): lower case letters, "
          + "digits, hyphens and underscores, with dots between")
    }
  }

  /// The name as a type in Swift: `MyFormat`.
  var typeName: String {
    name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Puts these names in the place of the templates' names, wherever they stand.
  package func filled(_ text: [UInt8]) -> [UInt8] {
    let replacements = replacements
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.first {
      // One pass: a name may itself contain the name that it replaces.
      if let (old, new) = replacements.first(where: { rest.starts(with: $0.old) }) {
        result += new
        rest = rest.dropFirst(old.count)
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  private var replacements: [(old: [UInt8], new: [UInt8])] {
    [
      (Array("org.example.flipbook".utf8), Array(id.utf8)), (Array("Flipbook".utf8), Array(typeName.utf8)),
      (Array("flipbook".utf8), Array(name.utf8)),
    ]
  }

  private static let maximumLength = 40

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
