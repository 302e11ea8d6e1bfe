// SPDX-License-Identifier: Apache-2.0

/// A place in a text: lines count from 1, and so do the characters of a line.
package struct TextPlace: Sendable, Equatable, CustomStringConvertible {
  package let line: Int
  /// In Unicode scalars, as editors count most texts.
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The place of what is not read from a text.
  static let nowhere = TextPlace(line: 0, column: 0)

  package var description: String { "line \(line), column \(column)" }
}

/// What is wrong at a place of a text, in one sentence: what was found and what is allowed.
package struct TextProblem: Error, Sendable, Equatable, CustomStringConvertible {
  package let place: TextPlace
  package let message: String

  package init(_ message: String, at place: TextPlace) {
    self.message = message
    self.place = place
  }

  package var description: String { "\(place): \(message)" }
}

/// A JSON value. One of a text says where it begins; one that is written does not.
package struct JSONValue: Sendable, Equatable {
  package enum Content: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// A finite number, and its letters in the text.
    case number(Double, written: String)
    case string(String)
    case list([JSONValue])
    /// In the order of the text; no two have the same key.
    case object([Member])
  }

  /// A key, where it begins, and its value.
  package struct Member: Sendable, Equatable {
    package let key: String
    package let place: TextPlace
    package let value: JSONValue

    init(key: String, place: TextPlace, value: JSONValue) {
      (self.key, self.place, self.value) = (key, place, value)
    }

    /// A member that is written.
    package init(writing key: String, _ value: JSONValue) {
      self.init(key: key, place: .nowhere, value: value)
    }
  }

  package let content: Content
  package let place: TextPlace

  init(_ content: Content, at place: TextPlace) {
    self.content = content
    self.place = place
  }

  /// A value that is written.
  package init(writing content: Content) { self.init(content, at: .nowhere) }

  /// Reads a whole text.
  ///
  /// - Parameters:
  ///   - maxBytes: How long the text may be.
  ///   - maxValues: How many values it may have, those in lists and objects included.
  /// - Throws: ``TextProblem`` for a text that RFC 8259 does not allow, that has a key twice, or that exceeds a bound of
  ///   ``JSONReader``.
  package init(
    parsing bytes: [UInt8], maxBytes: Int = 1 << 20, maxValues: Int = JSONReader.maxValues
  ) throws(TextProblem) {
    self = try JSONReader.value(of: bytes, maxBytes: maxBytes, maxValues: maxValues)
  }
}
