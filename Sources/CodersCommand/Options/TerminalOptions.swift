// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders

/// Options of verbs that show pictures in the terminal.
struct TerminalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The size in characters: 40x20, 40x or x20. (default: the terminal's)", valueName: "size"),
    transform: BoxArgument.parsed)
  var size: BoxArgument?

  @Option(
    name: .customLong("protocol"),
    help: ArgumentHelp(
      "blocks: 24-bit colors; 256: 256 colors; ascii: characters. (default: as COLORTERM and TERM say)",
      valueName: "name"))
  var style: TextProtocol?

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

  func picture(_ console: Console) -> TextPicture {
    TextPicture(style: style ?? TextProtocol(environment: console.environment))
  }

  /// Options that decode pictures as large as they are shown: a character is one pixel wide and two high.
  func decodeOptions(_ options: DecodeOptions, _ console: Console) -> DecodeOptions {
    var options = options
    // The last line is the shell's.
    let cells = size?.size ?? Size(width: console.columns, height: max(console.rows - 1, 1))
    options.thumbnailSize = Size(width: cells.width, height: cells.height * 2)
    options.pixelFormat = .rgba8
    options.alpha = .premultiplied
    return options
  }
}
