// SPDX-License-Identifier: Apache-2.0

/// A text of a container itself, such as a `tEXt` chunk of PNG or a comment of GIF.
///
/// The payload of ``MetadataKind/text`` is a row of them, in UTF-8: the keyword, a zero byte, the text, a zero byte.
public struct ContainerText: Sendable, Hashable {
  /// What the text is, as PNG names it: `Title`, `Author`, `Comment`; 1 to 79 characters.
  public var keyword: String
  /// The text, without zero bytes.
  public var text: String

  /// The keyword of a text in a container that has no keywords.
  public static let comment = "Comment"

  /// A text under a keyword.
  public init(_ text: String, keyword: String = comment) {
    self.keyword = keyword
    self.text = text
  }

  /// The payload of some texts.
  public static func payload(_ texts: [ContainerText]) -> [UInt8] {
    var bytes: [UInt8] = []
    for text in texts {
      bytes += text.keyword.utf8.filter { $0 != 0 }
      bytes.append(0)
      bytes += text.text.utf8.filter { $0 != 0 }
      bytes.append(0)
    }
    return bytes
  }

  /// The texts of a payload. A last one without its end is left out, and what is no UTF-8 is replaced by U+FFFD.
  public static func texts(in payload: [UInt8]) -> [ContainerText] {
    let parts = payload.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    var texts: [ContainerText] = []
    var index = parts.startIndex
    while index + 1 < parts.endIndex {
      texts.append(
        ContainerText(
          String(decoding: parts[index + 1], as: UTF8.self), keyword: String(decoding: parts[index], as: UTF8.self)))
      index += 2
    }
    return texts
  }
}
