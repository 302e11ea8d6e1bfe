// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// Finds the answers of a terminal and the keys of a player among the bytes that come from it, in pieces of any size. Everything
/// else is left out.
package struct TerminalReplies {
  /// An answer.
  package enum Reply: Equatable {
    /// DA1, Primary Device Attributes: the numbers of what a terminal can do. 4 is sixel.
    case attributes([Int])
    /// XTVERSION: name and version.
    case version(String)
    /// A reply about kitty's graphics: which picture, and "OK" or what is wrong.
    case picture(id: Int, message: String)
    /// The size of a character, in pixels.
    case cell(Size)
    /// The size of the area of text, in pixels.
    case area(Size)
    /// DECRPM: a private mode; 1 set, 2 reset, 3 and 4 the same for good, 0 unknown.
    case mode(Int, setting: Int)
    /// XTSMGRAPHICS: registers of colors.
    case registers(Int)
    /// XTSMGRAPHICS: the largest sixel picture, in pixels.
    case largestSixel(Size)
    /// DSR: everything before the question was read.
    case ready
    /// A key was pressed.
    case key(Key)
  }

  /// The keys of a player.
  package enum Key: Equatable {
    /// q.
    case quit
    /// The space bar.
    case pause
    /// To the right, and to the left.
    case forward, backward
    /// Plus, also without the shift key, and minus.
    case faster, slower
    /// n, and p: the next file, and the one before.
    case next, previous
  }

  private static let keys: [UInt8: Key] = [
    UInt8(ascii: "q"): .quit, UInt8(ascii: " "): .pause, UInt8(ascii: "+"): .faster, UInt8(ascii: "="): .faster,
    UInt8(ascii: "-"): .slower, UInt8(ascii: "n"): .next, UInt8(ascii: "p"): .previous,
  ]

  private enum State {
    case outside
    case escape
    /// Control sequence: ECMA-48 §5.4.
    case control
    /// Control string, by its introducer: P for device control, _ for application program commands.
    case string(UInt8)
    /// An escape in a string, which may end it.
    case stringEnd(UInt8)
  }

  private var state = State.outside
  private var bytes: [UInt8] = []

  /// The longest answer that is looked at.
  private static let maxLength = 1024
  /// The largest side in pixels, and number of colors, that is believed.
  private static let maxNumber = 1 << 16

  package init() {}

  /// Reads more bytes.
  ///
  /// - Returns: The answers that end in them, in order.
  package mutating func add(_ more: some Sequence<UInt8>) -> [Reply] { more.compactMap { add($0) } }

  private mutating func add(_ byte: UInt8) -> Reply? {
    switch (state, byte) {
    case (.string(let kind), 0x1B): state = .stringEnd(kind)
    // CAN and SUB end every sequence.
    case (_, 0x18), (_, 0x1A): state = .outside
    case (.stringEnd(let kind), UInt8(ascii: "\\")):
      state = .outside
      return string(kind)
    case (.stringEnd, UInt8(ascii: "[")), (.escape, UInt8(ascii: "[")): begin(.control)
    case (.stringEnd, UInt8(ascii: "P")), (.stringEnd, UInt8(ascii: "_")), (.escape, UInt8(ascii: "P")),
      (.escape, UInt8(ascii: "_")):
      begin(.string(byte))
    case (.outside, 0x1B), (.escape, 0x1B), (.control, 0x1B), (.stringEnd, 0x1B): state = .escape
    case (.outside, _): return Self.keys[byte].map { .key($0) }
    case (.string, _): collect(byte)
    case (.control, 0x20...0x3F): collect(byte)
    case (.control, 0x40...0x7E):
      state = .outside
      return control(byte)
    default: state = .outside
    }
    return nil
  }

  private mutating func begin(_ next: State) {
    bytes.removeAll(keepingCapacity: true)
    state = next
  }

  private mutating func collect(_ byte: UInt8) {
    bytes.append(byte)
    if bytes.count > Self.maxLength { state = .outside }
  }

  // MARK: Meaning

  private func control(_ final: UInt8) -> Reply? {
    let isPrivate = bytes.first == UInt8(ascii: "?")
    var text = bytes[(isPrivate ? 1 : 0)...]
    // DECRPM has a dollar before its final byte.
    let hasDollar = text.last == UInt8(ascii: "$")
    if hasDollar { text.removeLast() }
    var numbers: [Int] = []
    for part in text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      // ECMA-48 §5.4.2: one that is left out has its default; kitty ends its list with one.
      let number = part.isEmpty ? 0 : Int(String(decoding: part, as: UTF8.self)) ?? -1
      guard (0...Self.maxNumber).contains(number) else { return nil }
      numbers.append(number)
    }
    switch (final, isPrivate, hasDollar) {
    case (UInt8(ascii: "c"), true, false): return .attributes(numbers)
    case (UInt8(ascii: "n"), false, false): return numbers == [0] ? .ready : nil
    // ECMA-48 §8.3.20 and §8.3.18, Cursor Right and Left, which keys send.
    case (UInt8(ascii: "C"), false, false): return numbers == [0] ? .key(.forward) : nil
    case (UInt8(ascii: "D"), false, false): return numbers == [0] ? .key(.backward) : nil
    case (UInt8(ascii: "y"), true, true): return numbers.count == 2 ? .mode(numbers[0], setting: numbers[1]) : nil
    case (UInt8(ascii: "t"), false, false):
      guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
      let size = Size(width: numbers[2], height: numbers[1])
      return numbers[0] == 6 ? .cell(size) : numbers[0] == 4 ? .area(size) : nil
    case (UInt8(ascii: "S"), true, false):
      // Item, status, values; status 0 is success.
      guard numbers.count >= 3, numbers[1] == 0, numbers[2] > 0 else { return nil }
      if numbers[0] == 1 { return .registers(numbers[2]) }
      guard numbers[0] == 2, numbers.count == 4, numbers[3] > 0 else { return nil }
      return .largestSixel(Size(width: numbers[2], height: numbers[3]))
    default: return nil
    }
  }

  private func string(_ kind: UInt8) -> Reply? {
    let text = String(decoding: bytes, as: UTF8.self)
    if kind == UInt8(ascii: "P") {
      guard text.hasPrefix(">|") else { return nil }
      return .version(String(text.dropFirst(2)))
    }
    guard text.hasPrefix("G"), let end = text.firstIndex(of: ";") else { return nil }
    for key in text[text.index(after: text.startIndex)..<end].split(separator: ",") where key.hasPrefix("i=") {
      guard let id = Int(key.dropFirst(2)) else { return nil }
      return .picture(id: id, message: String(text[text.index(after: end)...]))
    }
    return nil
  }
}
