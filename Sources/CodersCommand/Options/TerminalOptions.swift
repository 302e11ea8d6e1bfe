// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders
import TerminalGraphics

/// Options of verbs that show pictures in the terminal.
struct TerminalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The size in characters: 40x20, 40x or x20. (default: the terminal's)", valueName: "size"),
    transform: PictureBox.parsed)
  var size: PictureBox?

  @Option(
    name: .customLong("protocol"),
    help: ArgumentHelp(
      """
      kitty, iterm2, sixel: pixels; blocks: 24-bit colors; quadrants, sextants: the same in quarters or sixths of a character; 256, 16, 8: as many colors; ascii: characters. (default: the \
      first that the terminal has)
      """, valueName: "name"))
  var style: TerminalProtocol?

  @Flag(help: "Make small pictures as large as they fit, too.")
  var enlarge = false

  @Flag(help: "Say the name, format and size of each picture in a line above it.")
  var caption = false

  @Flag(help: "Show pictures even if standard output is no terminal.")
  var force = false

  func validate() throws {
    if let size, size.size == nil { throw ValidationError("--size is a number of characters, as 40x20, 40x or x20") }
  }

  /// Checks that there is a terminal.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` if there is none and `--force` is not given.
  func check(_ console: Console) throws(CoderError) {
    guard console.isTerminal || force else {
      throw .invalidArgument("standard output is no terminal; --force shows pictures all the same")
    }
  }

  /// Takes the terminal.
  func session(
    _ console: Console, _ purpose: TerminalSession.Purpose, _ registry: () -> CoderRegistry
  ) -> TerminalSession { TerminalSession(console, style, purpose, enlarges: enlarge, registry) }

  /// The line above a picture: all that is known of it, or its name if there are several.
  ///
  /// - Parameter header: Of the file, or nil if it is not known.
  func printCaption(of file: String, _ header: ImageHeader?, isOneOfMany: Bool, _ console: Console) {
    guard caption || isOneOfMany else { return }
    var words = [file.printable]
    if caption, let header {
      words += [header.format.rawValue, "\(header.displayedSize)"]
      if header.isAnimated { words.append(header.frameCount == 1 ? "1 frame" : "\(header.frameCount) frames") }
    }
    console.print(words.joined(separator: "  "))
  }
}

extension TerminalProtocol: ExpressibleByArgument {
  private static let named: [(name: String, value: TerminalProtocol)] =
    [("kitty", .kitty), ("iterm2", .iTerm), ("sixel", .sixel)] + TextProtocol.allCases.map { ($0.rawValue, .text($0)) }

  package init?(argument: String) {
    guard let value = Self.named.first(where: { $0.name == argument })?.value else { return nil }
    self = value
  }

  package static var allValueStrings: [String] { named.map(\.name) }

  package var defaultValueDescription: String { Self.named.first { $0.value == self }?.name ?? "" }
}
