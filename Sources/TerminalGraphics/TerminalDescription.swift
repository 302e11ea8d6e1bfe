// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the system's database of terminals says of one.
///
/// - Format: term(5) of ncurses, "Storage format": little-endian numbers of 16 bits, or of 32 with magic number 0o1036.
package struct TerminalDescription: Equatable {
  /// The number of colors, or nil if it has none.
  package let colors: Int?

  /// The index of `max_colors` among the numbers.
  private static let colorsIndex = 13
  /// More than any description has.
  private static let mostBytes = 32_768

  /// Looks for a terminal where ncurses does.
  ///
  /// - Parameter environment: Has `TERMINFO`, `HOME` and `TERMINFO_DIRS`.
  /// - Returns: Nil if there is no description, or none that can be read.
  package init?(of terminal: String, _ environment: (String) -> String?) {
    // Names are of files.
    guard let first = terminal.utf8.first, !terminal.contains("/"), terminal.first != "." else { return nil }
    var folders = [environment("TERMINFO"), environment("HOME").map { $0 + "/.terminfo" }].compactMap { $0 }
    folders += (environment("TERMINFO_DIRS") ?? "").split(separator: ":").map(String.init)
    folders += ["/etc/terminfo", "/lib/terminfo", "/usr/lib/terminfo", "/usr/share/terminfo"]
    for folder in folders {
      // A letter, or its number where names of folders do not tell upper and lower case apart.
      for name in [String(terminal.prefix(1)), String(first, radix: 16)] {
        if let found = Self.contents("\(folder)/\(name)/\(terminal)").flatMap(Self.init(contents:)) {
          self = found
          return
        }
      }
    }
    return nil
  }

  /// Reads a compiled description.
  package init?(contents bytes: [UInt8]) {
    func number(at offset: Int, of size: Int) -> Int? {
      guard offset >= 0, offset + size <= bytes.count else { return nil }
      return size == 2
        ? Int(Int16(truncatingIfNeeded: Int(bytes[offset]) | Int(bytes[offset + 1]) << 8))
        : Int(
          Int32(
            truncatingIfNeeded: Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
              | Int(bytes[offset + 3]) << 24))
    }
    // The magic number, the bytes of names, the booleans, and the numbers.
    guard let magic = number(at: 0, of: 2), magic == 0o432 || magic == 0o1036,
      let names = number(at: 2, of: 2), names >= 0, let booleans = number(at: 4, of: 2), booleans >= 0,
      let numbers = number(at: 6, of: 2), numbers >= 0
    else { return nil }
    let size = magic == 0o432 ? 2 : 4
    // Numbers begin at an even offset.
    let start = (12 + names + booleans + 1) & ~1
    guard numbers > Self.colorsIndex else {
      colors = nil
      return
    }
    guard let count = number(at: start + Self.colorsIndex * size, of: size) else { return nil }
    colors = count > 0 ? count : nil
  }

  private static func contents(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: mostBytes) { buffer, count in
      count = max(read(descriptor, buffer.baseAddress, mostBytes), 0)
    }
  }
}
