// SPDX-License-Identifier: Apache-2.0

extension ContainerText {
  /// A text whose container does not say how it is encoded: UTF-8, or Latin-1 if the bytes are none. Zero bytes at its end
  /// are left out.
  public init(decoding bytes: [UInt8], keyword: String = comment) {
    let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    let text =
      String(validating: bytes[..<end], as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes[..<end].map { Unicode.Scalar($0) }))
    self.init(text, keyword: keyword)
  }

  /// The text for a container without keywords, which begins with one that says more than that it is a comment.
  public var line: String { keyword == Self.comment || keyword.isEmpty ? text : "\(keyword): \(text)" }
}
