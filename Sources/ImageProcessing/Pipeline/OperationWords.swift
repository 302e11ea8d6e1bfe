// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// The values of an operation, one after the other.
struct OperationWords {
  private var words: ArraySlice<String>
  private let text: String

  init(_ values: String, of text: String) {
    words = values.isEmpty ? [] : values.split(separator: ",", omittingEmptySubsequences: false).map(String.init)[...]
    self.text = text
  }

  var isEmpty: Bool { words.isEmpty }

  func error(_ allowed: String) -> CoderError {
    .invalidArgument(
      "the operation \(text): \(words.first.map { "“\($0)” where" } ?? "at its end") \(allowed) is expected")
  }

  func end() throws(CoderError) {
    guard words.isEmpty else { throw error("nothing more") }
  }

  /// Takes a word if it is the next one.
  mutating func skip(_ word: String) -> Bool {
    guard words.first == word else { return false }
    words.removeFirst()
    return true
  }

  mutating func word(_ what: String) throws(CoderError) -> String {
    guard let word = words.first, !word.isEmpty else { throw error(what) }
    words.removeFirst()
    return word
  }

  mutating func optional<Value: RawRepresentable>(_: Value.Type) throws(CoderError) -> Value?
  where Value.RawValue == String {
    guard let value = words.first.flatMap(Value.init(rawValue:)) else { return nil }
    words.removeFirst()
    return value
  }

  mutating func optionalNumber() -> Double? {
    // `Double` also reads words and hexadecimal digits.
    guard let word = words.first, word.utf8.allSatisfy({ Self.numberBytes.contains($0) }), let number = Double(word),
      number.isFinite
    else { return nil }
    words.removeFirst()
    return number
  }

  private static let numberBytes = Set("0123456789.-+e".utf8)

  mutating func number(_ what: String) throws(CoderError) -> Double {
    guard let number = optionalNumber() else { throw error(what) }
    return number
  }

  mutating func number(_ what: String, in range: ClosedRange<Double>) throws(CoderError) -> Double {
    let number = try number(what)
    try ImageOperation.check(number, in: range, what)
    return number
  }

  mutating func optionalInteger() -> Int? {
    guard let number = words.first.flatMap({ Int($0) }), (-(1 << 30)...(1 << 30)).contains(number) else { return nil }
    words.removeFirst()
    return number
  }

  mutating func integer(_ what: String) throws(CoderError) -> Int {
    guard let number = optionalInteger() else { throw error(what) }
    return number
  }

  mutating func optionalColor() throws(CoderError) -> PixelColor? {
    guard let color = words.first.flatMap({ PixelColor(parsing: $0) }) else { return nil }
    words.removeFirst()
    return color
  }

  mutating func color() throws(CoderError) -> PixelColor {
    guard let color = try optionalColor() else { throw error("a color such as #ff8000 or #ff800080") }
    return color
  }

  /// `300x200`; with `allowsFree` also `300`, `300x` and `x200`.
  mutating func size(allowsFree: Bool) throws(CoderError) -> Size {
    guard let word = words.first, let size = Self.size(word, allowsFree: allowsFree) else {
      throw error(allowsFree ? "a size such as 300x200, 300x or x200" : "a size such as 300x200")
    }
    words.removeFirst()
    return size
  }

  private static func size(_ word: some StringProtocol, allowsFree: Bool) -> Size? {
    let sides = word.split(omittingEmptySubsequences: false) { "xX×".contains($0) }.map { side in
      side.isEmpty ? 0 : side.utf8.allSatisfy { (48...57).contains($0) } ? Int(side) ?? -1 : -1
    }
    guard sides.allSatisfy({ $0 >= 0 && $0 <= 1 << 30 }), sides.contains(where: { $0 > 0 }) else { return nil }
    if sides.count == 1, allowsFree { return Size(width: sides[0], height: sides[0]) }
    guard sides.count == 2, allowsFree || sides[0] > 0 && sides[1] > 0 else { return nil }
    return Size(width: sides[0], height: sides[1])
  }

  /// `100x80+10+20`, or `100x80` and an anchor.
  mutating func crop() throws(CoderError) -> ImageOperation {
    let expected = "a part such as 100x80+10+20, or 100x80 and an anchor,"
    guard let word = words.first else { throw error(expected) }
    let parts = word.split(separator: "+", omittingEmptySubsequences: false)
    guard let size = Self.size(parts[0], allowsFree: false) else { throw error(expected) }
    if parts.count == 1 {
      words.removeFirst()
      return .cropAnchored(size, try optional(ImageOperation.Anchor.self) ?? .center)
    }
    let places = parts.dropFirst().map { part in
      part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) ?? -1 : -1
    }
    guard places.count == 2, places.allSatisfy({ $0 >= 0 && $0 <= 1 << 30 }) else { throw error(expected) }
    words.removeFirst()
    return .crop(Rect(x: places[0], y: places[1], width: size.width, height: size.height))
  }

  mutating func corners() throws(CoderError) -> ImageOperation.Corners {
    var corners = ImageOperation.Corners(try number("a radius"))
    if let topRight = optionalNumber() {
      corners.topRight = topRight
      corners.bottomRight = try number("a radius")
      corners.bottomLeft = try number("a radius")
    }
    if let word = words.first, word.hasPrefix("border=") {
      guard let width = Int(word.dropFirst(7)), (0...(1 << 30)).contains(width) else { throw error("border=WIDTH") }
      words.removeFirst()
      corners.border = width
      corners.borderColor = try optionalColor() ?? .black
    }
    return corners
  }
}
