// SPDX-License-Identifier: Apache-2.0

package import ImageCoders

/// What a terminal can do, by its answers.
package struct TerminalAbilities: Equatable {
  /// Name and version, or empty.
  package var name = ""
  /// Whether it answers at all: DA1 came.
  package var answers = false
  /// Whether it shows pictures in kitty's protocol.
  package var hasKitty = false
  /// Whether it reads their pixels from shared memory: it runs on this machine.
  package var hasSharedMemory = false
  /// Whether it plays frames by itself.
  package var hasKittyFrames = false
  /// Whether it shows sixels.
  package var hasSixel = false
  /// The number of registers of colors, or nil.
  package var registers: Int?
  /// The largest sixel picture, in pixels, or nil.
  package var largestSixel: Size?
  /// The size of a character in pixels, or nil.
  package var cell: Size?
  /// The size of the area of text in pixels, or nil.
  package var area: Size?
  /// Whether it waits with drawing until a frame is complete (mode 2026).
  package var synchronizes = false

  /// The pictures of the questions.
  package enum Question {
    /// Kitty's protocol at all.
    package static let direct = 31
    /// Pixels in shared memory.
    package static let sharedMemory = 32
    /// A second frame.
    package static let frame = 33
  }

  /// Nothing is known.
  package init() {}

  /// Takes over what an answer says.
  package mutating func take(_ reply: TerminalReplies.Reply) {
    switch reply {
    case .attributes(let numbers):
      answers = true
      if numbers.dropFirst().contains(4) { hasSixel = true }
    case .version(let text): name = text
    case .picture(let id, let message):
      guard message == "OK" else { return }
      if id == Question.direct { hasKitty = true }
      if id == Question.sharedMemory { hasSharedMemory = true }
      if id == Question.frame { hasKittyFrames = true }
    case .cell(let size): cell = size
    case .area(let size): area = size
    case .mode(let mode, let setting): if mode == 2026 { synchronizes = setting == 1 || setting == 2 }
    case .registers(let count): registers = count
    case .largestSixel(let size): largestSixel = size
    case .ready, .key: break
    }
  }

  /// Whether another terminal is around this one, which then shows what this one cannot.
  package var isMultiplexer: Bool { name.hasPrefix("tmux") || name.hasPrefix("screen") }

  /// Whether it shows pictures of iTerm2's protocol, which there is no question for.
  package var hasITerm: Bool { Self.has(name, among: ["iTerm2", "WezTerm", "mintty", "Rio", "rio"]) }

  /// Whether it is known for colors of 24 bits. `COLORTERM` says so, too, but is not sent through ssh.
  package var hasAllColors: Bool {
    Self.has(
      name,
      among: [
        "iTerm2", "WezTerm", "mintty", "Rio", "rio", "kitty", "ghostty", "foot", "contour", "Konsole", "tmux", "mlterm",
        "VTE", "Windows Terminal",
      ])
  }

  private static func has(_ name: String, among names: [String]) -> Bool { names.contains { name.hasPrefix($0) } }
}
