// SPDX-License-Identifier: Apache-2.0

/// A name of files beside a picture's file, as a manifest has it: `{stem}.xmp`, `{name}.xmp`, `legend.txt`, or `*` for all.
package struct SiblingPattern: Sendable, Hashable {
  /// As in the manifest.
  package let text: String

  /// Nil for a text that could name no file of the folder.
  package init?(_ text: String) {
    guard Self.isName(Array(text.utf8)), text == "*" || !text.utf8.contains(UInt8(ascii: "*")) else { return nil }
    self.text = text
  }

  /// Whether it names files after the picture's own name.
  var isNamed: Bool { text.contains("{stem}") || text.contains("{name}") }

  /// Whether a name is one of those that it means for a file.
  func allows(_ name: [UInt8], beside file: [UInt8]) -> Bool {
    text == "*" || name == Self.expanded(Array(text.utf8), for: file)
  }

  /// Whether bytes are the name of one file that is not hidden: no folder, and neither the folder itself nor the one above.
  static func isName(_ name: [UInt8]) -> Bool {
    // NAME_MAX of Linux.
    (1...255).contains(name.count) && name[0] != UInt8(ascii: ".") && !name.contains(UInt8(ascii: "/"))
      && !name.contains(0)
  }

  /// A name with the file's for `{name}`, and the file's without its extension for `{stem}`.
  static func expanded(_ name: [UInt8], for file: [UInt8]) -> [UInt8] {
    let dot = file.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil }
    let words: [(word: [UInt8], meaning: ArraySlice<UInt8>)] = [
      (Array("{name}".utf8), file[...]), (Array("{stem}".utf8), file[..<(dot ?? file.count)]),
    ]
    var expanded: [UInt8] = []
    var rest = name[...]
    while let first = rest.first {
      if let found = words.first(where: { rest.starts(with: $0.word) }) {
        expanded += found.meaning
        rest = rest.dropFirst(found.word.count)
      } else {
        expanded.append(first)
        rest = rest.dropFirst()
      }
    }
    return expanded
  }
}
